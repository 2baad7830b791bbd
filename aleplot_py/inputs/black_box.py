"""Black boxes: anything that maps a frame of n rows to n numbers, and the check of it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.errors import PredictionError, listing
from aleplot_py.inputs.arrays import inexact, unmasked, with_its_type
from aleplot_py.steps.grid import FloatArray

RESPONSE_METHODS = ("auto", "predict", "predict_proba", "decision_function")


# Differences of larger predictions overflow when they are added up.
LARGEST_PREDICTION = 1e302


@dataclass(frozen=True)
class BlackBox:
    """A predictor whose output is checked to be one finite number per row.

    Parameters
    ----------
    function : callable
        Takes a DataFrame or array of n rows, returns n predictions or (n, k) outputs.
    target : label or None
        Which of several outputs: a column name, a class label, or a position.
    classes : sequence or None
        Labels of the outputs where the predictor has them.
    default_target : label or None
        Output taken without a `target` (the positive class of a binary classifier).
    """

    function: Callable[[Any], Any]
    target: Hashable | None = None
    classes: tuple[Any, ...] | None = None
    default_target: Hashable | None = None

    @property
    def explained(self) -> Hashable | None:
        """Output that is explained: the one asked for, else a binary classifier's second class."""
        return self.default_target if self.target is None else self.target

    def __call__(self, rows: pd.DataFrame | np.ndarray[Any, Any]) -> FloatArray:
        """Predict.

        Parameters
        ----------
        rows : DataFrame or ndarray of shape (n, d)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n,)
            Predictions in the predictor's units.

        Raises
        ------
        PredictionError
            If the output has another length, several outputs without a target, text, or NaN or
            infinite values.
        """
        n = len(rows)  # before the call: a black box may drop rows of its frame in place
        output = self._one_output(self.function(rows), n)
        if len(output) != n:
            raise PredictionError(
                f"the black box must return one prediction per row: it returned {len(output)} "
                f"for {n} rows"
            )
        try:
            if _is_text_or_time(output):
                raise TypeError
            # A copy, since a black box may hand out the same buffer at every call.
            values = np.array(output, dtype=np.float64)
        except (TypeError, ValueError):
            shown = np.asarray(output, dtype=object)[0]
            raise PredictionError(
                "the black box must return numbers: its first prediction is "
                f"{shown!r}; for a classifier explain a probability "
                "(response_method='predict_proba') or wrap it, lambda X: model.predict(X) == label"
            ) from None
        # NaN fails every comparison.
        if len(values) and not (
            values.min() >= -LARGEST_PREDICTION and values.max() <= LARGEST_PREDICTION
        ):
            raise PredictionError(_what_is_wrong(values))
        lost = None if output.dtype == np.float64 else inexact(output, values)
        if lost is not None:
            raise PredictionError(
                f"the black box must return numbers that doubles can hold, got {lost}: subtract a "
                "constant from its predictions"
            )
        return values

    def _one_output(self, output: Any, n: int) -> Any:
        """The single column (n,) that is explained."""
        names = list(output.columns) if isinstance(output, pd.DataFrame) else None
        output = with_its_type(output)
        if isinstance(output, (pd.Series, pd.DataFrame)):
            dtype = object if _is_text(output) else None
            # pandas 2.1 writes na_value into the output itself, so pass it only where it is needed
            missing: dict[str, Any] = {"na_value": np.nan} if output.isna().to_numpy().any() else {}
            values: np.ndarray[Any, Any] = output.to_numpy(dtype=dtype, **missing)
        else:
            try:
                values = np.asarray(unmasked(output))
            except ValueError:
                raise PredictionError(
                    "the black box must return one number per row: it returned a "
                    f"{type(output).__name__} of parts of different lengths"
                ) from None
        if values.ndim == 0:
            raise PredictionError(
                "the black box must return one prediction per row: it returned a "
                f"{type(output).__name__} for {n} rows"
            )
        if values.ndim > 2:
            raise PredictionError(
                "the black box must return one prediction per row: it returned an output of shape "
                f"{values.shape} for {n} rows"
            )
        if np.iscomplexobj(values):
            raise PredictionError(
                "the black box must return real numbers: it returned complex ones"
            )
        several = values.ndim == 2 and values.shape[1] != 1
        if not several:
            return self._single(values.reshape(-1) if values.ndim == 2 else values)
        labels: list[Any] = names or list(self.classes or range(values.shape[1]))
        if len(labels) != values.shape[1]:
            raise PredictionError(
                f"the black box returns {values.shape[1]} outputs but has the {len(labels)} "
                f"classes {listing(labels)}: explain a method with one output for each class"
            )
        target = self.explained
        if target is None:
            raise PredictionError(
                f"the black box returns {values.shape[1]} outputs: choose one of "
                f"{listing(labels)} with target="
            )
        return values[:, _position(target, labels)]

    def _single(self, values: Any) -> Any:
        if self.target is None:
            return values
        if self.classes is not None and len(self.classes) <= 2:
            last = _position(self.target, list(self.classes)) == len(self.classes) - 1
            return values if last else -values
        raise PredictionError(
            f"target={self.target!r} chooses among several outputs, but the black box returns one"
        )


def _what_is_wrong(values: FloatArray) -> str:
    """Message about predictions that are not finite or too large."""
    wrong = len(values) - int(np.isfinite(values).sum())
    if wrong:
        return (
            "the black box must return finite numbers: "
            f"{wrong} of {len(values)} predictions are NaN or infinite"
        )
    largest = values[np.argmax(np.abs(values))]
    return (
        f"the black box must return numbers of at most {LARGEST_PREDICTION:g} in size, so that "
        f"sums of them are finite, got {largest:g}: rescale its predictions"
    )


def _is_text(output: pd.Series | pd.DataFrame) -> bool:
    dtypes = output.dtypes if isinstance(output, pd.DataFrame) else [output.dtype]
    return not all(pd.api.types.is_numeric_dtype(dtype) for dtype in dtypes)


def _is_text_or_time(output: np.ndarray[Any, Any]) -> bool:
    if output.dtype.kind == "O":
        return any(isinstance(value, (str, bytes)) for value in output)
    return output.dtype.kind in "USmM"


def one_label(target: Any) -> Hashable | None:
    """Return `target` if it can be a label; refuse the response, and other arrays and lists.

    Raises
    ------
    PredictionError
        If it cannot.
    """
    if isinstance(target, np.ndarray) and target.ndim == 0:
        target = target.item()
    try:
        hash(target)
    except TypeError:
        pass
    else:
        if not hasattr(target, "__array__") or isinstance(target, np.generic):
            return target  # type: ignore[no-any-return]
    size = f" of {len(target)} values" if hasattr(target, "__len__") else ""
    raise PredictionError(
        "target must be the label of one output of the black box (a class, a column name or a "
        f"position), got a {type(target).__name__}{size}: leave out the response"
    )


def _is_same(label: Any, target: Any) -> bool:
    """Whether two labels are equal and both or neither are truth values."""
    try:
        equal = bool(label == target)
    except (TypeError, ValueError):  # pd.NA is equal to nothing
        return False
    kinds = (bool, np.bool_)
    return equal and isinstance(label, kinds) == isinstance(target, kinds)


def _position(target: Hashable, labels: list[Any]) -> int:
    truth = isinstance(target, (bool, np.bool_))
    for position, label in enumerate(labels):
        if _is_same(label, target):
            return position
    numbered = any(isinstance(label, (int, np.integer)) for label in labels)
    if isinstance(target, (int, np.integer)) and not truth and not numbered:
        position = int(target)
        if 0 <= position < len(labels):
            return position
    raise PredictionError(
        f"target={target!r} is not an output of the black box: it has {listing(labels)}"
    )


def as_black_box(
    predict: Any, *, target: Hashable | None = None, response_method: str = "auto"
) -> BlackBox:
    """Adapter for what is explained.

    Parameters
    ----------
    predict : callable or fitted model
        A callable(frame) -> (n,), a fitted scikit-learn estimator or pipeline, a statsmodels
        results object, or anything else with a ``predict`` method.
    target : label, optional
        Which of several outputs. A binary classifier's default is its second class.
    response_method : {"auto", "predict", "predict_proba", "decision_function"}
        Method of an estimator, as in scikit-learn: ``"auto"`` takes a classifier's
        ``predict_proba``, else its ``decision_function``, and ``predict`` otherwise.

    Returns
    -------
    BlackBox
        The checked predictor.

    Raises
    ------
    TypeError
        If `predict` cannot be called and has no such method.
    ValueError
        If `response_method` is unknown.
    """
    if response_method not in RESPONSE_METHODS:
        raise ValueError(
            f"response_method must be one of {RESPONSE_METHODS}, got {response_method!r}"
        )
    target = one_label(target)
    if isinstance(predict, BlackBox):
        return predict
    if isinstance(predict, type):
        raise TypeError(f"predict must be a fitted model or a callable, got the class {predict!r}")
    if hasattr(predict, "__sexp__"):
        raise TypeError(
            "predict must be a Python callable or model, got an R object: wrap a fitted R model, "
            "from aleplot_py.r.model import RModel; ale(RModel(fit), X, ...)"
        )
    has_method = hasattr(predict, "predict")
    if not has_method and response_method == "auto":
        if not callable(predict):
            raise TypeError(
                f"predict must be a callable or have a predict method, got {type(predict).__name__}"
            )
        return BlackBox(predict, target)
    method = response_method
    classifier = hasattr(predict, "classes_") or getattr(predict, "_estimator_type", None) == (
        "classifier"
    )
    if method == "auto":
        candidates = ("predict_proba", "decision_function") if classifier else ()
        method = next((name for name in candidates if hasattr(predict, name)), "predict")
    if method == "predict" and hasattr(predict, "inplace_predict"):
        method = "inplace_predict"  # of XGBoost's Booster, whose predict takes no tables
    function = getattr(predict, method, None)
    if function is None:
        raise TypeError(f"{type(predict).__name__} has no method {method}")
    if method in ("predict", "inplace_predict"):
        return BlackBox(function, target)
    classes = getattr(predict, "classes_", None)
    if isinstance(classes, list):
        raise TypeError(
            f"{type(predict).__name__} predicts several outputs with classes of their own: "
            "explain one of them, lambda X: model.predict_proba(X)[0][:, 1]"
        )
    labels = None if classes is None else tuple(np.asarray(classes).tolist())
    positive = labels[1] if labels is not None and len(labels) == 2 else None
    if labels is not None and target is not None:
        _position(target, list(labels))
    return BlackBox(function, target, labels, positive)


def elsewhere(function: Callable[[Any], Any], executor: Executor) -> Callable[[Any], Any]:
    """Function that is called by an executor as long as this takes calls, and here afterwards.

    Raises
    ------
    TypeError
        If the executor has processes and the function cannot be pickled.
    """
    if isinstance(executor, ProcessPoolExecutor):
        try:
            pickle.dumps(function)
        except Exception as error:  # objects refuse with errors of every type
            raise TypeError(
                "n_jobs with processes needs a black box that can be pickled, such as a fitted "
                f"estimator or a function defined in a module: {error}"
            ) from None

    def call(rows: Any) -> Any:
        try:
            future = executor.submit(function, rows)
        except BrokenExecutor:
            raise
        except RuntimeError:  # shut down before the mean prediction was asked for
            return function(rows)
        return future.result()

    return call
