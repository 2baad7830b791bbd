"""How a curve depends on the number of intervals, or on the order of levels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np

from aleplot_py.errors import warn_caller
from aleplot_py.inputs.ordering import ORDERS
from aleplot_py.plots.base import Display, check_names, new_axes
from aleplot_py.plots.labels import as_text, label_axes, name_levels
from aleplot_py.plots.look import FAINT, INK, LONGEST_FEATURE, Look
from aleplot_py.plots.times import Clocks
from aleplot_py.plots.visuals import OldAxes, Visuals, checked_visuals, with_old_names
from aleplot_py.typing import AxesLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from aleplot_py.analysis.orders import OrderSensitivity
    from aleplot_py.analysis.sensitivity import KSensitivity


class KSensitivityDisplay(Display):
    """Drawing of a `KSensitivity`.

    Parameters
    ----------
    result : KSensitivity
        What is drawn.

    Attributes
    ----------
    figure_ : Figure
        The figure.
    axes_ : ndarray of Axes, shape (2,)
        Curves; measures against K.
    curves_ : list of Line2D
        One curve per K, in order.
    measures_ : list of Line2D
        Roughness, standard error and distance.
    """

    curves_: list[Any]
    measures_: list[Any]

    def __init__(self, result: KSensitivity) -> None:
        self.result = result

    def plot(
        self,
        *,
        ax: AxesLike | None = None,
        figsize: tuple[float, float] | None = None,
        labels: Mapping[Any, str] | None = None,
        units: str | None = None,
        title: str | None = None,
        visuals: Visuals | None = None,
        **old: Unpack[OldAxes],
    ) -> Self:
        """Draw the curves, and their roughness, standard error and distance against K.

        Parameters
        ----------
        ax : sequence of two Axes, optional
            Where to draw; they keep their style. By default a new figure in the style of `STYLE`.
        figsize : (width, height), optional
            Inches of a new figure.
        labels : mapping of feature to str, optional
            Text for the feature.
        units : str, optional
            Units of the prediction; ``""`` for none.
        title : str, optional
            Above the figure.
        visuals : mapping of layer to bool or mapping, optional
            ``line`` (options of ``Axes.plot``, for the curves), ``zero_line`` (``Axes.axhline``)
            and ``legend`` (``Axes.legend``, for both panels), as in `AleDisplay.plot`.
        **old
            ``axes`` for ``ax``, as up to 0.1.0: deprecated.

        Returns
        -------
        KSensitivityDisplay
            This display.

        Raises
        ------
        ValueError, TypeError
            If `ax` are not two, or a layer or a feature is unknown.
        """
        if "axes" in old:
            ax = old.pop("axes")
            warn_caller("plot(axes=...) is deprecated: it is ax=...", DeprecationWarning)
        given = with_old_names(visuals, old, {}, self.plot)
        texts = labels or {}
        check_names("labels", texts, [self.result.feature])
        look = Look(
            labels=texts,
            level_labels={},
            units="units of the prediction" if units is None else units,
            visuals=checked_visuals(given, ("line", "zero_line", "legend"), always=("line",)),
        )
        size = figsize or (7.2, 2.6)
        with self._drawing(ax, 2, lambda: new_axes(2, 2, size), "panel") as (left, right):
            self._draw_curves(left, look, beside=ax is None)
            self._draw_measures(right, look)
            if title:
                self.figure_.suptitle(title)
        return self

    def _draw_curves(self, ax: Axes, look: Look, *, beside: bool) -> None:
        """Curves, and their legend beside them where there is room."""
        import matplotlib as mpl

        result = self.result
        clocks = Clocks.of(result.effects)
        effects = [clocks.drawn(effect) for effect in result.effects]
        colours = mpl.colormaps["viridis"](np.linspace(0, 0.9, len(result.Ks)))
        self.curves_ = []
        for K, effect, colour in zip(result.Ks, effects, colours, strict=True):
            chosen = result.recommended == K
            options = look.options(
                "line",
                color=colour,
                linestyle="-",
                linewidth=2 if chosen else 0.9,
                zorder=2.5 if chosen else 2,
                label=f"K = {K}" + (" (recommended)" if chosen else ""),
            )
            (line,) = ax.plot(effect.x_values[0], effect.f_values, **options)
            self.curves_.append(line)
        if look.draws("zero_line"):
            ax.axhline(
                0,
                **look.options("zero_line", color=FAINT, linewidth=0.6, linestyle="-", zorder=0.5),
            )
        label_axes(ax, result.effects[0], look)
        clocks.write(ax)
        if look.draws("legend"):
            place = {"loc": "upper left", "bbox_to_anchor": (1, 1)} if beside else {}
            ax.legend(**look.options("legend", **place))

    def _draw_measures(self, ax: Axes, look: Look) -> None:
        result = self.result
        self.measures_ = []
        for values, label, marker in (
            (result.roughness, "roughness", "o"),
            (result.standard_error, "standard error", "s"),
            (result.distance, f"distance from K = {result.Ks[-1]}", "^"),
        ):
            # A logarithmic axis has no place for 0.
            shown = np.where(values > 0, values, np.nan)
            (line,) = ax.plot(result.Ks, shown, marker=marker, label=label)
            self.measures_.append(line)
        ax.axvline(result.recommended, color=FAINT, linewidth=0.6, linestyle=":", zorder=0.5)
        ax.set_xscale("log")
        if any(np.isfinite(line.get_ydata()).any() for line in self.measures_):
            ax.set_yscale("log")
        ax.set_xticks(result.Ks, [str(K) for K in result.Ks])
        ax.set_xticks([], minor=True)
        ax.set(xlabel="K", ylabel=look.units or "measures of the curve")
        if look.draws("legend"):
            ax.legend(**look.options("legend"))


# Share of the room of a level that the markers of all orders take.
DODGE = 0.6
MARKERS = "os^Dv<>p"


class OrderSensitivityDisplay(Display):
    """Drawing of an `OrderSensitivity`.

    .. versionadded:: 0.2

    Parameters
    ----------
    result : OrderSensitivity
        What is drawn.

    Attributes
    ----------
    figure_ : Figure
        The figure.
    axes_ : ndarray of Axes, shape (2,)
        Effects of the levels; distances of the orders from the first.
    points_ : list of Line2D
        One for each order: its effect of every level, in the first one's order.
    spans_ : LineCollection
        From the lowest to the highest effect of each level.
    distances_ : list of Line2D
        One for each order: its root mean square difference from the first.
    largest_ : Line2D
        The largest difference of each order.
    """

    points_: list[Any]
    spans_: Any
    distances_: list[Any]
    largest_: Any

    def __init__(self, result: OrderSensitivity) -> None:
        self.result = result

    def plot(
        self,
        *,
        ax: AxesLike | None = None,
        figsize: tuple[float, float] | None = None,
        labels: Mapping[Any, str] | None = None,
        level_labels: Mapping[Any, str] | None = None,
        units: str | None = None,
        title: str | None = None,
        visuals: Visuals | None = None,
    ) -> Self:
        """Draw the effect of every level in each order, and how far each moves the curve.

        Parameters
        ----------
        ax : sequence of two Axes, optional
            Where to draw; they keep their style. By default a new figure in the style of `STYLE`.
        figsize : (width, height), optional
            Inches of a new figure.
        labels : mapping of feature to str, optional
            Text for the feature.
        level_labels : mapping of level to str, optional
            Texts for levels.
        units : str, optional
            Units of the prediction; ``""`` for none.
        title : str, optional
            Above the figure.
        visuals : mapping of layer to bool or mapping, optional
            ``line`` (options of ``Axes.plot``, for the points), ``zero_line`` (``Axes.axhline``)
            and ``legend`` (``Axes.legend``, of the distances), as in `AleDisplay.plot`.

        Returns
        -------
        OrderSensitivityDisplay
            This display.

        Raises
        ------
        ValueError, TypeError
            If `ax` are not two, or a layer, a feature or a level is unknown.
        """
        result, texts = self.result, labels or {}
        check_names("labels", texts, [result.feature])
        check_names("level_labels", level_labels or {}, result.effects[0].x_values[0])
        look = Look(
            labels=texts,
            level_labels=level_labels or {},
            units="units of the prediction" if units is None else units,
            visuals=checked_visuals(visuals, ("line", "zero_line", "legend"), always=("line",)),
        )
        size = figsize or (7.2, 2.6)
        with self._drawing(ax, 2, lambda: new_axes(2, 2, size), "panel") as (left, right):
            self._draw_levels(left, look)
            self._draw_distances(right, look)
            if title:
                self.figure_.suptitle(title)
        return self

    def _draw_levels(self, ax: Axes, look: Look) -> None:
        """Effects of each level beside each other, over what lies between them."""
        result = self.result
        first = result.effects[0]
        values = first.f_values + result.differences
        levels, m = np.arange(values.shape[1]), len(values)
        self.spans_ = ax.vlines(
            levels, values.min(axis=0), values.max(axis=0), color=FAINT, linewidth=3, zorder=1
        )
        self.points_ = []
        for i, one in enumerate(values):
            at = levels + DODGE * ((i + 0.5) / m - 0.5)
            (line,) = ax.plot(at, one, **look.options("line", **_marked(i)))
            self.points_.append(line)
        if look.draws("zero_line"):
            ax.axhline(
                0,
                **look.options("zero_line", color=FAINT, linewidth=0.6, linestyle="-", zorder=0.5),
            )
        ax.set_xlim(-0.5, len(levels) - 0.5)
        label_axes(ax, first, look)
        name_levels(ax, "x", first.x_values[0], look)

    def _draw_distances(self, ax: Axes, look: Look) -> None:
        """Distances of the orders, each with the marker that it has at the levels."""
        result = self.result
        at = np.arange(len(result.orders))[::-1]
        largest = np.abs(result.differences).max(axis=1)
        (self.largest_,) = ax.plot(
            largest,
            at,
            marker="|",
            markersize=9,
            markeredgewidth=1.2,
            linestyle="none",
            color=INK,
            label="largest",
        )
        self.distances_ = []
        for i, distance in enumerate(result.distance):
            options = look.options("line", **_marked(i), clip_on=False, zorder=3)
            (line,) = ax.plot(distance, at[i], **options)
            self.distances_.append(line)
        self.distances_[0].set_label("root mean square")
        ax.set_yticks(at, [_order_text(name) for name in result.orders])
        ax.set_ylim(-0.5, len(at) - 0.5)
        ax.set_xlim(0, 1.05 * largest.max() or 1)
        first = _order_text(result.orders[0])
        ax.set_xlabel(f"difference from {first}" + (f"\n({look.units})" if look.units else ""))
        if look.draws("legend"):
            ax.legend(**look.options("legend"))


def _marked(i: int) -> dict[str, Any]:
    """Options of the markers of an order."""
    marker = MARKERS[i % len(MARKERS)]
    return {"marker": marker, "linestyle": "none", "color": f"C{i}", "markersize": 4}


def _order_text(name: str) -> str:
    """Name of an order on an axis: a rule in words, the caller's own as it is."""
    return as_text(name.replace("_", " ") if name in ORDERS else name, LONGEST_FEATURE)
