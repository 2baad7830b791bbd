// Figure 20.4: a model that is odd where there are no data, and where each method asks it.

import { around, Chart } from "../drawing.js";
import { columnOf } from "../data.js";
import { mainEffect } from "../effects.js";
import { linspace } from "../grid.js";
import { mPlot, partialDependence } from "../profiles.js";
import { BOOK, bookCase, bookPython, plane } from "./shared.js";

/** Rows that each method asks the model about, for its curve of x1. */
const QUESTIONS = {
  pd: ({ rows, points }) => points.flatMap((z) => rows.map(([, x2]) => [z, x2])),
  m: ({ rows, axis }) =>
    rows.flatMap(([, x2], i) => {
      const k = axis.codes[i];
      return [
        [axis.points[k], x2],
        [axis.points[k + 1], x2],
      ];
    }),
};
QUESTIONS.ale = QUESTIONS.m;

export const extrapolation = {
  name: "extrapolation",
  defaults: { ...BOOK, K: 20, grid: "iml", method: "pd" },
  controls: ["method", "above", "below", "K", "n", "rho", "sd", "seed", "grid"],
  movable: true,

  compute(state) {
    const it = bookCase(state),
      x = columnOf(it.rows, 0);
    const points = linspace(Math.min(...x), Math.max(...x), Math.max(state.K, 2));
    const odd = ([x1, x2]) => x1 > state.above && x2 < state.below;
    const asked = QUESTIONS[state.method]({ ...it, points });
    const curves = {
      pd: () => partialDependence(it.predict, it.rows, 0, points),
      m: () => mPlot(it.predict, it.rows, it.axis),
      ale: () => mainEffect(it.predict, it.rows, it.axis),
    };
    const curve = curves[state.method]();
    return {
      ...it,
      odd,
      asked,
      values: curve.values,
      points: curve.points ?? it.axis.points,
      inside: asked.filter(odd).length,
      seen: it.rows.filter(odd).length,
    };
  },

  result: ({ asked, inside, values }) => [asked.length, inside, ...values],
  python(state) {
    const { above, below, K, method, grid } = state;
    const [name, options] = {
      pd: ["partial_dependence", `K=${Math.max(K, 2)}, centre="pdplot"`],
      m: ["m_plot", `K=${K}, grid="${grid}", centre="pdplot"`],
      ale: ["ale", `K=${K}, grid="${grid}"`],
    }[method];
    return [
      "import pandas as pd",
      ...bookPython(state, [name]),
      "asked = []",
      "",
      "",
      "def watched(X):",
      "    asked.append(X)",
      "    return model(X)",
      "",
      "",
      `effect = ${name}(watched, X, "x1", ${options})`,
      "rows = pd.concat(asked)",
      `inside = (rows["x1"] > ${above}) & (rows["x2"] < ${below})`,
      "result = [len(rows), int(inside.sum()), *effect.f_values.tolist()]",
    ];
  },

  facts: (numbers, { n }) => [
    ["extrapolation.asked", { asked: numbers.asked.length, inside: numbers.inside }],
    ["extrapolation.seen", { seen: numbers.seen, n }],
  ],

  table: ({ points, values }) => [
    ["table.x1", 3, points],
    ["table.centred", 4, values],
  ],

  draw(numbers, { method, above, below }, say) {
    const left = plane(numbers, say, { name: say("scene.extrapolation.left"), faint: false });
    left.box([above, left.x[1]], [left.y[0], below], { class: "corner" });
    if (method === "pd") {
      const ends = [numbers.points[0], numbers.points.at(-1)];
      numbers.rows.forEach(([, x2]) => left.segment([ends[0], x2], [ends[1], x2], "asked pd"));
    } else {
      numbers.rows.forEach(([, x2], i) => {
        const k = numbers.axis.codes[i],
          [low, high] = [numbers.axis.points[k], numbers.axis.points[k + 1]];
        left.segment([low, x2], [high, x2], `asked ${method}`);
      });
    }
    const [inside, outside] = [true, false].map((is) =>
      numbers.asked.filter((q) => numbers.odd(q) === is),
    );
    left.dots(outside, `question ${method}`, 1.8);
    left.dots(inside, "question bad", 2.8);
    const right = new Chart({
      x: left.x,
      y: around([...numbers.values, -0.5, 0.5]),
      xlabel: "x1",
      ylabel: say("axis.effect"),
      name: say("scene.extrapolation.right"),
      say,
    });
    right.segment([right.x[0], 0], [right.x[1], 0], "zero");
    right.line(
      numbers.points.map((z, k) => [z, numbers.values[k]]),
      method,
    );
    right.dots(
      numbers.points.map((z, k) => [z, numbers.values[k]]),
      `mark ${method}`,
      3,
    );
    return [left, right];
  },
  legend: ["model", "question", "question.bad"],
};
