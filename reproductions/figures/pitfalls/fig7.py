"""An average effect of 0 hides effects that cancel.

A random forest fitted to 1,000 rows of y = 3 x1 - 6 x2 + 12 x2 [x3 > 0] + noise, all features
uniform on [-1, 1]. Individual curves of 200 rows (grey), their mean, partial dependence (blue), and
ALE (orange) for x1 and x2; derivatives of the curves of x2 with their mean, and the partial
dependence of x2 and x3 together. The data are those of R's seed; the forest is one of scikit-learn
with 100 trees, R's had 500. After figure 7 of Molnar et al., General Pitfalls of Model-Agnostic
Interpretation Methods for Machine Learning Models (2022).
"""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

from aleplot_py import ale, partial_dependence
from aleplot_py.plots.display import AleDisplay
from aleplot_py.r.random import set_seed
from reproductions.engine.figure import Claim, decide
from reproductions.figures.row_curves import draw_curves, row_curves, split_curves

IDS = ("pitfalls/7",)
SEED = 1234
SIZE = (7.0, 5.4)

BLUE, ORANGE = "#0b5394", "#d55e00"


def compute(n=1000, rows=200, trees=100, K=20, seed=SEED):
    """Individual curves and effects of x1 and x2, and the pair of x2 and x3."""
    rng = set_seed(seed)
    X = pd.DataFrame({name: rng.runif(n, -1, 1) for name in ("x1", "x2", "x3")})
    y = 3 * X["x1"] - 6 * X["x2"] + 12 * X["x2"] * (X["x3"] > 0) + rng.rnorm(n, 0, 0.3)
    # randomForest's defaults: a third of the columns at each split, no split of 5 rows or fewer.
    forest = RandomForestRegressor(trees, max_features=1 / 3, min_samples_split=6, random_state=0)
    predict = forest.fit(X, y).predict
    shown = X.iloc[:rows]
    numbers: dict[str, Any] = {}
    for name in ("x1", "x2"):
        numbers[f"curves_{name}"] = row_curves(predict, shown, name, K)
        numbers[f"ale_{name}"] = ale(predict, X, name, K=K)
    return numbers | {"pair": partial_dependence(predict, shown, ("x2", "x3"), K=K)}


def draw(numbers, figure, text):
    """Draw the curves of x1 and x2, derivatives of those of x2, and the pair."""
    axes = figure.subplots(2, 2)
    for ax, name in zip(axes[0], ("x1", "x2"), strict=True):
        x, curves = split_curves(numbers[f"curves_{name}"])
        draw_curves(ax, x, curves, color=BLUE, label=text("pd"))
        # ALE is known but for a constant; it is drawn at the height of partial dependence.
        effect = numbers[f"ale_{name}"]
        z, f = effect.x_values[0], effect.f_values + curves.mean()
        ax.plot(z, f, color=ORANGE, linestyle="--", label=text("ale"))
        ax.set(xlabel=text(f"label.{name}"), ylabel=text("prediction"))
    axes[0, 0].legend(loc="upper left")
    x, curves = split_curves(numbers["curves_x2"])
    slopes, middle = np.diff(curves, axis=0) / np.diff(x)[:, None], (x[1:] + x[:-1]) / 2
    draw_curves(axes[1, 0], middle, slopes, color=BLUE)
    axes[1, 0].set(xlabel=text("label.x2"), ylabel=text("derivative"), ylim=(-20, 20))
    AleDisplay(numbers["pair"]).plot(
        ax=axes[1, 1],
        labels={name: text(f"label.{name}") for name in ("x2", "x3")},
        value_label=text("pd"),
        units="",
    )


def _slopes(numbers, name):
    """Slope of each row's curve from end to end, and of their mean."""
    x, curves = split_curves(numbers[f"curves_{name}"])
    each = (curves[-1] - curves[0]) / (x[-1] - x[0])
    return each, each.mean()


def average_hides(numbers):
    """Compare the slope of partial dependence of x2 with those of single rows."""
    each, mean = _slopes(numbers, "x2")
    effect = numbers["ale_x2"]
    rise = (effect.f_values[-1] - effect.f_values[0]) / np.ptp(effect.x_values[0])
    typical = np.abs(each).mean()
    return decide(
        abs(mean) < typical / 5, partly=abs(mean) < typical, mean=mean, ale=rise, typical=typical
    )


def average_tells(numbers):
    """Compare the spread of the slopes of x1 with that of x2."""
    each, mean = _slopes(numbers, "x1")
    other, _ = _slopes(numbers, "x2")
    return decide(
        each.std() < mean / 3 and (each > 0).all(),
        partly=each.std() < other.std(),
        mean=mean,
        sd=each.std(),
        other=other.std(),
    )


CLAIMS = (
    Claim(
        "hides",
        "The partial dependence of x2 suggests that it has no effect; its effects on single rows, "
        "which depend on x3, cancel.",
        "Partial dependence has slope {mean:.2f} and ALE {ale:.2f}, single rows have slopes of "
        "{typical:.1f} in absolute value on average.",
        average_hides,
    ),
    Claim(
        "tells",
        "x1 does not interact, and its average curve represents those of single rows.",
        "Slope {mean:.2f} on average, standard deviation over rows {sd:.2f}; {other:.2f} for x2.",
        average_tells,
    ),
)
