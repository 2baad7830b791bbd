"""Effects of levels: centring, declared orders, text and truth values, odd columns beside."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale
from tests.small_inputs import column

# Sums of a few small numbers: rounding only.
EXACT = 1e-12
EFFECTS = {"a": 0.0, "b": 1.0, "c": 4.0}
CENTRED = {"a": -2.3, "b": -1.3, "c": 1.7}


def abc(**options):
    """A column with a, b, c at counts 2, 3, 5."""
    return pd.Categorical(list("aabbbccccc"), **options)


def effect_of_level(X):
    return np.array([EFFECTS[str(level)] for level in X["c"]])


def by_level(effect):
    return dict(zip(effect.x_values[0].tolist(), effect.f_values.tolist(), strict=True))


def check_levels(effect, values, tolerance=EXACT):
    found = by_level(effect)
    assert set(found) == set(values)
    for level, value in values.items():
        assert abs(found[level] - value) <= tolerance


def test_a_zero_one_column_as_a_category():
    X = column(np.r_[np.zeros(30), np.ones(20)])
    effect = ale(lambda X: 2 * X["x"], X, "x", categorical="x", order=[0, 1])
    assert effect.kinds == ("categorical",)
    check_levels(effect, {0: -0.8, 1: 1.2})


def test_categorical_centring():
    X = pd.DataFrame({"c": abc(), "z": np.arange(10.0)})
    effect = ale(effect_of_level, X, "c")
    check_levels(effect, CENTRED)
    assert abs(effect.counts @ effect.f_values) <= EXACT
    assert effect.counts.sum() == 10


@pytest.mark.parametrize("declared", ["cab", "abc", "bca"])
def test_ordered_category_keeps_its_order(declared):
    X = pd.DataFrame({"c": abc(categories=list(declared), ordered=True), "z": np.arange(10.0)})
    effect = ale(effect_of_level, X, "c")
    assert effect.x_values[0].tolist() == list(declared)
    check_levels(effect, CENTRED)


def test_types_of_other_columns_never_decide():
    n = 10
    others = {
        "ordered": abc(ordered=True),
        "unordered": abc(categories=list("xcba")),
        "flag": np.arange(n) % 3 == 0,
        "maybe": pd.array([None, 1] * 5, "Int64"),
        "maybe_flag": pd.array([None, True] * 5, "boolean"),
        "when": pd.date_range("2020-01-01", periods=n),
        "lag": pd.to_timedelta(np.arange(n), unit="h"),
        "text": list("qwertyuiop"),
        "mixed": [1, "a", None, 2.5, "b"] * 2,
        "holes": [np.nan, 1.0] * 5,
        "infinite": [np.inf, 1.0] * 5,
        "nothing": [None] * n,
        "lists": [[i] for i in range(n)],
        "complex": np.arange(n) * 1j,
        "bins": pd.cut(np.arange(n), 3),
    }
    for name, values in others.items():
        X = pd.DataFrame({"c": abc(), "z": np.arange(n) % 4.0, name: values})
        check_levels(ale(effect_of_level, X, "c"), CENTRED)


def test_a_categorical_column_alone():
    X = pd.DataFrame({"c": abc(categories=list("cab"))})
    with pytest.warns(UserWarning, match="column 'c': there is no other column, so its levels"):
        effect = ale(effect_of_level, X, "c")
    assert effect.x_values[0].tolist() == list("cab")
    check_levels(effect, CENTRED)


def sexes():
    rng = np.random.default_rng(1)
    sex = pd.Categorical(rng.choice(["female", "male"], 40), categories=["male", "female"])
    return pd.DataFrame({"sex": sex, "z": rng.normal(size=40), "w": rng.normal(size=40)})


def interacting(X):
    return (X["sex"] == "female") * (1 + X["z"]) + X["w"]


def test_declared_order_is_kept():
    effect = ale(interacting, sexes(), "sex", order="declared")
    assert effect.x_values[0].tolist() == ["male", "female"]
    levels = effect.to_frame()["sex"]
    assert levels.cat.ordered
    assert levels.cat.categories.tolist() == ["male", "female"]


def test_reversed_order_and_shuffled_rows_change_nothing():
    X = sexes()
    right = by_level(ale(interacting, X, "sex"))
    for order in (["male", "female"], ["female", "male"]):
        check_levels(ale(interacting, X, "sex", order=order), right)
    check_levels(ale(interacting, X.sample(frac=1, random_state=3), "sex"), right)


def test_booleans_are_levels():
    X = pd.DataFrame({"b": [True] * 5 + [False] * 15, "z": np.arange(20.0)})
    check_levels(ale(lambda X: 2.0 * X["b"], X, "b"), {False: -0.5, True: 1.5})


@pytest.mark.parametrize("dtype", ["object", "string", "str"])
def test_text_is_levels(dtype):
    X = pd.DataFrame({"c": pd.Series(list("aabbbccccc"), dtype=dtype), "z": np.arange(10.0)})
    check_levels(ale(effect_of_level, X, "c"), CENTRED)
