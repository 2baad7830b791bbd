"""Removal of main effects from a second-order effect, and centring to mean 0.

An axis has *points* (grid points or levels), *units* that rows fall in (intervals or levels) and
*steps* between neighbouring points. A numeric axis with K intervals has K + 1 points, K units and
K steps; a categorical axis with L levels has L points, L units and L - 1 steps. The functions here
need nothing else of the two kinds, so that every pair of kinds is served by the same lines.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aleplot_py.steps.grid import FloatArray


def _pairs(values: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
    before = (slice(None),) * axis
    return values[(*before, slice(None, -1))], values[(*before, slice(1, None))]


def points_to_units(values: FloatArray, axis: int, kind: str, edge: str = "middle") -> FloatArray:
    """Value that the rows of each unit have: an interval's mid-value, or the level's own value."""
    if kind == "categorical":
        return values
    low, high = _pairs(values, axis)
    return high if edge == "upper" else (low + high) / 2


def units_to_steps(counts: FloatArray, axis: int, kind: str) -> FloatArray:
    """Rows that stand behind each step: the interval's, or half of both neighbouring levels'."""
    if kind == "numeric":
        return counts
    low, high = _pairs(counts, axis)
    return (low + high) / 2


def main_effect(
    accumulated: FloatArray, counts: FloatArray, kinds: Sequence[str], axis: int
) -> FloatArray:
    """Main effect of one axis contained in the accumulated second-order effect.

    Parameters
    ----------
    accumulated : ndarray of shape (P1, P2)
        Accumulated effect at the points.
    counts : ndarray of shape (U1, U2)
        Rows, or their weight, in each pair of units.
    kinds : sequence of {"numeric", "categorical"}
        Kind of each axis.
    axis : {0, 1}
        Which axis.

    Returns
    -------
    ndarray of shape (P1,) or (P2,)
        Accumulated main effect, 0 at its first point, in units of the prediction.

    Notes
    -----
    Source: Apley and Zhu (2020), section 3; R's ``ALEPlot``. A step behind which no row
    stands (only the caller's own grids have one) is averaged over all rows.
    """
    other = 1 - axis
    rise = points_to_units(np.diff(accumulated, axis=axis), other, kinds[other])
    weight = units_to_steps(counts, axis, kinds[axis])
    marginal = np.broadcast_to(counts.sum(axis=axis, keepdims=True), weight.shape)
    weight = np.where(weight.sum(axis=other, keepdims=True) > 0, weight, marginal)
    share = weight / weight.sum(axis=other, keepdims=True)
    step = (share * rise).sum(axis=other)
    return np.append(0.0, np.cumsum(step))


def mean_over_rows(
    values: FloatArray,
    counts: FloatArray,
    kinds: Sequence[str],
    centre: str = "aleplot",
    above: float = 0.0,
) -> float:
    """Mean of an effect over the rows of the data.

    Parameters
    ----------
    values : ndarray of shape (P,) or (P1, P2)
        Effect at the points.
    counts : ndarray of shape (U,) or (U1, U2)
        Rows, or their weight, in each unit or pair of units.
    kinds : sequence of {"numeric", "categorical"}
        Kind of each axis.
    centre : {"aleplot", "paper", "none"}
        Where in its interval a row's effect is read: ``"aleplot"`` in the middle of the linear
        piece (R's ALEPlot and iml), ``"paper"`` at the upper edge (the step function of the
        paper's estimator). ``"none"`` returns 0.
    above : float
        Rows, or their weight, that lie above the grid and have its last value.

    Returns
    -------
    float
        The mean, in units of the prediction.
    """
    if centre == "none":
        return 0.0
    last = values.flat[-1]
    for axis, kind in enumerate(kinds):
        values = points_to_units(values, axis, kind, "upper" if centre == "paper" else "middle")
    return float(((values * counts).sum() + above * last) / (counts.sum() + above))


def centred_effect(
    accumulated: FloatArray,
    counts: FloatArray,
    kinds: Sequence[str],
    centre: str = "aleplot",
    above: float = 0.0,
) -> tuple[FloatArray, tuple[FloatArray, ...], float]:
    """Effect without its main effects, if it is one of a pair, and with mean 0 over the rows.

    Parameters
    ----------
    accumulated : ndarray of shape (P,) or (P1, P2)
        Accumulated effect at the points, in units of the prediction.
    counts, kinds, centre, above
        As in `mean_over_rows`.

    Returns
    -------
    values : ndarray of the same shape
        The centred effect.
    main_effects : tuple of ndarray of shape (P1,) and (P2,)
        What was removed first; empty for a main effect.
    constant : float
        What was subtracted last.
    """
    mains: tuple[FloatArray, ...] = ()
    values = accumulated
    if accumulated.ndim == 2:
        mains = tuple(main_effect(accumulated, counts, kinds, axis) for axis in (0, 1))
        values = accumulated - mains[0][:, None] - mains[1]
    constant = mean_over_rows(values, counts, kinds, centre, above)
    return values - constant, mains, constant
