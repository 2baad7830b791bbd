"""The plots: every test reads the data of the artists, none looks at pixels."""

import pickle
import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from sklearn.linear_model import LinearRegression

import aleplot_py
from aleplot_py import (
    ale,
    association_matrix,
    bootstrap_bands,
    ice,
    k_sensitivity,
    leave_two_out_importance,
    lofo_importance,
    m_plot,
    partial_dependence,
    sequential_elimination,
)
from aleplot_py.plots import STYLE, AleDisplay, Display
from aleplot_py.plots.display import LAYERS
from aleplot_py.plots.look import MANY
from aleplot_py.plots.rug import STRIP
from aleplot_py.plots.visuals import OLD_NAMES, OldVisuals, Visuals
from aleplot_py.results.effects import EffectCollection

pytestmark = pytest.mark.usefixtures("close_figures")

# Points in axes units pass through one affine map: a few roundings.
PLACE = 1e-12
# A mean over rows around 100, taken in another order.
SHIFT = 1e-11

LEVELS = ["low", "middle", "rather high"]


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(5)
    x1 = rng.uniform(0, 1, 120) ** 2
    return pd.DataFrame(
        {
            "x1": x1,
            "x2": x1 + rng.normal(0, 0.1, 120),
            "c": pd.Categorical(rng.choice(LEVELS, 120), categories=LEVELS, ordered=True),
            "g": pd.Categorical(rng.choice(["a", "b"], 120), ordered=True),
        }
    )


def f(frame):
    c = frame["c"].cat.codes
    return frame["x1"] ** 2 + frame["x1"] * frame["x2"] * (1 + c) + (frame["g"] == "b") * c


@pytest.fixture(scope="module")
def effects(X):
    return ale(f, X, ["x1", "x2", "c", ("x1", "x2"), ("c", "x2"), ("x1", "c"), ("c", "g")], K=6)


def corners(collection):
    """(x low, x high, y low, y high) of each rectangle, as a set."""
    boxes = [path.get_extents() for path in collection.get_paths()]
    return {(b.x0, b.x1, b.y0, b.y1) for b in boxes}


def test_curve_is_the_result(effects):
    display = effects["x1"].plot()
    line = display.lines_[0]
    np.testing.assert_array_equal(line.get_xdata(), effects["x1"].x_values[0])
    np.testing.assert_array_equal(line.get_ydata(), effects["x1"].f_values)
    assert isinstance(display, AleDisplay)
    assert line.axes is display.axes_[0]
    assert display.axes_[0].figure is display.figure_
    assert display.bars_ == [None]
    assert line.get_marker() == "None"
    assert effects["x1"].plot(visuals={"line": {"marker": "o"}}).lines_[0].get_marker() == "o"


def test_one_interval_is_a_line():
    X = pd.DataFrame({"x": np.r_[np.zeros(90), np.arange(1.0, 11)]})
    display = ale(lambda frame: frame["x"], X, "x", K=4).plot()
    assert display.lines_[0].get_xydata().tolist() == [[0, -5], [10, 5]]
    low, high = display.axes_[0].get_xlim()
    assert low <= 0
    assert high >= 10


@pytest.mark.parametrize("K", [5, 50])
def test_rug_is_at_the_observed_values_whatever_K(X, K):
    display = ale(f, X, "x1", K=K).plot()
    rug = display.rugs_[0]
    np.testing.assert_array_equal(rug.get_positions(), np.unique(X["x1"]))
    display.figure_.canvas.draw()
    ends = [rug.get_transform().transform(segment) for segment in rug.get_segments()]
    shown = display.axes_[0].transData.inverted().transform(np.array(ends)[:, 0])[:, 0]
    np.testing.assert_allclose(shown, np.unique(X["x1"]), rtol=0, atol=PLACE)
    inside = display.axes_[0].transAxes.inverted().transform(np.vstack(ends))[:, 1]
    assert inside.min() > -PLACE
    assert inside.max() < 0.05


def test_rug_of_many_rows_is_a_strip_that_shows_where_they_are():
    rng = np.random.default_rng(0)
    x = np.r_[rng.normal(size=30_000), 9.0]
    rug = ale(lambda frame: frame["x"], pd.DataFrame({"x": x}), "x").plot().rugs_[0]
    at = np.array(rug.get_positions())
    assert len(at) <= STRIP
    assert np.isin(at, x).all()
    assert (at.min(), at.max()) == (x.min(), 9.0)  # the single row far away is there
    width = np.ptp(x) / STRIP
    assert np.abs(x[:, None] - at[None, ::]).min(axis=1).max() <= width * (1 + PLACE)
    alpha = rug.get_colors()[:, 3]
    rows = np.array([((x >= low) & (x < low + width)).sum() for low in at])
    assert np.corrcoef(np.sqrt(rows), alpha)[0, 1] > 0.99
    # Up to the limit every value has its own stroke.
    few = pd.DataFrame({"x": x[-MANY:]})
    rug = ale(lambda frame: frame["x"], few, "x").plot().rugs_[0]
    np.testing.assert_array_equal(rug.get_positions(), np.unique(few["x"]))


def test_rug_can_be_left_out_or_added_to_a_pair(effects, X):
    assert effects["x1"].plot(visuals={"rug": False}).rugs_ == [None]
    assert effects["x1", "x2"].plot().rugs_ == [None]
    across, up = effects["x1", "x2"].plot(visuals={"rug": True}).rugs_[0]
    np.testing.assert_array_equal(across.get_positions(), np.unique(X["x1"]))
    np.testing.assert_array_equal(up.get_positions(), np.unique(X["x2"]))
    assert up.get_orientation() == "vertical"
    assert effects["x1", "c"].plot(visuals={"rug": True}).rugs_[0][1] is None


def test_labels_name_the_feature_and_the_units(effects):
    ax = effects["x1"].plot().axes_[0]
    assert ax.get_xlabel() == "x1"
    assert ax.get_ylabel() == "ALE of x1\n(units of the prediction)"
    ax = effects["x1"].plot(labels={"x1": "Wind (km/h)"}, units="rentals").axes_[0]
    assert ax.get_xlabel() == "Wind (km/h)"
    assert ax.get_ylabel() == "ALE of Wind (km/h) (rentals)"
    ax = effects["x1"].plot(units="").axes_[0]
    assert ax.get_ylabel() == "ALE of x1"
    ax = effects["x1"].plot(xlabel="a", ylabel="b", title="c", ylim=(-7, 8)).axes_[0]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("a", "b", "c")
    assert ax.get_ylim() == (-7, 8)
    assert effects["x1"].plot(value_label="Effect").axes_[0].get_ylabel() == (
        "Effect (units of the prediction)"
    )


def test_label_of_a_column_of_an_array_and_of_a_class():
    X = np.linspace(0, 1, 20)[:, None]
    effect = ale(lambda a: np.c_[a[:, 0], 1 - a[:, 0]], X, 0, target=1, K=3)
    ax = effect.plot(units="").axes_[0]
    assert ax.get_xlabel() == "column 0"
    assert ax.get_ylabel() == "ALE of column 0, 1"


def test_zero_line_behind_centred_effects_only(effects, X):
    line = effects["x1"].plot().zero_lines_[0]
    assert list(line.get_ydata()) == [0, 0]
    assert line.get_zorder() < 1
    assert effects["x1"].plot(visuals={"zero_line": False}).zero_lines_ == [None]
    assert partial_dependence(f, X, "x1", K=4).plot().zero_lines_ == [None]
    assert partial_dependence(f, X, "x1", K=4, centre="pdplot").plot().zero_lines_ != [None]


def test_bars_of_a_category(effects, X):
    effect = effects["c"]
    display = effect.plot(visuals={"counts": True}, level_labels={"low": "LOW"})
    bars = display.bars_[0]
    assert [bar.get_height() for bar in bars] == effect.f_values.tolist()
    assert [bar.get_x() + bar.get_width() / 2 for bar in bars] == pytest.approx(
        [0, 1, 2], abs=PLACE
    )
    ax = display.axes_[0]
    assert ax.get_xticks().tolist() == [0, 1, 2]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["LOW", "middle", "rather high"]
    rows = [str((X["c"] == level).sum()) for level in LEVELS]
    assert [text.get_text() for text in display.counts_[0]] == rows
    for text, value in zip(display.counts_[0], effect.f_values, strict=True):
        assert text.xy[1] == 0
        assert (text.xyann[1] < 0) == (value >= 0)
    assert display.lines_ == [None]
    assert display.rugs_ == [None]


def test_level_names_are_turned_where_they_would_collide():
    names = {
        "short": [str(i) for i in range(4)],
        "long": [f"a level with a long name, number {i}" for i in range(4)],
        "many": [f"level {i:02d}" for i in range(30)],
    }
    turns = {}
    for key, levels in names.items():
        column = pd.Categorical(levels * 2, categories=levels, ordered=True)
        effect = ale(lambda frame: frame["c"].cat.codes, pd.DataFrame({"c": column}), "c")
        display = effect.plot()
        turns[key] = display.axes_[0].get_xticklabels()[0].get_rotation()
        display.figure_.canvas.draw()
        box = display.axes_[0].get_xticklabels()[0].get_window_extent()
        assert box.y0 >= 0, key
    assert turns == {"short": 0, "long": 40, "many": 90}


def test_uneven_cells_are_drawn_uneven():
    X = pd.DataFrame({"x": [0.0, 0.5, 1, 3, 10, 10], "y": [0.0, 1, 0, 1, 1, 0]})
    grid = {"x": [0, 1, 10], "y": [0.0, 1.0]}
    effect = ale(lambda frame: frame["x"] * frame["y"], X, ("x", "y"), grid=grid)
    display = effect.plot()
    mesh = display.meshes_[0].get_coordinates()
    assert mesh[0, :, 0].tolist() == [0, 0.5, 5.5, 10]
    assert mesh[:, 0, 1].tolist() == [0, 0.5, 1]
    np.testing.assert_array_equal(display.meshes_[0].get_array(), effect.f_values.T)
    ax = display.axes_[0]
    assert ax.get_xlim() == (0, 10)
    assert ax.get_ylim() == (0, 1)
    ticks = [t for t in ax.get_xticks() if 0 <= t <= 10]
    assert np.ptp(np.diff(ticks)) == 0  # even in data units, wherever the cells end

    display = effect.plot(cells="intervals")
    mesh = display.meshes_[0].get_coordinates()
    assert mesh[0, :, 0].tolist() == [0, 1, 10]
    assert mesh[:, 0, 1].tolist() == [0, 1]
    v = effect.f_values
    means = [[v[:2].mean(), v[1:].mean()]]
    np.testing.assert_allclose(display.meshes_[0].get_array(), means, rtol=0, atol=PLACE)


def test_pair_has_first_feature_across_and_colours_centred_at_zero(effects):
    effect = effects["x1", "x2"]
    display = effect.plot(units="mm")
    ax, mesh = display.axes_[0], display.meshes_[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "x2")
    np.testing.assert_array_equal(mesh.get_array(), effect.f_values.T)
    furthest = np.abs(effect.f_values).max()
    assert (mesh.norm.vmin, mesh.norm.vmax) == (-furthest, furthest)
    assert mesh.norm(0.0) == 0.5
    assert mesh.get_cmap().name == "RdBu_r"
    assert display.colorbars_[0].ax.get_ylabel() == "ALE of x1 and x2 (mm)"
    mesh = effect.plot(clim=(-1, 3), visuals={"mesh": {"cmap": "PuOr"}}).meshes_[0]
    assert (mesh.norm.vmin, mesh.norm.vmax, mesh.get_cmap().name) == (-3, 3, "PuOr")
    assert effect.plot(visuals={"colorbar": False}).colorbars_ == [None]


def test_uncentred_pd_has_sequential_colours_and_centred_diverging(X):
    raw = partial_dependence(f, X, ("x1", "x2"), K=4)
    mesh = raw.plot().meshes_[0]
    assert mesh.get_cmap().name == "viridis"
    assert (mesh.norm.vmin, mesh.norm.vmax) == (raw.f_values.min(), raw.f_values.max())
    assert raw.plot(clim=(0, 9)).meshes_[0].norm.vmax == 9
    centred = partial_dependence(f, X, ("x1", "x2"), K=4, centre="pdplot").plot().meshes_[0]
    assert centred.get_cmap().name == "RdBu_r"
    assert centred.norm(0.0) == 0.5


def test_contours_of_numeric_pairs_only(effects):
    pair = effects["x1", "x2"]
    contours = pair.plot(visuals={"contours": {"levels": [-100, -0.1, 0]}}).contours_[0]
    assert contours.levels.tolist() == [-0.1, 0]
    assert pair.plot(visuals={"contours": {"levels": 3}}).contours_[0] is not None
    assert pair.plot(visuals={"contours": {"levels": [99]}}).contours_ == [None]
    assert pair.plot(visuals={"contours": False}).contours_ == [None]
    assert pair.plot(visuals={"contour_labels": False}).contours_[0].labelTexts == []
    assert effects["c", "x2"].plot().contours_ == [None]


def test_flat_surface_is_drawn_without_warnings():
    X = pd.DataFrame({"x": [0.0, 1, 2], "y": [0.0, 1, 0]})
    display = ale(lambda frame: np.zeros(len(frame)), X, ("x", "y")).plot()
    assert display.contours_ == [None]
    assert display.meshes_[0].norm(0.0) == 0.5
    flat = partial_dependence(lambda frame: np.full(len(frame), 4.0), X, ("x", "y"), K=3).plot()
    assert flat.meshes_[0].norm.vmin < 4 < flat.meshes_[0].norm.vmax


@pytest.mark.parametrize("pair", [("c", "x2"), ("x1", "c"), ("c", "g")])
def test_categorical_axis_has_one_column_for_each_level(effects, pair):
    effect = effects[pair]
    display = effect.plot()
    ax = display.axes_[0]
    mesh = display.meshes_[0].get_coordinates()
    np.testing.assert_array_equal(display.meshes_[0].get_array(), effect.f_values.T)
    for name, borders, axis in zip(pair, (mesh[0, :, 0], mesh[:, 0, 1]), "xy", strict=True):
        levels = {"c": LEVELS, "g": ["a", "b"]}.get(name)
        if levels:
            assert borders.tolist() == [i - 0.5 for i in range(len(levels) + 1)]
            assert getattr(ax, f"get_{axis}ticks")().tolist() == list(range(len(levels)))
            assert [t.get_text() for t in getattr(ax, f"get_{axis}ticklabels")()] == levels


def test_empty_cells_are_marked_between_their_edges(effects):
    effect = effects["x1", "x2"]
    z, w = effect.x_values
    expected = {(z[i], z[i + 1], w[j], w[j + 1]) for i, j in np.argwhere(effect.empty)}
    assert expected
    hatched = effect.plot().empty_cells_[0]
    assert corners(hatched) == expected
    assert hatched.get_hatch()
    assert hatched.get_facecolor().size == 0 or hatched.get_facecolor()[0, 3] == 0
    black = effect.plot(empty="black").empty_cells_[0]
    assert corners(black) == expected
    assert tuple(black.get_facecolor()[0]) == to_rgba("black")
    assert black.get_zorder() > effect.plot().contours_[0].labelTexts[0].get_zorder()
    assert effect.plot(empty="none").empty_cells_ == [None]


def test_few_rows_are_marked_on_request(effects):
    effect = effects["x1", "x2"]
    z, w = effect.x_values
    marked = corners(effect.plot(min_count=4).empty_cells_[0])
    assert marked == {(z[i], z[i + 1], w[j], w[j + 1]) for i, j in np.argwhere(effect.counts < 4)}
    assert len(marked) > effect.empty.sum()


def test_empty_cells_of_levels():
    levels = ["a", "b", "c"]
    X = pd.DataFrame(
        {
            "c": pd.Categorical(["a", "b", "c", "a", "c"], categories=levels, ordered=True),
            "x": [0.0, 0.5, 1, 2, 2],
        }
    )
    effect = ale(
        lambda frame: frame["x"] * frame["c"].cat.codes, X, ("c", "x"), grid={"x": [0, 1, 2]}
    )
    assert corners(effect.plot().empty_cells_[0]) == {(0.5, 1.5, 1, 2)}
    assert corners(effect.transpose().plot().empty_cells_[0]) == {(1, 2, 0.5, 1.5)}


def test_empty_cells_of_a_partial_dependence_are_counted_from_the_rows():
    X = pd.DataFrame({"x": [0.0, 1, 2, 2], "c": ["a", "b", "a", "b"]})
    effect = partial_dependence(lambda frame: frame["x"], X, ("x", "c"), grid={"x": [0, 1, 2]})
    assert effect.plot().empty_cells_ == [None]
    # Row by row: (0, a) and (1, b) in the first interval, (2, a) and (2, b) in the second.
    assert effect.plot(empty="hatch").empty_cells_ == [None]
    X["c"] = ["a", "b", "a", "a"]
    effect = partial_dependence(lambda frame: frame["x"], X, ("x", "c"), grid={"x": [0, 1, 2]})
    assert corners(effect.plot(empty="hatch").empty_cells_[0]) == {(1, 2, 0.5, 1.5)}


def test_observed_points(effects, X):
    points = effects["x1", "x2"].plot(visuals={"points": True}).points_[0]
    np.testing.assert_array_equal(points.get_offsets(), X[["x1", "x2"]].to_numpy())
    points = effects["c", "x2"].plot(visuals={"points": True}).points_[0]
    np.testing.assert_array_equal(points.get_offsets()[:, 0], X["c"].cat.codes)
    assert effects["x1", "x2"].plot().points_ == [None]


def test_individual_curves_and_their_average(X):
    effect = ice(f, X, "x1", K=5)
    display = effect.plot(units="")
    curves = display.individual_[0]
    segments = np.array(curves.get_segments())
    assert segments.shape == (120, 5, 2)
    np.testing.assert_array_equal(segments[..., 1], effect.individual)
    np.testing.assert_array_equal(segments[7, :, 0], effect.x_values[0])
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), effect.f_values)
    assert curves.get_linewidth()[0] < display.lines_[0].get_linewidth()
    low, high = display.axes_[0].get_ylim()
    assert low < effect.individual.min()
    assert high > effect.individual.max()
    assert display.axes_[0].get_ylabel() == "ICE and PD of x1"
    only = effect.plot(individual=False, units="")
    assert only.individual_ == [None]
    assert only.axes_[0].get_ylabel() == "PD of x1"


def test_individual_curves_of_a_sample_of_rows(X):
    effect = ice(f, X, "x1", K=5)
    display = effect.plot(individual=10)
    drawn = np.array(display.individual_[0].get_segments())[..., 1]
    assert drawn.shape == (10, 5)
    rows = [np.flatnonzero((effect.individual == curve).all(axis=1))[0] for curve in drawn]
    assert rows == sorted(set(rows))
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), effect.f_values)
    again = effect.plot(individual=10).individual_[0].get_segments()
    np.testing.assert_array_equal(np.array(again)[..., 1], drawn)
    everyone = effect.plot(individual=500).individual_[0].get_segments()
    assert len(everyone) == len(X)
    assert len(effect.plot(individual=np.int64(1)).individual_[0].get_segments()) == 1


def test_local_effects_of_a_sample_of_rows(X):
    effect = ale(f, X, "x1", K=6, local_effects=True)
    strokes = np.array(effect.plot(local_effects=7).individual_[0].get_segments())
    every = np.array(effect.plot(local_effects=True).individual_[0].get_segments())
    assert (len(strokes), len(every)) == (7, len(X))
    assert {s.tobytes() for s in strokes} <= {s.tobytes() for s in every}


def test_individual_curves_of_a_category(X):
    effect = ice(f, X, "c")
    display = effect.plot()
    np.testing.assert_array_equal(
        np.array(display.individual_[0].get_segments())[..., 1], effect.individual
    )
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), effect.f_values)
    assert display.bars_ == [None]
    assert effect.plot(individual=False).bars_ != [None]


def test_intervals_without_rows_are_marked():
    X = pd.DataFrame({"x": [0.0, 1, 2, 7, 8]})
    effect = ale(lambda frame: frame["x"] ** 2, X, "x", grid=[0.0, 1, 2, 5, 6, 8])
    assert effect.empty.tolist() == [False, False, True, True, False]
    display = effect.plot()
    cover = display.empty_cells_[0]
    assert corners(cover) == {(2, 5, 0, 1), (5, 6, 0, 1)}
    assert cover.get_hatch()
    assert cover.get_zorder() < display.lines_[0].get_zorder()
    display.figure_.canvas.draw()
    box = cover.get_transform().transform([(2, 0), (6, 1)])
    ax = display.axes_[0]
    np.testing.assert_allclose(ax.transAxes.inverted().transform(box)[:, 1], [0, 1], atol=PLACE)
    np.testing.assert_allclose(ax.transData.inverted().transform(box)[:, 0], [2, 6], atol=PLACE)
    assert corners(effect.plot(min_count=2).empty_cells_[0]) >= {(2, 5, 0, 1), (1, 2, 0, 1)}
    faded = effect.plot(empty="fade")
    assert faded.empty_cells_[0].get_zorder() > faded.lines_[0].get_zorder()
    assert effect.plot(empty="none").empty_cells_ == [None]


def test_no_interval_with_rows_is_marked(effects, X):
    assert effects["x1"].plot().empty_cells_ == [None]
    assert effects["c"].plot().empty_cells_ == [None]
    assert partial_dependence(f, X, "x1", K=3).plot().empty_cells_ == [None]


def test_m_plot_leaves_cells_without_rows_blank(X):
    effect = m_plot(f, X, ("x1", "x2"), K=8)
    assert np.isnan(effect.f_values).any()
    display = effect.plot()
    np.testing.assert_array_equal(
        np.ma.getmaskarray(display.meshes_[0].get_array()), np.isnan(effect.f_values.T)
    )
    curve = m_plot(f, X, "x1", K=4)
    np.testing.assert_array_equal(curve.plot().lines_[0].get_ydata(), curve.f_values)


@pytest.mark.parametrize("feature", ["x1", "c"])
def test_heterogeneity_panel(effects, feature):
    effect = effects[feature]
    display = effect.plot(heterogeneity=True)
    values, edges, _ = display.heterogeneity_[0].get_data()
    np.testing.assert_array_equal(values, effect.local_std)
    np.testing.assert_array_equal(edges, effect.x_values[0] if feature == "x1" else [0, 1, 2])
    panel, ax = display.heterogeneity_axes_[0], display.axes_[0]
    assert panel.get_xlim() == ax.get_xlim()
    assert (panel.get_xlabel(), ax.get_xlabel()) == (feature, "")
    display.figure_.canvas.draw()
    assert panel.get_position().y1 < ax.get_position().y0
    assert panel.xaxis.label.get_window_extent().y0 >= 0
    if feature == "c":
        assert [t.get_text() for t in panel.get_xticklabels()] == LEVELS


def test_heterogeneity_panel_below_axes_placed_by_hand(effects):
    figure = plt.figure()
    ax = figure.add_axes((0.2, 0.5, 0.7, 0.4))
    panel = effects["x1"].plot(ax=ax, heterogeneity=True).heterogeneity_axes_[0]
    figure.canvas.draw()
    assert panel.get_position().y1 < ax.get_position().y0


def test_band(effects):
    effect = effects["x1"]
    low, high = effect.f_values - 1, effect.f_values + 2
    band = effect.plot(band=(low, high)).bands_[0]
    corner_points = {tuple(p) for p in band.get_paths()[0].vertices}
    assert set(zip(effect.x_values[0], low, strict=True)) <= corner_points
    assert set(zip(effect.x_values[0], high, strict=True)) <= corner_points
    level = effects["c"]
    bars = effects["c"].plot(band={"c": (level.f_values - 1, level.f_values + 3)}).bands_[0]
    segments = np.array(bars.lines[2][0].get_segments())
    np.testing.assert_allclose(segments[:, 0, 1], level.f_values - 1, rtol=0, atol=PLACE)
    np.testing.assert_allclose(segments[:, 1, 1], level.f_values + 3, rtol=0, atol=PLACE)


def test_band_of_an_effect_at_other_points_is_refused(effects, X):
    other = ale(f, X, "x1", K=6, grid="equidistant", local_effects=True)
    bands = bootstrap_bands(other, n_boot=2, random_state=0)
    assert bands.lower.shape == effects["x1"].f_values.shape
    with pytest.raises(ValueError, match="band of 'x1' is that of an effect at other points"):
        effects["x1"].plot(band=bands)


def test_grid_of_axes(effects):
    display = effects.plot(title="Everything")
    assert display.axes_.shape == (7,)
    assert len([ax for ax in display.figure_.axes if ax.get_label() != "<colorbar>"]) == 7
    assert display.axes_[0].get_subplotspec().get_gridspec().get_geometry() == (3, 3)
    assert display.figure_.get_suptitle() == "Everything"
    for i, effect in enumerate(effects.values()):
        drawn = [a[i] for a in (display.lines_, display.bars_, display.meshes_)]
        assert [a is not None for a in drawn] == [
            effect.kinds == ("numeric",),
            effect.kinds == ("categorical",),
            len(effect.kinds) == 2,
        ]
        assert display.axes_[i].get_xlabel() == effect.features[0]
    narrow = effects.plot(n_cols=2, figsize=(5, 6))
    assert narrow.axes_[0].get_subplotspec().get_gridspec().get_geometry() == (4, 2)
    assert tuple(narrow.figure_.get_size_inches()) == (5, 6)


def test_main_effects_share_y_and_are_labelled_once(effects, X):
    mains = AleDisplay([effects[name] for name in ("x1", "x2", "c")]).plot()
    limits = {ax.get_ylim() for ax in mains.axes_}
    assert len(limits) == 1
    low, high = limits.pop()
    assert low < min(effects[name].f_values.min() for name in ("x1", "x2", "c"))
    assert high > max(effects[name].f_values.max() for name in ("x1", "x2", "c"))
    assert [ax.get_ylabel() != "" for ax in mains.axes_] == [True, False, False]
    loose = AleDisplay([effects["x1"], effects["c"]]).plot(sharey=False)
    assert loose.axes_[0].get_ylim() != loose.axes_[1].get_ylim()
    # An average prediction and a centred effect have no scale in common.
    pd_x1 = partial_dependence(lambda frame: f(frame) + 100, X, "x1", K=3)
    mixed = AleDisplay([effects["x1"], pd_x1]).plot()
    assert mixed.axes_[0].get_ylim()[1] < 100 < mixed.axes_[1].get_ylim()[1]
    assert all(ax.get_ylabel() for ax in mixed.axes_)


def test_titles_one_for_each(effects):
    display = AleDisplay([effects["x1"], effects["c"]]).plot(title=["first", "second"])
    assert [ax.get_title() for ax in display.axes_] == ["first", "second"]


def test_draws_on_given_axes(effects):
    figure, (left, right) = plt.subplots(1, 2)
    before = plt.get_fignums()
    display = effects["x1"].plot(ax=right)
    assert display.axes_[0] is right
    assert display.figure_ is figure
    assert not left.lines
    assert plt.get_fignums() == before
    both = AleDisplay([effects["x1"], effects["c"]]).plot(ax=[left, right])
    assert list(both.axes_) == [left, right]
    again = effects["x1"].plot(ax=right, visuals={"line": {"color": "red", "label": "again"}})
    assert again.lines_[0].get_color() == "red"
    assert right.get_legend_handles_labels()[1] == ["ALE", "again"]


def test_given_axes_keep_their_style(effects):
    _, ax = plt.subplots()
    effects["c"].plot(ax=ax)
    size = mpl.rcParams["font.size"]
    assert ax.get_xticklabels()[0].get_size() == size
    assert ax.xaxis.label.get_size() == size


def test_new_figure_keeps_its_style_when_drawn_later(effects):
    with mpl.style.context(STYLE):
        settings = dict(mpl.rcParams)
    display = effects["x1"].plot()
    display.figure_.canvas.draw()
    ax = display.axes_[0]
    for axis, tick in ((ax.xaxis, "xtick"), (ax.yaxis, "ytick")):
        for label in axis.get_ticklabels():
            assert label.get_size() == settings[f"{tick}.labelsize"]
        for line in axis.get_ticklines():
            assert line.get_markersize() == settings[f"{tick}.major.size"]
    assert not ax.spines["top"].get_visible()
    assert display.figure_.get_facecolor() == to_rgba("white")


def test_settings_and_state_stay_as_they_are(effects, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a display must not show figures")

    monkeypatch.setattr(plt, "show", refuse)
    state = np.random.get_state()[1].tolist()  # noqa: NPY002
    before = dict(mpl.rcParams)
    values = {key: effect.f_values.copy() for key, effect in effects.items()}
    effects.plot(heterogeneity=True, visuals={"points": True, "counts": True})
    assert dict(mpl.rcParams) == before
    assert np.random.get_state()[1].tolist() == state  # noqa: NPY002
    for key, effect in effects.items():
        np.testing.assert_array_equal(effect.f_values, values[key])


def test_importing_the_package_does_not_import_matplotlib():
    code = (
        "import sys, aleplot_py, aleplot_py.plots.display, aleplot_py.r.api; "
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_pdf_has_truetype_fonts_whenever_it_is_saved(effects, tmp_path):
    figure = effects["x1"].plot().figure_
    figure.savefig(tmp_path / "effect.pdf")
    content = (tmp_path / "effect.pdf").read_bytes()
    assert b"/TrueType" in content or b"/CIDFontType2" in content
    assert b"/Type3" not in content
    assert mpl.rcParams["pdf.fonttype"] == mpl.rcParamsDefault["pdf.fonttype"]
    figure.savefig(tmp_path / "effect.png", dpi=50)
    assert plt.imread(tmp_path / "effect.png").shape[0] == round(50 * figure.get_figheight())


def test_a_styled_figure_can_be_pickled(effects):
    figure = pickle.loads(pickle.dumps(effects["x1"].plot().figure_))
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), effects["x1"].f_values)


# Artists that each layer leaves, an effect that has it, and an option that can be read back.
LAYER_CASES = {
    "line": ("x1", {}, "lines_", {"linewidth": 7}, lambda a: a.get_linewidth() == 7),
    "bars": ("c", {}, "bars_", {"width": 0.25}, lambda a: a[0].get_width() == 0.25),
    "mesh": (("x1", "x2"), {}, "meshes_", {"cmap": "PuOr"}, lambda a: a.get_cmap().name == "PuOr"),
    "individual": (
        "x1",
        {"local_effects": True},
        "individual_",
        {"linewidths": 3},
        lambda a: a.get_linewidth()[0] == 3,
    ),
    "band": (
        "x1",
        {"band": (np.full(7, -1.0), np.full(7, 1.0))},
        "bands_",
        {"alpha": 0.75},
        lambda a: a.get_alpha() == 0.75,
    ),
    "empty_cells": (
        ("x1", "x2"),
        {},
        "empty_cells_",
        {"hatch": "."},
        lambda a: a.get_hatch() == ".",
    ),
    "heterogeneity": (
        "x1",
        {"heterogeneity": True},
        "heterogeneity_",
        {"color": "red"},
        lambda a: a.get_facecolor() == to_rgba("red"),
    ),
    "rug": ("x1", {}, "rugs_", {"linewidth": 2}, lambda a: a.get_linewidth() == 2),
    "zero_line": ("x1", {}, "zero_lines_", {"linewidth": 2}, lambda a: a.get_linewidth() == 2),
    "contours": (
        ("x1", "x2"),
        {},
        "contours_",
        {"levels": [0.0]},
        lambda a: a.levels.tolist() == [0.0],
    ),
    "contour_labels": (
        ("x1", "x2"),
        {},
        "contours_",
        {"fontsize": 11},
        lambda a: a.labelTexts[0].get_fontsize() == 11,
    ),
    "colorbar": (
        ("x1", "x2"),
        {},
        "colorbars_",
        {"label": "here"},
        lambda a: a.ax.get_ylabel() == "here",
    ),
    "counts": ("c", {}, "counts_", {"fontsize": 11}, lambda a: a[0].get_fontsize() == 11),
    "points": (
        ("x1", "x2"),
        {},
        "points_",
        {"s": 30},
        lambda a: a.get_sizes().tolist() == [30],
    ),
}


@pytest.fixture(scope="module")
def with_local(X):
    return ale(f, X, "x1", K=6, local_effects=True)


@pytest.mark.parametrize("layer", LAYERS)
def test_options_of_a_layer_reach_its_artist(effects, with_local, layer):
    features, options, name, visual, holds = LAYER_CASES[layer]
    effect = with_local if features == "x1" else effects[features]
    display = effect.plot(visuals={layer: visual}, **options)
    assert holds(getattr(display, name)[0])
    usual = effect.plot(visuals={layer: True}, **options)
    assert not holds(getattr(usual, name)[0])


def test_layers_are_documented_and_typed():
    table = AleDisplay.plot.__doc__.split("======\n", 1)[1]
    for layer in LAYERS:
        assert any(line.split()[:1] == [layer] for line in table.splitlines()), layer
    assert set(LAYERS) <= set(Visuals.__annotations__)
    assert {layer for layer, _ in OLD_NAMES.values()} <= set(LAYERS)
    assert set(OLD_NAMES) == set(OldVisuals.__annotations__)


@pytest.mark.parametrize(
    ("old", "visuals"),
    [
        ({"rug": False}, {"rug": False}),
        ({"zero_line": False}, {"zero_line": False}),
        ({"markers": True}, {"line": {"marker": "o"}}),
        ({"markers": True, "line_kw": {"color": "red"}}, {"line": {"marker": "o", "color": "red"}}),
        ({"markers": False}, {}),
        ({"rug": None}, {}),
        ({"bar_kw": {"width": 0.2}}, {"bars": {"width": 0.2}}),
        ({"cmap": "PuOr"}, {"mesh": {"cmap": "PuOr"}}),
        ({"cmap": None}, {}),
        ({"contours": [0.0]}, {"contours": {"levels": [0.0]}}),
        ({"contours": 3}, {"contours": {"levels": 3}}),
        ({"contours": False}, {"contours": False}),
    ],
)
def test_arguments_of_0_1_0_are_layers_now(effects, monkeypatch, old, visuals):
    seen = []

    def look(ax, effect, look, band):
        seen.append(dict(look.visuals))
        return {}

    monkeypatch.setattr("aleplot_py.plots.display.draw_effect", look)
    with pytest.warns(DeprecationWarning, match="is deprecated") as told:
        effects["x1"].plot(**old)
    assert [str(warning.message).split("=")[0] for warning in told] == [f"plot({n}" for n in old]
    assert {warning.filename for warning in told} == {__file__}
    assert seen == [visuals]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"visuals": {"rugs": False}},
            ValueError,
            r"visuals names 'rugs', .* did you mean 'rug'\?",
        ),
        (
            {"visuals": {"rug": "no"}},
            TypeError,
            r"visuals\['rug'\] must be True, False or a mapping",
        ),
        ({"visuals": {"line": False}}, ValueError, r"visuals\['line'\] cannot be False"),
        ({"visuals": ["rug"]}, TypeError, r"visuals must be a mapping .* got \['rug'\]"),
        (
            {"labels": {"x11": "a"}},
            ValueError,
            r"labels names 'x11', .* drawn here; did you mean 'x1'\?",
        ),
        (
            {"level_labels": {"midle": "m"}},
            ValueError,
            r"level_labels names 'midle', .*; did you mean 'middle'\?",
        ),
        ({"titel": "a"}, TypeError, r"unexpected keyword argument 'titel'; did you mean 'title'\?"),
        ({"individual": 0.1}, TypeError, "individual must be True, False or a number of rows"),
        ({"individual": "some"}, TypeError, "individual must be .* got 'some'"),
        ({"individual": 0}, ValueError, "individual must be .* at least 1, got 0"),
        ({"individual": None}, TypeError, "individual must be .* got None"),
        ({"local_effects": "all"}, TypeError, "local_effects must be .* got 'all'"),
        ({"local_effects": -3}, ValueError, "local_effects must be .* got -3"),
        ({"heterogeneity": "sd"}, TypeError, "heterogeneity must be True or False, got 'sd'"),
        ({"sharey": "row"}, TypeError, "sharey must be True or False, got 'row'"),
    ],
)
def test_misspelt_options_are_refused_with_the_nearest(effects, options, error, message):
    figures = plt.get_fignums()
    with pytest.raises(error, match=message):
        AleDisplay([effects["x1"], effects["c"]]).plot(**options)
    assert plt.get_fignums() == figures


def test_from_estimator_and_from_results(X, effects):
    display = AleDisplay.from_estimator(
        f, X, ["x1", "c"], K=6, plot_options={"units": "", "visuals": {"counts": True}}
    )
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), effects["x1"].f_values)
    assert [bar.get_height() for bar in display.bars_[1]] == effects["c"].f_values.tolist()
    assert display.axes_[0].get_ylabel() == "ALE"
    _, ax = plt.subplots()
    assert AleDisplay.from_results(effects["x1"], ax=ax).axes_[0] is ax
    assert AleDisplay.from_estimator(f, X, "x1", ax=ax).lines_[0].axes is ax


def test_takes_one_effect_a_list_a_collection_or_a_mapping(effects):
    one = effects["x1"]
    assert AleDisplay(one).effects == (one,)
    assert AleDisplay([one, effects["c"]]).effects == (one, effects["c"])
    assert AleDisplay(EffectCollection([one])).effects == (one,)
    assert AleDisplay({"anything": one}).effects == (one,)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ([], ValueError, "at least one result"),
        (3, TypeError, "effects must be results such as ale returns, got 3"),
        (["x1"], TypeError, "effects must be results such as ale returns, got 'x1'"),
    ],
)
def test_what_is_not_an_effect(given, error, message):
    with pytest.raises(error, match=message):
        AleDisplay(given)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"cells": "squares"}, ValueError, "cells must be 'points' or 'intervals', got 'squares'"),
        ({"empty": "red"}, ValueError, "empty must be 'hatch', .* or 'none', got 'red'"),
        ({"clim": (2, 1)}, ValueError, "clim must be two finite increasing numbers"),
        ({"min_count": 0}, ValueError, "min_count must be a positive number, got 0"),
        ({"min_count": "3"}, ValueError, "min_count must be a positive number, got '3'"),
        ({"n_cols": 0}, ValueError, "n_cols must be a positive integer, got 0"),
        ({"title": ["a"]}, ValueError, r"one text for each of 2 effect\(s\), got 1"),
        ({"ax": "here"}, TypeError, "ax must be matplotlib Axes, .* got 'here'"),
        ({"band": ([0], [1])}, ValueError, "band must be a mapping"),
        ({"band": {"x9": ([0], [1])}}, ValueError, "band names 'x9'"),
        ({"band": {"x1": ([0], [1])}}, ValueError, r"band of 'x1' must have shape \(7,\)"),
        ({"band": {"x1": 5}}, TypeError, r"band of 'x1' must be Bands or \(low, high\), got 5"),
        (
            {"band": {"x1": (np.ones(7), np.zeros(7))}},
            ValueError,
            "band of 'x1' must not have its low end above its high end",
        ),
    ],
)
def test_unusable_options(effects, options, error, message):
    display = AleDisplay([effects["x1"], effects["x1", "x2"]])
    figures = plt.get_fignums()
    with pytest.raises(error, match=message):
        display.plot(**options)
    assert plt.get_fignums() == figures


def test_number_of_axes_and_missing_heterogeneity(effects, X):
    _, ax = plt.subplots()
    with pytest.raises(ValueError, match=r"one Axes for each of 2 effect\(s\), got 1"):
        AleDisplay([effects["x1"], effects["c"]]).plot(ax=ax)
    with pytest.raises(ValueError, match="heterogeneity needs a main effect of the ALE kind"):
        effects["x1", "x2"].plot(heterogeneity=True)
    with pytest.raises(ValueError, match="heterogeneity needs a main effect of the ALE kind"):
        partial_dependence(f, X, "x1", K=3).plot(heterogeneity=True)


# --- several effects on one axes ----------------------------------------------------------------


def test_overlay_of_ale_over_partial_dependence(X):
    def other(frame):
        return f(frame) + 100

    pair = [ale(other, X, "x1", K=6), partial_dependence(other, X, "x1", K=6)]
    display = AleDisplay.overlay(pair, units="")
    ax = display.axes_[0]
    assert list(display.axes_) == [ax, ax]
    assert len(display.figure_.axes) == 1
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ALE", "PD"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "ALE and PD")
    for line, effect in zip(display.lines_, pair, strict=True):
        mean = effect.evaluate(X["x1"]).mean()
        np.testing.assert_allclose(line.get_ydata(), effect.f_values - mean, rtol=0, atol=SHIFT)
    assert display.lines_[0].get_color() != display.lines_[1].get_color()
    assert display.rugs_[1] is None
    np.testing.assert_array_equal(display.rugs_[0].get_positions(), np.unique(X["x1"]))
    assert list(display.zero_lines_[0].get_ydata()) == [0, 0]
    raw = AleDisplay.overlay(pair, align="none")
    for line, effect in zip(raw.lines_, pair, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), effect.f_values)


def test_overlay_of_groups_with_a_band(X):
    groups = {level: ale(f, X[X["g"] == level], "x1", K=4) for level in ("a", "b")}
    low, high = groups["b"].f_values - 1, groups["b"].f_values + 2
    _, given = plt.subplots()
    display = AleDisplay.overlay(groups, ax=given, band={"b": (low, high)}, xlabel="Wind")
    assert display.axes_[0] is given
    assert [text.get_text() for text in given.get_legend().get_texts()] == ["a", "b"]
    assert given.get_xlabel() == "Wind"
    assert display.rugs_ == [None, None]  # the groups have rows of their own
    shift = groups["b"].evaluate(X["x1"][X["g"] == "b"]).mean()
    assert display.bands_[0] is None
    heights = display.bands_[1].get_paths()[0].vertices[:, 1]
    np.testing.assert_allclose(heights.max(), (high - shift).max(), rtol=0, atol=SHIFT)
    np.testing.assert_allclose(heights.min(), (low - shift).min(), rtol=0, atol=SHIFT)
    with pytest.raises(ValueError, match="band names 'x1', which is not an effect here"):
        AleDisplay.overlay(groups, band={"x1": (low, high)})


def test_overlay_of_categories_stands_side_by_side(X):
    order = LEVELS[::-1]
    pair = [ale(f, X, "c"), ale(f, X, "c", order=order)]
    display = AleDisplay.overlay(pair, labels=["ascending", "descending"])
    ax = display.axes_[0]
    assert [text.get_text() for text in ax.get_xticklabels()] == LEVELS
    for bars, effect in zip(display.bars_, pair, strict=True):
        mean = effect.evaluate(X["c"]).mean()
        np.testing.assert_allclose(
            [bar.get_height() for bar in bars],
            effect.evaluate(LEVELS) - mean,
            rtol=0,
            atol=SHIFT,
        )
    left, right = (bars[1] for bars in display.bars_)
    assert 0.5 < left.get_x() < left.get_x() + left.get_width() < right.get_x() < 1.5


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["x1", "x2"], {}, "overlay needs effects of one feature of one kind, got 'x1'"),
        ([("x1", "x2")], {}, "overlay needs main effects, got one of"),
        (["x1", "x1"], {}, "labels must tell the effects apart: two of them are 'ALE'"),
        (["x1", "x1"], {"labels": ["a"]}, "labels must be one text for each of 2"),
        (["x1", "x1"], {"labels": "ab"}, "labels must be one text for each of 2"),
        (["x1"], {"align": "median"}, "align must be 'mean' or 'none', got 'median'"),
        (["x1"], {"visuals": {"lines": {}}}, "visuals names 'lines'.* did you mean 'line'"),
    ],
)
def test_what_cannot_be_overlaid(effects, names, options, message):
    figures = plt.get_fignums()
    with pytest.raises(ValueError, match=message):
        AleDisplay.overlay([effects[name] for name in names], **options)
    assert plt.get_fignums() == figures


def test_overlay_of_other_levels_is_refused(effects, X):
    fewer = ale(f, X[X["c"] != "low"], "c")
    with pytest.raises(ValueError, match="overlay needs effects with the same levels of 'c'"):
        AleDisplay.overlay([effects["c"], fewer], labels=["all", "some"])


# --- the other displays -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def others(X):
    frame = X[["x1", "x2"]].assign(x3=X["x1"] ** 2)
    y = frame["x1"] + X["x2"]
    options = {"scoring": "neg_mean_squared_error", "cv": 3}
    return {
        "importance": lofo_importance(LinearRegression(), frame, y, **options),
        "pairs": leave_two_out_importance(LinearRegression(), frame, y, **options),
        "elimination": sequential_elimination(LinearRegression(), frame, y, **options),
        "association": association_matrix(frame),
        "sensitivity": k_sensitivity(f, X, "x1", Ks=(3, 6)),
    }


NAMES = ("importance", "pairs", "elimination", "association", "sensitivity")


@pytest.mark.parametrize("name", NAMES)
def test_displays_are_one_family(others, name):
    before = dict(mpl.rcParams)
    display = others[name].plot(title="Here")
    assert isinstance(display, Display)
    assert type(display).__name__.endswith("Display")
    assert getattr(aleplot_py, type(display).__name__) is type(display)
    assert display.figure_ is display.axes_[0].figure
    assert dict(mpl.rcParams) == before
    assert "Here" in (display.axes_[0].get_title(), display.figure_.get_suptitle())
    with mpl.style.context(STYLE):
        settings = dict(mpl.rcParams)
    display.figure_.canvas.draw()
    for ax in display.axes_:
        assert ax.xaxis.label.get_size() == settings["axes.labelsize"]
        assert {t.get_size() for t in ax.get_xticklabels()} == {settings["xtick.labelsize"]}
        assert {t.get_size() for t in ax.get_yticklabels()} == {settings["ytick.labelsize"]}
        assert not ax.spines["top"].get_visible()
    assert tuple(others[name].plot(figsize=(5, 4)).figure_.get_size_inches()) == (5, 4)


@pytest.mark.parametrize("name", NAMES)
def test_displays_draw_on_the_callers_axes_in_their_style(others, name):
    figure, given = plt.subplots(1, 2)
    display = others[name].plot(ax=given if name == "sensitivity" else given[1])
    assert display.figure_ is figure
    assert display.axes_[-1] is given[1]
    assert given[1].get_yticklabels()[0].get_size() == mpl.rcParams["font.size"]
    with pytest.raises(TypeError, match=r"ax must be matplotlib Axes, .* got 'here'"):
        others[name].plot(ax="here")


@pytest.mark.parametrize("name", NAMES)
def test_displays_refuse_what_they_do_not_have(others, name):
    with pytest.raises(ValueError, match="visuals names 'rug', which is not one of the layers"):
        others[name].plot(visuals={"rug": False})
    with pytest.raises(ValueError, match=r"labels names 'x11', .* drawn here; did you mean 'x1'"):
        others[name].plot(labels={"x11": "a"})
    with pytest.raises(TypeError, match="keyword argument 'titel'; did you mean 'title'"):
        others[name].plot(titel="a")


def test_displays_take_texts_for_the_features(others):
    labels = {"x1": "Wind"}
    bars = others["importance"].plot(labels=labels).axes_[0]
    assert "Wind" in [text.get_text() for text in bars.get_yticklabels()]
    heat = others["association"].plot(labels=labels).axes_[0]
    assert [text.get_text() for text in heat.get_xticklabels()] == ["Wind", "x2", "x3"]
    curves = others["sensitivity"].plot(labels=labels, units="mm").axes_[0]
    assert (curves.get_xlabel(), curves.get_ylabel()) == ("Wind", "ALE of Wind (mm)")


def test_layers_of_the_other_displays(others):
    bars = others["importance"].plot(visuals={"band": False, "bars": {"color": "red"}})
    assert bars.bars_.errorbar is None
    assert bars.bars_[0].get_facecolor() == to_rgba("red")
    assert others["importance"].plot().bars_.errorbar is not None
    path = others["elimination"].plot(visuals={"band": False, "line": {"marker": "s"}})
    assert (path.band_, path.line_.get_marker()) == (None, "s")
    heat = others["association"].plot(
        visuals={"numbers": False, "colorbar": False, "mesh": {"cmap": "magma"}}
    )
    assert (heat.texts_, heat.colorbar_, heat.image_.get_cmap().name) == ([], None, "magma")
    assert others["association"].plot().image_.get_cmap().name == "viridis"
    assert others["pairs"].plot().image_.get_cmap().name == "RdBu_r"
    plain = others["sensitivity"].plot(visuals={"legend": False})
    assert plain.axes_[0].get_legend() is None


@pytest.mark.parametrize(
    ("name", "old", "read"),
    [
        ("importance", {"color": "red"}, lambda d: d.bars_[0].get_facecolor() == to_rgba("red")),
        ("elimination", {"color": "red"}, lambda d: d.line_.get_color() == "red"),
        ("association", {"cmap": "magma"}, lambda d: d.image_.get_cmap().name == "magma"),
        ("association", {}, lambda d: d.ax_ is d.axes_[0]),
    ],
)
def test_old_spellings_of_the_other_displays(others, name, old, read):
    with pytest.warns(DeprecationWarning, match="deprecated") as told:
        assert read(others[name].plot(**old))
    assert {warning.filename for warning in told} == {__file__}


def test_old_spelling_of_axes(others):
    _, given = plt.subplots(1, 2)
    with pytest.warns(DeprecationWarning, match=r"plot\(axes=...\) is deprecated") as told:
        display = others["sensitivity"].plot(axes=given)
    assert {warning.filename for warning in told} == {__file__}
    assert list(display.axes_) == list(given)
