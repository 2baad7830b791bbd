"""Effect of temperature, humidity and wind on the bike rentals that a tree predicts.

Accumulated local effects of a conditional inference tree over all 731 days, 20 quantile intervals
each (strokes mark the days), on one scale. After figure 8.11 of Molnar, Interpretable Machine
Learning, 2nd edition.
"""

import numpy as np

from aleplot_py import ale
from aleplot_py.datasets.loaders import load_bike
from reproductions.engine.black_boxes import black_box
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference
from reproductions.figures.bike_rentals import HUMID, draw_curves

IDS = ("molnar2/8.11",)
DATA = ("bike_edition2",)
MODEL = "book2_bike_tree"
SIZE = (7.0, 2.7)

FEATURES = ("temp", "hum", "windspeed")

REFERENCE = {name: Reference(f"fig8_11_14_ale_{name}.csv") for name in FEATURES}


def compute(model="r", K=20):
    """Effects over all days, with iml's defaults."""
    days = load_bike(edition=2).drop(columns="cnt")
    return dict(ale(black_box(MODEL, model), days, list(FEATURES), grid="iml", K=K))


def draw(numbers, figure, text):
    """Draw the three curves on the source's scale."""
    axes = figure.subplots(1, 3, sharey=True)
    draw_curves(numbers, axes, text, ylabel=text("ale.rentals"), ylim=(-1500, 800))


def temperature_rises_then_falls(numbers):
    """Find the last grid point at which the effect is highest."""
    temperature, effect = numbers["temp"].x_values[0], numbers["temp"].f_values
    top = temperature[np.flatnonzero(effect == effect.max())[-1]]
    rises_and_falls = effect.max() > max(effect[0], effect[-1])
    return decide(
        rises_and_falls and abs(top - 25) < 3,
        partly=rises_and_falls,
        top=top,
        first=effect[0],
        highest=effect.max(),
        last=effect[-1],
    )


def humidity_lowers_above_60(numbers):
    """Look at the effect up to 60 percent and from there on."""
    humidity, effect = numbers["hum"].x_values[0], numbers["hum"].f_values
    before, after = effect[humidity <= HUMID], effect[humidity > HUMID]
    never_rises = (np.diff(after) <= 0).all()
    fall = before[-1] - after[-1]
    return decide(
        never_rises and fall > 2 * np.ptp(before),
        partly=fall > 0,
        change=np.ptp(before),
        at_60=numbers["hum"].evaluate([HUMID])[0],
        last=after[-1],
    )


def wind_hardly_matters(numbers):
    """Compare ranges of the effects."""
    ranges = {name: np.ptp(numbers[name].f_values) for name in FEATURES}
    least = min(ranges["temp"], ranges["hum"])
    return decide(ranges["windspeed"] < least / 5, partly=ranges["windspeed"] < least, **ranges)


CLAIMS = (
    Claim(
        "temperature",
        "The prediction rises with temperature up to about 25 degrees, then falls.",
        "From {first:.0f} rentals a day on the coldest day the effect rises to {highest:.0f} and "
        "stays there up to {top:.1f} degrees; on the hottest day it is {last:.0f}.",
        temperature_rises_then_falls,
    ),
    Claim(
        "humidity",
        "Above 60 % humidity the prediction falls.",
        "Up to 60 % the effect changes by {change:.0f} rentals a day; from there on it falls from "
        "{at_60:.0f} to {last:.0f} and never rises.",
        humidity_lowers_above_60,
    ),
    Claim(
        "wind",
        "Wind speed hardly matters.",
        "The effect of wind spans {windspeed:.0f} rentals a day, that of temperature {temp:.0f}, "
        "that of humidity {hum:.0f}.",
        wind_hardly_matters,
    ),
)
