"""Accumulated local effects: the steps of Apley and Zhu's estimator, in order."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from os import PathLike
from typing import Any, Literal, Unpack, overload

import numpy as np

from aleplot_py.effects import intervals
from aleplot_py.effects.doors import answer, question, refuse_checkpoint
from aleplot_py.effects.gradient import Jacobian, as_jacobian
from aleplot_py.effects.local_effects import (
    Kept,
    axis_moments,
    has_slopes,
    kept_effects,
    mean_prediction,
    predictions,
)
from aleplot_py.errors import renamed
from aleplot_py.inputs.axes import GRIDS, by_kind, interval_axis
from aleplot_py.inputs.black_box import BlackBox, as_targets
from aleplot_py.inputs.checks import check_switches, interval_count, one_of
from aleplot_py.inputs.fitting import with_bar
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.options import ROWS_PER_CALL, Options
from aleplot_py.inputs.problem import Laid, Problem
from aleplot_py.inputs.requests import Requests, in_parts, named
from aleplot_py.results.effects import AleResult, EffectCollection
from aleplot_py.results.local_effects import LocalEffects
from aleplot_py.steps.accumulate import accumulate
from aleplot_py.steps.axis import Axis, row_counts
from aleplot_py.steps.cells import fill_empty
from aleplot_py.steps.centre import centred_effect
from aleplot_py.steps.grid import FloatArray
from aleplot_py.steps.moments import CellMoments
from aleplot_py.steps.sums import EXACT, Arithmetic, total
from aleplot_py.trees.route import route_of
from aleplot_py.typing import (
    AleOptions,
    Centre,
    Collapse,
    Columns,
    Feature,
    FeatureList,
    Features,
    FrameLike,
    Gradient,
    Grid,
    Groups,
    IntervalCounts,
    Method,
    Missing,
    Numbers,
    Order,
    Outside,
    Parts,
    PartsOptions,
    Predictor,
    ResponseMethod,
    SharedAleOptions,
    Target,
)

CENTRES = ("aleplot", "paper", "none")


@overload
def ale(  # type: ignore[overload-overlap]  # "all" is a name, too
    predict: Predictor,
    X: FrameLike,
    features: Literal["all"] | FeatureList,
    **options: Unpack[AleOptions],
) -> EffectCollection[AleResult]: ...
@overload
def ale(  # type: ignore[overload-overlap]  # and here
    predict: Predictor,
    X: FrameLike,
    features: Feature,
    *,
    target: list[Any] | Literal["all"],
    groups: Groups | None = None,
    **options: Unpack[SharedAleOptions],
) -> EffectCollection[AleResult]: ...
@overload
def ale(
    predict: Predictor,
    X: FrameLike,
    features: Feature,
    *,
    groups: Groups,
    target: Target = None,
    **options: Unpack[SharedAleOptions],
) -> EffectCollection[AleResult]: ...
@overload
def ale(
    predict: Predictor, X: FrameLike, features: Feature, **options: Unpack[AleOptions]
) -> AleResult: ...
@overload
def ale(  # type: ignore[overload-overlap]
    predict: Predictor,
    X: Parts,
    features: Literal["all"] | FeatureList,
    **options: Unpack[PartsOptions],
) -> EffectCollection[AleResult]: ...
@overload
def ale(
    predict: Predictor, X: Parts, features: Feature, **options: Unpack[PartsOptions]
) -> AleResult: ...
@renamed(centering="centre")
def ale(
    predict: Predictor,
    X: FrameLike | Parts,
    features: Features,
    *,
    K: IntervalCounts = 40,
    grid: Grid = "aleplot",
    outside: Outside = "error",
    centre: Centre = "aleplot",
    gradient: Gradient | None = None,
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
    local_effects: bool = False,
    checkpoint: str | PathLike[str] | None = None,
) -> AleResult | EffectCollection[AleResult]:
    """Accumulated local effects of a black box.

    .. versionchanged:: 0.2
       `centre` is the new name of ``centering``; `collapse`, `groups`, `progress`, `method` and
       `checkpoint` are new; `target` may be a list or ``"all"``.

    Parameters
    ----------
    predict : callable or fitted model
        Any callable(frame) -> (n,), a fitted scikit-learn estimator or pipeline, statsmodels
        results. It sees copies of `X` with the features' columns replaced: a frame for a frame,
        an array for an array, a table of polars or pyarrow for one of these. A main effect costs
        2n predicted rows, in two calls for each 25,000 rows, a pair 4n, a triple 8n, a categorical
        feature 3n less the rows of its first and last level.
    X : DataFrame, ndarray, or table of polars or pyarrow, of shape (n, d), or rows in parts
        The data to average over. Never written to. The black box gets what came in, each column of
        its own type: categoricals are ordered by similarity, enums and ordered dictionaries keep
        their order, nulls are missing values as NaN is, and decimals become floats.

        Data larger than memory come in parts, with the same result to the last bit: the path of a
        Parquet file or folder, a dataset of pyarrow, a LazyFrame of polars, a DataFrame of Dask
        (its workers do the work), a list or any other iterable of DataFrames that can be read
        several times. The black box then sees frames of pandas, of some hundred thousand rows.
        They are read two to four times, but for the last time the columns needed alone. The result
        does not keep the rows. `gradient`, ``K="auto"``, ``outside="iml"``, `local_effects`,
        `groups`, one-hot features, several targets, ``method="trees"`` and times are refused.
    features : name, tuple of names, list of these, "all", or dict of name to list of names
        A main effect, an effect of second order (of two names), third (of three) or higher, or a
        collection (a list, array, Index or Series). A dict makes one categorical feature of each
        list of one-hot columns: its levels are the columns, and "(none)" where none of them is 1.
        Here and in every option a column may be given by 0-based position where no column has
        that name.
    K : int, "auto" or intervals.Auto, or dict of feature to these, default 40
        Number of intervals asked for of a numeric feature. Ties leave fewer: see ``result.K``.
        ``"auto"`` chooses the intervals of a main effect so that the local effects agree inside
        each (`aleplot_py.intervals.fit`), at no further predictions; `intervals.Auto` has its
        options. Several features need numbers.
    grid : {"aleplot", "iml", "equidistant"} or array_like, or dict of feature to these
        Edges of the intervals: quantiles as in R's ALEPlot or iml, equal lengths, or the caller's
        own, strictly increasing and covering the data. Those of a date, duration or period are
        times or text of them.
    outside : {"error", "clip", "iml"}
        What to do with rows outside the caller's own grid: refuse; count them in the nearest
        interval; or, for a main effect, as iml does, count those below in the first interval and
        leave those above out of all intervals, but centre them at the last grid point.
    centre : {"aleplot", "paper", "none"}
        Mean 0 over the data with each row in the middle of its interval (R), at its upper edge
        (the paper's step function), or accumulated from 0 at the low end.
    gradient : callable, dict of feature to callable, or "model", optional
        Derivatives for the main effects of numeric features, instead of differences: a
        callable(frame) -> (n, d), one column per column of `X` (or a DataFrame with columns
        named like some of them), or for each feature a callable(frame) -> (n,). ``"model"`` takes
        that of a scikit-learn model with an adapter; see `aleplot_py.gradient`. All features
        share one call, n rows, and `predict` is not called for them. Categorical features, dates,
        durations and periods are differenced as ever; effects of several features are refused.
    order : list of levels, "similarity", "declared", "frequency" or "mean_prediction", or dict of \
feature to these
        Order of a categorical feature's levels. By default an ordered categorical keeps its own
        order, times (hours, and dates declared categorical) follow each other, and any other is
        ordered by similarity, as in R. ``"frequency"``: the level of most rows first;
        ``"mean_prediction"``: from the lowest mean of the predictions for the rows of each level,
        at n predictions; equal levels as declared, else sorted. `aleplot_py.order_sensitivity`
        compares orders.
    collapse : float, list of levels, or dict of feature to these, optional
        Levels of a categorical feature that share the point ``"(rare)"``: those of less than this
        share of the rows, or the caller's own; a single one keeps its point.
        ``result.collapsed`` tells which. Levels that have an order of their own are left alone.
    categorical : name or list of names, optional
        Columns of numbers, dates, durations or periods to treat as categories.
    sample_weight : array_like of shape (n,), optional
        Weights of the rows in every average, of which the products are exact too. The grid and the
        order of levels ignore them. Where `X` comes in parts, the name of a column.
    groups : name, or array_like of shape (n,), optional
        Column, or labels of your own, that part the rows: every group has an effect of its own,
        over its rows alone, on the points laid for all rows together. Gives a collection by
        group; ``"all"`` leaves the column out.
    target : label, list of labels, or "all", optional
        Which of several outputs (class label, column name, or position) to explain. Without it a
        binary classifier's second class is explained, as in scikit-learn; ``result.target`` tells.
        A list, or ``"all"`` for every output, explains them from the same predictions and gives a
        collection by output; a single output named "all" is asked for by ``["all"]``.
    response_method : {"auto", "predict", "predict_proba", "decision_function"}
        Method of a scikit-learn estimator.
    missing : {"error", "drop"}
        What to do with rows whose explained feature is missing. Missing values in other columns
        are the black box's business.
    batch_rows : int, optional
        Largest number of rows in one call of the black box, by default 25,000; bounds memory.
    n_jobs : int or concurrent.futures.Executor, optional
        Number of threads that call the black box at the same time; -1 for all cores. More than one
        need a black box that is safe to call so: one that writes to no buffer, session or random
        generator of its own. Where it is not, but can be pickled, processes serve it:
        ``with ProcessPoolExecutor() as pool: ale(..., n_jobs=pool)``.
    progress : bool, default True
        Whether a bar tells how many effects, or batches of the only one, are done, if it takes
        longer than a second: in a terminal or notebook, where tqdm is installed.
    method : {"auto", "predict", "trees"}
        How moved rows are predicted. ``"predict"``: by the black box. ``"trees"``: by one walk of
        all rows down the trees of a model of scikit-learn, XGBoost or LightGBM, at the end of a
        pipeline or not, or of a `aleplot_py.trees.FlatTrees`; the predictions are the model's to
        the last bit (of one thread, since several add a forest up in the order in which they get
        done), which a sample proves before they are used. ``"auto"``: by the walk where it
        is possible and worth it; ``result.route`` tells, and why not. It needs numba (the extra
        'trees').
    local_effects : bool, default False
        Whether the result keeps the local effects of the single rows, which
        `aleplot_py.bootstrap_bands` resamples: one number per row, up to two for each categorical
        feature.
    checkpoint : str or Path, optional
        Where `X` comes in parts, but not from Dask: a file, written after every part, from which
        the same call goes on after an interruption. It is removed in the end. One of other data,
        options or another model is refused.

    Returns
    -------
    AleResult or EffectCollection
        One effect, or a collection by all that was asked for in the plural: features, groups,
        outputs.

    Raises
    ------
    FeatureError, GridError, PredictionError, RouteError, SourceError, ValueError, TypeError
        With the column or argument, the rule, and the value got; the part, of data in parts.

    Warns
    -----
    UserWarning
        When levels cannot be ordered by similarity, ``"all"`` leaves a column out, or a
        checkpoint cannot be written.

    See Also
    --------
    partial_dependence : Mean prediction with the feature set to each point in every row.
    m_plot : Mean prediction of the rows near each point.
    bootstrap_bands : How certain an effect is.
    k_sensitivity : What the number of intervals does to a curve.
    ALEPlot : The same under R's name.

    Notes
    -----
    Takes no `random_state`: nothing is drawn at random.

    Means and sums are those of exact arithmetic, each rounded once, so that every bit is the same
    for every order of the rows, `batch_rows` and `n_jobs`. R adds in the order of the rows in a
    long double; `aleplot_py.ALEPlot` does, too, and is R's bit for bit.

    A cell without rows (``result.empty``) has no local effect of its own: on a single numeric
    feature it takes the slope of the nearest interval that has rows, elsewhere the difference of
    the nearest cell, as in R, whose own grids leave no interval of one feature empty.

    An effect of several features is what they do together beyond what fewer of them do: from the
    accumulated effect of a triple its effects of pairs are taken off, from what is left those of
    single features, then the mean. Most cells of many features have no row: take few intervals.

    Where levels are collapsed, a row of one of them keeps it as long as the row stays at
    ``"(rare)"``. A row that moves there from another level moves to each of the collapsed levels:
    its prediction is their mean, every level counted as often as the data have it, at one
    prediction for each. The effect at ``"(rare)"`` is thus that of a row of these levels on
    average; of a model without interactions it is the mean of their effects, and all others stay as
    they were. How the collapsed levels differ is not in it. Weights leave `collapse` as it is.

    Dates, durations and periods (columns of these types, or objects such as ``datetime.date``) are
    numbers on the axis: whole days, or whole seconds, milli-, micro- or nanoseconds where the data
    are no whole days, since 1970 (a duration's since 0; from the earliest where doubles could not
    hold them). Points that a grid puts between the data are rounded to that unit. The black box
    gets values of the column's own type and zone.

    Source: Apley, D. W. and Zhu, J. (2020), Visualizing the effects of predictor variables in
    black box supervised learning models, JRSS B 82, 1059-1086; R's ``ALEPlot`` and, with
    ``grid="iml"``, iml's ``FeatureEffect``.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from aleplot_py import ale
    >>> X = pd.DataFrame({"x": np.arange(1.0, 11.0)})
    >>> ale(lambda frame: frame["x"], X, "x", K=4).f_values
    array([-4.15, -2.15, -0.15,  2.85,  4.85])
    """
    check_switches(local_effects=local_effects)
    options = Options(
        K=K,
        grid=grid,
        outside=outside,
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
        from aleplot_py.scale.effects import streamed_ale

        return streamed_ale(
            predict,
            X,
            features,
            options,
            groups=groups,
            centre=centre,
            gradient=gradient,
            local_effects=local_effects,
            checkpoint=checkpoint,
        )
    refuse_checkpoint(checkpoint)
    problem, requests = question(predict, X, features, options, groups, most=None)
    if gradient is not None and problem.black_box.several:
        raise ValueError(f"gradient= serves one output: target must be one label, got {target!r}")
    jacobian = as_jacobian(gradient, predict, options)
    effects = ale_of(
        problem, requests, centre=centre, jacobian=jacobian, local_effects=local_effects
    )
    return answer(problem, requests, effects)


def ale_of(
    problem: Problem,
    requests: Requests,
    *,
    centre: str = "aleplot",
    jacobian: Jacobian | None = None,
    local_effects: bool = False,
    arithmetic: Arithmetic = EXACT,
) -> list[AleResult]:
    """Accumulated local effects behind the checks, of each request that has an effect.

    Effects of several outputs follow each other, those of a request stay together.

    R's arithmetic knows no weights and needs all rows in one call of the black box.
    """
    one_of(centre, CENTRES, "centre")
    problem = problem.remembering()
    if arithmetic is not EXACT:
        problem = problem.but(batch_rows=len(problem.table))
    laid = _lay(problem, requests, jacobian)
    # All effects of the same rows (of a group) after each other: they share a call of the gradient.
    tables: dict[int, int] = {}
    rank = [tables.setdefault(id(table), len(tables)) for table, _, _ in laid]
    turns = sorted(range(len(laid)), key=rank.__getitem__)
    moved = [laid[i] for i in turns if not has_slopes(jacobian, laid[i][1])]
    route = route_of(problem, moved, to_points=False)
    run = _Run(replace(problem, route=route), jacobian, centre, local_effects, arithmetic)
    each = with_bar(turns, len(turns), "effects", shown=problem.options.progress)
    found = problem.table.memory.during(
        lambda: {i: _effects(run, *laid[i]) for i in each},
        trusting=len(laid) > 1 and problem.options.threads == 1,
    )
    return [effect for i in range(len(laid)) for effect in found[i]]


def _lay(problem: Problem, requests: Requests, jacobian: Jacobian | None) -> list[Laid]:
    """Rows, axes and weights of every effect; what its options do not serve is refused."""
    outside = problem.options.outside
    if outside == "iml" and any(len(names) > 1 for names in requests.names):
        raise ValueError(
            "outside='iml' is a rule for main effects: several features take 'error' or 'clip'"
        )

    def numeric_axis(table: Table, name: Hashable, K: Any, grid: Any) -> Axis:
        auto = intervals.as_auto(K)
        if auto is not None:
            return intervals.fine_axis(table, name, auto, grid)
        return interval_axis(table, name, K, grid, outside=outside)

    def check_K(K: Any) -> None:
        if intervals.as_auto(K) is None:
            interval_count(K)

    lay_axis = by_kind(
        problem, numeric_axis, grids=GRIDS, similar=True, check_K=check_K, predicted=predictions
    )
    laid = problem.lay(requests, lay_axis)
    for _, axes, _ in laid:
        _main_effects_only(axes, jacobian)
        if problem.groups is not None and isinstance(axes[0], intervals.FineAxis):
            raise ValueError(
                f"K='auto' chooses intervals for all rows of column {axes[0].name!r}, not for "
                "groups: give a number, or grid={feature: intervals.fit(...).edges}"
            )
    return laid


@dataclass(frozen=True)
class _Run:
    """What all effects of one call share; see `ale` for the options."""

    problem: Problem
    jacobian: Jacobian | None
    centre: str
    keep: bool
    arithmetic: Arithmetic
    means: dict[int, _Means] = field(default_factory=dict)

    def told(self, axes: Sequence[Axis]) -> str:
        """How the predictions behind an effect were made, once they are."""
        if has_slopes(self.jacobian, axes):
            return "gradient"
        return "predict" if self.problem.route is None else self.problem.route.told

    def means_over(self, table: Table, weights: FloatArray | None) -> list[Callable[[], float]]:
        """Mean prediction of each output over the rows, computed when the first is asked for.

        All effects over the same rows share it.
        """
        means = self.means.get(id(table))
        if means is None:
            rows = self.problem.options.batch_rows or ROWS_PER_CALL
            means = self.means[id(table)] = _Means(self.forgetful, table, weights, rows)
        return [partial(means.of_output, i) for i in range(len(self.forgetful.outputs))]

    @cached_property
    def forgetful(self) -> BlackBox:
        """The black box for results, which keep no packed trees."""
        return replace(self.problem.black_box, memo={})


@dataclass(frozen=True)
class _Means:
    """Mean prediction over some rows, for results, which ask for it when they are asked."""

    black_box: BlackBox
    table: Table
    weights: FloatArray | None
    batch_rows: int

    @cached_property
    def _values(self) -> FloatArray:
        return mean_prediction(self.black_box, self.table, self.weights, self.batch_rows)

    def of_output(self, i: int) -> float:
        """Of output number `i`, in units of the prediction."""
        return float(self._values[i])


@dataclass(frozen=True)
class Measured:
    """The local effects in each cell.

    Parameters
    ----------
    axes : sequence of Axis
        As laid, or with fine intervals merged into those that ``K="auto"`` chose.
    moments : CellMoments of (product of steps,) cells, or MergedMoments
        Weight, mean and spread of the local effects.
    mean : ndarray of shape (product of steps,)
        Their mean in the arithmetic asked for.
    above : float
        Weight of the rows above a grid under iml's rule, which have no local effect.
    units : ndarray of shape (U,) or (U1, U2, ...), or None
        Rows, or their weight, of each level, or combination of units, where a feature is
        categorical.
    kept : LocalEffects or None
        The local effects themselves, if they are to be kept.
    """

    axes: Sequence[Axis]
    moments: CellMoments | intervals.MergedMoments
    mean: FloatArray
    above: float = 0.0
    units: FloatArray | None = None
    kept: LocalEffects | None = None


def _effects(
    run: _Run, table: Table, axes: Sequence[Axis], weights: FloatArray | None
) -> list[AleResult]:
    """Apley and Zhu's estimator for features of either kind, for each output.

    `aleplot_py.steps.centre` tells what the points, units and steps of an axis are.
    """
    if [axis.kind for axis in axes] == ["numeric", "categorical"]:
        # R knows the pair only the other way round.
        return [effect.transpose() for effect in _effects(run, table, axes[::-1], weights)]
    # Local effects: how the prediction of each row changes over its own interval (between its
    # level and the neighbours, over its cell), and their moments there.
    measured = _measure(run, table, axes, weights)
    means, told = run.means_over(table, weights), run.told(axes)
    box, centre, arithmetic = run.problem.black_box, run.centre, run.arithmetic
    return [
        accumulated_effect(one, box, centre, mean, arithmetic, output=i, route=told)
        for i, (one, mean) in enumerate(zip(measured, means, strict=True))
    ]


def accumulated_effect(
    measured: Measured,
    black_box: BlackBox,
    centre: str,
    mean_prediction: Callable[[], float],
    arithmetic: Arithmetic = EXACT,
    *,
    output: int = 0,
    route: str = "predict",
) -> AleResult:
    """What the local effects in each cell add up to: the estimator from where no row is seen.

    `output` is the number of the output that they are of, `route` how they were predicted.
    """
    axes, moments = measured.axes, measured.moments
    kinds = tuple(axis.kind for axis in axes)
    steps = tuple(axis.n_steps for axis in axes)
    # A cell without rows has the local effect of the nearest one with rows, an interval its slope.
    counts = moments.weight.reshape(steps)
    empty = counts == 0
    local_mean, hollow = measured.mean.reshape(steps), empty.any()
    positions = [axis.positions for axis in axes] if hollow or len(axes) > 2 else []
    if hollow:
        listing = "iml" if any(axis.grid == "iml" for axis in axes) else "aleplot"
        widths = np.diff(axes[0].points) if kinds == ("numeric",) else None
        local_mean = fill_empty(local_mean, empty, positions, listing, widths)
    # Accumulated from the low end; without the effects of fewer features; with mean 0.
    accumulated = accumulate(local_mean, arithmetic)
    counts = counts if measured.units is None else measured.units
    values, mains, constant = centred_effect(
        accumulated, counts, kinds, centre, measured.above, arithmetic, positions
    )
    return AleResult(
        axes=tuple(axes),
        f_values=values,
        counts=counts,
        target=black_box.outputs[output],
        route=route,
        empty=empty,
        local_mean=local_mean,
        local_std=moments.std.reshape(steps),
        constant=constant,
        main_effects=mains,
        centre=centre,
        local_effects=measured.kept,
        _mean=mean_prediction,
    )


def _measure(
    run: _Run, table: Table, axes: Sequence[Axis], weights: FloatArray | None
) -> list[Measured]:
    """Let every row move, and tally what its prediction does, each output by itself."""
    inside, above = _without_rows_above(axes, weights)
    exact = run.arithmetic is EXACT
    batches: list[Kept] | None = None if exact and not run.keep else []
    moments = axis_moments(run.problem, run.jacobian, table, axes, inside, batches)
    if not run.problem.black_box.several:
        return [_measured(run, table, axes, weights, above, moments, batches)]
    found = []
    for i, one in enumerate(moments.split(math.prod(axis.n_steps for axis in axes))):
        kept = batches and [(effects[:, i], cells, rows) for effects, cells, rows in batches]
        found.append(_measured(run, table, axes, weights, above, one, kept))
    return found


def _measured(
    run: _Run,
    table: Table,
    axes: Sequence[Axis],
    weights: FloatArray | None,
    above: float,
    moments: CellMoments,
    batches: list[Kept] | None,
) -> Measured:
    """Local effects of one output, on the intervals that they choose where these are to."""
    laid = axes
    known: CellMoments | intervals.MergedMoments = moments
    if isinstance(axes[0], intervals.FineAxis):
        merged, known = intervals.merge_intervals(axes[0], table, moments, weights)
        axes = [merged]
    mean, kept = known.mean, None
    if batches is not None and run.arithmetic is not EXACT:
        # R lists the differences to the next higher level first, then those to the next lower.
        effects, cells = (np.concatenate([part[i] for part in batches[::-1]]) for i in (0, 1))
        mean = run.arithmetic.cell_means(effects, cells, len(mean))
    if batches is not None and run.keep:
        kept = kept_effects(batches, laid, axes, weights)
    units = None
    if any(axis.kind == "categorical" for axis in axes):
        units = row_counts(axes, tuple(axis.n_units for axis in axes), weights)
    return Measured(axes, known, mean, above, units, kept)


def _main_effects_only(axes: Sequence[Axis], jacobian: Jacobian | None) -> None:
    """Refuse for several features what only main effects have."""
    if len(axes) == 1:
        return
    names = named(tuple(axis.name for axis in axes))
    if any(isinstance(axis, intervals.FineAxis) for axis in axes):
        raise ValueError(
            f"K='auto' chooses intervals for a main effect, not for the {names}: give a "
            "number, or grid={feature: intervals.fit(...).edges}"
        )
    if jacobian is not None:
        raise ValueError(f"gradient= serves main effects, not the {names}: leave it out")


def _without_rows_above(
    axes: Sequence[Axis], weights: FloatArray | None
) -> tuple[FloatArray | None, float]:
    """Weights that leave out the rows above iml's grid, and the weight of those rows."""
    if len(axes) > 1 or axes[0].above is None:
        return weights, 0.0
    every = np.ones(len(axes[0].above)) if weights is None else weights
    return np.where(axes[0].above, 0.0, every), total(EXACT, every[axes[0].above])
