"""Effects put together again: total effect of a pair, additive model, full decomposition."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd

from aleplot_py.effects.ale import ale_of
from aleplot_py.effects.local_effects import predictions
from aleplot_py.errors import FeatureError, renamed, warn_caller
from aleplot_py.inputs.arrays import numbers_of
from aleplot_py.inputs.axes import may_have_effect
from aleplot_py.inputs.checks import one_of, rows_without_missing
from aleplot_py.inputs.columns import column_name
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import Problem, problem_of
from aleplot_py.inputs.requests import Requests, as_table, feature_requests, is_listing
from aleplot_py.inputs.times import to_times
from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule
from aleplot_py.results.effects import AleResult, Effect, EffectCollection
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.centre import power_of
from aleplot_py.steps.grid import FloatArray
from aleplot_py.steps.sums import mean_of_rows
from aleplot_py.typing import (
    AleEffects,
    Collapse,
    Columns,
    FrameLike,
    Grid,
    IntervalCounts,
    Missing,
    Numbers,
    Order,
    Pairs,
    Predictor,
    ResponseMethod,
    RowCentre,
)

CENTRES = ("rows", "aleplot", "paper")


def total_effect(pair: AleResult, first: AleResult, second: AleResult) -> AleResult:
    """Second-order effect with both main effects and the mean prediction added back.

    Parameters
    ----------
    pair : AleResult
        Second-order effect of two features.
    first, second : AleResult
        Main effects of the two features, in either order. Between their own grid points they are
        interpolated linearly.

    Returns
    -------
    AleResult
        On the pair's grid, ``f_values`` of shape (P1, P2) in units of the prediction: how the
        prediction varies with both features. ``centre`` is ``"total"``.

    Raises
    ------
    TypeError
        If one of them is not an ALE.
    ValueError
        If the effects are not a pair and its two main effects, explain different outputs, or a
        main effect's grid does not cover the pair's.

    See Also
    --------
    ale : Gives the three effects.
    decompose : All effects of a black box.

    Notes
    -----
    Source: Molnar, Interpretable Machine Learning, ALE chapter; Apley and Zhu (2020).
    """
    for argument, effect in (("pair", pair), ("first", first), ("second", second)):
        if not isinstance(effect, AleResult):
            raise TypeError(f"{argument} must be an AleResult, got {type(effect).__name__}")
        if effect.centre == "total":
            raise ValueError(f"{argument} is a total effect already")
    if len(pair.features) != 2:
        raise ValueError(f"pair must be a second-order effect, got one of {pair.features}")
    mains = {main.features: main for main in (first, second)}
    if set(mains) != {(name,) for name in pair.features}:
        raise ValueError(
            f"main effects of {pair.features} are needed, got {first.features}, {second.features}"
        )
    if not pair.target == first.target == second.target:
        raise ValueError(
            "the effects must explain the same output, got targets "
            f"{pair.target!r}, {first.target!r}, {second.target!r}"
        )
    curves = [_on_points(mains[(axis.name,)], axis) for axis in pair.axes]
    total = pair.f_values + curves[0][:, None] + curves[1] + pair.mean_prediction
    return replace(pair, f_values=total, main_effects=(), constant=0.0, centre="total")


def _on_points(main: AleResult, axis: Axis) -> FloatArray:
    points = axis.points if axis.times is None else to_times(axis.points, axis.times)
    values = main.evaluate(points)
    if np.isnan(values).any():
        outside = points[np.isnan(values)][0]
        raise ValueError(
            f"the main effect of {main.features[0]!r} does not reach {outside}: compute it on a "
            "grid that covers the pair's"
        )
    return values


def first_order_prediction(
    effects: AleEffects, X: FrameLike, *, constant: float | None = None
) -> FloatArray:
    """Prediction of the additive model that the main effects make.

    Parameters
    ----------
    effects : EffectCollection, AleResult, or sequence of AleResult
        Main effects, at most one per feature.
    X : DataFrame or ndarray of shape (n, d)
        Rows to predict; only the columns of the effects are read.
    constant : float, optional
        What the effects are added to. By default their mean prediction.

    Returns
    -------
    ndarray of shape (n,)
        ``constant`` plus every effect at the row's value (linear between grid points), in units
        of the prediction. NaN where a value lies outside the grid or is missing.

    Raises
    ------
    ValueError, TypeError
        If an effect is not a main effect of ALE, a feature comes twice, the effects explain
        different outputs, or a column or level is unknown.

    See Also
    --------
    decompose : Main effects centred over the rows, and pairs.
    interaction_strength : What this prediction misses.

    Notes
    -----
    Takes no `missing`: a row without a value has no prediction, NaN.
    Takes no `sample_weight`: the effects bring their own.
    Takes no `batch_rows`, `n_jobs`, `progress`: nothing is predicted by the black box.
    Takes no `random_state`: nothing is drawn at random.

    Source: Apley and Zhu (2020) and Molnar, Casalicchio and Bischl (2020),
    Quantifying model complexity via functional decomposition for better post-hoc
    interpretability, section 3. With the centring of R's ALEPlot an effect has mean 0 over
    interval middles, not over the rows, so that the sum may be off by a small constant;
    `decompose` centres over the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from aleplot_py import ale
    >>> X = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0], [3.0, 0.0]])
    >>> effects = ale(lambda X: X[:, 0] - X[:, 1], X, "all")
    >>> first_order_prediction(effects, X)
    array([-1., -2.,  0.,  3.])
    """
    mains = main_effects(effects)
    if constant is None:
        constant = mains[0].mean_prediction
    table = as_table(X)
    total = np.full(len(table), float(constant))
    for main in mains:
        total = total + _at_rows(main, table)
    return total


def main_effects(effects: AleEffects) -> list[AleResult]:
    """Main effects in a collection, checked to be ALE of different features and one output.

    Parameters
    ----------
    effects : EffectCollection, AleResult, or sequence of AleResult
        At least one.

    Returns
    -------
    list of AleResult
        In the order given.
    """
    if isinstance(effects, AleResult):
        given: list[Any] = [effects]
    elif isinstance(effects, Mapping):
        given = list(effects.values())
    elif isinstance(effects, Iterable):
        given = list(effects)
    else:
        raise TypeError(f"effects must be ALE main effects, got {type(effects).__name__}")
    if not given:
        raise ValueError("effects must hold at least one main effect, got none")
    for effect in given:
        if not isinstance(effect, AleResult):
            raise TypeError(f"effects must be results of ale, got {type(effect).__name__}")
        if len(effect.features) != 1:
            raise ValueError(f"effects must be main effects, got one of {effect.features}")
    names = [effect.features[0] for effect in given]
    repeated = [name for i, name in enumerate(names) if name in names[:i]]
    if repeated:
        raise ValueError(f"effects hold {repeated[0]!r} more than once")
    targets = {effect.target for effect in given}
    if len(targets) > 1:
        raise ValueError(f"the effects must explain the same output, got targets {targets}")
    return given


def _at_rows(effect: Effect, table: Table) -> FloatArray:
    """Effect at the rows of a table, (n,)."""
    coordinates: list[Any] = []
    for axis in effect.axes:
        column = table.column(column_name(axis.name, table))
        if axis.times is not None:
            coordinates.append(column)
            continue
        numbers = numbers_of(column) if axis.kind == "numeric" else np.asarray(column)
        if numbers is None:
            raise FeatureError(f"column {axis.name!r} must be numeric, got type {column.dtype}")
        coordinates.append(numbers)
    return effect.evaluate(*coordinates)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Decomposition(Result):
    """Prediction of every row as a constant, main effects, second-order effects and the rest.

    Parameters
    ----------
    constant : float
        Mean prediction over the rows, f0.
    mains, pairs : EffectCollection
        First- and second-order effects; `pairs` may be empty.
    at_rows : ndarray of shape (n, number of effects)
        Each effect at each row, in units of the prediction, main effects first.
    index : Index of length n
        Index of the data.
    prediction : ndarray of shape (n,)
        What the black box predicts for the rows.
    remainder : ndarray of shape (n,)
        ``prediction - constant - components.sum(axis=1)``: interactions of higher order, effects
        that were not asked for, and what interpolation and estimation leave.
    weights : ndarray of shape (n,), or None
        Row weights.
    centre : {"rows", "aleplot", "paper"}
        Convention of the effects.
    """

    constant: float
    mains: EffectCollection[AleResult]
    pairs: EffectCollection[AleResult]
    at_rows: FloatArray
    index: pd.Index
    prediction: FloatArray
    remainder: FloatArray
    weights: FloatArray | None
    centre: str

    def __repr__(self) -> str:
        return (
            f"Decomposition({len(self.mains)} main effects, {len(self.pairs)} pairs, "
            f"n={len(self.prediction)}, constant {self.constant:.4g})"
        )

    @property
    def centering(self) -> str:
        """Former name of `centre`."""
        warn_caller("centering is now called centre", DeprecationWarning)
        return self.centre

    @property
    def components(self) -> pd.DataFrame:
        """Each effect at each row as a fresh table (n, number of effects).

        Columns ``f(x)`` and ``f(x, y)`` with the features' names, main effects first; index of
        the data; units of the prediction.
        """
        effects = [*self.mains.values(), *self.pairs.values()]
        labels = [f"f({', '.join(map(str, effect.features))})" for effect in effects]
        return pd.DataFrame(self.at_rows.copy(), index=self.index, columns=labels)

    @property
    def first_order(self) -> FloatArray:
        """Constant and main effects of each row, (n,), in units of the prediction."""
        mains = self.components.to_numpy()[:, : len(self.mains)]
        return np.asarray(self.constant + mains.sum(axis=1))

    @property
    def interaction_strength(self) -> float:
        """Share of the prediction's variation that the main effects leave, IAS.

        The weighted sum of ``(prediction - first_order)**2`` over that of
        ``(prediction - constant)**2``: 0 for an additive black box; it can exceed 1 because the
        effects of dependent features are not orthogonal. Raises ValueError for a constant
        prediction. Source: Molnar, Casalicchio and Bischl (2020), section 3.2.
        """
        return self._left(self.prediction - self.first_order)

    @property
    def unexplained(self) -> float:
        """Share of the prediction's variation that all effects together leave.

        As `interaction_strength`, with the second-order effects counted as explained.
        """
        return self._left(self.remainder)

    def _left(self, residual: FloatArray) -> float:
        if np.ptp(self.prediction) == 0:
            raise ValueError(
                "the share of the variation needs a prediction that varies, got "
                f"{self.prediction[0]} for every row"
            )
        deviation = self.prediction - self.constant
        power = power_of(deviation)
        residual, deviation = np.ldexp(residual, -power), np.ldexp(deviation, -power)
        variation = mean_of_rows(deviation**2, self.weights)
        return mean_of_rows(residual**2, self.weights) / variation

    def predict(self, X: FrameLike, *, order: Literal[1, 2] = 2) -> FloatArray:
        """Prediction from the effects alone.

        Parameters
        ----------
        X : DataFrame or ndarray of shape (m, d)
            Rows with the explained columns.
        order : {1, 2}
            Whether to stop at the main effects or to add the second-order effects.

        Returns
        -------
        ndarray of shape (m,)
            Constant plus effects, in units of the prediction; NaN outside the grids.

        Raises
        ------
        ValueError
            If `order` is neither 1 nor 2, or a column or level is unknown.
        """
        if order not in (1, 2):
            raise ValueError(f"order must be 1 or 2, got {order!r}")
        table = as_table(X)
        total = np.full(len(table), self.constant)
        for effect in [*self.mains.values(), *(self.pairs.values() if order == 2 else ())]:
            total = total + _at_rows(effect, table)
        return total

    def to_frame(self) -> pd.DataFrame:
        """Table of the rows and the parts that their predictions are the sum of.

        Returns
        -------
        DataFrame of shape (n, number of effects + 3)
            Columns ``constant``, one ``f(...)`` per effect, ``remainder`` and, as their sum,
            ``prediction``; index of the data.
        """
        table = self.components
        table.insert(0, "constant", self.constant)
        return table.assign(remainder=self.remainder.copy(), prediction=self.prediction.copy())

    @property
    def _panels(self) -> int:  # type: ignore[override]
        return self.mains._panels

    def _draw_on(self, axes: list[Any]) -> None:
        self.mains._draw_on(axes)

    def _rules(self) -> Iterator[Rule]:
        yield self.centre in CENTRES, "centre", f"one of {CENTRES}", self.centre
        n, effects = len(self.index), len(self.mains) + len(self.pairs)
        got = self.at_rows.shape
        yield got == (n, effects), "at_rows", f"of shape {(n, effects)}", got
        for name in ("prediction", "remainder", "weights"):
            values = getattr(self, name)
            fits = values is None or values.shape == (n,)
            yield fits, name, f"of shape ({n},)", None if values is None else values.shape
        wrong = [e for e in (*self.mains.values(), *self.pairs.values()) if e.name != "ALE"]
        yield not wrong, "mains", "accumulated local effects, as pairs", wrong


@renamed(centering="centre")
def decompose(
    predict: Predictor,
    X: FrameLike,
    *,
    features: Literal["all"] | Columns = "all",
    pairs: Pairs = "all",
    K: IntervalCounts = 40,
    grid: Grid = "aleplot",
    centre: RowCentre = "rows",
    order: Order | None = None,
    collapse: Collapse | None = None,
    categorical: Columns | None = None,
    sample_weight: Numbers | None = None,
    target: Hashable | None = None,
    response_method: ResponseMethod = "auto",
    missing: Missing = "error",
    batch_rows: int | None = None,
    n_jobs: int | Executor | None = None,
    progress: bool = True,
) -> Decomposition:
    """Decomposition of a black box into ALE effects of first and second order.

    .. versionchanged:: 0.2
       `missing` is new; `centre` is the new name of ``centering``.

    Parameters
    ----------
    predict : callable or fitted model
        As in `aleplot_py.ale`. It costs n rows, 2n more per main effect and 4n more per pair
        (categorical features more).
    X : DataFrame or ndarray of shape (n, d)
        The data to average over.
    features : name, list of names, or "all"
        Features whose main effects are computed.
    pairs : list of tuples of two names, "all", or None
        Second-order effects: those listed, of all pairs of `features`, or none.
    K, grid
        As in `aleplot_py.ale`; main effects and pairs share the same intervals.
    centre : {"rows", "aleplot", "paper"}
        ``"rows"``: each effect, interpolated as it is drawn, has mean 0 over the rows of the data,
        so that an additive black box whose data lie on grid points leaves no remainder. The others
        are those of `aleplot_py.ale`; they differ from it by one small constant per effect.
    order, collapse, categorical, sample_weight, target, response_method
        As in `aleplot_py.ale`.
    missing : {"error", "drop"}
        What to do with rows where a feature of any effect is missing: refuse, or leave them out of
        everything, so that the parts still add up.
    batch_rows, n_jobs, progress
        As in `aleplot_py.ale`.

    Returns
    -------
    Decomposition
        Rows add up exactly: ``prediction = constant + components + remainder``.

    Raises
    ------
    FeatureError, GridError, PredictionError, ValueError, TypeError
        As `aleplot_py.ale`, or if a pair is listed twice, in either order.

    Warns
    -----
    UserWarning
        As `aleplot_py.ale`.

    See Also
    --------
    interaction_strength : The share that main effects do not explain.
    first_order_prediction : The sum of main effects at any rows.
    total_effect : A pair with its main effects.

    Notes
    -----
    Takes no `random_state`: nothing is drawn at random.

    Source: Apley and Zhu (2020); Molnar, Casalicchio and Bischl
    (2020), equation (1). ALE effects are not orthogonal: their variances do not add up to the
    prediction's.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from aleplot_py import decompose
    >>> X = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": [1.0, 3.0, 2.0, 0.0]})
    >>> parts = decompose(lambda X: X["a"] - X["b"], X, pairs=None)
    >>> parts.constant, parts.interaction_strength
    (0.0, 0.0)
    """
    problem = problem_of(
        predict,
        X,
        Options(
            K=K,
            grid=grid,
            order=order,
            collapse=collapse,
            categorical=categorical,
            sample_weight=sample_weight,
            target=target,
            response_method=response_method,
            missing=missing,
            batch_rows=batch_rows,
            n_jobs=n_jobs,
            progress=progress,
        ),
    )
    return decomposition_of(problem, features, pairs, centre)


def decomposition_of(problem: Problem, features: Any, pairs: Any, centre: str) -> Decomposition:
    """Decomposition behind the checks of rows, black box and options."""
    one_of(centre, CENTRES, "centre")
    mains_asked, pairs_asked = _requests(features, pairs, problem.table)
    problem = with_known_features(problem, mains_asked, pairs_asked)
    how = "aleplot" if centre == "rows" else centre
    mains = ale_of(problem, mains_asked, centre=how)
    if pairs_asked is None:
        pairs_asked = Requests(list(combinations([main.features[0] for main in mains], 2)))
    seconds = ale_of(problem, pairs_asked, centre=how)
    prediction = predictions(problem)
    constant = mean_of_rows(prediction, problem.weights)
    components = np.empty((len(prediction), len(mains) + len(seconds)))
    centred = []
    for column, effect in enumerate([*mains, *seconds]):
        values = _at_rows(effect, problem.table)
        shift = mean_of_rows(values, problem.weights) if centre == "rows" else 0.0
        components[:, column] = values - shift
        centred.append(
            replace(
                effect,
                f_values=effect.f_values - shift,
                constant=effect.constant + shift,
                centre=centre,
                _mean=constant,
            )
        )
    data = problem.table.data
    index = data.index if isinstance(data, pd.DataFrame) else pd.RangeIndex(len(data))
    return Decomposition(
        constant=constant,
        mains=EffectCollection(tuple(centred[: len(mains)])),
        pairs=EffectCollection(tuple(centred[len(mains) :])),
        at_rows=components,
        index=index,
        prediction=prediction,
        remainder=prediction - constant - components.sum(axis=1),
        weights=problem.weights,
        centre=centre,
    )


def _requests(features: Any, pairs: Any, table: Table) -> tuple[Requests, Requests | None]:
    """Main effects and pairs asked for; no pairs yet where it is all of the main effects."""
    mains = main_requests(features, table)
    if isinstance(pairs, str):
        one_of(pairs, ("all",), "pairs")
        return mains, None
    return mains, Requests(_pairs(pairs, table))


def with_known_features(problem: Problem, *asked: Requests | None) -> Problem:
    """Under ``missing="drop"`` the rows in which the features of all effects are known."""
    if problem.options.missing == "error":
        return problem
    table = problem.table
    used: list[Hashable] = []
    for requests in asked:
        names = [] if requests is None else [name for pair in requests.names for name in pair]
        if requests is not None and requests.everything:  # what will be left out drops no row
            names = [
                n
                for n in names
                if may_have_effect(table.column(n), n, problem.categorical)
                and _counts(problem, table.column(n).notna().to_numpy())
            ]
        used += names
    known = rows_without_missing(table, used, "drop")
    if not _counts(problem, known):
        raise FeatureError(
            f"sample_weight is zero in every row where {', '.join(map(repr, used))} are known"
        )
    return problem.on(known)


def _counts(problem: Problem, rows: Any) -> bool:
    """Whether any of some rows has a weight."""
    return problem.weights is None or bool(problem.weights[rows].any())


def main_requests(features: Any, table: Table) -> Requests:
    """Main effects asked for."""
    if isinstance(features, str) and features == "all":
        return feature_requests(features, table)
    given = list(features) if is_listing(features) else [features]
    requests = feature_requests(given, table)
    several = [names for names in requests.names if len(names) > 1]
    if several:
        raise FeatureError(f"features must be single columns, got {several[0]!r}: use pairs=")
    return requests


def _pairs(pairs: Any, table: Table) -> list[tuple[Hashable, ...]]:
    """Pairs asked for, none of them twice."""
    if pairs is None:
        return []
    if not is_listing(pairs):
        raise TypeError(
            f"pairs must be a list of tuples of two names, 'all' or None, got {pairs!r}"
        )
    resolved: list[tuple[Hashable, ...]] = []
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise FeatureError(f"pairs must hold tuples of two names, got {pair!r}")
        names = feature_requests(pair, table).names[0]
        if len(names) != 2:
            raise FeatureError(f"pairs must hold tuples of two names, got the column {pair!r}")
        if names in resolved or names[::-1] in resolved:
            raise FeatureError(f"pairs names {pair!r} more than once")
        resolved.append(names)
    return resolved


@renamed(centering="centre")
def interaction_strength(
    predict: Predictor,
    X: FrameLike,
    *,
    features: Literal["all"] | Columns = "all",
    K: IntervalCounts = 40,
    grid: Grid = "aleplot",
    centre: RowCentre = "rows",
    order: Order | None = None,
    collapse: Collapse | None = None,
    categorical: Columns | None = None,
    sample_weight: Numbers | None = None,
    target: Hashable | None = None,
    response_method: ResponseMethod = "auto",
    missing: Missing = "error",
    batch_rows: int | None = None,
    n_jobs: int | Executor | None = None,
    progress: bool = True,
) -> float:
    """Interaction strength of a black box, IAS: what its main effects do not explain.

    .. versionchanged:: 0.2
       `missing` is new; `centre` is the new name of ``centering``.

    Parameters
    ----------
    predict, X
        As in `decompose`.
    features : name, list of names, or "all"
        Features whose main effects are computed; those of other columns count as interaction.
    K, grid, centre, order, collapse, categorical, sample_weight, target, response_method, \
missing, batch_rows, n_jobs, progress
        As in `decompose`.

    Returns
    -------
    float
        Sum over the rows of ``(f - f0 - sum of main effects)**2`` over the sum of
        ``(f - f0)**2``, without unit. 0 for an additive black box (up to interpolation between
        grid points), 1 when the main effects explain nothing.

    Raises
    ------
    FeatureError, GridError, PredictionError, ValueError, TypeError
        As `decompose`, or if the prediction is constant.

    See Also
    --------
    decompose : The parts of every row.
    main_effect_complexity : How complex the main effects are.
    regional_effects : Where a feature interacts.

    Notes
    -----
    Takes no `random_state`: nothing is drawn at random.

    Source: Molnar, Casalicchio and Bischl (2020), section 3.2, with squared loss.
    """
    problem = problem_of(
        predict,
        X,
        Options(
            K=K,
            grid=grid,
            order=order,
            collapse=collapse,
            categorical=categorical,
            sample_weight=sample_weight,
            target=target,
            response_method=response_method,
            missing=missing,
            batch_rows=batch_rows,
            n_jobs=n_jobs,
            progress=progress,
        ),
    )
    return decomposition_of(problem, features, None, centre).interaction_strength
