"""Columns without a value, or without a row that counts, beside columns that have an effect."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, decompose, ice, interaction_strength, m_plot, partial_dependence
from aleplot_py.errors import ConstantFeatureError, FeatureError

N = 20
EMPTY = {
    "float": pd.Series(np.nan, index=range(N)),
    "object": pd.Series([None] * N, dtype=object),
    "Int64": pd.Series([pd.NA] * N, dtype="Int64"),
    "string": pd.Series([None] * N, dtype="string"),
    "time": pd.Series([pd.NaT] * N),
    "category": pd.Series([None] * N, dtype="category"),
    "boolean": pd.Series([pd.NA] * N, dtype="boolean"),
}
ESTIMATORS = [ale, partial_dependence, ice, m_plot]


def table(**more):
    return pd.DataFrame({"x": np.arange(20.0), **more, "z": np.arange(N) % 4})


def f(X):
    return X["x"] + X["z"]


@pytest.mark.parametrize("column", EMPTY.values(), ids=EMPTY)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_all_leaves_a_column_without_a_value_out(estimator, column):
    with pytest.warns(UserWarning, match="left out: no row is left where 'e' is known"):
        found = estimator(f, table(e=column), "all", K=4, missing="drop")
    assert found == estimator(f, table(), "all", K=4)
    with pytest.raises(ConstantFeatureError, match="no row is left where 'e' is known"):
        estimator(f, table(e=column), "e", missing="drop")


@pytest.mark.parametrize("column", EMPTY.values(), ids=EMPTY)
def test_decompositions_leave_it_out_too(column):
    with pytest.warns(UserWarning, match="left out: no row is left where 'e' is known"):
        parts = decompose(f, table(e=column), K=4, missing="drop")
    assert parts == decompose(f, table(), K=4)
    with pytest.warns(UserWarning, match="left out"):
        strength = interaction_strength(f, table(e=column), K=4, missing="drop")
    assert strength == interaction_strength(f, table(), K=4)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_column_known_only_in_rows_of_weight_0(estimator):
    known = np.arange(N) < 5
    X, weights = table(e=np.where(known, np.arange(N), np.nan)), np.where(known, 0.0, 1.0)
    with pytest.warns(UserWarning, match="left out: sample_weight is zero in every row where 'e'"):
        found = estimator(f, X, "all", K=4, missing="drop", sample_weight=weights)
    assert list(found) == ["x", "z"]
    with pytest.raises(ConstantFeatureError, match="zero in every row where 'e' is known"):
        estimator(f, X, "e", K=4, missing="drop", sample_weight=weights)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_column_with_one_value_beside_gaps(estimator):
    X = table(e=[7.0, np.nan] * 10)
    with pytest.warns(UserWarning, match="left out: column 'e' has a single value, 7.0"):
        assert list(estimator(f, X, "all", K=4, missing="drop")) == ["x", "z"]


def test_decompositions_of_rows_of_weight_0():
    known = np.arange(N) < 5
    X, weights = table(e=np.where(known, np.arange(N), np.nan)), np.where(known, 0.0, 1.0)
    options = {"K": 4, "missing": "drop", "sample_weight": weights}
    with pytest.warns(UserWarning, match="left out: "):
        parts = decompose(f, X, **options)
    assert list(parts.mains) == ["x", "z"]
    assert parts.mains == decompose(f, table(), K=4, sample_weight=weights).mains
    with pytest.raises(FeatureError, match="zero in every row where 'x', 'e' are known"):
        decompose(f, X, features=["x", "e"], pairs=None, **options)
