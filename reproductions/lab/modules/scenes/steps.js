// Figure 20.3: ALE of x1 step by step: intervals, local differences, means, accumulation, centring.

import { around, Chart } from "../drawing.js";
import { mainEffect } from "../effects.js";
import { BOOK, bookCase, bookPython, gridPython, plane } from "./shared.js";

const INTERVALS = 1,
  DIFFERENCES = 2,
  MEANS = 3,
  ACCUMULATED = 4,
  CENTRED = 5;

export const steps = {
  name: "steps",
  defaults: { ...BOOK, seed: 12, grid: "unit", model: "product", interval: 4, step: 2 },
  controls: ["interval", "K", "grid", "n", "rho", "sd", "seed", "model", "above", "below"],
  steps: 5,
  choices: { grid: ["unit", "aleplot", "iml", "equidistant"] },
  movable: true,

  compute(state) {
    const it = bookCase(state);
    return { ...it, effect: mainEffect(it.predict, it.rows, it.axis) };
  },

  result: ({ effect }) => [...effect.means, ...effect.values],
  python: (state) => [
    ...(state.grid === "unit" ? ["import numpy as np"] : []),
    ...bookPython(state, ["ale"]),
    `effect = ale(model, X, "x1", ${gridPython(state)})`,
    "result = [*effect.local_mean.tolist(), *effect.f_values.tolist()]",
  ],

  facts({ effect, axis }, { interval, step }) {
    const k = Math.min(interval, axis.steps) - 1;
    const [low, high] = [axis.points[k], axis.points[k + 1]];
    const facts = [
      ["steps.interval", { k: k + 1, low, high, n: effect.behind[k] }, INTERVALS],
      ["steps.mean", { value: effect.means[k] }, MEANS],
      ["steps.constant", { value: effect.constant }, CENTRED],
    ];
    if (effect.behind.includes(0)) facts.push(["steps.empty", {}, MEANS]);
    return facts.filter(([, , from]) => step >= from);
  },

  table({ effect, axis }, { step }) {
    const columns = [
      ["table.interval", 0, axis.points.slice(1).map((_, k) => k + 1)],
      ["table.upto", 3, axis.points.slice(1)],
      ["table.rows", 0, effect.behind],
      ["table.mean", 4, effect.means, MEANS],
      ["table.accumulated", 4, effect.accumulated.slice(1), ACCUMULATED],
      ["table.centred", 4, effect.values.slice(1), CENTRED],
    ];
    return columns.filter(([, , , from = 0]) => step >= from);
  },

  draw(numbers, { interval, step }, say) {
    const { rows, effect, axis } = numbers,
      k = Math.min(interval, axis.steps) - 1;
    const left = plane(numbers, say, { name: say("scene.steps.left") });
    left.box([axis.points[k], axis.points[k + 1]], left.y, { class: "window" });
    axis.points.forEach((z) => left.segment([z, left.y[0]], [z, left.y[1]], "edge"));
    if (step >= DIFFERENCES) {
      effect.local.forEach(({ row, step: [s] }) => {
        const style = s === k ? "ale" : "ale faint";
        left.segment(
          [axis.points[s], rows[row][1]],
          [axis.points[s + 1], rows[row][1]],
          `asked ${style}`,
        );
        left.dots(
          [axis.points[s], axis.points[s + 1]].map((z) => [z, rows[row][1]]),
          `question ${style}`,
          2.5,
        );
      });
    }
    if (step === INTERVALS) return [left, this.inside(numbers, k, say)];
    return [
      left,
      step <= MEANS ? this.local(numbers, k, step, say) : this.curve(numbers, k, step, say),
    ];
  },

  /** How many points each interval has. */
  inside({ effect, axis }, k, say) {
    const chart = new Chart({
      x: [axis.points[0], axis.points.at(-1)],
      y: [0, Math.max(...effect.behind) * 1.1],
      xlabel: "x1",
      ylabel: say("axis.rows"),
      name: say("scene.steps.inside"),
      say,
    });
    effect.behind.forEach((n, s) =>
      chart.box([axis.points[s], axis.points[s + 1]], [0, n], {
        class: s === k ? "bar" : "bar faint",
      }),
    );
    axis.points.forEach((z) => chart.segment([z, chart.y[0]], [z, chart.y[1]], "edge"));
    return chart;
  },

  /** Local differences and their means, by interval. */
  local({ rows, effect, axis }, k, step, say) {
    const values = [0, ...effect.local.map(({ effect: d }) => d)];
    const chart = new Chart({
      x: [axis.points[0], axis.points.at(-1)],
      y: around(values),
      xlabel: "x1",
      ylabel: say("axis.difference"),
      name: say("scene.steps.right"),
      say,
    });
    axis.points.forEach((z) => chart.segment([z, chart.y[0]], [z, chart.y[1]], "edge"));
    chart.segment([chart.x[0], 0], [chart.x[1], 0], "zero");
    effect.local.forEach(({ row, step: [s], effect: d }) =>
      chart.dots([[rows[row][0], d]], `mark ale ${s === k ? "" : "faint"}`, 3.5),
    );
    if (step >= MEANS) {
      effect.means.forEach((mean, s) =>
        chart.segment([axis.points[s], mean], [axis.points[s + 1], mean], "mean ale"),
      );
    }
    return chart;
  },

  /** The accumulated curve, before and after centring. */
  curve({ effect, axis }, k, step, say) {
    const curves = step >= CENTRED ? [effect.accumulated, effect.values] : [effect.accumulated];
    const chart = new Chart({
      x: [axis.points[0], axis.points.at(-1)],
      y: around([0, ...curves.flat()]),
      xlabel: "x1",
      ylabel: say("axis.effect"),
      name: say("scene.steps.curve"),
      say,
    });
    axis.points.forEach((z) => chart.segment([z, chart.y[0]], [z, chart.y[1]], "edge"));
    chart.segment([chart.x[0], 0], [chart.x[1], 0], "zero");
    curves.forEach((values, i) => {
      const style = i === curves.length - 1 ? "ale" : "ale faint";
      chart.line(
        axis.points.map((z, p) => [z, values[p]]),
        style,
      );
      chart.dots(
        axis.points.map((z, p) => [z, values[p]]),
        `mark ${style}`,
        3.5,
      );
    });
    const last = curves.at(-1);
    chart.segment([axis.points[k], last[k]], [axis.points[k + 1], last[k + 1]], "mean ale");
    return chart;
  },
  legend: ["model", "ale"],
};
