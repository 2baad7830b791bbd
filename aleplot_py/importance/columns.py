"""Columns of a table: the ones asked for, in groups, and the table with some permuted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from aleplot_py.errors import FeatureError
from aleplot_py.inputs import native
from aleplot_py.inputs.columns import column_name
from aleplot_py.inputs.frames import Table

Positions: TypeAlias = tuple[int, ...]

Features: TypeAlias = Hashable | Sequence[Hashable] | Mapping[Any, Sequence[Hashable]]


@dataclass(frozen=True)
class ColumnGroup:
    """Columns that are left out or permuted together.

    Attributes
    ----------
    name : hashable
        The column's own name, or the group's.
    columns : tuple of hashable
        Names of the columns (positions for an array).
    positions : tuple of int
        Where they stand in the table.
    """

    name: Hashable
    columns: tuple[Hashable, ...]
    positions: Positions


def column_groups(features: Features | None, table: Table) -> list[ColumnGroup]:
    """Resolve ``features`` (None or "all", a column, columns, or a dict of groups) to groups.

    Raises
    ------
    FeatureError
        If a column is unknown, asked for twice or in two groups, or a group is empty.
    TypeError
        If the columns come in a set, which has no order.
    """
    names = table.names
    every = features is None or (isinstance(features, str) and features == "all")
    asked: dict[Hashable, list[Hashable]] = {}
    if isinstance(features, Mapping):
        for group, members in features.items():
            asked[group] = [column_name(member, table) for member in _listed(members, names)]
    else:
        for member in names if every else _listed(features, names):
            name = column_name(member, table)
            if name in asked:
                raise FeatureError(f"features names column {name!r} more than once")
            asked[name] = [name]
    if not asked:
        raise FeatureError("features must name at least one column or group, got none")
    owner: dict[Hashable, Hashable] = {}
    for group, columns in asked.items():
        if not columns:
            raise FeatureError(f"group {group!r} of features must name a column, got none")
        for column in columns:
            if column in owner:
                raise FeatureError(
                    f"groups of features must not overlap, but column {column!r} is in "
                    f"{owner[column]!r} and in {group!r}"
                )
            owner[column] = group
    place = {name: position for position, name in enumerate(names)}
    return [
        ColumnGroup(group, tuple(columns), tuple(sorted(place[c] for c in columns)))
        for group, columns in asked.items()
    ]


def _listed(given: Any, names: Sequence[Hashable]) -> list[Any]:
    """One column, or several in anything that has them in order, as a list."""
    if isinstance(given, (set, frozenset)):
        raise TypeError(f"features must come in an order, such as that of a list, got {given!r}")
    one = isinstance(given, str) or not isinstance(given, Iterable)
    # A tuple may itself be the name of a column.
    return [given] if one or (isinstance(given, tuple) and given in names) else list(given)


def permute_columns(X: Any, positions: Positions, order: NDArray[np.intp]) -> Any:
    """Copy of X whose columns at ``positions`` take their rows in ``order``, types kept."""
    if sparse.issparse(X):
        columns = [X[:, [position]] for position in range(X.shape[1])]
        for position in positions:
            columns[position] = columns[position][order]
        return sparse.hstack(columns, format="csr")
    frame = native.frame_of(X)
    if frame is not None:
        names = [frame.columns[position] for position in positions]
        return frame.with_columns(*(frame[name][order] for name in names)).to_native()
    changed = X.copy()
    if isinstance(X, pd.DataFrame):
        for position in positions:
            name = X.columns[position]
            changed[name] = X[name].iloc[order].set_axis(X.index)
    else:
        changed[:, list(positions)] = X[order][:, list(positions)]
    return changed
