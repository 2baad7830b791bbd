"""The panel's averages are a groupby's, its effects those of ale and partial_dependence."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, effect_panel, load, partial_dependence
from aleplot_py.errors import FeatureError, PredictionError

# pandas adds in another order.
ROUNDING = 1e-12
N = 120
RNG = np.random.default_rng(12)
X = pd.DataFrame(
    {
        "x": RNG.normal(size=N),
        "count": RNG.integers(0, 9, N),
        "c": pd.Categorical(RNG.choice(["hi", "lo"], N), ["lo", "mid", "hi"]),
    }
)
WEIGHTS = RNG.uniform(0.5, 2, N)


def predict(frame):
    return frame["count"] + (frame["c"] == "hi") * frame["x"]


Y = predict(X) + RNG.normal(size=N)


@pytest.fixture(scope="module")
def panel():
    return effect_panel(predict, X, Y, "all", K=5, sample_weight=WEIGHTS)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def grouped(table, name):
    """The same averages by pandas."""
    rows = X.assign(y=Y * WEIGHTS, p=predict(X) * WEIGHTS, w=WEIGHTS)
    by = X[name]
    if name != "c":
        edges = [table["low"].iloc[0], *table["high"]]
        by = pd.cut(X[name], edges, include_lowest=True)
    sums = rows.groupby(by, observed=False)[["w", "y", "p"]].sum()
    if name == "c":
        sums = sums.loc[list(table["low"])]
    return sums["w"], sums["y"] / sums["w"], sums["p"] / sums["w"]


def test_averages_are_those_of_a_groupby(panel):
    frame = panel.to_frame()
    assert list(frame.columns) == [
        *("feature", "low", "high", "count", "observed", "predicted", "pd", "ale")
    ]
    for name, table in frame.groupby("feature"):
        found = table[["count", "observed", "predicted"]].to_numpy().T
        np.testing.assert_allclose(found, grouped(table, name), rtol=ROUNDING)


def test_effects_are_those_of_their_functions_the_strongest_first(panel):
    how = {"sample_weight": WEIGHTS, "K": 5, "grid": "equidistant"}
    effects = ale(predict, X, "all", **how).sort_by("strength")
    assert panel.features == tuple(effects)
    for number, (name, effect) in enumerate(effects.items()):
        table = panel.to_frame().query("feature == @name")
        at = effect.f_values
        points = effect.x_values[0]
        if name != "c":
            at, points = (at[:-1] + at[1:]) / 2, (points[:-1] + points[1:]) / 2
        np.testing.assert_array_equal(table["ale"], at + effect.mean_prediction)
        options = {"order": list(points)} if name == "c" else {"grid": points}
        profile = partial_dependence(predict, X, name, sample_weight=WEIGHTS, **options)
        np.testing.assert_array_equal(table["pd"], profile.f_values)
        assert panel.effects[number] == effect


def test_every_row_is_predicted_once_for_all_averages():
    sizes = []

    def counting(frame):
        sizes.append(len(frame))
        return predict(frame)

    effect_panel(counting, X, Y, ["x", "count"], K=4).to_frame()
    # Two ends of the interval and four middles for each feature; once for the averages.
    assert sum(sizes) == (2 * (2 + 4) + 1) * N


def test_one_hot_columns_are_one_feature():
    rows = X.assign(hi=(X["c"] == "hi") * 1, lo=(X["c"] == "lo") * 1)
    feature = {"level": ["hi", "lo"]}
    [effect] = effect_panel(lambda rows: rows["hi"] * rows["x"], rows, Y, feature).effects
    assert effect == ale(lambda rows: rows["hi"] * rows["x"], rows, feature)["level"]


def test_intervals_without_rows_and_missing_values():
    gap = X.assign(x=np.where(X["x"] > 0, X["x"] + 50, X["x"]))
    table = effect_panel(predict, gap, Y, "x", K=10).to_frame()
    empty = table["count"] == 0
    assert empty.any()
    assert table.loc[empty, ["observed", "predicted"]].isna().all(axis=None)
    assert table[["pd", "ale"]].notna().all(axis=None)
    holes = X.assign(x=X["x"].where(np.arange(N) > 9))
    with pytest.raises(FeatureError, match="column 'x' has 10 missing"):
        effect_panel(predict, holes, Y, "x")
    found = effect_panel(lambda f: predict(f.fillna({"x": 0})), holes, Y, "x", missing="drop")
    known = effect_panel(predict, X[10:], Y[10:], "x")
    pd.testing.assert_frame_equal(found.to_frame(), known.to_frame(), check_exact=True)


class Classifier:
    classes_ = np.array(["no", "yes"])

    def predict(self, frame):
        raise AssertionError("a classifier is explained by its probabilities")

    def predict_proba(self, frame):
        p = 1 / (1 + np.exp(-frame["x"].to_numpy()))
        return np.stack([1 - p, p], axis=1)


def test_labels_count_as_the_explained_class():
    labels = np.where(X["x"] > 0, "yes", "no")
    for target, share in (("yes", X["x"] > 0), ("no", X["x"] <= 0), (None, X["x"] > 0)):
        found = effect_panel(Classifier(), X, labels, "x", K=3, target=target)
        by_hand = effect_panel(Classifier(), X, share.astype(float), "x", K=3, target=target)
        np.testing.assert_array_equal(found.observed[0], by_hand.observed[0])


def test_dates_are_drawn_and_saved(tmp_path):
    dates = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=60)})
    panel = effect_panel(lambda f: f["day"].dt.day_of_year / 10, dates, np.arange(60.0), "day", K=4)
    assert panel.to_frame()["low"].iloc[0] == pd.Timestamp("2024-01-01")
    panel.save(tmp_path / "panel.json")
    assert load(tmp_path / "panel.json") == panel
    panel.plot().figure_.canvas.draw()


def test_drawing(panel):
    display = panel.plot(labels={"x": "Wind", "observed": "Daten"}, units="", title="Panel")
    assert [ax.get_xlabel() for ax in display.axes_] == [
        {"x": "Wind"}.get(name, name) for name in panel.features
    ]
    table = panel.to_frame()
    for number, name in enumerate(panel.features):
        rows = table[table["feature"] == name]
        heights = [bar.get_height() for bar in display.bars_[number]]
        np.testing.assert_array_equal(heights, rows["count"])
        for line, column in (("observed", "observed"), ("PD", "pd"), ("ALE", "ale")):
            np.testing.assert_array_equal(display.lines_[number][line].get_ydata(), rows[column])
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert texts == ["Daten", "predicted", "PD", "ALE"]
    assert display.axes_[0].get_ylabel() == "average"
    assert len({ax.get_ylim() for ax in display.axes_}) == 1
    low = min(line.get_ydata().min() for line in display.lines_[0].values())
    assert display.axes_[0].get_ylim()[0] < low
    _, given = plt.subplots(1, 3)
    mine = panel.plot(ax=given, visuals={"bars": False, "line": {"linewidth": 3}})
    assert list(mine.axes_) == list(given)
    assert mine.bars_ == [None] * 3
    assert mine.lines_[0]["ALE"].get_linewidth() == 3
    assert panel.plot(visuals={"legend": False}).legend_ is None
    assert "<img" in panel._repr_html_()


REFUSED = {
    "length": ({"y": [1.0]}, ValueError, r"y must have one value per row, \(120,\), got shape"),
    "missing": ({"y": Y.mask(Y > 1)}, ValueError, r"y has \d+ missing value\(s\) in 120 rows"),
    "text": ({"y": ["a"] * N}, TypeError, "y must be numbers, or labels of which target= is one"),
    "infinite": ({"y": [np.inf] * N}, ValueError, "y must be finite, got inf"),
    "pair": ({"features": ("x", "c")}, ValueError, "single features, got the pair"),
    "target": ({"target": ["a", "b"]}, PredictionError, "target must be the label of one output"),
    "unknown": ({"features": "xx"}, FeatureError, "'xx' is not a column of X: nearest"),
}


@pytest.mark.parametrize(("changed", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_unusable_arguments(changed, error, message):
    with pytest.raises(error, match=message):
        effect_panel(**({"predict": predict, "X": X, "y": Y, "features": "x"} | changed))


def test_unusable_options_of_the_drawing(panel):
    for options, message in (
        ({"labels": {"xx": "a"}}, r"labels names 'xx', .*; did you mean 'x'"),
        ({"visuals": {"rug": False}}, "visuals names 'rug', which is not one of the layers"),
        ({"n_cols": 0}, "n_cols must be a positive integer, got 0"),
    ):
        with pytest.raises(ValueError, match=message):
            panel.plot(**options)
