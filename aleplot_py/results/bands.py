"""Bands around effects."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, Unpack

import pandas as pd

from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule
from aleplot_py.results.effects import Effect
from aleplot_py.steps.grid import FloatArray

if TYPE_CHECKING:
    from aleplot_py.plots.display import AleDisplay
    from aleplot_py.plots.visuals import PlotOptions


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Bands(Result):
    """Bands around an effect, by bootstrap or by refits of a learner.

    Parameters
    ----------
    effect : Effect
        What they surround.
    lower, upper : ndarray of the shape of ``effect.f_values``
        Ends of the band at the points, in units of the prediction.
    std : ndarray of the same shape
        Standard error: standard deviation of the resampled effects; with "t" corrected.
    level : float
        Nominal coverage, in (0, 1).
    kind : {"pointwise", "simultaneous"}
        Whether each point is covered with that probability, or all points at once.
    method : {"percentile", "normal", "t"}
        How the ends were taken from the resamples; "t" by `aleplot_py.learner_bands`.
    n_boot : int
        Number of resamples, or of refits.
    grid : {"fixed", "redrawn"}
        Whether the resamples shared the effect's grid.
    centred_over : {"data", "resamples"}
        Rows over which a resample's effect has mean 0.
    refitted : bool
        Whether the model was refitted in every resample.
    curves : ndarray of shape (n_boot, P) or (n_boot, P1, P2), or None
        The resampled effects, where they were asked for.
    """

    _panels: ClassVar[int] = 1

    effect: Effect
    lower: FloatArray
    upper: FloatArray
    std: FloatArray
    level: float
    kind: Literal["pointwise", "simultaneous"]
    method: Literal["percentile", "normal", "t"]
    n_boot: int
    grid: Literal["fixed", "redrawn"]
    centred_over: Literal["data", "resamples"]
    refitted: bool
    curves: FloatArray | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.features))
        return f"Bands({shown}: {self.label}, {self.n_boot} resamples)"

    @property
    def features(self) -> tuple[Hashable, ...]:
        """Explained features."""
        return self.effect.features

    @property
    def width(self) -> FloatArray:
        """``upper - lower``, in units of the prediction."""
        return self.upper - self.lower

    @property
    def label(self) -> str:
        """Text for a legend, such as ``"97.5 % pointwise band"``."""
        return f"{100 * self.level:.12g} % {self.kind} band"

    def to_frame(self) -> pd.DataFrame:
        """Table of the effect with its band.

        Returns
        -------
        DataFrame with one row per point
            The effect's own table with the columns ``std``, ``lower`` and ``upper`` (with an
            underscore more where a feature has that name).
        """
        table = self.effect.to_frame()
        for name in ("std", "lower", "upper"):
            column = name
            while column in table:
                column += "_"
            table[column] = getattr(self, name).flatten()
        return table

    def plot(self, **options: Unpack[PlotOptions]) -> AleDisplay:
        """Draw the effect with its band.

        Parameters
        ----------
        **options
            Those of `aleplot_py.AleDisplay.plot` but ``band``.

        Returns
        -------
        AleDisplay
            Holds the artists.
        """
        from aleplot_py.plots.display import AleDisplay

        return AleDisplay(self.effect).plot(band=self, **options)

    def _rules(self) -> Iterator[Rule]:
        shape = self.effect.f_values.shape
        for name in ("lower", "upper", "std"):
            got = getattr(self, name).shape
            yield got == shape, name, f"of the points' shape {shape}", got
        yield 0 < self.level < 1, "level", "between 0 and 1", self.level
        yield self.n_boot >= 2, "n_boot", "at least 2", self.n_boot
        if self.curves is not None:
            shape = (self.n_boot, *shape)
            yield self.curves.shape == shape, "curves", f"of shape {shape}", self.curves.shape
