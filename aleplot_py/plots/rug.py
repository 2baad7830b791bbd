"""Ticks below a curve: the values of the feature in the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aleplot_py.plots.look import INK, MANY, Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import EventCollection

RUG_HEIGHT = 0.03  # of the axes


def draw_rug(ax: Axes, observed: Array, which: str) -> EventCollection:
    """One stroke for each distinct observed value, at that value, along the axis."""
    from matplotlib.collections import EventCollection

    values = np.unique(np.asarray(observed, dtype=np.float64))
    horizontal = which == "x"
    rug = EventCollection(
        values,
        orientation="horizontal" if horizontal else "vertical",
        lineoffset=RUG_HEIGHT / 2,
        linelength=RUG_HEIGHT,
        linewidth=0.4,
        color=INK,
        alpha=float(np.clip(150 / len(values), 0.25, 0.8)),
        transform=ax.get_xaxis_transform() if horizontal else ax.get_yaxis_transform(),
        rasterized=len(values) > MANY,
        zorder=2.2,
    )
    ax.add_collection(rug, autolim=False)
    return rug
