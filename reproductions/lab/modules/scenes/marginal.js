// Figure 20.1: partial dependence sets x1 to one value in all rows, wherever they are.

import { density } from "../density.js";
import { around, Chart } from "../drawing.js";
import { columnOf } from "../data.js";
import { linspace } from "../grid.js";
import { partialDependence } from "../profiles.js";
import { BOOK, bookCase, bookPython, plane } from "./shared.js";

const NEAR = 0.1; // where the book looks for values of x2 that occur

export const marginal = {
  name: "marginal",
  defaults: { ...BOOK, n: 100, at: 0.75 },
  controls: ["at", "n", "rho", "sd", "seed", "model", "above", "below"],
  movable: true,

  compute(state) {
    const it = bookCase(state),
      x = columnOf(it.rows, 0);
    const points = linspace(Math.min(...x), Math.max(...x), 20);
    const curve = partialDependence(it.predict, it.rows, 0, points);
    const here = partialDependence(it.predict, it.rows, 0, [state.at]).average[0];
    const seen = it.rows.filter(([x1]) => Math.abs(x1 - state.at) < NEAR).map(([, x2]) => x2);
    const outside = it.rows.filter(
      ([, x2]) => !(x2 >= Math.min(...seen) && x2 <= Math.max(...seen)),
    );
    return { ...it, curve, here, outside: outside.length };
  },

  result: ({ here }) => [here],
  python: (state) => [
    ...bookPython(state, ["partial_dependence"]),
    `effect = partial_dependence(model, X, "x1", grid=[${state.at}])`,
    "result = effect.f_values.tolist()",
  ],

  facts: (numbers, { at, n }) => [
    ["marginal.mean", { at, n, value: numbers.here }],
    ["marginal.outside", { outside: numbers.outside, n, near: NEAR, at }],
    ["correlation", { value: numbers.correlation }],
  ],

  table: ({ curve }) => [
    ["table.x1", 3, curve.points],
    ["table.prediction", 4, curve.average],
  ],

  draw(numbers, { at }, say) {
    const left = plane(numbers, say, { name: say("scene.marginal.left") });
    numbers.rows.forEach(([x1, x2]) => left.segment([x1, x2], [at, x2], "asked pd"));
    left.dots(
      numbers.rows.map(([, x2]) => [at, x2]),
      "question pd",
      2.2,
    );
    left.segment([at, left.y[0]], [at, left.y[1]], "here");
    const beside = density(columnOf(numbers.rows, 1)).map(([x2, d]) => [at - d / 10, x2]);
    left.line(beside, "density");
    const right = new Chart({
      x: left.x,
      y: around([...numbers.curve.average, numbers.here]),
      xlabel: "x1",
      ylabel: say("axis.mean"),
      name: say("scene.marginal.right"),
      say,
    });
    right.segment([at, right.y[0]], [at, right.y[1]], "here");
    right.line(
      numbers.curve.points.map((z, k) => [z, numbers.curve.average[k]]),
      "pd",
    );
    right.dots([[at, numbers.here]], "mark pd", 5);
    return [left, right];
  },
  legend: ["model", "pd", "density.marginal"],
};
