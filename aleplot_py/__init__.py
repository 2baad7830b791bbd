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
from aleplot_py.association import (
    association_matrix,
    normalised_mutual_information,
    variance_explained,
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
from aleplot_py.importance import (
    conditional_permutation_importance,
    leave_two_out_importance,
    lofo_importance,
    permutation_importance,
    refit_with_permuted,
    sequential_elimination,
)
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
    "association_matrix",
    "bootstrap_bands",
    "cell_table",
    "conditional_permutation_importance",
    "decompose",
    "effect_regions",
    "first_order_prediction",
    "gradient",
    "ice",
    "interaction_strength",
    "intervals",
    "k_sensitivity",
    "leave_two_out_importance",
    "load",
    "lofo_importance",
    "m_plot",
    "main_effect_complexity",
    "normalised_effect",
    "normalised_mutual_information",
    "p_values",
    "partial_dependence",
    "permutation_importance",
    "random_variable_null",
    "refit_with_permuted",
    "regional_effects",
    "sequential_elimination",
    "standard_errors",
    "statistics_table",
    "total_effect",
    "variance_explained",
]
