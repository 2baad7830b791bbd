"""The notation of second-order accumulated local effects.

The ranges of x1 and of x2 are cut at quantiles into K = 5 intervals each, which makes 25 cells. For
each point of a cell, here cell (4, 3) in bold, both features are moved to the four corners: the
difference along x1 at the lower edge is subtracted from that at the upper edge, with the signs
shown. These second-order differences are averaged in the cell and the averages are summed over the
cells to the lower left; then the main effects are removed. After figure 4 of the vignette of the R
package ALEPlot (Zhu and Apley).
"""

import numpy as np
from matplotlib.patches import Rectangle

from reproductions.engine.figure import Claim, decide
from reproductions.figures.aleplot import _notation
from reproductions.figures.aleplot._notation import POINT, RED, TINT, K, points_and_edges

IDS = ("aleplot/4",)
SEED = _notation.SEED
SIZE = (5.4, 4.7)

CELL = (4, 3)


def compute(n=30, seed=SEED):
    """Points with their cell, counted from 1, and the edges of the cells."""
    points, edges = points_and_edges(n, seed)
    return {"points": points, "edges": edges}


def draw(numbers, figure, text):
    """Draw points and cells, with the corners of one cell and their signs."""
    axes = figure.subplots()
    points, edges = numbers["points"], numbers["edges"]
    x, y = edges["x1"].to_numpy(), edges["x2"].to_numpy()
    k, m = CELL
    size = (x[k] - x[k - 1], y[m] - y[m - 1])
    axes.vlines(x, y[0], y[-1], color="0.65", linewidth=0.8, zorder=1)
    axes.hlines(y, x[0], x[-1], color="0.65", linewidth=0.8, zorder=1)
    axes.add_patch(Rectangle((x[k - 1], y[m - 1]), *size, color=TINT, linewidth=0, zorder=0.9))
    axes.add_patch(Rectangle((x[k - 1], y[m - 1]), *size, fill=False, linewidth=2, zorder=2))
    inside = (points["k1"] == k) & (points["k2"] == m)
    axes.scatter(points["x1"][~inside], points["x2"][~inside], **POINT)
    axes.scatter(points["x1"][inside], points["x2"][inside], **{**POINT, "s": 34, "color": RED})
    signs = ((k, m, "$+$"), (k - 1, m, "$-$"), (k, m - 1, "$-$"), (k - 1, m - 1, "$+$"))
    for i, j, sign in signs:
        axes.annotate(
            sign,
            (x[i], y[j]),
            ha="center",
            va="center_baseline",
            fontsize=9,
            color="white",
            bbox={"boxstyle": "circle,pad=0.12", "facecolor": RED, "edgecolor": "none"},
            zorder=4,
        )
    axes.annotate(
        text("cell", n=str(inside.sum())),
        (x[k] - 0.3 * size[0], y[m - 1] + 0.35 * size[1]),
        xytext=(0.995 * x[-1], y[0] + 0.06),
        ha="right",
        va="center",
        fontsize=9,
        color=RED,
        arrowprops={"arrowstyle": "-", "linewidth": 0.7, "color": RED},
        bbox={"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none"},
        zorder=3.5,
    )
    _name_intervals(axes, x, y, text)
    axes.set_title(text("difference"), fontsize=8.5, color=RED, pad=20)


def _name_intervals(axes, x, y, text):
    """Name the edges at the axes, and the intervals opposite."""
    for i in range(K):
        above, beside = (text("interval", j=j, k=str(i + 1)) for j in "12")
        axes.text((x[i] + x[i + 1]) / 2, y[-1] + 0.02, above, ha="center")
        axes.text(x[-1] + 0.015, (y[i] + y[i + 1]) / 2, beside, va="center")
    axes.set_xticks(x, [text("edge", j="1", k=str(k)) for k in range(K + 1)], fontsize=9)
    axes.set_yticks(y, [text("edge", j="2", k=str(k)) for k in range(K + 1)], fontsize=9)
    axes.set(xlim=(x[0] - 0.02, x[-1] + 0.02), ylim=(y[0] - 0.02, y[-1] + 0.02))
    axes.set(xlabel=text("label.x1"), ylabel=text("label.x2"))
    axes.spines[:].set_visible(False)


def cells_remain_empty(numbers):
    """Count the cells without a point."""
    points = numbers["points"]
    counts = np.zeros((K, K), dtype=int)
    np.add.at(counts, (points["k1"] - 1, points["k2"] - 1), 1)
    empty, fewest = int((counts == 0).sum()), int(counts.sum(axis=1).min())
    return decide(empty > 0 and fewest > 0, empty=empty, cells=K * K, fewest=fewest)


CLAIMS = (
    Claim(
        "empty",
        "Many cells are empty because of the correlation; the estimate of the nearest cell with "
        "points can take their place.",
        "{empty:d} of {cells:d} cells hold no point; every interval of x1 holds at least "
        "{fewest:d}.",
        cells_remain_empty,
    ),
)
