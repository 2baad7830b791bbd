// Order of a category's levels: neighbours have similar rows in the other feature.

import { quantileType7, linspace } from "./grid.js";

const QUANTILES = linspace(0, 1, 100);

/** Kolmogorov-Smirnov distances between the levels (0, ..., L - 1) in a numeric feature. */
export function levelDistances(levels, x) {
  const L = Math.max(...levels) + 1,
    at = quantileType7(x, QUANTILES);
  const profiles = Array.from({ length: L }, (_, level) => {
    const inside = x.filter((_, i) => levels[i] === level);
    return at.map((q) => inside.filter((value) => value <= q).length / inside.length);
  });
  return profiles.map((one) =>
    profiles.map((other) => Math.max(...one.map((share, q) => Math.abs(share - other[q])))),
  );
}

/** Eigenvalues and eigenvectors (columns) of a symmetric matrix: Jacobi's rotations. */
function spectrum(matrix) {
  const n = matrix.length,
    a = matrix.map((row) => [...row]);
  const vectors = a.map((_, i) => a.map((_, j) => Number(i === j)));
  for (let sweep = 0; sweep < 50; sweep++) {
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        if (a[p][q] === 0) continue;
        const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1),
          s = t * c;
        const turn = (row) => {
          [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
        };
        a.forEach(turn);
        a[p].forEach((_, k) => {
          [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
        });
        vectors.forEach(turn);
      }
    }
  }
  return { values: a.map((row, i) => row[i]), vectors };
}

/** The doubly centred squares of distances, halved and with the other sign. */
function centredSquares(distances) {
  const squares = distances.map((row) => row.map((d) => d * d)),
    n = squares.length;
  const means = squares.map((row) => row.reduce((sum, value) => sum + value) / n);
  const whole = means.reduce((sum, value) => sum + value) / n;
  return squares.map((row, i) => row.map((value, j) => -(value - means[i] - means[j] + whole) / 2));
}

/** Coordinates on the first axis of classical multidimensional scaling, R's cmdscale(k = 1). */
export function classicalScaling(distances) {
  const { values, vectors } = spectrum(centredSquares(distances));
  const largest = Math.max(...values),
    first = values.indexOf(largest);
  return vectors.map((row) => row[first] * Math.sqrt(Math.max(largest, 0)));
}

/** Whether the distances single out one axis: of levels all equally far apart none is the first. */
export function hasOneAxis(distances) {
  const [first, second] = spectrum(centredSquares(distances)).values.sort((a, b) => b - a);
  return first - second > 1e-9 * first;
}

/** Levels in order along the axis; the one farthest from the centre comes first. */
export function similarityOrder(coordinates) {
  const longest = Math.max(...coordinates.map(Math.abs));
  const places = coordinates.map((c) => Math.round((c / longest) * 1e10) / 1e10);
  const sizes = places.map(Math.abs),
    far = sizes.indexOf(Math.max(...sizes));
  const key = places.map((place) => place * -Math.sign(places[far]));
  return key.map((_, level) => level).sort((a, b) => key[a] - key[b] || a - b);
}
