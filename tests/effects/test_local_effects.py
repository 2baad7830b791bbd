"""Kept local effects: their moments, their order, their width, saved exactly."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, intervals, load
from aleplot_py.analysis.bootstrap import bootstrap_bands
from tests.mixed_data import FEATURES, black_box, effect_of, frame

pytestmark = pytest.mark.usefixtures("close_figures")

# Sums of a few hundred products in another order: rounding only.
TOLERANCE = 1e-11
# Standard deviation of 2,000 resamples: its own error is 1 / sqrt(4000), here times four.
MONTE_CARLO = 4 / np.sqrt(4000)


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("batch_rows", [None, 7])
def test_kept_local_effects_have_the_moments_of_the_cells(feature, weighted, batch_rows):
    weights = np.random.default_rng(1).uniform(0.5, 2, 120) if weighted else None
    effect = effect_of(feature, sample_weight=weights, batch_rows=batch_rows)
    local = effect.local_effects
    cells = np.ravel_multi_index(tuple(local.cells.T), effect.local_mean.shape)
    for cell in range(effect.local_mean.size):
        here = cells == cell
        if effect.empty.flat[cell]:
            assert not here.any()
            continue
        weight = None if weights is None else weights[local.rows[here]]
        mean = np.average(local.effects[here], weights=weight)
        spread = np.average((local.effects[here] - mean) ** 2, weights=weight)
        np.testing.assert_allclose(mean, effect.local_mean.flat[cell], atol=TOLERANCE)
        np.testing.assert_allclose(np.sqrt(spread), effect.local_std.flat[cell], atol=1e-7)


def test_local_effects_are_the_rows_own_differences():
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "z": [1.0, 2.0, 3.0, 4.0]})
    effect = effect_of("x", X, lambda F: F["x"] * F["z"], grid=[0.0, 1.0, 3.0])
    assert effect.local_effects.effects.tolist() == [1.0, 2.0, 6.0, 8.0]
    assert effect.local_effects.cells.tolist() == [[0], [0], [1], [1]]
    assert effect.local_effects.rows.tolist() == [0, 1, 2, 3]
    assert effect.local_effects.units.tolist() == [[0], [0], [1], [1]]


def test_threads_keep_the_order_of_the_rows():
    one, two = effect_of(("x", "c")), effect_of(("x", "c"), n_jobs=2)
    order = np.lexsort((two.local_effects.rows, *two.local_effects.cells.T))
    expected = np.lexsort((one.local_effects.rows, *one.local_effects.cells.T))
    for name in ("effects", "rows", "cells"):
        ours = getattr(two.local_effects, name)[order]
        np.testing.assert_array_equal(ours, getattr(one.local_effects, name)[expected])


@pytest.mark.parametrize("options", [{"K": "auto"}, {"K": intervals.Auto(max_K=12)}])
def test_merged_intervals_keep_local_effects_over_their_own_width(options):
    effect = effect_of("x", **options)
    local = effect.local_effects
    means = np.bincount(local.cells[:, 0], weights=local.effects) / effect.counts
    np.testing.assert_allclose(means, effect.local_mean, atol=TOLERANCE)
    assert bootstrap_bands(effect, n_boot=20, random_state=0).width.min() >= 0


def test_gradients_keep_local_effects():
    effect = effect_of("x", gradient={"x": lambda F: 2 * F["x"] * F["z"]})
    local = effect.local_effects
    means = np.bincount(local.cells[:, 0], weights=local.effects) / effect.counts
    np.testing.assert_allclose(means, effect.local_mean, atol=TOLERANCE)


def test_rows_above_the_grid_of_iml_have_no_local_effect_but_count_in_the_centre():
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0, 9.0, 9.0] * 10, "z": 1.0})
    effect = effect_of("x", X, lambda F: F["x"] ** 2, grid=[0.0, 1.0, 3.0], outside="iml")
    assert effect.local_effects.units[:6].ravel().tolist() == [0, 0, 1, 1, -1, -1]
    assert effect.local_effects.rows[:6].tolist() == [0, 1, 2, 3, 6, 7]
    bands = bootstrap_bands(effect, n_boot=200, random_state=0)
    np.testing.assert_array_equal(bands.lower, effect.f_values)
    over = bootstrap_bands(effect, n_boot=2000, random_state=0, centre_over="resamples")
    # The centre is the mean over rows of 0.5, 0.5, 5, 5, 9, 9.
    se = np.std([0.5, 0.5, 5, 5, 9, 9]) / np.sqrt(60)
    np.testing.assert_allclose(over.std, se, rtol=MONTE_CARLO)


@pytest.mark.parametrize("feature", FEATURES)
def test_local_effects_are_saved_exactly(feature, tmp_path):
    weights = np.random.default_rng(1).uniform(size=120)
    effect = effect_of(feature, sample_weight=weights)
    effect.save(tmp_path / "effect.json")
    loaded = load(tmp_path / "effect.json").local_effects
    for name in ("effects", "cells", "rows", "units", "weights"):
        ours, kept = getattr(loaded, name), getattr(effect.local_effects, name)
        assert ours.dtype == kept.dtype
        np.testing.assert_array_equal(ours, kept)


def test_local_effects_are_left_out_unless_asked_for():
    assert ale(black_box, frame(), "x").local_effects is None
