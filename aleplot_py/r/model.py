"""Fitted R models as black boxes: `RModel`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.r.convert import array_frame, call, call_r, classes_of, to_python
from aleplot_py.r.session import evaluate

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
            names = call(evaluate("function(x) colnames(x)"), value)
            found = [] if names is None else list(names)
            if self.target not in found:
                raise ValueError(f"target must be one of {found}, got {self.target!r}")
            return numbers[:, found.index(self.target)]
        return numbers.reshape(-1) if numbers.ndim > 1 and numbers.shape[1] == 1 else numbers
