"""Local effects of single rows, kept beside the effect that accumulates their means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule
from aleplot_py.steps.grid import FloatArray, IntArray


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LocalEffects(Result):
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
    cells: IntArray
    rows: IntArray
    units: IntArray
    weights: FloatArray | None = None

    def __repr__(self) -> str:
        return f"LocalEffects({len(self.effects)} local effects of {len(self.units)} rows)"

    def to_frame(self) -> pd.DataFrame:
        """Table with one row per local effect.

        Returns
        -------
        DataFrame
            Columns ``row``, ``cell`` (for a pair ``cell`` and ``cell2``, and so on) and ``effect``.
        """
        columns = {"row": self.rows.copy(), "cell": self.cells[:, 0].copy()}
        for axis in range(1, self.cells.shape[1]):
            columns[f"cell{axis + 1}"] = self.cells[:, axis].copy()
        return pd.DataFrame({**columns, "effect": self.effects.copy()})

    def transpose(self, order: Sequence[int]) -> LocalEffects:
        """The same with the axes in another order.

        Parameters
        ----------
        order : sequence of int
            Which of them comes first, second and so on.

        Returns
        -------
        LocalEffects
            Columns of `cells` and `units` in that order.
        """
        return replace(self, cells=self.cells[:, order], units=self.units[:, order])

    def _rules(self) -> Iterator[Rule]:
        m, n = self.effects.size, len(self.units) if self.units.ndim else 0
        yield self.effects.ndim == 1, "effects", "of one dimension", self.effects.shape
        yield bool(np.isfinite(self.effects).all()), "effects", "finite", self.effects
        yield self.rows.shape == (m,), "rows", f"of shape ({m},)", self.rows.shape
        fits = self.units.ndim == 2 and self.units.shape[1] > 0
        yield fits, "units", "of shape (n, axes)", self.units.shape
        shape = (m, self.units.shape[1])
        yield self.cells.shape == shape, "cells", f"of shape {shape}", self.cells.shape
        inside = bool(((self.rows >= 0) & (self.rows < n)).all())
        yield inside, "rows", f"from 0 to {n - 1}", self.rows
        yield bool((self.cells >= 0).all()), "cells", "at least 0", self.cells
        yield bool((self.units >= -1).all()), "units", "at least -1", self.units
        if self.weights is not None:
            fits = self.weights.shape == (n,)
            yield fits, "weights", f"of shape ({n},)", self.weights.shape
            yield bool((self.weights >= 0).all()), "weights", "at least 0", self.weights
