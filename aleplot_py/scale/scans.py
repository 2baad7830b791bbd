"""What one pass over the data finds out: functions of a batch, whose results add up.

A scan is handed to whoever has the data: it says which columns it needs, and makes *tallies* of a
batch. Tallies of two parts of the data merge into those of both, to the last bit the same for every
division of the data, so that batches, processes and machines change nothing. They are small: some
numbers for each cell, level or bucket.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aleplot_py.effects.local_effects import cell_moments
from aleplot_py.effects.partial_dependence import predictions_at_points
from aleplot_py.errors import FeatureError, SourceError
from aleplot_py.inputs.arrays import numbers_of
from aleplot_py.inputs.axes import no_levels
from aleplot_py.inputs.black_box import BlackBox
from aleplot_py.inputs.checks import numeric_values, row_weights
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.ordering import numeric_table
from aleplot_py.inputs.problem import Problem
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.counting import Counts, Search, in_order, leading
from aleplot_py.steps.grid import FloatArray, IntArray, bin_codes
from aleplot_py.steps.moments import CellMoments
from aleplot_py.steps.sums import ExactSums

Key = Hashable
Names = tuple[Hashable, ...]

#: Different values of a column up to which the first scan counts each of them.
FEW = 10_000


class Tally(Protocol):
    """What has been found in some of the rows."""

    def merge(self, other: Self) -> Self:
        """What has been found in both."""


Tallies = Mapping[Key, Any]


class Scan(Protocol):
    """One pass over the data."""

    @property
    def columns(self) -> list[Hashable] | None:
        """Columns needed, None for all."""

    def of(self, table: Table) -> Tallies:
        """What there is to find in a batch."""


def merged(one: Tallies, other: Tallies) -> Tallies:
    """Tallies of two parts of the data, the first before the second."""
    return {key: tally.merge(other[key]) for key, tally in one.items()}


def known_rows(table: Table, names: Names) -> slice | IntArray:
    """Rows that have a value in each of the columns."""
    unknown = np.zeros(len(table), dtype=bool)
    for name in names:
        unknown |= table.column(name).isna().to_numpy()
    return np.flatnonzero(~unknown) if unknown.any() else slice(None)


@dataclass(frozen=True)
class Added:
    """Counts that add up (any shape)."""

    counts: NDArray[np.int64]

    def merge(self, other: Added) -> Added:
        """Counts in both."""
        return Added(self.counts + other.counts)


# --- what columns hold ------------------------------------------------------------------------


@dataclass(frozen=True)
class Numbers:
    """Numbers of a column, counted.

    Parameters
    ----------
    rows, missing : int
        All rows, and those without a value in the column.
    beyond : int
        Values outside the caller's own grid.
    leading : Counts
        Values by their leading bits.
    distinct : Counts or None
        Values, where there are few different ones.
    low, high : float
        The smallest and the largest.
    """

    rows: int
    missing: int
    beyond: int
    leading: Counts
    distinct: Counts | None
    low: float
    high: float

    @property
    def n(self) -> int:
        """Number of values."""
        return self.leading.n

    def merge(self, other: Numbers) -> Numbers:
        """Those of both parts."""
        distinct = None
        if self.distinct is not None and other.distinct is not None:
            both = self.distinct.merge(other.distinct)
            distinct = both if len(both.keys) <= FEW else None
        return Numbers(
            self.rows + other.rows,
            self.missing + other.missing,
            self.beyond + other.beyond,
            self.leading.merge(other.leading),
            distinct,
            min(self.low, other.low),
            max(self.high, other.high),
        )


@dataclass(frozen=True)
class Levels:
    """Levels of a column, by their first row; a missing one is None where it counts as a level.

    Parameters
    ----------
    rows, missing, n : int
        All rows, those without a value in the column, and those used.
    labels : tuple
        Different values.
    """

    rows: int
    missing: int
    n: int
    labels: tuple[Any, ...]

    def merge(self, other: Levels) -> Levels:
        """Those of both parts."""
        same = self.labels == other.labels
        labels = self.labels if same else tuple(dict.fromkeys(self.labels + other.labels))
        return Levels(
            self.rows + other.rows, self.missing + other.missing, self.n + other.n, labels
        )


@dataclass(frozen=True)
class Largest:
    """The largest weight."""

    weight: float

    def merge(self, other: Largest) -> Largest:
        """That of both parts."""
        return Largest(max(self.weight, other.weight))


@dataclass(frozen=True)
class Wanted:
    """A column to be counted.

    Parameters
    ----------
    name : hashable
        The column.
    kind : {"numbers", "levels", "weights"}
        How.
    known : tuple of hashable
        Columns without whose values a row does not count.
    explained : bool
        Whether it is a feature, of which no infinite value is accepted and a missing one is not a
        level, or another column that orders the levels of a feature.
    """

    name: Hashable
    kind: str
    known: Names = ()
    explained: bool = True


@dataclass(frozen=True)
class Counting:
    """The first scan: what the columns hold.

    Parameters
    ----------
    wanted : tuple of Wanted
        Columns, keys of the tallies.
    grids : dict of Wanted to ndarray
        The caller's own grids, to count the values outside.
    """

    wanted: tuple[Wanted, ...]
    grids: Mapping[Wanted, FloatArray] = field(default_factory=dict)

    @property
    def columns(self) -> list[Hashable]:
        """Those counted, and those whose missing values matter."""
        return list(dict.fromkeys(n for w in self.wanted for n in (w.name, *w.known)))

    def of(self, table: Table) -> Tallies:
        """Counts in a batch."""
        parts = {w.known: table.rows(known_rows(table, w.known)) for w in self.wanted}
        count = {"numbers": self._numbers, "levels": _levels, "weights": _largest}
        return {w: count[w.kind](w, table.column(w.name), parts[w.known]) for w in self.wanted}

    def _numbers(self, wanted: Wanted, whole: pd.Series, part: Table) -> Numbers:
        values = _values(part, wanted)
        keys = np.sort(in_order(values))
        return Numbers(
            rows=len(whole),
            missing=int(whole.isna().to_numpy().sum()),
            beyond=_beyond(values, self.grids.get(wanted)),
            leading=Counts.of(leading(keys)),
            distinct=Counts.of_few(keys, FEW),
            low=float(values.min(initial=np.inf)),
            high=float(values.max(initial=-np.inf)),
        )


def _values(table: Table, wanted: Wanted) -> FloatArray:
    """Numbers of a column that are known, (m,)."""
    if wanted.explained:
        known = table.rows(known_rows(table, (wanted.name,)))
        return numeric_values(known, wanted.name) if len(known) else np.empty(0)
    return finite_numbers(table.column(wanted.name))[0]


def finite_numbers(column: pd.Series) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Finite numbers of a column (m,), and which of its rows (n,) have them."""
    numbers = numbers_of(column)
    if numbers is None:
        raise FeatureError(
            f"column {column.name!r} holds numbers in some parts of X, something else in others, "
            f"such as {column.iloc[0]!r}"
        )
    known = np.isfinite(numbers)
    return (numbers if known.all() else numbers[known]), known


def _beyond(values: FloatArray, z: FloatArray | None) -> int:
    return 0 if z is None else int(((values < z[0]) | (values > z[-1])).sum())


def _levels(wanted: Wanted, whole: pd.Series, part: Table) -> Levels:
    column = part.column(wanted.name)
    missing = int(whole.isna().to_numpy().sum())
    used = column.dropna() if wanted.explained else column
    try:
        labels = used.unique()
    except (TypeError, NotImplementedError):  # such as lists
        raise no_levels(used) from None
    known = [
        None if missing_label else label
        for label, missing_label in zip(labels.tolist(), pd.isna(labels).tolist(), strict=True)
    ]
    return Levels(len(whole), missing, len(used), tuple(known))


def _largest(wanted: Wanted, _whole: pd.Series, part: Table) -> Largest:
    weights = row_weights(part.column(wanted.name), len(part))
    return Largest(float(weights.max(initial=0.0)))


@dataclass(frozen=True)
class Searching:
    """A further scan for order statistics: the buckets that they lie in are looked into."""

    searches: Mapping[tuple[Wanted, tuple[int, ...]], Search]

    @property
    def columns(self) -> list[Hashable]:
        """Those searched, and those whose missing values matter."""
        return Counting(tuple(wanted for wanted, _ in self.searches)).columns

    def of(self, table: Table) -> Tallies:
        """Counts in the buckets."""
        found: dict[Key, Counts] = {}
        for key, search in self.searches.items():
            wanted, _ = key
            part = table.rows(known_rows(table, wanted.known))
            numbers, _ = finite_numbers(part.column(wanted.name))
            found[key] = search.count(numbers)
        return found


# --- similarity of levels ---------------------------------------------------------------------


@dataclass(frozen=True)
class LevelTables:
    """How the rows of each level of a feature are distributed in every other column.

    Parameters
    ----------
    feature : Wanted
        The feature.
    labels : Index
        Its levels, numbered as the rows of the tables are.
    quantiles : dict of column name to ndarray (q,)
        Different quantiles of the numeric columns, increasing.
    others : dict of column name to Index
        Levels of all other columns; None stands for a missing value.
    """

    feature: Wanted
    labels: pd.Index
    quantiles: Mapping[Hashable, FloatArray]
    others: Mapping[Hashable, pd.Index]

    @property
    def columns(self) -> list[Hashable]:
        """All that matter."""
        return [self.feature.name, *self.feature.known, *self.quantiles, *self.others]

    def of(self, table: Table) -> Tallies:
        """Tables (levels, places) of a batch."""
        names = (self.feature.name, *self.feature.known)
        part = table.rows(known_rows(table, names))
        codes = places_of(part.column(self.feature.name), self.labels)
        found: dict[Key, Added] = {}
        for name, q in self.quantiles.items():
            values, known = finite_numbers(part.column(name))
            counts = np.zeros((len(self.labels), len(q)), dtype=np.int64)
            if len(values):
                counts = numeric_table(values, codes[known], len(self.labels), q)
            found[self.feature, name] = Added(counts)
        for name, labels in self.others.items():
            places = places_of(part.column(name), labels)
            size = (len(self.labels), len(labels))
            counts = np.bincount(codes * size[1] + places, minlength=size[0] * size[1])
            found[self.feature, name] = Added(counts.reshape(size))
        return found


@dataclass(frozen=True)
class Several:
    """Several scans in one pass over the data."""

    scans: tuple[Scan, ...]

    @property
    def columns(self) -> list[Hashable] | None:
        """Those of all."""
        needed: dict[Hashable, None] = {}
        for scan in self.scans:
            if scan.columns is None:
                return None
            needed |= dict.fromkeys(scan.columns)
        return list(needed)

    def of(self, table: Table) -> Tallies:
        """All tallies, whose keys differ."""
        return {key: tally for scan in self.scans for key, tally in scan.of(table).items()}


def places_of(column: pd.Series, labels: pd.Index) -> IntArray:
    """Position of each value of a column among the labels, (n,)."""
    found: IntArray
    if isinstance(column.dtype, pd.CategoricalDtype):
        places = labels.get_indexer(column.cat.categories)
        codes = column.cat.codes.to_numpy()
        missing = labels.get_indexer(pd.Index([None], dtype=object))[0]
        found = np.where(codes < 0, missing, places[codes])
    else:
        if labels.dtype == object:
            column = column.astype(object)
            column = column.where(column.notna(), None)
        found = labels.get_indexer(pd.Index(column, tupleize_cols=False))
    if (found < 0).any():
        raise _changed(column.name, column.iloc[int(np.flatnonzero(found < 0)[0])])
    return np.asarray(found, dtype=np.intp)


def _changed(name: Hashable, value: Any) -> SourceError:
    return SourceError(
        f"column {name!r} has the value {value!r}, which it had not when X was read before: X must "
        "be the same every time"
    )


# --- effects ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """An effect whose axes are laid, and whose rows are still to come.

    Parameters
    ----------
    axes : tuple of Axis
        Without codes.
    known : tuple of hashable
        Columns without whose values a row does not count.
    outside : {"error", "clip"}
        What to do with rows outside the grid.
    anchor : list of Axis or None
        The point at which every individual curve is 0.
    """

    axes: tuple[Axis, ...]
    known: Names
    outside: str = "error"
    anchor: list[Axis] | None = None

    def placed(self, table: Table, *, at_points: bool) -> list[Axis]:
        """The axes with the codes of the rows of a batch."""
        return [self._placed(axis, table.column(axis.name), at_points) for axis in self.axes]

    def _placed(self, axis: Axis, column: pd.Series, at_points: bool) -> Axis:
        if axis.kind == "categorical":
            return replace(axis, codes=places_of(column, index_of(axis)))
        values, known = finite_numbers(column)
        if not known.all():
            raise _changed(axis.name, column[~known].iloc[0])
        if at_points:
            codes = np.minimum(np.searchsorted(axis.points, values), len(axis.points) - 1)
            return replace(axis, codes=codes)
        inside = np.clip(values, axis.points[0], axis.points[-1])
        if self.outside == "error" and not np.array_equal(inside, values):
            raise _changed(axis.name, values[inside != values][0])
        return replace(axis, codes=bin_codes(inside, axis.points))


def index_of(axis: Axis) -> pd.Index:
    """Levels of an axis, to look values up in."""
    labels = axis.typed_points
    found: pd.Index = pd.Index(labels, dtype=labels.dtype, tupleize_cols=False)
    return found


@dataclass(frozen=True)
class Moved:
    """Local effects in each cell, and rows in each unit.

    Parameters
    ----------
    rows : int
        Number of rows that count.
    moments : CellMoments
        Of the local effects.
    units : ExactSums of (units,)
        Rows, or their weight, of each combination of levels and intervals.
    """

    rows: int
    moments: CellMoments
    units: ExactSums

    def merge(self, other: Moved) -> Moved:
        """Those of both parts."""
        return Moved(
            self.rows + other.rows,
            self.moments.merge(other.moments),
            self.units.merge(other.units),
        )


@dataclass(frozen=True)
class Averaged:
    """Predictions at each point, added up, and rows that stand for each.

    Parameters
    ----------
    rows : int
        Number of rows that count.
    total : ExactSums of (points,)
        Predictions, each times the weight of its row.
    weight : ExactSums of (points,)
        Weight of all rows, at each point the same.
    units : ExactSums of (points,)
        Rows, or their weight, that stand for the point.
    """

    rows: int
    total: ExactSums
    weight: ExactSums
    units: ExactSums

    def merge(self, other: Averaged) -> Averaged:
        """Those of both parts."""
        return Averaged(
            self.rows + other.rows,
            self.total.merge(other.total),
            self.weight.merge(other.weight),
            self.units.merge(other.units),
        )


@dataclass(frozen=True)
class Effects:
    """What the estimators keep of the rows, for several effects at once.

    Parameters
    ----------
    black_box : BlackBox
        What is explained.
    layouts : dict of key to Layout
        The effects.
    weights : hashable or None
        Column with the weights of the rows.
    batch_rows : int or None
        Largest number of rows in one call of the black box.
    """

    black_box: BlackBox
    layouts: Mapping[Key, Layout]
    weights: Hashable | None = None
    batch_rows: int | None = None

    @property
    def columns(self) -> None:
        """The black box sees all columns."""
        return None

    def of(self, table: Table) -> Tallies:
        """Tallies of each effect in a batch."""
        found = {}
        for key, layout in self.layouts.items():
            part = table.rows(known_rows(table, layout.known))
            weights = None
            if self.weights is not None:
                weights = row_weights(part.column(self.weights), len(part))
            found[key] = self.tally(layout, part, weights)
        return found

    def tally(self, layout: Layout, table: Table, weights: FloatArray | None) -> Any:
        """What is kept of the rows of one effect."""
        raise NotImplementedError

    def problem(self, table: Table) -> Problem:
        """What is explained, on these rows."""
        options = Options(batch_rows=self.batch_rows, progress=False)
        return Problem(table=table, black_box=self.black_box, options=options)


class LocalEffects(Effects):
    """Moments of the local effects of ALE."""

    def tally(self, layout: Layout, table: Table, weights: FloatArray | None) -> Moved:
        """Let every row move."""
        shape = tuple(axis.n_units for axis in layout.axes)
        if not len(table):
            nothing = CellMoments.zero(int(np.prod([axis.n_steps for axis in layout.axes])))
            return Moved(0, nothing, _zero(shape))
        axes = layout.placed(table, at_points=False)
        # The rows that are read together are predicted together: they are in memory anyway.
        problem = self.problem(table).but(batch_rows=self.batch_rows or len(table))
        moments = cell_moments(problem, table, axes, weights)
        categorical = any(axis.kind == "categorical" for axis in axes)
        units = _in_units(axes, shape, weights) if categorical else moments.weights
        return Moved(len(table), moments, units)


class Profiles(Effects):
    """Sums of predictions at each point, for partial dependence."""

    def tally(self, layout: Layout, table: Table, weights: FloatArray | None) -> Averaged:
        """Set every row to every point."""
        shape = tuple(len(axis.points) for axis in layout.axes)
        n, points = len(table), int(np.prod(shape))
        if not n:
            return Averaged(0, _zero(shape), _zero(shape), _zero(shape))
        axes, problem = layout.placed(table, at_points=True), self.problem(table)
        zero = np.zeros((n, 1))
        if layout.anchor is not None:
            [(_, zero)] = predictions_at_points(problem, table, layout.anchor)
        sums = [
            ExactSums.of_columns(values - zero, weights)
            for _, values in predictions_at_points(problem, table, axes)
        ]
        every = np.ones(n) if weights is None else weights
        behind = ExactSums.of_columns(every[:, None])
        weight = ExactSums(behind.low, np.repeat(behind.digits, points, axis=1))
        return Averaged(n, beside(sums), weight, _in_units(axes, shape, weights))


class Means(Effects):
    """Moments of the predictions of the rows as they are."""

    def tally(self, layout: Layout, table: Table, weights: FloatArray | None) -> CellMoments:  # noqa: ARG002
        """Predict every row."""
        if not len(table):
            return CellMoments.zero(1)
        values = self.black_box(table.with_columns())
        return CellMoments.of(values, np.zeros(len(values), np.intp), 1, weights)


def beside(sums: Sequence[ExactSums]) -> ExactSums:
    """Sums of some columns and of the following ones, in one."""
    used = [part for part in sums if len(part.digits)]
    cells = sum(part.digits.shape[1] for part in sums)
    if not used:
        return ExactSums(0, np.zeros((0, cells), dtype=np.int64))
    low = min(part.low for part in used)
    high = max(part.low + len(part.digits) for part in used)
    digits = np.zeros((high - low, cells), dtype=np.int64)
    start = 0
    for part in sums:
        end = start + part.digits.shape[1]
        if len(part.digits):
            digits[part.low - low : part.low - low + len(part.digits), start:end] = part.digits
        start = end
    return ExactSums(low, digits)


def _zero(shape: tuple[int, ...]) -> ExactSums:
    return ExactSums.of_integers(np.zeros(int(np.prod(shape)), dtype=np.intp))


def _in_units(
    axes: Sequence[Axis], shape: tuple[int, ...], weights: FloatArray | None
) -> ExactSums:
    """Rows, or their weight, with each combination of the axes' codes, flattened."""
    cells = np.ravel_multi_index(tuple(axis.codes for axis in axes), shape)
    size = int(np.prod(shape))
    if weights is None:
        return ExactSums.of_integers(np.bincount(cells, minlength=size))
    return ExactSums.of(weights, cells, size)
