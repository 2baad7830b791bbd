"""Friedman and Popescu's H statistics: how much of an effect its features only have together."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack

import numpy as np
import pandas as pd

from aleplot_py.analysis.decomposition import (
    Decomposition,
    decomposition_of,
    main_requests,
    one_hot_first,
    set_requests,
    with_known_features,
)
from aleplot_py.effects.partial_dependence import predictions_at_points
from aleplot_py.errors import ConstantFeatureError, FeatureError
from aleplot_py.inputs.axes import may_have_effect
from aleplot_py.inputs.checks import check_switches, one_of, positive_integer
from aleplot_py.inputs.fitting import generator_of, with_bar
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import Problem, problem_of
from aleplot_py.inputs.requests import Requests
from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.centre import power_of
from aleplot_py.steps.grid import FloatArray
from aleplot_py.steps.sums import EXACT, ExactSums, cell_totals, mean_of_rows
from aleplot_py.trees.route import route_of
from aleplot_py.typing import (
    Collapse,
    Columns,
    FrameLike,
    Grid,
    IntervalCounts,
    Method,
    Missing,
    Numbers,
    Order,
    Pairs,
    Predictor,
    RandomState,
    ResponseMethod,
    Triples,
    Whole,
)

if TYPE_CHECKING:
    from aleplot_py.plots.heatmap import HeatmapDisplay
    from aleplot_py.plots.visuals import HeatmapPlotOptions

#: What a line is of, by the number of its features.
STATISTICS = ("overall", "feature", "pair", "triple")
EFFECTS = ("pd", "ale")
#: An interaction below so many of the largest prediction is what rounding leaves of none.
ROUNDING = 1e-13

Names = tuple[Hashable, ...]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class HStatistics(Result):
    """Strength of interactions: overall, of features, of pairs, of triples.

    Parameters
    ----------
    features : tuple of tuples of names
        What each of the statistics is of: no name for the overall one, one for a feature, two for a
        pair, three for a triple.
    interaction : ndarray of shape (statistics, 2)
        Root mean square over the rows of what the features only do together, by partial dependence
        and by ALE, in units of the prediction; NaN where there is none.
    effect : ndarray of shape (statistics, 2)
        Root mean square of the effect that this is a part of.
    n_rows : int
        Number of rows that they are averages over.
    target : label or None
        Which of several outputs is explained.
    """

    _panels: ClassVar[int] = 1

    features: tuple[Names, ...]
    interaction: FloatArray
    effect: FloatArray
    n_rows: int
    target: Hashable | None = None

    def __repr__(self) -> str:
        pd_share, ale_share = self._values(squared=True, normalised=True)[0]
        sizes = [len(names) for names in self.features]
        numbers = [(sizes.count(i), STATISTICS[i]) for i in (1, 2, 3) if i in sizes]
        counts = [f", {number} {word}{'s' * (number > 1)}" for number, word in numbers]
        return (
            f"HStatistics(overall H² {pd_share:.3g} by PD, {ale_share:.3g} by ALE"
            f"{''.join(counts)}, n={self.n_rows})"
        )

    def to_frame(self, *, squared: bool = True, normalised: bool = True) -> pd.DataFrame:
        """Table of the statistics.

        Parameters
        ----------
        squared : bool, default True
            H², a share of variation, or its root, which iml gives.
        normalised : bool, default True
            Whether interactions are divided by the effect that they are a part of. If not, they
            are in units of the prediction (squared units), and those of pairs can be compared with
            each other.

        Returns
        -------
        DataFrame of shape (statistics, 3)
            Columns ``statistic``, "overall", "feature", "pair" or "triple", ``pd`` and ``ale``;
            index the feature, or the tuple of features.
        """
        names = [names[0] if len(names) == 1 else names for names in self.features]
        values = self._values(squared=squared, normalised=normalised)
        table = {"statistic": [STATISTICS[len(names)] for names in self.features]}
        shown = dict(zip(EFFECTS, values.T, strict=True))
        index = pd.Index(names, name="features", tupleize_cols=False)
        return pd.DataFrame(table | shown, index=index)

    def _values(self, *, squared: bool, normalised: bool) -> FloatArray:
        """The statistics (statistics, 2); 0 where there is no interaction, nor maybe an effect."""
        check_switches(squared=squared, normalised=normalised)
        values = np.array(self.interaction)
        if normalised:
            some = values > 0
            with np.errstate(divide="ignore"):
                values[some] = values[some] / self.effect[some]
        with np.errstate(over="ignore"):
            return values**2 if squared else values

    def plot(
        self,
        by: Literal["pd", "ale"] = "pd",
        *,
        squared: bool = True,
        normalised: bool = True,
        **options: Unpack[HeatmapPlotOptions],
    ) -> HeatmapDisplay:
        """Draw pairs as a heat map, features on its diagonal.

        Parameters
        ----------
        by : {"pd", "ale"}
            Effects whose statistics are drawn.
        squared, normalised : bool
            As in `to_frame`.
        **options
            Those of `aleplot_py.HeatmapDisplay.plot`.

        Returns
        -------
        HeatmapDisplay
            Holds the artists. Pairs that were not asked for are empty.

        Raises
        ------
        ValueError
            If there are no such effects, or no features.
        """
        from aleplot_py.plots.heatmap import HeatmapDisplay

        one_of(by, EFFECTS, "by")
        column = self._values(squared=squared, normalised=normalised)[:, EFFECTS.index(by)]
        single = [names[0] for names in self.features if len(names) == 1]
        if not single:
            raise ValueError("plot draws features and pairs, of which there are none")
        matrix = np.full((len(single), len(single)), np.nan)
        for names, value in zip(self.features, column, strict=True):
            if len(names) in (1, 2):
                at = [single.index(name) for name in names]
                matrix[at[0], at[-1]] = matrix[at[-1], at[0]] = value
        power = "²" if squared else ""
        label = f"H{power} ({by.upper()})" if normalised else f"interaction{power} ({by.upper()})"
        limits = (0.0, float(np.nanmax(matrix, initial=0.0)) or 1.0)
        return HeatmapDisplay(matrix, single, single, label, limits=limits).plot(**options)

    def _rules(self) -> Iterator[Rule]:
        sizes = [len(names) for names in self.features]
        fits = sizes[:1] == [0] and max(sizes) < len(STATISTICS)
        yield fits, "features", "no name first, then at most three each", self.features
        shape = (len(self.features), len(EFFECTS))
        for name in ("interaction", "effect"):
            got = getattr(self, name).shape
            yield got == shape, name, f"of shape {shape}", got


def h_statistics(
    predict: Predictor,
    X: FrameLike,
    *,
    features: Literal["all"] | Columns = "all",
    pairs: Pairs = "all",
    triples: Triples = None,
    max_rows: Whole | None = 500,
    K: IntervalCounts = 20,
    grid: Grid = "aleplot",
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
    random_state: RandomState = None,
    method: Method = "auto",
) -> HStatistics:
    """Friedman's H statistics by partial dependence at the rows, and the same by ALE beside them.

    .. versionadded:: 0.2

    Parameters
    ----------
    predict : callable or fitted model
        As in `aleplot_py.ale`. Of n rows each feature, pair and triple costs n rows for each of its
        different values, up to n².
    X : DataFrame or ndarray of shape (n, d)
        The data to average over.
    features : name, list of names, "all", or dict of name to list of names
        Features whose statistics are computed, one-hot columns as in `aleplot_py.ale`; what others
        do counts as interaction overall.
    pairs : list of tuples of two of them, "all", or None
        Pairs whose statistics are computed.
    triples : list of tuples of three of them, "all", or None
        Triples; partial dependence needs the pairs of each, too.
    max_rows : int or None, default 500
        More rows than these are a sample of so many, drawn without replacement; None takes all.
    K, grid, order, collapse, categorical
        As in `aleplot_py.ale`, for the effects of ALE; by default 20 intervals, since pairs and
        triples of 500 rows have few in each cell.
    sample_weight, target, response_method
        As in `aleplot_py.ale`. Weights count in both averages, over the other features of a
        partial dependence and over the rows.
    missing : {"error", "drop"}
        What to do with rows where a feature of any effect is missing: refuse, or leave them out of
        everything.
    batch_rows, n_jobs, progress
        As in `aleplot_py.ale`.
    random_state : int, Generator, RandomState or None
        Source of the sample.
    method : {"auto", "predict", "trees"}
        As in `aleplot_py.ale`, for partial dependence.

    Returns
    -------
    HStatistics
        Squared or not, normalised or not: ``to_frame(squared=, normalised=)``.

    Raises
    ------
    FeatureError, GridError, PredictionError, RouteError, ValueError, TypeError
        As `aleplot_py.decompose`, or if a pair or triple is not of the features, or named twice.

    Warns
    -----
    UserWarning
        As `aleplot_py.ale`.

    See Also
    --------
    interaction_strength : The overall statistic by ALE, of all rows.
    decompose : The effects of ALE at every row.
    regional_effects : Where a feature interacts.
    partial_dependence : One of the effects.

    Notes
    -----
    With centred partial dependences F at the rows, mean squares over the rows of

    - overall: f - sum of all F_j, over that of f;
    - a feature: f - F_j - F_(-j), over that of f, F_(-j) that of all other features;
    - a pair: F_jk - F_j - F_k, over that of F_jk;
    - a triple: F_jkl - F_jk - F_jl - F_kl + F_j + F_k + F_l, over that of F_jkl.

    Partial dependence also asks about rows that do not occur: where features go together, see the
    column of ALE. There the joint effect of a pair or triple is its own effect and those of lower
    order, and all that a feature does with others is the sum of its second-order effects, NaN
    unless all pairs were asked for, and of its third-order effects where all triples were. What is
    below 1e-13 of the largest prediction is rounding and counts as 0.

    Source: Friedman and Popescu (2008), Predictive learning via rule ensembles, section 8.1; R's
    ``hstats`` for the overall statistic, weights and units; iml's ``Interaction`` gives roots.

    Examples
    --------
    >>> import numpy as np
    >>> from aleplot_py import h_statistics
    >>> X = np.array([[1.0, 0.0, 2.0], [1.0, 0.0, 2.0], [1.0, 2.0, 1.0], [2.0, 1.0, 4.0]])
    >>> found = h_statistics(lambda X: X[:, 0] + X[:, 1] * np.sqrt(X[:, 2]), X)
    >>> found.to_frame()["pd"].round(6).tolist()
    [0.046296, 0.0, 0.046296, 0.046296, 0.0, 0.0, 0.078125]
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
            method=method,
        ),
    )
    problem, features = one_hot_first(problem, features)
    asked = main_requests(features, problem.table)
    columns = [name for (name,) in asked.names]
    sets = []
    for argument, given, size in (("pairs", pairs, 2), ("triples", triples, 3)):
        sets.append(set_requests(given, size, problem.table))
        _of_the_features(sets[-1], argument, columns)
    whole = with_known_features(problem, asked, *sets)
    problem = _sample(whole, max_rows, random_state)
    # Triples of ALE are not walked; ``method="trees"`` is about the rows of partial dependence.
    of_ale = problem.but(method="auto") if method == "trees" else problem
    try:
        parts = decomposition_of(of_ale, features, _with_lower_order(*sets), "rows")
    except ConstantFeatureError as error:
        if problem is not whole:
            error.add_note(f"in a sample of max_rows={max_rows} of {len(whole.table)} rows")
        raise
    mains = [main.features[0] for main in parts.mains.values()]
    lines: list[Names] = [(), *((name,) for name in mains)]
    for size, requests in enumerate(sets, start=2):
        lines += [*combinations(mains, size)] if requests is None else requests.names
    by_pd, by_ale = _by_partial_dependence(problem, parts, lines), _by_ale(problem, parts, lines)
    sizes = np.stack([by_pd, by_ale], axis=2)  # (statistics, interaction and effect, PD and ALE)
    least = ROUNDING * float(np.abs(parts.prediction).max())
    return HStatistics(
        features=tuple(lines),
        interaction=np.where(sizes[:, 0] < least, 0.0, sizes[:, 0]),
        effect=sizes[:, 1],
        n_rows=len(problem.table),
        target=problem.black_box.outputs[0],
    )


def _of_the_features(sets: Requests | None, argument: str, columns: list[Hashable]) -> None:
    """Refuse a pair or triple with a column whose main effect was not asked for."""
    for names in [] if sets is None else sets.names:
        if not set(names) <= set(columns):
            raise FeatureError(f"{argument} must hold names of features={columns!r}, got {names!r}")


def _with_lower_order(pairs: Requests | None, triples: Requests | None) -> list[Any]:
    """Pairs and triples whose effects of ALE are needed: the pairs of each triple, too."""
    if pairs is None or triples is None:
        return ["all", "all" if triples is None else triples.names]
    every = {frozenset(names): names for names in pairs.names}
    for names in triples.names:
        for pair in combinations(names, 2):
            every.setdefault(frozenset(pair), pair)
    return [[*every.values()], triples.names]


def _sample(problem: Problem, max_rows: Any, random_state: Any) -> Problem:
    """The problem on at most so many of its rows, of those that have a weight."""
    rng = generator_of(random_state)
    if max_rows is None or len(problem.table) <= positive_integer(max_rows, "max_rows"):
        return problem
    every = np.ones(len(problem.table)) if problem.weights is None else problem.weights
    rows = np.flatnonzero(every > 0)
    size = min(int(max_rows), len(rows))
    return problem.on(np.sort(rng.choice(rows, size, replace=False)))


def _by_partial_dependence(
    problem: Problem, parts: Decomposition, lines: Sequence[Names]
) -> FloatArray:
    """Root mean squares (statistics, 2) of interactions and of their effects."""
    problem = problem.remembering()
    weights = problem.weights
    needed = {
        frozenset(some): some
        for names in lines
        for size in range(1, len(names) + 1)
        for some in combinations(names, size)
    }
    laid = [_at_their_values(problem, names) for names in needed.values()]
    # Features that move together are moved as often as the first of them.
    problem = replace(
        problem,
        route=route_of(
            problem, [(problem.table, axes[:1], weights) for axes in laid], to_points=True
        ),
    )
    of: dict[frozenset[Hashable], FloatArray] = {}
    of_others: dict[frozenset[Hashable], FloatArray] = {}

    def average() -> None:
        shown = problem.options.progress
        each = zip(needed, laid, strict=True)
        for names, axes in with_bar(each, len(laid), "effects", shown=shown):
            of[names], others = _averages(problem, axes)
            if others is not None:
                of_others[names] = others

    problem.table.memory.during(average, trusting=problem.options.threads == 1)
    f = parts.prediction - parts.constant
    whole = _size(f, weights)

    def sizes(names: Names) -> tuple[float, float]:
        one = frozenset(names)
        if not names:
            return _size(f - sum(of[frozenset(n)] for n in lines if len(n) == 1), weights), whole
        if len(names) == 1:
            return _size(f - of[one] - of_others[one], weights), whole
        left = of[one].copy()
        for size in range(1, len(names)):
            for some in combinations(names, size):
                left += (-1) ** (len(names) - size) * of[frozenset(some)]
        return _size(left, weights), _size(of[one], weights)

    return np.array([sizes(names) for names in lines])


def _at_their_values(problem: Problem, names: Names) -> list[Axis]:
    """Axes of features that move together, to every combination of values that some row has."""
    columns = [problem.table.column(name) for name in names]
    codes = np.zeros(len(problem.table), dtype=np.int64)
    for column in columns:
        own, levels = pd.factorize(column)
        codes = codes * len(levels) + own
    _, rows, position = np.unique(codes, return_index=True, return_inverse=True)
    axes = []
    for name, column in zip(names, columns, strict=True):
        typed: Any = column.iloc[rows].array
        if isinstance(typed, pd.arrays.NumpyExtensionArray):
            typed = typed.to_numpy()
        number = np.arange(len(rows))
        axes.append(Axis(name, "numeric", number, typed, position, position, "given"))
    return axes


def _averages(problem: Problem, axes: Sequence[Axis]) -> tuple[FloatArray, FloatArray | None]:
    """Centred partial dependence at the rows, (n,), of features, and of all others beside a single.

    Both are means of the same predictions: over the rows at each point, over the points for each
    row.
    """
    table, weights, codes = problem.table, problem.weights, axes[0].codes
    every = np.ones(len(table)) if weights is None else weights
    of_points = cell_totals(every, codes, len(axes[0].points))
    at_points = np.empty(len(of_points))
    others: ExactSums | None = None
    for points, values in predictions_at_points(problem, table, axes, together=True):
        at_points[points] = EXACT.column_means(values, weights)
        if len(axes) == 1:
            part = ExactSums.of_columns(values.T, of_points[points])
            others = part if others is None else others.merge(part)
    own = _centred(at_points[codes], weights)
    if others is None:
        return own, None
    total = ExactSums.of_columns(every[:, None])
    shared = ExactSums(total.low, np.repeat(total.digits, len(table), axis=1))
    return own, _centred(others.over(shared), weights)


def _by_ale(problem: Problem, parts: Decomposition, lines: Sequence[Names]) -> FloatArray:
    """Root mean squares (statistics, 2) as those of partial dependence, NaN where ALE has none."""
    weights = parts.weights
    effects = [*parts.mains.effects, *parts.pairs.effects, *parts.triples.effects]
    of = {frozenset(e.features): parts.at_rows[:, i] for i, e in enumerate(effects)}
    whole = _size(parts.prediction - parts.constant, weights)
    table = problem.table
    beside = [name for name in table.names if may_have_effect(table, name, problem.categorical)]

    def sizes(names: Names) -> tuple[float, float]:
        if not names:
            return _size(parts.prediction - parts.first_order, weights), whole
        if len(names) == 1:
            others = [name for name in beside if name != names[0]]
            pairs, triples = (
                [frozenset((*names, *some)) for some in combinations(others, size)]
                for size in (1, 2)
            )
            if not of.keys() >= set(pairs):
                return np.nan, whole
            known = pairs + triples if of.keys() >= set(triples) else pairs
            return _size(sum((of[some] for some in known), np.zeros(len(table))), weights), whole
        lower = [
            of[frozenset(some)]
            for size in range(1, len(names))
            for some in combinations(names, size)
        ]
        own = of[frozenset(names)]
        return _size(own, weights), _size(own + sum(lower), weights)

    return np.array([sizes(names) for names in lines])


def _centred(values: FloatArray, weights: FloatArray | None) -> FloatArray:
    return values - mean_of_rows(values, weights)


def _size(values: FloatArray, weights: FloatArray | None) -> float:
    """Root mean square over the rows."""
    power = power_of(values)
    return float(np.ldexp(np.sqrt(mean_of_rows(np.ldexp(values, -power) ** 2, weights)), power))
