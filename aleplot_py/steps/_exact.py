"""Sums of doubles without rounding, as integers over fixed powers of two.

`ExactSums` adds many rows into few cells. Every value is cut into *digits*: multiples of
..., 2**36, 1, 2**-36, ..., the same for all data. A digit comes off a value by adding and
subtracting a large constant, without an error. Some ten thousand digits of one kind add up in a
double without an error too, in any order, and the few totals are kept as integers. Python's
division of integers then rounds once.

Sources: Rump, S. M., Ogita, T. and Oishi, S. (2008), Accurate floating-point summation, SIAM J.
Sci. Comput. 31 (extraction); Demmel, J. and Nguyen, H. D. (2013), Fast reproducible
floating-point summation, ARITH 21 (fixed digits); Dekker, T. J. (1971), A floating-point technique
for extending the available precision, Numer. Math. 18 (products).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aleplot_py.steps.grid import FloatArray, IntArray

#: Bits of a digit. Digits lie between -2**35 and 2**35.
BITS = 36
HALF = 1 << (BITS - 1)
#: Exponents up to this one are far from where doubles lose digits or overflow.
NORMAL = 1000
#: Rows added in doubles at a time: four digits of each add up to at most 2**(2 + 35 + 15) units.
ROWS = 2**15
#: Such blocks after which the integers are carried; each adds at most 2**52.
BLOCKS = 2**10
#: Values that `certain_means` takes at a time: digits of 37 bits add up to at most 2**52 units.
TOGETHER = 2**15
#: Sizes of values are taken in bands of 16 digits, scaled to around 1, so that no product of
#: three numbers overflows and no digit of one is lost below the smallest double.
BAND = 16
REACH = BAND * BITS // 2

#: Rounding errors of a product, and of its parts in another product, to its size.
ERROR = 2.0**-52

#: Cells from which on arrays round faster than Python's integers.
MANY = 200
#: Numbers from which on their digits add up faster than `math.fsum` adds them.
LONG = 4_000

Integers = NDArray[np.int64]
AddUp = Callable[[FloatArray], FloatArray]


def split(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Halves of 26 bits that add up to the values (Veltkamp)."""
    low = values * 134217729.0
    high = low - values
    np.subtract(low, high, out=high)
    np.subtract(values, high, out=low)
    return high, low


def square(values: FloatArray) -> list[FloatArray]:
    """Rounded squares and their rounding errors, exactly (Dekker)."""
    high, low = split(values)
    rounded = values * values
    error = high * high
    error -= rounded
    high += high
    high *= low
    error += high
    low *= low
    error += low
    return [rounded, error]


def product(one: FloatArray, other: FloatArray) -> list[FloatArray]:
    """Rounded products and their rounding errors, exactly (Dekker)."""
    (a, b), (c, d) = split(one), split(other)
    rounded = one * other
    error = a * c
    error -= rounded
    a *= d
    error += a
    error += b * c
    b *= d
    error += b
    return [rounded, error]


def bands(values: FloatArray) -> Iterator[tuple[int, FloatArray, float]]:
    """Values by size, as (band, values x 2**(-576 band)) with 0 for those of other bands.

    With each the size of the largest.
    """
    size = np.abs(values)
    largest, smallest = float(size.max(initial=0.0)), float(size.min(initial=1.0))
    if not math.isfinite(largest):
        row = int(np.flatnonzero(~np.isfinite(size).ravel())[0])
        raise ValueError(f"values to be added must be finite, got {values.ravel()[row]}")
    if largest == 0:
        return
    low, high = 2.0 ** (-REACH), 2.0 ** (REACH - 1)
    if largest <= high and (smallest >= low or not np.any((size < low) & (size > 0))):
        yield 0, values, largest
        return
    band = (np.frexp(values)[1].astype(np.intp) + REACH) // (2 * REACH)
    for number in np.unique(band[size > 0]).tolist():
        part = np.ldexp(np.where(band == number, values, 0.0), -2 * REACH * number)
        yield number, part, _largest(part)


class Adder:
    """Integer digits of the sums while rows come in."""

    def __init__(self) -> None:
        self.digits: dict[int, Integers] = {}
        self.blocks = 0

    def add(self, terms: Sequence[FloatArray], shift: int, add_up: AddUp, largest: float) -> None:
        """Add what the terms add up to in each row, times 2**(BITS * shift); they are used up.

        The first is at most `largest` in size, above 0; the others are rounding errors below it.
        """
        left = [(term, ERROR * largest) for term in terms[1:] if _any(term)]
        left.insert(0, (terms[0], largest))
        level = _top(largest)
        here, part = np.empty_like(terms[0]), np.empty_like(terms[0])
        while left:
            constant = math.ldexp(1.5, 52 + BITS * level)
            half = math.ldexp(0.5, BITS * level)
            rest = [(term, largest) for term, largest in left if largest < half]
            digit = None
            for term, largest in left:
                if largest < half:
                    continue
                into = here if digit is None else part
                np.add(term, constant, out=into)
                into -= constant
                term -= into
                digit = into if digit is None else np.add(digit, into, out=digit)
                if _any(term):
                    rest.append((term, half))
            if digit is not None:
                total = np.ldexp(add_up(digit), -BITS * level).astype(np.int64)
                known = self.digits.get(level + shift)
                self.digits[level + shift] = total if known is None else known + total
            left, level = rest, level - 1
        self.blocks += 1
        if self.blocks % BLOCKS == 0:
            sums = self.sums(len(next(iter(self.digits.values()))))
            self.digits = {sums.low + i: digit for i, digit in enumerate(sums.digits)}

    def sums(self, cells: int) -> ExactSums:
        """What has been added so far."""
        return _carried(self.digits, cells)


class Cells:
    """Addition of one number per row into cells.

    Parameters
    ----------
    codes : ndarray of int of shape (rows,)
        Cell of each row.
    cells : int
        Number of cells.
    """

    def __init__(self, codes: IntArray, cells: int) -> None:
        # Sorting numbers of one or two bytes once costs less than two sums over unsorted cells.
        short = codes.astype(np.min_scalar_type(cells)) if cells < 2**16 else codes
        self.order = np.argsort(short, kind="stable")
        self.counts = np.bincount(codes, minlength=cells)
        self.present = np.flatnonzero(self.counts)
        self.starts = (np.cumsum(self.counts) - self.counts)[self.present]

    def sorted(self, values: FloatArray) -> FloatArray:
        """Copy of the values (rows,) in the order that `add_up` wants."""
        return values.take(self.order)

    def add_up(self, values: FloatArray) -> FloatArray:
        """Sums of sorted values (rows,) in each cell, (cells,)."""
        total = np.zeros(len(self.counts))
        total[self.present] = np.add.reduceat(values, self.starts)
        return total


def _any(values: FloatArray) -> bool:
    """Whether any value is not 0, as mostly the first tells."""
    return values.item(0) != 0 or bool(values.any())


def _largest(values: FloatArray) -> float:
    return max(float(values.max()), -float(values.min()))


def _top(largest: float) -> int:
    """Level of the highest digit of numbers up to `largest`."""
    return -((BITS - 1 - math.frexp(largest)[1]) // BITS)


def _carried(digits: dict[int, Integers], cells: int) -> ExactSums:
    """The same sums with every digit in -2**35 ... 2**35 - 1: there is one such form of a sum."""
    if not digits:
        return ExactSums(0, np.zeros((0, cells), dtype=np.int64))
    low, high = min(digits), max(digits)
    # A digit holds less than 2**63, whose carry fits into one more.
    value = np.zeros((high - low + 2, cells), dtype=np.int64)
    for level, digit in digits.items():
        value[level - low] = digit
    while True:
        carry = (value + HALF) >> BITS
        if not carry.any():
            break
        if carry[-1].any():
            value, carry = (np.concatenate([x, np.zeros_like(x[:1])]) for x in (value, carry))
        value -= carry << BITS
        value[1:] += carry[:-1]
    used = np.flatnonzero(value.any(axis=1))
    if not used.size:
        return ExactSums(0, np.zeros((0, cells), dtype=np.int64))
    return ExactSums(low + int(used[0]), value[used[0] : used[-1] + 1])


@dataclass(frozen=True)
class ExactSums:
    """Sums of doubles in each cell, exactly.

    Two of them are equal, number for number, whenever the same values were added, in whatever
    order, batches and merges. Ordinary data have two to four digits per cell, all doubles
    together less than sixty.

    Parameters
    ----------
    low : int
        Level of the first digit.
    digits : ndarray of int64 of shape (digits, cells)
        Digit i counts multiples of ``2**(36 * (low + i))``.
    """

    low: int
    digits: Integers

    @classmethod
    def of(cls, values: FloatArray, codes: IntArray, cells: int) -> ExactSums:
        """Sums of the values (rows,) in the cells numbered by `codes` (rows,)."""
        adder = Adder()
        for rows in blocks(len(values)):
            into = Cells(codes[rows], cells)
            for band, part, largest in bands(into.sorted(values[rows])):
                adder.add([part], BAND * band, into.add_up, largest)
        return adder.sums(cells)

    @classmethod
    def of_columns(cls, values: FloatArray, weight: FloatArray | None = None) -> ExactSums:
        """Sums of each column of the values (rows, columns), each row times its weight (rows,)."""
        adder, columns = Adder(), values.shape[1]
        for rows in blocks(len(values), max(1, ROWS // max(columns, 1))):
            factors = repeat((0, None, 1.0), 1) if weight is None else bands(weight[rows, None])
            for weight_band, factor, heaviest in factors:
                for band, part, largest in bands(values[rows]):
                    terms = [part.copy(order="F")] if factor is None else product(part, factor)
                    adder.add(terms, BAND * (band + weight_band), _down, largest * heaviest)
        return adder.sums(columns)

    @classmethod
    def running(cls, values: FloatArray, axis: int) -> ExactSums:
        """Cumulative sums of the values along one axis, flattened, (size,)."""
        adder = Adder()
        for band, part, largest in bands(values):
            adder.add([part.ravel().copy()], BAND * band, _as_it_is, largest)
        shape = values.shape
        digits = {
            level: np.cumsum(digit.reshape(shape), axis=axis).ravel()
            for level, digit in adder.digits.items()
        }
        return _carried(digits, values.size)

    @classmethod
    def of_integers(cls, counts: IntArray) -> ExactSums:
        """Sums that are integers already, (cells,)."""
        digit = np.asarray(counts, dtype=np.int64)
        if 0 < np.abs(digit).max(initial=0) < HALF:  # a digit already
            return cls(0, digit[None])
        return _carried({0: digit}, len(digit))

    def scaled(self, digits: int) -> ExactSums:
        """The sums times ``2**(36 * digits)``."""
        return ExactSums(self.low + digits if len(self.digits) else 0, self.digits)

    def merge(self, *others: ExactSums) -> ExactSums:
        """Sums over all these sets of rows, of which there may be millions."""
        digits = {self.low + i: digit for i, digit in enumerate(self.digits)}
        for other in others:
            for i, digit in enumerate(other.digits, start=other.low):
                digits[i] = digits[i] + digit if i in digits else digit
        return _carried(digits, self.digits.shape[1])

    def of_cells(self, cells: slice) -> ExactSums:
        """The sums in some of the cells."""
        digits = {self.low + i: digit[cells] for i, digit in enumerate(self.digits)}
        return _carried(digits, len(range(self.digits.shape[1])[cells]))

    @cached_property
    def integers(self) -> tuple[list[int], int]:
        """Integers (cells,) and the exponent of the power of two that they count."""
        if not len(self.digits):
            return [0] * self.digits.shape[1], 0
        total, *others = self.digits[::-1].tolist()
        for digit in others:
            total = [(high << BITS) + low for high, low in zip(total, digit, strict=True)]
        return total, BITS * self.low

    def rounded(self) -> FloatArray:
        """The sums, each rounded once, (cells,)."""
        levels, cells = self.digits.shape
        if levels == 0:
            return np.zeros(cells)
        if abs(BITS * self.low) + BITS * (levels + 1) < NORMAL:
            if levels == 1:
                return np.asarray(np.ldexp(self.digits[0].astype(np.float64), BITS * self.low))
            if cells > MANY:
                return _rounded_digits(self.digits, self.low)
        total, exponent = self.integers
        return quotients(total, repeat(1), exponent)

    def over(self, divisors: ExactSums) -> FloatArray:
        """The sums over other sums, each rounded once, 0 where the divisor is 0, (cells,)."""
        if not len(self.digits):
            return np.zeros(self.digits.shape[1])
        (total, exponent), (divisor, power) = self.integers, divisors.integers
        return quotients(total, divisor, exponent - power)


def certain_means(values: FloatArray) -> FloatArray | None:
    """Means of columns (rows, columns), each rounded once; None where two sums do not tell them.

    Every value is a multiple of a unit of its block, of which 2**15 add up without an error, and a
    rest below the unit. The rests are added in doubles: what that may round away almost never
    decides.
    """
    n, columns = values.shape
    at_once = max(1, TOGETHER // columns)
    if columns > 1 and n > at_once and values.flags.f_contiguous:  # as many as the cache holds
        parts = blocks(columns, max(1, TOGETHER // n))
        means = [certain_means(values[:, part]) for part in parts]
        certain = [mean for mean in means if mean is not None]
        return np.concatenate(certain) if len(certain) == len(means) else None
    buffer = np.empty_like(values[:at_once])
    sums, exponents, slack = [], [], 0
    for rows in blocks(n, at_once):
        block = values[rows]
        largest = _largest(block)
        if largest == 0:
            continue
        exponent = math.frexp(largest)[1] - 37
        if not (math.isfinite(largest) and abs(exponent) < NORMAL - 2 * BITS):
            return None
        constant = math.ldexp(1.5, 52 + exponent)
        whole = buffer[: len(block)]
        np.add(block, constant, out=whole)
        whole -= constant
        sums.append(_down(whole))
        sums.append(_down(np.subtract(block, whole, out=whole)))
        exponents.append(exponent)
        slack += len(block) ** 2
    if not sums:
        return None
    # The rests are at most half a unit; a sum of r of them is wrong by r x r / 2 x 2**-53 units.
    # From here on 2**-48 of the largest unit counts, to which every sum is cut.
    power = max(exponents) - 48
    total = [sum(map(int, column)) for column in np.ldexp(sums, -power).T.tolist()]
    error = (slack >> 6) + 1 + len(sums)
    low = [quotient(t - error, n, power) for t in total]
    high = [quotient(t + error, n, power) for t in total]
    return np.array(low) if low == high else None


def blocks(n: int, rows: int = ROWS) -> Iterator[slice]:
    """Slices of at most so many rows."""
    return (slice(start, start + rows) for start in range(0, n, rows))


def _down(part: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ij->j", part))  # quicker than `sum`, which adds in pairs


def _as_it_is(part: FloatArray) -> FloatArray:
    return part


def _two_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rounded sum and its rounding error (Knuth)."""
    rounded = a + b
    of_b = rounded - a
    return rounded, (a - (rounded - of_b)) + (b - of_b)


def _rounded_digits(digits: Integers, low: int) -> FloatArray:
    """Numbers of carried digits (levels, cells), each rounded once, (cells,).

    The three highest digits of a number are three doubles. Of the digits below them only the sign
    matters: half a unit of the third stands for it. The sum of three doubles is rounded by way of
    an intermediate sum rounded to odd (Boldo and Melquiond 2008, Emulation of a FMA and correctly
    rounded sums: proved algorithms using rounding to odd, IEEE Trans. Comput. 57).
    """
    cells = digits.shape[1]
    padded = np.concatenate([np.zeros((3, cells), dtype=np.int64), digits])
    used = padded[::-1] != 0
    top = np.maximum(len(padded) - 1 - used.argmax(axis=0), 3)
    every = np.arange(cells)
    high, middle, third = (padded[top - i, every].astype(np.float64) for i in range(3))
    below = np.where(np.arange(len(padded))[:, None] < top - 2, padded, 0)[::-1]
    tail = np.sign(below[(below != 0).argmax(axis=0), every])
    high, middle, third = high * 2.0 ** (2 * BITS), middle * 2.0**BITS, third + 0.5 * tail
    first, first_error = _two_sum(middle, third)
    total, error = _two_sum(high, first)
    odd, lost = _two_sum(error, first_error)
    bits = odd.view(np.int64)
    even = (lost != 0) & (bits & 1 == 0)
    bits += np.where(even, np.where((lost > 0) == (odd > 0), 1, -1), 0)
    return np.asarray(np.ldexp(total + odd, BITS * (low + top - 5)))


def quotient(numerator: int, denominator: int, exponent: int) -> float:
    """Numerator x 2**exponent / denominator rounded once; infinite beyond the largest double."""
    if exponent >= 0:
        numerator <<= exponent
    else:
        denominator <<= -exponent
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf


def quotients(numerators: Iterable[int], denominators: Iterable[int], exponent: int) -> FloatArray:
    """`quotient` of many; 0 where the denominator is 0."""
    pairs = list(zip(numerators, denominators, strict=False))
    up, down = max(exponent, 0), max(-exponent, 0)
    try:
        divided = [(a << up) / (b << down) if a and b else 0.0 for a, b in pairs]
    except OverflowError:
        divided = [quotient(a, b, exponent) if a and b else 0.0 for a, b in pairs]
    return np.array(divided, dtype=np.float64)


def refuse_infinite(x: FloatArray) -> None:
    """Raise ValueError for what has no sum."""
    if not np.isfinite(x).all():
        raise ValueError(f"values to be added must be finite, got {x[~np.isfinite(x)][0]}")


def scaled_integers(x: FloatArray) -> tuple[NDArray[Any], int]:
    """Doubles as integers (object array of the same shape) times a common power of two."""
    exponents = np.frexp(x)[1].ravel().tolist()
    power = max(53 - min(exponents, default=53), 0)
    integers = np.empty(x.size, dtype=object)
    if max(exponents, default=0) + power < NORMAL and power < NORMAL:
        integers[:] = [int(value) for value in np.ldexp(x, power).ravel().tolist()]
        return integers.reshape(x.shape), -power
    ratios = [value.as_integer_ratio() for value in x.ravel().tolist()]
    bits = max(below.bit_length() for _, below in ratios)
    integers[:] = [above << (bits - below.bit_length()) for above, below in ratios]
    return integers.reshape(x.shape), 1 - bits
