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

# Years of education that stand for a bachelor's, a master's and a professional degree, after which
# the doctorate follows.
DEGREES = (13, 14, 15)
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
    """Find the age with the largest effect, around 50 if less than five years away."""
    effect = numbers["age"]
    x, f = effect.x_values[0], effect.f_values
    peak = x[f.argmax()]
    return decide(
        abs(peak - 50) < 5,
        partly=abs(peak - 50) < 10,
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


def degrees_jump_most(numbers):
    """Compare the steps to the three higher degrees with all other steps between years."""
    effect = numbers["education_num"]
    steps = dict(zip(effect.x_values[0][1:], np.diff(effect.f_values), strict=True))
    jumps = [steps.pop(years) for years in DEGREES]
    bachelor, master, doctor = jumps
    others = max(steps.values())
    return decide(
        min(jumps) > others,
        partly=max(jumps) > others,
        bachelor=bachelor,
        master=master,
        doctor=doctor,
        next=others,
    )


def hours_monotone(numbers):
    """Look for a fall along the weekly hours up to 50."""
    effect = numbers["hours_per_week"]
    hours = effect.x_values[0]
    f = effect.f_values[hours <= 50]
    steps = np.diff(f)
    lowest = steps.argmin()
    return decide(
        steps[lowest] >= 0,
        first=f[0],
        last=f[-1],
        fall=-min(0.0, steps[lowest]),
        start=hours[lowest],
        end=hours[lowest + 1],
    )


def pair_turns_with_age(numbers):
    """Compare what longer hours change at two ages with the text's changes."""
    pair = numbers["age_hours"]
    changes = {
        name: float(np.diff(pair.evaluate([age, age], [35, 80]))[0])
        for name, age in (("young", 25), ("old", 75))
    }
    return decide(
        abs(changes["young"] - 0.3) < 0.05 and abs(changes["old"] + 0.5) < 0.05,
        partly=changes["young"] > 0 > changes["old"],
        **changes,
    )


def old_gain_from_hours(numbers):
    """Add the main effect of longer hours to the second-order effect at 75."""
    main = float(np.diff(numbers["hours_per_week"].evaluate([35, 80]))[0])
    pair = float(np.diff(numbers["age_hours"].evaluate([75, 75], [35, 80]))[0])
    both = main + pair
    return decide(abs(both - 0.6) < 0.1, partly=both > 0, main=main, pair=pair, both=both)


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
        "The effect of age gradually increases until it peaks around 50 years, and then gradually "
        "declines.",
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
        "degrees",
        "The largest jumps of education are those from associate's to bachelor's degree, from "
        "bachelor's to master's, and from master's to professional degree or doctorate.",
        "{bachelor:.2f}, {master:.2f} and {doctor:.2f}; the next largest {next:.2f}.",
        degrees_jump_most,
    ),
    Claim(
        "monotone",
        "The effect of weekly hours increases monotonically until about 50 hours.",
        "Up to 50 hours the effect goes from {first:.2f} to {last:.2f}; the largest fall "
        "on the way is {fall:.3f} (from {start:.0f} to {end:.0f} hours).",
        hours_monotone,
    ),
    Claim(
        "hours",
        "The effect of weekly hours rises most steeply between 30 and 50.",
        "Per 10 hours: {below:.2f} below 30, {middle:.2f} between 30 and 50, {above:.2f} above.",
        hours_steepest,
    ),
    Claim(
        "pair",
        "From 35 to 80 hours the second-order effect increases by 0.3 for 25-year-olds and "
        "decreases by 0.5 for 75-year-olds.",
        "It changes by {young:.2f} at age 25 and by {old:.2f} at age 75.",
        pair_turns_with_age,
    ),
    Claim(
        "old",
        "Main and second-order effect together still rise for 75-year-olds from 35 to 80 hours, by "
        "about 0.6.",
        "The main effect changes by {main:.2f}, the second-order effect by {pair:.2f}, together by "
        "{both:.2f}.",
        old_gain_from_hours,
    ),
)
