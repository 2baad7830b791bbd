"""Grids of a numeric feature and the intervals its rows fall in, as R computes them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


IntArray = NDArray[np.intp]
#: Numbers of intervals or buckets, of which few bytes hold any.
SmallArray = NDArray[np.unsignedinteger[Any]]


# From this many values on, sorting everything costs more than the black box of a linear model;
# they are then first thrown into equally wide buckets, which keeps the order of the values.
MANY = 5_000
BUCKETS = 8_192

# Values, or quantiles, that are taken at a time.
AT_ONCE = 65_536


class Values:
    """Finite values of a feature, of which quantiles and intervals are asked for.

    Parameters
    ----------
    x : ndarray of shape (n,)
        The values.
    """

    def __init__(self, x: FloatArray) -> None:
        self.x, self.n = x, x.size
        self.low, self.high = float(x.min()), float(x.max())

    def beyond(self, z: FloatArray) -> int:
        """Number of values outside the caller's own grid."""
        return int(((self.x < z[0]) | (self.x > z[-1])).sum())

    @cached_property
    def _scale(self) -> float:
        """Buckets on a unit of length; 0 where buckets do not pay."""
        length = self.high - self.low
        if self.n < MANY or length == 0:
            return 0.0
        scale = (BUCKETS - 1) / length
        return scale if scale < math.inf else 0.0

    @cached_property
    def _sorted(self) -> FloatArray:
        return np.sort(self.x)

    def _places(self, x: FloatArray) -> FloatArray:
        """Where values lie, in widths of a bucket."""
        places = x - self.low
        places *= self._scale
        return places

    @cached_property
    def _buckets(self) -> SmallArray:
        """Bucket of each value, never decreasing in the value, (n,)."""
        buckets = np.empty(self.n, dtype=np.uint16)
        for rows in _blocks(self.n):
            buckets[rows] = self._places(self.x[rows])
        return buckets

    def order_statistics(self, number: IntArray) -> FloatArray:
        """Return ``np.sort(x)[number]``, sorting only the buckets that hold the numbers asked for.

        Parameters
        ----------
        number : ndarray of int of shape (m,)
            Positions in the sorted values, from 0.

        Returns
        -------
        ndarray of shape (m,)
            The values there.
        """
        if not self._scale:
            return self._sorted.take(number)
        buckets = self._buckets
        counts = np.zeros(BUCKETS, dtype=np.intp)
        for rows in _blocks(self.n):
            counts += np.bincount(buckets[rows], minlength=BUCKETS)
        wanted = np.searchsorted(np.cumsum(counts), number, side="right")
        needed = np.zeros(BUCKETS, dtype=bool)
        needed[wanted] = True
        left_out_before = np.cumsum(np.where(needed, 0, counts))
        kept = [self.x[rows][needed.take(buckets[rows])] for rows in _blocks(self.n)]
        return np.asarray(np.sort(np.concatenate(kept))[number - left_out_before[wanted]])

    def quantile_grid(self, K: int, rule: str = "aleplot") -> FloatArray:
        """Edges as those of the function of this name."""
        return distinct_edges(self.low, self.order_statistics(grid_positions(self.n, K, rule)))

    def codes(self, edges: FloatArray) -> SmallArray:
        """Intervals as those of `bin_codes`, in the smallest type for their number; read-only."""
        kind = np.min_scalar_type(len(edges))
        codes = np.empty(self.n, dtype=kind)
        if not self._scale:
            up_to = self._sorted.searchsorted(edges[1:], side="right")  # rows up to each edge
            inside = np.concatenate([up_to, [self.n]])
            inside[1:] -= up_to
            codes[self.x.argsort()] = np.arange(len(edges), dtype=kind).repeat(inside)
        else:
            edge_bucket = self._places(edges.clip(self.low, self.high)).astype(np.intp)
            edges_in = np.bincount(edge_bucket, minlength=BUCKETS)
            interval = edges_in.cumsum() - edges_in - 1  # after the edges in lower buckets
            of_bucket = np.maximum(interval, 0).astype(kind)
            unsure = len(edges)  # which side of an edge
            of_bucket[edge_bucket] = unsure
            for rows in _blocks(self.n):
                here = of_bucket.take(self._buckets[rows])
                apart = np.flatnonzero(here == unsure)
                found = np.searchsorted(edges, self.x[rows][apart]) - 1
                here[apart] = np.maximum(found, 0)
                codes[rows] = here
        codes.flags.writeable = False
        return codes

    def first_not_below(self, points: FloatArray) -> IntArray | SmallArray:
        """Number of the first of increasing points that is not below each value, else the last."""
        if len(points) > 1 and points[0] <= self.low and self.high <= points[-1]:
            return np.asarray(self.codes(points) + (self.x > points[0]))  # ends of intervals
        return np.asarray(np.minimum(np.searchsorted(points, self.x), len(points) - 1))


def _blocks(n: int) -> Iterator[slice]:
    """Slices of rows whose buckets stay in the cache."""
    return (slice(start, start + AT_ONCE) for start in range(0, n, AT_ONCE))


def aleplot_probabilities(K: int) -> FloatArray:
    """Probabilities of ALEPlot's quantile grid, R's ``seq(1/K, 1, length.out = K)``.

    Parameters
    ----------
    K : int
        Number of intervals asked for, at least 1.

    Returns
    -------
    ndarray of shape (K,)
        Probabilities, the last one exactly 1, bit for bit R's.
    """
    return np.asarray(np.linspace(1 / K, 1, K), dtype=np.float64)


def iml_probabilities(K: int) -> FloatArray:
    """Probabilities of iml's quantile grid, R's ``seq(0, 1, length.out = K + 1)``.

    Parameters
    ----------
    K : int
        Number of intervals asked for, at least 1.

    Returns
    -------
    ndarray of shape (K + 1,)
        Probabilities from 0 to exactly 1, bit for bit R's.
    """
    p = np.arange(K + 1) * (1 / K)
    p[-1] = 1
    return np.asarray(p, dtype=np.float64)


def quantile_type1(x: ArrayLike, p: ArrayLike) -> FloatArray:
    """Quantiles of type 1 (inverse of the empirical distribution function).

    Parameters
    ----------
    x : array_like of shape (n,)
        Finite values.
    p : array_like of shape (m,)
        Probabilities in [0, 1].

    Returns
    -------
    ndarray of shape (m,)
        The order statistics number ``ceil(n * p)``, at least the first.

    Notes
    -----
    Source: R's ``quantile(x, p, type = 1)``. The product ``n * p`` is taken in double precision
    without a tolerance: where it comes out as 6.000000000000001, R takes the seventh value.
    """
    values = np.asarray(x, dtype=np.float64)
    return Values(values).order_statistics(_quantile_numbers(values.size, p))


def _quantile_numbers(n: int, p: ArrayLike) -> IntArray:
    """Positions of quantiles of type 1 in n sorted values, from 0."""
    number = np.ceil(n * np.asarray(p, dtype=np.float64)).astype(np.intp)
    return np.asarray(np.clip(number, 1, n) - 1)


def quantile_type7(x: ArrayLike, p: ArrayLike) -> FloatArray:
    """Quantiles of type 7 (linear interpolation, R's default).

    Parameters
    ----------
    x : array_like of shape (n,)
        Finite values.
    p : array_like of shape (m,)
        Probabilities in [0, 1].

    Returns
    -------
    ndarray of shape (m,)
        The quantiles, bit for bit R's (numpy's ``"linear"`` rounds differently).

    Notes
    -----
    Source: R's ``quantile(x, p)``.
    """
    ordered = np.sort(np.asarray(x, dtype=np.float64))
    numbers, h = type7_positions(ordered.size, p)
    return between(ordered[numbers], h)


def type7_positions(n: int, p: ArrayLike) -> tuple[IntArray, FloatArray]:
    """Positions (2, m) from 0 of the n sorted values beside quantiles of type 7, and shares (m,).

    `between` makes the quantiles (m,) of the values there.
    """
    index = (n - 1) * np.asarray(p, dtype=np.float64) + 1
    low = np.floor(index)
    beside = np.stack([low, np.ceil(index)]).astype(np.intp) - 1
    return beside, index - low


def between(beside: FloatArray, h: FloatArray) -> FloatArray:
    """Values at a share `h` (m,) of the way between the `beside` (2, m), rounded as R does."""
    below, above = beside
    return np.asarray(np.where(above == below, below, (1 - h) * below + h * above))


def quantile_grid(x: ArrayLike, K: int, rule: str = "aleplot") -> FloatArray:
    """Edges z_0 < ... < z_K of intervals with about equally many rows.

    Parameters
    ----------
    x : array_like of shape (n,)
        Finite values of the feature.
    K : int
        Number of intervals asked for. Ties leave fewer.
    rule : {"aleplot", "iml"}
        Whose probabilities: the two packages round them differently.

    Returns
    -------
    ndarray of shape (effective K + 1,)
        Sorted distinct edges; the first is the minimum, the last the maximum. One edge only when
        the feature is constant.

    Notes
    -----
    Source: Apley and Zhu (2020), section 3; R's ``ALEPlot`` and iml's ``FeatureEffect``.
    """
    return Values(np.asarray(x, dtype=np.float64)).quantile_grid(K, rule)


@lru_cache(maxsize=16)  # the features of a call share it
def grid_positions(n: int, K: int, rule: str = "aleplot") -> IntArray:
    """Positions from 0 of the n sorted values that are edges of `quantile_grid`, but the first.

    Parameters
    ----------
    n : int
        Number of values.
    K, rule
        As in `quantile_grid`.

    Returns
    -------
    ndarray of int
        Positions that never decrease; read-only.
    """
    if K <= AT_ONCE:
        probabilities = iml_probabilities(K) if rule == "iml" else aleplot_probabilities(K)
        positions = _quantile_numbers(n, probabilities)
    else:  # of many more quantiles than rows most are the same; they are taken some at a time
        numbers = [
            np.unique(_quantile_numbers(n, _some_probabilities(K, rule, start)))
            for start in range(0, K + (rule == "iml"), AT_ONCE)
        ]
        positions = np.unique(np.concatenate(numbers))
    positions.flags.writeable = False
    return positions


def _some_probabilities(K: int, rule: str, start: int) -> FloatArray:
    """Probabilities number `start` and following of a grid, bit for bit those of all together."""
    last = K if rule == "iml" else K - 1
    number = np.arange(start, min(start + AT_ONCE, last + 1))
    p = number * (1 / K) if rule == "iml" else number * ((1 - 1 / K) / (K - 1)) + 1 / K
    return np.where(number == last, 1.0, p)


def distinct_edges(low: float, quantiles: FloatArray) -> FloatArray:
    """Edges of intervals without repetition, from the smallest value and quantiles in order."""
    z = np.empty(len(quantiles) + 1)
    z[0], z[1:] = low, quantiles  # never decreasing, but for zeros of either sign
    z.sort()
    new = z[1:] > z[:-1]
    return z if new.all() else z[np.concatenate([[True], new])]


def equidistant_grid(low: float, high: float, points: int) -> FloatArray:
    """Equally spaced points from `low` to `high` inclusive, R's ``seq(low, high, length.out)``.

    Parameters
    ----------
    low, high : float
        Ends of the grid.
    points : int
        Number of points.

    Returns
    -------
    ndarray of shape (points,)
        The grid.
    """
    return np.linspace(low, high, points)


def bin_codes(x: ArrayLike, z: ArrayLike) -> IntArray:
    """Number of the interval (z_{k-1}, z_k] of each value, from 0; the first is closed.

    Parameters
    ----------
    x : array_like of shape (n,)
        Values within [z_0, z_K].
    z : array_like of shape (K + 1,)
        Sorted distinct edges.

    Returns
    -------
    ndarray of int of shape (n,)
        Codes 0, ..., K - 1.

    Notes
    -----
    Source: R's ``as.numeric(cut(x, breaks = z, include.lowest = TRUE)) - 1``.
    """
    values, edges = np.asarray(x, dtype=np.float64), np.asarray(z, dtype=np.float64)
    return Values(values).codes(edges).astype(np.intp)
