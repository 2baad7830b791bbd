// Accumulated local effects: the steps of Apley and Zhu's estimator (2020), in their order.
// An axis has points (grid points or levels), units that rows fall in (intervals or levels), and
// steps between neighbouring points. `predict` takes one row's values, in the order of the columns.

import { deviation, mean, runningTotal, total } from "./exact.js";
import { nearestPoints } from "./neighbours.js";

/** One feature: its column's number, kind, points, and the unit of each row. */
export function axis(column, kind, points, codes) {
  const steps = points.length - 1;
  const range = points[steps] - points[0];
  const positions = Array.from({ length: steps }, (_, s) =>
    kind === "numeric" ? (points[s] + points[s + 1]) / 2 / range : (s + 1) / steps,
  );
  return { column, kind, points, codes, steps, positions, units: steps + (kind !== "numeric") };
}

/** Prediction of a row with some columns set to other values. */
function asked(predict, row, axes, at) {
  const values = [...row];
  axes.forEach((one, a) => {
    values[one.column] = one.points[at[a]];
  });
  return predict(...values);
}

/** Where a row of a unit is moved to: both ends of each step that it takes part in. */
function moves({ kind, steps }, code) {
  if (kind === "numeric") return [code];
  return [code, code - 1].filter((step) => step >= 0 && step < steps);
}

/** Local effects: for each row and step (or cell) how the prediction changes over it. */
export function localEffects(predict, rows, axes) {
  const found = [];
  rows.forEach((row, i) => {
    const [one, other] = axes,
      f = (...at) => asked(predict, row, axes, at);
    for (const s of moves(one, one.codes[i])) {
      if (!other) {
        found.push({ row: i, step: [s], effect: f(s + 1) - f(s) });
        continue;
      }
      for (const t of moves(other, other.codes[i])) {
        const a = f(s, t),
          b = f(s + 1, t),
          c = f(s, t + 1),
          d = f(s + 1, t + 1);
        found.push({ row: i, step: [s, t], effect: d - b - (c - a) });
      }
    }
  });
  return found;
}

const zeros = (m, n) => Array.from({ length: m }, () => new Array(n).fill(0));
const column = (table, j) => table.map((row) => row[j]);
export const transposed = (table) => table[0].map((_, j) => column(table, j));

/** Steps without rows take the slope of the nearest one, so that a line stays a line. */
function filledSteps({ points, positions }, counts, values) {
  const known = positions.flatMap((_, s) => (counts[s] ? [s] : []));
  const empty = positions.flatMap((_, s) => (counts[s] ? [] : [s]));
  if (!empty.length) return values;
  const nearest = nearestPoints(
    known.map((s) => [positions[s]]),
    empty.map((s) => [positions[s]]),
  );
  const width = (s) => points[s + 1] - points[s],
    filled = [...values];
  empty.forEach((s, i) => {
    const lender = known[nearest[i]];
    filled[s] = (values[lender] / width(lender)) * width(s);
  });
  return filled;
}

/** Mean of a curve over the rows: an interval's rows in its middle, a level's at the level. */
function meanOverRows({ kind }, values, counts) {
  if (kind === "numeric") {
    const middles = counts.map((_, k) => (values[k] + values[k + 1]) / 2);
    return total(middles.map((value, k) => value * counts[k])) / total(counts);
  }
  const n = total(counts);
  return total(values.map((value, l) => value * (counts[l] / n)));
}

/** Main effect of one feature. */
export function mainEffect(predict, rows, one) {
  const local = localEffects(predict, rows, [one]);
  const bySteps = Array.from({ length: one.steps }, () => []);
  local.forEach(({ step: [s], effect }) => bySteps[s].push(effect));
  const counts = new Array(one.units).fill(0);
  one.codes.forEach((code) => {
    counts[code]++;
  });
  const behind = bySteps.map((effects) => effects.length);
  const own = bySteps.map(mean);
  const means = one.kind === "numeric" ? filledSteps(one, behind, own) : own;
  const accumulated = [0, ...runningTotal(means)];
  const constant = meanOverRows(one, accumulated, counts);
  return {
    axis: one,
    local,
    counts,
    behind,
    means,
    spread: bySteps.map(deviation),
    accumulated,
    constant,
    values: accumulated.map((value) => value - constant),
  };
}

/** Cells without rows take the value of the nearest one; which lent it, by number, is told too. */
function filledCells([one, other], counts, means) {
  const place = ([s, t]) => [one.positions[s], other.positions[t]];
  const cells = other.positions.flatMap((_, t) => one.positions.map((_, s) => [s, t])); // R's order
  const known = cells.filter(([s, t]) => counts[s][t]),
    empty = cells.filter(([s, t]) => !counts[s][t]);
  const filled = means.map((row) => [...row]);
  const nearest = nearestPoints(known.map(place), empty.map(place));
  const lent = empty.map((cell, i) => ({ cell, from: known[nearest[i]] }));
  lent.forEach(({ cell: [s, t], from: [p, q] }) => {
    filled[s][t] = means[p][q];
  });
  return { filled, lent };
}

/** Accumulated main effect of the first axis inside a pair's accumulated effect. */
function contained(one, other, accumulated, counts) {
  const rise = accumulated
    .slice(1)
    .map((row, s) => row.map((value, j) => value - accumulated[s][j]));
  const atUnits =
    other.kind === "numeric"
      ? rise.map((row) => row.slice(1).map((value, j) => (row[j] + value) / 2))
      : rise;
  const weights =
    one.kind === "numeric"
      ? counts
      : counts.slice(1).map((row, s) => row.map((value, j) => (counts[s][j] + value) / 2));
  const behind = weights.map(total);
  const steps = atUnits.map((row, s) => {
    const used = behind[s] ? weights[s] : transposed(counts).map(total); // no row: over all rows
    return total(row.map((value, j) => used[j] * value)) / (behind[s] || total(used));
  });
  return [0, ...runningTotal(steps)];
}

/** Value of the rows of each pair of units: the mean of the corners of numeric axes. */
function atCells([one, other], values, counts) {
  const ends = ({ kind }) => (kind === "numeric" ? [0, 1] : [0]);
  return counts.map((row, u) =>
    row.map((_, v) => {
      const corners = ends(one).flatMap((i) => ends(other).map((j) => values[u + i][v + j]));
      return corners.reduce((sum, value) => sum + value) / corners.length;
    }),
  );
}

/** Second-order effect of two features; a category, if there is one, comes first. */
export function pairEffect(predict, rows, axes) {
  const [one, other] = axes;
  const local = localEffects(predict, rows, axes);
  const byCell = zeros(one.steps, other.steps).map((row) => row.map(() => []));
  local.forEach(({ step: [s, t], effect }) => byCell[s][t].push(effect));
  const behind = byCell.map((row) => row.map((effects) => effects.length));
  const own = byCell.map((row) => row.map(mean));
  const { filled, lent } = filledCells(axes, behind, own);
  const along = filled.map((row) => [0, ...runningTotal(row)]);
  const accumulated = transposed(transposed(along).map((row) => [0, ...runningTotal(row)]));
  const counts = zeros(one.units, other.units);
  one.codes.forEach((code, i) => {
    counts[code][other.codes[i]]++;
  });
  const first = contained(one, other, accumulated, counts);
  const second = contained(other, one, transposed(accumulated), transposed(counts));
  const pure = accumulated.map((row, i) => row.map((value, j) => value - first[i] - second[j]));
  const cells = atCells(axes, pure, counts);
  const products = cells.flatMap((row, u) => row.map((value, v) => value * counts[u][v]));
  const constant = total(products) / total(counts.flat());
  return {
    axes,
    local,
    counts,
    behind,
    means: filled,
    own,
    lent,
    accumulated,
    mains: [first, second],
    constant,
    values: pure.map((row) => row.map((value) => value - constant)),
  };
}
