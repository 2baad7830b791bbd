"""An M-plot at x1 = 0.75 averages only over points that are near.

The same hundred points as in figure 20.1; the density beside the line is the conditional one, of
the points with x1 in 0.75 ± 0.1. What is averaged occurs, but the effect of x2 is mixed in. After
figure 20.2 of Molnar, Interpretable Machine Learning, 3rd edition (8.6 in the 2nd).
"""

import pandas as pd

from aleplot_py.datasets.simulations import simulate_book_points
from reproductions.engine.reference import Reference
from reproductions.figures.kernel_density import kernel_density
from reproductions.figures.molnar3._toy_points import LINE, draw_average_at

IDS = ("molnar3/20.2", "molnar2/8.6")
SEED = 1
SIZE = (4.4, 3.4)

REFERENCE = {
    "points": Reference("fig20_1_points.csv", grid={"x1": "x1"}, values={"x2": "x2"}),
    # R bins the values before it sums the kernels.
    "density": Reference("fig20_2_density.csv", tolerance=0.005, of_peak=True),
}


def compute(n=100, sd=0.1, seed=SEED, x1=LINE, width=0.1):
    """Points, the density near the line, and where that stands."""
    points = simulate_book_points(n, sd=sd, seed=seed)
    near = points["x1"][(points["x1"] - x1).abs() < width]
    if near.nunique() < 2:
        raise ValueError(f"fewer than two points have an x1 within {width} of {x1}")
    density = kernel_density(near)
    return {"points": points, "density": density, "line": pd.DataFrame({"x1": [x1]})}


def draw(numbers, figure, text):
    """Draw the density beside the line, at a twentieth of its height."""
    draw_average_at(figure.subplots(), numbers, text, shrink=20)
