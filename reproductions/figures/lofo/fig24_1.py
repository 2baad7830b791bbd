"""How much worse the bike forest predicts after a refit without each feature.

Increase of the mean absolute error on the 243 test days when a random forest is fitted anew to the
485 train days without the feature. Bars: scikit-learn forests of 100 trees, mean and standard
deviation over 20 seeds; diamonds: one forest of 500 trees for each feature in R (randomForest).
After figure 24.1 of Molnar, Interpretable Machine Learning, 3rd edition.
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

IDS = ("lofo/24.1",)
DATA = ("bike_edition3",)
SEED = FIRST_SEED
SIZE = (5.6, 3.2)

REFERENCE = {
    # Another implementation of random forests, and one seed: compared are ranks, and
    # differences with the spread over seeds.
    "importance": Reference(
        "fig24_1_lofo_bike.csv",
        grid={"feature": "feature"},
        values={"importance": "importance"},
        refits=Refits(),
    )
}


def compute(seeds=SEEDS, trees=TREES, seed=SEED):
    """Importance of every feature, over 20 seeds, beside R's."""
    return {
        "importance": beside_r(
            bike_importance(seeds=seeds, trees=trees, seed=seed), REFERENCE["importance"]
        )
    }


def draw(numbers, figure, text):
    """Draw one bar for each feature, the most important on top."""
    draw_bars(figure.subplots(), numbers["importance"], text, xlabel=text("importance"))


def lag_and_temperature_lead(numbers):
    """Find the two most important features."""
    mean, _ = by_feature(numbers["importance"])
    first, second, third = sorted(mean.values(), reverse=True)[:3]
    order = [mean["cnt_2d_bfr"], mean["temp"]] == [first, second]
    return decide(
        order and second > 2 * third,
        partly=order,
        lag=first if order else mean["cnt_2d_bfr"],
        temp=mean["temp"],
        next=third,
    )


def temperature_leads(numbers):
    """Compare the temperature with the count two days before."""
    mean, _ = by_feature(numbers["importance"])
    return decide(mean["temp"] == max(mean.values()), temp=mean["temp"], lag=mean["cnt_2d_bfr"])


def holiday_negative(numbers):
    """Compare the importance of holidays with 0 in units of its standard error."""
    mean, std = by_feature(numbers["importance"])
    error = std["holiday"] / (SEEDS - 1) ** 0.5
    table = numbers["importance"].set_index("feature")
    return decide(
        mean["holiday"] < -2 * error,
        partly=mean["holiday"] < 0,
        mean=mean["holiday"],
        error=error,
        r=table["r"]["holiday"],
    )


CLAIMS = (
    Claim(
        "leaders",
        "The count two days before and the temperature are the most important features.",
        "Leaving them out raises the error by {lag:.0f} and {temp:.0f} rentals a day, the next "
        "feature by {next:.0f}.",
        lag_and_temperature_lead,
    ),
    Claim(
        "first",
        "In the original model the temperature was the most important feature (says the text on "
        "the next figure).",
        "Temperature {temp:.0f}, the count two days before {lag:.0f} rentals a day.",
        temperature_leads,
    ),
    Claim(
        "holiday",
        "Without the feature holiday the forest predicts better: its importance is negative.",
        "{mean:.1f} rentals a day on average over 20 seeds (standard error {error:.1f}); R's "
        "forest had {r:.1f}.",
        holiday_negative,
    ),
)
