"""Kolmogorov-Smirnov distances of many levels, compiled by numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from aleplot_py.steps.compiled import compiled

#: Levels that another is compared with at a time: their shares at 100 places take 45 kB, which the
#: cache next to the processor holds.
STRIP = 56


@compiled
def add_kolmogorov_smirnov(table: Any, distances: Any) -> None:
    """Add the distances of all pairs of levels, bit for bit those of comparing all places.

    While the share of one level stays the same, that of another may grow: from place to place in
    such a run it is farthest below the one where the run begins, farthest above it where the run
    ends. Only there they are compared.

    Parameters
    ----------
    table : ndarray of int of shape (levels, places)
        Numbers of values.
    distances : ndarray of shape (levels * (levels - 1) / 2,)
        The largest differences of their shares of the values up to a place are added here.
    """
    levels, places = table.shape
    shares = np.zeros((-(-levels // STRIP), places, STRIP))
    starts, runs = np.empty((levels, places + 1), np.uint32), np.empty(levels, np.intp)
    for i in range(levels):
        rows = max(table[i].sum(), 1)
        not_above, count = 0, 0
        for place in range(places):
            starts[i, count] = place
            count += place == 0 or table[i, place] != 0  # no branch, which would be guessed wrong
            not_above += table[i, place]
            shares[i // STRIP, place, i % STRIP] = not_above / rows
        starts[i, count] = places
        runs[i] = count
    farthest = np.empty(STRIP)
    for first in range(0, levels, STRIP):
        others, stop = shares[first // STRIP], min(first + STRIP, levels)
        for i in range(stop - 1):
            farthest[:] = 0
            for run in range(runs[i]):
                start, end = starts[i, run], starts[i, run + 1] - 1
                own = shares[i // STRIP, start, i % STRIP]
                lowest, highest = others[start], others[end]
                for j in range(STRIP):
                    farthest[j] = max(farthest[j], own - lowest[j], highest[j] - own)
            begin = max(first, i + 1)
            pair = i * (2 * levels - i - 1) // 2 - i - 1
            # Slices, whose places numba need not look at one by one.
            added_to, found = distances[pair + begin : pair + stop], farthest[begin - first :]
            for j in range(added_to.size):
                added_to[j] += found[j]
