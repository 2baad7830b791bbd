"""Whole numbers beyond 2**53, which doubles round: refused instead of a curve that is a bit off."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, decompose, ice, m_plot, partial_dependence, regional_effects
from aleplot_py.errors import FeatureError, GridError, PredictionError

FIRST = 2**53
COLUMNS = {
    "int64": np.arange(FIRST, FIRST + 11),
    "uint64": np.arange(FIRST, FIRST + 11).astype(np.uint64),
    "beyond int64": np.uint64(2**63 + 1) + np.arange(11).astype(np.uint64),
    "negative": -np.arange(FIRST, FIRST + 11),
    "Int64": pd.array(np.arange(FIRST, FIRST + 11), dtype="Int64"),
    "objects": np.array([FIRST + i for i in range(11)], dtype=object),
    "beyond every integer": np.array([2**70 + i for i in range(11)], dtype=object),
    "Decimal": np.array([Decimal(FIRST + i) for i in range(11)], dtype=object),
}
if np.finfo(np.longdouble).nmant > 52:  # wider than a double
    COLUMNS["long double"] = np.longdouble(FIRST) + np.arange(11)


def first(X):
    return (X.iloc[:, 0] if isinstance(X, pd.DataFrame) else X[:, 0]).astype("float64")


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("estimator", [ale, partial_dependence, ice, m_plot])
def test_a_feature_that_doubles_round_is_refused(estimator, column):
    X = pd.DataFrame({"x": column, "z": np.arange(11.0)})
    with pytest.raises(FeatureError, match=r"'x' has whole numbers that doubles cannot hold|tell"):
        estimator(first, X, "x", K=5)
    estimator(lambda X: X["z"], X, "z", K=5)  # as another column they are the model's business


def test_an_array_of_them_is_refused_and_so_are_parts_of_analyses():
    X = np.column_stack([np.arange(FIRST, FIRST + 11), np.arange(11)])
    for analysis in (
        lambda: ale(first, X, 0),
        lambda: ale(first, X, (0, 1)),
        lambda: decompose(first, X),
        lambda: regional_effects(first, X, 0),
        lambda: ale(first, X, 0, K="auto"),
    ):
        with pytest.raises(FeatureError, match="column 0 has whole numbers"):
            analysis()


def test_large_whole_numbers_that_doubles_hold_keep_their_effect():
    X = pd.DataFrame({"x": FIRST + 2 * np.arange(11)})
    curve = ale(lambda X: X["x"] - FIRST, X, "x", K=5).f_values
    near = ale(lambda X: X["x"], X - FIRST, "x", K=5).f_values
    assert curve.tolist() == near.tolist()


def test_small_whole_numbers_have_the_right_curve():
    X = pd.DataFrame({"x": 2**52 + np.arange(11)})
    curve = ale(lambda X: X["x"], X, "x", K=5).f_values
    np.testing.assert_array_equal(np.round(curve, 2), [-4.64, -2.64, -0.64, 1.36, 3.36, 5.36])


@pytest.mark.parametrize(
    "output",
    [
        lambda x: FIRST + x,
        lambda x: pd.Series(FIRST + x),
        lambda x: pd.array(FIRST + x, dtype="Int64"),
        lambda x: [FIRST + int(i) for i in x],
        lambda x: (FIRST + x).astype(np.uint64),
        lambda x: np.column_stack([FIRST + x]),
    ],
    ids=["int64", "series", "Int64", "list", "uint64", "one column"],
)
def test_predictions_that_doubles_round_are_refused(output):
    X = pd.DataFrame({"x": np.arange(11)})
    for estimator in (ale, partial_dependence, m_plot):
        with pytest.raises(
            PredictionError, match=r"numbers that doubles can hold, got 90071992547"
        ):
            estimator(lambda X: output(X["x"].astype("int64").to_numpy()), X, "x", K=10)


def test_grids_and_values_to_evaluate():
    X = pd.DataFrame({"x": FIRST * 2.0 + 4 * np.arange(11)})
    with pytest.raises(GridError, match="doubles cannot hold, 18014398509481985"):
        ale(first, X, "x", grid=[2 * FIRST, 2 * FIRST + 1, 2 * FIRST + 40])
    effect = ale(first, X, "x", K=5)
    with pytest.raises(ValueError, match="doubles can hold, got 18014398509481985"):
        effect.evaluate([2 * FIRST, 2 * FIRST + 1])
    assert effect.evaluate([2 * FIRST]) == effect.f_values[0]
