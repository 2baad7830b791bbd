"""Python's black boxes lent to R, and R models fitted for comparisons."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.r.convert import array_frame, call_r, frame_from_r, to_r
from aleplot_py.r.model import RModel
from aleplot_py.r.session import RCallError, evaluate, start

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
            kept.append(to_r(np.asarray(predict(rows), dtype=np.float64).reshape(-1)))
            return kept[-1]
        except BaseException as error:
            raised.append(error)
            kept.append(to_r("exception"))
            return kept[-1]

    internal = rinterface.rternalize(answer, signature=False)
    kept.append(internal)
    try:
        yield evaluate(_LENT)(internal)
    except RCallError:
        if raised:
            raise raised[0] from None
        raise
    if raised:
        raise raised[0]


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
        evaluate(function),
        formula,
        data,
        **arguments,
    )
    return RModel(model, target=target, **dict(predict_arguments or {}))
