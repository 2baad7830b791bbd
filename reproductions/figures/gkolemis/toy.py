"""Of three methods only ALE gives the effect that was put in.

The model is 1 - x1 - x2 where that is positive and 0 elsewhere; x1 is uniform on [0, 1] and
x2 = x1, so that along the data it falls with slope 1 for each feature until 1/2 and is flat from
there. Partial dependence, the M-plot and ALE of x1 from 1,000 rows, with their values in the
population (dashed). After Gkolemis et al. (2022), DALE: differential accumulated local effects,
section 3.
"""

import numpy as np
import pandas as pd

from aleplot_py import ale, m_plot, partial_dependence
from reproductions.engine.figure import Claim, decide

IDS = ("gkolemis/toy",)
PLACE = "0"
SEED = 4
SIZE = (7.0, 2.6)

COLORS = {"pd": "#d55e00", "m": "#009e73", "ale": "#0b5394"}


def model(X):
    """Predict what is left of 1."""
    return np.maximum(0, 1 - X["x1"] - X["x2"]).to_numpy()


# In the population; ALE has mean 0.
TRUTH = {
    "pd": lambda x: (1 - x) ** 2 / 2,
    "m": lambda x: np.maximum(0, 1 - 2 * x),
    "ale": lambda x: np.maximum(0.375 - x, -0.125),
}


def compute(rows=1000, K=40, seed=SEED):
    """Three effects of x1."""
    x = np.random.default_rng(seed).uniform(size=rows)
    X = pd.DataFrame({"x1": x, "x2": x})
    return {
        "pd": partial_dependence(model, X, "x1", K=K),
        "m": m_plot(model, X, "x1", K=K),
        "ale": ale(model, X, "x1", K=K),
    }


def draw(numbers, figure, text):
    """Draw one panel for each method."""
    axes = figure.subplots(1, 3, sharex=True)
    fine = np.linspace(0, 1, 201)
    for ax, (name, color) in zip(axes, COLORS.items(), strict=True):
        effect = numbers[name]
        ax.plot(effect.x_values[0], effect.f_values, color=color, linestyle="-")
        true = {"color": "black", "linestyle": "--", "linewidth": 1, "label": text("theory")}
        ax.plot(fine, TRUTH[name](fine), **true)
        ax.set(title=text(name), xlabel=text("label.x1"))
    axes[0].set_ylabel(text("effect"))
    axes[0].legend()


def _rise(effect, low, high):
    """Slope of an effect between two values."""
    first, last = effect.evaluate([low, high])
    return (last - first) / (high - low)


def ale_is_right(numbers):
    """Compare the slopes of ALE below and above 1/2 with -1 and 0."""
    effect = numbers["ale"]
    below, above = _rise(effect, 0.05, 0.45), _rise(effect, 0.55, 0.95)
    x = effect.x_values[0]
    worst = np.abs(effect.f_values - TRUTH["ale"](x)).max()
    return decide(
        abs(below + 1) < 0.05 and abs(above) < 0.05,
        partly=abs(below + 1) < 0.05,
        below=below,
        above=above,
        worst=worst,
    )


def others_are_not(numbers):
    """Compare the slopes of the other two with those of the model along the data."""
    found = {
        f"{name}_{part}": _rise(numbers[name], *ends)
        for name in ("pd", "m")
        for part, ends in (("below", (0.05, 0.45)), ("above", (0.55, 0.95)))
    }
    wrong = [
        abs(found[f"{name}_below"] + 1) > 0.1 or abs(found[f"{name}_above"]) > 0.1
        for name in ("pd", "m")
    ]
    return decide(all(wrong), partly=any(wrong), **found)


CLAIMS = (
    Claim(
        "ale",
        "ALE finds the effect: it falls with slope 1 where the model does and is constant "
        "elsewhere.",
        "Slope {below:.2f} below 1/2 and {above:.2f} above; at most {worst:.3f} from the "
        "population.",
        ale_is_right,
    ),
    Claim(
        "others",
        "Partial dependence and the M-plot do not find it.",
        "Slopes below and above 1/2: partial dependence {pd_below:.2f} and {pd_above:.2f}, M-plot "
        "{m_below:.2f} and {m_above:.2f}.",
        others_are_not,
    ),
)
