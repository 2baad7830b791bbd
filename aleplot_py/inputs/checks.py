"""Checks of single arguments, with the messages."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.errors import LOG, ConstantFeatureError, FeatureError, GridError
from aleplot_py.inputs.arrays import WHOLE, as_floats, inexact, read_only, with_its_type
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.times import to_numbers, to_times
from aleplot_py.steps.axis import Times
from aleplot_py.steps.grid import FloatArray, IntArray, Values

# Sums and differences of two larger feature values overflow.
LARGEST_VALUE = float(np.finfo(np.float64).max) / 4


# Sums of squares weighted by much more overflow, and by much less lose their digits.
LARGEST_WEIGHT = 1e100


def one_of(value: Any, allowed: Sequence[str], argument: str) -> str:
    """Return `value` if it is one of the words allowed for the argument."""
    if not (isinstance(value, str) and value in allowed):
        raise ValueError(f"{argument} must be one of {tuple(allowed)}, got {value!r}")
    return value


def check_switches(**switches: Any) -> None:
    """Refuse what is neither True nor False, so that no word such as "no" counts as True."""
    for argument, value in switches.items():
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{argument} must be True or False, got {value!r}")


def positive_integer(value: Any, argument: str) -> int:
    """Return `value` if it is an integer of at least 1."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{argument} must be a positive integer, got {value!r}")
    if value < 1:
        raise ValueError(f"{argument} must be a positive integer, got {value!r}")
    return int(value)


def share(value: Any, argument: str, example: str) -> float:
    """Return `value` if it is a number between 0 and 1, neither of them."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"{argument} must be a number between 0 and 1, got {value!r}")
    if not 0 < value < 1:
        raise ValueError(f"{argument} must lie between 0 and 1 ({example}), got {value!r}")
    return float(value)


def coverage(level: Any) -> float:
    """Return `level` if a band can have it."""
    return share(level, "level", "0.95 for 95 %")


# More intervals than anybody asks for on purpose.
LARGEST_K = 10**6


def interval_count(value: Any, argument: str = "K") -> int:
    """Return `value` if it can be a number of intervals or grid points."""
    K = positive_integer(value, argument)
    if K > LARGEST_K:
        raise ValueError(f"{argument} must be at most {LARGEST_K:,}, got {value!r}")
    return K


def check_percentiles(percentiles: Any) -> None:
    """Refuse what are not two shares of the rows in their order."""
    if percentiles is None:
        return
    numbers = (float, int, np.floating, np.integer)
    if not (
        isinstance(percentiles, (tuple, list))
        and len(percentiles) == 2
        and all(isinstance(p, numbers) and not isinstance(p, bool) for p in percentiles)
        and 0 <= percentiles[0] < percentiles[1] <= 1
    ):
        raise ValueError(
            f"percentiles must be two increasing numbers from 0 to 1, got {percentiles!r}"
        )


def job_count(n_jobs: Any) -> int:
    """Number of threads: 1 for None, all cores for -1."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, (int, np.integer)) and n_jobs == -1:
        return os.cpu_count() or 1
    return positive_integer(n_jobs, "n_jobs")


def rows_without_missing(table: Table, names: Sequence[Hashable], missing: str) -> slice | IntArray:
    """Rows to use: all of them, or under ``missing="drop"`` those with every feature known."""
    columns = [table.missing(name) for name in names]
    if not any(map(np.count_nonzero, columns)):
        return slice(None)
    for name, here in zip(names, columns, strict=True):
        check_missing(name, int(np.count_nonzero(here)), len(here), missing)
    unknown = columns[0] if len(columns) == 1 else np.logical_or.reduce(columns)
    dropped = int(np.count_nonzero(unknown))
    check_known(names, len(unknown) - dropped)
    shown = ", ".join(map(repr, names))
    LOG.info("%d of %d rows dropped, where %s is missing", dropped, len(unknown), shown)
    return np.flatnonzero(~unknown)


def check_missing(name: Hashable, unknown: int, rows: int, missing: str) -> None:
    """Refuse missing values in a feature, unless their rows are to be dropped."""
    if unknown and missing == "error":
        raise FeatureError(
            f"column {name!r} has {unknown} missing value(s) in {rows} rows: "
            "drop them, or pass missing='drop'"
        )


def check_known(names: Sequence[Hashable], rows: int) -> None:
    """Refuse features of which no row is known."""
    if not rows:
        # A column without a value has no effect, as one with a single value.
        error = ConstantFeatureError if len(names) == 1 else FeatureError
        raise error(f"no row is left where {', '.join(map(repr, names))} is known")


def weights_of(sample_weight: Any, n: int) -> FloatArray | None:
    """Row weights (n,), checked; None when there are none."""
    if sample_weight is None:
        return None
    weights = row_weights(sample_weight, n)
    check_largest_weight(float(weights.max()))
    return weights


def row_weights(sample_weight: Any, n: int) -> FloatArray:
    """Weights (n,) of some of the rows: finite and not negative, one for each."""
    try:
        weights = as_floats(sample_weight)
    except (TypeError, ValueError):
        raise TypeError("sample_weight must be numbers, one per row") from None
    if weights.shape != (n,):
        raise ValueError(f"sample_weight must have one value per row, ({n},), got {weights.shape}")
    if not np.isfinite(weights).all() or (weights < 0).any():
        bad = weights[~(np.isfinite(weights) & (weights >= 0))][0]
        raise ValueError(f"sample_weight must be finite and not negative, got {bad}")
    return weights


def check_largest_weight(largest: float) -> None:
    """Refuse weights that are all zero, or too large or small for sums of them."""
    if not largest:
        raise ValueError("sample_weight must not be all zero")
    if not 1 / LARGEST_WEIGHT <= largest <= LARGEST_WEIGHT:
        raise ValueError(
            f"the largest sample_weight must be between {1 / LARGEST_WEIGHT:g} and "
            f"{LARGEST_WEIGHT:g}, got {largest:g}: only the ratios of weights matter, so "
            "divide them by the largest"
        )


def check_weights_of(names: Sequence[Hashable], largest: float) -> None:
    """Refuse features of which no row counts that is known."""
    if not largest:
        # Without a row that counts, a column has as little an effect as without a value.
        error = ConstantFeatureError if len(names) == 1 else FeatureError
        raise error(
            f"sample_weight is zero in every row where {', '.join(map(repr, names))} is known"
        )


def numeric_values(table: Table, name: Hashable) -> FloatArray:
    """Values of a numeric feature, (n,), refused if infinite or too large or close for doubles."""
    return held_values(table, name).x


def held_values(table: Table, name: Hashable) -> Values:
    """The same, of which quantiles and intervals can be asked for."""
    numbers = table.numbers(name)
    if numbers is None:
        kind = table.column(name).dtype
        raise FeatureError(f"column {name!r} is not numeric: its type is {kind}")
    # A column of a frame cannot be shared: pandas copies when it is asked to write, but its array,
    # and the one that a frame was made from without a copy, are written to directly.
    values = read_only(numbers)
    held = Values(values)
    low, high = held.low, held.high
    if not math.isfinite(high - low):
        wrong = len(values) - int(np.isfinite(values).sum())
        if wrong:
            raise FeatureError(
                f"column {name!r} has {wrong} infinite value(s) in {len(values)} rows"
            )
    if max(-low, high) > LARGEST_VALUE:
        raise FeatureError(
            f"column {name!r} must have values of at most {LARGEST_VALUE:.2g} in size, got values "
            f"from {low:g} to {high:g}: rescale it"
        )
    if low == high and len(table.column(name).unique()) > 1:
        raise FeatureError(
            f"column {name!r} has values near {low!r} that differ by less than double precision "
            "can tell: subtract a constant from it, or declare it in categorical="
        )
    large = max(-low, high) > WHOLE and table.times(name) is None
    lost = inexact(table.column(name), values) if large else None
    if lost is not None:
        raise FeatureError(
            f"column {name!r} has whole numbers that doubles cannot hold, such as {lost}: subtract "
            "a constant from it"
        )
    return held


def checked_grid(
    grid: Any, name: Hashable, times: Times | None = None, *, at_least: int = 2
) -> FloatArray:
    """Return the caller's own grid, (P,), if it is finite and strictly increasing."""
    if times is not None:
        return _checked_times(grid, name, times, at_least)
    try:
        z = as_floats(grid).copy()
    except (TypeError, ValueError):
        raise GridError(f"grid of column {name!r} must be numbers, got {grid!r}") from None
    if z.ndim != 1 or z.size < at_least:
        raise GridError(
            f"grid of column {name!r} must be a list of at least {at_least} point(s), "
            f"got shape {z.shape}"
        )
    lost = inexact(grid, z)
    if lost is not None:
        raise GridError(
            f"grid of column {name!r} has a whole number that doubles cannot hold, {lost}: "
            "subtract a constant from the column and the grid"
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


def _checked_times(grid: Any, name: Hashable, times: Times, at_least: int) -> FloatArray:
    """The caller's own grid on an axis of times, each point as the column's type can hold it."""
    try:
        if pd.api.types.is_numeric_dtype(pd.Series(with_its_type(grid)).dtype):
            raise ValueError(f"must be times such as {times.origin}, got {grid!r}")
        z = to_numbers(grid, times)
    except (TypeError, ValueError) as error:
        raise GridError(f"grid of column {name!r} {error}") from None
    if len(z) < at_least or np.isnan(z).any():
        raise GridError(
            f"grid of column {name!r} must be a list of at least {at_least} time(s), none missing, "
            f"got {grid!r}"
        )
    z = to_numbers(to_times(z, times), times)
    down = np.flatnonzero(np.diff(z) <= 0)
    if down.size:
        first, second = to_times(z[down[0] : down[0] + 2], times)
        raise GridError(
            f"grid of column {name!r} must be strictly increasing: {first} is followed by {second}"
        )
    return z
