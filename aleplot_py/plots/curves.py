"""Artists of one effect on one axes; `display` decides where and with what options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

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
    sample_of_rows,
)
from aleplot_py.plots.pairs import draw_cells, draw_dots, draw_pair, mark_empty, rows_in_cells
from aleplot_py.plots.rug import draw_rug
from aleplot_py.plots.times import Clocks
from aleplot_py.results.effects import AleResult, Effect
from aleplot_py.results.local_effects import LocalEffects
from aleplot_py.steps.grid import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection


class Band(NamedTuple):
    """Limits around an effect, each of the shape of its values, and their text in a legend."""

    low: FloatArray
    high: FloatArray
    label: str


def draw_effect(ax: Axes, effect: Effect, look: Look, band: Band | None) -> dict[str, Any]:
    """Draw one effect of any kind and return its artists by name."""
    clocks = Clocks.of([effect])
    effect = clocks.drawn(effect)
    if len(effect.features) == 1:
        artists = _draw_main(ax, effect, look, band)
    elif look.show != "effect" and isinstance(effect, AleResult):
        artists = draw_cells(ax, effect, look)
    else:
        artists = draw_pair(ax, effect, look)
        if band is not None:
            artists["bands_"] = draw_dots(ax, effect, look, band.low, band.high)
    if band is not None and "bands_" in artists:
        artists["bands_"].set_label(band.label)
    label_axes(ax, effect, look)
    clocks.write(ax)
    if look.heterogeneity and is_ale_main(effect):
        artists |= _draw_heterogeneity(ax, effect, look)
    return artists


def is_ale_main(effect: Effect) -> TypeGuard[AleResult]:
    """Whether this is a main effect with local effects behind it."""
    return isinstance(effect, AleResult) and len(effect.features) == 1


def _draw_main(ax: Axes, effect: Effect, look: Look, band: Band | None) -> dict[str, Any]:
    draw = _draw_bars if effect.kinds[0] == "categorical" else _draw_curve
    artists = draw(ax, effect, look, band)
    if look.local_effects and is_ale_main(effect) and effect.local_effects is not None:
        artists["individual_"] = _draw_local_effects(ax, effect, effect.local_effects, look)
    if is_centred(effect) and look.draws("zero_line"):
        options = look.options("zero_line", color=FAINT, linewidth=0.6, linestyle="-", zorder=0.5)
        artists["zero_lines_"] = ax.axhline(0, **options)
    artists["empty_cells_"] = mark_empty(ax, effect, look)
    return artists


def _draw_ice(ax: Axes, effect: Effect, x: FloatArray, look: Look) -> dict[str, Any]:
    """Individual curves, coloured on request, with the bar or legend of the colours."""
    curves = individual_curves(effect, look)
    if curves is None:
        return {}
    if look.colouring is None:
        return {"individual_": _draw_individual(ax, x, curves, look)}
    rows = sample_of_rows(len(look.colouring.values), look.individual)
    own = {"linewidths": 0.6, **look.colouring.options(rows)}
    lines = _draw_individual(ax, x, curves, look, (0.4, 0.9), **own)
    return {"individual_": lines, **look.colouring.explain(ax, lines, look)}


def _draw_individual(
    ax: Axes,
    x: FloatArray,
    curves: FloatArray,
    look: Look,
    alphas: tuple[float, float] = (0.06, 0.5),
    **own: Any,
) -> LineCollection:
    from matplotlib.collections import LineCollection

    segments = np.stack(np.broadcast_arrays(x, curves), axis=-1)
    drawn = {
        "linewidths": 0.4,
        # The more curves, the fainter each: the density stays readable.
        "alpha": float(np.clip(20 / len(curves), *alphas)),
        "rasterized": curves.size > MANY,
        "zorder": 1.5,
    }
    options = look.options("individual", **(drawn | (own or {"colors": GREY})))
    lines = LineCollection(list(segments), **options)
    ax.add_collection(lines)
    ax.autoscale_view()
    return lines


def _draw_local_effects(
    ax: Axes, effect: AleResult, local: LocalEffects, look: Look
) -> LineCollection:
    """How every row's prediction changes over its step, from the curve at the step's low end.

    The mean of the strokes over a step ends on the curve.
    """
    rows = sample_of_rows(len(local.units), look.local_effects)
    chosen = np.isin(local.rows, rows)
    cell = local.cells[chosen, 0]
    numeric = effect.kinds[0] == "numeric"
    x = effect.x_values[0] if numeric else np.arange(len(effect.x_values[0]), dtype=np.float64)
    low = effect.f_values[cell]
    ends = np.stack([x[cell], x[cell + 1]], axis=1)
    strokes = np.stack([low, low + local.effects[chosen]], axis=1)
    return _draw_individual(ax, ends, strokes, look)


def _draw_curve(ax: Axes, effect: Effect, look: Look, band: Band | None) -> dict[str, Any]:
    artists: dict[str, Any] = {}
    x = effect.x_values[0]
    artists |= _draw_ice(ax, effect, x, look)
    options = _line_options(effect, look)
    if len(x) == 1:
        options.setdefault("marker", "o")
    (line,) = ax.plot(x, effect.f_values, **options)
    artists["lines_"] = line
    if band is not None:
        options = look.options("band", color=line.get_color(), alpha=0.2, linewidth=0, zorder=1.8)
        artists["bands_"] = ax.fill_between(x, band.low, band.high, **options)
    if look.draws("rug") and effect.axes[0].streamed is None:
        artists["rugs_"] = draw_rug(ax, effect.observed[0], "x", look)
    return artists


def _line_options(effect: Effect, look: Look, **own: Any) -> dict[str, Any]:
    """Options of a curve, which is none of the colours of curves behind it."""
    colour = {} if look.colouring is None else {"color": INK, "linestyle": "-"}
    return look.options("line", zorder=2.5, label=effect.name, **colour, **own)


def _draw_bars(ax: Axes, effect: Effect, look: Look, band: Band | None) -> dict[str, Any]:
    artists: dict[str, Any] = {}
    at = np.arange(len(effect.x_values[0]))
    artists |= _draw_ice(ax, effect, at.astype(np.float64), look)
    if artists:
        options = _line_options(effect, look, marker="o")
        (artists["lines_"],) = ax.plot(at, effect.f_values, **options)
    else:
        artists["bars_"] = ax.bar(
            at, effect.f_values, **look.options("bars", width=0.7, linewidth=0)
        )
    if band is not None:
        middle, half = (band.low + band.high) / 2, (band.high - band.low) / 2
        options = look.options("band", fmt="none", ecolor=INK, elinewidth=0.8, capsize=2, zorder=3)
        artists["bands_"] = ax.errorbar(at, middle, half, **options)
    if look.draws("counts", by_default=False):
        artists["counts_"] = [
            _write_count(ax, i, value, count, look)
            for i, (value, count) in enumerate(
                zip(effect.f_values, rows_in_cells(effect), strict=True)
            )
        ]
    ax.set_xlim(-0.5, len(at) - 0.5)
    name_levels(ax, "x", effect.x_values[0], look)
    return artists


def _write_count(ax: Axes, at: int, value: float, count: float, look: Look) -> Any:
    """Number of rows, on the side of 0 where the bar is not."""
    below = value >= 0 or np.isnan(value)
    options = look.options(
        "counts",
        xytext=(0, -2 if below else 2),
        textcoords="offset points",
        ha="center",
        va="top" if below else "bottom",
        fontsize=6,
        color=GREY,
    )
    return ax.annotate(f"{count:g}", (at, 0), **options)


def _draw_heterogeneity(ax: Axes, effect: AleResult, look: Look) -> dict[str, Any]:
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
    options = look.options("heterogeneity", fill=True, color=FAINT, linewidth=0)
    steps = panel.stairs(effect.local_std, edges, **options)
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
