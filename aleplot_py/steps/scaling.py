"""Classical multidimensional scaling on one axis."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor
from scipy.linalg.blas import dsymv
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from aleplot_py.steps.grid import FloatArray

# Levels from which on all axes take longer than the first and a proof that it is apart.
MANY = 100
# Share of the largest eigenvalue that parts it from the next where its vector is found alone: the
# rounding of that vector is then some 1e-12 at most, far below what tells levels apart.
APART = 1e-3
# An axis that is not found in so many turns is not apart.
TURNS = 20


def doubly_centred(values: FloatArray, *, overwrite: bool = False) -> FloatArray:
    """Values (m, n) less the means of their row and column, plus the mean of all."""
    rows, columns, whole = values.mean(axis=1), values.mean(axis=0), values.mean()
    centred = np.subtract(values, columns, out=values if overwrite else None)
    centred -= rows[:, None]
    centred += whole
    return np.asarray(centred)


def classical_scaling(distances: FloatArray, *, overwrite: bool = False) -> FloatArray:
    """Coordinates on the first axis of classical multidimensional scaling.

    Parameters
    ----------
    distances : ndarray of shape (L, L)
        Symmetric distances.
    overwrite : bool
        Whether their memory may be used for something else.

    Returns
    -------
    ndarray of shape (L,)
        Coordinates; their sign is arbitrary.

    Notes
    -----
    Source: R's ``cmdscale(distances, k = 1)``.
    """
    distances = np.asarray(distances, dtype=np.float64)
    squared = np.square(distances, out=distances if overwrite else None)
    products = doubly_centred(squared, overwrite=True)
    products /= -2
    found = _leading(products) if len(products) >= MANY else None
    if found is None:
        eigenvalues, eigenvectors = np.linalg.eigh(products)
        found = max(float(eigenvalues[-1]), 0.0), eigenvectors[:, -1]
    eigenvalue, eigenvector = found
    return np.asarray(eigenvector * np.sqrt(eigenvalue))


def _leading(matrix: FloatArray) -> tuple[float, FloatArray] | None:
    """The largest eigenvalue of a symmetric matrix (L, L) and its vector (L,), if it is apart."""
    # A product of a symmetric matrix reads half of it.
    product = LinearOperator(matrix.shape, lambda x: dsymv(1.0, matrix.T, x), dtype=matrix.dtype)
    start = np.random.default_rng(0).normal(size=len(matrix))
    try:
        eigenvalues, eigenvectors = eigsh(product, k=1, which="LA", v0=start, maxiter=TURNS)
    except ArpackError:
        return None
    largest, vector = float(eigenvalues[0]), eigenvectors[:, 0]
    # All others are smaller, by the share of the largest, if this is positive definite. Single
    # precision tells: its rounding is far below the share.
    rest = np.outer((largest * vector).astype(np.float32), vector.astype(np.float32))
    rest -= matrix
    rest.flat[:: len(rest) + 1] += (1 - APART) * largest
    try:
        cho_factor(rest.T, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None
    return largest, vector
