"""Surfaces of pairs: colours or numbers in cells, contours, empty cells, points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from aleplot_py.plots.labels import name_levels, value_label
from aleplot_py.plots.look import (
    DIVERGING,
    GREY,
    INK,
    MANY,
    SEQUENTIAL,
    Array,
    Look,
    is_centred,
    keep_tick_style,
)
from aleplot_py.plots.rug import draw_rug
from aleplot_py.results.cells import cell_counts, standard_errors
from aleplot_py.results.effects import AleResult, Effect, PartialDependenceResult
from aleplot_py.steps.centre import points_to_units
from aleplot_py.steps.grid import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize


def draw_pair(ax: Axes, effect: Effect, look: Look) -> dict[str, Any]:
    """Draw the surface of a pair and return its artists by name."""
    artists: dict[str, Any] = {}
    borders = [
        _borders(x, kind, look.cells) for x, kind in zip(effect.x_values, effect.kinds, strict=True)
    ]
    values = effect.f_values if look.cells == "points" else _mean_of_corners(effect)
    centred = is_centred(effect)
    mesh = ax.pcolormesh(
        *borders,
        np.ma.masked_invalid(values.T),
        cmap=look.cmap or (DIVERGING if centred else SEQUENTIAL),
        norm=_colour_range(effect.f_values, centred, look.clim),
        rasterized=True,  # as vectors, viewers show seams between the cells
    )
    artists["meshes_"] = mesh
    for which, x, kind in zip("xy", effect.x_values, effect.kinds, strict=True):
        if kind == "categorical":
            name_levels(ax, which, x, look, room=0.78 if look.colorbar else 1)
    numeric = effect.kinds == ("numeric", "numeric")
    if numeric and look.contours is not False and min(effect.f_values.shape) > 1:
        artists["contours_"] = _draw_contours(ax, effect, look, INK if centred else "white")
    empty = look.empty or ("hatch" if isinstance(effect, AleResult) else "none")
    if empty != "none":
        artists["empty_cells_"] = _mark_empty(ax, effect, empty, look.min_count)
    if look.points:
        artists["points_"] = _draw_points(ax, effect)
    if look.rug:
        artists["rugs_"] = [
            draw_rug(ax, seen, which) if kind == "numeric" else None
            for which, seen, kind in zip("xy", effect.observed, effect.kinds, strict=True)
        ]
    ax.set_xlim(borders[0][0], borders[0][-1])
    ax.set_ylim(borders[1][0], borders[1][-1])
    for side in ("top", "right"):
        ax.spines[side].set_visible(True)
    if look.colorbar:
        artists["colorbars_"] = _draw_colorbar(ax, mesh, value_label(effect, look))
    return artists


def draw_cells(ax: Axes, effect: AleResult, look: Look) -> dict[str, Any]:
    """What stands behind each cell of a pair: rows, or the error of its mean local effect."""
    count = look.show == "count"
    values = cell_counts(effect) if count else standard_errors(effect)
    values = np.where(values > 0, values, np.nan) if count else values
    borders = [
        np.asarray(x if kind == "numeric" else np.arange(len(x)), dtype=np.float64)
        for x, kind in zip(effect.x_values, effect.kinds, strict=True)
    ]
    mesh = ax.pcolormesh(
        *borders,
        np.ma.masked_invalid(values.T),
        cmap=look.cmap or SEQUENTIAL,
        norm=_colour_range(values, False, look.clim),
        rasterized=True,
    )
    artists: dict[str, Any] = {"meshes_": mesh}
    for which, x, kind in zip("xy", effect.x_values, effect.kinds, strict=True):
        if kind == "categorical":
            name_levels(ax, which, x, look, room=0.78 if look.colorbar else 1)
    if look.points:
        artists["points_"] = _draw_points(ax, effect)
    if look.colorbar:
        label = "rows behind each cell" if count else "standard error of local effects"
        if look.units and not count:
            label += f"\n({look.units})"
        artists["colorbars_"] = _draw_colorbar(ax, mesh, look.value_label or label)
    return artists


def draw_dots(ax: Axes, effect: Effect, band: tuple[FloatArray, FloatArray]) -> Any:
    """Dots at the points of a pair whose band holds 0."""
    places = [
        x if kind == "numeric" else np.arange(len(x))
        for x, kind in zip(effect.x_values, effect.kinds, strict=True)
    ]
    i, j = np.nonzero((band[0] <= 0) & (band[1] >= 0))
    return ax.scatter(
        np.asarray(places[0], dtype=np.float64)[i],
        np.asarray(places[1], dtype=np.float64)[j],
        s=1.5,
        color=INK,
        linewidth=0,
        rasterized=len(i) > MANY,
        zorder=2.7,
    )


def _borders(points: Array, kind: str, cells: str) -> Array:
    """Borders of the cells along one axis in data units; levels are one unit wide."""
    if kind == "categorical":
        return np.arange(len(points) + 1) - 0.5
    ends = np.asarray(points, dtype=np.float64)
    if len(ends) == 1:
        return np.array([ends[0] - 0.5, ends[0] + 0.5])
    if cells == "intervals":
        return ends
    middles = ends[:-1] + np.diff(ends) / 2
    return np.concatenate([ends[:1], middles, ends[-1:]])


def _mean_of_corners(effect: Effect) -> FloatArray:
    """Effect in the middle of each pair of intervals, or of an interval at a level."""
    values = effect.f_values
    for axis, kind in enumerate(effect.kinds):
        if values.shape[axis] > 1:
            values = points_to_units(values, axis, kind)
    return values


def _colour_range(values: FloatArray, centred: bool, clim: tuple[float, float] | None) -> Normalize:
    from matplotlib.colors import Normalize

    finite = values[np.isfinite(values)]
    if clim is None:
        clim = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    low, high = clim
    if centred:
        furthest = max(abs(low), abs(high)) or 1.0
        return Normalize(-furthest, furthest)
    return Normalize(low, high) if low < high else Normalize(low - 0.5, high + 0.5)


def _draw_contours(ax: Axes, effect: Effect, look: Look, color: str) -> Any:
    values = np.ma.masked_invalid(effect.f_values.T)
    if values.count() == 0 or values.min() == values.max():
        return None
    levels: Any = 6 if look.contours is True else look.contours
    if np.ndim(levels) == 1:
        levels = [level for level in levels if values.min() <= level <= values.max()]
        if not levels:
            return None
    lines = ax.contour(
        *effect.x_values, values, levels=levels, colors=color, linewidths=0.7, alpha=0.75
    )
    if look.contour_labels:
        ax.clabel(lines, fontsize=6, inline_spacing=2)
    return lines


def rows_in_cells(effect: Effect) -> FloatArray:
    """Rows, or their weight, in each interval, level, or pair of these."""
    if isinstance(effect, AleResult):
        return effect.counts
    codes, inside = [], np.ones(len(effect.axes[0].codes), dtype=bool)
    for axis in effect.axes:
        code = axis.codes
        if axis.kind == "numeric" and isinstance(effect, PartialDependenceResult):
            # The code is the first point not below the row, at the upper end of its interval.
            code = code - (axis.observed != axis.points[0])
            code[axis.observed > axis.points[-1]] = -1
        codes.append(code)
        inside &= code >= 0
    rows = np.zeros(tuple(axis.n_units for axis in effect.axes))
    np.add.at(rows, tuple(code[inside] for code in codes), 1)
    return rows


def _mark_empty(ax: Axes, effect: Effect, how: str, min_count: float | None) -> Any:
    """Rectangles over the cells without (or with too few) rows, between the cells' edges."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    x, y = (
        _borders(points, kind, "intervals")
        for points, kind in zip(effect.x_values, effect.kinds, strict=True)
    )
    rows = rows_in_cells(effect)
    marked = rows == 0 if min_count is None else (rows == 0) | (rows < min_count)
    if not marked.any():
        return None
    rectangles = [
        Rectangle((x[i], y[j]), x[i + 1] - x[i], y[j + 1] - y[j]) for i, j in np.argwhere(marked)
    ]
    if how == "black":
        cover = PatchCollection(rectangles, facecolor="black", edgecolor="black", linewidth=0.2)
    elif how == "fade":
        cover = PatchCollection(rectangles, facecolor="white", alpha=0.7, linewidth=0)
    else:
        cover = PatchCollection(
            rectangles, facecolor="none", edgecolor=GREY, linewidth=0, hatch="/////"
        )
    # Black hides the labels of contour lines too; hatching lets them stand out.
    cover.set_zorder(5 if how == "black" else 2.6)
    ax.add_collection(cover, autolim=False)
    return cover


def _draw_points(ax: Axes, effect: Effect) -> Any:
    places = [axis.codes if axis.kind == "categorical" else axis.observed for axis in effect.axes]
    return ax.scatter(
        places[0],
        places[1],
        s=4,
        facecolor="black",
        edgecolor="white",
        linewidth=0.2,
        alpha=float(np.clip(200 / len(effect.axes[0].codes), 0.25, 0.8)),
        rasterized=len(effect.axes[0].codes) > MANY,
        zorder=5.5,
    )


def _draw_colorbar(ax: Axes, mesh: Any, label: str) -> Any:
    bar = ax.figure.colorbar(mesh, ax=ax, label=label, pad=0.03, aspect=25)
    bar.outline.set_linewidth(0.4)
    keep_tick_style(bar.ax)
    return bar
