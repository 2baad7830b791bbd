// Automatic intervals: wide where the local derivatives agree.
// Gkolemis, Dalamagas, Ntoutsi and Diou (2023), RHALE, ECAI 2023.

import { mean, runningTotal, squaredDeviations, total } from "./exact.js";
import { intervals, linspace } from "./grid.js";

const TIE = 1e-12; // less than that is rounding, not heterogeneity

/** Running sums in plain doubles, from 0. */
function prefix(values) {
  let so = 0;
  return [0, ...values.map((value) => (so += value))];
}

const fewestRows = (n) => Math.min(n, Math.max(10, Math.ceil(n / 20)));

/** Cost of every interval between two fine edges, from sums over the fine intervals. */
function costs(z, counts, slopes, squares, { alpha, minGain, minRows }) {
  const n = total(counts);
  const origin = slopes.reduce((sum, slope, k) => sum + counts[k] * slope, 0) / n;
  const away = slopes.map((slope) => slope - origin);
  const second = squares.map((square, k) => square + counts[k] * away[k] ** 2);
  const variance = second.reduce((sum, value) => sum + value) / n;
  const least = Math.max(TIE * (variance + origin ** 2), minGain * variance);
  const rows = prefix(counts),
    ofFirst = prefix(away.map((d, k) => counts[k] * d));
  const ofSecond = prefix(second),
    penalty = least * (z.at(-1) - z[0]);
  const moments = (low, high) => {
    const weight = rows[high] - rows[low],
      divisor = weight || 1;
    const middle = (ofFirst[high] - ofFirst[low]) / divisor;
    const spread = Math.max((ofSecond[high] - ofSecond[low]) / divisor - middle ** 2, 0);
    return { weight, slope: middle + origin, variance: spread };
  };
  const cost = (low, high) => {
    const { weight, variance: spread } = moments(low, high);
    if (weight < minRows) return Infinity;
    return (1 - (alpha * weight) / n) * spread * (z[high] - z[low]) + penalty;
  };
  return { moments, cost };
}

/** Cut points of lowest cost: T(j) = min over l < j of T(l) + cost(l, j). */
function cheapest(size, cost) {
  const best = [0],
    before = [0];
  for (let high = 1; high < size; high++) {
    best[high] = Infinity;
    before[high] = 0;
    for (let low = 0; low < high; low++) {
      const sum = best[low] + cost(low, high);
      if (sum < best[high]) [best[high], before[high]] = [sum, low];
    }
  }
  const cuts = [size - 1];
  while (cuts[0] > 0) cuts.unshift(before[cuts[0]]);
  return cuts;
}

/** The intervals, and the effect accumulated from mean derivative times width. */
export function automaticEffect(predict, rows, column, { fine, alpha, minGain }) {
  const x = rows.map((row) => row[column]);
  const z = linspace(Math.min(...x), Math.max(...x), fine + 1),
    codes = intervals(x, z);
  const asked = (row, to) => predict(...row.map((value, j) => (j === column ? to : value)));
  const effects = z.slice(1).map(() => []);
  rows.forEach((row, i) => {
    const k = codes[i];
    effects[k].push(asked(row, z[k + 1]) - asked(row, z[k]));
  });
  const widths = effects.map((_, k) => z[k + 1] - z[k]),
    counts = effects.map((e) => e.length);
  const slopes = effects.map((e, k) => mean(e) / widths[k]);
  const squares = effects.map((e, k) => squaredDeviations(e) / widths[k] ** 2);
  const options = { alpha, minGain, minRows: fewestRows(rows.length) };
  const { moments, cost } = costs(z, counts, slopes, squares, options);
  const cuts = cheapest(z.length, cost),
    points = cuts.map((cut) => z[cut]);
  const chosen = cuts.slice(1).map((high, k) => moments(cuts[k], high));
  const means = chosen.map(({ slope }, k) => slope * (points[k + 1] - points[k]));
  const accumulated = [0, ...runningTotal(means)],
    weights = chosen.map(({ weight }) => weight);
  const middles = weights.map((w, k) => ((accumulated[k] + accumulated[k + 1]) / 2) * w);
  const constant = total(middles) / total(weights);
  const derivatives = rows.map((row, i) => ({
    x: x[i],
    slope: (asked(row, z[codes[i] + 1]) - asked(row, z[codes[i]])) / widths[codes[i]],
  }));
  return {
    points,
    counts: weights,
    slopes: chosen.map(({ slope }) => slope),
    spread: chosen.map(({ variance }) => Math.sqrt(variance)),
    derivatives,
    values: accumulated.map((value) => value - constant),
  };
}
