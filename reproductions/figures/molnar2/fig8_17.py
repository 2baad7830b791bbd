"""Effect of age and of hormonal contraceptives on the predicted probability of cervical cancer.

Accumulated local effects of a random forest's probability (share of votes) over 858 women, in 20
quantile intervals, of which ties leave 18 for age and 11 for the years (strokes mark the values
that occur). Each curve ends in one long interval with few women. After figure 8.17 of Molnar,
Interpretable Machine Learning, 2nd edition.
"""

import numpy as np

from aleplot_py import ale
from aleplot_py.datasets.loaders import load_cervical
from aleplot_py.plots.display import AleDisplay
from reproductions.engine.black_boxes import black_box
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference

IDS = ("molnar2/8.17",)
DATA = ("cervical",)
MODEL = "book2_cervical_forest"
SIZE = (6.4, 2.9)

CONTRACEPTIVES = "Hormonal.Contraceptives..years."
# The grid has a point at 41 and the next at the oldest woman's age.
FORTY = 41

REFERENCE = {
    "age": Reference("fig8_17_ale_age.csv"),
    "hormonal": Reference("fig8_17_ale_hormonal.csv"),
}


def compute(model="r", K=20):
    """Effects over all women, with iml's defaults."""
    women = load_cervical().drop(columns="Biopsy")
    effects = ale(black_box(MODEL, model), women, ["Age", CONTRACEPTIVES], grid="iml", K=K)
    return {"age": effects["Age"], "hormonal": effects[CONTRACEPTIVES]}


def draw(numbers, figure, text):
    """Draw age on the left and years of contraceptives on the right, on one scale."""
    axes = figure.subplots(1, 2, sharey=True)
    labels = {"Age": text("age"), CONTRACEPTIVES: text("hormonal")}
    AleDisplay(numbers).plot(ax=axes, labels=labels, ylabel=text("value"))
    axes[1].set_ylabel("")


def low_until_forty(numbers):
    """Compare the rise after 40 with the changes before."""
    effect = numbers["age"]
    age = effect.x_values[0]
    before = effect.f_values[age <= FORTY]
    last = effect.f_values[-1]
    after = (effect.observed[0] > FORTY).sum()
    rises = last > before.max()
    return decide(
        rises and last - before[-1] > np.ptp(before),
        partly=rises,
        lowest=before.min(),
        highest=before.max(),
        last=last,
        oldest=age[-1],
        after=after,
    )


def risk_rises_after_eight_years(numbers):
    """Compare the effect up to 8 years with that from there on."""
    effect = numbers["hormonal"]
    years, f = effect.x_values[0], effect.f_values
    before, after = f[years < 8], f[years > 8]
    rises = after.min() > before.max()
    women = (effect.observed[0] > 8).sum()
    return decide(
        rises and (np.diff(after) > 0).all(),
        partly=after[-1] > before.max(),
        highest=before.max(),
        first=after[0],
        last=after[-1],
        women=women,
    )


CLAIMS = (
    Claim(
        "age",
        "The predicted probability of cancer is low up to age 40 and rises after.",
        "Up to age 41 the effect stays between {lowest:.3f} and {highest:.3f}; in the last "
        "interval, with {after:d} women, it rises to {last:.3f} at age {oldest:.0f}.",
        low_until_forty,
    ),
    Claim(
        "contraceptives",
        "The risk rises after 8 years of hormonal contraceptives.",
        "At most {highest:.3f} before 8 years, {first:.3f} at 9 and {last:.3f} at 30; {women:d} "
        "women are beyond 8 years.",
        risk_rises_after_eight_years,
    ),
)
