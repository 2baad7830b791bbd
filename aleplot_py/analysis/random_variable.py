"""Inference on ALE statistics against the effects of a random variable that means nothing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import pandas as pd

from aleplot_py.analysis.complexity import row_units
from aleplot_py.analysis.statistics import AleStatistics, ale_statistics
from aleplot_py.effects.ale import ale_of
from aleplot_py.errors import FeatureError, warn_caller
from aleplot_py.inputs import native
from aleplot_py.inputs.arrays import as_floats
from aleplot_py.inputs.checks import check_switches, job_count, positive_integer, weights_of
from aleplot_py.inputs.extras import needed
from aleplot_py.inputs.fitting import (
    check_fitter,
    check_response,
    fitted,
    generator_of,
    with_bar,
)
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import Problem
from aleplot_py.inputs.requests import Requests, as_table
from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule
from aleplot_py.results.effects import AleResult, shown_numbers
from aleplot_py.steps.grid import FloatArray, bin_codes
from aleplot_py.steps.sums import cell_totals
from aleplot_py.typing import Fitter, FrameLike, Numbers, RandomState, ResponseMethod, Values

NAMES = ("aled", "aler_min", "aler_max", "naled", "naler_min", "naler_max")


# The statistics of which a smaller value is the more extreme one.
LOWER = ("aler_min", "naler_min")


@dataclass(frozen=True, eq=False, repr=False)
class RandomVariableNull(Result):
    """Distribution of the ALE statistics of a variable that the response does not depend on.

    Parameters
    ----------
    draws : ndarray of shape (n, 6)
        One row per refit with a new random variable: ``aled``, ``aler_min``, ``aler_max`` in units
        of the prediction, ``naled``, ``naler_min``, ``naler_max`` in percentile points.
    """

    draws: FloatArray

    def __repr__(self) -> str:
        n = len(self.draws)
        return f"RandomVariableNull({n} refits, smallest p-value {1 / (n + 1):.3g})"

    @property
    def statistics(self) -> pd.DataFrame:
        """The draws as a fresh table with named columns."""
        return pd.DataFrame(self.draws.copy(), columns=list(NAMES))

    def to_frame(self) -> pd.DataFrame:
        """Table with one row per refit.

        Returns
        -------
        DataFrame of shape (n, 6)
            Columns ``aled``, ``aler_min``, ``aler_max``, ``naled``, ``naler_min``, ``naler_max``.
        """
        return self.statistics

    def _rules(self) -> Iterator[Rule]:
        got = self.draws.shape
        yield len(got) == 2 and got[1] == len(NAMES) and got[0] > 0, "draws", "of shape (n, 6)", got

    def band(self, alpha: float = 0.05) -> tuple[float, float]:
        """ALER band: the effects that a random variable has, too.

        Parameters
        ----------
        alpha : float, default 0.05
            Level of significance of either end.

        Returns
        -------
        low, high : float
            In units of the prediction. An effect's smallest value is below `low` if and only if
            its p-value is at most `alpha`, and its largest value is above `high` likewise.
            Infinite where no p-value can be that small.

        Raises
        ------
        ValueError, TypeError
            If `alpha` is not a number between 0 and 1.

        Warns
        -----
        UserWarning
            If there are fewer than ``1 / alpha - 1`` refits, so that every p-value is larger.
        """
        ordered_min = np.sort(self.statistics["aler_min"].to_numpy())
        ordered_max = np.sort(self.statistics["aler_max"].to_numpy())
        n = len(ordered_min)
        significant = np.flatnonzero(_p_value(np.arange(n + 1), n) <= _level(alpha))
        if not significant.size:
            warn_caller(
                f"the band is infinite: {n} refits give no p-value below {1 / (n + 1):.3g}, "
                f"alpha={alpha} takes n={_refits(float(alpha))} or more"
            )
            return -np.inf, np.inf
        beyond = int(significant[-1])
        return float(ordered_min[beyond]), float(ordered_max[n - 1 - beyond])


def random_variable_null(
    fit: Fitter,
    X: FrameLike,
    y: Values,
    *,
    n: int = 1000,
    K: int = 40,
    response: Numbers | None = None,
    draw: Callable[[np.random.Generator, int], Values] | None = None,
    name: Hashable = "random_variable",
    sample_weight: Numbers | None = None,
    target: Hashable | None = None,
    response_method: ResponseMethod = "auto",
    batch_rows: int | None = None,
    n_jobs: int | None = None,
    progress: bool = True,
    random_state: RandomState = None,
) -> RandomVariableNull:
    """Refit the model with a random variable beside the features, and take its ALE statistics.

    .. versionchanged:: 0.2
       `sample_weight` and `batch_rows` are new.

    Parameters
    ----------
    fit : scikit-learn estimator, or callable(X, y) -> predict
        How the model under study was fitted. An estimator is cloned for every fit, and seeded from
        `random_state` wherever it has no seed; a callable returns a black box as `aleplot_py.ale`
        takes it. Either must use every column of the X it is given.
    X : DataFrame or ndarray of shape (rows, d)
        The features.
    y : array_like of shape (rows,)
        The response the model is fitted to.
    n : int, default 1000
        Number of random variables, and of refits. A p-value is a multiple of ``1 / (n + 1)``, at
        least ``1 / (n + 1)``: one of 0.05 takes 19 refits, one of 0.01 takes 99, 0.001 takes 999.
    K : int, default 40
        Intervals of the random variable's effect; use those of the effects under study.
    response : array_like of shape (m,), optional
        What the normalised statistics are in percentiles of; `y` by default. Give it where `y` is
        not numeric (class labels).
    draw : callable(generator, size) -> array_like of shape (size,), optional
        Draws the random variable; standard normal by default.
    name : hashable, default "random_variable"
        Its column, which is put last. An array gets one more column.
    sample_weight, target, response_method, batch_rows
        As in `aleplot_py.ale`, for the effects; refitting ignores the weights.
    n_jobs : int, optional
        Refits run in parallel by joblib, with the same result.
    progress : bool, default True
        Whether a bar tells how many refits are done, as in `aleplot_py.ale`.
    random_state : int, Generator, RandomState or None
        Source of every random variable and seed.

    Returns
    -------
    RandomVariableNull
        For `p_values` and `effect_regions`.

    Raises
    ------
    ValueError, TypeError
        If an argument is unusable, or the column's name is taken.

    Warns
    -----
    UserWarning
        If no refit used its random variable at all, so that every effect would be significant.

    See Also
    --------
    p_values : Compare statistics with it.
    effect_regions : Compare a curve with it.

    Notes
    -----
    Takes no `categorical`: the random variable is numeric.
    Takes no `missing`: the random variable has a value in every row.

    Source: Okoli (2023), arXiv:2310.09877, who takes n = 1000. The null hypothesis is that a
    feature has no more to do with the response than noise has, given this way of fitting: a model
    that overfits gives noise large effects, and so asks more of a feature.
    """
    check_switches(progress=progress)
    n = positive_integer(n, "n")
    table = as_table(X)
    if name in table.names and not isinstance(X, np.ndarray):
        raise FeatureError(f"X already has a column {name!r}: choose another name=")
    check_response(y, len(table))
    check_fitter(fit, "fit")
    weights = weights_of(sample_weight, len(table))
    options = Options(
        K=K,
        target=target,
        response_method=response_method,
        batch_rows=batch_rows,
        progress=False,
    )
    outcome = _numeric_response(y) if response is None else response

    def one(generator: np.random.Generator) -> AleStatistics:
        drawn = np.asarray((draw or _normal)(generator, len(table)), dtype=np.float64)
        if drawn.shape != (len(table),):
            raise ValueError(f"draw must return shape ({len(table)},), got {drawn.shape}")
        data, column = _beside(table, drawn, name)
        model = fitted(fit, data, y, generator, "fit")
        problem = Problem(
            table=as_table(data),
            black_box=options.black_box(model),
            options=options,
            weights=weights,
        )
        [effect] = ale_of(problem, Requests([(column,)]))
        return ale_statistics(effect, outcome)

    generators = with_bar(
        generator_of(random_state).spawn(n), n, "random variables", shown=progress
    )
    if job_count(n_jobs) == 1:
        found = [one(generator) for generator in generators]
    else:
        joblib = needed("joblib", f"n_jobs={n_jobs}")
        jobs = (joblib.delayed(one)(generator) for generator in generators)
        found = joblib.Parallel(n_jobs=n_jobs)(jobs)
    statistics = pd.DataFrame([one_found.to_series() for one_found in found])
    # Not the mean effect: the rows of a single interval stand in its middle, where it is 0.
    if (statistics["aler_min"] == statistics["aler_max"]).all():
        warn_caller(
            f"none of {n} refits used the random variable {name!r}: does the model see the column?"
        )
    return RandomVariableNull(statistics[list(NAMES)].to_numpy())


@overload
def p_values(statistics: AleStatistics, null: RandomVariableNull) -> pd.Series[float]: ...
@overload
def p_values(statistics: pd.DataFrame, null: RandomVariableNull) -> pd.DataFrame: ...
def p_values(
    statistics: AleStatistics | pd.DataFrame, null: RandomVariableNull
) -> pd.Series[float] | pd.DataFrame:
    """p-values of ALE statistics: how rare statistics as extreme are among random variables.

    Parameters
    ----------
    statistics : AleStatistics, or DataFrame with some of its columns
        From `ale_statistics` or `statistics_table`.
    null : RandomVariableNull
        From `random_variable_null`.

    Returns
    -------
    Series of shape (6,), or DataFrame of the shape of `statistics`
        ``(k + 1) / (n + 1)``, with k of the n random statistics as extreme: at most as large for
        ``aler_min`` and ``naler_min``, at least as large for the others. NaN for a statistic that
        is NaN. No p-value is below ``1 / (n + 1)``: one of `alpha` takes ``1 / alpha - 1`` refits.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If a column is not an ALE statistic.

    See Also
    --------
    random_variable_null : What they are compared with.
    effect_regions : Which parts of a curve stand out.

    Notes
    -----
    Source: Okoli (2023), arXiv:2310.09877, whose p-value is ``k / n``; Phipson, B. and Smyth, G. K.
    (2010), Permutation p-values should never be zero, Statistical Applications in Genetics and
    Molecular Biology 9, article 39: the statistic under test is itself one of the n + 1. The six
    are not corrected for being six.
    """
    if not isinstance(null, RandomVariableNull):
        raise TypeError(f"null must be a RandomVariableNull, got {type(null).__name__}")
    if isinstance(statistics, AleStatistics):
        table = statistics.to_series().to_frame().T
        return p_values(table, null).iloc[0].rename(None)
    if not isinstance(statistics, pd.DataFrame):
        raise TypeError(
            f"statistics must be AleStatistics or a table of them, got {type(statistics).__name__}"
        )
    unknown = [name for name in statistics.columns if name not in NAMES]
    if unknown:
        raise ValueError(f"column {unknown[0]!r} is not an ALE statistic: they are {NAMES}")
    shares = {}
    for name in statistics.columns:
        random = np.sort(null.statistics[name].to_numpy())
        value = statistics[name].to_numpy(dtype=np.float64)
        at_most = np.searchsorted(random, value, side="right")
        count = at_most if name in LOWER else len(random) - np.searchsorted(random, value)
        shares[name] = np.where(np.isnan(value), np.nan, _p_value(count, len(random)))
    return pd.DataFrame(shares, index=statistics.index)


def effect_regions(
    effect: AleResult,
    null: RandomVariableNull | tuple[float, float],
    *,
    alpha: float = 0.05,
    lower: Numbers | None = None,
    upper: Numbers | None = None,
) -> pd.DataFrame:
    """Where an effect lies outside what a random variable's effect reaches.

    Parameters
    ----------
    effect : AleResult
        Main effect.
    null : RandomVariableNull, or tuple (low, high)
        The null distribution, whose ALER band is taken, or a band in units of the prediction.
    alpha : float, default 0.05
        Level of the ALER band, see `RandomVariableNull.band`.
    lower, upper : array_like of shape (P,), optional
        Confidence band of the effect at its grid points or levels. By default the effect itself.

    Returns
    -------
    DataFrame
        One row per region, in order. ``position`` is ``"above"`` where the lower end of the
        confidence band is above `high`, ``"below"`` where its upper end is below `low`, and
        ``"within"`` elsewhere. Numeric features: ``start`` and ``end`` (where the linear pieces
        cross), ``start_value`` and ``end_value`` of the effect. Categorical features: one row per
        ``level`` with its ``value``. Both: ``rows`` in the region (or their weight) and their
        ``share``.

    Raises
    ------
    ValueError, TypeError
        If the effect is not a main effect of ALE, the band is not one, `alpha` is not between 0
        and 1, or `lower` and `upper` are not given together, in order and of the right shape.

    See Also
    --------
    random_variable_null : Whose band it takes.
    bootstrap_bands : Gives `lower` and `upper`.

    Notes
    -----
    Source: Okoli (2023), arXiv:2310.09877, confidence regions.
    """
    if not isinstance(effect, AleResult) or len(effect.features) != 1:
        raise TypeError("effect must be a main effect of ale")
    low, high = null.band(alpha) if isinstance(null, RandomVariableNull) else _band(null)
    bottom, top = _confidence(effect, lower, upper)
    if effect.kinds[0] == "categorical":
        rows = effect.counts
        return pd.DataFrame(
            {
                "level": effect.x_values[0],
                "value": effect.f_values,
                "position": _positions(bottom, top, low, high),
                "rows": rows,
                "share": rows / rows.sum(),
            }
        )
    x = effect.x_values[0]
    cuts = np.unique(np.concatenate([x, _crossings(x, bottom, high), _crossings(x, top, low)]))
    middle = (cuts[:-1] + cuts[1:]) / 2
    position = _positions(np.interp(middle, x, bottom), np.interp(middle, x, top), low, high)
    new = np.append(True, position[1:] != position[:-1])
    edges = np.append(cuts[:-1][new], cuts[-1])
    _, weights = row_units(effect)
    region = bin_codes(np.clip(effect.observed[0], x[0], x[-1]), edges)
    rows = cell_totals(weights, region, len(edges) - 1)
    values = np.interp(edges, x, effect.f_values)
    return pd.DataFrame(
        {
            "start": shown_numbers(effect.axes[0], edges[:-1]),
            "end": shown_numbers(effect.axes[0], edges[1:]),
            "start_value": values[:-1],
            "end_value": values[1:],
            "position": position[new],
            "rows": rows,
            "share": rows / rows.sum(),
        }
    )


def _p_value(as_extreme: Any, n: int) -> Any:
    """p-value of a statistic that so many of n random ones are as extreme as."""
    return (as_extreme + 1) / (n + 1)


def _refits(alpha: float) -> int:
    """Fewest refits that can give a p-value of alpha."""
    n = max(1, int(1 / alpha) - 2)
    while _p_value(0, n) > alpha:
        n += 1
    return n


def _level(alpha: Any) -> float:
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float, np.number)):
        raise TypeError(f"alpha must be a number between 0 and 1, got {alpha!r}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha!r}")
    return float(alpha)


def _numeric_response(y: Any) -> FloatArray:
    try:
        return as_floats(y).ravel()
    except (TypeError, ValueError):
        raise TypeError("y is not numeric: give response=, the numbers to normalise by") from None


def _normal(generator: np.random.Generator, size: int) -> FloatArray:
    return generator.standard_normal(size)


def _beside(table: Table, drawn: Any, name: Hashable) -> tuple[Any, Hashable]:
    """X with the random variable as its last column, and what that is called."""
    X = table.data
    if table.frame is not None:
        return native.beside(table.frame, str(name), drawn), str(name)
    if isinstance(X, pd.DataFrame):
        column = pd.Series(drawn, index=X.index, name=name)
        return pd.concat([X, column], axis=1), name
    return np.column_stack([X, drawn]), X.shape[1]


def _band(band: Any) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in band)
    except (TypeError, ValueError):
        raise TypeError(
            f"null must be a RandomVariableNull or a band (low, high), got {band!r}"
        ) from None
    if not low <= high:
        raise ValueError(f"the band's low end must not exceed its high end, got {band!r}")
    return low, high


def _confidence(effect: AleResult, lower: Any, upper: Any) -> tuple[FloatArray, FloatArray]:
    """Both ends of the effect's confidence band, (P,)."""
    if lower is None and upper is None:
        return effect.f_values, effect.f_values
    if lower is None or upper is None:
        raise ValueError("lower and upper must be given together")
    bottom, top = (as_floats(end) for end in (lower, upper))
    for argument, end in (("lower", bottom), ("upper", top)):
        if end.shape != effect.f_values.shape:
            raise ValueError(
                f"{argument} must have one value per point, {effect.f_values.shape}, "
                f"got {end.shape}"
            )
    if not (bottom <= top).all():
        raise ValueError("lower must not exceed upper, or be NaN, at any point")
    return bottom, top


def _positions(bottom: FloatArray, top: FloatArray, low: float, high: float) -> Any:
    return np.where(bottom > high, "above", np.where(top < low, "below", "within"))


def _crossings(x: FloatArray, values: FloatArray, level: float) -> FloatArray:
    """Places strictly between grid points where a piecewise linear curve crosses a level."""
    start, end = values[:-1] - level, values[1:] - level
    piece = np.flatnonzero(start * end < 0)
    share = start[piece] / (start[piece] - end[piece])
    return np.asarray(x[piece] + share * (x[piece + 1] - x[piece]))
