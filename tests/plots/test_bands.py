"""Drawings of bands, cells and local effects: what the artists hold."""

import numpy as np
import pytest

from aleplot_py import ale
from aleplot_py.analysis.bootstrap import bootstrap_bands
from aleplot_py.results.cells import cell_counts, standard_errors
from tests.mixed_data import black_box, effect_of, frame

pytestmark = pytest.mark.usefixtures("close_figures")

# Sums of a few hundred products in another order: rounding only.
TOLERANCE = 1e-11


def test_bands_are_drawn_as_ribbons_with_their_label():
    bands = bootstrap_bands(effect_of("x"), n_boot=50, level=0.975, random_state=0)
    display = bands.plot()
    ribbon = display.bands_[0]
    assert ribbon.get_label() == "97.5 % pointwise band"
    corners = {tuple(point) for point in ribbon.get_paths()[0].vertices}
    x = bands.effect.x_values[0]
    assert set(zip(x, bands.lower, strict=True)) <= corners
    assert set(zip(x, bands.upper, strict=True)) <= corners
    assert bands.effect.plot(band=(bands.lower, bands.upper)).bands_[0].get_label() == "band"


def test_bands_of_levels_are_error_bars():
    bands = bootstrap_bands(effect_of("c"), n_boot=50, random_state=0)
    segments = np.array(bands.plot().bands_[0].lines[2][0].get_segments())
    np.testing.assert_allclose(segments[:, 0, 1], bands.lower, atol=TOLERANCE)
    np.testing.assert_allclose(segments[:, 1, 1], bands.upper, atol=TOLERANCE)


@pytest.mark.parametrize("feature", [("x", "z"), ("c", "x"), ("c", "d")])
def test_bands_of_pairs_are_dots_where_they_hold_0(feature):
    effect = effect_of(feature)
    half = np.median(np.abs(effect.f_values))
    display = effect.plot(band=(effect.f_values - half, effect.f_values + half))
    dots = display.bands_[0].get_offsets()
    i, j = np.nonzero(np.abs(effect.f_values) <= half)
    assert 0 < len(i) < effect.f_values.size
    bands = bootstrap_bands(effect, n_boot=5)
    assert bands.plot().bands_[0].get_label() == bands.label
    places = [
        x.astype(float) if kind == "numeric" else np.arange(len(x))
        for x, kind in zip(effect.x_values, effect.kinds, strict=True)
    ]
    np.testing.assert_array_equal(dots, np.stack([places[0][i], places[1][j]], axis=1))


def test_bands_of_a_collection_are_drawn_together():
    effects = ale(black_box, frame(), ["x", "c", ("x", "z")], K=3, local_effects=True)
    bands = bootstrap_bands(effects, n_boot=20, random_state=0)
    assert all(artist is not None for artist in effects.plot(band=bands).bands_)
    del bands["c"]
    assert effects.plot(band=bands).bands_[1] is None
    with pytest.raises(ValueError, match="band of 'x' is that of \\('c',\\)"):
        effects["x"].plot(band=bootstrap_bands(effects["c"], n_boot=2))


@pytest.mark.parametrize("feature", [("x", "z"), ("x", "c"), ("c", "x"), ("c", "d")])
def test_cells_show_their_rows_and_errors(feature):
    effect = effect_of(feature, K=6)
    display = effect.plot(show="count")
    counts = np.ma.masked_equal(cell_counts(effect).T, 0)
    np.testing.assert_array_equal(display.meshes_[0].get_array(), counts)
    assert display.colorbars_[0].ax.get_ylabel() == "rows behind each cell"
    assert display.contours_[0] is None
    edges = display.meshes_[0].get_coordinates()
    if feature == ("x", "z"):
        np.testing.assert_array_equal(edges[0, :, 0], effect.x_values[0])
    errors = effect.plot(show="standard_error", units="kg").meshes_[0]
    np.testing.assert_array_equal(errors.get_array().filled(np.nan), standard_errors(effect).T)


def test_cells_with_few_rows_are_faded():
    effect = effect_of(("x", "z"), K=9)
    few = (effect.counts < 3).sum()
    assert 0 < (effect.counts == 0).sum() < few < 81
    cover = effect.plot(empty="fade", min_count=3).empty_cells_[0]
    assert len(cover.get_paths()) == few
    assert cover.get_alpha() == 0.7
    assert len(effect.plot(empty="fade").empty_cells_[0].get_paths()) == (effect.counts == 0).sum()


@pytest.mark.parametrize("feature", ["x", "c"])
def test_local_effects_are_strokes_whose_mean_ends_on_the_curve(feature):
    effect = effect_of(feature)
    assert effect.plot().individual_ == [None]
    strokes = np.array(effect.plot(local_effects=True).individual_[0].get_segments())
    cell = effect.local_effects.cells[:, 0]
    x = effect.x_values[0] if feature == "x" else np.arange(3.0)
    np.testing.assert_array_equal(strokes[:, 0, 0], x[cell])
    np.testing.assert_array_equal(strokes[:, 1, 0], x[cell + 1])
    np.testing.assert_array_equal(strokes[:, 0, 1], effect.f_values[cell])
    ends = np.bincount(cell, weights=strokes[:, 1, 1]) / np.bincount(cell)
    np.testing.assert_allclose(ends, effect.f_values[1:], atol=TOLERANCE)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="local_effects needs a main effect that keeps them"):
        ale(black_box, frame(), "x").plot(local_effects=True)
    with pytest.raises(ValueError, match="show='count' needs a pair of the ALE kind"):
        effect_of("x").plot(show="count")
    with pytest.raises(ValueError, match="show must be 'effect', 'count' or 'standard_error'"):
        effect_of(("x", "z")).plot(show="sd")
