"""Accumulated local effects and their relatives, equal to R's ALEPlot and iml."""

from aleplot_py._ale import ale
from aleplot_py.result import (
    AleResult,
    EffectCollection,
    MPlotResult,
    PartialDependenceResult,
    load,
)

__all__ = [
    "AleResult",
    "EffectCollection",
    "MPlotResult",
    "PartialDependenceResult",
    "ale",
    "load",
]
