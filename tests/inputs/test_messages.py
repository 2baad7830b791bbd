"""Messages: long lists shortened, the argument named."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, bootstrap_bands, partial_dependence, total_effect
from aleplot_py.errors import FeatureError, PredictionError


def test_long_lists_are_shortened():
    X = pd.DataFrame({"x": np.arange(300.0), "c": [f"L{i:03}" for i in range(300)]})
    with pytest.raises(PredictionError, match=r"19, \.\.\.\] \(300 in all\) with target="):
        ale(lambda X: X["x"].to_numpy()[None, :], X, "x")
    effect = partial_dependence(lambda X: X["x"], X, "c")
    with pytest.raises(ValueError, match=r"'L019', \.\.\.\] \(300 in all\)$"):
        effect.evaluate(["M"])


def test_a_table_in_place_of_a_name():
    X = pd.DataFrame({"x": [0.0, 1, 2], "z": [0.0, 1, 2]})
    with pytest.raises(FeatureError, match=r"the name of a column of X, got a DataFrame$"):
        ale(lambda X: X["x"], X, X[["x"]])


def test_a_centre_that_is_no_time():
    X = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=4)})
    with pytest.raises(ValueError, match=r"^centre must be .* time of column 'day' .*'2024-99-01'"):
        partial_dependence(lambda X: np.zeros(len(X)), X, "day", centre="2024-99-01")


def test_rows_of_a_group_are_asked_for():
    X = pd.DataFrame({"x": np.arange(6.0), "g": list("aabbbb")})
    by_group = ale(lambda X: X["x"], X, "x", K=2, groups="g")
    with pytest.raises(ValueError, match=r"the 4 rows of the effect \(those of group 'b', .*got 6"):
        bootstrap_bands(by_group["b"], X=X, predict=lambda X: X["x"], grid="redrawn")


def test_an_order_that_is_no_list():
    X = pd.DataFrame({"c": list("aab")})
    with pytest.raises(TypeError, match="order of column 'c' must be a list of its levels"):
        ale(lambda X: np.zeros(len(X)), X, "c", order=5)


def test_evaluate_needs_the_columns():
    X = pd.DataFrame({"x": [0.0, 1, 2], "z": [0.0, 1, 2]})
    with pytest.raises(ValueError, match="evaluate needs column 'x', which the frame has not"):
        ale(lambda X: X["x"], X, "x").evaluate(X[["z"]])


def test_evaluate_leaves_nothing_out_that_is_given():
    X = pd.DataFrame(np.arange(30.0).reshape(10, 3) ** 2 % 7, columns=["x", "z", "w"])
    pair, triple = (
        ale(lambda X: X["x"] * X["z"], X, names, K=2) for names in (("x", "z"), tuple("xzw"))
    )
    with pytest.raises(ValueError, match=r"evaluate needs a frame, or an array .*: got both"):
        pair.evaluate(X, X["z"])
    with pytest.raises(ValueError, match="the values of the second feature, got x2=None"):
        pair.evaluate(X["x"], None, X["z"])
    with pytest.raises(ValueError, match=r"one array for each of .*, got 2"):
        triple.evaluate(X["x"], X["z"])


def test_a_total_effect_is_of_ale_and_made_once():
    X = pd.DataFrame({"x": [0.0, 1, 2], "z": [1.0, 0, 2]})

    def f(X):
        return X["x"] * X["z"]

    pair, one, two = (ale(f, X, features) for features in (("x", "z"), "x", "z"))
    with pytest.raises(TypeError, match="first must be an AleResult, got PartialDependenceResult"):
        total_effect(pair, partial_dependence(f, X, "x"), two)
    with pytest.raises(ValueError, match="pair is a total effect already"):
        total_effect(total_effect(pair, one, two), one, two)
