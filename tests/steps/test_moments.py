"""Cell moments: equal to plain loops, and adding up however the rows are divided."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aleplot_py import ale
from aleplot_py.steps.moments import CellMoments

# Sums of at most some hundred numbers in another order.
EXACT = 1e-12
# Batches merge means of parts; each merge rounds once more.
MERGED = 1e-11


def draw(seed, n=60, cells=7):
    rng = np.random.default_rng(seed)
    effects = rng.normal(size=n) * 10.0 ** rng.integers(-3, 4)
    return effects, rng.integers(0, cells, n), rng.integers(0, 5, n) / 2


def check_equal(one, other, scale, tolerance=EXACT):
    np.testing.assert_allclose(one.weight, other.weight, rtol=tolerance, atol=0)
    np.testing.assert_allclose(one.mean, other.mean, rtol=0, atol=tolerance * scale)
    np.testing.assert_allclose(one.squares, other.squares, rtol=0, atol=tolerance * scale**2 * 100)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_moments_are_those_of_plain_loops(seed, weighted):
    effects, codes, weights = draw(seed)
    w = weights if weighted else np.ones(len(effects))
    moments = CellMoments.of(effects, codes, 9, weights if weighted else None)
    scale = np.abs(effects).max()
    for cell in range(9):
        here = codes == cell
        total = math.fsum(w[here])
        assert moments.weight[cell] == total
        if total == 0:
            assert moments.mean[cell] == 0
            assert np.isnan(moments.std[cell])
            continue
        mean = math.fsum(w[here] * effects[here]) / total
        variance = math.fsum(w[here] * (effects[here] - mean) ** 2) / total
        assert abs(moments.mean[cell] - mean) <= EXACT * scale
        assert abs(moments.std[cell] - math.sqrt(variance)) <= EXACT * scale


@given(st.integers(0, 10**6), st.integers(0, 60), st.booleans())
def test_two_halves_merge_into_the_whole(seed, cut, weighted):
    effects, codes, weights = draw(seed)
    w = weights if weighted else None

    def of(rows):
        return CellMoments.of(effects[rows], codes[rows], 7, None if w is None else w[rows])

    whole, low, high = of(slice(None)), of(slice(None, cut)), of(slice(cut, None))
    scale = np.abs(effects).max()
    check_equal(low.merge(high), whole, scale)
    check_equal(high.merge(low), whole, scale)
    check_equal(whole.merge(CellMoments.zero(7)), whole, scale, 0)
    check_equal(CellMoments.zero(7).merge(whole), whole, scale)


def test_merging_is_associative():
    parts = [CellMoments.of(*draw(seed)[:2], 7) for seed in range(3)]
    left = parts[0].merge(parts[1]).merge(parts[2])
    right = parts[0].merge(parts[1].merge(parts[2]))
    check_equal(left, right, np.abs(left.mean).max() + left.std.max(), MERGED)


def test_the_spread_survives_a_large_mean():
    """A raw sum of squares would have lost it: 1e9 squared has no room for it."""
    effects = 1e9 + np.array([-1.0, 0.0, 1.0] * 20)
    moments = CellMoments.of(effects, np.zeros(60, dtype=np.intp), 1)
    halves = CellMoments.of(effects[:31], np.zeros(31, dtype=np.intp), 1).merge(
        CellMoments.of(effects[31:], np.zeros(29, dtype=np.intp), 1)
    )
    right = math.sqrt(2 / 3)
    assert abs(moments.std[0] - right) <= EXACT
    # The means of the halves are rounded to 1e-7, the distance of neighbouring numbers at 1e9.
    assert abs(halves.std[0] - right) <= 1e-7


def test_the_mean_of_a_million_equal_effects_is_the_effect():
    """A plain running sum is off in the eleventh digit; R's mean() is not."""
    effects = np.full(10**6, 0.1)
    moments = CellMoments.of(effects, np.zeros(10**6, dtype=np.intp), 1)
    assert abs(np.cumsum(effects)[-1] / 10**6 - 0.1) > 1e-14
    assert abs(moments.mean[0] - 0.1) <= 1e-16


def test_arguments_are_not_changed():
    effects, codes, weights = draw(0)
    kept = effects.copy(), codes.copy(), weights.copy()
    CellMoments.of(effects, codes, 7, weights)
    for array, copy in zip((effects, codes, weights), kept, strict=True):
        assert np.array_equal(array, copy)


def table(n=41):
    rng = np.random.default_rng(8)
    return pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "z": rng.integers(0, 6, n),
            "c": pd.Categorical(rng.choice(list("pqrs"), n)),
            "g": pd.Categorical(rng.choice(list("uvw"), n)),
        }
    )


def black_box(X):
    c, g = X["c"].cat.codes, X["g"].cat.codes
    return np.sin(X["x"]) * X["z"] + c * X["x"] + g * (X["z"] + c) ** 2


DIVISIONS = [
    {"batch_rows": 1},
    {"batch_rows": 10},
    {"batch_rows": 40},
    {"batch_rows": 41},
    {"batch_rows": 10**9},
    {"n_jobs": 2},
    {"n_jobs": 3, "batch_rows": 20},
    {"n_jobs": -1},
    {"n_jobs": 200},
]


@pytest.mark.parametrize("division", DIVISIONS, ids=str)
@pytest.mark.parametrize("features", ["x", "c", ("x", "z"), ("c", "x"), ("x", "c"), ("c", "g")])
def test_batches_and_threads_give_the_same_effect(features, division):
    X = table()
    weights = np.arange(len(X)) % 4
    right = ale(black_box, X, features, K=6, sample_weight=weights)
    effect = ale(black_box, X, features, K=6, sample_weight=weights, **division)
    scale = np.abs(black_box(X)).max()
    assert np.array_equal(effect.counts, right.counts)
    assert np.array_equal(effect.empty, right.empty)
    np.testing.assert_allclose(effect.f_values, right.f_values, rtol=0, atol=MERGED * scale)
    np.testing.assert_allclose(effect.local_std, right.local_std, rtol=0, atol=MERGED * scale * 10)
    assert abs(effect.mean_prediction - right.mean_prediction) <= MERGED * scale
