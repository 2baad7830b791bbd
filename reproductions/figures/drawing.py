"""What several figures draw in the same way."""

from typing import Any

from matplotlib.axes import Axes

from aleplot_py.results.effects import Effect
from reproductions.engine.texts import Text


def start_with(ax: Axes, effect: Effect, level: str) -> None:
    """Turn a categorical axis around, if that brings a level to its left end.

    An order of levels by similarity has no direction; pictures have the source's.

    Parameters
    ----------
    ax : Axes
        Where the effect is drawn.
    effect : Effect
        Main effect of a categorical feature.
    level : str
        The level at the left end of the source's picture.
    """
    if effect.x_values[0][-1] == level:
        ax.invert_xaxis()


def contour_labels(text: Text) -> dict[str, Any] | bool:
    """Whether contours have their numbers on them, which the colour bar says too.

    A Persian zero is a dot: on a line, among the dots of rows, it cannot be read.

    Parameters
    ----------
    text : Text
        Messages of the figure.

    Returns
    -------
    dict or bool
        Options of the layer ``contour_labels``, or False for none.
    """
    return False if text.language.direction == "rtl" else {}
