"""Panels of an effect of three features: a pair at each of some values of the third."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from unicodedata import bidirectional

import numpy as np

from aleplot_py.plots.labels import feature_label, level_labels, value_label
from aleplot_py.plots.look import Array, Look
from aleplot_py.plots.pairs import draw_colorbar
from aleplot_py.results.effects import AleResult, Effect, default_slices, slice_of

#: About how many contours are drawn, at the same values in every panel.
CONTOURS = 6


def slices_of(effect: AleResult, slices: Any, look: Look) -> list[tuple[AleResult, str]]:
    """The pairs to be drawn, each with the text above it.

    Parameters
    ----------
    effect : AleResult
        Of three features.
    slices : int, sequence of values, mapping of value to text, or None
        As in `AleDisplay.plot`.
    look : Look
        Options of the drawing.
    """
    axis = effect.axes[2]
    if slices is None or isinstance(slices, (int, np.integer)):
        slices = default_slices(axis, None if slices is None else int(slices))
    values = list(slices)
    if not values:
        raise ValueError("slices must have at least one value, got none")
    pairs = [slice_of(effect, value) for value in values]
    if isinstance(slices, Mapping):
        return list(zip(pairs, slices.values(), strict=True))
    shown = level_labels(values, look) if axis.kind == "categorical" else map(_text, values)
    name = feature_label(axis.name, look.labels)
    leftwards = any(bidirectional(letter) in ("R", "AL") for letter in name)
    mark = "\N{LEFT-TO-RIGHT MARK}" if leftwards else ""  # else -1 would be drawn as 1-
    return [(pair, f"{name} = {mark}{text}") for pair, text in zip(pairs, shown, strict=True)]


def _text(value: Any) -> str:
    """A number, or a time, in a few letters."""
    if isinstance(value, (int, float, np.number)):
        return f"{value:.3g}"
    return str(value).removesuffix(" 00:00:00")


def look_of_slices(pairs: Sequence[Effect], look: Look) -> Look:
    """One scale of colours, and the same contours, for all panels."""
    from matplotlib.ticker import MaxNLocator

    clim = look.clim
    if clim is None:
        values = np.stack([pair.f_values for pair in pairs])
        clim = float(values.min()), float(values.max())
    given = look.visuals.get("contours", True)
    contours = dict(given) if isinstance(given, Mapping) else {}
    if np.ndim(contours.setdefault("levels", CONTOURS)) == 0:
        contours["levels"] = MaxNLocator(contours["levels"] + 1).tick_values(*clim)
    visuals = {**look.visuals, "contours": contours if given is not False else False}
    return replace(look, clim=clim, show="effect", visuals={**visuals, "colorbar": False})


def finish(
    axes: Array, mine: Sequence[int], effect: AleResult, mesh: Any, look: Look, n_cols: int
) -> Any:
    """Label the panels of an effect, and draw the colour bar that serves them all.

    Parameters
    ----------
    axes : ndarray of Axes
        Those of all effects.
    mine : sequence of int
        Which of them are panels of this one.
    effect : AleResult
        Of three features.
    mesh : QuadMesh
        Colours of one of the panels.
    look : Look
        Options of the drawing.
    n_cols : int
        Columns of a new figure, where neighbours share the labels between them; 0 on others.

    Returns
    -------
    Colorbar or None
        What was drawn beside them.
    """
    for at in mine if n_cols else ():
        if at % n_cols and at - 1 in mine:
            axes[at].tick_params(labelleft=False)
            axes[at].set_ylabel("")
        if at + n_cols in mine:
            axes[at].tick_params(labelbottom=False)
            axes[at].set_xlabel("")
    if not look.draws("colorbar"):
        return None
    return draw_colorbar(list(axes[list(mine)]), mesh, value_label(effect, look), look)
