"""Average effects of 0, and what says how far rows are from them.

100 rows of 0.2 x1 - 5 x2 + 10 x2 [x3 > 0], features uniform on [-1, 1]: x2 (above) has local
effects of -5 and 5, x3 (below) has none but for its jump at 0, which derivatives do not see. Left:
partial dependence with the curves of single rows. Middle and right: mean slope with a band of one
standard deviation, in 20 equal intervals and in automatic ones, both from derivatives. After
figures 1 and 2 of Gkolemis et al. (2023), RHALE: robust and heterogeneity-aware accumulated local
effects.
"""

from typing import Any

import numpy as np
import pandas as pd

from aleplot_py import ale, intervals
from aleplot_py.datasets.simulations import (
    gkolemis_interaction_model,
    simulate_gkolemis_interaction,
)
from reproductions.engine.figure import Claim, decide
from reproductions.figures.gkolemis._slopes import draw_slopes, slopes_of
from reproductions.figures.row_curves import draw_curves, row_curves, split_curves

IDS = ("gkolemis/rhale-1",)
PLACE = "4"
SEED = 0
SIZE = (7.2, 4.2)

FEATURES = ("x2", "x3")
BLUE, ORANGE = "#0b5394", "#d55e00"
# The authors' settings for this figure.
AUTO = intervals.Auto(max_K=20, min_rows=10, alpha=0.5, min_gain=0)


def gradient(X):
    """Derivatives of the model by all three features."""
    slope = np.where(X["x3"] > 0, 5.0, -5.0)
    return np.column_stack([np.full(len(X), 0.2), slope, np.zeros(len(X))])


def compute(rows=100, K=20, seed=SEED):
    """Curves of single rows, and slopes in equal and in automatic intervals."""
    X = simulate_gkolemis_interaction(rows, random_state=seed)
    numbers: dict[str, Any] = {}
    slopes = []
    for name in FEATURES:
        numbers[f"curves_{name}"] = row_curves(gkolemis_interaction_model, X, name, 40)
        for kind, options in (("fixed", {"K": K, "grid": "equidistant"}), ("auto", {"K": AUTO})):
            found = ale(gkolemis_interaction_model, X, name, gradient=gradient, **options)
            slopes.append(slopes_of(found).assign(feature=name, intervals=kind))
    return numbers | {"slopes": pd.concat(slopes, ignore_index=True)}


def draw(numbers, figure, text):
    """Draw one row of panels for each feature."""
    axes = figure.subplots(2, 3, sharex=True)
    for row, name in zip(axes, FEATURES, strict=True):
        draw_curves(row[0], *split_curves(numbers[f"curves_{name}"]), color="black")
        for ax, kind, color in zip(row[1:], ("fixed", "auto"), (BLUE, ORANGE), strict=True):
            slopes = _slopes(numbers, name, kind)
            draw_slopes(ax, slopes, color)
            ax.set(ylim=(-8, 8), title=text(kind, K=len(slopes)))
        row[0].set(title=text("pd"), ylabel=text("prediction"))
        row[1].set_ylabel(text("slope"))
        for ax in row:
            ax.set_xlabel(text(f"label.{name}"))


def _slopes(numbers, feature, kind):
    slopes = numbers["slopes"]
    return slopes[(slopes["feature"] == feature) & (slopes["intervals"] == kind)]


def one_interval(numbers):
    """Look at the automatic intervals of x2."""
    found = _slopes(numbers, "x2", "auto")
    slope, sd = found["slope"].iloc[0], found["sd"].iloc[0]
    return decide(
        len(found) == 1 and abs(slope) < 1 and abs(sd - 5) < 0.1,
        partly=len(found) == 1,
        K=len(found),
        slope=slope,
        sd=sd,
    )


def fixed_are_noisy(numbers):
    """Look at how far slopes in equal intervals of few rows are from 0, and deviations from 5."""
    found = _slopes(numbers, "x2", "fixed")
    rows = found["count"]
    worst, lowest = found["slope"].abs().max(), found["sd"].min()
    return decide(
        worst > 1.5 and lowest < 4,
        partly=worst > 1.5,
        few=int(rows.min()),
        many=int(rows.max()),
        worst=worst,
        lowest=lowest,
    )


def curves_mislead(numbers):
    """Compare the curves of x3 with its derivatives."""
    _, curves = split_curves(numbers["curves_x3"])
    jumps = np.ptp(curves, axis=0)
    found = _slopes(numbers, "x3", "auto")
    flat = max(found["slope"].abs().max(), found["sd"].max())
    return decide(jumps.max() > 5 and flat == 0, partly=flat == 0, mean=jumps.mean(), flat=flat)


CLAIMS = (
    Claim(
        "one",
        "For x2 one interval is optimal, with mean effect 0 and standard deviation 5.",
        "{K:d} interval with slope {slope:.2f} and standard deviation {sd:.2f}.",
        one_interval,
    ),
    Claim(
        "noisy",
        "Intervals of a fixed size that hold few rows estimate effect and heterogeneity poorly.",
        "In 20 intervals of {few:d} to {many:d} rows the slope of x2 is up to {worst:.1f} away "
        "from 0, and the standard deviation goes down to {lowest:.1f}.",
        fixed_are_noisy,
    ),
    Claim(
        "none",
        "x3 has neither effect nor heterogeneity, though its individual curves vary.",
        "Slope and standard deviation {flat:.0f}; curves of single rows reach over {mean:.1f} on "
        "average.",
        curves_mislead,
    ),
)
