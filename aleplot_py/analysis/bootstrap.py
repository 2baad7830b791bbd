"""Uncertainty of an effect: bootstrap bands, and how well each cell is known."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from concurrent.futures import Executor
from typing import Any, Literal, Unpack, overload

import numpy as np
import pandas as pd

from aleplot_py.analysis.limits import band_limits
from aleplot_py.analysis.resampling import Explainer, ale_curves, explained_curves, pd_curves
from aleplot_py.errors import warn_caller
from aleplot_py.inputs.arrays import as_times, with_its_type
from aleplot_py.inputs.checks import (
    check_switches,
    coverage,
    interval_count,
    numeric_values,
    one_of,
    positive_integer,
    weights_of,
)
from aleplot_py.inputs.columns import column_name
from aleplot_py.inputs.extras import needed
from aleplot_py.inputs.fitting import check_fitter, check_response, fitted, generator_of
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.requests import as_table
from aleplot_py.results.bands import Bands
from aleplot_py.results.effects import AleResult, Effect, PartialDependenceResult, check_rows
from aleplot_py.steps.axis import RARE
from aleplot_py.steps.grid import FloatArray, IntArray
from aleplot_py.typing import (
    BootstrapOptions,
    Fitter,
    FrameLike,
    Numbers,
    Predictor,
    RandomState,
    ResponseMethod,
    Values,
    Whole,
)

# Rounding of a mean over individual curves, as a share of the largest value.
SAME = 1e-9
METHODS = ("percentile", "normal")


GRID_RULES = ("aleplot", "iml", "equidistant")


@overload
def bootstrap_bands(
    effect: AleResult | PartialDependenceResult, **options: Unpack[BootstrapOptions]
) -> Bands: ...
@overload
def bootstrap_bands(
    effect: Mapping[Any, AleResult | PartialDependenceResult], **options: Unpack[BootstrapOptions]
) -> dict[Hashable, Bands]: ...
def bootstrap_bands(
    effect: AleResult | PartialDependenceResult | Mapping[Any, AleResult | PartialDependenceResult],
    *,
    n_boot: int = 1000,
    level: float = 0.95,
    method: Literal["percentile", "normal"] | None = None,
    simultaneous: bool = False,
    centre_over: Literal["data", "resamples"] = "data",
    K: Whole | None = None,
    grid: Literal["fixed", "redrawn"] = "fixed",
    predict: Predictor | None = None,
    refit: Fitter | None = None,
    X: FrameLike | None = None,
    y: Values | None = None,
    sample_weight: Numbers | None = None,
    response_method: ResponseMethod = "auto",
    batch_rows: int | None = None,
    n_jobs: int | Executor | None = None,
    progress: bool = True,
    keep_curves: bool = False,
    random_state: RandomState = None,
) -> Bands | dict[Hashable, Bands]:
    """Bootstrap bands of an effect: rows are resampled, the effect is estimated again.

    Resampling rows only changes how often each local effect is counted in the mean of its cell.
    An effect that keeps its local effects (``ale(..., local_effects=True)``), or a partial
    dependence that keeps its individual curves (``kind="both"``), therefore needs no further
    prediction. The black box, the order of levels and (unless redrawn) the grid are those of the
    effect: the bands show what the choice of rows does to the estimate. What the choice of rows
    does to the model as well takes ``refit``.

    .. versionchanged:: 0.2
       `batch_rows` and `n_jobs` are new. A seed draws other resamples than in 0.1.

    Parameters
    ----------
    effect : AleResult, PartialDependenceResult, or mapping of feature to these
        What to surround; of one feature or a pair, numeric or categorical.
    n_boot : int, default 1000
        Number of resamples, at least 2.
    level : float, default 0.95
        Nominal coverage, in (0, 1).
    method : {"percentile", "normal"}, optional
        Ends of the band: quantiles of the resampled effects, or the effect plus and minus a
        multiple of their standard deviation. By default ``"percentile"`` for a pointwise band and
        ``"normal"`` for a simultaneous one.
    simultaneous : bool, default False
        Cover all points at once with probability `level`, instead of each of them. With
        ``"normal"`` the multiple is the quantile of the largest standardised deviation over the
        points (max-t), as a new resample would show it; with ``"percentile"`` the pointwise
        quantiles are drawn away from the median by one factor until the share `level` of the
        resampled effects lies between them as a whole.
    centre_over : {"data", "resamples"}
        Rows over which every resampled effect is centred (and, for a pair, freed of its main
        effects). ``"data"``: those of the data, so that the band is about the shape of the effect
        alone, and has no width where all local effects are equal. ``"resamples"``: those of the
        resample, so that the band also holds the error of the mean 0, as an interval for the
        effect centred over the population must.
    K : int, optional
        Number of intervals asked for of a redrawn grid, by default the effect's own number.
    grid : {"fixed", "redrawn"}
        ``"redrawn"``: every resample lays its own grid by the rule of the effect, between the
        ends of the effect's grid, which needs `predict` and `X` (2n predictions in each resample,
        4n for a pair).
    predict : callable or fitted model, optional
        The black box, for a redrawn grid.
    refit : estimator or callable(X, y), optional
        Refits the model on each resample: an estimator with a ``fit`` method, which is cloned and
        seeded from `random_state` wherever it has no seed, or a callable that returns a fitted
        model or a callable(frame), and is its own master in what is random. Needs `X` and `y`.
    X : DataFrame or ndarray of shape (n, d), optional
        The rows of the effect.
    y : array_like of length n, optional
        The response.
    sample_weight : array_like of shape (n,), optional
        The weights that the effect was computed with, where it does not keep them (a partial
        dependence; `refit`; a redrawn grid). Rows are drawn with equal probability and bring their
        weights along. Refitting ignores them.
    response_method, batch_rows, n_jobs, progress
        As in `aleplot_py.ale`, for `refit` and `predict`.
    keep_curves : bool, default False
        Whether the result keeps the resampled effects.
    random_state : int, Generator, RandomState or None
        Source of the resamples, and of seeds for `refit`.

    Returns
    -------
    Bands, or dict of feature to Bands for a mapping
        The bands.

    Raises
    ------
    ValueError, TypeError
        If there are fewer than 2 resamples, the level is not inside (0, 1), the effect keeps
        neither local effects nor individual curves, or `X`, `y` or the weights are not those of
        the effect's rows.

    Warns
    -----
    UserWarning
        If a simultaneous band has fewer resamples than points that vary: its width is then known
        too roughly.

    See Also
    --------
    ale : Keeps the local effects by ``local_effects=True``.
    partial_dependence : Keeps the individual curves by ``kind="both"``.
    learner_bands : What another sample does to the model, too, by refits.
    standard_errors : Of the mean local effects, without resampling.
    cell_table : Rows and spread of every cell.

    Notes
    -----
    Takes no `target`, `categorical`: they are those of the effect.
    Takes no `missing`: the rows are those of the effect, whose features are known.

    A cell that loses all its rows in a resample takes the mean slope of the nearest cell that has
    some; a cell without rows in the data then takes the mean of the same cell as in the estimate.
    A level without rows in a resample keeps its place: its effect comes from the rows of its
    neighbours. With `refit` or a redrawn grid, a resample that lacks a level of an explained
    feature, or a class of the response, is drawn again. Where cells have a row or two, no
    bootstrap knows their spread: see `cell_table`.

    Source: Efron, B. (1979), Bootstrap methods: another look at the jackknife, Annals of
    Statistics 7, 1-26; Apley and Zhu (2020) for the estimator; Montiel Olea, J. L. and
    Plagborg-Møller, M. (2019), Simultaneous confidence bands: theory, implementation, and an
    application to SVARs, Journal of Applied Econometrics 34, 1-17, for both simultaneous bands.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from aleplot_py import ale, bootstrap_bands
    >>> X = pd.DataFrame({"x": np.arange(10.0), "z": np.tile([0.0, 1.0], 5)})
    >>> effect = ale(lambda f: f["x"] * f["z"], X, "x", K=3, local_effects=True)
    >>> bands = bootstrap_bands(effect, n_boot=200, level=0.975, random_state=1)
    >>> bands.label
    '97.5 % pointwise band'
    """
    options: BootstrapOptions = {
        "n_boot": n_boot,
        "level": level,
        "method": method,
        "simultaneous": simultaneous,
        "centre_over": centre_over,
        "grid": grid,
        "K": K,
        "predict": predict,
        "refit": refit,
        "X": X,
        "y": y,
        "sample_weight": sample_weight,
        "response_method": response_method,
        "batch_rows": batch_rows,
        "n_jobs": n_jobs,
        "progress": progress,
        "keep_curves": keep_curves,
        "random_state": random_state,
    }
    if isinstance(effect, Mapping):
        return {key: bootstrap_bands(one, **options) for key, one in effect.items()}
    _check_options(n_boot, level, method, centre_over, grid)
    check_switches(simultaneous=simultaneous, keep_curves=keep_curves)
    if not isinstance(effect, (AleResult, PartialDependenceResult)):
        raise TypeError(
            f"effect must be the result of ale or partial_dependence, got {type(effect).__name__}"
        )
    rng = generator_of(random_state)
    over_data = centre_over == "data"
    how = Options(
        response_method=response_method, batch_rows=batch_rows, n_jobs=n_jobs, progress=progress
    )
    if refit is not None or grid == "redrawn":
        explainer = explainer_of(
            effect, predict, refit, X, y, sample_weight, grid == "redrawn", K, how, rng
        )
        curves = explained_curves(effect, explainer, n_boot, rng, over_data=over_data)
    else:
        unused = {"predict": predict, "X": X, "y": y, "K": K}
        given = [name for name, value in unused.items() if value is not None]
        if given:
            raise ValueError(f"{given[0]}= serves refit= or grid='redrawn' only: leave it out")
        curves = _resampled(
            effect, sample_weight, n_boot, rng, over_data=over_data, progress=progress
        )
    how_ends = method or ("normal" if simultaneous else "percentile")
    lower, upper, std = band_limits(
        curves, effect.f_values, level, how_ends, simultaneous=simultaneous
    )
    points = int(np.count_nonzero(std))
    if simultaneous and n_boot < points:
        warn_caller(
            f"the simultaneous band of {points} points rests on n_boot={n_boot} resamples: its "
            f"width is known too roughly to hold {100 * level:.12g} %, take n_boot={points} or more"
        )
    return Bands(
        effect=effect,
        lower=lower,
        upper=upper,
        std=std,
        level=float(level),
        kind="simultaneous" if simultaneous else "pointwise",
        method=how_ends,
        n_boot=int(n_boot),
        grid=grid,
        centred_over=centre_over,
        refitted=refit is not None,
        curves=curves if keep_curves else None,
    )


def _check_options(n_boot: Any, level: Any, method: Any, centre_over: Any, grid: Any) -> None:
    if positive_integer(n_boot, "n_boot") < 2:
        raise ValueError(f"n_boot must be at least 2 resamples, got {n_boot}")
    coverage(level)
    if method is not None:
        one_of(method, METHODS, "method")
    one_of(centre_over, ("data", "resamples"), "centre_over")
    one_of(grid, ("fixed", "redrawn"), "grid")


def _resampled(
    effect: AleResult | PartialDependenceResult,
    sample_weight: Any,
    n_boot: int,
    rng: np.random.Generator,
    *,
    over_data: bool,
    progress: bool,
) -> FloatArray:
    """Resampled effects without a prediction."""
    _check_over_rows(effect)
    if isinstance(effect, PartialDependenceResult):
        individual = effect.individual
        if individual is None:
            raise ValueError(
                "the partial dependence keeps no individual curves to resample: compute it with "
                "partial_dependence(..., kind='both'), or pass refit=, X= and y="
            )
        weights = weights_of(sample_weight, len(individual))
        _check_mean(effect, individual, weights)
        return pd_curves(
            effect, individual, weights, n_boot, rng, over_data=over_data, progress=progress
        )
    if effect.centre == "total":
        raise ValueError("a total effect has no local effects of its own: take bands of its parts")
    if effect.local_effects is None:
        raise ValueError(
            "the effect keeps no local effects to resample: compute it with "
            "ale(..., local_effects=True), or pass refit=, X= and y="
        )
    if sample_weight is not None:
        raise ValueError("the effect keeps its own weights with its local effects: leave them out")
    local = effect.local_effects
    return ale_curves(effect, local, n_boot, rng, over_data=over_data, progress=progress)


def _check_over_rows(effect: AleResult | PartialDependenceResult) -> None:
    if isinstance(effect, PartialDependenceResult) and effect.of_fit:
        raise ValueError(
            "bands resample or move the rows of X, and the partial dependence of "
            f"{effect.features!r} by method='recursion' is over those of the model's fit: compute "
            "it by method='predict'"
        )


def _check_mean(
    effect: PartialDependenceResult, individual: FloatArray, weights: FloatArray | None
) -> None:
    difference = np.average(individual, axis=0, weights=weights) - effect.f_values
    if np.abs(difference).max() > SAME * np.abs(individual).max():
        raise ValueError(
            "the mean of the individual curves is not the effect: pass the sample_weight that it "
            "was computed with"
        )


def explainer_of(
    effect: AleResult | PartialDependenceResult,
    predict: Any,
    refit: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    redrawn: bool,
    K: Any,
    options: Options,
    rng: np.random.Generator,
    *,
    argument: str = "refit",
) -> Explainer:
    """How resamples are explained, checked against the effect.

    `argument` is the name of `refit` in messages.
    """
    why = f"{argument}=" if refit is not None else "grid='redrawn'"
    if X is None:
        raise ValueError(f"{why} needs X=, the rows of the effect")
    table = as_table(X)
    table = table.counting(
        {column_name(axis.name, table): axis.times for axis in effect.axes if axis.times}
    )
    _check_rows(effect, table, why)
    _check_over_rows(effect)
    if refit is not None and predict is not None:
        raise ValueError("predict= and refit= exclude each other: refit= makes its own models")
    if refit is not None:
        if y is None:
            raise ValueError(f"{why} needs y=, the response")
        check_response(y, len(table))
    elif predict is None:
        raise ValueError("grid='redrawn' needs predict=, the black box")
    if redrawn:
        _check_redrawn(effect)
    if K is not None:
        interval_count(K)
    if isinstance(effect, AleResult) and effect.centre == "total":
        raise ValueError("a total effect is a sum of effects: take bands of its parts")
    weights = weights_of(sample_weight, len(table))
    if weights is None and isinstance(effect, AleResult) and effect.local_effects is not None:
        weights = effect.local_effects.weights
    if refit is None:
        return Explainer(lambda X, y: predict, table, None, None, weights, K, redrawn, options)
    check_fitter(refit, argument)
    (seeds,) = rng.spawn(1)  # of their own, so that the resamples do not depend on the estimator
    return Explainer(
        lambda X, y: fitted(refit, X, y, seeds, argument),
        table,
        y,
        _labels(refit, y),
        weights,
        K,
        redrawn,
        options,
    )


def _labels(refit: Any, y: Any) -> IntArray | None:
    """Class of every row (n,); None where the response is numbers, as far as can be told."""
    column = pd.DataFrame(with_its_type(y))
    if column.shape[1] != 1:
        return None
    values = column.iloc[:, 0]
    number = pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)
    if number and not _is_classifier(refit):
        return None
    return np.asarray(pd.factorize(values, use_na_sentinel=False)[0], dtype=np.intp)


def _is_classifier(refit: Any) -> bool:
    if hasattr(refit, "__sklearn_tags__"):
        base = needed("sklearn.base", f"a copy of {type(refit).__name__} to refit")
        return bool(base.is_classifier(refit))
    return getattr(refit, "_estimator_type", None) == "classifier"


def _check_rows(effect: Effect, table: Any, what: str) -> None:
    check_rows(effect, "resamples")
    n = effect.axes[0].n
    if len(table) != n:
        left_out = "without those that missing='drop' left out"
        if effect.group is not None:
            left_out = f"those of group {effect.group!r}, {left_out}"
        raise ValueError(f"X must hold the {n} rows of the effect ({left_out}), got {len(table)}")
    for axis in effect.axes:
        name, points, observed = axis.name, axis.points, axis.observed
        column = table.column(column_name(name, table))
        if axis.kind == "numeric":
            alike = (axis.times is None) == (as_times(column) is None)
            same = alike and np.array_equal(numeric_values(table, column.name), observed)
            beyond = ((observed < points[0]) | (observed > points[-1])).any()
            if isinstance(effect, AleResult) and beyond:
                raise ValueError(
                    f"rows of column {name!r} lie outside the effect's grid: {what} needs one that "
                    "covers the data"
                )
        else:
            shared = () if axis.collapsed is None else set(axis.collapsed.levels)
            values = column.astype(object).tolist()
            same = [RARE if value in shared else value for value in values] == list(observed)
        if not same:
            raise ValueError(f"column {name!r} of X is not the one that the effect was computed on")


def _check_redrawn(effect: Effect) -> None:
    if not isinstance(effect, AleResult):
        raise ValueError("grid='redrawn' is for accumulated local effects, not partial dependence")
    for name, kind, rule in zip(effect.features, effect.kinds, effect.grid, strict=True):
        if kind == "numeric" and rule not in GRID_RULES:
            raise ValueError(
                f"grid='redrawn' needs a grid laid by one of the rules {GRID_RULES}: that of "
                f"column {name!r} is {rule!r}"
            )
