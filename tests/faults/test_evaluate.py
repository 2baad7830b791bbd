"""``evaluate`` takes one value per row; other shapes and values are refused by name."""

import datetime

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, m_plot, partial_dependence

X = pd.DataFrame(
    {
        "x": np.arange(20.0),
        "z": np.arange(20) % 3,
        "g": list("uvwx") * 5,
        "d": [datetime.date(2020, 1 + i % 4, 1) for i in range(20)],
        "pair": [("a", i % 3) for i in range(20)],
    }
)


def f(X):
    return X["x"].to_numpy() * X["z"].to_numpy()


NUMERIC = [estimator(f, X, "x", K=4) for estimator in (ale, partial_dependence, m_plot)]
LEVELS = [estimator(f, X, "g", K=4) for estimator in (ale, partial_dependence, m_plot)]
PAIR = ale(f, X, ("x", "z"), K=4)


@pytest.mark.parametrize("effect", NUMERIC, ids=lambda e: e.name)
@pytest.mark.parametrize(
    "values",
    [
        np.ones((3, 2)),
        np.ones((3, 1)),
        np.ones((1, 3)),
        np.ones((2, 2, 2)),
        [[1, 2], [3, 4]],
        [[1.0], [2.0]],
        np.ones((3, 2), dtype=object),
    ],
)
def test_numbers_of_two_dimensions(effect, values):
    with pytest.raises(ValueError, match=r"values of 'x' must be of one dimension, got shape \("):
        effect.evaluate(values)


@pytest.mark.parametrize("effect", LEVELS, ids=lambda e: e.name)
@pytest.mark.parametrize(
    "values",
    [[["u", "v"]], np.array([["u", "v"]]), [["u"], ["v"]], np.array([["u"]], dtype=object)],
)
def test_levels_of_two_dimensions(effect, values):
    with pytest.raises(ValueError, match=r"values of 'g' must be of one dimension, got shape \("):
        effect.evaluate(values)


@pytest.mark.parametrize(
    ("x", "z", "name"), [(np.ones((2, 2)), [0, 1], "x"), ([0, 1], np.ones((2, 2)), "z")]
)
def test_pairs(x, z, name):
    with pytest.raises(ValueError, match=f"values of '{name}' must be of one dimension"):
        PAIR.evaluate(x, z)
    with pytest.raises(ValueError, match="one array for each"):
        PAIR.evaluate(np.ones((3, 2)))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["u", {"v"}], r"\{'v'\} is not a level of 'g'"),
        ([5], "5 is not a level of 'g'"),
        ([("u",)], r"\('u',\) is not a level of 'g'"),
        (np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")]), "is not a level of 'g'"),
    ],
)
def test_values_that_are_no_levels(values, message):
    for effect in LEVELS:
        with pytest.raises(ValueError, match=message):
            effect.evaluate(values)


def test_values_that_are_no_numbers():
    fields = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")])
    for values in ([["u", "v"]], ["u"], [1, "a"], fields, [None, "a"], X["d"]):
        with pytest.raises(ValueError, match="values of 'x' must be numbers"):
            NUMERIC[0].evaluate(values)


def test_single_values_lists_and_series_stay():
    for effect in NUMERIC:
        first = effect.f_values[0]
        for values in (0, 0.0, [0], np.array([0]), pd.Series([0]), pd.array([0], dtype="Int64")):
            assert effect.evaluate(values).tolist() == [first]
        assert np.isnan(effect.evaluate([None, np.nan])).all()
    for effect in LEVELS:
        level, value = effect.x_values[0][1], effect.f_values[1]
        for values in (level, [level], np.array([level]), pd.Series([level], dtype="category")):
            assert effect.evaluate(values).tolist() == [value]
        assert np.isnan(effect.evaluate([level, None, pd.NA])).tolist() == [False, True, True]


def test_levels_that_are_tuples_or_times():
    effect = partial_dependence(f, X, "pair")
    levels = list(effect.x_values[0])
    assert effect.evaluate(levels).tolist() == effect.f_values.tolist()
    assert effect.evaluate(X["pair"]).shape == (20,)
    dates = partial_dependence(f, X, "d")
    assert dates.evaluate(dates.x_values[0]).tolist() == dates.f_values.tolist()
    stamps = partial_dependence(f, X.assign(d=pd.to_datetime(X["d"])), "d", categorical="d")
    raw = pd.to_datetime(X["d"]).to_numpy()
    assert stamps.evaluate(raw).tolist() == dates.evaluate(X["d"]).tolist()
