"""Every fit and score gets rows of its own, whatever the container."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aleplot_py import ale, bootstrap_bands, random_variable_null
from aleplot_py.importance import (
    conditional_permutation_importance,
    leave_two_out_importance,
    lofo_importance,
    permutation_importance,
    refit_with_permuted,
    sequential_elimination,
)
from aleplot_py.inputs.fitting import own_rows
from tests.importance.models import MSE, NUMBERS, TEST, TRAIN, X, Y

REFITS = (
    lofo_importance,
    refit_with_permuted,
    leave_two_out_importance,
    sequential_elimination,
)
OF_FITTED = (permutation_importance, conditional_permutation_importance)
FOLDS = list(KFold(3).split(NUMBERS))
WEIGHTS = np.linspace(1, 2, len(Y))
CONTAINERS = {
    "array": (NUMBERS.to_numpy(), Y.to_numpy()),
    "array by columns": (np.asfortranarray(NUMBERS.to_numpy()), Y.to_numpy()),
    "frame": (NUMBERS, Y),
    "frame of an array": (pd.DataFrame(NUMBERS.to_numpy(), columns=list("abc")), Y.to_frame()),
    "mixed frame": (NUMBERS.assign(b=NUMBERS["b"].astype("Float64"), n=np.arange(120)), Y),
    "sparse": (sparse.csr_array(NUMBERS.to_numpy()), Y.to_numpy()),
}


def scribble(values):
    """Write into memory, past what pandas does to protect it."""
    if isinstance(values, pd.DataFrame):
        for place in range(values.shape[1]):
            scribble(values.iloc[:, place])
    elif isinstance(values, pd.Series):
        values.array[:] = 0
    elif sparse.issparse(values):
        values.data[:] = 0
    elif values is not None:
        values.flags.writeable = True
        values[...] = 0


def raw(values):
    return values if sparse.issparse(values) else np.array(values, dtype=np.float64)


class Careful(LinearRegression):
    """Least squares on copies of the rows."""

    def fit(self, X, y, sample_weight=None):
        weights = None if sample_weight is None else np.array(sample_weight)
        return super().fit(raw(X), raw(y).ravel(), weights)

    def predict(self, X):
        return super().predict(raw(X))


class Scribbler(Careful):
    """The same model, which leaves nothing of the rows that it was given."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        for values in (X, y, sample_weight):
            scribble(values)
        return self

    def predict(self, X):
        prediction = super().predict(X)
        scribble(X)
        return prediction


def scores(estimator, X, y, sample_weight=None):
    prediction = estimator.predict(X)
    score = -np.average((raw(y).ravel() - prediction) ** 2, weights=sample_weight)
    if isinstance(estimator, Scribbler):
        scribble(y)
        scribble(sample_weight)
    return float(score)


def numbers_of(result):
    found = [getattr(result, name, None) for name in ("scores", "joint", "importances")]
    return np.concatenate([np.ravel(values) for values in found if values is not None])


def taken(values, rows):
    return values.iloc[rows] if hasattr(values, "iloc") else values[rows]


@pytest.mark.parametrize("held_out", [False, True])
@pytest.mark.parametrize("function", REFITS)
@pytest.mark.parametrize("container", CONTAINERS)
def test_refits_on_rows_of_their_own(container, function, held_out):
    table, y = (values.copy() for values in CONTAINERS[container])
    weights = WEIGHTS.copy()
    options = {"scoring": scores, "random_state": 0, "sample_weight": weights}
    if held_out:
        test, y_test = taken(table, TEST).copy(), taken(y, TEST).copy()
        options |= {"X_test": test, "y_test": y_test}
    else:
        options["cv"] = [*FOLDS, (np.arange(len(Y)), np.arange(len(Y)))]
    expected = function(Careful(), table, y, **options)
    found = function(Scribbler(), table, y, **options)
    assert np.array_equal(numbers_of(found), numbers_of(expected))
    before, y_before = CONTAINERS[container]
    assert np.array_equal(dense(table), dense(before))
    assert np.array_equal(y, y_before)
    assert np.array_equal(weights, WEIGHTS)
    if held_out:
        assert np.array_equal(dense(test), dense(taken(before, TEST)))
        assert np.array_equal(y_test, taken(y_before, TEST))


# Subgroups need columns to be encoded.
SCORED = [(c, f) for c in CONTAINERS for f in OF_FITTED if (c, f) != ("sparse", OF_FITTED[1])]


@pytest.mark.parametrize(("container", "function"), SCORED)
def test_scores_on_rows_of_their_own(container, function):
    table, y = (values.copy() for values in CONTAINERS[container])
    weights = WEIGHTS.copy()
    options = {"scoring": scores, "random_state": 0, "sample_weight": weights}
    careful, scribbler = Careful().fit(table, y), Scribbler().fit(table.copy(), y.copy())
    expected = function(careful, table, y, **options)
    found = function(scribbler, table, y, **options)
    assert np.array_equal(numbers_of(found), numbers_of(expected))
    assert np.array_equal(dense(table), dense(CONTAINERS[container][0]))
    assert np.array_equal(y, CONTAINERS[container][1])
    assert np.array_equal(weights, WEIGHTS)


def dense(values):
    return values.toarray() if sparse.issparse(values) else np.asarray(values, dtype=np.float64)


@pytest.mark.parametrize("container", ["array", "frame", "frame of an array"])
def test_refits_of_bands_and_nulls_on_rows_of_their_own(container):
    table, y = (values.copy() for values in CONTAINERS[container])
    effect = ale(Careful().fit(table, y), table, 0, K=3)
    options = {"n_boot": 3, "X": table, "y": y, "random_state": 0}
    expected, found = (bootstrap_bands(effect, refit=fit(), **options) for fit in (Careful, Fits))
    assert np.array_equal(found.lower, expected.lower)
    expected, found = (
        random_variable_null(fit(), table, np.ravel(y), n=2, K=3, random_state=0)
        for fit in (Careful, Fits)
    )
    pd.testing.assert_frame_equal(found.statistics, expected.statistics)
    assert np.array_equal(table, CONTAINERS[container][0])
    assert np.array_equal(y, CONTAINERS[container][1])


class Fits(Scribbler):
    """Scribbles in the fit only: a black box gets rows of its own from ALE, too, but not here."""

    def predict(self, X):
        return Careful.predict(self, X)


SPARING = [
    *((function, StandardScaler()) for function in (*REFITS, *OF_FITTED)),
    *((function, SimpleImputer()) for function in (*REFITS, permutation_importance)),
]


@pytest.mark.parametrize(("function", "step"), SPARING)
def test_steps_that_spare_the_copy(function, step):
    table, y = NUMBERS.to_numpy().copy(), Y.to_numpy()
    if isinstance(step, SimpleImputer):
        table[::7, 1] = np.nan
    before = table.copy()
    options = {"scoring": MSE, "random_state": 0}
    found, expected = (
        function(
            make_pipeline(clone(step).set_params(copy=copy), LinearRegression()).fit(
                before.copy(), y
            ),
            table,
            y,
            **options,
        )
        for copy in (False, True)
    )
    assert np.array_equal(numbers_of(found), numbers_of(expected))
    assert np.array_equal(table, before, equal_nan=True)


@pytest.mark.parametrize("columns", [None, [0, 1], [0, 2]])
@pytest.mark.parametrize("rows", [None, np.arange(120), TRAIN, TEST, np.arange(0, 120, 2)])
def test_a_copy_shares_no_memory(rows, columns):
    text = X.assign(words="w", day=pd.Timestamp("2020"), count=pd.array([1] * 120, dtype="Int64"))
    for table in (text, *(table for table, _ in CONTAINERS.values())):
        own = own_rows(table, rows, columns)
        width = table.shape[1] if columns is None else len(columns)
        assert own.shape == (120 if rows is None else len(rows), width)
        if isinstance(table, pd.DataFrame):
            places = range(table.shape[1]) if columns is None else columns
            for at, place in enumerate(places):
                theirs, ours = table.iloc[:, place], own.iloc[:, at]
                assert ours.dtype == theirs.dtype
                assert ours.tolist() == (theirs if rows is None else theirs.iloc[rows]).tolist()
                for one, other in zip(buffers(theirs), buffers(ours), strict=True):
                    assert not np.shares_memory(one, other)
        elif sparse.issparse(table):
            assert not np.shares_memory(table.data, own.data)
        else:
            assert not np.shares_memory(table, own)


def buffers(column):
    """Memory behind a column that can be written to."""
    values = column.array
    if isinstance(column.dtype, pd.CategoricalDtype):
        return [values.codes]
    if hasattr(values, "_mask"):
        return [values._data, values._mask]
    return [values._ndarray] if hasattr(values, "_ndarray") else []
