"""What age and number of pregnancies do together to the predicted probability of cancer.

Second-order accumulated local effect of the pair for a random forest's probability over 858 women,
30 quantile intervals asked for, of which ties leave 24 for age and 6 for the pregnancies. Dots are
the women; hatched cells hold none and take over their nearest neighbour's local effect. After
figure 8.18 of Molnar, Interpretable Machine Learning, 2nd edition.
"""

from aleplot_py import ale
from aleplot_py.datasets.loaders import load_cervical
from aleplot_py.plots.display import AleDisplay
from reproductions.engine.black_boxes import black_box
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference

IDS = ("molnar2/8.18",)
DATA = ("cervical",)
MODEL = "book2_cervical_forest"
SIZE = (5.4, 3.6)

PAIR = ("Age", "Num.of.pregnancies")

REFERENCE = {"age_pregnancies": Reference("fig8_18_ale_age_pregnancies.csv")}


def compute(model="r", K=30):
    """Effect over all women, with iml's grid."""
    women = load_cervical().drop(columns="Biopsy")
    return {"age_pregnancies": ale(black_box(MODEL, model), women, PAIR, grid="iml", K=K)}


def draw(numbers, figure, text):
    """Draw the coloured cells with the women over them."""
    labels = {"Age": text("age"), "Num.of.pregnancies": text("pregnancies")}
    axes = figure.subplots()
    AleDisplay(numbers["age_pregnancies"]).plot(
        ax=axes,
        labels=labels,
        value_label=text("value"),
        units="",
        visuals={"points": True, "contours": False},
    )
    # Women at the ends of the grid, as those never pregnant, are seen whole.
    axes.set(xlim=(12, 85), ylim=(-0.4, 11.4))


def odd_for_young_mothers(numbers):
    """Find the largest effect at ages 18 to 20, for 3 pregnancies and for more."""
    effect = numbers["age_pregnancies"]
    (age, pregnancies), f = effect.x_values, effect.f_values
    young = f[(age >= 18) & (age <= 20)]
    three, more = young[:, pregnancies == 3].max(), young[:, pregnancies > 3].max()
    ages, counts = effect.observed
    women = ((ages >= 18) & (ages <= 20) & (counts > 3)).sum()
    return decide(
        0.04 < more < 0.06,
        partly=max(three, more) > 0.04,
        three=100 * three,
        more=100 * more,
        women=women,
    )


CLAIMS = (
    Claim(
        "odd",
        "The model is odd at ages 18 to 20 with more than 3 pregnancies: the probability of cancer "
        "is up to 5 percentage points higher.",
        "The largest effect at these ages is {three:.1f} percentage points with 3 pregnancies and "
        "{more:.1f} with more, which {women:d} women had.",
        odd_for_young_mothers,
    ),
)
