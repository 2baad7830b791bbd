"""Accumulated local effects and their relatives, equal to R's ALEPlot and iml."""

from aleplot_py._ale import ale
from aleplot_py._m_plot import m_plot
from aleplot_py._partial_dependence import ice, partial_dependence
from aleplot_py.decomposition import total_effect
from aleplot_py.display import AleDisplay
from aleplot_py.r_api import ALEPlot, PDPlot
from aleplot_py.result import (
    AleResult,
    Effect,
    EffectCollection,
    MPlotResult,
    PartialDependenceResult,
    load,
)

__all__ = [
    "ALEPlot",
    "AleDisplay",
    "AleResult",
    "Effect",
    "EffectCollection",
    "MPlotResult",
    "PDPlot",
    "PartialDependenceResult",
    "ale",
    "ice",
    "load",
    "m_plot",
    "partial_dependence",
    "total_effect",
]
