"""Partial dependence over the rows that trees were fitted to, as scikit-learn's "recursion"."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import replace
from types import MethodType
from typing import Any

import numpy as np

from aleplot_py.errors import RouteError
from aleplot_py.inputs.problem import Problem
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.grid import FloatArray
from aleplot_py.trees.forests import BOOSTING, HISTOGRAMS

#: Models of scikit-learn that know how many rows went each way.
RECURSIVE = (*BOOSTING, *HISTOGRAMS, "DecisionTreeRegressor", "RandomForestRegressor")


def recursive_averages(problem: Problem, axes: Sequence[Axis]) -> FloatArray:
    """Average of the leaves that each point reaches, by the rows of the fit in each branch.

    Parameters
    ----------
    problem : Problem
        What is explained: a model of `RECURSIVE`, a classifier by its ``decision_function``.
    axes : sequence of Axis
        Numeric features.

    Returns
    -------
    ndarray of shape (points,), of several outputs (points, outputs)
        The last axis fastest; without the constant that boosting starts from.

    Raises
    ------
    RouteError
        If the model or a feature is another one.
    """
    model = _model(problem)
    for axis in axes:
        if axis.kind != "numeric" or axis.times is not None:
            raise _refusal(f"it compares numbers, and column {axis.name!r} has none")
    columns = list(range(problem.table.data.shape[1]))
    if getattr(model, "_preprocessor", None) is not None:  # which puts the categories first
        first = np.asarray(model.is_categorical_)
        columns = [*np.flatnonzero(first).tolist(), *np.flatnonzero(~first).tolist()]
    at = np.array([columns.index(problem.table.names.index(axis.name)) for axis in axes])
    grid = np.stack(np.meshgrid(*(axis.points for axis in axes), indexing="ij"), axis=-1)

    def averages(points: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about any init=, "zero" included
            return model._compute_partial_dependence_recursion(points, at).T

    return replace(problem.black_box, function=averages)(grid.reshape(-1, len(axes)))


def _model(problem: Problem) -> Any:
    function = problem.black_box.function
    model: Any = function.__self__ if isinstance(function, MethodType) else function
    kind = type(model)
    if kind.__module__.partition(".")[0] != "sklearn" or kind.__name__ not in RECURSIVE:
        raise _refusal(f"it is that of scikit-learn's {', '.join(RECURSIVE)}, got {kind.__name__}")
    _check_columns(model, problem.table.names)
    method = function.__name__
    if method != ("decision_function" if hasattr(model, "classes_") else "predict"):
        raise _refusal(f"it averages a classifier's decision_function, got {method}")
    if getattr(model, "n_outputs_", 1) != 1:
        raise _refusal(f"it averages one output, got a model of {model.n_outputs_}")
    if getattr(model, "init", None) not in (None, "zero"):
        raise _refusal("it leaves out the model that boosting starts from, init=")
    if getattr(model, "_fitted_with_sw", False):
        raise _refusal("the model was fitted with weights, which its trees do not keep")
    return model


def _check_columns(model: Any, names: list[Hashable]) -> None:
    """Refuse a model of other columns, which ``predict`` would refuse, and the recursion counts."""
    number = getattr(model, "n_features_in_", None)
    if number is None:
        raise _refusal("the model is not fitted")
    of_fit = list(getattr(model, "feature_names_in_", names))
    named = all(isinstance(name, str) for name in names)
    if len(names) != number or (named and of_fit != names):
        raise _refusal(f"the model was fitted to {number} columns, {of_fit}, got {names}")


def _refusal(why: str) -> RouteError:
    return RouteError(f"method='recursion' cannot be used: {why}")
