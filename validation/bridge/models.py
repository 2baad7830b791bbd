"""Black boxes both ways: Python's lent to R, and R's fitted models called from Python."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from validation.bridge.convert import (
    call,
    call_r,
    classes_of,
    floats_to_r,
    frame_from_r,
    texts_to_r,
    to_python,
)
from validation.bridge.session import RCallError, r, start

_LENT = """function(answer) function(X.model, newdata, ...) {
  value <- answer(newdata)
  if (is.character(value)) stop("the Python black box raised an exception")
  value
}"""


@contextmanager
def lend_to_r(
    predict: Callable[[Any], Any], like: pd.DataFrame | np.ndarray[Any, Any]
) -> Generator[Any, None, None]:
    """Lend a Python black box to R for the calls made inside the ``with`` block.

    An exception inside a callback reaches R as NULL and would show up later as a wrong-length
    error: it is kept, R is stopped at once, and the exception is raised again here. The vectors
    handed to R are kept until the block ends.

    Parameters
    ----------
    predict : callable
        Takes rows like `like`, returns n numbers.
    like : DataFrame or ndarray of shape (n, d)
        The frame (or array) that the black box expects: types, names and index are restored from
        it before every call, whatever R did to them.

    Yields
    ------
    R function
        ``function(X.model, newdata)``, as ALEPlot and PDPlot ask for.
    """
    rinterface = start()
    kept: list[Any] = []
    raised: list[BaseException] = []
    template = like if isinstance(like, pd.DataFrame) else array_frame(like)

    def answer(newdata: Any) -> Any:
        try:
            frame = frame_from_r(newdata, template)
            rows = frame if isinstance(like, pd.DataFrame) else frame.to_numpy()
            kept.append(floats_to_r(np.asarray(predict(rows), dtype=np.float64).reshape(-1)))
            return kept[-1]
        except BaseException as error:
            raised.append(error)
            kept.append(texts_to_r(["exception"]))
            return kept[-1]

    internal = rinterface.rternalize(answer, signature=False)
    kept.append(internal)
    try:
        yield r(_LENT)(internal)
    except RCallError:
        if raised:
            raise raised[0] from None
        raise
    if raised:
        raise raised[0]


def array_frame(array: np.ndarray[Any, Any]) -> pd.DataFrame:
    """Name the columns of an array as R does.

    Parameters
    ----------
    array : ndarray of shape (n, d)
        Numbers.

    Returns
    -------
    DataFrame of shape (n, d)
        With columns V1, V2, ...
    """
    return pd.DataFrame(array, columns=[f"V{j + 1}" for j in range(array.shape[1])])


# How `predict` of each class is asked for numbers; the first class found decides.
_PREDICT = {
    "glm": ("function(m, d, ...) stats::predict(m, newdata = d, ...)", {"type": "response"}),
    "lm": ("function(m, d, ...) stats::predict(m, newdata = d, ...)", {}),
    "randomForest": (
        "function(m, d, type, ...) stats::predict(m, newdata = d, type ="
        " if (missing(type)) { if (m$type == 'regression') 'response' else 'prob' } else type,"
        " ...)",
        {},
    ),
    "nnet": ("function(m, d, ...) stats::predict(m, newdata = d, ...)", {"type": "raw"}),
    "gbm": (
        "function(m, d, n.trees, ...) stats::predict(m, newdata = d, n.trees ="
        " if (missing(n.trees)) m$n.trees else n.trees, ...)",
        {"type": "link"},
    ),
    "rpart": ("function(m, d, ...) stats::predict(m, newdata = d, ...)", {}),
    "BinaryTree": (
        "function(m, d, ...) do.call(rbind, party::treeresponse(m, newdata = d, ...))",
        {},
    ),
    "RandomForest": (
        "function(m, d, ...) do.call(rbind, party::treeresponse(m, newdata = d, ...))",
        {},
    ),
}
_PACKAGE = {
    "randomForest": "randomForest",
    "nnet": "nnet",
    "gbm": "gbm",
    "rpart": "rpart",
    "BinaryTree": "party",
    "RandomForest": "party",
}


class RModel:
    """A fitted R model as a Python black box.

    Parameters
    ----------
    model : rpy2 object
        A fit of ``lm``, ``glm``, randomForest, ``nnet``, party's ``ctree`` or ``cforest``, ``gbm``
        or ``rpart``.
    target : str, optional
        Class whose probability is wanted from a classifier.
    **arguments
        Further arguments of R's ``predict``, such as ``type="link"`` or ``**{"n.trees": 100}``.

    Raises
    ------
    TypeError
        If the model is of another class.
    """

    def __init__(self, model: Any, *, target: str | None = None, **arguments: Any) -> None:
        classes = classes_of(model)
        known = next((name for name in classes if name in _PREDICT), None)
        if known is None:
            raise TypeError(
                f"model must be an R model of class {', '.join(_PREDICT)}, got {'/'.join(classes)}"
            )
        if known in _PACKAGE:
            call_r("loadNamespace", _PACKAGE[known])
        code, defaults = _PREDICT[known]
        self.model = model
        self.target = target
        self._code = code
        self._arguments = {**defaults, **arguments}

    def __call__(self, rows: pd.DataFrame | np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Predict.

        Parameters
        ----------
        rows : DataFrame or ndarray of shape (n, d)
            Rows with the types and levels of the training data.

        Returns
        -------
        ndarray of shape (n,) or (n, k)
            Predictions; one column per class for a classifier without `target`.

        Raises
        ------
        RCallError
            If R's ``predict`` refuses the rows.
        ValueError
            If `target` is not a class of the model.
        """
        frame = rows if isinstance(rows, pd.DataFrame) else array_frame(rows)
        # Row names mean nothing to a prediction, and repeated ones would be refused.
        value = call_r(self._code, self.model, frame.reset_index(drop=True), **self._arguments)
        numbers = np.asarray(to_python(value), dtype=np.float64)
        if self.target is not None:
            names = call(r("function(x) colnames(x)"), value)
            found = [] if names is None else list(names)
            if self.target not in found:
                raise ValueError(f"target must be one of {found}, got {self.target!r}")
            return numbers[:, found.index(self.target)]
        return numbers.reshape(-1) if numbers.ndim > 1 and numbers.shape[1] == 1 else numbers


def fit(
    function: str,
    formula: str,
    data: pd.DataFrame,
    *,
    seed: int | None = None,
    target: str | None = None,
    predict_arguments: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> RModel:
    """Fit an R model and wrap it as a black box.

    Parameters
    ----------
    function : str
        ``"lm"``, ``"randomForest::randomForest"``, ``"party::ctree"``, ...
    formula : str
        R's formula.
    data : DataFrame of shape (n, d)
        The training rows.
    seed : int, optional
        ``set.seed`` just before the fit.
    target : str, optional
        Class whose probability is wanted from a classifier.
    predict_arguments : mapping, optional
        Further arguments of R's ``predict``.
    **arguments
        Further arguments of the R function.

    Returns
    -------
    RModel
        The fitted model.
    """
    if seed is not None:
        call_r("set.seed", seed)
    # The formula must be evaluated in the global environment: some packages look there.
    model = call_r(
        "function(f, formula, data, ...) f(stats::as.formula(formula, globalenv()),"
        " data = data, ...)",
        r(function),
        formula,
        data,
        **arguments,
    )
    return RModel(model, target=target, **dict(predict_arguments or {}))
