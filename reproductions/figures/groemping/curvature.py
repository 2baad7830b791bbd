"""A model that is linear in x1, and an accumulated local effect that is a parabola.

The model 200 + x1 - 0.5 x2 + x1 x2 has an interaction and its features a correlation of -0.9. Left
and middle: partial dependence, ALE and M-plot of x1 in one data set of 100 rows (K = 20), each with
its curve in the population: a line, a parabola, and a parabola of twice the curvature. Right: the
quadratic coefficient that least squares find in the grid points of 300 ALE curves, each of a linear
model with interaction fitted to 100 rows with noise (standard deviation 2). After Grömping (2020),
Model-agnostic effects plots for interpreting machine learning models.
"""

import numpy as np
import pandas as pd

from aleplot_py import ale, m_plot, partial_dependence
from aleplot_py.datasets.simulations import groemping_model, simulate_groemping
from reproductions.engine.figure import Claim, decide
from reproductions.figures.groemping._interaction import (
    GROEMPING,
    curvature_in_theory,
    curvature_of_a_draw,
    standard_error,
)

IDS = ("groemping/curvature",)
PLACE = "1"
SEED = 1
SIZE = (7.4, 2.9)

# Mean over the grid points for 100 rows and 20 intervals, the outer of which blunt the parabola.
SMALL_SAMPLE = -0.441
# Rows, intervals, data sets.
SMALL, LARGE = (100, 20, 300), (20_000, 200, 60)
SETTINGS = (SMALL, LARGE)
COLORS = {"pd": "#009e73", "ale": "#0b5394", "m": "#d55e00"}


def compute(n=100, K=20, seed=SEED):
    """Three effects in one data set, and fitted coefficients of many."""
    X = simulate_groemping(n, random_state=seed)
    numbers = {
        "ale": ale(groemping_model, X, "x1", K=K),
        "pd": partial_dependence(groemping_model, X, "x1", K=K, centre="pdplot"),
        "m": m_plot(groemping_model, X, "x1", K=K, centre="pdplot"),
    }
    rng = np.random.default_rng(seed)
    coefficients = [
        {"n": size, "K": intervals, "draw": draw, "over_points": points, "over_rows": rows}
        for size, intervals, draws in SETTINGS
        for draw in range(draws)
        for points, rows in [curvature_of_a_draw(size, intervals, GROEMPING.rho, rng)]
    ]
    return numbers | {"coefficients": pd.DataFrame(coefficients)}


def draw(numbers, figure, text):
    """Draw the three effects with theory, and the distribution of fitted coefficients."""
    left, middle, right = figure.subplots(1, 3, width_ratios=(1.1, 1.1, 1))
    for ax, names in ((left, ("pd", "ale")), (middle, ("m",))):
        for name in names:
            x, f = numbers[name].x_values[0], numbers[name].f_values
            style = {"color": COLORS[name], "linestyle": "-", "marker": "o", "markersize": 2.5}
            ax.plot(x, f, label=text(name), **style)
            x = np.linspace(x[0], x[-1], 101)
            population = getattr(GROEMPING, name)(1, x)
            ax.plot(x, population, color="black", linestyle="--", linewidth=1, zorder=3)
        ax.plot([], [], color="black", linestyle="--", linewidth=1, label=text("theory"))
        ax.axhline(0, color="0.65", linewidth=0.6, linestyle="-", zorder=0.5)
        ax.legend()
        ax.set_xlabel(text("label.x1"))
    left.set_ylabel(text("effect"))
    _draw_coefficients(right, _coefficients(numbers, SMALL, "over_points"), text)


def _draw_coefficients(ax, coefficients, text):
    """Draw a histogram with lines at its mean, at theory's value, and at the model's curvature."""
    ax.hist(coefficients, bins=25, color=COLORS["ale"], alpha=0.35)
    top = ax.get_ylim()[1]
    mean, theory = coefficients.mean(), curvature_in_theory(GROEMPING.rho)
    ax.vlines(mean, 0, top, color=COLORS["ale"], linestyle="-", label=text("mean", mean=mean))
    ax.vlines(theory, 0, top, color="black", linestyle="--", label=text("value", value=theory))
    ax.vlines(0, 0, top, color=COLORS["pd"], linestyle="-", label=text("zero"))
    ax.set(xlabel=text("coefficient"), ylabel=text("count"), ylim=(0, 1.4 * top))
    ax.legend(loc="upper left")


def _coefficients(numbers, setting, over):
    table = numbers["coefficients"]
    return table[over][table["n"] == setting[0]].to_numpy()


def parabola(numbers):
    """Tell the curvature of ALE from 0, the curvature of the model and of partial dependence."""
    coefficients = _coefficients(numbers, SMALL, "over_points")
    share = np.mean(coefficients < 0)
    x = numbers["pd"].x_values[0]
    bend = np.polyfit(x, numbers["pd"].f_values, 2)[0]
    return decide(
        share > 0.99 and abs(bend) < 1e-9, partly=share > 0.9, share=100 * share, bend=abs(bend)
    )


def takes_in_a_part(numbers):
    """Compare mean coefficients with half the interaction times the correlation."""
    small = _coefficients(numbers, SMALL, "over_points")
    # Over the grid points, the outermost of which lie far from their rows, it is nearer to 0.
    large = _coefficients(numbers, LARGE, "over_rows")
    theory = curvature_in_theory(GROEMPING.rho)
    distances = [
        abs(found.mean() - expected) / standard_error(found)
        for found, expected in ((small, SMALL_SAMPLE), (large, theory))
    ]
    return decide(
        max(distances) < 3,
        partly=max(distances) < 6,
        theory=theory,
        large=large.mean(),
        large_error=standard_error(large),
        small=small.mean(),
        small_error=standard_error(small),
        expected=SMALL_SAMPLE,
        distance=distances[0],
    )


CLAIMS = (
    Claim(
        "parabola",
        "First-order ALE does not show a straight line; it is slightly curved.",
        "The fitted coefficient is negative in {share:.1f} % of 300 data sets; that of partial "
        "dependence is 0 but for {bend:.0e}.",
        parabola,
    ),
    Claim(
        "part",
        "ALE is curved because it takes in a part of the interaction.",
        "Half the interaction times the correlation is {theory:.2f}. The fitted coefficient is "
        "{large:.4f} in large data sets (standard error {large_error:.4f}) and {small:.3f} with "
        "100 rows and 20 intervals (standard error {small_error:.4f}), {distance:.1f} standard "
        "errors from the {expected:.3f} of this sample size.",
        takes_in_a_part,
    ),
)
