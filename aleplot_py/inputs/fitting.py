"""Models fitted again: a copy of the estimator with a seed, rows of its own, a progress bar."""

from __future__ import annotations

import copy
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from scipy import sparse

from aleplot_py.inputs import native
from aleplot_py.inputs.arrays import with_its_type
from aleplot_py.inputs.extras import needed
from aleplot_py.inputs.frames import own_copy
from aleplot_py.steps.grid import IntArray

SEEDS = np.iinfo(np.int32).max  # the largest seed that scikit-learn takes

Item = TypeVar("Item")


def generator_of(random_state: Any) -> np.random.Generator:
    """Source of randomness: fresh for None, seeded by an integer, or the caller's own."""
    if isinstance(random_state, np.random.RandomState):  # which has no children to spawn
        random_state = int(random_state.randint(SEEDS + 1))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise TypeError(_not_a_source(random_state)) from None


def draw_seeds(random_state: Any, n: int) -> tuple[int, ...]:
    """Draw n integer seeds, as scikit-learn does from an integer or a RandomState."""
    if isinstance(random_state, np.random.Generator):
        drawn = random_state.integers(SEEDS + 1, size=n)
    else:
        try:
            own = isinstance(random_state, np.random.RandomState)
            source = random_state if own else np.random.RandomState(random_state)
        except (TypeError, ValueError):
            raise TypeError(_not_a_source(random_state)) from None
        drawn = source.randint(SEEDS + 1, size=n)
    return tuple(int(seed) for seed in drawn)


def _not_a_source(random_state: Any) -> str:
    return (
        "random_state must be None, a non-negative integer, a Generator or a RandomState, "
        f"got {random_state!r}"
    )


def check_fitter(fit: Any, argument: str) -> None:
    """Refuse what neither has a ``fit`` method nor can be called, and classes of estimators."""
    if isinstance(fit, type):
        raise TypeError(f"{argument} must be an estimator, not its class {fit.__name__}: add ()")
    if not (hasattr(fit, "fit") or callable(fit)):
        raise TypeError(
            f"{argument} must be an estimator with a fit method or a callable(X, y), "
            f"got {type(fit).__name__}"
        )


def check_response(y: Any, n: int, argument: str = "y") -> None:
    """Refuse what has not one value, or row of values, for each of n rows."""
    if np.shape(y)[:1] != (n,):
        raise ValueError(f"{argument} must have one value per row, {n}, got shape {np.shape(y)}")


def fitted(fit: Any, X: Any, y: Any, seeds: np.random.Generator, argument: str) -> Any:
    """Fit a model to copies of the rows.

    Parameters
    ----------
    fit : estimator, or callable(X, y) -> fitted model
        Cloned, if it is an estimator, and seeded wherever it has no seed.
    X, y : (n, d) table and (n,) array-like
        Left as they are, whatever the estimator does to its rows.
    seeds : Generator
        Source of the seeds.
    argument : str
        Name of `fit` in messages.
    """
    X, y = own_rows(X), own_rows(y)
    if hasattr(fit, "fit"):
        estimator = seeded(fit, lambda: int(seeds.integers(SEEDS)))
        model = estimator.fit(X, y)
        return model if hasattr(model, "predict") else estimator
    model = fit(X, y)
    if model is None:
        raise TypeError(f"{argument}(X, y) must return a fitted model, got None")
    return model


def seeded(estimator: Any, draw: Callable[[], int], *, override: bool = False) -> Any:
    """Clone an estimator and seed it, wherever in a pipeline or search it has no seed.

    Parameters
    ----------
    estimator : estimator
        One without parameters (``get_params``) is copied as it is.
    draw : callable() -> int
        The next seed; called for unseeded parameters only, in the order of their names.
    override : bool, default False
        Whether seeds that the estimator holds are replaced, too.
    """
    if not (hasattr(estimator, "get_params") and hasattr(estimator, "set_params")):
        return copy.deepcopy(estimator)
    base = needed("sklearn.base", f"a copy of {type(estimator).__name__} to refit")
    clone = base.clone(estimator)
    _seed(clone, draw, override)
    return clone


def _seed(estimator: Any, draw: Callable[[], int], override: bool) -> None:
    parameters = estimator.get_params(deep=True)
    for name in sorted(parameters):
        value = parameters[name]
        if name == "random_state" or name.endswith("__random_state"):
            if override or value is None:
                estimator.set_params(**{name: draw()})
        elif _shuffles_unseeded(value):
            value.random_state = draw()
        else:
            for candidate in _candidates(value):
                _seed(candidate, draw, override)


def _shuffles_unseeded(value: Any) -> bool:
    """Whether a parameter is a splitter (a search's ``cv``) that would split anew every time."""
    unseeded = hasattr(value, "split") and getattr(value, "random_state", 0) is None
    return unseeded and bool(getattr(value, "shuffle", True))


def _candidates(value: Any) -> Iterator[Any]:
    """Estimators that a search tries, in a grid of parameters (or a list of grids)."""
    if isinstance(value, Mapping):
        for tried in value.values():
            if isinstance(tried, Sequence) and not isinstance(tried, str):
                yield from (one for one in tried if hasattr(one, "set_params"))
    elif isinstance(value, (list, tuple)):
        for one in value:
            if isinstance(one, Mapping):
                yield from _candidates(one)


def own_rows(
    values: Any, rows: IntArray | None = None, columns: Sequence[int] | None = None
) -> Any:
    """Copy of some rows, and of some columns of these.

    Every fit and every score gets its rows here: steps like ``StandardScaler(copy=False)`` write
    into what they are given.

    Parameters
    ----------
    values : (n, d) frame, array or sparse matrix in rows, or (n,) series, array or list
    rows : (m,) array of int, optional
        Which rows, by position; all by default.
    columns : sequence of int, optional
        Which columns, by position, some but not all; all by default.

    Returns
    -------
    frame, series, array or sparse matrix
        Shares no memory with `values`.
    """
    frame = native.frame_of(values)
    if frame is not None:
        frame = frame.clone() if rows is None else frame[rows]
        return (frame if columns is None else frame[:, list(columns)]).to_native()
    values = with_its_type(values)
    if isinstance(values, (pd.DataFrame, pd.Series)):
        # To take all rows in their order, or some of the columns, is no copy in pandas.
        if rows is not None and np.array_equal(rows, np.arange(len(values))):
            rows = None
        taken = values if rows is None else values.take(rows)
        if columns is not None:
            taken = taken.take(columns, axis=1)
        return own_copy(taken) if rows is None else taken
    if not sparse.issparse(values):
        values = np.asarray(values)
    if rows is None and columns is None:
        return values.copy() if sparse.issparse(values) else values.copy(order="K")
    taken = values if rows is None else values[rows]
    return taken if columns is None else taken[:, list(columns)]


#: Seconds after which a bar is shown: what is done sooner needs none.
AFTER = 1.0
_is_shown = ContextVar("_is_shown", default=False)


def with_bar(
    iterable: Iterable[Item], total: int | None, description: str, *, shown: bool = True
) -> Iterable[Item]:
    """Show a bar where somebody looks, in a terminal or notebook, and tqdm is installed.

    Only the outermost of several loops has one.
    """
    if not shown or total == 1 or _is_shown.get():
        return iterable
    if not ("ipykernel" in sys.modules or getattr(sys.stderr, "isatty", bool)()):
        return iterable
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of notebooks without widgets
            from tqdm.auto import tqdm
    except ImportError:
        return iterable
    bar = tqdm(iterable, total=total, disable=None, desc=description, leave=False, delay=AFTER)
    return _outermost(bar)


def _outermost(bar: Iterable[Item]) -> Iterator[Item]:
    _is_shown.set(True)
    try:
        yield from bar
    finally:
        _is_shown.set(False)
