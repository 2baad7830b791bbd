"""Partial dependence at x1 = 0.75 averages over all values of x2, whether they occur there or not.

One hundred points of two features that go together. Every point is moved to the line, and the
predictions are averaged over the marginal distribution of x2 beside it: most of the mass lies where
there are no points. (As in the book, the density drawn is that of x1, which has nearly the same
distribution.) After figure 20.1 of Molnar, Interpretable Machine Learning, 3rd edition (8.5 in the
2nd).
"""

import pandas as pd

from aleplot_py.datasets.simulations import simulate_book_points
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference
from reproductions.figures.kernel_density import kernel_density
from reproductions.figures.molnar3._toy_points import LINE, draw_average_at

IDS = ("molnar3/20.1", "molnar2/8.5")
SEED = 1
SIZE = (4.4, 3.4)
# Value of x2 that the text names.
UNLIKELY = 0.2

REFERENCE = {
    "points": Reference("fig20_1_points.csv", grid={"x1": "x1"}, values={"x2": "x2"}),
    # R bins the values before it sums the kernels.
    "density": Reference("fig20_1_density.csv", tolerance=0.005, of_peak=True),
}


def compute(n=100, sd=0.1, seed=SEED, x1=LINE):
    """Points, the marginal density, and where the line stands."""
    points = simulate_book_points(n, sd=sd, seed=seed)
    density = kernel_density(points["x1"])
    return {"points": points, "density": density, "line": pd.DataFrame({"x1": [x1]})}


def draw(numbers, figure, text):
    """Draw the density beside the line, at a tenth of its height."""
    draw_average_at(figure.subplots(), numbers, text, shrink=10)


def marginal_is_elsewhere(numbers):
    """Find the share of points whose x2 does not occur near the line, and look for the text's."""
    points = numbers["points"]
    near = points["x2"][(points["x1"] - LINE).abs() < 0.1]
    low, high = near.min(), near.max()
    outside = int((~points["x2"].between(low, high)).sum())
    unseen = not low <= UNLIKELY <= high
    return decide(
        unseen and outside, partly=outside, outside=outside, n=len(points), low=low, high=high
    )


CLAIMS = (
    Claim(
        "unlikely",
        "Partial dependence at x1 = 0.75 uses unlikely combinations of the features, such as "
        "x2 = 0.2.",
        "{outside:d} of {n:d} values of x2 lie outside {low:.2f} to {high:.2f}, the range seen for "
        "x1 in 0.75 ± 0.1.",
        marginal_is_elsewhere,
    ),
)
