"""What raises the odds of a high income in a census, as boosted trees see it.

6,000 boosted trees of depth 3, fitted in R to 30,162 people and 12 predictors, predict the log odds
of earning more than 50,000 dollars a year. Accumulated local effects of age, years of education and
weekly hours, with 500 quantile intervals asked for (ties leave 60, 15 and 49), and the second-order
effect of age and hours with 50 by 50; black cells hold nobody. After figure 6 of the vignette of
the R package ALEPlot (Zhu and Apley).
"""

import numpy as np

from aleplot_py import ale
from aleplot_py.datasets.loaders import load_adult
from aleplot_py.plots.display import AleDisplay
from reproductions.engine.black_boxes import black_box
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference

IDS = ("aleplot/6",)
DATA = ("adult",)
MODEL = "adult_boosted_trees"
SIZE = (6.8, 5.0)

MAINS = ("age", "education_num", "hours_per_week")
PAIR = ("age", "hours_per_week")

REFERENCE = {
    name: Reference(f"vignette_fig6_ale_{name}.csv", grid={name: "x"}, values={"ale": "f"})
    for name in MAINS
} | {"age_hours": Reference("vignette_fig6_ale_age_hours.csv", values={"ale": "f"})}


def compute(model="r", K=500, K_pair=50):
    """Main effects with K = 500, the pair with K = 50."""
    people = load_adult().drop(columns="income")
    trees = black_box(MODEL, model)
    return dict(ale(trees, people, list(MAINS), K=K)) | {
        "age_hours": ale(trees, people, PAIR, K=K_pair)
    }


def draw(numbers, figure, text):
    """Draw the three main effects on one scale, and the pair."""
    axes = figure.subplots(2, 2)
    labels = {name: text(f"label.{name}") for name in MAINS}
    AleDisplay([numbers[name] for name in MAINS]).plot(
        ax=axes.ravel()[:3],
        labels=labels,
        ylabel=text("log_odds"),
        ylim=(-1.4, 1.9),
    )
    axes[0, 1].set_ylabel("")
    pair = axes[1, 1]
    AleDisplay(numbers["age_hours"]).plot(
        ax=pair,
        cells="intervals",
        empty="black",
        labels={name: labels[name] for name in PAIR},
        value_label=text("pair"),
        units="",
        visuals={"contours": False},
    )


def age_peaks(numbers):
    """Find the age with the largest effect."""
    effect = numbers["age"]
    x, f = effect.x_values[0], effect.f_values
    peak = x[f.argmax()]
    return decide(
        50 <= peak <= 54,
        partly=45 <= peak <= 60,
        peak=peak,
        value=f.max(),
        youngest=f[0],
        oldest=f[-1],
    )


def education_raises(numbers):
    """Look for a fall along the years of education."""
    f = numbers["education_num"].f_values
    fall = max(0.0, -np.diff(f).min())
    return decide(fall < 0.01, partly=f[-1] > f[0], fall=fall, first=f[0], last=f[-1])


def hours_steepest(numbers):
    """Compare the slope between 30 and 50 hours with those below and above."""
    effect = numbers["hours_per_week"]
    f = effect.evaluate([effect.x_values[0][0], 30, 50, effect.x_values[0][-1]])
    ends = np.array([effect.x_values[0][0], 30, 50, effect.x_values[0][-1]])
    below, middle, above = 10 * np.diff(f) / np.diff(ends)
    return decide(
        middle > max(below, above),
        partly=middle > min(below, above),
        below=below,
        middle=middle,
        above=above,
    )


CLAIMS = (
    Claim(
        "age",
        "The effect of age rises to a peak at about 50 to 54 years and falls after.",
        "Largest at {peak:.0f} years ({value:.2f}); {youngest:.2f} for the youngest, {oldest:.2f} "
        "for the oldest.",
        age_peaks,
    ),
    Claim(
        "education",
        "The effect of education rises throughout.",
        "From {first:.2f} to {last:.2f}; between neighbouring years it falls by at most "
        "{fall:.3f}.",
        education_raises,
    ),
    Claim(
        "hours",
        "The effect of weekly hours rises most steeply between 30 and 50.",
        "Per 10 hours: {below:.2f} below 30, {middle:.2f} between 30 and 50, {above:.2f} above.",
        hours_steepest,
    ),
)
