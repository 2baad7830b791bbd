"""How curved the accumulated local effect is depends on the correlation, not on the model's shape.

Quadratic coefficient of the ALE of x1 in the model 200 + x1 - 0.5 x2 + x1 x2, for correlations from
-0.95 to 0.95: the line is half the interaction's coefficient times the correlation, its value in
the population. Dots and bars are mean and standard deviation over 100 data sets of 100 rows (K =
20), each with a model fitted to responses with noise. The curvature vanishes where the features are
uncorrelated, as that of partial dependence does everywhere. After Grömping (2020), Model-agnostic
effects plots for interpreting machine learning models.
"""

import numpy as np
import pandas as pd

from reproductions.engine.figure import Claim, decide
from reproductions.figures.groemping._interaction import (
    curvature_in_theory,
    curvature_of_a_draw,
    standard_error,
)

IDS = ("groemping/correlation",)
PLACE = "2"
SEED = 2
SIZE = (4.6, 3.3)

CORRELATIONS = (-0.95, -0.9, -0.8, -0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95)
DRAWS = 100


def compute(n=100, K=20, draws=DRAWS, seed=SEED):
    """Fitted coefficients for each correlation, summarised."""
    rng = np.random.default_rng(seed)
    rows = []
    for rho in CORRELATIONS:
        fitted = np.array([curvature_of_a_draw(n, K, rho, rng)[0] for _ in range(draws)])
        rows.append(
            {
                "rho": rho,
                "theory": curvature_in_theory(rho),
                "mean": fitted.mean(),
                "sd": fitted.std(ddof=1),
                "standard_error": standard_error(fitted),
            }
        )
    return {"coefficients": pd.DataFrame(rows)}


def draw(numbers, figure, text):
    """Draw the theory's line and the estimates over the correlation."""
    axes = figure.subplots()
    table = numbers["coefficients"]
    axes.axhline(0, color="0.65", linewidth=0.6, linestyle="-", zorder=0.5)
    axes.plot(table["rho"], table["theory"], color="black", linestyle="--", label=text("theory"))
    axes.errorbar(
        table["rho"],
        table["mean"],
        table["sd"],
        fmt="o",
        color="#0b5394",
        elinewidth=0.8,
        capsize=2,
        linestyle="none",
        label=text("estimates"),
    )
    axes.set(xlabel=text("correlation"), ylabel=text("coefficient"))
    axes.legend(loc="upper left")


def sign_of_the_correlation(numbers):
    """Compare the signs of the mean coefficient and of the correlation."""
    table = numbers["coefficients"]
    table = table[table["rho"] != 0]
    same = np.sign(table["mean"]) == np.sign(table["rho"])
    return decide(same.all(), partly=same.any(), same=int(same.sum()), n=len(table))


def half_the_correlation(numbers):
    """Fit a line through the means, weighted by their precision."""
    table = numbers["coefficients"]
    weight = 1 / table["standard_error"] ** 2
    slope = (weight * table["rho"] * table["mean"]).sum() / (weight * table["rho"] ** 2).sum()
    worst = (table["mean"] - table["theory"]).abs().max()
    return decide(
        abs(slope - 0.5) < 0.025 and worst < 0.05, partly=worst < 0.1, slope=slope, worst=worst
    )


def none_without_correlation(numbers):
    """Look at the uncorrelated case."""
    table = numbers["coefficients"]
    row = table[table["rho"] == 0].iloc[0]
    distance = abs(row["mean"]) / row["standard_error"]
    return decide(distance < 3, mean=row["mean"], error=row["standard_error"])


CLAIMS = (
    Claim(
        "sign",
        "The curvature has the sign of the correlation times the interaction.",
        "The mean coefficient has the sign of the correlation for {same:d} of {n:d} correlations "
        "other than 0.",
        sign_of_the_correlation,
    ),
    Claim(
        "half",
        "The quadratic coefficient is half the interaction times the correlation.",
        "Slope {slope:.3f} against the correlation (0.5 in the population); means are within "
        "{worst:.3f} of theory, and a little nearer to 0 as the intervals blunt the parabola.",
        half_the_correlation,
    ),
    Claim(
        "zero",
        "Without correlation ALE is as straight as partial dependence.",
        "Mean coefficient {mean:.3f}, standard error {error:.3f}.",
        none_without_correlation,
    ),
)
