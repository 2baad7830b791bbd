"""What is explained: rows, black box and options, checked against each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aleplot_py.errors import ConstantFeatureError, FeatureError, GridError, warn_caller
from aleplot_py.inputs.black_box import BlackBox
from aleplot_py.inputs.checks import rows_without_missing, weights_of
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.requests import Requests, as_table, categorical_names
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.grid import FloatArray, IntArray

#: Points of a pair that some gigabytes suffice for.
LARGEST_EFFECT = 10**7

#: Rows of one effect, its axes, and the weights of the rows.
Laid = tuple[Table, list[Axis], FloatArray | None]


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Checked arguments that all estimators share.

    Whoever holds one is behind the checks: a part of the rows, another number of intervals or
    another model are explained by a changed copy, not by another call of a front door.

    Parameters
    ----------
    table : Table of n rows
        The data.
    black_box : BlackBox
        What is explained.
    options : Options
        The caller's options.
    categorical : set of column names
        Columns declared categorical.
    weights : ndarray of shape (n,) or None
        Row weights.
    """

    table: Table
    black_box: BlackBox
    options: Options
    categorical: frozenset[Hashable] = frozenset()
    weights: FloatArray | None = None

    def on(self, rows: slice | IntArray) -> Problem:
        """The same problem on some of its rows."""
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, table=self.table.rows(rows), weights=weights)

    def but(self, **options: Any) -> Problem:
        """The same problem with other options."""
        return replace(self, options=replace(self.options, **options))

    def lay(self, requests: Requests, lay_axis: Callable[[Table, Hashable], Axis]) -> list[Laid]:
        """Rows, axes and weights of every request, before anything is predicted."""
        laid = []
        for names in requests.names:
            try:
                rows = rows_without_missing(self.table, names, self.options.missing)
                part = self.table.rows(rows)
                axes = [lay_axis(part, name) for name in names]
                weights = self._weights_of(rows, names)
                _check_size(axes)
            except FeatureError as error:
                if not (requests.everything and error.skippable):
                    raise
                warn_caller(f"left out: {error}")
                continue
            laid.append((part, axes, weights))
        return laid

    def _weights_of(self, rows: slice | IntArray, names: Sequence[Hashable]) -> FloatArray | None:
        weights = None if self.weights is None else self.weights[rows]
        if weights is None or weights.any():
            return weights
        # Without a row that counts, a column has as little an effect as without a value.
        error = ConstantFeatureError if len(names) == 1 else FeatureError
        raise error(
            f"sample_weight is zero in every row where {', '.join(map(repr, names))} is known"
        )


def _check_size(axes: Sequence[Axis]) -> None:
    """Refuse a pair whose cells would not fit into memory."""
    sizes = [len(axis.points) for axis in axes]
    if math.prod(sizes) > LARGEST_EFFECT:
        raise GridError(
            f"an effect must have at most {LARGEST_EFFECT:,} points, got {sizes[0]:,} x "
            f"{sizes[1]:,} for {tuple(axis.name for axis in axes)}: ask for fewer by K="
        )


def problem_of(predict: Any, X: Any, options: Options) -> Problem:
    """Check the caller's rows and black box, and the options against the rows."""
    table = as_table(X)
    return Problem(
        table=table,
        black_box=options.black_box(predict),
        options=options,
        categorical=categorical_names(options.categorical, table),
        weights=weights_of(options.sample_weight, len(table)),
    )
