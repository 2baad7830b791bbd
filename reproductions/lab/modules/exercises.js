// Eight exercises: what is asked, the right numbers by the page's arithmetic, how near is near.

import { axis, mainEffect, pairEffect } from "./effects.js";
import { bookPoints } from "./data.js";
import { element } from "./drawing.js";
import { edges, intervals } from "./grid.js";
import { classicalScaling, levelDistances, similarityOrder } from "./ordering.js";
import { BOOK } from "./scenes/shared.js";

const product = (a, b) => a * b;

/** ALE of x1 by hand: six rows, two intervals. */
function byHand() {
  const rows = [
      [1, 2],
      [2, 1],
      [3, 4],
      [4, 3],
      [5, 6],
      [6, 5],
    ],
    x = rows.map(([x1]) => x1);
  const z = edges(x, 2, "aleplot");
  const { means, values } = mainEffect(product, rows, axis(0, "numeric", z, intervals(x, z)));
  return [means[0], means[1], values[2]];
}

/** Two ways to centre an accumulated curve. */
function centring() {
  const curve = [0, 2, 3, 7],
    counts = [10, 20, 10],
    n = 40;
  const average = (at) => counts.reduce((sum, count, k) => sum + count * at(k), 0) / n;
  return [average((k) => (curve[k] + curve[k + 1]) / 2), average((k) => curve[k + 1])];
}

/** Rows that a method asks the model about. */
const cost = () => [500 * 20, 2 * 500, 4 * 500];

/** The second-order difference of x1^2 x2 over one cell, and of a sum. */
function overCell() {
  const axes = [
    [1, 2],
    [0, 3],
  ].map((points, j) => axis(j, "numeric", points, [0]));
  const over = (f) => pairEffect(f, [[1.5, 1]], axes).means[0][0];
  return [over((x1, x2) => x1 * x1 * x2), over((x1, x2) => x1 * x1 + x2)];
}

/** Distances of three levels, and which stands between the others (1, 2, 3 for A, B, C). */
function betweenLevels() {
  const levels = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2],
    x = [1, 2, 3, 4, 3, 4, 5, 6, 2, 3, 4, 5];
  const distances = levelDistances(levels, x);
  return [distances[0][1], distances[0][2], similarityOrder(classicalScaling(distances))[1] + 1];
}

/** Curvature of ALE and M-plot with the coefficient b3 and the correlation rho. */
const curvature = (b3 = 2, rho = 0.6) => [(b3 * rho) / 2, b3 * rho];

/** LOFO and permutation importance in mean squared error. */
const importance = (b1 = 2, rho = 0.8) => [b1 ** 2 * (1 - rho ** 2), 2 * b1 ** 2];

/** Questions of partial dependence at x1 = 0.9 in the odd corner, and rows there. */
function wrong() {
  const rows = bookPoints(BOOK);
  const odd = ([x1, x2]) => x1 > BOOK.above && x2 < BOOK.below;
  return [rows.filter(([, x2]) => odd([0.9, x2])).length, rows.filter(odd).length];
}

/** `fields` are the names of the numbers asked for; `choices` those that are chosen from a list. */
export const EXERCISES = [
  { name: "hand", fields: ["first", "second", "end"], tolerance: 0.01, answers: byHand },
  { name: "centre", fields: ["middle", "upper"], tolerance: 0.01, answers: centring },
  { name: "cost", fields: ["pd", "ale", "pair"], tolerance: 0, answers: cost },
  { name: "cell", fields: ["product", "sum"], tolerance: 0.01, answers: overCell },
  {
    name: "levels",
    fields: ["ab", "ac", "between"],
    tolerance: 0.01,
    answers: betweenLevels,
    choices: { between: ["A", "B", "C"] },
  },
  { name: "curvature", fields: ["ale", "m"], tolerance: 0.01, answers: curvature },
  { name: "importance", fields: ["lofo", "permutation"], tolerance: 0.01, answers: importance },
  { name: "wrong", fields: ["questions", "rows"], tolerance: 0, answers: wrong, open: true },
];

const DIGITS = "۰۱۲۳۴۵۶۷۸۹",
  ARABIC = "٠١٢٣٤٥٦٧٨٩";

/** A number as people of the three languages write it; NaN if it is none. */
export function numberFrom(text) {
  const plain = text
    .trim()
    .replace(/[۰-۹]/g, (d) => DIGITS.indexOf(d))
    .replace(/[٠-٩]/g, (d) => ARABIC.indexOf(d))
    .replace(/[٫,]/, ".")
    .replace("\u2212", "-");
  return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : NaN;
}

/** Whether a number is near enough to the right one. */
export const isRight = (given, right, tolerance) =>
  Math.abs(given - right) <= tolerance * Math.max(1, Math.abs(right));

/** Fields, check, verdicts of one exercise. */
export function exerciseForm({ name, fields, tolerance, answers, choices = {}, open }, say) {
  const inputs = fields.map((field) => {
    const id = `answer-${name}-${field}`;
    const input = choices[field]
      ? element(
          "select",
          { id },
          element("option", { value: "" }, "–"),
          ...choices[field].map((choice, i) => element("option", { value: i + 1 }, choice)),
        )
      : element("input", { id, type: "text", inputmode: "decimal", autocomplete: "off", size: 8 });
    const verdict = element("span", { class: "chip", id: `${id}-verdict` });
    input.setAttribute("aria-describedby", verdict.id);
    const label = element("label", { for: id }, say(`exercise.${name}.${field}`));
    return { input, verdict, row: element("div", { class: "answer" }, label, input, verdict) };
  });
  const summary = element("p", { role: "status" });
  const check = element("button", { type: "submit", class: "plain" }, say("check"));
  const form = element("form", {}, ...inputs.map(({ row }) => row));
  if (open) {
    const id = `answer-${name}-why`;
    form.append(
      element("label", { for: id }, say(`exercise.${name}.why`)),
      element("textarea", { id, rows: 4 }),
    );
  }
  form.append(check, summary);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const right = answers().map((value, i) =>
      isRight(numberFrom(inputs[i].input.value), value, tolerance),
    );
    inputs.forEach(({ verdict }, i) => {
      verdict.textContent = right[i] ? `✓ ${say("right")}` : `✗ ${say("wrong")}`;
      verdict.className = `chip ${right[i] ? "good" : "bad"}`;
    });
    summary.textContent = say("checked", { right: right.filter(Boolean).length, n: right.length });
  });
  return form;
}
