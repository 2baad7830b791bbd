"""Partial dependence of temperature, humidity and wind speed, and the total effect of a pair.

Companion of figure 20.7 in Molnar, Interpretable Machine Learning, 3rd edition, for the same
random forest and the same 243 test days. Three panels show partial dependence at 20 equidistant
points. The fourth puts ALE together again: mean prediction, both main effects and the
second-order effect of humidity and temperature; the dots are the days, away from which the
surface is an extrapolation.
"""

from aleplot_py import ale, partial_dependence, total_effect
from aleplot_py.datasets.loaders import bike_split, load_bike
from reproductions.engine.black_boxes import black_box
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference
from reproductions.figures.bike_rentals import draw_curves, draw_pair

IDS = ("molnar3/20.7-pdp",)
DATA = ("bike_edition3",)
MODEL = "book3_bike_forest"
SEED = 42
SIZE = (6.8, 5.0)

FEATURES = ("temp", "hum", "windspeed")

REFERENCE = {name: Reference(f"fig20_pdp_bike_{name}.csv") for name in FEATURES}


def compute(model="r", K=20, K_pair=40):
    """Partial dependence and total effect on the test days, with iml's grids."""
    test_days = load_bike(edition=3).drop(columns="cnt").iloc[bike_split().test]
    forest = black_box(MODEL, model)
    curves = partial_dependence(forest, test_days, list(FEATURES), grid="iml", K=K)
    # With 40 intervals for the main effects too, all three parts have the same grid points.
    parts = ale(forest, test_days, ["hum", "temp", ("hum", "temp")], grid="iml", K=K_pair)
    total = total_effect(parts["hum", "temp"], parts["hum"], parts["temp"])
    return {**curves, "total": total}


def draw(numbers, figure, text):
    """Draw partial dependence in three panels on one scale, the total effect in the fourth."""
    axes = figure.subplots(2, 2)
    curves = {name: numbers[name] for name in FEATURES}
    draw_curves(curves, axes.ravel()[:3], text, ylabel=text("pd.rentals"), ylim=(3400, 5200))
    axes[1, 0].set_ylabel(text("pd.rentals"))
    draw_pair(
        numbers["total"],
        axes[1, 1],
        text,
        value_label=text("total"),
        empty="none",
        visuals={"points": True, "contours": False},
    )


def wind_lowers_rentals(numbers):
    """Compare partial dependence at the strongest wind with that at the weakest."""
    first, *_, last = numbers["windspeed"].f_values
    return decide(last < first, first=first, last=last)


CLAIMS = (
    Claim(
        "wind",
        "Wind lowers the predicted number of rentals.",
        "Partial dependence goes from {first:.0f} rentals a day at the weakest wind to {last:.0f} "
        "at the strongest.",
        wind_lowers_rentals,
    ),
)
