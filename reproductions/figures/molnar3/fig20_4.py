"""Two features that go together, and a model that is odd where they never go.

The model predicts x1 + x2, but 2 where x1 is above 0.7 and x2 below 0.3 (bright corner). The 25
points it could have been fitted to keep to the diagonal, so that no loss ever sees the corner.
After figure 20.4 of Molnar, Interpretable Machine Learning, 3rd edition (8.9 in the 2nd).
"""

import numpy as np
import pandas as pd

from aleplot_py.datasets.simulations import book_extrapolation_model, simulate_book_points
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference

IDS = ("molnar3/20.4", "molnar2/8.9")
SEED = 1
SIZE = (4.6, 3.6)

REFERENCE = {
    "points": Reference(
        "fig20_4_points.csv", grid={"x1": "x1"}, values={"x1": "x1", "x2": "x2", "y": "y"}
    )
}


def compute(n=25, sd=0.1, seed=SEED, x1_above=0.7, x2_below=0.3):
    """Points, and predictions on a grid of 20 x 20."""
    points = simulate_book_points(n, sd=sd, seed=seed)
    ticks = np.linspace(0, 1, 20)
    x1, x2 = (axis.ravel() for axis in np.meshgrid(ticks, ticks, indexing="ij"))
    background = pd.DataFrame({"x1": x1, "x2": x2})
    background["prediction"] = book_extrapolation_model(
        background, x1_above=x1_above, x2_below=x2_below
    )
    return {"points": points.assign(y=points["x1"] + points["x2"]), "background": background}


def draw(numbers, figure, text):
    """Draw the predictions as coloured cells and the points over them."""
    axes = figure.subplots()
    points, background = numbers["points"], numbers["background"]
    ticks = background["x2"].unique()
    predictions = background["prediction"].to_numpy().reshape(len(ticks), len(ticks))
    cells = axes.pcolormesh(ticks, ticks, predictions.T, cmap="viridis", rasterized=True)
    axes.scatter(points["x1"], points["x2"], s=16, color="black", edgecolor="white", linewidth=0.5)
    axes.set(xlabel=text("label.x1"), ylabel=text("label.x2"), aspect="equal")
    figure.colorbar(cells, ax=axes, label=text("prediction"))


def corner_is_empty(numbers):
    """Count the points in the corner."""
    points = numbers["points"]
    inside = int(((points["x1"] > 0.7) & (points["x2"] < 0.3)).sum())
    return decide(inside == 0, inside=inside, n=len(points))


CLAIMS = (
    Claim(
        "empty corner",
        "No data point lies in the region where the model departs from x1 + x2.",
        "{inside:d} of {n:d} points lie there.",
        corner_is_empty,
    ),
)
