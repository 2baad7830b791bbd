"""Several main effects of one feature on one axes: models, classes, groups, methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aleplot_py.plots.curves import Band, draw_effect
from aleplot_py.plots.labels import as_text, kind_of, label_axes, name_levels
from aleplot_py.plots.look import FAINT, INK, LONGEST_LEVEL, Look
from aleplot_py.plots.times import Clocks
from aleplot_py.results.effects import (
    AleResult,
    Effect,
    EffectCollection,
    by_axes,
    check_rows,
    key_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GROUP = 0.8  # width of the bars of a level together


@dataclass(frozen=True)
class Lines:
    """Which effects are lines of which axes.

    Parameters
    ----------
    axes : list of list of Effect
        One list for each axes.
    numbers : list of list of int
        Number of each effect's line: the same group or output has the same on all axes.
    names : list of labels
        Group or output that each line stands for; none where it is an effect.
    keys : list
        Key of each effect in its collection; none without one.
    titles : list of str
        Text above each axes where there are several.
    """

    axes: list[list[Effect]]
    numbers: list[list[int]]
    names: list[Any]
    keys: list[Any]
    titles: list[str]

    @classmethod
    def of(cls, effects: Any, listed: Sequence[Effect]) -> Lines:
        """A collection's groups or outputs, one axes for each feature; others on one axes."""
        if not isinstance(effects, EffectCollection) or effects.by == ("feature",):
            return cls([list(listed)], [list(range(len(listed)))], [], [], [""])
        *others, word = effects.by
        names = list(dict.fromkeys(getattr(effect, word) for effect in listed))
        axes = list(by_axes(effects).values())
        numbers = [[names.index(getattr(effect, word)) for effect in one] for one in axes]
        keys = [key_of(effect, effects.by) for one in axes for effect in one]
        above = [one for one in others if one != "feature"]
        titles = [
            ", ".join(as_text(getattr(one[0], w), LONGEST_LEVEL) for w in above) for one in axes
        ]
        return cls(axes, numbers, names, keys, titles)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """All effects, axes after axes."""
        return tuple(effect for one in self.axes for effect in one)


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


def texts_of(lines: Lines, given: Sequence[str] | Mapping[Any, str] | None) -> list[str]:
    """Text of each line in the legend: the caller's, or what tells them apart."""
    effects, names = lines.effects, lines.names
    if given is not None and not isinstance(given, Mapping):
        n = len(names or effects)
        if isinstance(given, str) or len(given) != n:
            raise ValueError(f"labels must be one text for each of {n} effect(s), got {given!r}")
        return list(given)
    if names:
        return [(given or {}).get(name, as_text(name, LONGEST_LEVEL)) for name in names]
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


def kinds_of(lines: Lines) -> str:
    """Names of the kinds of effects, for the axis that they share, and of their only output."""
    *others, last = dict.fromkeys(kind_of(effect) for effect in lines.effects)
    kinds = f"{', '.join(others)} and {last}" if others else last
    targets = {effect.target for effect in lines.effects}
    if not lines.names or len(targets) > 1 or targets == {None}:
        return kinds
    return f"{kinds}, {as_text(targets.pop(), LONGEST_LEVEL)}"


def moved(effect: Effect, align: str) -> tuple[Effect, float]:
    """The effect with mean 0 over its rows, or as it is, as far as these reach; and the shift."""
    shift = 0.0
    if align == "mean":
        check_rows(effect, "means over the rows, align='mean',")
        shift = float(np.nanmean(effect.evaluate(effect.observed[0])))
    values = effect.f_values - shift
    return replace(effect, f_values=np.where(_has_rows(effect), values, np.nan)), shift


def _has_rows(effect: Effect) -> NDArray[np.bool_]:
    """Points of an effect of the ALE kind that its rows reach, (P,): all where none is beyond.

    The points are those of all groups, and beyond its own rows a group has only been extrapolated.
    """
    every = np.ones(effect.f_values.shape, dtype=bool)
    if not isinstance(effect, AleResult):
        return every
    if effect.kinds == ("categorical",):
        return effect.counts > 0
    inside = np.flatnonzero(effect.counts)
    every[: inside[0]] = every[inside[-1] + 2 :] = False
    return every


def draw_overlay(
    ax: Axes,
    effects: Sequence[Effect],
    texts: Sequence[str],
    look: Look,
    bands: Sequence[Band | None],
    styles: Sequence[Mapping[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Draw all effects and their legend, and return the artists of each by name.

    Without `styles` (colour, dashes) curves take the next ones of the axes.
    """
    clocks = Clocks.of(effects)
    effects = [clocks.drawn(effect) for effect in effects]
    if effects[0].kinds == ("categorical",):
        artists = _draw_groups(ax, effects, texts, look, bands, styles)
    else:
        artists = _draw_curves(ax, effects, texts, look, bands, styles)
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
    styles: Sequence[Mapping[str, Any]] | None,
) -> list[dict[str, Any]]:
    # One rug, and only where it holds for all.
    same = look.draws("rug")
    if same:
        seen = effects[0].observed[0]
        same = all(np.array_equal(seen, one.observed[0]) for one in effects)
    drawn = []
    for i, (effect, text, band) in enumerate(zip(effects, texts, bands, strict=True)):
        first = i == 0
        own: Mapping[str, Any] = {
            **look.visuals,
            "line": look.options("line", label=text, **(styles[i] if styles else {})),
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
    styles: Sequence[Mapping[str, Any]] | None,
) -> list[dict[str, Any]]:
    """Bars of each level beside each other, in the first effect's order of levels."""
    levels = effects[0].x_values[0]
    width = _GROUP / len(effects)
    drawn = []
    for i, (effect, text, band) in enumerate(zip(effects, texts, bands, strict=True)):
        at = np.arange(len(levels)) + (i + 0.5) * width - _GROUP / 2
        position = {level: k for k, level in enumerate(effect.x_values[0])}
        order = [position[level] for level in levels]
        colour = styles[i]["color"] if styles else f"C{i}"
        options = look.options("bars", width=0.9 * width, linewidth=0, color=colour, label=text)
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
