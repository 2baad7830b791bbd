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


def contour_labels(text: Text) -> dict[str, Any]:
    """Size of the numbers on contours: Persian digits are smaller than others of the same size.

    Parameters
    ----------
    text : Text
        Messages of the figure.

    Returns
    -------
    dict
        Options of the layer ``contour_labels``.
    """
    return {"fontsize": 8.5 if text.language.direction == "rtl" else 6}
