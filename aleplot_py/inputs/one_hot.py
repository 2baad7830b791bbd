"""One-hot columns that stand for one categorical feature."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.errors import FeatureError
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.problem import Problem
from aleplot_py.inputs.requests import Requests, column_names

#: Level of the rows in which none of the columns is 1.
BASE = "(none)"


def with_one_hot(problem: Problem, features: Mapping[Any, Any]) -> tuple[Problem, Requests]:
    """The problem with one categorical column in place of each list of one-hot columns.

    Parameters
    ----------
    problem : Problem
        As the caller's X has it.
    features : mapping of name to list of columns
        One-hot columns by the name of their feature; a column's own name with nothing but that
        column in its list stands for itself.

    Returns
    -------
    problem : Problem
        With a frame whose last columns are the features; its black box gets the caller's columns.
    requests : Requests
        A main effect for each.

    Raises
    ------
    FeatureError
        If a list is empty or has columns of another one, a name is that of a column, or the columns
        hold anything but at most one 1 in a row, and 0.
    """
    table = problem.table
    if not features:
        raise FeatureError("features must name at least one column, got an empty mapping")
    lists = {name: column_names(columns, table) for name, columns in features.items()}
    requests = Requests([(name,) for name in lists], several=True)
    lists = {name: columns for name, columns in lists.items() if columns != [name]}
    _check_names(lists, table)
    if not lists:
        return problem, requests
    features_of = {name: _levels(name, columns, table) for name, columns in lists.items()}
    used = {column for columns in lists.values() for column in columns}
    rest = [i for i, column in enumerate(table.names) if column not in used]
    data = table.to_pandas()
    levels = pd.DataFrame(features_of, index=data.index)
    collapsed = Table(pd.concat([data.iloc[:, rest], levels], axis=1))
    places = {column: (name, column) for name, columns in lists.items() for column in columns}
    expand = _Expand(problem.black_box.function, Table(data.iloc[:1]), table, places)
    black_box = replace(problem.black_box, function=expand)
    return replace(problem, table=collapsed, black_box=black_box), requests


def _check_names(lists: Mapping[Hashable, Sequence[Hashable]], table: Table) -> None:
    owner: dict[Hashable, Hashable] = {}
    for name, columns in lists.items():
        if name is None or name is pd.NA or name != name:
            raise FeatureError(f"features must name what the columns {columns} are, got {name!r}")
        if name in table.names:
            raise FeatureError(
                f"features names the one-hot columns of {name!r}, but X has a column of that name"
            )
        if not columns:
            raise FeatureError(f"features must name the one-hot columns of {name!r}, got none")
        if BASE in columns:
            raise FeatureError(
                f"one-hot column {BASE!r} of {name!r} has the name of the level of the rows that "
                "have no 1: rename it"
            )
        for column in columns:
            if column in owner:
                raise FeatureError(
                    f"features must not use a column twice, but {column!r} is in {owner[column]!r} "
                    f"and in {name!r}"
                )
            owner[column] = name


def _levels(name: Hashable, columns: Sequence[Hashable], table: Table) -> pd.Categorical:
    """Level of each row: the column that is 1, or `BASE`."""
    ones = np.stack([_is_one(table.column(column), name) for column in columns])
    several = np.flatnonzero(ones.sum(axis=0) > 1)
    if several.size:
        both = [column for column, one in zip(columns, ones[:, several[0]], strict=True) if one]
        raise FeatureError(
            f"one-hot columns of {name!r} must have at most one 1 in a row, got {len(both)} in row "
            f"{several[0]} (counted from 0): {both[0]!r} and {both[1]!r}"
        )
    codes = np.where(ones.any(axis=0), 1 + ones.argmax(axis=0), 0)
    used = np.unique(codes)
    levels: list[Hashable] = [BASE, *columns]
    places = pd.CategoricalDtype([levels[code] for code in used])
    return pd.Categorical.from_codes(np.searchsorted(used, codes), dtype=places)


def _is_one(column: pd.Series, name: Hashable) -> np.ndarray[Any, Any]:
    """Rows in which the column is 1, (n,); it is 0 in all others."""
    known = column.notna().to_numpy()
    one, zero = np.zeros((2, len(column)), dtype=bool)
    one[known], zero[known] = column[known] == 1, column[known] == 0
    wrong = np.flatnonzero(~(one | zero))
    if wrong.size:
        raise FeatureError(
            f"one-hot column {column.name!r} of {name!r} must hold 0 and 1 only, got "
            f"{column.iloc[wrong[0] : wrong[0] + 1].tolist()[0]!r}"
        )
    return one


@dataclass(frozen=True)
class _Expand:
    """The caller's black box, for rows with one column in place of one-hot columns.

    Parameters
    ----------
    function : callable
        The black box.
    like : Table
        A row of the caller's frame, for the columns and their types.
    whole : Table
        All rows as they came.
    places : mapping of column to (feature, level)
        What the one-hot columns stand for.
    """

    function: Callable[[Any], Any]
    like: Table
    whole: Table
    places: Mapping[Hashable, tuple[Hashable, Hashable]]

    def __call__(self, rows: pd.DataFrame) -> Any:
        rest = (rows.iloc[:, i] for i in range(rows.shape[1]))  # in the caller's order
        columns = []
        for i, column in enumerate(self.like.names):
            if column not in self.places:
                columns.append(next(rest))
                continue
            feature, level = self.places[column]
            levels = rows[feature].array
            number = list(levels.categories).index(level) if level in levels.categories else None
            ones = pd.Series(levels.codes == number, index=rows.index)
            dtype = self.like.data.dtypes.iloc[i]
            if dtype == np.object_:  # True, 1 or 1.0
                kind = type(self.like.data.iloc[0, i])
                columns.append(pd.Series([kind(one) for one in ones], rows.index, dtype=dtype))
            else:
                columns.append(ones.astype(int).astype(dtype))
        if isinstance(self.whole.data, np.ndarray):
            return self.function(np.stack([column.to_numpy() for column in columns], axis=1))
        frame = pd.concat(columns, axis=1)
        frame.columns = self.like.data.columns.copy()
        frame.attrs = rows.attrs
        if self.whole.frame is not None:
            return self.function(self.whole.like(frame))
        return self.function(frame)
