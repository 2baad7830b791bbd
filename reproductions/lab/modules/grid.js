// Grids of a numeric feature, and the interval that each row falls in, as R computes them.

/** A feature with a single value has no interval. */
export class ConstantFeature extends Error {}

const byNumber = (a, b) => a - b;

/** Sorted values, each once. */
export const unique = (values) => [...new Set(values)].sort(byNumber);

/** n equally spaced numbers from low to high. */
export function linspace(low, high, n) {
  if (n === 1) return [low];
  const step = (high - low) / (n - 1);
  return Array.from({ length: n }, (_, i) => (i === n - 1 ? high : i * step + low));
}

/** Quantiles of type 1: order statistics number ceil(n p). */
export function quantileType1(x, probabilities) {
  const sorted = [...x].sort(byNumber),
    n = x.length;
  return probabilities.map((p) => sorted[Math.min(Math.max(Math.ceil(n * p), 1), n) - 1]);
}

/** Quantiles of type 7, R's default: linear interpolation. */
export function quantileType7(x, probabilities) {
  const sorted = [...x].sort(byNumber);
  return probabilities.map((p) => {
    const index = (x.length - 1) * p + 1,
      low = Math.floor(index);
    const below = sorted[low - 1],
      above = sorted[Math.ceil(index) - 1],
      h = index - low;
    return above === below ? below : (1 - h) * below + h * above;
  });
}

/** Edges of at most K intervals: "aleplot" or "iml" (quantiles), "equidistant" or "unit". */
export function edges(x, K, rule) {
  const low = Math.min(...x),
    high = Math.max(...x);
  if (low === high) throw new ConstantFeature();
  if (rule === "unit") return linspace(0, 1, K + 1);
  if (rule === "equidistant") return unique(linspace(low, high, K + 1));
  const probabilities =
    rule === "iml"
      ? Array.from({ length: K + 1 }, (_, i) => (i === K ? 1 : i * (1 / K)))
      : linspace(1 / K, 1, K);
  return unique([low, ...quantileType1(x, probabilities)]);
}

/** Number of points below a value in a sorted list. */
export function countBelow(sorted, value) {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle] < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Interval (z[k], z[k+1]] of each value, from 0; the first is closed. */
export const intervals = (x, z) => x.map((value) => Math.max(countBelow(z, value) - 1, 0));
