"""R's iml running live on the same black boxes as this library, case by case."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, ice, partial_dependence
from validation import bridge, r_effects
from validation.search.random_cases import KINDS, draw
from validation.tests.live import assert_equal

pytestmark = pytest.mark.iml_r

# Both sides add the same local effects in double precision, R partly in extended precision.
VALUES = 1e-12
# Means of predictions, which may be much larger than the curve's range.
PARTIAL_DEPENDENCE = 1e-12
# Every kind of data comes up twice; what counts as equal stands in validation.agreement.
CASES = range(0, 72, 4)


@pytest.mark.parametrize("number", CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_ale_equals_iml(record_parity, kind, number):
    """Grid and order of levels equal, values within rounding."""
    assert_equal(record_parity, "iml ale", draw(3, number, kind))


@pytest.mark.parametrize("number", CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_partial_dependence_equals_iml(record_parity, kind, number):
    """Grid and levels equal, values within rounding."""
    assert_equal(record_parity, "iml pdp", draw(3, number, kind))


@pytest.mark.parametrize("number", range(0, 36, 4))
@pytest.mark.parametrize("centred", [False, True])
def test_individual_curves_equal_iml(record_parity, number, centred):
    """ICE and centred ICE, row by row."""
    case = draw(4, number, "numeric")
    X, predict, feature = case.frame(), case.predict(), case.features[0]
    anchor = float(X[feature].min()) if centred else None
    result = ice(predict, X, feature, K=6, grid="iml", centre=anchor if centred else "none")
    table = r_effects.iml_table(predict, X, [X.columns.get_loc(feature)], 6, "ice", anchor)
    grid = sorted(set(table[feature]))
    expected = np.full((len(X), len(grid)), np.nan)
    expected[
        table[".id"].to_numpy(dtype=np.intp) - 1,
        table[feature].map(grid.index).to_numpy(dtype=np.intp),
    ] = table[".value"].to_numpy(dtype=np.float64)
    equal = result.x_values[0].tolist() == grid
    size = np.max(np.abs(predict(X)))
    difference = np.max(np.abs(result.individual - expected)) / size
    record_parity("iml_r", f"iml ice {case.id}", difference, equal)
    assert equal
    assert difference <= PARTIAL_DEPENDENCE


def test_an_integer_column(record_parity):
    """The points of an integer column are rounded by iml, and here with ``grid="iml"``."""
    rows = pd.DataFrame({"i": np.arange(11), "z": np.arange(11.0) % 3})

    def predict(d: pd.DataFrame) -> np.ndarray:
        return (d["i"] * (1.0 + d["z"])).to_numpy()

    table = r_effects.iml_table(predict, rows, [0], 4, "pdp")
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

    table = r_effects.iml_table(predict, rows, [0], 5, "ale")
    result = ale(predict, rows, "level", grid="iml")
    equal = result.x_values[0].tolist() == table["level"].tolist() == ["c", "a", "b"]
    difference = np.max(np.abs(result.f_values - table[".value"])) / np.max(table[".value"])
    record_parity("iml_r", "iml ale of an ordered factor", difference, equal)
    assert equal
    assert difference <= VALUES


# --- where R is wrong and this library is not -------------------------------------------------


def with_unused_levels() -> pd.DataFrame:
    """Rows at the levels b, d and e of five, each farther from b than the one before."""
    rng = np.random.default_rng(6)
    codes = rng.choice([1, 3, 4], 200, p=[0.5, 0.3, 0.2])
    level = pd.Categorical.from_codes(codes, list("abcde"))
    return pd.DataFrame({"level": level, "z": codes + rng.normal(0, 2, 200)})


def by_code(rows: pd.DataFrame) -> np.ndarray:
    """Black box with an effect of each level and a slope of its own at each."""
    position = rows["level"].astype(str).map({"b": 0.0, "d": 3.0, "e": 1.0})
    return (position * (1 + rows["z"])).to_numpy()


def test_levels_that_no_row_has():
    """The package iml takes positions among the declared levels for positions among the used ones.

    Its curve then has no mean of 0 over the rows; with the unused levels dropped it is right.
    """
    X = with_unused_levels()
    shares = X["level"].value_counts(normalize=True)
    result = ale(by_code, X, "level")
    ours = dict(zip(result.x_values[0], result.f_values, strict=True))
    assert abs(sum(shares[level] * value for level, value in ours.items())) < VALUES

    def in_r(*, drop_unused: bool) -> dict[str, float]:
        table = r_effects.iml_table(by_code, X, [0], 5, "ale", drop_unused=drop_unused)
        return dict(zip(table["level"].astype(str), table[".value"], strict=True))

    wrong, right = in_r(drop_unused=False), in_r(drop_unused=True)
    assert max(abs(right[level] - ours[level]) for level in ours) < VALUES
    assert max(abs(wrong[level] - ours[level]) for level in ours) > 0.1


def test_a_pair_with_levels_that_no_row_has():
    """The same mistake hands the black box rows of missing values; here the surface is finite."""
    X = with_unused_levels()
    missing = []

    def watch(rows: pd.DataFrame) -> np.ndarray:
        missing.append(int(rows["level"].isna().sum()))
        return by_code(rows)

    with pytest.raises(bridge.RCallError, match="missing values"):
        r_effects.iml_table(watch, X, [0, 1], 5, "ale")
    assert any(missing)
    missing.clear()
    result = ale(watch, X, ("level", "z"), K=5, grid="iml")
    assert np.isfinite(result.f_values).all()
    assert not any(missing)
