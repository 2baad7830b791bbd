"""Bars of importances and the path of an elimination."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from aleplot_py.importance.results import EliminationResult, ImportanceResult


class ImportanceDisplay:
    """Bars of an `ImportanceResult`.

    Attributes
    ----------
    figure_, ax_ : matplotlib figure and axes
    bars_ : matplotlib BarContainer
        From the most to the least important.
    features_ : tuple of hashable
        In the order of the bars.
    texts_ : list of matplotlib texts
        Marks of infinite and undefined importances.
    """

    def __init__(self, result: ImportanceResult) -> None:
        self.result = result

    def plot(self, *, ax: Axes | None = None, color: str = "tab:blue") -> ImportanceDisplay:
        """Draw on ``ax``, or on a new figure, and return the display.

        An infinite importance gets a hatched bar longer than all others and its name, an undefined
        one (NaN) only its name, at the end.
        """
        import matplotlib.pyplot as plt

        result = self.result
        if ax is None:
            size = (6.4, 1.2 + 0.35 * len(result.features))
            _, ax = plt.subplots(figsize=size, layout="constrained")
        order = np.argsort(-result.mean, kind="stable")
        mean, spread = result.mean[order], np.nan_to_num(result.std[order])
        self.features_ = tuple(result.features[position] for position in order)
        lengths = mean - result.neutral
        finite = np.isfinite(lengths)
        longest = float(np.max(np.abs(lengths[finite]) + spread[finite], initial=0.0)) or 1.0
        drawn = np.where(finite, lengths, np.sign(np.nan_to_num(lengths)) * 1.2 * longest)
        self.bars_ = ax.barh(
            range(len(mean)), drawn, left=result.neutral, xerr=spread, color=color, capsize=3
        )
        self.texts_ = []
        for row in np.flatnonzero(~finite):
            self.bars_[row].set_hatch("//")
            at = result.neutral + drawn[row]
            self.texts_.append(ax.text(at, float(row), f" {mean[row]}", va="center"))
        ax.axvline(result.neutral, color="black", linewidth=0.8)
        ax.set_yticks(range(len(mean)), [str(name) for name in self.features_])
        ax.invert_yaxis()
        ax.set_xlabel(f"{result.method} importance ({result.compare} of scores)")
        self.ax_ = ax
        self.figure_ = ax.figure
        return self


class EliminationDisplay:
    """Path of an `EliminationResult`.

    Attributes
    ----------
    figure_, ax_ : matplotlib figure and axes
    line_ : matplotlib line
        Mean score after each elimination.
    band_ : matplotlib collection
        One standard deviation to either side.
    """

    def __init__(self, result: EliminationResult) -> None:
        self.result = result

    def plot(self, *, ax: Axes | None = None, color: str = "tab:blue") -> EliminationDisplay:
        """Draw on ``ax``, or on a new figure, and return the display."""
        import matplotlib.pyplot as plt

        if ax is None:
            size = (2.0 + 0.6 * len(self.result.scores), 4.0)
            _, ax = plt.subplots(figsize=size, layout="constrained")
        frame = self.result.to_frame()
        steps, mean, std = (
            np.arange(len(frame)),
            frame["score"].to_numpy(),
            frame["std"].to_numpy(),
        )
        (self.line_,) = ax.plot(steps, mean, marker="o", color=color)
        self.band_ = ax.fill_between(steps, mean - std, mean + std, color=color, alpha=0.2)
        labels = ["all", *(f"- {name}" for name in self.result.eliminated)]
        ax.set_xticks(steps, labels, rotation=45)
        for tick in ax.get_xticklabels():
            tick.set_horizontalalignment("right")
        ax.set_ylabel("score (greater is better)")
        self.ax_ = ax
        self.figure_ = ax.figure
        return self
