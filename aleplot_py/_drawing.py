"""Artists of one effect on one axes; `aleplot_py.display` decides where and with what options."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from aleplot_py.centre import points_to_units
from aleplot_py.grid import FloatArray
from aleplot_py.result import AleResult, Effect, LocalEffects, PartialDependenceResult
from aleplot_py.uncertainty import cell_counts, standard_errors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import EventCollection, LineCollection
    from matplotlib.colors import Normalize

Array = np.ndarray[Any, Any]

DIVERGING, SEQUENTIAL = "RdBu_r", "viridis"
FAINT, GREY, INK = "0.65", "0.45", "0.15"
# More vector strokes than this make a file that viewers choke on: they are kept as pixels in it.
MANY = 2000
RUG_HEIGHT = 0.03  # of the axes
# Letters that fit along an axis in one line.
LONG = 32
# Letters shown of the name of a level, and of a feature.
LONGEST_LEVEL, LONGEST_FEATURE = 28, 48
# Degrees by which long level names are turned, and the height of a line that still fits then, as a
# share of the distance between them (less than its sine).
TURN, TURNED = 40, 0.58


@dataclass(frozen=True, kw_only=True)
class Look:
    """Options of one call of ``plot`` that the drawing functions need."""

    rug: bool | None
    zero_line: bool
    markers: bool
    individual: bool
    local_effects: bool
    counts: bool
    show: str
    cells: str
    contours: bool | int | Sequence[float]
    contour_labels: bool
    empty: str | None
    min_count: float | None
    points: bool
    cmap: Any
    clim: tuple[float, float] | None
    colorbar: bool
    labels: Mapping[Any, str]
    level_labels: Mapping[Any, str]
    xlabel: str | None
    ylabel: str | None
    value_label: str | None
    units: str
    line_kw: Mapping[str, Any]
    bar_kw: Mapping[str, Any]
    shared: bool


def keep_tick_style(ax: Axes) -> None:
    """Fix what matplotlib would read from the settings when it makes ticks, long after this."""
    import matplotlib

    settings: Any = matplotlib.rcParams
    for which in ("x", "y"):
        tick = f"{which}tick"
        options: dict[str, Any] = {
            "length": settings[f"{tick}.major.size"],
            "width": settings[f"{tick}.major.width"],
            "pad": settings[f"{tick}.major.pad"],
            "labelsize": settings[f"{tick}.labelsize"],
            "color": settings[f"{tick}.color"],
            "labelcolor": settings[f"{tick}.color"],
        }
        getattr(ax, f"{which}axis").set_tick_params(**options)


def _feature_label(name: Hashable, look: Look) -> str:
    if name in look.labels:
        return look.labels[name]
    # A position: the data were an array without names.
    if isinstance(name, (int, np.integer)):
        return f"column {name}"
    return _as_text(name, LONGEST_FEATURE)


def _as_text(name: Hashable, longest: int) -> str:
    """Name that matplotlib does not take for a formula; the middle of a long one is left out."""
    text = str(name)
    if len(text) > longest:
        end = longest // 3
        text = f"{text[: longest - end - 1]}\N{HORIZONTAL ELLIPSIS}{text[-end:]}"
    return text.replace("$", r"\$")


def _level_labels(levels: Array, look: Look) -> list[str]:
    labels = look.level_labels
    return [labels.get(level, _as_text(level, LONGEST_LEVEL)) for level in levels]


def _value_label(effect: Effect, look: Look) -> str:
    text = look.value_label
    if text is None:
        name = {"M": "M-plot"}.get(effect.name, effect.name)
        if _curves(effect, look) is not None:
            name = "ICE and PD"
        # On a grid the feature stands below each plot, and the label often serves the whole row.
        names = [_feature_label(feature, look) for feature in effect.features]
        text = name if look.shared else f"{name} of {' and '.join(names)}"
        if effect.target is not None:
            text += f", {_as_text(effect.target, LONGEST_LEVEL)}"
    if not look.units:
        return text
    full = f"{text} ({look.units})"
    return full if len(full) <= LONG else f"{text}\n({look.units})"


def _label_axes(ax: Axes, effect: Effect, look: Look) -> None:
    names = [_feature_label(feature, look) for feature in effect.features]
    pair = len(names) == 2
    ax.set_xlabel(names[0] if look.xlabel is None else look.xlabel)
    label = names[1] if pair else _value_label(effect, look)
    ax.set_ylabel(label if look.ylabel is None else look.ylabel)


def _name_levels(ax: Axes, which: str, levels: Array, look: Look, *, room: float = 1) -> None:
    """Ticks with the levels' names, turned where they would run into each other.

    Where there is no room for all of them even then, only every second one is named, or every third
    and so on. `room` is the share of the axes' present width that will be left for them.
    """
    side, length = (ax.xaxis, ax.bbox.width * room) if which == "x" else (ax.yaxis, ax.bbox.height)
    names = _level_labels(levels, look)
    side.set_ticks([0], [max(names, key=len)])
    longest = side.get_ticklabels()[0].get_window_extent()
    every = math.ceil(longest.height * len(levels) / length)
    if which == "x" and longest.width * len(levels) <= 0.9 * length:
        every = 1  # they fit unturned
    at = np.arange(0, len(levels), every)
    names = names[::every]
    if which == "y":
        ax.set_yticks(at, names)
        ax.tick_params(axis="y", length=0)
        return
    ax.set_xticks(at, names)
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    slot = length / len(names)
    if max(box.width for box in boxes) > 0.9 * slot:
        if max(box.height for box in boxes) > TURNED * slot:
            ax.set_xticks(at, names, rotation=90)
        else:
            ax.set_xticks(at, names, rotation=TURN, rotation_mode="anchor", ha="right")
    ax.tick_params(axis="x", length=0)


def draw_effect(
    ax: Axes, effect: Effect, look: Look, band: tuple[FloatArray, FloatArray] | None
) -> dict[str, Any]:
    if len(effect.features) == 2 and look.show != "effect" and isinstance(effect, AleResult):
        artists = _draw_cells(ax, effect, look)
    elif len(effect.features) == 2:
        artists = _draw_pair(ax, effect, look)
        if band is not None:
            artists["bands_"] = _draw_dots(ax, effect, band)
    else:
        draw = _draw_bars if effect.kinds[0] == "categorical" else _draw_curve
        artists = draw(ax, effect, look, band)
        local = getattr(effect, "local_effects", None)
        if look.local_effects and isinstance(effect, AleResult) and local is not None:
            artists["individual_"] = _draw_local_effects(ax, effect, local)
        if look.zero_line and is_centred(effect):
            artists["zero_lines_"] = ax.axhline(
                0, color=FAINT, linewidth=0.6, linestyle="-", zorder=0.5
            )
    _label_axes(ax, effect, look)
    return artists


def is_centred(effect: Effect) -> bool:
    """Whether 0 has a meaning: the mean over the data, or the value at an anchor."""
    if isinstance(effect, AleResult):
        return effect.centering not in ("none", "total")
    centre = getattr(effect, "centre", None)
    return not (isinstance(centre, str) and centre == "none")


def _curves(effect: Effect, look: Look) -> FloatArray | None:
    """Individual curves, (n, P), of a main effect that has them."""
    if not (look.individual and isinstance(effect, PartialDependenceResult)):
        return None
    return effect.individual if len(effect.features) == 1 else None


def _draw_individual(ax: Axes, x: FloatArray, curves: FloatArray) -> LineCollection:
    from matplotlib.collections import LineCollection

    segments = np.stack(np.broadcast_arrays(x, curves), axis=-1)
    lines = LineCollection(
        list(segments),
        colors=GREY,
        linewidths=0.4,
        # The more curves, the fainter each: the density stays readable.
        alpha=float(np.clip(20 / len(curves), 0.06, 0.5)),
        rasterized=curves.size > MANY,
        zorder=1.5,
    )
    ax.add_collection(lines)
    ax.autoscale_view()
    return lines


def _draw_local_effects(ax: Axes, effect: AleResult, local: LocalEffects) -> LineCollection:
    """How every row's prediction changes over its step, from the curve at the step's low end.

    The mean of the strokes over a step ends on the curve.
    """
    cell = local.cells[:, 0]
    numeric = effect.kinds[0] == "numeric"
    x = effect.x_values[0] if numeric else np.arange(len(effect.x_values[0]), dtype=np.float64)
    low = effect.f_values[cell]
    ends = np.stack([x[cell], x[cell + 1]], axis=1)
    return _draw_individual(ax, ends, np.stack([low, low + local.effects], axis=1))


def _draw_curve(
    ax: Axes, effect: Effect, look: Look, band: tuple[FloatArray, FloatArray] | None
) -> dict[str, Any]:
    artists: dict[str, Any] = {}
    x = effect.x_values[0]
    curves = _curves(effect, look)
    if curves is not None:
        artists["individual_"] = _draw_individual(ax, x, curves)
    options: dict[str, Any] = {"zorder": 2.5, "label": effect.name, **look.line_kw}
    if look.markers or len(x) == 1:
        options.setdefault("marker", "o")
    (line,) = ax.plot(x, effect.f_values, **options)
    artists["lines_"] = line
    if band is not None:
        artists["bands_"] = ax.fill_between(
            x, *band, color=line.get_color(), alpha=0.2, linewidth=0, zorder=1.8
        )
    if look.rug is not False:
        artists["rugs_"] = _draw_rug(ax, effect.observed[0], "x")
    return artists


def _draw_rug(ax: Axes, observed: Array, which: str) -> EventCollection:
    """One stroke for each distinct observed value, at that value, along the axis."""
    from matplotlib.collections import EventCollection

    values = np.unique(np.asarray(observed, dtype=np.float64))
    horizontal = which == "x"
    rug = EventCollection(
        values,
        orientation="horizontal" if horizontal else "vertical",
        lineoffset=RUG_HEIGHT / 2,
        linelength=RUG_HEIGHT,
        linewidth=0.4,
        color=INK,
        alpha=float(np.clip(150 / len(values), 0.25, 0.8)),
        transform=ax.get_xaxis_transform() if horizontal else ax.get_yaxis_transform(),
        rasterized=len(values) > MANY,
        zorder=2.2,
    )
    ax.add_collection(rug, autolim=False)
    return rug


def _draw_bars(
    ax: Axes, effect: Effect, look: Look, band: tuple[FloatArray, FloatArray] | None
) -> dict[str, Any]:
    artists: dict[str, Any] = {}
    at = np.arange(len(effect.x_values[0]))
    curves = _curves(effect, look)
    if curves is not None:
        artists["individual_"] = _draw_individual(ax, at.astype(np.float64), curves)
        (artists["lines_"],) = ax.plot(
            at,
            effect.f_values,
            **{"marker": "o", "zorder": 2.5, "label": effect.name, **look.line_kw},
        )
    else:
        artists["bars_"] = ax.bar(
            at, effect.f_values, **{"width": 0.7, "linewidth": 0, **look.bar_kw}
        )
    if band is not None:
        low, high = band
        middle, half = (low + high) / 2, (high - low) / 2
        artists["bands_"] = ax.errorbar(
            at, middle, half, fmt="none", ecolor=INK, elinewidth=0.8, capsize=2, zorder=3
        )
    if look.counts:
        artists["counts_"] = [
            _write_count(ax, i, value, count)
            for i, (value, count) in enumerate(
                zip(effect.f_values, _rows_in_cells(effect), strict=True)
            )
        ]
    ax.set_xlim(-0.5, len(at) - 0.5)
    _name_levels(ax, "x", effect.x_values[0], look)
    return artists


def _write_count(ax: Axes, at: int, value: float, count: float) -> Any:
    """Number of rows, on the side of 0 where the bar is not."""
    below = value >= 0 or np.isnan(value)
    return ax.annotate(
        f"{count:g}",
        (at, 0),
        xytext=(0, -2 if below else 2),
        textcoords="offset points",
        ha="center",
        va="top" if below else "bottom",
        fontsize=6,
        color=GREY,
    )


def draw_heterogeneity(ax: Axes, effect: Effect) -> dict[str, Any]:
    """Panel below with the standard deviation of the local effects in each step."""
    place = ax.get_subplotspec()
    if place is None:  # axes put anywhere by hand
        panel = ax.inset_axes((0, -0.4, 1, 0.3), sharex=ax)
    else:
        halves = place.subgridspec(2, 1, height_ratios=(3, 1), hspace=0.08)
        ax.set_subplotspec(halves[0])
        panel = ax.figure.add_subplot(halves[1], sharex=ax)
    keep_tick_style(panel)
    numeric = effect.kinds[0] == "numeric"
    edges = effect.x_values[0] if numeric else np.arange(len(effect.x_values[0]))
    deviation = effect.local_std  # type: ignore[attr-defined]
    steps = panel.stairs(deviation, edges, fill=True, color=FAINT, linewidth=0)
    panel.set_ylim(bottom=0)
    panel.set_ylabel("sd of local\neffects")
    panel.set_xlabel(ax.get_xlabel())
    if not numeric:
        labels = ax.get_xticklabels()
        panel.set_xticks(ax.get_xticks(), [label.get_text() for label in labels])
        for copy, label in zip(panel.get_xticklabels(), labels, strict=True):
            copy.update(
                {
                    "rotation": label.get_rotation(),
                    "ha": label.get_horizontalalignment(),
                    "rotation_mode": label.get_rotation_mode(),
                }
            )
    ax.set_xlabel("")
    ax.tick_params(axis="x", labelbottom=False)
    return {"heterogeneity_axes_": panel, "heterogeneity_": steps}


def _draw_pair(ax: Axes, effect: Effect, look: Look) -> dict[str, Any]:
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
            _name_levels(ax, which, x, look, room=0.78 if look.colorbar else 1)
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
            _draw_rug(ax, seen, which) if kind == "numeric" else None
            for which, seen, kind in zip("xy", effect.observed, effect.kinds, strict=True)
        ]
    ax.set_xlim(borders[0][0], borders[0][-1])
    ax.set_ylim(borders[1][0], borders[1][-1])
    for side in ("top", "right"):
        ax.spines[side].set_visible(True)
    if look.colorbar:
        artists["colorbars_"] = _draw_colorbar(ax, mesh, _value_label(effect, look))
    return artists


def _draw_cells(ax: Axes, effect: AleResult, look: Look) -> dict[str, Any]:
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
            _name_levels(ax, which, x, look, room=0.78 if look.colorbar else 1)
    if look.points:
        artists["points_"] = _draw_points(ax, effect)
    if look.colorbar:
        label = "rows behind each cell" if count else "standard error of local effects"
        if look.units and not count:
            label += f"\n({look.units})"
        artists["colorbars_"] = _draw_colorbar(ax, mesh, look.value_label or label)
    return artists


def _draw_dots(ax: Axes, effect: Effect, band: tuple[FloatArray, FloatArray]) -> Any:
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


def _rows_in_cells(effect: Effect) -> FloatArray:
    """Rows, or their weight, in each interval, level, or pair of these."""
    if isinstance(effect, AleResult):
        return effect.counts
    codes, inside = [], np.ones(len(effect.observed[0]), dtype=bool)
    for points, kind, observed in zip(effect.x_values, effect.kinds, effect.observed, strict=True):
        if kind == "categorical":
            position = {level: i for i, level in enumerate(points)}
            code = np.array([position.get(level, -1) for level in observed], dtype=np.intp)
        else:
            code = np.searchsorted(points, observed, side="left") - 1
            code[observed == points[0]] = 0
            code[observed > points[-1]] = -1
        codes.append(code)
        inside &= code >= 0
    shape = tuple(
        len(points) - (kind == "numeric")
        for points, kind in zip(effect.x_values, effect.kinds, strict=True)
    )
    rows = np.zeros(shape)
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
    rows = _rows_in_cells(effect)
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
    places: list[Any] = []
    for points, kind, observed in zip(effect.x_values, effect.kinds, effect.observed, strict=True):
        position = {level: i for i, level in enumerate(points)} if kind == "categorical" else {}
        places.append([position[v] for v in observed] if position else observed)
    return ax.scatter(
        places[0],
        places[1],
        s=4,
        facecolor="black",
        edgecolor="white",
        linewidth=0.2,
        alpha=float(np.clip(200 / len(effect.observed[0]), 0.25, 0.8)),
        rasterized=len(effect.observed[0]) > MANY,
        zorder=5.5,
    )


def _draw_colorbar(ax: Axes, mesh: Any, label: str) -> Any:
    bar = ax.figure.colorbar(mesh, ax=ax, label=label, pad=0.03, aspect=25)
    bar.outline.set_linewidth(0.4)
    keep_tick_style(bar.ax)
    return bar
