"""R's iml running live on the same black boxes as this library, case by case."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, ice, partial_dependence
from validation import bridge
from validation.live_cases import (
    KINDS,
    LiveCase,
    align_levels,
    draw_case,
    order_is_r_order,
    scale_of,
    without_unused_levels,
)

pytestmark = pytest.mark.iml_r

# Both sides add the same local effects in double precision, R partly in extended precision.
VALUES = 1e-12
# Means of predictions, which may be much larger than the curve's range.
PARTIAL_DEPENDENCE = 1e-12
CASES = range(16)

FEATURE_EFFECT = """function(X, f, feature, method, size, center) {
  p <- iml::Predictor$new(model = list(), data = X,
                          predict.function = function(model, newdata) f(NULL, newdata))
  e <- iml::FeatureEffect$new(p, feature = feature, method = method, grid.size = size,
                              center.at = center)
  as.data.frame(e$results)
}"""


def run_r(case: LiveCase, method: str, K: int, centre: float | None = None) -> pd.DataFrame:
    """Run iml's FeatureEffect; the black box is the same Python function.

    Parameters
    ----------
    case : LiveCase
        What to explain.
    method : {"ale", "pdp", "ice", "pdp+ice"}
        iml's method.
    K : int
        ``grid.size``.
    centre : float, optional
        ``center.at``.

    Returns
    -------
    DataFrame
        iml's results, one row per grid point.
    """
    with bridge.lend_to_r(case.predict, case.X) as lent:
        return bridge.call(FEATURE_EFFECT, case.X, lent, list(case.features), method, K, centre)


def unpack(case: LiveCase, results: pd.DataFrame, value: str) -> tuple[list[list], np.ndarray]:
    """Axes and values of iml's long table.

    Parameters
    ----------
    case : LiveCase
        What was explained.
    results : DataFrame
        One row per grid point.
    value : str
        Name of the column of values.

    Returns
    -------
    tuple
        Values of each axis in the order iml lists them, and the values with an axis each.
    """
    axes = [list(dict.fromkeys(results[name])) for name in case.features]
    values = np.full([len(axis) for axis in axes], np.nan)
    where = tuple(
        results[name].map(axis.index).to_numpy(dtype=np.intp)
        for name, axis in zip(case.features, axes, strict=True)
    )
    values[where] = results[value].to_numpy(dtype=np.float64)
    return axes, values


def asked(case: LiveCase):
    """Features as the library takes them: one name or a pair."""
    return case.features if len(case.features) > 1 else case.features[0]


@pytest.mark.parametrize("seed", CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_ale_equals_iml(record_parity, kind, seed):
    """Grid and order of levels equal, values within rounding."""
    case = without_unused_levels(draw_case(kind, seed))
    result = ale(case.predict, case.X, asked(case), K=case.K, grid="iml")
    axes, expected = unpack(
        case, run_r(case, "ale", case.K), ".value" if len(case.features) == 1 else ".ale"
    )
    if result.kinds[0] == "categorical":
        levels = [str(level) for level in axes[0]]
        equal = order_is_r_order(case.X, case.features[0], levels)
        ours = [str(level) for level in result.x_values[0]]
        if equal and ours not in (levels, levels[::-1]):
            # Levels tied on the axis: R's order among them is rounding, so it is taken over.
            result = ale(
                case.predict,
                case.X,
                asked(case),
                K=case.K,
                grid="iml",
                order={case.features[0]: levels},
            )
        ours = [str(level) for level in result.x_values[0]]
        values, _ = align_levels(result.f_values, ours, levels)
    else:
        equal = result.x_values[0].tolist() == axes[0]
        values = result.f_values
    if len(axes) > 1:
        equal = equal and result.x_values[1].tolist() == axes[1]
    assert values.shape == expected.shape
    difference = np.max(np.abs(values - expected)) / scale_of(case, expected)
    record_parity("iml_r", f"iml ale {case.name}", difference, equal)
    assert equal
    assert difference <= VALUES


@pytest.mark.parametrize("seed", CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_partial_dependence_equals_iml(record_parity, kind, seed):
    """Grid and levels equal, values within rounding of the predictions' scale."""
    case = without_unused_levels(draw_case(kind, seed))
    K = max(case.K % 15, 2)
    result = partial_dependence(case.predict, case.X, asked(case), K=K, grid="iml")
    axes, expected = unpack(case, run_r(case, "pdp", K), ".value")
    if result.kinds[0] == "categorical":
        ours = [str(level) for level in result.x_values[0]]
        levels = [str(level) for level in axes[0]]
        equal = sorted(ours) == sorted(levels)
        values, _ = align_levels(result.f_values, ours, levels)
    else:
        equal = result.x_values[0].tolist() == axes[0]
        values = result.f_values
    if len(axes) > 1:
        equal = equal and result.x_values[1].tolist() == axes[1]
    assert values.shape == expected.shape
    size = np.max(np.abs(case.predict(case.X)))
    difference = np.max(np.abs(values - expected)) / size
    record_parity("iml_r", f"iml pdp {case.name}", difference, equal)
    assert equal
    assert difference <= PARTIAL_DEPENDENCE


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("centred", [False, True])
def test_individual_curves_equal_iml(record_parity, seed, centred):
    """ICE and centred ICE, row by row."""
    case = draw_case("numeric", seed)
    feature = case.features[0]
    anchor = float(case.X[feature].min()) if centred else None
    result = ice(
        case.predict, case.X, feature, K=6, grid="iml", centre=anchor if centred else "none"
    )
    table = run_r(case, "ice", 6, anchor)
    grid = sorted(set(table[feature]))
    expected = np.full((len(case.X), len(grid)), np.nan)
    expected[
        table[".id"].to_numpy(dtype=np.intp) - 1,
        table[feature].map(grid.index).to_numpy(dtype=np.intp),
    ] = table[".value"].to_numpy(dtype=np.float64)
    equal = result.x_values[0].tolist() == grid
    size = np.max(np.abs(case.predict(case.X)))
    difference = np.max(np.abs(result.individual - expected)) / size
    record_parity("iml_r", f"iml ice {case.name}", difference, equal)
    assert equal
    assert difference <= PARTIAL_DEPENDENCE


def test_an_integer_column(record_parity):
    """The points of an integer column are rounded by iml, and here with ``grid="iml"``."""
    rows = pd.DataFrame({"i": np.arange(11), "z": np.arange(11.0) % 3})

    def predict(d: pd.DataFrame) -> np.ndarray:
        return (d["i"] * (1.0 + d["z"])).to_numpy()

    with bridge.lend_to_r(predict, rows) as lent:
        table = bridge.call(FEATURE_EFFECT, rows, lent, "i", "pdp", 4, None)
    result = partial_dependence(predict, rows, "i", K=4, grid="iml")
    equal = result.x_values[0].tolist() == table["i"].tolist() == [0.0, 3.0, 7.0, 10.0]
    difference = np.max(np.abs(result.f_values - table[".value"])) / np.max(table[".value"])
    record_parity("iml_r", "iml pdp of an integer column", difference, equal)
    assert equal
    assert difference <= PARTIAL_DEPENDENCE


def test_an_ordered_factor_keeps_its_order(record_parity):
    """Both keep the declared order."""
    level = pd.Categorical(np.resize(["a", "b", "c"], 20), ["c", "a", "b"], ordered=True)
    rows = pd.DataFrame({"level": level, "z": np.arange(20.0) % 7})

    def predict(d: pd.DataFrame) -> np.ndarray:
        return d["z"].to_numpy() * (d["level"].cat.codes.to_numpy() + 1.0)

    with bridge.lend_to_r(predict, rows) as lent:
        table = bridge.call(FEATURE_EFFECT, rows, lent, "level", "ale", 5, None)
    result = ale(predict, rows, "level", grid="iml")
    equal = result.x_values[0].tolist() == table["level"].tolist() == ["c", "a", "b"]
    difference = np.max(np.abs(result.f_values - table[".value"])) / np.max(table[".value"])
    record_parity("iml_r", "iml ale of an ordered factor", difference, equal)
    assert equal
    assert difference <= VALUES


# --- where R is wrong and this library is not -------------------------------------------------


def test_levels_that_no_row_has():
    """The package iml takes positions among the declared levels for positions among the used ones.

    Its curve then has no mean of 0 over the rows; with the unused levels dropped it is right.
    """
    case = draw_case("categorical", 2)
    tidy = without_unused_levels(case)
    level_of = dict(zip(tidy.X["c"].cat.categories, range(6), strict=False))

    def predict(rows: pd.DataFrame) -> np.ndarray:
        return rows["c"].astype(str).map(level_of).to_numpy(dtype=np.float64)

    shares = case.X["c"].value_counts(normalize=True)
    result = ale(predict, case.X, "c")
    ours = dict(zip(result.x_values[0], result.f_values, strict=True))
    assert abs(sum(shares[level] * value for level, value in ours.items())) < 1e-12

    def in_r(X: pd.DataFrame) -> dict[str, float]:
        with bridge.lend_to_r(predict, X) as lent:
            table = bridge.call(FEATURE_EFFECT, X, lent, "c", "ale", 5, None)
        return dict(zip(table["c"].astype(str), table[".value"], strict=True))

    wrong, right = in_r(case.X), in_r(tidy.X)
    assert max(abs(right[level] - ours[level]) for level in ours) < 1e-12
    assert max(abs(wrong[level] - ours[level]) for level in ours) > 0.1


def test_a_pair_with_levels_that_no_row_has():
    """The same mistake hands the black box rows of missing values; here the surface is finite."""
    case = draw_case("categorical_numeric", 0)
    assert case.X["c"].nunique() < len(case.X["c"].cat.categories)
    with pytest.raises(bridge.RCallError, match="missing values"):
        run_r(case, "ale", 5)
    result = ale(case.predict, case.X, case.features, K=5, grid="iml")
    assert np.isfinite(result.f_values).all()
