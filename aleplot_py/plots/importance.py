"""Bars of importances and the path of an elimination."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np

from aleplot_py.plots.base import Display, check_names, new_axes, turn_labels
from aleplot_py.plots.labels import feature_label
from aleplot_py.plots.look import FAINT, INK, Look
from aleplot_py.plots.visuals import OldColor, Visuals, checked_visuals, with_old_names
from aleplot_py.steps.grid import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from aleplot_py.importance.results import EliminationResult, ImportanceResult

_HEIGHT = 0.19  # inches of a bar


class ImportanceDisplay(Display):
    """Bars of an `ImportanceResult`.

    Parameters
    ----------
    result : ImportanceResult
        What is drawn.

    Attributes
    ----------
    figure_ : Figure
        The figure.
    axes_ : ndarray of Axes, shape (1,)
        Where it was drawn.
    bars_ : BarContainer
        From the most to the least important; ``bars_.errorbar`` holds one standard deviation to
        either side.
    zero_line_ : Line2D or None
        At the importance of a feature that does not matter.
    features_ : tuple of hashable
        In the order of the bars.
    texts_ : list of Text
        Marks of infinite and undefined importances.
    """

    bars_: Any
    zero_line_: Any
    features_: tuple[Any, ...]
    texts_: list[Any]

    def __init__(self, result: ImportanceResult) -> None:
        self.result = result

    def plot(
        self,
        *,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
        labels: Mapping[Any, str] | None = None,
        xlabel: str | None = None,
        title: str | None = None,
        visuals: Visuals | None = None,
        **old: Unpack[OldColor],
    ) -> Self:
        """Draw the bars.

        .. versionchanged:: 0.2
           `figsize`, `labels`, `xlabel`, `title` and `visuals` are new.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; it keeps its style. By default a new figure in the style of `STYLE`.
        figsize : (width, height), optional
            Inches of a new figure.
        labels : mapping of feature to str, optional
            Text for the features.
        xlabel : str, optional
            Text at the importances.
        title : str, optional
            Above the axes.
        visuals : mapping of layer to bool or mapping, optional
            ``bars`` (options of ``Axes.barh``), ``band`` (``Axes.errorbar``: one standard
            deviation to either side) and ``zero_line`` (``Axes.axvline``), as in `AleDisplay.plot`.
        **old
            ``color`` as an argument of its own, as up to 0.1.0: deprecated.

        Returns
        -------
        ImportanceDisplay
            This display.

        Raises
        ------
        ValueError, TypeError
            If a layer or a feature is unknown.

        Notes
        -----
        An infinite importance gets a hatched bar longer than all others and its name, an undefined
        one (NaN) only its name, at the end.
        """
        result = self.result
        texts = labels or {}
        check_names("labels", texts, result.features)
        given = with_old_names(visuals, old, {"color": ("bars", "color")}, self.plot)
        layers = checked_visuals(given, ("bars", "band", "zero_line"), always=("bars",))
        look = Look(labels=texts, level_labels={}, units="", visuals=layers)
        order = np.argsort(-result.mean, kind="stable")
        self.features_ = tuple(result.features[position] for position in order)
        size = figsize or (3.5, 0.6 + _HEIGHT * len(order))
        with self._drawing(ax, 1, lambda: new_axes(1, 1, size)) as (axes,):
            self._draw(axes, result.mean[order], np.nan_to_num(result.std[order]), look)
            names = [feature_label(name, texts) for name in self.features_]
            axes.set_yticks(range(len(names)), names)
            axes.tick_params(axis="y", length=0)
            axes.invert_yaxis()
            method = {"lofo": "LOFO"}.get(result.method, result.method)
            default = f"{method} importance ({result.compare} of scores)"
            axes.set_xlabel(default if xlabel is None else xlabel)
            if title:
                axes.set_title(title)
        return self

    def _draw(self, ax: Axes, mean: FloatArray, spread: FloatArray, look: Look) -> None:
        """Bars in their order, from the importance of what does not matter."""
        neutral = self.result.neutral
        lengths = mean - neutral
        finite = np.isfinite(lengths)
        longest = float(np.max(np.abs(lengths[finite]) + spread[finite], initial=0.0)) or 1.0
        drawn = np.where(finite, lengths, np.sign(np.nan_to_num(lengths)) * 1.2 * longest)
        options = look.options("bars", height=0.7, linewidth=0, color="C0", left=neutral)
        if look.draws("band"):
            options["xerr"] = spread
            options["error_kw"] = look.options("band", ecolor=INK, elinewidth=0.8, capsize=2)
        self.bars_ = ax.barh(range(len(mean)), drawn, **options)
        self.texts_ = []
        for row in np.flatnonzero(~finite):
            self.bars_[row].set_hatch("//")
            at = neutral + drawn[row]
            self.texts_.append(ax.text(at, float(row), f" {mean[row]}", va="center"))
        self.zero_line_ = None
        if look.draws("zero_line"):
            options = look.options(
                "zero_line", color=FAINT, linewidth=0.6, linestyle="-", zorder=0.5
            )
            self.zero_line_ = ax.axvline(neutral, **options)


class EliminationDisplay(Display):
    """Path of an `EliminationResult`.

    Parameters
    ----------
    result : EliminationResult
        What is drawn.

    Attributes
    ----------
    figure_ : Figure
        The figure.
    axes_ : ndarray of Axes, shape (1,)
        Where it was drawn.
    line_ : Line2D
        Mean score after each elimination.
    band_ : FillBetweenPolyCollection or None
        One standard deviation to either side.
    """

    line_: Any
    band_: Any

    def __init__(self, result: EliminationResult) -> None:
        self.result = result

    def plot(
        self,
        *,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
        labels: Mapping[Any, str] | None = None,
        ylabel: str | None = None,
        title: str | None = None,
        visuals: Visuals | None = None,
        **old: Unpack[OldColor],
    ) -> Self:
        """Draw the path.

        .. versionchanged:: 0.2
           `figsize`, `labels`, `ylabel`, `title` and `visuals` are new.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; it keeps its style. By default a new figure in the style of `STYLE`.
        figsize : (width, height), optional
            Inches of a new figure.
        labels : mapping of feature to str, optional
            Text for the features that were left out.
        ylabel : str, optional
            Text at the scores.
        title : str, optional
            Above the axes.
        visuals : mapping of layer to bool or mapping, optional
            ``line`` (options of ``Axes.plot``) and ``band`` (``Axes.fill_between``: one standard
            deviation to either side), as in `AleDisplay.plot`.
        **old
            ``color`` as an argument of its own, as up to 0.1.0: deprecated.

        Returns
        -------
        EliminationDisplay
            This display.

        Raises
        ------
        ValueError, TypeError
            If a layer or a feature is unknown.
        """
        texts = labels or {}
        check_names("labels", texts, self.result.eliminated)
        given = with_old_names(visuals, old, {"color": ("line", "color")}, self.plot)
        layers = checked_visuals(given, ("line", "band"), always=("line",))
        look = Look(labels=texts, level_labels={}, units="", visuals=layers)
        frame = self.result.to_frame()
        mean, std = frame["score"].to_numpy(), frame["std"].to_numpy()
        steps = np.arange(len(frame))
        names = [feature_label(name, texts) for name in self.result.eliminated]
        size = figsize or (1.2 + 0.4 * len(steps), 2.5)
        with self._drawing(ax, 1, lambda: new_axes(1, 1, size)) as (axes,):
            options = look.options("line", marker="o", linestyle="-", zorder=2.5)
            (self.line_,) = axes.plot(steps, mean, **options)
            self.band_ = None
            if look.draws("band"):
                color = self.line_.get_color()
                options = look.options("band", color=color, alpha=0.2, linewidth=0, zorder=1.8)
                self.band_ = axes.fill_between(steps, mean - std, mean + std, **options)
            turn_labels(axes, ["all", *(f"- {name}" for name in names)])
            axes.set_ylabel("score (greater is better)" if ylabel is None else ylabel)
            if title:
                axes.set_title(title)
        return self
