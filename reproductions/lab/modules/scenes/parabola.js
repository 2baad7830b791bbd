// Grömping (2020): a model linear in x1 whose ALE is a parabola, by half the correlation.

import { around, Chart } from "../drawing.js";
import { columnOf, normalPair } from "../data.js";
import { axis, mainEffect } from "../effects.js";
import { edges, intervals, linspace } from "../grid.js";
import { mPlot, partialDependence } from "../profiles.js";
import { parabolaThrough } from "../regression.js";

const MEANS = [10, -5];
const predict = (x1, x2) => 200 + x1 - 0.5 * x2 + x1 * x2;

export const parabola = {
  name: "parabola",
  defaults: { n: 100, seed: 1, rho: -0.9, K: 20 },
  controls: ["rho", "n", "K", "seed"],
  limits: { rho: [-0.95, 0.95, 0.05], K: [3, 40, 1] },

  compute(state) {
    const rows = normalPair(state, MEANS),
      x = columnOf(rows, 0);
    const z = edges(x, state.K, "aleplot"),
      one = axis(0, "numeric", z, intervals(x, z));
    const ale = mainEffect(predict, rows, one);
    return {
      rows,
      ale,
      axis: one,
      pd: partialDependence(predict, rows, 0, linspace(z[0], z.at(-1), state.K)),
      ofM: parabolaThrough(z, mPlot(predict, rows, one).values),
      fitted: parabolaThrough(z, ale.values),
      theory: state.rho / 2,
    };
  },

  result: ({ ale, fitted }) => [...ale.values, fitted],
  python: ({ n, seed, rho, K }) => [
    "import math",
    "import numpy as np",
    "import pandas as pd",
    "from aleplot_py import ale",
    "from aleplot_py.r_random import set_seed",
    "",
    `rng, rho = set_seed(${seed}), ${rho}`,
    `first, second = rng.rnorm(${n}), rng.rnorm(${n})`,
    "X = pd.DataFrame(",
    '    {"x1": 10 + first, "x2": -5 + (rho * first + math.sqrt(1 - rho * rho) * second)}',
    ")",
    "",
    "",
    "def model(X):",
    '    return 200 + X["x1"] - 0.5 * X["x2"] + X["x1"] * X["x2"]',
    "",
    "",
    `effect = ale(model, X, "x1", K=${K})`,
    "coefficient = np.polyfit(effect.x_values[0] - 10, effect.f_values, 2)[0]",
    "result = [*effect.f_values, coefficient]",
  ],

  facts: ({ fitted, theory, ofM }) => [
    ["parabola.fitted", { fitted, theory }],
    ["parabola.m", { fitted: ofM, theory: 2 * theory }],
  ],

  table: ({ axis: { points }, ale }) => [
    ["table.x1", 3, points],
    ["table.ale", 4, ale.values],
  ],

  draw(numbers, { rho }, say) {
    const {
      rows,
      ale,
      pd,
      axis: { points: z },
    } = numbers;
    const left = new Chart({
      x: [6.5, 13.5],
      y: [-8.5, -1.5],
      xlabel: "x1",
      ylabel: "x2",
      name: say("scene.parabola.left"),
      say,
    });
    left.dots(rows, "point", 3);
    const right = new Chart({
      x: around(z),
      y: around([...ale.values, ...pd.values]),
      xlabel: "x1",
      ylabel: say("axis.effect"),
      name: say("scene.parabola.right"),
      say,
    });
    right.segment([right.x[0], 0], [right.x[1], 0], "zero");
    right.line(
      pd.points.map((x, k) => [x, pd.values[k]]),
      "pd",
    );
    right.line(
      z.map((x, k) => [x, ale.values[k]]),
      "ale",
    );
    right.dots(
      z.map((x, k) => [x, ale.values[k]]),
      "mark ale",
      2.5,
    );
    const population = (x) => -4 * (x - MEANS[0]) + (rho / 2) * ((x - MEANS[0]) ** 2 - 1);
    right.line(
      linspace(z[0], z.at(-1), 61).map((x) => [x, population(x)]),
      "truth",
    );
    return [left, right];
  },
  legend: ["pd", "ale", "population"],
};
