"""Colours of individual curves by the value of another feature in their rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from aleplot_py.inputs.arrays import as_column, numbers_of
from aleplot_py.inputs.axes import levels_of
from aleplot_py.inputs.requests import is_listing
from aleplot_py.inputs.times import times_of
from aleplot_py.plots.labels import feature_label, level_labels
from aleplot_py.plots.look import GREY, SEQUENTIAL, Array, Look, cycle_style
from aleplot_py.plots.times import Clocks, colour_times
from aleplot_py.results.effects import Effect, PartialDependenceResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection


# More levels than the style has colours, and than a legend helps to tell apart.
FEW_LEVELS, MOST_LEVELS = 5, 12


@dataclass(frozen=True)
class Colouring:
    """Values of another feature in the rows of an effect.

    Parameters
    ----------
    name : label or None
        The feature, where it has a name.
    values : ndarray of shape (n,)
        Numbers, or numbers of levels: -1 where it is missing.
    clocks : Clocks or None
        How the colour bar tells the times that the numbers count.
    levels : list of labels, or None
        Levels of a category.
    """

    name: Hashable | None
    values: Array
    clocks: Clocks | None = None
    levels: list[Any] | None = None

    @classmethod
    def of(cls, effect: Effect, given: Any) -> Colouring | None:
        """Of an effect with individual curves; None for others.

        Raises
        ------
        ValueError, TypeError
            If the values are not one per row, not numbers or categories, or of too many levels; or
            if the name of a feature is given and the result has no rows any more.
        """
        if not isinstance(effect, PartialDependenceResult) or effect.individual is None:
            return None
        column = _column(effect, given)
        n = len(effect.individual)
        if column.shape != (n,):
            raise ValueError(
                f"colour_by must have one value per row of the effect, ({n},), got {column.shape}"
            )
        times = times_of(column)
        if times is not None:
            return cls(column.name, *colour_times(column, times))
        numbers = numbers_of(column)
        if numbers is not None:
            return cls(column.name, numbers)
        known = column.notna().to_numpy()
        levels, codes = levels_of(column[known])
        if len(levels) > MOST_LEVELS:
            raise ValueError(
                f"colour_by must have at most {MOST_LEVELS} levels to be told apart, got "
                f"{len(levels)}"
            )
        values = np.full(n, -1)
        values[known] = codes
        return cls(column.name, values, levels=levels)

    def options(self, rows: Array) -> dict[str, Any]:
        """Options of the curves of some rows."""
        if self.levels is None:
            return {"array": np.ma.masked_invalid(self.values[rows]), "cmap": SEQUENTIAL}
        colours = [*_colours(len(self.levels)), GREY]  # the last where it is missing
        return {"colors": [colours[value] for value in self.values[rows]]}

    def explain(self, ax: Axes, lines: LineCollection, look: Look) -> dict[str, Any]:
        """Draw the colour bar of numbers, or the legend of levels."""
        from matplotlib.lines import Line2D

        text = None if self.name is None else feature_label(self.name, look.labels)
        if self.levels is not None:
            handles = [Line2D([], [], color=one) for one in _colours(len(self.levels))]
            ax.legend(handles, level_labels(self.levels, look), title=text)
            return {}
        if not look.draws("colorbar"):
            return {}
        bar = ax.figure.colorbar(lines, ax=ax, **look.options("colorbar", label=text))
        if self.clocks is not None:
            self.clocks.write(bar.ax)
        if bar.solids is not None:
            bar.solids.set_alpha(1)
        return {"colorbars_": bar}


def colourings(effects: Sequence[Effect], given: Any) -> list[Colouring | None]:
    """Colours of the curves of every effect that has some.

    Raises
    ------
    ValueError
        If none has.
    """
    if given is None:
        return [None] * len(effects)
    found = [Colouring.of(effect, given) for effect in effects]
    if all(one is None for one in found):
        raise ValueError("colour_by needs individual curves: compute them with ice()")
    return found


def _colours(n: int) -> list[Any]:
    """Colours of levels: those of curves without black, which the mean has; of many, a sequence."""
    import matplotlib

    if n <= FEW_LEVELS:
        return [cycle_style(i)["color"] for i in range(n)]
    return list(matplotlib.colormaps[SEQUENTIAL](np.linspace(0, 1, n)))


def _column(effect: PartialDependenceResult, given: Any) -> Any:
    """Values of the other feature, (n,) unless the caller's have another shape."""
    if is_listing(given):
        return as_column(given, "colour_by")
    if effect._column is None:
        raise ValueError(
            f"colour_by={given!r} is the name of a feature, but a result from a file has no other "
            "features: pass the values, one per row"
        )
    return effect._column(given)
