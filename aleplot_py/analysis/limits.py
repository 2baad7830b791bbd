"""Ends of a bootstrap band from the resampled effects."""

from __future__ import annotations

import numpy as np

from aleplot_py.steps.centre import power_of
from aleplot_py.steps.grid import FloatArray

# A spread below this share of the largest value is rounding, not variation.
ROUNDING = 1e-12
# Least share of the variance that a curve may be thought to leave to the others: where points move
# in a resample or two only, leaving these out would leave nothing.
LEAST_VARIANCE = 0.25


def band_limits(
    curves: FloatArray, f_values: FloatArray, level: float, method: str, *, simultaneous: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Ends of a band.

    Parameters
    ----------
    curves : ndarray of shape (n_boot, P) or (n_boot, P1, P2)
        Resampled effects.
    f_values : ndarray of shape (P,) or (P1, P2)
        The effect.
    level : float
        Nominal coverage, in (0, 1).
    method : {"percentile", "normal"}
        As in `bootstrap_bands`.
    simultaneous : bool
        Whether all points are to be covered at once.

    Returns
    -------
    lower, upper, std : ndarray of the shape of the effect
        Ends of the band and standard deviation of the resampled effects, in units of the
        prediction.
    """
    power = max(power_of(curves), power_of(f_values), key=abs)
    centre = np.ldexp(f_values, -power)
    # Deviations, whose deviation is exactly 0 where all curves are equal.
    deviation = np.ldexp(curves, -power) - centre
    std = deviation.std(axis=0, ddof=1)
    varies = std > ROUNDING * max(np.abs(deviation + centre).max(), np.abs(centre).max())
    if method == "normal":
        from scipy.stats import norm  # as slow to import as the rest of the package

        factor = float(norm.ppf((1 + level) / 2))
        if simultaneous:
            factor = _max_t(deviation[:, varies], std[varies], level)
        lower, upper = -factor * std, factor * std
    else:
        lower, upper = np.quantile(deviation, [(1 - level) / 2, (1 + level) / 2], axis=0)
        if simultaneous:
            lower[varies], upper[varies] = _stretched(
                deviation[:, varies], std[varies], lower[varies], upper[varies], level
            )
    return (
        np.ldexp(centre + lower, power),
        np.ldexp(centre + upper, power),
        np.ldexp(std, power),
    )


def _max_t(deviation: FloatArray, std: FloatArray, level: float) -> float:
    """Multiple of the standard deviations that holds the share `level` of new whole curves.

    A curve (n_boot, points) that had a part in the mean and the standard deviation looks nearer
    than a new one does: the multiple is what it would be measured with those of all the others.
    """
    n_boot = len(deviation)
    own = n_boot / (n_boot - 1)
    inside = _quantile_of_largest(np.abs(deviation - deviation.mean(axis=0)) / std, level) ** 2
    variance = (n_boot - 1 - inside * own) / max(n_boot - 2, 1)
    return float(np.sqrt(inside / max(variance, LEAST_VARIANCE)) * own)


def _stretched(
    deviation: FloatArray, std: FloatArray, lower: FloatArray, upper: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Pointwise quantiles (points,), drawn away from the median until whole curves are held."""
    middle = np.median(deviation, axis=0)
    # Where more curves than the band leaves out are equal, the standard deviation is the measure.
    below = np.where(lower < middle, middle - lower, std)
    above = np.where(upper > middle, upper - middle, std)
    away = deviation - middle
    factor = _quantile_of_largest(np.maximum(away / above, -away / below), level)
    return middle - factor * below, middle + factor * above


def _quantile_of_largest(distance: FloatArray, level: float) -> float:
    """Which of the curves' largest distances a new curve stays below with probability `level`."""
    if not distance.size:
        return 0.0
    largest = np.sort(distance.max(axis=1))
    rank = int(np.ceil(level * (len(largest) + 1)))
    return float(largest[min(rank, len(largest)) - 1])
