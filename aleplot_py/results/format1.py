"""Files of 0.1.0, whose effects held four tuples where an axis is now."""

from __future__ import annotations

from typing import Any

import numpy as np

from aleplot_py.results.codec import build, decode
from aleplot_py.results.effects import (
    AleResult,
    Effect,
    EffectCollection,
    MPlotResult,
    PartialDependenceResult,
)
from aleplot_py.results.local_effects import LocalEffects
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.grid import IntArray, bin_codes

CLASSES: dict[str, type[Effect]] = {
    cls.__name__: cls for cls in (AleResult, PartialDependenceResult, MPlotResult)
}

_EFFECT = ("features", "kinds", "x_values", "f_values", "counts", "observed", "target")
_OF_ALE = (
    *("K", "empty", "local_mean", "local_std", "constant", "main_effects", "centering", "grid"),
    *("local_effects", "_mean"),
)
_FIELDS = {
    "AleResult": (*_EFFECT, *_OF_ALE),
    "PartialDependenceResult": (*_EFFECT, "individual", "centre", "constant"),
    "MPlotResult": (*_EFFECT, "centre", "constant"),
}
_LOCAL = ("effects", "cells", "rows", "units", "weights")


def from_format_1(state: dict[str, Any], where: str) -> Any:
    """An effect or a collection from a file of format 1.

    Raises
    ------
    ValueError
        With the field, the rule, and the value got.
    """
    if state["class"] == "EffectCollection":
        effects = state.get("effects")
        if not isinstance(effects, list):
            raise ValueError(f"{where}.effects must be a list, got {effects!r:.60}")
        read = [_effect(one, f"{where}.effects[{i}]") for i, one in enumerate(effects)]
        return EffectCollection(tuple(read))
    return _effect(state, where)


def _effect(state: Any, where: str) -> Effect:
    cls = CLASSES.get(str(state.get("class"))) if isinstance(state, dict) else None
    if cls is None:
        raise ValueError(f"{where} must be an effect")
    names = _FIELDS[cls.__name__]
    lacking = [name for name in names if name not in state]
    if lacking:
        raise ValueError(f"{where}: {cls.__name__} lacks the field {lacking[0]!r}")
    values: dict[str, Any] = {}
    for name in names:
        if name == "local_effects" and isinstance(state[name], dict):
            values[name] = _local_effects(state[name].get(name), f"{where}.{name}")
        else:
            values[name] = decode(state[name], f"{where}.{name}")
    values["axes"] = _axes(cls, values, where)
    if cls is AleResult:
        values["centre"] = values.pop("centering")
        K = tuple(axis.n_units for axis in values["axes"])
        if values.pop("K") != K:
            raise ValueError(f"{where}.K must be the number of intervals and levels, {K}")
    values["group"] = None
    if cls is PartialDependenceResult:
        values["of_fit"] = False
    for name in ("features", "kinds", "x_values", "observed", "grid"):
        values.pop(name, None)
    made: Effect = build(cls, values, where)
    return made


def _local_effects(state: Any, where: str) -> Any:
    if not isinstance(state, dict) or any(name not in state for name in _LOCAL):
        raise ValueError(f"{where} must have the fields {_LOCAL}")
    values = {name: decode(state[name], f"{where}.{name}") for name in _LOCAL}
    return build(LocalEffects, values, where)


def _axes(cls: type[Effect], values: dict[str, Any], where: str) -> tuple[Axis, ...]:
    """Axes of an effect, the rows' codes counted anew."""
    names = ("features", "kinds", "x_values", "observed")
    tuples = [values[name] for name in names]
    for name, one in zip(names, tuples, strict=True):
        if not isinstance(one, tuple) or len(one) not in (1, 2) or len(one) != len(tuples[0]):
            raise ValueError(f"{where}.{name} must be a tuple, one for each of 1 or 2 features")
    rules = values.get("grid", ("given",) * len(tuples[0]))
    if cls is AleResult and (not isinstance(rules, tuple) or len(rules) != len(tuples[0])):
        raise ValueError(f"{where}.grid must be a tuple, one for each feature, got {rules!r:.60}")
    axes = []
    for i, (name, kind, points, observed) in enumerate(zip(*tuples, strict=True)):
        at = f"{where}.axes[{i}]"
        codes = _codes(cls, kind, points, observed, at)
        rule = "levels" if kind == "categorical" else rules[i]
        parts = {
            "name": name,
            "kind": kind,
            "points": points,
            "typed_points": None,
            "codes": codes,
            "observed": observed,
            "grid": rule,
            "above": None,
            "times": None,
            "streamed": None,
            "collapsed": None,
        }
        axes.append(build(Axis, parts, at))
    return tuple(axes)


def _codes(cls: type[Effect], kind: Any, points: Any, observed: Any, where: str) -> IntArray:
    for name, array in (("points", points), ("observed", observed)):
        if not isinstance(array, np.ndarray) or array.ndim != 1 or not array.size:
            raise ValueError(f"{where}.{name} must be an array of one dimension")
    if kind == "categorical":
        try:
            position = {level: i for i, level in enumerate(points)}
            return np.array([position[level] for level in observed], dtype=np.intp)
        except (KeyError, TypeError):
            raise ValueError(f"{where}.observed must be levels of the feature") from None
    if points.dtype != np.float64 or observed.dtype != np.float64:
        raise ValueError(f"{where}.points must be an array of float64, as observed")
    if cls is PartialDependenceResult:
        above: IntArray = np.minimum(np.searchsorted(points, observed), len(points) - 1)
        return above
    return bin_codes(np.clip(observed, points[0], points[-1]), points)
