// Automatic intervals split where the local derivatives change, and nowhere else.

import { around, Chart } from "../drawing.js";
import { RRandom } from "../random.js";
import { automaticEffect } from "../splitting.js";

const CASES = {
  // Slopes 1, -1 and 0 along the line x2 = x1 where the data are.
  piecewise: {
    draw(rng, n) {
      const x = rng.runif(n);
      return x.map((value) => [value, value]);
    },
    predict: (x1, x2) => (x1 + x2 < 0.5 ? x1 + x2 : x1 + x2 < 1 ? 1 - (x1 + x2) : 0),
    truth: (x) => Math.max(Math.min(x, 0.5 - x), 0),
    python: {
      draw: ["x = rng.runif(n)", 'X = pd.DataFrame({"x": x, "other": x})'],
      model: [
        '    s = X["x"] + X["other"]',
        "    return np.where(s < 0.5, s, np.where(s < 1, 1 - s, 0.0))",
      ],
    },
  },
  // Slopes 5 or -5 by the sign of another feature: heterogeneous, but the same everywhere.
  interaction: {
    draw(rng, n) {
      const x = rng.runif(n),
        other = rng.runif(n);
      return x.map((value, i) => [2 * value - 1, 2 * other[i] - 1]);
    },
    predict: (x, other) => -5 * x + (other > 0 ? 10 * x : 0),
    truth: () => 0,
    python: {
      draw: ['X = pd.DataFrame({"x": 2 * rng.runif(n) - 1, "other": 2 * rng.runif(n) - 1})'],
      model: ['    return -5 * X["x"] + np.where(X["other"] > 0, 10 * X["x"], 0)'],
    },
  },
};

export const automatic = {
  name: "automatic",
  defaults: { n: 200, seed: 1, case: "piecewise", fine: 40, alpha: 0.2, gain: 0.003 },
  controls: ["case", "n", "fine", "alpha", "gain", "seed"],
  limits: { n: [50, 500, 10] },

  compute(state) {
    const it = CASES[state.case],
      rows = it.draw(new RRandom(state.seed), state.n);
    const options = { fine: state.fine, alpha: state.alpha, minGain: state.gain };
    const middle = rows.reduce((sum, [x]) => sum + it.truth(x), 0) / rows.length;
    return {
      rows,
      effect: automaticEffect(it.predict, rows, 0, options),
      truth: (x) => it.truth(x) - middle,
    };
  },

  result: ({ effect }) => [...effect.points, ...effect.values],
  python: ({ n, seed, case: name, fine, alpha, gain }) => [
    "import numpy as np",
    "import pandas as pd",
    "from aleplot_py import ale, intervals",
    "from aleplot_py.r_random import set_seed",
    "",
    `rng, n = set_seed(${seed}), ${n}`,
    ...CASES[name].python.draw,
    "",
    "",
    "def model(X):",
    ...CASES[name].python.model,
    "",
    "",
    `auto = intervals.Auto(max_K=${fine}, alpha=${alpha}, min_gain=${gain})`,
    'effect = ale(model, X, "x", K=auto)',
    "result = [*effect.x_values[0], *effect.f_values]",
  ],

  facts: ({ effect }, { fine }) => [["automatic.count", { K: effect.counts.length, fine }]],

  table: ({ effect }) => [
    ["table.interval", 0, effect.counts.map((_, k) => k + 1)],
    ["table.upto", 3, effect.points.slice(1)],
    ["table.rows", 0, effect.counts],
    ["table.slope", 3, effect.slopes],
    ["table.spread", 3, effect.spread],
  ],

  draw({ effect, truth }, _, say) {
    const z = effect.points,
      x = [z[0], z.at(-1)];
    const left = new Chart({
      x: around(x, 0.02),
      y: around(
        effect.derivatives.map(({ slope }) => slope),
        0.1,
      ),
      xlabel: "x",
      ylabel: say("axis.derivative"),
      name: say("scene.automatic.left"),
      say,
    });
    effect.slopes.forEach((slope, k) => {
      const sd = effect.spread[k];
      left.box([z[k], z[k + 1]], [slope - sd, slope + sd], { class: "band" });
    });
    left.dots(
      effect.derivatives.map(({ x: at, slope }) => [at, slope]),
      "mark ale faint",
      2.2,
    );
    effect.slopes.forEach((slope, k) => left.segment([z[k], slope], [z[k + 1], slope], "mean ale"));
    z.forEach((edge) => left.segment([edge, left.y[0]], [edge, left.y[1]], "edge"));
    const fine = Array.from({ length: 101 }, (_, i) => x[0] + ((x[1] - x[0]) * i) / 100);
    const right = new Chart({
      x: around(x, 0.02),
      y: around([...effect.values, ...fine.map(truth), -0.1, 0.1]),
      xlabel: "x",
      ylabel: say("axis.effect"),
      name: say("scene.automatic.right"),
      say,
    });
    z.forEach((edge) => right.segment([edge, right.y[0]], [edge, right.y[1]], "edge"));
    right.line(
      z.map((at, k) => [at, effect.values[k]]),
      "ale",
    );
    right.dots(
      z.map((at, k) => [at, effect.values[k]]),
      "mark ale",
      3.5,
    );
    right.line(
      fine.map((at) => [at, truth(at)]),
      "truth",
    );
    return [left, right];
  },
  legend: ["ale", "truth"],
};
