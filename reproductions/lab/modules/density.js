// Kernel density of a sample: normal kernel, R's bandwidth bw.nrd0.

import { linspace, quantileType7 } from "./grid.js";

/** Points [x, density] from 3 bandwidths below to 3 above the sample. */
export function density(x, size = 80) {
  const n = x.length,
    middle = x.reduce((sum, value) => sum + value, 0) / n;
  const variance = x.reduce((sum, value) => sum + (value - middle) ** 2, 0) / Math.max(n - 1, 1);
  const [low, high] = quantileType7(x, [0.25, 0.75]);
  const spread = Math.min(Math.sqrt(variance), (high - low) / 1.34);
  const width = 0.9 * (spread || Math.sqrt(variance) || 1) * n ** -0.2;
  const at = linspace(Math.min(...x) - 3 * width, Math.max(...x) + 3 * width, size);
  const bump = (t) => Math.exp((-t * t) / 2) / Math.sqrt(2 * Math.PI);
  return at.map((z) => [
    z,
    x.reduce((sum, value) => sum + bump((z - value) / width), 0) / n / width,
  ]);
}
