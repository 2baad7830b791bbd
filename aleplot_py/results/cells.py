"""Which cells of an effect rest on how many rows, and how sure their means are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.results.effects import AleResult, shown_points
from aleplot_py.steps.centre import units_to_steps
from aleplot_py.steps.grid import FloatArray


def cell_counts(effect: AleResult) -> FloatArray:
    """Rows, or their weight, whose local effects stand behind each cell.

    Parameters
    ----------
    effect : AleResult
        Effect of one feature or a pair.

    Returns
    -------
    ndarray of the shape of ``effect.local_mean``
        The rows of the interval; between two levels, those of both.
    """
    counts = effect.counts
    for axis, kind in enumerate(effect.kinds):
        counts = units_to_steps(counts, axis, kind) * (2 if kind == "categorical" else 1)
    return counts


def standard_errors(effect: AleResult) -> FloatArray:
    """Standard error of the mean local effect of each cell.

    Parameters
    ----------
    effect : AleResult
        Effect of one feature or a pair.

    Returns
    -------
    ndarray of the shape of ``effect.local_mean``
        ``local_std / sqrt(count - 1)``, in units of the prediction: the deviation has the count as
        its divisor, and the spread of a single row is unknown (NaN), not 0. Weights count as
        numbers of rows.

    See Also
    --------
    cell_table : A table with them.
    bootstrap_bands : Bands around the effect.
    """
    counts = cell_counts(effect)
    known = counts > 1
    return np.where(known, effect.local_std / np.sqrt(np.where(known, counts - 1, 1.0)), np.nan)


def cell_table(effect: AleResult) -> pd.DataFrame:
    """How well each cell of an effect is known.

    Parameters
    ----------
    effect : AleResult
        Effect of one feature or a pair.

    Returns
    -------
    DataFrame with one row per cell
        For each feature the two ends of the step (``<feature>_from``, ``<feature>_to``: edges of
        an interval, or neighbouring levels), then ``count``, ``local_mean``, ``local_std``,
        ``standard_error`` (both in units of the prediction) and ``empty``.

    Raises
    ------
    TypeError
        If `effect` is of another kind.

    See Also
    --------
    standard_errors : Its column alone, for every kind of effect.
    bootstrap_bands : Bands around the effect.

    Notes
    -----
    Source: Molnar, Interpretable Machine Learning, chapter on ALE plots, which warns that
    second-order effects rest on few rows in some cells.
    """
    if not isinstance(effect, AleResult):
        raise TypeError(f"effect must be the result of ale, got {type(effect).__name__}")
    steps = np.meshgrid(*(np.arange(axis.n_steps) for axis in effect.axes), indexing="ij")
    columns: dict[str, Any] = {}
    for axis, step in zip(effect.axes, steps, strict=True):
        points = shown_points(axis)
        columns[f"{axis.name}_from"] = points.take(step.ravel())
        columns[f"{axis.name}_to"] = points.take(step.ravel() + 1)
    columns |= {
        "count": cell_counts(effect).ravel(),
        "local_mean": effect.local_mean.ravel(),
        "local_std": effect.local_std.ravel(),
        "standard_error": standard_errors(effect).ravel(),
        "empty": effect.empty.ravel(),
    }
    return pd.DataFrame(columns)
