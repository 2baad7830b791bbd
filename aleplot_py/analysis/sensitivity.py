"""How much the number of intervals matters: sensitivity to K, and errors against known truth."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aleplot_py.datasets.interval_cases import INTERVAL_CASES, IntervalCase
from aleplot_py.effects import intervals
from aleplot_py.effects.ale import ale, ale_of
from aleplot_py.effects.gradient import as_jacobian
from aleplot_py.errors import FeatureTypeError
from aleplot_py.inputs.axes import GRIDS, kind_of
from aleplot_py.inputs.checks import check_switches, interval_count, one_of, positive_integer
from aleplot_py.inputs.fitting import with_bar
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import problem_of
from aleplot_py.inputs.requests import Requests, single_feature
from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule
from aleplot_py.results.effects import AleResult
from aleplot_py.steps.centre import power_of
from aleplot_py.steps.grid import FloatArray
from aleplot_py.typing import (
    Feature,
    FrameLike,
    Gradient,
    GridRule,
    Missing,
    Predictor,
    ResponseMethod,
    Whole,
)

if TYPE_CHECKING:
    from aleplot_py.plots.sensitivity import KSensitivityDisplay
    from aleplot_py.plots.visuals import KSensitivityPlotOptions


# Curves closer than this share of the finest one's range look the same on a plot.
VISIBLE = 0.01


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class KSensitivity(Result):
    """Curves of one feature for several numbers of intervals.

    Parameters
    ----------
    feature : hashable
        Column name or position.
    Ks : tuple of M int
        Numbers of intervals asked for, increasing.
    effects : tuple of M AleResult
        The curves; ``effects[i].K`` is what ties left of ``Ks[i]``.
    point_errors : tuple of M ndarray of shape (K + 1,)
        Standard error of the centred curve at each grid point, in units of the prediction; NaN
        where no interval holds two rows.
    roughness : ndarray of shape (M,)
        Sum of the absolute changes of slope from interval to interval times the range of the
        feature, in units of the prediction.
    standard_error : ndarray of shape (M,)
        Root mean square of `point_errors` over the rows, in units of the prediction.
    distance : ndarray of shape (M,)
        Root mean square over the rows of the difference from the curve of the largest K, in units
        of the prediction.
    recommended : int
        The smallest of `Ks` whose `distance` is within the standard error of the curve of the
        largest K, or too small to be seen.
    """

    _panels: ClassVar[int] = 2

    feature: Hashable
    Ks: tuple[int, ...]
    effects: tuple[AleResult, ...]
    point_errors: tuple[FloatArray, ...]
    roughness: FloatArray
    standard_error: FloatArray
    distance: FloatArray
    recommended: int

    def __repr__(self) -> str:
        return (
            f"KSensitivity({self.feature!r}: K of {', '.join(map(str, self.Ks))}, "
            f"recommended {self.recommended})"
        )

    @property
    def recommended_effect(self) -> AleResult:
        """The curve of the recommended K."""
        return self.effects[self.Ks.index(self.recommended)]

    def to_frame(self) -> pd.DataFrame:
        """Table with one row per K.

        Returns
        -------
        DataFrame
            Columns ``K``, ``effective_K``, ``fewest_rows`` (in an interval), ``roughness``,
            ``standard_error``, ``distance``, ``recommended``.
        """
        return pd.DataFrame(
            {
                "K": self.Ks,
                "effective_K": [effect.K[0] for effect in self.effects],
                "fewest_rows": [int(effect.counts.min()) for effect in self.effects],
                "roughness": self.roughness.copy(),
                "standard_error": self.standard_error.copy(),
                "distance": self.distance.copy(),
                "recommended": [self.recommended == K for K in self.Ks],
            }
        )

    def plot(self, **options: Unpack[KSensitivityPlotOptions]) -> KSensitivityDisplay:
        """Draw the curves, and their roughness, standard error and distance against K.

        Parameters
        ----------
        **options
            Those of `aleplot_py.KSensitivityDisplay.plot`.

        Returns
        -------
        KSensitivityDisplay
            Holds the artists.
        """
        from aleplot_py.plots.sensitivity import KSensitivityDisplay

        return KSensitivityDisplay(self).plot(**options)

    def _draw_on(self, axes: list[Any]) -> None:
        self.plot(ax=axes)

    def _rules(self) -> Iterator[Rule]:
        m = len(self.Ks)
        for name in ("effects", "point_errors"):
            yield len(getattr(self, name)) == m, name, f"{m} of them", getattr(self, name)
        for name in ("roughness", "standard_error", "distance"):
            got = getattr(self, name).shape
            yield got == (m,), name, f"of shape ({m},)", got
        for i, (effect, errors) in enumerate(zip(self.effects, self.point_errors, strict=True)):
            shape = effect.f_values.shape
            yield len(shape) == 1, f"effects[{i}]", "a main effect", effect.features
            yield errors.shape == shape, f"point_errors[{i}]", f"of shape {shape}", errors.shape
        yield self.recommended in self.Ks, "recommended", f"one of {self.Ks}", self.recommended


def k_sensitivity(
    predict: Predictor,
    X: FrameLike,
    feature: Feature,
    *,
    Ks: Sequence[Whole] | NDArray[np.integer[Any]] = (5, 10, 20, 40, 80, 160),
    grid: GridRule = "aleplot",
    gradient: Gradient | None = None,
    target: Hashable | None = None,
    response_method: ResponseMethod = "auto",
    missing: Missing = "error",
    batch_rows: int | None = None,
    n_jobs: int | Executor | None = None,
    progress: bool = True,
) -> KSensitivity:
    """Compare the curve of a numeric feature over several numbers of intervals.

    Nothing in the data fixes K. Few intervals are wide: each carries one slope, so that bends
    inside are ironed out, and rows are moved far from where they were observed, which brings in
    predictions for combinations that may not exist. That is bias, and averaging more rows does not
    remove it. Many intervals are narrow and hold few rows each: every slope is an average of a
    handful of differences, and the curve gets jagged. That is variance; the sum of many such
    slopes is no less certain than the sum of a few, so it shows in the roughness far more than in
    the standard error of the curve. The useful K is the smallest one past which the curve no
    longer changes by more than its own uncertainty: everything above adds wiggles only.

    Parameters
    ----------
    predict, X
        As in `aleplot_py.ale`.
    feature : name or position
        One numeric column.
    Ks : sequence of at least two int
        Numbers of intervals, each at the cost of 2n predicted rows.
    grid : {"aleplot", "iml", "equidistant"}
        Rule of the edges.
    gradient, target, response_method, missing, batch_rows, n_jobs, progress
        As in `aleplot_py.ale`.

    Returns
    -------
    KSensitivity
        Curves, measures, and the recommended K.

    Raises
    ------
    FeatureError, PredictionError, ValueError, TypeError
        With the column or argument, the rule, and the value got; among others for a categorical
        feature and for fewer than two different `Ks`.

    See Also
    --------
    ale : The curve of one number of intervals, or of intervals chosen from the data.
    bootstrap_bands : How certain it is.

    Notes
    -----
    Takes no `categorical`: the feature must be numeric.
    Takes no `sample_weight`: the standard errors count rows.
    Takes no `random_state`: nothing is drawn at random.

    The standard error takes the grid and the features' values as given and the rows of an interval
    as a sample of their conditional distribution: with D_m the mean and s_m^2 the variance
    (divisor n_m - 1) of the n_m local effects of interval m, the centred curve at z_k is
    ``sum_m (1[m <= k] - w_m) D_m``, w_m the share of rows above the interval plus half of its own,
    and its variance ``sum_m (1[m <= k] - w_m)^2 s_m^2 / n_m``. An interval with a single row takes
    the pooled variance of the slopes. The error of the fitted model itself is not in it.

    Source: Molnar, Interpretable Machine Learning, ALE chapter, on the two sides of the choice of
    K; Apley, D. W. and Zhu, J. (2020), JRSS B 82, 1059-1086, for the estimator. The measures and
    the rule are this package's own.
    """
    numbers = _checked_numbers(Ks)
    one_of(grid, GRIDS, "grid")
    problem = problem_of(
        predict,
        X,
        Options(
            grid=grid,
            target=target,
            response_method=response_method,
            missing=missing,
            batch_rows=batch_rows,
            n_jobs=n_jobs,
            progress=progress,
        ),
    )
    name = single_feature(feature, problem.table)
    if kind_of(problem.table, name, frozenset()) != "numeric":
        raise FeatureTypeError(f"feature must be one numeric column, got {feature!r}")
    request, jacobian = Requests([(name,)]), as_jacobian(gradient, predict, problem.options)
    each = with_bar(numbers, len(numbers), "numbers of intervals", shown=progress)
    effects = [ale_of(problem.but(K=K), request, jacobian=jacobian)[0] for K in each]
    point_errors = tuple(_point_errors(effect) for effect in effects)
    overall = [
        _root_mean_square(effect, errors)
        for effect, errors in zip(effects, point_errors, strict=True)
    ]
    finest = effects[-1]
    at_rows = [effect.evaluate(effect.observed[0]) for effect in effects]
    distance = np.array([_rms(values - at_rows[-1]) for values in at_rows])
    allowed = max(VISIBLE * float(np.ptp(finest.f_values)), np.nan_to_num(overall[-1]))
    return KSensitivity(
        feature=finest.features[0],
        Ks=numbers,
        effects=tuple(effects),
        point_errors=point_errors,
        roughness=np.array([_roughness(effect) for effect in effects]),
        standard_error=np.array(overall),
        distance=distance,
        recommended=numbers[int(np.argmax(distance <= allowed))],
    )


def _checked_numbers(Ks: Any) -> tuple[int, ...]:
    if isinstance(Ks, (str, int)) or not isinstance(Ks, Iterable):
        raise TypeError(f"Ks must be a sequence of integers, got {Ks!r}")
    numbers = sorted({interval_count(K, "each of Ks") for K in Ks})
    if len(numbers) < 2:
        raise ValueError(f"Ks must hold at least two different numbers, got {list(numbers)}")
    return tuple(numbers)


def _rms(values: FloatArray) -> float:
    power = power_of(values)
    return float(np.ldexp(np.sqrt(np.mean(np.ldexp(values, -power) ** 2)), power))


def _point_errors(effect: AleResult) -> FloatArray:
    """Standard error of the centred curve at each grid point, (K + 1,)."""
    counts, widths = effect.counts, _widths(effect)[0]
    several = counts >= 2
    if not several.any():
        return np.full(len(counts) + 1, np.nan)
    std = np.where(several, effect.local_std, 0.0)
    power = power_of(std)
    squares = counts * np.ldexp(std, -power) ** 2
    pooled = (squares / widths**2).sum() / (counts[several] - 1).sum()
    variance = np.where(several, squares / np.maximum(counts - 1, 1), pooled * widths**2)
    of_mean = variance / np.maximum(counts, 1)
    share = counts / counts.sum()
    above = np.append(np.cumsum(share[::-1])[::-1][1:], 0.0) + share / 2
    passed = np.tri(len(counts) + 1, len(counts), -1)
    errors = np.sqrt(((passed - above) ** 2 * of_mean).sum(axis=1))
    return np.asarray(np.ldexp(errors, power))


def _root_mean_square(effect: AleResult, errors: FloatArray) -> float:
    power = power_of(errors)
    errors = np.ldexp(errors, -power)
    squares = (errors[:-1] ** 2 + errors[1:] ** 2) / 2
    mean = (effect.counts * squares).sum() / effect.counts.sum()
    return float(np.ldexp(np.sqrt(mean), power))


def _roughness(effect: AleResult) -> float:
    widths, span = _widths(effect)
    power = power_of(effect.local_mean)
    slopes = np.ldexp(effect.local_mean, -power) / widths
    return float(np.ldexp(np.abs(np.diff(slopes)).sum() * span, power))


def _widths(effect: AleResult) -> tuple[FloatArray, float]:
    """Widths of the intervals and of all together, a power of two taken out of both."""
    z = np.ldexp(effect.x_values[0], -power_of(effect.x_values[0]))
    return np.diff(z), float(z[-1] - z[0])


def interval_errors(
    case: str | IntervalCase,
    *,
    Ks: Sequence[Whole] | NDArray[np.integer[Any]] = (5, 10, 20, 50, 100),
    autos: Mapping[str, intervals.Auto] | None = None,
    n: int = 1000,
    seeds: Iterable[int] = range(100),
    grid: Literal["aleplot", "iml", "equidistant"] = "equidistant",
    use_gradient: bool = False,
    progress: bool = True,
) -> pd.DataFrame:
    """Errors against the truth with fixed and with automatic intervals, over many draws.

    Parameters
    ----------
    case : str or IntervalCase
        Name in `INTERVAL_CASES`, or a case of your own.
    Ks : sequence of int
        Fixed numbers of intervals.
    autos : mapping of label to intervals.Auto, optional
        Automatic rules, by default ``"dynamic"`` and ``"greedy"``.
    n : int
        Rows per draw.
    seeds : iterable of int
        One draw each.
    grid : {"aleplot", "iml", "equidistant"}
        Rule of the fixed intervals.
    use_gradient : bool
        Take the local effects from the derivative instead of differences.
    progress : bool, default True
        As in `aleplot_py.ale`, for the draws.

    Returns
    -------
    DataFrame
        One row per seed and rule: ``seed``, ``rule`` ("K=5", ..., "dynamic", ...),
        ``effective_K``, and root mean square errors over the rows, ``curve_error`` (both curves
        centred over the rows, in units of the prediction), ``slope_error`` and ``std_error`` (of
        the mean local derivative and its standard deviation).

    Raises
    ------
    ValueError
        If there is no such case or nothing to compare.

    Notes
    -----
    Source: the simulations of Gkolemis, V. et al. (2022), DALE, ACML, and (2023), RHALE, ECAI.
    """
    if not isinstance(case, IntervalCase):
        case = INTERVAL_CASES[one_of(case, tuple(INTERVAL_CASES), "case")]
    positive_integer(n, "n")
    check_switches(use_gradient=use_gradient, progress=progress)
    if autos is None:
        autos = {"dynamic": intervals.Auto(), "greedy": intervals.Auto(method="greedy")}
    rules: dict[str, Any] = {f"K={interval_count(K, 'each of Ks')}": K for K in Ks}
    rules.update(autos)
    if not rules:
        raise ValueError("Ks and autos are both empty: there is nothing to compare")
    gradient = {case.feature: case.gradient} if use_gradient else None
    records = []
    seeds = list(seeds)
    for seed in with_bar(seeds, len(seeds), "draws", shown=progress):
        X = case.simulate(n, seed)
        for rule, K in rules.items():
            edges = "aleplot" if isinstance(K, intervals.Auto) else grid
            effect = ale(
                case.model, X, case.feature, K=K, grid=edges, gradient=gradient, progress=False
            )
            records.append({"seed": seed, "rule": rule, **_errors(effect, case)})
    return pd.DataFrame(records)


def _errors(effect: AleResult, case: IntervalCase) -> dict[str, float]:
    x, z = effect.observed[0], effect.x_values[0]
    codes, widths = effect.axes[0].codes, np.diff(z)
    estimated, truth = effect.evaluate(x), case.curve(x)
    slope = (effect.local_mean / widths)[codes]
    spread = (effect.local_std / widths)[codes]
    return {
        "effective_K": effect.K[0],
        "curve_error": _rms(estimated - estimated.mean() - (truth - truth.mean())),
        "slope_error": _rms(slope - case.slope(x)),
        "std_error": _rms(spread - case.slope_std(x)),
    }
