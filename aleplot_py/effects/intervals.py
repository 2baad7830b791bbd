"""Automatic intervals of a numeric feature: wide where the local effects agree."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from aleplot_py.effects.gradient import as_jacobian
from aleplot_py.effects.local_effects import axis_moments
from aleplot_py.errors import LOG, GridError
from aleplot_py.inputs.arrays import as_floats
from aleplot_py.inputs.axes import interval_axis
from aleplot_py.inputs.checks import interval_count, one_of, positive_integer, weights_of
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import problem_of
from aleplot_py.inputs.requests import Requests, single_feature
from aleplot_py.inputs.times import to_times
from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule, register
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.centre import ORDINARY, power_of
from aleplot_py.steps.grid import FloatArray, IntArray
from aleplot_py.steps.moments import DIGIT, CellMoments
from aleplot_py.typing import (
    Feature,
    FrameLike,
    Gradient,
    Missing,
    Numbers,
    Predictor,
    ResponseMethod,
)

METHODS = ("dynamic", "greedy")


# An interval must lower the cost by more than this share of mean squared derivative times range,
# so that rounding in the local effects of a straight line does not look like heterogeneity.
TIE = 1e-12
# Costs of intervals that are computed at a time.
COSTS = 100_000


@dataclass(frozen=True, kw_only=True)
class Auto:
    """How the intervals of a numeric feature are chosen; pass it as ``K`` of `aleplot_py.ale`.

    ``K="auto"`` stands for ``K=Auto()``.

    Parameters
    ----------
    method : {"dynamic", "greedy"}
        ``"dynamic"`` finds the partition of lowest cost, ``"greedy"`` sweeps once from the left
        and may miss it.
    min_rows : int, optional
        Fewest rows in an interval, at least 2. By default a twentieth of the rows, but at least
        10 (all rows where there are fewer).
    alpha : float, default 0.2
        Discount on the cost of an interval that holds all rows, from 0 (only heterogeneity
        counts) to 1; others get it in proportion to their share of the rows. It is what joins
        intervals whose heterogeneity is the same.
    max_K : int, default 100
        Number of intervals of the fine grid, whose edges are the possible cut points.
    min_gain : float, default 0.003
        Share, from 0 to 1, of the undiscounted cost of a single interval that every further
        interval must save. 0 is the published criterion, which also splits off the few rows of a
        fine interval that straddles a true change, or a chance run of similar rows.

    Raises
    ------
    TypeError, ValueError
        If an option is not of these.

    Notes
    -----
    The fine grid has equal intervals from the minimum to the maximum. Only where a feature takes
    at most ``max_K + 1`` values, each on average in two rows or more, do these values themselves
    make the grid, so that the steps of a tree between neighbouring integers are not overlooked.
    """

    method: Literal["dynamic", "greedy"] = "dynamic"
    min_rows: int | None = None
    alpha: float = 0.2
    max_K: int = 100  # noqa: N815 (K is the field's name)
    min_gain: float = 0.003

    def __post_init__(self) -> None:
        one_of(self.method, METHODS, "method")
        interval_count(self.max_K, "max_K")
        if self.min_rows is not None and positive_integer(self.min_rows, "min_rows") < 2:
            raise ValueError(
                f"min_rows must be at least 2, got {self.min_rows}: one row shows no heterogeneity"
            )
        number = (int, float, np.integer, np.floating)
        for argument in ("alpha", "min_gain"):
            value = getattr(self, argument)
            if isinstance(value, bool) or not isinstance(value, number):
                raise TypeError(f"{argument} must be a number, got {value!r}")
            if not 0 <= value <= 1:
                raise ValueError(f"{argument} must lie between 0 and 1, got {value}")

    def fewest_rows(self, n: int, name: Hashable = None) -> int:
        """Fewest rows of an interval.

        Parameters
        ----------
        n : int
            Rows of the feature.
        name : hashable
            Its name, for the message.

        Returns
        -------
        int
            `min_rows`, or what stands for it.

        Raises
        ------
        GridError
            If there are not enough rows for a single interval.
        """
        if self.min_rows is None:
            return min(n, max(10, -(-n // 20)))
        if self.min_rows > n:
            raise GridError(
                f"min_rows={self.min_rows} leaves column {name!r} without an interval: "
                f"it has {n} rows"
            )
        return self.min_rows


def as_auto(K: Any) -> Auto | None:
    """Translate the ``K`` of one feature: None for a number of intervals.

    Raises
    ------
    ValueError
        If it is another text than "auto".
    """
    if isinstance(K, Auto):
        return K
    if isinstance(K, str):
        if K != "auto":
            raise ValueError(f"K must be a positive integer, 'auto' or intervals.Auto, got {K!r}")
        return Auto()
    return None


register(Auto)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Intervals(Result):
    """Intervals chosen for a numeric feature.

    Parameters
    ----------
    feature : hashable
        Column name or position.
    edges : ndarray of shape (K + 1,)
        Ends of the intervals (z_{k-1}, z_k], the first closed. As ``grid=`` of `aleplot_py.ale`
        they give the ordinary estimator on these intervals.
    counts : ndarray of shape (K,)
        Rows, or their weight, in each.
    slope : ndarray of shape (K,)
        Mean local derivative, in units of the prediction per unit of the feature.
    slope_std : ndarray of shape (K,)
        Its standard deviation over the rows (divisor: their number), the heterogeneity.
    costs : ndarray of shape (K,)
        Cost of each interval, see `fit`.
    penalty : float
        What every interval must save, in the units of `costs`.
    fine_edges : ndarray of shape (F + 1,)
        Possible cut points.
    min_rows : int
        Fewest rows allowed in an interval.
    options : Auto
        How they were chosen.
    """

    feature: Hashable
    edges: FloatArray
    counts: FloatArray
    slope: FloatArray
    slope_std: FloatArray
    costs: FloatArray
    penalty: float
    fine_edges: FloatArray
    min_rows: int
    options: Auto

    def __repr__(self) -> str:
        return (
            f"Intervals({self.feature!r}: {self.K} intervals from {self.edges[0]:.4g} to "
            f"{self.edges[-1]:.4g}, cost {self.cost:.4g})"
        )

    def _rules(self) -> Iterator[Rule]:
        for name in ("edges", "fine_edges"):
            edges = getattr(self, name)
            yield edges.ndim == 1 and edges.size > 1, name, "two or more of them", edges.shape
            yield bool((np.diff(edges) > 0).all()), name, "increasing", edges
        shape = (len(self.edges) - 1,)
        for name in ("counts", "slope", "slope_std", "costs"):
            got = getattr(self, name).shape
            yield got == shape, name, f"of shape {shape}", got

    @property
    def K(self) -> int:
        """Number of intervals."""
        return len(self.counts)

    @property
    def cost(self) -> float:
        """Cost of the partition, the sum of `costs`."""
        return float(self.costs.sum())

    def to_frame(self) -> pd.DataFrame:
        """Table with one row per interval.

        Returns
        -------
        DataFrame
            Columns ``low``, ``high``, ``counts``, ``slope``, ``slope_std``, ``cost``.
        """
        return pd.DataFrame(
            {
                "low": self.edges[:-1].copy(),
                "high": self.edges[1:].copy(),
                "counts": self.counts.copy(),
                "slope": self.slope.copy(),
                "slope_std": self.slope_std.copy(),
                "cost": self.costs.copy(),
            }
        )


def fit(
    predict: Predictor,
    X: FrameLike,
    feature: Feature,
    *,
    method: Literal["dynamic", "greedy"] = "dynamic",
    min_rows: int | None = None,
    alpha: float = 0.2,
    max_K: int = 100,
    min_gain: float = 0.003,
    gradient: Gradient | None = None,
    sample_weight: Numbers | None = None,
    target: Hashable | None = None,
    response_method: ResponseMethod = "auto",
    missing: Missing = "error",
    batch_rows: int | None = None,
    n_jobs: int | Executor | None = None,
    progress: bool = True,
) -> Intervals:
    """Choose the intervals of a numeric feature so that its local effects agree inside each.

    Parameters
    ----------
    predict, X
        As in `aleplot_py.ale`.
    feature : name or position
        One numeric column.
    method, min_rows, alpha, max_K, min_gain
        As in `Auto`.
    gradient : optional
        As in `aleplot_py.ale`: takes the local derivatives from the Jacobian.
    sample_weight, target, response_method, missing, batch_rows, n_jobs, progress
        As in `aleplot_py.ale`.

    Returns
    -------
    Intervals
        Edges, and the moments of the local derivatives between them.

    Raises
    ------
    FeatureError, GridError, PredictionError, ValueError, TypeError
        With the column or argument, the rule, and the value got; among others when `min_rows`
        exceeds the rows there are.

    See Also
    --------
    fit_derivatives : The same from derivatives that are there.
    ale : Takes the choice by ``K="auto"``.

    Notes
    -----
    Takes no `categorical`: the feature must be numeric.
    Takes no `random_state`: nothing is drawn at random.

    Source: Gkolemis, V., Dalamagas, T., Ntoutsi, E. and Diou, C. (2023), RHALE: robust and
    heterogeneity-aware accumulated local effects, ECAI 2023.

    The local derivative of a row is its entry of the Jacobian or, for a black box, the finite
    difference over the row's interval of the fine grid divided by the width of that interval. With
    S the rows of an interval (a, b] and v the variance of their derivatives, the partition
    minimises the sum over the intervals of ``(1 - alpha |S| / n) v (b - a)``, plus `min_gain` per
    interval. ``K="auto"`` then accumulates mean derivative times width: rows never move further
    than over one fine interval, however wide the chosen ones. A black box made of steps has no
    derivative: its jumps show as large ones in the fine intervals that hold them.

    Cost: 2n predicted rows in two calls, or one call of the gradient with n rows. The search needs
    O(max_K^2) operations on prefix sums and no predictions.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from aleplot_py import intervals
    >>> X = pd.DataFrame({"x": np.arange(1001) / 1000})
    >>> intervals.fit(lambda frame: np.maximum(frame["x"] - 0.25, 0), X, "x").edges
    array([0.  , 0.25, 1.  ])
    """
    options = Auto(method=method, min_rows=min_rows, alpha=alpha, max_K=max_K, min_gain=min_gain)
    problem = problem_of(
        predict,
        X,
        Options(
            sample_weight=sample_weight,
            target=target,
            response_method=response_method,
            missing=missing,
            batch_rows=batch_rows,
            n_jobs=n_jobs,
            progress=progress,
        ),
    )
    name = single_feature(feature, problem.table)
    jacobian = as_jacobian(gradient, predict, problem.options)
    [(table, axes, weights)] = problem.lay(
        Requests([(name,)]), lambda part, name: fine_axis(part, name, options)
    )
    axis = axes[0]
    moments = axis_moments(problem, jacobian, table, axes, weights)
    sums, cuts = _cut(axis, moments, weights, options)
    return _intervals(axis, sums, cuts, options)


def fit_derivatives(
    x: Numbers,
    derivatives: Numbers,
    *,
    method: Literal["dynamic", "greedy"] = "dynamic",
    min_rows: int | None = None,
    alpha: float = 0.2,
    max_K: int = 100,
    min_gain: float = 0.003,
    sample_weight: Numbers | None = None,
) -> Intervals:
    """Choose intervals from local derivatives that are already there.

    Parameters
    ----------
    x : array_like of shape (n,)
        Values of the feature.
    derivatives : array_like of shape (n,)
        Local derivative of each row, in units of the prediction per unit of the feature.
    method, min_rows, alpha, max_K, min_gain
        As in `Auto`.
    sample_weight : array_like of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    Intervals
        With the feature 0.

    Raises
    ------
    FeatureError, GridError, ValueError, TypeError
        If the values are not finite numbers, of different lengths, constant or too few.

    See Also
    --------
    fit : The same from a black box.

    Notes
    -----
    Source: as `fit`.
    """
    options = Auto(method=method, min_rows=min_rows, alpha=alpha, max_K=max_K, min_gain=min_gain)
    values, slopes = _column(x, "x"), _column(derivatives, "derivatives")
    if len(values) != len(slopes):
        raise ValueError(
            f"x and derivatives must have the same length, got {len(values)} and {len(slopes)}"
        )
    weights = weights_of(sample_weight, len(values))
    axis = fine_axis(Table(values[:, None]), 0, options)
    of_x, of_slopes = power_of(np.ptp(axis.points), ORDINARY), power_of(slopes, ORDINARY)
    widths = np.diff(np.ldexp(axis.points, -of_x))
    effects = np.ldexp(slopes, -of_slopes) * widths[axis.codes]
    moments = CellMoments.of(effects, axis.codes, axis.n_steps, weights)
    sums, cuts = _cut(axis, moments, weights, options, of_x + of_slopes)
    return _intervals(axis, sums, cuts, options)


def _column(values: Any, argument: str) -> FloatArray:
    try:
        column = as_floats(values)
    except (TypeError, ValueError):
        raise TypeError(f"{argument} must be numbers, one per row") from None
    if column.ndim != 1 or column.size == 0:
        raise ValueError(f"{argument} must be one number per row, got shape {column.shape}")
    if not np.isfinite(column).all():
        raise ValueError(f"{argument} must be finite, got {column[~np.isfinite(column)][0]}")
    return column


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FineAxis(Axis):
    """Numeric feature on its fine grid, whose intervals are still to be merged.

    Parameters
    ----------
    auto : Auto
        How.
    """

    auto: Auto


def fine_axis(table: Table, name: Hashable, auto: Auto, grid: Any = "aleplot") -> FineAxis:
    """Lay the fine grid of a feature.

    Raises
    ------
    GridError
        If the caller asks for a grid of their own too, or there are too few rows.
    """
    if not (isinstance(grid, str) and grid == "aleplot"):
        raise GridError(
            f"K='auto' lays the grid of column {name!r} itself: it takes grid='aleplot', "
            f"got {grid!r}"
        )
    auto.fewest_rows(len(table), name)
    axis = interval_axis(table, name, K=auto.max_K, grid="equidistant")
    values = np.unique(axis.observed)
    if len(values) <= auto.max_K + 1 and 2 * len(values) <= len(table):
        points = values if axis.times is None else to_times(values, axis.times)
        axis = interval_axis(table, name, K=auto.max_K, grid=points)
    return FineAxis(**{**vars(axis), "grid": "auto"}, auto=auto)


def merge_intervals(
    axis: FineAxis, table: Table, moments: CellMoments, weights: FloatArray | None
) -> tuple[Axis, MergedMoments]:
    """Merge fine intervals into the chosen ones.

    Parameters
    ----------
    axis : FineAxis
        Feature with F fine intervals and n rows.
    table : Table of n rows
        The data.
    moments : CellMoments of F cells
        Local effects over the fine intervals, in units of the prediction.
    weights : ndarray of shape (n,) or None
        Row weights.

    Returns
    -------
    axis : Axis
        The same feature with K intervals.
    moments : MergedMoments of K cells
        Local derivatives times the width of their interval, in units of the prediction.
    """
    sums, cuts = _cut(axis, moments, weights, axis.auto)
    weight, mean, variance = sums.moments(cuts[:-1], cuts[1:])
    widths, edges = np.diff(sums.z[cuts]), axis.points[cuts]
    LOG.info("column %r has %d intervals, merged from %d", axis.name, len(widths), axis.n_units)
    merged = MergedMoments.of(
        weight, (mean + sums.origin) * widths, np.sqrt(variance) * widths, sums.of_effects
    )
    typed = table.typed(axis.name, edges)
    codes = (np.searchsorted(cuts, axis.codes, side="right") - 1).astype(np.intp)
    plain = Axis(axis.name, axis.kind, edges, typed, codes, axis.kept, axis.grid, times=axis.times)
    return plain, merged


@dataclass(frozen=True)
class MergedMoments:
    """What `CellMoments` tell of cells, of merged intervals.

    Parameters
    ----------
    weight, mean, std : ndarray of shape (K,)
        Weight, mean and standard deviation of derivative times width in each.
    """

    weight: FloatArray
    mean: FloatArray
    std: FloatArray

    @classmethod
    def of(cls, weight: FloatArray, mean: FloatArray, std: FloatArray, power: int) -> MergedMoments:
        """Those of a mean and a standard deviation that count ``2**power``."""
        # The standard deviation is the root of the variance, as everywhere.
        near, exponent = np.frexp(std)
        with np.errstate(over="ignore"):
            root = np.ldexp(np.sqrt(near * near), exponent + power)
            return cls(weight, np.ldexp(mean, power) + 0.0, root)


@dataclass(frozen=True)
class _Sums:
    """Prefix sums over the fine grid: the cost of any interval in a few operations.

    Edges and effects of extreme size are counted in powers of two, which change no digit.

    Parameters
    ----------
    z : ndarray of shape (F + 1,)
        Fine edges, in units of ``2**of_x``.
    rows, weight, first, second : ndarray of shape (F + 1,)
        Rows, their weight, weighted derivatives and squares below each edge. Derivatives are
        counted from `origin`, their mean, without which the squares would cancel.
    origin : float
        Mean derivative.
    min_rows : int
        Fewest rows.
    alpha : float
        Discount.
    penalty : float
        Least gain that an interval must bring.
    of_x, of_effects : int
        Powers of two that edges and effects are counted in.
    """

    z: FloatArray
    rows: IntArray
    weight: FloatArray
    first: FloatArray
    second: FloatArray
    origin: float
    min_rows: int
    alpha: float
    penalty: float
    of_x: int
    of_effects: int

    @classmethod
    def of(
        cls,
        edges: FloatArray,
        rows: IntArray,
        moments: CellMoments,
        min_rows: int,
        auto: Auto,
        power: int = 0,
    ) -> _Sums:
        """Prefix sums from the rows (F,) and the moments of the effects of F fine intervals.

        The effects are those of the moments times ``2**power``.
        """
        of_x = power_of(np.ptp(edges), ORDINARY)
        z = np.ldexp(edges, -of_x)
        mean, weight = moments.mean, moments.weight
        size = power_of(np.abs(mean) + np.nan_to_num(moments.std), ORDINARY)
        of_moments = DIGIT * round(size / DIGIT)
        if of_moments:
            moments = moments.scaled(-of_moments)
            mean = moments.mean
        widths = np.diff(z)
        slope, squares = mean / widths, moments.squares / widths**2
        total = weight.sum()
        origin = float((weight * slope).sum() / total)
        squares += weight * (slope - origin) ** 2
        variance = float(squares.sum() / total)
        least = max(TIE * (variance + origin**2), auto.min_gain * variance)

        def prefix(values: FloatArray) -> FloatArray:
            return np.append(0.0, np.cumsum(values))

        return cls(
            z,
            np.append(0, np.cumsum(rows)).astype(np.intp),
            prefix(weight),
            prefix(weight * (slope - origin)),
            prefix(squares),
            origin,
            min_rows,
            auto.alpha,
            least * float(z[-1] - z[0]),
            of_x,
            of_moments + power,
        )

    def moments(self, low: Any, high: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weight, mean (from `origin`) and variance of the derivatives between two edges."""
        weight = self.weight[high] - self.weight[low]
        divisor = np.where(weight > 0, weight, 1.0)
        mean = (self.first[high] - self.first[low]) / divisor
        variance = (self.second[high] - self.second[low]) / divisor - mean**2
        return weight, mean, np.maximum(variance, 0.0)

    def cost(self, low: Any, high: Any) -> FloatArray:
        """Cost of the interval between two fine edges, whatever its number of rows."""
        weight, _, variance = self.moments(low, high)
        discount = 1 - self.alpha * weight / self.weight[-1]
        return np.asarray(discount * variance * (self.z[high] - self.z[low]))

    def enough(self, low: Any, high: Any) -> Any:
        """Whether the interval between two fine edges has the rows it needs."""
        return self.rows[high] - self.rows[low] >= self.min_rows


def _cut(
    axis: Axis, moments: CellMoments, weights: FloatArray | None, auto: Auto, power: int = 0
) -> tuple[_Sums, IntArray]:
    """Prefix sums and positions of the chosen edges on the fine grid, (K + 1,).

    The effects are those of the moments times ``2**power``.
    """
    counted = axis.codes if weights is None else axis.codes[weights > 0]
    rows = np.bincount(counted, minlength=axis.n_steps)
    min_rows = auto.fewest_rows(len(counted), axis.name)
    sums = _Sums.of(axis.points, rows, moments, min_rows, auto, power)
    return sums, (_dynamic if auto.method == "dynamic" else _greedy)(sums)


def _intervals(axis: Axis, sums: _Sums, cuts: IntArray, auto: Auto) -> Intervals:
    weight, mean, variance = sums.moments(cuts[:-1], cuts[1:])
    of_slope = sums.of_effects - sums.of_x
    of_cost = 2 * of_slope + sums.of_x
    with np.errstate(over="ignore"):  # as effects of 1e300 have over widths of 1e-300
        slope = np.ldexp(mean + sums.origin, of_slope)
        slope_std = np.ldexp(np.sqrt(variance), of_slope)
        costs = np.ldexp(sums.cost(cuts[:-1], cuts[1:]), of_cost)
        penalty = float(np.ldexp(sums.penalty, of_cost))
    return Intervals(
        feature=axis.name,
        edges=axis.points[cuts],
        counts=weight,
        slope=slope,
        slope_std=slope_std,
        costs=costs,
        penalty=penalty,
        fine_edges=axis.points,
        min_rows=sums.min_rows,
        options=auto,
    )


def _dynamic(sums: _Sums) -> IntArray:
    """Cut points of the partition of lowest cost: T(j) = min over l < j of T(l) + cost(l, j)."""
    size = len(sums.z)
    best = np.zeros(size)
    before = np.zeros(size, dtype=np.intp)
    for start in range(1, size, max(1, COSTS // size)):
        ends = np.arange(start, min(start + max(1, COSTS // size), size))
        low, highs = np.arange(ends[-1]), ends[:, None]
        costs = np.where(sums.enough(low, highs), sums.cost(low, highs) + sums.penalty, np.inf)
        for high, cost in zip(ends.tolist(), costs, strict=True):
            total = best[:high] + cost[:high]
            before[high] = last = total.argmin()
            best[high] = total[last]
    cuts = [size - 1]
    while cuts[-1] > 0:
        cuts.append(int(before[cuts[-1]]))
    return np.array(cuts[::-1], dtype=np.intp)


def _greedy(sums: _Sums) -> IntArray:
    """Cut points of one sweep: a fine interval joins the open one while that costs no more."""
    size = len(sums.z)
    cuts = [0]
    for end in range(1, size - 1):
        low = cuts[-1]
        apart = sums.cost(low, end) + sums.cost(end, end + 1) + sums.penalty
        if sums.enough(low, end) and sums.cost(low, end + 1) > apart:
            cuts.append(end)
    if len(cuts) > 1 and not sums.enough(cuts[-1], size - 1):
        cuts.pop()
    return np.array([*cuts, size - 1], dtype=np.intp)
