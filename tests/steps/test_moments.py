"""Cell moments: those of plain loops, and the same bits however the rows are divided."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aleplot_py import ale
from aleplot_py.steps.moments import CellMoments

# The loops round the mean, and every product with a weight; the moments do not.
LOOPS = 1e-12


def draw(seed, n=60, cells=7):
    rng = np.random.default_rng(seed)
    effects = rng.normal(size=n) * 10.0 ** rng.integers(-3, 4)
    return effects, rng.integers(0, cells, n), rng.integers(0, 5, n) / 2


def check_same(one, other):
    assert np.array_equal(one.weight, other.weight)
    assert np.array_equal(one.mean, other.mean)
    assert np.array_equal(one.squares, other.squares)
    assert np.array_equal(one.std, other.std, equal_nan=True)


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
        assert abs(moments.mean[cell] - mean) <= LOOPS * scale
        assert abs(moments.std[cell] - math.sqrt(variance)) <= LOOPS * scale


@given(st.integers(0, 10**6), st.integers(0, 60), st.booleans())
def test_two_halves_merge_into_the_whole(seed, cut, weighted):
    effects, codes, weights = draw(seed)
    w = weights if weighted else None

    def of(rows):
        return CellMoments.of(effects[rows], codes[rows], 7, None if w is None else w[rows])

    whole, low, high = of(slice(None)), of(slice(None, cut)), of(slice(cut, None))
    check_same(low.merge(high), whole)
    check_same(high.merge(low), whole)
    check_same(whole.merge(CellMoments.zero(7)), whole)
    check_same(CellMoments.zero(7).merge(whole), whole)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("outputs", [None, 3])
def test_parts_have_the_moments_of_the_whole(outputs, weighted):
    effects, codes, weights = draw(1)
    if outputs is not None:
        effects = np.multiply.outer(effects, np.arange(outputs))
    w = weights if weighted else None
    rows = [slice(0, 20), slice(20, 20), slice(20, 60)]
    parts = [(effects[r], codes[r], None if w is None else w[r]) for r in rows]
    moments = CellMoments.of_parts(iter(parts), 7)
    check_same(moments, CellMoments.of(effects, codes, 7, w))
    assert len(moments.mean) == 7 * (outputs or 1)


def test_no_parts_have_no_moments():
    check_same(CellMoments.of_parts([], 7), CellMoments.zero(7))
    nothing = np.zeros(4), np.arange(4), None  # of a feature that the black box ignores
    assert CellMoments.of_parts([nothing], 7).weight.tolist() == [1, 1, 1, 1, 0, 0, 0]


def test_merging_is_associative():
    parts = [CellMoments.of(*draw(seed)[:2], 7) for seed in range(3)]
    left = parts[0].merge(parts[1]).merge(parts[2])
    right = parts[0].merge(parts[1].merge(parts[2]))
    check_same(left, right)
    check_same(parts[0].merge(*parts[1:]), right)
    check_same(right.merge(), right)


def test_the_spread_survives_a_large_mean():
    """A raw sum of squares would have lost it: 1e9 squared has no room for it."""
    effects = 1e9 + np.array([-1.0, 0.0, 1.0] * 20)
    moments = CellMoments.of(effects, np.zeros(60, dtype=np.intp), 1)
    halves = CellMoments.of(effects[:31], np.zeros(31, dtype=np.intp), 1).merge(
        CellMoments.of(effects[31:], np.zeros(29, dtype=np.intp), 1)
    )
    assert moments.std.tolist() == halves.std.tolist() == [math.sqrt(2 / 3)]


def test_the_mean_of_a_million_equal_effects_is_the_effect():
    """A plain running sum is off in the eleventh digit; R's mean() is not."""
    effects = np.full(10**6, 0.1)
    moments = CellMoments.of(effects, np.zeros(10**6, dtype=np.intp), 1)
    assert abs(np.cumsum(effects)[-1] / 10**6 - 0.1) > 1e-14
    assert moments.mean[0] == 0.1


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
    assert np.array_equal(effect.counts, right.counts)
    assert np.array_equal(effect.empty, right.empty)
    assert np.array_equal(effect.f_values, right.f_values)
    assert np.array_equal(effect.local_std, right.local_std, equal_nan=True)
    assert effect.mean_prediction == right.mean_prediction


@pytest.mark.parametrize("features", ["x", "c", ("x", "z"), ("c", "x"), ("c", "g")])
def test_rows_in_any_order_give_the_same_effect(features):
    X = table()
    weights = np.random.default_rng(1).uniform(size=len(X))
    order = np.random.default_rng(2).permutation(len(X))
    # Levels are given: the order by similarity is found with sums of its own.
    given = {name: list(X[name].cat.categories) for name in "cg"}
    right = ale(black_box, X, features, K=6, sample_weight=weights, order=given)
    shuffled = X.iloc[order]
    effect = ale(black_box, shuffled, features, K=6, sample_weight=weights[order], order=given)
    assert np.array_equal(effect.counts, right.counts)
    assert np.array_equal(effect.f_values, right.f_values)
    assert np.array_equal(effect.local_std, right.local_std, equal_nan=True)
    assert effect.mean_prediction == right.mean_prediction
