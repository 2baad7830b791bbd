"""How much less accurate the penguin forest is after a refit without each feature.

Decrease of the accuracy on the 111 test penguins when a random forest for the sex is fitted anew to
the 222 train penguins without the feature; one penguin is 0.009. Bars: scikit-learn forests of 100
trees, mean and standard deviation over 20 seeds; diamonds: one forest of 500 trees for each feature
in R (randomForest). After figure 24.3 of Molnar, Interpretable Machine Learning, 3rd edition.
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
DISPENSABLE = ("species", "flipper_length_mm")


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


def two_dispensable(numbers):
    """Compare what species and flipper length are worth with one penguin."""
    mean, std = by_feature(numbers["importance"])
    r = numbers["importance"].set_index("feature")["r"]
    lost = [mean[name] >= ONE for name in DISPENSABLE]
    species, flipper = DISPENSABLE
    return decide(
        not any(lost),
        partly=not all(lost),
        species=mean[species],
        species_sd=std[species],
        r_species=r[species],
        flipper=mean[flipper],
        flipper_sd=std[flipper],
        r_flipper=r[flipper],
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
        "dispensable",
        "Species and flipper length can safely be removed.",
        "Leaving out species costs {species:.4f} of accuracy, flipper length {flipper:.4f} "
        "(standard deviations {species_sd:.4f} and {flipper_sd:.4f}; in R {r_species:.4f} and "
        "{r_flipper:.4f}); one penguin is {one:.4f}.",
        two_dispensable,
    ),
)
