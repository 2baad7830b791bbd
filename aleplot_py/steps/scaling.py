"""Classical multidimensional scaling on one axis."""

from __future__ import annotations

import numpy as np

from aleplot_py.steps.grid import FloatArray


def doubly_centred(values: FloatArray) -> FloatArray:
    """Values (m, n) less the means of their row and column, plus the mean of all."""
    return np.asarray(values - values.mean(axis=0) - values.mean(axis=1)[:, None] + values.mean())


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
    eigenvalues, eigenvectors = np.linalg.eigh(-doubly_centred(squared) / 2)
    leading = max(float(eigenvalues[-1]), 0.0)
    return np.asarray(eigenvectors[:, -1] * np.sqrt(leading))
