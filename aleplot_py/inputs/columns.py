"""Columns by name or position, and the message for an unknown one."""

from __future__ import annotations

from collections.abc import Hashable
from difflib import get_close_matches
from typing import Any

import numpy as np

from aleplot_py.errors import FeatureError
from aleplot_py.inputs.frames import Table

# Names that the message about an unknown one shows.
SHOWN = 3


def column_name(feature: Any, table: Table) -> Hashable:
    """Name of a column given by name or, where no column has that name, by 0-based position."""
    names = table.names
    try:
        found = table.places.get(feature, ())
    except TypeError:  # an array, a list
        found = ()
    if len(found) > 1:
        raise FeatureError(
            f"column {feature!r} occurs {len(found)} times in X: names must be unique"
        )
    if found:
        name = names[found[0]]
        if isinstance(name, (bool, np.bool_)) == isinstance(feature, (bool, np.bool_)):
            return name
    if isinstance(feature, (int, np.integer)) and not isinstance(feature, (bool, np.bool_)):
        if 0 <= feature < len(names):
            return column_name(names[int(feature)], table)
        raise FeatureError(
            f"feature {feature!r} is not a column: X has {len(names)} columns, counted from 0"
        )
    shown = repr(feature)
    if "\n" in shown:  # a table
        raise FeatureError(
            f"a feature is the name of a column of X, got a {type(feature).__name__}"
        )
    raise FeatureError(f"feature {shown} is not a column of X: {_nearest(feature, names)}")


def _nearest(feature: Any, names: list[Hashable]) -> str:
    """The names most like an unknown one, or the first where none is like it, and their number."""
    whole = f"{len(names)} column" + ("s" if len(names) > 1 else "")
    texts = {str(name).lower(): name for name in reversed(names)}
    near = get_close_matches(str(feature).lower(), list(texts), n=SHOWN)
    if near:
        return f"nearest of its {whole}: {', '.join(repr(texts[text]) for text in near)}"
    shown = ", ".join(repr(name) for name in names[:SHOWN])
    return f"it has {whole}, {shown}" + (", ..." if len(names) > SHOWN else "")
