"""Few intervals are biased, many are noisy, automatic ones follow the function.

60 rows, five sixths of them with x1 below 0; x3 is nearly x1, x2 is independent with standard
deviation 2, and the model is sin(2 pi x1) (1 for x1 < 0, minus 2 for x3 < 0) + x1 x2 + x2. Along
the data the effect of x1 is a sine below 0 and nothing above, with slopes of single rows 2 around
it. Partial dependence with curves of single rows, then the accumulated effect and under it the mean
slope with a band of one standard deviation, in 5, 50 and automatic intervals, from derivatives;
true effect dashed. After figures 3 and 4 of Gkolemis et al. (2023), RHALE: robust and
heterogeneity-aware accumulated local effects.
"""

from typing import Any

import numpy as np
import pandas as pd

from aleplot_py import ale, intervals
from reproductions.engine.figure import Claim, decide
from reproductions.figures.gkolemis._slopes import draw_slopes, slopes_of
from reproductions.figures.row_curves import draw_curves, row_curves, split_curves

IDS = ("gkolemis/rhale-3",)
PLACE = "5"
SEED = 1
SIZE = (7.6, 3.9)

BLUE, ORANGE = "#0b5394", "#d55e00"
# The authors' settings for this figure.
AUTO = intervals.Auto(max_K=50, min_rows=5, alpha=0.1, min_gain=0)
SHOWN = (5, 50, "auto")


def simulate(rng, rows):
    """Draw rows, one in six of them with x1 above 0."""
    above = rows // 6
    x1 = np.append(rng.uniform(-0.5, 0, rows - above), rng.uniform(0, 0.5, above))
    # At the ends of both ranges, so that all data sets have the same intervals.
    x1[[0, -1]] = -0.5, 0.5
    return pd.DataFrame(
        {"x1": x1, "x2": rng.normal(0, 2, rows), "x3": x1 + rng.normal(0, 0.01, rows)}
    )


def model(X):
    """Predict the sine below 0, twice the opposite where x3 is, and x2 with its interaction."""
    share = (X["x1"] < 0) - 2.0 * (X["x3"] < 0)
    return (np.sin(2 * np.pi * X["x1"]) * share + X["x1"] * X["x2"] + X["x2"]).to_numpy()


def derivative(X):
    """Derivative of the model by x1."""
    share = (X["x1"] < 0) - 2.0 * (X["x3"] < 0)
    return (2 * np.pi * np.cos(2 * np.pi * X["x1"]) * share + X["x2"]).to_numpy()


def truth(x):
    """Effect of x1 along the data, 0 above 0."""
    return np.where(x < 0, -np.sin(2 * np.pi * x), 0.0)


def compute(rows=60, data_sets=30, seed=SEED):
    """Curves, effects and slopes in one data set, and errors over many."""
    X = simulate(np.random.default_rng(seed), rows)
    numbers: dict[str, Any] = {"curves": row_curves(model, X, "x1", 40)}
    slopes = []
    for K in SHOWN:
        found = numbers[f"ale_{K}"] = _effect(X, K)
        slopes.append(slopes_of(found).assign(intervals=str(K)))
    rng = np.random.default_rng(seed + 1)
    errors = []
    for data_set in range(data_sets):
        sample = simulate(rng, rows)
        x = np.linspace(-0.5, 0.5, 201)
        for K in SHOWN:
            found = _effect(sample, K)
            # Of the shape: an effect is known but for a constant.
            rmse = np.std(found.evaluate(x) - truth(x))
            errors.append((data_set, str(K), found.K[0], rmse))
    return numbers | {
        "slopes": pd.concat(slopes, ignore_index=True),
        "errors": pd.DataFrame(errors, columns=["data_set", "intervals", "K", "rmse"]),
    }


def _effect(X, K):
    options: dict[str, Any] = {"K": AUTO} if K == "auto" else {"K": K, "grid": "equidistant"}
    return ale(model, X, "x1", gradient={"x1": derivative}, **options)


def draw(numbers, figure, text):
    """Draw partial dependence on the left, effects and slopes beside it."""
    left, right = figure.subfigures(1, 2, width_ratios=(1, 2.6))
    ax = left.subplots()
    draw_curves(ax, *split_curves(numbers["curves"]), color="black")
    ax.set(title=text("pd"), xlabel=text("label.x1"), ylabel=text("prediction"))
    axes = right.subplots(2, 3, sharex=True, sharey="row")
    fine = np.linspace(-0.5, 0.5, 201)
    for above, below, K in zip(*axes, SHOWN, strict=True):
        color, effect = ORANGE if K == "auto" else BLUE, numbers[f"ale_{K}"]
        true = truth(fine) - truth(fine).mean()
        above.plot(fine, true, color="black", linestyle="--", linewidth=1, label=text("truth"))
        # Centred along the axis, as the paper does; the data lie on one side.
        f = effect.f_values - effect.evaluate(fine).mean()
        above.plot(effect.x_values[0], f, color=color, linestyle="-")
        above.set_title(text("automatic" if K == "auto" else "fixed", K=effect.K[0]))
        slopes = numbers["slopes"]
        draw_slopes(below, slopes[slopes["intervals"] == str(K)], color)
        below.set(xlabel=text("label.x1"), ylim=(-14, 14))
    axes[0, 0].set_ylabel(text("ale"))
    axes[1, 0].set_ylabel(text("slope"))
    axes[0, 0].legend(loc="upper right")


def automatic_is_nearest(numbers):
    """Compare the mean errors over the data sets."""
    mean = numbers["errors"].groupby("intervals", observed=True)["rmse"].mean()
    few, many, auto = mean["5"], mean["50"], mean["auto"]
    return decide(
        auto < min(few, many), partly=auto < max(few, many), few=few, many=many, auto=auto
    )


def partial_dependence_misleads(numbers):
    """Compare the swing of partial dependence above 0, where the effect is constant, with ALE's."""
    x, curves = split_curves(numbers["curves"])
    average = curves.mean(axis=1)
    swing = np.ptp(average[x >= 0])
    slope = numbers["slopes"].query("intervals == 'auto' and low >= -0.02")["slope"].abs().max()
    return decide(swing > 1, swing=swing, below=np.ptp(average[x <= 0]), slope=slope)


def split_at_zero(numbers):
    """Count the automatic intervals below and above 0 over the data sets, and in this one."""
    slopes = numbers["slopes"].query("intervals == 'auto'")
    above = int((slopes["low"] > -0.02).sum())
    K = numbers["errors"].query("intervals == 'auto'")["K"]
    return decide(
        above == 1 and len(slopes) - above == 6,
        partly=above == 1,
        above=above,
        below=len(slopes) - above,
        low=int(K.min()),
        high=int(K.max()),
    )


CLAIMS = (
    Claim(
        "nearest",
        "Five intervals are biased, fifty are noisy, and the automatic ones are nearer to the true "
        "effect than either.",
        "Mean error over 30 data sets: {few:.3f} with 5, {many:.3f} with 50 and {auto:.3f} with "
        "automatic intervals.",
        automatic_is_nearest,
    ),
    Claim(
        "pd",
        "Partial dependence misleads about x1 because x3 follows it.",
        "Above 0, where x1 has no effect, it covers {swing:.1f}, below 0 {below:.1f}; automatic "
        "intervals have slope {slope:.1f} there.",
        partial_dependence_misleads,
    ),
    Claim(
        "split",
        "The automatic intervals are six below 0 and one above.",
        "{below:d} below and {above:d} above; {low:d} to {high:d} in all over 30 data sets.",
        split_at_zero,
    ),
)
