"""Bars of rows below the averages of response and prediction, partial dependence and ALE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from aleplot_py.plots.base import Display, check_names, new_axes
from aleplot_py.plots.labels import as_text, label_axes, name_levels
from aleplot_py.plots.look import (
    FAINT,
    GREY,
    INK,
    LONGEST_LEVEL,
    Array,
    Look,
    cycle_style,
    keep_tick_style,
)
from aleplot_py.plots.times import Clocks
from aleplot_py.plots.visuals import Visuals, checked_visuals
from aleplot_py.typing import AxesLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from aleplot_py.analysis.panel import EffectPanel

LINES = ("observed", "predicted", "PD", "ALE")
# Share of the axes that the bars reach, below most of the lines.
_BARS = 0.3


class EffectPanelDisplay(Display):
    """Drawing of an `EffectPanel`.

    Parameters
    ----------
    result : EffectPanel
        What is drawn.

    Attributes
    ----------
    figure_ : Figure
        The figure of the first axes.
    axes_ : ndarray of Axes, shape (number of features,)
        One for each feature.
    count_axes_ : list of Axes
        Those of the bars, over the same places.
    bars_ : list of BarContainer
        Rows, or their weight, of each interval or level.
    lines_ : list of dict of str to Line2D
        Of each feature "observed", "predicted", "PD" and "ALE".
    legend_ : Legend or None
        One for all.
    """

    count_axes_: list[Any]
    bars_: list[Any]
    lines_: list[dict[str, Any]]
    legend_: Any

    def __init__(self, result: EffectPanel) -> None:
        self.result = result

    def plot(
        self,
        *,
        ax: AxesLike | None = None,
        n_cols: int = 3,
        figsize: tuple[float, float] | None = None,
        labels: Mapping[Any, str] | None = None,
        level_labels: Mapping[Any, str] | None = None,
        ylabel: str | None = None,
        units: str | None = None,
        title: str | None = None,
        visuals: Visuals | None = None,
    ) -> Self:
        """Draw one axes for each feature, all with the same y axis.

        Parameters
        ----------
        ax : sequence of Axes, optional
            One for each feature; they keep their style. By default a new figure in the style of
            `STYLE`.
        n_cols : int, default 3
            Largest number of columns of a new figure.
        figsize : (width, height), optional
            Inches of a new figure.
        labels : mapping of feature, or of "observed", "predicted", "PD", "ALE" or "count", to str
            Texts for them.
        level_labels : mapping of level to str, optional
            Text for the levels drawn.
        ylabel : str, optional
            Text at the averages.
        units : str, optional
            Units of the prediction; ``""`` for none.
        title : str, optional
            Above the figure.
        visuals : mapping of layer to bool or mapping, optional
            ``line`` (options of ``Axes.plot``), ``bars`` (``Axes.bar``) and ``legend``
            (``Figure.legend``), as in `AleDisplay.plot`.

        Returns
        -------
        EffectPanelDisplay
            This display.

        Raises
        ------
        ValueError, TypeError
            If a layer, a feature or a level is unknown.
        """
        effects = self.result.effects
        texts, names = labels or {}, level_labels or {}
        check_names("labels", texts, [*self.result.features, *LINES, "count"])
        levels = [v for e in effects if e.kinds == ("categorical",) for v in e.x_values[0]]
        check_names("level_labels", names, levels)
        if not isinstance(n_cols, (int, np.integer)) or n_cols < 1:
            raise ValueError(f"n_cols must be a positive integer, got {n_cols!r}")
        known = ("line", "bars", "legend")
        target = effects[0].target
        value = "average" if target is None else f"average, {as_text(target, LONGEST_LEVEL)}"
        look = Look(
            labels=texts,
            level_labels=names,
            ylabel=ylabel,
            value_label=value,
            units="units of the prediction" if units is None else units,
            visuals=checked_visuals(visuals, known, always=("line",)),
            shared=True,
        )
        n = len(effects)
        n_cols = min(n_cols, n)
        rows = -(-n // n_cols)
        size = figsize or (3.6 if n == 1 else 2.5 * n_cols, 0.3 + (2.6 if n == 1 else 2.1 * rows))
        self.count_axes_, self.bars_, self.lines_, self.legend_ = [], [], [], None
        with self._drawing(ax, n, lambda: new_axes(n, n_cols, size), "feature") as axes:
            for number, one in enumerate(axes):
                self._draw(one, number, look)
                if number and ax is None:
                    one.sharey(axes[0])
                    if number % n_cols:
                        one.tick_params(labelleft=False)
                        one.set_ylabel("")
            for one in axes:
                one.autoscale_view(scalex=False)
            for one in axes[:1] if ax is None else axes:  # of a new figure all at once
                _make_room(one)
            if look.draws("legend"):
                self.legend_ = self._legend(axes, look, ax is None)
            if title:
                self.figure_.suptitle(title)
        return self

    def _draw(self, ax: Axes, number: int, look: Look) -> None:
        result = self.result
        clocks = Clocks.of([result.effects[number]])
        effect = clocks.drawn(result.effects[number])
        points = effect.x_values[0]
        numeric = effect.kinds == ("numeric",)
        at: Array = (points[:-1] + points[1:]) / 2 if numeric else np.arange(len(points))
        width = np.diff(points) if numeric else 0.7
        behind = ax.twinx()
        keep_tick_style(behind)
        ax.set_zorder(behind.get_zorder() + 1)
        ax.patch.set_visible(False)
        bars = None
        if look.draws("bars"):
            options = look.options("bars", width=width, color="0.88", edgecolor="1", linewidth=0.3)
            bars = behind.bar(at, effect.counts, **options)
        top = float(effect.counts.max())
        behind.set_ylim(0, top / _BARS)
        behind.set_yticks([0, top], ["0", f"{top:g}"], color=GREY)
        behind.tick_params(axis="y", length=2, color=FAINT)
        behind.spines["right"].set_visible(False)
        behind.set_ylabel(look.labels.get("count", "rows"), color=GREY)
        values = (
            result.observed[number],
            result.predicted[number],
            result.profiles[number].f_values,
            result.ale[number],
        )
        lines = {}
        for name, y, style in zip(LINES, values, _styles(), strict=True):
            options = look.options("line", label=look.labels.get(name, name), **style)
            (lines[name],) = ax.plot(at, y, **options)
        label_axes(ax, effect, look)
        if numeric:
            clocks.write(ax)
        else:
            ax.set_xlim(-0.5, len(points) - 0.5)
            name_levels(ax, "x", points, look)
        self.count_axes_.append(behind)
        self.bars_.append(bars)
        self.lines_.append(lines)

    def _legend(self, axes: Array, look: Look, own: bool) -> Any:
        """Below a new figure, in the first of the caller's axes."""
        handles = list(self.lines_[0].values())
        if not own:
            return axes[0].legend(handles=handles, **look.options("legend"))
        columns = len(LINES) if len(axes) > 1 else 2
        options = look.options("legend", loc="outside lower center", ncols=columns)
        return self.figure_.legend(handles=handles, **options)


def _styles() -> list[Mapping[str, Any]]:
    """The data as dots, what the model makes of them as curves."""
    dots = {"color": INK, "marker": "o", "linestyle": "-", "linewidth": 0.6, "zorder": 2.4}
    return [dots, *({**cycle_style(i), "zorder": 2.5} for i in range(3))]


def _make_room(ax: Axes) -> None:
    """Leave the lower part of the axes to the bars, without ticks of averages there."""
    low, high = ax.get_ylim()
    ax.set_yticks([tick for tick in ax.get_yticks() if low <= tick <= high])
    ax.set_ylim(low - _BARS * (high - low), high)
