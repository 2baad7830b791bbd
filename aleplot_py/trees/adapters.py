"""From a fitted model to flat trees, library by library."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from types import MethodType
from typing import Any

from aleplot_py.trees import boosters, forests, pipelines
from aleplot_py.trees.flat import FlatTrees, NotWalkableError

#: Flat trees of a model's method, and its output with that number where there are several.
Adapter = Callable[[Any, str, int | None], FlatTrees]

_OF_HISTOGRAMS = {("sklearn", name) for name in forests.HISTOGRAMS}
_ADAPTERS: dict[tuple[str, str], Adapter] = {
    **{("sklearn", name): forests.of_trees for name in forests.TREES},
    **{("sklearn", name): forests.of_forest for name in forests.FORESTS},
    **{("sklearn", name): forests.of_boosting for name in forests.BOOSTING},
    **dict.fromkeys(_OF_HISTOGRAMS, forests.of_histograms),
    **{("xgboost", name): boosters.of_xgboost for name in boosters.XGBOOST},
    **{("lightgbm", name): boosters.of_lightgbm for name in boosters.LIGHTGBM},
}


def model_of(function: Any) -> tuple[Any, str] | None:
    """A model of trees, maybe at the end of a pipeline, and the method; None for anything else.

    A class of somebody's own is not one, even where it inherits from one: it may predict otherwise.
    """
    if isinstance(function, FlatTrees) or hasattr(function, "flat_trees"):
        return function, "__call__"
    if not isinstance(function, MethodType):
        return None
    model, method = function.__self__, function.__name__
    if hasattr(model, "flat_trees") and method == "predict":
        return model, method
    known = _name(pipelines.last_step(model)) in _ADAPTERS
    return (model, method) if known else None


def tree_count(model: Any) -> int:
    """Number of trees, near enough to tell whether it is many."""
    model = pipelines.last_step(model)
    for name in ("n_iter_", "n_estimators", "best_iteration"):
        count = getattr(model, name, None)
        if isinstance(count, int):
            return max(1, count)
    return len(model.roots) if isinstance(model, FlatTrees) else 1


def flat_trees(model: Any, method: str, output: int | None, names: Sequence[Hashable]) -> FlatTrees:
    """Flat trees of a model that `model_of` knows.

    Parameters
    ----------
    model, method
        From `model_of`.
    output : int or None
        Which of several outputs.
    names : sequence
        Names of the frame's columns; positions of an array's.

    Raises
    ------
    NotWalkableError
        With the reason, if the model is one that its own ``predict`` must serve.
    """
    if isinstance(model, FlatTrees):
        return model
    if hasattr(model, "flat_trees"):
        given: FlatTrees = model.flat_trees()
        return given
    steps, last = pipelines.steps_of(model), pipelines.last_step(model)
    try:
        trees = _ADAPTERS[_name(last)](last, method, output)
        if steps:
            return pipelines.behind(trees, steps, names)
        return trees if trees.sources is None else replace(trees, sources=_named(trees, names))
    except (AttributeError, KeyError, IndexError, TypeError, ImportError) as error:
        raise NotWalkableError(
            f"this {_name(last)[1]} is laid out in another way ({error})"
        ) from error


def single_threaded(model: Any, method: str) -> Callable[[Any], Any]:
    """The method of a model that adds its trees up in their order.

    The threads of a forest add up in the order in which they get done, so that its last bits differ
    from call to call; those of one thread are the reference. Those of histogram-based boosting wait
    for each other after every tree, which takes longer than a few rows.
    """
    last = pipelines.last_step(model)
    if getattr(last, "n_jobs", None) not in (None, 1):
        model = pipelines.with_last_step(model, n_jobs=1)
    elif _name(last) in _OF_HISTOGRAMS:
        alone = partial(last._raw_predict, n_threads=1)
        model = pipelines.with_last_step(model, _raw_predict=alone)
    found: Callable[[Any], Any] = getattr(model, method)
    return found


def _name(model: Any) -> tuple[str, str]:
    return type(model).__module__.partition(".")[0], type(model).__name__


def _named(trees: FlatTrees, names: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Names of the columns whose positions an adapter gives."""
    return tuple(names[position] for position in trees.sources or ())  # type: ignore[call-overload]
