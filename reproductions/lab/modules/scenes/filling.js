// An empty cell of a pair takes the difference of the nearest cell with rows.

import { Chart } from "../drawing.js";
import { cellTable, lattice, pairOf, pairPython } from "./cell.js";
import { BOOK, plane } from "./shared.js";

const HOLLOW = 1,
  LENT = 2,
  ACCUMULATED = 3;

export const filling = {
  name: "filling",
  defaults: { ...BOOK, n: 40, K: 4, seed: 3, model: "curved", empty: 1, step: 2 },
  controls: ["empty", "K", "grid", "n", "rho", "sd", "seed", "model", "above", "below"],
  steps: 4,
  choices: { grid: ["aleplot", "equidistant"] },
  limits: { K: [1, 10, 1] },
  movable: true,

  compute: pairOf,
  result: ({ effect }) => [...effect.means.flat(), ...effect.values.flat()],
  python: pairPython,

  facts({ effect, axes }, { empty }) {
    const cells = axes[0].steps * axes[1].steps,
      facts = [["filling.count", { empty: effect.lent.length, cells }]];
    const one = effect.lent[Math.min(empty, effect.lent.length) - 1];
    if (one) {
      const [s, t] = one.cell,
        [p, q] = one.from;
      facts.push([
        "filling.lent",
        { s: s + 1, t: t + 1, p: p + 1, q: q + 1, value: effect.means[s][t] },
      ]);
    }
    return facts;
  },

  table(numbers, { step }) {
    return cellTable(this.cells(numbers, step));
  },

  /** Values of the cells at a step: mean differences, or an effect in the middle of each cell. */
  cells({ effect }, step) {
    const own = effect.own.map((row, s) =>
      row.map((value, t) => (effect.behind[s][t] ? value : NaN)),
    );
    if (step === HOLLOW) return own;
    if (step === LENT) return effect.means;
    const at = step === ACCUMULATED ? effect.accumulated : effect.values;
    const middle = (s, t) => (at[s][t] + at[s + 1][t] + at[s][t + 1] + at[s + 1][t + 1]) / 4;
    return own.map((row, s) => row.map((_, t) => middle(s, t)));
  },

  draw(numbers, { empty, step }, say) {
    const { axes, effect } = numbers,
      [z, w] = axes.map(({ points }) => points);
    const left = plane(numbers, say, { name: say("scene.filling.left") });
    lattice(left, [z, w]);
    const middle = ([s, t]) => [(z[s] + z[s + 1]) / 2, (w[t] + w[t + 1]) / 2];
    const right = new Chart({
      x: [z[0], z.at(-1)],
      y: [w[0], w.at(-1)],
      xlabel: "x1",
      ylabel: "x2",
      name: say("scene.filling.right"),
      say,
    });
    right.cells(z, w, this.cells(numbers, step));
    if (step === LENT) {
      effect.lent.forEach(({ cell, from }, i) => {
        const style = i + 1 === Math.min(empty, effect.lent.length) ? "loan chosen-loan" : "loan";
        right.segment(middle(from), middle(cell), style);
        right.dots([middle(cell)], style, i + 1 === empty ? 5 : 3);
      });
    }
    const one = effect.lent[Math.min(empty, effect.lent.length) - 1];
    if (one) {
      const [s, t] = one.cell;
      [left, right].forEach((chart) =>
        chart.box([z[s], z[s + 1]], [w[t], w[t + 1]], { class: "chosen" }),
      );
    }
    return [left, right];
  },
  legend: ["model", "cell.value", "cell.hollow"],
};
