"""What ``aleplotpy.R`` calls: an effect of columns that R hands over as plain lists.

Arrays and frames are converted differently, or not at all, by the many combinations of reticulate,
numpy and pandas; lists of numbers, text and booleans by all of them alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.effects.ale import ale
from aleplot_py.effects.partial_dependence import partial_dependence

# Rows that travel at a time; lists take ten times the memory of arrays.
BATCH_ROWS = 100_000


def effect(
    function: str,
    columns: Sequence[Any],
    levels: Sequence[Any],
    predict: Callable[[list[list[Any]]], Any],
    positions: Any,
    K: int,
) -> dict[str, Any]:
    """``ALEPlot`` or ``PDPlot`` of lists.

    Parameters
    ----------
    function : {"ALEPlot", "PDPlot"}
        Which of the two.
    columns : sequence of d lists of length n
        The predictors.
    levels : sequence of d lists of text
        The levels of the factors, empty for other columns.
    predict : callable
        Takes d lists of length m, returns m numbers in units of the prediction.
    positions : int or list of int
        Explained columns, counted from 0.
    K : int
        Intervals, or points.

    Returns
    -------
    dict
        ``K`` (one per axis), ``x_values`` (a list per axis), ``f_values`` (a list, or a list of
        rows) and ``empty`` (as ``f_values``: whether a cell without rows is at this point; for
        ``PDPlot`` empty).

    Raises
    ------
    FeatureError, PredictionError, ValueError, TypeError
        As from `aleplot_py.ale`. Columns are called V1, V2, ... in their messages.
    """
    X = pd.DataFrame(
        {
            f"V{j + 1}": _column(listed(values), listed(of_factor))
            for j, (values, of_factor) in enumerate(zip(columns, levels, strict=True))
        }
    )

    def black_box(rows: pd.DataFrame) -> np.ndarray[Any, Any]:
        answer = predict([_plain(rows[name]) for name in rows])
        return np.asarray(listed(answer), dtype=np.float64)

    features = tuple(f"V{j + 1}" for j in listed(positions))
    if function == "PDPlot":
        result: Any = partial_dependence(
            black_box, X, features, K=K, centre="pdplot", batch_rows=BATCH_ROWS
        )
        effective, empty = [len(axis) for axis in result.x_values], []
    else:
        result = ale(black_box, X, features, K=K, batch_rows=BATCH_ROWS)
        effective, empty = list(result.K), result.empty.tolist()
    return {
        "K": [int(k) for k in effective],
        "x_values": [axis.tolist() for axis in result.x_values],
        "f_values": result.f_values.tolist(),
        "empty": empty,
    }


def listed(values: Any) -> list[Any]:
    """A list also where R handed over a vector of length one, which reticulate makes a scalar."""
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _column(values: list[Any], levels: list[Any]) -> Any:
    return pd.Categorical(values, categories=levels) if levels else np.asarray(values)


def _plain(column: pd.Series) -> list[Any]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return [str(level) for level in column]
    plain: list[Any] = column.tolist()
    return plain
