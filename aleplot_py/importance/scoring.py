"""Scorers from all that callers give for one, their event and their weights."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from copy import copy
from inspect import Parameter, signature
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.errors import listing
from aleplot_py.inputs.arrays import with_its_type
from aleplot_py.inputs.black_box import one_label


def scorer_of(
    estimator: Any, scoring: Any, y: Any, target: Hashable | None
) -> tuple[Any, bool | None]:
    """Scorer (greater is better) and whether it negates a loss; None where that is not known.

    Parameters
    ----------
    estimator : scikit-learn estimator
    scoring : str, callable or None
        A scorer's name, a scorer, a callable ``(estimator, X, y)``, a metric of
        ``sklearn.metrics`` such as ``mean_squared_error``, or None for the estimator's own score.
    y : (n,) array-like
        The response, whose classes the event must be one of.
    target : label or None
        The class that a scorer such as "f1" counts as the event.
    """
    from sklearn.metrics import check_scoring, get_scorer

    if scoring is None:
        if not hasattr(estimator, "score"):
            raise TypeError(
                f"scoring=None takes the estimator's score method, which {estimator!r} lacks"
            )
        _of_event(None, "the estimator's own score", y, target)
        return check_scoring(estimator), None
    if isinstance(scoring, str):
        try:
            scorer = get_scorer(scoring)
        except ValueError as error:
            raise ValueError(
                f"scoring must be a scorer's name, got {scoring!r}: "
                "sklearn.metrics.get_scorer_names() lists the names"
            ) from error
    elif not callable(scoring):
        raise TypeError(
            "scoring must be a scorer's name, a callable (estimator, X, y) or a metric, "
            f"got {scoring!r}"
        )
    else:
        scorer = _scorer_of_metric(scoring) if _is_metric(scoring) else scoring
    sign, metric = getattr(scorer, "_sign", None), getattr(scorer, "_score_func", None)
    if sign == 1 and _is_named_as_loss(metric):
        raise ValueError(
            f"scoring must give greater values for better ones, but {_name(metric)} is a loss: "
            "use make_scorer(..., greater_is_better=False)"
        )
    shown = repr(scoring) if isinstance(scoring, str) else _name(metric) or _name(scoring)
    return _of_event(scorer, shown or repr(scoring), y, target), None if sign is None else sign < 0


def score_of(scorer: Any, estimator: Any, X: Any, y: Any, params: Mapping[str, Any]) -> float:
    """Call the scorer and refuse anything but one number."""
    score = scorer(estimator, X, y, **params)
    if np.ndim(score) != 0 or isinstance(score, (str, bytes, Mapping)):
        raise ValueError(f"the scorer must return one number, got {score!r}")
    if np.isnan(float(score)):
        raise ValueError("the scorer must return a number, got nan")
    return float(score)


def check_weighable(scorer: Any) -> None:
    """Refuse a scorer that takes no ``sample_weight``."""
    metric = getattr(scorer, "_score_func", None)
    for function in (scorer, metric):
        if function is None:
            continue
        parameters = signature(function).parameters
        open_ended = any(p.kind is Parameter.VAR_KEYWORD for p in parameters.values())
        if "sample_weight" not in parameters and not open_ended:
            raise TypeError(
                f"sample_weight must be left out where the scorer takes none, as {function!r}: "
                "weight the fits alone by fit_params"
            )


def weight_parameter(estimator: Any) -> str:
    """Name under which ``fit`` takes weights of the rows: in a pipeline, that of its last step.

    Raises
    ------
    TypeError
        If the estimator takes none.
    """
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        return f"{name}__{weight_parameter(last)}"
    if hasattr(estimator, "refit") and hasattr(estimator, "estimator"):  # a search
        return weight_parameter(estimator.estimator)
    if has_fit_parameter(estimator, "sample_weight"):
        return "sample_weight"
    raise TypeError(
        f"sample_weight must be left out where fit takes none, as that of "
        f"{type(estimator).__name__}: name the parameter in fit_params"
    )


def _of_event(scorer: Any, shown: str, y: Any, target: Hashable | None) -> Any:
    """Scorer that counts `target` as the event, checked against the classes of y."""
    target = one_label(target)
    metric = getattr(scorer, "_score_func", None)
    given = dict(getattr(scorer, "_kwargs", {}))
    default = None if metric is None else signature(metric).parameters.get("pos_label")
    if default is None or given.get("average", "binary") != "binary":
        if target is not None:
            raise ValueError(
                f"target must be left out where scoring counts no class as the event, as {shown} "
                f"does: got {target!r}"
            )
        return scorer
    classes = _classes(y)
    event = given.get("pos_label", default.default) if target is None else target
    if target is None and len(classes) != 2:
        return scorer
    if not _is_among(event, classes) and (event is not None or _are_text(classes)):
        missing = "is not named" if event is None else f"is {event!r}"
        raise ValueError(
            f"scoring={shown} counts one class as the event, which {missing}, but y has the "
            f"classes {listing(classes)}: name one with target=, or with "
            f"make_scorer({_name(metric)}, pos_label=...)"
        )
    if target is None:
        return scorer
    chosen = copy(scorer)
    chosen._kwargs = {**given, "pos_label": target}
    return chosen


def _classes(y: Any) -> list[Any]:
    column = with_its_type(y)
    values = column if isinstance(column, pd.Series) else pd.Series(np.asarray(column).ravel())
    return list(values.dropna().unique())


def _is_among(event: Any, classes: list[Any]) -> bool:
    return any(label == event for label in classes)


def _are_text(classes: list[Any]) -> bool:
    return any(isinstance(label, (str, bytes)) for label in classes)


def _is_metric(function: Callable[..., Any]) -> bool:
    """Whether a callable takes (y, prediction) like a metric, not (estimator, X, y)."""
    try:
        parameters = list(signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    positional = [p for p in parameters if p.kind in kinds]
    if positional and positional[0].name == "y_true":
        return True
    if any(p.kind is Parameter.VAR_POSITIONAL for p in parameters):
        return False
    required = [p for p in positional if p.default is Parameter.empty]
    third = positional[2].name if len(positional) > 2 else ""
    return len(required) <= 2 and not third.startswith("y")


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
        f"scoring must say whether greater values are better, which {_name(metric) or metric!r} "
        "does not, a function (y, prediction): use make_scorer(..., greater_is_better=...)"
    )
