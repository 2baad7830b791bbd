"""Effects put together again: total effect of a set, additive model, full decomposition."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Literal

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
from aleplot_py.inputs.one_hot import with_one_hot
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import Problem, problem_of
from aleplot_py.inputs.requests import Requests, as_table, feature_requests, is_listing
from aleplot_py.inputs.times import to_times
from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule
from aleplot_py.results.effects import AleResult, Effect, EffectCollection
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
    Triples,
)

CENTRES = ("rows", "aleplot", "paper")
NONE: EffectCollection[AleResult] = EffectCollection(())


def total_effect(
    pair: AleResult, first: AleResult, second: AleResult, *others: AleResult
) -> AleResult:
    """Effect of several features with all their effects of lower order and the mean added back.

    .. versionchanged:: 0.2
       `pair` may be an effect of three features or more, for `others` of lower order.

    Parameters
    ----------
    pair : AleResult
        Effect of two features or more.
    first, second, *others : AleResult
        Its effects of lower order, in any order: the two main effects of a pair; three main
        effects and three pairs, of either order of names, of a triple. Between their own grid
        points they are interpolated linearly.

    Returns
    -------
    AleResult
        On the pair's grid, ``f_values`` of shape (P1, P2, ...) in units of the prediction: how the
        prediction varies with all of the features. ``centre`` is ``"total"``.

    Raises
    ------
    TypeError
        If one of them is not an ALE.
    ValueError
        If an effect of lower order is lacking or of other features, the effects explain different
        outputs, or a grid does not cover the pair's.

    See Also
    --------
    ale : Gives the effects.
    decompose : All effects of a black box.

    Notes
    -----
    Source: Molnar, Interpretable Machine Learning, ALE chapter; Apley and Zhu (2020).
    """
    lower = (first, second, *others)
    names = ["pair", "first", "second", *(f"others[{i}]" for i in range(len(others)))]
    for argument, effect in zip(names, (pair, *lower), strict=True):
        if not isinstance(effect, AleResult):
            raise TypeError(f"{argument} must be an AleResult, got {type(effect).__name__}")
        if effect.centre == "total":
            raise ValueError(f"{argument} is a total effect already")
    if len(pair.features) < 2:
        raise ValueError(f"pair must be a second-order effect, got one of {pair.features}")
    needed = [
        frozenset(some)
        for order in range(1, len(pair.features))
        for some in combinations(pair.features, order)
    ]
    given = {frozenset(effect.features): effect for effect in lower}
    if set(given) != set(needed) or len(lower) != len(needed):
        what = "main effects" if len(pair.features) == 2 else "all effects of lower order"
        got = ", ".join(str(effect.features) for effect in lower)
        raise ValueError(f"{what} of {pair.features} are needed, got {got}")
    if any(effect.target != pair.target for effect in lower):
        targets = ", ".join(repr(effect.target) for effect in (pair, *lower))
        raise ValueError(f"the effects must explain the same output, got targets {targets}")
    total = pair.f_values
    for some in needed:
        total = total + _on_points(given[some], pair)
    total = total + pair.mean_prediction
    return replace(pair, f_values=total, main_effects=(), constant=0.0, centre="total")


def _on_points(lower: AleResult, effect: AleResult) -> FloatArray:
    """Effect of some of an effect's features on its points, of a shape that fits its own."""
    axes = [axis for axis in effect.axes if axis.name in lower.features]
    lower = lower.transpose(*(axis.name for axis in axes))
    points = [
        axis.points if axis.times is None else to_times(axis.points, axis.times) for axis in axes
    ]
    at = np.meshgrid(*(np.arange(len(axis.points)) for axis in axes), indexing="ij")
    values = lower.evaluate(*(x.take(i.ravel()) for x, i in zip(points, at, strict=True)))
    if np.isnan(values).any():
        outside = np.flatnonzero(np.isnan(values))[0]
        where = ", ".join(str(x[i.ravel()[outside]]) for x, i in zip(points, at, strict=True))
        raise ValueError(
            f"the {'main ' if len(axes) == 1 else ''}effect of "
            f"{', '.join(map(repr, lower.features))} does not reach {where}: compute it on a grid "
            "that covers the pair's"
        )
    there = [len(axis.points) if axis in axes else 1 for axis in effect.axes]
    return values.reshape(there)


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
    """Prediction of every row as a constant, effects of first order and higher, and the rest.

    Parameters
    ----------
    constant : float
        Mean prediction over the rows, f0.
    mains, pairs : EffectCollection
        First- and second-order effects; `pairs` may be empty.
    triples : EffectCollection
        Third-order effects, by default none.
    at_rows : ndarray of shape (n, number of effects)
        Each effect at each row, in units of the prediction: main effects, pairs, triples.
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

    _later: ClassVar[tuple[str, ...]] = ("triples",)

    constant: float
    mains: EffectCollection[AleResult]
    pairs: EffectCollection[AleResult]
    triples: EffectCollection[AleResult] = NONE
    at_rows: FloatArray
    index: pd.Index
    prediction: FloatArray
    remainder: FloatArray
    weights: FloatArray | None
    centre: str

    def __repr__(self) -> str:
        triples = f"{len(self.triples)} triples, " if self.triples else ""
        return (
            f"Decomposition({len(self.mains)} main effects, {len(self.pairs)} pairs, {triples}"
            f"n={len(self.prediction)}, constant {self.constant:.4g})"
        )

    @property
    def _effects(self) -> list[AleResult]:
        """All effects in the order of the columns of `at_rows`."""
        return [*self.mains.effects, *self.pairs.effects, *self.triples.effects]

    @property
    def centering(self) -> str:
        """Former name of `centre`."""
        warn_caller("centering is now called centre", DeprecationWarning)
        return self.centre

    @property
    def components(self) -> pd.DataFrame:
        """Each effect at each row as a fresh table (n, number of effects).

        Columns ``f(x)``, ``f(x, y)`` and so on with the features' names, main effects first; index
        of the data; units of the prediction.
        """
        labels = [f"f({', '.join(map(str, effect.features))})" for effect in self._effects]
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

        As `interaction_strength`, with the effects of second and third order counted as explained.
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

    def predict(self, X: FrameLike, *, order: Literal[1, 2, 3] = 3) -> FloatArray:
        """Prediction from the effects alone.

        Parameters
        ----------
        X : DataFrame or ndarray of shape (m, d)
            Rows with the explained columns; one-hot columns as one column of their levels.
        order : {1, 2, 3}
            Whether to stop at the main effects, at the second-order effects, or to add all that
            there are.

        Returns
        -------
        ndarray of shape (m,)
            Constant plus effects, in units of the prediction; NaN outside the grids.

        Raises
        ------
        ValueError
            If `order` is not 1, 2 or 3, or a column or level is unknown.
        """
        _check_order(order)
        table = as_table(X)
        total = np.full(len(table), self.constant)
        for effect in self._effects:
            if len(effect.features) <= order:
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
        n, effects = len(self.index), len(self._effects)
        got = self.at_rows.shape
        yield got == (n, effects), "at_rows", f"of shape {(n, effects)}", got
        for name in ("prediction", "remainder", "weights"):
            values = getattr(self, name)
            fits = values is None or values.shape == (n,)
            yield fits, name, f"of shape ({n},)", None if values is None else values.shape
        wrong = [effect for effect in self._effects if effect.name != "ALE"]
        yield not wrong, "mains", "accumulated local effects, as pairs", wrong


@renamed(centering="centre")
def decompose(
    predict: Predictor,
    X: FrameLike,
    *,
    features: Literal["all"] | Columns = "all",
    pairs: Pairs = "all",
    triples: Triples = None,
    K: IntervalCounts = 40,
    grid: Grid = "aleplot",
    centre: RowCentre = "rows",
    order: Order | Literal[1, 2, 3] | None = None,
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
    """Decomposition of a black box into ALE effects of first, second and third order.

    .. versionchanged:: 0.2
       `missing` and `triples` are new; `centre` is the new name of ``centering``; `order` may be
       a number.

    Parameters
    ----------
    predict : callable or fitted model
        As in `aleplot_py.ale`. It costs n rows, 2n more per main effect, 4n more per pair and 8n
        more per triple (categorical features more).
    X : DataFrame or ndarray of shape (n, d)
        The data to average over.
    features : name, list of names, "all", or dict of name to list of names
        Features whose main effects are computed; a dict makes one of each list of one-hot columns,
        as in `aleplot_py.ale`.
    pairs : list of tuples of two names, "all", or None
        Second-order effects: those listed, of all pairs of `features`, or none.
    triples : list of tuples of three names, "all", or None
        Third-order effects, likewise.
    K, grid
        As in `aleplot_py.ale`; all effects share the same intervals.
    centre : {"rows", "aleplot", "paper"}
        ``"rows"``: each effect, interpolated as it is drawn, has mean 0 over the rows of the data,
        so that an additive black box whose data lie on grid points leaves no remainder. The others
        are those of `aleplot_py.ale`; they differ from it by one small constant per effect.
    order : order of levels as in `aleplot_py.ale`, or {1, 2, 3}
        A number is the highest order of the effects, all of which are computed: 3 is
        ``triples="all"``, 1 is ``pairs=None``.
    collapse, categorical, sample_weight, target, response_method
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
        As `aleplot_py.ale`, or if a pair or triple is listed twice, in any order.

    Warns
    -----
    UserWarning
        As `aleplot_py.ale`.

    See Also
    --------
    interaction_strength : The share that main effects do not explain.
    first_order_prediction : The sum of main effects at any rows.
    total_effect : A pair with its main effects, a triple with its pairs, too.

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
    if isinstance(order, (int, np.integer)):
        _check_order(order)
        if not isinstance(pairs, str) or triples is not None:
            raise ValueError(
                f"order={order} asks for all effects up to that order: leave pairs= and triples= "
                "out"
            )
        pairs, triples, order = "all" if order > 1 else None, "all" if order > 2 else None, None
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
    return decomposition_of(problem, features, [pairs, triples], centre)


def _check_order(order: Any) -> None:
    if isinstance(order, bool) or order not in (1, 2, 3):
        raise ValueError(f"order must be 1, 2 or 3, got {order!r}")


def decomposition_of(
    problem: Problem, features: Any, higher: Sequence[Any], centre: str
) -> Decomposition:
    """Decomposition behind the checks of rows, black box and options.

    `higher` has what pairs, then what triples are asked for.
    """
    one_of(centre, CENTRES, "centre")
    problem, features = one_hot_first(problem, features)
    mains_asked = main_requests(features, problem.table)
    sets = [set_requests(asked, size, problem.table) for size, asked in enumerate(higher, start=2)]
    problem = with_known_features(problem, mains_asked, *sets)
    how = "aleplot" if centre == "rows" else centre
    found = [ale_of(problem, mains_asked, centre=how)]
    names = [main.features[0] for main in found[0]]
    for size, asked in enumerate(sets, start=2):
        every = Requests(list(combinations(names, size))) if asked is None else asked
        found.append(ale_of(problem, every, centre=how))
    effects = [effect for one in found for effect in one]
    prediction = predictions(problem)
    constant = mean_of_rows(prediction, problem.weights)
    components = np.empty((len(prediction), len(effects)))
    centred = []
    for column, effect in enumerate(effects):
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
    mains, pairs, triples = (
        EffectCollection(tuple(one for one in centred if len(one.features) == order))
        for order in (1, 2, 3)
    )
    data = problem.table.data
    index = data.index if isinstance(data, pd.DataFrame) else pd.RangeIndex(len(data))
    return Decomposition(
        constant=constant,
        mains=mains,
        pairs=pairs,
        triples=triples,
        at_rows=components,
        index=index,
        prediction=prediction,
        remainder=prediction - constant - components.sum(axis=1),
        weights=problem.weights,
        centre=centre,
    )


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
                if may_have_effect(table, n, problem.categorical)
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


def one_hot_first(problem: Problem, features: Any) -> tuple[Problem, Any]:
    """The problem with one-hot columns as the features that they stand for, and names of these."""
    if not isinstance(features, Mapping):
        return problem, features
    problem, requests = with_one_hot(problem, features)
    return problem, [name for (name,) in requests.names]


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


def set_requests(given: Any, size: int, table: Table) -> Requests | None:
    """Pairs or triples asked for, none of them twice; None where all of the main effects are."""
    word, number = {2: ("pair", "two"), 3: ("triple", "three")}[size]
    if given is None:
        return Requests([])
    if isinstance(given, str):
        one_of(given, ("all",), f"{word}s")
        return None
    if not is_listing(given):
        raise TypeError(
            f"{word}s must be a list of tuples of {number} names, 'all' or None, got {given!r}"
        )
    resolved: list[tuple[Hashable, ...]] = []
    for one in given:
        if not isinstance(one, tuple) or len(one) != size:
            raise FeatureError(f"{word}s must hold tuples of {number} names, got {one!r}")
        names = feature_requests(one, table, size).names[0]
        if len(names) != size:
            raise FeatureError(
                f"{word}s must hold tuples of {number} names, got the column {one!r}"
            )
        if any(set(names) == set(before) for before in resolved):
            raise FeatureError(f"{word}s names {one!r} more than once")
        resolved.append(names)
    return Requests(resolved)


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
    features : name, list of names, "all", or dict of name to list of names
        Features whose main effects are computed, as in `decompose`; those of other columns count as
        interaction.
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
    return decomposition_of(problem, features, [None, None], centre).interaction_strength
