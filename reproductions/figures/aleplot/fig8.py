"""Two features that hardly ever differ, over fifty data sets: how far ALE and PD vary.

As figure 7 for seeds 1 to 50, each with 200 rows and a network of its own: fifty ALE curves (left)
and partial dependence curves (right) of both features, with the true effects in black. Partial
dependence averages over predictions away from the data, which differ from network to network; some
curves leave the picture. After figure 8 of the vignette of the R package ALEPlot (Zhu and Apley).
"""

import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection

from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference
from reproductions.figures.aleplot._nearly_equal import FEATURES, METHODS, NETWORKS, effects, truth

IDS = ("aleplot/8",)
MODEL = NETWORKS
SEED = 1
SEEDS = range(1, 51)
SIZE = (5.6, 4.4)
COLORS = {"ale": "#0b5394", "pd": "#d55e00"}

REFERENCE = {
    method: Reference(
        "vignette_fig7_fig8_ale_pd.csv",
        grid={"seed": "seed", "feature": "feature", "x": "x"},
        values={"f": "f"},
        where={"method": method},
    )
    for method in METHODS
}


def compute(model="r", K=50):
    """One table of curves for each method: seed, feature, grid point and effect."""
    curves: dict[str, list[pd.DataFrame]] = {method: [] for method in METHODS}
    for seed in SEEDS:
        for key, effect in effects(model, seed, K).items():
            method, name = key.split("_")
            table = {"seed": seed, "feature": FEATURES[name], "x": effect.x_values[0]}
            curves[method].append(pd.DataFrame({**table, "f": effect.f_values}))
    return {method: pd.concat(tables, ignore_index=True) for method, tables in curves.items()}


def draw(numbers, figure, text):
    """Draw one row for each feature: ALE on the left, partial dependence on the right."""
    axes = figure.subplots(2, 2, sharex="row", sharey="row")
    for row, (name, feature) in zip(axes, FEATURES.items(), strict=True):
        for ax, method in zip(row, METHODS, strict=True):
            table = numbers[method]
            curves = table[table["feature"] == feature].groupby("seed", observed=True)
            lines = [curve[["x", "f"]].to_numpy() for _, curve in curves]
            ax.add_collection(
                LineCollection(lines, colors=COLORS[method], linewidths=0.6, alpha=0.45)
            )
            x = np.linspace(table["x"].min(), table["x"].max(), 101)
            ax.plot(x, truth(name, x), color="black", linestyle="-", linewidth=1.6)
            ax.set_xlabel(text(f"label.{name}"))
        row[0].set(ylabel=text("effect"), xlim=(-0.2, 1.2), ylim=(-1.1, 1.4))
    for ax, method in zip(axes[0], METHODS, strict=True):
        ax.set_title(text(method))
    estimates = {"color": COLORS["ale"], "linestyle": "-", "linewidth": 1}
    axes[0, 0].plot([], [], **estimates, label=text("estimates"))
    axes[0, 0].plot([], [], color="black", linestyle="-", label=text("truth"))
    axes[0, 0].legend(loc="upper left")


def _errors(table):
    """Root mean squared error against the truth by feature and seed, each (50,)."""
    return {
        name: np.array(
            [
                np.sqrt(np.mean((curve["f"] - truth(name, curve["x"])) ** 2))
                for _, curve in table[table["feature"] == feature].groupby("seed", observed=True)
            ]
        )
        for name, feature in FEATURES.items()
    }


def ale_is_far_closer(numbers):
    """Compare median errors, far closer being less than half, and count the nearer seeds."""
    ale, pd_ = _errors(numbers["ale"]), _errors(numbers["pd"])
    share = {name: 100 * np.mean(ale[name] < pd_[name]) for name in FEATURES}
    medians = {
        f"{method}_{name}": np.median(errors[name])
        for method, errors in (("ale", ale), ("pd", pd_))
        for name in FEATURES
    }
    ratios = [medians[f"ale_{name}"] / medians[f"pd_{name}"] for name in FEATURES]
    return decide(max(ratios) < 0.5, partly=max(ratios) < 1, **share, **medians)


CLAIMS = (
    Claim(
        "nearer",
        "Over the data sets too ALE is far closer to the true effects than partial dependence.",
        "Median of the root mean squared errors: x1 {ale_x1:.3f} against {pd_x1:.3f}, x2 "
        "{ale_x2:.3f} against {pd_x2:.3f}. ALE is nearer in {x1:.0f} % of the data sets for x1 and "
        "in {x2:.0f} % for x2.",
        ale_is_far_closer,
    ),
)
