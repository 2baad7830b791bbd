"""How accumulated local effects of x1 are computed.

The range of x1 is cut into intervals N1(1) to N1(5). For each point of an interval, shown for the
fourth, the prediction at the lower end is subtracted from that at the upper end; these differences
are averaged in the interval and the averages accumulated. After figure 20.3 of Molnar,
Interpretable Machine Learning, 3rd edition (8.7 in the 2nd).
"""

import numpy as np
import pandas as pd

from aleplot_py.datasets.simulations import simulate_book_points
from aleplot_py.steps.grid import bin_codes
from reproductions.engine.reference import Reference
from reproductions.figures.molnar3._toy_points import POINT, RED, draw_points

IDS = ("molnar3/20.3", "molnar2/8.7")
SEED = 12
SIZE = (5.2, 3.6)

REFERENCE = {"points": Reference("fig20_3_points.csv", grid={"x1": "x1"}, values={"x2": "x2"})}


def compute(n=25, sd=0.1, seed=SEED, K=5):
    """Points with their interval, counted from 1, and the intervals' edges z."""
    points = simulate_book_points(n, sd=sd, seed=seed)
    z = np.linspace(0, 1, K + 1)
    points = points.assign(interval=bin_codes(points["x1"], z) + 1)
    return {"points": points, "edges": pd.DataFrame({"k": range(K + 1), "z": z})}


def draw(numbers, figure, text):
    """Draw points, the intervals and the differences in the fourth, or the last of fewer."""
    axes = figure.subplots()
    points, edges = numbers["points"], numbers["edges"]["z"].to_numpy()
    draw_points(axes, points, text)
    axes.vlines(edges, 0, 1, transform=axes.get_xaxis_transform(), color="0.6", linewidth=0.8)
    k = min(4, len(edges) - 1)
    fourth = points[points["interval"] == k]
    axes.hlines(fourth["x2"], edges[k - 1], edges[k], color=RED, linewidth=1.2)
    for edge in (edges[k - 1], edges[k]):
        axes.plot(np.full(len(fourth), edge), fourth["x2"], "o", markersize=3, color=RED)
    axes.scatter(fourth["x1"], fourth["x2"], **{**POINT, "zorder": 3})
    for k, middle in enumerate((edges[:-1] + edges[1:]) / 2, start=1):
        axes.text(
            middle,
            1.02,
            text("interval", k=str(k)),
            ha="center",
            transform=_above(axes),
            fontsize=8,
        )
    axes.set_xticks(edges, [text("edge", k=str(k)) for k in numbers["edges"]["k"]])
    axes.set_xlim(-0.02, 1.02)


def _above(axes):
    return axes.get_xaxis_transform()
