"""Complexity of main effects: how many linear pieces it takes to follow each curve."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pandas as pd

from aleplot_py.analysis.decomposition import main_effects
from aleplot_py.inputs.checks import positive_integer
from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule
from aleplot_py.results.effects import AleResult, check_rows, shown_points
from aleplot_py.steps.centre import power_of
from aleplot_py.steps.grid import FloatArray, IntArray
from aleplot_py.steps.powers import square_in_units, times_power
from aleplot_py.steps.sums import cell_totals
from aleplot_py.typing import AleEffects

# Below this share of a piece's squared width its rows stand at one place: no slope to fit.
ONE_PLACE = 1e-14
# Effects, and sums of squares, of less than this share of the largest are rounding.
ROUNDING = 1e-12

PIECE = ("start", "end", "start_value", "end_value", "slope")


@dataclass(frozen=True, eq=False, repr=False)
class LinearPieces(Result):
    """Piecewise linear approximation of one main effect.

    Parameters
    ----------
    feature : hashable
        The feature.
    kind : {"numeric", "categorical"}
        Its kind. Pieces of a categorical feature are runs of levels with one value.
    start, end : ndarray of shape (segments,)
        First and last grid point of each piece, of times as such; first and last level of a
        categorical one.
    start_value, end_value : ndarray of shape (segments,)
        Approximation at both ends, in units of the prediction. Pieces need not join.
    slope : ndarray of shape (segments,)
        Units of the prediction per unit of the feature (of dates and durations per unit of their
        axis, ``effect.axes[0].times.unit``); exactly 0 for a flat piece.
    r_squared : float
        Share of the effect's variance over the rows that the approximation explains.
    variance : float
        Variance of the effect over the rows, in squared units of the prediction; infinite where
        that is beyond the largest double.
    """

    feature: Hashable
    kind: Literal["numeric", "categorical"]
    start: np.ndarray[Any, Any]
    end: np.ndarray[Any, Any]
    start_value: FloatArray
    end_value: FloatArray
    slope: FloatArray
    r_squared: float
    variance: float

    @property
    def segments(self) -> int:
        """Number of pieces; 0 for an effect that is 0 everywhere."""
        return len(self.start)

    @property
    def complexity(self) -> int:
        """Number of coefficients: intercepts and slopes that are not 0, less one intercept."""
        return self.segments + int(np.count_nonzero(self.slope)) - 1 if self.segments else 0

    def __repr__(self) -> str:
        return (
            f"LinearPieces({self.feature!r}: {self.segments} pieces, complexity "
            f"{self.complexity}, R squared {self.r_squared:.4g})"
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per piece.

        Returns
        -------
        DataFrame
            Columns ``start``, ``end``, ``start_value``, ``end_value``, ``slope``.
        """
        return pd.DataFrame({name: getattr(self, name).copy() for name in PIECE})

    def _rules(self) -> Iterator[Rule]:
        for name in PIECE:
            got = getattr(self, name).shape
            shape = (len(self.start),) if self.start.ndim else ()
            yield len(got) == 1 and got == shape, name, "of one length with start", got


@dataclass(frozen=True, eq=False, repr=False)
class MainEffectComplexity(Result):
    """Complexity of the main effects of a black box, MEC.

    Parameters
    ----------
    value : float
        Mean of the features' complexities (coefficients of each approximation, less one
        intercept), weighted with the variances of their effects; 0 if every effect is 0.
    mean_segments : float
        The same mean of the numbers of linear pieces.
    pieces : tuple of LinearPieces
        Approximation of each feature's effect.
    """

    value: float
    mean_segments: float
    pieces: tuple[LinearPieces, ...]

    def __repr__(self) -> str:
        return (
            f"MainEffectComplexity({self.value:.4g}, mean of {self.mean_segments:.4g} segments "
            f"over {len(self.pieces)} features)"
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per feature.

        Returns
        -------
        DataFrame
            Columns ``feature``, ``complexity``, ``segments``, ``r_squared``, ``variance``.
        """
        names = ("feature", "complexity", "segments", "r_squared", "variance")
        return pd.DataFrame([{name: getattr(p, name) for name in names} for p in self.pieces])

    def segments_frame(self) -> pd.DataFrame:
        """One row per linear piece.

        Returns
        -------
        DataFrame
            Columns ``feature``, ``start``, ``end``, ``start_value``, ``end_value``, ``slope``.
        """
        rows = [
            {"feature": p.feature, **{name: getattr(p, name)[i] for name in PIECE}}
            for p in self.pieces
            for i in range(p.segments)
        ]
        return pd.DataFrame(rows, columns=["feature", *PIECE])


def main_effect_complexity(
    effects: AleEffects, *, max_error: float = 0.05, max_segments: int | None = None
) -> MainEffectComplexity:
    """Complexity of main effects: coefficients of the piecewise linear curves that follow them.

    Parameters
    ----------
    effects : EffectCollection, AleResult, or sequence of AleResult
        Main effects, at most one per feature.
    max_error : float, default 0.05
        An approximation is good enough when its R squared is at least ``1 - max_error``.
    max_segments : int, optional
        Largest number of pieces for one effect; by default as many as it takes.

    Returns
    -------
    MainEffectComplexity
        1 for a line or a step, 3 for two sloped pieces, the number of groups of levels less one
        for a category.

    Raises
    ------
    ValueError, TypeError
        If the effects are not main effects of ALE, `max_error` is not in [0, 1), or `max_segments`
        is not a positive integer.

    See Also
    --------
    interaction_strength : The other measure of complexity.
    ale : Gives the effects.

    Notes
    -----
    Source: Molnar, Casalicchio and Bischl (2020), Quantifying model complexity via functional
    decomposition for better post-hoc interpretability, algorithm 2, as follows.

    1. An effect is what its curve (linear between grid points) gives at the rows of the data, and
       its variance that over the rows. In weighted data a row counts its interval's weight over
       its rows.
    2. One piece is fitted by least squares: a line; for a categorical feature a constant.
    3. While R squared is too small, one more breakpoint is set: of all inner grid points (of all
       gaps between neighbouring levels in their order) the one with the smallest remaining sum of
       squares, the earlier breakpoints fixed. Pieces are fitted apart and need not join.
    4. Slopes are set to 0, the one that costs least first, as long as R squared is large enough.
    5. The complexity is the number of pieces plus the number of slopes left, less 1. The mean is
       weighted with the effects' variances.

    An effect with variance 0 has complexity 0 and no weight.
    """
    mains = main_effects(effects)
    if isinstance(max_error, bool) or not isinstance(max_error, (int, float, np.number)):
        raise TypeError(f"max_error must be a number from 0 to 1, got {max_error!r}")
    if not 0 <= max_error < 1:
        raise ValueError(f"max_error must be at least 0 and below 1, got {max_error!r}")
    if max_segments is not None:
        max_segments = positive_integer(max_segments, "max_segments")
    powers = [power_of(main.f_values) for main in mains]
    pieces, variances = zip(
        *(
            _approximate(main, power, float(max_error), max_segments)
            for main, power in zip(mains, powers, strict=True)
        ),
        strict=True,
    )
    if not any(variances):
        return MainEffectComplexity(0.0, 0.0, pieces)
    largest = max(power for power, variance in zip(powers, variances, strict=True) if variance)
    weights = np.array(
        [square_in_units(v, power - largest) for v, power in zip(variances, powers, strict=True)]
    )
    shares = weights / weights.sum()
    return MainEffectComplexity(
        value=float(shares @ [p.complexity for p in pieces]),
        mean_segments=float(shares @ [p.segments for p in pieces]),
        pieces=pieces,
    )


def row_units(effect: AleResult) -> tuple[IntArray, FloatArray]:
    """Interval or level of each row of a main effect's data, and the row's weight.

    Parameters
    ----------
    effect : AleResult
        Main effect.

    Returns
    -------
    codes : ndarray of int of shape (n,)
        Interval or level, from 0.
    weights : ndarray of shape (n,)
        1 without sample weights; else an equal share of the weight of the row's unit.
    """
    check_rows(effect, "numbers of rows in segments and regions")
    codes = effect.axes[0].codes
    rows = np.bincount(codes, minlength=len(effect.counts))
    return codes, effect.counts[codes] / rows[codes]


@dataclass(frozen=True)
class _Units:
    """Weighted moments of place and effect in each unit, all of shape (U,)."""

    w: FloatArray
    x: FloatArray
    y: FloatArray
    xx: FloatArray
    xy: FloatArray
    yy: FloatArray

    def part(self, start: int, stop: int) -> FloatArray:
        """Sums of w, wx, wy, wxx, wxy, wyy of the units about the part's own mean, (6, units)."""
        w, x, y, xx, xy, yy = (
            v[start:stop] for v in (self.w, self.x, self.y, self.xx, self.xy, self.yy)
        )
        total = max(float(w.sum()), np.finfo(float).tiny)
        x, y = x - w @ x / total, y - w @ y / total
        return np.stack([w, w * x, w * y, xx + w * x * x, xy + w * x * y, yy + w * y * y])


def _units_of(effect: AleResult, power: int) -> _Units:
    codes, weights = row_units(effect)
    points = effect.x_values[0]
    if effect.kinds[0] == "numeric":
        place = np.clip(effect.observed[0], points[0], points[-1])
        values = effect.evaluate(place)
        of_x = power_of(points)
        points, place = np.ldexp(points, -of_x), np.ldexp(place, -of_x)
        place = (place - points[0]) / (points[-1] - points[0])
    else:  # levels all stand at one place, so that only constants can be fitted
        place, values = np.zeros(len(codes)), effect.f_values[codes]
    values = np.ldexp(values, -power)

    def per_unit(v: FloatArray) -> FloatArray:
        return cell_totals(weights * v, codes, len(effect.counts))

    w = per_unit(np.ones(len(codes)))
    held = np.maximum(w, np.finfo(float).tiny)
    x, y = per_unit(place) / held, per_unit(values) / held
    dx, dy = place - x[codes], values - y[codes]
    return _Units(w, x, y, per_unit(dx * dx), per_unit(dx * dy), per_unit(dy * dy))


def _fit(sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Slope, sum of squares about the line and about the mean; `sums` of shape (6, ...)."""
    w, x, y, xx, xy, yy = sums
    held = np.where(w > 0, w, 1.0)
    sxx, sxy = xx - x * x / held, xy - x * y / held
    flat = np.maximum(yy - y * y / held, 0.0)
    spread = sxx > ONE_PLACE * held
    slope = np.where(spread, sxy / np.where(spread, sxx, 1.0), 0.0)
    return slope, np.maximum(flat - slope * sxy, 0.0), flat


def _cut(units: _Units, start: int, stop: int) -> tuple[float, int]:
    """Smallest sum of squares with one breakpoint inside a piece, and where it is."""
    sums = units.part(start, stop)
    left = np.cumsum(sums, axis=1)[:, :-1]
    right = sums.sum(axis=1, keepdims=True) - left
    costs = [_fit(side)[1] for side in (left, right)]
    held = np.minimum(left[0], right[0]) > ROUNDING * sums[0].sum()
    total = np.where(held, costs[0] + costs[1], np.inf)
    best = int(np.argmin(total))
    return float(total[best]), start + best + 1


def _cost(units: _Units, start: int, stop: int) -> float:
    return float(_fit(units.part(start, stop).sum(axis=1))[1])


def _breakpoints(units: _Units, allowed: float, limit: int) -> list[int]:
    """First units of the pieces and the number of units, by greedy search."""
    bounds = [0, len(units.w)]
    costs = [_cost(units, 0, len(units.w))]
    while sum(costs) > allowed and len(costs) < limit:
        gain, cut, piece = 0.0, 0, 0
        for candidate, (start, stop) in enumerate(pairwise(bounds)):
            if stop - start > 1:
                remaining, place = _cut(units, start, stop)
                if costs[candidate] - remaining > gain:
                    gain, cut, piece = costs[candidate] - remaining, place, candidate
        if gain == 0:
            break
        bounds.insert(piece + 1, cut)
        costs = [_cost(units, start, stop) for start, stop in pairwise(bounds)]
    return bounds


def _approximate(
    effect: AleResult, power: int, max_error: float, max_segments: int | None
) -> tuple[LinearPieces, float]:
    """Pieces of one effect, and its variance with the power of two taken out of the effect."""
    units = _units_of(effect, power)
    total = float(_fit(units.part(0, len(units.w)).sum(axis=1))[2])
    size = np.abs(np.ldexp(effect.f_values, -power)).max()
    if total <= units.w.sum() * (ROUNDING * size) ** 2:
        none, feature = np.zeros(0), effect.axes[0]
        nothing = LinearPieces(feature.name, feature.kind, none, none, none, none, none, 1.0, 0.0)
        return nothing, 0.0
    allowed = max(max_error, ROUNDING) * total
    limit = len(units.w) if max_segments is None else max_segments
    bounds = _breakpoints(units, allowed, limit)
    ends = list(pairwise(bounds))
    slopes, lines, flats = np.array(
        [_fit(units.part(*piece).sum(axis=1)) for piece in ends], dtype=np.float64
    ).T
    left = float(lines.sum())
    for piece in np.argsort(flats - lines, kind="stable"):
        loss = float(flats[piece] - lines[piece])
        if left + loss > allowed and loss > ROUNDING * total:
            break
        slopes[piece], left = 0.0, left + loss
    variance = float(total / units.w.sum())
    return _pieces(effect, power, units, ends, slopes, 1 - left / total, variance), variance


def _pieces(
    effect: AleResult,
    power: int,
    units: _Units,
    ends: list[tuple[int, int]],
    slopes: FloatArray,
    r_squared: float,
    variance: float,
) -> LinearPieces:
    """Approximation in the feature's own units, the power of two put back."""
    points, [axis] = effect.x_values[0], effect.axes
    known = points if axis.times is None else np.array([*shown_points(axis)], dtype=object)
    numeric = effect.kinds[0] == "numeric"
    first = np.array([start for start, _ in ends])
    last = np.array([stop if numeric else stop - 1 for _, stop in ends])
    mean_x, mean_y = np.array(
        [[units.w[i:j] @ v[i:j] / units.w[i:j].sum() for v in (units.x, units.y)] for i, j in ends]
    ).T
    of_x, width, low, high = 0, 1.0, mean_x, mean_x
    if numeric:
        of_x = power_of(points)
        place = np.ldexp(points, -of_x)
        width = float(place[-1] - place[0])
        low, high = ((place[end] - place[0]) / width for end in (first, last))
    return LinearPieces(
        feature=effect.features[0],
        kind=effect.axes[0].kind,
        start=known[first],
        end=known[last],
        start_value=np.ldexp(mean_y + slopes * (low - mean_x), power),
        end_value=np.ldexp(mean_y + slopes * (high - mean_x), power),
        slope=times_power(slopes / width, power - of_x),
        r_squared=float(r_squared),
        variance=square_in_units(variance, power),
    )
