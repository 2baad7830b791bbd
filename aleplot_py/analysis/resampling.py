"""Curves of resampled rows, from kept local effects or by explaining each resample anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from aleplot_py.analysis.draws import drawn_counts
from aleplot_py.effects.ale import ale_of
from aleplot_py.effects.partial_dependence import centred, is_word, partial_dependence_of
from aleplot_py.inputs.fitting import own_rows, with_bar
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import Problem
from aleplot_py.inputs.requests import Requests
from aleplot_py.inputs.times import to_times
from aleplot_py.results.effects import AleResult, Effect, PartialDependenceResult
from aleplot_py.results.local_effects import LocalEffects
from aleplot_py.steps.accumulate import accumulate
from aleplot_py.steps.axis import step_positions
from aleplot_py.steps.cells import fill_empty, lent_slope
from aleplot_py.steps.centre import centred_effect, power_of, values_at_units
from aleplot_py.steps.grid import FloatArray, IntArray, quantile_grid
from aleplot_py.steps.moments import CellMoments
from aleplot_py.steps.sums import PLAIN

Drawn = TypeVar("Drawn")

# Numbers that sums are taken of at once: few enough to stay in the cache.
SUMMED = 2**14
# Resamples without some level or class that are thrown away before giving up.
TRIES = 1000


@dataclass(frozen=True)
class _Runs:
    """Where runs of equal numbers start, so that a group's sum is the sum of a run.

    Parameters
    ----------
    starts : ndarray of int of shape (g,)
        First entry of each run.
    numbers : ndarray of int of shape (g,)
        Its number.
    """

    starts: IntArray
    numbers: IntArray

    @classmethod
    def of(cls, ordered: IntArray) -> _Runs:
        """Runs in sorted numbers (m,)."""
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        return cls(starts, ordered[starts])

    def sums(self, drawn: NDArray[Any], row: IntArray | slice, factors: FloatArray) -> FloatArray:
        """Sums (b, g, f) of how often (b, n) the rows of entries are drawn, times factors (m, f).

        A long run is a matrix product of its own, short ones are summed together.
        """
        sums = np.empty((len(drawn), len(self.starts), factors.shape[1]))
        window = self.starts // max(1, SUMMED // len(drawn))
        first = np.flatnonzero(np.diff(window, prepend=-1))
        for a, b in pairwise([*first, len(self.starts)]):
            start = self.starts[a]
            entries = slice(start, self.starts[b] if b < len(self.starts) else None)
            times = drawn[:, entries if isinstance(row, slice) else row[entries]]
            times = times.astype(np.float64)
            if b - a == 1:
                sums[:, a] = times @ factors[entries]
            else:
                for factor, summed in zip(factors[entries].T, sums[:, a:b].T, strict=True):
                    runs = self.starts[a:b] - start
                    summed[:] = np.add.reduceat(times * factor, runs, axis=1).T
        return sums


@dataclass(frozen=True)
class _Sample:
    """Rows and their local effects, sorted so that all sums are sums of runs.

    Rows are sorted by their unit, local effects by their cell: which row has which number does not
    matter to a resample. Rows without weight are left out.

    Parameters
    ----------
    n : int
        Number of rows.
    weight : ndarray of shape (n,)
        Their weights, 1 without any.
    units : _Runs
        Runs of rows in the same unit; rows above the grid have a unit of their own, the last.
    row : ndarray of int of shape (m,), or slice
        Row of each local effect; a slice where they are the rows in order.
    cells : _Runs
        Runs of local effects in the same cell.
    factors : ndarray of shape (m, 2)
        The weight of each local effect, and its product with the local effect less the mean of
        its cell: equal ones then have exactly no spread.
    above : float
        Rows above the grid, or their weight.
    """

    n: int
    weight: FloatArray
    units: _Runs
    row: IntArray | slice
    cells: _Runs
    factors: FloatArray
    above: float

    @classmethod
    def of(cls, effect: AleResult, local: LocalEffects) -> _Sample:
        """Sort the local effects of an effect."""
        inside = np.asarray((local.units >= 0).all(axis=1))
        unit = np.full(len(local.units), effect.counts.size)
        unit[inside] = np.ravel_multi_index(tuple(local.units[inside].T), effect.counts.shape)
        order = np.argsort(unit, kind="stable")
        if local.weights is not None:
            order = order[local.weights[order] > 0]
        row, cell, effects = _by_cell(local, order, effect.local_mean.shape)
        behind = None if local.weights is None else local.weights[order][row]
        effects -= CellMoments.of(effects, cell, effect.local_mean.size, behind).mean[cell]
        factors = np.ones((len(row), 2))
        if behind is not None:
            factors *= behind[:, None]
        factors[:, 1] *= effects
        weight = np.broadcast_to(1.0, len(order)) if local.weights is None else local.weights[order]
        return cls(
            n=len(order),
            weight=weight,
            units=_Runs.of(unit[order]),
            row=slice(None) if np.array_equal(row, np.arange(len(order))) else row,
            cells=_Runs.of(cell),
            factors=factors,
            above=float(weight[~inside[order]].sum()),
        )


def _by_cell(
    local: LocalEffects, rows: IntArray, shape: tuple[int, ...]
) -> tuple[IntArray, IntArray, FloatArray]:
    """Row, flat cell and size of the local effects (m,) of `rows`, by cell and then by row.

    The row is its place among `rows` (n,).
    """
    number = np.full(len(local.units), -1)
    number[rows] = np.arange(len(rows))
    row = number[local.rows]
    cell = np.ravel_multi_index(tuple(local.cells.T), shape)
    order = np.lexsort((row, cell))
    order = order[row[order] >= 0]
    return row[order], cell[order], local.effects[order]


@dataclass(frozen=True)
class _Filler:
    """Means of cells without rows, in the data and in a resample.

    Parameters
    ----------
    lender : ndarray of int of shape (cells,)
        For each cell the nearest one with rows in the data, whose mean it takes in the estimate:
        itself, unless it is empty.
    position : ndarray of shape (cells, axes)
        Coordinates of the cells.
    size : ndarray of shape (cells,)
        Width of the cell's interval, or area of several; a step between levels has width 1.
    """

    lender: IntArray
    position: FloatArray
    size: FloatArray

    @classmethod
    def of(cls, effect: AleResult) -> _Filler:
        """The choice that was made for an effect."""
        axes = list(zip(effect.x_values, effect.kinds, strict=True))
        along = [step_positions(points, kind) for points, kind in axes]
        own = np.arange(effect.empty.size, dtype=np.float64).reshape(effect.empty.shape)
        listing = "iml" if "iml" in effect.grid else "aleplot"
        lender = fill_empty(own, effect.empty, along, listing).ravel().astype(np.intp)
        position = np.stack(np.meshgrid(*along, indexing="ij"), axis=-1)
        size = np.ones(())
        for points, kind in axes:
            width = np.diff(points) if kind == "numeric" else np.ones(len(points) - 1)
            if len(axes) > 1:  # a power of two changes no ratio, and areas stay finite
                width = np.ldexp(width, -int(np.frexp(width.max())[1]))
            size = np.multiply.outer(size, width)
        return cls(lender, position.reshape(-1, len(along)), size.ravel())

    def fill(self, means: FloatArray, known: NDArray[np.bool_]) -> None:
        """Fill means (b, cells) of resamples, of which those are `known` that have rows in them.

        A cell that lost its rows takes the slope of the nearest one that has some; then a cell
        without rows in the data takes what it takes in the estimate: of an interval of a single
        feature its slope, of another cell its mean.
        """
        own = self.lender == np.arange(len(self.lender))
        lost = own & ~known
        for i in np.flatnonzero(lost.any(axis=1) & known.any(axis=1)):
            there, gone = np.flatnonzero(known[i]), np.flatnonzero(lost[i])
            near = there[cKDTree(self.position[there]).query(self.position[gone])[1]]
            means[i, gone] = lent_slope(means[i, near], self.size[near], self.size[gone])
        lender = self.lender[~own]
        lent = means[:, lender]
        if self.position.shape[1] == 1:
            lent = lent_slope(lent, self.size[lender], self.size[~own])
        means[:, ~own] = lent


def ale_curves(
    effect: AleResult,
    local: LocalEffects,
    n_boot: int,
    rng: np.random.Generator,
    *,
    over_data: bool,
    progress: bool = True,
) -> FloatArray:
    """Effects of resampled rows on the fixed grid, without a prediction.

    Parameters
    ----------
    effect : AleResult
        Any effect.
    local : LocalEffects
        Its local effects.
    n_boot : int
        Number of resamples.
    rng : Generator
        Source of randomness.
    over_data : bool
        Centre over the rows of the data instead of those of each resample.

    Returns
    -------
    ndarray of shape (n_boot, P) or (n_boot, P1, P2)
        One effect per resample, in units of the prediction.
    """
    if effect.kinds == ("numeric", "categorical"):
        turned = effect.transpose()
        curves = ale_curves(turned, local.transpose([1, 0]), n_boot, rng, over_data=over_data)
        return curves.transpose(0, 2, 1)
    sample = _Sample.of(effect, local)
    # The effect itself comes first.
    means = np.repeat(effect.local_mean.reshape(1, -1), 1 + n_boot, axis=0)
    known = np.zeros((n_boot, means.shape[1]), dtype=bool)
    counts = np.append(effect.counts.ravel(), sample.above)[None]
    if not over_data:
        counts = np.concatenate([counts, np.zeros((n_boot, counts.size))])
    done = 0
    for drawn in with_bar(drawn_counts(sample.n, n_boot, rng), None, "draws", shown=progress):
        now = slice(done, done + len(drawn))
        if not over_data:
            in_unit = sample.units.sums(drawn, slice(None), sample.weight[:, None])
            counts[1:][now, sample.units.numbers] = in_unit[..., 0]
        total, deviation = np.moveaxis(sample.cells.sums(drawn, sample.row, sample.factors), -1, 0)
        known[now, sample.cells.numbers] = total > 0
        means[1:][now, sample.cells.numbers] += deviation / np.where(total > 0, total, 1)
        done += len(drawn)
    _Filler.of(effect).fill(means[1:], known)
    curves = _centred(effect, means, counts)
    # The effect's own sums are exact: what plain ones would have made of it is taken off again.
    curves -= curves[0] - effect.f_values
    return curves[1:]


def _centred(effect: AleResult, means: FloatArray, counts: FloatArray) -> FloatArray:
    """Effects (b, P) or (b, P1, P2, ...) of mean local effects (b, cells).

    `counts` (b, units + 1), or (1, units + 1) for all of them, end with the rows above the grid.
    """
    if len(effect.kinds) == 1:
        accumulated = np.zeros((len(means), 1 + means.shape[1]))
        np.cumsum(means, axis=1, out=accumulated[:, 1:])
        if effect.centre == "none":
            return accumulated
        power = power_of(accumulated)
        scaled = np.ldexp(accumulated, -power)
        units = values_at_units(scaled.T, effect.kinds, effect.centre).T
        share = counts / counts.sum(axis=1, keepdims=True)
        mean = (units * share[:, :-1]).sum(axis=1) + scaled[:, -1] * share[:, -1]
        accumulated -= np.ldexp(mean, power)[:, None]
        return accumulated
    curves = np.empty((len(means), *effect.f_values.shape))
    positions = [axis.positions for axis in effect.axes]
    every = np.broadcast_to(counts, (len(means), counts.shape[1]))
    for i, (one, behind) in enumerate(zip(means, every, strict=True)):
        accumulated = accumulate(one.reshape(effect.local_mean.shape), PLAIN)
        within, above = behind[:-1].reshape(effect.counts.shape), float(behind[-1])
        curves[i], _, _ = centred_effect(
            accumulated, within, effect.kinds, effect.centre, above, PLAIN, positions
        )
    return curves


def pd_curves(
    effect: PartialDependenceResult,
    individual: FloatArray,
    weights: FloatArray | None,
    n_boot: int,
    rng: np.random.Generator,
    *,
    over_data: bool,
    progress: bool = True,
) -> FloatArray:
    """Partial dependence of resampled rows: means of their individual curves.

    Parameters
    ----------
    effect : PartialDependenceResult
        Any partial dependence.
    individual : ndarray of shape (n, P) or (n, P1, P2)
        Its individual curves.
    weights : ndarray of shape (n,) or None
        Row weights.
    n_boot, rng, over_data
        As in `ale_curves`.

    Returns
    -------
    ndarray of shape (n_boot, P) or (n_boot, P1, P2)
        One effect per resample, in units of the prediction.
    """
    shape = effect.f_values.shape
    used = slice(None) if weights is None else np.flatnonzero(weights > 0)
    row_weight = None if weights is None else weights[used]
    deviation = (individual - effect.f_values)[used].reshape(-1, effect.f_values.size)
    point = _flat_codes(effect, shape)[used]
    curves = np.empty((n_boot, *shape))
    done = 0
    draws = drawn_counts(len(deviation), n_boot, rng)
    for drawn in with_bar(draws, None, "draws", shown=progress):
        weight = drawn.astype(np.float64) if row_weight is None else drawn * row_weight
        shift = (weight @ deviation) / weight.sum(axis=1, keepdims=True)
        for i in range(len(drawn)):
            counts = effect.counts if over_data else _tally(point, shape, weight[i])
            average = effect.f_values + shift[i].reshape(shape)
            curves[done] = centred(average, counts, effect.kinds, effect.centre, PLAIN)[0]
            done += 1
    return curves


@dataclass(frozen=True)
class Explainer:
    """How a resample is explained anew.

    Parameters
    ----------
    model : callable(rows of X, rows of y) -> fitted model or callable(frame)
        What is explained in a resample.
    table : Table of n rows
        The data.
    y : array_like of length n, or None
        Response.
    labels : ndarray of int of shape (n,) or None
        Class of every row, from 0, where the response is classes.
    weights : ndarray of shape (n,) or None
        Row weights.
    K : int or None
        Number of intervals of a redrawn grid; None for the effect's own.
    redrawn : bool
        Whether every resample lays its own grid.
    options : Options
        How black boxes are called.
    """

    model: Callable[[Any, Any], Any]
    table: Table
    y: Any
    labels: IntArray | None
    weights: FloatArray | None
    K: int | None
    redrawn: bool
    options: Options

    def fitted_to(self, rows: IntArray) -> Any:
        """What is explained, of these rows."""
        y = None if self.y is None else own_rows(self.y, rows)
        return self.model(self.table.rows(rows).data, y)


def explained_curves(
    effect: AleResult | PartialDependenceResult,
    explainer: Explainer,
    n_boot: int,
    rng: np.random.Generator,
    *,
    over_data: bool,
) -> FloatArray:
    """Effects of resampled rows, each explained with predictions of its own.

    Parameters
    ----------
    effect : AleResult or PartialDependenceResult
        Any effect.
    explainer : Explainer
        How.
    n_boot, rng, over_data
        As in `ale_curves`.

    Returns
    -------
    ndarray of shape (n_boot, P) or (n_boot, P1, P2)
        One effect per resample at the effect's own points, in units of the prediction.
    """
    curves = np.empty((n_boot, *effect.f_values.shape))
    unit = _flat_codes(effect, effect.counts.shape)
    classes: list[Any] | None = None
    for b in with_bar(range(n_boot), n_boot, "resamples", shown=explainer.options.progress):
        rows = _draw_with_all_levels(effect, explainer.labels, rng)
        weights = None if explainer.weights is None else explainer.weights[rows]
        counts = effect.counts if over_data else _tally(unit[rows], effect.counts.shape, weights)
        model = explainer.fitted_to(rows)
        classes = same_classes(model, classes)
        resampled = uncentred(effect, explainer, model, rows)
        curves[b], _, _ = centred_at(effect, resampled, counts)
    return curves


def uncentred(
    effect: AleResult | PartialDependenceResult, explainer: Explainer, model: Any, rows: IntArray
) -> AleResult | PartialDependenceResult:
    """Effect of a model over some rows, with the levels and, unless redrawn, grids of `effect`."""
    levels = {
        name: list(points)
        for name, kind, points in zip(effect.features, effect.kinds, effect.x_values, strict=True)
        if kind == "categorical"
    }
    options = replace(
        explainer.options,
        grid=_grids(effect, explainer, rows),
        order=levels,
        collapse={axis.name: axis.collapsed for axis in effect.axes},
        target=effect.target,
    )
    problem = Problem(
        table=explainer.table.rows(rows),
        black_box=options.black_box(model),
        options=options,
        categorical=frozenset(levels),
        weights=None if explainer.weights is None else explainer.weights[rows],
    )
    request = Requests([effect.features])
    if isinstance(effect, AleResult):
        return ale_of(problem, request, centre="none")[0]
    anchor = "none" if is_word(effect.centre, "pdplot") else effect.centre
    return partial_dependence_of(problem, request, centre=anchor)[0]


def centred_at(
    effect: AleResult | PartialDependenceResult, resampled: Effect, counts: FloatArray
) -> tuple[FloatArray, tuple[FloatArray, ...], float]:
    """Values, main effects and constant of a resample's effect, centred as `effect` is.

    `counts` are the rows over which it is centred.
    """
    if isinstance(resampled, AleResult) and isinstance(effect, AleResult):
        accumulated = _accumulated_at(resampled, effect)
        positions = [axis.positions for axis in effect.axes]
        return centred_effect(accumulated, counts, effect.kinds, effect.centre, positions=positions)
    values, _, constant = centred(resampled.f_values, counts, effect.kinds, effect.centre)
    return values, (), constant


def _grids(effect: Effect, explainer: Explainer, rows: IntArray) -> dict[Any, Any]:
    """Edges of the numeric features for a resample."""
    grids: dict[Any, Any] = {}
    for i, axis in enumerate(effect.axes):
        name, points = axis.name, axis.points
        if axis.kind == "categorical":
            continue
        grids[name] = points
        rule = effect.grid[i] if isinstance(effect, AleResult) else "given"
        if explainer.redrawn and rule != "equidistant":
            x = axis.observed[rows]
            inner = quantile_grid(x, explainer.K or len(points) - 1, rule)[1:-1]
            # The ends stay those of the data, so that every curve covers all its points.
            grids[name] = np.concatenate([points[:1], inner, points[-1:]])
        if axis.times is not None:
            grids[name] = to_times(grids[name], axis.times)
    return grids


def _accumulated_at(resampled: AleResult, effect: AleResult) -> FloatArray:
    """Accumulated effect of a resample at the points of the effect."""
    accumulated = resampled.f_values
    if len(resampled.axes) > 2:
        accumulated = accumulate(resampled.local_mean)
    elif resampled.main_effects:
        accumulated = accumulated + resampled.main_effects[0][:, None] + resampled.main_effects[1]
    same = all(
        np.array_equal(ours, theirs)
        for ours, theirs in zip(resampled.x_values, effect.x_values, strict=True)
    )
    if same:
        return accumulated
    where = np.meshgrid(*effect.x_values, indexing="ij")
    read = replace(resampled, f_values=accumulated).evaluate(*(x.ravel() for x in where))
    return read.reshape(effect.f_values.shape)


def same_classes(model: Any, before: list[Any] | None) -> list[Any] | None:
    """Classes of a classifier, refused where they differ from those of the one before."""
    classes = getattr(model, "classes_", None)
    if not isinstance(classes, np.ndarray):
        return None
    now = list(classes)
    if before is not None and now != before:
        raise ValueError(
            f"refit= returned classifiers of different classes, {before} and {now}: a resample "
            "lacked one. Pass an estimator, or y as text, so that it is drawn again"
        )
    return now


def _draw_with_all_levels(
    effect: Effect, labels: IntArray | None, rng: np.random.Generator
) -> IntArray:
    """Rows (n,) of a resample with every level of the explained features and every class."""
    n = len(effect.axes[0].codes)
    codes = [*_levels([effect]), *_classes(labels)]
    return _drawn_again(
        lambda: rng.integers(n, size=n),
        lambda rows: _lacking(rows, codes),
    )


def draw_split(
    effects: Sequence[Effect],
    labels: IntArray | None,
    share: float | None,
    rng: np.random.Generator,
) -> tuple[IntArray, IntArray]:
    """Rows to fit to, and those left out, both with every level, the first with every class.

    Parameters
    ----------
    effects : sequence of Effect
        What is to be explained.
    labels : ndarray of int of shape (n,) or None
        Class of every row.
    share : float or None
        Share of the rows to draw without replacement; None: as many as there are, with it.
    rng : Generator
        Source of randomness.
    """
    n = len(effects[0].axes[0].codes)
    levels, classes = _levels(effects), _classes(labels)

    def draw() -> tuple[IntArray, IntArray]:
        if share is None:
            fit = rng.integers(n, size=n)
        else:
            fit = rng.permutation(n)[: max(1, round(share * n))]
        return fit, np.setdiff1d(np.arange(n), fit)

    def lacking(split: tuple[IntArray, IntArray]) -> str:
        fit, left = split
        if not len(left):
            return "a row that is left out"
        return _lacking(fit, [*levels, *classes]) or _lacking(left, levels)

    return _drawn_again(draw, lacking)


#: Codes of the rows, number of different ones, and what each of them is.
_Codes = tuple[IntArray, int, str]


def _levels(effects: Iterable[Effect]) -> list[_Codes]:
    return [
        (axis.codes, len(axis.points), f"a level of column {axis.name!r}")
        for effect in effects
        for axis in effect.axes
        if axis.kind == "categorical"
    ]


def _classes(labels: IntArray | None) -> list[_Codes]:
    return [] if labels is None else [(labels, int(labels.max()) + 1, "a class of y")]


def _lacking(rows: IntArray, codes: Iterable[_Codes]) -> str:
    """What some rows lack; an empty text for nothing."""
    return next((what for c, size, what in codes if len(np.unique(c[rows])) < size), "")


def _drawn_again(draw: Callable[[], Drawn], lacking: Callable[[Drawn], str]) -> Drawn:
    """What is drawn, once it lacks nothing."""
    lack = ""
    for _ in range(TRIES):
        drawn = draw()
        lack = lacking(drawn)
        if not lack:
            return drawn
    raise ValueError(
        f"{TRIES} resamples in turn lacked {lack}, without which a model cannot be fitted to "
        "explain it: merge rare ones, levels by collapse="
    )


def _flat_codes(effect: Effect, shape: tuple[int, ...]) -> IntArray:
    """Flat number of every row's pair of codes (n,): unit of an ALE, point of a PD."""
    return np.asarray(np.ravel_multi_index(tuple(axis.codes for axis in effect.axes), shape))


def _tally(codes: IntArray, shape: tuple[int, ...], weight: FloatArray | None) -> FloatArray:
    """Rows, or their weight, at each code."""
    counts = np.bincount(codes, weights=weight, minlength=int(np.prod(shape)))
    return counts.reshape(shape).astype(np.float64)
