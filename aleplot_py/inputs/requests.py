"""Which effects of which rows the caller asks for."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from aleplot_py.errors import (
    FeatureError,
)
from aleplot_py.inputs.checks import one_of, positive_integer, rows_without_missing, weights_of
from aleplot_py.inputs.frames import Table
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.grid import FloatArray

MISSING = ("error", "drop")


def as_table(X: Any, argument: str = "X", *, to_fit: bool = False) -> Table:
    """Wrap the caller's frame or array; refuse other types, no rows, and MultiIndex columns.

    With ``to_fit`` also what estimators are fitted to besides: sparse matrices, rows in a list, and
    frames whose columns have tuples for names, though none twice.
    """
    if to_fit and sparse.issparse(X):
        X = X.tocsr()
    elif to_fit and isinstance(X, Sequence):
        X = np.asarray(X)
    elif not isinstance(X, (pd.DataFrame, np.ndarray)):
        raise TypeError(
            f"{argument} must be a DataFrame or a two-dimensional array, got {type(X).__name__}"
        )
    if isinstance(X, (np.matrix, np.ma.MaskedArray)):
        raise TypeError(
            f"{argument} must be a DataFrame or a plain array, got {type(X).__name__}: pass "
            "np.asarray(X), masked entries as NaN"
        )
    if X.ndim != 2:
        raise ValueError(f"{argument} must be two-dimensional, got shape {X.shape}")
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise ValueError(f"{argument} must have rows and columns, got shape {X.shape}")
    if isinstance(X, pd.DataFrame):
        if isinstance(X.columns, pd.MultiIndex) and not to_fit:
            raise TypeError(f"{argument} must have plain column names, got a MultiIndex")
        if to_fit and not X.columns.is_unique:
            twice = X.columns[X.columns.duplicated()].unique().tolist()
            raise FeatureError(f"column names of {argument} must be unique, got {twice} repeated")
        X = X.copy(deep=False)  # columns that the caller replaces later are not ours
    return Table(X)


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


def checked_setup(
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
