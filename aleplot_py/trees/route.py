"""Which way predictions for moved rows are made: by the model's method, or by one walk."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, product
from typing import Any

from aleplot_py.errors import LOG, RouteError
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.problem import Laid, Problem
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.grid import FloatArray
from aleplot_py.trees.adapters import flat_trees, model_of, single_threaded, tree_count
from aleplot_py.trees.flat import NotWalkableError
from aleplot_py.trees.walker import LARGEST_SUMS, Packed, Walker

#: Leaves to be looked up, moved rows times trees, from which the walk is worth being set up.
WORTH_A_WALK = 5_000_000

#: How many points a row moves on each axis, and its predictions there, (n,).
Moved = dict[tuple[int, ...], FloatArray]


@dataclass
class Group:
    """Effects of one table, and of one axis for each feature, whose rows descend together."""

    table: Table
    axes: dict[Hashable, Axis]
    effects: list[list[Axis]]

    @property
    def moves(self) -> list[tuple[list[Axis], tuple[int, ...]]]:
        """Axes and offsets of every prediction that the effects need."""
        return [
            (axes, offsets)
            for axes in self.effects
            for offsets in product(*(axis.offsets for axis in axes))
        ]

    def takes(self, table: Table, axes: Sequence[Axis]) -> bool:
        """Whether another effect fits in."""
        moves = len(self.moves) + math.prod(len(axis.offsets) for axis in axes)
        return (
            table is self.table
            and moves * len(table) * 8 <= LARGEST_SUMS
            and all(_alike(axis, self.axes.get(axis.name, axis)) for axis in axes)
        )


def _alike(one: Axis, other: Axis) -> bool:
    """Whether two axes of a feature move its rows to the same points."""
    if one is other:
        return True
    same = one.kind == other.kind and len(one.points) == len(other.points)
    return same and all((one.points == other.points).tolist()) and (one.codes == other.codes).all()


@dataclass
class Route:
    """How the predictions of one call are made.

    Parameters
    ----------
    asked : {"auto", "predict", "trees"}
        The caller's ``method``.
    told : str
        What results say: ``"trees"``, ``"predict"``, or ``"predict: why"``.
    walker : Walker or None
        The trees, as long as they are walked.
    """

    asked: str
    told: str = "predict"
    walker: Walker | None = None
    _groups: list[Group] = field(default_factory=list)
    _moved: dict[tuple[int, ...], Moved] = field(default_factory=dict)

    def moved(self, axes: Sequence[Axis]) -> Moved | None:
        """Predictions with each row at the ends of its steps; None where they are not walked.

        Where there is no level to move to, the number is that of the nearest.
        """
        key = _key(axes)
        if key not in self._moved and self.walker is not None:
            self._moved = {}  # before other sums take the place of these
            group = next((g for g in self._groups if key in _keys(g)), None)
            if group is not None:
                self._walk(self.walker, group)
        return self._moved.get(key)

    def _walk(self, walker: Walker, group: Group) -> None:
        try:
            values = walker.moved(group.table, group.axes, group.moves)
        except NotWalkableError as error:
            self.refuse(error)
            return
        for (axes, offsets), column in zip(group.moves, values, strict=True):
            self._moved.setdefault(_key(axes), {})[offsets] = column
            if len(axes) == 2:  # R knows pairs of both kinds only one way round
                self._moved.setdefault(_key(axes[::-1]), {})[offsets[::-1]] = column

    def at_points(
        self, table: Table, axes: Sequence[Axis], together: bool = False
    ) -> Iterator[tuple[slice, FloatArray]] | None:
        """Predictions of every row at every point, some points at a time; None where not walked."""
        if self.walker is None:
            return None
        found = self.walker.at_points(table, axes, together)
        try:
            return chain([next(found)], found)
        except NotWalkableError as error:
            self.refuse(error)
            return None

    def refuse(self, error: NotWalkableError) -> None:
        """Leave the rest to the model's own method."""
        if self.asked == "trees":
            raise RouteError(f"method='trees' cannot be used: {error}") from None
        self.walker, self.told = None, f"predict: {error}"
        LOG.info("moved rows are predicted by the model itself: %s", error)


def _key(axes: Sequence[Axis]) -> tuple[int, ...]:
    return tuple(id(axis) for axis in axes)


def _keys(group: Group) -> set[tuple[int, ...]]:
    return {_key(order) for axes in group.effects for order in (axes, axes[::-1])}


def route_of(problem: Problem, laid: Sequence[Laid], *, to_points: bool) -> Route:
    """Choose the route for the effects of one call, before anything is predicted.

    Parameters
    ----------
    problem : Problem
        What is explained; ``problem.options.method`` is what the caller asked for.
    laid : sequence of Laid
        Effects that differ by their predictions for moved rows.
    to_points : bool
        Whether every row is moved to every point, rather than to the ends of its steps.

    Raises
    ------
    RouteError
        If the walk was asked for and cannot be used, or the recursion, which moves no rows.
    """
    asked = problem.options.method
    if asked == "recursion":
        raise RouteError(
            "method='recursion' is that of partial_dependence(kind='average'), which asks a model "
            "of trees about the rows of its fit: take 'auto', 'predict' or 'trees'"
        )
    route = Route(asked)
    known = model_of(problem.black_box.function)
    if asked == "predict" or (asked == "auto" and (known is None or not laid)):
        return route
    moved = sum(
        len(table) * math.prod(len(a.points if to_points else a.offsets) for a in axes)
        for table, axes, _ in laid
    )
    try:
        if not laid:
            raise NotWalkableError("no row is moved, since gradient= gives the local effects")
        if known is None:
            raise NotWalkableError("predict must be a model of trees that is known, or its method")
        if problem.table.frame is not None:
            raise NotWalkableError("the rows are a table of another library than pandas")
        if any(axis.collapsed is not None for _, axes, _ in laid for axis in axes):
            raise NotWalkableError("levels are collapsed")
        if problem.black_box.several:
            raise NotWalkableError("several outputs are explained at a time")
        if any(len(axes) > 2 for _, axes, _ in laid):
            raise NotWalkableError("an effect of more than two features is asked for")
        if asked == "auto" and moved * tree_count(known[0]) < WORTH_A_WALK:
            raise NotWalkableError("too few predictions to set up a walk")
        route.walker, route.told = _walker(problem, *known, laid[0][0]), "trees"
        LOG.info("moved rows are predicted by a walk of the trees")
    except NotWalkableError as error:
        route.refuse(error)
        return route
    for table, axes, _ in () if to_points else laid:
        if not (route._groups and route._groups[-1].takes(table, axes)):
            route._groups.append(Group(table, {}, []))
        route._groups[-1].axes |= {axis.name: axis for axis in axes}
        route._groups[-1].effects.append(list(axes))
    return route


def _walker(problem: Problem, model: Any, method: str, table: Table) -> Walker:
    """The trees over the rows of a call; packed, they are kept for the next of its effects."""
    black_box = problem.black_box
    key = (method, tuple(table.names))
    if key not in black_box.memo:
        output = black_box.output
        trees = flat_trees(model, method, output, table.names)
        if method == "decision_function" and output == 0:
            trees = replace(trees, link=lambda sums: -sums)
        black_box.memo[key] = Packed(trees)
    reference = black_box
    if method != "__call__":
        reference = replace(black_box, function=single_threaded(model, method))
    return Walker(black_box.memo[key], reference, problem.options.threads)
