"""Columns of a table: the ones asked for, and table and estimator without some of them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from aleplot_py.errors import FeatureError
from aleplot_py.inputs.arrays import with_its_type

Positions: TypeAlias = tuple[int, ...]


Features: TypeAlias = Hashable | Sequence[Hashable] | Mapping[Hashable, Sequence[Hashable]]


# Behind these parameters of a meta-estimator stands something that does not see the columns of X.
_NOT_ON_X = ("final_estimator", "transformer")


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


def as_table(X: Any, argument: str) -> Any:
    """Return X as a data frame, a 2-D array or a sparse matrix in rows; frames are not copied."""
    if isinstance(X, pd.DataFrame):
        if not X.columns.is_unique:
            twice = X.columns[X.columns.duplicated()].unique().tolist()
            raise FeatureError(
                f"{argument}: column names must be unique, got {twice} more than once"
            )
    elif sparse.issparse(X):
        X = X.tocsr()
    else:
        X = np.asarray(X)
        if X.ndim != 2:
            raise ValueError(f"{argument}: must have 2 dimensions (rows, columns), got {X.ndim}")
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise ValueError(f"{argument}: must have at least one row and one column, got {X.shape}")
    return X


def column_names(X: Any) -> tuple[Hashable, ...]:
    """Names of a frame's columns; positions for an array."""
    return tuple(X.columns) if isinstance(X, pd.DataFrame) else tuple(range(X.shape[1]))


def column_groups(features: Features | None, names: tuple[Hashable, ...]) -> list[ColumnGroup]:
    """Resolve ``features`` (None, one name, names, or a dict of named groups) to groups of columns.

    Raises
    ------
    FeatureError
        If a column is unknown, asked for twice or in two groups, or a group is empty.
    TypeError
        If the names come in a set, which has no order.
    """
    asked: dict[Hashable, list[Hashable]] = {}
    if isinstance(features, Mapping):
        for group, members in features.items():
            asked[group] = [_known(member, names) for member in _listed(members, names)]
    else:
        for member in names if features is None else _listed(features, names):
            name = _known(member, names)
            if name in asked:
                raise FeatureError(f"features: column {name!r} is asked for twice")
            asked[name] = [name]
    if not asked:
        raise FeatureError("features: at least one column or group must be asked for, got none")
    place = {name: position for position, name in enumerate(names)}
    owner: dict[Hashable, Hashable] = {}
    for group, columns in asked.items():
        if not columns:
            raise FeatureError(f"features: group {group!r} must hold at least one column, got none")
        for column in columns:
            if column in owner:
                raise FeatureError(
                    f"features: groups must not overlap, but column {column!r} is in "
                    f"{owner[column]!r} and in {group!r}"
                )
            owner[column] = group
    return [
        ColumnGroup(group, tuple(columns), tuple(sorted(place[c] for c in columns)))
        for group, columns in asked.items()
    ]


def _listed(given: Any, names: Collection[Hashable]) -> list[Any]:
    """One name, or several in anything that has them in order, as a list."""
    if isinstance(given, (set, frozenset)):
        raise TypeError(f"features: names must come in an order, such as a list, got {given!r}")
    one = isinstance(given, str) or not isinstance(given, Iterable)
    # A tuple may itself be the name of a column.
    return [given] if one or (isinstance(given, tuple) and given in names) else list(given)


def _known(name: Any, names: Sequence[Hashable]) -> Hashable:
    """Return the column's name as the table has it."""
    if isinstance(name, Hashable) and not isinstance(name, (bool, np.bool_)) and name in names:
        return names[names.index(name)]
    raise FeatureError(f"features: unknown column {name!r}; the columns of X are {list(names)}")


def take_rows(values: Any, rows: NDArray[np.intp]) -> Any:
    """Rows by position of a frame, series, array, sparse matrix or list."""
    values = with_its_type(values)
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if sparse.issparse(values):
        return values[rows]
    return np.asarray(values)[rows]


def drop_columns(X: Any, positions: Positions) -> Any:
    """X without some columns, the others in their order."""
    if not positions:
        return X
    gone = set(positions)
    kept = [position for position in range(X.shape[1]) if position not in gone]
    return X.iloc[:, kept] if isinstance(X, pd.DataFrame) else X[:, kept]


def permute_columns(X: Any, positions: Positions, order: NDArray[np.intp]) -> Any:
    """Copy of X whose columns at ``positions`` take their rows in ``order``, types kept."""
    if sparse.issparse(X):
        columns = [X[:, [position]] for position in range(X.shape[1])]
        for position in positions:
            columns[position] = columns[position][order]
        return sparse.hstack(columns, format="csr")
    changed = X.copy()
    if isinstance(X, pd.DataFrame):
        for position in positions:
            name = X.columns[position]
            changed[name] = X[name].iloc[order].set_axis(X.index)
    else:
        changed[:, list(positions)] = X[order][:, list(positions)]
    return changed


def estimator_without(
    estimator: Any, names: tuple[Hashable, ...], positions: Positions, *, named: bool
) -> Any:
    """Clone of the estimator made for a table that lacks some columns.

    Whatever inside it speaks of single columns is rewritten for the columns that are left: the
    selections of a ColumnTransformer (by name, position, slice or mask), the ``categories`` of
    encoders, and the ``categorical_features``, ``monotonic_cst`` and ``interaction_cst`` of trees.
    Positions would otherwise silently point at the wrong column.

    Parameters
    ----------
    estimator : scikit-learn estimator
    names : tuple of hashable
        Columns of the whole table.
    positions : tuple of int
        The columns that are left out.
    named : bool
        Whether the table has column names (a data frame).

    Raises
    ------
    ValueError
        If the estimator selects columns by position where the columns are not those of X, or if
        one of its ColumnTransformers is left without any column.
    """
    from sklearn.base import clone

    adapted = clone(estimator)
    if positions:
        everything = tuple(range(len(names)))
        _Without(names if named else (), frozenset(positions)).adapt(
            adapted, everything, type(adapted).__name__
        )
    return adapted


@dataclass(frozen=True)
class _Without:
    """The columns that are left out; ``sees`` below are the columns of X that a part receives."""

    names: tuple[Hashable, ...]
    gone: frozenset[int]

    @property
    def gone_names(self) -> set[Hashable]:
        return {self.names[position] for position in self.gone} if self.names else set()

    def adapt(self, part: Any, sees: Positions | None, path: str) -> None:
        """Rewrite, in place, all that a (cloned) part of the estimator says about columns."""
        from sklearn.compose import ColumnTransformer
        from sklearn.pipeline import Pipeline

        if isinstance(part, ColumnTransformer):
            self._adapt_column_transformer(part, sees, path)
        elif isinstance(part, Pipeline):
            for name, step in part.steps:
                if step is not None and not isinstance(step, str):
                    self.adapt(step, sees, f"{path}.{name}")
                    sees = sees if _keeps_columns(step) else None
        else:
            self._adapt_parameters(part, sees, path)
            for key, value in part.get_params(deep=False).items():
                for child in _estimators_in(value):
                    self.adapt(child, None if key in _NOT_ON_X else sees, f"{path}.{key}")

    def _adapt_column_transformer(self, part: Any, sees: Positions | None, path: str) -> None:
        rewritten = []
        for name, transformer, selection in part.transformers:
            for child in _estimators_in(transformer):
                self.adapt(child, self._selected(selection, sees), f"{path}.{name}")
            rewritten.append((name, transformer, self._restrict(selection, sees, f"{path}.{name}")))
        part.transformers = rewritten
        for child in _estimators_in(part.remainder):
            self.adapt(child, None, f"{path}.remainder")
        nothing_left = all(isinstance(left, list) and not left for _, _, left in rewritten)
        if nothing_left and isinstance(part.remainder, str) and part.remainder == "drop":
            left_out = sorted(map(str, self.gone_names or self.gone))
            raise ValueError(
                f"{path}: without {left_out} this ColumnTransformer has no column left"
            )

    def _adapt_parameters(self, part: Any, sees: Positions | None, path: str) -> None:
        parameters = part.get_params(deep=False)
        for key in ("categories", "monotonic_cst", "categorical_features", "interaction_cst"):
            value = parameters.get(key)
            if value is None or isinstance(value, str):
                continue
            if key == "categorical_features":
                value = self._restrict(value, sees, f"{path}.{key}") or None
            elif key == "interaction_cst":
                value = [set(self._restrict(list(s), sees, f"{path}.{key}")) for s in value]
            elif isinstance(value, Mapping):
                value = {name: v for name, v in value.items() if name not in self.gone_names}
            elif sees is not None and len(value) == len(sees):
                value = [
                    v for v, column in zip(value, sees, strict=True) if column not in self.gone
                ]
            part.set_params(**{key: value})

    def _indices(self, selection: Any, sees: Positions | None) -> tuple[list[Any], str]:
        """Items of a selection and what they are: "names", "positions" or "mask"."""
        if isinstance(selection, slice):
            if any(isinstance(end, str) for end in (selection.start, selection.stop)):
                index = pd.Index([self.names[p] for p in sees or range(len(self.names))])
                selection = index[index.slice_indexer(selection.start, selection.stop)]
            else:
                selection = range(len(sees or ()))[selection]
        items = [selection] if isinstance(selection, (str, Integral)) else list(selection)
        if items and all(isinstance(item, str) for item in items):
            return items, "names"
        if items and all(isinstance(item, (bool, np.bool_)) for item in items):
            return items, "mask"
        return items, "positions"

    def _selected(self, selection: Any, sees: Positions | None) -> Positions | None:
        """Columns of X behind a selection, None where they cannot be told beforehand."""
        if callable(selection):
            return None
        items, kind = self._indices(selection, sees)
        if kind == "names":
            known = all(item in self.names for item in items)
            return tuple(self.names.index(item) for item in items) if known else None
        if sees is None:
            return None
        if kind == "mask":
            return tuple(column for column, on in zip(sees, items, strict=False) if on)
        return tuple(sees[int(item)] for item in items if -len(sees) <= item < len(sees))

    def _restrict(self, selection: Any, sees: Positions | None, path: str) -> Any:
        """Give the same selection on the table without the columns that are left out."""
        everything = isinstance(selection, slice) and selection == slice(None)
        if callable(selection) or everything:
            return selection
        scalar = isinstance(selection, (str, Integral))
        items, kind = self._indices(selection, sees)
        if kind == "names":
            left: list[Any] = [item for item in items if item not in self.gone_names]
        elif sees is None and (items or isinstance(selection, slice)):
            raise ValueError(
                f"{path}: selects columns by position behind another step, so it cannot be told "
                f"which stay when a column is left out; select them by name, got {selection!r}"
            )
        elif sees is None or not items:
            left = []
        elif kind == "mask":
            left = [on for on, col in zip(items, sees, strict=False) if col not in self.gone]
        else:
            kept = [column for column in sees if column not in self.gone]
            columns = [sees[int(item)] for item in items if -len(sees) <= item < len(sees)]
            left = [kept.index(column) for column in columns if column not in self.gone]
        return left[0] if scalar and left else left


def _keeps_columns(step: Any) -> bool:
    """Whether column k of what the step returns is column k of what it received."""
    from sklearn.base import OneToOneFeatureMixin
    from sklearn.impute import SimpleImputer

    if isinstance(step, SimpleImputer):
        return not step.add_indicator
    return isinstance(step, OneToOneFeatureMixin)


def _estimators_in(value: Any) -> Iterator[Any]:
    """Estimators in a parameter: itself, or the members of a list of (name, estimator)."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            if isinstance(item, tuple) and len(item) >= 2 and hasattr(item[1], "get_params"):
                yield item[1]
