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


def curved_if_correlated(numbers):
    """Compare the mean coefficients with 0 without correlation, with half of it otherwise."""
    table = numbers["coefficients"]
    weight = 1 / table["standard_error"] ** 2
    slope = (weight * table["rho"] * table["mean"]).sum() / (weight * table["rho"] ** 2).sum()
    worst = (table["mean"] - table["theory"]).abs().max()
    none = table[table["rho"] == 0].iloc[0]
    some = table[table["rho"] != 0]
    same = np.sign(some["mean"]) == np.sign(some["rho"])
    straight = abs(none["mean"]) < 3 * none["standard_error"]
    return decide(
        straight and same.all() and abs(slope - 0.5) < 0.025 and worst < 0.05,
        partly=straight and same.all(),
        same=int(same.sum()),
        n=len(some),
        slope=slope,
        worst=worst,
        mean=none["mean"],
        error=none["standard_error"],
    )


CLAIMS = (
    Claim(
        "correlated",
        "ALE may differ from the coefficients of a linear model when the features interact and are "
        "correlated.",
        "The mean quadratic coefficient has the sign of the correlation for {same:d} of {n:d} "
        "correlations other than 0, with slope {slope:.3f} against it (0.5 in the population, from "
        "which means differ by at most {worst:.3f}, as the intervals blunt the parabola). Without "
        "correlation it is {mean:.3f} (standard error {error:.3f}).",
        curved_if_correlated,
    ),
)
