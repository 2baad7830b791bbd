"""An estimator made for a table that lacks some columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.importance.columns import Positions

# Behind these parameters of a meta-estimator stands something that does not see the columns of X.
_NOT_ON_X = ("final_estimator", "transformer")


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
