"""Filling of empty cells from the nearest non-empty one, with R's choice among equally near ones.

R's ALEPlot and iml ask a kd-tree (Arya and Mount's approximate nearest neighbour library in exact
mode, through yaImpute) and keep the tied cell which that search meets first. On lattice data one
fill in eight is tied, so the search is followed here step by step where a tie exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from aleplot_py.errors import GridError
from aleplot_py.steps.grid import FloatArray, IntArray

# Two distances closer than this (relative) are left to the exact search to tell apart.
NEARLY_TIED = 1e-9
# Slopes beyond this, or below its inverse, may overflow or lose digits: differences are scaled.
STEEP = 1e280
# Sides at least this share of the longest one are candidates for the next cut.
LONG_SIDE = 1 - 0.001


@dataclass
class _Node:
    """A set of points; an inner node once it is cut at `cut` in dimension `dim`.

    `low_side` and `high_side` are the ends of the node's box in that dimension.
    """

    points: list[int]
    low: list[float]
    high: list[float]
    dim: int = 0
    cut: float = 0.0
    low_side: float = 0.0
    high_side: float = 0.0
    children: tuple[_Node, _Node] | None = None


def _partition(points: list[list[float]], order: list[int], dim: int, cut: float) -> int:
    """Reorder `order` around `cut` in place and return the size of the low part."""
    n = len(order)

    def sweep(start: int, *, strict: bool) -> int:
        left, right = start, n - 1
        while True:
            while left < n and (
                points[order[left]][dim] < cut or (not strict and points[order[left]][dim] == cut)
            ):
                left += 1
            while right >= start and (
                points[order[right]][dim] > cut or (strict and points[order[right]][dim] == cut)
            ):
                right -= 1
            if left > right:
                return left
            order[left], order[right] = order[right], order[left]
            left += 1
            right -= 1

    below = sweep(0, strict=True)
    not_above = sweep(below, strict=False)
    if below > n // 2:
        return below
    return not_above if not_above < n // 2 else n // 2


def _split(node: _Node, points: list[list[float]]) -> tuple[_Node, _Node]:
    """Cut a node by the sliding-midpoint rule."""
    order, low, high = node.points, node.low, node.high
    sides = [b - a for a, b in zip(low, high, strict=True)]
    long_enough = LONG_SIDE * max(sides)
    spread = -1.0
    for d, side in enumerate(sides):
        if side >= long_enough:
            column = [points[i][d] for i in order]
            if max(column) - min(column) > spread:
                smallest, largest = min(column), max(column)
                node.dim, spread = d, largest - smallest
    dim = node.dim
    middle = (low[dim] + high[dim]) / 2
    node.cut = min(max(middle, smallest), largest)
    node.low_side, node.high_side = low[dim], high[dim]
    size = _partition(points, order, dim, node.cut)
    if middle < smallest:
        size = 1
    elif middle > largest:
        size = len(order) - 1
    below = _Node(order[:size], low, [*high[:dim], node.cut, *high[dim + 1 :]])
    above = _Node(order[size:], [*low[:dim], node.cut, *low[dim + 1 :]], high)
    node.children = below, above
    return node.children


def _build(points: list[list[float]]) -> _Node:
    """Tree with one point per leaf over the bounding box of the points."""
    columns = list(zip(*points, strict=True))
    low, high = [min(c) for c in columns], [max(c) for c in columns]
    root = _Node(list(range(len(points))), low, high)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if len(node.points) > 1:
            waiting.extend(_split(node, points))
    return root


def _search(root: _Node, points: list[list[float]], query: list[float]) -> int:
    """Index of the nearest point that the depth-first search meets first."""
    box = 0.0
    for a, b, value in zip(root.low, root.high, query, strict=True):
        outside = max(a - value, value - b, 0.0)
        box += outside * outside
    best, nearest = float("inf"), -1
    waiting = [(root, box)]
    while waiting:
        node, box = waiting.pop()
        if box >= best:
            continue
        while node.children is not None:
            value = query[node.dim]
            beyond = value - node.cut
            below, above = node.children
            if beyond < 0:
                near, far, outside = below, above, node.low_side - value
            else:
                near, far, outside = above, below, value - node.high_side
            squared = beyond * beyond
            if outside > 0:
                squared -= outside * outside
            waiting.append((far, box + squared))
            node = near
        distance = 0.0
        for a, b in zip(points[node.points[0]], query, strict=True):
            distance += (a - b) * (a - b)
        if distance < best:
            best, nearest = distance, node.points[0]
    return nearest


def _settle_ties(points: FloatArray, queries: FloatArray) -> IntArray:
    """Nearest of `points` (m, d) to each of `queries` (q, d) in the order of R's search, (q,)."""
    listed = points.tolist()
    root = _build(listed)
    return np.array([_search(root, listed, query) for query in queries.tolist()], dtype=np.intp)


def nearest_cells(points: FloatArray, queries: FloatArray) -> IntArray:
    """Nearest of `points` to each query, ties settled as R's kd-tree settles them.

    Parameters
    ----------
    points : ndarray of shape (m, d)
        Coordinates of the non-empty cells, in the order in which R lists them.
    queries : ndarray of shape (q, d)
        Coordinates of the empty cells.

    Returns
    -------
    ndarray of int of shape (q,)
        Row of `points` for each query.
    """
    if len(points) == 1:
        return np.zeros(len(queries), dtype=np.intp)
    distance, index = cKDTree(points).query(queries, k=2)
    nearest: IntArray = index[:, 0].astype(np.intp)
    tied = distance[:, 1] <= distance[:, 0] * (1 + NEARLY_TIED)
    if tied.any():
        nearest[tied] = _settle_ties(points, queries[tied])
    return nearest


def lent_slope(difference: FloatArray, lender: FloatArray, own: FloatArray) -> FloatArray:
    """Differences over cells that take the slopes of others.

    Parameters
    ----------
    difference : ndarray of shape (m,)
        Difference over each lending cell.
    lender, own : ndarray of shape (m,)
        Sizes of the lending cells and of those that take their slopes.

    Returns
    -------
    ndarray of shape (m,)
        The difference at the same slope over the own size.

    Raises
    ------
    GridError
        If it is larger than the largest double.
    """
    with np.errstate(all="ignore"):
        slope = difference / lender
        steep = ~((np.abs(slope) > 1 / STEEP) & (np.abs(slope) < STEEP))
        lent = np.where(steep, difference * (own / lender), slope * own)
    if not np.isfinite(lent).all():
        raise GridError(
            "grid has an interval without rows that is too wide to take the slope of the nearest "
            f"one with rows: it is {own[~np.isfinite(lent)][0]:g} wide, the other "
            f"{lender[~np.isfinite(lent)][0]:g}"
        )
    return np.asarray(lent)


def fill_empty(
    values: FloatArray,
    empty: NDArray[np.bool_],
    coordinates: Sequence[FloatArray],
    listing: str = "aleplot",
    widths: FloatArray | None = None,
) -> FloatArray:
    """Give every empty cell the value of the nearest cell that has rows, or its slope.

    A cell of several features takes the difference of the nearest one, as in ALEPlot for two. An
    interval of a single feature, given the widths, takes the slope: a straight line stays one
    whatever the grid. R's own grids leave no interval without rows.

    Parameters
    ----------
    values : ndarray of shape (S,) or (S1, S2, ...)
        Mean local effect of each cell; ignored where empty.
    empty : ndarray of bool of the same shape
        Cells without rows; at least one cell has rows.
    coordinates : sequence of one ndarray of shape (S,) per axis
        Positions of the cells along each axis, scaled to the axis' length.
    listing : {"aleplot", "iml"}
        Order in which the cells are listed to the search, which decides ties: ALEPlot lists them
        with the first axis fastest, iml with the last axis fastest.
    widths : ndarray of shape (S,), optional
        Widths of the intervals of a single numeric feature, in its units.

    Returns
    -------
    ndarray of the same shape
        `values` with the empty cells filled; the input is not changed.

    Raises
    ------
    GridError
        If a filled interval's difference is larger than the largest double.
    """
    if not empty.any():
        return values
    memory: Literal["C", "F"] = "C" if listing == "iml" else "F"
    position = np.stack(np.meshgrid(*coordinates, indexing="ij"), axis=-1)
    flat = position.reshape(-1, values.ndim, order="C")
    numbers = np.arange(values.size).reshape(values.shape).ravel(order=memory)
    hollow = empty.reshape(-1)
    known, unknown = numbers[~hollow[numbers]], numbers[hollow[numbers]]
    filled = values.reshape(-1).copy()
    lender = known[nearest_cells(flat[known], flat[unknown])]
    filled[unknown] = filled[lender]
    if widths is not None:
        filled[unknown] = lent_slope(filled[lender], widths[lender], widths[unknown])
    return filled.reshape(values.shape)
