"""Importance of features: leave one out and refit, or permute and predict.

Leave-one-feature-out importance (LOFO; Molnar, Interpretable Machine Learning, 3rd ed., chapter
24; Lei et al. 2018) refits the model without a feature: how much worse are the predictions? It
answers for the *data*: a feature with a stand-in loses its importance. Permutation importance
answers for one fitted *model*, which may lean on the feature although a stand-in exists. In the
linear Gaussian case with correlation rho and coefficient b1 (mean squared error, unit variances)
LOFO is b1^2 (1 - rho^2), conditional permutation importance twice that, and marginal permutation
importance 2 b1^2.

All importances have one sign: positive means that the feature helps, for scores and losses alike.
"""

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
from aleplot_py.importance.refits import LofoError
from aleplot_py.importance.results import EliminationResult, ImportanceResult, PairImportanceResult
from aleplot_py.plots.importance import EliminationDisplay, ImportanceDisplay

__all__ = [
    "EliminationDisplay",
    "EliminationResult",
    "ImportanceDisplay",
    "ImportanceResult",
    "LofoError",
    "PairImportanceResult",
    "conditional_permutation_importance",
    "leave_two_out_importance",
    "lofo_importance",
    "permutation_importance",
    "refit_with_permuted",
    "sequential_elimination",
]
