"""A duplicated column makes both copies look unimportant.

As figure 24.1 after the temperature was added a second time, as temp_copy: the refit without one
copy still has the other. All bars are longer than before, also in R, because a forest tries a third
of its columns at each split: three of the nine with all columns, but two of eight in every refit.
Forests have 100 trees here, 500 in R. After figure 24.2 of Molnar, Interpretable Machine Learning,
3rd edition.
"""

from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference, Refits
from reproductions.figures.lofo._forests import SEED as FIRST_SEED
from reproductions.figures.lofo._forests import (
    SEEDS,
    TREES,
    beside_r,
    bike_importance,
    by_feature,
    draw_bars,
)

IDS = ("lofo/24.2",)
DATA = ("bike_edition3",)
SEED = FIRST_SEED
SIZE = (5.6, 3.4)

REFERENCE = {
    "importance": Reference(
        "fig24_2_lofo_bike_temp_copy.csv",
        grid={"feature": "feature"},
        values={"importance": "importance"},
        refits=Refits(),
    )
}

COPIES = ("temp", "temp_copy")
UNIMPORTANT = ("season", "holiday", "workday", "weather", "hum", "windspeed")


def compute(seeds=SEEDS, trees=TREES, seed=SEED):
    """Importance of every feature and of the copy, over 20 seeds, beside R's."""
    return {
        "importance": beside_r(
            bike_importance(copy=True, seeds=seeds, trees=trees, seed=seed), REFERENCE["importance"]
        )
    }


def draw(numbers, figure, text):
    """Draw one bar for each feature, the most important on top."""
    draw_bars(figure.subplots(), numbers["importance"], text, xlabel=text("importance"))


def copies_almost_zero(numbers):
    """Compare both copies with 0 in units of their spread, and with the unimportant features."""
    mean, std = by_feature(numbers["importance"])
    r = numbers["importance"].set_index("feature")["r"]
    others = [mean[name] for name in UNIMPORTANT]
    distances = [abs(mean[name]) / std[name] for name in COPIES]
    return decide(
        max(distances) < 1,
        partly=all(mean[name] <= max(others) for name in COPIES),
        temp=mean["temp"],
        copy=mean["temp_copy"],
        distance=max(distances),
        r_temp=r["temp"],
        r_copy=r["temp_copy"],
        low=min(others),
        high=max(others),
    )


CLAIMS = (
    Claim(
        "copies",
        "The LOFO importances of both temperature features are almost zero.",
        "Temperature {temp:.0f} and its copy {copy:.0f} rentals a day, {distance:.1f} standard "
        "deviations from 0 (in R {r_temp:.0f} and {r_copy:.0f}); the features that were "
        "unimportant lie between {low:.0f} and {high:.0f}.",
        copies_almost_zero,
    ),
)
