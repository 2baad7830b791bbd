"""A duplicated column makes both copies look unimportant.

As figure 24.1 after the temperature was added a second time, as temp_copy: the refit without one
copy still has the other. All bars are longer than before, also in R, because a forest tries a third
of its columns at each split: three of the nine with all columns, but two of eight in every refit.
After figure 24.2 of Molnar, Interpretable Machine Learning, 3rd edition.
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


def copies_fall(numbers):
    """Compare both copies with the features that were unimportant before."""
    mean, _ = by_feature(numbers["importance"])
    others = [mean[name] for name in UNIMPORTANT]
    fallen = [mean[name] <= max(others) for name in COPIES]
    return decide(
        all(fallen),
        partly=any(fallen),
        temp=mean["temp"],
        copy=mean["temp_copy"],
        low=min(others),
        high=max(others),
    )


def lag_remains(numbers):
    """Find the most important feature."""
    mean, _ = by_feature(numbers["importance"])
    first, second = sorted(mean.values(), reverse=True)[:2]
    return decide(mean["cnt_2d_bfr"] == first, lag=mean["cnt_2d_bfr"], next=second)


CLAIMS = (
    Claim(
        "copies",
        "Both copies of the temperature fall to the level of the unimportant features.",
        "Temperature {temp:.0f} and its copy {copy:.0f} rentals a day; the features that were "
        "unimportant lie between {low:.0f} and {high:.0f}.",
        copies_fall,
    ),
    Claim(
        "lag",
        "The count two days before remains the most important feature.",
        "{lag:.0f} rentals a day, the next feature {next:.0f}.",
        lag_remains,
    ),
)
