"""From the mean local effect of each cell to the accumulated, uncentred effect."""

from __future__ import annotations

import numpy as np

from aleplot_py.steps.grid import FloatArray


def accumulate(local_mean: FloatArray) -> FloatArray:
    """Sum the mean local effects from the low end of every axis.

    Parameters
    ----------
    local_mean : ndarray of shape (S,) or (S1, S2)
        Mean local effect of each step, or of each cell, in units of the prediction.

    Returns
    -------
    ndarray of shape (S + 1,) or (S1 + 1, S2 + 1)
        Accumulated effect at the points between the steps; 0 at the low end of each axis.

    Notes
    -----
    Source: Apley and Zhu (2020), section 3, before centring.
    """
    total = np.zeros([size + 1 for size in local_mean.shape])
    beyond = total[(slice(1, None),) * local_mean.ndim]
    beyond[...] = local_mean
    for axis in range(local_mean.ndim):
        np.cumsum(beyond, axis=axis, out=beyond)
    return total
