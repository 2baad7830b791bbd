"""Curves of single rows (ICE): as a table that is saved, and drawn under their mean."""

from typing import Any

import numpy as np
import pandas as pd

from aleplot_py import ice


def row_curves(predict: Any, X: pd.DataFrame, name: str, K: int) -> pd.DataFrame:
    """Curves of the rows of a table.

    Parameters
    ----------
    predict : callable
        Function of a frame of n rows that gives predictions of shape (n,).
    X : DataFrame of n rows
        The rows.
    name : str
        Feature along which they are moved.
    K : int
        Number of steps.

    Returns
    -------
    DataFrame of K + 1 rows
        ``x``, and a column of predictions for each of the n rows.
    """
    effect = ice(predict, X, name, K=K)
    curves = pd.DataFrame(np.asarray(effect.individual).T)
    curves.columns = [f"row {i}" for i in range(len(X))]
    return curves.assign(x=effect.x_values[0])[["x", *curves.columns]]


def split_curves(table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Values of the feature (K + 1,), and the curves (K + 1, n)."""
    return table["x"].to_numpy(), table.drop(columns="x").to_numpy()


def draw_curves(ax: Any, x: np.ndarray, curves: np.ndarray, **mean: Any) -> None:
    """Draw curves in grey, and their mean."""
    ax.plot(x, curves, color="0.6", linewidth=0.4, linestyle="-", alpha=0.6)
    ax.plot(x, curves.mean(axis=1), linestyle="-", **mean)
