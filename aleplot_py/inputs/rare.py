"""Rare levels of a categorical feature that are collapsed into one."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.errors import LOG, FeatureError, listing
from aleplot_py.inputs.ordering import can_be_level, is_ordered, order_of_time
from aleplot_py.steps.axis import RARE, Collapsed
from aleplot_py.steps.grid import IntArray


def check_collapse(collapse: Any, name: Hashable) -> None:
    """Refuse what is neither a share of the rows nor a list of levels."""
    if collapse is None or isinstance(collapse, Collapsed):
        return
    if isinstance(collapse, (int, float, np.number)) and not isinstance(collapse, bool):
        if not 0 < collapse < 1:
            raise ValueError(
                f"collapse of column {name!r} must lie between 0 and 1 (0.05 for 5 % of the rows), "
                f"got {collapse!r}"
            )
    elif isinstance(collapse, (str, bytes)) or not pd.api.types.is_list_like(collapse):
        raise TypeError(
            f"collapse of column {name!r} must be a share of the rows or a list of its levels, "
            f"got {collapse!r}"
        )


def in_own_order(column: pd.Series, levels: list[Any], order: Any) -> bool:
    """Whether levels stand in an order of their own, declared or of time."""
    if not (order is None or (isinstance(order, str) and order == "declared")):
        return False
    return is_ordered(column) or (order is None and order_of_time(levels) is not None)


def rare_levels(
    column: pd.Series,
    name: Hashable,
    levels: list[Any],
    codes: IntArray,
    order: Any,
    collapse: Any,
    *,
    named: bool,
) -> IntArray:
    """Numbers of the levels that are to share a point, from the lowest on; none without two.

    Parameters
    ----------
    column, name, levels, codes
        The feature, its used levels, and the number of each row's (n,).
    order : object
        The caller's order.
    collapse : None, share, list of levels or Collapsed
        Below which share of the rows a level is rare; the caller's own; or those of the same
        feature in other rows, of which some may lack here.
    named : bool
        Whether `collapse` was given for this feature, not for all.
    """
    none: IntArray = np.empty(0, dtype=np.intp)
    if collapse is None:
        return none
    if isinstance(collapse, Collapsed):
        again = set(collapse.levels)
        return np.array([i for i, level in enumerate(levels) if level in again], dtype=np.intp)
    if in_own_order(column, levels, order):
        if not named:
            return none
        raise FeatureError(
            f"collapse names column {name!r}, whose levels have an order of their own: levels that "
            "are no neighbours would stand together. Pass order= as well, or join neighbours in "
            "the data"
        )
    if isinstance(collapse, (int, float, np.number)):
        share = np.bincount(codes, minlength=len(levels)) / len(codes)
        rare = np.flatnonzero(share < float(collapse))
    else:
        asked = list(collapse)
        unknown = [level for level in asked if not can_be_level(level) or level not in levels]
        if unknown:
            raise FeatureError(
                f"collapse of column {name!r} names {unknown[0]!r}, which is not a level of its "
                f"rows: they have {listing(levels)}"
            )
        rare = np.array(sorted({levels.index(level) for level in asked}), dtype=np.intp)
    if len(rare) < 2:
        return none
    if RARE in levels:
        raise FeatureError(
            f"column {name!r} has a level {RARE!r}, the name of the level that stands for the "
            "collapsed ones: rename it"
        )
    LOG.info("levels of column %r collapsed: %s", name, listing(levels[i] for i in rare))
    return rare
