"""Surfaces of pairs: colours or numbers in cells, contours, empty cells, points."""

from __future__ import annotations

from collections.abc import Sequence
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
from aleplot_py.results.effects import AleResult, Effect, PartialDependenceResult, check_rows
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
    options = look.options(
        "mesh",
        cmap=DIVERGING if centred else SEQUENTIAL,
        norm=_colour_range(effect.f_values, centred, look.clim),
        rasterized=True,  # as vectors, viewers show seams between the cells
    )
    mesh = ax.pcolormesh(*borders, np.ma.masked_invalid(values.T), **options)
    artists["meshes_"] = mesh
    for which, x, kind in zip("xy", effect.x_values, effect.kinds, strict=True):
        if kind == "categorical":
            name_levels(ax, which, x, look, room=_room(look))
    numeric = effect.kinds == ("numeric", "numeric")
    if numeric and look.draws("contours") and min(effect.f_values.shape) > 1:
        artists["contours_"] = _draw_contours(ax, effect, look, INK if centred else "white")
    artists["empty_cells_"] = mark_empty(ax, effect, look)
    if look.draws("points", by_default=False):
        artists["points_"] = _draw_points(ax, effect, look)
    if look.draws("rug", by_default=False) and effect.axes[0].streamed is None:
        artists["rugs_"] = [
            draw_rug(ax, seen, which, look) if kind == "numeric" else None
            for which, seen, kind in zip("xy", effect.observed, effect.kinds, strict=True)
        ]
    ax.set_xlim(borders[0][0], borders[0][-1])
    ax.set_ylim(borders[1][0], borders[1][-1])
    for side in ("top", "right"):
        ax.spines[side].set_visible(True)
    if look.draws("colorbar"):
        artists["colorbars_"] = draw_colorbar(ax, mesh, value_label(effect, look), look)
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
    options = look.options(
        "mesh", cmap=SEQUENTIAL, norm=_colour_range(values, False, look.clim), rasterized=True
    )
    mesh = ax.pcolormesh(*borders, np.ma.masked_invalid(values.T), **options)
    artists: dict[str, Any] = {"meshes_": mesh}
    for which, x, kind in zip("xy", effect.x_values, effect.kinds, strict=True):
        if kind == "categorical":
            name_levels(ax, which, x, look, room=_room(look))
    if look.draws("points", by_default=False):
        artists["points_"] = _draw_points(ax, effect, look)
    if look.draws("colorbar"):
        label = "rows behind each cell" if count else "standard error of local effects"
        if look.units and not count:
            label += f"\n({look.units})"
        artists["colorbars_"] = draw_colorbar(ax, mesh, look.value_label or label, look)
    return artists


def draw_dots(ax: Axes, effect: Effect, look: Look, low: FloatArray, high: FloatArray) -> Any:
    """Dots at the points of a pair whose band holds 0."""
    places = [
        x if kind == "numeric" else np.arange(len(x))
        for x, kind in zip(effect.x_values, effect.kinds, strict=True)
    ]
    i, j = np.nonzero((low <= 0) & (high >= 0))
    options = look.options(
        "band", s=1.5, color=INK, linewidth=0, rasterized=len(i) > MANY, zorder=2.7
    )
    return ax.scatter(
        np.asarray(places[0], dtype=np.float64)[i],
        np.asarray(places[1], dtype=np.float64)[j],
        **options,
    )


def _room(look: Look) -> float:
    """Share of the axes' width that a colour bar leaves."""
    return 0.78 if look.draws("colorbar") else 1


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
    options = look.options("contours", levels=6, colors=color, linewidths=0.7, alpha=0.75)
    if np.ndim(options["levels"]) == 1:
        inside = [v for v in options["levels"] if values.min() <= v <= values.max()]
        if not inside:
            return None
        options["levels"] = inside
    lines = ax.contour(*effect.x_values, values, **options)
    if look.draws("contour_labels"):
        ax.clabel(lines, **look.options("contour_labels", fontsize=6, inline_spacing=2))
    return lines


def rows_in_cells(effect: Effect) -> FloatArray:
    """Rows, or their weight, in each interval, level, or pair of these."""
    if isinstance(effect, AleResult):
        return effect.counts
    check_rows(effect, "numbers of rows in cells")
    codes, inside = [], np.ones(len(effect.axes[0].codes), dtype=bool)
    for axis in effect.axes:
        code = axis.codes
        if axis.kind == "numeric" and isinstance(effect, PartialDependenceResult):
            # The code is the first point not below the row, at the upper end of its interval.
            seen = axis.observed
            code = code - (seen != axis.points[0])
            code[seen > axis.points[-1]] = -1
        codes.append(code)
        inside &= code >= 0
    rows = np.zeros(tuple(axis.n_units for axis in effect.axes))
    np.add.at(rows, tuple(code[inside] for code in codes), 1)
    return rows


def mark_empty(ax: Axes, effect: Effect, look: Look) -> Any:
    """Cover the cells without (or with too few) rows, between the cells' edges.

    Those of a main effect are as high as the axes.
    """
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    how = look.empty or ("hatch" if isinstance(effect, AleResult) else "none")
    if how == "none":
        return None
    rows = rows_in_cells(effect)
    few = 0 if look.min_count is None else look.min_count
    marked = (rows == 0) | (rows < few)
    if not marked.any():
        return None
    borders = [
        _borders(points, kind, "intervals")
        for points, kind in zip(effect.x_values, effect.kinds, strict=True)
    ]
    main = len(borders) == 1
    x, y = (*borders, np.array([0.0, 1.0])) if main else borders
    rectangles = [
        Rectangle((x[i], y[j]), x[i + 1] - x[i], y[j + 1] - y[j])
        for i, j in np.argwhere(np.atleast_2d(marked.T).T)
    ]
    # Black hides the labels of contour lines too; hatching lets them, and curves, stand out.
    options: dict[str, Any] = {"linewidth": 0, "zorder": 2.6}
    if how == "black":
        options |= {"facecolor": "black", "edgecolor": "black", "linewidth": 0.2, "zorder": 5}
    elif how == "fade":
        options |= {"facecolor": "white", "alpha": 0.7}
    else:
        options |= {"facecolor": "none", "edgecolor": GREY, "hatch": "/////"}
        options["zorder"] = 0.4 if main else 2.6
    if main:
        options["transform"] = ax.get_xaxis_transform()
    cover = PatchCollection(rectangles, **look.options("empty_cells", **options))
    ax.add_collection(cover, autolim=False)
    return cover


def _draw_points(ax: Axes, effect: Effect, look: Look) -> Any:
    check_rows(effect, "points")
    places = [axis.codes if axis.kind == "categorical" else axis.observed for axis in effect.axes]
    options = look.options(
        "points",
        s=4,
        facecolor="black",
        edgecolor="white",
        linewidth=0.2,
        alpha=float(np.clip(200 / len(effect.axes[0].codes), 0.25, 0.8)),
        rasterized=len(effect.axes[0].codes) > MANY,
        zorder=5.5,
    )
    return ax.scatter(places[0], places[1], **options)


def draw_colorbar(ax: Axes | Sequence[Axes], mesh: Any, label: str, look: Look) -> Any:
    """Colour bar beside the axes, one or several."""
    options = look.options("colorbar", ax=ax, label=label, pad=0.03, aspect=25)
    bar = mesh.figure.colorbar(mesh, **options)
    bar.outline.set_linewidth(0.4)
    keep_tick_style(bar.ax)
    return bar
