"""Order statistics of more values than memory holds, by counting in the order of doubles.

The 64 bits of a double, read as an integer, are in the order of the doubles (those of negative ones
backwards). A first scan over the data counts the values by their leading bits. The buckets in which
the wanted order statistics lie are then known, with the number of values below each, and a further
scan looks into these buckets alone. Counts of parts of the data add up, whatever the order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aleplot_py.steps.grid import FloatArray, IntArray

Integers = NDArray[np.int64]

#: All bits of a double.
WHOLE = 64
#: Leading bits of the first scan: sign, exponent, and 256 buckets for each power of two.
LEADING = 20
#: Leading bits of the second scan, where the buckets hold more values than may be kept.
NARROW = 42
#: Values that the last scan may keep: 128 MB of them, and as much for their counts.
KEPT = 2**24


def in_order(x: FloatArray) -> Integers:
    """Integers (n,) in the order of the doubles `x` (n,), -0 before 0."""
    bits = np.ascontiguousarray(x).view(np.int64)
    return np.asarray(bits ^ ((bits >> 63) & np.int64(2**63 - 1)))


def doubles(keys: Integers) -> FloatArray:
    """The doubles (n,) of which `in_order` made these integers."""
    return np.asarray(keys ^ ((keys >> 63) & np.int64(2**63 - 1))).view(np.float64)


@dataclass(frozen=True)
class Counts:
    """How many values begin with the same bits.

    Parameters
    ----------
    keys : ndarray of int64 of shape (m,)
        Leading bits, as integers in the order of the values, increasing.
    counts : ndarray of int64 of shape (m,)
        Number of values with each.
    """

    keys: Integers
    counts: Integers

    @classmethod
    def of(cls, keys: Integers) -> Counts:
        """Counts of integers (n,) that never decrease."""
        first = np.flatnonzero(_begins(keys))
        return cls(keys[first], np.diff(first, append=len(keys)).astype(np.int64))

    @classmethod
    def of_few(cls, keys: Integers, few: int) -> Counts | None:
        """The same if they are at most so `few` different ones."""
        return cls.of(keys) if np.count_nonzero(_begins(keys)) <= few else None

    def merge(self, other: Counts) -> Counts:
        """Counts of both sets of values."""
        if np.array_equal(self.keys, other.keys):
            return Counts(self.keys, self.counts + other.counts)
        keys, place = np.unique(np.concatenate([self.keys, other.keys]), return_inverse=True)
        counts = np.zeros(len(keys), dtype=np.int64)
        np.add.at(counts, place, np.concatenate([self.counts, other.counts]))
        return Counts(keys, counts)

    @property
    def n(self) -> int:
        """Number of values."""
        return int(self.counts.sum())


def _begins(keys: Integers) -> NDArray[np.bool_]:
    """Whether each of the sorted integers (n,) is the first of its kind."""
    first = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return first


def leading(keys: Integers) -> Integers:
    """Their `LEADING` bits."""
    return keys >> (WHOLE - LEADING)


@dataclass(frozen=True)
class Search:
    """Buckets that the wanted order statistics lie in.

    Parameters
    ----------
    numbers : ndarray of int of shape (m,)
        Positions of the wanted order statistics in the sorted values, from 0, increasing.
    depth : int
        Leading bits that a bucket's values share; 64: a bucket is a single value.
    keys : ndarray of int64 of shape (m,)
        The bucket of each wanted one.
    below : ndarray of int64 of shape (m,)
        Number of values below that bucket.
    held : int
        Number of values in all these buckets.
    """

    numbers: IntArray
    depth: int
    keys: Integers
    below: Integers
    held: int

    @classmethod
    def within(cls, counts: Counts, numbers: IntArray, depth: int = LEADING) -> Search:
        """Where the order statistics with these numbers lie, given the counts of all values."""
        up_to = np.cumsum(counts.counts)
        place = np.searchsorted(up_to, numbers, side="right")
        below = up_to[place] - counts.counts[place]
        held = int(counts.counts[np.unique(place)].sum())
        return cls(numbers, depth, counts.keys[place], below, held)

    @property
    def next_depth(self) -> int:
        """Leading bits that the next scan counts by."""
        return WHOLE if self.held <= KEPT or self.depth >= NARROW else NARROW

    def count(self, x: FloatArray) -> Counts:
        """Counts of those values in the buckets, by more of their bits."""
        wanted = np.zeros(2**LEADING, dtype=bool)
        wanted[self.keys >> (self.depth - LEADING)] = True  # negative numbers from the end
        keys = in_order(x)
        keys = keys[wanted[leading(keys)]]
        if self.depth > LEADING:
            buckets = np.unique(self.keys)
            own = keys >> (WHOLE - self.depth)
            place = np.minimum(np.searchsorted(buckets, own), len(buckets) - 1)
            keys = keys[buckets[place] == own]
        return Counts.of(np.sort(keys >> (WHOLE - self.next_depth)))

    def narrowed(self, found: Counts) -> Search:
        """The search after another scan, from what `count` found in all of the data."""
        first = np.searchsorted(found.keys, self.keys << (self.next_depth - self.depth))
        up_to = np.cumsum(found.counts)
        before = np.append(0, up_to)[first]
        place = np.searchsorted(up_to, self.numbers - self.below + before, side="right")
        below = self.below + up_to[place] - found.counts[place] - before
        held = int(found.counts[np.unique(place)].sum())
        return Search(self.numbers, self.next_depth, found.keys[place], below, held)

    @property
    def found(self) -> FloatArray:
        """The order statistics, (m,), once buckets are single values."""
        return doubles(self.keys)
