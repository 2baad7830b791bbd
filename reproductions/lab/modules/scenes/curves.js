// Figure 20.5: three curves of one feature against the truth.

import { around, Chart } from "../drawing.js";
import { columnOf } from "../data.js";
import { mainEffect } from "../effects.js";
import { linspace } from "../grid.js";
import { mPlot, partialDependence } from "../profiles.js";
import { BOOK, bookCase, bookPython, plane } from "./shared.js";

export const curves = {
  name: "curves",
  defaults: { ...BOOK, K: 20, grid: "iml" },
  controls: ["feature", "model", "above", "below", "K", "grid", "n", "rho", "sd", "seed"],
  movable: true,

  compute(state) {
    const it = bookCase(state),
      x = columnOf(it.rows, it.column);
    const points = linspace(Math.min(...x), Math.max(...x), Math.max(state.K, 2));
    const pd = partialDependence(it.predict, it.rows, it.column, points);
    const m = mPlot(it.predict, it.rows, it.axis);
    const ale = mainEffect(it.predict, it.rows, it.axis);
    const middle = it.truth && x.reduce((sum, value) => sum + it.truth(value), 0) / x.length;
    const truth = it.truth && ((z) => it.truth(z) - middle);
    const off = (at, values) =>
      truth
        ? Math.max(
            ...values.map((value, k) => Math.abs(value - truth(at[k]))).filter(Number.isFinite),
          )
        : NaN;
    const z = it.axis.points;
    return {
      ...it,
      truth,
      pd,
      m,
      ale,
      errors: { pd: off(points, pd.values), m: off(z, m.values), ale: off(z, ale.values) },
    };
  },

  result: ({ pd, m, ale }) => [...pd.values, ...m.values, ...ale.values],
  python(state) {
    const { K, grid, feature } = state,
      how = grid === "aleplot" ? `K=${K}` : `K=${K}, grid="${grid}"`;
    return [
      ...bookPython(state, ["ale", "m_plot", "partial_dependence"]),
      `pd_curve = partial_dependence(model, X, "${feature}", K=${Math.max(K, 2)}, centre="pdplot")`,
      `m_curve = m_plot(model, X, "${feature}", ${how}, centre="pdplot")`,
      `ale_curve = ale(model, X, "${feature}", ${how})`,
      "result = [*pd_curve.f_values, *m_curve.f_values, *ale_curve.f_values]",
    ];
  },

  facts: ({ errors, correlation, truth }) => [
    truth ? ["curves.errors", errors] : ["curves.unknown", {}],
    ["correlation", { value: correlation }],
  ],

  table: ({ axis: { points }, m, ale, truth }, { feature }) => [
    [`table.${feature}`, 3, points],
    ["table.m", 4, m.values],
    ["table.ale", 4, ale.values],
    ...(truth ? [["table.truth", 4, points.map(truth)]] : []),
  ],

  draw(numbers, { feature }, say) {
    const left = plane(numbers, say, { name: say("scene.curves.left"), faint: false });
    const { pd, m, ale, axis, truth } = numbers,
      z = axis.points;
    const right = new Chart({
      x: left.x,
      y: around([...pd.values, ...m.values, ...ale.values, -0.5, 0.5]),
      xlabel: feature,
      ylabel: say("axis.effect"),
      name: say("scene.curves.right"),
      say,
    });
    right.segment([right.x[0], 0], [right.x[1], 0], "zero");
    right.line(
      m.points.map((x, k) => [x, m.values[k]]),
      "m",
    );
    right.line(
      pd.points.map((x, k) => [x, pd.values[k]]),
      "pd",
    );
    right.line(
      z.map((x, k) => [x, ale.values[k]]),
      "ale",
    );
    right.dots(
      z.map((x, k) => [x, ale.values[k]]),
      "mark ale",
      2.5,
    );
    if (truth) {
      right.line(
        Array.from({ length: 61 }, (_, i) => z[0] + ((z.at(-1) - z[0]) * i) / 60).map((x) => [
          x,
          truth(x),
        ]),
        "truth",
      );
    }
    return [left, right];
  },
  legend: ["model", "pd", "m", "ale", "truth"],
};
