"""LOFO and permutation importance answer different questions where features are correlated.

Importance of x1 for a linear regression of y = x1 + x2 + noise, all of variance 1, in mean squared
error on 20,000 rows, by the correlation of x1 and x2. Lines: population values; dots: mean over 5
data sets. LOFO refits, and falls to 0 as x2 becomes a stand-in; permutation asks the fitted model,
which still uses x1; permuted only among rows with a similar x2 the importance is twice LOFO. A
companion to chapter 24 of Molnar, Interpretable Machine Learning, 3rd edition.
"""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from aleplot_py.datasets.truth import lofo_oracle
from aleplot_py.importance.lofo import lofo_importance
from aleplot_py.importance.permutation import (
    conditional_permutation_importance,
    permutation_importance,
)
from reproductions.engine.figure import Claim, decide

IDS = ("lofo/gaussian",)
PLACE = "24.4"
SEED = 5
SIZE = (5.0, 3.4)

CORRELATIONS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
DATA_SETS = 5
ROWS = 20_000
LOSS = "neg_mean_squared_error"
COLORS = {
    "marginal_permutation": "#d55e00",
    "conditional_permutation": "#009e73",
    "lofo": "#0b5394",
}


def compute(rows=ROWS, data_sets=DATA_SETS, seed=SEED):
    """Three importances of x1 for each correlation, with the population's."""
    rng = np.random.default_rng(seed)
    table = []
    for rho in CORRELATIONS:
        found = [_importances(rho, rng, rows) for _ in range(data_sets)]
        oracle = lofo_oracle(1.0, rho)
        for method in COLORS:
            values = np.array([one[method] for one in found])
            table.append(
                {
                    "rho": rho,
                    "method": method,
                    "importance": values.mean(),
                    "sd": values.std(ddof=1),
                    "theory": getattr(oracle, method),
                }
            )
    return {"importance": pd.DataFrame(table)}


def _importances(rho, rng, rows):
    (X, y), (X_test, y_test) = _draw(rho, rng, rows), _draw(rho, rng, rows)
    model = LinearRegression()
    options: dict[str, Any] = {"scoring": LOSS, "features": ["x1"]}
    lofo = lofo_importance(model, X, y, X_test=X_test, y_test=y_test, **options)
    model.fit(X, y)
    options |= {"n_repeats": 2, "random_state": int(rng.integers(2**31))}
    marginal = permutation_importance(model, X_test, y_test, **options)
    conditional = conditional_permutation_importance(
        model, X_test, y_test, min_samples_leaf=200, **options
    )
    results = (marginal, conditional, lofo)
    return {name: result.mean[0] for name, result in zip(COLORS, results, strict=True)}


def _draw(rho, rng, rows):
    first, second, noise = rng.standard_normal((3, rows))
    X = pd.DataFrame({"x1": first, "x2": rho * first + np.sqrt(1 - rho**2) * second})
    return X, X["x1"] + X["x2"] + noise


def draw(numbers, figure, text):
    """Draw the three importances over the correlation."""
    axes = figure.subplots()
    fine = np.linspace(0, 1, 101)
    oracles = [lofo_oracle(1.0, rho) for rho in fine]
    for method, color in COLORS.items():
        axes.plot(fine, [getattr(o, method) for o in oracles], color=color, linestyle="-")
        table = numbers["importance"].query("method == @method")
        axes.errorbar(
            table["rho"],
            table["importance"],
            table["sd"],
            fmt="o",
            color=color,
            markersize=4,
            capsize=2,
            linestyle="none",
            label=text(method),
        )
    axes.set(xlabel=text("correlation"), ylabel=text("importance"), ylim=(-0.05, 2.75))
    axes.legend(loc="upper right")


def _worst(numbers, method):  # noqa: ARG001 - the query names it
    table = numbers["importance"].query("method == @method")
    return (table["importance"] - table["theory"]).abs().max()


def lofo_falls(numbers):
    """Compare LOFO with b1^2 (1 - rho^2)."""
    table = numbers["importance"].query("method == 'lofo'")
    worst = _worst(numbers, "lofo")
    return decide(
        worst < 0.05,
        partly=worst < 0.1,
        first=table["importance"].iloc[0],
        last=table["importance"].iloc[-1],
        worst=worst,
    )


def permutation_does_not(numbers):
    """Compare marginal permutation importance with 2 b1^2."""
    table = numbers["importance"].query("method == 'marginal_permutation'")
    worst = _worst(numbers, "marginal_permutation")
    return decide(
        worst < 0.1,
        partly=worst < 0.2,
        low=table["importance"].min(),
        high=table["importance"].max(),
    )


def conditional_is_twice_lofo(numbers):
    """Look at the ratio of conditional permutation importance and LOFO."""
    by_method = numbers["importance"].set_index(["method", "rho"])["importance"]
    ratio = by_method["conditional_permutation"] / by_method["lofo"]
    off = (ratio - 2).abs().max()
    return decide(off < 0.2, partly=off < 0.5, low=ratio.min(), high=ratio.max())


CLAIMS = (
    Claim(
        "lofo",
        "The LOFO importance of strongly correlated features is low.",
        "From {first:.2f} without correlation to {last:.2f} at 0.95, at most {worst:.3f} from "
        "b1^2 (1 - rho^2) in theory.",
        lofo_falls,
    ),
    Claim(
        "permutation",
        "Marginal permutation importance, unlike LOFO, is not conditional on the other features.",
        "Between {low:.2f} and {high:.2f} whatever the correlation; 2 b1^2 in theory.",
        permutation_does_not,
    ),
    Claim(
        "conditional",
        "LOFO is more similar to conditional permutation importance: both are conditional on the "
        "other features.",
        "Conditional permutation importance is {low:.2f} to {high:.2f} times LOFO at every "
        "correlation.",
        conditional_is_twice_lofo,
    ),
)
