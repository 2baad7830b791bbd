"""Partial dependence of the rentals on temperature, humidity and wind speed.

Mean prediction of the conditional inference tree with the feature set to each of 20 equidistant
values in all 731 days, so that winter days too are made hot. The scale spans as many rentals as
that of the ALE curves of the same features (figure 8.11). After figure 8.13 of Molnar,
Interpretable Machine Learning, 2nd edition.
"""

from aleplot_py import ale, partial_dependence
from aleplot_py.datasets.loaders import load_bike
from reproductions.engine.black_boxes import black_box
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference
from reproductions.figures.bike_rentals import draw_curves

IDS = ("molnar2/8.13",)
DATA = ("bike_edition2",)
MODEL = "book2_bike_tree"
SIZE = (7.0, 2.7)

FEATURES = ("temp", "hum", "windspeed")

REFERENCE = {name: Reference(f"fig8_13_pdp_{name}.csv") for name in FEATURES}


def compute(model="r", K=20):
    """Partial dependence over all days; ALE of temperature and humidity to compare with."""
    days = load_bike(edition=2).drop(columns="cnt")
    tree = black_box(MODEL, model)
    effects = ale(tree, days, ["temp", "hum"], grid="iml", K=K)
    return {
        **partial_dependence(tree, days, list(FEATURES), grid="iml", K=K),
        **{f"ale_{name}": effect for name, effect in effects.items()},
    }


def draw(numbers, figure, text):
    """Draw the three curves on one scale."""
    axes = figure.subplots(1, 3, sharey=True)
    curves = {name: numbers[name] for name in FEATURES}
    draw_curves(curves, axes, text, ylabel=text("pd.rentals"), ylim=(3000, 5300))


def falls_less_than_ale(numbers):
    """Compare the fall from the highest value to that on the hottest and most humid day."""
    falls = {
        name: numbers[name].f_values.max() - numbers[name].f_values[-1]
        for name in ("temp", "hum", "ale_temp", "ale_hum")
    }
    less = [falls[name] < falls[f"ale_{name}"] for name in ("temp", "hum")]
    return decide(all(less), partly=any(less), **falls)


CLAIMS = (
    Claim(
        "smaller fall",
        "Compared with ALE, partial dependence falls less at high temperature and high humidity.",
        "From its highest value to the hottest day partial dependence falls by {temp:.0f} rentals "
        "a day, ALE by {ale_temp:.0f}; to the most humid day by {hum:.0f} and {ale_hum:.0f}.",
        falls_less_than_ale,
    ),
)
