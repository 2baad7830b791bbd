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
from aleplot_py.regional import Region, regional_effects
from aleplot_py.result import (
    AleResult,
    Effect,
    EffectCollection,
    LocalEffects,
    MPlotResult,
    PartialDependenceResult,
    load,
)
from aleplot_py.uncertainty import Bands, bootstrap_bands, cell_table, standard_errors

__version__ = "0.1.0"

__all__ = [
    "ALEPlot",
    "AleDisplay",
    "AleResult",
    "AleStatistics",
    "Bands",
    "Decomposition",
    "Effect",
    "EffectCollection",
    "KSensitivity",
    "LinearPieces",
    "LocalEffects",
    "MPlotResult",
    "MainEffectComplexity",
    "PDPlot",
    "PartialDependenceResult",
    "RandomVariableNull",
    "Region",
    "ale",
    "ale_statistics",
    "bootstrap_bands",
    "cell_table",
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
    "regional_effects",
    "standard_errors",
    "statistics_table",
    "total_effect",
]
