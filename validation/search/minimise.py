"""A failing case made small, as long as it still fails.

Fewer rows, smaller K, a simpler black box, fewer columns, rounder numbers.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any

from validation.goldens_reader import StoredCase

Content = dict[str, Any]

#: How often a case is tried at most.
TRIALS = 400

SMALLER_K = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50)


def minimise(
    case: StoredCase, fails: Callable[[StoredCase], bool], *, trials: int = TRIALS
) -> StoredCase:
    """Reduce a case that fails.

    Parameters
    ----------
    case : StoredCase
        A case for which `fails` is true.
    fails : callable
        Whether a case still shows the fault.
    trials : int
        Largest number of calls of `fails`.

    Returns
    -------
    StoredCase
        A case that still fails; unless the trials ran out, none of the steps makes it smaller.

    Raises
    ------
    ValueError
        If the case does not fail to begin with.
    """
    if not fails(case):
        raise ValueError(f"case must fail before it is minimised: {case.id} does not")
    smallest, left = case.content, trials
    changed = True
    while changed:
        changed = False
        for steps in (_fewer_rows, _smaller_k, _simpler_black_box, _fewer_columns, _rounder):
            found = True
            while found:
                found = False
                for candidate in steps(smallest):
                    if left == 0:
                        return _named(smallest, case)
                    left -= 1
                    if fails(StoredCase(candidate)):
                        smallest, changed, found = candidate, True, True
                        break
    return _named(smallest, case)


def terms(black_box: str) -> list[str]:
    """Split an expression at its outermost additions.

    Parameters
    ----------
    black_box : str
        Expression.

    Returns
    -------
    list of str
        Its terms.
    """

    def split(node: ast.expr) -> Iterator[ast.expr]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            yield from split(node.left)
            yield from split(node.right)
        else:
            yield node

    return [ast.unparse(node) for node in split(ast.parse(black_box, mode="eval").body)]


def _named(content: Content, case: StoredCase) -> StoredCase:
    """Forget R's result for the case that was given, and say which that was."""
    if content is case.content:
        return case
    kept = {key: value for key, value in content.items() if key not in ("r", "r_error", "findings")}
    return StoredCase({**kept, "id": f"{case.id}-minimised", "minimised_from": case.id})


def _with(content: Content, **changes: Any) -> Content:
    return {**copy.deepcopy(content), **changes}


def _fewer_rows(content: Content) -> Iterator[Content]:
    """Leave out halves, quarters, ... and single rows."""
    n = content["n"]
    size = n // 2
    while size >= 1:
        for start in range(0, n, size):
            kept = [i for i in range(n) if not start <= i < start + size]
            if kept:
                yield _with(content, n=len(kept), data=_rows(content["data"], kept))
        size //= 2


def _rows(data: dict[str, Content], kept: list[int]) -> dict[str, Content]:
    return {
        name: {
            key: [value[i] for i in kept] if key in ("values", "codes") else value
            for key, value in column.items()
        }
        for name, column in data.items()
    }


def _smaller_k(content: Content) -> Iterator[Content]:
    name = "K" if "K" in content else "grid_size"
    for K in SMALLER_K:
        if content[name] > K:
            yield _with(content, **{name: K})


def _simpler_black_box(content: Content) -> Iterator[Content]:
    """Leave out one term."""
    parts = terms(content["black_box"])
    if len(parts) > 1:
        for i in range(len(parts)):
            yield _with(content, black_box=" + ".join(parts[:i] + parts[i + 1 :]))


def _fewer_columns(content: Content) -> Iterator[Content]:
    """Leave out a column that is neither explained nor in the black box."""
    explained = content.get("columns") or content["feature"]
    tree = ast.parse(content["black_box"], mode="eval")
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for name in content["data"]:
        if name not in used and name not in explained:
            data = {other: column for other, column in content["data"].items() if other != name}
            smaller = _with(content, data=data)
            if "J" in smaller:
                smaller["J"] = [list(data).index(column) + 1 for column in explained]
            yield smaller


def _rounder(content: Content) -> Iterator[Content]:
    """Round the numbers of a column."""
    for name, column in content["data"].items():
        if column["kind"] != "numeric":
            continue
        for digits in (0, 1, 2):
            rounded = [round(value, digits) for value in column["values"]]
            if rounded == column["values"]:
                break
            yield _with(content, data={**content["data"], name: {**column, "values": rounded}})
