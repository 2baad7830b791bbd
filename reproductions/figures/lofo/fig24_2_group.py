"""Left out together, the two copies of the temperature are important.

Companion of figure 24.2 of Molnar, Interpretable Machine Learning, 3rd edition: LOFO of each copy
alone and of the group of both, in the data with the duplicated column; above, LOFO of the
temperature without a copy (figure 24.1). Means and standard deviations over 20 seeds; R left out
single columns only. Forests have 100 trees here, 500 in R.
"""

import pandas as pd

from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference
from reproductions.figures.lofo._forests import (
    BLUE,
    GREY,
    SEEDS,
    TREES,
    bike_importance,
    by_feature,
    draw_r,
    draw_spread,
    name_bars,
)
from reproductions.figures.lofo._forests import SEED as FIRST_SEED

IDS = ("lofo/24.2-group",)
DATA = ("bike_edition3",)
SEED = FIRST_SEED
SIZE = (5.6, 2.3)

ALONE = Reference("fig24_1_lofo_bike.csv")
WITH_COPY = Reference("fig24_2_lofo_bike_temp_copy.csv")
ROWS = ("temp, no copy", "temp", "temp_copy", "temp + temp_copy")


def compute(seeds=SEEDS, trees=TREES, seed=SEED):
    """Importance of the temperature alone, of its copies, and of the group."""
    options = {"seeds": seeds, "trees": trees, "seed": seed}
    parts = [
        bike_importance(["temp"], **options),
        bike_importance(["temp", "temp_copy"], copy=True, **options),
        bike_importance({"temp + temp_copy": ["temp", "temp_copy"]}, copy=True, **options),
    ]
    table = pd.concat([part.to_frame() for part in parts], ignore_index=True)
    alone, both = (r.read().set_index("feature")["importance"] for r in (ALONE, WITH_COPY))
    r = [alone["temp"], both["temp"], both["temp_copy"], float("nan")]
    return {"importance": table.assign(feature=ROWS, r=r)}


def draw(numbers, figure, text):
    """Draw the four bars from top to bottom."""
    axes = figure.subplots()
    table = numbers["importance"]
    axes.barh(
        range(len(table)),
        table["importance"],
        height=0.6,
        color=[GREY, BLUE, BLUE, BLUE],
        alpha=0.8,
    )
    draw_spread(axes, table, text)
    draw_r(axes, table, text)
    name_bars(axes, [text(f"row.{i}") for i in range(len(table))])
    axes.invert_yaxis()
    axes.set_xlabel(text("importance"))
    axes.legend(loc="center right")


def group_important(numbers):
    """Compare the group with the single copies and with the temperature before."""
    mean, _ = by_feature(numbers["importance"])
    before, first, second, group = (mean[name] for name in ROWS)
    return decide(
        group > 2 * max(first, second) and group >= 0.8 * before,
        partly=group > max(first, second),
        before=before,
        first=first,
        second=second,
        group=group,
    )


CLAIMS = (
    Claim(
        "group",
        "It would be wrong to conclude that the model with both copies does not rely on the "
        "temperature at all.",
        "The group {group:.0f}, its members {first:.0f} and {second:.0f}, the temperature without "
        "a copy {before:.0f} rentals a day.",
        group_important,
    ),
)
