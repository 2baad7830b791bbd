"""R's ALEPlot and PDPlot running live on the same black boxes as this library, case by case."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, partial_dependence
from validation import bridge
from validation.agreement import in_order, texts
from validation.r_effects import FAILS_ON_ONE_INTERVAL
from validation.search.random_cases import KINDS, draw
from validation.tests.live import assert_equal

pytestmark = pytest.mark.aleplot_r

# Every kind of data comes up four times; what counts as equal stands in validation.agreement.
CASES = range(0, 144, 4)


@pytest.mark.parametrize("number", CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_ale_equals_aleplot(record_parity, kind, number):
    """Grid, effective K and order of levels equal, values within rounding."""
    assert_equal(record_parity, "ALEPlot", draw(2, number, kind))


@pytest.mark.parametrize("number", CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_partial_dependence_equals_pdplot(record_parity, kind, number):
    """Grid and levels equal, values within rounding."""
    assert_equal(record_parity, "PDPlot", draw(2, number, kind))


# --- where R fails and this library does not --------------------------------------------------

LEVEL_EFFECTS = np.array([0.0, 1.0, 4.0])
# Levels with 2, 3 and 5 rows: mean effect 2.3.
CENTRED_LEVELS = LEVEL_EFFECTS - 2.3
LEVELS = np.repeat(["a", "b", "c"], [2, 3, 5])
# Numbers of hand calculations with at most two digits.
BY_HAND = 1e-14


def by_level(rows: pd.DataFrame) -> np.ndarray:
    """Black box 0, 1, 4 by level."""
    return LEVEL_EFFECTS[["abc".index(str(level)) for level in rows["level"]]]


def frame_of_levels(kind: str) -> pd.DataFrame:
    """Ten rows that R cannot explain.

    Parameters
    ----------
    kind : str
        Which rows.

    Returns
    -------
    DataFrame of shape (10, 1) or (10, 2)
        With a column ``level``.
    """
    factor = pd.Categorical(LEVELS)
    return {
        "ordered": pd.DataFrame({"level": factor.as_ordered(), "x": np.arange(10.0)}),
        "text": pd.DataFrame({"level": LEVELS, "x": np.arange(10.0)}),
        "alone": pd.DataFrame({"level": factor}),
        "alike": pd.DataFrame({"level": factor, "x": np.ones(10)}),
    }[kind]


@pytest.mark.parametrize(
    ("kind", "of_r", "of_ours"),
    [
        ("ordered", "condition has length > 1", None),
        ("text", "object 'x' not found", None),
        ("alone", "missing values are not allowed", "no other column"),
        ("alike", "missing values are not allowed", "no other column tells"),
    ],
)
def test_categories_that_r_cannot_explain(kind, of_r, of_ours):
    """Ordered factors, text, a category alone, levels that nothing tells apart."""
    rows = frame_of_levels(kind)
    with (
        pytest.raises(bridge.RCallError, match=of_r),
        bridge.lend_to_r(by_level, rows) as lent,
    ):
        bridge.call("ALEPlot::ALEPlot", rows, None, lent, 1, 5)
    if of_ours is None:
        result = ale(by_level, rows, "level")
    else:
        with pytest.warns(UserWarning, match=of_ours):
            result = ale(by_level, rows, "level")
    values = in_order(result.f_values, 0, texts(result.x_values[0]), ["a", "b", "c"])
    np.testing.assert_allclose(values, CENTRED_LEVELS, rtol=0, atol=BY_HAND)


def test_an_ordered_column_beside_the_explained_one():
    """It decides nothing here; R's ALEPlot cannot take its class for one word."""
    rows = pd.DataFrame({"level": pd.Categorical(LEVELS), "rank": pd.Categorical(LEVELS[::-1])})
    rows["rank"] = rows["rank"].cat.as_ordered()
    with (
        pytest.raises(bridge.RCallError, match="condition has length > 1"),
        bridge.lend_to_r(by_level, rows) as lent,
    ):
        bridge.call("ALEPlot::ALEPlot", rows, None, lent, 1, 5)
    result = ale(by_level, rows, "level")
    values = in_order(result.f_values, 0, texts(result.x_values[0]), ["a", "b", "c"])
    np.testing.assert_allclose(values, CENTRED_LEVELS, rtol=0, atol=BY_HAND)


def test_truth_values():
    """R knows no logical column; here it is a category of two levels."""
    rows = pd.DataFrame({"b": np.arange(20) < 5, "x": np.arange(20.0) % 7})

    def twice(d: pd.DataFrame) -> np.ndarray:
        return 2.0 * d["b"].to_numpy(dtype=np.float64)

    for function in ("ALEPlot", "PDPlot"):
        with (
            pytest.raises(bridge.RCallError, match="object 'x' not found"),
            bridge.lend_to_r(twice, rows) as lent,
        ):
            bridge.call(f"ALEPlot::{function}", rows, None, lent, 1, 5)
    result = ale(twice, rows, "b")
    values = dict(zip(texts(result.x_values[0]), result.f_values.tolist(), strict=True))
    assert values == {"False": -0.5, "True": 1.5}


@pytest.mark.parametrize(
    ("values", "of_r", "of_ours"),
    [
        ([5.0, 5.0, 5.0, 5.0], "lengths differ", "'x'"),
        ([1.0, 2.0, np.nan, 4.0], "missing values", "'x'.*1"),
    ],
)
def test_columns_that_nobody_can_explain(values, of_r, of_ours):
    """Constant or missing values: R's error comes from inside, ours names the column."""
    rows = pd.DataFrame({"x": values, "z": [1.0, 2.0, 3.0, 4.0]})

    def of_the_other(d: pd.DataFrame) -> np.ndarray:
        return d["z"].to_numpy()

    with (
        pytest.raises(bridge.RCallError, match=of_r),
        bridge.lend_to_r(of_the_other, rows) as lent,
    ):
        bridge.call("ALEPlot::ALEPlot", rows, None, lent, 1, 5)
    with pytest.raises(ValueError, match=of_ours):
        ale(of_the_other, rows, "x")


@pytest.mark.parametrize("binary", ["x", "z"])
def test_a_pair_with_a_single_interval(binary):
    """R loses a dimension of its matrix; here the surface is exact."""
    rng = np.random.default_rng(1)
    rows = pd.DataFrame(rng.uniform(size=(40, 2)), columns=["x", "z"])
    rows[binary] = np.arange(40) % 2.0

    def product(d: pd.DataFrame) -> np.ndarray:
        return (d["x"] * d["z"]).to_numpy()

    with (
        pytest.raises(bridge.RCallError, match=FAILS_ON_ONE_INTERVAL),
        bridge.lend_to_r(product, rows) as lent,
    ):
        bridge.call("ALEPlot::ALEPlot", rows, None, lent, [1, 2], 5)
    result = ale(product, rows, ("x", "z"), K=5)
    interaction = np.diff(np.diff(result.f_values, axis=0), axis=1)
    cells = np.outer(*(np.diff(values) for values in result.x_values))
    np.testing.assert_allclose(interaction, cells, rtol=0, atol=BY_HAND)


@pytest.mark.parametrize("J", [[1, 2], [3, 1]])
def test_pairs_that_r_does_not_know(J):
    """Two categories, and a number before a category: both are surfaces here."""
    rows = pd.DataFrame(
        {
            "level": pd.Categorical(np.resize(["a", "b", "c"], 24)),
            "group": pd.Categorical(np.repeat(["u", "v"], 12)),
            "z": np.arange(24.0) % 7,
        }
    )

    def mixed(d: pd.DataFrame) -> np.ndarray:
        return by_level(d) * (d["group"].cat.codes + d["z"]).to_numpy()

    with (
        pytest.raises(bridge.RCallError, match="not meaningful for factors"),
        bridge.lend_to_r(mixed, rows) as lent,
    ):
        bridge.call("ALEPlot::ALEPlot", rows, None, lent, J, 5)
    names = [rows.columns[j - 1] for j in J]
    result = ale(mixed, rows, tuple(names), K=5)
    swapped = ale(mixed, rows, tuple(names[::-1]), K=5)
    np.testing.assert_allclose(result.f_values, swapped.f_values.T, rtol=0, atol=BY_HAND)
    assert np.ptp(result.f_values) > 1


def test_what_the_black_box_sees():
    """PDPlot hands factors over as characters; here the column keeps its type."""
    rows = frame_of_levels("alike").assign(x=np.arange(10.0))
    with bridge.lend_to_r(by_level, rows) as lent:
        seen = bridge.call(
            "function(f, d) { seen <- NULL; ALEPlot::PDPlot(d, NULL, function(X.model, newdata)"
            " { seen <<- c(seen, class(newdata$level)); f(NULL, newdata) }, 1, 5);"
            " unique(seen) }",
            lent,
            rows,
        )
    assert seen.tolist() == ["character"]
    dtypes = []

    def watch(d: pd.DataFrame) -> np.ndarray:
        dtypes.append(d["level"].dtype)
        return by_level(d)

    result = partial_dependence(watch, rows, "level", centre="pdplot")
    assert set(dtypes) == {rows["level"].dtype}
    np.testing.assert_allclose(result.f_values, CENTRED_LEVELS, rtol=0, atol=BY_HAND)
