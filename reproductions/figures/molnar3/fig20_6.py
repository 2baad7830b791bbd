"""Effect of wind speed and of the weather on the bike rentals that a random forest predicts.

Accumulated local effects on the 243 test days, wind speed in 20 quantile intervals (strokes mark
the days), weather by level. After figure 20.6 of Molnar, Interpretable Machine Learning, 3rd
edition.
"""

from aleplot_py import ale
from aleplot_py.datasets.loaders import bike_split, load_bike
from aleplot_py.plots.display import AleDisplay
from reproductions.engine.black_boxes import black_box
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference
from reproductions.figures.drawing import start_with

IDS = ("molnar3/20.6",)
DATA = ("bike_edition3",)
MODEL = "book3_bike_forest"
SEED = 42
SIZE = (6.4, 2.9)

REFERENCE = {
    "windspeed": Reference("fig20_ale_bike_windspeed.csv"),
    "weather": Reference("fig20_ale_bike_weather.csv"),
}


def compute(model="r", K=20):
    """Effects on the test days, with iml's defaults."""
    test_days = load_bike(edition=3).drop(columns="cnt").iloc[bike_split().test]
    forest = black_box(MODEL, model)
    effects = ale(forest, test_days, ["windspeed", "weather"], grid="iml", K=K)
    return dict(effects)


def draw(numbers, figure, text):
    """Draw wind speed on the left and the weather on the right, on one scale."""
    axes = figure.subplots(1, 2, sharey=True)
    AleDisplay(numbers).plot(
        ax=axes,
        ylim=(-800, 250),
        labels={name: text(f"label.{name}") for name in numbers},
        level_labels={level: text(f"level.{level}") for level in numbers["weather"].x_values[0]},
        ylabel=text("ale.rentals"),
    )
    start_with(axes[1], numbers["weather"], "GOOD")
    axes[1].set_ylabel("")


def wind_lowers_rentals(numbers):
    """Compare the effect at the strongest wind with that at the weakest."""
    first, *_, last = numbers["windspeed"].f_values
    return decide(last < first, first=first, last=last)


def bad_weather_lowers_most(numbers):
    """Find the level with the lowest effect."""
    good, misty, bad = numbers["weather"].evaluate(["GOOD", "MISTY", "BAD"])
    return decide(bad < min(good, misty), good=good, misty=misty, bad=bad)


CLAIMS = (
    Claim(
        "wind",
        "Wind lowers the predicted number of rentals.",
        "From {first:.0f} rentals a day at the weakest wind to {last:.0f} at the strongest.",
        wind_lowers_rentals,
    ),
    Claim(
        "weather",
        "Bad weather lowers the predicted number of rentals most.",
        "Good weather {good:.0f}, misty {misty:.0f}, bad {bad:.0f} rentals a day.",
        bad_weather_lowers_most,
    ),
)
