"""Names of features, levels and values along the axes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from aleplot_py.plots.look import (
    LONG,
    LONGEST_FEATURE,
    LONGEST_LEVEL,
    TURN,
    TURNED,
    Array,
    Look,
    individual_curves,
)
from aleplot_py.results.effects import Effect

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def feature_label(name: Hashable, labels: Mapping[Any, str]) -> str:
    """Text for a feature: the user's, or its name."""
    if name in labels:
        return labels[name]
    # A position: the data were an array without names.
    if isinstance(name, (int, np.integer)):
        return f"column {name}"
    return as_text(name, LONGEST_FEATURE)


def as_text(name: Hashable, longest: int) -> str:
    """Name that matplotlib does not take for a formula; the middle of a long one is left out."""
    text = str(name)
    if len(text) > longest:
        end = longest // 3
        text = f"{text[: longest - end - 1]}\N{HORIZONTAL ELLIPSIS}{text[-end:]}"
    return text.replace("$", r"\$")


def level_labels(levels: Iterable[Any], look: Look) -> list[str]:
    """Texts for levels: the user's, or their names."""
    labels = look.level_labels
    return [labels.get(level, as_text(level, LONGEST_LEVEL)) for level in levels]


def kind_of(effect: Effect) -> str:
    """Name of the kind of effect, such as ``"ALE"``."""
    return {"M": "M-plot"}.get(effect.name, effect.name)


def value_label(effect: Effect, look: Look) -> str:
    """Label of the axis, or of the colour bar, that shows the effect."""
    text = look.value_label
    if text is None:
        name = kind_of(effect)
        if individual_curves(effect, look) is not None:
            name = "ICE and PD"
        # On a grid the feature stands below each plot, and the label often serves the whole row.
        names = [feature_label(feature, look.labels) for feature in effect.features]
        *first, last = names
        listed = f"{', '.join(first)} and {last}" if first else last
        text = name if look.shared else f"{name} of {listed}"
        if effect.target is not None and not look.titled:
            text += f", {as_text(effect.target, LONGEST_LEVEL)}"
    if not look.units:
        return text
    full = f"{text} ({look.units})"
    return full if len(full) <= LONG else f"{text}\n({look.units})"


def label_axes(ax: Axes, effect: Effect, look: Look) -> None:
    """Write the names of features and value along the axes."""
    names = [feature_label(feature, look.labels) for feature in effect.features]
    pair = len(names) == 2
    ax.set_xlabel(names[0] if look.xlabel is None else look.xlabel)
    label = names[1] if pair else value_label(effect, look)
    ax.set_ylabel(label if look.ylabel is None else look.ylabel)


def name_levels(ax: Axes, which: str, levels: Array, look: Look, *, room: float = 1) -> None:
    """Write the names of levels at 0, 1, ..., turned where they would run into each other.

    Where there is no room for all of them even then, only every second one is named, or every third
    and so on. `room` is the share of the axes' present width that will be left for them.
    """
    side, length = (ax.xaxis, ax.bbox.width * room) if which == "x" else (ax.yaxis, ax.bbox.height)
    names = level_labels(levels, look)
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
