"""Scores of a fitted estimator with permuted columns, over all rows or within subgroups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aleplot_py._importance_results import ImportanceResult, check_compare, importance_result
from aleplot_py._lofo import (
    as_response,
    check_estimator,
    check_n_jobs,
    check_n_repeats,
    check_row_params,
    draw_seeds,
    make_scorer_of,
    require_sklearn,
    score_of,
)
from aleplot_py._lofo_columns import (
    ColumnGroup,
    Features,
    Positions,
    as_table,
    column_groups,
    column_names,
    permute_columns,
)
from aleplot_py.errors import FeatureError


def permuted_importance(
    estimator: Any,
    X: Any,
    y: Any,
    subgroups: Mapping[Positions, NDArray[np.intp]],
    *,
    method: str,
    scoring: Any,
    features: Features | None,
    compare: str,
    n_repeats: int,
    random_state: Any,
    n_jobs: int | None,
    score_params: Mapping[str, Any] | None,
) -> ImportanceResult:
    """Score a fitted estimator with each group permuted, within subgroups where there are any."""
    require_sklearn()
    from joblib import Parallel, delayed

    check_compare(compare)
    check_estimator(estimator, "fit", "predict")
    X = as_table(X, "X")
    y = as_response(y, X.shape[0], "y")
    left_out = column_groups(features, column_names(X))
    scorer, is_loss = make_scorer_of(estimator, scoring)
    params = check_row_params(score_params, X.shape[0], "score_params")
    check_n_jobs(n_jobs)
    check_n_repeats(n_repeats)
    seeds = draw_seeds(random_state, 1)
    base = score_of(scorer, estimator, X, y, params)
    scores = Parallel(n_jobs=n_jobs)(
        delayed(_permuted_scores)(
            estimator,
            X,
            y,
            group.positions,
            _orders(X.shape[0], subgroups.get(group.positions), n_repeats, seeds[0]),
            scorer,
            params,
        )
        for group in left_out
    )
    return importance_result(
        left_out,
        np.full((n_repeats, 1), base),
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
        score_of(scorer, estimator, permute_columns(X, positions, order), y, params)
        for order in orders
    ]


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
                f"column {name!r}: must have no missing or infinite values to be predicted from "
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
    centred = values - np.nanmean(values)
    return np.asarray(centred / np.nanstd(values), dtype=np.float64)
