"""Where perturbation puts points that the model never saw.

One hundred points of two features of which one follows the other (black), and the points at which a
model is asked when each feature takes its values whatever the other is (red): twelve values of each
at equal distances, sampled from the data, or at quantiles. After figure 4 of Molnar et al., General
Pitfalls of Model-Agnostic Interpretation Methods for Machine Learning Models (2022).
"""

import numpy as np
import pandas as pd
from scipy.spatial import KDTree

from aleplot_py.r.random import set_seed
from aleplot_py.steps.grid import quantile_type1
from reproductions.engine.figure import Claim, decide

IDS = ("pitfalls/4",)
SEED = 12345678
SIZE = (7.4, 2.7)

RED = "#d55e00"


def compute(n=100, K=11, seed=SEED):
    """Observed points, and those of three grids of K + 1 values of each feature."""
    rng = set_seed(seed)
    x1 = rng.rexp(n)
    x2 = x1 + rng.rnorm(n, float(x1.mean()), 0.5 * float(x1.std(ddof=1)))
    levels = np.arange(K + 1) / K
    grids = {
        "equidistant": [np.linspace(x.min(), x.max(), K + 1) for x in (x1, x2)],
        "sampled": [rng.sample(x, K + 1) for x in (x1, x2)],
        "quantile": [quantile_type1(x, levels) for x in (x1, x2)],
    }
    crossed = [
        pd.DataFrame({"grid": name, "x1": np.repeat(first, K + 1), "x2": np.tile(second, K + 1)})
        for name, (first, second) in grids.items()
    ]
    return {
        "points": pd.DataFrame({"x1": x1, "x2": x2}),
        "artificial": pd.concat(crossed, ignore_index=True),
    }


def draw(numbers, figure, text):
    """Draw one panel for each grid."""
    axes = figure.subplots(1, 3, sharex=True, sharey=True)
    points = numbers["points"]
    for ax, (name, asked) in zip(
        axes, numbers["artificial"].groupby("grid", sort=False, observed=True), strict=True
    ):
        ax.scatter(points["x1"], points["x2"], s=9, color="0.25", linewidth=0)
        ax.scatter(asked["x1"], asked["x2"], s=13, marker="x", color=RED, linewidth=0.7, alpha=0.7)
        ax.set(title=text(name), xlabel=text("label.x1"))
    axes[0].set_ylabel(text("label.x2"))


def points_without_data(numbers):
    """Count artificial points farther from the data than 19 of 20 observed ones from the others."""
    points, artificial = numbers["points"], numbers["artificial"]
    scale = points.std()
    tree = KDTree(points / scale)
    usual = np.quantile(tree.query(points / scale, k=2)[0][:, 1], 0.95)
    far = tree.query(artificial[["x1", "x2"]] / scale)[0] > usual
    share = 100 * pd.Series(far).groupby(artificial["grid"], observed=True).mean()
    return decide(
        (share > 10).all(),
        partly=(share > 10).any(),
        equidistant=share["equidistant"],
        sampled=share["sampled"],
        quantile=share["quantile"],
    )


CLAIMS = (
    Claim(
        "artificial",
        "Where features depend on each other, perturbation asks the model at artificial points "
        "where it has seen few or no data, whichever of the three grids is used.",
        "Farther from the data than 95 % of the observed points from their neighbours lie "
        "{equidistant:.0f} % of the points at equal distances, {sampled:.0f} % of those sampled "
        "and {quantile:.0f} % of those at quantiles.",
        points_without_data,
    ),
)
