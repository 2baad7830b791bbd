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

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from numbers import Integral
from typing import Any, Literal

import numpy as np

from aleplot_py.errors import FeatureError
from aleplot_py.importance.columns import (
    ColumnGroup,
    Features,
    Positions,
    column_groups,
)
from aleplot_py.importance.refits import (
    Known,
    Problem,
    make_problem,
    refit_scores,
)
from aleplot_py.importance.results import (
    EliminationResult,
    ImportanceResult,
    PairImportanceResult,
    check_compare,
    importance_result,
    read_only,
)

Compare = Literal["difference", "ratio"]


def lofo_importance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any,
    X_test: Any = None,
    y_test: Any = None,
    cv: Any = None,
    groups: Any = None,
    features: Features | None = None,
    compare: Compare = "difference",
    n_repeats: int = 1,
    random_state: Any = None,
    n_jobs: int | None = None,
    fit_params: Mapping[str, Any] | None = None,
    score_params: Mapping[str, Any] | None = None,
) -> ImportanceResult:
    """Leave-one-feature-out importance: refit without each feature and compare the scores.

    The splits are made once and shared by the fit with all columns and every refit, and within a
    repeat all fits have the same seed, so that a difference of scores is due to the columns alone.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Cloned for every fit, never changed. A search such as ``GridSearchCV`` searches anew in
        every refit. In pipelines the column selections of a ``ColumnTransformer`` (and
        per-column settings such as ``categories`` or ``categorical_features``) are rewritten for
        the columns that are left.
    X : (n, d) data frame, array or sparse matrix
        Columns keep their order, minus the ones left out.
    y : (n,) or (n, outputs) array-like
    scoring : str, callable or None
        Name of a scorer, callable ``(estimator, X, y) -> float`` whose greater values are better,
        metric of ``sklearn.metrics`` such as ``mean_squared_error``, or None for the estimator's
        ``score``. With losses the sign is turned, so that important is positive.
    X_test, y_test : (m, d) table and (m,) array-like, optional
        Hold-out set: fit on X, score on X_test. The columns may stand in another order.
    cv : int, splitter or iterable of (train, test), optional
        Read only without a hold-out set; None is scikit-learn's default of 5 folds. Generators and
        unseeded shuffling are run once.
    groups : (n,) array-like, optional
        Labels for splitters that keep groups of *rows* together (``GroupKFold``).
    features : name, sequence of names, or dict of group name to names, optional
        What to leave out: each column by default. The columns of a named group are left out
        together; groups must not overlap, and need not cover all columns. Positions for arrays.
    compare : {"difference", "ratio"}
        "difference": score with minus score without the feature (for a loss: loss without minus
        loss with it), in units of the score. "ratio": loss without over loss with the feature, or
        score with over score without it; 1 means unimportant.
    n_repeats : int
        Refits per split, each repeat with its own seed. For an estimator without randomness every
        repeat gives the same numbers.
    random_state : int, RandomState, Generator or None
        Source of one seed per repeat, which replaces every ``random_state`` in the estimator. With
        None only those are set (from fresh entropy) that the estimator leaves at None.
    n_jobs : int, optional
        Fits run in parallel by joblib, on whichever backend is active.
    fit_params, score_params : dict, optional
        Keyword arguments of ``fit`` and of the scorer. Values with one entry per row (sample
        weights) are cut to the rows of each split.

    Returns
    -------
    ImportanceResult

    Raises
    ------
    LofoError
        If a fit or score fails: it names the split, has the estimator's error as its cause and
        the scores computed until then in ``partial``.
    FeatureError
        If a feature is unknown, or groups overlap.
    ValueError, TypeError
        If another argument is unusable.
    ImportError
        If scikit-learn is missing.

    Warns
    -----
    UserWarning
        If a ratio divides by 0 (infinite, or NaN for 0/0) or by a value without a meaning as
        ratio (a negative one, NaN).

    Notes
    -----
    Where no column is left the null model stands in: ``DummyRegressor`` (the mean of y) or
    ``DummyClassifier`` (class frequencies), fitted with the sample weights if there are any.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.array([[-1.0, 0.0], [1.0, 0.0], [-2.0, 0.0], [2.0, 0.0]])
    >>> lofo = lofo_importance(
    ...     LinearRegression(), X, X[:, 0], scoring="neg_mean_squared_error",
    ...     X_test=np.array([[-1.0, 0.0], [1.0, 0.0]]), y_test=np.array([-1.0, 1.0]),
    ... )
    >>> lofo.mean.round(12).tolist()
    [1.0, 0.0]
    """
    check_compare(compare)
    problem = make_problem(
        estimator,
        X,
        y,
        scoring=scoring,
        X_test=X_test,
        y_test=y_test,
        cv=cv,
        groups=groups,
        n_repeats=n_repeats,
        random_state=random_state,
        n_jobs=n_jobs,
        fit_params=fit_params,
        score_params=score_params,
    )
    return _refit_importance(problem, column_groups(features, problem.names), compare, {})


def refit_with_permuted(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any,
    X_test: Any = None,
    y_test: Any = None,
    cv: Any = None,
    groups: Any = None,
    features: Features | None = None,
    compare: Compare = "difference",
    n_repeats: int = 1,
    random_state: Any = None,
    n_jobs: int | None = None,
    fit_params: Mapping[str, Any] | None = None,
    score_params: Mapping[str, Any] | None = None,
) -> ImportanceResult:
    """Refit with a permuted copy of each feature in its place, instead of leaving it out.

    The chapter's alternative to LOFO: the number of columns, and with it whatever depends on it
    (columns tried per split of a forest, penalties), stays the same. The rows of a feature (those
    of a group together) are permuted within the training rows and within the test rows, by the
    same order for every feature of a repeat and split.

    Parameters, errors and result are those of `lofo_importance`.
    """
    check_compare(compare)
    problem = make_problem(
        estimator,
        X,
        y,
        scoring=scoring,
        X_test=X_test,
        y_test=y_test,
        cv=cv,
        groups=groups,
        n_repeats=n_repeats,
        random_state=random_state,
        n_jobs=n_jobs,
        fit_params=fit_params,
        score_params=score_params,
        left_out="permute",
    )
    return _refit_importance(problem, column_groups(features, problem.names), compare, {})


def leave_two_out_importance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any,
    X_test: Any = None,
    y_test: Any = None,
    cv: Any = None,
    groups: Any = None,
    features: Features | None = None,
    n_repeats: int = 1,
    random_state: Any = None,
    n_jobs: int | None = None,
    fit_params: Mapping[str, Any] | None = None,
    score_params: Mapping[str, Any] | None = None,
) -> PairImportanceResult:
    """Leave-two-features-out importance (LTFO): the importance that pairs share.

    Two columns that stand in for each other have no importance alone, but the model needs one of
    them: without both it gets worse by more than the sum of the two. That surplus is ``shared``.
    A negative one means that each of the two is useful only together with the other.

    Parameters and errors are those of `lofo_importance`; with p features (or groups) there are
    1 + p + p (p - 1) / 2 fits per split and repeat.

    Returns
    -------
    PairImportanceResult
    """
    problem = make_problem(
        estimator,
        X,
        y,
        scoring=scoring,
        X_test=X_test,
        y_test=y_test,
        cv=cv,
        groups=groups,
        n_repeats=n_repeats,
        random_state=random_state,
        n_jobs=n_jobs,
        fit_params=fit_params,
        score_params=score_params,
    )
    left_out = column_groups(features, problem.names)
    if len(left_out) < 2:
        raise FeatureError(f"features: pairs need at least two features, got {len(left_out)}")
    known: Known = {}
    singles = _refit_importance(problem, left_out, "difference", known)
    pairs = list(combinations(range(len(left_out)), 2))
    both = [_union(left_out[i], left_out[j]) for i, j in pairs]
    scores = refit_scores(problem, both, known)
    return PairImportanceResult(
        pairs=tuple((left_out[i].name, left_out[j].name) for i, j in pairs),
        singles=singles,
        joint=read_only(singles.base_scores - scores),
        scores=read_only(scores),
    )


def sequential_elimination(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any,
    keep: int = 1,
    X_test: Any = None,
    y_test: Any = None,
    cv: Any = None,
    groups: Any = None,
    features: Features | None = None,
    n_repeats: int = 1,
    random_state: Any = None,
    n_jobs: int | None = None,
    fit_params: Mapping[str, Any] | None = None,
    score_params: Mapping[str, Any] | None = None,
) -> EliminationResult:
    """Repeat LOFO and drop the least important feature each time.

    The mean over splits and repeats decides; of equally unimportant features the first is dropped.
    The refit without it is the next step's fit with all columns, so nothing is fitted twice.

    Parameters and errors are those of `lofo_importance`, and:

    Parameters
    ----------
    estimator, X, y, scoring, X_test, y_test, cv, groups, features, n_repeats, random_state, \
n_jobs, fit_params, score_params
        As in `lofo_importance`. Columns that are not among ``features`` are never dropped.
    keep : int
        Number of features (or groups) at which to stop; 0 goes down to the null model, or to the
        columns that are not among ``features``.

    Returns
    -------
    EliminationResult
    """
    problem = make_problem(
        estimator,
        X,
        y,
        scoring=scoring,
        X_test=X_test,
        y_test=y_test,
        cv=cv,
        groups=groups,
        n_repeats=n_repeats,
        random_state=random_state,
        n_jobs=n_jobs,
        fit_params=fit_params,
        score_params=score_params,
    )
    remaining = column_groups(features, problem.names)
    if isinstance(keep, bool) or not isinstance(keep, Integral) or not 0 <= keep < len(remaining):
        raise ValueError(
            f"keep: must be an integer from 0 to {len(remaining) - 1} (features minus one), "
            f"got {keep!r}"
        )
    known: Known = {}
    gone: Positions = ()
    steps, eliminated = [], []
    scores = [refit_scores(problem, [()], known)[0]]
    while len(remaining) > keep:
        step = _refit_importance(problem, remaining, "difference", known, gone)
        least = int(np.argmin(step.mean))
        gone = tuple(sorted({*gone, *remaining[least].positions}))
        eliminated.append(remaining.pop(least).name)
        scores.append(step.scores[least])
        steps.append(step)
    return EliminationResult(
        eliminated=tuple(eliminated),
        kept=tuple(group.name for group in remaining),
        scores=read_only(np.stack(scores)),
        steps=tuple(steps),
    )


def check_integer(value: Any, argument: str, *, at_least: int) -> None:
    """Refuse what is not an integer of at least `at_least`."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{argument}: must be an integer, got {value!r}")
    if value < at_least:
        raise ValueError(f"{argument}: must be at least {at_least}, got {value!r}")


def _union(*groups: ColumnGroup) -> Positions:
    return tuple(sorted(position for group in groups for position in group.positions))


def _refit_importance(
    problem: Problem,
    left_out: Sequence[ColumnGroup],
    compare: str,
    known: Known,
    gone: Positions = (),
) -> ImportanceResult:
    """LOFO of some groups where the columns ``gone`` are left out already."""
    sets = [gone, *(tuple(sorted({*gone, *group.positions})) for group in left_out)]
    scores = refit_scores(problem, sets, known)
    return importance_result(
        left_out,
        scores[0],
        scores[1:],
        compare=compare,
        is_loss=problem.is_loss,
        seeds=problem.seeds,
        method="lofo" if problem.left_out == "drop" else "refit with permuted",
    )
