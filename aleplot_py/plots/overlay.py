"""Several main effects of one feature on one axes: models, classes, groups, methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from aleplot_py.plots.curves import Band, draw_effect
from aleplot_py.plots.labels import as_text, kind_of, label_axes, name_levels
from aleplot_py.plots.look import FAINT, INK, LONGEST_LEVEL, Look
from aleplot_py.plots.times import Clocks
from aleplot_py.results.effects import Effect

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GROUP = 0.8  # width of the bars of a level together


def check_same_feature(effects: Sequence[Effect]) -> None:
    """Refuse effects that have no axis in common."""
    first = effects[0]
    for effect in effects:
        if len(effect.features) != 1:
            raise ValueError(f"overlay needs main effects, got one of {effect.features!r}")
        if (effect.features, effect.kinds) != (first.features, first.kinds):
            raise ValueError(
                f"overlay needs effects of one feature of one kind, got {first.features[0]!r} "
                f"({first.kinds[0]}) and {effect.features[0]!r} ({effect.kinds[0]})"
            )
        sorts = [Clocks.of([one]).sort for one in (first, effect)]
        if sorts[0] != sorts[1]:
            raise ValueError(
                f"overlay needs effects of one feature of one kind, got {first.features[0]!r} as "
                f"{sorts[0]} and as {sorts[1]}"
            )
        if first.kinds == ("categorical",) and set(effect.x_values[0]) != set(first.x_values[0]):
            raise ValueError(
                f"overlay needs effects with the same levels of {first.features[0]!r}, got "
                f"{list(first.x_values[0])} and {list(effect.x_values[0])}"
            )


def texts_of(effects: Sequence[Effect], given: Sequence[str] | None) -> list[str]:
    """Text of each effect in the legend: the caller's, or what tells them apart."""
    if given is not None:
        if isinstance(given, str) or len(given) != len(effects):
            raise ValueError(
                f"labels must be one text for each of {len(effects)} effect(s), got {given!r}"
            )
        return list(given)
    texts = [
        kind_of(effect)
        if effect.target is None
        else f"{kind_of(effect)}, {as_text(effect.target, LONGEST_LEVEL)}"
        for effect in effects
    ]
    twice = [text for text in texts if texts.count(text) > 1]
    if twice:
        raise ValueError(f"labels must tell the effects apart: two of them are {twice[0]!r}")
    return texts


def kinds_of(effects: Sequence[Effect]) -> str:
    """Names of the kinds of effects, for the axis that they share."""
    *others, last = dict.fromkeys(kind_of(effect) for effect in effects)
    return f"{', '.join(others)} and {last}" if others else last


def moved(effect: Effect, align: str) -> tuple[Effect, float]:
    """The effect with mean 0 over its rows, or as it is, and what was subtracted."""
    if align == "none":
        return effect, 0.0
    shift = float(np.nanmean(effect.evaluate(effect.observed[0])))
    return replace(effect, f_values=effect.f_values - shift), shift


def draw_overlay(
    ax: Axes,
    effects: Sequence[Effect],
    texts: Sequence[str],
    look: Look,
    bands: Sequence[Band | None],
) -> list[dict[str, Any]]:
    """Draw all effects and their legend, and return the artists of each by name."""
    clocks = Clocks.of(effects)
    effects = [clocks.drawn(effect) for effect in effects]
    if effects[0].kinds == ("categorical",):
        artists = _draw_groups(ax, effects, texts, look, bands)
    else:
        artists = _draw_curves(ax, effects, texts, look, bands)
    if look.draws("zero_line"):
        options = look.options("zero_line", color=FAINT, linewidth=0.6, linestyle="-", zorder=0.5)
        artists[0]["zero_lines_"] = ax.axhline(0, **options)
    label_axes(ax, effects[0], look)
    clocks.write(ax)
    if look.draws("legend"):
        # Bands have labels of their own, which are not wanted once for each effect.
        handles = [one.get("lines_") or one["bars_"] for one in artists]
        ax.legend(handles, texts, **look.options("legend"))
    return artists


def _draw_curves(
    ax: Axes,
    effects: Sequence[Effect],
    texts: Sequence[str],
    look: Look,
    bands: Sequence[Band | None],
) -> list[dict[str, Any]]:
    # One rug, and only where it holds for all.
    same = all(np.array_equal(effects[0].observed[0], one.observed[0]) for one in effects)
    drawn = []
    for effect, text, band in zip(effects, texts, bands, strict=True):
        first = effect is effects[0]
        own: Mapping[str, Any] = {
            **look.visuals,
            "line": look.options("line", label=text),
            "zero_line": False,
            "rug": look.visuals.get("rug", True) if first and same else False,
        }
        drawn.append(draw_effect(ax, effect, replace(look, visuals=own), band))
    return drawn


def _draw_groups(
    ax: Axes,
    effects: Sequence[Effect],
    texts: Sequence[str],
    look: Look,
    bands: Sequence[Band | None],
) -> list[dict[str, Any]]:
    """Bars of each level beside each other, in the first effect's order of levels."""
    levels = effects[0].x_values[0]
    width = _GROUP / len(effects)
    drawn = []
    for i, (effect, text, band) in enumerate(zip(effects, texts, bands, strict=True)):
        at = np.arange(len(levels)) + (i + 0.5) * width - _GROUP / 2
        position = {level: k for k, level in enumerate(effect.x_values[0])}
        order = [position[level] for level in levels]
        options = look.options("bars", width=0.9 * width, linewidth=0, color=f"C{i}", label=text)
        artists: dict[str, Any] = {"bars_": ax.bar(at, effect.f_values[order], **options)}
        if band is not None:
            middle, half = (band.low + band.high)[order] / 2, (band.high - band.low)[order] / 2
            options = look.options(
                "band", fmt="none", ecolor=INK, elinewidth=0.8, capsize=2, zorder=3
            )
            artists["bands_"] = ax.errorbar(at, middle, half, **options)
        drawn.append(artists)
    ax.set_xlim(-0.5, len(levels) - 0.5)
    name_levels(ax, "x", levels, look)
    return drawn
