"""Total effect of humidity and temperature on the rentals that a tree predicts.

Partial dependence of the pair on 20 x 20 equidistant points, averaged over all 731 days: it holds
the mean prediction, both main effects and the interaction, where figure 8.15 shows the interaction
alone. After figure 8.16 of Molnar, Interpretable Machine Learning, 2nd edition.
"""

import numpy as np

from aleplot_py import partial_dependence
from aleplot_py.datasets.loaders import load_bike
from reproductions.engine.black_boxes import black_box
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference
from reproductions.figures.bike_rentals import draw_pair

IDS = ("molnar2/8.16",)
DATA = ("bike_edition2",)
MODEL = "book2_bike_tree"
SIZE = (4.8, 3.6)

REFERENCE = {"hum_temp": Reference("fig8_16_pdp_hum_temp.csv")}


def compute(model="r", K=20):
    """Partial dependence of the pair over all days, on iml's grid."""
    days = load_bike(edition=2).drop(columns="cnt")
    tree = black_box(MODEL, model)
    return {"hum_temp": partial_dependence(tree, days, ("hum", "temp"), grid="iml", K=K)}


def draw(numbers, figure, text):
    """Draw the coloured cells."""
    draw_pair(
        numbers["hum_temp"],
        figure.subplots(),
        text,
        value_label=text("pd.rentals"),
        visuals={"contours": False},
    )


def shows_total_effect(numbers):
    """Share of the surface's variation over the grid that is a sum of two curves."""
    surface = numbers["hum_temp"].f_values
    rows, columns = surface.mean(axis=1, keepdims=True), surface.mean(axis=0, keepdims=True)
    interaction = surface - rows - columns + surface.mean()
    share = 1 - np.square(interaction).sum() / np.square(surface - surface.mean()).sum()
    return decide(
        share > 0.5,
        partly=share > 0,
        share=100 * share,
        lowest=surface.min(),
        highest=surface.max(),
    )


CLAIMS = (
    Claim(
        "total",
        "Partial dependence shows the total effect, main effects included, unlike second-order "
        "ALE, which shows the interaction only.",
        "From {lowest:.0f} to {highest:.0f} rentals a day; {share:.1f} % of the variation over the "
        "grid is the sum of a curve of humidity and one of temperature.",
        shows_total_effect,
    ),
)
