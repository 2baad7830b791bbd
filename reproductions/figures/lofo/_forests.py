"""What the chapter's figures share: forests, LOFO over 20 seeds, bars beside R's values."""

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from aleplot_py.datasets.loaders import bike_split, load_bike, load_penguins, penguin_split
from aleplot_py.importance.lofo import lofo_importance
from reproductions.engine.fits import KeptForestClassifier, KeptForestRegressor

SEED = 0
SEEDS = 20
TREES = 100

BLUE, ORANGE, GREY = "#0b5394", "#d55e00", "#9aa5b1"


def bike_importance(features=None, *, copy=False, seeds=SEEDS, trees=TREES, seed=SEED):
    """LOFO of the bike forest, in mean absolute error on the test days (rentals a day).

    With ``copy`` the days have the column temp twice, as temp and temp_copy.
    """
    days = load_bike(edition=3)
    if copy:
        days = days.assign(temp_copy=days["temp"])
    # randomForest's defaults: a third of the columns at each split, no split of 5 rows or fewer.
    forest = KeptForestRegressor(trees, max_features=1 / 3, min_samples_split=6)
    loss = "neg_mean_absolute_error"
    return _importance(forest, days, "cnt", bike_split(), loss, features, seeds, seed)


def penguin_importance(*, seeds=SEEDS, trees=TREES, seed=SEED):
    """LOFO of the penguin forest, in accuracy on the test penguins."""
    forest = KeptForestClassifier(trees, max_features="sqrt")
    penguins = load_penguins()
    return _importance(forest, penguins, "sex", penguin_split(), "accuracy", None, seeds, seed)


def _importance(forest, frame, response, split, scoring, features, seeds, seed):
    X, y = frame.drop(columns=response), frame[response]
    levels = (OrdinalEncoder(), make_column_selector(dtype_include="category"))
    return lofo_importance(
        make_pipeline(make_column_transformer(levels, remainder="passthrough"), forest),
        X.iloc[split.train],
        y.iloc[split.train],
        scoring=scoring,
        X_test=X.iloc[split.test],
        y_test=y.iloc[split.test],
        features=features,
        n_repeats=seeds,
        random_state=seed,
    )


def beside_r(result, reference):
    """Table of mean importance and spread by feature, with R's importance."""
    of_r = reference.read().set_index("feature")["importance"]
    table = result.to_frame()
    return table.assign(r=of_r.reindex(table["feature"]).to_numpy())


def draw_bars(axes, table, text, *, xlabel):
    """Draw sorted bars with the spread over seeds, and R's values as diamonds."""
    table = table.sort_values("importance")
    at = np.arange(len(table))
    axes.barh(at, table["importance"], height=0.62, color=BLUE, alpha=0.75, label=text("lofo.bars"))
    draw_spread(axes, table, text)
    if "r" in table:
        draw_r(axes, table, text, markeredgecolor="white", markeredgewidth=0.5)
    name_bars(axes, [text(f"feature.{name}") for name in table["feature"]])
    axes.set_xlabel(xlabel)
    axes.legend(loc="lower right")


def draw_spread(axes, table, text):
    """Draw the spread over seeds on bars at 0, 1, ..."""
    axes.errorbar(
        table["importance"],
        range(len(table)),
        xerr=table["std"],
        fmt="none",
        ecolor="0.15",
        elinewidth=0.9,
        capsize=2.5,
        label=text("lofo.spread"),
    )


def draw_r(axes, table, text, **edge):
    """Draw R's values on bars at 0, 1, ... as diamonds."""
    axes.plot(
        table["r"],
        range(len(table)),
        "D",
        color=ORANGE,
        markersize=4,
        linestyle="none",
        label=text("lofo.r"),
        zorder=4,
        **edge,
    )


def name_bars(axes, names):
    """Name bars at 0, 1, ... and draw the line they start from instead of the left edge."""
    axes.axvline(0, color="0.15", linewidth=0.6, linestyle="-")
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def by_feature(table):
    """Importance and spread by feature, as two dicts."""
    rows = table.set_index("feature")
    return rows["importance"].to_dict(), rows["std"].to_dict()
