// LOFO's twin: refitted without x1, the model loses nothing where x2 stands in for it.

import { Chart } from "../drawing.js";
import { columnOf } from "../data.js";
import { RRandom } from "../random.js";
import { leastSquares, squaredError } from "../regression.js";
import { mean } from "../exact.js";

const REPEATS = 5;
const SWEEP = Array.from({ length: 21 }, (_, i) => i * 0.049);

/** Rows and responses y = x1 + x2 + noise for a correlation, from the same draws for all. */
function sample([first, second, noise], rho) {
  const x2 = first.map((z, i) => rho * z + Math.sqrt(1 - rho * rho) * second[i]);
  return { columns: [first, x2], y: first.map((x1, i) => x1 + x2[i] + noise[i]) };
}

/** Importances of x1 in mean squared error on the test rows. */
function importances(train, test, orders) {
  const whole = leastSquares(train.columns, train.y);
  const without = leastSquares([train.columns[1]], train.y);
  const loss = squaredError(whole, test.columns, test.y);
  const permuted = orders.map((order) =>
    squaredError(whole, [order.map((i) => test.columns[0][i - 1]), test.columns[1]], test.y),
  );
  return {
    lofo: squaredError(without, [test.columns[1]], test.y) - loss,
    permutation: mean(permuted) - loss,
    slopes: whole.slopes,
  };
}

export const twin = {
  name: "twin",
  defaults: { n: 500, seed: 2, rho: 0.9 },
  controls: ["rho", "n", "seed"],
  limits: { rho: [0, 0.99, 0.01], n: [50, 1000, 50] },

  compute({ n, seed, rho }) {
    const rng = new RRandom(seed),
      draws = () => [0, 1, 2].map(() => rng.rnorm(n));
    const [train, test] = [draws(), draws()];
    const orders = Array.from({ length: REPEATS }, () => rng.sampleInt(n));
    const at = (r) => importances(sample(train, r), sample(test, r), orders);
    const { columns } = sample(train, rho);
    return {
      rows: columns[0].map((x1, i) => [x1, columns[1][i]]),
      here: at(rho),
      sweep: SWEEP.map((r) => ({ rho: r, ...at(r) })),
    };
  },

  result: ({ here }) => [here.lofo, here.permutation],
  python: ({ n, seed, rho }) => [
    "import math",
    "import numpy as np",
    "import pandas as pd",
    "from sklearn.linear_model import LinearRegression",
    "from sklearn.metrics import mean_squared_error",
    "from aleplot_py import lofo_importance",
    "from aleplot_py.r_random import set_seed",
    "",
    `rng, rho, n = set_seed(${seed}), ${rho}, ${n}`,
    "",
    "",
    "def draw():",
    "    x1, second, noise = rng.rnorm(n), rng.rnorm(n), rng.rnorm(n)",
    "    x2 = rho * x1 + math.sqrt(1 - rho * rho) * second",
    '    return pd.DataFrame({"x1": x1, "x2": x2}), x1 + x2 + noise',
    "",
    "",
    "(X, y), (X_test, y_test) = draw(), draw()",
    "model = LinearRegression().fit(X, y)",
    "lofo = lofo_importance(",
    "    model, X, y, X_test=X_test, y_test=y_test,",
    '    scoring="neg_mean_squared_error", features=["x1"],',
    ")",
    "losses = []",
    `for _ in range(${REPEATS}):`,
    '    x1 = X_test["x1"].to_numpy()[rng.sample_int(n) - 1]',
    "    losses.append(mean_squared_error(y_test, model.predict(X_test.assign(x1=x1))))",
    "loss = mean_squared_error(y_test, model.predict(X_test))",
    "result = [lofo.mean[0], np.mean(losses) - loss]",
  ],

  facts: ({ here }, { rho }) => [
    ["twin.lofo", { value: here.lofo, theory: 1 - rho * rho }],
    ["twin.permutation", { value: here.permutation, theory: 2 }],
    ["twin.slopes", { first: here.slopes[0], second: here.slopes[1] }],
  ],

  table: ({ sweep }) => [
    ["table.correlation", 3, sweep.map((one) => one.rho)],
    ["table.lofo", 3, sweep.map(({ lofo }) => lofo)],
    ["table.permutation", 3, sweep.map(({ permutation }) => permutation)],
  ],

  draw({ rows, here, sweep }, { rho }, say) {
    const left = new Chart({
      x: [-3.6, 3.6],
      y: [-3.6, 3.6],
      xlabel: "x1",
      ylabel: "x2",
      name: say("scene.twin.left"),
      say,
    });
    left.dots(rows, "point", 2.6);
    const top = Math.max(3, ...sweep.map(({ permutation }) => permutation)) * 1.06;
    const right = new Chart({
      x: [0, 1],
      y: [
        Math.min(
          -0.1,
          ...columnOf(
            sweep.map(({ lofo }) => [lofo]),
            0,
          ),
        ),
        top,
      ],
      xlabel: say("axis.correlation"),
      ylabel: say("axis.importance"),
      name: say("scene.twin.right"),
      say,
    });
    right.segment([0, 0], [1, 0], "zero");
    right.segment([rho, right.y[0]], [rho, right.y[1]], "here");
    right.line(
      sweep.map((one) => [one.rho, one.permutation]),
      "m",
    );
    right.line(
      sweep.map((one) => [one.rho, one.lofo]),
      "ale",
    );
    right.segment([0, 2], [1, 2], "truth");
    right.line(
      Array.from({ length: 51 }, (_, i) => [i / 50, 1 - (i / 50) ** 2]),
      "truth",
    );
    right.dots([[rho, here.permutation]], "mark m", 5);
    right.dots([[rho, here.lofo]], "mark ale", 5);
    return [left, right];
  },
  legend: ["lofo", "permutation", "population"],
};
