"""More inputs on which R fails or is silently wrong: what R does, live, and what this library does.

``test_aleplot_live`` and ``test_iml_live`` have the others; ``PARITY.md`` lists all of them.
"""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, partial_dependence
from validation import bridge, r_effects

# Numbers of hand calculations with at most two digits.
BY_HAND = 1e-14

EFFECTS = {"a": 0.0, "b": 1.0, "c": 4.0}
# Levels with 2, 3 and 5 rows: mean effect 2.3.
CENTRED = {"a": -2.3, "b": -1.3, "c": 1.7}
LEVELS = np.repeat(["a", "b", "c"], [2, 3, 5])


def by_level(X: pd.DataFrame) -> np.ndarray:
    """Black box 0, 1, 4 by level."""
    return np.array([EFFECTS.get(str(level), np.nan) for level in X["level"]])


def frame_of(kind: str) -> pd.DataFrame:
    """Ten rows with a column ``level`` of one kind."""
    levels = pd.Categorical(LEVELS)
    return {
        "factor": pd.DataFrame({"level": levels, "x": np.arange(10.0)}),
        "ordered": pd.DataFrame({"level": levels.as_ordered(), "x": np.arange(10.0)}),
        "text": pd.DataFrame({"level": LEVELS, "x": np.arange(10.0)}),
        "alone": pd.DataFrame({"level": levels}),
        "alike": pd.DataFrame({"level": levels, "x": np.ones(10)}),
    }[kind]


def numbers(n: int = 30) -> pd.DataFrame:
    """Two columns of normal numbers."""
    return pd.DataFrame(np.random.default_rng(4).normal(size=(n, 2)), columns=["x", "z"])


def of_z(X: pd.DataFrame) -> np.ndarray:
    """Black box that ignores the explained column."""
    return X["z"].to_numpy()


def assert_is_centred_by_level(effect) -> None:
    """Check the values of the levels a, b, c in whatever order."""
    values = dict(zip(map(str, effect.x_values[0]), effect.f_values, strict=True))
    assert set(values) == set(CENTRED)
    for level, value in CENTRED.items():
        assert abs(values[level] - value) <= BY_HAND


# --- ALEPlot ----------------------------------------------------------------------------------


@pytest.mark.aleplot_r
@pytest.mark.parametrize("K", [1, 5])
def test_a_category_and_a_single_interval(K):
    """R loses a dimension, whether K or the column leaves one interval; here it is a surface."""
    X = frame_of("factor").assign(x=np.arange(10) % 2.0)

    def product(rows: pd.DataFrame) -> np.ndarray:
        return by_level(rows) * rows["x"].to_numpy()

    with pytest.raises(bridge.RCallError, match=r_effects.FAILS_ON_ONE_INTERVAL):
        r_effects.aleplot(product, X, [0, 1], K)
    result = ale(product, X, ("level", "x"), K=K)
    interaction = np.diff(result.f_values, axis=1)[:, 0]
    effects = np.array([EFFECTS[str(level)] for level in result.x_values[0]])
    np.testing.assert_allclose(np.diff(interaction), np.diff(effects), rtol=0, atol=BY_HAND)


@pytest.mark.aleplot_r
def test_a_single_level():
    """R reports a subscript; here the column is named. PDPlot returns a zero."""
    X = pd.DataFrame({"level": pd.Categorical(["a"] * 6), "z": np.arange(6.0)})
    with pytest.raises(bridge.RCallError, match="subscript out of bounds"):
        r_effects.aleplot(of_z, X, [0], 5)
    assert r_effects.aleplot(of_z, X, [0], 5, "PDPlot").f_values.tolist() == [0.0]
    with pytest.raises(ValueError, match=r"'level'.*'a'"):
        ale(of_z, X, "level")


@pytest.mark.aleplot_r
def test_infinite_values():
    """R lays a grid that ends at infinity and asks the black box there; here they are refused."""
    X = numbers()
    X.loc[0, "x"] = np.inf
    assert np.isinf(r_effects.aleplot(of_z, X, [0], 3).x_values[0][-1])
    with pytest.raises(ValueError, match=r"'x'.*1 infinite"):
        ale(of_z, X, "x", K=3)


@pytest.mark.aleplot_r
def test_a_fractional_k():
    """R takes 2.5 intervals for 3 with probabilities of its own; here K is a whole number."""
    assert r_effects.aleplot(of_z, numbers(), [0], 2.5).K == (3,)
    with pytest.raises((ValueError, TypeError), match=r"K.*2\.5"):
        ale(of_z, numbers(), "x", K=2.5)


@pytest.mark.aleplot_r
@pytest.mark.parametrize("K", [0, -1])
def test_no_intervals(K):
    """R's errors come from seq; here K is named."""
    with pytest.raises(bridge.RCallError, match=r"seq\.default"):
        r_effects.aleplot(of_z, numbers(), [0], K)
    with pytest.raises(ValueError, match=f"K.*{K}"):
        ale(of_z, numbers(), "x", K=K)


@pytest.mark.aleplot_r
@pytest.mark.parametrize(
    ("output", "of_r", "of_ours"),
    [
        (lambda X: np.full(len(X), np.nan), "finite 'ylim'", "30 of 30 predictions are NaN"),
        (lambda X: np.zeros(3), "same length", "returned 3 for 30 rows"),
    ],
)
def test_black_boxes_that_fail(output, of_r, of_ours):
    """R finds out in its graphics or in tapply; here the predictions are checked."""
    with pytest.raises(bridge.RCallError, match=of_r):
        r_effects.aleplot(output, numbers(), [0], 3)
    with pytest.raises(ValueError, match=of_ours):
        ale(output, numbers(), "x", K=3)


@pytest.mark.aleplot_r
def test_the_same_column_twice():
    """R's error is about subscripts."""
    with pytest.raises(bridge.RCallError, match="duplicate subscripts"):
        r_effects.aleplot(of_z, numbers(), [0, 0], 3)
    with pytest.raises(ValueError, match="'x'"):
        ale(of_z, numbers(), ("x", "x"), K=3)


# --- PDPlot -----------------------------------------------------------------------------------


@pytest.mark.aleplot_r
@pytest.mark.parametrize(
    ("kind", "of_r"), [("ordered", "condition has length > 1"), ("text", "object 'x' not found")]
)
def test_partial_dependence_of_categories(kind, of_r):
    """PDPlot knows factors that are not ordered, nothing else."""
    X = frame_of(kind)
    with pytest.raises(bridge.RCallError, match=of_r):
        r_effects.aleplot(by_level, X, [0], 5, "PDPlot")
    assert_is_centred_by_level(partial_dependence(by_level, X, "level", centre="pdplot"))


@pytest.mark.aleplot_r
def test_partial_dependence_of_a_constant():
    """R's error is about breaks; here the column is named."""
    X = numbers().assign(x=5.0)
    with pytest.raises(bridge.RCallError, match="'breaks' are not unique"):
        r_effects.aleplot(of_z, X, [0], 5, "PDPlot")
    with pytest.raises(ValueError, match="'x'"):
        partial_dependence(of_z, X, "x", K=5)


@pytest.mark.aleplot_r
@pytest.mark.parametrize("features", [("level", "group"), ("x", "level")])
def test_partial_dependence_of_pairs_that_r_does_not_know(features):
    """A pair of categories, and a number before a category."""
    X = frame_of("factor").assign(group=pd.Categorical(np.resize(["u", "v"], 10)))
    positions = [X.columns.get_loc(name) for name in features]
    with pytest.raises(bridge.RCallError, match="not meaningful for factors"):
        r_effects.aleplot(by_level, X, positions, 3, "PDPlot")
    result = partial_dependence(by_level, X, features, K=3)
    axis = features.index("level")
    means = result.f_values.mean(axis=1 - axis)
    assert means.tolist() == [EFFECTS[str(level)] for level in result.x_values[axis]]


# --- iml --------------------------------------------------------------------------------------


@pytest.mark.iml_r
def test_iml_and_levels_that_nothing_tells_apart():
    """The package iml returns missing values without a word; here the declared order is kept."""
    X = frame_of("alike")
    table = r_effects.iml_table(by_level, X, [0], 5, "ale")
    assert table[".value"].isna().any()
    assert table["level"].isna().all()
    with pytest.warns(UserWarning, match="no other column tells"):
        assert_is_centred_by_level(ale(by_level, X, "level", grid="iml"))


@pytest.mark.iml_r
@pytest.mark.parametrize(
    ("kind", "of_r", "of_ours"),
    [
        ("alone", "Only 1 feature was provided", "no other column"),
        ("text", "no applicable method for 'droplevels'", None),
    ],
)
def test_iml_and_categories_that_it_cannot_explain(kind, of_r, of_ours):
    """A category that is the only column, and text."""
    X = frame_of(kind)
    with pytest.raises(bridge.RCallError, match=of_r):
        r_effects.iml_table(by_level, X, [0], 5, "ale")
    if of_ours is None:
        result = ale(by_level, X, "level", grid="iml")
    else:
        with pytest.warns(UserWarning, match=of_ours):
            result = ale(by_level, X, "level", grid="iml")
    assert_is_centred_by_level(result)


@pytest.mark.iml_r
def test_iml_and_truth_values():
    """The package iml has no type for them; here they are two levels."""
    X = pd.DataFrame({"b": np.arange(20) < 5, "x": np.arange(20.0) % 7})

    def twice(rows: pd.DataFrame) -> np.ndarray:
        return 2.0 * rows["b"].to_numpy(dtype=np.float64)

    with pytest.raises(bridge.RCallError, match="feature"):
        r_effects.iml_table(twice, X, [0], 5, "ale")
    assert sorted(ale(twice, X, "b", grid="iml").f_values.tolist()) == [-0.5, 1.5]


@pytest.mark.iml_r
def test_iml_and_two_categories():
    """Not implemented there; an extension here."""
    X = frame_of("factor").assign(group=pd.Categorical(np.resize(["u", "v"], 10)))
    with pytest.raises(bridge.RCallError, match="not yet implemented"):
        r_effects.iml_table(by_level, X, [0, 2], 5, "ale")
    np.testing.assert_allclose(
        ale(by_level, X, ("level", "group"), grid="iml").f_values, 0, rtol=0, atol=BY_HAND
    )


@pytest.mark.iml_r
def test_iml_and_missing_values():
    """The package iml leaves the rows out without a word; here that is asked for."""
    X = pd.DataFrame({"x": [*map(float, range(1, 10)), np.nan], "z": np.arange(10.0)})

    def of_x(rows: pd.DataFrame) -> np.ndarray:
        return rows["x"].fillna(0.0).to_numpy()

    table = r_effects.iml_table(of_x, X, [0], 4, "ale")
    assert table["x"].max() == 9.0
    with pytest.raises(ValueError, match=r"'x'.*1 missing"):
        ale(of_x, X, "x", K=4, grid="iml")
    dropped = ale(of_x, X, "x", K=4, missing="drop")
    assert dropped.x_values[0].tolist() == [1.0, 3.0, 5.0, 7.0, 9.0]
    expected = np.array([-33, -15, 3, 21, 39]) / 9
    np.testing.assert_allclose(dropped.f_values, expected, rtol=0, atol=BY_HAND)


@pytest.mark.iml_r
def test_iml_and_another_category_with_a_single_level():
    """The package iml loses a dimension of its table of frequencies; here it has no weight."""
    X = frame_of("factor").assign(group=pd.Categorical(["u"] * 10))
    with pytest.raises(bridge.RCallError, match="at least two dimensions"):
        r_effects.iml_table(by_level, X, [0], 5, "ale")
    assert_is_centred_by_level(ale(by_level, X, "level", grid="iml"))


@pytest.mark.iml_r
def test_iml_and_a_constant_column_of_a_pair():
    """The package iml computes a partial dependence on one line of points; here it is refused."""
    X = numbers().assign(x=5.0)
    table = r_effects.iml_table(of_z, X, [0, 1], 4, "pdp")
    assert set(table["x"]) == {5.0}
    with pytest.raises(ValueError, match="'x' has a single value"):
        partial_dependence(of_z, X, ("x", "z"), K=4, grid="iml")


# --- what depends on the direction of the levels ----------------------------------------------


@pytest.mark.aleplot_r
def test_a_tie_between_cells_depends_on_the_direction_of_the_levels():
    """The random search found it: R's surface is that of its own direction, which is arbitrary.

    Given R's order this library has R's values; given the reverse, the other of two equally near
    cells fills the empty one.
    """
    X = pd.DataFrame(
        {
            "x2": [0.6, 0.1, -0.7, -0.3, -1.2, 0.8, 0.2],
            "x3": [-1.4, 0.1, -0.6, 0.8, 0.9, 0.5, 0.6],
            "c": pd.Categorical.from_codes([5, 4, 3, 1, 0, 2, 4], list("abcdef")),
            "g": pd.Categorical.from_codes([2, 0, 1, 1, 2, 1, 1], ["low", "mid", "high"]),
        }
    )

    def product(rows: pd.DataFrame) -> np.ndarray:
        return 6.25 * (rows["c"].cat.codes * rows["x2"]).to_numpy()

    expected = r_effects.aleplot(product, X, [2, 0], 2)
    order = list(expected.x_values[0])
    same = ale(product, X, ("c", "x2"), K=2, order={"c": order})
    scale = np.abs(expected.f_values).max()
    assert np.abs(same.f_values - expected.f_values).max() < 1e-14 * scale
    turned = ale(product, X, ("c", "x2"), K=2, order={"c": order[::-1]})
    assert same.empty.sum() == turned.empty.sum() == 1
    assert np.abs(turned.f_values[::-1] - expected.f_values).max() > 0.2 * scale
