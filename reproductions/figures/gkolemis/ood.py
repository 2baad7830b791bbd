"""Wide intervals move rows to where there are no data; derivatives do not.

The model is x1 x2 + x1 x3, but grows by 10 for every unit by which x1 and x2 differ more than 0.5,
which never happens in the data (x2 follows x1 within 0.1). Left: with 5 equal intervals rows are
moved to both ends of their interval, into the shaded regions. Middle: the effect from differences
in 5 and in 50 intervals, and from derivatives in 5; true effect dashed. Right: mean error over 50
data sets of 300 rows by number of intervals. After Gkolemis et al. (2022), DALE: differential
accumulated local effects.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from aleplot_py import ale
from reproductions.engine.figure import Claim, decide

IDS = ("gkolemis/ood",)
PLACE = "2"
SEED = 3
SIZE = (7.6, 2.7)

ROWS = 300
DATA_SETS = 50
ALPHA, TAU = 10.0, 0.5
# How closely x2 follows x1.
SPREAD = 0.1
INTERVALS = (2, 5, 8, 10, 15, 20, 30, 50, 100)
WIDE, NARROW = 5, 50
BLUE, ORANGE, GREEN = "#0b5394", "#d55e00", "#009e73"


def simulate(rng, rows, spread):
    """Draw x1, uniform on [0, 10], x2 that follows it, and x3, which makes the slopes noisy."""
    x1 = rng.uniform(0, 10, rows)
    return pd.DataFrame(
        {"x1": x1, "x2": x1 + rng.normal(0, spread, rows), "x3": rng.normal(0, np.sqrt(10), rows)}
    )


@dataclass(frozen=True)
class Model:
    """x1 x2 + x1 x3, and by `alpha` steeper where x1 and x2 differ by more than `tau`."""

    alpha: float
    tau: float

    def predict(self, X):
        """Predictions."""
        apart = X["x1"] - X["x2"]
        beyond = np.sign(apart) * np.maximum(0, np.abs(apart) - self.tau)
        return (X["x1"] * (X["x2"] + X["x3"]) + self.alpha * beyond).to_numpy()

    def derivative(self, X):
        """Derivative by x1."""
        apart = np.abs(X["x1"] - X["x2"])
        return (X["x2"] + X["x3"] + np.where(apart > self.tau, self.alpha, 0)).to_numpy()


def truth(x):
    """Effect of x1 in the population."""
    return x**2 / 2 - 50 / 3


def compute(rows=ROWS, data_sets=DATA_SETS, spread=SPREAD, alpha=ALPHA, tau=TAU, seed=SEED):
    """Effects in one data set, and errors over many by number of intervals."""
    model = Model(alpha, tau)
    X = simulate(np.random.default_rng(seed), rows, spread)
    rng = np.random.default_rng(seed + 1)
    errors = [
        {"data_set": data_set, "K": K, "method": method, "rmse": _error(effect, sample)}
        for data_set, sample in enumerate(simulate(rng, rows, spread) for _ in range(data_sets))
        for K in INTERVALS
        for method, effect in _effects(model, sample, K).items()
    ]
    wide = _effects(model, X, WIDE)
    return {
        "differences_wide": wide["differences"],
        "differences_narrow": _effects(model, X, NARROW)["differences"],
        "derivatives_wide": wide["derivatives"],
        "rows": X[["x1", "x2"]].iloc[:60],
        "errors": pd.DataFrame(errors),
        "model": pd.DataFrame({"alpha": [alpha], "tau": [tau]}),
    }


def _effects(model, X, K):
    options = {"K": K, "grid": "equidistant"}
    return {
        "differences": ale(model.predict, X, "x1", **options),
        "derivatives": ale(model.predict, X, "x1", gradient={"x1": model.derivative}, **options),
    }


def _error(effect, X):
    x = X["x1"].to_numpy()
    return np.sqrt(np.mean((effect.evaluate(x) - truth(x)) ** 2))


def draw(numbers, figure, text):
    """Draw where rows are moved, the effects, and the errors."""
    left, middle, right = figure.subplots(1, 3)
    _draw_moves(left, numbers, text)
    for name, color, line in (
        ("differences_wide", ORANGE, "-"),
        ("differences_narrow", BLUE, "-"),
        ("derivatives_wide", GREEN, "-."),
    ):
        effect = numbers[name]
        K = effect.K[0]
        label = text(name.split("_")[0] + "_K", K=K)
        marker = {"marker": "o", "markersize": 3} if K == WIDE else {}
        style = {"color": color, "linestyle": line, **marker}
        middle.plot(effect.x_values[0], effect.f_values, label=label, **style)
    x = np.linspace(0, 10, 101)
    middle.plot(x, truth(x), color="black", linestyle="--", linewidth=1, label=text("truth"))
    middle.set(xlabel=text("label.x1"), ylabel=text("ale"))
    middle.legend()
    errors = numbers["errors"].groupby(["method", "K"], observed=True)["rmse"].mean()
    for method, color in (("differences", ORANGE), ("derivatives", GREEN)):
        mean = errors[method]
        style = {"color": color, "linestyle": "-", "marker": "o", "markersize": 3.5}
        right.plot(mean.index, mean, label=text(method), **style)
    right.set(xscale="log", yscale="log", xlabel=text("number"), ylabel=text("error"))
    right.set_xticks((2, 5, 10, 20, 50, 100), ["2", "5", "10", "20", "50", "100"])
    right.set_yticks((3, 10, 30), ["3", "10", "30"])
    right.minorticks_off()
    right.legend()


def _draw_moves(ax, numbers, text):
    """Draw rows with the way they are moved, and the regions without data."""
    rows, z = numbers["rows"], numbers["differences_wide"].x_values[0]
    line, tau = np.array([-1.0, 11.0]), numbers["model"]["tau"][0]
    for side, far in ((1, 12), (-1, -2)):
        ax.fill_between(line, line + side * tau, far, color=ORANGE, alpha=0.12, linewidth=0)
    ax.vlines(z, -0.5, 10.5, color="0.6", linewidth=0.6)
    inside = np.clip(np.searchsorted(z, rows["x1"]), 1, WIDE)
    ax.hlines(rows["x2"], z[inside - 1], z[inside], color=ORANGE, linewidth=0.6)
    ax.scatter(rows["x1"], rows["x2"], s=7, color="0.2", linewidth=0, zorder=3)
    ax.set(xlabel=text("label.x1"), ylabel=text("label.x2"), xlim=(-0.3, 10.3), ylim=(-0.3, 10.3))


def _mean_errors(numbers):
    return numbers["errors"].groupby(["method", "K"], observed=True)["rmse"].mean()


def wide_intervals_are_biased(numbers):
    """Compare the error of differences in wide and narrow intervals, and the slope with theory."""
    errors = _mean_errors(numbers)
    f, z = numbers["differences_wide"].f_values, numbers["differences_wide"].x_values[0]
    excess = (f[-1] - f[0] - truth(z[-1]) + truth(z[0])) / (z[-1] - z[0])
    width = (z[-1] - z[0]) / WIDE
    wide, narrow = errors["differences", WIDE], errors["differences", NARROW]
    return decide(
        wide > 3 * narrow,
        partly=wide > narrow,
        wide=wide,
        narrow=narrow,
        excess=excess,
        theory=ALPHA * (1 - TAU / width) ** 2,
    )


def derivatives_do_not_care(numbers):
    """Compare the errors of derivatives over all numbers of intervals from 5 on."""
    derivatives = _mean_errors(numbers)["derivatives"].loc[WIDE:]
    return decide(
        derivatives.max() < 1.2 * derivatives.min(),
        partly=derivatives.max() < 2 * derivatives.min(),
        low=derivatives.min(),
        high=derivatives.max(),
    )


def narrow_intervals_agree(numbers):
    """Compare differences and derivatives where no interval reaches beyond the data."""
    errors = _mean_errors(numbers)
    narrow = [K for K in INTERVALS if 10 / K < TAU - SPREAD]
    ratio = max(errors["differences", K] / errors["derivatives", K] for K in narrow)
    return decide(ratio < 1.05, partly=ratio < 1.2, ratio=ratio, K=narrow[0])


CLAIMS = (
    Claim(
        "bias",
        "Differences over wide intervals are biased by predictions away from the data.",
        "With 5 intervals the curve rises {excess:.1f} too much per unit ({theory:.1f} in theory); "
        "mean error {wide:.1f} against {narrow:.1f} with 50.",
        wide_intervals_are_biased,
    ),
    Claim(
        "derivatives",
        "With derivatives the width of the intervals hardly matters.",
        "Mean error between {low:.2f} and {high:.2f} for 5 to 100 intervals.",
        derivatives_do_not_care,
    ),
    Claim(
        "agree",
        "Differences over intervals that stay among the data are as good as derivatives.",
        "From {K:d} intervals on their mean error is at most {ratio:.2f} times as large.",
        narrow_intervals_agree,
    ),
)
