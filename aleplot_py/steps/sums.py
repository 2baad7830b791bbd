"""Two arithmetics for the means, sums and cumulative sums of an effect.

A computer rounds every sum, so that ten thousand local effects added in another order (other
batches, threads, machines) give other last digits. Two ways out have a name here, and nothing
outside this module knows which one runs.

- `EXACT` gives the double nearest to the true sum or mean of the numbers, as if it were taken in
  fractions and rounded once at the end. There is one such double, so that the order of the rows
  and the machine cannot matter.
- `R` adds in the order of the data and in 80 bits, as R does on common machines, and rounds to a
  double once. With the same predictions it gives R's values bit for bit. Where numpy has no such
  wide numbers it is `EXACT`, and its name says so.

`PLAIN` is numpy's own summation, for resampling, where speed counts and the last digit does not.

Sources: R's ``sum``, ``mean``, ``cumsum`` and ``rowSums``; for exact sums see `_exact`.
"""

from __future__ import annotations

import math
from itertools import repeat
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from aleplot_py.steps import _exact, _long_double
from aleplot_py.steps._exact import ExactSums as ExactSums  # what of them is kept and merged
from aleplot_py.steps.grid import FloatArray, IntArray


class Arithmetic(Protocol):
    """The operations in which rounding errors gather; all else is plain double arithmetic.

    Parameters
    ----------
    name : {"exact", "long double", "plain"}
        Which one it is, to be told with the result.
    """

    name: str

    def totals(self, x: FloatArray, axis: int) -> FloatArray:
        """Sums along one axis, of the shape without it; 0 where it has no elements."""

    def running_total(self, x: FloatArray, axis: int = 0) -> FloatArray:
        """Cumulative sums along one axis, each rounded once, of the same shape."""

    def cell_means(self, values: FloatArray, codes: IntArray, cells: int) -> FloatArray:
        """Mean of the values (rows,) of each cell numbered by `codes`, 0 without rows, (cells,)."""

    def column_means(self, values: FloatArray, weight: FloatArray | None = None) -> FloatArray:
        """Mean of each column of the values (rows, columns), R's ``mean``, (columns,).

        Rows may have weights (rows,), with a sum above 0, except in R's arithmetic, since R has
        none there.
        """


class _Exact:
    name = "exact"

    def totals(self, x: FloatArray, axis: int) -> FloatArray:
        moved = x if x.ndim == 1 else np.moveaxis(x, axis, -1)
        shape = moved.shape[:-1]
        if x.size > _exact.LONG:
            _exact.refuse_infinite(x)
            columns = moved.reshape(-1, x.shape[axis]).T
            return _exact.ExactSums.of_columns(columns).rounded().reshape(shape)
        rows = moved.reshape(math.prod(shape), x.shape[axis]).tolist()
        try:
            summed = [math.fsum(row) for row in rows]
        except (OverflowError, ValueError):  # beyond the largest double, on the way or at the end
            summed = [math.nan]
        if all(map(math.isfinite, summed)):
            return np.array(summed, dtype=np.float64).reshape(shape)
        _exact.refuse_infinite(x)
        integers, exponent = _exact.scaled_integers(x)
        return _rounded(np.asarray(integers.sum(axis=axis), dtype=object), exponent)

    def running_total(self, x: FloatArray, axis: int = 0) -> FloatArray:
        if not x.any():
            return np.zeros(x.shape)
        if x.size > _exact.MANY:
            return _exact.ExactSums.running(x, axis).rounded().reshape(x.shape)
        try:
            integers, exponent = _exact.scaled_integers(x)
        except (OverflowError, ValueError):
            _exact.refuse_infinite(x)
            raise
        return _rounded(np.add.accumulate(integers, axis=axis), exponent)

    def cell_means(self, values: FloatArray, codes: IntArray, cells: int) -> FloatArray:
        counts = np.bincount(codes, minlength=cells)
        return _exact.ExactSums.of(values, codes, cells).over(_exact.ExactSums.of_integers(counts))

    def column_means(self, values: FloatArray, weight: FloatArray | None = None) -> FloatArray:
        n, columns = values.shape
        if weight is None and values.size > _exact.LONG:
            means = _exact.certain_means(values)
            if means is not None:
                return means
        every = np.ones(n) if weight is None else weight
        behind = _exact.ExactSums.of_columns(every[:, None])
        shared = _exact.ExactSums(behind.low, np.repeat(behind.digits, columns, axis=1))
        return _exact.ExactSums.of_columns(values, weight).over(shared)


class _LongDouble:
    name = "long double"

    def totals(self, x: FloatArray, axis: int) -> FloatArray:
        empty = np.zeros(x.shape[:axis] + x.shape[axis + 1 :])
        return _long_double.total(x, axis) if x.shape[axis] else empty

    def running_total(self, x: FloatArray, axis: int = 0) -> FloatArray:
        return _long_double.running(x, axis).astype(np.float64)

    def cell_means(self, values: FloatArray, codes: IntArray, cells: int) -> FloatArray:
        return _long_double.cell_means(values, codes, cells)

    def column_means(self, values: FloatArray, weight: FloatArray | None = None) -> FloatArray:
        if weight is not None:
            raise ValueError("R's arithmetic knows no weighted mean: leave weight out")
        return np.array([_long_double.mean(column) for column in values.T])


class _Plain:
    name = "plain"

    def totals(self, x: FloatArray, axis: int) -> FloatArray:
        return np.asarray(x.sum(axis=axis))

    def running_total(self, x: FloatArray, axis: int = 0) -> FloatArray:
        return np.asarray(np.cumsum(x, axis=axis))

    def cell_means(self, values: FloatArray, codes: IntArray, cells: int) -> FloatArray:
        counts = np.bincount(codes, minlength=cells)
        summed = np.bincount(codes, weights=values, minlength=cells)
        return np.asarray(summed / np.maximum(counts, 1))

    def column_means(self, values: FloatArray, weight: FloatArray | None = None) -> FloatArray:
        return np.asarray(np.average(values, axis=0, weights=weight))


def _rounded(integers: NDArray[Any], exponent: int) -> FloatArray:
    return _exact.quotients(integers.ravel(), repeat(1), exponent).reshape(integers.shape)


def total(arithmetic: Arithmetic, x: FloatArray) -> float:
    """Sum of the elements of an array, column by column as R stores them."""
    return float(arithmetic.totals(x.ravel(order="F"), 0))


def mean_of_rows(x: FloatArray, weight: FloatArray | None = None) -> float:
    """Mean of one number per row (n,), rounded once: the same for every order of the rows."""
    return float(EXACT.column_means(x[:, None], weight)[0])


def cell_totals(values: FloatArray, codes: IntArray, cells: int) -> FloatArray:
    """Sum of the values (rows,) of each cell numbered by `codes`, rounded once, (cells,)."""
    return _exact.ExactSums.of(values, codes, cells).rounded()


def arithmetic_of_r(mantissa: int) -> Arithmetic:
    """R's arithmetic, or the exact one where a long double is no wider than a double."""
    return _LongDouble() if mantissa >= 63 else EXACT


EXACT: Arithmetic = _Exact()
PLAIN: Arithmetic = _Plain()
R: Arithmetic = arithmetic_of_r(_long_double.MANTISSA)
