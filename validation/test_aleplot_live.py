"""R's ALEPlot and PDPlot running live on the same black boxes as this library, case by case."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, partial_dependence
from validation import bridge
from validation.live_cases import (
    KINDS,
    LiveCase,
    align_levels,
    draw_case,
    order_is_r_order,
    scale_of,
)

pytestmark = pytest.mark.aleplot_r

# Both sides add the same local effects in double precision, R partly in extended precision.
VALUES = 1e-12
# Partial dependence averages predictions that may be much larger than the centred curve.
PARTIAL_DEPENDENCE = 1e-12
CASES = range(40)

# What R's ALEPlot does with a pair of which one axis has a single interval.
FAILS_ON_ONE_INTERVAL = r"subscript out of bounds|incorrect number of dimensions"


def run_r(function: str, case: LiveCase, K: int) -> dict:
    """Run ALEPlot or PDPlot; the black box is the same Python function.

    Parameters
    ----------
    function : {"ALEPlot", "PDPlot"}
        R function.
    case : LiveCase
        What to explain.
    K : int
        Intervals or points asked for.

    Returns
    -------
    dict
        ``x.values`` (a list of two for a pair), ``f.values`` and, from ALEPlot, ``K``.
    """
    with bridge.lend_to_r(case.predict, case.X) as lent:
        return bridge.call(f"ALEPlot::{function}", case.X, None, lent, case.positions, K)


def asked(case: LiveCase):
    """Features as the library takes them: one name or a pair."""
    return case.features if len(case.features) > 1 else case.features[0]


def texts(levels) -> list[str]:
    """Levels as text."""
    return [str(level) for level in levels]


@pytest.mark.parametrize("seed", CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_ale_equals_aleplot(record_parity, kind, seed):
    """Grid, effective K and order of levels equal, values within rounding."""
    case = draw_case(kind, seed)
    result = ale(case.predict, case.X, asked(case), K=case.K)
    if kind == "numeric_numeric" and 1 in result.K:
        with pytest.raises(bridge.RCallError, match=FAILS_ON_ONE_INTERVAL):
            run_r("ALEPlot", case, case.K)
        assert np.isfinite(result.f_values).all()
        return
    expected = run_r("ALEPlot", case, case.K)
    axes = expected["x.values"] if len(case.features) > 1 else [expected["x.values"]]
    if result.kinds[0] == "categorical":
        levels = texts(axes[0])
        equal = order_is_r_order(case.X, case.features[0], levels)
        if equal and texts(result.x_values[0]) not in (levels, levels[::-1]):
            # Levels tied on the axis: R's order among them is rounding, so it is taken over.
            order = {case.features[0]: levels}
            result = ale(case.predict, case.X, asked(case), K=case.K, order=order)
        values, _ = align_levels(result.f_values, texts(result.x_values[0]), levels)
    else:
        equal = result.x_values[0].tolist() == axes[0].tolist()
        values = result.f_values
    if len(axes) > 1:
        equal = equal and result.x_values[1].tolist() == axes[1].tolist()
    assert values.shape == expected["f.values"].shape
    difference = np.max(np.abs(values - expected["f.values"])) / scale_of(
        case, expected["f.values"]
    )
    record_parity("aleplot_r", f"ALEPlot {case.name}", difference, equal)
    assert equal
    assert np.ravel(expected["K"]).tolist() == list(result.K)
    assert difference <= VALUES


@pytest.mark.parametrize("seed", CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_partial_dependence_equals_pdplot(record_parity, kind, seed):
    """Grid and levels equal, values within rounding of the predictions' scale."""
    case = draw_case(kind, seed)
    K = max(case.K % 20, 2)
    result = partial_dependence(case.predict, case.X, asked(case), K=K, centre="pdplot")
    expected = run_r("PDPlot", case, K)
    axes = expected["x.values"] if len(case.features) > 1 else [expected["x.values"]]
    equal = all(
        (texts(ours) == texts(theirs))
        if of_kind == "categorical"
        else ours.tolist() == theirs.tolist()
        for ours, theirs, of_kind in zip(result.x_values, axes, result.kinds, strict=True)
    )
    assert result.f_values.shape == expected["f.values"].shape
    size = np.max(np.abs(case.predict(case.X)))
    difference = np.max(np.abs(result.f_values - expected["f.values"])) / size
    record_parity("aleplot_r", f"PDPlot {case.name}", difference, equal)
    assert equal
    assert difference <= PARTIAL_DEPENDENCE


# --- where R fails and this library does not --------------------------------------------------


def rows_of_levels(**columns) -> pd.DataFrame:
    """Six rows of three levels beside other columns."""
    level = pd.Categorical(["a", "a", "b", "b", "c", "c"])
    return pd.DataFrame({"level": level, **columns})


def by_level(rows: pd.DataFrame) -> np.ndarray:
    """Black box 0, 1, 4 by level."""
    return np.array([0.0, 1.0, 4.0])[rows["level"].cat.codes]


def level_effect_in_r(rows: pd.DataFrame) -> None:
    """Run ALEPlot for the column of levels."""
    with bridge.lend_to_r(by_level, rows) as lent:
        bridge.call("ALEPlot::ALEPlot", rows, None, lent, 1, 5)


def test_levels_that_nothing_tells_apart():
    """R's scaling has no axis then; here the declared order is kept, with a warning."""
    rows = rows_of_levels(x=[1.0, 2.0, 1.0, 2.0, 1.0, 2.0])
    with pytest.raises(bridge.RCallError):
        level_effect_in_r(rows)
    with pytest.warns(UserWarning, match="keep their declared order"):
        result = ale(by_level, rows, "level")
    assert result.x_values[0].tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(result.f_values, [-5 / 3, -2 / 3, 7 / 3], rtol=0, atol=1e-14)


def test_an_ordered_factor():
    """ALEPlot on R >= 4.2 fails on it; here its own order is kept."""
    rows = rows_of_levels(x=[1.0, 2.0, 3.0, 4.0, 5.0, 7.0])
    rows["level"] = rows["level"].cat.as_ordered()
    with pytest.raises(bridge.RCallError):
        level_effect_in_r(rows)
    result = ale(by_level, rows, "level")
    assert result.x_values[0].tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(result.f_values, [-5 / 3, -2 / 3, 7 / 3], rtol=0, atol=1e-14)


def test_a_constant_feature():
    """R dies in ``cut``; here one error names the column."""
    rows = pd.DataFrame({"x": [5.0, 5.0, 5.0], "z": [1.0, 2.0, 3.0]})
    with (
        pytest.raises(bridge.RCallError),
        bridge.lend_to_r(lambda d: d["z"].to_numpy(), rows) as lent,
    ):
        bridge.call("ALEPlot::ALEPlot", rows, None, lent, 1, 5)
    with pytest.raises(ValueError, match="'x'"):
        ale(lambda d: d["z"].to_numpy(), rows, "x")


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
    np.testing.assert_allclose(interaction, cells, rtol=0, atol=1e-14)
