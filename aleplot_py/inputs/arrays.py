"""Arrays of pandas as arguments, read alike by every supported version of pandas.

Before pandas 2.2 numpy sees an array of nullable numbers (``Int64``, ``Float64``) as objects, and
before pandas 3 it refuses one with a missing value.
"""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aleplot_py.inputs.native import as_pandas
from aleplot_py.steps.grid import FloatArray

ExtensionArray = pd.api.extensions.ExtensionArray
ExtensionDtype = pd.api.extensions.ExtensionDtype


def as_floats(values: Any) -> NDArray[np.float64]:
    """Numbers of any array-like as floats, missing ones as NaN; an array of floats itself.

    Raises
    ------
    TypeError, ValueError
        If the values are no real numbers: text and times are none, though numpy would read them.
    """
    values = as_pandas(values)
    if isinstance(getattr(values, "dtype", None), ExtensionDtype):
        values = values.astype(np.float64)
    array = np.asarray(unmasked(values))
    if array.dtype.kind in "cUSmM":
        raise TypeError(f"expected real numbers, got an array of {array.dtype}")
    return np.asarray(array, dtype=np.float64)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The array if it cannot be written to by anyone, else a copy that cannot.

    The copy keeps the order of the axes in memory, on which the last bit of a sum depends.
    """
    owner: Any = array
    while isinstance(owner, np.ndarray) and not owner.flags.writeable:
        owner = owner.base
    if owner is None:
        return array
    copy = array.copy(order="K")
    copy.flags.writeable = False
    return copy


# Up to here doubles hold every whole number.
WHOLE = 2.0**53


def inexact(values: Any, floats: NDArray[np.float64]) -> Any:
    """First whole number beyond 2**53 that its double is not equal to, None where there is none.

    Parameters
    ----------
    values : array-like of shape (n,)
        Numbers of any type, possibly wider than doubles.
    floats : ndarray of shape (n,)
        The same as doubles.
    """
    if floats.size and floats.min() >= -WHOLE and floats.max() <= WHOLE:
        return None
    large = np.flatnonzero(np.isfinite(floats) & (np.abs(floats) > WHOLE))
    if not large.size:
        return None
    if isinstance(values, (pd.Series, pd.Index, ExtensionArray)):
        wide = np.asarray(values.take(large).to_numpy())
    else:
        wide = np.asarray(values).ravel()[large]
    if wide.dtype.kind in "iu":
        size = np.abs(wide).astype(np.uint64)
        odd = size // (size & (~size + np.uint64(1)))  # without its factors of two
        lost = odd > np.uint64(2**53)
    else:
        pairs = zip(wide, floats[large].tolist(), strict=True)
        lost = np.array([given % 1 == 0 and given != double for given, double in pairs])
    return wide[lost][0] if lost.any() else None


def unmasked(values: Any) -> Any:
    """Masked entries as missing ones, which numpy would show as if they were known."""
    if not isinstance(values, np.ma.MaskedArray) or not np.ma.is_masked(values):
        return values
    widened: Any = values.astype(np.result_type(values.dtype, np.float16))
    return widened.filled(np.nan)


def with_its_type(values: Any) -> Any:
    """Wrap an array or index of pandas in a series, which keeps its type; the rest as it is.

    A column or table of another library becomes one of pandas.
    """
    if isinstance(values, (pd.Index, ExtensionArray)):
        return pd.Series(values)
    return as_pandas(values)


def as_column(values: Any, argument: str) -> Any:
    """Values (n,) of any array-like as a series, each of its own type, masked ones as missing.

    numpy would make text of what stands beside text in a list, and of a missing value there. What
    has another shape stays an array or a table.
    """
    values = with_its_type(values)
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()
    own = values if isinstance(values, (pd.Series, pd.DataFrame, np.ndarray)) else None
    array = np.asarray(values, dtype=object) if own is None else own
    if array.ndim != 1 or isinstance(array, pd.Series):
        return array
    if array.dtype.names is not None:
        raise TypeError(f"{argument} must be plain values, got the fields {array.dtype.names}")
    return pd.Series(array)


NUMBERS_AS_OBJECTS = {"integer", "floating", "mixed-integer-float", "decimal"}
TIMES_AS_OBJECTS = {"datetime", "datetime64", "timedelta", "timedelta64", "period"}


def as_times(column: pd.Series) -> pd.Series | None:
    """Column of dates, durations or periods as pandas' own type of these; None for any other."""
    dtype = column.dtype
    if isinstance(dtype, pd.ArrowDtype):
        if dtype.type is datetime.date:
            return as_times(column.astype(object))
        if dtype.kind not in "mM":
            return None
        zone, unit = getattr(dtype.pyarrow_dtype, "tz", None), dtype.pyarrow_dtype.unit
        own: Any = f"{dtype.kind}8[{unit}]" if zone is None else pd.DatetimeTZDtype(unit, zone)
        times: pd.Series = column.astype(own)
        return times
    if dtype.kind in "mM" or isinstance(dtype, pd.PeriodDtype):
        return column
    if dtype != np.object_:
        return None
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind == "date":
        known = column.notna().to_numpy()
        if set(map(type, column[known])) != {datetime.date}:  # a datetime is a date, too
            return None
        days = np.full(len(column), "NaT", dtype="M8[s]")
        days[known] = np.array(column[known].tolist(), dtype="M8[D]")
        return pd.Series(days, column.index)
    if kind not in TIMES_AS_OBJECTS:
        return None
    inferred = column.infer_objects()
    return None if inferred.dtype == np.object_ else inferred  # several zones or frequencies


def numbers_of(column: pd.Series) -> FloatArray | None:
    """Values of a numeric or time column as floats, (n,); None for a column of categories.

    Times are seconds since the earliest, periods are counted: for measures of a column. On an axis
    `aleplot_py.inputs.times` counts them.
    """
    kinds = pd.api.types
    times = as_times(column)
    if times is not None and isinstance(times.dtype, pd.PeriodDtype):
        counts = pd.PeriodIndex(times).asi8.astype(np.float64)
        return np.where(times.isna(), np.nan, counts)
    if times is not None:
        try:
            since = times - times.min()
        except OverflowError:  # nanoseconds have no room for 300 years
            seconds = times.dt.as_unit("s")
            since = seconds - seconds.min()
        return np.asarray(since.dt.total_seconds(), dtype=np.float64)
    dtype = column.dtype
    if dtype.kind == "O" and kinds.infer_dtype(column, skipna=True) in NUMBERS_AS_OBJECTS:
        return pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)
    if not kinds.is_numeric_dtype(dtype) or kinds.is_bool_dtype(dtype):
        return None
    if kinds.is_complex_dtype(dtype):
        return None
    return column.to_numpy(dtype=np.float64, na_value=np.nan)
