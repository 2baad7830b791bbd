"""Accumulated local effects and their relatives, equal to R's ALEPlot and iml."""

from aleplot_py import gradient, intervals
from aleplot_py._ale import ale
from aleplot_py._ale_statistics import (
    AleStatistics,
    ale_statistics,
    normalised_effect,
    statistics_table,
)
from aleplot_py._m_plot import m_plot
from aleplot_py._partial_dependence import ice, partial_dependence
from aleplot_py._random_variable import (
    RandomVariableNull,
    effect_regions,
    p_values,
    random_variable_null,
)
from aleplot_py.complexity import LinearPieces, MainEffectComplexity, main_effect_complexity
from aleplot_py.decomposition import (
    Decomposition,
    decompose,
    first_order_prediction,
    interaction_strength,
    total_effect,
)
from aleplot_py.diagnostics import KSensitivity, k_sensitivity
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
    "AleStatistics",
    "Decomposition",
    "Effect",
    "EffectCollection",
    "KSensitivity",
    "LinearPieces",
    "MPlotResult",
    "MainEffectComplexity",
    "PDPlot",
    "PartialDependenceResult",
    "RandomVariableNull",
    "ale",
    "ale_statistics",
    "decompose",
    "effect_regions",
    "first_order_prediction",
    "gradient",
    "ice",
    "interaction_strength",
    "intervals",
    "k_sensitivity",
    "load",
    "m_plot",
    "main_effect_complexity",
    "normalised_effect",
    "p_values",
    "partial_dependence",
    "random_variable_null",
    "statistics_table",
    "total_effect",
]
