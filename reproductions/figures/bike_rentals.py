"""What the figures on bike rentals of both editions share: drawing, and claims about weather."""

from aleplot_py.datasets.loaders import load_bike
from aleplot_py.plots.display import AleDisplay
from reproductions.engine.figure import decide

DAYS = 731
COLD, HOT = 10, 20  # degrees
# From here on, says the second edition, rentals fall with humidity.
HUMID = 60  # percent
VERY_HUMID = 80


def first_days(days):
    """Features of the second edition's data, on the first so many days."""
    if not 1 <= days <= DAYS:
        raise ValueError(f"days must be 1 to {DAYS}, got {days}")
    return load_bike(edition=2).drop(columns="cnt").iloc[:days]


def draw_curves(effects, axes, text, *, ylabel, ylim=None):
    """Draw main effects beside each other, with one label for the values."""
    labels = {name: text(f"label.{name}") for name in effects}
    AleDisplay(effects).plot(ax=axes, ylim=ylim, labels=labels, ylabel=ylabel)
    for ax in axes[1:]:
        ax.set_ylabel("")


def draw_pair(effect, ax, text, *, value_label, **options):
    """Draw an effect of humidity and temperature."""
    labels = {name: text(f"label.{name}") for name in effect.features}
    return AleDisplay(effect).plot(
        ax=ax, labels=labels, value_label=value_label, units="", **options
    )


def cold_and_humid(pair, sign):
    """Judge the sign of the second-order effect of (hum, temp) on cold days."""
    return _on_humid_days(pair, pair.observed[1] < COLD, sign)


def hot_and_humid(pair, sign):
    """Judge the sign of the second-order effect of (hum, temp) on hot days."""
    return _on_humid_days(pair, pair.observed[1] > HOT, sign)


def mains_of_cold_and_humid(temperature, humidity):
    """Judge whether both main effects are negative, one on cold, one on very humid days."""
    cold = temperature.observed[0] < COLD
    humid = humidity.observed[0] > VERY_HUMID
    numbers = {
        "temp": temperature.evaluate(temperature.observed[0][cold]).mean(),
        "hum": humidity.evaluate(humidity.observed[0][humid]).mean(),
    }
    negative = [value < 0 for value in numbers.values()]
    return decide(
        all(negative),
        partly=any(negative),
        n_cold=int(cold.sum()),
        n_humid=int(humid.sum()),
        **numbers,
    )


def _on_humid_days(pair, chosen, sign):
    """Mean effect on the humid and on the very humid days among those chosen.

    Days, not grid points: most cells of the grid hold no day.
    """
    humidity, temperature = (values[chosen] for values in pair.observed)
    effect = pair.evaluate(humidity, temperature)
    very = humidity > VERY_HUMID
    humid = (humidity > HUMID) & ~very
    numbers = {
        "humid": effect[humid].mean(),
        "very_humid": effect[very].mean(),
        "n_humid": int(humid.sum()),
        "n_very_humid": int(very.sum()),
    }
    agree = [sign * numbers[name] > 0 for name in ("humid", "very_humid")]
    return decide(all(agree), partly=any(agree), **numbers)
