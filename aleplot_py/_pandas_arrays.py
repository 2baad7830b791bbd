"""Arrays of pandas as arguments, read alike by every supported version of pandas.

Before pandas 2.2 numpy sees an array of nullable numbers (``Int64``, ``Float64``) as objects, and
before pandas 3 it refuses one with a missing value.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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


def unmasked(values: Any) -> Any:
    """Masked entries as missing ones, which numpy would show as if they were known."""
    if not isinstance(values, np.ma.MaskedArray) or not np.ma.is_masked(values):
        return values
    widened: Any = values.astype(np.result_type(values.dtype, np.float16))
    return widened.filled(np.nan)


def with_its_type(values: Any) -> Any:
    """Wrap an array or index of pandas in a series, which keeps its type; the rest as it is."""
    return pd.Series(values) if isinstance(values, (pd.Index, ExtensionArray)) else values
