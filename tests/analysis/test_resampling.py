"""Resampled effects: those of the repeated rows, empty cells and sparse pairs included."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import partial_dependence
from aleplot_py.analysis import resampling
from aleplot_py.analysis.bootstrap import bootstrap_bands
from tests.mixed_data import FEATURES, black_box, effect_of, frame, sorted_by_unit

pytestmark = pytest.mark.usefixtures("close_figures")

# Sums of a few hundred products in another order: rounding only.
TOLERANCE = 1e-11


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_resample_is_the_effect_of_the_repeated_rows(feature, weighted, monkeypatch):
    fixed = {"order": {"c": ["b", "a", "c"], "d": [False, True]}}
    X = sorted_by_unit(feature, frame(), **fixed)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(X)) if weighted else None
    effect = effect_of(feature, X, sample_weight=weights, **fixed)
    drawn = np.array(list(resampling.drawn_counts(len(X), 25, np.random.default_rng(2))))
    drawn = drawn.reshape(25, len(X))
    monkeypatch.setattr(resampling, "drawn_counts", lambda *_: [drawn[:13], drawn[13:]])
    bands = bootstrap_bands(effect, n_boot=25, centre_over="resamples", keep_curves=True)
    grid = {
        name: points
        for name, kind, points in zip(effect.features, effect.kinds, effect.x_values, strict=True)
        if kind == "numeric"
    }
    for times, curve in zip(drawn, bands.curves, strict=True):
        rows = np.repeat(np.arange(len(X)), times)
        weight = None if weights is None else weights[rows]
        again = effect_of(feature, X.iloc[rows], grid=grid, sample_weight=weight, **fixed)
        np.testing.assert_allclose(curve, again.f_values, atol=TOLERANCE)


@pytest.mark.parametrize("feature", FEATURES)
def test_the_data_themselves_give_the_effect(feature, monkeypatch):
    effect = effect_of(feature)
    monkeypatch.setattr(resampling, "drawn_counts", lambda n, *_: [np.ones((2, n), dtype=np.intp)])
    for centre_over in ("data", "resamples"):
        bands = bootstrap_bands(effect, n_boot=2, centre_over=centre_over)
        np.testing.assert_allclose(bands.lower, effect.f_values, atol=TOLERANCE)
        np.testing.assert_allclose(bands.upper, effect.f_values, atol=TOLERANCE)


def test_rows_are_drawn_with_replacement_as_often_as_there_are_rows():
    drawn = np.concatenate(list(resampling.drawn_counts(7, 4000, np.random.default_rng(0))))
    assert drawn.shape == (4000, 7)
    assert (drawn.sum(axis=1) == 7).all()
    # Binomial(7, 1/7): mean 1, variance 6/7, and covariance -1/7 between rows.
    np.testing.assert_allclose(np.cov(drawn.T), np.eye(7) - 1 / 7, atol=0.1)


def test_cells_emptied_by_a_resample_take_the_nearest_cell(monkeypatch):
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0, 4.0], "z": [1.0, 2.0, 4.0, 8.0, 16.0]})
    grid = [0.0, 1.0, 2.0, 3.0, 4.0]
    effect = effect_of("x", X, lambda F: F["x"] * F["z"], grid=grid, centre="none")
    times = np.array([[1, 2, 2, 0, 0], [0, 0, 0, 0, 5]])
    monkeypatch.setattr(resampling, "drawn_counts", lambda *_: [times])
    curves = bootstrap_bands(effect, n_boot=2, keep_curves=True).curves
    slopes = np.diff(curves, axis=1)
    np.testing.assert_allclose(slopes, [[5 / 3, 4, 4, 4], [16] * 4], atol=TOLERANCE)


def test_cells_emptied_by_a_resample_take_the_slope_not_the_difference(monkeypatch):
    X = pd.DataFrame({"x": [0.0, 1.0, 5.0], "z": [2.0, 2.0, 7.0]})
    effect = effect_of("x", X, lambda F: F["x"] * F["z"], grid=[0.0, 1.0, 5.0], centre="none")
    monkeypatch.setattr(resampling, "drawn_counts", lambda *_: [np.array([[2, 1, 0], [0, 0, 3]])])
    curves = bootstrap_bands(effect, n_boot=2, keep_curves=True).curves
    np.testing.assert_allclose(curves, [[0, 2, 10], [0, 7, 35]], atol=TOLERANCE)


def test_sparse_pairs_keep_their_filling():
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    X = pd.DataFrame({"x": x, "z": x + 0.1 * rng.normal(size=300)})
    effect = effect_of(("x", "z"), X, lambda F: F["x"] ** 2 * F["z"] ** 2, K=15)
    assert effect.empty.mean() > 0.5
    bands = bootstrap_bands(effect, n_boot=100, random_state=0)
    assert np.isfinite(bands.lower).all()
    assert np.isfinite(bands.upper).all()
    # Cells differ only through their emptiness: f has no other column.
    twin = effect_of(("x", "z"), X, lambda F: F["x"] * F["z"], K=15)
    assert bootstrap_bands(twin, n_boot=100, random_state=0).std.max() < bands.std.max()


@pytest.mark.parametrize("feature", ["x", "c", ("x", "z"), ("x", "c")])
@pytest.mark.parametrize("centre", ["none", "pdplot"])
@pytest.mark.parametrize("weighted", [False, True])
def test_partial_dependence_of_a_resample_is_that_of_the_repeated_rows(
    feature, centre, weighted, monkeypatch
):
    X = frame(60)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(X)) if weighted else None
    options = {"K": 4, "centre": centre}
    effect = partial_dependence(
        black_box, X, feature, kind="both", sample_weight=weights, **options
    )
    drawn = np.random.default_rng(2).multinomial(60, np.full(60, 1 / 60), size=10)
    monkeypatch.setattr(resampling, "drawn_counts", lambda *_: [drawn])
    bands = bootstrap_bands(
        effect, n_boot=10, centre_over="resamples", keep_curves=True, sample_weight=weights
    )
    grid = {
        name: points
        for name, kind, points in zip(effect.features, effect.kinds, effect.x_values, strict=True)
        if kind == "numeric"
    }
    for times, curve in zip(drawn, bands.curves, strict=True):
        rows = np.repeat(np.arange(60), times)
        weight = None if weights is None else weights[rows]
        again = partial_dependence(
            black_box, X.iloc[rows], feature, grid=grid, sample_weight=weight, centre=centre
        )
        np.testing.assert_allclose(curve, again.f_values, atol=TOLERANCE)


def test_partial_dependence_of_equal_curves_has_no_width():
    X = frame()
    effect = partial_dependence(lambda F: F["x"], X, "x", K=5, kind="both")
    bands = bootstrap_bands(effect, n_boot=50, random_state=0)
    np.testing.assert_allclose(bands.width, 0, atol=TOLERANCE)
    spread = partial_dependence(lambda F: F["x"] * F["z"], X, "x", K=5, kind="both", centre=0.0)
    assert bootstrap_bands(spread, n_boot=50, random_state=0).width.max() > 0.1
