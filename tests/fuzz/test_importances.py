"""Importances of small linear models by loops over their columns, splits and orders."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from sklearn.inspection import permutation_importance as of_sklearn
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import KFold

from aleplot_py import (
    leave_two_out_importance,
    lofo_importance,
    permutation_importance,
    sequential_elimination,
)
from tests.fuzz.verdict import often, outcome
from validation import brute_force

# Least squares on a few rows by the same routine; columns may lie differently in memory.
SCORES = 1e-9
CONTAINERS = {
    "frame": lambda X: X,
    "array": lambda X: X.to_numpy(),
    "columns": lambda X: np.asfortranarray(X.to_numpy()),
    "float32": lambda X: X.astype("float32"),
    "repeated index": lambda X: X.set_axis([0] * len(X)),
}


def _loss(X, y, X_test, y_test):
    return -mean_squared_error(y_test, LinearRegression().fit(X, y).predict(X_test))


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(12, 30)), draw(st.integers(3, 4))
    X = pd.DataFrame(rng.integers(0, 9, (n, d)) / 4.0, columns=list("xzuv")[:d])
    X["x"] += rng.integers(0, 3, n) / 8
    return X, X.to_numpy() @ rng.integers(-2, 3, d) + rng.normal(size=n)


ANY = st.sampled_from(sorted(CONTAINERS))


@often
@given(problem=problems(), container=ANY, seed=st.integers(0, 2**31), repeats=st.integers(1, 3))
def test_permutation_importance(problem, container, seed, repeats):
    X, y = problem
    X = CONTAINERS[container](X)
    model = LinearRegression().fit(X, y)
    options = {"scoring": "neg_mean_squared_error", "n_repeats": repeats, "random_state": seed}
    found = outcome(permutation_importance, model, X, y, **options)
    theirs = of_sklearn(model, X, y, **options)
    np.testing.assert_allclose(found.importances[:, :, 0], theirs.importances, atol=SCORES)
    rng = np.random.RandomState(found.seeds[0])
    order, shuffled, orders = np.arange(len(y)), np.arange(len(y)), []
    for _ in range(repeats):
        rng.shuffle(shuffled)
        order = order[shuffled]
        orders.append(order)
    frame = pd.DataFrame(X)
    as_given = (lambda one: one) if isinstance(X, pd.DataFrame) else (lambda one: one.to_numpy())
    right = brute_force.permutation_importance(
        lambda one: -mean_squared_error(y, model.predict(as_given(one))), frame, orders
    )
    np.testing.assert_allclose(found.importances[:, :, 0], right, atol=SCORES)


# A case is a hundred fits: as many examples as any property has, a fifth of the other families'.
@given(problem=problems(), container=ANY, folds=st.integers(2, 4))
def test_refits_without_columns(problem, container, folds):
    """LOFO, pairs and elimination from the scores of all sets of columns left out."""
    X, y = problem
    cv, d = KFold(folds), X.shape[1]
    splits = list(cv.split(X))
    given_X = CONTAINERS[container](X)
    frame = pd.DataFrame(given_X)
    pairs = [(i, j) for i in range(d) for j in range(i + 1, d)]
    without = [(), *((i,) for i in range(d)), *pairs]
    scores = brute_force.left_out_scores(_loss, frame, y, splits, without)
    worse = scores[0] - scores[1:]
    options = {"scoring": "neg_mean_squared_error", "cv": cv}
    lofo = outcome(lofo_importance, LinearRegression(), given_X, y, **options)
    np.testing.assert_allclose(lofo.importances[:, 0, :], worse[:d], atol=SCORES)
    two = outcome(leave_two_out_importance, LinearRegression(), given_X, y, **options)
    mean = worse.mean(axis=1)
    for number, (i, j) in enumerate(pairs):
        shared = mean[d + number] - mean[i] - mean[j]
        assert abs(two.shared[number].mean() - shared) <= SCORES
    order = outcome(sequential_elimination, LinearRegression(), given_X, y, **options)
    least = np.sort(mean[:d])
    if d > 1 and least[1] - least[0] > 10 * SCORES:
        assert order.eliminated[0] == list(frame.columns)[int(np.argmin(mean[:d]))]
