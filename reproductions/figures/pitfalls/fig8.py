"""How sure a curve is: one curve, other rows to average over, and other data to fit to.

The feature x1 has no effect on y, the sum of nine other uniform features and noise. Left: partial
dependence of x1 in a random forest fitted to 100 rows. Middle: the same forest, averaged over ten
other samples of 100 rows. Right: ten other samples with a forest each. The first sample is that of
R's seed; forests are those of scikit-learn with 100 trees, R's had 500. After figure 8 of Molnar et
al., General Pitfalls of Model-Agnostic Interpretation Methods for Machine Learning Models (2022).
"""

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

from aleplot_py import ale, partial_dependence
from aleplot_py.r.random import set_seed
from reproductions.engine.figure import Claim, decide

IDS = ("pitfalls/8",)
SEED = 9
SIZE = (7.4, 2.6)

FEATURES = [f"x{j}" for j in range(1, 11)]
PANELS = ("one", "rows", "refits")
BLUE = "#0b5394"


def compute(n=100, repeats=10, trees=100, K=20, seed=SEED):
    """Partial dependence and ALE of x1: once, with other rows, and with other forests."""
    rng = set_seed(seed)
    X = _rows(rng, n)
    forest = _forest(X, _response(rng, X), trees)
    tables = [_effects(forest, X, K, "one", 0)]
    tables += [_effects(forest, _rows(rng, n), K, "rows", i) for i in range(repeats)]
    for i in range(repeats):
        X = _rows(rng, n)
        tables.append(_effects(_forest(X, _response(rng, X), trees), X, K, "refits", i))
    return {"curves": pd.concat(tables, ignore_index=True)}


def _rows(rng, n):
    return pd.DataFrame(rng.runif(10 * n).reshape(10, n).T, columns=FEATURES)


def _response(rng, X):
    return X[FEATURES[1:]].sum(axis=1) + rng.rnorm(len(X), 0, 0.9)


def _forest(X, y, trees):
    # randomForest's defaults: a third of the columns at each split, no split of 5 rows or fewer.
    forest = RandomForestRegressor(trees, max_features=1 / 3, min_samples_split=6, random_state=0)
    return forest.fit(X, y)


def _effects(forest, X, K, panel, repeat):
    grid = np.linspace(0, 1, K + 1)
    average = partial_dependence(forest.predict, X, "x1", grid=grid)
    local = ale(forest.predict, X, "x1", K=K)
    return pd.DataFrame(
        {
            "panel": panel,
            "repeat": repeat,
            "x1": grid,
            "pd": average.f_values,
            "ale": np.interp(grid, local.x_values[0], local.f_values),
        }
    )


def draw(numbers, figure, text):
    """Draw one panel for each source of variation."""
    axes = figure.subplots(1, 3, sharex=True, sharey=True)
    curves = numbers["curves"]
    for ax, panel in zip(axes, PANELS, strict=True):
        for _, curve in curves[curves["panel"] == panel].groupby("repeat", observed=True):
            ax.plot(curve["x1"], curve["pd"], color=BLUE, linestyle="-", linewidth=1)
        ax.set(title=text(panel), xlabel=text("label.x1"))
    axes[0].set_ylabel(text("pd"))


def _spread(numbers, panel, effect):
    """Standard deviation over repeats of curves of mean 0, on average along x1."""
    curves = numbers["curves"]
    curves = curves[curves["panel"] == panel].pivot_table(effect, "x1", "repeat", observed=True)
    return (curves - curves.mean()).std(axis=1).mean()


def refits_vary_more(numbers):
    """Compare how far the shape varies with other rows and with other forests."""
    found = {
        f"{effect}_{panel}": _spread(numbers, panel, effect)
        for effect in ("pd", "ale")
        for panel in ("rows", "refits")
    }
    more = [found[f"{effect}_refits"] > 2 * found[f"{effect}_rows"] for effect in ("pd", "ale")]
    return decide(more[0], partly=found["pd_refits"] > found["pd_rows"], **found)


def one_curve_misleads(numbers):
    """Compare the rise of the single curve with what other forests give without any effect."""
    curves = numbers["curves"].query("panel != 'rows'")
    reach = curves.groupby(["panel", "repeat"], observed=True)["pd"].agg(np.ptp)
    one, others = reach["one"].iloc[0], reach["refits"]
    return decide(one > 0.05, one=one, low=others.min(), high=others.max())


CLAIMS = (
    Claim(
        "variance",
        "The curve of partial dependence varies with the rows it is averaged over, and more with "
        "the data that the model is fitted to.",
        "Standard deviation of the centred curve: {pd_rows:.3f} with other rows, {pd_refits:.3f} "
        "with other forests; of ALE {ale_rows:.3f} and {ale_refits:.3f}.",
        refits_vary_more,
    ),
    Claim(
        "single",
        "A single curve suggests an effect where the feature has none.",
        "The curve on the left covers {one:.2f}, those of other forests between {low:.2f} and "
        "{high:.2f}; in truth 0.",
        one_curve_misleads,
    ),
)
