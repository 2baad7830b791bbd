"""Results of the importance functions, and their displays."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aleplot_py.errors import warn_caller
from aleplot_py.importance.columns import ColumnGroup
from aleplot_py.inputs.checks import check_switches
from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule

if TYPE_CHECKING:
    from aleplot_py.plots.heatmap import HeatmapDisplay
    from aleplot_py.plots.importance import EliminationDisplay, ImportanceDisplay
    from aleplot_py.plots.visuals import (
        EliminationPlotOptions,
        HeatmapPlotOptions,
        ImportancePlotOptions,
    )


@dataclass(frozen=True, eq=False, repr=False)
class ImportanceResult(Result):
    """Importance of p features over R repeats and S splits.

    Attributes
    ----------
    features : tuple of hashable
        Column or group names, in the order asked for.
    columns : tuple of tuple
        The columns behind each.
    importances : (p, R, S) array
        Positive is important, in units of the score; with ``compare="ratio"`` above 1 is.
    scores : (p, R, S) array
        Scores without (or with permuted) feature, as the scorer gives them: greater is better.
    base_scores : (R, S) array
        Scores with all columns.
    compare : {"difference", "ratio"}
    seeds : tuple of int
        The seed of each repeat; for permutation importance one for all repeats.
    method : str
        "lofo", "refit with permuted", "permutation" or "conditional permutation".
    """

    _panels: ClassVar[int] = 1

    features: tuple[Hashable, ...]
    columns: tuple[tuple[Hashable, ...], ...]
    importances: NDArray[np.float64]
    scores: NDArray[np.float64]
    base_scores: NDArray[np.float64]
    compare: str
    seeds: tuple[int, ...]
    method: str

    def __repr__(self) -> str:
        _, repeats, splits = self.importances.shape
        return (
            f"ImportanceResult({self.method}: {len(self.features)} features, {repeats} repeats, "
            f"{splits} splits)"
        )

    def _rules(self) -> Iterator[Rule]:
        known = ("difference", "ratio")
        yield self.compare in known, "compare", f"one of {known}", self.compare
        p, got = len(self.features), self.importances.shape
        yield len(self.columns) == p, "columns", f"{p} of them", self.columns
        yield len(got) == 3 and got[0] == p, "importances", f"of shape ({p}, R, S)", got
        yield self.scores.shape == got, "scores", f"of shape {got}", self.scores.shape
        base = self.base_scores.shape
        yield base == got[1:], "base_scores", f"of shape {got[1:]}", base

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean importance over repeats and splits, (p,)."""
        return np.asarray(self.importances.mean(axis=(1, 2)), dtype=np.float64)

    @property
    def std(self) -> NDArray[np.float64]:
        """Standard deviation over repeats and splits (divisor R S, as in scikit-learn), (p,)."""
        # An infinite ratio has no spread: NaN.
        with np.errstate(invalid="ignore"):
            return np.asarray(self.importances.std(axis=(1, 2)), dtype=np.float64)

    @property
    def importances_mean(self) -> NDArray[np.float64]:
        """scikit-learn's name for ``mean``."""
        return self.mean

    @property
    def importances_std(self) -> NDArray[np.float64]:
        """scikit-learn's name for ``std``."""
        return self.std

    @property
    def neutral(self) -> float:
        """Importance of a useless feature: 0 for differences, 1 for ratios."""
        return 1.0 if self.compare == "ratio" else 0.0

    def to_frame(self, *, per_split: bool = False) -> pd.DataFrame:
        """One row per feature, or per feature, repeat and split.

        Parameters
        ----------
        per_split : bool, default False
            Whether to give every repeat and split instead of the means.

        Returns
        -------
        DataFrame
            Columns ``feature``, ``importance``, ``std``, ``score``, ``base_score`` (means), or
            ``feature``, ``repeat``, ``split``, ``importance``, ``score``, ``base_score``.
        """
        check_switches(per_split=per_split)
        if not per_split:
            return pd.DataFrame(
                {
                    "feature": list(self.features),
                    "importance": self.mean,
                    "std": self.std,
                    "score": self.scores.mean(axis=(1, 2)),
                    "base_score": self.base_scores.mean(),
                }
            )
        feature, repeat, split = np.indices(self.importances.shape).reshape(3, -1)
        return pd.DataFrame(
            {
                "feature": [self.features[position] for position in feature],
                "repeat": repeat,
                "split": split,
                "importance": self.importances.ravel(),
                "score": self.scores.ravel(),
                "base_score": np.broadcast_to(self.base_scores, self.scores.shape).ravel(),
            }
        )

    def plot(self, **options: Unpack[ImportancePlotOptions]) -> ImportanceDisplay:
        """Draw bars with their spread, most important on top, negative ones kept.

        Parameters
        ----------
        **options
            Those of `aleplot_py.ImportanceDisplay.plot`.

        Returns
        -------
        ImportanceDisplay
            Holds the artists.
        """
        from aleplot_py.plots.importance import ImportanceDisplay

        return ImportanceDisplay(self).plot(**options)


@dataclass(frozen=True, eq=False, repr=False)
class PairImportanceResult(Result):
    """Importance of pairs of features over R repeats and S splits.

    Attributes
    ----------
    pairs : tuple of (hashable, hashable)
        The q pairs.
    singles : ImportanceResult
        LOFO of each feature, on the same splits.
    joint : (q, R, S) array
        Importance of leaving both out, in units of the score.
    scores : (q, R, S) array
        Scores without both: greater is better.
    """

    _panels: ClassVar[int] = 1

    pairs: tuple[tuple[Hashable, Hashable], ...]
    singles: ImportanceResult
    joint: NDArray[np.float64]
    scores: NDArray[np.float64]

    def __repr__(self) -> str:
        return (
            f"PairImportanceResult({len(self.pairs)} pairs of {len(self.singles.features)} "
            "features)"
        )

    def _rules(self) -> Iterator[Rule]:
        shape = (len(self.pairs), *self.singles.base_scores.shape)
        for name in ("joint", "scores"):
            got = getattr(self, name).shape
            yield got == shape, name, f"of shape {shape}", got
        known = set(self.singles.features)
        wrong = [pair for pair in self.pairs if not set(pair) <= known]
        yield not wrong, "pairs", "of features in singles", wrong

    @property
    def joint_mean(self) -> NDArray[np.float64]:
        """Mean joint importance, (q,)."""
        return np.asarray(self.joint.mean(axis=(1, 2)), dtype=np.float64)

    @property
    def shared(self) -> NDArray[np.float64]:
        """Joint importance minus the two single ones, (q, R, S); positive for stand-ins."""
        place = {name: position for position, name in enumerate(self.singles.features)}
        single = self.singles.importances
        sums = [single[place[first]] + single[place[second]] for first, second in self.pairs]
        return np.asarray(self.joint - np.stack(sums), dtype=np.float64)

    @property
    def shared_mean(self) -> NDArray[np.float64]:
        """Mean shared importance, (q,)."""
        return np.asarray(self.shared.mean(axis=(1, 2)), dtype=np.float64)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair: the names, ``joint``, ``shared`` and the std of each."""
        return pd.DataFrame(
            {
                "first": [first for first, _ in self.pairs],
                "second": [second for _, second in self.pairs],
                "joint": self.joint_mean,
                "joint_std": self.joint.std(axis=(1, 2)),
                "shared": self.shared_mean,
                "shared_std": self.shared.std(axis=(1, 2)),
            }
        )

    def plot(self, **options: Unpack[HeatmapPlotOptions]) -> HeatmapDisplay:
        """Draw the shared importance as a heat map, each pair once.

        Parameters
        ----------
        **options
            Those of `aleplot_py.HeatmapDisplay.plot`.

        Returns
        -------
        HeatmapDisplay
            Holds the artists.
        """
        from aleplot_py.plots.heatmap import HeatmapDisplay

        names = self.singles.features
        matrix = np.full((len(names), len(names)), np.nan)
        rows, columns = np.triu_indices(len(names), k=1)
        matrix[columns, rows] = self.shared_mean
        # The first row and the last column of the lower triangle are empty.
        return HeatmapDisplay(matrix[1:, :-1], names[1:], names[:-1], "shared importance").plot(
            **options
        )


@dataclass(frozen=True, eq=False, repr=False)
class EliminationResult(Result):
    """Path of features dropped one by one.

    Attributes
    ----------
    eliminated : tuple of hashable
        In the order in which they were dropped.
    kept : tuple of hashable
    scores : (1 + len(eliminated), R, S) array
        Scores with all columns, then after each elimination: greater is better.
    steps : tuple of ImportanceResult
        The LOFO importances that decided each elimination.
    """

    _panels: ClassVar[int] = 1

    eliminated: tuple[Hashable, ...]
    kept: tuple[Hashable, ...]
    scores: NDArray[np.float64]
    steps: tuple[ImportanceResult, ...]

    def __repr__(self) -> str:
        return (
            f"EliminationResult({len(self.eliminated)} eliminated, {len(self.kept)} kept: "
            f"{', '.join(map(repr, self.kept[:3]))}{', ...' if len(self.kept) > 3 else ''})"
        )

    def _rules(self) -> Iterator[Rule]:
        got, first = self.scores.shape, 1 + len(self.eliminated)
        yield len(got) == 3 and got[0] == first, "scores", f"of shape ({first}, R, S)", got
        n = len(self.eliminated)
        yield len(self.steps) in (n, n + 1), "steps", f"{n} or {n + 1} of them", len(self.steps)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per step: ``eliminated`` (None at first), ``n_left``, ``score``, std."""
        total = len(self.eliminated) + len(self.kept)
        return pd.DataFrame(
            {
                "eliminated": pd.Series([None, *self.eliminated], dtype=object),
                "n_left": range(total, len(self.kept) - 1, -1),
                "score": self.scores.mean(axis=(1, 2)),
                "std": self.scores.std(axis=(1, 2)),
            }
        )

    def plot(self, **options: Unpack[EliminationPlotOptions]) -> EliminationDisplay:
        """Draw the score along the path, with its spread.

        Parameters
        ----------
        **options
            Those of `aleplot_py.EliminationDisplay.plot`.

        Returns
        -------
        EliminationDisplay
            Holds the artists.
        """
        from aleplot_py.plots.importance import EliminationDisplay

        return EliminationDisplay(self).plot(**options)


def importance_result(
    left_out: Sequence[ColumnGroup],
    base: NDArray[np.float64],
    scores: NDArray[np.float64],
    *,
    compare: str,
    is_loss: bool | None,
    seeds: tuple[int, ...],
    method: str,
) -> ImportanceResult:
    """Compare scores (p, R, S) without each feature with those of all columns, (R, S)."""
    features = tuple(group.name for group in left_out)
    importances = base - scores if compare == "difference" else _ratios(base, scores, is_loss)
    if compare == "ratio":
        _warn_of_ratios(features, importances)
    return ImportanceResult(
        features=features,
        columns=tuple(group.columns for group in left_out),
        importances=read_only(importances),
        scores=read_only(scores),
        base_scores=read_only(base),
        compare=compare,
        seeds=seeds,
        method=method,
    )


def _ratios(
    base: NDArray[np.float64], scores: NDArray[np.float64], is_loss: bool | None
) -> NDArray[np.float64]:
    """Loss without over loss with, or score with over score without; NaN for negative values."""
    if is_loss is None:
        # A callable does not say what it is; one that is never positive can only be a loss negated.
        is_loss = bool(max(base.max(), scores.max()) <= 0)
    with_feature = np.broadcast_to(base, scores.shape)
    above, below = (-scores, -with_feature) if is_loss else (with_feature, scores)
    # Adding 0 turns -0 into 0, which would send 1/0 to minus infinity.
    above, below = above + 0.0, below + 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = above / below
    return np.where((above < 0) | (below < 0), np.nan, ratios)


def _warn_of_ratios(features: Sequence[Hashable], ratios: NDArray[np.float64]) -> None:
    for bad, what in (
        (np.isinf(ratios), "divides by 0 and is infinite"),
        (np.isnan(ratios), "is 0/0 or of negative scores and has no value (NaN)"),
    ):
        concerned = np.flatnonzero(bad.any(axis=(1, 2)))
        names = [features[int(position)] for position in concerned]
        if names:
            warn_caller(f"compare='ratio': the ratio of {names} {what}")


def read_only(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the array, no longer writable: results are frozen."""
    values = np.ascontiguousarray(values)
    values.flags.writeable = False
    return values
