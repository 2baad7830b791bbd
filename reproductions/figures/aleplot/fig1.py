"""What partial dependence and an M-plot average over at x1 = 0.3.

Two hundred points of two features that lie close to the line x2 = x1. Partial dependence (left)
averages predictions over the marginal density of x2, most of which lies where no row has an x1 near
0.3. An M-plot (right) averages over the conditional density, which lies among the data but moves
with x1, so that the effect of x2 is mixed in. Both densities are exact and drawn on one scale.
After figure 1 of the vignette of the R package ALEPlot (Zhu and Apley).
"""

import numpy as np
import pandas as pd
from scipy.stats import norm

from aleplot_py.datasets.simulations import simulate_vignette_example4
from aleplot_py.datasets.truth import UniformPlusNoise
from reproductions.engine.figure import Claim, decide

IDS = ("aleplot/1",)
SEED = 1
SIZE = (6.2, 3.1)

X1 = 0.3
NOISE = 0.05
# Width of the picture of a density of 1, in units of x1.
SCALE = 0.11
COLORS = {"marginal": "#d55e00", "conditional": "#0b5394"}


def compute(n=200, seed=SEED, x1=X1):
    """Points, where the line stands, and the density of x2 over all rows and there."""
    if not 0 <= x1 <= 1:
        raise ValueError(f"x1 must be in 0 to 1, where points are, got {x1}")
    points = simulate_vignette_example4(n, seed=seed)[["x1", "x2"]]
    x2 = np.linspace(-0.2, 1.2, 281)
    density = pd.DataFrame(
        {"x2": x2, "marginal": _marginal(x2), "conditional": _conditional(x2, x1)}
    )
    return {"points": points, "density": density, "line": pd.DataFrame({"x1": [x1]})}


def _marginal(x):
    """Density of U + N(0, NOISE^2) for U ~ U(0, 1), that of either feature."""
    return UniformPlusNoise(b0=0, b1=0, b2=0, b3=0, s=NOISE).density(x)


def _conditional(x2, x1):
    """Density of x2 given x1: both are U plus noise, so U lies near the middle of the two."""
    middle, spread = (x1 + x2) / 2, NOISE / np.sqrt(2)
    within = norm.cdf((1 - middle) / spread) - norm.cdf(-middle / spread)
    return norm.pdf(x2, x1, np.sqrt(2) * NOISE) * within / _marginal(x1)


def draw(numbers, figure, text):
    """Draw the points twice, with the line and one density beside it."""
    points, density = numbers["points"], numbers["density"]
    x1 = numbers["line"]["x1"][0]
    axes = figure.subplots(1, 2, sharex=True, sharey=True)
    for ax, name in zip(axes, COLORS, strict=True):
        color = COLORS[name]
        ax.scatter(points["x1"], points["x2"], s=9, color="0.45", linewidth=0)
        ax.axvline(x1, color=color, linestyle="-", linewidth=1.2)
        edge = x1 + SCALE * density[name]
        ax.plot(edge, density["x2"], color=color, linestyle="-", linewidth=1.2)
        ax.fill_betweenx(density["x2"], x1, edge, color=color, alpha=0.2, linewidth=0)
        ax.set(xlabel=text("label.x1"), title=text(name), xlim=(-0.15, 1.15), ylim=(-0.2, 1.2))
    axes[0].text(x1 + 0.14, 1.02, text("marginal.density"), color=COLORS["marginal"], va="bottom")
    # Without braces a comma in a formula has a space behind it.
    value = text.number(x1).replace(",", "{,}")
    name = text("conditional.density", x1=value)
    axes[1].text(0.62, 0.1, name, color=COLORS["conditional"], va="top")
    axes[0].set_ylabel(text("label.x2"))


def partial_dependence_leaves_the_data(numbers):
    """Count the values of x2 that hardly ever go along with x1 = 0.3."""
    x2 = numbers["points"]["x2"].to_numpy()
    low, high = _central(numbers["density"], 0.999)
    outside = int(((x2 < low) | (x2 > high)).sum())
    return decide(outside > len(x2) / 2, outside=outside, n=len(x2), low=low, high=high)


def conditional_follows_x1(numbers):
    """Compare where the conditional density lies with x1 and with the spread of x2."""
    density = numbers["density"]
    (mean, sd), (_, overall) = (
        _moments(density["x2"], density[name]) for name in ("conditional", "marginal")
    )
    return decide(
        abs(mean - X1) < 0.01 and sd < overall / 3,
        partly=sd < overall,
        mean=mean,
        sd=sd,
        overall=overall,
    )


def _central(density, share):
    """Ends of the middle `share` of the conditional distribution."""
    mass = np.cumsum(density["conditional"]) / density["conditional"].sum()
    return np.interp([(1 - share) / 2, (1 + share) / 2], mass, density["x2"])


def _moments(x, weight):
    mean = np.average(x, weights=weight)
    return mean, np.sqrt(np.average((x - mean) ** 2, weights=weight))


CLAIMS = (
    Claim(
        "extrapolates",
        "Partial dependence at x1 = 0.3 requires severe extrapolation beyond the training data.",
        "{outside:d} of {n:d} values of x2 lie outside {low:.2f} to {high:.2f}, where x2 lies in "
        "99.9 % of the cases with x1 = 0.3.",
        partial_dependence_leaves_the_data,
    ),
    Claim(
        "mixes",
        "An M-plot averages over values of x2 near x1 only, so that the effect of x2 gets into it.",
        "Given x1 = 0.3, x2 has mean {mean:.2f} and standard deviation {sd:.2f}; over all rows the "
        "standard deviation is {overall:.2f}.",
        conditional_follows_x1,
    ),
)
