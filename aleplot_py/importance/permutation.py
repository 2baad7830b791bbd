"""Permutation importance of a fitted model, over all rows or within subgroups."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from aleplot_py.errors import FeatureError
from aleplot_py.importance.columns import (
    ColumnGroup,
    Features,
    Positions,
    column_groups,
    permute_columns,
)
from aleplot_py.importance.lofo import COMPARISONS, Compare
from aleplot_py.importance.problem import (
    as_response,
    check_estimator,
    check_row_params,
    require_sklearn,
    take_params,
    with_weights,
)
from aleplot_py.importance.refits import streamed
from aleplot_py.importance.results import ImportanceResult, importance_result
from aleplot_py.importance.scoring import check_weighable, score_of, scorer_of
from aleplot_py.inputs.checks import (
    check_switches,
    job_count,
    one_of,
    positive_integer,
    weights_of,
)
from aleplot_py.inputs.fitting import draw_seeds, own_rows, with_bar
from aleplot_py.inputs.requests import as_table
from aleplot_py.steps.centre import power_of
from aleplot_py.typing import FittedModel, Numbers, RandomState, Response, Scoring, Table


def permutation_importance(
    estimator: FittedModel,
    X: Table,
    y: Response,
    *,
    scoring: Scoring,
    sample_weight: Numbers | None = None,
    target: Hashable | None = None,
    features: Features | None = None,
    compare: Compare = "difference",
    n_repeats: int = 5,
    n_jobs: int | None = None,
    progress: bool = True,
    random_state: RandomState = None,
    score_params: Mapping[str, Any] | None = None,
) -> ImportanceResult:
    """Marginal permutation importance of a fitted estimator.

    For single columns the numbers are those of ``sklearn.inspection.permutation_importance`` with
    the same ``random_state`` (an integer); here the columns of a group are permuted together, and
    ratios and losses have the conventions of `lofo_importance`.

    .. versionchanged:: 0.2
       `target` and `sample_weight` are new.

    Parameters
    ----------
    estimator : fitted scikit-learn estimator
    X : (n, d) data frame, array or sparse matrix
        Usually rows that the estimator was not fitted on.
    y : (n,) array-like
    scoring
        As in `lofo_importance`.
    sample_weight : (n,) array-like, optional
        Weights of the rows in the scores.
    target, features, compare
        As in `lofo_importance`.
    n_repeats : int
        Permutations per feature.
    n_jobs, progress : optional
        As in `lofo_importance`.
    random_state : int, RandomState, Generator or None
        Source of the permutations, which are the same for every feature.
    score_params : dict, optional
        As in `lofo_importance`.

    Returns
    -------
    ImportanceResult
        With one split, the rows of X.

    Raises
    ------
    FeatureError, ValueError, TypeError
        If an argument is unusable.

    See Also
    --------
    conditional_permutation_importance : Without rows that cannot occur.
    lofo_importance : Of the data instead of the model.

    Notes
    -----
    Takes no `missing`: rows with missing values are the estimator's to handle.

    Takes no `batch_rows`: scorers need all the rows that they score.
    Takes no `response_method`, `categorical`: the scorer and the estimator know theirs.
    """
    marginal: Mapping[Positions, NDArray[np.intp]] = {}
    return permuted_importance(
        estimator,
        X,
        y,
        marginal,
        method="permutation",
        scoring=scoring,
        target=target,
        features=features,
        compare=compare,
        n_repeats=n_repeats,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        sample_weight=sample_weight,
        score_params=score_params,
    )


def conditional_permutation_importance(
    estimator: FittedModel,
    X: Table,
    y: Response,
    *,
    scoring: Scoring,
    sample_weight: Numbers | None = None,
    target: Hashable | None = None,
    features: Features | None = None,
    compare: Compare = "difference",
    n_repeats: int = 5,
    n_jobs: int | None = None,
    progress: bool = True,
    random_state: RandomState = None,
    score_params: Mapping[str, Any] | None = None,
    min_samples_leaf: int | None = None,
    max_depth: int | None = None,
) -> ImportanceResult:
    """Permutation importance within subgroups in which the feature is nearly independent.

    A regression tree is fitted to the feature on all other columns; the feature is permuted only
    among the rows of a leaf. What remains is what the model learns from the feature beyond the
    other columns, without predictions for rows that cannot occur. Without other columns it is the
    marginal importance.

    .. versionchanged:: 0.2
       `target` and `sample_weight` are new; `min_samples_leaf` was 30.

    Parameters
    ----------
    estimator, X, y, scoring, sample_weight, target, features, compare, n_repeats, n_jobs, \
progress, random_state, score_params
        As in `permutation_importance`. X is a data frame or an array.
    min_samples_leaf : int, optional
        Rows per subgroup, at least; by default 2 sqrt(n). Small subgroups also split off noise of
        the feature and make the importance too small; large ones leave some dependence and make
        it too large.
    max_depth : int, optional
        Of the trees.

    Returns
    -------
    ImportanceResult

    Raises
    ------
    FeatureError, ValueError, TypeError
        If the feature has missing or infinite values, or an argument is unusable.

    See Also
    --------
    permutation_importance : Over all rows.
    lofo_importance : Of the data instead of the model.

    Notes
    -----
    Takes no `missing`: rows with missing values are the estimator's to handle, but the features
    that are permuted must have none.

    Takes no `batch_rows`, `response_method`, `categorical`: as `permutation_importance`.

    Source: Molnar, König, Bischl and Casalicchio (2023), Model-agnostic feature importance and
    effects with dependent features: a conditional subgroup approach. Categorical columns enter the
    trees as indicators of their levels, numeric ones standardised; for a categorical feature the
    squared error of its indicators is the Gini index.
    """
    require_sklearn()
    table = as_table(X, to_fit=True)
    if sparse.issparse(table.data):
        raise TypeError("X must be a DataFrame or an array to form subgroups, got a sparse matrix")
    if min_samples_leaf is None:
        min_samples_leaf = max(2, round(2 * np.sqrt(len(table))))
    if positive_integer(min_samples_leaf, "min_samples_leaf") < 2:
        raise ValueError(f"min_samples_leaf must be at least 2, got {min_samples_leaf}")
    if max_depth is not None:
        positive_integer(max_depth, "max_depth")
    subgroups = {
        group.positions: subgroups_of(table.to_pandas(), group, min_samples_leaf, max_depth)
        for group in column_groups(features, table)
        if len(group.positions) < len(table.names)
    }
    return permuted_importance(
        estimator,
        X,
        y,
        subgroups,
        method="conditional permutation",
        scoring=scoring,
        target=target,
        features=features,
        compare=compare,
        n_repeats=n_repeats,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        sample_weight=sample_weight,
        score_params=score_params,
    )


def permuted_importance(
    estimator: Any,
    X: Any,
    y: Any,
    subgroups: Mapping[Positions, NDArray[np.intp]],
    *,
    method: str,
    scoring: Any,
    target: Hashable | None,
    features: Features | None,
    compare: str,
    n_repeats: int,
    random_state: Any,
    n_jobs: int | None,
    progress: bool,
    sample_weight: Any,
    score_params: Mapping[str, Any] | None,
) -> ImportanceResult:
    """Score a fitted estimator with each group permuted, within subgroups where there are any."""
    require_sklearn()
    from joblib import delayed

    one_of(compare, COMPARISONS, "compare")
    check_estimator(estimator, "fit", "predict")
    table = as_table(X, to_fit=True)
    n = len(table)
    y = as_response(y, n, "y")
    left_out = column_groups(features, table)
    scorer, is_loss = scorer_of(estimator, scoring, y, target)
    params = check_row_params(score_params, n, "score_params")
    weights = weights_of(sample_weight, n)
    if weights is not None:
        check_weighable(scorer)
        params = with_weights(params, "sample_weight", weights, "score_params")
    job_count(n_jobs)
    check_switches(progress=progress)
    n_repeats = positive_integer(n_repeats, "n_repeats")
    seeds = draw_seeds(random_state, 1)
    whole = _score(estimator, own_rows(table.data), y, scorer, params)
    calls = (
        delayed(_permuted_scores)(
            estimator,
            table.data,
            y,
            group.positions,
            _orders(n, subgroups.get(group.positions), n_repeats, seeds[0]),
            scorer,
            params,
        )
        for group in left_out
    )
    scores = list(with_bar(streamed(calls, n_jobs), len(left_out), "permutations", shown=progress))
    return importance_result(
        left_out,
        np.full((n_repeats, 1), whole),
        np.array(scores, dtype=np.float64)[:, :, None],
        compare=compare,
        is_loss=is_loss,
        seeds=seeds,
        method=method,
    )


def _permuted_scores(
    estimator: Any,
    X: Any,
    y: Any,
    positions: Positions,
    orders: Sequence[NDArray[np.intp]],
    scorer: Any,
    params: Mapping[str, Any],
) -> list[float]:
    return [
        _score(estimator, permute_columns(X, positions, order), y, scorer, params)
        for order in orders
    ]


def _score(estimator: Any, own: Any, y: Any, scorer: Any, params: Mapping[str, Any]) -> float:
    """Score on a table that is the estimator's own, with a copy of y and of the weights."""
    params = take_params(params, None, own.shape[0])
    return score_of(scorer, estimator, own, own_rows(y), params)


def _orders(
    n: int, subgroup: NDArray[np.intp] | None, n_repeats: int, seed: int
) -> list[NDArray[np.intp]]:
    """Orders of the rows, one per repeat; within subgroups where these are given."""
    rng = np.random.RandomState(seed)
    orders = []
    order, shuffled = np.arange(n), np.arange(n)
    for _ in range(n_repeats):
        if subgroup is None:
            # scikit-learn shuffles on from the last repeat, twice over; so the numbers are equal.
            rng.shuffle(shuffled)
            order = order[shuffled]
        else:
            order = np.arange(n)
            for rows in _members(subgroup):
                order[rows] = rng.permutation(rows)
        orders.append(order)
    return orders


def _members(subgroup: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Rows of each subgroup."""
    by_group = np.argsort(subgroup, kind="stable")
    _, first = np.unique(subgroup[by_group], return_index=True)
    return np.split(by_group, first[1:])


def subgroups_of(
    X: Any, group: ColumnGroup, min_samples_leaf: int, max_depth: int | None
) -> NDArray[np.intp]:
    """Leaf of each row in a tree that predicts the group's columns from all others, (n,)."""
    from sklearn.tree import DecisionTreeRegressor

    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X).infer_objects()
    explained = frame.iloc[:, list(group.positions)]
    for name, column in explained.items():
        unusable = int(column.isin([np.inf, -np.inf]).sum() + column.isna().sum())
        if unusable:
            raise FeatureError(
                f"column {name!r} must have no missing or infinite values to be predicted from "
                f"the other columns, got {unusable}"
            )
    others = [place for place in range(frame.shape[1]) if place not in group.positions]
    tree = DecisionTreeRegressor(
        min_samples_leaf=min_samples_leaf, max_depth=max_depth, random_state=0
    )
    predictors = _encoded(frame.iloc[:, others])
    leaves = tree.fit(predictors, _encoded(explained)).apply(predictors)
    return np.asarray(leaves, dtype=np.intp)


def _encoded(frame: pd.DataFrame) -> NDArray[np.float64]:
    """Columns as numbers: standardised, or one indicator per level."""
    blocks = list(_encoded_columns(frame))
    return np.column_stack(blocks)


def _encoded_columns(frame: pd.DataFrame) -> Iterator[NDArray[np.float64]]:
    for _, column in frame.items():
        if pd.api.types.is_datetime64_any_dtype(column):
            column = (column - column.min()).dt.total_seconds()
        elif pd.api.types.is_timedelta64_dtype(column):
            column = column.dt.total_seconds()
        elif pd.api.types.is_bool_dtype(column) and not isinstance(
            column.dtype, pd.CategoricalDtype
        ):
            column = column.astype("Float64")
        if pd.api.types.is_numeric_dtype(column):
            yield _standardised(column.to_numpy(dtype=np.float64, na_value=np.nan))
        else:
            yield pd.get_dummies(column).to_numpy(dtype=np.float64)


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean 0 and standard deviation 1; what is not finite counts as missing, which trees take."""
    values = np.where(np.isfinite(values), values, np.nan)
    if not np.nanmax(values, initial=-np.inf) > np.nanmin(values, initial=np.inf):
        return np.zeros(len(values))
    values = np.ldexp(values, -power_of(values[~np.isnan(values)]))
    centred = values - np.nanmean(values)
    return np.asarray(centred / np.nanstd(values), dtype=np.float64)
