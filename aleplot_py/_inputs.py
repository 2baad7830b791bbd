"""Every check of the caller's arguments, and every message about them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py._axis import Axis, Kind
from aleplot_py._frames import Table, typed_points
from aleplot_py._pandas_arrays import as_floats
from aleplot_py.errors import (
    ConstantFeatureError,
    FeatureError,
    FeatureTypeError,
    GridError,
)
from aleplot_py.grid import FloatArray, IntArray, bin_codes, equidistant_grid, quantile_grid
from aleplot_py.ordering import numbers_of, similarity_order

GRIDS = ("aleplot", "iml", "equidistant")
CENTERINGS = ("aleplot", "paper", "none")
MISSING = ("error", "drop")
OUTSIDE = ("error", "clip", "iml")
# Sums and differences of two larger feature values overflow.
LARGEST_VALUE = float(np.finfo(np.float64).max) / 4
# Sums of squares weighted by much more overflow, and by much less lose their digits.
LARGEST_WEIGHT = 1e100


def as_table(X: Any) -> Table:
    """Wrap the caller's frame or array; refuse other types, no rows, and MultiIndex columns."""
    if not isinstance(X, (pd.DataFrame, np.ndarray)):
        raise TypeError(f"X must be a DataFrame or a two-dimensional array, got {type(X).__name__}")
    if isinstance(X, (np.matrix, np.ma.MaskedArray)):
        raise TypeError(
            f"X must be a DataFrame or a plain array, got {type(X).__name__}: pass np.asarray(X), "
            "masked entries as NaN"
        )
    if X.ndim != 2:
        raise ValueError(f"X must be two-dimensional, got shape {X.shape}")
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise ValueError(f"X must have rows and columns, got shape {X.shape}")
    if isinstance(X, pd.DataFrame) and isinstance(X.columns, pd.MultiIndex):
        raise TypeError("X must have plain column names, got a MultiIndex")
    if isinstance(X, pd.DataFrame):  # columns that the caller replaces later are not ours
        X = X.copy(deep=False)
    return Table(X)


def one_of(value: Any, allowed: Sequence[str], argument: str) -> str:
    """Return `value` if it is one of the words allowed for the argument."""
    if not (isinstance(value, str) and value in allowed):
        raise ValueError(f"{argument} must be one of {tuple(allowed)}, got {value!r}")
    return value


def positive_integer(value: Any, argument: str) -> int:
    """Return `value` if it is an integer of at least 1."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{argument} must be a positive integer, got {value!r}")
    if value < 1:
        raise ValueError(f"{argument} must be a positive integer, got {value!r}")
    return int(value)


@dataclass(frozen=True)
class Setup:
    """Checked arguments that all estimators share.

    Parameters
    ----------
    table : Table of n rows
        The data.
    requests : list of tuples of one or two column names
        What to compute.
    several : bool
        Whether the caller asked for a collection.
    everything : bool
        Whether that was "all", where columns that have no effect are left out with a warning.
    categorical : set of column names
        Columns declared categorical.
    weights : ndarray of shape (n,) or None
        Row weights.
    missing : {"error", "drop"}
        What to do with rows whose explained feature is missing.
    batch_rows : int or None
        Largest number of rows in one call.
    """

    table: Table
    requests: list[tuple[Hashable, ...]]
    several: bool
    everything: bool
    categorical: set[Hashable]
    weights: FloatArray | None
    missing: str
    batch_rows: int | None

    def lay(
        self, lay_axis: Callable[[Table, Hashable], Axis]
    ) -> list[tuple[Table, list[Axis], FloatArray | None]]:
        """Rows, axes and weights of every request, before anything is predicted."""
        laid = []
        for names in self.requests:
            try:
                rows = rows_without_missing(self.table, names, self.missing)
                part = self.table.rows(rows)
                axes = [lay_axis(part, name) for name in names]
            except FeatureError as error:
                if not (self.everything and error.skippable):
                    raise
                warnings.warn(f"left out: {error}", UserWarning, stacklevel=3)
                continue
            weights = None if self.weights is None else self.weights[rows]
            if weights is not None and not weights.any():
                raise ValueError(
                    f"sample_weight is zero in every row where {', '.join(map(repr, names))} is "
                    "known"
                )
            laid.append((part, axes, weights))
        return laid


def setup(
    X: Any, features: Any, *, categorical: Any, sample_weight: Any, missing: Any, batch_rows: Any
) -> Setup:
    """Check the arguments that all estimators share."""
    table = as_table(X)
    requests, several = feature_requests(features, table)
    return Setup(
        table,
        requests,
        several,
        isinstance(features, str) and several,
        categorical_names(categorical, table),
        weights_of(sample_weight, len(table)),
        one_of(missing, MISSING, "missing"),
        None if batch_rows is None else positive_integer(batch_rows, "batch_rows"),
    )


def job_count(n_jobs: Any) -> int:
    """Number of threads: 1 for None, all cores for -1."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, (int, np.integer)) and n_jobs == -1:
        return os.cpu_count() or 1
    return positive_integer(n_jobs, "n_jobs")


def column_name(feature: Any, table: Table) -> Hashable:
    """Name of a column given by name or, where no column has that name, by 0-based position."""
    names = table.names
    try:
        found = names.count(feature)
    except (TypeError, ValueError):  # an array compares elementwise, pd.NA not at all
        found = 0
    if found > 1:
        raise FeatureError(f"column {feature!r} occurs {found} times in X: names must be unique")
    if found == 1:
        name = names[names.index(feature)]
        if isinstance(name, (bool, np.bool_)) == isinstance(feature, (bool, np.bool_)):
            return name
    if isinstance(feature, (int, np.integer)) and not isinstance(feature, (bool, np.bool_)):
        if 0 <= feature < len(names):
            return column_name(names[int(feature)], table)
        raise FeatureError(
            f"feature {feature!r} is not a column: X has {len(names)} columns, counted from 0"
        )
    shown = ", ".join(repr(name) for name in names[:20]) + (", ..." if len(names) > 20 else "")
    raise FeatureError(f"feature {feature!r} is not a column of X: it has {shown}")


def feature_requests(features: Any, table: Table) -> tuple[list[tuple[Hashable, ...]], bool]:
    """Translate `features` into tuples of one or two column names.

    Returns
    -------
    requests : list of tuples
        What to compute.
    several : bool
        Whether the caller asked for a collection (a list or "all") rather than one effect.
    """
    if isinstance(features, str) and features == "all":
        return [(column_name(name, table),) for name in table.names], True
    if isinstance(features, (list, np.ndarray, pd.Index)):
        if len(features) == 0:
            raise FeatureError("features must name at least one column, got an empty list")
        requests = [_request(feature, table) for feature in features]
        repeated = [r for i, r in enumerate(requests) if r in requests[:i]]
        if repeated:
            raise FeatureError(f"features names {_label(repeated[0])} more than once")
        return requests, True
    return [_request(features, table)], False


def _label(request: tuple[Hashable, ...]) -> str:
    return repr(request[0] if len(request) == 1 else request)


def _is_name(feature: tuple[Any, ...], table: Table) -> bool:
    """Whether a tuple is itself the name of a column."""
    return any(isinstance(name, tuple) and name == feature for name in table.names)


def _request(feature: Any, table: Table) -> tuple[Hashable, ...]:
    if not isinstance(feature, tuple) or _is_name(feature, table):
        return (column_name(feature, table),)
    if len(feature) not in (1, 2):
        raise FeatureError(f"an effect has one or two features, got {feature!r}")
    names = tuple(column_name(name, table) for name in feature)
    if len(names) == 2 and names[0] == names[1]:
        raise FeatureError(f"a pair needs two different features, got {names[0]!r} twice")
    return names


def categorical_names(categorical: Any, table: Table) -> set[Hashable]:
    """Columns that the caller declares categorical."""
    if categorical is None:
        return set()
    single = isinstance(categorical, str) or not isinstance(categorical, Iterable)
    if isinstance(categorical, tuple):
        single = _is_name(categorical, table)
    return {column_name(name, table) for name in ([categorical] if single else categorical)}


def option_for(name: Hashable, option: Any, table: Table, default: Any) -> Any:
    """Value of an option for one feature, where it may be a dict of feature to value."""
    if not isinstance(option, Mapping):
        return option
    named = {column_name(key, table): value for key, value in option.items()}
    return named.get(name, default)


def kind_of(column: pd.Series, name: Hashable, categorical: set[Hashable]) -> Kind:
    """Whether a column is explained as numbers or as categories."""
    if name in categorical:
        return "categorical"
    dtype = column.dtype
    types = pd.api.types
    if types.is_datetime64_any_dtype(dtype) or types.is_timedelta64_dtype(dtype):
        raise FeatureTypeError(
            f"column {name!r} has type {dtype}: explain a number made from it (days since a date), "
            "or declare it in categorical="
        )
    if types.is_complex_dtype(dtype):
        raise FeatureTypeError(
            f"column {name!r} has type {dtype}: a feature must be real numbers or categories"
        )
    return "categorical" if numbers_of(column) is None else "numeric"


def rows_without_missing(table: Table, names: Sequence[Hashable], missing: str) -> slice | IntArray:
    """Rows to use: all of them, or under ``missing="drop"`` those with every feature known."""
    unknown = np.zeros(len(table), dtype=bool)
    for name in names:
        here = table.column(name).isna().to_numpy()
        if here.any() and missing == "error":
            raise FeatureError(
                f"column {name!r} has {int(here.sum())} missing value(s) in {len(here)} rows: "
                "drop them, or pass missing='drop'"
            )
        unknown |= here
    if not unknown.any():
        return slice(None)
    if unknown.all():
        raise FeatureError(f"no row is left where {', '.join(map(repr, names))} is known")
    return np.flatnonzero(~unknown)


def weights_of(sample_weight: Any, n: int) -> FloatArray | None:
    """Row weights (n,), checked; None when there are none."""
    if sample_weight is None:
        return None
    try:
        weights = as_floats(sample_weight)
    except (TypeError, ValueError):
        raise TypeError("sample_weight must be numbers, one per row") from None
    if weights.shape != (n,):
        raise ValueError(f"sample_weight must have one value per row, ({n},), got {weights.shape}")
    if not np.isfinite(weights).all() or (weights < 0).any():
        bad = weights[~(np.isfinite(weights) & (weights >= 0))][0]
        raise ValueError(f"sample_weight must be finite and not negative, got {bad}")
    if not weights.any():
        raise ValueError("sample_weight must not be all zero")
    if not 1 / LARGEST_WEIGHT <= weights.max() <= LARGEST_WEIGHT:
        raise ValueError(
            f"the largest sample_weight must be between {1 / LARGEST_WEIGHT:g} and "
            f"{LARGEST_WEIGHT:g}, got {weights.max():g}: only the ratios of weights matter, so "
            "divide them by the largest"
        )
    return weights


def numeric_values(column: pd.Series, name: Hashable) -> FloatArray:
    """Values of a numeric feature, (n,), refused if infinite or too large or close for doubles."""
    values = numbers_of(column)
    if values is None:
        raise FeatureError(f"column {name!r} is not numeric: its type is {column.dtype}")
    wrong = len(values) - int(np.isfinite(values).sum())
    if wrong:
        raise FeatureError(f"column {name!r} has {wrong} infinite value(s) in {len(values)} rows")
    low, high = float(values.min()), float(values.max())
    if max(-low, high) > LARGEST_VALUE:
        raise FeatureError(
            f"column {name!r} must have values of at most {LARGEST_VALUE:.2g} in size, got values "
            f"from {low:g} to {high:g}: rescale it"
        )
    if low == high and len(column.unique()) > 1:
        raise FeatureError(
            f"column {name!r} has values near {low!r} that differ by less than double precision "
            "can tell: subtract a constant from it, or declare it in categorical="
        )
    return values.copy()


def _constant(name: Hashable, value: Any, what: str) -> ConstantFeatureError:
    return ConstantFeatureError(
        f"column {name!r} has a single {what}, {value!r}: an effect needs at least two"
    )


def checked_grid(grid: Any, name: Hashable, *, at_least: int = 2) -> FloatArray:
    """Return the caller's own grid, (P,), if it is finite and strictly increasing."""
    try:
        z = as_floats(grid).copy()
    except (TypeError, ValueError):
        raise GridError(f"grid of column {name!r} must be numbers, got {grid!r}") from None
    if z.ndim != 1 or z.size < at_least:
        raise GridError(
            f"grid of column {name!r} must be a list of at least {at_least} point(s), "
            f"got shape {z.shape}"
        )
    if not np.isfinite(z).all():
        raise GridError(f"grid of column {name!r} must be finite, got {z[~np.isfinite(z)][0]}")
    if np.abs(z).max() > LARGEST_VALUE:
        raise GridError(
            f"grid of column {name!r} must have points of at most {LARGEST_VALUE:.2g} in size, got "
            f"{z[np.argmax(np.abs(z))]:g}"
        )
    down = np.flatnonzero(np.diff(z) <= 0)
    if down.size:
        raise GridError(
            f"grid of column {name!r} must be strictly increasing: "
            f"{z[down[0]]} is followed by {z[down[0] + 1]}"
        )
    return z


def _interval_grid(
    values: FloatArray, name: Hashable, K: Any, grid: Any, outside: str
) -> FloatArray:
    low, high = float(values.min()), float(values.max())
    if not isinstance(grid, str):
        z = checked_grid(grid, name)
        beyond = int(((values < z[0]) | (values > z[-1])).sum())
        if (beyond and outside == "error") or (outside == "iml" and low > z[-1]):
            raise GridError(
                f"grid of column {name!r} runs from {z[0]} to {z[-1]}, but {beyond} of "
                f"{len(values)} rows lie outside it (data from {low} to {high})"
            )
        return z
    if low == high:
        raise _constant(name, low, "value")
    K = positive_integer(K, "K")
    if one_of(grid, GRIDS, "grid") == "equidistant":
        return np.unique(equidistant_grid(low, high, K + 1))
    return quantile_grid(values, K, grid)


def interval_axis(table: Table, name: Hashable, K: Any, grid: Any, outside: str = "error") -> Axis:
    """Numeric feature cut into intervals."""
    column = table.column(name)
    values = numeric_values(column, name)
    z = _interval_grid(values, name, K, grid, outside)
    rule = grid if isinstance(grid, str) else "given"
    codes = bin_codes(values if outside == "error" else np.clip(values, z[0], z[-1]), z)
    above = values > z[-1] if outside == "iml" else None
    return Axis(name, "numeric", z, typed_points(z, column), codes, values, rule, above)


def point_axis(table: Table, name: Hashable, K: Any, grid: Any) -> Axis:
    """Numeric feature with points to be set to; a row's code is the first point not below it."""
    column = table.column(name)
    values = numeric_values(column, name)
    if isinstance(grid, str):
        one_of(grid, ("equidistant", "iml"), "grid")
        low, high = float(values.min()), float(values.max())
        if low == high:
            raise _constant(name, low, "value")
        K = positive_integer(K, "K")
        if K < 2:
            raise ValueError(f"K must be at least 2 grid points, got {K}")
        points = equidistant_grid(low, high, K)
        if grid == "iml" and pd.api.types.is_integer_dtype(column.dtype):
            points = np.round(points)
        points = np.unique(points)
    else:
        points = checked_grid(grid, name, at_least=1)
    rule = grid if isinstance(grid, str) else "given"
    codes = np.minimum(np.searchsorted(points, values), len(points) - 1)
    return Axis(name, "numeric", points, typed_points(points, column), codes, values, rule)


def by_kind(
    setup: Setup,
    numeric_axis: Callable[[Table, Hashable, Any, Any], Axis],
    *,
    K: Any,
    grid: Any,
    default_grid: str,
    order: Any,
    similar: bool,
) -> Callable[[Table, Hashable], Axis]:
    """How to lay an axis of either kind, for `Setup.lay`.

    Parameters
    ----------
    setup : Setup
        Knows the columns declared categorical.
    numeric_axis : callable
        Axis of a numeric feature from (table, name, its K, its grid).
    K, grid, order : object
        The caller's options, each for all features or a dict by feature.
    default_grid : str
        Grid of a feature that a dict leaves out.
    similar : bool
        Whether unordered levels are ordered by similarity.
    """
    for asked in K.values() if isinstance(K, Mapping) else [K]:
        if isinstance(asked, (bool, int, float, np.number, np.bool_)):
            positive_integer(asked, "K")

    def lay_axis(table: Table, name: Hashable) -> Axis:
        if kind_of(table.column(name), name, setup.categorical) == "categorical":
            levels = option_for(name, order, table, None)
            return level_axis(table, name, order=levels, similar=similar)
        intervals = option_for(name, K, table, 40)
        return numeric_axis(table, name, intervals, option_for(name, grid, table, default_grid))

    return lay_axis


def levels_of(column: pd.Series) -> tuple[list[Any], IntArray]:
    """Used levels in their declared (else sorted) order, and the level number of each row (n,)."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        used = column.cat.remove_unused_categories()
        return used.cat.categories.tolist(), np.asarray(used.cat.codes, dtype=np.intp)
    try:
        codes, levels = pd.factorize(column)
    except (TypeError, NotImplementedError):  # such as lists
        raise FeatureTypeError(
            f"column {column.name!r} holds values that cannot be levels, such as "
            f"{column.iloc[0]!r}: make numbers or text of them"
        ) from None
    try:
        rank = np.argsort(np.asarray(levels), kind="stable")
    except TypeError:  # levels of mixed types have no order of their own
        rank = np.argsort([str(level) for level in levels], kind="stable")
    position = np.empty(len(rank), dtype=np.intp)
    position[rank] = np.arange(len(rank))
    listed = levels.tolist()
    return [listed[i] for i in rank], np.asarray(position[codes])


def level_axis(table: Table, name: Hashable, *, order: Any, similar: bool) -> Axis:
    """Categorical feature with its levels in order.

    Parameters
    ----------
    table : Table
        All columns; the others decide the similarity order.
    name : hashable
        The feature.
    order : None, "similarity", "declared" or sequence of levels
        The caller's order. None: a declared order (ordered categorical) is kept, otherwise
        similarity if `similar`, else the levels' own order.
    similar : bool
        Whether neighbouring levels must be similar (ALE) or not (partial dependence).
    """
    column = table.column(name)
    levels, codes = levels_of(column)
    if len(levels) < 2:
        raise _constant(name, levels[0], "level")
    rank = _level_rank(table, name, levels, codes, order, similar)
    position = np.empty(len(levels), dtype=np.intp)
    position[rank] = np.arange(len(levels))
    ranked = position[codes]
    first_row = np.empty(len(levels), dtype=np.intp)
    first_row[ranked[::-1]] = np.arange(len(ranked))[::-1]
    points = np.empty(len(levels), dtype=object)
    points[:] = [levels[i] for i in rank]
    typed: Any = column.iloc[first_row].array
    if isinstance(typed, pd.arrays.NumpyExtensionArray):
        typed = typed.to_numpy()
    return Axis(name, "categorical", points, typed, ranked, points[ranked], "levels")


def _level_rank(
    table: Table, name: Hashable, levels: list[Any], codes: IntArray, order: Any, similar: bool
) -> IntArray:
    declared = np.arange(len(levels))
    if isinstance(order, str):
        if one_of(order, ("similarity", "declared"), "order") == "declared":
            return declared
        return similarity_order(table.others(name), codes, len(levels), name)
    if order is None:
        column = table.column(name)
        ordered = isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered
        if ordered or not similar:
            return declared
        return similarity_order(table.others(name), codes, len(levels), name)
    try:
        given = list(order)
    except TypeError:
        raise TypeError(
            f"order of column {name!r} must be a list of its levels, 'similarity' or 'declared', "
            f"got {order!r}"
        ) from None
    repeated = [level for i, level in enumerate(given) if level in given[:i]]
    if repeated:
        raise ValueError(f"order of column {name!r} names level {repeated[0]!r} more than once")
    left_out = [level for level in levels if level not in given]
    if left_out:
        raise ValueError(f"order of column {name!r} leaves out level {left_out[0]!r}")
    known = levels + _declared_levels(table.column(name))
    unknown = [level for level in given if level not in known]
    if unknown:
        raise ValueError(f"order of column {name!r} names {unknown[0]!r}, which is not a level")
    return np.array([levels.index(level) for level in given if level in levels], dtype=np.intp)


def _declared_levels(column: pd.Series) -> list[Any]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.categories.tolist()
    return []
