"""Moments of the local effects in each cell: all that the estimators keep of the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aleplot_py.steps.grid import FloatArray, IntArray


@dataclass(frozen=True)
class CellMoments:
    """Weight, mean and spread of the local effects in each cell.

    Moments add up: those of two halves of the data merge into those of the whole, which is what
    batches, processes and files larger than memory rely on.

    Parameters
    ----------
    weight : ndarray of shape (cells,)
        Number of rows in each cell, or the sum of their sample weights.
    mean : ndarray of shape (cells,)
        Mean local effect in units of the prediction; 0 in a cell without rows.
    squares : ndarray of shape (cells,)
        Sum of the squared deviations from the mean. Kept instead of the raw sum of squares, which
        loses all digits of the spread when the mean is large. Infinite where deviations above
        1e154 overflow.
    """

    weight: FloatArray
    mean: FloatArray
    squares: FloatArray

    @classmethod
    def zero(cls, cells: int) -> CellMoments:
        """Moments of no rows."""
        return cls(np.zeros(cells), np.zeros(cells), np.zeros(cells))

    @classmethod
    def of(
        cls, effects: FloatArray, codes: IntArray, cells: int, weight: FloatArray | None = None
    ) -> CellMoments:
        """Moments of the local `effects` (rows,) in the cells numbered by `codes` (rows,)."""
        total = np.bincount(codes, weights=weight, minlength=cells).astype(np.float64)
        divisor = np.where(total > 0, total, 1.0)
        # Of its cell: with weights near the smallest double, products with them lose their digits.
        share = None if weight is None else weight / divisor[codes]

        def cell_mean(values: FloatArray, factor: FloatArray | None = None) -> FloatArray:
            weighted = values if share is None else values * share
            if factor is not None:
                weighted = weighted * factor
            summed = np.bincount(codes, weights=weighted, minlength=cells).astype(np.float64)
            return np.asarray(summed / divisor) if share is None else summed

        mean = cell_mean(effects)
        deviation = effects - mean[codes]
        mean += cell_mean(deviation)  # second pass, as in R's mean()
        with np.errstate(over="ignore"):
            return cls(total, mean, cell_mean(deviation, deviation) * total)

    def merge(self, other: CellMoments) -> CellMoments:
        """Moments of both sets of rows together."""
        total = self.weight + other.weight
        share = other.weight / np.where(total > 0, total, 1.0)
        shift = other.mean - self.mean
        with np.errstate(over="ignore"):
            spread = shift * self.weight * share * shift
        return CellMoments(
            total,
            self.mean + shift * share,
            self.squares + other.squares + spread,
        )

    @property
    def std(self) -> FloatArray:
        """Standard deviation (divisor: the weight) in each cell; NaN without rows, (cells,)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.sqrt(self.squares / self.weight))
