// Figure 20.2: an M-plot averages only over rows whose x1 is near.

import { density } from "../density.js";
import { around, Chart } from "../drawing.js";
import { columnOf } from "../data.js";
import { linspace } from "../grid.js";
import { mPlot, partialDependence } from "../profiles.js";
import { BOOK, bookCase, bookPython, plane } from "./shared.js";

export const conditional = {
  name: "conditional",
  defaults: { ...BOOK, n: 100, K: 20, at: 0.75, width: 0.1 },
  controls: ["at", "width", "n", "rho", "sd", "K", "seed", "model", "above", "below"],
  movable: true,

  compute(state) {
    const it = bookCase(state),
      x = columnOf(it.rows, 0),
      { at, width } = state;
    const near = it.rows.filter(([x1]) => Math.abs(x1 - at) < width);
    const here = near.length ? partialDependence(it.predict, near, 0, [at]).average[0] : NaN;
    const points = linspace(Math.min(...x), Math.max(...x), 20);
    return {
      ...it,
      near,
      here,
      m: mPlot(it.predict, it.rows, it.axis),
      pd: partialDependence(it.predict, it.rows, 0, points),
    };
  },

  result: ({ here, m }) => [here, ...m.average],
  python: (state) => [
    ...bookPython(state, ["m_plot", "partial_dependence"]),
    `near = X[(X["x1"] - ${state.at}).abs() < ${state.width}]`,
    `here = partial_dependence(model, near, "x1", grid=[${state.at}])`,
    `curve = m_plot(model, X, "x1", K=${state.K})`,
    "result = [*here.f_values.tolist(), *curve.f_values.tolist()]",
  ],

  facts: (numbers, { at, width }) => [
    ["conditional.mean", { at, width, n: numbers.near.length, value: numbers.here }],
    ["correlation", { value: numbers.correlation }],
  ],

  table: ({ m }) => [
    ["table.x1", 3, m.points],
    ["table.prediction", 4, m.average],
  ],

  draw(numbers, { at, width }, say) {
    const left = plane(numbers, say, { name: say("scene.conditional.left") });
    left.box([at - width, at + width], left.y, { class: "window" });
    numbers.near.forEach(([x1, x2]) => left.segment([x1, x2], [at, x2], "asked m"));
    left.dots(
      numbers.near.map(([, x2]) => [at, x2]),
      "question m",
      2.5,
    );
    left.segment([at, left.y[0]], [at, left.y[1]], "here");
    if (numbers.near.length > 1) {
      const beside = density(columnOf(numbers.near, 1)).map(([x2, d]) => [at - d / 20, x2]);
      left.line(beside, "density");
    }
    const { m, pd } = numbers;
    const right = new Chart({
      x: left.x,
      y: around([...m.average, ...pd.average]),
      xlabel: "x1",
      ylabel: say("axis.mean"),
      name: say("scene.conditional.right"),
      say,
    });
    right.segment([at, right.y[0]], [at, right.y[1]], "here");
    right.line(
      pd.points.map((z, k) => [z, pd.average[k]]),
      "pd faint",
    );
    right.line(
      m.points.map((z, k) => [z, m.average[k]]),
      "m",
    );
    right.dots([[at, numbers.here]], "mark m", 5);
    return [left, right];
  },
  legend: ["model", "m", "pd", "density.conditional"],
};
