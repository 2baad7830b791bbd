// The two relatives of ALE: partial dependence and the M-plot.

import { mean, total } from "./exact.js";
import { countBelow } from "./grid.js";

const moved = (predict, row, column, to) => {
  const values = [...row];
  values[column] = to;
  return predict(...values);
};

/** Rows that stand for each point in R's centring: those at the first point not below them. */
function centred(points, observed, average) {
  const counts = new Array(points.length).fill(0);
  observed.forEach((x) => {
    counts[Math.min(countBelow(points, x), points.length - 1)]++;
  });
  const constant = total(average.map((value, k) => value * counts[k])) / total(counts);
  return { counts, constant, values: average.map((value) => value - constant) };
}

/** Partial dependence: mean prediction of all rows with the feature set to each point. */
export function partialDependence(predict, rows, column, points) {
  const average = points.map((z) => mean(rows.map((row) => moved(predict, row, column, z))));
  return {
    points,
    average,
    ...centred(
      points,
      rows.map((row) => row[column]),
      average,
    ),
  };
}

/** M-plot: mean prediction, at each edge, of the rows of the two intervals that meet there. */
export function mPlot(predict, rows, { column, points, codes }) {
  const near = points.map((z, p) =>
    rows
      .filter((_, i) => codes[i] === p || codes[i] === p - 1)
      .map((row) => moved(predict, row, column, z)),
  );
  const average = near.map((values) => (values.length ? mean(values) : NaN));
  const known = points.flatMap((_, p) => (near[p].length ? [p] : []));
  const observed = rows.map((row) => row[column]),
    counts = new Array(points.length).fill(0);
  observed.forEach((x) => {
    counts[countBelow(points, x)]++;
  });
  const constant = total(known.map((p) => average[p] * counts[p])) / total(counts);
  return { points, average, constant, values: average.map((value) => value - constant) };
}
