"""What all drawing functions share: the options of one call of ``plot``, colours, sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aleplot_py.plots.visuals import Options
from aleplot_py.results.effects import AleResult, Effect, PartialDependenceResult
from aleplot_py.steps.grid import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from aleplot_py.plots.colouring import Colouring


#: Style sheet of the figures; ``with matplotlib.style.context(STYLE): ...`` applies it elsewhere.
STYLE = Path(__file__).with_name("aleplot.mplstyle")

# More vector strokes than this make a file that viewers choke on: they are kept as pixels in it.
MANY = 2000
# Letters that fit along an axis in one line.
LONG = 32
Array = np.ndarray[Any, Any]


DIVERGING, SEQUENTIAL = "RdBu_r", "viridis"
FAINT, GREY, INK = "0.65", "0.45", "0.15"
# Letters shown of the name of a level, and of a feature.
LONGEST_LEVEL, LONGEST_FEATURE = 28, 48
# Degrees by which long level names are turned, and the height of a line that still fits then, as a
# share of the distance between them (less than its sine).
TURN, TURNED = 40, 0.58


@dataclass(frozen=True, kw_only=True)
class Look:
    """Options of one call of ``plot`` that the drawing functions need."""

    individual: bool | int = True
    local_effects: bool | int = False
    heterogeneity: bool = False
    show: str = "effect"
    cells: str = "points"
    empty: str | None = None
    min_count: float | None = None
    clim: tuple[float, float] | None = None
    labels: Mapping[Any, str]
    level_labels: Mapping[Any, str]
    xlabel: str | None = None
    ylabel: str | None = None
    value_label: str | None = None
    units: str
    visuals: Mapping[str, bool | Options]
    shared: bool = False
    titled: bool = False
    colouring: Colouring | None = None

    def draws(self, layer: str, *, by_default: bool = True) -> bool:
        """Whether a layer is drawn."""
        return self.visuals.get(layer, by_default) is not False

    def without(self, layer: str) -> Look:
        """The same without a layer."""
        return replace(self, visuals={**self.visuals, layer: False})

    def options(self, layer: str, **defaults: Any) -> dict[str, Any]:
        """Options of a layer for matplotlib: ours, and the user's over them."""
        given = self.visuals.get(layer, True)
        return {**defaults, **given} if isinstance(given, Mapping) else defaults


def keep_tick_style(ax: Axes) -> None:
    """Fix what matplotlib would read from the settings when it makes ticks, long after this."""
    import matplotlib

    settings: Any = matplotlib.rcParams
    for which in ("x", "y"):
        tick = f"{which}tick"
        options: dict[str, Any] = {
            "length": settings[f"{tick}.major.size"],
            "width": settings[f"{tick}.major.width"],
            "pad": settings[f"{tick}.major.pad"],
            "labelsize": settings[f"{tick}.labelsize"],
            "color": settings[f"{tick}.color"],
            "labelcolor": settings[f"{tick}.color"],
        }
        getattr(ax, f"{which}axis").set_tick_params(**options)


def cycle_style(number: int) -> Mapping[str, Any]:
    """Colour and dashes of a curve by its number, as the present style counts them."""
    import matplotlib

    styles = list(matplotlib.rcParams["axes.prop_cycle"])
    return {"color": "C0", **styles[number % len(styles)]}


def is_centred(effect: Effect) -> bool:
    """Whether 0 has a meaning: the mean over the data, or the value at an anchor."""
    if isinstance(effect, AleResult):
        return effect.centre not in ("none", "total")
    centre = getattr(effect, "centre", None)
    return not (isinstance(centre, str) and centre == "none")


def individual_curves(effect: Effect, look: Look) -> FloatArray | None:
    """Individual curves, (n, P), of a main effect that has them; of a sample of rows on request."""
    if not (look.individual and isinstance(effect, PartialDependenceResult)):
        return None
    if effect.individual is None or len(effect.features) == 2:
        return None
    return effect.individual[sample_of_rows(len(effect.individual), look.individual)]


def sample_of_rows(n: int, size: bool | int) -> Array:
    """Positions of all of n rows, or of as many as asked for, drawn with a fixed seed."""
    if size is True or size >= n:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, size=size, replace=False))
