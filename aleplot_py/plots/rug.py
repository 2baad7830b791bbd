"""Ticks below a curve: the values of the feature in the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from aleplot_py.plots.look import INK, MANY, Array, Look
from aleplot_py.steps.grid import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import EventCollection

RUG_HEIGHT = 0.03  # of the axes
# Strokes of a strip: no more of them would be told apart on a page's width.
STRIP = 500


def draw_rug(ax: Axes, observed: Array, which: str, look: Look) -> EventCollection:
    """One stroke for each distinct observed value, at that value, along the axis.

    Of more than `MANY` values, a strip of at most `STRIP` strokes, the darker the more rows.
    """
    from matplotlib.collections import EventCollection

    values = np.unique(np.asarray(observed, dtype=np.float64))
    drawn: dict[str, Any] = {"color": INK, "alpha": float(np.clip(150 / len(values), 0.25, 0.8))}
    if len(values) > MANY:
        values, shares = density_strip(np.asarray(observed, dtype=np.float64))
        drawn = {"color": [(*(float(INK),) * 3, alpha) for alpha in 0.08 + 0.42 * np.sqrt(shares)]}
    horizontal = which == "x"
    options = look.options(
        "rug",
        orientation="horizontal" if horizontal else "vertical",
        lineoffset=RUG_HEIGHT / 2,
        linelength=RUG_HEIGHT,
        linewidth=0.4,
        transform=ax.get_xaxis_transform() if horizontal else ax.get_yaxis_transform(),
        zorder=2.2,
        **drawn,
    )
    rug = EventCollection(values, **options)
    ax.add_collection(rug, autolim=False)
    return rug


def density_strip(observed: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Smallest value in each of `STRIP` equal parts of the range that has one, and its rows.

    Parameters
    ----------
    observed : ndarray of shape (n,)

    Returns
    -------
    values : ndarray of shape (at most STRIP,)
    shares : ndarray of the same shape
        Rows of the part as a share of those of the fullest part.
    """
    ordered = np.sort(observed)
    edges = np.linspace(ordered[0], ordered[-1], STRIP + 1)[:-1]
    first = np.searchsorted(ordered, edges, side="left")
    rows = np.diff(first, append=len(ordered))
    return ordered[first[rows > 0]], rows[rows > 0] / rows.max()
