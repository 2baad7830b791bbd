"""One effect for each group of rows, on common points; one-hot columns as one feature."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from aleplot_py import ale, ice, load, m_plot, partial_dependence, permutation_importance
from aleplot_py.errors import FeatureError
from aleplot_py.inputs.one_hot import BASE

N = 80
RNG = np.random.default_rng(3)
X = pd.DataFrame(
    {
        "x": RNG.normal(size=N),
        "z": RNG.normal(size=N),
        "c": RNG.choice(list("pqr"), N),
        "region": RNG.choice(["north", "south", "west"], N),
    }
)
COLOUR = RNG.choice(["red", "blue", "none"], N)
ONE_HOT = X.drop(columns="region").assign(
    red=(COLOUR == "red").astype("int8"), blue=COLOUR == "blue"
)
COLUMNS = {"colour": ["red", "blue"]}
WEIGHTS = RNG.uniform(size=N)


def predict(frame):
    slope = np.where(frame["region"] == "north", 3.0, -1.0) if "region" in frame else 1.0
    return slope * frame["x"] + frame["x"] * frame["z"] + (frame["c"] == "q") * frame["z"]


def coloured(frame):
    return predict(frame) + 2.0 * frame["red"] * frame["z"] - 5 * frame["blue"]


def test_an_effect_of_a_group_is_that_of_its_rows_on_the_points_of_all():
    whole = ale(predict, X, "x", K=6)
    effects = ale(predict, X, "x", K=6, groups="region", sample_weight=WEIGHTS)
    assert list(effects) == ["north", "south", "west"]
    assert effects.by == ("group",)
    for name, effect in effects.items():
        rows = X["region"] == name
        assert effect.group == name
        np.testing.assert_array_equal(effect.x_values[0], whole.x_values[0])
        how = {"grid": whole.x_values[0], "sample_weight": WEIGHTS[rows]}
        alone = ale(predict, X[rows], "x", **how)
        for field in ("f_values", "counts", "local_mean", "local_std", "constant"):
            np.testing.assert_array_equal(getattr(effect, field), getattr(alone, field))
        assert effect.mean_prediction == alone.mean_prediction
    # Two lines of the model's own slopes, whatever the grid.
    lines = ale(lambda f: np.where(f["region"] == "north", 3, -1) * f["x"], X, "x", groups="region")
    slopes = [np.diff(e.f_values) / np.diff(e.x_values[0]) for e in lines.values()]
    np.testing.assert_allclose(slopes[0], 3, rtol=1e-9)  # rounding of differences of points
    np.testing.assert_allclose(slopes[1:], -1, rtol=1e-9)


@pytest.mark.parametrize("door", [partial_dependence, ice, m_plot])
@pytest.mark.parametrize("feature", ["x", "c", ("x", "z"), ("c", "x")])
def test_groups_at_the_other_doors(door, feature):
    options = {} if door is m_plot else {"centre": "pdplot"}
    effects = door(predict, X, feature, K=5, groups=X["region"], **options)
    names = [feature] if isinstance(feature, str) else feature
    points = dict(zip(names, effects["west"].x_values, strict=True))
    grid = {name: points[name] for name in names if name != "c"}
    alone = door(predict, X[X["region"] == "west"], feature, grid=grid, **options)
    np.testing.assert_array_equal(effects["west"].f_values, alone.f_values)
    np.testing.assert_array_equal(effects["west"].counts, alone.counts)


def test_every_row_is_predicted_as_often_as_without_groups():
    sizes = []

    def counting(frame):
        sizes.append(len(frame))
        return predict(frame)

    ale(counting, X, "x", K=6, groups="region")
    assert sum(sizes) == 2 * N
    slopes = []
    ale(
        predict,
        X,
        ["x", "z"],
        groups="region",
        gradient=lambda frame: (slopes.append(len(frame)), frame[["x", "z"]])[1],
    )
    assert sum(slopes) == N


def test_groups_features_and_outputs_together(tmp_path):
    def both(frame):
        return np.stack([predict(frame), -predict(frame)], axis=1)

    effects = ale(both, X, ["x", "c"], target="all", groups="region", K=4)
    assert effects.by == ("feature", "group", "target")
    assert list(effects)[:3] == [("x", "north", 0), ("x", "north", 1), ("x", "south", 0)]
    alone = ale(predict, X, "c", groups="region")["west"]
    np.testing.assert_array_equal(effects["c", "west", 0].f_values, alone.f_values)
    assert list(effects.to_frame().columns[:3]) == ["group", "target", "feature"]
    effects.save(tmp_path / "effects.json")
    assert load(tmp_path / "effects.json") == effects


@pytest.mark.parametrize(
    "groups",
    [
        "region",
        3,
        X["region"].to_numpy(),
        X["region"].tolist(),
        X["region"].set_axis(range(7, 7 + N)),
        pd.Index(X["region"]),
        pd.Categorical(X["region"]),
        X["region"].astype("string").array,
    ],
    ids=lambda groups: type(groups).__name__,
)
def test_groups_of_any_kind(groups):
    assert ale(predict, X, "x", K=4, groups=groups) == ale(predict, X, "x", K=4, groups="region")


def test_a_declared_order_of_groups_is_kept_and_all_leaves_their_column_out():
    ordered = X.assign(region=pd.Categorical(X["region"], ["west", "south", "east", "north"]))
    effects = ale(predict, ordered, "all", K=3, groups="region")
    assert list(effects)[:3] == [("x", "west"), ("x", "south"), ("x", "north")]
    assert {key[0] for key in effects} == {"x", "z", "c"}


def test_rows_without_a_group():
    holes = X.assign(region=X["region"].where(np.arange(N) > 4))
    with pytest.raises(FeatureError, match=r"groups has 5 missing label.*missing='drop'"):
        ale(predict, holes, "x", groups="region")
    effects = ale(predict, holes, "x", K=4, groups="region", missing="drop")
    alone = ale(predict, X[5:], "x", K=4, groups="region")
    for name in alone:
        np.testing.assert_array_equal(effects[name].f_values, alone[name].f_values)


NORTH = X["region"] == "north"
REFUSED = {
    "unknown": ({"groups": "regoin"}, "'regoin' is not a column of X: nearest .* 'region'"),
    "length": ({"groups": ["a", "b"]}, r"groups must have one label per row, \(80,\), got \(2,\)"),
    "table": ({"groups": X[["x", "region"]]}, r"one label per row, \(80,\), got \(80, 2\)"),
    "matrix": ({"groups": np.ones((N, 2))}, r"one label per row, \(80,\), got \(80, 2\)"),
    "feature": ({"features": "region"}, "groups names column 'region', which has one value in"),
    "auto": ({"K": "auto"}, "K='auto' chooses intervals for all rows of column 'x', not for"),
    "weights": (
        {"sample_weight": np.where(NORTH, 0.0, 1.0)},
        "sample_weight is zero in every row of group 'north' where 'x' is known",
    ),
    "values": (
        {"X": X.assign(x=X["x"].mask(NORTH)), "missing": "drop"},
        "no row of group 'north' is left where 'x' is known",
    ),
}


@pytest.mark.parametrize(("changed", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_group(changed, message):
    with pytest.raises(ValueError, match=message):
        ale(**({"predict": predict, "X": X, "features": "x", "groups": "region"} | changed))


# --- one-hot columns --------------------------------------------------------------------------


def as_category(frame):
    """The same black box on one column."""
    return predict(frame) + np.where(
        frame["colour"] == "red", 2.0 * frame["z"], np.where(frame["colour"] == "blue", -5.0, 0.0)
    )


@pytest.mark.parametrize("door", [ale, partial_dependence, ice, m_plot])
def test_one_hot_columns_are_the_category_behind_them(door):
    levels = pd.Categorical(np.where(COLOUR == "none", BASE, COLOUR), [BASE, "red", "blue"])
    plain = X.drop(columns="region").assign(colour=levels)
    effects = door(coloured, ONE_HOT, COLUMNS)
    assert list(effects) == ["colour"]
    assert effects["colour"] == door(as_category, plain, "colour")
    assert effects["colour"].kinds == ("categorical",)


def test_the_black_box_gets_the_columns_it_knows():
    seen = []

    def looking(frame):
        seen.append(frame)
        return coloured(frame)

    ale(looking, ONE_HOT, COLUMNS, order=["red", BASE, "blue"])
    for frame in seen:
        assert list(frame.columns) == list(ONE_HOT.columns)
        assert frame.dtypes.equals(ONE_HOT.dtypes)
        assert (frame["red"].astype(int) + frame["blue"] <= 1).all()
    base, red = (frame[["red", "blue"]].mean().tolist() for frame in seen[:2])
    assert {max(base), max(red)} <= {0.0, 1.0} or len(seen) == 3
    array = ONE_HOT.drop(columns="c").to_numpy(dtype=np.float32)
    of_array = ale(
        lambda a: (assert_float32(a), a[:, 2] * a[:, 1] - 2 * a[:, 3])[1], array, {"colour": [2, 3]}
    )
    assert set(of_array["colour"].x_values[0]) == {BASE, 2, 3}


def assert_float32(array):
    assert isinstance(array, np.ndarray)
    assert array.dtype == np.float32


def test_without_a_base_level_and_beside_plain_columns():
    full = ONE_HOT.assign(none=(COLOUR == "none").astype(float))
    columns = {"colour": ["none", "red", "blue"], "x": ["x"], "c": ["c"]}
    effects = ale(coloured, full, columns, K=4, groups=X["region"], target=None)
    assert {key[0] for key in effects} == {"colour", "x", "c"}
    assert set(effects["colour", "west"].x_values[0]) == {"none", "red", "blue"}
    together = ale(coloured, full, columns, K=4)
    assert together["x"] == ale(coloured, full, "x", K=4)


WRONG = {
    "two ones": (
        {"red": 1},
        COLUMNS,
        r"at most one 1 in a row, got 2 in row \d+ \(counted from 0\): 'red' and 'blue'",
    ),
    "other numbers": ({"red": 2}, COLUMNS, "'red' of 'colour' must hold 0 and 1 only, got 2"),
    "missing": ({"red": np.nan}, COLUMNS, "'red' of 'colour' must hold 0 and 1 only, got nan"),
    "missing object": (
        {"red": pd.Series([pd.NA, True] * (N // 2), dtype=object)},
        COLUMNS,
        "'red' of 'colour' must hold 0 and 1 only, got <NA>",
    ),
    "text": ({"red": "1"}, COLUMNS, "'red' of 'colour' must hold 0 and 1 only, got '1'"),
    "taken": ({}, {"c": ["red", "blue"]}, "one-hot columns of 'c', but X has a column of that"),
    "twice": ({}, {"a": ["red"], "b": ["red"]}, "'red' is in 'a' and in 'b'"),
    "none": ({}, {"a": []}, "one-hot columns of 'a', got none"),
    "empty": ({}, {}, "features must name at least one column, got an empty mapping"),
    "unknown": ({}, {"colour": ["rde", "blue"]}, "'rde' is not a column of X: nearest .* 'red'"),
}


@pytest.mark.parametrize(("changed", "columns", "message"), WRONG.values(), ids=WRONG)
def test_what_is_not_one_hot(changed, columns, message):
    for door in (ale, partial_dependence):
        with pytest.raises(FeatureError, match=message):
            door(coloured, ONE_HOT.assign(**changed), columns)


class Fitted(BaseEstimator):
    """A model that refuses rows with two colours."""

    def fit(self, frame, y):
        return self

    def predict(self, frame):
        assert (frame["red"].astype(int) + frame["blue"] <= 1).all()
        return coloured(frame)


def test_importances_permute_one_hot_columns_together():
    y = coloured(ONE_HOT)
    result = permutation_importance(
        Fitted(), ONE_HOT, y, scoring="neg_mean_squared_error", features=COLUMNS, random_state=1
    )
    assert result.features == ("colour",)
    assert result.mean[0] > 0
