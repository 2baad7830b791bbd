"""Local effects: differences of predictions as each row moves between neighbouring points."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import reduce
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from aleplot_py.errors import PredictionError
from aleplot_py.inputs.black_box import LARGEST_PREDICTION, BlackBox
from aleplot_py.inputs.fitting import with_bar
from aleplot_py.inputs.frames import Table, batches
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import Problem
from aleplot_py.results.local_effects import LocalEffects
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.centre import ORDINARY, power_of
from aleplot_py.steps.grid import FloatArray, IntArray
from aleplot_py.steps.moments import CellMoments

if TYPE_CHECKING:
    from aleplot_py.effects.gradient import Jacobian


T = TypeVar("T")
R = TypeVar("R")

#: Local effects, their cells and the rows they belong to, each of shape (m,); the effects of
#: several outputs of shape (m, outputs).
Kept = tuple[FloatArray, IntArray, IntArray]


def axis_moments(
    problem: Problem,
    jacobian: Jacobian | None,
    table: Table,
    axes: Sequence[Axis],
    weights: FloatArray | None,
    kept: list[Kept] | None = None,
) -> CellMoments:
    """Moments of the local effects: from the Jacobian on an axis of numbers, else from differences.

    Parameters
    ----------
    problem, table, axes, weights, kept
        As in `cell_moments`.
    jacobian : Jacobian or None
        Derivatives of the black box.

    Returns
    -------
    CellMoments of (steps,) cells
        Derivative at the row times the width of its interval, in units of the prediction.
    """
    if jacobian is None or not has_slopes(jacobian, axes):
        return cell_moments(problem, table, axes, weights, kept)
    axis = axes[0]
    with np.errstate(over="ignore"):
        effects = jacobian.slopes(table, axis.name) * np.diff(axis.points)[axis.codes]
    if np.abs(effects).max() > LARGEST_PREDICTION:
        raise PredictionError(
            f"the gradient in column {axis.name!r} times the width of an interval must be at most "
            f"{LARGEST_PREDICTION:g} in size, got {effects[np.argmax(np.abs(effects))]:g}: rescale "
            "the prediction"
        )
    if kept is not None:
        kept.append((effects, axis.codes, np.arange(len(table))))
    return CellMoments.of(effects, axis.codes, axis.n_steps, weights)


def has_slopes(jacobian: Jacobian | None, axes: Sequence[Axis]) -> bool:
    """Whether the Jacobian, rather than moved rows, tells the effect."""
    axis = axes[0]
    return jacobian is not None and axis.kind == "numeric" and axis.times is None


def cell_moments(
    problem: Problem,
    table: Table,
    axes: Sequence[Axis],
    weights: FloatArray | None,
    kept: list[Kept] | None = None,
) -> CellMoments:
    """Moments of the local effects in each cell.

    Parameters
    ----------
    problem : Problem
        What is explained, in how large batches, and how many of them at the same time.
    table : Table of n rows
        Its rows that have the features.
    axes : sequence of Axis
        The features.
    weights : ndarray of shape (n,) or None
        Row weights.
    kept : list, optional
        Filled with the local effects of each batch, in the order of the rows.

    Returns
    -------
    CellMoments of (product of steps,) cells, as many for each output
        Cells numbered with the last axis fastest.
    """
    n_cells = math.prod(axis.n_steps for axis in axes)
    moved = None if problem.route is None else problem.route.moved(axes)

    def of_batch(rows: slice) -> tuple[slice, list[tuple[FloatArray, IntArray, slice | IntArray]]]:
        return rows, list(local_effects(problem.black_box, table, axes, rows, moved))

    def of_all() -> Iterator[tuple[FloatArray, IntArray, FloatArray | None]]:
        parts = batches_of(len(table), problem.options)
        found = in_threads(of_batch, parts, problem.options.threads)
        shown = with_bar(found, len(parts), "batches", shown=problem.options.progress)
        for rows, batch in shown:
            for effects, cells, chosen in batch:
                if kept is not None:
                    kept.append((effects, cells, np.arange(len(table))[rows][chosen]))
                yield effects, cells, None if weights is None else weights[rows][chosen]

    return CellMoments.of_parts(of_all(), n_cells)


def batches_of(n: int, options: Options) -> Sequence[slice]:
    """Slices that cover n rows: of the size asked for, else at least one for each thread."""
    return batches(n, options.rows_per_call(n))


def in_threads(function: Callable[[T], R], parts: Iterable[T], threads: int) -> Iterator[R]:
    """Results of a function of each part, in order, at most `threads` parts ahead.

    Where a part is a slice of rows, or a tuple that ends with one, what fails tells its batch and
    rows.
    """

    def named(numbered: tuple[int, T]) -> R:
        number, part = numbered
        try:
            return function(part)
        except Exception as error:
            rows = part[-1] if isinstance(part, tuple) else part
            if isinstance(parts, Sequence) and len(parts) > 1 and isinstance(rows, slice):
                error.add_note(
                    f"in batch {number} of {len(parts)}, rows {rows.start} to {rows.stop - 1} of "
                    "those used, counted from 0"
                )
            raise

    numbered = enumerate(parts, start=1)
    if threads == 1:
        yield from map(named, numbered)
        return
    with ThreadPoolExecutor(threads) as pool:
        ahead: deque[Future[R]] = deque()
        for part in numbered:
            ahead.append(pool.submit(named, part))
            if len(ahead) > threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def local_effects(
    black_box: BlackBox,
    table: Table,
    axes: Sequence[Axis],
    rows: slice,
    moved: Mapping[tuple[int, ...], FloatArray] | None = None,
) -> Iterator[tuple[FloatArray, IntArray, slice | IntArray]]:
    """Finite differences of some rows, of as high an order as there are axes.

    A row moves over its interval on a numeric axis, and up and down by one level on a categorical
    one, so that it gives up to two differences per categorical axis.

    Parameters
    ----------
    black_box, table, axes
        What is explained, the data and the features.
    rows : slice
        Rows to use.
    moved : mapping of offsets to ndarray of shape (n,), optional
        Predictions for the moved rows, if they are known already.

    Yields
    ------
    effects : ndarray of shape (m,), of several outputs (m, outputs)
        Differences in units of the prediction.
    cells : ndarray of int of shape (m,)
        Cell of each, the last axis fastest.
    chosen : slice or ndarray of int of shape (m,)
        Which of the rows they belong to.
    """
    part = table.rows(rows)
    codes = [axis.codes_of(rows) for axis in axes]
    standing = [
        axis.standing(rows) if axis.kind == "categorical" else code
        for axis, code in zip(axes, codes, strict=True)
    ]
    at = {
        offsets: _predict_at(black_box, part, axes, codes, standing, offsets)
        if moved is None
        else moved[offsets][rows]
        for offsets in product(*(axis.offsets for axis in axes))
    }
    for ends in product(*(pairwise(axis.offsets) for axis in axes)):
        low = tuple(end[0] for end in ends)
        steps = _moved(codes, low)
        chosen = _inside(axes, steps, [axis.n_steps for axis in axes])
        cells = steps[0][chosen]
        for axis, step in zip(axes[1:], steps[1:], strict=True):
            cells = cells * axis.n_steps + step[chosen]
        yield _difference(at, ends)[chosen], cells, chosen


def _difference(
    at: Mapping[tuple[int, ...], FloatArray],
    ends: Sequence[tuple[int, int]],
    offsets: tuple[int, ...] = (),
) -> FloatArray:
    """Difference (rows,) of the differences along the axes after those that `offsets` has."""
    if not ends:
        return at[offsets]
    (low, high), *rest = ends
    return _difference(at, rest, (*offsets, high)) - _difference(at, rest, (*offsets, low))


def _moved(codes: Sequence[IntArray], offsets: Sequence[int]) -> list[IntArray]:
    """Codes (rows,) of each axis and its offset; the codes themselves where that is 0."""
    pairs = zip(codes, offsets, strict=True)
    return [code + offset if offset else code for code, offset in pairs]


def _inside(
    axes: Sequence[Axis], positions: Sequence[IntArray], sizes: Sequence[int]
) -> slice | IntArray:
    """Rows whose positions exist on every axis; on numeric axes they always do."""
    inside = None
    for axis, position, size in zip(axes, positions, sizes, strict=True):
        if axis.kind == "categorical":
            here = (position >= 0) & (position < size)
            inside = here if inside is None else inside & here
    return slice(None) if inside is None or inside.all() else np.flatnonzero(inside)


def _predict_at(
    black_box: BlackBox,
    table: Table,
    axes: Sequence[Axis],
    codes: Sequence[IntArray],
    standing: Sequence[IntArray],
    offsets: Sequence[int],
) -> FloatArray:
    """Predictions (rows,) with every feature moved by its offset; NaN where there is no level."""
    positions = _moved(codes, offsets)
    if all(axis.kind == "numeric" for axis in axes):
        return predict_moved(black_box, table, axes, positions)
    chosen = _inside(axes, positions, [len(axis.points) for axis in axes])
    ways = zip(axes, positions, standing, offsets, strict=True)
    positions = [
        own if axis.kind == "categorical" and not offset else to for axis, to, own, offset in ways
    ]
    if isinstance(chosen, slice):
        return predict_moved(black_box, table, axes, positions)
    moved = [position[chosen] for position in positions]
    if not len(moved[0]):
        return np.full((len(table), 1) if black_box.several else len(table), np.nan)
    found = predict_moved(black_box, table, axes, moved, rows=chosen)
    values = np.full((len(table), *found.shape[1:]), np.nan)
    values[chosen] = found
    return values


def predict_moved(
    black_box: BlackBox,
    table: Table,
    axes: Sequence[Axis],
    moved: Sequence[IntArray],
    repeats: int | None = None,
    out: FloatArray | None = None,
    rows: IntArray | None = None,
) -> FloatArray:
    """Predictions (rows,) with each axis' column set to its point number `moved` (rows,).

    They are those of the table's `rows`, by default of all. With `repeats` all rows follow each
    other so many times, and a point may be given for all rows of a time, (repeats,), where none
    stands for several levels. Where a point stands for several levels they are the mean of those at
    each, as many times as the data have it. Those of a single output are written to `out` (rows,),
    if there is one.
    """
    for i, axis in enumerate(axes):
        if axis.collapsed is None:
            continue
        shared = np.flatnonzero(moved[i] == axis.shared_at)
        if shared.size:
            part = table if rows is None else table.rows(rows)
            return _over_levels(black_box, part, axes, moved, repeats, i, shared, out)

    def frame(
        moved: Sequence[IntArray], repeats: int | None = None, rows: IntArray | None = None
    ) -> Any:
        columns = {}
        for axis, to in zip(axes, moved, strict=True):
            columns[axis.name] = axis.own_points.take(to)
        return table.with_columns(columns, repeats, rows)

    try:
        return black_box(frame(moved, repeats, rows), out)
    except Exception as error:
        for axis, to in zip(axes, moved, strict=True):
            if axis.kind != "categorical":
                continue
            for position in np.unique(to):
                row = np.flatnonzero(to == position)[:1]
                own = row % len(table) if rows is None else rows[row]
                try:
                    black_box(frame([m[row] for m in moved], rows=own))
                except Exception:
                    level = axis.label(position)
                    error.add_note(f"while column {axis.name!r} was moved to level {level!r}")
                    raise error from None
        raise


def _over_levels(
    black_box: BlackBox,
    table: Table,
    axes: Sequence[Axis],
    moved: Sequence[IntArray],
    repeats: int | None,
    which: int,
    shared: IntArray,
    out: FloatArray | None,
) -> FloatArray:
    """Predictions (rows,) whose rows `shared` axis number `which` moves to several levels at once.

    Each of them is a mean in exact arithmetic, rounded once.
    """
    axis, part = axes[which], table.rows(shared % len(table))
    assert axis.collapsed is not None
    times, found = axis.collapsed.rows, []
    for level in range(len(times)):
        to = list(moved)
        to[which] = moved[which].copy()
        to[which][shared] = len(axis.points) + level
        if level == 0:  # with the rows that go elsewhere
            values = predict_moved(black_box, table, axes, to, repeats, out)
            found.append(values[shared])
        else:
            found.append(predict_moved(black_box, part, axes, [one[shared] for one in to]))
    size = len(shared)
    rows = np.tile(np.arange(size), len(times))
    moments = CellMoments.of(np.concatenate(found), rows, size, np.repeat(times, size))
    values[shared] = moments.mean.reshape(-1, size).T.reshape(found[0].shape)
    return values


def predictions(problem: Problem) -> FloatArray:
    """Predictions (n,) for the rows as they are, in units of the prediction."""
    table, black_box, options = problem.table, problem.black_box, problem.options

    def of_batch(rows: slice) -> FloatArray:
        return black_box(table.rows(rows).with_columns())

    parts = batches_of(len(table), options)
    found = in_threads(of_batch, parts, options.threads)
    return np.concatenate(list(with_bar(found, len(parts), "batches", shown=options.progress)))


def mean_prediction(
    black_box: BlackBox, table: Table, weights: FloatArray | None, batch_rows: int | None
) -> FloatArray:
    """Mean prediction of each output over the rows as they are, in units of the prediction."""

    def of_batch(rows: slice) -> CellMoments:
        values = black_box(table.rows(rows).with_columns())
        weight = None if weights is None else weights[rows]
        return CellMoments.of(values, np.zeros(len(values), np.intp), 1, weight)

    found = in_threads(of_batch, batches(len(table), batch_rows), 1)
    return reduce(CellMoments.merge, found).mean


def kept_effects(
    kept: list[Kept], laid: Sequence[Axis], axes: Sequence[Axis], weights: FloatArray | None
) -> LocalEffects:
    """Local effects over the steps of `axes`, from those over the steps that were laid first."""
    effects, cells, rows = (np.concatenate(part) for part in zip(*kept, strict=True))
    steps = np.stack(np.unravel_index(cells, tuple(axis.n_steps for axis in laid)), axis=1)
    units = np.stack([axis.codes for axis in axes], axis=1)
    if axes is not laid:  # fine intervals were merged: the same slopes over wider ones
        of_x, power = power_of(laid[0].points, ORDINARY), power_of(effects, ORDINARY)
        fine, wide = (np.diff(np.ldexp(axis.points, -of_x)) for axis in (laid[0], axes[0]))
        effects = np.ldexp(effects, -power) / fine[steps[:, 0]] * wide[units[rows, 0]]
        effects = np.ldexp(effects, power)
        steps = units[rows]
    above = axes[0].above
    if len(axes) == 1 and above is not None:
        units = np.where(above[:, None], -1, units)
        inside = ~above[rows]
        effects, steps, rows = effects[inside], steps[inside], rows[inside]
    return LocalEffects(effects=effects, cells=steps, rows=rows, units=units, weights=weights)
