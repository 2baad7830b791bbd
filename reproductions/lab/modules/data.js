// The points of the scenes: drawn by R's random numbers, mixed to a correlation, moved by hand.

import { RRandom } from "./random.js";

/** Rows [x1, x2] of a scene's state. */
export function bookPoints({ n, seed, rho, sd, moved }) {
  const rng = new RRandom(seed),
    x1 = rng.runif(n);
  const noise = sd > 0 ? rng.rnorm(n, 0, sd) : new Array(n).fill(0);
  const other = rho === 1 ? null : rng.runif(n);
  const mixed = (x, i) =>
    rho * x + (1 - rho) / 2 + Math.sqrt(1 - rho * rho) * (other[i] - 0.5) + noise[i];
  const rows = x1.map((x, i) => [x, other ? mixed(x, i) : x + noise[i]]);
  Object.entries(moved ?? {}).forEach(([i, place]) => {
    if (i < n) rows[i] = [...place];
  });
  return rows;
}

/** The same in Python, as lines that define X. */
export function bookPointsPython({ n, seed, rho, sd, moved }) {
  const lines =
    rho === 1
      ? [
          "from aleplot_py.datasets import simulate_book_points",
          "",
          `X = simulate_book_points(${n}, sd=${sd}, seed=${seed})`,
        ]
      : [
          "import math",
          "import pandas as pd",
          "from aleplot_py.r_random import set_seed",
          "",
          `rng, rho = set_seed(${seed}), ${rho}`,
          `x1 = rng.runif(${n})`,
          `noise = rng.rnorm(${n}, 0, ${sd})`,
          `other = rng.runif(${n})`,
          "x2 = rho * x1 + (1 - rho) / 2 + math.sqrt(1 - rho * rho) * (other - 0.5) + noise",
          'X = pd.DataFrame({"x1": x1, "x2": x2})',
        ];
  const byHand = Object.entries(moved ?? {})
    .filter(([i]) => i < n)
    .map(([i, [x, y]]) => `X.loc[${i}, ["x1", "x2"]] = [${x}, ${y}]`);
  return [...lines, ...byHand];
}

/** Two standard normal features of a correlation, around the given means. */
export function normalPair({ n, seed, rho }, means = [0, 0]) {
  const rng = new RRandom(seed),
    first = rng.rnorm(n),
    second = rng.rnorm(n);
  return first.map((z, i) => [
    means[0] + z,
    means[1] + (rho * z + Math.sqrt(1 - rho * rho) * second[i]),
  ]);
}

/** Pearson's correlation of the first two columns. */
export function correlation(rows) {
  const n = rows.length,
    mean = (j) => rows.reduce((sum, row) => sum + row[j], 0) / n;
  const [a, b] = [mean(0), mean(1)];
  const product = (i, j, c, d) => rows.reduce((sum, row) => sum + (row[i] - c) * (row[j] - d), 0);
  return product(0, 1, a, b) / Math.sqrt(product(0, 0, a, a) * product(1, 1, b, b));
}

/** Column j of the rows. */
export const columnOf = (rows, j) => rows.map((row) => row[j]);
