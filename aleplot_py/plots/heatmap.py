"""A matrix as colours with its numbers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from aleplot_py.plots.base import Display, check_names, new_axes, turn_labels
from aleplot_py.plots.labels import feature_label
from aleplot_py.plots.look import DIVERGING, SEQUENTIAL, Look
from aleplot_py.plots.pairs import draw_colorbar
from aleplot_py.plots.visuals import OldCmap, Visuals, checked_visuals, with_old_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class HeatmapDisplay(Display):
    """Heat map of a labelled matrix, with its numbers written in the cells.

    Parameters
    ----------
    values : (r, c) array
        NaN cells stay empty.
    rows, columns : sequence of hashable
        Names along the axes.
    label : str
        What the colours mean.
    limits : (float, float), optional
        Values at the ends of the colour scale; by default symmetric about 0.

    Attributes
    ----------
    figure_ : Figure
        The figure.
    axes_ : ndarray of Axes, shape (1,)
        Where it was drawn.
    image_ : AxesImage
        The coloured cells.
    texts_ : list of Text
        In the order of the cells, row by row, without the empty ones.
    colorbar_ : Colorbar or None
        The key to the colours.
    """

    image_: Any
    texts_: list[Any]
    colorbar_: Any

    def __init__(
        self,
        values: NDArray[np.float64],
        rows: Sequence[Hashable],
        columns: Sequence[Hashable],
        label: str,
        limits: tuple[float, float] | None = None,
    ) -> None:
        self.values = values
        self.rows = rows
        self.columns = columns
        self.label = label
        self.limits = limits

    def plot(
        self,
        *,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
        labels: Mapping[Any, str] | None = None,
        title: str | None = None,
        visuals: Visuals | None = None,
        **old: Unpack[OldCmap],
    ) -> Self:
        """Draw the matrix.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; it keeps its style. By default a new figure in the style of `STYLE`.
        figsize : (width, height), optional
            Inches of a new figure.
        labels : mapping of name to str, optional
            Text for rows and columns.
        title : str, optional
            Above the axes.
        visuals : mapping of layer to bool or mapping, optional
            ``mesh`` (options of ``Axes.imshow``: ``cmap`` ...), ``numbers`` (``Axes.text``) and
            ``colorbar`` (``Figure.colorbar``), as in `AleDisplay.plot`. By default diverging
            colours where the scale is symmetric about 0.
        **old
            ``cmap`` as an argument of its own, as up to 0.1.0: deprecated.

        Returns
        -------
        HeatmapDisplay
            This display.

        Raises
        ------
        ValueError, TypeError
            If a layer or a name is unknown.
        """
        texts = labels or {}
        check_names("labels", texts, [*self.rows, *self.columns])
        given = with_old_names(visuals, old, {"cmap": ("mesh", "cmap")}, self.plot)
        layers = checked_visuals(given, ("mesh", "numbers", "colorbar"), always=("mesh",))
        look = Look(labels=texts, level_labels={}, units="", visuals=layers)
        size = figsize or (1.8 + 0.42 * len(self.columns), 0.9 + 0.3 * len(self.rows))
        with self._drawing(ax, 1, lambda: new_axes(1, 1, size)) as (axes,):
            self._draw(axes, look)
            turn_labels(axes, [feature_label(name, texts) for name in self.columns])
            axes.set_yticks(range(len(self.rows)), [feature_label(r, texts) for r in self.rows])
            axes.tick_params(axis="y", length=0)
            for side in axes.spines.values():
                side.set_visible(False)
            if title:
                axes.set_title(title)
        return self

    def _draw(self, ax: Axes, look: Look) -> None:
        """Cells, numbers and colour bar."""
        largest = float(np.nanmax(np.abs(self.values), initial=0.0)) or 1.0
        low, high = self.limits or (-largest, largest)
        options = look.options(
            "mesh",
            cmap=DIVERGING if low == -high else SEQUENTIAL,
            vmin=low,
            vmax=high,
            aspect="auto",
        )
        self.image_ = ax.imshow(self.values, **options)
        self.texts_ = []
        if look.draws("numbers"):
            self.texts_ = [
                self._write(ax, r, c, value, look)
                for (r, c), value in np.ndenumerate(self.values)
                if np.isfinite(value)
            ]
        self.colorbar_ = None
        if look.draws("colorbar"):
            self.colorbar_ = draw_colorbar(ax, self.image_, self.label, look)

    def _write(self, ax: Axes, row: int, column: int, value: float, look: Look) -> Any:
        """Write a number in black or white, whichever can be read on the cell's colour."""
        red, green, blue, _ = self.image_.to_rgba(np.array([value]))[0]
        ink = "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"
        options = look.options("numbers", ha="center", va="center", color=ink)
        text = f"{value:.0f}" if 99.5 <= abs(value) < 1e5 else f"{value:.2g}"
        return ax.text(column, row, text, **options)
