"""Leave features out and refit, alone, in pairs or one after the other.

Leaving out answers for the *data*: a feature with a stand-in loses its importance.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from numbers import Integral
from typing import Any, Literal

import numpy as np

from aleplot_py.errors import FeatureError
from aleplot_py.importance.columns import ColumnGroup, Features, Positions, column_groups
from aleplot_py.importance.problem import Problem, make_problem
from aleplot_py.importance.refits import Known, refit_scores
from aleplot_py.importance.results import (
    EliminationResult,
    ImportanceResult,
    PairImportanceResult,
    importance_result,
    read_only,
)
from aleplot_py.inputs.checks import one_of
from aleplot_py.typing import (
    CrossValidation,
    Estimator,
    Numbers,
    RandomState,
    Response,
    Scoring,
    Table,
    Values,
)

Compare = Literal["difference", "ratio"]
COMPARISONS = ("difference", "ratio")


def lofo_importance(
    estimator: Estimator,
    X: Table,
    y: Response,
    *,
    scoring: Scoring,
    sample_weight: Numbers | None = None,
    target: Hashable | None = None,
    X_test: Table | None = None,
    y_test: Response | None = None,
    cv: CrossValidation | None = None,
    groups: Values | None = None,
    features: Features | None = None,
    compare: Compare = "difference",
    n_repeats: int = 1,
    n_jobs: int | None = None,
    progress: bool = True,
    random_state: RandomState = None,
    fit_params: Mapping[str, Any] | None = None,
    score_params: Mapping[str, Any] | None = None,
) -> ImportanceResult:
    """Leave-one-feature-out importance: refit without each feature and compare the scores.

    The splits are made once and shared by the fit with all columns and every refit, and within a
    repeat all fits have the same seed, so that a difference of scores is due to the columns alone.

    .. versionchanged:: 0.2
       `target` and `sample_weight` are new.

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
        ``score``. With losses the sign is turned, so that important is positive. A metric or loss
        of your own, ``(y, prediction)``, comes in ``make_scorer(..., greater_is_better=...)``.
    sample_weight : (n,) array-like, optional
        Weights of the rows of X in every fit and, without a hold-out set, in every score. In a
        pipeline the last step is fitted with them.
    target : label, optional
        The class that a scorer such as "f1" or "average_precision" counts as the event; without
        it the scorer's own, which for most is 1.
    X_test, y_test : (m, d) table and (m,) array-like, optional
        Hold-out set: fit on X, score on X_test. The columns may stand in another order.
    cv : int, splitter or iterable of (train, test), optional
        Read only without a hold-out set; None is scikit-learn's default of 5 folds. Generators and
        unseeded shuffling are run once.
    groups : (n,) array-like, optional
        Labels for splitters that keep groups of *rows* together (``GroupKFold``).
    features : column, sequence of columns, dict of group name to columns, or "all", optional
        What to leave out: each column by default. A column is given by its name or, where none
        has that name, by its 0-based position. The columns of a named group are left out together;
        groups must not overlap, and need not cover all columns.
    compare : {"difference", "ratio"}
        "difference": score with minus score without the feature (for a loss: loss without minus
        loss with it), in units of the score. "ratio": loss without over loss with the feature, or
        score with over score without it; 1 means unimportant.
    n_repeats : int
        Refits per split, each repeat with its own seed. For an estimator without randomness every
        repeat gives the same numbers.
    n_jobs : int, optional
        Fits at a time, run by joblib on whichever backend is active: 1 by default (unless a
        ``joblib.parallel_config`` is active, which then says), -1 for one per core.
    progress : bool, default True
        Whether a bar tells how many fits are done, as in `aleplot_py.ale`.
    random_state : int, RandomState, Generator or None
        Source of one seed per repeat, which replaces every ``random_state`` in the estimator. With
        None only those are set (from fresh entropy) that the estimator leaves at None.
    fit_params, score_params : dict, optional
        Further keyword arguments of ``fit`` and of the scorer: weights of the rows of X_test, of
        the fits or the scores alone, or of another step of a pipeline. Values with one entry per
        row are cut to the rows of each split.

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

    See Also
    --------
    refit_with_permuted : Refits as often, with as many columns.
    leave_two_out_importance : What pairs share.
    sequential_elimination : One column after the other.
    permutation_importance : Without refitting.

    Notes
    -----
    Every fit and score gets a copy of its rows, so that X and y stay as they are whatever the
    estimator does to them.

    Takes no `missing`: rows with missing values are the estimator's to handle, for which it may
    have a step of its own.

    Takes no `batch_rows`: scorers need all the rows that they score.
    Takes no `response_method`, `categorical`: the scorer and the estimator know theirs.

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
    one_of(compare, COMPARISONS, "compare")
    problem = make_problem(
        estimator,
        X,
        y,
        scoring=scoring,
        target=target,
        X_test=X_test,
        y_test=y_test,
        cv=cv,
        groups=groups,
        n_repeats=n_repeats,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        sample_weight=sample_weight,
        fit_params=fit_params,
        score_params=score_params,
    )
    return _refit_importance(problem, column_groups(features, problem.table), compare, {})


def refit_with_permuted(
    estimator: Estimator,
    X: Table,
    y: Response,
    *,
    scoring: Scoring,
    sample_weight: Numbers | None = None,
    target: Hashable | None = None,
    X_test: Table | None = None,
    y_test: Response | None = None,
    cv: CrossValidation | None = None,
    groups: Values | None = None,
    features: Features | None = None,
    compare: Compare = "difference",
    n_repeats: int = 1,
    n_jobs: int | None = None,
    progress: bool = True,
    random_state: RandomState = None,
    fit_params: Mapping[str, Any] | None = None,
    score_params: Mapping[str, Any] | None = None,
) -> ImportanceResult:
    """Refit with a permuted copy of each feature in its place, instead of leaving it out.

    The chapter's alternative to LOFO: the number of columns, and with it whatever depends on it
    (columns tried per split of a forest, penalties), stays the same. The rows of a feature (those
    of a group together) are permuted within the training rows and within the test rows, by the
    same order for every feature of a repeat and split.

    .. versionchanged:: 0.2
       `target` and `sample_weight` are new.

    Parameters
    ----------
    estimator, X, y, scoring, sample_weight, target, X_test, y_test, cv, groups, features, \
compare, n_repeats, n_jobs, progress, random_state, fit_params, score_params
        As in `lofo_importance`.

    Returns
    -------
    ImportanceResult
        As from `lofo_importance`.

    Raises
    ------
    LofoError, FeatureError, ValueError, TypeError, ImportError
        As `lofo_importance`.

    See Also
    --------
    lofo_importance : Leaves the column out.
    permutation_importance : Permutes without refitting.

    Notes
    -----
    Takes no `missing`, `batch_rows`, `response_method`, `categorical`: as `lofo_importance`.
    """
    one_of(compare, COMPARISONS, "compare")
    problem = make_problem(
        estimator,
        X,
        y,
        scoring=scoring,
        target=target,
        X_test=X_test,
        y_test=y_test,
        cv=cv,
        groups=groups,
        n_repeats=n_repeats,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        sample_weight=sample_weight,
        fit_params=fit_params,
        score_params=score_params,
        left_out="permute",
    )
    return _refit_importance(problem, column_groups(features, problem.table), compare, {})


def leave_two_out_importance(
    estimator: Estimator,
    X: Table,
    y: Response,
    *,
    scoring: Scoring,
    sample_weight: Numbers | None = None,
    target: Hashable | None = None,
    X_test: Table | None = None,
    y_test: Response | None = None,
    cv: CrossValidation | None = None,
    groups: Values | None = None,
    features: Features | None = None,
    n_repeats: int = 1,
    n_jobs: int | None = None,
    progress: bool = True,
    random_state: RandomState = None,
    fit_params: Mapping[str, Any] | None = None,
    score_params: Mapping[str, Any] | None = None,
) -> PairImportanceResult:
    """Leave-two-features-out importance (LTFO): the importance that pairs share.

    Two columns that stand in for each other have no importance alone, but the model needs one of
    them: without both it gets worse by more than the sum of the two. That surplus is ``shared``.
    A negative one means that each of the two is useful only together with the other.

    With p features (or groups) there are 1 + p + p (p - 1) / 2 fits per split and repeat.

    .. versionchanged:: 0.2
       `target` and `sample_weight` are new.

    Parameters
    ----------
    estimator, X, y, scoring, sample_weight, target, X_test, y_test, cv, groups, features, \
n_repeats, n_jobs, progress, random_state, fit_params, score_params
        As in `lofo_importance`.

    Returns
    -------
    PairImportanceResult
        With the importance of the single features.

    Raises
    ------
    LofoError, FeatureError, ValueError, TypeError, ImportError
        As `lofo_importance`, or if there are fewer than two features.

    See Also
    --------
    lofo_importance : Leaves out one at a time.
    association_matrix : Which columns stand in for each other.

    Notes
    -----
    Takes no `missing`, `batch_rows`, `response_method`, `categorical`: as `lofo_importance`.
    """
    problem = make_problem(
        estimator,
        X,
        y,
        scoring=scoring,
        target=target,
        X_test=X_test,
        y_test=y_test,
        cv=cv,
        groups=groups,
        n_repeats=n_repeats,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        sample_weight=sample_weight,
        fit_params=fit_params,
        score_params=score_params,
    )
    left_out = column_groups(features, problem.table)
    if len(left_out) < 2:
        raise FeatureError(
            f"features must name at least two, which pairs need, got {len(left_out)}"
        )
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
    estimator: Estimator,
    X: Table,
    y: Response,
    *,
    scoring: Scoring,
    sample_weight: Numbers | None = None,
    target: Hashable | None = None,
    keep: int = 1,
    X_test: Table | None = None,
    y_test: Response | None = None,
    cv: CrossValidation | None = None,
    groups: Values | None = None,
    features: Features | None = None,
    n_repeats: int = 1,
    n_jobs: int | None = None,
    progress: bool = True,
    random_state: RandomState = None,
    fit_params: Mapping[str, Any] | None = None,
    score_params: Mapping[str, Any] | None = None,
) -> EliminationResult:
    """Repeat LOFO and drop the least important feature each time.

    The mean over splits and repeats decides; of equally unimportant features the first is dropped.
    The refit without it is the next step's fit with all columns, so nothing is fitted twice.

    .. versionchanged:: 0.2
       `target` and `sample_weight` are new.

    Parameters
    ----------
    estimator, X, y, scoring, sample_weight, target
        As in `lofo_importance`.
    keep : int
        Number of features (or groups) at which to stop; 0 goes down to the null model, or to the
        columns that are not among ``features``.
    X_test, y_test, cv, groups, features, n_repeats, n_jobs, progress, random_state, fit_params, \
score_params
        As in `lofo_importance`. Columns that are not among ``features`` are never dropped.

    Returns
    -------
    EliminationResult
        The path, with the importances that decided each step.

    Raises
    ------
    LofoError, FeatureError, ValueError, TypeError, ImportError
        As `lofo_importance`, or if `keep` is not a number of features.

    See Also
    --------
    lofo_importance : The importance that decides each step.

    Notes
    -----
    Takes no `missing`, `batch_rows`, `response_method`, `categorical`: as `lofo_importance`.
    """
    problem = make_problem(
        estimator,
        X,
        y,
        scoring=scoring,
        target=target,
        X_test=X_test,
        y_test=y_test,
        cv=cv,
        groups=groups,
        n_repeats=n_repeats,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        sample_weight=sample_weight,
        fit_params=fit_params,
        score_params=score_params,
    )
    remaining = column_groups(features, problem.table)
    if isinstance(keep, bool) or not isinstance(keep, Integral) or not 0 <= keep < len(remaining):
        raise ValueError(
            f"keep must be an integer from 0 to {len(remaining) - 1} (features minus one), "
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
