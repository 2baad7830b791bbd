"""How second-order accumulated local effects of two features are computed.

The range of both features is cut into five intervals each. In a cell, here the fourth in both
directions, the second-order difference (d - c) - (b - a) of the predictions at the corners is taken
for each point and averaged; then the averages are accumulated over the cells. After the unnumbered
figure beside 20.3 of Molnar, Interpretable Machine Learning, 3rd edition (8.8 in the 2nd).
"""

import numpy as np
import pandas as pd

from aleplot_py.datasets.simulations import simulate_book_points
from aleplot_py.steps.grid import bin_codes, equidistant_grid
from reproductions.engine.reference import Reference
from reproductions.figures.molnar3._toy_points import RED, draw_points

IDS = ("molnar3/2d-computation", "molnar2/8.8")
PLACE = "20.3-2d"
SEED = 12
SIZE = (4.6, 4.0)

REFERENCE = {"points": Reference("fig20_3_points.csv", grid={"x1": "x1"}, values={"x2": "x2"})}


def compute(n=25, sd=0.1, seed=SEED, K=5):
    """Points with their cell, counted from 1, and the cells' edges."""
    points = simulate_book_points(n, sd=sd, seed=seed)
    edges = pd.DataFrame({"k": range(K + 1)})
    for name, axis in (("x1", "k1"), ("x2", "k2")):
        edges[name] = equidistant_grid(points[name].min(), points[name].max(), K + 1)
        points[axis] = bin_codes(points[name], edges[name]) + 1
    return {"points": points, "edges": edges}


def draw(numbers, figure, text):
    """Draw points, the grid, and one cell in bold with its corners."""
    axes = figure.subplots()
    points, edges = numbers["points"], numbers["edges"]
    x, y = edges["x1"].to_numpy(), edges["x2"].to_numpy()
    draw_points(axes, points, text)
    axes.vlines(x, y[0], y[-1], color="0.6", linewidth=0.8)
    axes.hlines(y, x[0], x[-1], color="0.6", linewidth=0.8)
    k = min(4, len(x) - 1)
    inside = points[(points["k1"] == k) & (points["k2"] == k)]
    axes.scatter(inside["x1"], inside["x2"], s=42, color=RED, linewidth=0, zorder=3)
    around = np.array([(k - 1, k - 1), (k, k - 1), (k, k), (k - 1, k), (k - 1, k - 1)])
    axes.plot(
        x[around[:, 0]], y[around[:, 1]], color="black", linestyle="-", linewidth=2, zorder=2.5
    )
    for corner, right, up in (("a", -1, -1), ("b", 1, -1), ("c", -1, 1), ("d", 1, 1)):
        axes.annotate(
            text(f"corner.{corner}"),
            (x[k - (right < 0)], y[k - (up < 0)]),
            xytext=(6 * right, 6 * up),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=9,
        )
