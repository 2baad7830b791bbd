"""Partial dependence and individual conditional expectation."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from os import PathLike
from typing import Any, Literal, Unpack, overload

import numpy as np
import pandas as pd

from aleplot_py.effects.doors import answer, question, refuse_checkpoint
from aleplot_py.effects.local_effects import in_threads, predict_moved, predictions
from aleplot_py.errors import GridError, RouteError, listing
from aleplot_py.inputs.axes import POINT_GRIDS, by_kind, point_axis
from aleplot_py.inputs.black_box import as_targets
from aleplot_py.inputs.checks import check_percentiles, checked_grid, one_of
from aleplot_py.inputs.columns import column_name
from aleplot_py.inputs.fitting import with_bar
from aleplot_py.inputs.frames import Table, batches, typed_points
from aleplot_py.inputs.options import ROWS_PER_CALL, Options
from aleplot_py.inputs.problem import Problem
from aleplot_py.inputs.requests import Requests, in_parts
from aleplot_py.results.effects import EffectCollection, PartialDependenceResult
from aleplot_py.steps.axis import Axis, row_counts
from aleplot_py.steps.centre import centred_profile
from aleplot_py.steps.grid import FloatArray, IntArray
from aleplot_py.steps.sums import EXACT, Arithmetic
from aleplot_py.trees.recursion import recursive_averages
from aleplot_py.trees.route import Route, route_of
from aleplot_py.typing import (
    Anchor,
    Collapse,
    Columns,
    Feature,
    FeatureList,
    Features,
    FrameLike,
    Groups,
    IceOptions,
    Method,
    Missing,
    Numbers,
    Order,
    PartialDependenceOptions,
    Parts,
    PointCounts,
    PointGrid,
    PointPartsOptions,
    Predictor,
    ResponseMethod,
    SharedIceOptions,
    SharedPartialDependenceOptions,
    Target,
)

# Points that share a call at least, which drown its overhead; and the most numbers that it copies,
# unless these are of few rows.
POINTS_TOGETHER, NUMBERS_TOGETHER, ROWS_TOGETHER = 4, 2**20, 10_000
# Rows per call at a single point, which are copied once for all points: most of a cheap black box
# is what a call costs. Fewer, down to the rows of any other call, where they have many columns.
ROWS_AT_A_POINT = 200_000
# Numbers that are copied, or predictions that are held until all batches of rows have theirs: these
# as many as the data have numbers, where that is more.
HELD = 2**22

#: Some rows, the numbers of the points that they are set to, and which of all rows they are.
Call = tuple[Table, slice, slice]


@overload
def partial_dependence(  # type: ignore[overload-overlap]  # "all" is a name, too
    predict: Predictor,
    X: FrameLike,
    features: Literal["all"] | FeatureList,
    **options: Unpack[PartialDependenceOptions],
) -> EffectCollection[PartialDependenceResult]: ...
@overload
def partial_dependence(  # type: ignore[overload-overlap]  # and here
    predict: Predictor,
    X: FrameLike,
    features: Feature,
    *,
    target: list[Any] | Literal["all"],
    groups: Groups | None = None,
    **options: Unpack[SharedPartialDependenceOptions],
) -> EffectCollection[PartialDependenceResult]: ...
@overload
def partial_dependence(
    predict: Predictor,
    X: FrameLike,
    features: Feature,
    *,
    groups: Groups,
    target: Target = None,
    **options: Unpack[SharedPartialDependenceOptions],
) -> EffectCollection[PartialDependenceResult]: ...
@overload
def partial_dependence(
    predict: Predictor, X: FrameLike, features: Feature, **options: Unpack[PartialDependenceOptions]
) -> PartialDependenceResult: ...
@overload
def partial_dependence(  # type: ignore[overload-overlap]
    predict: Predictor,
    X: Parts,
    features: Literal["all"] | FeatureList,
    **options: Unpack[PointPartsOptions],
) -> EffectCollection[PartialDependenceResult]: ...
@overload
def partial_dependence(
    predict: Predictor, X: Parts, features: Feature, **options: Unpack[PointPartsOptions]
) -> PartialDependenceResult: ...
def partial_dependence(
    predict: Predictor,
    X: FrameLike | Parts,
    features: Features,
    *,
    K: PointCounts = 40,
    grid: PointGrid = "equidistant",
    percentiles: tuple[float, float] | None = None,
    centre: Anchor = "none",
    kind: Literal["average", "individual", "both"] = "average",
    order: Order | None = None,
    collapse: Collapse | None = None,
    categorical: Columns | None = None,
    sample_weight: Numbers | Hashable | None = None,
    groups: Groups | None = None,
    target: Target = None,
    response_method: ResponseMethod = "auto",
    missing: Missing = "error",
    batch_rows: int | None = None,
    n_jobs: int | Executor | None = None,
    progress: bool = True,
    method: Method = "auto",
    checkpoint: str | PathLike[str] | None = None,
) -> PartialDependenceResult | EffectCollection[PartialDependenceResult]:
    """Partial dependence: mean prediction with the features set to each grid point in every row.

    .. versionchanged:: 0.2
       `percentiles`, `collapse`, `groups`, `n_jobs`, `progress`, `method` and `checkpoint` are new;
       `target` may be a list or ``"all"``.

    Parameters
    ----------
    predict, X, features
        As in `aleplot_py.ale`, `X` in parts included, of which individual curves are not kept.
        Costs n rows for each grid point.
    K : int or dict of feature to int, default 40
        Number of grid points of a numeric feature, at least 2.
    grid : {"equidistant", "iml"} or array_like, or dict of feature to these
        Points from the minimum to the maximum (R's PDPlot and iml); with ``"iml"`` those of an
        integer column are rounded to integers; or the caller's own, strictly increasing.
    percentiles : (float, float), optional
        Points run from one of these quantiles to the other, instead of from the minimum to the
        maximum; a feature of fewer than K values has these for points: the grid of scikit-learn's
        ``partial_dependence`` with ``grid_resolution=K``.
    centre : "none", "pdplot", a value, or a tuple of two values
        ``"none"``: the mean predictions themselves, as iml and scikit-learn. ``"pdplot"``: mean 0
        over the data and, for a pair, without the main effects, as R's PDPlot. A value (a level
        for a category, a tuple for a pair): every individual curve is 0 there, as iml's
        ``center.at``.
    kind : {"average", "individual", "both"}
        Whether to keep the individual curves, n values per grid point. The average is always
        there.
    order : list of levels or a word, or dict of feature to these
        Order of a categorical feature's levels as in `aleplot_py.ale`, by default their own.
    collapse : float, list of levels, or dict of feature to these, optional
        As in `aleplot_py.ale`; every row is set to each of the collapsed levels, and its value at
        ``"(rare)"`` is their mean.
    categorical, sample_weight, groups, target, response_method, missing
        As in `aleplot_py.ale`.
    batch_rows : int, optional
        Largest number of rows in one call of the black box, by default 200,000, of more than
        20 columns fewer, down to 25,000. Several points share a call of up to as many rows, by
        default 25,000, or four points where the rows have no more than a million numbers.
    n_jobs, progress : optional
        As in `aleplot_py.ale`.
    method : {"auto", "predict", "trees", "recursion"}
        The first three as in `aleplot_py.ale`. ``"recursion"``: no row of X is moved; a split of
        another feature counts both of its branches, by the rows of the model's fit that went
        there, as scikit-learn's ``partial_dependence(method="recursion")``. For its gradient
        boosting, its decision trees and random forests of a regression, numeric features,
        kind="average" and no weights or groups; of a classifier it averages the decision function.
        The constant that boosting starts from is left out, as there.
    checkpoint : path, optional
        As in `aleplot_py.ale`.

    Returns
    -------
    PartialDependenceResult or EffectCollection
        One effect, or a collection by all that was asked for in the plural.

    Raises
    ------
    FeatureError, GridError, PredictionError, RouteError, SourceError, ValueError, TypeError
        With the column or argument, the rule, and the value got.

    See Also
    --------
    ice : The curves of the single rows.
    ale : The effect without rows that cannot occur.
    PDPlot : The same under R's name.

    Notes
    -----
    Takes no `random_state`: nothing is drawn at random.

    Means are those of exact arithmetic, rounded once, products with weights included: every bit is
    the same for every order of the rows. `aleplot_py.PDPlot` adds as R does.

    Source: Friedman (2001); Goldstein et al. (2015); R's ``PDPlot`` (centre="pdplot") and iml's
    ``FeatureEffect`` with methods pdp, ice and pdp+ice.
    """
    one_of(kind, ("average", "individual", "both"), "kind")
    check_percentiles(percentiles)
    if method == "recursion":
        given = {"sample_weight": sample_weight is not None, "groups": groups is not None}
        for what, wrong in (given | {"kind": kind != "average"}).items():
            if wrong:
                raise RouteError(
                    f"method='recursion' averages the rows of the model's fit: leave {what}= out"
                )
        if response_method == "auto" and hasattr(predict, "decision_function"):
            response_method = "decision_function"
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
        method=method,
    )
    if in_parts(X):
        from aleplot_py.scale.effects import streamed_partial_dependence

        return streamed_partial_dependence(
            predict,
            X,
            features,
            options,
            groups=groups,
            centre=centre,
            kind=kind,
            percentiles=percentiles,
            checkpoint=checkpoint,
        )
    refuse_checkpoint(checkpoint)
    problem, requests = question(predict, X, features, options, groups)
    effects = partial_dependence_of(
        problem, requests, centre=centre, keep=kind != "average", percentiles=percentiles
    )
    return answer(problem, requests, effects)


def partial_dependence_of(
    problem: Problem,
    requests: Requests,
    *,
    centre: Any = "none",
    keep: bool = False,
    percentiles: tuple[float, float] | None = None,
    arithmetic: Arithmetic = EXACT,
) -> list[PartialDependenceResult]:
    """Partial dependence behind the checks, of each request that has an effect.

    Effects of several outputs follow each other, those of a request stay together.

    R's arithmetic knows no weights.
    """
    problem = problem.remembering()
    numeric_axis = partial(point_axis, percentiles=percentiles)
    lay_axis = by_kind(
        problem, numeric_axis, grids=POINT_GRIDS, similar=False, predicted=predictions
    )
    laid = problem.lay(requests, lay_axis)
    anchors = [anchor_of(centre, axes, table) for table, axes, _ in laid]
    if problem.options.method == "recursion":
        return [
            effect
            for (table, axes, _), anchor in zip(laid, anchors, strict=True)
            for effect in _of_the_fit(replace(problem, table=table), axes, centre, anchor)
        ]
    route = route_of(problem, laid, to_points=True)
    problem = replace(problem, route=route)

    def effects() -> list[PartialDependenceResult]:
        found = []
        each = zip(laid, anchors, strict=True)
        for part, anchor in with_bar(each, len(laid), "effects", shown=problem.options.progress):
            found += _profiles(
                problem,
                *part,
                centre=centre,
                anchor=anchor,
                keep=keep,
                arithmetic=arithmetic,
                route=route,
            )
        return found

    return problem.table.memory.during(effects, trusting=problem.options.threads == 1)


@overload
def ice(  # type: ignore[overload-overlap]  # "all" is a name, too
    predict: Predictor,
    X: FrameLike,
    features: Literal["all"] | FeatureList,
    **options: Unpack[IceOptions],
) -> EffectCollection[PartialDependenceResult]: ...
@overload
def ice(  # type: ignore[overload-overlap]  # and here
    predict: Predictor,
    X: FrameLike,
    features: Feature,
    *,
    target: list[Any] | Literal["all"],
    groups: Groups | None = None,
    **options: Unpack[SharedIceOptions],
) -> EffectCollection[PartialDependenceResult]: ...
@overload
def ice(
    predict: Predictor,
    X: FrameLike,
    features: Feature,
    *,
    groups: Groups,
    target: Target = None,
    **options: Unpack[SharedIceOptions],
) -> EffectCollection[PartialDependenceResult]: ...
@overload
def ice(
    predict: Predictor, X: FrameLike, features: Feature, **options: Unpack[IceOptions]
) -> PartialDependenceResult: ...
def ice(
    predict: Predictor,
    X: FrameLike,
    features: Features,
    *,
    K: PointCounts = 40,
    grid: PointGrid = "equidistant",
    percentiles: tuple[float, float] | None = None,
    centre: Anchor = "none",
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
    method: Method = "auto",
) -> PartialDependenceResult | EffectCollection[PartialDependenceResult]:
    """Individual conditional expectation: the curves of single rows whose mean is the PD.

    .. versionchanged:: 0.2
       `percentiles`, `groups`, `n_jobs`, `progress` and `method` are new; `target` may be a list
       or ``"all"``.

    Parameters
    ----------
    predict, X, features, K, grid, percentiles
        As in `partial_dependence`.
    centre : "none", "pdplot", a value, or a tuple of two values
        A value gives centred curves, every one 0 there.
    order, collapse, categorical, sample_weight, groups, target, response_method, missing, \
batch_rows, n_jobs, progress, method
        As in `partial_dependence`, without ``method="recursion"``.

    Returns
    -------
    PartialDependenceResult or EffectCollection
        With ``individual`` of shape (n, P), and their mean in ``f_values``.

    Raises
    ------
    FeatureError, GridError, PredictionError, ValueError, TypeError
        As `partial_dependence`, or if `X` comes in parts.

    See Also
    --------
    partial_dependence : Their mean.
    AleDisplay.plot : Draws them behind the mean (``individual``).

    Notes
    -----
    Takes no `random_state`: all rows have a curve, none are drawn.

    Source: Goldstein et al. (2015); iml's ``FeatureEffect`` with method pdp+ice.
    """
    if in_parts(X):
        raise ValueError(
            "ice has no meaning where X comes in parts, since individual curves are not kept: take "
            "partial_dependence, or ask for those of a sample of the rows"
        )
    return partial_dependence(
        predict,
        X,
        features,
        K=K,
        grid=grid,
        percentiles=percentiles,
        centre=centre,
        kind="both",
        order=order,
        collapse=collapse,
        categorical=categorical,
        sample_weight=sample_weight,
        groups=groups,
        target=target,
        response_method=response_method,
        missing=missing,
        batch_rows=batch_rows,
        n_jobs=n_jobs,
        progress=progress,
        method=method,
    )


def _profiles(
    problem: Problem,
    table: Table,
    axes: Sequence[Axis],
    weights: FloatArray | None,
    *,
    centre: Any,
    anchor: list[Axis] | None,
    keep: bool,
    arithmetic: Arithmetic,
    route: Route,
) -> list[PartialDependenceResult]:
    """Average and individual curves of each output."""
    shape = tuple(len(axis.points) for axis in axes)
    n, size = len(table), math.prod(shape)
    averages: list[FloatArray] = []
    kept: list[FloatArray] = []
    zeros: list[Any] | None = None
    if anchor is not None:
        [(_, values)] = predictions_at_points(problem, table, anchor)
        zeros = by_output(values)
    # Curve beside curve at each point, as they come.
    into = np.empty((size, n)) if keep and not problem.black_box.several else None
    for points, values in predictions_at_points(problem, table, axes, into=into):
        for i, curves in enumerate(by_output(values)):
            if len(averages) == i:  # the first points tell how many outputs there are
                averages.append(np.empty(size))
                if keep:
                    kept.append(np.empty((size, n)) if into is None else into)
            if zeros is not None:
                curves -= zeros[i]
            if keep and into is None:
                kept[i][points] = curves.T
            averages[i][points] = arithmetic.column_means(curves, weights)
    counts = point_counts(axes, weights)
    kinds = tuple(axis.kind for axis in axes)
    effects = []
    for i, target in enumerate(problem.black_box.outputs):
        average, individual = averages[i].reshape(shape), None
        f_values, removed, constant = centred(average, counts, kinds, centre, arithmetic)
        if keep:
            if removed.any():
                kept[i] -= removed.reshape(-1, 1)
            kept[i].flags.writeable = False  # what nobody writes to a result need not copy
            individual = np.moveaxis(kept[i].reshape((*shape, n)), -1, 0)
        effects.append(
            PartialDependenceResult(
                axes=tuple(axes),
                f_values=f_values,
                counts=counts,
                target=target,
                route=route.told,
                individual=individual,
                _column=partial(_column, table) if keep else None,
                centre=centre,
                constant=constant,
            )
        )
    return effects


def _of_the_fit(
    problem: Problem, axes: Sequence[Axis], centre: Any, anchor: list[Axis] | None
) -> list[PartialDependenceResult]:
    """Partial dependence of each output over the rows that the model was fitted to."""
    averages = recursive_averages(problem, axes)
    if anchor is not None:
        averages = averages - recursive_averages(problem, anchor)
    counts = point_counts(axes, None)
    kinds = tuple(axis.kind for axis in axes)
    effects = []
    outputs = by_output(averages[None])
    for target, average in zip(problem.black_box.outputs, outputs, strict=True):
        f_values, _, constant = centred(average.reshape(counts.shape), counts, kinds, centre)
        effects.append(
            PartialDependenceResult(
                axes=tuple(axes),
                f_values=f_values,
                counts=counts,
                target=target,
                route="recursion",
                centre=centre,
                constant=constant,
                of_fit=True,
            )
        )
    return effects


def _column(table: Table, name: Any) -> pd.Series:
    return table.column(column_name(name, table))


def by_output(values: FloatArray) -> list[FloatArray]:
    """Predictions (n, points) of each output, from those of one, or (n, points, outputs)."""
    return [values] if values.ndim == 2 else list(np.moveaxis(values, 2, 0))


def predictions_at_points(
    problem: Problem,
    table: Table,
    axes: Sequence[Axis],
    *,
    standing: bool = False,
    together: bool = False,
    into: FloatArray | None = None,
) -> Iterator[tuple[slice, FloatArray]]:
    """Predict every row at every point, several points in a call as far as the bound allows.

    Parameters
    ----------
    problem : Problem
        What is explained, in how large batches, and how many of them at the same time.
    table : Table of n rows
        Its rows that have the features.
    axes : sequence of Axis
        The features.
    standing : bool
        Whether a row at a point that levels share keeps its own there.
    together : bool
        Whether all features move to their points of the same number, instead of to every
        combination of points.
    into : ndarray of shape (points, n), optional
        Where predictions of a single output are kept: the values are views of it.

    Yields
    ------
    points : slice
        Points, numbered with the last axis fastest.
    values : ndarray of shape (n, points), of several outputs (n, points, outputs)
        Predictions.
    """
    walked = None if problem.route is None else problem.route.at_points(table, axes, together)
    if walked is not None:
        for points, values in walked:
            if into is not None:
                into[points] = values.T
            yield points, values if into is None else into[points].T
        return
    shape = tuple(len(axis.points) for axis in (axes[:1] if together else axes))

    def predicted(part: Call) -> FloatArray:
        rows_of_table, points, rows = part
        size, m = rows.stop - rows.start, points.stop - points.start
        at = np.unravel_index(np.arange(points.start, points.stop), shape)
        number = list(at) * (len(axes) if together else 1)
        if any(axis.collapsed is not None for axis in axes):
            number = [np.repeat(to, size) for to in number]
        if standing:
            number = [
                np.where(to == np.tile(axis.codes_of(rows), m), np.tile(axis.standing(rows), m), to)
                if axis.collapsed is not None
                else to
                for axis, to in zip(axes, number, strict=True)
            ]
        out = None if into is None else into[points, rows].reshape(-1)  # a view
        values = predict_moved(problem.black_box, rows_of_table, axes, number, m, out)
        return values.reshape(m, size, *values.shape[1:])

    groups = _groups(table, math.prod(shape), problem.options)
    calls = [call for _, of_group in groups for call in of_group]
    found = in_threads(predicted, calls, problem.options.threads)
    shown = iter(with_bar(found, len(calls), "batches", shown=problem.options.progress))
    for group, of_group in groups:
        values = next(shown)
        if len(of_group) > 1:
            each = chain([values], islice(shown, len(of_group) - 1))
            many = (group.stop - group.start, len(table), *values.shape[2:])
            held = np.empty(many) if into is None else into[group]
            for (_, points, rows), one in zip(of_group, each, strict=True):
                if into is None:
                    held[points.start - group.start, rows] = one[0]
            values = held
        yield group, values.swapaxes(0, 1)


def _groups(table: Table, n_points: int, options: Options) -> list[tuple[slice, list[Call]]]:
    """Points whose predictions are given together, and the calls of the black box for them.

    Where the rows come in batches, each is set to one point of a group after another: its other
    columns are copied once, and stay in the cache.
    """
    n, columns = len(table), len(table.names)
    narrow = min(ROWS_AT_A_POINT, HELD // columns)
    rows_per_call = options.batch_rows or max(ROWS_PER_CALL, narrow)
    if n <= rows_per_call:
        share = -(-n * n_points // options.threads)  # as many points for each thread
        together = min(max(ROWS_PER_CALL, POINTS_TOGETHER * n), NUMBERS_TOGETHER // columns)
        rows = options.batch_rows or min(share, max(ROWS_TOGETHER, together))
        at_once = max(1, rows // n)
        every = slice(0, n)
        return [(group, [(table, group, every)]) for group in batches(n_points, at_once)]
    parts = [(table.rows(rows), rows) for rows in batches(n, rows_per_call)]
    groups = []
    for group in batches(n_points, max(columns, HELD // n)):
        points = [slice(point, point + 1) for point in range(group.start, group.stop)]
        groups.append((group, [(part, at, rows) for part, rows in parts for at in points]))
    return groups


def point_counts(axes: Sequence[Axis], weights: FloatArray | None) -> FloatArray:
    """Rows, or their weight, that stand for each point in R's centring."""
    return row_counts(axes, tuple(len(axis.points) for axis in axes), weights)


def centred(
    values: FloatArray,
    counts: FloatArray,
    kinds: Sequence[str],
    centre: Any,
    arithmetic: Arithmetic = EXACT,
) -> tuple[FloatArray, FloatArray, float]:
    """Centre as R's PDPlot does, if asked for.

    Parameters
    ----------
    values : ndarray of shape (P,) or (P1, P2)
        Uncentred effect.
    counts : ndarray of the same shape
        Rows that stand for each point.
    kinds : sequence of {"numeric", "categorical"}
        Kind of each axis.
    centre : object
        Only ``"pdplot"`` changes anything here.
    arithmetic : Arithmetic
        How sums are rounded.

    Returns
    -------
    centred : ndarray of the same shape
        The effect with mean 0, a pair without its main effects.
    removed : ndarray of the same shape
        What was subtracted.
    constant : float
        The last constant subtracted.
    """
    if not is_word(centre, "pdplot"):
        return values, np.zeros_like(values), 0.0
    return centred_profile(values, counts, kinds, arithmetic)


def is_word(centre: Any, *words: str) -> bool:
    """Whether `centre` is one of the reserved words rather than an anchor."""
    return isinstance(centre, str) and centre in words


def anchor_of(centre: Any, axes: Sequence[Axis], table: Table) -> list[Axis] | None:
    """Axes with a single point, the anchor; None where `centre` is a word."""
    if is_word(centre, "none", "pdplot"):
        return None
    values = centre if isinstance(centre, tuple) else (centre,)
    if len(values) != len(axes):
        raise ValueError(
            f"centre must be 'none', 'pdplot', or one value for each of "
            f"{tuple(axis.name for axis in axes)}, got {centre!r}"
        )
    return [_anchored(axis, value, table) for axis, value in zip(axes, values, strict=True)]


def _anchored(axis: Axis, value: Any, table: Table) -> Axis:
    if axis.kind == "categorical":
        found = [i for i, level in enumerate(axis.points) if level == value]
        if not found:
            raise ValueError(
                f"centre {value!r} is not a level of column {axis.name!r}: "
                f"it has {listing(axis.points)}"
            )
        at: IntArray = np.array(found[:1], dtype=np.intp)
        shared = np.arange(len(axis.points), len(axis.own_points))
        return axis.at(axis.points[at], axis.own_points.take(np.append(at, shared)))
    if axis.times is not None:
        try:
            point = checked_grid([value], axis.name, axis.times, at_least=1)
        except GridError:
            raise ValueError(
                f"centre must be 'none', 'pdplot', or a time of column {axis.name!r} such as "
                f"{axis.times.origin}, got {value!r}"
            ) from None
        return axis.at(point, table.typed(axis.name, point))
    numeric = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not numeric or not np.isfinite(value):
        raise ValueError(
            "centre must be 'none', 'pdplot', or a finite value of "
            f"column {axis.name!r}, got {value!r}"
        )
    point = np.array([value], dtype=np.float64)
    return axis.at(point, typed_points(point, pd.Series(axis.observed)))
