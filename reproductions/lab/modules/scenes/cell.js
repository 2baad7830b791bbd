// The book's 2-D computation: the second-order difference over a cell.

import { Chart } from "../drawing.js";
import { axis, pairEffect } from "../effects.js";
import { columnOf } from "../data.js";
import { edges, intervals } from "../grid.js";
import { BOOK, bookCase, bookPython, gridPython, plane } from "./shared.js";

/** Both axes of a pair and its effect. */
export function pairOf(state) {
  const it = bookCase(state);
  const axes = [0, 1].map((j) => {
    const x = columnOf(it.rows, j),
      z = edges(x, state.K, state.grid);
    return axis(j, "numeric", z, intervals(x, z));
  });
  return { ...it, axes, effect: pairEffect(it.predict, it.rows, axes) };
}

/** Python of a pair's mean local effects and values. */
export const pairPython = (state) => [
  ...bookPython(state, ["ale"]),
  `effect = ale(model, X, ("x1", "x2"), ${gridPython(state)})`,
  "result = [*effect.local_mean.ravel().tolist(), *effect.f_values.ravel().tolist()]",
];

/** The grid's lines over the points. */
export function lattice(chart, [z, w]) {
  z.forEach((x) => chart.segment([x, w[0]], [x, w.at(-1)], "edge"));
  w.forEach((y) => chart.segment([z[0], y], [z.at(-1), y], "edge"));
}

/** Values of the cells: a row for each interval of x2, the highest first, as in the picture. */
export function cellTable(values, behind) {
  const rows = values[0].map((_, t) => t).reverse();
  const shown = (s, t) => (behind && !behind[s][t] ? NaN : values[s][t]);
  return [
    ["table.cells", 0, rows.map((t) => t + 1)],
    ...values.map((_, s) => [s + 1, 4, rows.map((t) => shown(s, t))]),
  ];
}

export const cell = {
  name: "cell",
  defaults: { ...BOOK, seed: 12, grid: "equidistant", model: "curved", cellx: 4, celly: 4 },
  controls: ["cellx", "celly", "K", "grid", "n", "rho", "sd", "seed", "model", "above", "below"],
  choices: { grid: ["aleplot", "equidistant"] },
  limits: { K: [1, 10, 1] },
  movable: true,

  compute: pairOf,
  result: ({ effect }) => [...effect.means.flat(), ...effect.values.flat()],
  python: pairPython,

  chosen: ({ axes }, { cellx, celly }) => [
    Math.min(cellx, axes[0].steps) - 1,
    Math.min(celly, axes[1].steps) - 1,
  ],

  facts(numbers, state) {
    const [s, t] = this.chosen(numbers, state),
      { axes, predict, effect } = numbers;
    const [low, high] = [axes[0].points[s], axes[0].points[s + 1]];
    const [bottom, top] = [axes[1].points[t], axes[1].points[t + 1]];
    const corners = {
      a: predict(low, bottom),
      b: predict(high, bottom),
      c: predict(low, top),
      d: predict(high, top),
    };
    return [
      ["cell.corners", corners],
      ["cell.difference", { value: corners.d - corners.c - (corners.b - corners.a) }],
      effect.behind[s][t]
        ? ["cell.mean", { n: effect.behind[s][t], value: effect.means[s][t] }]
        : ["cell.empty", {}],
    ];
  },

  table: ({ effect }) => cellTable(effect.means, effect.behind),

  draw(numbers, state, say) {
    const { axes, effect, rows } = numbers,
      [s, t] = this.chosen(numbers, state);
    const [z, w] = axes.map(({ points }) => points);
    const left = plane(numbers, say, { name: say("scene.cell.left") });
    lattice(left, [z, w]);
    left.box([z[s], z[s + 1]], [w[t], w[t + 1]], { class: "chosen" });
    [
      ["a", 0, 0],
      ["b", 1, 0],
      ["c", 0, 1],
      ["d", 1, 1],
    ].forEach(([name, i, j]) =>
      left.label([z[s + i], w[t + j]], name, {
        dx: i ? 9 : -9,
        dy: j ? -7 : 15,
        style: "corner-name",
      }),
    );
    left.dots(
      rows.filter((_, i) => axes[0].codes[i] === s && axes[1].codes[i] === t),
      "inside",
      6,
    );
    const right = new Chart({
      x: [z[0], z.at(-1)],
      y: [w[0], w.at(-1)],
      xlabel: "x1",
      ylabel: "x2",
      name: say("scene.cell.right"),
      say,
    });
    right.cells(
      z,
      w,
      effect.own.map((row, i) => row.map((value, j) => (effect.behind[i][j] ? value : NaN))),
    );
    right.box([z[s], z[s + 1]], [w[t], w[t + 1]], { class: "chosen" });
    return [left, right];
  },
  legend: ["model", "cell.value", "cell.hollow"],
};
