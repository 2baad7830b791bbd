"""Sums as R takes them: in the order of the data, in a long double, rounded once at the end.

numpy's ``add.accumulate`` is sequential; its ``sum`` and ``reduceat`` add in pairs and are not R's
order. A first number of -0.0 becomes 0.0, as R's sums begin at 0.

Source: R's documentation of ``sum``, ``mean``, ``cumsum`` and ``rowSums``, and stored results.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aleplot_py.steps.grid import FloatArray, IntArray

#: Bits after the leading one: 63 on x86-64, 112 on aarch64, 52 where there is no long double.
MANTISSA = int(np.finfo(np.longdouble).nmant)

LongDoubles = NDArray[np.longdouble]


def running(x: Any, axis: int = 0) -> LongDoubles:
    """Running sums, not rounded."""
    return np.asarray(np.add.accumulate(np.asarray(x, dtype=np.longdouble) + 0, axis=axis))


def total(x: FloatArray, axis: int) -> FloatArray:
    """R's ``sum``, ``rowSums`` or ``colSums``."""
    return np.asarray(running(x, axis).take(-1, axis=axis), dtype=np.float64)


def mean(x: FloatArray) -> float:
    """R's ``mean``: the mean of the deviations from the first mean is added to it."""
    wide = x.astype(np.longdouble)
    first = running(wide)[-1] / len(wide)
    return float(first + running(wide - first)[-1] / len(wide))


def cell_means(values: FloatArray, codes: IntArray, cells: int) -> FloatArray:
    """R's ``mean`` of each cell's values in the order of the rows; 0 without rows."""
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=cells))
    parts = np.split(values[order], ends[:-1])
    return np.array([mean(part) if len(part) else 0.0 for part in parts])
