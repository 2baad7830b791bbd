"""Individual curves: their mean, their anchor."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ice, partial_dependence

# Sums of a few small numbers: rounding only.
EXACT = 1e-12


def test_individual_curves():
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"x": rng.normal(size=5), "z": rng.normal(size=5)})

    def predict(X):
        return np.sin(X["x"]) * X["z"] + X["x"] ** 2

    effect = ice(predict, X, "x", K=7)
    assert effect.individual.shape == (5, 7)
    average = partial_dependence(predict, X, "x", K=7).f_values
    np.testing.assert_allclose(effect.individual.mean(axis=0), average, rtol=0, atol=EXACT)
    np.testing.assert_allclose(effect.f_values, average, rtol=0, atol=EXACT)
    anchored = ice(predict, X, "x", K=7, centre=X["x"].min())
    assert (anchored.individual[:, 0] == 0).all()
    assert anchored.f_values[0] == 0


@pytest.mark.parametrize("options", [{}, {"batch_rows": 7}, {"batch_rows": 50}, {"n_jobs": 2}])
@pytest.mark.parametrize("form", ["new", "buffer", "list", "float32"])
def test_curves_are_the_predictions_themselves_however_they_come(options, form):
    rng = np.random.default_rng(6)
    X, buffer = rng.normal(size=(20, 2)), np.empty(800)

    def predict(rows):
        values = rows[:, 0] * rows[:, 1]
        if form == "buffer" and "n_jobs" not in options:
            buffer[: len(rows)] = values
            return buffer[: len(rows)]
        return {"list": list(values), "float32": values.astype(np.float32)}.get(form, values)

    effect = ice(predict, X, 0, K=9, **options)
    expected = X[:, 1:] * effect.axes[0].points
    if form == "float32":
        expected = expected.astype(np.float32)
    assert (effect.individual == expected).all()
    assert not effect.individual.flags.writeable


@pytest.mark.parametrize("batch_rows", [None, 4])
def test_curves_at_levels_that_share_a_point_are_their_means(batch_rows):
    X = pd.DataFrame({"level": list("aabbbccccd"), "z": np.arange(10.0)})

    def predict(X):
        return X["level"].map({"a": 0.0, "b": 1, "c": 2, "d": 5}) + X["z"]

    effect = ice(predict, X, "level", collapse=["a", "b"], batch_rows=batch_rows)
    at_points = {"(rare)": (2 * 0 + 3 * 1) / 5, "c": 2.0, "d": 5.0}
    shift = np.array([at_points[point] for point in effect.axes[0].points])
    np.testing.assert_allclose(effect.individual, X["z"].to_numpy()[:, None] + shift, atol=EXACT)


@pytest.mark.parametrize(
    ("n", "columns", "calls"),
    [(1000, 2, 25 * [1000]), (8000, 2, 4 * [8000]), (30_000, 40, [30_000])],
)
def test_several_points_share_a_call_as_far_as_its_numbers_are_few(n, columns, calls):
    X, seen = np.zeros((n, columns)), []
    X[:, 0] = np.linspace(0, 1, n)

    def predict(rows):
        seen.append(len(rows))
        return np.sqrt(rows[:, 0])

    together = ice(predict, X, 0, K=5 * len(calls))
    assert seen == 5 * [sum(calls)]
    assert together == ice(predict, X, 0, K=5 * len(calls), batch_rows=n)
    assert seen[5:] == 5 * calls
