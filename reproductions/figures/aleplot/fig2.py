"""The notation of first-order accumulated local effects.

The range of x1 is cut at quantiles into K = 5 intervals N1(k) = (z(k-1,1), z(k,1)] that hold n1(k)
of the 30 points, about six each. In an interval, here the fourth, every point is moved to both ends
of the interval, its x2 kept, and the prediction at the left end is subtracted from that at the
right. The effect is the sum, over the intervals up to x1, of the averages of these differences.
After figure 2 of the vignette of the R package ALEPlot (Zhu and Apley).
"""

import numpy as np

from reproductions.engine.figure import Claim, decide
from reproductions.figures.aleplot import _notation
from reproductions.figures.aleplot._notation import POINT, RED, TINT, K, points_and_edges

IDS = ("aleplot/2",)
SEED = _notation.SEED
SIZE = (6.4, 3.9)

CHOSEN = 4


def compute(n=30, seed=SEED):
    """Points with their interval, counted from 1, and the edges."""
    points, edges = points_and_edges(n, seed)
    return {"points": points[["x1", "x2", "k1"]], "edges": edges[["k", "x1"]]}


def draw(numbers, figure, text):
    """Draw points, intervals, and the two places to which each point of the fourth is moved."""
    axes = figure.subplots()
    points, z = numbers["points"], numbers["edges"]["x1"].to_numpy()
    left, right = z[CHOSEN - 1], z[CHOSEN]
    axes.axvspan(left, right, color=TINT, zorder=0)
    axes.vlines(z, 0, 1, transform=axes.get_xaxis_transform(), color="0.55", linewidth=0.8)
    inside = points[points["k1"] == CHOSEN].sort_values("x2")
    axes.hlines(inside["x2"], left, right, color=RED, linewidth=1.1)
    ends = {"color": RED, "linestyle": "none", "markersize": 6, "zorder": 2.5}
    axes.plot(np.full(len(inside), left), inside["x2"], "o", markerfacecolor="white", **ends)
    axes.plot(np.full(len(inside), right), inside["x2"], "o", **ends)
    axes.scatter(points["x1"], points["x2"], **POINT)
    _annotate(axes, inside, left, right, text)
    counts = np.bincount(points["k1"], minlength=K + 1)[1:]
    for k, (middle, n) in enumerate(zip((z[:-1] + z[1:]) / 2, counts, strict=True), start=1):
        for height, name in ((1.075, "interval"), (1.015, "count")):
            axes.text(
                middle,
                height,
                text(name, k=str(k), n=str(n)),
                ha="center",
                transform=axes.get_xaxis_transform(),
                fontsize=8.5 if name == "interval" else 7.5,
                color=RED if k == CHOSEN else "0.15",
            )
    axes.set_xticks(z, [text("edge", k=str(k)) for k in range(K + 1)], fontsize=9)
    axes.set(xlim=(z[0] - 0.02, z[-1] + 0.02), xlabel=text("label.x1"), ylabel=text("label.x2"))


def _annotate(axes, inside, left, right, text):
    """Name a point, and the difference taken for it."""
    lowest = inside.iloc[0]
    arrow = {"arrowstyle": "-", "linewidth": 0.7, "shrinkB": 2}
    axes.annotate(
        text("point"),
        (lowest["x1"], lowest["x2"]),
        xytext=(24, -20),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=9,
        arrowprops={**arrow, "color": "0.4"},
    )
    axes.annotate(
        text("difference"),
        (0.8 * left + 0.2 * right, lowest["x2"]),
        xytext=(left - 0.02, 0.07),
        textcoords=("data", "axes fraction"),
        ha="right",
        va="center",
        color=RED,
        fontsize=9,
        arrowprops={**arrow, "color": RED},
        bbox={"boxstyle": "square,pad=0.2", "facecolor": "white", "edgecolor": "none"},
    )


def equally_many(numbers):
    """Count the points of each interval."""
    counts = np.bincount(numbers["points"]["k1"], minlength=K + 1)[1:]
    return decide(
        np.ptp(counts) == 0, partly=np.ptp(counts) <= 2, counts=", ".join(str(n) for n in counts)
    )


CLAIMS = (
    Claim(
        "counts",
        "Edges at quantiles ensure that every interval holds the same number of points.",
        "n1(1) to n1(5) are {counts}. (As in R, 3/5 of 30 comes out just above 18, so the third "
        "interval takes one point from the fourth.)",
        equally_many,
    ),
)
