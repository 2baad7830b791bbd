"""How much less accurate the penguin forest is after a refit without each feature.

Decrease of the accuracy on the 111 test penguins when a random forest for the sex is fitted anew to
the 222 train penguins without the feature; one penguin is 0.009. Bars: scikit-learn forests, mean
and standard deviation over 20 seeds; diamonds: one forest for each feature in R (randomForest).
After figure 24.3 of Molnar, Interpretable Machine Learning, 3rd edition.
"""

from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference, Refits
from reproductions.figures.lofo._forests import SEED as FIRST_SEED
from reproductions.figures.lofo._forests import (
    SEEDS,
    TREES,
    beside_r,
    by_feature,
    draw_bars,
    penguin_importance,
)

IDS = ("lofo/24.3",)
DATA = ("penguins",)
SEED = FIRST_SEED
SIZE = (5.6, 2.5)

REFERENCE = {
    "importance": Reference(
        "fig24_3_lofo_penguins.csv",
        grid={"feature": "feature"},
        values={"importance": "importance"},
        refits=Refits(),
    )
}

# Accuracy of one of the 111 test penguins.
ONE = 1 / 111


def compute(seeds=SEEDS, trees=TREES, seed=SEED):
    """Importance of every feature, over 20 seeds, beside R's."""
    return {
        "importance": beside_r(
            penguin_importance(seeds=seeds, trees=trees, seed=seed), REFERENCE["importance"]
        )
    }


def draw(numbers, figure, text):
    """Draw one bar for each feature, the most important on top."""
    draw_bars(figure.subplots(), numbers["importance"], text, xlabel=text("importance"))


def bill_depth_leads(numbers):
    """Find the most important feature."""
    mean, _ = by_feature(numbers["importance"])
    first, second = sorted(mean.values(), reverse=True)[:2]
    return decide(mean["bill_depth_mm"] == first, depth=mean["bill_depth_mm"], next=second)


def species_dispensable(numbers):
    """Compare what species is worth with one penguin."""
    mean, std = by_feature(numbers["importance"])
    return decide(
        mean["species"] < ONE,
        partly=mean["species"] < std["species"],
        mean=mean["species"],
        std=std["species"],
        one=ONE,
    )


CLAIMS = (
    Claim(
        "depth",
        "Bill depth is the most important feature for a penguin's sex.",
        "Leaving it out costs {depth:.3f} of accuracy, the next feature {next:.3f}.",
        bill_depth_leads,
    ),
    Claim(
        "species",
        "Species can be dropped.",
        "Leaving it out costs {mean:.4f} (standard deviation {std:.4f}), less than one penguin "
        "({one:.4f}).",
        species_dispensable,
    ),
)
