"""Tables, models and loops that the tests of importance share."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import (
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression
from sklearn.metrics import (
    get_scorer,
)

from aleplot_py.importance.lofo import (
    lofo_importance,
)

# Least squares on a few hundred rows of size 1, solved in another order of columns.
ROUNDING = 1e-12


# Standard errors within which a seeded Monte Carlo mean must lie of its expectation.
STANDARD_ERRORS = 3


MSE = "neg_mean_squared_error"


LINEAR = LinearRegression()


def frame(n: int = 120, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    """Three numbers and a category; y leans on a, less on b, a little on the category."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.normal(size=n),
            "c": rng.normal(size=n),
            "kind": pd.Categorical(rng.choice(["low", "mid", "high"], size=n)),
        },
        index=np.arange(n)[::-1],
    )
    y = 2 * X["a"] + X["b"] + (X["kind"] == "low") + 0.5 * rng.normal(size=n)
    return X, y.rename("y")


X, Y = frame()


NUMBERS = X[["a", "b", "c"]]


TRAIN, TEST = np.arange(80), np.arange(80, 120)


HOLD_OUT = {"X_test": NUMBERS.iloc[TEST], "y_test": Y.iloc[TEST]}


FOREST = RandomForestRegressor(n_estimators=5, random_state=3)


def on_hold_out(estimator=LINEAR, scoring=MSE, **options):
    return lofo_importance(
        estimator, NUMBERS.iloc[TRAIN], Y.iloc[TRAIN], scoring=scoring, **HOLD_OUT, **options
    )


def plain_loop(estimator, X, y, splits, scoring, names=None):
    """Importances (features, splits) by the loop that anybody would write."""
    scorer = get_scorer(scoring)
    importances = []
    for train, test in splits:
        full = clone(estimator).fit(X.iloc[train], y.iloc[train])
        base = scorer(full, X.iloc[test], y.iloc[test])
        row = []
        for name in names or X.columns:
            less = X.drop(columns=name)
            refit = clone(estimator).fit(less.iloc[train], y.iloc[train])
            row.append(base - scorer(refit, less.iloc[test], y.iloc[test]))
        importances.append(row)
    return np.array(importances).T


class Recorder(RegressorMixin, BaseEstimator):
    """A mean that remembers, for the class, which rows and columns each fit and score saw."""

    seen: list[tuple[str, tuple, tuple, object]] = []  # noqa: RUF012

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        weights = None if sample_weight is None else tuple(sample_weight)
        self.seen.append(("fit", tuple(X.index), tuple(X.columns), self.random_state))
        self.mean_ = np.average(y, weights=weights)
        return self

    def predict(self, X):
        self.seen.append(("predict", tuple(X.index), tuple(X.columns), self.random_state))
        return np.full(len(X), self.mean_)


class LeastSquares(RegressorMixin, BaseEstimator):
    """The shortest solution, so that copies share a coefficient.

    scikit-learn before 1.7 keeps singular values of rounding size, and with them coefficients of
    opposite sign and any size.
    """

    def fit(self, X, y):
        design = np.column_stack([np.ones(len(X)), X])
        self.coefficients_ = np.linalg.lstsq(design, y, rcond=1e-10)[0]
        return self

    def predict(self, X):
        return np.column_stack([np.ones(len(X)), X]) @ self.coefficients_


class FailsOn(RegressorMixin, BaseEstimator):
    """Refuses to be fitted without a column on rows that lack a label."""

    def __init__(self, column="a", row=-1, portable=True):
        self.column = column
        self.row = row
        self.portable = portable

    def fit(self, X, y):
        if self.column not in X.columns and self.row not in X.index:
            if self.portable:
                raise RuntimeError("no convergence")
            raise type("LocalError", (Exception,), {})("cannot travel")
        self.mean_ = np.mean(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def by_hand(second_column, estimator=LINEAR, scoring=MSE, **options):
    train = np.array([-1.0, 1.0, -2.0, 2.0])
    test = np.array([-1.0, 1.0])
    X, X_test = (pd.DataFrame({"x1": x1, "x2": second_column(x1)}) for x1 in (train, test))
    return lofo_importance(
        estimator, X, train, scoring=scoring, X_test=X_test, y_test=test, **options
    )


def zero(x1):
    return 0 * x1


def mse_as_scorer(estimator, X, y):
    return -float(np.mean((estimator.predict(X) - y) ** 2))


LABELS = np.repeat(np.arange(6), 20)


SMALL = st.integers(0, 10_000)
