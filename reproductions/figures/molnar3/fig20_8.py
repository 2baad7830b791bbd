"""Effect of body mass on the probability that a penguin is female, overall and by species.

Accumulated local effects of a random forest's probability (share of votes), over all 333 penguins
on the left and over those of each species on the right. After figure 20.8 of Molnar, Interpretable
Machine Learning, 3rd edition. Its caption speaks of the probability, which is shown here; the call
behind the book's picture explains the predicted class, which the companion figure shows.
"""

from reproductions.engine.black_boxes import black_box
from reproductions.engine.figure import Claim
from reproductions.engine.reference import Reference
from reproductions.figures.molnar3._penguins import (
    cut_off_points,
    draw_effects,
    falls_with_mass,
    mass_effects,
    mass_partial_dependence,
    similar_to_partial_dependence,
)

IDS = ("molnar3/20.8",)
DATA = ("penguins",)
MODEL = "book3_penguin_forest"
SEED = 2
SIZE = (6.4, 2.9)

REFERENCE = {
    name: Reference(f"fig20_8_prob_ale_penguin_{name}.csv")
    for name in ("all", "Adelie", "Chinstrap", "Gentoo")
}


def compute(model="r", K=20):
    """Effects on the probability of female, and its partial dependence to compare them with."""
    probability = black_box(MODEL, model)
    return mass_effects(probability, K) | mass_partial_dependence(probability, K)


def draw(numbers, figure, text):
    """Draw all penguins on the left and the species on the right."""
    draw_effects(numbers, figure, text, ylim=(-0.6, 0.6))


CLAIMS = (
    Claim(
        "falls",
        "The heavier a penguin, the less likely it is predicted to be female.",
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
    Claim(
        "pd",
        "In general the effects are quite similar to partial dependence.",
        "Largest difference from centred partial dependence as a share of the curve's range: all "
        "{all:.0f} %, Adelie {Adelie:.0f} %, Chinstrap {Chinstrap:.0f} %, Gentoo {Gentoo:.0f} %.",
        similar_to_partial_dependence,
    ),
)
