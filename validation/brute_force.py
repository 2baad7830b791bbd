"""Accumulated local effects and distances of levels by plain loops, from their definitions.

A slow reference that shares nothing with the library: every prediction is made on the whole frame
with the columns set to one value, every mean is an exact sum, every cell is a loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd

Array = np.ndarray[Any, Any]

# Cells this close to the nearest one, relative to their distance, count as equally near.
SAME_DISTANCE = 1e-9


@dataclass(frozen=True)
class Reference:
    """What the loops found.

    Parameters
    ----------
    f_values : ndarray
        Centred effect at the points.
    counts : ndarray
        Rows, or their weight, in each interval, level or cell.
    empty : ndarray of bool
        Steps without rows.
    local_mean, local_std : ndarray of the shape of `empty`
        Mean local effect after filling, and standard deviation, NaN where empty.
    constant : float
        Mean subtracted last.
    main_effects : tuple of ndarray
        Main effects subtracted from a pair's effect.
    """

    f_values: Array
    counts: Array
    empty: Array
    local_mean: Array
    local_std: Array
    constant: float
    main_effects: tuple[Array, ...]


def quantile_edges(x: Sequence[float], K: int) -> list[float]:
    """Edges of ALEPlot's intervals: the minimum and the order statistics number ceil(n p)."""
    ordered, n = sorted(x), len(x)
    edges = {ordered[0]}
    for i in range(K):
        p = 1.0 if i == K - 1 else 1 / K + i * ((1 - 1 / K) / (K - 1))
        edges.add(ordered[min(max(math.ceil(n * p), 1), n) - 1])
    return sorted(edges)


def share_up_to(values: Sequence[float], at: float) -> float:
    """Empirical distribution function: the share of values that are not above `at`."""
    return sum(value <= at for value in values) / len(values)


def level_distance(others: Sequence[pd.Series], levels: Sequence[Any], a: Any, b: Any) -> float:
    """Distance of two levels by the distributions of the other columns' values at them.

    Parameters
    ----------
    others : sequence of Series of length n
        Numeric or categorical columns without missing values.
    levels : sequence of n levels
        Level of each row.
    a, b : level
        The two to compare.

    Returns
    -------
    float
        Sum of the Kolmogorov-Smirnov distances at 100 quantiles, and half the absolute
        differences of the relative frequencies.
    """
    total = 0.0
    for column in others:
        values = column.tolist()
        at_a = [value for value, level in zip(values, levels, strict=True) if level == a]
        at_b = [value for value, level in zip(values, levels, strict=True) if level == b]
        if pd.api.types.is_float_dtype(column.dtype):
            ordered, n, points = sorted(values), len(values), []
            for i in range(100):
                index = 1 + (n - 1) * (i / 99)
                low, high = ordered[math.floor(index) - 1], ordered[math.ceil(index) - 1]
                h = index - math.floor(index)
                points.append(low if low == high else (1 - h) * low + h * high)
            total += max(abs(share_up_to(at_a, q) - share_up_to(at_b, q)) for q in points)
        else:
            total += sum(
                abs(at_a.count(value) / len(at_a) - at_b.count(value) / len(at_b)) / 2
                for value in set(values)
            )
    return total


def ale(
    predict: Callable[[pd.DataFrame], Any],
    X: pd.DataFrame,
    features: Sequence[Hashable],
    points: Sequence[Sequence[Any]],
    kinds: Sequence[str],
    *,
    weights: Sequence[float] | None = None,
    centre: str = "aleplot",
    tied: Array | None = None,
) -> Reference:
    """Accumulated local effect of one or two features by loops.

    Parameters
    ----------
    predict : callable
        The black box.
    X : DataFrame of n rows
        The data.
    features : sequence of one or two column names
        Explained features.
    points : sequence of sequences
        Edges of the intervals of a numeric feature, levels in order of a categorical one.
    kinds : sequence of {"numeric", "categorical"}
        Kind of each feature.
    weights : sequence of n floats, optional
        Row weights.
    centre : {"aleplot", "paper", "none"}
        Convention of the mean that is subtracted.
    tied : ndarray, optional
        Local means of a result: among equally near cells the one whose mean stands there is
        taken. A value of another cell is never taken.

    Returns
    -------
    Reference
        The effect and all its parts.
    """
    w = [1.0] * len(X) if weights is None else [float(weight) for weight in weights]
    columns = [X[name].tolist() for name in features]
    numeric = [kind == "numeric" for kind in kinds]
    unit = [
        [_interval(value, p) if is_number else list(p).index(value) for value in column]
        for column, p, is_number in zip(columns, points, numeric, strict=True)
    ]
    cache: dict[tuple[int, ...], Array] = {}

    def prediction(row: int, at: tuple[int, ...]) -> float:
        if at not in cache:
            moved = X.copy()
            for name, p, number in zip(features, points, at, strict=True):
                moved[name] = pd.Series([p[number]] * len(X), index=X.index).astype(X[name].dtype)
            cache[at] = np.asarray(predict(moved), dtype=float)
        return float(cache[at][row])

    steps = [len(p) - 1 for p in points]
    found: dict[tuple[int, ...], list[tuple[float, float]]] = {}
    for row in range(len(X)):
        mine = [
            [codes[row]] if is_number else [codes[row] - 1, codes[row]]
            for codes, is_number in zip(unit, numeric, strict=True)
        ]
        for cell in product(*mine):
            if all(0 <= s < size for s, size in zip(cell, steps, strict=True)):
                found.setdefault(cell, []).append((_difference(prediction, row, cell), w[row]))
    mean, std, empty = np.zeros(steps), np.full(steps, np.nan), np.ones(steps, dtype=bool)
    for cell, effects in found.items():
        total = math.fsum(weight for _, weight in effects)
        if total > 0:
            empty[cell] = False
            mean[cell] = math.fsum(d * weight for d, weight in effects) / total
            squares = math.fsum(weight * (d - mean[cell]) ** 2 for d, weight in effects)
            std[cell] = math.sqrt(squares / total)
    _fill(mean, empty, points, numeric, tied)

    units = [len(p) - number for p, number in zip(points, numeric, strict=True)]
    counts = np.zeros(units)
    for row in range(len(X)):
        counts[tuple(codes[row] for codes in unit)] += w[row]
    values = np.zeros([len(p) for p in points])
    for at in np.ndindex(*values.shape):
        values[at] = math.fsum(mean[cell] for cell in product(*(range(i) for i in at)))
    mains: tuple[Array, ...] = ()
    if len(points) == 2:
        first = _main_effect(values, counts, numeric)
        second = _main_effect(values.T, counts.T, numeric[::-1])
        mains = (first, second)
        values = values - first[:, None] - second[None, :]
    constant = 0.0
    if centre != "none":
        held = [
            counts[at] * _value_of_unit(values, at, numeric, upper=centre == "paper")
            for at in np.ndindex(*counts.shape)
        ]
        constant = math.fsum(held) / math.fsum(counts.ravel())
    return Reference(values - constant, counts, empty, mean, std, constant, mains)


def _interval(value: float, edges: Sequence[float]) -> int:
    """Number k of the interval (z_k, z_{k+1}] that holds the value; the first holds z_0 too."""
    return next(k for k in range(len(edges) - 1) if value <= edges[k + 1])


def _difference(
    prediction: Callable[[int, tuple[int, ...]], float], row: int, cell: tuple[int, ...]
) -> float:
    if len(cell) == 1:
        return prediction(row, (cell[0] + 1,)) - prediction(row, cell)
    a, b = cell
    above = prediction(row, (a + 1, b + 1)) - prediction(row, (a + 1, b))
    return above - (prediction(row, (a, b + 1)) - prediction(row, (a, b)))


def _fill(
    mean: Array, empty: Array, points: Sequence[Any], numeric: Sequence[bool], tied: Array | None
) -> None:
    """Give every empty cell the mean of the nearest one with rows, in place.

    An interval of a single numeric feature has the nearest one's slope.
    """
    slopes = len(points) == 1 and numeric[0]
    width = [b - a for a, b in pairwise(points[0])] if slopes else [1.0] * mean.size
    position = [
        [(p[k] + p[k + 1]) / 2 / (p[-1] - p[0]) if is_number else (k + 1) / (len(p) - 1)
         for k in range(len(p) - 1)]
        for p, is_number in zip(points, numeric, strict=True)
    ]  # fmt: skip
    known = [at for at in np.ndindex(*mean.shape) if not empty[at]]
    for at in np.ndindex(*mean.shape):
        if not empty[at]:
            continue
        distance = [
            math.hypot(*(p[i] - p[j] for p, i, j in zip(position, at, other, strict=True)))
            for other in known
        ]
        nearest = min(distance)
        near = [
            other
            for other, d in zip(known, distance, strict=True)
            if d <= nearest * (1 + SAME_DISTANCE)
        ]
        wanted = mean[near[0]] if tied is None else tied[at]
        chosen = min(near, key=lambda other: abs(mean[other] - wanted))
        mean[at] = mean[chosen]
        if slopes:
            mean[at] = mean[chosen] / width[chosen[0]] * width[at[0]]


def _main_effect(values: Array, counts: Array, numeric: Sequence[bool]) -> Array:
    """Main effect of the first axis in the accumulated values, 0 at its first point."""
    effect = [0.0]
    for k in range(values.shape[0] - 1):
        up, down = [], []
        for m in range(counts.shape[1]):
            weight = counts[k, m] if numeric[0] else (counts[k, m] + counts[k + 1, m]) / 2
            rise = values[k + 1] - values[k]
            up.append(weight * ((rise[m] + rise[m + 1]) / 2 if numeric[1] else rise[m]))
            down.append(weight)
        effect.append(effect[-1] + math.fsum(up) / math.fsum(down))
    return np.array(effect)


def _value_of_unit(
    values: Array, at: tuple[int, ...], numeric: Sequence[bool], *, upper: bool
) -> float:
    """Effect that the rows of a unit have: the mean of the unit's corners, or its upper one."""
    corners = [
        ([i + 1] if upper else [i, i + 1]) if is_number else [i]
        for i, is_number in zip(at, numeric, strict=True)
    ]
    held = [float(values[corner]) for corner in product(*corners)]
    return math.fsum(held) / len(held)
