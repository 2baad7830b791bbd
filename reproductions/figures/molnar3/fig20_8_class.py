"""Effect of body mass on the predicted sex of a penguin (1 female, 0 male): what the book drew.

Companion of figure 20.8 of Molnar, Interpretable Machine Learning, 3rd edition. The call behind the
book's picture names no kind of prediction, so that the predicted class is explained instead of the
probability. R breaks tied votes at random; here they count as female (2 of 1332 predictions).
"""

import numpy as np

from reproductions.engine.black_boxes import black_box
from reproductions.engine.figure import Claim
from reproductions.engine.reference import Reference
from reproductions.figures.molnar3._penguins import (
    cut_off_points,
    draw_effects,
    falls_with_mass,
    mass_effects,
)

IDS = ("molnar3/20.8-class",)
DATA = ("penguins",)
MODEL = "book3_penguin_forest"
SEED = 2
SIZE = (6.4, 2.9)

REFERENCE = {
    name: Reference(f"fig20_8_class_ale_penguin_{name}.csv")
    for name in ("all", "Adelie", "Chinstrap", "Gentoo")
}


def compute(model="r", K=20):
    """Effects on the predicted class."""
    probability = black_box(MODEL, model)
    return mass_effects(lambda X: np.where(probability(X) >= 0.5, 1.0, 0.0), K)


def draw(numbers, figure, text):
    """Draw all penguins on the left and the species on the right."""
    draw_effects(numbers, figure, text, ylim=(-0.45, 0.45))


CLAIMS = (
    Claim(
        "falls",
        "The heavier a penguin, the less often it is predicted to be female.",
        "The effect falls from {first:.2f} to {last:.2f}; the largest rise between neighbouring "
        "points is {rise:.3f}.",
        falls_with_mass,
    ),
    Claim(
        "thresholds",
        "Each species has a clear cut-off point, above which the body mass is more typical of "
        "males.",
        "{clear:d} of {n:d} curves pass through 0 once only; the last passage is at {Adelie:.0f} g "
        "(Adelie), {Chinstrap:.0f} g (Chinstrap) and {Gentoo:.0f} g (Gentoo).",
        cut_off_points,
    ),
)
