"""Artists of one effect on one axes; `display` decides where and with what options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from aleplot_py.plots.labels import label_axes, name_levels
from aleplot_py.plots.look import (
    FAINT,
    GREY,
    INK,
    MANY,
    Look,
    individual_curves,
    is_centred,
    keep_tick_style,
)
from aleplot_py.plots.pairs import draw_cells, draw_dots, draw_pair, rows_in_cells
from aleplot_py.plots.rug import draw_rug
from aleplot_py.results.effects import AleResult, Effect
from aleplot_py.results.local_effects import LocalEffects
from aleplot_py.steps.grid import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection


def draw_effect(
    ax: Axes, effect: Effect, look: Look, band: tuple[FloatArray, FloatArray] | None
) -> dict[str, Any]:
    """Draw one effect of any kind and return its artists by name."""
    if len(effect.features) == 2 and look.show != "effect" and isinstance(effect, AleResult):
        artists = draw_cells(ax, effect, look)
    elif len(effect.features) == 2:
        artists = draw_pair(ax, effect, look)
        if band is not None:
            artists["bands_"] = draw_dots(ax, effect, band)
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
    label_axes(ax, effect, look)
    return artists


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
    curves = individual_curves(effect, look)
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
        artists["rugs_"] = draw_rug(ax, effect.observed[0], "x")
    return artists


def _draw_bars(
    ax: Axes, effect: Effect, look: Look, band: tuple[FloatArray, FloatArray] | None
) -> dict[str, Any]:
    artists: dict[str, Any] = {}
    at = np.arange(len(effect.x_values[0]))
    curves = individual_curves(effect, look)
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
                zip(effect.f_values, rows_in_cells(effect), strict=True)
            )
        ]
    ax.set_xlim(-0.5, len(at) - 0.5)
    name_levels(ax, "x", effect.x_values[0], look)
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
