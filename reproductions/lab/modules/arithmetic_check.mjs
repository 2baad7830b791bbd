// Answers the cases on standard input (JSON, doubles as hexadecimal bits) as the page does.
// Run by reproductions/lab/arithmetic.py, which has Python's answers.

import { readFileSync } from "node:fs";
import { axis, mainEffect, pairEffect } from "./effects.js";
import { hex, unhex } from "./exact.js";
import { edges, intervals, linspace } from "./grid.js";
import { classicalScaling, levelDistances, similarityOrder } from "./ordering.js";
import { mPlot, partialDependence } from "./profiles.js";
import { RRandom } from "./random.js";
import { automaticEffect } from "./splitting.js";

// The black boxes of the cases: sums and products only, which every language rounds alike.
const BLACK_BOXES = {
  product: (a, b) => a * b,
  cubic: (a, b) => a * a * a - 2 * a * b + b,
  corner: (a, b) => (a > 0.7 && b < 0.3 ? 2 : a + b),
  levels: (level, x) => (level + 1) * x * x - level * 0.25,
};

const bits = (values) => values.flat(Infinity).map(hex);
const numeric = (column, x, K, rule) => {
  const z = edges(x, K, rule);
  return axis(column, "numeric", z, intervals(x, z));
};
const columnOf = (rows, j) => rows.map((row) => row[j]);

const ANSWERS = {
  random({ seed, n }) {
    const rng = new RRandom(seed);
    const uniform = rng.runif(n),
      normal = rng.rnorm(n, 1, 2),
      permuted = rng.sampleInt(n);
    return { uniform: bits(uniform), normal: bits(normal), permuted };
  },
  grid({ x, K }) {
    const rules = ["aleplot", "iml", "equidistant"];
    return Object.fromEntries(
      rules.map((rule) => {
        const z = edges(x, K, rule);
        return [rule, { edges: bits(z), codes: intervals(x, z) }];
      }),
    );
  },
  main({ rows, K, rule, predict }) {
    const one = numeric(0, columnOf(rows, 0), K, rule);
    const effect = mainEffect(BLACK_BOXES[predict], rows, one);
    const pd = partialDependence(
      BLACK_BOXES[predict],
      rows,
      0,
      linspace(one.points[0], one.points.at(-1), K),
    );
    return {
      means: bits(effect.means),
      spread: bits(effect.spread),
      values: bits(effect.values),
      pd: bits(pd.values),
      m: bits(mPlot(BLACK_BOXES[predict], rows, one).values),
    };
  },
  pair({ rows, K, rule, predict }) {
    const axes = [0, 1].map((j) => numeric(j, columnOf(rows, j), K, rule));
    const effect = pairEffect(BLACK_BOXES[predict], rows, axes);
    return { means: bits(effect.means), values: bits(effect.values), filled: effect.lent.length };
  },
  category({ rows, L, K }) {
    const levels = columnOf(rows, 0),
      order = similarityOrder(classicalScaling(levelDistances(levels, columnOf(rows, 1))));
    const rank = order.map((_, level) => order.indexOf(level));
    const one = axis(
      0,
      "categorical",
      order,
      levels.map((level) => rank[level]),
    );
    const effect = mainEffect(BLACK_BOXES.levels, rows, one);
    const other = numeric(1, columnOf(rows, 1), K, "aleplot");
    const pair = pairEffect(BLACK_BOXES.levels, rows, [one, other]);
    return { order, L, values: bits(effect.values), pair: bits(pair.values) };
  },
  automatic({ rows, predict }) {
    const options = { fine: 100, alpha: 0.2, minGain: 0.003 };
    const effect = automaticEffect(BLACK_BOXES[predict], rows, 0, options);
    return { edges: bits(effect.points), values: bits(effect.values) };
  },
};

const decoded = (value) =>
  typeof value === "string" && /^[0-9a-f]{16}$/.test(value)
    ? unhex(value)
    : Array.isArray(value)
      ? value.map(decoded)
      : value && typeof value === "object"
        ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, decoded(v)]))
        : value;

const cases = JSON.parse(readFileSync(0, "utf8")).map(decoded);
process.stdout.write(JSON.stringify(cases.map((one) => ANSWERS[one.kind](one))));
