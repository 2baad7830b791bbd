// What the scenes of the book's points share: their state, model, ranges and Python.

import { axis } from "../effects.js";
import { bookPoints, bookPointsPython, columnOf, correlation } from "../data.js";
import { around, Chart } from "../drawing.js";
import { edges, intervals } from "../grid.js";
import { modelOf } from "../models.js";

export const BOOK = {
  n: 25,
  seed: 1,
  rho: 1,
  sd: 0.1,
  K: 5,
  model: "odd",
  above: 0.7,
  below: 0.3,
  grid: "aleplot",
  feature: "x1",
  moved: {},
};

/** Points, model, and the axis of the explained feature. */
export function bookCase(state) {
  const rows = bookPoints(state),
    column = state.feature === "x2" ? 1 : 0;
  const x = columnOf(rows, column),
    z = edges(x, state.K, state.grid);
  return {
    rows,
    column,
    ...modelOf(state),
    axis: axis(column, "numeric", z, intervals(x, z)),
    correlation: correlation(rows),
  };
}

/** Range of the square that all points lie in. */
export const square = (rows) => around([0, 1, ...rows.flat()], 0.04);

/** Chart of the points' plane, coloured by the model's predictions. */
export function plane({ rows, predict }, say, { name, faint = true }) {
  const range = square(rows);
  const chart = new Chart({
    x: range,
    y: range,
    xlabel: "x1",
    ylabel: "x2",
    name,
    say,
    interactive: true,
  });
  const values = [0, 0.5, 1].flatMap((x) => [0, 0.5, 1].map((y) => predict(x, y)));
  chart.field(predict, [Math.min(...values), Math.max(...values)]);
  chart.box(range, range, { class: faint ? "veil" : "veil half" });
  return chart;
}

const MODELS = {
  odd: ({ above, below }) => `book_extrapolation_model(X, x1_above=${above}, x2_below=${below})`,
  additive: () => 'X["x1"] + X["x2"] ** 2',
  product: () => 'X["x1"] * X["x2"]',
  curved: () => 'X["x1"] * X["x1"] * X["x2"]',
};

/** Lines of Python that define X and model. */
export function bookPython(state, functions) {
  const lines = bookPointsPython(state),
    names = [...functions];
  const imports = [`from aleplot_py import ${names.join(", ")}`];
  if (state.model === "odd")
    imports.push("from aleplot_py.datasets import book_extrapolation_model");
  return [
    ...imports,
    ...lines,
    "",
    "",
    "def model(X):",
    `    return ${MODELS[state.model](state)}`,
    "",
    "",
  ];
}

/** How ale() and m_plot() are told the grid of the state. */
export function gridPython({ K, grid }) {
  if (grid === "unit") return `grid=np.linspace(0, 1, ${K + 1})`;
  return grid === "aleplot" ? `K=${K}` : `K=${K}, grid="${grid}"`;
}
