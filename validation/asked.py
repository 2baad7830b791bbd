"""The predictions that a curve is made of: which rows were moved to which points, and the answers.

With these an effect can be computed again where there is neither the model nor Python: certificates
and test vectors keep them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.effects.local_effects import predict_moved
from aleplot_py.inputs.axes import interval_axis, level_axis, point_axis
from aleplot_py.inputs.black_box import as_black_box
from aleplot_py.inputs.frames import Table
from aleplot_py.results.effects import AleResult, Effect
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.cells import nearest_cells

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Asked:
    """Rows moved to points, and what the black box said.

    Parameters
    ----------
    to : tuple of ndarray of int of shape (n, M1), (n, M2)
        For each feature the numbers of the points, from 0, to which each row is moved: the edges
        of its interval, or its level between both neighbours (the first and the last level are
        their own neighbours), or all points of a partial dependence.
    predictions : ndarray of shape (n, M1) or (n, M1, M2)
        Predictions of the rows so moved, in units of the prediction.
    """

    to: tuple[Array, ...]
    predictions: Array

    def flat(self) -> tuple[Array, tuple[Array, ...], Array]:
        """Row, points and prediction of each different question, (m,) each, sorted by row."""
        n, *moves = self.predictions.shape
        row = np.broadcast_to(np.arange(n).reshape(-1, *[1] * len(moves)), self.predictions.shape)
        at = []
        for axis, to in enumerate(self.to):
            shape = [n, *(size if i == axis else 1 for i, size in enumerate(moves))]
            at.append(np.broadcast_to(to.reshape(shape), self.predictions.shape))
        questions = np.stack([row.ravel(), *(numbers.ravel() for numbers in at)], axis=1)
        found, first = np.unique(questions, axis=0, return_index=True)
        return found[:, 0], tuple(found[:, 1:].T), self.predictions.ravel()[first]


def asked_for(predict: Any, X: pd.DataFrame | Array, effect: Effect) -> Asked:
    """Ask a black box once more what an effect was computed from.

    Parameters
    ----------
    predict : callable
        The black box.
    X : DataFrame or ndarray of shape (n, d)
        The data.
    effect : AleResult or PartialDependenceResult
        The effect, of which only features and points are used.

    Returns
    -------
    Asked
        All predictions.
    """
    table, black_box = Table(X), as_black_box(predict, target=None, response_method="auto")
    is_ale = isinstance(effect, AleResult)
    axes = [_axis(table, axis, is_ale=is_ale) for axis in effect.axes]
    to = tuple(_moves(axis, is_ale=is_ale) for axis in axes)
    sizes = [moves.shape[1] for moves in to]
    predictions = np.empty((len(table), *sizes))
    for number in np.ndindex(*sizes):
        moved = [moves[:, k] for moves, k in zip(to, number, strict=True)]
        predictions[(slice(None), *number)] = predict_moved(black_box, table, axes, moved)
    return Asked(to, predictions)


def _axis(table: Table, axis: Axis, *, is_ale: bool) -> Axis:
    """The axis of a result with what it takes to write into rows."""
    if axis.kind == "categorical":
        return level_axis(table, axis.name, order=list(axis.points), similar=False)
    if is_ale:
        return interval_axis(table, axis.name, None, axis.points, outside="clip")
    return point_axis(table, axis.name, None, axis.points)


def _moves(axis: Axis, *, is_ale: bool) -> Array:
    last = len(axis.points) - 1
    if not is_ale:
        return np.broadcast_to(np.arange(last + 1), (len(axis.codes), last + 1))
    return np.clip(axis.codes[:, None] + np.array(axis.offsets), 0, last)


def lenders(effect: AleResult) -> Array:
    """From which cell each empty one has its local effect, in the order of R's matrices.

    Parameters
    ----------
    effect : AleResult
        A pair, or a main effect.

    Returns
    -------
    ndarray of int of shape (number of empty cells,)
        Numbers of cells, from 0, the first axis fastest.
    """
    positions = np.meshgrid(*(axis.positions for axis in effect.axes), indexing="ij")
    listed = np.stack([position.ravel(order="F") for position in positions], axis=1)
    empty = effect.empty.ravel(order="F")
    if not empty.any():
        return np.empty(0, dtype=np.intp)
    known: Array = np.flatnonzero(~empty)
    return known[nearest_cells(listed[known], listed[empty])]


def points_of(effects: Sequence[Axis]) -> list[Array]:
    """Points of each axis, levels as text."""
    return [
        np.array([str(level) for level in axis.points], dtype=object)
        if axis.kind == "categorical"
        else axis.points
        for axis in effects
    ]
