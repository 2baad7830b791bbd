"""Faults of groups, one-hot columns, colours and axes of dates, found by odd arguments."""

import warnings

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, effect_panel, ice, m_plot
from aleplot_py.errors import FeatureError

matplotlib = pytest.importorskip("matplotlib", reason="plots need matplotlib")
matplotlib.use("agg")

N = 24
X = pd.DataFrame(
    {"x": np.arange(N) / 2, "z": np.arange(N) % 5, "red": [1, 0, 0] * 8, "blue": [0, 1, 0] * 8}
)


def predict(frame):
    return frame["x"] * frame["z"] + 3 * (frame["red"] == 1)


LABELS = {
    "missing beside text": ([np.nan, "a", "b"] * 8, ["a", "b"]),
    "truth beside text": ([True, "a", "b"] * 8, [True, "a", "b"]),
    "numbers beside text": ([1, "a", "b"] * 8, [1, "a", "b"]),
    "whole numbers beside None": ([1, 2, None] * 8, [1, 2]),
    "masked": (np.ma.array([7, 1, 2] * 8, mask=[1, 0, 0] * 8), [1, 2]),
    "masked text": (np.ma.array(["q", "a", "b"] * 8, mask=[1, 0, 0] * 8), ["a", "b"]),
}


@pytest.mark.parametrize(("labels", "expected"), LABELS.values(), ids=LABELS)
def test_labels_stay_what_they_are(labels, expected):
    """Once "nan" and "True" were groups, and what a mask hid."""
    found = ale(predict, X, "x", K=3, groups=labels, missing="drop")
    assert list(found) == expected
    assert [type(label) for label in found] == [type(label) for label in expected]
    legend = ice(predict, X, "x", K=3).plot(colour_by=labels).axes_[0].get_legend()
    if legend is not None:
        assert [text.get_text() for text in legend.get_texts()] == list(map(str, expected))
    if len(expected) == 2:
        with pytest.raises(FeatureError, match="groups has 8 missing label"):
            ale(predict, X, "x", K=3, groups=labels)
        with pytest.raises(ValueError, match="y has 8 missing value"):
            effect_panel(predict, X, labels, "x", K=3)


def test_what_can_be_no_labels():
    fields = np.zeros(N, dtype=[("a", int)])
    for message, labels in (
        ("groups must be plain values, got the fields", fields),
        (r"groups must have one label per row, \(24,\), got \(24, 1\)", [[1]] * N),
        (r"column 'groups' holds values that cannot be levels", [[1], [1, 2]] * (N // 2)),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            ale(predict, X, "x", groups=labels)
    with pytest.raises(TypeError, match="y must be numbers, or labels"):
        effect_panel(predict, X, [[1], [1, 2]] * (N // 2), "x")


def test_all_leaves_out_what_is_unknown_in_a_group():
    holes = X.assign(z=X["z"].where(X["red"] == 0), w=np.arange(N) % 7)
    black_box = lambda f: f["x"] + f["w"]  # noqa: E731
    with pytest.warns(UserWarning, match="left out: no row of group 1 is left where 'z' is known"):
        found = ale(black_box, holes, "all", K=3, groups="red", missing="drop")
    assert {name for name, _ in found} == {"x", "blue", "w"}
    weights = np.where(X["red"] == 1, 0.0, 1.0)
    with pytest.raises(FeatureError, match="sample_weight is zero in every row of group 1"):
        ale(black_box, holes[["x", "w", "red"]], "all", K=3, groups="red", sample_weight=weights)


ONE_HOT = {
    "no name": ({None: ["red", "blue"]}, X, "features must name what the columns .* got None"),
    "name of the base": (
        {"colour": ["(none)", "blue"]},
        X.rename(columns={"red": "(none)"}),
        r"one-hot column '\(none\)' of 'colour' has the name of the level",
    ),
}


@pytest.mark.parametrize(("features", "frame", "message"), ONE_HOT.values(), ids=ONE_HOT)
def test_names_of_one_hot_columns(features, frame, message):
    with pytest.raises(FeatureError, match=message):
        ale(lambda f: f["x"], frame, features)


def test_objects_in_one_hot_columns_stay_of_their_type():
    frame = X.assign(red=X["red"].astype(bool).astype(object), blue=X["blue"].astype(object))
    kinds = set()

    def black_box(rows):
        kinds.update(
            (type(red), type(blue)) for red, blue in rows[["red", "blue"]].itertuples(index=False)
        )
        return predict(rows)

    found = ale(black_box, frame, {"colour": ["red", "blue"]})["colour"]
    assert kinds == {(bool, int)}
    whole = ale(predict, X, {"colour": ["red", "blue"]})["colour"]
    np.testing.assert_array_equal(found.f_values, whole.f_values)


@pytest.mark.parametrize("bandwidth", ["-3D", 0, "0D"])
def test_a_bandwidth_of_times_is_shown_as_given(bandwidth):
    frame = X.assign(x=pd.date_range("2024-01-01", periods=N))
    with pytest.raises(ValueError, match=f"bandwidth of column 'x' must be a .*got '?{bandwidth}"):
        m_plot(lambda f: f["z"], frame, "x", bandwidth=bandwidth)


SPANS = [2, 40, 70, 500, 50 * 3600, 4 * 86400, 70 * 86400, *(k * 86400 * 200 for k in (3, 5, 9))]


@pytest.mark.parametrize("seconds", SPANS)
def test_every_span_of_time_has_ticks(seconds):
    """Of two to five years the locator had none, and warned."""
    frame = X.assign(x=pd.Timestamp("2019-11-20") + pd.to_timedelta(X["x"] / 12 * seconds, "s"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        display = ale(lambda f: f["z"], frame, "x", K=3).plot()
        display.figure_.canvas.draw()
    low, high = display.axes_[0].get_xlim()
    ticks = display.axes_[0].get_xticks()
    assert 2 <= ((ticks >= low) & (ticks <= high)).sum() <= 5
    matplotlib.pyplot.close(display.figure_)


@pytest.mark.parametrize("zone", [None, "Asia/Tehran", "America/New_York"])
def test_the_ends_of_the_calendar_are_drawn(zone):
    """ "9999-12-31" stands for "no end" in many a table."""
    ends = np.array(["0001-02-01", "2024-01-01", "9999-12-01"] * 8, dtype="M8[s]")
    frame = X.assign(x=pd.Series(ends).dt.tz_localize("UTC").dt.tz_convert(zone))
    display = ale(lambda f: f["z"], frame, "x", K=2).plot()
    display.figure_.canvas.draw()
    low, high = display.axes_[0].get_xlim()
    assert [low, high] == [-719_162, 2_932_896]
    matplotlib.pyplot.close(display.figure_)


def test_automatic_intervals_of_a_panel_say_what_they_take():
    """Its own grid is another than theirs; "leave out grid=" was what the caller had done."""
    with pytest.raises(ValueError, match="it takes grid='aleplot', got 'equidistant'"):
        effect_panel(predict, X, X["x"], "x", K="auto")
    panel = effect_panel(predict, X, X["x"], "x", K="auto", grid="aleplot")
    np.testing.assert_array_equal(
        panel.effects[0].f_values, ale(predict, X, "x", K="auto").f_values
    )
