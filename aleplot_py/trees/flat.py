"""Trees as plain arrays, which the walk reads whatever library they come from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from reprlib import repr as shown
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aleplot_py.inputs.checks import check_switches, one_of
from aleplot_py.steps.grid import FloatArray, IntArray

# Beyond, whole numbers may be rounded twice on their way to 32 bits.
LARGEST_WHOLE = 2**53

Precision = Literal["float64", "float32"]


class NotWalkableError(Exception):
    """Why these trees, or these rows, are left to the model's own ``predict``."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FlatTrees:
    """An ensemble of binary trees as plain arrays: a black box that is walked, not called.

    .. versionadded:: 0.2

    Whoever has trees of another library fills the arrays and explains the object itself, or gives
    the model a method ``flat_trees()`` that returns it.

    Parameters
    ----------
    roots : array_like of int of shape (trees,)
        First node of each tree, in the order in which the model adds the trees up.
    left, right : array_like of int of shape (nodes,)
        Children of a node, which come after it; negative at a leaf.
    feature : array_like of int of shape (nodes,)
        Column that splits the node; anything at a leaf.
    threshold : array_like of shape (nodes,)
        Values up to it go left.
    value : array_like of shape (nodes,)
        What a leaf adds; anything elsewhere.
    strict : bool, default False
        Whether only values below the threshold go left.
    missing_left : array_like of bool of shape (nodes,), optional
        Where a missing value goes left; by default nowhere.
    level_set : array_like of int of shape (nodes,), optional
        Row of `left_levels` at a node that splits categories, -1 at a node that splits numbers.
    left_levels : array_like of bool of shape (sets, levels), optional
        Whether the category with that number goes left. Another one goes where a missing value
        goes.
    inputs, sums : {"float64", "float32"}
        Precision to which values are rounded before they are compared, and each sum after a leaf
        is added.
    start : float, default 0
        What the leaves are added to.
    divisor : float, default 1
        What the sum is divided by: the number of trees where it is a mean.
    link : callable(ndarray of shape (n,)) -> (n,), optional
        From the sums, in their precision, to predictions, row by row.
    encode : callable(frame) -> array of shape (n, columns), optional
        From rows to the numbers that the trees compare; by default the rows' own.
    sources : sequence of column names, optional
        Column of the frame (position, of an array) that each column of numbers is made from; by
        default they are the frame's columns in their order.

    Raises
    ------
    ValueError
        If an array is none of numbers or has the wrong shape, a child does not come after its
        parent, a leaf is not finite, a threshold is missing, or a precision is another word.

    See Also
    --------
    aleplot_py.ale : Walks the trees instead of calling them (``method``).

    Examples
    --------
    >>> import numpy as np
    >>> from aleplot_py import ale
    >>> from aleplot_py.trees import FlatTrees
    >>> stump = FlatTrees(
    ...     roots=[0], left=[1, -1, -1], right=[2, -1, -1], feature=[0, 0, 0],
    ...     threshold=[2.5, 0, 0], value=[0, 10, 20],
    ... )
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> stump(X)
    array([10., 10., 20., 20.])
    >>> ale(stump, X, 0, K=3).f_values
    array([-5., -5.,  5.,  5.])
    """

    # Arrays from here on; whoever fills them may give lists.
    roots: Any
    left: Any
    right: Any
    feature: Any
    threshold: Any
    value: Any
    strict: bool = False
    missing_left: Any = None
    level_set: Any = None
    left_levels: Any = None
    inputs: Precision = "float64"
    sums: Precision = "float64"
    start: float = 0.0
    divisor: float = 1.0
    link: Callable[[Any], Any] | None = None
    encode: Callable[[Any], Any] | None = None
    sources: Sequence[Hashable] | None = None

    def __post_init__(self) -> None:
        kinds: dict[str, Any] = {
            **dict.fromkeys(("roots", "left", "right", "feature", "level_set"), np.int32),
            **dict.fromkeys(("threshold", "value"), np.float64),
            **dict.fromkeys(("missing_left", "left_levels"), np.bool_),
        }
        for name, kind in kinds.items():
            given = getattr(self, name)
            if given is None:
                continue
            try:
                array = np.ascontiguousarray(given, dtype=kind)
            except (TypeError, ValueError, OverflowError):
                raise ValueError(
                    f"{name} must be an array of numbers, got {shown(given)}"
                ) from None
            if kind is not np.float64:
                numbers = np.asarray(given, dtype=np.float64)  # not known, at a leaf, is no matter
                wrong = numbers[(numbers != array) & np.isfinite(numbers)]
                if wrong.size:
                    rule = "truth values" if kind is np.bool_ else "whole numbers below 2**31"
                    raise ValueError(f"{name} must be {rule}, got {wrong[0]:.16g}")
            object.__setattr__(self, name, array)
        check_switches(strict=self.strict)
        for name in ("inputs", "sums"):
            one_of(getattr(self, name), get_args(Precision), name)
        nodes = self.left.shape
        for name in ("right", "feature", "threshold", "value", "missing_left", "level_set"):
            array = getattr(self, name)
            if array is not None and (array.shape != nodes or array.ndim != 1):
                raise ValueError(f"{name} must have one entry per node, {nodes}, got {array.shape}")
        if self.roots.ndim != 1 or not self.roots.size:
            raise ValueError(f"roots must name at least one node, got shape {self.roots.shape}")
        position = np.arange(nodes[0], dtype=np.int32)
        inner = self.left >= 0
        for name, among in (("roots", self.roots), ("left", self.left), ("right", self.right)):
            wrong = among[(among >= nodes[0]) | ((among < 0) & (name == "roots"))]
            if wrong.size:
                raise ValueError(f"{name} must be nodes, 0 to {nodes[0] - 1}, got {wrong[0]}")
        before = inner & ((self.left <= position) | (self.right <= position))
        if before.any():
            node = int(np.flatnonzero(before)[0])
            raise ValueError(
                f"a node must come before its children: node {node} has the children "
                f"{self.left[node]} and {self.right[node]}"
            )
        wrong = self.feature[inner & (self.feature < 0)]
        if wrong.size:
            raise ValueError(f"feature must be a column's position, 0 or more, got {wrong[0]}")
        wrong = self.value[~inner & ~np.isfinite(self.value)]
        if wrong.size:
            raise ValueError(f"value must be finite at every leaf, got {wrong[0]}")
        if (self.level_set is None) != (self.left_levels is None):
            raise ValueError("level_set and left_levels must be given together")
        if self.level_set is not None and self.left_levels is not None:
            sets = len(self.left_levels) if self.left_levels.ndim == 2 else 0
            if self.level_set.max() >= sets:
                raise ValueError(
                    f"level_set must be rows of left_levels, 0 to {sets - 1}, got "
                    f"{self.level_set.max()}"
                )
        by_number = inner if self.level_set is None else inner & (self.level_set < 0)
        if (by_number & np.isnan(self.threshold)).any():
            raise ValueError("threshold must be a number at every split of numbers, got nan")

    def matrix(self, rows: Any) -> Any:
        """The numbers that the trees compare, (n, columns), in the precision of the inputs."""
        numbers = plain_numbers(rows) if self.encode is None else self.encode(rows)
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(numbers, dtype=self.inputs)

    def finish(self, sums: Any) -> FloatArray:
        """Predictions (n,) from sums (n,) of leaves."""
        total: Any = np.ascontiguousarray(sums, dtype=self.sums)
        if self.divisor != 1:
            total = total / self.divisor
        if self.link is not None:
            total = np.asarray(self.link(total))
        return np.asarray(total, dtype=np.float64)

    def below(self) -> Any:
        """Largest number that goes left at each node, (nodes,), in the precision of the inputs."""
        with np.errstate(over="ignore"):
            near = self.threshold.astype(self.inputs)
        above = self.strict | (near > self.threshold)
        return np.nextafter(near, near.dtype.type(-np.inf), out=near, where=above)

    def __call__(self, rows: Any) -> FloatArray:
        """Predict, one tree after the other.

        Parameters
        ----------
        rows : DataFrame or ndarray of shape (n, d)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n,)
            Predictions, in units of the response or of the link.

        Raises
        ------
        ValueError
            If the rows hold something else than numbers, where there is no `encode`.
        """
        try:
            numbers = self.matrix(rows)
        except NotWalkableError as error:
            raise ValueError(str(error)) from None
        below, total = self.below(), np.full(len(numbers), self.start, dtype=self.sums)
        for root in self.roots:
            node = np.full(len(numbers), root)
            moving = np.flatnonzero(self.left[node] >= 0)
            while moving.size:
                at = node[moving]
                goes_left = self._goes_left(at, below[at], numbers[moving, self.feature[at]])
                node[moving] = np.where(goes_left, self.left[at], self.right[at])
                moving = moving[self.left[node[moving]] >= 0]
            total += self.value[node].astype(self.sums)
        return self.finish(total)

    def _goes_left(self, at: IntArray, below: Any, x: Any) -> NDArray[np.bool_]:
        astray = np.zeros(len(at), bool) if self.missing_left is None else self.missing_left[at]
        goes_left = np.where(np.isnan(x), astray, x <= below)
        if self.level_set is None or self.left_levels is None:
            return np.asarray(goes_left)
        sets = self.level_set[at]
        known = (x >= 0) & (x < self.left_levels.shape[1])
        level = np.where(known, x, 0).astype(np.intp)
        by_level = np.where(known, self.left_levels[sets, level], astray)
        return np.where(sets >= 0, by_level, goes_left)


def plain_numbers(rows: Any) -> FloatArray:
    """Numbers of a frame or array without text, categories or types of pandas' own, (n, d)."""
    frame = isinstance(rows, pd.DataFrame)
    rows = rows if frame else np.asarray(rows)
    types = list(rows.dtypes) if frame else [rows.dtype]
    for i, dtype in enumerate(types):
        if not isinstance(dtype, np.dtype) or dtype.kind not in "biuf" or dtype.itemsize > 8:
            where = f"column {rows.columns[i]!r} has" if frame else "the array has"
            raise NotWalkableError(f"{where} type {dtype}")
    if any(dtype.kind in "iu" and dtype.itemsize == 8 for dtype in types):
        for i, dtype in enumerate(types):
            if dtype.kind not in "iu":
                continue
            whole = rows.iloc[:, i].to_numpy() if frame else rows
            if whole.size and max(-int(whole.min()), int(whole.max())) > LARGEST_WHOLE:
                raise NotWalkableError("there are whole numbers that doubles cannot hold")
    found: FloatArray = rows.to_numpy(dtype=np.float64) if frame else rows.astype(np.float64)
    return found
