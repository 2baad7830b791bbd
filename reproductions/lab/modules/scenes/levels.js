// A category's levels find their order: neighbours have similar rows elsewhere.

import { around, Chart } from "../drawing.js";
import { columnOf } from "../data.js";
import { axis, mainEffect } from "../effects.js";
import { classicalScaling, hasOneAxis, levelDistances, similarityOrder } from "../ordering.js";
import { RRandom } from "../random.js";

const NAMES = ["A", "B", "C", "D", "E"];
const CENTRES = [2, 0, 4, 1, 3]; // of x, by level: not the order of their names
const SLOPES = [1, 0.5, 2, 0.5, 1.5]; // of the prediction in x, by level
const MOVED = 2; // the level that the slider moves
const DISTRIBUTIONS = 1,
  DISTANCES = 2,
  AXIS = 3;
const predict = (level, x) => SLOPES[level] * x;

export const levels = {
  name: "levels",
  defaults: { n: 100, seed: 1, sd: 1, shift: 0, step: 3 },
  controls: ["shift", "sd", "n", "seed"],
  steps: 4,
  limits: { n: [15, 300, 5], sd: [0.1, 3, 0.1] },

  compute({ n, seed, sd, shift }) {
    const rng = new RRandom(seed);
    const noise = sd > 0 ? rng.rnorm(n, 0, sd) : new Array(n).fill(0);
    const rows = noise.map((z, i) => {
      const level = i % NAMES.length;
      return [level, CENTRES[level] + (level === MOVED ? shift : 0) + z];
    });
    const codes = columnOf(rows, 0),
      distances = levelDistances(codes, columnOf(rows, 1));
    const coordinates = classicalScaling(distances),
      order = similarityOrder(coordinates);
    const rank = order.map((_, level) => order.indexOf(level));
    const one = axis(
      0,
      "categorical",
      order,
      codes.map((level) => rank[level]),
    );
    return {
      rows,
      distances,
      coordinates,
      order,
      effect: mainEffect(predict, rows, one),
      determined: hasOneAxis(distances),
    };
  },

  result: ({ order, effect }) => [...order, ...effect.values],
  python: ({ n, seed, sd, shift }) => [
    "import numpy as np",
    "import pandas as pd",
    "from aleplot_py import ale",
    "from aleplot_py.r_random import set_seed",
    "",
    `names, centres = list("${NAMES.join("")}"), np.array([${CENTRES.join(".0, ")}.0])`,
    `centres[${MOVED}] += ${shift}`,
    `slopes = dict(zip(names, [${SLOPES.join(", ")}]))`,
    `level = np.arange(${n}) % ${NAMES.length}`,
    `x = centres[level] + set_seed(${seed}).rnorm(${n}, 0, ${sd})`,
    'X = pd.DataFrame({"level": np.array(names)[level], "x": x})',
    "",
    "",
    "def model(X):",
    '    return X["level"].map(slopes).astype(float) * X["x"]',
    "",
    "",
    'effect = ale(model, X, "level")',
    "order = [names.index(name) for name in effect.axes[0].points]",
    "result = [*order, *effect.f_values.tolist()]",
  ],

  facts: ({ order, determined }) => [
    ["levels.order", { order: order.map((level) => NAMES[level]).join(" ") }],
    ...(determined ? [] : [["levels.undetermined", {}]]),
  ],

  table({ distances, order, effect }, { step }) {
    if (step === DISTANCES || step === AXIS) {
      return [
        ["table.level", null, NAMES],
        ...NAMES.map((name, l) => [name, 2, columnOf(distances, l)]),
      ];
    }
    if (step < DISTANCES) return [];
    return [
      ["table.level", null, order.map((level) => NAMES[level])],
      ["table.rows", 0, effect.counts],
      ["table.accumulated", 4, effect.accumulated],
      ["table.centred", 4, effect.values],
    ];
  },

  draw({ rows, distances, coordinates, order, effect }, { step }, say) {
    const x = columnOf(rows, 1);
    const left = new Chart({
      x: around(x),
      y: [0, 1],
      xlabel: "x",
      ylabel: say("axis.share"),
      name: say("scene.levels.left"),
      say,
    });
    NAMES.forEach((name, level) => {
      const inside = x.filter((_, i) => rows[i][0] === level).sort((a, b) => a - b);
      const stairs = inside.flatMap((value, i) => [
        [value, i / inside.length],
        [value, (i + 1) / inside.length],
      ]);
      left.line([[left.x[0], 0], ...stairs, [left.x[1], 1]], `level level-${level}`);
      left.label([inside[inside.length >> 1], 0.5], name, { dy: 16 - 8 * order.indexOf(level) });
    });
    if (step === DISTRIBUTIONS) return [left, this.strip(rows, say)];
    if (step === DISTANCES) return [left, this.far(distances, say)];
    if (step === AXIS) return [left, this.line(coordinates, order, say)];
    const right = new Chart({
      x: [-0.7, order.length - 0.3],
      y: around([0, ...effect.values]),
      xlabel: order.map((level) => NAMES[level]),
      ylabel: say("axis.effect"),
      name: say("scene.levels.right"),
      say,
    });
    effect.values.forEach((value, i) =>
      right.box([i - 0.35, i + 0.35], [0, value], { class: "bar" }),
    );
    right.segment([right.x[0], 0], [right.x[1], 0], "zero");
    return [left, right];
  },

  /** The rows of each level along x. */
  strip(rows, say) {
    const chart = new Chart({
      x: around(columnOf(rows, 1)),
      y: [-0.6, NAMES.length - 0.4],
      xlabel: "x",
      ylabel: "",
      name: say("scene.levels.strip"),
      say,
    });
    rows.forEach(([level, x]) => chart.dots([[x, level]], `dot level-${level}`, 4));
    NAMES.forEach((name, l) => chart.label([chart.x[0], l], name, { dx: 12, dy: -8 }));
    return chart;
  },

  /** Distances of the levels as a square of dots. */
  far(distances, say) {
    const chart = new Chart({
      x: [-0.7, NAMES.length - 0.3],
      y: [-0.7, NAMES.length - 0.3],
      xlabel: NAMES,
      ylabel: "",
      name: say("scene.levels.distances"),
      say,
    });
    distances.forEach((row, i) =>
      row.forEach((d, j) => chart.dots([[i, j]], "bubble", 1 + 22 * d)),
    );
    NAMES.forEach((name, j) => chart.label([-0.7, j], name, { dx: 8, dy: 4 }));
    return chart;
  },

  /** The levels' places on the axis of scaling. */
  line(coordinates, order, say) {
    const first = coordinates[order[0]],
      sign = first > 0 ? -1 : 1; // as in the order
    const places = coordinates.map((c) => sign * c);
    const chart = new Chart({
      x: around(places, 0.15),
      y: [-1, 1],
      xlabel: say("axis.scaling"),
      ylabel: "",
      name: say("scene.levels.axis"),
      say,
    });
    chart.segment([chart.x[0], 0], [chart.x[1], 0], "zero");
    order.forEach((level, i) => {
      chart.dots([[places[level], 0]], "mark ale", 6);
      chart.label([places[level], 0], NAMES[level], { dy: i % 2 ? 26 : -16, style: "corner-name" });
    });
    return chart;
  },
  legend: [],
};
