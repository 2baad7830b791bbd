"""How much an estimated effect varies, and how much of that is the estimation.

Variance of the ALE of three features over data sets of 1,250 rows (above), and the part of it that
is left when the model stays and only the rows to explain it on are new (below), for trees that
follow every row: explained on the rows that they were fitted to, on a fifth of the rows held out,
and in cross-validation with five folds. Diamonds are the published numbers, of 30 data sets; dots
ours, of 60, with two Monte-Carlo errors to each side: orange where an interval without rows adds
nothing to the curve, as in the authors' code, green where it has the slope of the nearest one with
rows, as here. The response is x1 + x2^2 / 2 + x1 x2 with normal noise, where x1 and x2 are normal
with correlation 0.9 and x3 does nothing; the standard deviation of the noise is a fifth of that of
the signal. After the variance decomposition of Heiß et al., Analyzing Error Sources in Global
Feature Effect Estimation (2026).
"""

import numpy as np
import pandas as pd

from reproductions.engine.figure import Claim, decide
from reproductions.figures import effect_errors
from reproductions.figures.effect_errors import REDRAWS, RUNS, SEED, SIMULATED

IDS = ("heiss/variance",)
PLACE = "1"
SIZE = (7.4, 4.4)

FEATURES = ("x1", "x2", "x3")
STRATEGIES = ("training", "validation", "cross-validation")
# Trees that overfit, 1,250 rows: variance and estimation variance of x1, x2, x3.
PUBLISHED = {
    "training": ((0.1012, 0.1011, 0.0741), (0.0851, 0.0762, 0.0105)),
    "validation": ((0.5281, 0.6017, 0.0864), (0.4923, 0.4275, 0.0439)),
    "cross-validation": ((0.1520, 0.0994, 0.0121), (0.0900, 0.0884, 0.0118)),
}
PUBLISHED_RUNS = 30
QUANTITIES = ("variance", "estimation_variance")
COLORS = {"nothing": "#d55e00", "nearest": "#009e73"}


def compute(data_sets=RUNS, redraws=REDRAWS, seed=SEED):
    """Simulated errors, and the published variances; other settings take minutes."""
    stored = (data_sets, redraws, seed) == (RUNS, REDRAWS, SEED)
    published = [
        (strategy, feature, *numbers)
        for strategy in STRATEGIES
        for feature, *numbers in zip(FEATURES, *PUBLISHED[strategy], strict=True)
    ]
    columns = ["strategy", "feature", *QUANTITIES]
    return {
        "simulated": pd.read_csv(SIMULATED)
        if stored
        else effect_errors.simulated(data_sets, redraws, seed),
        "published": pd.DataFrame(published, columns=columns),
    }


def draw(numbers, figure, text):
    """Draw one panel for each strategy and quantity."""
    axes = figure.subplots(2, 3, sharex=True, sharey=True)
    for row, quantity in zip(axes, QUANTITIES, strict=True):
        for ax, strategy in zip(row, STRATEGIES, strict=True):
            places = np.arange(len(FEATURES))
            for rule, shift in zip(COLORS, (-0.18, 0.18), strict=True):
                ours = _of(numbers["simulated"], strategy, rule)
                ax.errorbar(
                    places + shift, ours[quantity], 2 * ours[f"{quantity}_error"], fmt="o",
                    color=COLORS[rule], markersize=4, linewidth=1, label=text(rule),
                )  # fmt: skip
            theirs = _of(numbers["published"], strategy)[quantity]
            style = {"linestyle": "none", "label": text("published")}
            ax.plot(places, theirs, "D", color="black", markersize=4.5, **style)
            ax.set_xticks(places, [text(f"label.{feature}") for feature in FEATURES])
            ax.set_xlim(-0.5, len(FEATURES) - 0.5)
        row[0].set_ylabel(text(quantity))
    for ax, strategy in zip(axes[0], STRATEGIES, strict=True):
        ax.set_title(text(strategy))
    axes[0][0].set_yscale("log")
    axes[0][0].set_yticks((0.01, 0.03, 0.1, 0.3, 1), ("0.01", "0.03", "0.1", "0.3", "1"))
    axes[0][0].minorticks_off()
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=3)


def _of(table, strategy, rule=None):
    """Rows of a table for a strategy, and of our numbers for a rule, by feature."""
    chosen = table[table["strategy"] == strategy]
    if rule is not None:
        chosen = chosen[chosen["rule"] == rule]
    return chosen.set_index("feature").loc[list(FEATURES)]


def distances(numbers):
    """Distances (2, 3, 3) of published from our variances, in Monte-Carlo errors of both."""
    found = []
    for quantity in QUANTITIES:
        for strategy in STRATEGIES:
            ours = _of(numbers["simulated"], strategy, "nothing")
            theirs = _of(numbers["published"], strategy)[quantity]
            # Theirs are of fewer data sets, and their error that much larger.
            error = ours[f"{quantity}_error"] * np.sqrt(1 + RUNS / PUBLISHED_RUNS)
            found.append(np.abs(theirs - ours[quantity]) / error)
    return np.array(found).reshape(2, 3, 3)


def table_is_reproduced(numbers):
    """Count published variances within three Monte-Carlo errors of ours."""
    apart = distances(numbers)
    within = int((apart < 3).sum())
    return decide(
        within == apart.size,
        partly=within > apart.size / 2,
        within=within,
        whole=apart.size,
        farthest=apart.max(),
    )


def rows_outweigh_bias(numbers):
    """Compare errors on training and on validation data, and the part of the bias."""
    training, validation = (
        _of(numbers["simulated"], strategy, "nothing") for strategy in STRATEGIES[:2]
    )
    ratio = training["mse"] / validation["mse"]
    share = training["bias"] ** 2 / training["mse"]
    return decide(
        (ratio < 1).all(),
        partly=(ratio < 1).any(),
        low=ratio.min(),
        high=ratio.max(),
        share=100 * share.max(),
    )


def folds_steady_the_model(numbers):
    """Compare the variances of the model in cross-validation and on training data."""
    training, crossed = (
        _of(numbers["simulated"], strategy, "nothing")["model_variance"]
        for strategy in (STRATEGIES[0], STRATEGIES[2])
    )
    less = crossed < training
    return decide(
        less.all(),
        partly=less.any(),
        **{f"{name}_{f}": values[f] for name, values in (("t", training), ("c", crossed))
           for f in FEATURES},
    )  # fmt: skip


CLAIMS = (
    Claim(
        "table",
        "The variances of overfitting trees are those of the table.",
        "Of {whole:d} published variances {within:d} are within three Monte-Carlo errors of ours, "
        "the farthest is {farthest:.1f} away.",
        table_is_reproduced,
    ),
    Claim(
        "rows",
        "That training data bias the estimate does not matter beside their larger number of rows.",
        "The mean squared error on training data is {low:.2f} to {high:.2f} times that on "
        "validation data; at most {share:.0f} % of it is squared bias, the model's included.",
        rows_outweigh_bias,
    ),
    Claim(
        "folds",
        "Cross-validation reduces the variance that comes from an overfitting model.",
        "Model variance of x1, x2 and x3: {t_x1:.3f}, {t_x2:.3f} and {t_x3:.3f} on training data, "
        "{c_x1:.3f}, {c_x2:.3f} and {c_x3:.3f} in cross-validation.",
        folds_steady_the_model,
    ),
)
