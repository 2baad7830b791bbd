"""Tables of polars and pyarrow, through narwhals: read as pandas reads, handed on as they came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.errors import FeatureError

LIBRARIES = ("polars", "pyarrow")


def _narwhals(values: Any, **what: Any) -> Any:
    """The object as narwhals sees it, None for what is no such object of these libraries."""
    if type(values).__module__.partition(".")[0] not in LIBRARIES:
        return None
    import narwhals.stable.v2 as nw

    names = list(getattr(values, "column_names", ()))
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:  # which arrow allows
        raise FeatureError(f"column names of a table must be unique, got {twice} repeated")
    seen = nw.from_native(values, pass_through=True, **what)
    return None if seen is values else seen


def frame_of(values: Any) -> Any:
    """A table in memory as a frame of narwhals; None for anything else."""
    return _narwhals(values, eager_only=True)


def as_pandas(values: Any) -> Any:
    """A table or column of these libraries as one of pandas; anything else as it is."""
    frame = frame_of(values)
    if frame is not None:
        return pd.DataFrame({name: column_of(frame[name]) for name in frame.columns})
    column = _narwhals(values, series_only=True)
    return values if column is None else column_of(column)


def column_of(column: Any) -> pd.Series:
    """A column as one of pandas, (n,), nulls as missing values.

    Whole numbers keep their type beside nulls, enums are ordered categoricals, and whatever numpy
    has no type for (text, dates, decimals) becomes objects.
    """
    dtype, name = column.dtype, column.name
    kind = str(dtype).partition("(")[0]
    if kind in ("Categorical", "Enum"):
        return pd.Series(_categorical(column), name=name)
    if kind == "Datetime":
        times = pd.Series(column.to_numpy(), name=name)
        zone = dtype.time_zone
        return times if zone is None else times.dt.tz_localize("UTC").dt.tz_convert(zone)
    if dtype.is_integer() and column.null_count():
        known = pd.array(column.fill_null(0).to_numpy())
        known[column.is_null().to_numpy()] = pd.NA
        return pd.Series(known, name=name)
    plain = dtype.is_float() or dtype.is_integer() or kind == "Duration"
    if plain or (kind == "Boolean" and not column.null_count()):
        return pd.Series(column.to_numpy(), name=name)
    return pd.Series(column.to_list(), name=name, dtype=object)


def _categorical(column: Any) -> pd.Categorical:
    categories = column.cat.get_categories().to_list()
    arrow = column.implementation.is_pyarrow()
    ordered = column.to_native().type.ordered if arrow else str(column.dtype).startswith("Enum")
    return pd.Categorical(column.to_list(), categories=categories, ordered=ordered)


def with_columns(frame: Any, columns: Mapping[Any, Any], whole: Any) -> Any:
    """The table with some columns replaced, as it came.

    Parameters
    ----------
    frame : frame of narwhals of n rows
        What to copy.
    columns : mapping of name to array of pandas or numpy, (n,)
        New values.
    whole : callable(name) -> (column of narwhals, column of pandas)
        A column of all rows, in which each level of a category is found.
    """
    if not columns:
        return frame.clone().to_native()
    new = [_like(values, *whole(name)) for name, values in columns.items()]
    return frame.with_columns(*new).to_native()


def beside(frame: Any, name: str, values: np.ndarray[Any, Any]) -> Any:
    """The table with one more column at its end, as it came."""
    import narwhals.stable.v2 as nw

    return frame.with_columns(nw.new_series(name, values, backend=frame.implementation)).to_native()


def _like(values: Any, column: Any, known: pd.Series) -> Any:
    """An array of pandas or numpy as a column of the type of another one, if that can hold it."""
    import narwhals.stable.v2 as nw

    if isinstance(values, pd.Categorical):
        # Taken from the rows that have them, levels keep a type that narwhals has no words for.
        rows = np.flatnonzero(known.notna())[::-1]
        first = np.zeros(len(known.cat.categories), dtype=np.intp)
        first[known.cat.codes.to_numpy()[rows]] = rows
        place = known.cat.categories.get_indexer(values.categories)
        return column[first[place[values.codes]]]
    kept = True
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        values = np.asarray(values.tz_convert(None))
    elif not isinstance(values, np.ndarray):
        values = values.to_numpy(dtype=getattr(values.dtype, "numpy_dtype", None))
    if values.dtype == np.object_ and str(column.dtype).startswith("Decimal"):
        values = values.astype(np.float64)
    if values.dtype.kind in "fiu":  # numbers that are not of the column's type are wider
        kept = values.dtype == known.dtype or str(values.dtype) == str(known.dtype).lower()
    listed = values.tolist() if values.dtype == np.object_ else values
    new = nw.new_series(column.name, listed, backend=column.implementation)
    if getattr(column.dtype, "time_zone", None) is not None:
        new = new.dt.replace_time_zone("UTC")
    if not kept:
        return new
    if column.implementation.is_pyarrow():
        typed = new.to_native().cast(column.to_native().type)
        return nw.from_native(typed, series_only=True).alias(column.name)
    return new.cast(column.dtype)
