"""The walk, compiled by numba: every prediction asked for, from one descent of each row and tree.

A row descends each tree once. Where a moved value would turn off, the prediction for it turns off,
too, and descends alone from there. Every prediction has a sum of its own, to which the leaves are
added in the order of the trees, so that it is the model's to the last bit.

Many rows descend side by side, a level at a time, and a child is looked up by the comparison's
number: no step waits for another's, and the processor has no turn to guess.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aleplot_py.steps.compiled import compiled, inlined

#: Nodes that split, by the precision of what they compare; a negative child is a leaf, whose value
#: has the child's number inverted.
NODE = {
    precision: np.dtype([("split", precision), ("column", "i4"), ("child", "i4", (2,))])
    for precision in ("float32", "float64")
}
#: How a node splits: where a missing value goes, and whether `split` is a set of levels.
MISSING_LEFT, LEVELS = 1, 2
#: Rows that descend a tree before the next: as many as fit a processor's second cache beside it.
FEWEST_ROWS, MOST_ROWS = 64, 512
CACHED_NUMBERS = 2**15
#: The same, where a row descends to many points: its descents wait in line, a tree's nodes do not.
POINT_ROWS = 2048
#: Moved values that may turn off, in rows, before they are looked at.
OFF_ROWS = 4
#: What is kept of a cell: its number, and the lowest and the highest to which it moves.
CELL = 4
#: Points of one pass: each has a bit.
POINTS = 64

#: A product with a power of two has the power's number in its six leading bits (de Bruijn).
SPREAD = 0x03F79D71B4CB0A89
NUMBER_OF = np.zeros(POINTS, np.int64)
NUMBER_OF[[(SPREAD << power & 2**64 - 1) >> 58 for power in range(POINTS)]] = np.arange(POINTS)

U = np.uint64
ONE = np.uint64(1)
NONE = np.uint64(0)


@compiled
def pack(
    left: Any, right: Any, column: Any, below: Any, value: Any, number: Any, nodes: Any, leaves: Any
) -> None:
    """Number nodes that split and leaves apart, in their order, and write them to two tables."""
    splits, ends = 0, 0
    for node in range(left.size):
        if left[node] >= 0:
            number[node] = splits
            splits += 1
        else:
            number[node] = ~ends
            leaves[ends] = value[node]
            ends += 1
    for node in range(left.size):
        at = number[node]
        if at >= 0:
            nodes[at].split, nodes[at].column = below[node], column[node]
            nodes[at].child[0], nodes[at].child[1] = number[right[node]], number[left[node]]


@inlined
def _goes_left(split: Any, kind: Any, x: Any, sets: Any) -> Any:
    if kind & LEVELS:
        if x >= 0 and x < sets.shape[1]:
            return sets[np.int64(split), np.int64(x)]
        return kind & MISSING_LEFT != 0
    return (x <= split) | ((x != x) & (kind & MISSING_LEFT != 0))


@compiled
def _cells(
    X: Any,
    by_level: Any,
    axis_of: Any,
    points: Any,
    units: Any,
    first: Any,
    shift: Any,
    cells: Any,
) -> None:
    """Numbers of some rows, and how far they move; what always needs a look is farthest."""
    n, columns = X.shape
    for i in range(n):
        for f in range(columns):
            x, axis = X[i, f], axis_of[f]
            lowest, highest, look = x, x, by_level[f] or x != x
            if axis >= 0:
                for entry in range(first[axis], first[axis + 1]):
                    y = points[f, units[i, axis] + shift[entry]]
                    if y != y:
                        look = True
                    elif y < lowest:
                        lowest = y
                    elif y > highest:
                        highest = y
            at = (i * columns + f) * CELL
            cells[at] = x
            cells[at + 1] = -np.inf if look else lowest
            cells[at + 2] = np.nan if look else highest


@compiled
def _descend(
    nodes: Any,
    kinds: Any,
    sets: Any,
    cells: Any,
    width: Any,
    going: Any,
    count: Any,
    at: Any,
    off_row: Any,
    off_node: Any,
) -> Any:
    """Down for the `count` rows that are `going`, until there is no room to list a level's.

    Returns how many of them are not at a leaf now, and in how many nodes a moved value may turn
    off, which it lists with their rows.
    """
    off = NONE
    while count > 0 and off + count <= U(off_row.size):
        kept = NONE
        for k in range(count):
            i = going[k]
            node = U(at[i])
            split, cell = nodes[node].split, i * width + U(nodes[node].column) * U(CELL)
            left = U(cells[cell] <= split)
            if U(cells[cell + ONE + left] <= split) != left:
                left = U(_goes_left(split, kinds[node], cells[cell], sets))
                off_row[off], off_node[off] = i, node
                off += ONE
            child = nodes[node].child[left]
            at[i] = child
            going[kept] = i
            kept += U(child >= 0)
        count = kept
    return count, off


@compiled
def _turn_off(
    nodes: Any,
    kinds: Any,
    sets: Any,
    cells: Any,
    width: Any,
    axis_of: Any,
    points: Any,
    units: Any,
    first: Any,
    listed: Any,
    shift: Any,
    off_row: Any,
    off_node: Any,
    off: Any,
    turned: Any,
    tree: Any,
    alone: Any,
    row_of: Any,
    move_of: Any,
    node_of: Any,
) -> Any:
    """List the moves that go the other way for the first time in a tree; how many there are."""
    for k in range(off):
        i, node = off_row[k], off_node[k]
        split, kind, f = nodes[node].split, kinds[node], U(nodes[node].column)
        axis = axis_of[f]
        if axis < 0:
            continue
        left = _goes_left(split, kind, cells[i * width + f * U(CELL)], sets)
        for entry in range(first[axis], first[axis + 1]):
            y = points[f, U(units[i, axis] + shift[entry])]
            move = U(listed[entry])
            new = (_goes_left(split, kind, y, sets) != left) & (turned[i, move] != tree)
            row_of[alone], move_of[alone] = i, move
            node_of[alone] = nodes[node].child[U(not left)]
            turned[i, move] = tree if new else turned[i, move]
            alone += U(new)
    return alone


@compiled
def _descend_alone(
    nodes: Any,
    kinds: Any,
    sets: Any,
    cells: Any,
    width: Any,
    axis_of: Any,
    points: Any,
    units: Any,
    axis1: Any,
    shift1: Any,
    axis2: Any,
    shift2: Any,
    row_of: Any,
    move_of: Any,
    node_of: Any,
    alone: Any,
    going: Any,
) -> None:
    """Down to the leaves for moves that have turned off, with one or two features moved."""
    count = NONE
    for k in range(alone):
        going[count] = k
        count += U(node_of[k] >= 0)
    while count > 0:
        kept = NONE
        for entry in range(count):
            k = going[entry]
            i, move, node = row_of[k], move_of[k], U(node_of[k])
            f = U(nodes[node].column)
            axis = axis_of[f]
            if axis == axis1[move]:
                y = points[f, U(units[i, axis] + shift1[move])]
            elif axis == axis2[move]:
                y = points[f, U(units[i, axis] + shift2[move])]
            else:
                y = cells[i * width + f * U(CELL)]
            left = U(_goes_left(nodes[node].split, kinds[node], y, sets))
            child = nodes[node].child[left]
            node_of[k] = child
            going[kept] = k
            kept += U(child >= 0)
        count = kept


@compiled
def _add(leaves: Any, at: Any, value: Any, begin: Any, end: Any, sums: Any) -> None:
    """Add the leaves of some rows to all of their sums."""
    for i in range(end - begin):
        value[i] = leaves[~at[i]]
    for move in range(sums.shape[0]):
        s = sums[move, begin:end]
        for i in range(end - begin):
            s[i] += value[i]


@compiled
def walk_moves(
    nodes: Any,
    kinds: Any,
    leaves: Any,
    sets: Any,
    by_level: Any,
    roots: Any,
    X: Any,
    axis_of: Any,
    points: Any,
    units: Any,
    first: Any,
    listed: Any,
    shift: Any,
    axis1: Any,
    shift1: Any,
    axis2: Any,
    shift2: Any,
    start: int,
    stop: int,
    sums: Any,
) -> None:
    """Sums of leaves for some rows and every move, each to one or two points beside the row's own.

    Parameters
    ----------
    nodes, kinds, leaves, sets, roots
        Nodes that split and how, values of the leaves, sets of levels of shape (sets, levels), and
        the first node of each tree.
    by_level : (columns,)
        Whether a column is split by sets of levels somewhere.
    X : (n, columns)
        The numbers that the trees compare.
    axis_of : (columns,)
        Which axis moves the column, -1 for none.
    points : (columns, points)
        Values of the column at the points of its axis.
    units : (n, axes)
        Point that each row is moved from.
    first, listed, shift : (axes + 1,), (entries,), (entries,)
        Moves of an axis are ``listed[first[axis] : first[axis + 1]]``, by `shift` points.
    axis1, shift1, axis2, shift2 : (moves,)
        Axes of a move, and by how many points; twice the same where it has one.
    start, stop : int
        Which rows.
    sums : (moves, n)
        What the leaves are added to, in the precision of both.
    """
    columns, moves = X.shape[1], sums.shape[0]
    block = max(FEWEST_ROWS, min(MOST_ROWS, CACHED_NUMBERS // (CELL * columns + 2 * moves)))
    width = U(CELL * columns)
    cells = np.empty(block * CELL * columns, X.dtype)
    at, going = np.empty(block, np.int64), np.empty(block, np.uint64)
    value = np.empty(block, leaves.dtype)
    room = OFF_ROWS * block
    off_row, off_node = np.empty(room, np.uint64), np.empty(room, np.uint64)
    most = block * moves + 1  # the last one is written where nothing new turns off
    row_of, move_of = np.empty(most, np.uint64), np.empty(most, np.uint64)
    node_of, before = np.empty(most, np.int64), np.empty(most, leaves.dtype)
    going_alone = np.empty(most, np.uint64)
    turned = np.empty((block, moves), np.int32)
    for begin in range(start, stop, block):
        end = min(stop, begin + block)
        here = units[begin:end]
        _cells(X[begin:end], by_level, axis_of, points, here, first, shift, cells)
        turned[:] = -1
        for tree in range(roots.size):
            alone, count = NONE, NONE
            for i in range(end - begin):
                at[i] = roots[tree]
                going[i] = i
                count += U(roots[tree] >= 0)
            while count > 0:
                count, off = _descend(
                    nodes, kinds, sets, cells, width, going, count, at, off_row, off_node
                )
                alone = _turn_off(
                    nodes,
                    kinds,
                    sets,
                    cells,
                    width,
                    axis_of,
                    points,
                    here,
                    first,
                    listed,
                    shift,
                    off_row,
                    off_node,
                    off,
                    turned,
                    tree,
                    alone,
                    row_of,
                    move_of,
                    node_of,
                )
            _descend_alone(
                nodes,
                kinds,
                sets,
                cells,
                width,
                axis_of,
                points,
                here,
                axis1,
                shift1,
                axis2,
                shift2,
                row_of,
                move_of,
                node_of,
                alone,
                going_alone,
            )
            for k in range(alone):
                before[k] = sums[move_of[k], U(begin) + row_of[k]]
            _add(leaves, at, value, begin, end, sums)
            for k in range(alone):
                sums[move_of[k], U(begin) + row_of[k]] = before[k] + leaves[~node_of[k]]


@compiled
def left_bits(nodes: Any, kinds: Any, sets: Any, axis_of: Any, points: Any, bits: Any) -> None:
    """Which points go left at each node that splits a moved column: `bits` of (nodes,)."""
    for node in range(nodes.size):
        f = nodes[node].column
        found = NONE
        if axis_of[f] >= 0:
            for point in range(points.shape[1]):
                if _goes_left(nodes[node].split, kinds[node], points[f, point], sets):
                    found |= ONE << U(point)
        bits[node] = found


@compiled
def _descend_points(
    nodes: Any,
    kinds: Any,
    sets: Any,
    bits: Any,
    axis_of: Any,
    X: Any,
    going: Any,
    count: Any,
    at: Any,
    here: Any,
    row_of: Any,
    made: Any,
) -> Any:
    """A level down for the `count` descents that are `going`, each of some points of a row.

    Where the points of one part, those that go right begin a new one, behind the `made` ones.
    Returns how many are not at a leaf now, and how many there are.
    """
    kept, before = NONE, made
    for k in range(count):
        descent = going[k]
        node = U(at[descent])
        f = U(nodes[node].column)
        if axis_of[f] >= 0:
            points = here[descent]
            to_left, to_right = points & bits[node], points & ~bits[node]
            left = U(to_left != NONE)
            here[descent] = to_left if to_left != NONE else points
            at[made], here[made] = nodes[node].child[0], to_right
            row_of[made] = row_of[descent]
            made += left & U(to_right != NONE)
        else:
            x = X[row_of[descent], f]
            left = U(_goes_left(nodes[node].split, kinds[node], x, sets))
        child = nodes[node].child[left]
        at[descent] = child
        going[kept] = descent
        kept += U(child >= 0)
    for descent in range(before, made):
        going[kept] = descent
        kept += U(at[descent] >= 0)
    return kept, made


@compiled
def _add_points(
    leaves: Any, at: Any, here: Any, row_of: Any, made: Any, every: Any, sums: Any
) -> None:
    """Add the leaf of each descent to the sums of its row at its points, (rows, points)."""
    number_of = NUMBER_OF
    for descent in range(made):
        value, s, points = leaves[~at[descent]], sums[row_of[descent]], here[descent]
        if points == every:
            for point in range(s.size):
                s[point] += value
            continue
        while points != NONE:
            lowest = points & (~points + ONE)
            s[U(number_of[(lowest * U(SPREAD)) >> U(58)])] += value
            points ^= lowest


@compiled
def walk_points(
    nodes: Any,
    kinds: Any,
    leaves: Any,
    sets: Any,
    roots: Any,
    X: Any,
    axis_of: Any,
    bits: Any,
    sums: Any,
) -> None:
    """Sums of leaves for every row at every one of at most 64 points, the same for all rows.

    Parameters
    ----------
    nodes, kinds, leaves, sets, roots, X, axis_of
        As in `walk_moves`.
    bits : (nodes,)
        From `left_bits`.
    sums : (n, points)
        What the leaves are added to, in the precision of both.
    """
    n, points = sums.shape
    block = min(POINT_ROWS, n)
    every: Any = NONE
    for point in range(points):
        every |= ONE << U(point)
    most = block * points + 1  # the last one is written where no points part
    at, row_of = np.empty(most, np.int64), np.empty(most, np.uint64)
    here, going = np.empty(most, np.uint64), np.empty(most, np.uint64)
    for begin in range(0, n, block):
        end = min(n, begin + block)
        for tree in range(roots.size):
            count, made = NONE, U(end - begin)
            for i in range(end - begin):
                at[i], here[i], row_of[i], going[i] = roots[tree], every, i, i
                count += U(roots[tree] >= 0)
            while count > 0:
                count, made = _descend_points(
                    nodes,
                    kinds,
                    sets,
                    bits,
                    axis_of,
                    X[begin:end],
                    going,
                    count,
                    at,
                    here,
                    row_of,
                    made,
                )
            _add_points(leaves, at, here, row_of, made, every, sums[begin:end])
