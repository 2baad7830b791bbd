"""Effect of temperature and humidity on the bike rentals that a random forest predicts.

Accumulated local effects on the 243 test days: both features alone (left, 20 intervals) and what
the pair adds to the two (right, up to 40 x 40 intervals). Most cells hold no day and take over
their nearest neighbour's local effect; the dots are the days. After figure 20.7 of Molnar,
Interpretable Machine Learning, 3rd edition. In the second edition, whose model is a tree for other
data columns, very humid cold days have a negative second-order effect (figure 8.15 there).
"""

from aleplot_py import ale
from aleplot_py.datasets.loaders import bike_split, load_bike
from reproductions.engine.black_boxes import black_box
from reproductions.engine.figure import Claim
from reproductions.engine.reference import Reference
from reproductions.figures.bike_rentals import (
    cold_and_humid,
    draw_curves,
    draw_pair,
    mains_of_cold_and_humid,
)
from reproductions.figures.drawing import contour_labels

IDS = ("molnar3/20.7",)
DATA = ("bike_edition3",)
MODEL = "book3_bike_forest"
SEED = 42
SIZE = (7.0, 3.6)

REFERENCE = {
    "temp": Reference("fig20_ale_bike_temp.csv"),
    "hum": Reference("fig20_ale_bike_hum.csv"),
    "hum_temp": Reference("fig20_7_ale_bike_hum_temp.csv"),
}


def compute(model="r", K=20, K_pair=40):
    """Effects on the test days, with iml's grid."""
    test_days = load_bike(edition=3).drop(columns="cnt").iloc[bike_split().test]
    forest = black_box(MODEL, model)
    mains = ale(forest, test_days, ["temp", "hum"], grid="iml", K=K)
    return {**mains, "hum_temp": ale(forest, test_days, ("hum", "temp"), grid="iml", K=K_pair)}


def draw(numbers, figure, text):
    """Draw the main effects one above the other on the left, the pair on the right."""
    axes = figure.subplot_mosaic([["temp", "pair"], ["hum", "pair"]], width_ratios=(1, 1.7))
    for name in ("temp", "hum"):
        draw_curves(
            {name: numbers[name]}, [axes[name]], text, ylabel=text("ale.rentals"), ylim=(-1000, 700)
        )
    draw_pair(
        numbers["hum_temp"],
        axes["pair"],
        text,
        value_label=text("second.rentals"),
        empty="none",
        visuals={
            "points": True,
            "contours": {"levels": (-200, 0, 200, 400, 600)},
            "contour_labels": contour_labels(text),
        },
    )


CLAIMS = (
    Claim(
        "cold and humid",
        "When it is cold and humid, the second-order effect is positive: the model predicts more "
        "rentals than the two main effects alone.",
        "On days below 10 degrees the mean second-order effect is {humid:.0f} rentals a day at 60 "
        "to 80 % humidity ({n_humid:d} days) and {very_humid:.0f} above 80 % ({n_very_humid:d} "
        "days).",
        lambda numbers: cold_and_humid(numbers["hum_temp"], +1),
    ),
    Claim(
        "mains",
        "Both main effects say that the predicted number of bikes decreases in very cold and humid "
        "weather.",
        "On days below 10 degrees the main effect of temperature is {temp:.0f} rentals a day on "
        "average ({n_cold:d} days), on days above 80 % humidity that of humidity {hum:.0f} "
        "({n_humid:d} days).",
        lambda numbers: mains_of_cold_and_humid(numbers["temp"], numbers["hum"]),
    ),
)
