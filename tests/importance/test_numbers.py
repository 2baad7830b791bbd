"""Fits and scores that get the numbers of a frame: the same scores as with the frame."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn", reason="importance needs scikit-learn")

from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import mean_absolute_error
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aleplot_py import lofo_importance
from aleplot_py.importance import refits

NAMES = ["a", "b", "c"]


def table(order="C", n=60):
    rows = np.random.default_rng(1).normal(size=(n, 3))
    return pd.DataFrame(np.asarray(rows, order=order), columns=NAMES)


def response(X):
    return X["a"].to_numpy() * 2 + X["b"].to_numpy() ** 2


def scores(estimator, X, **options):
    found = lofo_importance(
        estimator, X, response(X), scoring="neg_mean_squared_error", random_state=0, **options
    )
    return np.append(found.scores.ravel(), found.base_scores.ravel())


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("held_out", [False, True])
@pytest.mark.parametrize(
    "estimator",
    [
        LinearRegression(),
        Ridge(copy_X=False),
        KNeighborsRegressor(),
        RandomForestRegressor(5, max_features=0.5),
        HistGradientBoostingRegressor(max_iter=3),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_scores_are_those_of_the_frame(estimator, held_out, order, monkeypatch):
    X = table(order)
    test = {"X_test": X[:25], "y_test": response(X[:25])} if held_out else {"cv": 2}
    before = X.copy()
    numbers = scores(estimator, X, **test)
    pd.testing.assert_frame_equal(X, before)
    monkeypatch.setattr(refits, "_tables", lambda problem: (problem.X, problem.X_test))
    np.testing.assert_array_equal(numbers, scores(estimator, X, **test))


@pytest.fixture
def given(monkeypatch):
    """What linear regressions are fitted to."""
    seen = []
    fit = LinearRegression.fit

    def spy(self, X, y, sample_weight=None):
        seen.append(X)
        return fit(self, X, y, sample_weight)

    monkeypatch.setattr(LinearRegression, "fit", spy)
    return seen


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_numbers_lie_in_memory_as_in_the_frame(order, given):
    X = table(order)
    for rows in ([(np.arange(30), np.arange(30, 60))], [(np.arange(60), np.arange(60))]):
        given.clear()
        lofo_importance(LinearRegression(), X, response(X), scoring=None, cv=rows)
        for places, numbers in zip([[0, 1, 2], [1, 2], [0, 2], [0, 1]], given, strict=True):
            expected = np.asarray(X.take(rows[0][0]).take(places, axis=1))
            np.testing.assert_array_equal(numbers, expected)
            assert isinstance(numbers, np.ndarray)
            assert numbers.flags.c_contiguous == expected.flags.c_contiguous
            assert numbers.flags.writeable
            assert not np.shares_memory(numbers, X.to_numpy())


class OwnRegression(LinearRegression):
    """An estimator that is not scikit-learn's."""


def own_scorer(estimator, X, y):
    return -mean_absolute_error(y, estimator.predict(X))


@pytest.mark.parametrize(
    ("estimator", "scoring", "change"),
    [
        (OwnRegression(), None, lambda X: X),
        (make_pipeline(StandardScaler().set_output(transform="pandas"), LinearRegression()), None,
         lambda X: X),
        (LinearRegression(), own_scorer, lambda X: X),
        (LinearRegression(), None, lambda X: X.astype({"a": "float32"})),
        (LinearRegression(), None, lambda X: X.assign(a=X["a"].round().astype(int))),
        (LinearRegression(), None, lambda X: X.convert_dtypes()),
        (LinearRegression(), None, lambda X: X.set_axis([0, 1, 2], axis=1)),
        (LinearRegression(), None, lambda X: X[["b", "c"]].assign(a=X["a"])),
    ],
    ids=["class", "pipeline", "scorer", "float32", "integers", "extension", "names", "columns"],
)  # fmt: skip
def test_who_may_look_at_more_gets_the_frame(estimator, scoring, change, given):
    X = table()
    lofo_importance(estimator, change(X), response(X), scoring=scoring, cv=2)
    assert len(given) == 8
    assert all(isinstance(rows, pd.DataFrame) for rows in given)
