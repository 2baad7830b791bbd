"""What humidity and temperature do together to the rentals that a tree predicts.

Second-order accumulated local effect of the pair over all 731 days, up to 40 x 40 intervals: what
the pair adds to its two main effects. Many cells hold no day and take over their nearest
neighbour's local effect; the dots are the days. After figure 8.15 of Molnar, Interpretable Machine
Learning, 2nd edition. There a lighter shade is above average and a darker one below; here red is
above 0 and blue below, and white is 0. In the third edition, whose model is a random forest, cold
and humid days have a positive second-order effect (figure 20.7 there).
"""

from aleplot_py import ale
from aleplot_py.datasets.loaders import load_bike
from reproductions.engine.black_boxes import black_box
from reproductions.engine.figure import Claim
from reproductions.engine.reference import Reference
from reproductions.figures.bike_rentals import cold_and_humid, draw_pair, hot_and_humid

IDS = ("molnar2/8.15",)
DATA = ("bike_edition2",)
MODEL = "book2_bike_tree"
SIZE = (4.8, 3.6)

REFERENCE = {"hum_temp": Reference("fig8_15_ale_hum_temp.csv")}

EVIDENCE = (
    "the mean second-order effect is {humid:.0f} rentals a day at 60 to 80 % humidity "
    "({n_humid:d} days) and {very_humid:.0f} above 80 % ({n_very_humid:d} days)."
)


def compute(model="r", K=40):
    """Effect over all days, with iml's grid."""
    days = load_bike(edition=2).drop(columns="cnt")
    return {"hum_temp": ale(black_box(MODEL, model), days, ("hum", "temp"), grid="iml", K=K)}


def draw(numbers, figure, text):
    """Draw the coloured cells with the days over them."""
    draw_pair(
        numbers["hum_temp"],
        figure.subplots(),
        text,
        value_label=text("second.rentals"),
        empty="none",
        visuals={"points": True, "contours": False},
    )


CLAIMS = (
    Claim(
        "hot and humid",
        "Hot and humid weather raises the prediction above what the main effects say.",
        "On days above 20 degrees " + EVIDENCE,
        lambda numbers: hot_and_humid(numbers["hum_temp"], +1),
    ),
    Claim(
        "cold and humid",
        "Cold and humid weather lowers the prediction below what the main effects say.",
        "On days below 10 degrees " + EVIDENCE,
        lambda numbers: cold_and_humid(numbers["hum_temp"], -1),
    ),
)
