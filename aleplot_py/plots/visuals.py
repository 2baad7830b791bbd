"""Layers of a drawing: which are drawn, and with what options of matplotlib."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np

from aleplot_py.errors import listing, warn_caller

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from aleplot_py.typing import AxesLike, Feature, FeatureList, Limits, Values

Options = Mapping[str, Any]


class Visuals(TypedDict, total=False):
    """Layers of the displays; each display says which it has."""

    line: bool | Options
    bars: bool | Options
    mesh: bool | Options
    band: bool | Options
    individual: bool | Options
    rug: bool | Options
    zero_line: bool | Options
    counts: bool | Options
    numbers: bool | Options
    contours: bool | Options
    contour_labels: bool | Options
    empty_cells: bool | Options
    points: bool | Options
    colorbar: bool | Options
    heterogeneity: bool | Options
    legend: bool | Options


class OldVisuals(TypedDict, total=False):
    """Arguments of ``AleDisplay.plot`` up to 0.1.0 that are layers now."""

    rug: bool | None
    zero_line: bool
    markers: bool
    counts: bool
    contours: bool | int | Sequence[float]
    contour_labels: bool
    points: bool
    cmap: Any
    colorbar: bool
    line_kw: Options | None
    bar_kw: Options | None


class OldColor(TypedDict, total=False):
    """Argument of the displays of importances up to 0.1.0."""

    color: Any


class OldCmap(TypedDict, total=False):
    """Argument of ``HeatmapDisplay.plot`` up to 0.1.0."""

    cmap: Any


class OldAxes(TypedDict, total=False):
    """Argument of ``KSensitivity.plot`` up to 0.1.0."""

    axes: Any


class PlotOptions(OldVisuals, total=False):
    """Keyword arguments of ``AleDisplay.plot``, without the band."""

    ax: AxesLike | None
    n_cols: int
    figsize: tuple[float, float] | None
    sharey: bool
    ylim: tuple[float, float] | None
    clim: tuple[float, float] | None
    individual: bool | int
    colour_by: Feature | FeatureList | None
    local_effects: bool | int
    heterogeneity: bool
    show: Literal["effect", "count", "standard_error"]
    cells: Literal["points", "intervals"]
    slices: int | Values | Mapping[Any, str] | None
    empty: Literal["hatch", "fade", "black", "none"] | None
    min_count: float | None
    labels: Mapping[Any, str] | None
    level_labels: Mapping[Any, str] | None
    xlabel: str | None
    ylabel: str | None
    value_label: str | None
    units: str | None
    title: str | Sequence[str] | None
    visuals: Visuals | None


class EffectPlotOptions(PlotOptions, total=False):
    """Keyword arguments of ``AleDisplay.plot``."""

    band: Limits | Mapping[Any, Limits] | None


class _FramedOptions(TypedDict, total=False):
    """What all other displays take."""

    figsize: tuple[float, float] | None
    labels: Mapping[Any, str] | None
    title: str | None
    visuals: Visuals | None


class KSensitivityPlotOptions(_FramedOptions, OldAxes, total=False):
    """Keyword arguments of ``KSensitivityDisplay.plot``."""

    ax: AxesLike | None
    units: str | None


class OrderSensitivityPlotOptions(_FramedOptions, total=False):
    """Keyword arguments of ``OrderSensitivityDisplay.plot``."""

    ax: AxesLike | None
    level_labels: Mapping[Any, str] | None
    units: str | None


class EffectPanelPlotOptions(_FramedOptions, total=False):
    """Keyword arguments of ``EffectPanelDisplay.plot``."""

    ax: AxesLike | None
    n_cols: int
    level_labels: Mapping[Any, str] | None
    ylabel: str | None
    units: str | None


class HeatmapPlotOptions(_FramedOptions, OldCmap, total=False):
    """Keyword arguments of ``HeatmapDisplay.plot``."""

    ax: Axes | None


class ImportancePlotOptions(_FramedOptions, OldColor, total=False):
    """Keyword arguments of ``ImportanceDisplay.plot``."""

    ax: Axes | None
    xlabel: str | None


class EliminationPlotOptions(_FramedOptions, OldColor, total=False):
    """Keyword arguments of ``EliminationDisplay.plot``."""

    ax: Axes | None
    ylabel: str | None


#: Layer of each old argument, and the option that its value became, if not a layer switched on.
OLD_NAMES: Mapping[str, tuple[str, str | None]] = {
    "rug": ("rug", None),
    "zero_line": ("zero_line", None),
    "markers": ("line", "marker"),
    "counts": ("counts", None),
    "contours": ("contours", "levels"),
    "contour_labels": ("contour_labels", None),
    "points": ("points", None),
    "cmap": ("mesh", "cmap"),
    "colorbar": ("colorbar", None),
    "line_kw": ("line", None),
    "bar_kw": ("bars", None),
}


def nearest(name: object, known: Iterable[object]) -> str:
    """Question after the known name most like `name`, to end a message; empty if none is."""
    texts = {str(one): one for one in known}
    found = get_close_matches(str(name), texts, n=1)
    return f"; did you mean {texts[found[0]]!r}?" if found else ""


def checked_visuals(
    given: Mapping[str, Any] | None,
    layers: Sequence[str],
    *,
    always: Sequence[str] = (),
) -> dict[str, bool | Options]:
    """Layers asked for, each True, False or a mapping of options.

    Parameters
    ----------
    given : mapping or None
        As the user wrote it.
    layers : sequence of str
        Layers of the display.
    always : sequence of str
        Those of them that are its subject and cannot be left out.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"visuals must be a mapping of layer to options, got {given!r}")
    for name, value in given.items():
        if name not in layers:
            raise ValueError(
                f"visuals names {name!r}, which is not one of the layers {listing(layers)}"
                f"{nearest(name, layers)}"
            )
        if not isinstance(value, (bool, np.bool_, Mapping)):
            raise TypeError(
                f"visuals[{name!r}] must be True, False or a mapping of options, got {value!r}"
            )
        if name in always and not isinstance(value, Mapping) and not value:
            raise ValueError(f"visuals[{name!r}] cannot be False: it is what the plot shows")
    return {
        name: value if isinstance(value, Mapping) else bool(value) for name, value in given.items()
    }


def with_old_names(
    visuals: Mapping[str, Any] | None,
    old: Mapping[str, Any],
    names: Mapping[str, tuple[str, str | None]],
    plot: Callable[..., Any],
) -> Mapping[str, Any] | None:
    """Layers asked for, in the present spelling or in that of 0.1.0 (with a warning).

    Parameters
    ----------
    visuals : mapping or None
        Layers in the present spelling; they win.
    old : mapping
        Other keyword arguments of the call.
    names : mapping of str to (layer, option or None)
        What the old arguments became.
    plot : callable
        The method called, which knows the present arguments.
    """
    if not old:
        return visuals
    layers: dict[str, Any] = {}
    for name, value in old.items():
        if name not in names:
            known = [one for one in inspect.signature(plot).parameters if one != "old"]
            raise TypeError(
                f"plot() got an unexpected keyword argument {name!r}{nearest(name, known)}"
            )
        layer, option = names[name]
        new = _as_layer(name, value, option)
        instead = "leave it out" if new is None else f"pass visuals={{{layer!r}: {new!r}}}"
        warn_caller(f"plot({name}={value!r}) is deprecated: {instead}", DeprecationWarning)
        if new is not None:
            before = layers.get(layer)
            if isinstance(before, Mapping) and isinstance(new, Mapping):
                new = {**before, **new}
            layers[layer] = new
    return {**layers, **(visuals or {})}


def _as_layer(name: str, value: Any, option: str | None) -> Any:
    """What an old argument says of its layer; None if it leaves the default."""
    if name == "markers":
        return {"marker": "o"} if value else None
    if option is None or value is None or isinstance(value, bool):
        return value
    return {option: value}
