"""Refits and scores on shared splits: the work behind the leave-one-feature-out functions."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aleplot_py.errors import LOG, AleplotError
from aleplot_py.importance.adapted import estimator_without
from aleplot_py.importance.columns import Positions, permute_columns
from aleplot_py.importance.problem import FoldRows, Problem, is_weight, take_params
from aleplot_py.importance.scoring import score_of
from aleplot_py.inputs.fitting import own_rows, seeded, with_bar
from aleplot_py.steps.grid import FloatArray

Known: TypeAlias = dict[tuple[Positions, int, int], float]


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
class _Job:
    """One refit: small enough to be sent to another process with the data beside it."""

    estimator: Any
    columns: Positions
    left_out: str
    fold: FoldRows | None
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
    LOG.info("%d fits, %d of them known before", len(keys) + len(known), len(known))
    prototypes = {columns: _prototype(problem, columns) for columns in sets}
    stop = Event()
    jobs = (_job(problem, prototypes[key[0]], key) for key in keys)
    failed: list[tuple[tuple[Positions, int, int], _Outcome]] = []
    try:
        outcomes = _run(problem, jobs, stop)
        shown = with_bar(outcomes, len(keys), "refits", shown=problem.progress)
        for key, outcome in zip(keys, shown, strict=False):
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
    named = isinstance(problem.X, pd.DataFrame) or problem.table.frame is not None
    return estimator_without(problem.estimator, problem.names, columns, named=named)


def _job(problem: Problem, prototype: Any, key: tuple[Positions, int, int]) -> _Job:
    columns, repeat, split = key
    seed = problem.seeds[repeat]
    fit_params = problem.fit_params
    null_model = problem.left_out == "drop" and len(columns) == len(problem.names)
    if null_model:
        weights = [value for name, value in fit_params.items() if is_weight(name)]
        fit_params = {"sample_weight": weights[0]} if weights else {}
    return _Job(
        estimator=seeded(prototype, lambda: seed, override=problem.override_seeds),
        columns=columns,
        left_out=problem.left_out,
        fold=None if problem.splits is None else problem.splits[split],
        order_seed=(seed, split),
        scorer=problem.scorer,
        fit_params=fit_params,
        score_params=problem.score_params,
    )


def _run(problem: Problem, jobs: Iterator[_Job], stop: Event) -> Iterable[_Outcome]:
    """Run the jobs on whatever joblib backend is active; none is started once ``stop`` is set."""
    from joblib import delayed

    X, X_test = _tables(problem)

    def calls() -> Iterator[Any]:
        for job in jobs:
            if stop.is_set():
                return
            yield delayed(_fit_and_score)(X, problem.y, X_test, problem.y_test, job)

    return streamed(calls(), problem.n_jobs)


def streamed(calls: Iterable[Any], n_jobs: int | None) -> Iterable[Any]:
    """Results of joblib's calls as they come, in order."""
    from joblib import Parallel

    try:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    except ValueError:
        # Backends that cannot stream their results give them all at the end.
        parallel = Parallel(n_jobs=n_jobs)
    results: Iterable[Any] = parallel(calls)
    return results


def _fit_and_score(X: Any, y: Any, X_test: Any, y_test: Any, job: _Job) -> _Outcome:
    """One refit; an error is returned, so that the results of the others are not lost."""
    stage = "fit"
    try:
        train, test = (None, None) if job.fold is None else job.fold
        if job.fold is not None:
            X_test, y_test = X, y
        fit_params = take_params(job.fit_params, train, X.shape[0])
        score_params = take_params(job.score_params, test, X_test.shape[0])
        columns = _Columns(job, X.shape[1])
        job.estimator.fit(columns.left(X, train), own_rows(y, train), **fit_params)
        stage = "score"
        X_test, y_test = columns.left(X_test, test), own_rows(y_test, test)
        return _Outcome(score_of(job.scorer, job.estimator, X_test, y_test, score_params))
    except Exception as error:
        return _Outcome(failed_in=stage, error=_portable(error), trace=traceback.format_exc())


@dataclass(frozen=True)
class _Numbers:
    """A frame's numbers (n, d) for who reads nothing else of it, in their order in memory."""

    values: FloatArray

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and columns."""
        return self.values.shape

    def copy(self, rows: NDArray[np.intp] | None, columns: Sequence[int] | None) -> FloatArray:
        """Copy of rows and columns that lies in memory like those of the frame."""
        by_column = not self.values.flags.c_contiguous
        taken = self.values.T if by_column else self.values
        for axis, chosen in enumerate((columns, rows) if by_column else (rows, columns)):
            taken = taken if chosen is None else taken.take(chosen, axis=axis)
        taken = taken.copy() if rows is None and columns is None else taken
        return taken.T if by_column else taken


def _tables(problem: Problem) -> tuple[Any, Any]:
    """X and X_test as fits and scores get them.

    Estimators and metrics of scikit-learn take the numbers out of every frame, in which they spend
    more time than in a cheap fit. Where no parameter can speak of columns, they get the numbers.
    """
    as_they_are = (problem.X, problem.X_test)
    estimator, metric = problem.estimator, getattr(problem.scorer, "_score_func", None)
    # A scorer without a metric calls the estimator's own.
    own = all(_is_of_sklearn(part) for part in (type(estimator), type(problem.scorer), metric))
    plain = all(
        value is None or isinstance(value, (bool, int, float, str))
        for value in estimator.get_params().values()
    )
    if problem.left_out == "permute" or not (own and plain):
        return as_they_are
    numbers = [None if table is None else _numbers(table) for table in as_they_are]
    known = all(
        table is None or found is not None
        for table, found in zip(as_they_are, numbers, strict=True)
    )
    return (numbers[0], numbers[1]) if known else as_they_are


def _is_of_sklearn(part: Any) -> bool:
    return part is None or getattr(part, "__module__", "").split(".")[0] == "sklearn"


def _numbers(X: Any) -> _Numbers | None:
    """Numbers of a frame of doubles under text, which lie in one array; None for others."""
    if type(X) is not pd.DataFrame or not (X.dtypes == np.float64).all():
        return None
    values = X.to_numpy()
    one = np.may_share_memory(values, X.iloc[:, 0].to_numpy()) and values.flags.forc
    return _Numbers(values) if one and all(isinstance(name, str) for name in X.columns) else None


class _Columns:
    """The columns that a job's estimator sees: some dropped, or permuted anew in each table."""

    def __init__(self, job: _Job, width: int) -> None:
        self.job = job
        self.kept = [place for place in range(width) if place not in set(job.columns)]
        self.rng = np.random.default_rng(job.order_seed)

    def left(self, X: Any, rows: NDArray[np.intp] | None) -> Any:
        """A copy of the rows, with the job's columns dropped or permuted."""
        columns = self.job.columns
        if self.job.left_out == "permute" and columns:
            own = own_rows(X, rows)
            return permute_columns(own, columns, self.rng.permutation(own.shape[0]))
        if not self.kept:
            return np.zeros((X.shape[0] if rows is None else len(rows), 1))
        if isinstance(X, _Numbers):
            return X.copy(rows, self.kept if columns else None)
        return own_rows(X, rows, self.kept if columns else None)


def _portable(error: Exception) -> Exception:
    """Give the error itself, or its text where it cannot travel between processes."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


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
