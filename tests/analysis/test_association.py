"""Association of columns: against R's stored numbers, scikit-learn, and sums written out here."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

from aleplot_py.analysis.association import (
    association_matrix,
    normalised_mutual_information,
    variance_explained,
)
from aleplot_py.datasets.files import DataNotFoundError
from aleplot_py.datasets.loaders import load_bike
from aleplot_py.plots.heatmap import HeatmapDisplay

# Two sums over a few hundred values in another order, the results being at most 1.
ROUNDING = 1e-12
# As above; the smallest share, 4e-5, loses two more digits in R (731 rows).
STORED = 1e-12

REFERENCE = Path(__file__).parents[2] / "reproductions" / "reference"

RNG = np.random.default_rng(3)
NUMBER = RNG.normal(size=200)
LEVEL = pd.Categorical(RNG.choice(["a", "b", "c"], size=200))
SHIFTED = NUMBER + LEVEL.codes
ANSWER = RNG.choice(["yes", "no"], size=200)


def close(got: float, expected: float, tolerance: float = ROUNDING) -> bool:
    return abs(got - expected) <= tolerance


def correlation_ratio(number: np.ndarray, level: np.ndarray) -> float:
    """Root of the sum of squares between groups over the total."""
    total = ((number - number.mean()) ** 2).sum()
    between = sum(
        (level == name).sum() * (number[level == name].mean() - number.mean()) ** 2
        for name in np.unique(level)
    )
    return float(np.sqrt(between / total))


@pytest.fixture(scope="module")
def bike() -> pd.DataFrame:
    try:
        return load_bike(edition=2)
    except DataNotFoundError as error:
        pytest.skip(str(error))


@pytest.mark.stored
def test_figure_8_12(bike, record_parity):
    stored = pd.read_csv(REFERENCE / "fig8_12_variance_explained.csv")
    expected = stored.pivot_table(index="y", columns="x", values="cor")
    rows = ("temp", "hum", "windspeed")
    columns = tuple(name for name in bike.columns if name != "cnt")
    assert set(columns) == set(expected.columns)
    assert set(rows) == set(expected.index)
    result = association_matrix(bike, rows=rows, columns=columns)
    assert (result.rows, result.columns) == (rows, columns)
    difference = np.abs(result.matrix - expected.loc[list(rows), list(columns)].to_numpy()).max()
    record_parity("stored", "fig8_12 variance explained", difference)
    assert difference <= STORED


@pytest.mark.stored
def test_claim_of_figure_8_12(bike):
    others = [name for name in bike.columns if name not in ("cnt", "temp", "hum", "windspeed")]
    table = association_matrix(bike, rows=["temp", "hum"], columns=others).to_frame()
    assert list(table.loc["temp"].nlargest(2).index) == ["mnth", "season"]
    assert table.loc["hum"].idxmax() == "weathersit"


def test_two_numbers_give_the_absolute_correlation():
    y = -0.3 * NUMBER + RNG.normal(size=200)
    expected = abs(np.corrcoef(y, NUMBER)[0, 1])
    assert close(variance_explained(y, NUMBER), expected)
    assert close(variance_explained(NUMBER, y), expected)


@pytest.mark.parametrize(("scale", "shift"), [(1e-10, 0.0), (1e8, 0.0), (-3.0, 1e6)])
def test_units_do_not_matter(scale, shift):
    # Adding 1e6 leaves 10 digits of a number near 1.
    tolerance = 1e-9 if shift else ROUNDING
    expected = variance_explained(NUMBER, SHIFTED)
    assert close(variance_explained(NUMBER * scale + shift, SHIFTED), expected, tolerance)
    by_level = variance_explained(SHIFTED, LEVEL)
    assert close(variance_explained(SHIFTED * scale + shift, LEVEL), by_level, tolerance)


def test_a_tiny_correlation_keeps_its_digits():
    x = np.tile([-1.0, 1.0], 50)
    noise = np.repeat([-1.0, 1.0], 50)
    y = noise + 1e-7 * x
    assert close(variance_explained(y, x) / 1e-7, 1.0, 1e-6)


def test_number_and_category_in_both_directions():
    expected = correlation_ratio(SHIFTED, np.asarray(LEVEL))
    assert close(variance_explained(SHIFTED, LEVEL), expected)
    assert variance_explained(LEVEL, SHIFTED) == variance_explained(SHIFTED, LEVEL)


def test_unused_levels_and_kinds_of_text_do_not_matter():
    expected = variance_explained(SHIFTED, LEVEL)
    assert variance_explained(SHIFTED, LEVEL.add_categories(["z"])) == expected
    assert variance_explained(SHIFTED, pd.Series(np.asarray(LEVEL), dtype=object)) == expected
    assert variance_explained(SHIFTED, list(LEVEL)) == expected
    odd_index = pd.Series(SHIFTED, index=np.arange(200)[::-1])
    assert variance_explained(odd_index, LEVEL) == expected


def test_two_levels_are_a_number_with_two_values():
    yes = (ANSWER == "yes").astype(float)
    other = SHIFTED > 1
    assert close(variance_explained(SHIFTED, ANSWER), abs(np.corrcoef(SHIFTED, yes)[0, 1]))
    expected = abs(np.corrcoef(yes, other)[0, 1])
    assert close(variance_explained(ANSWER, other), expected)


def test_two_categories():
    assert close(variance_explained(LEVEL, LEVEL.rename_categories(["x", "y", "z"])), 1.0)
    balanced = np.tile(["a", "b"], 6), np.repeat(["x", "y", "z"], 4)
    assert close(variance_explained(*balanced), 0.0)
    # Counts 3 1 / 1 3: chi-square is 8 * (3 * 3 - 1 * 1)^2 / 4^4 = 2, V is sqrt(2 / 8).
    first, second = list("aaaabbbb"), list("xxxyxyyy")
    assert close(variance_explained(first, second), 0.5)


def test_dates_are_numbers():
    days = pd.Series(pd.date_range("2011-01-01", periods=200))
    y = NUMBER + np.arange(200) / 50
    expected = abs(np.corrcoef(y, np.arange(200))[0, 1])
    assert close(variance_explained(y, days), expected)
    assert close(variance_explained(y, days - days[0]), expected)
    assert close(variance_explained(y, days.dt.tz_localize("UTC")), expected)


@given(st.lists(st.tuples(st.integers(-5, 5), st.sampled_from("abc")), min_size=2, max_size=40))
def test_never_outside_0_and_1(rows):
    number = np.array([value for value, _ in rows], dtype=float)
    level = np.array([name for _, name in rows])
    if len(set(number)) < 2 or len(set(level)) < 2:
        return
    for measure in (variance_explained, normalised_mutual_information):
        assert 0 <= measure(number, level) <= 1
        assert close(measure(number, level), measure(level, number))
        assert close(measure(number, number), 1.0)
        assert close(measure(level, level), 1.0)
    assert close(variance_explained(number, level), correlation_ratio(number, level), 1e-7)


def test_mutual_information_of_categories_is_scikit_learns():
    second = np.where(RNG.random(200) < 0.6, np.asarray(LEVEL), "a")
    expected = normalized_mutual_info_score(np.asarray(LEVEL), second)
    assert close(normalised_mutual_information(LEVEL, second), expected)


def test_mutual_information_bins_by_freedman_and_diaconis():
    y = NUMBER**2 + 0.1 * RNG.normal(size=200)
    edges = [np.histogram_bin_edges(column, "fd") for column in (NUMBER, y)]
    codes = [
        np.digitize(column, edge[1:-1]) for column, edge in zip((NUMBER, y), edges, strict=True)
    ]
    assert len(edges[0]) > 5
    expected = normalized_mutual_info_score(*codes)
    assert close(normalised_mutual_information(NUMBER, y), expected)
    # The mean of y given x sees a parabola, a straight line hardly does.
    assert variance_explained(y, NUMBER) < 0.2 < normalised_mutual_information(NUMBER, y)


def test_mutual_information_without_a_quartile_range_or_with_heavy_tails():
    zeros = np.r_[np.zeros(90), np.arange(1.0, 11.0)]
    # Sturges: log2(100) + 1 = 7.64, so 8 bins of width 1.25.
    codes = np.minimum(np.floor(zeros / 1.25), 7)
    other = zeros > 0
    expected = normalized_mutual_info_score(codes, other)
    assert close(normalised_mutual_information(zeros, other), expected)
    tails = np.r_[NUMBER[:-1], 1e12]
    assert 0 < normalised_mutual_information(tails, LEVEL) <= 1


def test_matrix_of_all_kinds():
    X = pd.DataFrame(
        {"number": NUMBER, "level": LEVEL, "flag": SHIFTED > 1, "code": LEVEL.codes.astype(int)}
    )
    before = X.copy(deep=True)
    result = association_matrix(X, categorical=["code"])
    pd.testing.assert_frame_equal(X, before)
    assert result.matrix.shape == (4, 4)
    assert not result.matrix.flags.writeable
    assert np.abs(result.matrix - result.matrix.T).max() <= ROUNDING
    table = result.to_frame()
    assert close(table.loc["level", "code"], 1.0)
    assert table.loc["number", "flag"] == variance_explained(NUMBER, X["flag"])
    as_number = association_matrix(X, rows=["number"], columns=["code"]).matrix[0, 0]
    assert close(as_number, abs(np.corrcoef(NUMBER, LEVEL.codes)[0, 1]))
    information = association_matrix(X, measure="normalised_mutual_information").to_frame()
    assert information.loc["number", "level"] == normalised_mutual_information(NUMBER, LEVEL)


def test_heat_map():
    X = pd.DataFrame({"number": NUMBER, "level": LEVEL, "flag": SHIFTED > 1})
    result = association_matrix(X, rows=["number", "flag"])
    display = result.plot()
    assert isinstance(display, HeatmapDisplay)
    assert np.array_equal(display.image_.get_array(), result.matrix)
    assert [text.get_text() for text in display.texts_] == [
        f"{value:.2g}" for value in result.matrix.ravel()
    ]
    assert [tick.get_text() for tick in display.axes_[0].get_xticklabels()] == [
        "number",
        "level",
        "flag",
    ]
    assert [tick.get_text() for tick in display.axes_[0].get_yticklabels()] == ["number", "flag"]
    assert display.image_.get_clim() == (0.0, 1.0)
    again = result.plot(ax=display.figure_.add_subplot())
    assert again.figure_ is display.figure_
    plt.close(display.figure_)


def test_numbers_among_objects_are_numbers():
    objects = pd.Series(NUMBER, dtype=object)
    assert close(variance_explained(objects, SHIFTED), variance_explained(NUMBER, SHIFTED))
    nullable = pd.Series(np.round(10 * NUMBER).astype(int), dtype="Int64")
    whole = variance_explained(np.round(10 * NUMBER), SHIFTED)
    assert close(variance_explained(nullable, SHIFTED), whole)


def test_one_column_may_be_named_alone():
    X = pd.DataFrame({"number": NUMBER, "code": LEVEL.codes})
    found = association_matrix(X, rows="number", columns="code", categorical="code")
    assert (found.rows, found.columns) == (("number",), ("code",))
    assert close(found.matrix[0, 0], correlation_ratio(NUMBER, LEVEL.codes))


@pytest.mark.parametrize(
    ("y", "x", "message"),
    [
        ([1.0, 2.0], [1.0, 2.0, 3.0], "same length, got 2 and 3"),
        ([1.0, np.nan], [1.0, 2.0], "no missing values, got 1"),
        ([1.0, np.inf], [1.0, 2.0], "must be finite"),
        ([1.0, 1.0], [1.0, 2.0], "at least two different values"),
        ([1.0, 2.0], ["a", "a"], "the second column must have at least two"),
        (pd.Series([1.0, 1.0], name="temp"), [1.0, 2.0], "'temp' must have at least two"),
        ([[1.0], [2.0]], [1.0, 2.0], "one dimension, got 2"),
        ([1.0, 2.0j], [1.0, 2.0], "must be real numbers or categories, got complex"),
    ],
)
def test_bad_columns(y, x, message):
    for measure in (variance_explained, normalised_mutual_information):
        with pytest.raises(ValueError, match=message):
            measure(y, x)


FRAME = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [3.0, 3.0, 3.0], "c": [1.0, np.nan, 2.0]})


@pytest.mark.parametrize(
    ("X", "options", "error", "message"),
    [
        (FRAME.to_dict(), {}, TypeError, "X must be a DataFrame or a two-dim.* got dict"),
        (FRAME, {"rows": ["z"]}, ValueError, "feature 'z' is not a column of X"),
        (FRAME, {"columns": ["z"]}, ValueError, "feature 'z' is not a column of X"),
        (FRAME, {"categorical": ["z"]}, ValueError, "feature 'z' is not a column of X"),
        (FRAME, {"rows": ["a"], "columns": ["b"]}, ValueError, "column 'b' must have at least"),
        (FRAME, {"rows": ["a"], "columns": ["c"]}, ValueError, "column 'c' must have no missing"),
        (FRAME, {"measure": "pearson"}, ValueError, "measure must be one of"),
        (pd.concat([FRAME, FRAME], axis=1), {}, ValueError, "names must be unique"),
    ],
)
def test_bad_tables(X, options, error, message):
    with pytest.raises(error, match=message):
        association_matrix(X, **options)


def test_without_statsmodels(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels.regression.linear_model", None)
    with pytest.raises(ImportError, match=r"aleplot-py\[figures\]"):
        variance_explained(NUMBER, SHIFTED)
