"""Effect of the month on the bike rentals that a conditional inference tree predicts.

Accumulated local effects of a category need an order of its levels: months with similar weather
and calendar stand side by side, so that the order follows from the data and not from the calendar.
After figure 8.14 of Molnar, Interpretable Machine Learning, 2nd edition.
"""

from aleplot_py import ale
from aleplot_py.plots.display import AleDisplay
from reproductions.engine.black_boxes import black_box
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference
from reproductions.figures.bike_rentals import DAYS, first_days
from reproductions.figures.drawing import start_with

IDS = ("molnar2/8.14",)
DATA = ("bike_edition2",)
MODEL = "book2_bike_tree"
SIZE = (7.0, 3.0)

FIRST_HALF = ["FEB", "JAN", "MAR", "DEC", "NOV", "APR"]
SECOND_HALF = ["OCT", "MAY", "SEP", "JUN", "JUL", "AUG"]

REFERENCE = {"mnth": Reference("fig8_11_14_ale_mnth.csv")}


def compute(model="r", days=DAYS):
    """Effect over the days; the order of the months is found from the other columns."""
    return {"mnth": ale(black_box(MODEL, model), first_days(days), "mnth")}


def draw(numbers, figure, text):
    """Draw one bar for each month."""
    effect = numbers["mnth"]
    axes = figure.subplots()
    AleDisplay(effect).plot(
        ax=axes,
        xlabel=text("label.mnth"),
        ylabel=text("ale.rentals"),
        level_labels={level: text(f"level.{level}") for level in effect.x_values[0]},
    )
    start_with(axes, effect, "FEB")


def months_in_order(numbers):
    """Compare the order with the book's, in either direction."""
    order = list(numbers["mnth"].x_values[0])
    order = order[::-1] if order[0] == "AUG" else order
    same = sum(a == b for a, b in zip(order, FIRST_HALF + SECOND_HALF, strict=True))
    return decide(same == 12, partly=set(order[:6]) == set(FIRST_HALF), same=same)


def five_months_low(numbers):
    """Compare the five months that the text calls low with the others, and the two lowest."""
    effect = numbers["mnth"]
    by_value = [month for _, month in sorted(zip(effect.f_values, effect.x_values[0], strict=True))]
    lowest = set(by_value[:2]) == {"NOV", "DEC"}
    november, december, april, march, january = effect.evaluate(["NOV", "DEC", "APR", "MAR", "JAN"])
    return decide(
        lowest and set(by_value[:5]) == {"NOV", "DEC", "APR", "MAR", "JAN"},
        partly=lowest,
        november=november,
        december=december,
        april=april,
        march=march,
        january=january,
        rest=effect.evaluate(by_value[5:6])[0],
    )


CLAIMS = (
    Claim(
        "order",
        "By similarity the cold months from February to April stand at one end, the warm ones from "
        "October to August at the other.",
        "{same:d} of 12 months stand where the book has them.",
        months_in_order,
    ),
    Claim(
        "lowest",
        "January, March and April, but above all December and November, have a lower effect on the "
        "predicted number than the other months.",
        "November {november:.0f}, December {december:.0f}, April {april:.0f}, March {march:.0f}, "
        "January {january:.0f}; the other months at least {rest:.0f} rentals a day.",
        five_months_low,
    ),
)
