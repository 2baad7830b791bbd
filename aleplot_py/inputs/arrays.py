"""Arrays of pandas as arguments, read alike by every supported version of pandas.

Before pandas 2.2 numpy sees an array of nullable numbers (``Int64``, ``Float64``) as objects, and
before pandas 3 it refuses one with a missing value.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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
    if isinstance(getattr(values, "dtype", None), ExtensionDtype):
        values = values.astype(np.float64)
    array = np.asarray(unmasked(values))
    if array.dtype.kind in "cUSmM":
        raise TypeError(f"expected real numbers, got an array of {array.dtype}")
    return np.asarray(array, dtype=np.float64)


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
    """Wrap an array or index of pandas in a series, which keeps its type; the rest as it is."""
    return pd.Series(values) if isinstance(values, (pd.Index, ExtensionArray)) else values


NUMBERS_AS_OBJECTS = {"integer", "floating", "mixed-integer-float", "decimal"}


def numbers_of(column: pd.Series) -> FloatArray | None:
    """Values of a numeric or time column as floats, (n,); None for a column of categories."""
    kinds = pd.api.types
    dtype = column.dtype
    if kinds.is_datetime64_any_dtype(dtype) or kinds.is_timedelta64_dtype(dtype):
        try:
            since = column - column.min()
        except OverflowError:  # nanoseconds have no room for 300 years
            seconds = column.dt.as_unit("s")
            since = seconds - seconds.min()
        return np.asarray(since.dt.total_seconds(), dtype=np.float64)
    if dtype.kind == "O" and kinds.infer_dtype(column, skipna=True) in NUMBERS_AS_OBJECTS:
        return pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)
    if not kinds.is_numeric_dtype(dtype) or kinds.is_bool_dtype(dtype):
        return None
    if kinds.is_complex_dtype(dtype):
        return None
    return column.to_numpy(dtype=np.float64, na_value=np.nan)
