"""Removal of the lower orders from an effect of several features, and centring to mean 0.

An axis has *points* (grid points or levels), *units* that rows fall in (intervals or levels) and
*steps* between neighbouring points. A numeric axis with K intervals has K + 1 points, K units and
K steps; a categorical axis with L levels has L points, L units and L - 1 steps. The functions here
need nothing else of the two kinds, so that every mix of kinds is served by the same lines.

Products, sums and quotients are taken in R's order, so that with R's arithmetic of sums the values
are R's bit for bit. Halves may be taken before or after a product: they are exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import ArrayLike

from aleplot_py.steps.accumulate import accumulate
from aleplot_py.steps.cells import fill_empty
from aleplot_py.steps.grid import FloatArray
from aleplot_py.steps.sums import EXACT, Arithmetic, total

#: Values and weights beyond 2**LARGE or below 2**-LARGE are scaled before they are multiplied.
LARGE = 450
#: Numbers up to 2**ORDINARY may be divided, squared and multiplied without being scaled.
ORDINARY = 100


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


def values_at_units(
    values: FloatArray, kinds: Sequence[str], centre: str = "aleplot"
) -> FloatArray:
    """Value of the rows of each combination of units: the mean of the corners, in R's order."""
    edges = (1,) if centre == "paper" else (0, 1)
    ends = [edges if kind == "numeric" else (None,) for kind in kinds]
    corners = []
    for corner in product(*ends):
        part = values
        for axis, end in enumerate(corner):
            part = part if end is None else _pairs(part, axis)[end]
        corners.append(part)
    summed = corners[0]
    for part in corners[1:]:
        summed = summed + part
    return summed / len(corners)


def power_of(x: ArrayLike, large: int = LARGE) -> int:
    """Power of two that brings the largest number near 1; 0 where it is of ordinary size."""
    power = math.frexp(float(np.abs(x).max(initial=0.0)))[1]
    return power if abs(power) > large else 0


def _power_of_weights(counts: FloatArray) -> int:
    """Power of two that leaves room below the smallest weight; 0 where there is room."""
    power = math.frexp(float(counts.max()))[1]
    least = math.frexp(float(counts[counts > 0].min(initial=1.0)))[1]
    return power - LARGE if power > LARGE or least < -LARGE else 0


def lower_effect(
    accumulated: FloatArray,
    counts: FloatArray,
    kinds: Sequence[str],
    axes: tuple[int, ...],
    positions: Sequence[FloatArray] = (),
    arithmetic: Arithmetic = EXACT,
) -> FloatArray:
    """Effect of some of the axes contained in the accumulated effect of all.

    Parameters
    ----------
    accumulated : ndarray of shape (P1, P2, ...)
        Accumulated effect at the points.
    counts : ndarray of shape (U1, U2, ...)
        Rows, or their weight, in each combination of units.
    kinds : sequence of {"numeric", "categorical"}
        Kind of each axis.
    axes : tuple of int
        Which of them, in ascending order.
    positions : sequence of ndarray of shape (S,)
        Positions of the steps along each axis, as `fill_empty` takes them; for several `axes`.
    arithmetic : Arithmetic
        How sums are rounded.

    Returns
    -------
    ndarray of the shape of the points of `axes`
        Their accumulated effect, 0 at the low end of each axis, in units of the prediction.

    Notes
    -----
    Source: Apley and Zhu (2020), section 3, and its appendix for more than two features; R's
    ``ALEPlot``. A step of a single axis behind which no row stands (only the caller's own grids
    have one) is averaged over all rows; a cell of several axes takes the difference of the nearest.
    """
    others = tuple(axis for axis in range(accumulated.ndim) if axis not in axes)
    rise, weight = accumulated, counts
    for axis in axes:
        rise = np.diff(rise, axis=axis)
        weight = units_to_steps(weight, axis, kinds[axis])
    for axis in others:
        rise = points_to_units(rise, axis, kinds[axis])
    behind = _totals(weight, others, arithmetic)
    alone = behind == 0
    if alone.any() and len(axes) == 1:
        every = np.expand_dims(arithmetic.totals(counts, axes[0]), axes[0])
        weight = np.where(np.expand_dims(alone, others), every, weight)
        behind = _totals(weight, others, arithmetic)
    step = _totals(weight * rise, others, arithmetic) / np.where(behind == 0, 1.0, behind)
    if len(axes) > 1:
        step = fill_empty(step, alone, [positions[axis] for axis in axes])
    return accumulate(step, arithmetic)


def _totals(x: FloatArray, axes: tuple[int, ...], arithmetic: Arithmetic) -> FloatArray:
    """Sums over some axes, each rounded once."""
    if len(axes) > 1:
        x = np.moveaxis(x, axes, range(-len(axes), 0))
        x = x.reshape(*x.shape[: -len(axes)], -1)
        axes = (x.ndim - 1,)
    return arithmetic.totals(x, axes[0])


def mean_over_rows(
    values: FloatArray,
    counts: FloatArray,
    kinds: Sequence[str],
    centre: str = "aleplot",
    above: float = 0.0,
    arithmetic: Arithmetic = EXACT,
) -> float:
    """Mean of an effect over the rows of the data.

    Parameters
    ----------
    values : ndarray of shape (P,) or (P1, P2, ...)
        Effect at the points.
    counts : ndarray of shape (U,) or (U1, U2, ...)
        Rows, or their weight, in each unit or combination of units.
    kinds : sequence of {"numeric", "categorical"}
        Kind of each axis.
    centre : {"aleplot", "paper", "none"}
        Where in its interval a row's effect is read: ``"aleplot"`` in the middle of the linear
        piece (R's ALEPlot and iml), ``"paper"`` at the upper edge (the step function of the
        paper's estimator). ``"none"`` returns 0.
    above : float
        Rows, or their weight, that lie above the grid and have its last value.
    arithmetic : Arithmetic
        How sums are rounded.

    Returns
    -------
    float
        The mean, in units of the prediction.
    """
    if centre == "none":
        return 0.0
    power = power_of(values)
    values = np.ldexp(values, -power)
    at_units = values_at_units(values, kinds, centre)
    if above:
        at_units, counts = np.append(at_units, values.flat[-1]), np.append(counts, above)
    share = tuple(kinds) == ("categorical",)
    return math.ldexp(_mean(at_units, counts, arithmetic, share=share), power)


def _mean(values: FloatArray, counts: FloatArray, arithmetic: Arithmetic, *, share: bool) -> float:
    """Mean of the values with weights; R takes shares first for the levels of one feature."""
    if share:
        return total(arithmetic, values * (counts / total(arithmetic, counts)))
    return total(arithmetic, values * counts) / total(arithmetic, counts)


def centred_effect(
    accumulated: FloatArray,
    counts: FloatArray,
    kinds: Sequence[str],
    centre: str = "aleplot",
    above: float = 0.0,
    arithmetic: Arithmetic = EXACT,
    positions: Sequence[FloatArray] = (),
) -> tuple[FloatArray, tuple[FloatArray, ...], float]:
    """Effect without those of lower order, if it is one of several features, and with mean 0.

    Parameters
    ----------
    accumulated : ndarray of shape (P,) or (P1, P2, ...)
        Accumulated effect at the points, in units of the prediction.
    counts, kinds, centre, above, arithmetic
        As in `mean_over_rows`.
    positions
        As in `lower_effect`; for three features or more.

    Returns
    -------
    values : ndarray of the same shape
        The centred effect.
    main_effects : tuple of ndarray of shape (P1,), (P2,), ...
        Main effects that were removed; empty for a main effect.
    constant : float
        What was subtracted last.

    Notes
    -----
    Source: Apley and Zhu (2020), its appendix: first the effects of the highest lower order, all
    taken from the same values, then those of the next from what is left.
    """
    if accumulated.ndim == 1 and not accumulated.any():  # the black box ignores the feature
        return accumulated, (), 0.0
    power, scale = power_of(accumulated), _power_of_weights(counts)
    values, counts = np.ldexp(accumulated, -power), np.ldexp(counts, -scale)
    mains: tuple[FloatArray, ...] = ()
    every = range(accumulated.ndim)
    for order in reversed(every[1:]):
        contained = {
            axes: lower_effect(values, counts, kinds, axes, positions, arithmetic)
            for axes in combinations(every, order)
        }
        for axes, lower in contained.items():
            others = tuple(axis for axis in every if axis not in axes)
            values = values - np.expand_dims(lower, others)
        mains = tuple(contained.values())  # at last those of single features
    above = math.ldexp(above, -scale)
    constant = mean_over_rows(values, counts, kinds, centre, above, arithmetic)
    removed = tuple(np.ldexp(main, power) for main in mains)
    return np.ldexp(values - constant, power), removed, math.ldexp(constant, power)


def centred_profile(
    average: FloatArray,
    counts: FloatArray,
    kinds: Sequence[str],
    arithmetic: Arithmetic = EXACT,
) -> tuple[FloatArray, FloatArray, float]:
    """Average of predictions at each point, centred as R's ``PDPlot`` does.

    Parameters
    ----------
    average : ndarray of shape (P,) or (P1, P2)
        Mean prediction at each point; NaN at points that have none.
    counts : ndarray of the same shape
        Rows, or their weight, that stand for each point.
    kinds : sequence of {"numeric", "categorical"}
        Kind of each axis.
    arithmetic : Arithmetic
        How sums are rounded.

    Returns
    -------
    values : ndarray of the same shape
        The average with mean 0, a pair without its main effects.
    removed : ndarray of the same shape
        What was subtracted.
    constant : float
        What was subtracted last.

    Notes
    -----
    Source: R's ``PDPlot``. Points without an average take part in no sum.
    """
    power = power_of(np.nan_to_num(average))
    scaled, counts = np.ldexp(average, -power), np.ldexp(counts, -_power_of_weights(counts))
    values = scaled
    if average.ndim == 2:
        known = np.nan_to_num(scaled)
        first, second = arithmetic.totals(counts, 1), arithmetic.totals(counts, 0)
        of_first = arithmetic.totals(known * second, 1) / total(arithmetic, second)
        of_second = arithmetic.totals(known * first[:, None], 0) / total(arithmetic, first)
        values = scaled - of_first[:, None] - of_second
    share = tuple(kinds) == ("categorical",)
    constant = _mean(np.nan_to_num(values), counts, arithmetic, share=share)
    centred = np.ldexp(values - constant, power)
    return centred, average - centred, math.ldexp(constant, power)
