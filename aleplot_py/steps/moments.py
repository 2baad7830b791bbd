"""Moments of the local effects in each cell: all that the estimators keep of the rows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from aleplot_py.steps._exact import (
    BAND,
    BITS,
    Adder,
    Cells,
    ExactSums,
    bands,
    blocks,
    product,
    quotient,
    quotients,
    square,
)
from aleplot_py.steps.grid import FloatArray, IntArray

#: Variances between this and its inverse have their own square root; others are scaled first.
LEAST = 2.0**-900
#: Powers of two that moments can be scaled by are multiples of this.
DIGIT = BITS


@dataclass(frozen=True)
class CellMoments:
    """Weight, mean and spread of the local effects in each cell, from exact sums.

    Moments add up: those of two halves of the data merge into those of the whole, which is what
    batches, processes and files larger than memory rely on. Nothing is rounded before `weight`,
    `mean`, `squares` and `std` are asked for, so that these are the same to the last bit for every
    order of the rows, division into parts and order of merging. Products with weights are exact,
    too.

    Parameters
    ----------
    weights : ExactSums of (cells,)
        Number of rows in each cell, or the sum of their sample weights.
    first : ExactSums of (cells,)
        Sum of the local effects, each times its weight.
    second : ExactSums of (cells,)
        Sum of the squares of the local effects, each times its weight.
    """

    weights: ExactSums
    first: ExactSums
    second: ExactSums

    @classmethod
    def zero(cls, cells: int) -> CellMoments:
        """Moments of no rows."""
        nothing = ExactSums.of_integers(np.zeros(cells, dtype=np.intp))
        return cls(nothing, nothing, nothing)

    @classmethod
    def of(
        cls, effects: FloatArray, codes: IntArray, cells: int, weight: FloatArray | None = None
    ) -> CellMoments:
        """Moments of the local `effects` (rows,) in the cells numbered by `codes` (rows,).

        Effects of several outputs, (rows, outputs), have the cells of each output after those of
        the one before; `split` takes them apart.

        Raises
        ------
        ValueError
            If an effect or a weight is not finite.
        """
        return cls.of_parts([(effects, codes, weight)], cells)

    @classmethod
    def of_parts(
        cls, parts: Iterable[tuple[FloatArray, IntArray, FloatArray | None]], cells: int
    ) -> CellMoments:
        """Moments of effects, codes and weights that come in parts, as those of `of` together."""
        weights, first, second = Adder(), Adder(), Adder()
        counts, size, weighted = np.zeros(1, dtype=np.intp), cells, False
        for effects, codes, weight in parts:
            weighted = weight is not None
            if effects.ndim == 2:
                outputs = effects.shape[1]
                codes = (codes + cells * np.arange(outputs)[:, None]).ravel()
                effects, size = effects.T.ravel(), cells * outputs
                weight = None if weight is None else np.tile(weight, outputs)
            for rows in blocks(len(effects)):
                if weight is None and not effects[rows].any():  # the black box ignores the feature
                    counts = counts + np.bincount(codes[rows], minlength=size)
                    continue
                into = Cells(codes[rows], size)
                counts = counts + into.counts
                factors = [] if weight is None else list(bands(into.sorted(weight[rows])))
                for band, effect, largest in bands(into.sorted(effects[rows])):
                    squared, square_of = square(effect), largest * largest
                    for weight_band, factor, heaviest in factors:
                        shift = BAND * (band + weight_band)
                        first.add(product(effect, factor), shift, into.add_up, largest * heaviest)
                        terms = [term for part in squared for term in product(part, factor)]
                        second.add(terms, shift + BAND * band, into.add_up, square_of * heaviest)
                    if weight is None:
                        first.add([effect], BAND * band, into.add_up, largest)
                        second.add(squared, 2 * BAND * band, into.add_up, square_of)
                for weight_band, factor, heaviest in factors:
                    weights.add([factor], BAND * weight_band, into.add_up, heaviest)
        everywhere = counts + np.zeros(size, dtype=np.intp)
        behind = weights.sums(size) if weighted else ExactSums.of_integers(everywhere)
        return cls(behind, first.sums(size), second.sums(size))

    @classmethod
    def given(cls, weight: FloatArray, mean: FloatArray, std: FloatArray) -> CellMoments:
        """Moments that are known already, (cells,): as of two rows, mean - std and mean + std."""
        cells = np.arange(len(weight))
        each = cls.of(mean, cells, len(weight), weight)
        spread = cls.of(std, cells, len(weight), weight).second
        return cls(each.weights, each.first, each.second.merge(spread))

    def merge(self, *others: CellMoments) -> CellMoments:
        """Moments of all these sets of rows together."""
        return CellMoments(
            self.weights.merge(*(other.weights for other in others)),
            self.first.merge(*(other.first for other in others)),
            self.second.merge(*(other.second for other in others)),
        )

    def split(self, cells: int) -> list[CellMoments]:
        """Moments of each output, of so many cells each."""
        sums = (self.weights, self.first, self.second)
        starts = range(0, self.weights.digits.shape[1], cells)
        parts = [slice(start, start + cells) for start in starts]
        return [CellMoments(*(one.of_cells(part) for one in sums)) for part in parts]

    def scaled(self, power: int) -> CellMoments:
        """Moments of the local effects times ``2**power``, `power` a multiple of `DIGIT`."""
        digits = power // DIGIT
        first, second = self.first.scaled(digits), self.second.scaled(2 * digits)
        return CellMoments(self.weights, first, second)

    @property
    def weight(self) -> FloatArray:
        """Weight of each cell, rounded once, (cells,)."""
        return self.weights.rounded()

    @property
    def mean(self) -> FloatArray:
        """Mean local effect, rounded once, in units of the prediction; 0 without rows, (cells,)."""
        return self.first.over(self.weights)

    @property
    def squares(self) -> FloatArray:
        """Sum of the squared deviations from the mean, rounded once, (cells,).

        Infinite where it is larger than the largest double: `std` is not.
        """
        deviations, weight, (power, exponent) = self._deviations()
        return quotients(deviations, weight, power - exponent)

    @property
    def std(self) -> FloatArray:
        """Standard deviation (divisor: the weight) in each cell; NaN without rows, (cells,).

        The square root of the variance, which is rounded once.
        """
        if not len(self.second.digits):
            return np.where(self.weights.digits.any(axis=0), 0.0, np.nan)
        deviations, weight, (power, exponent) = self._deviations()
        squares, power = [w * w for w in weight], power - 2 * exponent
        variances = quotients(deviations, squares, power)
        std = np.sqrt(variances)
        ordinary = (variances > LEAST) & (variances < 1 / LEAST)
        for cell in np.flatnonzero(~ordinary).tolist():
            if deviations[cell]:
                std[cell] = _root(deviations[cell], squares[cell], power)
            elif not weight[cell]:
                std[cell] = np.nan
        return std

    def _deviations(self) -> tuple[list[int], list[int], tuple[int, int]]:
        """Weight and weight times the sum of squared deviations, as integers and exponents."""
        weight, exponent = self.weights.integers
        first, of_first = self.first.integers
        second, of_second = self.second.integers
        power = min(of_second + exponent, 2 * of_first)
        up, down = of_second + exponent - power, 2 * of_first - power
        sums = zip(weight, first, second, strict=True)
        return [(w * s << up) - (f * f << down) for w, f, s in sums], weight, (power, exponent)


def _root(numerator: int, denominator: int, exponent: int) -> float:
    """Square root of numerator x 2**exponent / denominator, taken near 1 so that none is lost."""
    half = (numerator.bit_length() - denominator.bit_length() + exponent) // 2
    return math.ldexp(math.sqrt(quotient(numerator, denominator, exponent - 2 * half)), half)
