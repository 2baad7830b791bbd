"""Order of the levels of a categorical feature: the caller's, declared, of time, by a rule."""

from __future__ import annotations

import datetime
import logging
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform

from aleplot_py.errors import LOG, FeatureError, listing, warn_caller
from aleplot_py.inputs.arrays import numbers_of
from aleplot_py.inputs.checks import one_of
from aleplot_py.steps.grid import FloatArray, IntArray, Values, quantile_type7
from aleplot_py.steps.scaling import classical_scaling

ORDERS = ("similarity", "declared", "frequency", "mean_prediction")
#: Orders by the rule named: where a rule finds them, numbers of the levels from the first on.
Rules = Mapping[str, Callable[[], IntArray]]
# Levels of these types have an order of their own, which similarity would scramble.
TIMES = (datetime.date, datetime.time, datetime.timedelta, pd.Period)
# Coordinates that agree to this many decimals of the longest one differ by rounding only.
SAME_PLACE_DECIMALS = 10
QUANTILES = np.linspace(0, 1, 100)
# Levels whose distances some gigabytes suffice for.
MOST_SIMILAR = 10_000
#: Comparisons of two shares that take scipy as long as numba takes to start, some 0.4 seconds.
WORTH_STARTING = 600_000_000
_compared = 0  # by this process


def numeric_table(
    values: FloatArray, codes: IntArray, n_levels: int, q: FloatArray
) -> NDArray[np.int64]:
    """Number of values of each level between each of the increasing `q` and the one before.

    Of shape (n_levels, q.size): each value is counted at the first that is not below it.
    """
    cells = codes * q.size
    cells += Values(values).first_not_below(q)
    table = np.bincount(cells, minlength=n_levels * q.size)
    return np.asarray(table.reshape(n_levels, q.size))


def add_distribution_distance(table: NDArray[np.int64], total: FloatArray) -> None:
    """Add the Kolmogorov-Smirnov distances of all pairs of levels, from `numeric_table`.

    They are scipy's, until a process has compared so much that the start of numba would have paid;
    what numba compiles takes less than a quarter of the time.

    Parameters
    ----------
    table : ndarray of int of shape (n_levels, places)
        Number of values of each level between two places.
    total : ndarray of shape (n_levels * (n_levels - 1) / 2,)
        Where the condensed distances are added.
    """
    global _compared
    n_levels, places = table.shape
    _compared += places * n_levels * (n_levels - 1) // 2
    if _compared > WORTH_STARTING:
        from aleplot_py.steps import compiled
        from aleplot_py.steps.kolmogorov import add_kolmogorov_smirnov

        if compiled.AVAILABLE:
            add_kolmogorov_smirnov(table, total)
            return
    not_above = np.cumsum(table, axis=1)
    profile = not_above / np.maximum(not_above[:, -1:], 1)
    total += pdist(profile, "chebyshev")


def frequency_distance(table: NDArray[np.int64]) -> FloatArray:
    """Condensed distances of all pairs of levels, from their counts of others (n_levels, other)."""
    profile = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    return np.asarray(pdist(profile, "cityblock") / 2)


def _add_column_distance(
    column: pd.Series, codes: IntArray, n_levels: int, total: FloatArray
) -> None:
    """Add the condensed distances of all pairs of levels in one other column."""
    numbers = numbers_of(column)
    if numbers is not None:
        known = np.isfinite(numbers)
        if not known.all():
            numbers, codes = numbers[known], codes[known]
        if numbers.size:
            q = np.unique(quantile_type7(numbers, QUANTILES))
            add_distribution_distance(numeric_table(numbers, codes, n_levels, q), total)
        return
    try:
        other = pd.factorize(column, use_na_sentinel=False)[0]
    except (TypeError, NotImplementedError):  # unhashable values, such as lists
        other = pd.factorize(column.map(repr))[0]
    n_other = int(other.max()) + 1
    table = np.bincount(codes * n_other + other, minlength=n_levels * n_other)
    total += frequency_distance(table.reshape(n_levels, n_other))


def level_distances(others: list[pd.Series], codes: IntArray, n_levels: int) -> FloatArray:
    """Distances between the levels: how differently their rows are distributed elsewhere.

    Parameters
    ----------
    others : list of Series of length n
        Every column but the explained one. Numeric (and time) columns contribute the
        Kolmogorov-Smirnov distance at 100 quantiles, all others half the sum of the absolute
        differences of the relative frequencies. Missing numbers are left out; a missing category
        is a category of its own.
    codes : ndarray of int of shape (n,)
        Level of each row, 0, ..., n_levels - 1, all used.
    n_levels : int
        Number of levels.

    Returns
    -------
    ndarray of shape (n_levels, n_levels)
        Symmetric distances, 0 on the diagonal.

    Notes
    -----
    Source: Apley and Zhu (2020), supplement; R's ``ALEPlot`` for factors.
    """
    total = np.zeros(n_levels * (n_levels - 1) // 2)
    for column in others:
        _add_column_distance(column, codes, n_levels, total)
    return np.asarray(squareform(total)) if n_levels > 1 else np.zeros((1, 1))


def similarity_order(
    others: list[pd.Series], codes: IntArray, n_levels: int, name: object = "feature"
) -> IntArray:
    """Order of the levels such that neighbours have similar rows.

    Parameters
    ----------
    others : list of Series of length n
        Every column but the explained one.
    codes : ndarray of int of shape (n,)
        Level of each row, 0, ..., n_levels - 1, all used.
    n_levels : int
        Number of levels.
    name : object
        Name of the explained column, for the warning.

    Returns
    -------
    ndarray of int of shape (n_levels,)
        Levels in their new order. The direction of the axis is arbitrary (in R too, it depends on
        the linear algebra library): here the level farthest from the centre comes first, of
        equally far ones the one declared first. Levels at the same place keep their declared
        order.

    Warns
    -----
    UserWarning
        When no other column tells the levels apart; the declared order is then kept.
    """
    return order_by(level_distances(others, codes, n_levels), name, alone=not others)


def order_by(distances: FloatArray, name: object, *, alone: bool) -> IntArray:
    """Order of levels at these distances (n_levels, n_levels), which are overwritten.

    See `similarity_order`.
    """
    if not distances.any():
        reason = "there is no other column" if alone else "no other column tells its levels apart"
        warn_caller(
            f"column {name!r}: {reason}, so its levels keep their declared order; "
            "pass order= to choose one"
        )
        return np.arange(len(distances))
    coordinates = classical_scaling(distances, overwrite=True)
    coordinates = np.round(coordinates / np.abs(coordinates).max(), SAME_PLACE_DECIMALS)
    farthest = np.argmax(np.abs(coordinates))
    return np.argsort(coordinates * -np.sign(coordinates[farthest]), kind="stable")


def level_rank(
    column: pd.Series,
    name: Hashable,
    levels: list[Any],
    order: Any,
    similar: bool,
    rules: Rules,
) -> IntArray:
    """Numbers of the levels in the order that they are to have, (n_levels,); see `level_axis`."""
    declared = np.arange(len(levels))
    if isinstance(order, str):
        if one_of(order, ORDERS, "order") == "declared":
            return declared
        return _by_similarity(name, levels, rules) if order == "similarity" else rules[order]()
    if order is None:
        ordered = is_ordered(column)
        in_time = None if ordered else order_of_time(levels)
        if in_time is not None:
            rule, rank = "in the order of time", in_time
        elif ordered or not similar:
            rule, rank = "as declared, else sorted", declared
        else:
            rule, rank = "by similarity", _by_similarity(name, levels, rules)
        if LOG.isEnabledFor(logging.INFO):
            shown = listing(levels[i] for i in rank)
            LOG.info("levels of column %r %s: %s", name, rule, shown)
        return rank
    given = listed_levels(order, name)
    repeated = [level for i, level in enumerate(given) if level in given[:i]]
    if repeated:
        raise ValueError(f"order of column {name!r} names level {repeated[0]!r} more than once")
    left_out = [level for level in levels if level not in given]
    if left_out:
        raise ValueError(f"order of column {name!r} leaves out level {left_out[0]!r}")
    known = levels + _declared_levels(column)
    unknown = [level for level in given if level not in known]
    if unknown:
        raise ValueError(f"order of column {name!r} names {unknown[0]!r}, which is not a level")
    return np.array([levels.index(level) for level in given if level in levels], dtype=np.intp)


def _by_similarity(name: Hashable, levels: list[Any], rules: Rules) -> IntArray:
    """The order by similarity, refused where the distances would fill the memory."""
    if len(levels) > MOST_SIMILAR:
        raise FeatureError(
            f"column {name!r} has {len(levels):,} levels, at most {MOST_SIMILAR:,} are ordered by "
            "similarity, which takes a distance for every two: pass another order=, such as "
            "'frequency', collapse= for rare levels, or leave the column out"
        )
    return rules["similarity"]()


def is_ordered(column: pd.Series) -> bool:
    """Whether the levels of a column are declared to stand in an order."""
    return isinstance(column.dtype, pd.CategoricalDtype) and bool(column.dtype.ordered)


def order_of_time(levels: list[Any]) -> IntArray | None:
    """Numbers of the levels from the earliest on, where all are times; None for other levels."""
    if not all(isinstance(level, TIMES) for level in levels):
        return None
    try:
        ranked = sorted(range(len(levels)), key=levels.__getitem__)
    except TypeError:  # days beside hours, local times beside others
        ranked = sorted(range(len(levels)), key=lambda i: str(levels[i]))
    return np.array(ranked, dtype=np.intp)


def listed_levels(order: Any, name: Hashable) -> list[Any]:
    """Levels in the caller's own order."""
    try:
        given = list(order)
    except TypeError:
        raise TypeError(
            f"order of column {name!r} must be a list of its levels or one of {ORDERS}, "
            f"got {order!r}"
        ) from None
    for level in given:
        if not can_be_level(level):
            raise ValueError(f"order of column {name!r} names {level!r}, which is not a level")
    return given


def can_be_level(value: Any) -> bool:
    """Whether a value can be compared with levels: it is known, and can be looked up."""
    try:
        hash(value)
    except TypeError:
        return False
    return not (pd.api.types.is_scalar(value) and pd.isna(value))


def _declared_levels(column: pd.Series) -> list[Any]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.categories.tolist()
    return []
