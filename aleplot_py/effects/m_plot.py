"""M-plots: the mean prediction near each point, which mixes in the features that go along."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import reduce
from itertools import chain, product
from typing import Any, Literal, Unpack, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aleplot_py.effects.doors import answer, question
from aleplot_py.effects.local_effects import (
    batches_of,
    in_threads,
    predict_moved,
    predictions,
)
from aleplot_py.effects.partial_dependence import (
    anchor_of,
    by_output,
    centred,
    point_counts,
    predictions_at_points,
)
from aleplot_py.inputs.axes import GRIDS, by_kind, interval_axis
from aleplot_py.inputs.black_box import as_targets
from aleplot_py.inputs.checks import one_of
from aleplot_py.inputs.fitting import with_bar
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import Problem
from aleplot_py.inputs.requests import option_for
from aleplot_py.inputs.times import to_numbers
from aleplot_py.results.effects import EffectCollection, MPlotResult
from aleplot_py.steps.axis import Axis, Times
from aleplot_py.steps.bandwidth import bandwidth_nrd0
from aleplot_py.steps.centre import ORDINARY, power_of
from aleplot_py.steps.grid import FloatArray
from aleplot_py.steps.moments import CellMoments
from aleplot_py.steps.sums import EXACT
from aleplot_py.typing import (
    Anchor,
    Bandwidth,
    Collapse,
    Columns,
    Feature,
    FeatureList,
    Features,
    FrameLike,
    Grid,
    Groups,
    Missing,
    MPlotOptions,
    Numbers,
    Order,
    PointCounts,
    Predictor,
    ResponseMethod,
    SharedMPlotOptions,
    Target,
)

# Bandwidths at which a Gaussian weight is 1e-297: beyond, doubles soon have no digits left for it.
FARTHEST = 37


@overload
def m_plot(  # type: ignore[overload-overlap]  # "all" is a name, too
    predict: Predictor,
    X: FrameLike,
    features: Literal["all"] | FeatureList,
    **options: Unpack[MPlotOptions],
) -> EffectCollection[MPlotResult]: ...
@overload
def m_plot(  # type: ignore[overload-overlap]  # and here
    predict: Predictor,
    X: FrameLike,
    features: Feature,
    *,
    target: list[Any] | Literal["all"],
    groups: Groups | None = None,
    **options: Unpack[SharedMPlotOptions],
) -> EffectCollection[MPlotResult]: ...
@overload
def m_plot(
    predict: Predictor,
    X: FrameLike,
    features: Feature,
    *,
    groups: Groups,
    target: Target = None,
    **options: Unpack[SharedMPlotOptions],
) -> EffectCollection[MPlotResult]: ...
@overload
def m_plot(
    predict: Predictor, X: FrameLike, features: Feature, **options: Unpack[MPlotOptions]
) -> MPlotResult: ...
def m_plot(
    predict: Predictor,
    X: FrameLike,
    features: Features,
    *,
    K: PointCounts = 40,
    grid: Grid = "aleplot",
    centre: Anchor = "none",
    neighbourhood: Literal["interval", "kernel"] = "interval",
    bandwidth: Bandwidth | None = None,
    order: Order | None = None,
    collapse: Collapse | None = None,
    categorical: Columns | None = None,
    sample_weight: Numbers | None = None,
    groups: Groups | None = None,
    target: Target = None,
    response_method: ResponseMethod = "auto",
    missing: Missing = "error",
    batch_rows: int | None = None,
    n_jobs: int | Executor | None = None,
    progress: bool = True,
) -> MPlotResult | EffectCollection[MPlotResult]:
    """M-plot: mean prediction of the rows near each point, with the features set to the point.

    .. versionchanged:: 0.2
       `groups`, `n_jobs` and `progress` are new; `target` may be a list or ``"all"``.

    Parameters
    ----------
    predict, X, features
        As in `aleplot_py.ale`.
    K, grid
        Intervals of a numeric feature as in `aleplot_py.ale`; their edges are the points.
    centre : "none", "pdplot", a value, or a tuple of two values
        As in `partial_dependence`; at a value the interpolated curve is 0.
    neighbourhood : {"interval", "kernel"}
        Near a grid point are the rows of the two intervals that meet there (2n rows predicted,
        4n for a pair), or all rows with Gaussian weights (n rows for each point). Near a level are
        the rows at that level.
    bandwidth : float or dict of feature to float, optional
        Standard deviation of the kernel in units of the feature, of a date or duration a length of
        time such as ``"30D"``, of a period a number of them; by default R's ``bw.nrd0``. Refused
        where there is no kernel.
    order, collapse, categorical, sample_weight, groups, target, response_method, missing, \
batch_rows, n_jobs, progress
        As in `aleplot_py.ale`; the levels of a categorical feature keep their own order.

    Returns
    -------
    MPlotResult or EffectCollection
        One effect, or a collection by all that was asked for in the plural. NaN where no row is
        near.

    Raises
    ------
    FeatureError, GridError, PredictionError, ValueError, TypeError
        With the column or argument, the rule, and the value got.

    See Also
    --------
    ale : The effect of the feature alone.
    partial_dependence : The feature set to each point in every row.

    Notes
    -----
    Takes no `random_state`: nothing is drawn at random.

    Sums are exact and the same for every order of the rows; those of a kernel add products of
    weight and prediction that are rounded first.

    Source: Apley and Zhu (2020), introduction; the kernel is that of the conditional dependence
    profiles of R's DALEX.
    """
    one_of(neighbourhood, ("interval", "kernel"), "neighbourhood")
    options = Options(
        K=K,
        grid=grid,
        order=order,
        collapse=collapse,
        categorical=categorical,
        sample_weight=sample_weight,
        target=as_targets(target),
        response_method=response_method,
        missing=missing,
        batch_rows=batch_rows,
        n_jobs=n_jobs,
        progress=progress,
    )
    problem, requests = question(predict, X, features, options, groups)
    problem = problem.remembering()
    lay_axis = by_kind(problem, interval_axis, grids=GRIDS, similar=False, predicted=predictions)
    laid = problem.lay(requests, lay_axis)
    anchors = [anchor_of(centre, axes, table) for table, axes, _ in laid]
    given = [
        [
            _checked_bandwidth(axis, option_for(axis.name, bandwidth, problem.table, None))
            for axis in axes
        ]
        for _, axes, _ in laid
    ]
    if bandwidth is not None and neighbourhood == "interval":
        raise ValueError(
            f"bandwidth= is that of a kernel, got {bandwidth!r} with neighbourhood='interval': "
            "pass neighbourhood='kernel', or leave it out"
        )

    def effects() -> list[MPlotResult]:
        found = []
        each = zip(laid, anchors, given, strict=True)
        shown = with_bar(each, len(laid), "effects", shown=progress)
        for (table, axes, weights), anchor, bandwidths in shown:
            if neighbourhood == "interval":
                moments = _interval_moments(problem, table, axes, weights)
            else:
                widths = [_bandwidth(*pair) for pair in zip(axes, bandwidths, strict=True)]
                moments = _kernel_moments(problem, table, axes, weights, widths)
            size = math.prod(len(axis.points) for axis in axes)
            for target, of_one in zip(problem.black_box.outputs, moments.split(size), strict=True):
                found.append(_result(target, axes, weights, of_one, centre, anchor))
        return found

    trusting = problem.options.threads == 1
    return answer(problem, requests, problem.table.memory.during(effects, trusting=trusting))


def _interval_moments(
    problem: Problem, table: Table, axes: Sequence[Axis], weights: FloatArray | None
) -> CellMoments:
    """Moments of the predictions at each point over the rows whose interval touches it."""
    shape = tuple(len(axis.points) for axis in axes)
    n_points = int(np.prod(shape))
    ends = [(0, 1) if axis.kind == "numeric" else (0,) for axis in axes]

    def of_batch(rows: slice) -> list[CellMoments]:
        part = table.rows(rows)
        weight = None if weights is None else weights[rows]
        found = []
        for offsets in product(*ends):
            to = [axis.codes_of(rows) + offset for axis, offset in zip(axes, offsets, strict=True)]
            at = [
                axis.standing(rows) if axis.kind == "categorical" else point
                for axis, point in zip(axes, to, strict=True)
            ]
            values = predict_moved(problem.black_box, part, axes, at)
            points = np.ravel_multi_index(tuple(to), shape)
            found.append(CellMoments.of(values, points, n_points, weight))
        return found

    parts = batches_of(len(table), problem.options)
    found = with_bar(
        in_threads(of_batch, parts, problem.options.threads),
        len(parts),
        "batches",
        shown=problem.options.progress,
    )
    return reduce(CellMoments.merge, chain.from_iterable(found))


def _kernel_moments(
    problem: Problem,
    table: Table,
    axes: Sequence[Axis],
    weights: FloatArray | None,
    widths: Sequence[float],
) -> CellMoments:
    """Moments of the predictions at each point over all rows, weighted by their nearness."""
    shape = tuple(len(axis.points) for axis in axes)
    n_points = int(np.prod(shape))
    weight, means = np.zeros(n_points), [np.zeros(n_points)]
    power = 0 if weights is None else power_of(weights, ORDINARY)  # room below small predictions
    seen = [axis.codes if axis.kind == "categorical" else axis.observed for axis in axes]
    if weights is not None:
        weights = np.ldexp(weights, -power)
    for points, values in predictions_at_points(problem, table, axes, standing=True):
        numbers = np.unravel_index(np.arange(points.start, points.stop), shape)
        size = values.shape[:2]
        near = np.ones(size) if weights is None else weights[:, None]
        squared = np.zeros(size)
        for axis, own, at, width in zip(axes, seen, numbers, widths, strict=True):
            if axis.kind == "categorical":
                near = near * (own[:, None] == at)
            else:
                with np.errstate(over="ignore"):
                    squared += ((own[:, None] - axis.points[at]) / width) ** 2
        near = near * np.where(squared < FARTHEST**2, np.exp(-squared / 2), 0.0)
        weight[points] = EXACT.totals(near, 0)
        # A small weight of a small prediction is not 0.
        of_near = _powers(near)
        near = np.ldexp(near, -of_near)
        scaled = np.ldexp(weight[points], -of_near)
        for i, one in enumerate(by_output(values)):
            if len(means) == i:
                means.append(np.zeros(n_points))
            of_one = _powers(one)
            total = EXACT.totals(near * np.ldexp(one, -of_one), 0)
            means[i][points] = np.ldexp(total / np.where(scaled > 0, scaled, 1.0), of_one)
    each = np.tile(np.ldexp(weight, power), len(means))
    mean = np.concatenate(means)
    return CellMoments.given(each, mean, np.zeros(len(mean)))


def _powers(columns: FloatArray) -> NDArray[np.intp]:
    """Power of two that brings the largest number of a column near 1; 0 where it is ordinary."""
    powers = np.frexp(np.abs(columns).max(axis=0))[1]
    return np.where(powers < -ORDINARY, powers, 0)


def _checked_bandwidth(axis: Axis, given: Any) -> float | None:
    """The caller's bandwidth of a feature, whether or not it is needed."""
    name, shown = axis.name, given
    if given is None:
        return None
    if axis.times is not None and not isinstance(axis.times.origin, pd.Period):
        length = Times(pd.Timedelta(0), axis.times.unit)
        try:
            if isinstance(given, (int, float, np.number)):
                raise ValueError(f"must be a duration such as '30D', got {given!r}")
            [given] = to_numbers([given], length)
        except ValueError as error:
            raise ValueError(f"bandwidth of column {name!r} {error}") from None
    number = isinstance(given, (int, float, np.number)) and not isinstance(given, bool)
    if not number or not np.isfinite(given) or given <= 0:
        what = "number" if axis.times is None else "duration"
        raise ValueError(f"bandwidth of column {name!r} must be a positive {what}, got {shown!r}")
    return float(given)


def _bandwidth(axis: Axis, given: float | None) -> float:
    if axis.kind == "categorical":
        return 1.0
    if given is None:
        seen = axis.observed
        if np.ptp(seen) == 0:
            raise ValueError(
                f"bandwidth of column {axis.name!r} is needed: it has a single value, "
                f"{float(seen[0])!r}, whose spread gives none"
            )
        return bandwidth_nrd0(seen)
    return given


def _result(
    target: Hashable | None,
    axes: Sequence[Axis],
    weights: FloatArray | None,
    moments: CellMoments,
    centre: Any,
    anchor: list[Axis] | None,
) -> MPlotResult:
    shape = tuple(len(axis.points) for axis in axes)
    values = np.where(moments.weight > 0, moments.mean, np.nan).reshape(shape)
    counts = point_counts([_at_points(axis) for axis in axes], weights)
    kinds = tuple(axis.kind for axis in axes)
    f_values, _, constant = centred(values, counts, kinds, centre)
    effect = MPlotResult(
        axes=tuple(axes),
        f_values=f_values,
        counts=moments.weight.reshape(shape),
        target=target,
        centre=centre,
        constant=constant,
    )
    if anchor is None:
        return effect
    at_anchor = float(effect.evaluate(*(axis.points for axis in anchor))[0])
    if np.isnan(at_anchor):
        raise ValueError(f"centre {centre!r} lies outside the grid of {effect.features}")
    return replace(effect, f_values=f_values - at_anchor, constant=at_anchor)


def _at_points(axis: Axis) -> Axis:
    """The axis with each row counted at the first point not below it, as in R's PDPlot."""
    if axis.kind == "categorical":
        return axis
    return replace(axis, codes=np.searchsorted(axis.points, axis.observed))
