"""Local effects of single rows, kept beside the effect that accumulates their means."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aleplot_py.steps.grid import FloatArray

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class LocalEffects:
    """Local effects of single rows, whose means in the cells an ALE accumulates.

    They are for ALE what individual curves (ICE) are for partial dependence. A row moves over its
    interval on a numeric axis, and up and down by one level on a categorical one, so that it may
    have several.

    Parameters
    ----------
    effects : ndarray of shape (m,)
        Differences of predictions, in units of the prediction.
    cells : ndarray of int of shape (m, axes)
        Step of each on every axis, from 0.
    rows : ndarray of int of shape (m,)
        Which of the n rows used they belong to.
    units : ndarray of int of shape (n, axes)
        Interval or level of every row on every axis, from 0; -1 for a row that lies above iml's
        grid and has no local effect.
    weights : ndarray of shape (n,) or None
        Sample weights of the rows.
    """

    effects: FloatArray
    cells: Array
    rows: Array
    units: Array
    weights: FloatArray | None = None

    def transpose(self) -> LocalEffects:
        """The same with the axes in reverse order."""
        return replace(self, cells=self.cells[:, ::-1], units=self.units[:, ::-1])
