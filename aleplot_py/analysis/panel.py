"""The panel of practitioners: counts, average response and prediction, PD and ALE side by side."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aleplot_py.effects.ale import ale_of
from aleplot_py.effects.doors import question
from aleplot_py.effects.local_effects import predictions
from aleplot_py.effects.partial_dependence import partial_dependence_of
from aleplot_py.inputs.arrays import as_column, as_floats
from aleplot_py.inputs.black_box import BlackBox
from aleplot_py.inputs.checks import rows_without_missing
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import Problem
from aleplot_py.inputs.requests import Requests
from aleplot_py.inputs.times import to_times
from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule
from aleplot_py.results.effects import MOST_PANELS, AleResult, PartialDependenceResult
from aleplot_py.steps.centre import points_to_units
from aleplot_py.steps.grid import FloatArray
from aleplot_py.steps.moments import CellMoments
from aleplot_py.steps.sums import mean_of_rows
from aleplot_py.typing import (
    Collapse,
    Columns,
    Features,
    FrameLike,
    Grid,
    IntervalCounts,
    Missing,
    Numbers,
    Order,
    Predictor,
    ResponseMethod,
    Values,
)

if TYPE_CHECKING:
    from aleplot_py.plots.panel import EffectPanelDisplay
    from aleplot_py.plots.visuals import EffectPanelPlotOptions


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EffectPanel(Result):
    """What data and model say about features, interval by interval (or level by level).

    Parameters
    ----------
    effects : tuple of AleResult
        Accumulated local effect of each feature, the strongest first; its intervals are those of
        all numbers here, and its ``counts`` the rows in them, or their weight.
    profiles : tuple of PartialDependenceResult
        Partial dependence in the middle of each interval, or at each level.
    observed, predicted : tuple of ndarray of shape (U,)
        Average of the response, and of the prediction, over the rows of each; NaN without rows.
    """

    effects: tuple[AleResult, ...]
    profiles: tuple[PartialDependenceResult, ...]
    observed: tuple[NDArray[np.float64], ...]
    predicted: tuple[NDArray[np.float64], ...]

    @property
    def features(self) -> tuple[Hashable, ...]:
        """The features, the one with the strongest effect first."""
        return tuple(effect.features[0] for effect in self.effects)

    @property
    def ale(self) -> tuple[FloatArray, ...]:
        """ALE at the middle of each interval, or level, moved to the mean prediction, (U,) each."""
        return tuple(
            points_to_units(effect.f_values, 0, effect.kinds[0]) + effect.mean_prediction
            for effect in self.effects
        )

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.features[:3]))
        more = ", ..." if len(self.features) > 3 else ""
        rows = len(self.effects[0].axes[0].codes)
        return f"EffectPanel({shown}{more}: {len(self.features)} features, n={rows})"

    def to_frame(self) -> pd.DataFrame:
        """One row per interval or level, feature after feature.

        Returns
        -------
        DataFrame
            Columns ``feature``, ``low`` and ``high`` (edges of the interval; for a category both
            the level), ``count`` (rows, or their weight), ``observed``, ``predicted``, ``pd`` and
            ``ale`` (moved to the mean prediction), the last four in units of the prediction. A row
            belongs to the interval whose high edge it does not exceed.
        """
        return pd.concat(map(self._table, range(len(self.effects))), ignore_index=True)

    def _table(self, number: int) -> pd.DataFrame:
        effect = self.effects[number]
        points = pd.Series(effect.to_frame().iloc[:, 0].astype(object))
        numeric = effect.kinds == ("numeric",)
        ends = (points[:-1], points[1:]) if numeric else (points, points)
        return pd.DataFrame(
            {
                "feature": [effect.features[0]] * len(effect.counts),
                "low": ends[0].to_numpy(dtype=object),
                "high": ends[1].to_numpy(dtype=object),
                "count": effect.counts,
                "observed": self.observed[number],
                "predicted": self.predicted[number],
                "pd": self.profiles[number].f_values,
                "ale": self.ale[number],
            }
        )

    def plot(self, **options: Unpack[EffectPanelPlotOptions]) -> EffectPanelDisplay:
        """Draw one axes for each feature.

        Parameters
        ----------
        **options
            Those of `aleplot_py.EffectPanelDisplay.plot`.

        Returns
        -------
        EffectPanelDisplay
            Holds the artists.
        """
        from aleplot_py.plots.panel import EffectPanelDisplay

        return EffectPanelDisplay(self).plot(**options)

    @property
    def _panels(self) -> int:  # type: ignore[override]
        return min(len(self.effects), MOST_PANELS)

    def _draw_on(self, axes: list[Any]) -> None:
        shown = slice(len(axes))
        parts = {name: getattr(self, name)[shown] for name in _FIELDS}
        replace(self, **parts).plot(ax=axes)

    def _rules(self) -> Iterator[Rule]:
        n = len(self.effects)
        yield n > 0, "effects", "at least one", n
        for name in _FIELDS[1:]:
            yield len(getattr(self, name)) == n, name, f"{n} of them", len(getattr(self, name))
        for i, effect in enumerate(self.effects):
            shape = effect.counts.shape
            one = len(effect.features) == 1
            yield one, f"effects[{i}]", "a main effect", effect.features
            same = self.profiles[i].features
            yield same == effect.features, f"profiles[{i}]", f"of {effect.features}", same
            got = self.profiles[i].f_values.shape
            yield got == shape, f"profiles[{i}].f_values", f"of shape {shape}", got
            for name in _FIELDS[2:]:
                got = getattr(self, name)[i].shape
                yield got == shape, f"{name}[{i}]", f"of shape {shape}", got


_FIELDS = ("effects", "profiles", "observed", "predicted")


def effect_panel(
    predict: Predictor,
    X: FrameLike,
    y: Values,
    features: Features,
    *,
    K: IntervalCounts = 20,
    grid: Grid = "equidistant",
    order: Order | None = None,
    collapse: Collapse | None = None,
    categorical: Columns | None = None,
    sample_weight: Numbers | None = None,
    target: Hashable | None = None,
    response_method: ResponseMethod = "auto",
    missing: Missing = "error",
    batch_rows: int | None = None,
    n_jobs: int | Executor | None = None,
    progress: bool = True,
) -> EffectPanel:
    """Counts, average response, average prediction, partial dependence and ALE of features.

    The averages over the rows of an interval show what the data say there, other features and all,
    and whether the model follows; partial dependence and ALE what the feature itself does to the
    prediction.

    .. versionadded:: 0.2

    Parameters
    ----------
    predict, X
        As in `aleplot_py.ale`. Each feature costs 2n predicted rows (a category up to 3n) and n for
        each interval or level, and all together n more.
    y : array_like of shape (n,)
        Response: numbers, or labels of which the explained one counts 1 and every other 0.
    features : name, list of names, "all", or dict of name to list of names
        Which features; a dict makes one of each list of one-hot columns, as in `aleplot_py.ale`.
    K : int or dict of feature to int, default 20
        Number of intervals of a numeric feature.
    grid, order, collapse, categorical
        As in `aleplot_py.ale`; by default the intervals have equal lengths.
    sample_weight : array_like of shape (n,), optional
        Weights of the rows (exposure) in all counts and averages.
    target, response_method, missing, batch_rows, n_jobs, progress
        As in `aleplot_py.ale`; one output.

    Returns
    -------
    EffectPanel
        The features in the order of the strength of their ALE, the strongest first.

    Raises
    ------
    FeatureError, GridError, PredictionError, ValueError, TypeError
        With the column or argument, the rule, and the value got.

    See Also
    --------
    ale : The effect alone.
    partial_dependence : The other.

    Notes
    -----
    Takes no `random_state`: nothing is drawn at random.

    Means are those of exact arithmetic, rounded once.

    Source: the panels of R's effectplots (Mayer 2024), from its documentation.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from aleplot_py import effect_panel
    >>> X = pd.DataFrame({"x": np.arange(8.0)})
    >>> panel = effect_panel(lambda frame: frame["x"], X, X["x"] + 1, "x", K=2)
    >>> panel.to_frame()[["count", "observed", "predicted", "pd", "ale"]].to_numpy().tolist()
    [[4.0, 2.5, 1.5, 1.75, 1.75], [4.0, 6.5, 5.5, 5.25, 5.25]]
    """
    options = Options(
        K=K,
        grid=grid,
        order=order,
        collapse=collapse,
        categorical=categorical,
        sample_weight=sample_weight,
        target=target,
        response_method=response_method,
        missing=missing,
        batch_rows=batch_rows,
        n_jobs=n_jobs,
        progress=progress,
    )
    problem, requests = question(predict, X, features, options, None)
    pairs = [names for names in requests.names if len(names) == 2]
    if pairs:
        raise ValueError(f"features must be single features, got the pair {pairs[0]!r}")
    response = _response(y, len(problem.table), problem.black_box)
    effects = sorted(ale_of(problem, requests), key=lambda effect: -effect.strength)
    predicted = predictions(problem)
    return EffectPanel(
        effects=tuple(_with_mean(predicted, effect, problem) for effect in effects),
        profiles=tuple(_profile(problem, effect) for effect in effects),
        observed=tuple(_averages(response, effect, problem) for effect in effects),
        predicted=tuple(_averages(predicted, effect, problem) for effect in effects),
    )


def _response(y: Any, n: int, black_box: BlackBox) -> FloatArray:
    """The response as numbers (n,): of labels 1 for the explained one and 0 for the others."""
    labels = as_column(y, "y")
    if labels.shape != (n,):
        raise ValueError(f"y must have one value per row, ({n},), got shape {labels.shape}")
    missing = int(labels.isna().sum())
    if missing:
        raise ValueError(f"y has {missing} missing value(s) in {n} rows: drop these rows")
    explained = black_box.explained
    try:
        known = set(labels.unique().tolist())
        if explained is not None and (explained in known or known <= set(black_box.classes or ())):
            return np.asarray(labels == explained, dtype=np.float64)
        numbers = as_floats(y)
    except (TypeError, ValueError):
        raise TypeError(
            "y must be numbers, or labels of which target= is one, got "
            f"{labels.iloc[:1].tolist()[0]!r}"
        ) from None
    if not np.isfinite(numbers).all():
        raise ValueError(f"y must be finite, got {numbers[~np.isfinite(numbers)][0]}")
    return numbers


def _profile(problem: Problem, effect: AleResult) -> PartialDependenceResult:
    """Partial dependence in the middle of each interval of an effect, or at its levels."""
    [axis] = effect.axes
    if axis.kind == "categorical":
        there = problem.but(
            order={axis.name: axis.points.tolist()}, collapse={axis.name: axis.collapsed}
        )
    else:
        middles = (axis.points[:-1] + axis.points[1:]) / 2
        points = middles if axis.times is None else to_times(middles, axis.times)
        there = problem.but(grid={axis.name: points}, K=2, order=None)
    [profile] = partial_dependence_of(there, Requests([(axis.name,)]))
    return profile


def _rows_of(
    values: FloatArray, effect: AleResult, problem: Problem
) -> tuple[FloatArray, FloatArray | None]:
    """Values (n,) of the rows behind an effect, and their weights."""
    rows = rows_without_missing(problem.table, effect.features, problem.options.missing)
    return values[rows], None if problem.weights is None else problem.weights[rows]


def _with_mean(predicted: FloatArray, effect: AleResult, problem: Problem) -> AleResult:
    """The effect with its mean prediction, which would ask the black box once more."""
    return replace(effect, _mean=mean_of_rows(*_rows_of(predicted, effect, problem)))


def _averages(values: FloatArray, effect: AleResult, problem: Problem) -> FloatArray:
    """Mean of the values (n,) over the rows of each interval or level; NaN without rows, (U,)."""
    [axis] = effect.axes
    inside, weights = _rows_of(values, effect, problem)
    moments = CellMoments.of(inside, axis.codes, axis.n_units, weights)
    return np.where(moments.weight > 0, moments.mean, np.nan)
