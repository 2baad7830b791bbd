"""ALE statistics: how large an effect is, on the response's scale and in percentiles of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import pandas as pd

from aleplot_py.inputs.arrays import as_floats
from aleplot_py.results.base import Result
from aleplot_py.results.effects import AleResult, EffectCollection
from aleplot_py.steps.centre import points_to_units, power_of
from aleplot_py.steps.grid import FloatArray
from aleplot_py.typing import Numbers

KINDS = ("numeric", "categorical")


@dataclass(frozen=True, eq=False, repr=False)
class AleStatistics(Result):
    """Sizes of one effect.

    Parameters
    ----------
    aled : float
        ALE deviation: mean absolute effect over the rows, in units of the prediction.
    aler_min, aler_max : float
        ALE range: smallest and largest effect, in units of the prediction.
    naled : float
        ALE deviation of the normalised effect, in percentile points of the response; NaN where no
        response was given, as the next two.
    naler_min, naler_max : float
        ALE range of the normalised effect, from -50 to 50 percentile points.
    """

    aled: float
    aler_min: float
    aler_max: float
    naled: float = np.nan
    naler_min: float = np.nan
    naler_max: float = np.nan

    @property
    def aler(self) -> tuple[float, float]:
        """ALE range, in units of the prediction."""
        return self.aler_min, self.aler_max

    @property
    def naler(self) -> tuple[float, float]:
        """Normalised ALE range, in percentile points."""
        return self.naler_min, self.naler_max

    def to_series(self) -> pd.Series:
        """The six numbers by name.

        Returns
        -------
        Series of shape (6,)
            Index ``aled``, ``aler_min``, ``aler_max``, ``naled``, ``naler_min``, ``naler_max``.
        """
        return pd.Series({f.name: getattr(self, f.name) for f in fields(self)}, dtype=np.float64)

    def to_frame(self) -> pd.DataFrame:
        """The six numbers as a table of one row.

        Returns
        -------
        DataFrame of shape (1, 6)
            Columns as the index of `to_series`.
        """
        return self.to_series().to_frame().T


def ale_statistics(
    effect: AleResult | Numbers,
    response: Numbers | None = None,
    *,
    counts: Numbers | None = None,
    kind: Literal["numeric", "categorical"] = "numeric",
) -> AleStatistics:
    """ALE deviation and range of an effect, and both normalised: ALED, ALER, NALED, NALER.

    Parameters
    ----------
    effect : AleResult, or array_like of shape (P,)
        An effect of any order and kinds, centred as it came; or its values at the grid points or
        levels.
    response : array_like of shape (m,), optional
        Values whose percentiles the normalised statistics are in: the observed outcome (or the
        predictions) of the rows. Without it these statistics are NaN.
    counts : array_like, optional
        For plain arrays only: rows per level, (P,); or per interval, (P - 1,). Numeric counts of
        shape (P,) are those of R's ale: first the rows at the first grid point, which belong to
        the first interval, then those of the intervals.
    kind : {"numeric", "categorical"}
        For plain arrays only: what `effect` is a function of.

    Returns
    -------
    AleStatistics
        With sizes in units of the prediction and in percentile points.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, a value is not finite, counts are negative or all 0, or `counts` is
        given for an AleResult or not given for an array.

    See Also
    --------
    statistics_table : Of several effects.
    normalised_effect : Effects as percentile points.
    p_values : How likely noise has such statistics.

    Notes
    -----
    Source: Okoli, C. (2023), Statistical inference using machine learning and classical
    techniques based on accumulated local effects (ALE), arXiv:2310.09877.

    - ALED is the mean of ``|effect|`` over the rows, a row in the middle of its interval having
      the mean of the effects at its ends, a row of a level the level's own.
    - ALER is the smallest and the largest value at the grid points or levels.
    - NALED and NALER are the same of the normalised effect, see `normalised_effect`; the values
      in the middle of the intervals are normalised, not the ends averaged.

    Examples
    --------
    >>> sizes = ale_statistics([-2.3, -1.3, 1.7], counts=[2, 3, 5], kind="categorical")
    >>> round(sizes.aled, 12), sizes.aler
    (1.7, (-2.3, 1.7))
    """
    if isinstance(effect, AleResult):
        if counts is not None:
            raise ValueError("counts are those of the AleResult: give them for plain arrays only")
        values, weights, kinds = effect.f_values, effect.counts, effect.kinds
    else:
        values = _numbers(effect, "effect")
        weights, kinds = _counts(counts, values, kind), (kind,)
    at_units = values
    for axis, one_kind in enumerate(kinds):
        at_units = points_to_units(at_units, axis, one_kind)
    sizes = _sizes(values, at_units, weights)
    if response is None:
        return AleStatistics(*sizes)
    scale = _Percentiles(response)
    return AleStatistics(*sizes, *_sizes(scale(values), scale(at_units), weights))


def normalised_effect(effect: Numbers, response: Numbers) -> FloatArray:
    """Effects as percentile points of the response, counted from its median.

    Parameters
    ----------
    effect : array_like
        Effects in units of the response.
    response : array_like of shape (m,)
        The response.

    Returns
    -------
    ndarray of the shape of `effect`
        From -50 to 50. The response is centred at its median, which belongs to both of its halves:
        the upper one is the responses at or above it, the lower one those at or below it. A
        positive effect becomes 50 times the share of the upper half that it reaches, a negative
        one -50 times that of the lower half. An effect that does not go beyond the nearest
        response other than the median on its side is 0; one that reaches them all is 50 or -50.

    Raises
    ------
    ValueError, TypeError
        If a value is not a finite number, or `response` is not a list of them.

    See Also
    --------
    ale_statistics : The statistics of it.

    Notes
    -----
    Source: Okoli (2023), arXiv:2310.09877, section on normalised ALE, and the vignette on
    statistics of R's package ale. On a side without another response than the median every effect
    but 0 reaches them all.

    Examples
    --------
    >>> normalised_effect([-3.0, 0.5, 1.0, 9.0], [1, 2, 3, 4])
    array([-50.,   0.,  25.,  50.])
    """
    return _Percentiles(response)(_numbers(effect, "effect", ndim=None))


def statistics_table(
    effects: Mapping[Any, AleResult], response: Numbers | None = None
) -> pd.DataFrame:
    """ALE statistics of several effects.

    Parameters
    ----------
    effects : EffectCollection, or mapping of name to AleResult
        Effects by feature.
    response : array_like of shape (m,), optional
        As in `ale_statistics`.

    Returns
    -------
    DataFrame
        One row per effect, index its feature (a tuple for pairs), group or output, or a tuple of
        those that tell the effects apart, whose names the index has; columns ``aled``,
        ``aler_min``, ``aler_max``, ``naled``, ``naler_min``, ``naler_max``.

    Raises
    ------
    ValueError, TypeError
        As `ale_statistics`, or if `effects` is not a mapping of results of ale.

    See Also
    --------
    ale_statistics : Of a single effect.
    p_values : How likely noise has such statistics.
    """
    if not isinstance(effects, Mapping):
        raise TypeError(
            f"effects must be a collection of ALE effects, got {type(effects).__name__}"
        )
    wrong = [key for key, effect in effects.items() if not isinstance(effect, AleResult)]
    if wrong:
        raise TypeError(f"effects must be results of ale, {wrong[0]!r} is not")
    rows = [ale_statistics(effect, response).to_series() for effect in effects.values()]
    by = effects.by if isinstance(effects, EffectCollection) else ("feature",)
    index = pd.Index(list(effects), name=by[0] if len(by) == 1 else by, tupleize_cols=False)
    return pd.DataFrame(rows).set_axis(index, axis=0)


class _Percentiles:
    """Effect to percentile points of a response."""

    def __init__(self, response: Any) -> None:
        values = _numbers(response, "response")
        power = power_of(values)
        values = np.ldexp(values, -power)  # so that the middle of two large numbers is finite
        centred = np.ldexp(np.sort(values - np.median(values)), power)
        self.upper = centred[centred >= 0]
        self.lower = -centred[centred <= 0][::-1]

    def __call__(self, effect: FloatArray) -> FloatArray:
        return np.asarray(50 * (_reached(self.upper, effect) - _reached(self.lower, -effect)))


def _reached(half: FloatArray, effect: FloatArray) -> FloatArray:
    """Share of one half of the response, sorted from its median 0, that an effect reaches."""
    nearest = half[half > 0].min(initial=half.max())
    share = np.searchsorted(half, effect, side="right") / len(half)
    return np.where(effect > nearest, share, 0.0)


def _sizes(
    values: FloatArray, at_units: FloatArray, weights: FloatArray
) -> tuple[float, float, float]:
    """Mean absolute value over the rows, smallest and largest value."""
    power = power_of(at_units)
    weights = np.ldexp(weights, -power_of(weights))
    absolute = np.abs(np.ldexp(at_units, -power))
    deviation = float(np.ldexp((absolute * weights).sum() / weights.sum(), power))
    return deviation, float(values.min()), float(values.max())


def _numbers(values: Any, argument: str, ndim: int | None = 1) -> FloatArray:
    try:
        numbers = as_floats(values)
    except (TypeError, ValueError):
        raise TypeError(f"{argument} must be numbers, got {type(values).__name__}") from None
    if (ndim is not None and numbers.ndim != ndim) or numbers.size == 0:
        raise ValueError(f"{argument} must be a list of numbers, got shape {numbers.shape}")
    if not np.isfinite(numbers).all():
        raise ValueError(f"{argument} must be finite, got {numbers[~np.isfinite(numbers)][0]}")
    return numbers


def _counts(counts: Any, values: FloatArray, kind: str) -> FloatArray:
    """Rows per unit of a plain array's axis."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {KINDS}, got {kind!r}")
    if counts is None:
        raise ValueError("counts must be given with plain arrays: the rows of each unit")
    weights = _numbers(counts, "counts")
    if (weights < 0).any() or not weights.any():
        raise ValueError(f"counts must not be negative or all 0, got {weights.min()}")
    allowed = [len(values)] if kind == "categorical" else [len(values), len(values) - 1]
    if len(weights) not in allowed or len(values) < 2:
        raise ValueError(
            f"counts must have one value per {'level' if kind == 'categorical' else 'interval'}: "
            f"got {len(weights)} for {len(values)} values"
        )
    if kind == "numeric" and len(weights) == len(values):
        return np.append(weights[0] + weights[1], weights[2:])
    return weights
