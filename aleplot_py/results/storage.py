"""Reading what ``save`` wrote."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aleplot_py.results.codec import FORMAT, decode
from aleplot_py.results.effects import (
    AleResult,
    Effect,
    EffectCollection,
    MPlotResult,
    PartialDependenceResult,
)

if TYPE_CHECKING:
    pass


def load(path: str | Path) -> Any:
    """Read a result or a collection written by ``save``.

    Parameters
    ----------
    path : str or Path
        JSON file.

    Returns
    -------
    Effect or EffectCollection
        What was saved, equal to it bit for bit.

    Raises
    ------
    ValueError
        If the file holds something else or a later format.
    """
    try:
        state = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError:
        raise ValueError(f"{path} does not hold a saved effect: it is not JSON") from None
    if not isinstance(state, dict) or state.get("class") not in [*CLASSES, "EffectCollection"]:
        raise ValueError(f"{path} does not hold a saved effect")
    if state.get("format") != FORMAT:
        raise ValueError(f"{path} has format {state.get('format')}, this version reads {FORMAT}")
    try:
        if state["class"] == "EffectCollection":
            return EffectCollection([_decode_effect(effect) for effect in state["effects"]])
        return _decode_effect(state)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} does not hold a whole effect: {error!r}") from None


CLASSES: dict[str, type[Effect]] = {
    cls.__name__: cls for cls in (AleResult, PartialDependenceResult, MPlotResult)
}


def _decode_effect(state: dict[str, Any]) -> Effect:
    cls = CLASSES[state["class"]]
    return cls(**{f.name: decode(state[f.name]) for f in fields(cls)})
