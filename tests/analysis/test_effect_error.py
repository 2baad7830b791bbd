"""Errors of effects: by their definition in plain loops, and where every part is known by hand."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from aleplot_py import ale, effect_error
from aleplot_py.analysis.effect_error import STRATEGIES
from aleplot_py.errors import FeatureError, FeatureTypeError, GridError, PredictionError

# Sums of some dozen numbers of order 1 in another order: rounding only.
TOLERANCE = 1e-12
# Mean of 10 variances of 10 draws: 2 / (10 x 9) has the root 0.15; four of these. The variances
# that are told apart differ by a factor of 5.
MONTE_CARLO = 0.6


def simulate(n, rng):
    X = pd.DataFrame({"x": rng.uniform(size=n), "z": rng.normal(size=n)})
    return X, truth(X) + rng.normal(size=n) / 4


def truth(X):
    return X["x"] * X["z"] + X["z"] ** 2


class Recorder:
    """Data sets and models in the order in which they are made."""

    def __init__(self):
        self.data, self.models = [], []

    def simulate(self, n, rng):
        X, y = simulate(n, rng)
        self.data.append(X.copy())
        return X, y

    def learner(self, X, y):
        model = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
        self.models.append((model.predict, X.index))
        return model


def curve(effect, predict, X, name, edges):
    """Effect at the inner edges, with mean 0 over these."""
    values = [0.0]
    for low, high in pairwise(edges):
        if effect == "pd":
            values.append(predict(X.assign(**{name: low})).mean())
            continue
        inside = (X[name] > low if low > edges[0] else True) & (
            X[name] <= high if high < edges[-1] else True
        )
        rows = X[inside]
        assert len(rows)
        moved = [predict(rows.assign(**{name: end})) for end in (low, high)]
        values.append(values[-1] + np.mean(moved[1] - moved[0]))
    inner = np.array(values[2:] if effect == "pd" else values[1:-1])
    return inner - inner.mean()


@pytest.mark.parametrize("effect", ["ale", "pd"])
def test_every_part_is_that_of_the_definition(effect):
    record, R, M, n, K = Recorder(), 2, 2, 60, 4
    found = effect_error(
        truth, record.simulate, record.learner, ["x", "z"], effect=effect, n=n, n_simulations=R,
        n_redraws=M, n_reference=200, validation_share=0.5, n_folds=2, K=K, random_state=5,
    )  # fmt: skip
    reference, *data = record.data
    assert [len(record.data), len(record.models)] == [1 + R * (1 + M), R * 4]
    table = found.to_frame(by_point=True)
    for name in ("x", "z"):
        edges = np.sort(reference[name])[[-(-200 * k // K) - 1 for k in range(K + 1)]]
        edges[0] = reference[name].min()
        true = curve(effect, truth, reference, name, edges)
        for s, strategy in enumerate(STRATEGIES):
            estimates, population, variances = [], [], []
            for r in range(R):
                own, *fresh = data[r * (1 + M) : (r + 1) * (1 + M)]
                models = record.models[4 * r : 4 * r + 4][[slice(1), slice(1, 2), slice(2, 4)][s]]
                parts = [(f, own.index if s == 0 else own.index.difference(i)) for f, i in models]
                means = [
                    np.mean([curve(effect, f, X.loc[i], name, edges) for f, i in parts], axis=0)
                    for X in (own, *fresh)
                ]
                estimates.append(means[0])
                variances.append(np.var(means[1:], axis=0, ddof=1))
                population.append(
                    np.mean([curve(effect, f, reference, name, edges) for f, _ in parts], axis=0)
                )
            expected = {
                "x": edges[1:-1],
                "mse": np.mean((np.array(estimates) - true) ** 2, axis=0),
                "bias": np.mean(estimates, axis=0) - true,
                "model_bias": np.mean(population, axis=0) - true,
                "estimation_bias": np.mean(estimates, axis=0) - np.mean(population, axis=0),
                "variance": np.var(estimates, axis=0, ddof=1),
                "model_variance": np.var(estimates, axis=0, ddof=1) - np.mean(variances, axis=0),
                "estimation_variance": np.mean(variances, axis=0),
            }
            got = table[(table["feature"] == name) & (table["strategy"] == strategy)]
            assert list(got)[2:] == list(expected)
            for column, values in expected.items():
                np.testing.assert_allclose(got[column], values, rtol=0, atol=TOLERANCE)
    assert (table["variance"] > 0.001).any()


def test_the_parts_add_up_and_the_summary_is_over_the_points():
    found = effect_error(
        truth, simulate, LinearRegression(), "z", n=30, n_simulations=4, n_redraws=2, K=5,
        n_folds=2, n_reference=100, random_state=0,
    )  # fmt: skip
    points, means = found.to_frame(by_point=True), found.to_frame()
    for table in (points, means):
        np.testing.assert_allclose(
            table["model_variance"] + table["estimation_variance"], table["variance"], atol=1e-14
        )
        mse = table["bias"] ** 2 + table["variance"] * 3 / 4
        np.testing.assert_allclose(table["mse"], mse, rtol=1e-12)
    parts = points["model_bias"] + points["estimation_bias"]
    np.testing.assert_allclose(points["bias"], parts, atol=1e-14)
    by = points.groupby("strategy", observed=True, sort=False)
    assert means["strategy"].tolist() == list(STRATEGIES)
    np.testing.assert_allclose(means["variance"], by["variance"].mean(), rtol=1e-12)
    squares = points.assign(b=points["model_bias"] ** 2).groupby(
        "strategy", observed=True, sort=False
    )
    np.testing.assert_allclose(means["model_bias"] ** 2, squares["b"].mean(), rtol=1e-12)


def test_a_line_is_wrong_by_its_slope_alone():
    """A learner of b x, b the mean of the response: variance is that of b, whatever the rows."""
    noise, slopes = 2.0, []

    def noisy(n, rng):
        return pd.DataFrame({"x": rng.normal(size=n)}), 1 + noise * rng.normal(size=n)

    def learner(X, y):
        slope = y.mean()
        slopes.append(slope)
        return lambda X: slope * X["x"]

    R, n, k = 4, 40, 4
    for effect in ("ale", "pd"):
        slopes.clear()
        found = effect_error(
            lambda X: 3 * X["x"], noisy, learner, "x", effect=effect, n=n, n_simulations=R,
            n_redraws=2, n_folds=k, K=6, n_reference=100, random_state=2,
        )  # fmt: skip
        [x] = found.x_values
        x = x - x.mean()
        table = found.to_frame(by_point=True)
        fits = np.array(slopes).reshape(R, 2 + k)
        for strategy, b in zip(
            STRATEGIES, (fits[:, 0], fits[:, 1], fits[:, 2:].mean(axis=1)), strict=True
        ):
            got = table[table["strategy"] == strategy]
            np.testing.assert_allclose(got["model_bias"], (b.mean() - 3) * x, atol=TOLERANCE)
            np.testing.assert_allclose(got["estimation_bias"], 0, atol=TOLERANCE)
            np.testing.assert_allclose(got["estimation_variance"], 0, atol=TOLERANCE)
            np.testing.assert_allclose(got["model_variance"], b.var(ddof=1) * x**2, atol=TOLERANCE)
        # Every row is in all folds' models but one: their mean is the mean response.
        np.testing.assert_allclose(fits[:, 2:].mean(axis=1), fits[:, 0], atol=TOLERANCE)


def test_a_known_model_is_wrong_by_its_rows_alone():
    """Partial dependence of x z is x times the mean of z, which has variance 1 / rows."""
    R, M, n, k = 10, 10, 50, 2

    def product(X):
        return X["x"] * X["z"]

    found = effect_error(
        product, simulate, lambda X, y: product, "x", effect="pd", n=n, n_simulations=R,
        n_redraws=M, n_folds=k, K=4, n_reference=2000, validation_share=0.2, random_state=3,
    )  # fmt: skip
    [x] = found.x_values
    x = x - x.mean()
    table = found.to_frame(by_point=True)
    np.testing.assert_allclose(table["model_bias"], 0, atol=TOLERANCE)
    # Folds of equal size have together the mean of all rows.
    for strategy, rows in zip(STRATEGIES, (n, n / 5, n), strict=True):
        got = table[table["strategy"] == strategy]
        ratio = got["estimation_variance"][x != 0] / (x[x != 0] ** 2 / rows)
        assert np.abs(ratio - 1).max() < MONTE_CARLO
    training = table[table["strategy"] == STRATEGIES[0]]["mse"]
    crossed = table[table["strategy"] == STRATEGIES[2]]["mse"]
    np.testing.assert_allclose(training, crossed, atol=TOLERANCE)


def test_data_depend_on_the_seed_and_on_nothing_else():
    def run(learner, effect="ale", **how):
        record = Recorder()
        how = {
            "n": 20,
            "n_simulations": 2,
            "n_redraws": 2,
            "n_reference": 50,
            "K": 3,
            "n_folds": 2,
        } | how
        found = effect_error(truth, record.simulate, learner, "x", effect=effect, **how)
        return found, pd.concat(record.data)

    forest = DecisionTreeRegressor(max_features=1)
    one, data = run(forest, random_state=1)
    assert run(forest, random_state=1)[0] == one
    other, same = run(LinearRegression(), "pd", random_state=1)
    pd.testing.assert_frame_equal(data, same)
    assert other != one
    assert not run(forest, random_state=2)[1].equals(data)
    assert not hasattr(forest, "tree_")


def test_a_class_is_explained_where_it_is_asked_for():
    def labels(n, rng):
        X = pd.DataFrame({"x": rng.uniform(size=n)})
        return X.to_numpy(), np.where(rng.uniform(size=n) < X["x"], "yes", "no")

    options = {"n": 60, "n_simulations": 2, "n_redraws": 2, "n_reference": 80, "K": 3}
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    yes, no = (
        effect_error(lambda X: X[:, 0], labels, tree, 0, target=target, random_state=1, **options)
        for target in ("yes", "no")
    )
    np.testing.assert_allclose(yes.estimates[0], -no.estimates[0], atol=TOLERANCE)
    assert np.array_equal(yes.truth[0], no.truth[0])
    assert np.ptp(yes.truth[0]) > 0.2


def test_the_truth_is_a_function_whatever_method_the_models_are_asked_by():
    how = {"n": 30, "n_simulations": 2, "n_redraws": 2, "n_reference": 90, "random_state": 0}
    named = effect_error(truth, simulate, LinearRegression(), "x", response_method="predict", **how)
    assert named == effect_error(truth, simulate, LinearRegression(), "x", **how)


def test_an_estimator_of_ones_own_is_judged_as_ours_are():
    def own(predict, X, name, edges):
        grid = {"grid": edges, "outside": "clip", "centre": "none"}
        return ale(predict, X, name, **grid).f_values + 5

    options = {"n": 30, "n_simulations": 2, "n_redraws": 2, "n_reference": 60, "K": 4, "n_folds": 2}
    ours, theirs = (
        effect_error(
            truth, simulate, LinearRegression(), ["x", "z"], effect=effect, random_state=1,
            **options,
        )
        for effect in ("ale", own)
    )  # fmt: skip
    assert repr(theirs) == "EffectError(own effect of 'x', 'z': 2 data sets of n=30)"
    for name in ("truth", "estimates", "population", "redraw_variance"):
        for one, other in zip(getattr(ours, name), getattr(theirs, name), strict=True):
            np.testing.assert_allclose(one, other, atol=TOLERANCE)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"effect": "m"}, ValueError, "effect must be one of"),
        (
            {"effect": lambda *_: [1.0], "K": 4},
            ValueError,
            r"effect must return 5 finite values, one for each edge of column 'x', got \[1.0\]",
        ),
        (
            {"truth": lambda X: 1e200 * X["x"]},
            PredictionError,
            r"effects must be of at most 1e\+150 in size",
        ),
        ({"n_simulations": 1}, ValueError, "n_simulations must be at least 2, got 1"),
        ({"n_redraws": 0}, ValueError, "n_redraws must be a positive integer, got 0"),
        ({"n_folds": 2.5}, TypeError, "n_folds must be a positive integer, got 2.5"),
        ({"n_folds": 31}, ValueError, "n=30 rows are too few for validation_share=0.2 and n_fol"),
        ({"validation_share": 0.99}, ValueError, "n=30 rows are too few"),
        ({"validation_share": 1}, ValueError, r"validation_share must lie between 0 and 1 \(0.2 f"),
        ({"K": 2}, GridError, r"column 'x' has 2 interval\(s\): errors are told at the edges"),
        ({"K": "auto"}, TypeError, "K must be a positive integer, got 'auto'"),
        ({"grid": "deciles"}, ValueError, "grid must be one of"),
        ({"features": "w"}, FeatureError, "feature 'w' is not a column of X"),
        ({"features": [("x", "z")]}, FeatureError, "features must be single columns, got the pair"),
        ({"learner": LinearRegression}, TypeError, "learner must be an estimator, not its class"),
        ({"simulate": lambda n, rng: 1}, TypeError, r"must return \(X, y\), got int"),
        (
            {"simulate": lambda n, rng: (np.zeros((n, 1)), [1])},
            ValueError,
            r"y of simulate must have one value per row, 90, got shape \(1,\)",
        ),
        (
            {"simulate": lambda n, rng: (np.zeros((n, 1)), None)},
            ValueError,
            r"y of simulate must have one value per row, 90, got shape \(\)",
        ),
        (
            {"simulate": lambda n, rng: (np.zeros((n - 1, 1)), [0] * n)},
            ValueError,
            r"simulate\(90, random_state\) must return 90 rows, got 89",
        ),
        ({"simulate": 5}, TypeError, r"simulate must be a callable\(n, random_state\), got 5"),
        (
            {
                "simulate": lambda n, rng: (
                    simulate(n, rng)[0].assign(x=[np.nan] + [0.0] * (n - 1)),
                    [0] * n,
                )
            },
            FeatureError,
            r"simulate must know the features of every row: column 'x' has 1 missing value\(s\) in",
        ),
        (
            {"effect": lambda *_: ["a"] * 5, "K": 4},
            ValueError,
            r"effect must return 5 finite values, .* got \['a'",
        ),
        (
            {"simulate": lambda n, rng: (pd.DataFrame({"x": list("ab") * (n // 2)}), [0] * n)},
            FeatureTypeError,
            "features must be columns of numbers, which 'x' is not",
        ),
        (
            {
                "simulate": lambda n, rng: (simulate(n, rng)[0].rename(columns={"z": n}), [0] * n),
                "truth": lambda X: X["x"],
            },
            ValueError,
            "simulate must return the same columns every time",
        ),
    ],
)
def test_what_cannot_be_simulated_is_refused(change, error, message):
    arguments = {
        "truth": truth,
        "simulate": simulate,
        "learner": LinearRegression(),
        "features": "x",
        "n": 30,
        "n_reference": 90,
        "random_state": 0,
    }
    with pytest.raises(error, match=message):
        effect_error(**(arguments | change))
