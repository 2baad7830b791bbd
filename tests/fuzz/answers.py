"""Comparison of an effect with its definition: equality, and what rounding leaves."""

import numpy as np

# Local means and counts are rounded once, and must be equal. What is made of them adds up to a
# hundred of them, each sum rounded: a fraction of their total.
SUMS = 2.0**-50
# A pair's values are differences of four such sums, and of main effects made of them.
SUMS_OF_PAIRS = 2.0**-46
# Means of predictions by plain sums, a fraction of the largest prediction.
MEANS = 2.0**-48
# Below this a double has lost digits.
DENORMAL = 2.0**-1060
# The square root of a variance that was rounded.
ROOT = 2.0**-51


def assert_ale(effect, right):
    """An effect is what the loops found."""
    known = ~right.empty
    assert np.array_equal(effect.empty, right.empty)
    assert np.array_equal(effect.counts, right.counts)
    assert np.array_equal(effect.local_mean[known], right.local_mean[known])
    near(effect.local_mean, right.local_mean, SUMS * np.abs(right.local_mean).max())
    np.testing.assert_allclose(
        effect.local_std[known], right.local_std[known], rtol=ROOT, atol=DENORMAL
    )
    assert np.isnan(effect.local_std[right.empty]).all()
    share = SUMS if right.local_mean.ndim == 1 else SUMS_OF_PAIRS
    rounding = share * np.abs(right.local_mean).sum()
    near(effect.f_values, right.f_values, rounding)
    near(effect.constant, right.constant, rounding)
    for mine, theirs in zip(effect.main_effects, right.main_effects, strict=True):
        near(mine, theirs, rounding)


def near(mine, theirs, rounding):
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=rounding + DENORMAL)
