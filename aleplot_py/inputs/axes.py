"""From a column to an axis: its kind, its grid, or its levels in order."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import pandas as pd
from scipy.stats.mstats import mquantiles

from aleplot_py.errors import (
    LOG,
    ConstantFeatureError,
    FeatureTypeError,
    GridError,
)
from aleplot_py.inputs.arrays import numbers_of
from aleplot_py.inputs.checks import checked_grid, held_values, interval_count, one_of
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.ordering import (
    ORDERS,
    Rules,
    level_rank,
    listed_levels,
    similarity_order,
)
from aleplot_py.inputs.problem import Problem
from aleplot_py.inputs.rare import check_collapse, rare_levels
from aleplot_py.inputs.requests import by_column, option_for
from aleplot_py.inputs.times import to_times
from aleplot_py.steps.axis import RARE, Axis, Collapsed, Kind, Times
from aleplot_py.steps.grid import FloatArray, IntArray, Values, equidistant_grid
from aleplot_py.steps.moments import CellMoments

GRIDS = ("aleplot", "iml", "equidistant")
POINT_GRIDS = ("equidistant", "iml")


def kind_of(table: Table, name: Hashable, categorical: Set[Hashable]) -> Kind:
    """Whether a column is explained as numbers or as categories."""
    if name in categorical:
        return "categorical"
    if table.doubles(name) is not None:
        return "numeric"
    column = table.column(name)
    if pd.api.types.is_complex_dtype(column.dtype):
        raise FeatureTypeError(
            f"column {name!r} has type {column.dtype}: a feature must be real numbers or categories"
        )
    return "categorical" if numbers_of(column) is None else "numeric"


def may_have_effect(table: Table, name: Hashable, categorical: Set[Hashable]) -> bool:
    """Whether a column is of a type that can be explained and has two values."""
    try:
        kind_of(table, name, categorical)
    except FeatureTypeError:
        return False
    try:
        return len(table.column(name).dropna().unique()) > 1
    except TypeError:  # values that cannot be levels, such as lists
        return False


def _constant(name: Hashable, value: Any, what: str) -> ConstantFeatureError:
    return ConstantFeatureError(
        f"column {name!r} has a single {what}, {value!r}: an effect needs at least two"
    )


class Summary(Protocol):
    """What a grid depends on: a summary of the values of a numeric column."""

    n: int

    @property
    def low(self) -> float:
        """The smallest value."""

    @property
    def high(self) -> float:
        """The largest value."""

    def beyond(self, z: FloatArray) -> int:
        """Number of values outside the caller's own grid."""

    def quantile_grid(self, K: int, rule: str) -> FloatArray:
        """Edges as those of `aleplot_py.steps.grid.quantile_grid`."""


def interval_grid(
    numbers: Summary,
    name: Hashable,
    K: Any,
    grid: Any,
    outside: str,
    times: Times | None = None,
) -> FloatArray:
    """Edges of the intervals of a numeric feature."""
    low, high = numbers.low, numbers.high
    if not isinstance(grid, str):
        z = checked_grid(grid, name, times)
        beyond = numbers.beyond(z)
        if (beyond and outside == "error") or (outside == "iml" and low > z[-1]):
            first, last, low, high = _shown([z[0], z[-1], low, high], times)
            raise GridError(
                f"grid of column {name!r} runs from {first} to {last}, but {beyond} of "
                f"{numbers.n} rows lie outside it (data from {low} to {high})"
            )
        return z
    if low == high:
        raise _constant(name, _shown([low], times)[0], "value")
    K = interval_count(K)
    if one_of(grid, GRIDS, "grid") == "equidistant":
        return _whole(equidistant_grid(low, high, K + 1), times)
    return numbers.quantile_grid(K, grid)


def _whole(points: FloatArray, times: Times | None) -> FloatArray:
    """Points without repetition, between times rounded to the unit that all the data have."""
    return np.unique(points if times is None else np.round(points))


def _shown(numbers: list[float], times: Times | None) -> list[Any]:
    """Numbers on an axis as the caller knows them."""
    return numbers if times is None else list(to_times(np.array(numbers), times))


def interval_axis(table: Table, name: Hashable, K: Any, grid: Any, outside: str = "error") -> Axis:
    """Numeric feature cut into intervals."""
    times, held = table.times(name), held_values(table, name)
    values = held.x
    z = interval_grid(held, name, K, grid, outside, times)
    if isinstance(grid, str) and len(z) - 1 < K:
        LOG.info("column %r has %d intervals: ties leave no more of %d", name, len(z) - 1, K)
    rule = grid if isinstance(grid, str) else "given"
    inside = held if outside == "error" else Values(np.clip(values, z[0], z[-1]))
    codes: Any = inside.codes(z)  # which an axis shows as integers of the usual size
    above = values > z[-1] if outside == "iml" else None
    z.flags.writeable = False
    kept = table.kept(name, values)
    return Axis(name, "numeric", z, table.typed(name, z), codes, kept, rule, above, times)


def point_grid(
    numbers: Summary,
    name: Hashable,
    K: Any,
    grid: Any,
    *,
    whole: bool,
    times: Times | None = None,
) -> FloatArray:
    """Points that a numeric feature is set to; iml's are `whole` in a column of integers."""
    if isinstance(grid, str):
        one_of(grid, POINT_GRIDS, "grid")
        low, high = numbers.low, numbers.high
        if low == high:
            raise _constant(name, _shown([low], times)[0], "value")
        K = interval_count(K)
        if K < 2:
            raise ValueError(f"K must be at least 2 grid points, got {K}")
        points = equidistant_grid(low, high, K)
        if grid == "iml" and whole:
            points = np.round(points)
        return _whole(points, times)
    return checked_grid(grid, name, times, at_least=1)


def point_axis(
    table: Table,
    name: Hashable,
    K: Any,
    grid: Any,
    percentiles: tuple[float, float] | None = None,
) -> Axis:
    """Numeric feature with points to be set to; a row's code is the first point not below it."""
    times, held = table.times(name), held_values(table, name)
    values = held.x
    doubles = table.doubles(name) is not None
    whole = not doubles and pd.api.types.is_integer_dtype(table.column(name).dtype)
    points = point_grid(held, name, K, grid, whole=whole, times=times)
    if percentiles is not None:
        points = _between(values, name, K, grid, percentiles, times)
    rule = grid if isinstance(grid, str) else "given"
    codes: Any = held.first_not_below(points)  # which an axis shows as integers of the usual size
    typed = table.typed(name, points)
    kept = table.kept(name, values)
    return Axis(name, "numeric", points, typed, codes, kept, rule, times=times)


def _between(
    values: FloatArray,
    name: Hashable,
    K: int,
    grid: Any,
    percentiles: tuple[float, float],
    times: Times | None,
) -> FloatArray:
    """Points between two quantiles, or all values where they are fewer, as scikit-learn's."""
    if not (isinstance(grid, str) and grid == "equidistant"):
        raise ValueError(
            f"percentiles are the ends of grid='equidistant', got grid={grid!r} for column {name!r}"
        )
    different = np.unique(values)
    if len(different) < K:
        return different
    low, high = mquantiles(values, prob=percentiles).tolist()
    if low == high:
        raise GridError(
            f"percentiles of column {name!r} must differ, got {_shown([low], times)[0]} for both "
            f"of {percentiles}"
        )
    return _whole(np.linspace(low, high, K), times)


def by_kind(
    problem: Problem,
    numeric_axis: Callable[[Table, Hashable, Any, Any], Axis],
    *,
    grids: Sequence[str],
    similar: bool,
    check_K: Callable[[Any], Any] = interval_count,
    categorical_axis: Callable[..., Axis] | None = None,
    predicted: Callable[[Problem], FloatArray] | None = None,
) -> Callable[[Table, Hashable], Axis]:
    """How to lay an axis of either kind, for `Problem.lay`.

    Parameters
    ----------
    problem : Problem
        Knows the columns declared categorical, and the options ``K``, ``grid``, ``order`` and
        ``collapse``, each for all features or a dict by feature.
    numeric_axis : callable
        Axis of a numeric feature from (table, name, its K, its grid).
    grids : sequence of str
        Words that ``grid`` may be, first that of a feature that a dict leaves out.
    similar : bool
        Whether unordered levels are ordered by similarity.
    check_K : callable
        Refuses a wrong ``K``. Options are checked whether or not the features at hand need them.
    categorical_axis : callable, optional
        Axis of a categorical feature, by default `level_axis`.
    predicted : callable, optional
        Predictions (n,) for the rows of a problem as they are, which can order levels.
    """
    options = problem.options
    known: list[tuple[Table, FloatArray]] = []

    def means(table: Table) -> Callable[[IntArray, int], FloatArray]:
        """Mean prediction of the levels of any feature, (n_levels,), from one call for its rows."""

        def of_levels(codes: IntArray, n_levels: int) -> FloatArray:
            if predicted is None or problem.black_box.several:
                raise ValueError(
                    "order='mean_prediction' orders levels by one output: target must be one label"
                )
            if not (known and known[0][0] is table):
                known[:] = [(table, predicted(replace(problem, table=table)))]
            return CellMoments.of(known[0][1], codes, n_levels).mean

        return of_levels

    def check_grid(grid: Any, name: Hashable) -> None:
        if isinstance(grid, str):
            one_of(grid, grids, "grid")
        else:
            checked_grid(grid, name, problem.table.times(name), at_least=1)

    def check_order(order: Any, name: Hashable) -> None:
        if isinstance(order, str):
            one_of(order, ORDERS, "order")
        elif order is not None:
            listed_levels(order, name)

    def check_each(option: Any, check: Callable[[Any, Hashable], Any]) -> None:
        if isinstance(option, Mapping):
            for name, value in by_column(option, problem.table).items():
                check(value, name)

    check_each(options.K, lambda K, _: check_K(K))
    check_each(options.grid, check_grid)
    check_each(options.order, check_order)
    check_each(options.collapse, check_collapse)

    def lay_axis(table: Table, name: Hashable) -> Axis:
        K = option_for(name, options.K, table, 40)
        grid = option_for(name, options.grid, table, grids[0])
        order = option_for(name, options.order, table, None)
        check_K(K)
        check_grid(grid, name)
        check_order(order, name)
        collapse = option_for(name, options.collapse, table, None)
        check_collapse(collapse, name)
        if kind_of(table, name, problem.categorical) == "categorical":
            if categorical_axis is not None:
                return categorical_axis(table, name, order=order, similar=similar)
            return level_axis(
                table,
                name,
                order=order,
                similar=similar,
                collapse=collapse,
                named=isinstance(options.collapse, Mapping),
                means=means(table),
            )
        return numeric_axis(table, name, K, grid)

    return lay_axis


def levels_of(column: pd.Series) -> tuple[list[Any], IntArray]:
    """Used levels in their declared (else sorted) order, and the level number of each row (n,)."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        categories, codes = column.cat.categories, column.cat.codes.to_numpy()
        used = np.bincount(codes + np.intp(1), minlength=len(categories) + 1)[1:] > 0
        position = np.append(np.cumsum(used) - 1, -1)  # missing ones stay -1
        return categories[used].tolist(), position[codes]
    try:
        codes, levels = pd.factorize(column)
    except (TypeError, NotImplementedError):  # such as lists
        raise no_levels(column) from None
    try:
        rank = np.argsort(np.asarray(levels), kind="stable")
    except TypeError:  # levels of mixed types have no order of their own
        rank = np.argsort([str(level) for level in levels], kind="stable")
    position = np.empty(len(rank), dtype=np.intp)
    position[rank] = np.arange(len(rank))
    listed = levels.tolist()
    return [listed[i] for i in rank], np.asarray(position[codes])


def no_levels(column: pd.Series) -> FeatureTypeError:
    """The error for a column of values such as lists."""
    return FeatureTypeError(
        f"column {column.name!r} holds values that cannot be levels, such as {column.iloc[0]!r}: "
        "make numbers or text of them"
    )


def level_axis(
    table: Table,
    name: Hashable,
    *,
    order: Any,
    similar: bool,
    collapse: Any = None,
    named: bool = False,
    means: Callable[[IntArray, int], FloatArray] | None = None,
    rules: Rules | None = None,
) -> Axis:
    """Categorical feature with its levels in order.

    Parameters
    ----------
    table : Table
        All columns; the others decide the similarity order.
    name : hashable
        The feature.
    order : None, a word of `ORDERS`, or sequence of levels
        The caller's order. None: a declared order (ordered categorical) is kept, times are in
        the order of time, otherwise similarity if `similar`, else the levels' own order.
    similar : bool
        Whether neighbouring levels must be similar (ALE) or not (partial dependence).
    collapse, named
        As in `aleplot_py.inputs.rare.rare_levels`.
    means : callable, optional
        Mean prediction of each level (n_levels,), from (codes, n_levels).
    rules : mapping of str to callable, optional
        What a word for the order means, by default what the rows of `table` say.
    """
    column = table.column(name)
    levels, codes = levels_of(column)
    rare = rare_levels(column, name, levels, codes, order, collapse, named=named)
    collapsed, apart = None, codes[:0]
    if rare.size:
        collapsed, apart = _collapsed(levels, codes, rare)
        if order is not None and not isinstance(order, str):
            shared = set(collapsed.levels)
            order = [level for level in listed_levels(order, name) if level not in shared]
        levels, codes = _together(levels, codes, rare)
    if len(levels) < 2:
        raise _constant(name, levels[0], "level")

    def by_rows() -> IntArray:
        return similarity_order(table.others(name), codes, len(levels), name)

    def by_count() -> IntArray:
        return np.argsort(-np.bincount(codes, minlength=len(levels)), kind="stable")

    def by_mean() -> IntArray:
        if means is None:
            raise ValueError("order='mean_prediction' needs predictions")
        return np.argsort(means(codes, len(levels)), kind="stable")

    own = {"similarity": by_rows, "frequency": by_count, "mean_prediction": by_mean}
    rank = level_rank(column, name, levels, order, similar, rules or own)
    position = np.empty(len(levels), dtype=np.intp)
    position[rank] = np.arange(len(levels))
    ranked = position[codes]
    first_row = np.concatenate([_first_rows(ranked, len(levels)), apart])
    points = np.empty(len(levels), dtype=object)
    points[:] = [levels[i] for i in rank]
    typed: Any = column.iloc[first_row].array
    if isinstance(typed, pd.arrays.NumpyExtensionArray):
        typed = typed.to_numpy()
    kept: Any = None  # what the codes tell
    return Axis(name, "categorical", points, typed, ranked, kept, "levels", collapsed=collapsed)


def _first_rows(codes: IntArray, n_levels: int) -> IntArray:
    """First row of each level, all of them used, (n_levels,)."""
    first = np.empty(n_levels, dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return first


def _collapsed(levels: list[Any], codes: IntArray, rare: IntArray) -> tuple[Collapsed, IntArray]:
    """The levels that are to share a point, and a row of each."""
    number = np.full(len(levels), -1, dtype=np.intp)
    number[rare] = np.arange(len(rare))
    labels = np.empty(len(rare), dtype=object)
    labels[:] = [levels[i] for i in rare]
    rows = np.bincount(codes, minlength=len(levels))[rare].astype(np.float64)
    first = _first_rows(codes, len(levels))[rare]
    return Collapsed(labels, rows, number[codes]), first


def _together(levels: list[Any], codes: IntArray, rare: IntArray) -> tuple[list[Any], IntArray]:
    """The other levels, then the one that stands for those, and its number for each row (n,)."""
    kept = np.setdiff1d(np.arange(len(levels)), rare)
    place = np.full(len(levels), len(kept), dtype=np.intp)
    place[kept] = np.arange(len(kept))
    return [*(levels[i] for i in kept), RARE], place[codes]
