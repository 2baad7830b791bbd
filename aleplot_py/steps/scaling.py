"""Classical multidimensional scaling on one axis."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from aleplot_py.steps.grid import FloatArray

# Share of the largest eigenvalue that parts it from the next where its vector is found alone: the
# rounding of that vector is then some 1e-12 at most, far below what tells levels apart.
APART = 1e-3


def doubly_centred(values: FloatArray) -> FloatArray:
    """Values (m, n) less the means of their row and column, plus the mean of all."""
    centred = values - values.mean(axis=0)
    centred -= values.mean(axis=1)[:, None]
    centred += values.mean()
    return np.asarray(centred)


def classical_scaling(distances: FloatArray) -> FloatArray:
    """Coordinates on the first axis of classical multidimensional scaling.

    Parameters
    ----------
    distances : ndarray of shape (L, L)
        Symmetric distances.

    Returns
    -------
    ndarray of shape (L,)
        Coordinates; their sign is arbitrary.

    Notes
    -----
    Source: R's ``cmdscale(distances, k = 1)``.
    """
    squared = np.asarray(distances, dtype=np.float64) ** 2
    products = doubly_centred(squared)
    products /= -2
    last = len(products) - 1
    eigenvalues, eigenvectors = eigh(products, subset_by_index=[max(last - 1, 0), last])
    # LAPACK may find one of two equal values, or none.
    if len(eigenvalues) < 2 or eigenvalues[1] - eigenvalues[0] <= APART * eigenvalues[1]:
        eigenvalues, eigenvectors = np.linalg.eigh(products)
    leading = max(float(eigenvalues[-1]), 0.0)
    return np.asarray(eigenvectors[:, -1] * np.sqrt(leading))
