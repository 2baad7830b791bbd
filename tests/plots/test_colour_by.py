"""Individual curves coloured by another feature: a bar for numbers, a legend for levels."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgba

from aleplot_py import AleDisplay, ale, ice, load
from aleplot_py.errors import FeatureError
from aleplot_py.plots.look import GREY, sample_of_rows

N = 70
RNG = np.random.default_rng(8)
X = pd.DataFrame(
    {"x": RNG.normal(size=N), "z": RNG.normal(size=N), "c": RNG.choice(["lo", "hi"], N)}
)
SAMPLE = sample_of_rows(N, 20)


def predict(frame):
    return frame["x"] * frame["z"]


@pytest.fixture(scope="module")
def curves():
    return ice(predict, X, "x", K=5)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_a_sample_is_coloured_by_numbers_and_the_mean_is_over_all_rows(curves):
    display = curves.plot(individual=20, colour_by="z", labels={"z": "Wind"})
    lines = display.individual_[0]
    assert len(lines.get_segments()) == 20
    np.testing.assert_array_equal(lines.get_array(), X["z"].to_numpy()[SAMPLE])
    for segment, row in zip(lines.get_segments(), SAMPLE, strict=True):
        np.testing.assert_array_equal(segment[:, 1], curves.individual[row])
    assert display.colorbars_[0].ax.get_ylabel() == "Wind"
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), curves.f_values)
    assert curves.f_values[1] == pytest.approx(curves.individual[:, 1].mean())
    plain = curves.plot(colour_by="z", visuals={"colorbar": False})
    assert plain.colorbars_[0] is None
    assert len(plain.figure_.axes) == 1


def test_levels_have_a_legend(curves):
    missing = X["c"].where(np.arange(N) > 2)
    display = curves.plot(colour_by=missing, level_labels={"lo": "low"})
    legend = display.axes_[0].get_legend()
    assert legend.get_title().get_text() == "c"
    assert [text.get_text() for text in legend.get_texts()] == ["hi", "low"]
    shown = {
        text.get_text(): line.get_color()
        for text, line in zip(legend.get_texts(), legend.get_lines(), strict=True)
    }
    drawn = [to_hex(colour[:3]) for colour in display.individual_[0].get_colors()]
    expected = [to_hex(shown["hi" if c == "hi" else "low"]) for c in X["c"]]
    assert drawn[3:] == expected[3:]
    assert set(drawn[:3]) == {to_hex(to_rgba(GREY))}
    assert display.lines_[0].get_color() not in shown.values()
    months = [f"month {i % 8}" for i in range(N)]
    legend = curves.plot(colour_by=months).axes_[0].get_legend()
    assert len({to_hex(line.get_color()) for line in legend.get_lines()}) == 8


DAYS = pd.date_range("2024-01-01", periods=N)
TIMES = {
    "dates": pd.Series(DAYS.tz_localize("Asia/Tehran"), name="when"),
    "objects": pd.Series([day.date() for day in DAYS], dtype=object, name="when"),
    "periods": pd.Series(DAYS.to_period("D"), name="when"),
}


@pytest.mark.parametrize("when", TIMES.values(), ids=TIMES)
def test_dates_have_a_colour_bar_of_dates(curves, when):
    unknown = when.where(np.arange(N) > 0)
    for given in (when, unknown):
        display = curves.plot(colour_by=given)
        shown = display.individual_[0].get_array()
        assert np.ma.count_masked(shown) == given.isna().sum()
        np.testing.assert_allclose(np.diff(shown.compressed()), 1, rtol=0, atol=1e-9)
        bar = display.colorbars_[0]
        bar.ax.figure.canvas.draw()
        assert bar.ax.get_ylabel() == "when"
        assert {"Jan", "Feb", "Mar"} & {text.get_text() for text in bar.ax.get_yticklabels()}


def test_durations_have_a_colour_bar_in_a_unit_that_fits(curves):
    waits = pd.Series(pd.to_timedelta(np.arange(N) * 6, unit="h"), name="wait")
    display = curves.plot(colour_by=waits)
    assert display.colorbars_[0].ax.get_ylabel() == "wait (days)"
    np.testing.assert_array_equal(display.individual_[0].get_array(), np.arange(N) / 4)


def test_a_column_may_be_given_by_its_position_or_as_values(curves):
    expected = curves.plot(colour_by="z").individual_[0].get_array()
    for given in (1, X["z"], X["z"].to_numpy(), X["z"].tolist(), pd.Index(X["z"])):
        found = curves.plot(colour_by=given).individual_[0].get_array()
        np.testing.assert_array_equal(found, expected)
    both = ice(predict, X, ["x", "c"], K=3, groups=np.arange(N) % 2).plot(
        colour_by="z", panels=True
    )
    assert [len(lines.get_array()) for lines in both.individual_] == [35, 35, 35, 35]
    np.testing.assert_array_equal(both.individual_[0].get_array(), X["z"][::2])


def test_what_cannot_give_a_colour(curves, tmp_path):
    with pytest.raises(ValueError, match="colour_by needs individual curves: compute them with"):
        ale(predict, X, "x", K=3).plot(colour_by="z")
    with pytest.raises(ValueError, match=r"one value per row of the effect, \(70,\), got \(2,\)"):
        curves.plot(colour_by=[1, 2])
    with pytest.raises(
        ValueError, match=r"one value per row of the effect, \(70,\), got \(70, 3\)"
    ):
        curves.plot(colour_by=np.ones((N, 3)))
    with pytest.raises(ValueError, match="at most 12 levels to be told apart, got 70"):
        curves.plot(colour_by=[f"row {i}" for i in range(N)])
    with pytest.raises(FeatureError, match=r"'zz' is not a column of X: nearest .* 'z'"):
        curves.plot(colour_by="zz")
    curves.save(tmp_path / "curves.json")
    read = load(tmp_path / "curves.json")
    assert read == curves
    with pytest.raises(ValueError, match="colour_by='z' is the name of a feature, but a result fr"):
        read.plot(colour_by="z")
    assert AleDisplay(read).plot(colour_by=X["z"]).colorbars_[0] is not None
