"""How often each row is drawn, in as many draws with replacement as there are rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aleplot_py.steps.grid import FloatArray

Counts = NDArray[np.uint8]

# Draws held at once, of which those made at once fit in the cache.
DRAWS, MADE = 2**20, 2**16
# Standard deviations by which Poisson counts are kept below the number of draws on average.
SHORT = 3
# A Poisson count of mean 1 or less is beyond these once in 1e18.
COUNTS = 20
WORDS = 2**16


@dataclass(frozen=True)
class _PoissonPairs:
    """Two Poisson counts at a time, looked up by 16 random bits.

    A pair of counts has as many of the 65,536 words as its probability is worth, rounded down;
    the few words that are left over draw among what was rounded off.

    Parameters
    ----------
    pairs : ndarray of uint16 of shape (COUNTS**2,)
        All pairs of counts, each in the two bytes of a number.
    of_word : ndarray of uint16 of shape (WORDS,)
        The pair of each word.
    given : int
        Number of words that have a pair; those from here on are left over.
    rounded_off : ndarray of shape (COUNTS**2,)
        Cumulative probability of each pair that the words do not give it.
    """

    pairs: NDArray[np.uint16]
    of_word: NDArray[np.uint16]
    given: int
    rounded_off: FloatArray

    @classmethod
    def of(cls, mean: float) -> _PoissonPairs:
        """Pairs of counts of this mean, at most 1."""
        numbers = np.arange(COUNTS)
        one = np.array([math.exp(-mean) * mean**k / math.factorial(k) for k in range(COUNTS)])
        words = (WORDS * np.outer(one, one)).ravel()
        whole = np.floor(words).astype(np.intp)
        both = np.stack(np.meshgrid(numbers, numbers, indexing="ij"), axis=-1).astype(np.uint8)
        pairs = both.view(np.uint16).ravel()
        of_word = np.zeros(WORDS, dtype=np.uint16)
        given = int(whole.sum())
        of_word[:given] = np.repeat(pairs, whole)
        return cls(pairs, of_word, given, np.cumsum(words - whole))

    def draw(self, size: int, rng: np.random.Generator) -> Counts:
        """Draw independent counts (size,)."""
        drawn = np.empty(-(-size // 2), dtype=np.uint16)
        for first in range(0, len(drawn), MADE // 2):
            part = drawn[first : first + MADE // 2]
            bits = rng.integers(2**64, size=-(-len(part) // 4), dtype=np.uint64)
            words = bits.astype("<u8", copy=False).view("<u2")[: len(part)]
            np.take(self.of_word, words, out=part, mode="wrap")  # of which none is out of range
            over = np.flatnonzero(words >= self.given)
            among = rng.random(over.size) * self.rounded_off[-1]
            part[over] = self.pairs[np.searchsorted(self.rounded_off, among, side="right")]
        return drawn.view(np.uint8)[:size]


def drawn_counts(n: int, n_boot: int, rng: np.random.Generator) -> Iterator[Counts]:
    """How often each of n rows is drawn, in n draws with replacement.

    Parameters
    ----------
    n, n_boot : int
        Number of rows, of resamples.
    rng : Generator
        Source of randomness.

    Yields
    ------
    ndarray of uint8 of shape (b, n)
        Counts of the next b resamples.

    Notes
    -----
    Independent Poisson counts, given their sum, are those of as many draws. They come to a little
    less than n, and what they lack is drawn row by row; those that come to more are left out.
    """
    poisson = _PoissonPairs.of(max(1 - SHORT / math.sqrt(n), 0.0))
    to_come = n_boot
    while to_come:
        b = min(max(1, DRAWS // n), to_come)
        counts = poisson.draw(b * n, rng).reshape(b, n)
        lacking = n - counts.sum(axis=1, dtype=np.uint32).astype(np.int64)
        if lacking.min() < 0:
            counts, lacking = counts[lacking >= 0], lacking[lacking >= 0]
        rows = rng.integers(n, size=lacking.sum())
        rows += np.repeat(n * np.arange(len(counts)), lacking)
        np.add.at(counts.reshape(-1), rows, np.uint8(1))
        to_come -= len(counts)
        yield counts
