"""What the vignette's drawings of the notation share: the thirty points and their intervals."""

import pandas as pd

from aleplot_py.r.random import set_seed
from aleplot_py.steps.grid import bin_codes, quantile_grid

SEED = 4706
K = 5

POINT = {"s": 17, "color": "0.25", "linewidth": 0, "zorder": 3}
RED = "#d55e00"
TINT = "#fdf0e6"


def points_and_edges(n, seed):
    """Draw points with their intervals, counted from 1, and the edges at ALEPlot's quantiles."""
    rng = set_seed(seed)
    x1 = rng.runif(n)
    points = pd.DataFrame({"x1": x1, "x2": 0.2 + 0.6 * x1 + rng.rnorm(n, 0, 0.18)})
    edges = pd.DataFrame({"k": range(K + 1)})
    for name, interval in (("x1", "k1"), ("x2", "k2")):
        edges[name] = quantile_grid(points[name], K)
        points[interval] = bin_codes(points[name], edges[name]) + 1
    return points, edges
