"""A matrix as colours with its numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class HeatmapDisplay:
    """Heat map of a labelled matrix, with its numbers written in the cells.

    Parameters
    ----------
    values : (r, c) array
        NaN cells stay empty.
    rows, columns : sequence of hashable
    label : str
        What the colours mean.
    limits : (float, float), optional
        Values at the ends of the colour scale; by default symmetric about 0.

    Attributes
    ----------
    figure_, ax_ : matplotlib figure and axes
    image_ : matplotlib image
    texts_ : list of matplotlib texts
        In the order of the cells, row by row, without the empty ones.
    """

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

    def plot(self, *, ax: Axes | None = None, cmap: str = "viridis") -> HeatmapDisplay:
        """Draw on ``ax``, or on a new figure, and return the display."""
        import matplotlib.pyplot as plt

        if ax is None:
            size = (2.5 + 0.65 * len(self.columns), 1.5 + 0.45 * len(self.rows))
            _, ax = plt.subplots(figsize=size, layout="constrained")
        self.ax_ = ax
        self.figure_ = ax.figure
        largest = float(np.nanmax(np.abs(self.values))) or 1.0
        low, high = self.limits or (-largest, largest)
        self.image_ = ax.imshow(self.values, cmap=cmap, vmin=low, vmax=high, aspect="auto")
        ax.set_xticks(range(len(self.columns)), [str(c) for c in self.columns], rotation=45)
        ax.set_yticks(range(len(self.rows)), [str(r) for r in self.rows])
        for tick in ax.get_xticklabels():
            tick.set_horizontalalignment("right")
        ax.figure.colorbar(self.image_, ax=ax, label=self.label)
        self.texts_ = [
            ax.text(c, r, f"{value:.2g}", ha="center", va="center", color=self._ink(value))
            for (r, c), value in np.ndenumerate(self.values)
            if np.isfinite(value)
        ]
        return self

    def _ink(self, value: float) -> str:
        """Black or white, whichever can be read on the cell's colour."""
        red, green, blue, _ = self.image_.to_rgba(np.array([value]))[0]
        return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"
