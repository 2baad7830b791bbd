"""From what scans find out to grids and levels in order, as `aleplot_py.inputs.axes` lays them."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import squareform

from aleplot_py.errors import FeatureError, FeatureTypeError, SourceError, warn_caller
from aleplot_py.inputs.arrays import numbers_of
from aleplot_py.inputs.axes import by_kind, interval_grid, level_axis, levels_of, point_grid
from aleplot_py.inputs.checks import (
    check_known,
    check_largest_weight,
    check_missing,
    check_weights_of,
)
from aleplot_py.inputs.frames import Table, typed_points
from aleplot_py.inputs.ordering import (
    QUANTILES,
    add_distribution_distance,
    frequency_distance,
    level_rank,
    order_by,
)
from aleplot_py.inputs.problem import Problem, check_size
from aleplot_py.inputs.requests import Requests
from aleplot_py.scale.reading import Reader
from aleplot_py.scale.scans import (
    Counting,
    Key,
    Layout,
    Levels,
    LevelTables,
    Names,
    Numbers,
    Scan,
    Searching,
    Several,
    Wanted,
)
from aleplot_py.scale.sources import Schema
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.counting import WHOLE, Search
from aleplot_py.steps.grid import (
    FloatArray,
    IntArray,
    between,
    distinct_edges,
    grid_positions,
    type7_positions,
)

NO_CODES: IntArray = np.empty(0, dtype=np.intp)


class _Pending(Exception):  # noqa: N818
    """Something that a scan has yet to find out."""


class Facts:
    """What is known of the data, and what has yet to be asked of the next scan.

    Parameters
    ----------
    reader : Reader
        Who has the data.
    schema : Schema
        Types of the columns.
    """

    def __init__(self, reader: Reader, schema: Schema) -> None:
        self.reader, self.schema = reader, schema
        self._found: dict[Key, Any] = {}
        self._counts: dict[Wanted, FloatArray | None] = {}
        self._searches: dict[tuple[Wanted, tuple[int, ...]], Search] = {}
        self._tables: dict[Wanted, LevelTables] = {}
        self._ranks: dict[Wanted, IntArray] = {}

    def counted(self, wanted: Wanted, z: FloatArray | None = None) -> Any:
        """What a column holds."""
        if wanted not in self._found:
            self._counts[wanted] = z
            raise _Pending
        return self._found[wanted]

    def order_statistics(self, wanted: Wanted, positions: IntArray) -> FloatArray:
        """The values of a column at these positions in their order, from 0."""
        numbers, place = np.unique(positions, return_inverse=True)
        key = (wanted, tuple(numbers.tolist()))
        if key not in self._searches:
            counted: Numbers = self.counted(wanted)
            if counted.distinct is None:
                self._searches[key] = Search.within(counted.leading, numbers)
            else:
                self._searches[key] = Search.within(counted.distinct, numbers, WHOLE)
        search = self._searches[key]
        if search.depth < WHOLE:
            raise _Pending
        return search.found[place]

    def rank(self, tables: LevelTables) -> IntArray:
        """Order of the levels by similarity."""
        feature = tables.feature
        if feature not in self._ranks:
            keys = [(feature, name) for name in (*tables.quantiles, *tables.others)]
            if not all(key in self._found for key in keys):
                self._tables[feature] = tables
                raise _Pending
            total = np.zeros(len(tables.labels) * (len(tables.labels) - 1) // 2)
            for name in self.schema.empty.columns:  # in the order in which they are in memory
                if name in tables.quantiles:
                    add_distribution_distance(self._found[feature, name].counts, total)
                elif name in tables.others:
                    total += frequency_distance(self._found[feature, name].counts)
            self._ranks[feature] = order_by(
                np.asarray(squareform(total)), feature.name, alone=not keys
            )
        return self._ranks[feature]

    def ask(self) -> bool:
        """Read the data once for all that is pending; whether there was anything."""
        scans: list[Scan] = []
        if self._counts:
            grids = {wanted: z for wanted, z in self._counts.items() if z is not None}
            scans.append(Counting(tuple(self._counts), grids))
        open_searches = {k: s for k, s in self._searches.items() if s.depth < WHOLE}
        if open_searches:
            scans.append(Searching(open_searches))
        scans.extend(self._tables.values())
        if not scans:
            return False
        found = self.reader.read(Several(tuple(scans)), _title(scans))
        for key, search in open_searches.items():
            self._searches[key] = search.narrowed(found[key])
        self._found |= {key: tally for key, tally in found.items() if key not in open_searches}
        self._counts, self._tables = {}, {}
        return True


def _title(scans: list[Scan]) -> str:
    kinds = {type(scan) for scan in scans}
    if Counting in kinds:
        return "counting"
    return "quantiles" if Searching in kinds else "similarity"


class _Summary:
    """A column's numbers, as `interval_grid` and `point_grid` want them."""

    def __init__(self, facts: Facts, wanted: Wanted, z: FloatArray | None) -> None:
        self.facts, self.wanted = facts, wanted
        self.counted: Numbers = facts.counted(wanted, z)
        self.n, self.low, self.high = self.counted.n, self.counted.low, self.counted.high

    def beyond(self, z: FloatArray) -> int:  # noqa: ARG002
        return self.counted.beyond

    def quantile_grid(self, K: int, rule: str) -> FloatArray:
        edges = self.facts.order_statistics(self.wanted, grid_positions(self.n, K, rule))
        return distinct_edges(self.low, edges)


def lay(
    facts: Facts,
    problem: Problem,
    requests: Requests,
    *,
    weights: Hashable | None,
    grids: tuple[str, ...],
    similar: bool,
    at_points: bool,
) -> list[Layout]:
    """Axes of every request that has an effect, after as many scans as they need.

    Parameters
    ----------
    facts : Facts
        What is known of the data.
    problem : Problem
        What is explained, with the first rows of the data for the types of the columns.
    requests : Requests
        What is asked for.
    weights : hashable or None
        Column with the weights.
    grids, similar
        As in `aleplot_py.inputs.axes.by_kind`.
    at_points : bool
        Whether rows are set to points of a grid, rather than moved over intervals.
    """
    while True:
        laid: list[Layout | FeatureError] = []
        for names in requests.names:
            try:
                laid.append(_layout(facts, problem, names, weights, grids, similar, at_points))
            except _Pending:
                continue
            except FeatureError as error:
                if not (requests.everything and error.skippable):
                    raise
                laid.append(error)
        if not facts.ask():
            break
    for left_out in laid:
        if isinstance(left_out, FeatureError):
            warn_caller(f"left out: {left_out}")
    return [layout for layout in laid if isinstance(layout, Layout)]


def _layout(
    facts: Facts,
    problem: Problem,
    names: Names,
    weights: Hashable | None,
    grids: tuple[str, ...],
    similar: bool,
    at_points: bool,
) -> Layout:
    options = problem.options
    known = names if options.missing == "drop" else ()
    pending: list[bool] = []

    def numeric_axis(table: Table, name: Hashable, K: Any, grid: Any) -> Axis:
        column = facts.schema.empty[name]
        _refuse_times(table, name)
        z = None if isinstance(grid, str) else np.asarray(grid, dtype=np.float64)
        wanted = Wanted(name, "numbers", known)
        counted = facts.counted(wanted, z)
        check_missing(name, counted.missing, counted.rows, options.missing)
        check_known(names, counted.n)
        summary = _Summary(facts, wanted, z)
        if at_points:
            whole = pd.api.types.is_integer_dtype(column.dtype)
            points = point_grid(summary, name, K, grid, whole=whole)
        else:
            points = interval_grid(summary, name, K, grid, options.outside)
        rule = grid if isinstance(grid, str) else "given"
        typed = typed_points(points, column)
        return Axis(name, "numeric", points, typed, NO_CODES, np.empty(0), rule, streamed=counted.n)

    def categorical_axis(table: Table, name: Hashable, *, order: Any, similar: bool) -> Axis:
        wanted = Wanted(name, "levels", known)
        counted: Levels | None = None
        try:
            counted = facts.counted(wanted)
        except _Pending:  # what similarity needs is counted in the same scan
            _ask_others(facts, table, wanted, order, similar)
            raise
        check_missing(name, counted.missing, counted.rows, options.missing)
        check_known(names, counted.n)
        labels = _column(counted.labels, facts.schema.empty[name])
        axis = level_axis(
            Table(labels.to_frame(name)),
            name,
            order=order,
            similar=similar,
            rules={"similarity": lambda: _by_similarity(facts, table, wanted, labels)},
        )
        return replace(axis, codes=NO_CODES, observed=axis.observed[:0], streamed=counted.n)

    lay_axis = by_kind(
        problem, numeric_axis, grids=grids, similar=similar, categorical_axis=categorical_axis
    )
    axes = []
    for name in names:
        try:
            axes.append(lay_axis(problem.table, name))
        except _Pending:
            pending.append(True)
    if weights is not None:
        for used in dict.fromkeys([(), known]):
            try:
                largest = facts.counted(Wanted(weights, "weights", used)).weight
            except _Pending:
                pending.append(True)
                continue
            if used == ():
                check_largest_weight(largest)
            check_weights_of(names, largest)
    if pending:
        raise _Pending
    check_size(axes)
    return Layout(tuple(axes), known, options.outside)


def _refuse_times(table: Table, name: Hashable) -> None:
    if table.times(name) is not None:
        raise FeatureTypeError(
            f"column {name!r} has times, which are not explained where X comes in parts: give it a "
            "number made from them (days since a date), or declare it in categorical="
        )


def _column(labels: tuple[Any, ...], empty: pd.Series) -> pd.Series:
    """Levels as a column of the type that they come in."""
    found = pd.Series(list(labels), dtype=object)
    if isinstance(empty.dtype, pd.CategoricalDtype):
        return pd.Series(pd.Categorical(found, dtype=empty.dtype), name=empty.name)
    typed: pd.Series = pd.Series(found.astype(empty.dtype), name=empty.name)
    return typed


def _others(table: Table, wanted: Wanted) -> tuple[list[Wanted], list[Wanted]]:
    """Every column but the explained one, of numbers and of levels."""
    numbers: list[Wanted] = []
    levels: list[Wanted] = []
    for column in table.others(wanted.name):
        if table.times(column.name) is not None:
            raise SourceError(
                f"column {wanted.name!r} cannot be ordered by similarity, since times, as in "
                f"column {column.name!r}, are not compared where X comes in parts: pass order=, "
                "or leave that column out"
            )
        numeric = numbers_of(column) is not None
        other = Wanted(column.name, "numbers" if numeric else "levels", wanted.known, False)
        (numbers if numeric else levels).append(other)
    return numbers, levels


def _ask_others(facts: Facts, table: Table, wanted: Wanted, order: Any, similar: bool) -> None:
    """Have the other columns counted, if by the first rows the levels are ordered by similarity."""

    def ask() -> IntArray:
        for other in [one for kind in _others(table, wanted) for one in kind]:
            with suppress(_Pending):
                facts.counted(other)
        return NO_CODES

    if order is None or isinstance(order, str):
        column = table.column(wanted.name).dropna()
        level_rank(column, wanted.name, levels_of(column)[0], order, similar, {"similarity": ask})


def _by_similarity(facts: Facts, table: Table, wanted: Wanted, labels: pd.Series) -> IntArray:
    """Order of the levels by the distribution of the other columns in the rows of each."""
    numbers, levels = _others(table, wanted)
    quantiles: dict[Hashable, FloatArray] = {}
    others: dict[Hashable, pd.Index] = {}
    pending = False
    for other in (*numbers, *levels):
        try:
            counted = facts.counted(other)
            if other in levels:
                others[other.name] = pd.Index(counted.labels, dtype=object, tupleize_cols=False)
            elif counted.n:
                positions, h = type7_positions(counted.n, QUANTILES)
                beside = facts.order_statistics(other, positions.ravel()).reshape(2, -1)
                quantiles[other.name] = np.unique(between(beside, h))
        except _Pending:
            pending = True
    if pending:
        raise _Pending
    declared = np.argsort(levels_of(labels)[1])
    index = pd.Index(labels.array, tupleize_cols=False)[declared]
    return facts.rank(LevelTables(wanted, index, quantiles, others))
