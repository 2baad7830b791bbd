"""Weights: repeated rows, whole cells near the smallest double, only ratios matter."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, m_plot, partial_dependence
from aleplot_py.steps.moments import CellMoments
from tests.small_inputs import first, product, weighted

# Sums of a few small numbers: rounding only.
EXACT = 1e-12
ESTIMATORS = [ale, partial_dependence, m_plot]
OPTIONS = {"grid": {"x": [0.0, 0.5, 1, 2.5], "z": [-4.0, 0, 1, 4]}, "order": {"c": list("qpr")}}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("features", ["x", "c", ("x", "z"), ("c", "x"), ("x", "c")])
def test_weights_count_as_repeated_rows(estimator, features):
    X, weights = weighted()
    plain = estimator(product, X, features, **OPTIONS)
    twos = estimator(product, X, features, sample_weight=[2] * 30, **OPTIONS)
    assert np.array_equal(twos.counts, 2 * plain.counts)
    np.testing.assert_allclose(twos.f_values, plain.f_values, rtol=0, atol=EXACT)
    repeated = X.loc[X.index.repeat(weights)].reset_index(drop=True)
    long = estimator(product, repeated, features, **OPTIONS)
    short = estimator(product, X, features, sample_weight=weights, **OPTIONS)
    assert np.array_equal(long.counts, short.counts)
    np.testing.assert_allclose(short.f_values, long.f_values, rtol=0, atol=EXACT)


@pytest.mark.parametrize("batch_rows", [None, 1])
@pytest.mark.parametrize("features", ["x", "c", ("x", "z"), ("c", "x")])
def test_weights_of_a_whole_cell_near_the_smallest_double(features, batch_rows):
    """Their ratios decide, whatever their size: 3 to 1 as subnormal numbers and as usual ones."""
    X = pd.DataFrame(
        {
            "x": [0.0, 1, 2, 3, 4, 5],
            "z": [0.0, 0, 0, 1, 1, 1],
            "c": pd.Categorical(list("aabbcc"), ordered=True),
        }
    )
    tiny = np.array([1.0, 1, 3 * 5e-324, 5e-324, 3 * 5e-324, 5e-324])
    usual = np.array([1.0, 1, 3e-200, 1e-200, 3e-200, 1e-200])

    def predict(X):
        return X["x"] ** 2 * (X["z"] + 0.3) + X["c"].cat.codes * X["x"]

    right = ale(predict, X, features, K=3, sample_weight=usual)
    effect = ale(predict, X, features, K=3, sample_weight=tiny, batch_rows=batch_rows)
    np.testing.assert_allclose(effect.f_values, right.f_values, rtol=0, atol=100 * EXACT)


@pytest.mark.parametrize("largest", [1e-101, 1e101])
def test_only_ratios_of_weights_matter(largest):
    X = pd.DataFrame({"x": [0.0, 1, 2]})
    with pytest.raises(ValueError, match=r"between 1e-100 and 1e\+100, got 1e[+-]101: only"):
        ale(first, X, "x", sample_weight=[0.0, largest / 2, largest])


def test_a_row_without_weight_and_a_huge_effect_has_no_spread():
    moments = CellMoments.of(
        np.array([1.0, 1.0, 1e200]), np.zeros(3, dtype=np.intp), 1, np.array([1.0, 1, 0])
    )
    assert moments.std.tolist() == [0]
