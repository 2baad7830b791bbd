"""The walk, compiled by numba: every prediction asked for, from one descent of each row and tree.

A row descends each tree once. Where a moved value would turn off, the prediction for it turns off,
too, and descends alone from there. Every prediction has a sum of its own, to which the leaves are
added in the order of the trees, so that it is the model's to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    import numba
except ImportError:
    numba = None  # type: ignore[assignment]

AVAILABLE = numba is not None

NODE = np.dtype([("split", "f8"), ("right", "i4"), ("column", "i4")])
#: What the integer of a node says besides its column.
MISSING_LEFT, LEVELS = 1 << 29, 1 << 30
COLUMN = MISSING_LEFT - 1
#: Rows that descend a tree before the next: as many as fit a processor's second cache beside it.
FEWEST_ROWS, MOST_ROWS = 64, 1024
CACHED_NUMBERS = 2**16
#: Points of one pass: each has a bit.
POINTS = 64

#: A product with a power of two has the power's number in its six leading bits (de Bruijn).
SPREAD = 0x03F79D71B4CB0A89
NUMBER_OF = np.zeros(POINTS, np.int64)
NUMBER_OF[[(SPREAD << power & 2**64 - 1) >> 58 for power in range(POINTS)]] = np.arange(POINTS)

U = np.uint64
ONE = np.uint64(1)
NONE = np.uint64(0)


def compiled(function: Any) -> Any:
    """Compile, keeping the result on disk where there is a place for it."""
    if numba is None:
        return function
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return numba.njit(nogil=True)(function)


def _inlined(function: Any) -> Any:
    return function if numba is None else numba.njit(inline="always")(function)


@compiled
def pack(
    roots: Any,
    left: Any,
    right: Any,
    feature: Any,
    below: Any,
    value: Any,
    missing_left: Any,
    level_set: Any,
    nodes: Any,
) -> Any:
    """Nodes in the order of a descent, a left child right behind its parent.

    Fills `nodes`, of the size of all nodes, and returns the trees' first nodes, (trees,). A node
    that splits has its threshold, or its set of levels, in `split`; a leaf has its value there, and
    no right child.
    """
    first = np.empty(roots.size, np.uint64)
    stack, parent = np.empty(left.size, np.int64), np.empty(left.size, np.int64)
    filled = 0
    for tree in range(roots.size):
        first[tree] = filled
        stack[0], parent[0] = roots[tree], -1
        depth = 1
        while depth > 0:
            depth -= 1
            node, above = stack[depth], parent[depth]
            if above >= 0:
                nodes[above].right = filled
            if left[node] < 0:
                nodes[filled].split = value[node]
                nodes[filled].right = -1
                nodes[filled].column = 0
            else:
                column = feature[node]
                nodes[filled].split = below[node]
                if missing_left.size > 0 and missing_left[node]:
                    column |= MISSING_LEFT
                if level_set.size > 0 and level_set[node] >= 0:
                    column |= LEVELS
                    nodes[filled].split = level_set[node]
                nodes[filled].column = column
                stack[depth], parent[depth] = right[node], filled
                stack[depth + 1], parent[depth + 1] = left[node], -1
                depth += 2
            filled += 1
    return first


@_inlined
def _goes_left(split: Any, column: Any, x: Any, sets: Any) -> Any:
    if column & LEVELS:
        if x >= 0 and x < sets.shape[1]:
            return sets[np.int64(split), np.int64(x)]
        return column & MISSING_LEFT != 0
    if x <= split:
        return True
    return x != x and column & MISSING_LEFT != 0


@compiled
def _leaf(
    nodes: Any,
    sets: Any,
    node: Any,
    x: Any,
    axis_of: Any,
    points: Any,
    axis1: Any,
    point1: Any,
    axis2: Any,
    point2: Any,
) -> Any:
    """Value of the leaf that a row reaches from a node with one or two features moved."""
    right = nodes[node].right
    while right >= 0:
        column = nodes[node].column
        f = U(column & COLUMN)
        axis = axis_of[f]
        if axis == axis1:
            y = points[f, point1]
        elif axis == axis2:
            y = points[f, point2]
        else:
            y = x[f]
        node = node + ONE if _goes_left(nodes[node].split, column, y, sets) else U(right)
        right = nodes[node].right
    return nodes[node].split


@compiled
def _leaf_beside(nodes: Any, sets: Any, node: Any, x: Any, moved: Any, y: Any) -> Any:
    """Value of the leaf that a row reaches from a node with one column moved to y."""
    right = nodes[node].right
    while right >= 0:
        column = nodes[node].column
        f = U(column & COLUMN)
        at = y if f == moved else x[f]
        node = node + ONE if _goes_left(nodes[node].split, column, at, sets) else U(right)
        right = nodes[node].right
    return nodes[node].split


@compiled
def walk_moves(
    nodes: Any,
    sets: Any,
    roots: Any,
    X: Any,
    axis_of: Any,
    lone: Any,
    points: Any,
    units: Any,
    first: Any,
    listed: Any,
    shift: Any,
    axis1: Any,
    shift1: Any,
    axis2: Any,
    shift2: Any,
    single: bool,
    sums: Any,
) -> None:
    """Sums of leaves for every row and move, each to one or two points beside the row's own.

    Parameters
    ----------
    nodes, sets, roots
        From `pack`; sets of levels of shape (sets, levels).
    X : (n, columns)
        The numbers that the trees compare.
    axis_of : (columns,)
        Which axis moves the column, -1 for none.
    lone : (axes,)
        Whether an axis moves a single column, and only by itself.
    points : (columns, points)
        Values of the column at the points of its axis.
    units : (n, axes)
        Point that each row is moved from.
    first, listed, shift : (axes + 1,), (entries,), (entries,)
        Moves of an axis are ``listed[first[axis] : first[axis + 1]]``, by `shift` points.
    axis1, shift1, axis2, shift2 : (moves,)
        Axes of a move, and by how many points; twice the same where it has one.
    single : bool
        Whether sums are rounded to 32 bits.
    sums : (n, moves)
        What the leaves are added to.
    """
    n, columns, moves = X.shape[0], X.shape[1], sums.shape[1]
    block = max(FEWEST_ROWS, min(MOST_ROWS, CACHED_NUMBERS // (3 * columns + moves)))
    low, high = np.empty((block, columns)), np.empty((block, columns))
    turned, turn = np.full(moves, -1, np.int64), 0
    away, leaf, before = np.empty(moves, np.int64), np.empty(moves), np.empty(moves)
    for begin in range(0, n, block):
        end = min(n, begin + block)
        for i in range(begin, end):
            for at in range(columns):
                axis = axis_of[at]
                lowest, highest = np.inf, -np.inf  # of a column that is not moved: none turns off
                if axis >= 0:
                    for entry in range(first[axis], first[axis + 1]):
                        y = points[at, units[i, axis] + shift[entry]]
                        if y != y:
                            lowest, highest = -np.inf, np.inf
                        elif y < lowest:
                            lowest = y
                        if y > highest:
                            highest = y
                low[i - begin, at], high[i - begin, at] = lowest, highest
        for tree in range(roots.size):
            root = roots[tree]
            for i in range(begin, end):
                turn += 1
                alone = 0
                node = root
                x, lowest_of, highest_of, s = X[i], low[i - begin], high[i - begin], sums[i]
                right = nodes[node].right
                while right >= 0:
                    column, split = nodes[node].column, nodes[node].split
                    f = U(column & COLUMN)
                    left = _goes_left(split, column, x[f], sets)
                    farthest = highest_of[f] if left else lowest_of[f]
                    if column & LEVELS or (farthest <= split) != left:
                        axis = axis_of[f]
                        if axis >= 0:
                            for entry in range(first[axis], first[axis + 1]):
                                y = points[f, units[i, axis] + shift[entry]]
                                if _goes_left(split, column, y, sets) != left:
                                    move = listed[entry]
                                    if turned[move] != turn:
                                        turned[move] = turn
                                        away[alone] = move
                                        other = U(right) if left else node + ONE
                                        if lone[axis]:
                                            leaf[alone] = _leaf_beside(nodes, sets, other, x, f, y)
                                            alone += 1
                                            continue
                                        leaf[alone] = _leaf(
                                            nodes,
                                            sets,
                                            other,
                                            x,
                                            axis_of,
                                            points,
                                            axis1[move],
                                            units[i, axis1[move]] + shift1[move],
                                            axis2[move],
                                            units[i, axis2[move]] + shift2[move],
                                        )
                                        alone += 1
                    node = node + ONE if left else U(right)
                    right = nodes[node].right
                value = nodes[node].split
                for k in range(alone):
                    before[k] = s[away[k]]
                if single:
                    for move in range(moves):
                        s[move] = np.float64(np.float32(s[move] + value))
                    for k in range(alone):
                        s[away[k]] = np.float64(np.float32(before[k] + leaf[k]))
                else:
                    for move in range(moves):
                        s[move] += value
                    for k in range(alone):
                        s[away[k]] = before[k] + leaf[k]


@compiled
def left_bits(nodes: Any, sets: Any, axis_of: Any, values: Any, bits: Any) -> None:
    """Which points go left at each node that splits a moved column: `bits` of (nodes,)."""
    for node in range(nodes.size):
        column = nodes[node].column
        f = column & COLUMN
        found = NONE
        if nodes[node].right >= 0 and axis_of[f] >= 0:
            for point in range(values.shape[1]):
                if _goes_left(nodes[node].split, column, values[f, point], sets):
                    found |= ONE << U(point)
        bits[node] = found


@compiled
def walk_points(
    nodes: Any,
    sets: Any,
    roots: Any,
    X: Any,
    axis_of: Any,
    bits: Any,
    single: bool,
    sums: Any,
) -> None:
    """Sums of leaves for every row at every one of at most 64 points, the same for all rows.

    Parameters
    ----------
    nodes, sets, roots, X, axis_of, single
        As in `walk_moves`.
    bits : (nodes,)
        From `left_bits`.
    sums : (n, points)
        What the leaves are added to.
    """
    n, points = X.shape[0], sums.shape[1]
    every: Any = NONE
    for point in range(points):
        every |= ONE << U(point)
    waiting, waiting_bits = np.empty(POINTS, np.uint64), np.empty(POINTS, np.uint64)
    leaf = np.empty(points)
    number_of = NUMBER_OF
    for begin in range(0, n, MOST_ROWS):
        for tree in range(roots.size):
            for i in range(begin, min(n, begin + MOST_ROWS)):
                x, s = X[i], sums[i]
                depth = 0
                node, here = roots[tree], every
                while True:
                    right = nodes[node].right
                    while right >= 0:
                        column = nodes[node].column
                        f = U(column & COLUMN)
                        if axis_of[f] >= 0:
                            goes_left = here & bits[node]
                            goes_right = here & ~bits[node]
                            if goes_left != NONE and goes_right != NONE:
                                waiting[depth], waiting_bits[depth] = U(right), goes_right
                                depth += 1
                                here = goes_left
                            left = goes_left != NONE
                        else:
                            left = _goes_left(nodes[node].split, column, x[f], sets)
                        node = node + ONE if left else U(right)
                        right = nodes[node].right
                    value = nodes[node].split
                    if here == every:
                        for point in range(points):
                            leaf[point] = value
                        break
                    while here != NONE:
                        lowest = here & (~here + ONE)
                        leaf[number_of[(lowest * U(SPREAD)) >> U(58)]] = value
                        here ^= lowest
                    if depth == 0:
                        break
                    depth -= 1
                    node, here = waiting[depth], waiting_bits[depth]
                if single:
                    for point in range(points):
                        s[point] = np.float64(np.float32(s[point] + leaf[point]))
                else:
                    for point in range(points):
                        s[point] += leaf[point]
