"""The caller's rows: read by column, copied with columns replaced, never written to."""

from __future__ import annotations

import copy
import zlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aleplot_py.errors import SourceError
from aleplot_py.inputs import native
from aleplot_py.inputs.arrays import numbers_of, with_its_type
from aleplot_py.inputs.memory import Memory
from aleplot_py.inputs.times import times_of, to_numbers, to_times
from aleplot_py.steps.axis import Times
from aleplot_py.steps.grid import FloatArray, IntArray

Layout = Literal["array", "alike", "mixed", "own"]

#: Rows up to which a result copies the values of a column. Of more it reads them from the caller's
#: rows when they are asked for: copies of all columns would double what the caller needs.
COPIED_ROWS = 2**16


@dataclass(frozen=True)
class Table:
    """A data frame, or a two-dimensional array whose columns are named 0, 1, ...

    Parameters
    ----------
    data : DataFrame or ndarray of shape (n, d), or sparse matrix where it is only fitted to
        The caller's object.
    frame : frame of narwhals, optional
        The same, where it is a table of another library than pandas.
    memory : Memory
        Where copies of the rows lie.
    """

    data: Any
    frame: Any = field(default=None, compare=False, repr=False)
    _read: dict[Hashable, pd.Series] = field(default_factory=dict, compare=False, repr=False)
    _whole: Table | None = field(default=None, compare=False, repr=False)
    _columns: dict[int, np.ndarray[Any, Any]] = field(
        default_factory=dict, compare=False, repr=False
    )
    _times: dict[Hashable, Times | None] = field(default_factory=dict, compare=False, repr=False)
    _labels: list[pd.Index] = field(default_factory=list, compare=False, repr=False)
    _views: dict[int, np.ndarray[Any, Any]] = field(default_factory=dict, compare=False, repr=False)
    memory: Memory = field(default_factory=Memory, compare=False, repr=False)

    def __len__(self) -> int:
        return int(self.data.shape[0])

    @cached_property
    def names(self) -> list[Hashable]:
        """Column names, or positions for an array."""
        if self._whole is not None:
            return self._whole.names
        if isinstance(self.data, pd.DataFrame):
            return list(self.data.columns)
        return list(range(self.data.shape[1]) if self.frame is None else self.frame.columns)

    @cached_property
    def places(self) -> dict[Hashable, list[int]]:
        """Positions of the columns of each name."""
        if self._whole is not None:
            return self._whole.places
        places: dict[Hashable, list[int]] = {}
        for position, name in enumerate(self.names):
            places.setdefault(name, []).append(position)
        return places

    @cached_property
    def _layout(self) -> Layout:
        return _layout(self.data)

    @cached_property
    def _taken_as_copied(self) -> bool:
        """Whether pandas takes some rows as it copies them: new, a column together in memory.

        Of a frame whose rows lie together it takes rows, but copies columns in some versions.
        """
        if not isinstance(self.data, pd.DataFrame) or self._layout != "mixed" or len(self) == 1:
            return False
        columns = [column for _, column in self.data.items() if isinstance(column.dtype, np.dtype)]
        return all(column.to_numpy().flags.c_contiguous for column in columns)

    def column(self, name: Hashable) -> pd.Series:
        """One column, (n,)."""
        position = self.places[name][0]
        if isinstance(self.data, pd.DataFrame):
            latest = self._read.get(name)
            if latest is None:  # an axis is laid in several looks at the same column
                latest = self.data.iloc[:, position]
                self._read.clear()
                self._read[name] = latest
            return latest
        if name not in self._read:
            if isinstance(self.data, np.ndarray) and len(self) > COPIED_ROWS:
                self._read.clear()
            if self.frame is not None:
                self._read[name] = native.column_of(self.frame[name])
            else:
                self._read[name] = _series(self._values(position), name)
        return self._read[name]

    def _values(self, position: int) -> np.ndarray[Any, Any]:
        """A column of an array, (n,), read in one pass, since it lies far apart there."""
        if position not in self._columns:
            if len(self) > COPIED_ROWS:
                self._columns.clear()
            values = np.array(self.data[:, position])
            values.flags.writeable = False  # what nobody writes to a result need not copy
            self._columns[position] = values
        return self._columns[position]

    def doubles(self, name: Hashable) -> FloatArray | None:
        """A column of doubles as it is, (n,), which no pandas need look at; None for any other."""
        if isinstance(self.data, np.ndarray) and self.data.dtype == np.float64:
            return self._values(self.places[name][0])
        if not isinstance(self.data, pd.DataFrame):
            return None
        column = self.column(name)
        return column.to_numpy() if column.dtype == np.float64 else None

    def kept(self, name: Hashable, numbers: FloatArray) -> Any:
        """What a result keeps of a column's numbers (n,): these, or how to read them again."""
        if len(self) <= COPIED_ROWS or self._whole is not None:
            return numbers
        if isinstance(self.data, np.ndarray):
            source: Any = _series(self.data[:, self.places[name][0]], name)
        else:
            source = self.column(name) if self.frame is None else self.frame[name].to_native()
        return partial(_read_again, source, name, self.times(name), _checksum(numbers))

    def missing(self, name: Hashable) -> NDArray[np.bool_]:
        """Whether each row has no value in a column, (n,)."""
        values = self.doubles(name)
        if values is not None:
            return np.isnan(values)
        return np.asarray(self.column(name).array.isna())

    def _own_labels(self) -> pd.Index:
        """Labels for a copy's columns, whose places are looked up once for all copies."""
        columns = self.data.columns
        # They share no memory with the caller's, and a black box may have written to them.
        if not (self._labels and self._labels[0].equals(columns)):
            labels = columns.copy(deep=True)
            labels.is_unique  # noqa: B018 (makes the table of places, which threads must not)
            self._labels[:] = [labels]
        return self._labels[0].view()

    def to_pandas(self) -> pd.DataFrame:
        """The columns as a frame of pandas; that itself where they are one."""
        if isinstance(self.data, pd.DataFrame):
            return self.data
        columns = {name: self.column(name) for name in self.names}
        return pd.DataFrame(self.data if self.frame is None else columns)

    def like(self, frame: pd.DataFrame) -> Any:
        """Other rows, in a frame of pandas, as a table of this one's library."""
        rows = self.frame[np.zeros(len(frame), dtype=np.intp)]
        columns = {name: frame[name].array for name in frame}
        return native.with_columns(rows, columns, self._as_both)

    def _as_both(self, name: Hashable) -> tuple[Any, pd.Series]:
        """A column of all rows as narwhals and as pandas have it."""
        whole = self._whole or self
        return whole.frame[name], whole.column(name)

    def others(self, name: Hashable) -> list[pd.Series]:
        """Every column but one, each (n,)."""
        if isinstance(self.data, pd.DataFrame):
            own = self.places[name][0]
            return [column for i, (_, column) in enumerate(self.data.items()) if i != own]
        if self.frame is not None:
            return [self.column(other) for other in self.names if other != name]
        return [pd.Series(self.data[:, i]) for i in range(self.data.shape[1]) if i != name]

    def rows(self, chosen: slice | IntArray) -> Table:
        """Some of the rows, in the order given."""
        if isinstance(chosen, slice) and chosen.indices(len(self)) == (0, len(self), 1):
            return self
        whole = self._whole or self
        if self.frame is not None:
            frame = self.frame[chosen]
            return Table(frame.to_native(), frame, _whole=whole)
        data = self.data.iloc[chosen] if isinstance(self.data, pd.DataFrame) else self.data[chosen]
        return Table(data, _whole=whole, _labels=self._labels, memory=self.memory)

    def times(self, name: Hashable) -> Times | None:
        """What numbers on an axis of a column of times count, None for any other column.

        Some of the rows have the numbers that they have among all rows.
        """
        whole = self._whole or self
        if name not in whole._times:
            plain = whole.doubles(name) is not None
            whole._times[name] = None if plain else times_of(whole.column(name))
        return whole._times[name]

    def numbers(self, name: Hashable) -> FloatArray | None:
        """Column as floats on its axis, (n,), missing ones as NaN; None for categories."""
        values = self.doubles(name)
        if values is not None:
            return values
        times = self.times(name)
        column = self.column(name)
        return numbers_of(column) if times is None else to_numbers(column, times)

    def counting(self, times: Mapping[Hashable, Times | None]) -> Table:
        """The same rows with the numbers of another table's columns of times."""
        return Table(self.data, self.frame, _times=dict(times))

    def typed(self, name: Hashable, points: FloatArray) -> Any:
        """Points (P,) on the axis of a column as values of its own type; see `typed_points`.

        None where they are: in a column of doubles.
        """
        if self.doubles(name) is not None:
            return None
        times, column = self.times(name), self.column(name)
        return typed_points(points, column) if times is None else typed_times(points, column, times)

    def _repeated(self, repeats: int) -> np.ndarray[Any, Any]:
        """View of an array, (repeats, n, d): the same one each time, which `memory` knows again."""
        view = self._views.get(repeats)
        if view is None:
            view = self._views[repeats] = np.broadcast_to(self.data, (repeats, *self.data.shape))
        return view

    def with_columns(
        self,
        columns: Mapping[Hashable, Any] | None = None,
        repeats: int | None = None,
        rows: IntArray | None = None,
    ) -> pd.DataFrame | np.ndarray[Any, Any]:
        """Copy with some columns replaced; index, names, order and other dtypes are kept.

        Parameters
        ----------
        columns : mapping of name to array of shape (n,)
            New values. None gives a plain copy.
        repeats : int, optional
            All rows follow each other so many times; new values are then of shape (repeats x n,),
            or (repeats,) where all rows of a time get the same.
        rows : ndarray of int of shape (m,), optional
            Only these rows; new values are then of shape (m,).

        Returns
        -------
        DataFrame or ndarray of shape (n, d) or (repeats x n, d), or table of the caller's library
            An object that the black box may keep or change without touching the caller's.
        """
        if rows is not None and not (self._taken_as_copied and len(rows) < len(self)):
            return self.rows(rows).with_columns(columns)
        replaced = dict(columns or {})
        positions = [self.places[name][0] for name in replaced]
        if not isinstance(self.data, np.ndarray):
            for name, values in replaced.items():
                replaced[name] = values.repeat(len(self)) if len(values) == repeats else values
        if self.frame is not None:
            again = slice(None) if repeats is None else np.tile(np.arange(len(self)), repeats)
            return native.with_columns(self.frame[again], replaced, self._as_both)  # type: ignore[no-any-return]
        at = dict(zip(positions, replaced.values(), strict=True))
        if isinstance(self.data, pd.DataFrame):
            data, layout, labels = self.data, self._layout, self._own_labels()
            if rows is not None:
                data, layout = data.take(rows), "own"
            frame: pd.DataFrame = _copied(data, self.memory, repeats, at, layout, labels)
            return frame
        dtype = np.result_type(self.data.dtype, *(values.dtype for values in at.values()))
        if repeats is None:
            return self.memory.copy(self.data, dtype, at, self._columns)
        at = {position: values.reshape(repeats, -1) for position, values in at.items()}
        return self.memory.copy(self._repeated(repeats), dtype, at).reshape(-1, len(self.names))


def _series(values: np.ndarray[Any, Any], name: Hashable) -> pd.Series:
    """A column of an array, (n,), not copied."""
    # Text of an array is objects: a type of pandas could not be written back.
    own: Any = object if values.dtype.kind in "OSU" else None
    column: pd.Series = pd.Series(values, name=name, dtype=own, copy=False)
    return column


def _read_again(source: Any, name: Hashable, times: Times | None, known: int) -> FloatArray:
    """Numbers of a column that was left with the caller, if they are those `known` by checksum."""
    column = with_its_type(source)
    try:
        values = numbers_of(column) if times is None else to_numbers(column, times)
        numbers = np.array(values, dtype=np.float64)
        if _checksum(numbers) == known:
            return numbers
    except (TypeError, ValueError, ArithmeticError):  # such as text among numbers or times
        pass
    raise SourceError(
        f"column {name!r} of X was overwritten after its effect was computed: of more than "
        f"{COPIED_ROWS:,} rows a result reads the observed values from X, so compute it from a "
        "copy, X.copy()"
    )


def _checksum(numbers: FloatArray) -> int:
    return zlib.crc32(np.ascontiguousarray(numbers).data)


def own_copy(values: Any) -> Any:
    """Copy of a frame or series that shares no memory, and lies in memory in the same order."""
    frame = isinstance(values, pd.DataFrame)
    labels = values.columns.copy(deep=True) if frame else None
    return _copied(values, Memory(), None, {}, _layout(values), labels)


def _copied(
    values: Any,
    memory: Memory,
    repeats: int | None,
    replaced: Mapping[int, Any],
    layout: Layout,
    labels: pd.Index | None,
) -> Any:
    """Copy of a frame or series as `own_copy` makes it, with some columns replaced.

    With `repeats` all rows of a frame follow each other so many times. One that is our own already
    is not copied.

    A shallow copy is not safe in any version of pandas: ``frame[name].array`` and
    ``frame.index.array`` write through it. The last bit of a fit or prediction may depend on the
    order in memory, which pandas' own deep copy changes for a frame made from an array.
    """
    if repeats is None:
        again: Any = slice(None)
        index = values.index
    else:
        again = np.tile(np.arange(len(values)), repeats)
        index = values.index.take(again)
    if layout == "own":
        copied = values
    elif layout != "mixed":
        numbers = values.to_numpy()
        if repeats is not None:
            numbers = _repeated_in_order(memory, numbers, repeats)
        elif layout == "array":
            # Column after column, as pandas would bring them together after one is replaced.
            turned = numbers.strides[0] == numbers.itemsize or numbers.flags.f_contiguous
            within = turned and all(column.dtype == numbers.dtype for column in replaced.values())
            numbers = memory.copy(numbers, numbers.dtype, replaced if within else None)
            replaced = {} if within else replaced
        copied = pd.DataFrame(numbers, index, values.columns, copy=False)
    else:  # pandas takes all rows once, or some of them in turn, without copying
        copied = (values if repeats is None else values.iloc[again]).copy()
    copied.attrs = copy.deepcopy(values.attrs)
    copied.index = index.copy(deep=True)
    if labels is not None:
        copied.columns = labels
    for position, column in replaced.items():
        if column.dtype == np.object_:  # of which pandas would make times or text
            column = pd.Series(column, copied.index, dtype=object, copy=False)
        copied.isetitem(position, column)
    return copied


def _repeated_in_order(
    memory: Memory, numbers: np.ndarray[Any, Any], repeats: int
) -> np.ndarray[Any, Any]:
    """Rows so many times, in C order if they lie so, else column after column."""
    if numbers.flags.c_contiguous:
        again = np.broadcast_to(numbers, (repeats, *numbers.shape))
        return memory.copy(again, numbers.dtype).reshape(-1, numbers.shape[1])
    n, d = numbers.shape
    columns = np.broadcast_to(numbers.T[:, None], (d, repeats, n))
    return memory.copy(columns, numbers.dtype).reshape(d, -1).T


def _layout(frame: Any) -> Layout:
    """Whether a frame is one array of numbers, has numbers of one type only, or neither."""
    dtypes = set(frame.dtypes) if type(frame) is pd.DataFrame else set()
    if len(dtypes) != 1 or not isinstance(kind := dtypes.pop(), np.dtype) or kind.kind not in "iuf":
        return "mixed"
    frame = frame.iloc[:1]  # of which pandas may make an array without copying all rows
    shared = np.may_share_memory(frame.to_numpy(), frame.iloc[:, 0].to_numpy())
    return "array" if shared else "alike"


def typed_points(points: FloatArray, column: pd.Series) -> Any:
    """Grid points as values of the column's own type where it can hold them, else as floats.

    Integers stay integers on a grid of data values and become floats on a grid between them,
    so that nothing is truncated.

    Parameters
    ----------
    points : ndarray of shape (P,)
        Grid points.
    column : Series of length n
        The numeric column they will be written to.

    Returns
    -------
    ndarray or ExtensionArray of shape (P,)
        The same numbers.
    """
    dtype = column.dtype
    if dtype == np.float64 or dtype == np.object_:
        return points.astype(cast("Any", dtype))
    try:
        with np.errstate(invalid="ignore", over="ignore"):  # beyond the type: compared below
            typed: Any = pd.array(cast("Any", points), dtype=cast("Any", dtype))
    except (TypeError, ValueError, OverflowError):
        return points
    kept = np.array_equal(np.asarray(typed, dtype=np.float64), points)
    if not kept:
        return points
    return typed if isinstance(dtype, pd.api.extensions.ExtensionDtype) else np.asarray(typed)


def typed_times(points: FloatArray, column: pd.Series, times: Times) -> Any:
    """Points (P,) on an axis of times as values of the column's own type."""
    typed, dtype = to_times(points, times), cast("Any", column.dtype)
    if isinstance(dtype, pd.ArrowDtype):
        return pd.array(typed.astype(object), dtype=dtype)
    # Types of numpy are those that arrays have, too.
    return np.asarray(typed, dtype=dtype) if isinstance(dtype, np.dtype) else typed


def batches(n: int, batch_rows: int | None) -> Sequence[slice]:
    """Slices of at most `batch_rows` rows that cover n rows in order."""
    if batch_rows is None or batch_rows >= n:
        return [slice(0, n)]
    return [slice(start, min(start + batch_rows, n)) for start in range(0, n, batch_rows)]
