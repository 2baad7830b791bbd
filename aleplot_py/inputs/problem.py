"""What is explained: rows, black box and options, checked against each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from aleplot_py.errors import LOG, ConstantFeatureError, FeatureError, GridError, warn_caller
from aleplot_py.inputs.black_box import BlackBox
from aleplot_py.inputs.checks import check_weights_of, rows_without_missing, weights_of
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.memory import Memory
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.requests import Requests, as_table, categorical_names
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.grid import FloatArray, IntArray

if TYPE_CHECKING:
    from aleplot_py.trees.route import Route

#: Points of an effect that some gigabytes suffice for.
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
    groups : Groups or None
        Groups of the rows that have effects of their own.
    route : Route or None
        Where predictions for moved rows come from; None: from calls of the black box.
    """

    table: Table
    black_box: BlackBox
    options: Options
    categorical: frozenset[Hashable] = frozenset()
    weights: FloatArray | None = None
    groups: Groups | None = None
    route: Route | None = None

    def on(self, rows: slice | IntArray) -> Problem:
        """The same problem on some of its rows."""
        weights = None if self.weights is None else self.weights[rows]
        groups = self.groups and replace(self.groups, codes=self.groups.codes[rows])
        return replace(self, table=self.table.rows(rows), weights=weights, groups=groups)

    def but(self, **options: Any) -> Problem:
        """The same problem with other options."""
        return replace(self, options=replace(self.options, **options))

    def remembering(self) -> Problem:
        """The same problem with memory of its own for copies of the rows."""
        return replace(self, table=replace(self.table, memory=Memory()))

    def lay(self, requests: Requests, lay_axis: Callable[[Table, Hashable], Axis]) -> list[Laid]:
        """Rows, axes and weights of every request, before anything is predicted.

        Where there are groups, those of every group after each other, on the same points.
        """
        laid: list[Laid] = []
        shared = _Shared()
        for names in requests.names:
            try:
                rows = rows_without_missing(self.table, names, self.options.missing)
                part = self.table.rows(rows)
                known = shared if part is self.table else _Shared()
                axes = [known.axis(None, name, partial(lay_axis, part, name)) for name in names]
                weights = self._weights_of(rows, names)
                check_size(axes)
                if self.groups is None:
                    parts = [(part, axes, weights)]
                else:
                    codes = self.groups.codes[rows]
                    parts = list(self._by_group(part, axes, weights, codes, known))
            except FeatureError as error:
                if not (requests.everything and error.skippable):
                    raise
                warn_caller(f"left out: {error}")
                continue
            laid.extend(parts)
        return laid

    def _by_group(
        self,
        table: Table,
        axes: list[Axis],
        weights: FloatArray | None,
        codes: IntArray,
        known: _Shared,
    ) -> Iterator[Laid]:
        """One request's rows, axes and weights, group by group."""
        names = ", ".join(repr(axis.name) for axis in axes)
        if self.groups is None:
            return
        for number, label in enumerate(self.groups.labels):
            chosen = np.flatnonzero(codes == number)
            # "all" leaves a column out that has nothing to tell in a group, as it does elsewhere.
            error = ConstantFeatureError if len(axes) == 1 else FeatureError
            if not chosen.size:
                raise error(f"no row of group {label!r} is left where {names} is known")
            inside = None if weights is None else weights[chosen]
            if inside is not None and not inside.any():
                # A group without any weight has no effect of any feature.
                whole = self.weights is not None and self.weights[self.groups.codes == number]
                raise (error if np.any(whole) else FeatureError)(
                    f"sample_weight is zero in every row of group {label!r} where {names} is known"
                )
            if number not in known.tables:
                known.tables[number] = table.rows(chosen)
            own = [known.axis(number, a.name, partial(a.of_rows, chosen)) for a in axes]
            yield known.tables[number], own, inside

    def _weights_of(self, rows: slice | IntArray, names: Sequence[Hashable]) -> FloatArray | None:
        weights = None if self.weights is None else self.weights[rows]
        if weights is not None:
            check_weights_of(names, float(weights.max()))
        return weights


@dataclass
class _Shared:
    """What effects over the same rows share, so that a column is read, and kept, once.

    Parameters
    ----------
    tables : dict of int to Table
        Rows of each group.
    axes : dict of (number or None, name) to Axis
        Over the rows of a group, None: over all.
    """

    tables: dict[int, Table] = field(default_factory=dict)
    axes: dict[tuple[int | None, Hashable], Axis] = field(default_factory=dict)

    def axis(self, group: int | None, name: Hashable, lay: Callable[[], Axis]) -> Axis:
        """The axis of a column, laid when it is asked for first."""
        if (group, name) not in self.axes:
            self.axes[group, name] = lay()
        return self.axes[group, name]


@dataclass(frozen=True)
class Groups:
    """Groups of rows.

    Parameters
    ----------
    labels : tuple of labels
        One for each group, in their declared (else sorted) order.
    codes : ndarray of int of shape (n,)
        Number of each row's group, -1 where it is missing.
    name : column name, or None
        The column that they come from.
    """

    labels: tuple[Hashable, ...]
    codes: IntArray
    name: Hashable | None = None


def check_size(axes: Sequence[Axis]) -> None:
    """Refuse an effect whose cells would not fit into memory."""
    sizes = [len(axis.points) for axis in axes]
    if math.prod(sizes) > LARGEST_EFFECT:
        got = " x ".join(f"{size:,}" for size in sizes)
        raise GridError(
            f"an effect must have at most {LARGEST_EFFECT:,} points, got {got} for "
            f"{tuple(axis.name for axis in axes)}: ask for fewer by K="
        )


def problem_of(predict: Any, X: Any, options: Options) -> Problem:
    """Check the caller's rows and black box, and the options against the rows."""
    table = as_table(X)
    black_box = options.black_box(predict)
    what = "several outputs" if black_box.several else f"output {black_box.explained!r}"
    if not black_box.several and black_box.explained is None:
        what = "the only output"
    kind = f"{type(X).__module__.partition('.')[0]} {type(X).__name__}"
    LOG.info("%s is explained over %d rows of a %s", what, len(table), kind)
    return Problem(
        table=table,
        black_box=black_box,
        options=options,
        categorical=categorical_names(options.categorical, table),
        weights=weights_of(options.sample_weight, len(table)),
    )
