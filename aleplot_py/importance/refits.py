"""Refits and scores on shared splits: the work behind the leave-one-feature-out functions."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from inspect import signature
from numbers import Integral
from threading import Event
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aleplot_py.errors import AleplotError
from aleplot_py.importance.columns import (
    Positions,
    as_table,
    column_names,
    drop_columns,
    estimator_without,
    permute_columns,
    take_rows,
)
from aleplot_py.inputs.arrays import with_its_type
from aleplot_py.inputs.extras import needed

Split: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]


Known: TypeAlias = dict[tuple[Positions, int, int], float]


_SEEDS = np.iinfo(np.int32).max + 1  # number of possible seeds, as in scikit-learn


class LofoError(AleplotError):
    """A fit or a score failed; what had been computed by then is in ``partial``.

    The error of the estimator is the cause (``__cause__``), its traceback is in the notes.

    Attributes
    ----------
    partial : pandas.DataFrame
        One row per score that was computed: ``left_out`` (tuple of column names, empty for all
        columns), ``repeat``, ``split``, ``score`` (as the scorer gave it, greater is better).
    """

    def __init__(self, message: str, partial: pd.DataFrame) -> None:
        super().__init__(message)
        self.partial = partial

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.partial)


@dataclass(frozen=True)
class Problem:
    """Checked arguments that every refit shares.

    ``splits`` is None with a hold-out set; ``left_out`` says whether the columns are dropped or
    replaced by permuted copies; ``is_loss`` whether the scorer negates a loss (None: not known);
    ``override_seeds`` whether ``seeds`` also replace the integers that the estimator holds.
    """

    estimator: Any
    X: Any
    y: Any
    X_test: Any
    y_test: Any
    splits: tuple[Split, ...] | None
    scorer: Any
    is_loss: bool | None
    seeds: tuple[int, ...]
    override_seeds: bool
    fit_params: Mapping[str, Any]
    score_params: Mapping[str, Any]
    left_out: Literal["drop", "permute"]
    n_jobs: int | None

    @property
    def names(self) -> tuple[Hashable, ...]:
        """Names of the columns of X."""
        return column_names(self.X)

    @property
    def n_splits(self) -> int:
        """Number of splits (1 with a hold-out set)."""
        return 1 if self.splits is None else len(self.splits)


@dataclass(frozen=True)
class _Job:
    """One refit: small enough to be sent to another process with the data beside it."""

    estimator: Any
    columns: Positions
    left_out: str
    split: Split | None
    order_seed: tuple[int, int]
    scorer: Any
    fit_params: Mapping[str, Any]
    score_params: Mapping[str, Any]


@dataclass(frozen=True)
class _Outcome:
    score: float = np.nan
    failed_in: str = ""
    error: Exception | None = None
    trace: str = field(default="", repr=False)


def require_sklearn() -> None:
    """Raise an ImportError that says how to get scikit-learn, if it is missing."""
    needed("sklearn", "importance")


def make_problem(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any,
    X_test: Any = None,
    y_test: Any = None,
    cv: Any = None,
    groups: Any = None,
    n_repeats: int = 1,
    random_state: Any = None,
    n_jobs: int | None = None,
    fit_params: Mapping[str, Any] | None = None,
    score_params: Mapping[str, Any] | None = None,
    left_out: Literal["drop", "permute"] = "drop",
) -> Problem:
    """Check the arguments, make the splits and draw the seeds, once for all refits."""
    require_sklearn()
    check_estimator(estimator, "fit", "get_params")
    X = as_table(X, "X")
    y = as_response(y, X.shape[0], "y")
    scorer, is_loss = make_scorer_of(estimator, scoring)
    splits = None
    if X_test is None:
        if y_test is not None:
            raise ValueError("X_test: is needed with y_test, got None")
        splits = _make_splits(estimator, X, y, cv, groups)
    else:
        if y_test is None:
            raise ValueError("y_test: is needed with X_test, got None")
        if cv is not None or groups is not None:
            raise ValueError("cv: give either cv (and groups) or X_test and y_test, not both")
        X_test = _same_columns(as_table(X_test, "X_test"), X)
        y_test = as_response(y_test, X_test.shape[0], "y_test")
    check_n_jobs(n_jobs)
    n_scored = X.shape[0] if X_test is None else X_test.shape[0]
    return Problem(
        estimator=estimator,
        X=X,
        y=y,
        X_test=X_test,
        y_test=y_test,
        splits=splits,
        scorer=scorer,
        is_loss=is_loss,
        seeds=draw_seeds(random_state, n_repeats),
        override_seeds=random_state is not None,
        fit_params=check_row_params(fit_params, X.shape[0], "fit_params"),
        score_params=check_row_params(score_params, n_scored, "score_params"),
        left_out=left_out,
        n_jobs=n_jobs,
    )


def check_estimator(estimator: Any, *needed: str) -> None:
    """Refuse what lacks the methods, and classes in place of instances."""
    missing = [name for name in needed if not hasattr(estimator, name)]
    if missing or isinstance(estimator, type):
        raise TypeError(
            f"estimator: must be a scikit-learn estimator instance with {', '.join(needed)}, "
            f"got {estimator!r}"
        )


def check_n_jobs(n_jobs: int | None) -> None:
    """Refuse what joblib cannot read as a number of workers."""
    integer = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not integer or n_jobs == 0):
        raise ValueError(f"n_jobs: must be None or an integer other than 0, got {n_jobs!r}")


def as_response(y: Any, n: int, argument: str) -> Any:
    """Return y with n rows, as series, frame or array."""
    y = with_its_type(y)
    y = y if hasattr(y, "iloc") else np.asarray(y)
    length = y.shape[0] if y.ndim else 0
    if length != n:
        table = "X_test" if argument == "y_test" else "X"
        raise ValueError(
            f"{argument}: must have as many rows as {table}, got {length} rows for {n} of {table}"
        )
    return y


def check_row_params(params: Mapping[str, Any] | None, n: int, argument: str) -> dict[str, Any]:
    """Refuse what is no mapping, and sample weights that are not one per row."""
    if params is None:
        return {}
    if not isinstance(params, Mapping):
        raise TypeError(f"{argument}: must be a dict of keyword arguments, got {params!r}")
    for name, value in params.items():
        if _is_weight(name) and value is not None and _length(value) != n:
            raise ValueError(
                f"{argument}: {name!r} must have one value per row, got {_length(value)} for {n}"
            )
    return dict(params)


def check_n_repeats(n_repeats: int) -> None:
    """Refuse anything but a positive integer."""
    if isinstance(n_repeats, bool) or not isinstance(n_repeats, Integral) or n_repeats < 1:
        raise ValueError(f"n_repeats: must be an integer of at least 1, got {n_repeats!r}")


def draw_seeds(random_state: Any, n_repeats: int) -> tuple[int, ...]:
    """Draw one integer seed per repeat."""
    from sklearn.utils import check_random_state

    check_n_repeats(n_repeats)
    if isinstance(random_state, np.random.Generator):
        drawn = random_state.integers(_SEEDS, size=int(n_repeats))
    else:
        # None draws fresh entropy instead of numpy's global state.
        source = np.random.RandomState() if random_state is None else random_state
        drawn = check_random_state(source).randint(_SEEDS, size=int(n_repeats))
    return tuple(int(seed) for seed in drawn)


def make_scorer_of(estimator: Any, scoring: Any) -> tuple[Any, bool | None]:
    """Scorer (greater is better) and whether it negates a loss; None where that is not known.

    Accepts a scorer's name, a scorer, a callable ``(estimator, X, y)``, a metric of
    ``sklearn.metrics`` such as ``mean_squared_error``, or None for the estimator's own score.
    """
    from sklearn.metrics import check_scoring, get_scorer

    if scoring is None:
        if not hasattr(estimator, "score"):
            raise TypeError(
                f"scoring: None uses the estimator's score method, which {estimator!r} lacks"
            )
        return check_scoring(estimator), None
    if isinstance(scoring, str):
        try:
            scorer = get_scorer(scoring)
        except ValueError as error:
            raise ValueError(
                f"scoring: unknown scorer {scoring!r}; sklearn.metrics.get_scorer_names() "
                "lists the names"
            ) from error
    elif not callable(scoring):
        raise TypeError(
            "scoring: must be a scorer's name, a callable (estimator, X, y) or a metric, "
            f"got {scoring!r}"
        )
    else:
        scorer = _scorer_of_metric(scoring) if _is_metric(scoring) else scoring
    sign, metric = getattr(scorer, "_sign", None), getattr(scorer, "_score_func", None)
    if sign == 1 and _is_named_as_loss(metric):
        raise ValueError(
            f"scoring: {_name(metric)} is a loss, but the scorer takes greater values for "
            "better ones; use make_scorer(..., greater_is_better=False)"
        )
    return scorer, None if sign is None else sign < 0


def refit_scores(
    problem: Problem, left_out: Sequence[Positions], known: Known
) -> NDArray[np.float64]:
    """Score the refits without each of some sets of columns.

    Parameters
    ----------
    problem : Problem
    left_out : sequence of tuple of int
        Sets of columns to leave out; the empty tuple is the fit with all columns.
    known : dict
        Scores by (columns, repeat, split); those in it are not computed again, new ones are added.

    Returns
    -------
    (len(left_out), n_repeats, n_splits) array
        In units of the scorer, greater is better.

    Raises
    ------
    LofoError
        If a fit or a score fails. No further refit is started then; those under way are kept.
    """
    n_repeats, n_splits = len(problem.seeds), problem.n_splits
    sets = list(dict.fromkeys(left_out))
    keys = [
        key
        for repeat in range(n_repeats)
        for split in range(n_splits)
        for columns in sets
        if (key := (columns, repeat, split)) not in known
    ]
    prototypes = {columns: _prototype(problem, columns) for columns in sets}
    stop = Event()
    jobs = (_job(problem, prototypes[key[0]], key) for key in keys)
    failed: list[tuple[tuple[Positions, int, int], _Outcome]] = []
    try:
        outcomes = _run(problem, jobs, stop)
        for key, outcome in zip(keys, _with_progress(outcomes, len(keys)), strict=False):
            if outcome.error is None:
                known[key] = outcome.score
            else:
                failed.append((key, outcome))
                stop.set()
    except Exception as error:
        raise LofoError(
            f"the parallel run broke down: {type(error).__name__}: {error}",
            _partial(problem, known),
        ) from error
    if failed:
        raise _error_of(problem, failed, known)
    scores = [
        known[columns, repeat, split]
        for columns in left_out
        for repeat in range(n_repeats)
        for split in range(n_splits)
    ]
    return np.array(scores, dtype=np.float64).reshape(len(left_out), n_repeats, n_splits)


def take_params(params: Mapping[str, Any], rows: NDArray[np.intp], n: int) -> dict[str, Any]:
    """Cut to ``rows`` the values that have one entry per row; pass the others as they are."""
    return {
        name: take_rows(value, rows) if _length(value) == n else value
        for name, value in params.items()
    }


def score_of(scorer: Any, estimator: Any, X: Any, y: Any, params: Mapping[str, Any]) -> float:
    """Call the scorer and refuse anything but one number."""
    score = scorer(estimator, X, y, **params)
    if np.ndim(score) != 0 or isinstance(score, (str, bytes, Mapping)):
        raise ValueError(f"scoring: the scorer must return one number, got {score!r}")
    if np.isnan(float(score)):
        raise ValueError("scoring: the scorer must return a number, got nan")
    return float(score)


def _length(value: Any) -> int | None:
    """Rows of something that has rows, None for scalars, strings and dicts."""
    if isinstance(value, (str, bytes, Mapping)) or not (
        hasattr(value, "shape") or isinstance(value, Sequence)
    ):
        return None
    shape = value.shape if hasattr(value, "shape") else (len(value),)
    return int(shape[0]) if len(shape) else None


def _is_weight(name: str) -> bool:
    return name == "sample_weight" or name.endswith("__sample_weight")


def _is_metric(function: Any) -> bool:
    """Whether a callable has the signature of a metric, (y_true, y_pred, ...)."""
    try:
        names = list(signature(function).parameters)
    except (TypeError, ValueError):
        return False
    return names[:1] == ["y_true"]


def _is_named_as_loss(metric: Any) -> bool:
    """scikit-learn's rule: names in _error, _loss or _deviance are better when smaller."""
    return _name(metric).endswith(("_error", "_loss", "_deviance"))


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", ""))


def _scorer_of_metric(metric: Any) -> Any:
    """scikit-learn's own scorer of a metric where it has one, else one by the metric's name."""
    from sklearn.metrics import get_scorer, get_scorer_names, make_scorer

    for name in get_scorer_names():
        scorer = get_scorer(name)
        same = getattr(scorer, "_score_func", None) is metric
        if same and not getattr(scorer, "_kwargs", None):
            return scorer
    if _is_named_as_loss(metric):
        return make_scorer(metric, greater_is_better=False)
    if _name(metric).endswith("_score"):
        return make_scorer(metric)
    raise ValueError(
        f"scoring: it cannot be told whether greater values of {metric!r} are better; "
        "use make_scorer(metric, greater_is_better=...)"
    )


def _same_columns(X_test: Any, X: Any) -> Any:
    """X_test with the columns of X, in the order of X."""
    if isinstance(X, pd.DataFrame) != isinstance(X_test, pd.DataFrame):
        raise TypeError(
            f"X_test: must be of the kind of X ({type(X).__name__}), got {type(X_test).__name__}"
        )
    if not isinstance(X, pd.DataFrame):
        if X_test.shape[1] != X.shape[1]:
            raise ValueError(
                f"X_test: must have the {X.shape[1]} columns of X, got {X_test.shape[1]}"
            )
        return X_test
    if set(X_test.columns) != set(X.columns):
        raise ValueError(
            f"X_test: must have the columns of X, {list(X.columns)}, got {list(X_test.columns)}"
        )
    return X_test if list(X_test.columns) == list(X.columns) else X_test[list(X.columns)]


def _make_splits(estimator: Any, X: Any, y: Any, cv: Any, groups: Any) -> tuple[Split, ...]:
    """Run the splitter (or generator) once and keep what it gives."""
    from sklearn.base import is_classifier
    from sklearn.model_selection import check_cv

    n = X.shape[0]
    if groups is not None and _length(groups) != n:
        raise ValueError(
            f"groups: must have one label per row of X, got {_length(groups)} for {n} rows"
        )
    splitter = check_cv(cv, y, classifier=is_classifier(estimator))
    splits = []
    for number, (train, test) in enumerate(splitter.split(X, y, groups)):
        both = tuple(_as_rows(part, n, number) for part in (train, test))
        splits.append((both[0], both[1]))
    if not splits:
        raise ValueError("cv: must give at least one split, got none (an exhausted generator?)")
    return tuple(splits)


def _as_rows(part: Any, n: int, number: int) -> NDArray[np.intp]:
    rows = np.asarray(part)
    if rows.dtype == bool and rows.shape == (n,):
        rows = np.flatnonzero(rows)
    integers = rows.ndim == 1 and rows.dtype.kind in "iu"
    if not integers or rows.size == 0 or rows.min() < -n or rows.max() >= n:
        raise ValueError(
            f"cv: split {number} must hold row positions of X (0 to {n - 1}), at least one in "
            f"each part, got {part!r}"
        )
    return rows.astype(np.intp, copy=False)


def _prototype(problem: Problem, columns: Positions) -> Any:
    """Estimator to be cloned for the refits without ``columns``."""
    from sklearn.base import clone, is_classifier
    from sklearn.dummy import DummyClassifier, DummyRegressor

    if problem.left_out == "permute" or not columns:
        return clone(problem.estimator)
    if len(columns) == len(problem.names):
        if is_classifier(problem.estimator):
            return DummyClassifier(strategy="prior")
        return DummyRegressor(strategy="mean")
    named = isinstance(problem.X, pd.DataFrame)
    return estimator_without(problem.estimator, problem.names, columns, named=named)


def _seeded(estimator: Any, seed: int, *, override: bool) -> Any:
    """Clone whose ``random_state`` parameters, and inner shuffling splitters, hold the seed."""
    from sklearn.base import clone

    seeded = clone(estimator)
    changes: dict[str, Any] = {}
    for name, value in seeded.get_params(deep=True).items():
        if name == "random_state" or name.endswith("__random_state"):
            if override or value is None:
                changes[name] = seed
        elif _shuffles_unseeded(value):
            changes[name] = copy(value)
            changes[name].random_state = seed
    return seeded.set_params(**changes) if changes else seeded


def _shuffles_unseeded(value: Any) -> bool:
    """Whether a parameter is a splitter (a search's ``cv``) that would split anew every time."""
    unseeded = hasattr(value, "split") and getattr(value, "random_state", 0) is None
    return unseeded and bool(getattr(value, "shuffle", True))


def _job(problem: Problem, prototype: Any, key: tuple[Positions, int, int]) -> _Job:
    columns, repeat, split = key
    seed = problem.seeds[repeat]
    fit_params = problem.fit_params
    null_model = problem.left_out == "drop" and len(columns) == len(problem.names)
    if null_model:
        weights = [value for name, value in fit_params.items() if _is_weight(name)]
        fit_params = {"sample_weight": weights[0]} if weights else {}
    return _Job(
        estimator=_seeded(prototype, seed, override=problem.override_seeds),
        columns=columns,
        left_out=problem.left_out,
        split=None if problem.splits is None else problem.splits[split],
        order_seed=(seed, split),
        scorer=problem.scorer,
        fit_params=fit_params,
        score_params=problem.score_params,
    )


def _run(problem: Problem, jobs: Iterator[_Job], stop: Event) -> Iterable[_Outcome]:
    """Run the jobs on whatever joblib backend is active; none is started once ``stop`` is set."""
    from joblib import Parallel, delayed

    def calls() -> Iterator[Any]:
        for job in jobs:
            if stop.is_set():
                return
            yield delayed(_fit_and_score)(problem.X, problem.y, problem.X_test, problem.y_test, job)

    try:
        parallel = Parallel(n_jobs=problem.n_jobs, return_as="generator")
    except ValueError:
        # Backends that cannot stream their results give them all at the end.
        parallel = Parallel(n_jobs=problem.n_jobs)
    outcomes: Iterable[_Outcome] = parallel(calls())
    return outcomes


def _fit_and_score(X: Any, y: Any, X_test: Any, y_test: Any, job: _Job) -> _Outcome:
    """One refit; an error is returned, so that the results of the others are not lost."""
    stage = "fit"
    try:
        fit_params, score_params = job.fit_params, job.score_params
        if job.split is None:
            train, y_train, test = X, y, X_test
        else:
            n, (train_rows, test_rows) = X.shape[0], job.split
            train, y_train = take_rows(X, train_rows), take_rows(y, train_rows)
            test, y_test = take_rows(X, test_rows), take_rows(y, test_rows)
            fit_params = take_params(fit_params, train_rows, n)
            score_params = take_params(score_params, test_rows, n)
        train, test = _without(train, test, job)
        job.estimator.fit(train, y_train, **fit_params)
        stage = "score"
        return _Outcome(score_of(job.scorer, job.estimator, test, y_test, score_params))
    except Exception as error:
        return _Outcome(failed_in=stage, error=_portable(error), trace=traceback.format_exc())


def _without(train: Any, test: Any, job: _Job) -> tuple[Any, Any]:
    """Training and test table with the job's columns dropped or permuted."""
    if not job.columns:
        return train, test
    if job.left_out == "permute":
        rng = np.random.default_rng(job.order_seed)
        return (
            permute_columns(train, job.columns, rng.permutation(train.shape[0])),
            permute_columns(test, job.columns, rng.permutation(test.shape[0])),
        )
    if len(job.columns) == train.shape[1]:
        return np.zeros((train.shape[0], 1)), np.zeros((test.shape[0], 1))
    return drop_columns(train, job.columns), drop_columns(test, job.columns)


def _portable(error: Exception) -> Exception:
    """Give the error itself, or its text where it cannot travel between processes."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _with_progress(outcomes: Iterable[_Outcome], total: int) -> Iterable[_Outcome]:
    """Show a progress bar where there is a terminal and tqdm."""
    try:
        from tqdm import tqdm
    except ImportError:
        return outcomes
    bar: Iterable[_Outcome] = tqdm(outcomes, total=total, disable=None, desc="refits", leave=False)
    return bar


def _error_of(
    problem: Problem,
    failed: Sequence[tuple[tuple[Positions, int, int], _Outcome]],
    known: Known,
) -> LofoError:
    (columns, repeat, split), outcome = failed[0]
    names = [problem.names[position] for position in columns]
    what = "with permuted" if problem.left_out == "permute" else "without"
    error = LofoError(
        f"the {outcome.failed_in} {what + f' {names}' if names else 'with all columns'} failed in "
        f"split {split} (of {problem.n_splits}, counted from 0), repeat {repeat}: "
        f"{type(outcome.error).__name__}: {outcome.error}",
        _partial(problem, known),
    )
    error.__cause__ = outcome.error
    error.add_note(outcome.trace)
    if len(failed) > 1:
        error.add_note(f"{len(failed)} fits failed before the run stopped.")
    return error


def _partial(problem: Problem, known: Known) -> pd.DataFrame:
    names = problem.names
    rows = [
        (tuple(names[position] for position in columns), repeat, split, score)
        for (columns, repeat, split), score in known.items()
    ]
    return pd.DataFrame(rows, columns=["left_out", "repeat", "split", "score"])
