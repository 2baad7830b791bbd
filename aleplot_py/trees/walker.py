"""Predictions for moved rows from packed trees, compared with the model's own on a sample."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.inputs.black_box import LARGEST_PREDICTION
from aleplot_py.inputs.frames import Table, batches
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.grid import FloatArray, IntArray
from aleplot_py.trees.flat import FlatTrees, NotWalkableError

#: Bytes of the sums that are held at a time.
LARGEST_SUMS = 2**28
#: Moved rows that are predicted by the model, too, and must be equal.
SAMPLE = 256
#: How many of them have missing values, where rows have.
SAMPLE_MISSING = 32

#: Axes of a move, and by how many points it moves on each.
Move = tuple[Sequence[Axis], tuple[int, ...]]


class Packed:
    """Trees in the order of the walk.

    Parameters
    ----------
    trees : FlatTrees
        The trees.

    Raises
    ------
    NotWalkableError
        If numba is missing.
    """

    def __init__(self, trees: FlatTrees) -> None:
        self.trees, self.walk = trees, _compiled_walk()
        at = np.flatnonzero(trees.left >= 0)
        # Numbers of sets of levels need doubles, as there may be many.
        precision = trees.inputs if trees.level_set is None else "float64"
        self.nodes = np.zeros(len(at), dtype=self.walk.NODE[precision])
        self.kinds = np.zeros(len(at), dtype=np.uint8)
        self.leaves = np.zeros(len(trees.left) - len(at), dtype=trees.sums)
        number = np.empty(len(trees.left), dtype=np.int32)
        self.walk.pack(
            trees.left,
            trees.right,
            trees.feature,
            trees.below(),
            trees.value,
            number,
            self.nodes,
            self.leaves,
        )
        self.roots = number[trees.roots]
        if trees.missing_left is not None:
            self.kinds[:] = trees.missing_left[at] * self.walk.MISSING_LEFT
        self.sets = np.zeros((0, 0), dtype=np.bool_)
        if trees.left_levels is not None and trees.level_set is not None:
            level_set = trees.level_set[at]
            by_level = level_set >= 0
            self.sets = trees.left_levels
            self.nodes["split"][by_level] = level_set[by_level]
            self.kinds[by_level] |= self.walk.LEVELS
        #: Columns that the trees split, at least.
        self.columns = int(self.nodes["column"].max(initial=-1)) + 1


class Walker:
    """Trees that are walked, over the rows of one call.

    Parameters
    ----------
    packed : Packed
        The trees.
    reference : callable(frame) -> (n,)
        The model's own predictions, checked as those of any black box.
    threads : int
        How many threads walk at the same time.
    """

    def __init__(
        self, packed: Packed, reference: Callable[[Any], FloatArray], threads: int
    ) -> None:
        self._packed, self._trees, self._walk = packed, packed.trees, packed.walk
        self._reference, self._threads = reference, threads
        self._seen: tuple[Table | None, Any] = (None, None)

    def moved(
        self, table: Table, axes: Mapping[Hashable, Axis], moves: Sequence[Move]
    ) -> list[FloatArray]:
        """Predictions (n,) of each move of every row.

        Parameters
        ----------
        table : Table of n rows
            The data.
        axes : mapping of name to Axis
            The axis on which each feature moves.
        moves : sequence of Move
            Where no point lies so far, the nearest stands for it.

        Raises
        ------
        NotWalkableError
            If the rows cannot be walked, or a prediction of the sample is not the model's.
        """
        X, n = self._numbers(table), len(table)
        number = {name: i for i, name in enumerate(axes)}
        listed = list(axes.values())
        axis_of = self._axis_of(table, listed, X)
        # One more point at either end stands for the levels that do not exist.
        points = np.zeros((X.shape[1], max(len(axis.points) for axis in listed) + 2), X.dtype)
        for axis in listed:
            own = axis_of == number[axis.name]
            at = np.pad(self._points(table, axis)[:, own].T, ((0, 0), (1, 1)), mode="edge")
            points[own, : at.shape[1]] = at
        units = np.stack([axis.codes + 1 for axis in listed], axis=1).astype(np.int64)
        axis1, axis2 = (np.array([number[of[i].name] for of, _ in moves]) for i in (0, -1))
        shift1, shift2 = (np.array([offsets[i] for _, offsets in moves]) for i in (0, -1))
        entries = sorted(
            {
                (number[axis.name], move, offset)
                for move, (moving, offsets) in enumerate(moves)
                for axis, offset in zip(moving, offsets, strict=True)
            }
        )
        of_axis, of_move, shift = np.array(entries, dtype=np.int64).T.copy()
        by_level = np.zeros(X.shape[1], dtype=np.bool_)
        split_by_level = (self._packed.kinds & self._walk.LEVELS) != 0
        by_level[self._packed.nodes["column"][split_by_level]] = True
        first = np.searchsorted(of_axis, np.arange(len(listed) + 1))
        sums = np.full((len(moves), n), self._trees.start, self._trees.sums)

        def walk(rows: slice) -> None:
            self._walk.walk_moves(
                self._packed.nodes,
                self._packed.kinds,
                self._packed.leaves,
                self._packed.sets,
                by_level,
                self._packed.roots,
                X,
                axis_of,
                points,
                units,
                first,
                of_move,
                shift,
                axis1,
                shift1,
                axis2,
                shift2,
                *rows.indices(n)[:2],
                sums,
            )

        self._in_threads(walk, n)
        values = [self._finished(column) for column in sums]
        rows = self._sample(X, len(moves))
        of_row = np.arange(len(rows)) % len(moves)
        placed = []
        for move, (moving, offsets) in enumerate(moves):
            here = np.flatnonzero(of_row == move)
            for axis, offset in zip(moving, offsets, strict=True):
                to = np.clip(axis.codes_of(rows[here]) + offset, 0, len(axis.points) - 1)
                placed.append((axis, here, to))
        walked = np.array([values[move][row] for move, row in zip(of_row, rows, strict=True)])
        self._compare(table, rows, placed, walked)
        return values

    def at_points(
        self, table: Table, axes: Sequence[Axis], together: bool = False
    ) -> Iterator[tuple[slice, FloatArray]]:
        """Predictions (n, points) at every point of the axes, the last fastest, some at a time.

        Where the axes go `together`, at their points of the same number.

        Raises
        ------
        NotWalkableError
            As `moved`, before the first are given.
        """
        X, n = self._numbers(table), len(table)
        shape = tuple(len(axis.points) for axis in (axes[:1] if together else axes))
        axis_of = self._axis_of(table, axes, X)
        tables = [self._points(table, axis) for axis in axes]
        at_once = max(1, min(self._walk.POINTS, LARGEST_SUMS // (8 * n)))
        bits = np.empty(len(self._packed.nodes), dtype=np.uint64)
        for start in range(0, int(np.prod(shape)), at_once):
            part = slice(start, min(start + at_once, int(np.prod(shape))))
            to = np.unravel_index(np.arange(part.start, part.stop), shape)
            to *= len(axes) if together else 1
            values = np.zeros((X.shape[1], part.stop - part.start), X.dtype)
            for i, (points, position) in enumerate(zip(tables, to, strict=True)):
                values[axis_of == i] = points[position][:, axis_of == i].T
            self._walk.left_bits(
                self._packed.nodes, self._packed.kinds, self._packed.sets, axis_of, values, bits
            )
            sums = np.full((n, part.stop - part.start), self._trees.start, self._trees.sums)

            def walk(rows: slice, sums: Any = sums) -> None:
                self._walk.walk_points(
                    self._packed.nodes,
                    self._packed.kinds,
                    self._packed.leaves,
                    self._packed.sets,
                    self._packed.roots,
                    X[rows],
                    axis_of,
                    bits,
                    sums[rows],
                )

            self._in_threads(walk, n)
            found = np.stack([self._finished(column) for column in sums.T], axis=1)
            if start == 0:
                rows = self._sample(X, 1)
                point = np.arange(len(rows)) % found.shape[1]
                everywhere = np.arange(len(rows))
                placed = [
                    (axis, everywhere, position[point])
                    for axis, position in zip(axes, to, strict=True)
                ]
                self._compare(table, rows, placed, found[rows, point])
            yield part, found

    def _numbers(self, table: Table) -> Any:
        """What the trees compare, (n, columns)."""
        if self._seen[0] is not table:
            self._seen = (None, None)
            self._seen = (table, self._encoded(table))
        return self._seen[1]

    def _encoded(self, table: Table) -> Any:
        try:
            X = self._trees.matrix(Table(table.data).with_columns())  # in memory of its own
        except NotWalkableError:
            raise
        except Exception as error:  # whatever a step says of such rows, the model says better
            raise NotWalkableError(f"the rows are refused ({error})") from error
        if X.ndim != 2 or X.shape[1] < self._packed.columns:
            raise NotWalkableError(
                f"the trees split {self._packed.columns} columns, the rows have {X.shape}"
            )
        return X

    def _points(self, table: Table, axis: Axis) -> Any:
        """What the trees compare where a feature is at each of its points, (points, columns)."""
        first = table.rows(np.zeros(len(axis.points), dtype=np.intp))
        return self._encoded(Table(Table(first.data).with_columns({axis.name: axis.own_points})))

    def _axis_of(self, table: Table, axes: Sequence[Axis], X: Any) -> IntArray:
        """Which of the axes moves each column of numbers, -1 for none."""
        names = table.names
        sources = names if self._trees.sources is None else list(self._trees.sources)
        if len(sources) != X.shape[1]:
            raise NotWalkableError(
                f"the rows have {X.shape[1]} columns, the trees know {len(sources)}"
            )
        axis_of = np.full(X.shape[1], -1, dtype=np.int64)
        for i, axis in enumerate(axes):
            axis_of[[source == axis.name for source in sources]] = i
        return axis_of

    def _finished(self, sums: Any) -> FloatArray:
        values = self._trees.finish(sums)
        # NaN fails every comparison.
        if not (values.min() >= -LARGEST_PREDICTION and values.max() <= LARGEST_PREDICTION):
            raise NotWalkableError("a prediction is not finite, or too large")
        return values

    def _in_threads(self, walk: Callable[[slice], None], n: int) -> None:
        parts = batches(n, -(-n // self._threads))
        if len(parts) == 1:
            walk(parts[0])
            return
        with ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(walk, parts))

    def _sample(self, X: Any, moves: int) -> IntArray:
        """Rows to compare, two for each move at least; some have missing values if any have."""
        rows = np.linspace(0, len(X) - 1, max(SAMPLE, 2 * moves)).astype(np.intp)
        missing = np.flatnonzero(np.isnan(X).any(axis=1))[:SAMPLE_MISSING]
        rows[len(rows) - len(missing) :] = missing
        return rows

    def _compare(
        self,
        table: Table,
        rows: IntArray,
        placed: Sequence[tuple[Axis, IntArray, IntArray]],
        walked: FloatArray,
    ) -> None:
        """Refuse the walk unless every prediction of the sample is the model's to the last bit.

        `placed` has which of the rows an axis moves, and to which of its points.
        """
        part = Table(table.rows(rows).data)
        columns: dict[Hashable, Any] = {}
        try:
            for axis, which, to in placed:
                column = columns.get(axis.name)
                values = _own_values(part.column(axis.name)) if column is None else column
                columns[axis.name] = _written(values, which, axis.own_points.take(to))
            own = self._reference(part.with_columns(columns))
        except Exception as error:  # the model's own calls raise it again, with more to say
            raise NotWalkableError(f"the model refuses a sample of the rows ({error})") from error
        if not np.array_equal(own.view(np.int64), walked.view(np.int64)):
            raise NotWalkableError(
                f"{int((own != walked).sum())} of {len(own)} predictions walked differ from the "
                f"model's, by up to {np.abs(own - walked).max():.2g}"
            )


def _compiled_walk() -> ModuleType:
    from aleplot_py.steps import compiled  # numba takes a second, and not every model is walked
    from aleplot_py.trees import walk

    if not compiled.AVAILABLE:
        raise NotWalkableError("numba is missing: pip install 'aleplot-py[trees]'")
    return walk


def _own_values(column: pd.Series) -> Any:
    if isinstance(column.dtype, np.dtype):
        return column.to_numpy(copy=True)
    return column.array.copy()


def _written(values: Any, which: IntArray, new: Any) -> Any:
    """Values with some replaced, of a type that holds both."""
    if isinstance(values, np.ndarray) and isinstance(new, np.ndarray):
        values = values.astype(np.result_type(values.dtype, new.dtype), copy=False)
    elif values.dtype != new.dtype:
        values = values.astype(new.dtype)
    values[which] = new
    return values
