"""Regional effects: rows split where their local effects differ, one split at a time."""

from __future__ import annotations

import datetime
from collections import deque
from collections.abc import Hashable, Iterator, Sequence, Set
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
import pandas as pd

from aleplot_py.effects.ale import ale_of
from aleplot_py.effects.gradient import as_jacobian
from aleplot_py.errors import FeatureError, renamed
from aleplot_py.inputs.axes import kind_of, levels_of
from aleplot_py.inputs.checks import numeric_values, positive_integer, rows_without_missing
from aleplot_py.inputs.fitting import with_bar
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import problem_of
from aleplot_py.inputs.requests import Requests, column_names, single_feature
from aleplot_py.inputs.times import to_times
from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule, register
from aleplot_py.results.effects import MOST_PANELS, AleResult
from aleplot_py.steps.axis import Kind
from aleplot_py.steps.centre import power_of
from aleplot_py.steps.grid import FloatArray, IntArray
from aleplot_py.steps.moments import CellMoments
from aleplot_py.steps.powers import square_in_units
from aleplot_py.steps.sums import EXACT, mean_of_rows, total
from aleplot_py.typing import (
    Collapse,
    Columns,
    Feature,
    FrameLike,
    Gradient,
    Grid,
    IntervalCounts,
    Missing,
    Numbers,
    Order,
    Predictor,
    ResponseMethod,
)

if TYPE_CHECKING:
    from aleplot_py.plots.display import AleDisplay
    from aleplot_py.plots.visuals import EffectPlotOptions


# Local effects that differ by less than this share of the predictions differ by rounding only;
# the size of the predictions is that of the first rows.
ROUNDING, ROWS_OF_SIZE = 1e-9, 1000
# Heterogeneity of less than this share of the mean squared slope is not worth a split: the slopes
# of the rows stray by less than a tenth from that of their interval.
FLOOR = 0.01
# What a threshold may be.
NUMBERS_AND_TIMES = (int, float, datetime.date, datetime.timedelta, pd.Period)


@dataclass(frozen=True, kw_only=True)
class RegionSplit:
    """A condition on another feature that separates rows.

    Parameters
    ----------
    feature : column name
        The other feature.
    kind : {"numeric", "categorical"}
        Its kind.
    value : float, time or level
        The threshold, or the level that is set apart.
    reduction : float
        Share of the heterogeneity that the split removes, at most 1.
    """

    feature: Hashable
    kind: Literal["numeric", "categorical"]
    value: Any
    reduction: float

    @property
    def rules(self) -> tuple[str, str]:
        """The condition of each side as text."""
        position = isinstance(self.feature, (int, np.integer))  # of an array's column
        name = f"column {self.feature}" if position else str(self.feature)
        if self.kind == "numeric":
            value = str(self.value).removesuffix(".0").removesuffix(" 00:00:00")
            return f"{name} <= {value}", f"{name} > {value}"
        return f"{name} == {self.value!r}", f"{name} != {self.value!r}"


def _split_rules(split: RegionSplit) -> Iterator[Rule]:
    numeric = split.kind == "numeric"
    number = isinstance(split.value, NUMBERS_AND_TIMES) and not isinstance(split.value, bool)
    yield number or not numeric, "value", "a number or a time", split.value


register(RegionSplit, _split_rules)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Region(Result):
    """Rows that fulfil some conditions, their effect, and the regions it is split into.

    Parameters
    ----------
    rule : tuple of str
        Conditions, all of which hold; none for the region of all rows.
    rows : ndarray of int of shape (n,)
        Positions of its rows in `X`.
    effect : AleResult
        Accumulated local effect over its rows, on a grid of its own, with local effects.
    heterogeneity : float
        Variance of the local effects within intervals, in squared units of the prediction per unit
        of a numeric feature (per step between levels); NaN where no interval holds two.
    weight : float
        Its rows, or their weight.
    split : RegionSplit or None
        What separates the two parts; None for a leaf.
    children : tuple of Region
        The two parts, or none.
    """

    rule: tuple[str, ...]
    rows: IntArray
    effect: AleResult
    heterogeneity: float
    weight: float
    split: RegionSplit | None = None
    children: tuple[Region, ...] = ()

    @property
    def text(self) -> str:
        """The rule as text."""
        return " and ".join(self.rule) or "all rows"

    @property
    def leaves(self) -> tuple[Region, ...]:
        """The regions that are not split any further."""
        return tuple(region for region in self if not region.children)

    @property
    def reduction(self) -> float:
        """Share of this region's heterogeneity that is gone in its leaves; 0 for a leaf.

        Every leaf counts with its own rows and grid.
        """
        if not self.children:
            return 0.0
        left = sum(leaf.weight * leaf.heterogeneity for leaf in self.leaves)
        return 1 - left / (self.weight * self.heterogeneity)

    def __iter__(self) -> Iterator[Region]:
        """All regions from this one down, every region before its parts."""
        yield self
        for child in self.children:
            yield from child

    def __repr__(self) -> str:
        return (
            f"Region({self.text!r}: {len(self.rows)} rows, {len(self.leaves)} leaves, "
            f"sd of local effects {np.sqrt(self.heterogeneity):.4g})"
        )

    def __str__(self) -> str:
        lines = []
        for region in self:
            depth = len(region.rule) - len(self.rule)
            name = region.text if depth == 0 else region.rule[-1]
            line = f"{'  ' * depth}{name}: {len(region.rows)} rows, "
            line += f"sd of local effects {np.sqrt(region.heterogeneity):.4g}"
            if region.split is not None:
                line += f", split on {region.split.feature} removes {region.split.reduction:.1%}"
            lines.append(line)
        return "\n".join(lines)

    def summary(self) -> str:
        """The tree as text, one line per region."""
        return str(self)

    def to_frame(self) -> pd.DataFrame:
        """Table of this region and all below it.

        Returns
        -------
        DataFrame with one row per region
            ``rule``, ``depth``, ``rows``, ``heterogeneity``, ``sd`` (its root), ``split_on``
            (None for a leaf) and ``reduction`` by that split (NaN for a leaf).
        """
        return pd.DataFrame(
            {
                "rule": region.text,
                "depth": len(region.rule) - len(self.rule),
                "rows": len(region.rows),
                "heterogeneity": region.heterogeneity,
                "sd": float(np.sqrt(region.heterogeneity)),
                "split_on": None if region.split is None else region.split.feature,
                "reduction": np.nan if region.split is None else region.split.reduction,
            }
            for region in self
        )

    def plot(self, **options: Unpack[EffectPlotOptions]) -> AleDisplay:
        """Draw the effects of the leaves.

        Parameters
        ----------
        **options
            Those of `aleplot_py.AleDisplay.plot`.

        Returns
        -------
        AleDisplay
            One axes for each leaf, with its rule as the title.
        """
        from aleplot_py.plots.display import AleDisplay

        leaves = self.leaves
        texts = [leaf.text for leaf in leaves]
        title = texts[0] if len(texts) == 1 else texts
        options.setdefault("title", title)
        return AleDisplay([leaf.effect for leaf in leaves]).plot(**options)

    @property
    def _panels(self) -> int:  # type: ignore[override]
        return len(self.leaves) if len(self.leaves) <= MOST_PANELS else 0

    def _draw_on(self, axes: list[Any]) -> None:
        self.plot(ax=axes)

    def _rules(self) -> Iterator[Rule]:
        n = len(self.effect.axes[0].codes)
        yield self.rows.shape == (n,), "rows", f"of shape ({n},)", self.rows.shape
        yield len(self.children) in (0, 2), "children", "two or none", len(self.children)
        fits = (self.split is None) == (not self.children)
        yield fits, "split", "there if and only if there are children", self.split


@renamed(centering="centre")
def regional_effects(
    predict: Predictor,
    X: FrameLike,
    feature: Feature,
    *,
    candidates: Columns | None = None,
    max_depth: int = 2,
    min_rows: int = 50,
    min_reduction: float = 0.1,
    K: IntervalCounts = 20,
    grid: Grid = "aleplot",
    centre: Literal["aleplot", "paper", "none"] = "aleplot",
    gradient: Gradient | None = None,
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
) -> Region:
    """Split the rows into regions in which the local effects of a feature agree.

    An average effect near 0 may hide opposite effects in two groups of rows. The heterogeneity of
    the local effects tells that it does, and the condition on another feature that lowers it most
    tells which groups. One split at a time is looked for, in every region that is left.

    .. versionchanged:: 0.2
       `centre` is the new name of ``centering``.

    Parameters
    ----------
    predict, X
        As in `aleplot_py.ale`. The black box is called for each region: all regions of one depth
        together cost as many predictions as one effect.
    feature : name or position
        Whose effect is split.
    candidates : name or list of names, optional
        Other features to split on. By default all columns but those with missing or infinite
        values. A numeric feature is split between any two neighbouring
        values; of a categorical one a level is set apart from the others.
    max_depth : int, default 2
        Largest number of conditions of a region.
    min_rows : int, default 50
        Fewest rows of a region, those with weight 0 not counted.
    min_reduction : float, default 0.1
        Least share of a region's heterogeneity that a split must remove to be accepted; with
        `gradient` or ``K="auto"``, beyond what a split on the feature itself would remove.
    K : int or "auto", default 20
        Number of intervals, fewer than for an effect of all rows: the spread within an interval
        takes several rows to estimate.
    grid, centre, gradient, order, collapse, categorical, sample_weight, target, response_method, \
missing, batch_rows, n_jobs, progress
        As in `aleplot_py.ale`.

    Returns
    -------
    Region
        The tree: all rows, and what they are split into.

    Raises
    ------
    FeatureError, ValueError, TypeError
        With the column or argument, the rule, and the value got.

    See Also
    --------
    ale : The effect over all rows.
    interaction_strength : Whether there is anything to split by.

    Notes
    -----
    Takes no `random_state`: nothing is drawn at random.

    The heterogeneity of a set of rows is the mean over the intervals of the variances of the local
    effects (as slopes: divided by the width of the interval), each variance with the divisor
    n_k - 1 and the weight n_k - 1: it does not fall just because fewer rows share an interval.
    A split's reduction is measured on the region's own grid; its two parts then get grids of
    their own. Regions whose heterogeneity is below a hundredth of their mean squared slope are not
    split: what is left is small beside the effect. Derivatives (of `gradient`, or of the fine
    intervals of ``K="auto"``) vary along the feature within an interval, too, which a feature that
    goes with it could be split on without any interaction; hence the comparison with a split on
    the feature itself.

    Source: Herbinger, J., Wright, M. N., Nagler, T., Bischl, B. and Casalicchio, G. (2023),
    Decomposing global feature effects based on feature interactions, arXiv:2306.00541 (GADGET-ALE);
    Gkolemis et al. (2023), RHALE: robust and heterogeneity-aware accumulated local effects;
    regional ALE of the Python package effector, which tries quantiles as thresholds.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from aleplot_py import regional_effects
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame(rng.uniform(-1, 1, (500, 2)), columns=["x", "z"])
    >>> regions = regional_effects(lambda f: f["x"] * np.sign(f["z"]), X, "x")
    >>> [region.split.feature for region in regions if region.split]
    ['z']
    """
    _check_options(max_depth, min_rows, min_reduction)
    options = Options(
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
    )
    problem = problem_of(predict, X, options)
    table = problem.table
    name = single_feature(feature, table)
    rows = np.arange(len(table))[rows_without_missing(table, (name,), missing)]
    features = _candidates(candidates, table, name, rows, problem.categorical)
    jacobian = as_jacobian(gradient, predict, options)

    most = 2 ** (max_depth + 1) - 1
    steps = iter(with_bar(range(most), most, "regions, at most", shown=progress))

    def effect_of(rows: IntArray, levels: Any, shared: Any) -> AleResult:
        next(steps, None)
        there = problem.on(rows).but(order=levels, collapse=shared)
        [effect] = ale_of(
            there, Requests([(name,)]), centre=centre, jacobian=jacobian, local_effects=True
        )
        return effect

    size = np.abs(problem.black_box(table.rows(rows[:ROWS_OF_SIZE]).with_columns())).max()

    def grow(rows: IntArray, rule: tuple[str, ...], levels: Any, shared: Any) -> Region:
        effect = effect_of(rows, levels, shared)
        slopes = _Slopes.of(effect)
        heterogeneity = slopes.heterogeneity()
        region = Region(
            rule=rule,
            rows=rows,
            effect=effect,
            heterogeneity=square_in_units(heterogeneity, slopes.power),
            weight=float(
                len(rows) if problem.weights is None else total(EXACT, problem.weights[rows])
            ),
        )
        floor = max(slopes.rounding(ROUNDING * size), FLOOR * slopes.size)
        if len(rule) == max_depth or not floor < heterogeneity:
            return region
        inside = table.rows(rows)
        search = _Search(effect, slopes, heterogeneity, inside, min_rows)
        split, left = search.best(features)
        own = 0.0
        if effect.kinds == ("numeric",) and (jacobian is not None or effect.grid == ("auto",)):
            # Derivatives change along the feature itself, within an interval, too. What a split on
            # the feature would remove is no interaction, and no merit of its likes either.
            own = search.reduction_by(name)
        if split is None or split.reduction - own < min_reduction:
            return region
        children = []
        for side, text in zip((left, ~left), split.rules, strict=True):
            there = None
            if effect.kinds == ("categorical",):
                used = np.unique(effect.axes[0].codes[side])
                there = effect.x_values[0][used].tolist()
            shared = {name: effect.axes[0].collapsed}
            children.append(grow(rows[side], (*rule, text), there, shared))
        return replace(region, split=split, children=tuple(children))

    tree = grow(rows, (), order, collapse)
    deque(steps, maxlen=0)  # the bar ends
    return tree


@dataclass(frozen=True)
class _Slopes:
    """Local effects of a region as slopes, in order of their cell and size.

    This order is the same for every order of the rows, and so are all plain sums over it.

    Parameters
    ----------
    slope : ndarray of shape (m,)
        Local effects divided by `width`, less the mean of their cell.
    width : ndarray of shape (m,)
        Width of their interval; 1 between levels.
    weight : ndarray of shape (m,)
        Weights of their rows.
    cell : ndarray of int of shape (m,)
        Interval, or step between levels.
    row : ndarray of int of shape (m,)
        Row of the region.
    n_cells : int
        Number of cells.
    power : int
        Power of two that the slopes are to be multiplied with, 0 for ordinary ones: their squares
        neither overflow nor vanish.
    size : float
        Mean of the squared slopes, their means included.
    """

    slope: FloatArray
    width: FloatArray
    weight: FloatArray
    cell: IntArray
    row: IntArray
    n_cells: int
    power: int
    size: float

    @classmethod
    def of(cls, effect: AleResult) -> _Slopes:
        """Slopes of an effect that keeps its local effects."""
        local = effect.local_effects
        if local is None:
            raise ValueError("the effect keeps no local effects: pass local_effects=True to ale")
        weights = np.ones(len(local.units)) if local.weights is None else local.weights
        used = np.flatnonzero(weights[local.rows] > 0)
        row, cell = local.rows[used], local.cells[used, 0]
        weight, width = weights[row], np.ones(len(row))
        if effect.kinds == ("numeric",):
            width = np.diff(effect.x_values[0])[cell]
        effects, up = local.effects[used], power_of(local.effects[used])
        down = power_of(width)
        slope = np.ldexp(effects, -up) / np.ldexp(width, -down)
        n_cells = effect.local_mean.size
        mean = CellMoments.of(slope, cell, n_cells, weight).mean
        size = mean_of_rows(slope**2, weight)
        slope -= mean[cell]
        order = np.lexsort((weight, slope, cell))
        return cls(
            slope[order],
            width[order],
            weight[order],
            cell[order],
            row[order],
            n_cells,
            up - down,
            size,
        )

    def rounding(self, error: float) -> float:
        """Mean square of the slopes that an error of the predictions alone makes."""
        slope = np.ldexp(error, -self.power) / self.width
        return mean_of_rows(slope**2, self.weight)

    def heterogeneity(self) -> float:
        """Pooled variance of `slope` within the cells; NaN where no cell has two."""
        squares = (self.weight * self.slope**2).sum()
        cells = len(np.unique(self.cell))
        pooled = float(_heterogeneity(self.weight.sum(), len(self.slope), squares, cells))
        return pooled if np.isfinite(pooled) else np.nan


def _heterogeneity(weight: Any, entries: Any, squares: Any, cells: Any) -> Any:
    """Pooled variance within cells: mean of their variances, weighted with n_k - 1.

    Parameters
    ----------
    weight : float or ndarray of shape (splits,)
        Weight of the local effects.
    entries : int or ndarray
        Number of local effects.
    squares : float or ndarray
        Weighted sum of their squared deviations from the mean of their cell.
    cells : int or ndarray
        Number of cells that have any.

    Returns
    -------
    float or ndarray
        Infinite where no cell has two.
    """
    free = entries - cells
    known = (free > 0) & (weight > 0)
    mean = np.maximum(squares, 0.0) / np.where(known, weight, 1.0)
    return np.where(known, mean * entries / np.where(known, free, 1), np.inf)


@dataclass(frozen=True)
class _Search:
    """Search for the split of a region that leaves the least heterogeneity.

    Parameters
    ----------
    effect : AleResult
        The region's effect.
    slopes : _Slopes
        Its local effects.
    heterogeneity : float
        Theirs.
    table : Table of n rows
        The region's rows.
    min_rows : int
        Fewest rows of a part.
    """

    effect: AleResult
    slopes: _Slopes
    heterogeneity: float
    table: Table
    min_rows: int

    def best(self, features: Sequence[tuple[Hashable, Kind]]) -> tuple[RegionSplit | None, Any]:
        """The split, and which rows (n,) are on its first side."""
        best: RegionSplit | None = None
        chosen: Any = None
        for name, kind in features:
            find = _best_threshold if kind == "numeric" else _best_level
            for value, left, heterogeneity in find(self.slopes, self.table, name, self.min_rows):
                reduction = 1 - heterogeneity / self.heterogeneity
                if best is not None and reduction <= best.reduction:
                    break
                # An effect needs two different values on each side.
                seen = self.effect.observed[0]
                if all(len(pd.unique(seen[side])) > 1 for side in (left, ~left)):
                    best = RegionSplit(
                        feature=name, kind=kind, value=value, reduction=float(reduction)
                    )
                    chosen = left
                    break
        return best, chosen

    def reduction_by(self, name: Hashable) -> float:
        """Share of the heterogeneity that the best threshold of a numeric column removes."""
        found = _best_threshold(self.slopes, self.table, name, self.min_rows)
        return max((1 - left / self.heterogeneity for *_, left in islice(found, 1)), default=0.0)


def _best_threshold(
    slopes: _Slopes, table: Table, name: Hashable, min_rows: int
) -> Iterator[tuple[Any, Any, float]]:
    """Thresholds of a numeric feature, the best first: value, rows at most it, heterogeneity.

    The rows cross from above the threshold to below one after another. Each crossing changes the
    sums of its own cell only, so that all thresholds together cost two sorts.
    """
    x = numeric_values(table, name)
    by_cell = np.lexsort((x[slopes.row], slopes.cell))
    cell, w = slopes.cell[by_cell], slopes.weight[by_cell]
    s = slopes.slope[by_cell]
    start = np.flatnonzero(np.diff(cell, prepend=-1))
    which = np.cumsum(np.diff(cell, prepend=-1) != 0) - 1
    end = np.append(start[1:], len(cell)) - 1

    def below(values: FloatArray) -> FloatArray:
        """Sums within the cell up to and with each entry."""
        total = np.cumsum(values)
        return np.asarray(total - (total - values)[start][which])

    weight, first, second = below(w), below(w * s), below(w * s * s)
    low = second - first**2 / weight
    rest = np.ones(len(cell), dtype=bool)
    rest[end] = False  # nothing of the cell is above its last entry
    above_weight = np.where(rest, weight[end][which] - weight, 1.0)
    above_first = first[end][which] - first
    high = np.where(rest, second[end][which] - second - above_first**2 / above_weight, 0.0)
    whole = low[end]

    def change(values: FloatArray, before: FloatArray | float) -> FloatArray:
        """Difference to the entry before in the cell; `before` the first of each (cells,)."""
        moved = np.roll(values, 1)
        moved[start] = before
        return np.asarray(values - moved)

    by_value = np.argsort(x[slopes.row[by_cell]], kind="stable")
    ordered = x[slopes.row[by_cell]][by_value]
    steps = {
        "low": change(low, 0.0),
        "high": change(high, whole),
        "opened": np.isin(np.arange(len(cell)), start).astype(np.float64),
        "closed": (~rest).astype(np.float64),
        "weight": w,
    }
    at = np.flatnonzero(np.diff(ordered) > 0)  # the last entry at or below each threshold
    sums = {key: np.cumsum(values[by_value])[at] for key, values in steps.items()}
    entries = at + 1
    total = float(w.sum())
    left = _heterogeneity(sums["weight"], entries, sums["low"], sums["opened"])
    right = _heterogeneity(
        total - sums["weight"],
        len(cell) - entries,
        whole.sum() + sums["high"],
        len(start) - sums["closed"],
    )
    share = sums["weight"] / total
    heterogeneity = share * left + (1 - share) * right
    counted = x[np.unique(slopes.row)]  # rows that have a weight
    rows_below = np.searchsorted(np.sort(counted), ordered[at], side="right")
    enough = (rows_below >= min_rows) & (len(counted) - rows_below >= min_rows)
    heterogeneity[~enough] = np.inf
    for i in np.argsort(heterogeneity, kind="stable"):
        if not np.isfinite(heterogeneity[i]):
            return
        low, high = ordered[at[i]], ordered[at[i] + 1]
        times = table.times(name)
        value = _short_between(low, high) if times is None else low
        shown = value if times is None else to_times(np.array([low]), times)[0]
        yield shown, x <= value, float(heterogeneity[i])


def _best_level(
    slopes: _Slopes, table: Table, name: Hashable, min_rows: int
) -> Iterator[tuple[Any, Any, float]]:
    """Levels set apart, the best first: level, rows at it, heterogeneity."""
    levels, codes = levels_of(table.column(name))
    counted = codes[np.unique(slopes.row)]  # rows that have a weight
    rows = np.bincount(counted, minlength=len(levels))
    enough = np.flatnonzero((rows >= min_rows) & (len(counted) - rows >= min_rows))
    shape = (len(levels), slopes.n_cells)
    at = np.ravel_multi_index((codes[slopes.row], slopes.cell), shape)

    def tally(values: FloatArray | None) -> FloatArray:
        counts = np.bincount(at, weights=values, minlength=int(np.prod(shape)))
        return counts.reshape(shape).astype(np.float64)

    w, s = slopes.weight, slopes.slope
    entries, weight, first, second = (tally(v) for v in (None, w, w * s, w * s * s))

    def pooled(sign: int) -> FloatArray:
        """Heterogeneity of each level's rows, or (-1) of all the others."""
        parts = [
            part[enough] if sign > 0 else part.sum(axis=0) - part[enough]
            for part in (entries, weight, first, second)
        ]
        there = parts[0] > 0
        squares = np.where(there, parts[3] - parts[2] ** 2 / np.where(there, parts[1], 1.0), 0.0)
        return np.asarray(
            _heterogeneity(
                parts[1].sum(axis=1),
                parts[0].sum(axis=1),
                squares.sum(axis=1),
                there.sum(axis=1),
            )
        )

    share = weight[enough].sum(axis=1) / weight.sum()
    heterogeneity = share * pooled(1) + (1 - share) * pooled(-1)
    for i in np.argsort(heterogeneity, kind="stable"):
        if not np.isfinite(heterogeneity[i]):
            return
        yield levels[enough[i]], codes == enough[i], float(heterogeneity[i])


def _short_between(low: float, high: float) -> float:
    """Number with few digits at or above `low` and below `high`, so that rules are readable."""
    middle = low / 2 + high / 2
    for digits in range(1, 17):
        value = float(f"{middle:.{digits}g}")
        if low <= value < high:
            return value + 0.0  # not -0
    return float(low)


def _candidates(
    candidates: Any, table: Table, name: Hashable, rows: IntArray, declared: Set[Hashable]
) -> list[tuple[Hashable, Kind]]:
    """Names and kinds of the features to split on."""
    everything = candidates is None
    if everything:
        names = [other for other in table.names if other != name]
    else:
        names = list(dict.fromkeys(column_names(candidates, table)))
        if name in names:
            raise FeatureError(f"candidates must not hold {name!r}, the feature that is explained")
        if not names:
            raise FeatureError("candidates must name at least one column, got an empty list")
    found: list[tuple[Hashable, Kind]] = []
    part = table.rows(rows)
    for other in names:
        unknown = int(np.count_nonzero(part.missing(other)))
        try:
            kind = kind_of(part, other, declared)
            if unknown:
                raise FeatureError(
                    f"column {other!r} has {unknown} missing value(s): it cannot be split on"
                )
            if kind == "numeric":
                numeric_values(part, other)  # refuses infinite ones
        except FeatureError:
            if everything:
                continue
            raise
        found.append((other, kind))
    return found


def _check_options(max_depth: Any, min_rows: Any, min_reduction: Any) -> None:
    positive_integer(max_depth, "max_depth")
    if positive_integer(min_rows, "min_rows") < 2:
        raise ValueError(f"min_rows must be at least 2, got {min_rows}")
    number = isinstance(min_reduction, (int, float, np.number)) and not isinstance(
        min_reduction, bool
    )
    if not number or not 0 < min_reduction < 1:
        raise ValueError(f"min_reduction must lie between 0 and 1, got {min_reduction!r}")
