"""Kolmogorov-Smirnov distances of many levels, compiled by numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from aleplot_py.steps.compiled import compiled


@compiled
def kolmogorov_smirnov(table: Any) -> Any:
    """Condensed distances of all pairs of levels, bit for bit those of comparing all places.

    The shares of two levels are farthest apart where one of the two, whichever is chosen, is about
    to grow or has just grown, or at the end. Only there they are compared.

    Parameters
    ----------
    table : ndarray of int of shape (levels, places)
        Numbers of values.

    Returns
    -------
    ndarray of shape (levels * (levels - 1) / 2,)
        The largest differences of their shares of the values up to a place.
    """
    levels, places = table.shape
    shares = np.empty((places, levels))
    for i in range(levels):
        rows = max(table[i].sum(), 1)
        not_above = 0
        for place in range(places):
            not_above += table[i, place]
            shares[place, i] = not_above / rows
    distances = np.zeros(levels * (levels - 1) // 2)
    compared = np.empty(places + 1, np.int64)
    last, first = places - 1, 0
    for i in range(levels - 1):
        count = 0
        for place in range(places):
            if place == last or table[i, place] != 0 or table[i, place + 1] != 0:
                compared[count] = place
                count += 1
        compared[count] = last  # two at a time, so that a distance is fetched half as often
        distance = distances[first : first + levels - 1 - i]
        first += distance.size
        for k in range(0, count, 2):
            one, two = compared[k], compared[k + 1]
            own_one, own_two = shares[one, i], shares[two, i]
            others_one, others_two = shares[one, i + 1 :], shares[two, i + 1 :]
            for j in range(distance.size):
                one_apart, two_apart = abs(own_one - others_one[j]), abs(own_two - others_two[j])
                distance[j] = max(distance[j], one_apart, two_apart)
    return distances
