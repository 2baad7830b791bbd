"""Black boxes: anything that maps a frame of n rows to n numbers, and the check of it."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Hashable
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.errors import PredictionError, listing
from aleplot_py.inputs.arrays import inexact, unmasked, with_its_type
from aleplot_py.steps.grid import FloatArray

RESPONSE_METHODS = ("auto", "predict", "predict_proba", "decision_function")


# Differences of larger predictions overflow when they are added up.
LARGEST_PREDICTION = 1e302
# Numbers up to which OpenBLAS adds squares in one thread.
ONE_THREAD = 10_000


@dataclass(frozen=True)
class Targets:
    """Several outputs that are explained from the same predictions.

    Parameters
    ----------
    labels : tuple of labels, or None
        Which ones; None for all that the black box has.
    """

    labels: tuple[Hashable, ...] | None


def as_targets(target: Any) -> Any:
    """`Targets` for a list of labels or "all"; a single label as it is.

    Raises
    ------
    PredictionError
        If the list is empty, names a label twice, or holds something that is no label.
    """
    if isinstance(target, str) and target == "all":
        return Targets(None)
    if not isinstance(target, list):
        return target
    if not target:
        raise PredictionError("target must name at least one output, got an empty list")
    labels = tuple(one_label(label) for label in target)
    for i, label in enumerate(labels):
        if any(_is_same(label, before) for before in labels[:i]):
            raise PredictionError(
                "target must be the label of one output or a list of different ones, got a list "
                f"of {len(labels)} values with {label!r} twice: leave out the response"
            )
    return Targets(labels)


@dataclass(frozen=True)
class BlackBox:
    """A predictor whose output is checked to be finite numbers, one per row and output explained.

    Parameters
    ----------
    function : callable
        Takes a DataFrame or array of n rows, returns n predictions or (n, k) outputs.
    target : label, Targets or None
        Which of several outputs: a column name, a class label, or a position.
    classes : sequence or None
        Labels of the outputs where the predictor has them.
    default_target : label or None
        Output taken without a `target` (the positive class of a binary classifier).
    memo : dict
        What is found out about the function once, for all effects of a call.
    """

    function: Callable[[Any], Any]
    target: Hashable | None = None
    classes: tuple[Any, ...] | None = None
    default_target: Hashable | None = None
    _found: list[Any] = field(default_factory=list, compare=False, repr=False)
    memo: dict[Hashable, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def output(self) -> int | None:
        """Number of the output that is explained; None where there is no choice."""
        if self.classes is not None and self.explained is not None:
            return _position(self.explained, list(self.classes))
        whole = isinstance(self.target, (int, np.integer)) and not isinstance(self.target, bool)
        return int(self.target) if whole else None  # type: ignore[call-overload]

    @property
    def explained(self) -> Hashable | None:
        """Output that is explained: the one asked for, else a binary classifier's second class."""
        return self.default_target if self.target is None else self.target

    @property
    def several(self) -> bool:
        """Whether predictions are of shape (n, outputs) rather than (n,)."""
        return isinstance(self.target, Targets)

    @property
    def outputs(self) -> tuple[Hashable | None, ...]:
        """Label of each output that is explained; where all are, known after the first call."""
        if not isinstance(self.target, Targets):
            return (self.explained,)
        return self.target.labels or tuple(self._found)

    def __call__(
        self, rows: pd.DataFrame | np.ndarray[Any, Any], out: FloatArray | None = None
    ) -> FloatArray:
        """Predict.

        Parameters
        ----------
        rows : DataFrame or ndarray of shape (n, d)
            Rows to predict.
        out : ndarray of shape (n,), optional
            Where predictions of a single output are written to, and returned.

        Returns
        -------
        ndarray of shape (n,), of several outputs (n, outputs)
            Predictions in the predictor's units.

        Raises
        ------
        PredictionError
            If the output has another length, several outputs without a target, text, or NaN or
            infinite values.
        """
        n = len(rows)  # before the call: a black box may drop rows of its frame in place
        output = self._chosen(self.function(rows), n)
        if len(output) != n:
            raise PredictionError(
                f"the black box must return one prediction per row: it returned {len(output)} "
                f"for {n} rows"
            )
        try:
            if output.dtype != np.float64 and _is_text_or_time(output):
                raise TypeError
            # A copy, since a black box may hand out the same buffer at every call.
            values = np.empty_like(output, dtype=np.float64, subok=False) if out is None else out
            values[...] = output
        except OverflowError:  # an integer of Python
            raise PredictionError(_too_large("an integer beyond all doubles")) from None
        except (TypeError, ValueError):
            shown = np.asarray(output, dtype=object).flat[0]
            raise PredictionError(
                "the black box must return numbers: its first prediction is "
                f"{shown!r}; for a classifier explain a probability "
                "(response_method='predict_proba') or wrap it, lambda X: model.predict(X) == label"
            ) from None
        # One pass tells of ordinary numbers that they are; NaN fails every comparison. Of more
        # numbers BLAS would let threads wait for each other.
        flat, ordinary = values.ravel("K"), False
        if flat.size <= ONE_THREAD:
            with np.errstate(all="ignore"):
                ordinary = np.dot(flat, flat) < math.inf
        if not ordinary and not (
            flat.min() >= -LARGEST_PREDICTION and flat.max() <= LARGEST_PREDICTION
        ):
            raise PredictionError(_what_is_wrong(values))
        lost = None if output.dtype == np.float64 else inexact(output, values)
        if lost is not None:
            raise PredictionError(
                f"the black box must return numbers that doubles can hold, got {lost}: subtract a "
                "constant from its predictions"
            )
        return values

    def _chosen(self, output: Any, n: int) -> Any:
        """The column (n,), or the columns (n, outputs), that are explained."""
        plain = type(output) is np.ndarray and output.ndim == 1 and output.dtype == np.float64
        if plain and self.target is None:
            return output
        output = with_its_type(output)
        names = list(output.columns) if isinstance(output, pd.DataFrame) else None
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
        if values.dtype.kind == "c":
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
        if isinstance(self.target, Targets):
            return values[:, [_position(target, labels) for target in self._asked(labels)]]
        target = self.explained
        if target is None:
            raise PredictionError(
                f"the black box returns {values.shape[1]} outputs: choose one of "
                f"{listing(labels)} with target="
            )
        return values[:, _position(target, labels)]

    def _asked(self, labels: list[Any]) -> tuple[Any, ...]:
        """Outputs that are explained; all of them are those of the first call."""
        if not self.outputs:
            self._found[:] = labels
        return self.outputs

    def _single(self, values: Any) -> Any:
        """Of the only output: the values (n,), turned for the first of two classes."""
        if self.target is None:
            return values
        several = isinstance(self.target, Targets)
        if self.classes is not None and len(self.classes) <= 2:
            labels = list(self.classes)
            asked = self._asked(labels) if several else (self.target,)
            last = [_position(target, labels) == len(labels) - 1 for target in asked]
            columns = [values if up else -values for up in last]
            return np.column_stack(columns) if several else columns[0]
        shown: Any = self.target
        if isinstance(shown, Targets):
            shown = "all" if shown.labels is None else list(shown.labels)
        raise PredictionError(
            f"target={shown!r} chooses among several outputs, but the black box returns one"
        )


def _what_is_wrong(values: FloatArray) -> str:
    """Message about predictions that are not finite or too large."""
    wrong = values.size - int(np.isfinite(values).sum())
    if wrong:
        return (
            "the black box must return finite numbers: "
            f"{wrong} of {values.size} predictions are NaN or infinite"
        )
    largest = values.flat[np.argmax(np.abs(values))]
    return _too_large(f"{largest:g}")


def _too_large(prediction: str) -> str:
    return (
        f"the black box must return numbers of at most {LARGEST_PREDICTION:g} in size, so that "
        f"sums of them are finite, got {prediction}: rescale its predictions"
    )


def _is_text(output: pd.Series | pd.DataFrame) -> bool:
    dtypes = output.dtypes if isinstance(output, pd.DataFrame) else [output.dtype]
    return not all(pd.api.types.is_numeric_dtype(dtype) for dtype in dtypes)


def _is_text_or_time(output: np.ndarray[Any, Any]) -> bool:
    if output.dtype.kind == "O":
        return any(isinstance(value, (str, bytes)) for value in output.flat)
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
    target : label or Targets, optional
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
        for one in (target.labels or ()) if isinstance(target, Targets) else (target,):
            _position(one, list(labels))
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
