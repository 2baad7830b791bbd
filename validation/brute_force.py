"""Every estimator by plain loops, from its definition: a slow reference that is easy to believe.

It shares nothing with the library. All predictions come from one call on the rows repeated for
every point; sums and means are taken in fractions and rounded to a double once, where a number is
published (a local mean, a main effect, a value). The definitions are those of Apley and Zhu (2020),
Friedman (2001) and Goldstein et al. (2015).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pandas as pd

Array = np.ndarray[Any, Any]
Predict = Callable[[pd.DataFrame], Any]

# Cells this close to the nearest one, relative to their distance or to the axis, are equally near.
SAME_DISTANCE = Fraction(1, 10**9)
SAME_PLACE = Fraction(1, 10**15)
# Bandwidths beyond which a row is not near.
FARTHEST = 37


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
        Main effects subtracted from the effect of several features.
    """

    f_values: Array
    counts: Array
    empty: Array
    local_mean: Array
    local_std: Array
    constant: float
    main_effects: tuple[Array, ...]


def quantile_edges(x: Sequence[float], K: int, rule: str = "aleplot") -> list[float]:
    """Edges of ALEPlot's or iml's intervals: the order statistics number ceil(n p)."""
    ordered, n = sorted(x), len(x)
    edges = {ordered[0]}
    for i in range(K):
        p = 1 / K + i * ((1 - 1 / K) / (K - 1)) if K > 1 else 1.0
        if rule == "iml":
            p = (i + 1) * (1 / K)
        p = 1.0 if i == K - 1 else p
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


def _predictions(
    predict: Predict, X: pd.DataFrame, features: Sequence[Hashable], points: Sequence[Sequence[Any]]
) -> Array:
    """Predictions of every row at every combination of the points, (*points, n)."""
    shape = [len(p) for p in points]
    moved = X.iloc[np.tile(np.arange(len(X)), math.prod(shape))].copy()
    numbers = np.repeat(list(np.ndindex(*shape)), len(X), axis=0).T
    for name, p, number in zip(features, points, numbers, strict=True):
        position = _position(X, name)
        listed = np.empty(len(p), dtype=object)
        listed[:] = list(p)
        value = pd.Series(listed[number], index=moved.index)
        typed: Any = _typed(value, X.iloc[:, position].dtype)
        moved.isetitem(position, typed)
    return np.asarray(predict(moved), dtype=float).reshape(*shape, len(X))


def _position(X: pd.DataFrame, name: Hashable) -> int:
    names: list[Any] = [*X.columns]
    return names.index(name)


def _typed(values: pd.Series, dtype: Any) -> pd.Series:
    """The values in the column's own type where it can hold them, else as they are."""
    try:
        with np.errstate(all="ignore"):
            typed = values.astype(dtype)
    except (TypeError, ValueError, OverflowError):
        return values.infer_objects()
    same = all(a == b for a, b in zip(typed.tolist(), values, strict=True))
    return typed if same else values.infer_objects()


def _codes(column: Sequence[Any], points: Sequence[Any], kind: str) -> list[int]:
    """Number of each row's level; or of its interval (z_k, z_k+1], the first one closed.

    Rows beyond the edges count in the outermost interval.
    """
    if kind == "categorical":
        return [list(points).index(value) for value in column]
    last = len(points) - 2
    inside = [[k for k in range(last) if float(x) <= points[k + 1]] for x in column]
    return [found[0] if found else last for found in inside]


def _weights(weights: Any, n: int) -> list[Fraction]:
    return [Fraction(1)] * n if weights is None else [Fraction(float(weight)) for weight in weights]


def _columns(X: pd.DataFrame, features: Sequence[Hashable]) -> list[list[Any]]:
    return [[*X.iloc[:, _position(X, name)]] for name in features]


def _mean(values: Iterable[Any], weights: Iterable[Fraction]) -> Fraction:
    """Exact mean of doubles, of fractions too."""
    pairs = [(Fraction(v), w) for v, w in zip(values, weights, strict=True)]
    return sum(v * w for v, w in pairs) / sum(w for _, w in pairs)  # type: ignore[return-value]


def _once(value: Fraction) -> Fraction:
    """The value rounded to a double."""
    return Fraction(float(value))


def _root(value: Fraction) -> float:
    """Square root of a fraction, from integers, so that it neither overflows nor vanishes."""
    up = max(0, 110 - value.numerator.bit_length() + value.denominator.bit_length())
    return float(Fraction(math.isqrt((value.numerator << 2 * up) // value.denominator), 1 << up))


def ale(
    predict: Predict,
    X: pd.DataFrame,
    features: Sequence[Hashable],
    points: Sequence[Sequence[Any]],
    kinds: Sequence[str],
    *,
    weights: Any = None,
    centre: str = "aleplot",
    outside: str = "clip",
    slopes: Sequence[float] | None = None,
    tied: Array | None = None,
) -> Reference:
    """Accumulated local effect of any number of features by loops.

    Parameters
    ----------
    predict : callable
        The black box.
    X : DataFrame of n rows
        The data.
    features : sequence of column names
        Explained features.
    points : sequence of sequences
        Edges of the intervals of a numeric feature, levels in order of a categorical one.
    kinds : sequence of {"numeric", "categorical"}
        Kind of each feature.
    weights : sequence of n floats, optional
        Row weights.
    centre : {"aleplot", "paper", "none"}
        Convention of the mean that is subtracted.
    outside : {"clip", "iml"}
        Whether rows above a single feature's edges count in the last interval, or in none.
    slopes : sequence of n floats, optional
        Derivatives of the prediction in a single numeric feature, instead of differences.
    tied : ndarray, optional
        Local means of a result: among equally near cells the one whose mean stands there is
        taken. A value of another cell is never taken.

    Returns
    -------
    Reference
        The effect and all its parts.
    """
    w, columns = _weights(weights, len(X)), _columns(X, features)
    unit = [_codes(c, p, kind) for c, p, kind in zip(columns, points, kinds, strict=True)]
    above = [outside == "iml" and float(x) > points[0][-1] for x in columns[0]]
    f = np.empty(0) if slopes is not None else _predictions(predict, X, features, points)
    steps = [len(p) - 1 for p in points]
    found: dict[tuple[int, ...], list[tuple[float, Fraction]]] = {}
    for row in range(len(X)):
        mine = [
            [codes[row]] if kind == "numeric" else [codes[row] - 1, codes[row]]
            for codes, kind in zip(unit, kinds, strict=True)
        ]
        for cell in product(*mine):
            if w[row] > 0 and not above[row] and min(cell) >= 0 and np.less(cell, steps).all():
                effect = _slope(points[0], cell[0], slopes[row]) if slopes is not None else (
                    _difference(f[..., row], cell))  # fmt: skip
                found.setdefault(cell, []).append((effect, w[row]))
    mean, std, empty = np.zeros(steps), np.full(steps, np.nan), np.ones(steps, dtype=bool)
    for cell, effects in found.items():
        moved, behind = zip(*effects, strict=True)
        exact = _mean(moved, behind)
        squares = [(Fraction(value) - exact) ** 2 for value in moved]
        empty[cell], mean[cell], std[cell] = False, float(exact), _root(_mean(squares, behind))
    _fill(mean, empty, points, kinds, tied)

    counts = np.full([len(p) - (k == "numeric") for p, k in zip(points, kinds, strict=True)],
                     Fraction(0))  # fmt: skip
    for row in range(len(X)):
        counts[tuple(codes[row] for codes in unit)] += 0 if above[row] else w[row]
    values = _accumulated(mean)
    mains: tuple[Array, ...] = ()
    for order in range(len(points) - 1, 0, -1):
        sets = list(combinations(range(len(points)), order))
        mains = tuple(_lower_effect(values, counts, points, kinds, axes) for axes in sets)
        for axes, lower in zip(sets, mains, strict=True):
            values = values - lower.reshape([
                len(p) if axis in axes else 1 for axis, p in enumerate(points)
            ])  # fmt: skip
    constant = Fraction(0)
    if centre != "none":
        upper = centre == "paper"
        held = [_value_of_unit(values, at, kinds, upper=upper) for at in np.ndindex(*counts.shape)]
        beyond = sum((weight for weight, is_above in zip(w, above, strict=True) if is_above), 0)
        constant = _once(_mean([*held, values.flat[-1]], [*counts.flat, Fraction(beyond)]))
    return Reference(
        (values - constant).astype(float), counts.astype(float), empty, mean, std,
        float(constant), tuple(main.astype(float) for main in mains),
    )  # fmt: skip


def _difference(f: Array, cell: tuple[int, ...]) -> float:
    """Finite difference along every axis of one row's predictions at the points."""
    if not cell:
        return float(f)
    step, *rest = cell
    return _difference(f[step + 1], tuple(rest)) - _difference(f[step], tuple(rest))


def _accumulated(mean: Array) -> Array:
    """Sums of the mean local effects of all cells below each point."""
    values: Array = np.full([steps + 1 for steps in mean.shape], Fraction(0))
    for at in product(*(range(1, steps + 1) for steps in mean.shape)):
        values[at] = Fraction(mean[tuple(i - 1 for i in at)]) + sum(
            (-1) ** (1 + sum(back)) * values[tuple(i - b for i, b in zip(at, back, strict=True))]
            for back in product((0, 1), repeat=len(at)) if any(back)
        )  # fmt: skip
    return values


def _slope(edges: Sequence[float], k: int, slope: float) -> float:
    return float(slope) * float(edges[k + 1] - edges[k])


def _fill(
    mean: Array, empty: Array, points: Sequence[Any], kinds: Sequence[str], tied: Array | None
) -> None:
    """Give every empty cell the mean of the nearest one with rows, in place.

    An interval of a single feature takes its slope instead, so that a line stays a line.
    """
    position = [
        [(Fraction(p[k]) + Fraction(p[k + 1])) / 2 / (Fraction(p[-1]) - Fraction(p[0]))
         if kind == "numeric" else Fraction(k + 1, len(p) - 1) for k in range(len(p) - 1)]
        for p, kind in zip(points, kinds, strict=True)
    ]  # fmt: skip
    known = [at for at in np.ndindex(*mean.shape) if not empty[at]]
    for at in np.ndindex(*mean.shape):
        if not empty[at]:
            continue
        distance = [
            sum((p[i] - p[j]) ** 2 for p, i, j in zip(position, at, other, strict=True))
            for other in known
        ]
        farthest = min(distance) * (1 + SAME_DISTANCE) ** 2 + SAME_PLACE**2
        near = [float(Fraction(float(mean[other])) * _widths(points, kinds, at, other))
                for other, d in zip(known, distance, strict=True) if d <= farthest]  # fmt: skip
        wanted = near[0] if tied is None else float(tied[at])
        mean[at] = min(near, key=lambda value: abs(value - wanted))


def _widths(points: Sequence[Any], kinds: Sequence[str], at: Any, other: Any) -> Fraction:
    """Width of one interval over that of another; 1 where not widths but differences count."""
    if tuple(kinds) != ("numeric",):
        return Fraction(1)
    own, lent = (Fraction(points[0][k + 1]) - Fraction(points[0][k]) for k in (at[0], other[0]))
    return own / lent


def _lower_effect(
    values: Array, counts: Array, points: Sequence[Any], kinds: Sequence[str], axes: Sequence[int]
) -> Array:
    """Effect of some axes in the accumulated values of all, 0 at their low ends.

    A step of a single axis without rows (the caller's own edges) is averaged over all rows; a cell
    of several takes the mean of the nearest that has rows.
    """
    own = [points[axis] for axis in axes]
    mean: Array = np.full([len(p) - 1 for p in own], Fraction(0))
    empty = np.zeros(mean.shape, dtype=bool)
    for cell in np.ndindex(*mean.shape):
        step = dict(zip(axes, cell, strict=True))
        moved, behind, everywhere = [], [], []
        others = [[0] if axis in axes else range(n) for axis, n in enumerate(counts.shape)]
        for unit in product(*others):
            corners = [
                [step[axis], step[axis] + 1] if axis in axes
                else [at, at + 1] if kinds[axis] == "numeric" else [at]
                for axis, at in enumerate(unit)
            ]  # fmt: skip
            low = {axis: step[axis] for axis in axes}
            signed = sum(
                (-1) ** sum(corner[axis] == low[axis] for axis in axes) * values[corner]
                for corner in product(*corners)
            )
            moved.append(signed / math.prod(
                len(corners[axis]) for axis in range(len(kinds)) if axis not in axes
            ))  # fmt: skip
            there = [
                ([step[axis]] if kinds[axis] == "numeric" else [step[axis], step[axis] + 1])
                if axis in axes else [at] for axis, at in enumerate(unit)
            ]  # fmt: skip
            held = [counts[number] for number in product(*there)]
            behind.append(sum(held) / len(held))
            everywhere.append(counts[tuple(
                slice(None) if axis in axes else at for axis, at in enumerate(unit)
            )].sum())  # fmt: skip
        if sum(behind) == 0 and len(axes) > 1:
            empty[cell] = True
            continue
        mean[cell] = _once(_mean(moved, behind if sum(behind) > 0 else everywhere))
    if empty.any():
        _fill(mean, empty, own, [kinds[axis] for axis in axes], None)
    return _accumulated(mean)


def _value_of_unit(
    values: Array, at: tuple[int, ...], kinds: Sequence[str], *, upper: bool
) -> Fraction:
    """Effect that the rows of a unit have: the mean of the unit's corners, or its upper one."""
    corners = [
        ([i + 1] if upper else [i, i + 1]) if kind == "numeric" else [i]
        for i, kind in zip(at, kinds, strict=True)
    ]
    held = [values[corner] for corner in product(*corners)]
    return Fraction(sum(held) / len(held))


def partial_dependence(
    predict: Predict,
    X: pd.DataFrame,
    features: Sequence[Hashable],
    points: Sequence[Sequence[Any]],
    kinds: Sequence[str],
    *,
    weights: Any = None,
    centre: Any = "none",
) -> tuple[Array, Array]:
    """Partial dependence and individual curves of one or two features by loops.

    Parameters
    ----------
    predict, X, features, points, kinds, weights
        As in `ale`.
    centre : {"none", "pdplot"} or tuple of values
        The mean, or the point of the features, at which the curves are 0.

    Returns
    -------
    f_values : ndarray of the points' shape
        The average curve.
    individual : ndarray of shape (n, *points)
        The curves of the rows.
    """
    w = _weights(weights, len(X))
    f = _predictions(predict, X, features, points)
    if isinstance(centre, tuple):
        f = f - _predictions(predict, X, features, [[value] for value in centre]).reshape(-1)
    average = np.full(f.shape[:-1], Fraction(0))
    for at in np.ndindex(*average.shape):
        average[at] = _once(_mean(f[at], w))
    centred = _centred(average, _at_points(X, features, points, kinds, w), centre)
    removed = (average - centred).astype(float)
    return centred.astype(float), np.moveaxis(f, -1, 0) - removed


def _at_points(
    X: pd.DataFrame, features: Any, points: Any, kinds: Any, w: Sequence[Fraction]
) -> Array:
    """Weight of the rows whose value is the point, or lies between it and the one below."""
    counts = np.full([len(p) for p in points], Fraction(0))
    columns = zip(_columns(X, features), points, kinds, strict=True)
    at = [
        _codes(c, p, kind) if kind == "categorical"
        else [min(sum(float(z) < float(x) for z in p), len(p) - 1) for x in c]
        for c, p, kind in columns
    ]  # fmt: skip
    for number, weight in zip(zip(*at, strict=True), w, strict=True):
        counts[number] += weight
    return counts


def _centred(average: Array, counts: Array, centre: Any) -> Array:
    """The average with mean 0 over the rows as R's PDPlot has it, a pair without main effects."""
    if not isinstance(centre, str) or centre == "none":
        return average
    values = average
    if average.ndim == 2:
        first = [_mean(row, counts.sum(axis=0)) for row in average]
        second = [_mean(column, counts.sum(axis=1)) for column in average.T]
        values = average - np.array(first)[:, None] - np.array(second)
    return np.array(values - _mean(values.ravel(), counts.ravel()))


def m_plot(
    predict: Predict,
    X: pd.DataFrame,
    features: Sequence[Hashable],
    points: Sequence[Sequence[Any]],
    kinds: Sequence[str],
    *,
    weights: Any = None,
    widths: Sequence[float] | None = None,
) -> tuple[Array, Array]:
    """Mean prediction near each point, the features set to it, by loops.

    Parameters
    ----------
    predict, X, features, points, kinds, weights
        As in `ale`.
    widths : sequence of floats, optional
        Standard deviation of a Gaussian kernel on each numeric axis. Without them the rows of the
        intervals that meet at the point are near.

    Returns
    -------
    f_values, counts : ndarray of the points' shape
        The uncentred mean, NaN where no row is near, and the weight of the rows near.
    """
    w, columns = _weights(weights, len(X)), _columns(X, features)
    f = _predictions(predict, X, features, points)
    counts, values = np.zeros(f.shape[:-1]), np.full(f.shape[:-1], np.nan)
    unit = [_codes(c, p, kind) for c, p, kind in zip(columns, points, kinds, strict=True)]
    for at in np.ndindex(*counts.shape):
        near = []
        for row in range(len(X)):
            share, squared = w[row], 0.0
            for axis, kind in enumerate(kinds):
                mine = unit[axis][row]
                if kind == "categorical":
                    share *= mine == at[axis]
                elif widths is None:
                    share *= at[axis] in (mine, mine + 1)
                else:
                    away = float(columns[axis][row]) - float(points[axis][at[axis]])
                    squared += (away / widths[axis]) ** 2
            kernel = math.exp(-squared / 2) if squared < FARTHEST**2 else 0.0
            near.append(share * Fraction(kernel))
        counts[at] = float(sum(near))
        if counts[at] > 0:
            values[at] = float(_mean(f[at], near))
    return values, counts


def curve_at(x: Sequence[float], values: Sequence[float], at: float) -> float:
    """A curve through the points, interpolated linearly; NaN beyond its ends."""
    for low, high in pairwise(range(len(x))):
        if x[low] <= at <= x[high]:
            share = (Fraction(float(at)) - Fraction(float(x[low]))) / (
                Fraction(float(x[high])) - Fraction(float(x[low])))  # fmt: skip
            rise = Fraction(float(values[high])) - Fraction(float(values[low]))
            return float(Fraction(float(values[low])) + share * rise)
    return math.nan


def interaction_strength(
    prediction: Sequence[float], main_effects: Sequence[Sequence[float]], weights: Any = None
) -> float:
    """Share of the variation that the main effects at the rows, (effects, n), leave.

    Source: Molnar, Casalicchio and Bischl (2020), section 3.2.
    """
    w = _weights(weights, len(prediction))
    constant = _mean(list(prediction), w)
    total = left = Fraction(0)
    means = [_mean(list(effect), w) for effect in main_effects]
    for row, value in enumerate(prediction):
        effects = zip(main_effects, means, strict=True)
        explained = sum(Fraction(effect[row]) - mean for effect, mean in effects)
        total += w[row] * (Fraction(value) - constant) ** 2
        left += w[row] * (Fraction(value) - constant - explained) ** 2
    return float(left / total)


def h_statistic(
    predict: Predict, X: pd.DataFrame, features: Sequence[Hashable], weights: Any = None
) -> tuple[float, float]:
    """Root mean squares of what features only do together, and of the effect it is a part of.

    By partial dependence at the rows; overall where no feature is given. Source: Friedman and
    Popescu (2008), section 8.1.
    """
    n, w = len(X), _weights(weights, len(X))

    def centred(names: Sequence[Hashable]) -> list[Fraction]:
        moved = []
        for row in range(n):
            frame = X.copy()
            for name in names:
                frame[name] = X[name].iloc[[row] * n].array
            moved.append(frame)
        values = np.asarray(predict(pd.concat(moved)), dtype=np.float64).reshape(n, n)
        averages = [_mean(list(of_row), w) for of_row in values]
        middle = _mean(averages, w)
        return [average - middle for average in averages]

    whole = centred(list(X))
    if len(features) < 2:
        others = [name for name in X if name not in features]
        sets = [features, others] if features else [[name] for name in X]
        parts = [(-1, centred(names)) for names in sets]
        effect, interaction = whole, whole
    else:
        effect = interaction = centred(features)
        parts = [
            ((-1) ** (len(features) - size), centred(names))
            for size in range(1, len(features))
            for names in combinations(features, size)
        ]
    for sign, part in parts:
        interaction = [one + sign * other for one, other in zip(interaction, part, strict=True)]
    found = (_root(_mean([value**2 for value in values], w)) for values in (interaction, effect))
    return next(found), next(found)


def percentiles(curves: Array, level: float) -> tuple[Array, Array]:
    """Ends of a pointwise band: R's quantiles (type 7) of the curves (n_boot, ...)."""
    ends = []
    for p in ((1 - level) / 2, (1 + level) / 2):
        index = (len(curves) - 1) * p
        low, share = math.floor(index), index - math.floor(index)
        ordered = np.sort(curves, axis=0)
        high = ordered[min(low + 1, len(curves) - 1)]
        ends.append(ordered[low] + share * (high - ordered[low]))
    return ends[0], ends[1]


def permutation_importance(
    score: Callable[[pd.DataFrame], float], X: pd.DataFrame, orders: Sequence[Sequence[int]]
) -> Array:
    """How much worse a score (higher is better) is with each column in other orders of the rows.

    Returns differences of shape (columns, orders).
    """
    whole, differences = score(X.copy()), np.empty((X.shape[1], len(orders)))
    for column, number in np.ndindex(*differences.shape):
        permuted = X.copy()
        values = X.iloc[list(orders[number]), column].array
        permuted.isetitem(column, values)
        differences[column, number] = whole - score(permuted)
    return differences


def left_out_scores(
    fit_and_score: Callable[[Any, Any, Any, Any], float],
    X: pd.DataFrame,
    y: Array,
    splits: Sequence[tuple[Array, Array]],
    without: Sequence[Sequence[int]],
) -> Array:
    """Scores of models refitted without some columns, of shape (sets of columns, splits)."""
    scores = np.empty((len(without), len(splits)))
    for i, gone in enumerate(without):
        left = X.iloc[:, [place for place in range(X.shape[1]) if place not in gone]]
        for j, (train, test) in enumerate(splits):
            scores[i, j] = fit_and_score(left.iloc[train], y[train], left.iloc[test], y[test])
    return scores
