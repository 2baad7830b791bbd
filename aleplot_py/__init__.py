"""Accumulated local effects and their relatives, equal to R's ALEPlot and iml."""

from aleplot_py import gradient, intervals
from aleplot_py.analysis.association import (
    AssociationResult,
    association_matrix,
    normalised_mutual_information,
    variance_explained,
)
from aleplot_py.analysis.bootstrap import bootstrap_bands
from aleplot_py.analysis.complexity import (
    LinearPieces,
    MainEffectComplexity,
    main_effect_complexity,
)
from aleplot_py.analysis.decomposition import (
    Decomposition,
    decompose,
    first_order_prediction,
    interaction_strength,
    total_effect,
)
from aleplot_py.analysis.effect_error import EffectError, effect_error
from aleplot_py.analysis.interaction import HStatistics, h_statistics
from aleplot_py.analysis.learner import learner_bands
from aleplot_py.analysis.orders import OrderSensitivity, order_sensitivity
from aleplot_py.analysis.panel import EffectPanel, effect_panel
from aleplot_py.analysis.random_variable import (
    RandomVariableNull,
    effect_regions,
    p_values,
    random_variable_null,
)
from aleplot_py.analysis.regional import Region, RegionSplit, regional_effects
from aleplot_py.analysis.sensitivity import KSensitivity, k_sensitivity
from aleplot_py.analysis.statistics import (
    AleStatistics,
    ale_statistics,
    normalised_effect,
    statistics_table,
)
from aleplot_py.effects.ale import ale
from aleplot_py.effects.m_plot import m_plot
from aleplot_py.effects.partial_dependence import ice, partial_dependence
from aleplot_py.importance.lofo import (
    leave_two_out_importance,
    lofo_importance,
    refit_with_permuted,
    sequential_elimination,
)
from aleplot_py.importance.permutation import (
    conditional_permutation_importance,
    permutation_importance,
)
from aleplot_py.importance.results import (
    EliminationResult,
    ImportanceResult,
    PairImportanceResult,
)
from aleplot_py.plots import (
    AleDisplay,
    EffectPanelDisplay,
    EliminationDisplay,
    HeatmapDisplay,
    ImportanceDisplay,
    KSensitivityDisplay,
    OrderSensitivityDisplay,
)
from aleplot_py.r.api import ALEPlot, PDPlot
from aleplot_py.results.bands import Bands
from aleplot_py.results.cells import cell_table, standard_errors
from aleplot_py.results.effects import (
    AleResult,
    Effect,
    EffectCollection,
    MPlotResult,
    PartialDependenceResult,
)
from aleplot_py.results.load import load
from aleplot_py.results.local_effects import LocalEffects

__version__ = "0.2.0"

__all__ = [
    "ALEPlot",
    "AleDisplay",
    "AleResult",
    "AleStatistics",
    "AssociationResult",
    "Bands",
    "Decomposition",
    "Effect",
    "EffectCollection",
    "EffectError",
    "EffectPanel",
    "EffectPanelDisplay",
    "EliminationDisplay",
    "EliminationResult",
    "HStatistics",
    "HeatmapDisplay",
    "ImportanceDisplay",
    "ImportanceResult",
    "KSensitivity",
    "KSensitivityDisplay",
    "LinearPieces",
    "LocalEffects",
    "MPlotResult",
    "MainEffectComplexity",
    "OrderSensitivity",
    "OrderSensitivityDisplay",
    "PDPlot",
    "PairImportanceResult",
    "PartialDependenceResult",
    "RandomVariableNull",
    "Region",
    "RegionSplit",
    "ale",
    "ale_statistics",
    "association_matrix",
    "bootstrap_bands",
    "cell_table",
    "conditional_permutation_importance",
    "decompose",
    "effect_error",
    "effect_panel",
    "effect_regions",
    "first_order_prediction",
    "gradient",
    "h_statistics",
    "ice",
    "interaction_strength",
    "intervals",
    "k_sensitivity",
    "learner_bands",
    "leave_two_out_importance",
    "load",
    "lofo_importance",
    "m_plot",
    "main_effect_complexity",
    "normalised_effect",
    "normalised_mutual_information",
    "order_sensitivity",
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
