"""Two features that hardly ever differ: ALE finds their effects, partial dependence does not.

A neural network fitted to 200 rows of y = x1 + x2^2 + noise, x1 and x2 within about 0.05 of each
other. ALE (left) and partial dependence (right) of both features, 50 intervals or points, with the
true effects in black. After figure 7 of the vignette of the R package ALEPlot (Zhu and Apley).
"""

import numpy as np

from aleplot_py.plots.display import AleDisplay
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference
from reproductions.figures.aleplot._nearly_equal import FEATURES, METHODS, NETWORKS, effects, truth

IDS = ("aleplot/7",)
MODEL = NETWORKS
SEED = 1
SIZE = (5.6, 4.4)

REFERENCE = {
    f"{method}_{name}": Reference(
        "vignette_fig7_fig8_ale_pd.csv",
        grid={name: "x"},
        values={method: "f"},
        where={"seed": SEED, "feature": number, "method": method},
    )
    for method in METHODS
    for name, number in FEATURES.items()
}


def compute(model="r", seed=SEED, K=50):
    """ALE and partial dependence of the network fitted to the first data set, as ALEPlot does."""
    return effects(model, seed, K)


def draw(numbers, figure, text):
    """Draw one row for each feature: ALE on the left, partial dependence on the right."""
    axes = figure.subplots(2, 2, sharex="row", sharey="row")
    for row, name in zip(axes, FEATURES, strict=True):
        for ax, method in zip(row, METHODS, strict=True):
            effect = numbers[f"{method}_{name}"]
            AleDisplay(effect).plot(
                ax=ax,
                xlabel=text(f"label.{name}"),
                ylabel=text("effect"),
                visuals={"line": {"label": text("estimate")}},
            )
            x = effect.x_values[0]
            ax.plot(x, truth(name, x), color="black", linestyle="--", label=text("truth"))
        row[1].set_ylabel("")
    axes[0, 0].set_title(text("ale"))
    axes[0, 1].set_title(text("pd"))
    axes[0, 0].legend()


def ale_is_nearer_the_truth(numbers):
    """Compare root mean squared errors over the grid points; much closer is less than half."""
    errors = {key: _error(numbers[key], key.split("_")[1]) for key in numbers}
    ratios = [errors[f"ale_{name}"] / errors[f"pd_{name}"] for name in FEATURES]
    return decide(max(ratios) < 0.5, partly=max(ratios) < 1, **errors)


def _error(effect, name):
    return np.sqrt(np.mean((effect.f_values - truth(name, effect.x_values[0])) ** 2))


CLAIMS = (
    Claim(
        "nearer",
        "ALE is much closer to the true effects than partial dependence.",
        "Root mean squared error for x1: ALE {ale_x1:.3f}, PD {pd_x1:.3f}; for x2: ALE "
        "{ale_x2:.3f}, PD {pd_x2:.3f}.",
        ale_is_nearer_the_truth,
    ),
)
