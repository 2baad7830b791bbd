"""The checked arguments of a refit: tables, splits, scorer, weights and seeds."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aleplot_py.importance.scoring import check_weighable, scorer_of, weight_parameter
from aleplot_py.inputs import native
from aleplot_py.inputs.arrays import with_its_type
from aleplot_py.inputs.checks import check_switches, job_count, positive_integer, weights_of
from aleplot_py.inputs.extras import needed
from aleplot_py.inputs.fitting import draw_seeds, own_rows
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.requests import as_table

FoldRows: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]  # to train on, to score


@dataclass(frozen=True)
class Problem:
    """Checked arguments that every refit shares.

    ``splits`` is None with a hold-out set; ``left_out`` says whether the columns are dropped or
    replaced by permuted copies; ``is_loss`` whether the scorer negates a loss (None: not known);
    ``override_seeds`` whether ``seeds`` also replace the integers that the estimator holds.
    """

    estimator: Any
    table: Table
    y: Any
    X_test: Any
    y_test: Any
    splits: tuple[FoldRows, ...] | None
    scorer: Any
    is_loss: bool | None
    seeds: tuple[int, ...]
    override_seeds: bool
    fit_params: Mapping[str, Any]
    score_params: Mapping[str, Any]
    left_out: Literal["drop", "permute"]
    n_jobs: int | None
    progress: bool

    @property
    def X(self) -> Any:
        """The caller's table, of which fits and scores get copies."""
        return self.table.data

    @property
    def names(self) -> tuple[Hashable, ...]:
        """Names of the columns of X."""
        return tuple(self.table.names)

    @property
    def n_splits(self) -> int:
        """Number of splits (1 with a hold-out set)."""
        return 1 if self.splits is None else len(self.splits)


def require_sklearn() -> None:
    """Raise an ImportError that says how to get scikit-learn, if it is missing."""
    needed("sklearn", "importance")


def make_problem(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any,
    target: Hashable | None,
    X_test: Any,
    y_test: Any,
    cv: Any,
    groups: Any,
    n_repeats: int,
    random_state: Any,
    n_jobs: int | None,
    progress: bool,
    sample_weight: Any,
    fit_params: Mapping[str, Any] | None,
    score_params: Mapping[str, Any] | None,
    left_out: Literal["drop", "permute"] = "drop",
) -> Problem:
    """Check the arguments, make the splits and draw the seeds, once for all refits."""
    require_sklearn()
    check_estimator(estimator, "fit", "get_params")
    table = as_table(X, to_fit=True)
    n = len(table)
    y = as_response(y, n, "y")
    scorer, is_loss = scorer_of(estimator, scoring, y, target)
    splits, held_out = None, None
    if X_test is None:
        if y_test is not None:
            raise ValueError("X_test must be given with y_test, got None")
        splits = _make_splits(estimator, table.data, y, cv, groups)
    else:
        if y_test is None:
            raise ValueError("y_test must be given with X_test, got None")
        if cv is not None or groups is not None:
            raise ValueError("cv and groups must be left out where X_test and y_test are given")
        held_out = _same_columns(as_table(X_test, "X_test", to_fit=True).data, table.data)
        y_test = as_response(y_test, held_out.shape[0], "y_test")
    job_count(n_jobs)
    check_switches(progress=progress)
    fit_params = check_row_params(fit_params, n, "fit_params")
    n_scored = n if held_out is None else held_out.shape[0]
    score_params = check_row_params(score_params, n_scored, "score_params")
    weights = weights_of(sample_weight, n)
    if weights is not None:
        fit_params = with_weights(fit_params, weight_parameter(estimator), weights, "fit_params")
        if held_out is None:
            check_weighable(scorer)
            score_params = with_weights(score_params, "sample_weight", weights, "score_params")
    return Problem(
        estimator=estimator,
        table=table,
        y=y,
        X_test=held_out,
        y_test=y_test,
        splits=splits,
        scorer=scorer,
        is_loss=is_loss,
        seeds=draw_seeds(random_state, positive_integer(n_repeats, "n_repeats")),
        override_seeds=random_state is not None,
        fit_params=fit_params,
        score_params=score_params,
        left_out=left_out,
        n_jobs=n_jobs,
        progress=progress,
    )


def check_estimator(estimator: Any, *needed: str) -> None:
    """Refuse what lacks the methods, and classes in place of instances."""
    missing = [name for name in needed if not hasattr(estimator, name)]
    if missing or isinstance(estimator, type):
        raise TypeError(
            f"estimator must be a scikit-learn estimator instance with {', '.join(needed)}, "
            f"got {estimator!r}"
        )


def as_response(y: Any, n: int, argument: str) -> Any:
    """Return y with n rows, as series, frame or array."""
    y = with_its_type(y)
    y = y if hasattr(y, "iloc") else np.asarray(y)
    length = y.shape[0] if y.ndim else 0
    if length != n:
        table = "X_test" if argument == "y_test" else "X"
        raise ValueError(
            f"{argument} must have as many rows as {table}, got {length} rows for {n} of {table}"
        )
    return y


def check_row_params(params: Mapping[str, Any] | None, n: int, argument: str) -> dict[str, Any]:
    """Refuse what is no mapping, and sample weights that are not one per row."""
    if params is None:
        return {}
    if not isinstance(params, Mapping):
        raise TypeError(f"{argument} must be a dict of keyword arguments, got {params!r}")
    for name, value in params.items():
        if is_weight(name) and value is not None and _length(value) != n:
            raise ValueError(
                f"{name!r} in {argument} must have one value per row, got {_length(value)} for {n}"
            )
    return dict(params)


def with_weights(
    params: dict[str, Any], name: str, weights: NDArray[np.float64], argument: str
) -> dict[str, Any]:
    """Parameters with the weights of the rows among them."""
    if params.get(name) is not None:
        raise ValueError(f"sample_weight must be left out where {argument} has {name!r}")
    return {**params, name: weights}


def take_params(params: Mapping[str, Any], rows: NDArray[np.intp] | None, n: int) -> dict[str, Any]:
    """Copy the ``rows`` of values that have one entry for each of n; pass others as they are."""
    return {
        name: own_rows(value, rows) if _length(value) == n else value
        for name, value in params.items()
    }


def is_weight(name: str) -> bool:
    """Whether a keyword of ``fit`` or of a scorer names weights of the rows."""
    return name == "sample_weight" or name.endswith("__sample_weight")


def _length(value: Any) -> int | None:
    """Rows of something that has rows, None for scalars, strings and dicts."""
    if isinstance(value, (str, bytes, Mapping)) or not (
        hasattr(value, "shape") or isinstance(value, Sequence)
    ):
        return None
    shape = value.shape if hasattr(value, "shape") else (len(value),)
    return int(shape[0]) if len(shape) else None


def _same_columns(X_test: Any, X: Any) -> Any:
    """X_test with the columns of X, in the order of X."""
    frame = native.frame_of(X)
    if isinstance(X, pd.DataFrame) != isinstance(X_test, pd.DataFrame) or (
        frame is not None and type(X_test) is not type(X)
    ):
        raise TypeError(
            f"X_test must be of the kind of X ({type(X).__name__}), got {type(X_test).__name__}"
        )
    if frame is not None:
        X, X_test = frame, native.frame_of(X_test)
    elif not isinstance(X, pd.DataFrame):
        if X_test.shape[1] != X.shape[1]:
            raise ValueError(
                f"X_test must have the {X.shape[1]} columns of X, got {X_test.shape[1]}"
            )
        return X_test
    if set(X_test.columns) != set(X.columns):
        raise ValueError(
            f"X_test must have the columns of X, {list(X.columns)}, got {list(X_test.columns)}"
        )
    X_test = X_test if list(X_test.columns) == list(X.columns) else X_test[list(X.columns)]
    return X_test if frame is None else X_test.to_native()


def _make_splits(estimator: Any, X: Any, y: Any, cv: Any, groups: Any) -> tuple[FoldRows, ...]:
    """Run the splitter (or generator) once and keep what it gives."""
    from sklearn.base import is_classifier
    from sklearn.model_selection import check_cv

    n = X.shape[0]
    if groups is not None and _length(groups) != n:
        raise ValueError(
            f"groups must have one label per row of X, got {_length(groups)} for {n} rows"
        )
    splitter = check_cv(cv, y, classifier=is_classifier(estimator))
    splits = []
    for number, (train, test) in enumerate(splitter.split(X, y, groups)):
        both = tuple(_as_rows(part, n, number) for part in (train, test))
        splits.append((both[0], both[1]))
    if not splits:
        raise ValueError("cv must give at least one split, got none (an exhausted generator?)")
    return tuple(splits)


def _as_rows(part: Any, n: int, number: int) -> NDArray[np.intp]:
    rows = np.asarray(part)
    if rows.dtype == bool and rows.shape == (n,):
        rows = np.flatnonzero(rows)
    integers = rows.ndim == 1 and rows.dtype.kind in "iu"
    if not integers or rows.size == 0 or rows.min() < -n or rows.max() >= n:
        raise ValueError(
            f"split {number} of cv must hold row positions of X (0 to {n - 1}), at least one in "
            f"each part, got {part!r}"
        )
    return rows.astype(np.intp, copy=False)
