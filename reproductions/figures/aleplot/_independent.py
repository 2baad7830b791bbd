"""What the vignette's first two examples share: independent features and their true effects."""

import numpy as np
from scipy.special import expit

from aleplot_py.plots.display import AleDisplay

FEATURES = ("x1", "x2", "x3", "x4")

# Effects in the population, centred over U(0, 1).
TRUE_EFFECTS = {
    "x1": lambda x: 4 * (x - 1 / 2),
    "x2": lambda x: 3.87 * (x**2 - 1 / 3),
    "x3": lambda x: 2.97 * (expit(10 * x - 5) - 1 / 2),
    "x4": lambda x: 0 * x,
}


def draw_mains(axes, numbers, text):
    """Draw the four main effects, one per axes, with the true effects."""
    for ax, name in zip(axes, FEATURES, strict=True):
        effect = numbers[name]
        AleDisplay(effect).plot(
            ax=ax,
            xlabel=text(f"label.{name}"),
            ylabel=text("ale"),
            visuals={"rug": False, "line": {"label": text("estimate")}},
        )
        x = np.linspace(0, 1, 101)
        ax.plot(
            x,
            TRUE_EFFECTS[name](x),
            color="black",
            linestyle="--",
            linewidth=1.0,
            label=text("truth"),
        )
        ax.set(ylim=(-2.3, 2.9), xticks=(0, 0.5, 1))
    axes[0].legend(loc="upper left")
    for ax in axes[1:]:
        ax.set_ylabel("")


def error(effect, name):
    """Largest distance of an estimated effect from the true one."""
    return np.abs(effect.f_values - TRUE_EFFECTS[name](effect.x_values[0])).max()


def shares_explained(effect):
    """Share of the effect's variance over its grid points that a line and a parabola explain."""
    x, f = effect.x_values[0], effect.f_values
    return [
        1 - np.var(f - np.polyval(np.polyfit(x, f, degree), x)) / np.var(f) for degree in (1, 2)
    ]
