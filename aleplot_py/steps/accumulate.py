"""From the mean local effect of each cell to the accumulated, uncentred effect."""

from __future__ import annotations

import numpy as np

from aleplot_py.steps.grid import FloatArray
from aleplot_py.steps.sums import EXACT, Arithmetic


def accumulate(local_mean: FloatArray, arithmetic: Arithmetic = EXACT) -> FloatArray:
    """Sum the mean local effects from the low end of every axis.

    Parameters
    ----------
    local_mean : ndarray of shape (S,) or (S1, S2, ...)
        Mean local effect of each step, or of each cell, in units of the prediction.
    arithmetic : Arithmetic
        How cumulative sums are rounded.

    Returns
    -------
    ndarray of shape (S + 1,) or (S1 + 1, S2 + 1, ...)
        Accumulated effect at the points between the steps; 0 at the low end of each axis.

    Notes
    -----
    Source: Apley and Zhu (2020), section 3, before centring; R's ``ALEPlot`` sums along the
    last axis first and rounds there.
    """
    beyond = local_mean
    for axis in reversed(range(local_mean.ndim)):
        beyond = arithmetic.running_total(beyond, axis)
    accumulated = np.zeros([size + 1 for size in beyond.shape])
    accumulated[(slice(1, None),) * beyond.ndim] = beyond
    return accumulated
