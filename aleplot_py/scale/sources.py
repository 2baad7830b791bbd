"""Data that come in parts: Parquet, a plan of polars, frames one after the other, Dask."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd

from aleplot_py.errors import SourceError
from aleplot_py.inputs.extras import needed
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.requests import is_dataset, is_of, reads_itself

#: Rows of a batch where the caller sets no bound.
ROWS = 2**18
#: Rows that tell the types of the columns, and a model from another.
HEAD = 1000

Columns = Sequence[Hashable] | None
Frames = Iterator[pd.DataFrame]


@dataclass(frozen=True)
class Part:
    """Some of the rows, read anew whenever they are asked for.

    Parameters
    ----------
    label : str
        Where they are, for messages.
    read : callable(columns, rows) -> iterator of DataFrame
        Frames of at most so many rows, with the columns asked for (None: all) and maybe others.
    """

    label: str
    read: Callable[[Columns, int], Frames]


class Source(Protocol):
    """What `open_source` knows of data in parts.

    Parameters
    ----------
    schema : Schema
        Names and types of the columns.
    size : int or None
        Number of parts, where it is known before they are read.
    identity : str or None
        What other data do not share; None where only reading them can tell.
    """

    schema: Schema
    size: int | None
    identity: str | None

    def parts(self) -> Iterator[Part]:
        """All parts, in order, from the first at every call."""


@dataclass(frozen=True)
class Schema:
    """Names and types that the frames of every part must have.

    Parameters
    ----------
    empty : DataFrame
        A frame without rows.
    widened : set of column names
        Columns that hold a missing value somewhere, so that whole numbers and truth values are
        read as another type only where they have one.
    """

    empty: pd.DataFrame
    widened: frozenset[Hashable] = frozenset()

    def fitted(self, frame: pd.DataFrame, columns: Columns, label: str) -> pd.DataFrame:
        """The frame with these columns, in the order and of the type that all parts have.

        Raises
        ------
        SourceError
            With the part and the column, if one is missing or of another type.
        """
        names = list(self.empty.columns) if columns is None else list(columns)
        for name in names:
            if name not in frame.columns:
                raise SourceError(f"{label} has no column {name!r}, which other parts of X have")
        if list(frame.columns) != names:
            frame = frame[names]
        cast: dict[int, Any] = {}
        types = zip(names, frame.dtypes, self.empty[names].dtypes, strict=True)
        for place, (name, dtype, wanted) in enumerate(types):
            if dtype == wanted and not isinstance(wanted, pd.CategoricalDtype):
                continue
            if not self._may_become(dtype, wanted, name):
                raise SourceError(
                    f"column {name!r} has type {_described(dtype)} in {label}, but "
                    f"{_described(wanted)} in other parts of X"
                )
            if not isinstance(wanted, pd.CategoricalDtype):
                cast[place] = frame[name].astype(wanted)
            elif not dtype.categories.equals(wanted.categories):
                # No cast: pandas takes types with categories in another order for the same.
                cast[place] = frame[name].cat.set_categories(wanted.categories)
        frame = frame.copy(deep=False) if cast else frame
        for place, values in cast.items():
            frame.isetitem(place, values)
        return frame

    def _may_become(self, dtype: Any, wanted: Any, name: Hashable) -> bool:
        if not isinstance(wanted, pd.CategoricalDtype):
            return name in self.widened
        fits = isinstance(dtype, pd.CategoricalDtype) and dtype.ordered == wanted.ordered
        return fits and bool(dtype.categories.isin(wanted.categories).all())


def _described(dtype: Any) -> str:
    if isinstance(dtype, pd.CategoricalDtype):
        ordered = "ordered " if dtype.ordered else ""
        return f"{ordered}category with {len(dtype.categories)} categories"
    return str(dtype)


def open_source(X: Any) -> Source:
    """Look at what the rows are, and at their types, without reading them.

    Raises
    ------
    SourceError
        If they cannot be read, or only once.
    """
    if isinstance(X, (str, PathLike)):
        return _dataset_at(Path(X))
    if is_of(X, "polars", "LazyFrame"):
        return _with_categories(_Plan(X))
    if reads_itself(X):
        return X  # type: ignore[no-any-return]
    if is_dataset(X):
        return _with_categories(_Dataset(X))
    if is_of(X, "dask", "DataFrame"):
        return Collection(X)
    if iter(X) is X:
        raise SourceError(
            f"X must be readable several times, got a {type(X).__name__}: pass a list of frames, "
            "or an object whose __iter__ begins anew"
        )
    return _Sequence(X)


def head_of(source: Source) -> Table:
    """The first rows, from the first part that has some.

    Raises
    ------
    SourceError
        If there are none.
    """
    for part in source.parts():
        for frame in part.read(None, HEAD):
            if len(frame):
                return Table(source.schema.fitted(frame.iloc[:HEAD], None, part.label))
    raise SourceError("X must have rows, got none in all of its parts")


def digest_of(frame: pd.DataFrame) -> str:
    """What frames with other values do not share."""
    found = hashlib.sha256(repr(list(zip(frame.columns, frame.dtypes, strict=True))).encode())
    found.update(pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes())
    return found.hexdigest()


def _slices(frame: pd.DataFrame, rows: int) -> Frames:
    for start in range(0, len(frame), rows):
        yield frame.iloc[start : start + rows]


class _Sequence:
    """Frames of pandas, one after the other."""

    identity: str | None = None

    def __init__(self, frames: Iterable[pd.DataFrame]) -> None:
        self.frames = frames
        self.size: int | None = len(frames) if isinstance(frames, Sized) else None
        first = next(iter(frames))
        if not first.columns.is_unique:
            raise SourceError(f"X must have different column names, got {list(first.columns)}")
        self.schema = Schema(first.iloc[:0])

    def parts(self) -> Iterator[Part]:
        for number, frame in enumerate(self.frames):
            if not isinstance(frame, pd.DataFrame):
                raise SourceError(f"X must be frames, got a {type(frame).__name__} at {number}")
            yield Part(f"frame {number}", self._reader(frame, f"frame {number}"))

    def _reader(self, frame: pd.DataFrame, label: str) -> Callable[[Columns, int], Frames]:
        def read(_columns: Columns, rows: int) -> Frames:
            # Checked as a whole: which categories there are must not depend on the frame.
            whole = self.schema.empty.dtypes
            for name in frame.columns.intersection(self.schema.empty.columns):
                if frame[name].dtype != whole[name]:
                    raise SourceError(
                        f"column {name!r} has type {_described(frame[name].dtype)} in {label}, "
                        f"but {_described(whole[name])} in frame 0"
                    )
            return _slices(frame, rows)

        return read


class _Dataset:
    """A dataset of pyarrow; the groups of rows of its Parquet files are the parts."""

    def __init__(self, dataset: Any) -> None:
        self.arrow = needed("pyarrow", "a dataset", "scale")
        self.fields = needed("pyarrow.dataset", "a dataset", "scale").field
        self.dataset = dataset
        try:
            self.pieces = [
                (f"{fragment.path}, row group {piece.row_groups[0].id}", piece)
                if hasattr(piece, "row_groups")
                else (getattr(fragment, "path", f"fragment {number}"), piece)
                for number, fragment in enumerate(dataset.get_fragments())
                for piece in self._split(fragment)
            ]
        except (self.arrow.ArrowException, OSError) as error:
            raise SourceError(f"X cannot be read: {error}") from error
        except ValueError as error:
            raise SourceError(
                f"X must be a dataset without filter or projection: {error}"
            ) from None
        self.size = len(self.pieces)
        empty = dataset.schema.empty_table().to_pandas()
        counted = [name for name in empty.columns if isinstance(empty[name].dtype, np.dtype)]
        counted = [name for name in counted if empty[name].dtype.kind in "iub"]
        widened = frozenset(name for name in counted if self._has_null(name))
        types = {n: object if empty[n].dtype.kind == "b" else np.float64 for n in widened}
        self.schema = Schema(empty.astype(types), widened)
        self.identity = self._identity()

    def _split(self, fragment: Any) -> list[Any]:
        schema = fragment.physical_schema
        for field in self.dataset.schema:
            if field.name in _given_by_path(fragment):
                continue
            if field.name not in schema.names:
                raise SourceError(
                    f"{fragment.path} has no column {field.name!r}, which other parts of X have"
                )
            found = schema.field(field.name).type
            if not found.equals(field.type):
                raise SourceError(
                    f"column {field.name!r} has type {found} in {fragment.path}, but {field.type} "
                    "in other parts of X"
                )
        return (
            list(fragment.split_by_row_group()) if hasattr(fragment, "row_groups") else [fragment]
        )

    def _has_null(self, name: str) -> bool:
        """Whether a column holds a missing value, from the statistics of the files if they tell."""
        known = 0
        for _, piece in self.pieces:
            count = _nulls_of(piece, name)
            if count is None:
                missing = self.fields(name).is_null()
                return bool(self.dataset.count_rows(filter=missing))
            known += count
        return known > 0

    def _identity(self) -> str:
        described = [str(self.dataset.schema)]
        for label, piece in self.pieces:
            described.append(label)
            if (path := Path(getattr(piece, "path", ""))).is_file():
                described.append(f"{path.stat().st_size} {path.stat().st_mtime_ns}")
        return hashlib.sha256("\n".join(described).encode()).hexdigest()

    def parts(self) -> Iterator[Part]:
        for label, piece in self.pieces:
            yield Part(label, self._reader(label, piece))

    def _reader(self, label: str, piece: Any) -> Callable[[Columns, int], Frames]:
        def read(columns: Columns, rows: int) -> Frames:
            names = None if columns is None else list(columns)
            try:
                for batch in piece.to_batches(self.dataset.schema, columns=names, batch_size=rows):
                    if len(batch):
                        yield self.arrow.Table.from_batches([batch]).to_pandas(split_blocks=True)
            except (self.arrow.ArrowException, OSError) as error:
                raise SourceError(f"{label} cannot be read: {error}") from error

        return read


def _given_by_path(fragment: Any) -> set[str]:
    ds = needed("pyarrow.dataset", "a dataset", "scale")
    return set(ds.get_partition_keys(fragment.partition_expression))


def _nulls_of(piece: Any, name: str) -> int | None:
    """Number of missing values in a group of rows, None where the file does not tell."""
    if not hasattr(piece, "row_groups"):
        return None
    if name in _given_by_path(piece):
        return 0
    group = piece.metadata.row_group(piece.row_groups[0].id)
    for number in range(group.num_columns):
        column = group.column(number)
        if column.path_in_schema == name:
            told = column.statistics
            return told.null_count if told is not None and told.has_null_count else None
    return None


def _dataset_at(path: Path) -> Source:
    pa, ds = (needed(m, "a Parquet file", "scale") for m in ("pyarrow", "pyarrow.dataset"))
    if not path.exists():
        raise SourceError(f"X={str(path)!r} is no file or folder")
    try:
        # The types of columns that folders are named after are those of pandas.read_parquet.
        folders = ds.HivePartitioning.discover(infer_dictionary=True)
        return _with_categories(_Dataset(ds.dataset(path, format="parquet", partitioning=folders)))
    except (pa.ArrowException, OSError) as error:
        raise SourceError(f"X={str(path)!r} cannot be read as Parquet: {error}") from error


class _Plan:
    """A lazy frame of polars, which polars itself reads in batches."""

    size: int | None = 1

    def __init__(self, plan: Any) -> None:
        polars = needed("polars", "a LazyFrame", "scale")
        self.plan = plan
        empty = plan.head(0).collect().to_pandas()
        counted = [name for name in empty.columns if empty[name].dtype.kind in "iub"]
        nulls = plan.select(polars.col(name).null_count() for name in counted).collect()
        widened = frozenset(name for name in counted if nulls[name].item())
        types = {n: object if empty[n].dtype.kind == "b" else np.float64 for n in widened}
        self.schema = Schema(empty.astype(types), widened)
        self.identity = hashlib.sha256(plan.explain().encode()).hexdigest()

    def parts(self) -> Iterator[Part]:
        def read(columns: Columns, rows: int) -> Frames:
            plan = self.plan if columns is None else self.plan.select(list(columns))
            for batch in plan.collect_batches(chunk_size=rows, maintain_order=True):
                yield from _slices(batch.to_pandas(), rows)

        yield Part("the LazyFrame", read)


class Collection:
    """A DataFrame of Dask, whose partitions are read where Dask computes them."""

    identity: str | None = None

    def __init__(self, frame: Any) -> None:
        needed("distributed", "a DataFrame of Dask", "scale")
        self.frame = frame
        self.size: int | None = frame.npartitions
        self.schema = Schema(frame._meta.iloc[:0])
        for name, dtype in self.schema.empty.dtypes.items():
            if isinstance(dtype, pd.CategoricalDtype) and not frame[name].cat.known:
                raise SourceError(
                    f"column {name!r} has categories that Dask does not know: call "
                    "X = X.categorize() first"
                )

    def parts(self) -> Iterator[Part]:
        """The partitions, computed one by one."""
        for number in range(self.frame.npartitions):

            def read(columns: Columns, rows: int, number: int = number) -> Frames:
                part = self.frame if columns is None else self.frame[list(columns)]
                return _slices(part.get_partition(number).compute(), rows)

            yield Part(f"partition {number}", read)


def _with_categories(source: Any) -> Source:
    """The source with all categories of its columns: every batch may know some of them only."""
    empty = source.schema.empty
    names = [n for n, d in empty.dtypes.items() if isinstance(d, pd.CategoricalDtype)]
    if not names:
        return source  # type: ignore[no-any-return]
    declared: dict[Hashable, list[pd.Index]] = {name: [] for name in names}
    for part in source.parts():
        for frame in part.read(names, ROWS):
            for name in names:
                categories = frame[name].cat.categories
                if not any(
                    categories is known or categories.equals(known) for known in declared[name]
                ):
                    declared[name].append(categories)
    types = {}
    for name in names:
        ordered = empty[name].cat.ordered
        if ordered and len(declared[name]) > 1:
            raise SourceError(
                f"column {name!r} has ordered categories that differ between parts of X: "
                f"{list(declared[name][0])} and {list(declared[name][1])}"
            )
        union = declared[name][0] if declared[name] else empty[name].cat.categories
        for categories in declared[name][1:]:
            union = union.append(categories.difference(union, sort=False))
        types[name] = pd.CategoricalDtype(union, ordered)
    source.schema = Schema(empty.astype(types), source.schema.widened)
    return source  # type: ignore[no-any-return]
