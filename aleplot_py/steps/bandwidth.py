"""Bandwidth of a Gaussian kernel from the data alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aleplot_py.steps.grid import FloatArray, quantile_type7


def bandwidth_nrd0(x: ArrayLike) -> float:
    """Silverman's rule of thumb.

    Parameters
    ----------
    x : array_like of shape (n,)
        Finite values, at least two.

    Returns
    -------
    float
        ``0.9 * spread * n**-0.2`` in units of the values. The spread is the smaller of the
        standard deviation and the interquartile range over 1.34; where that is 0, the standard
        deviation; where that is 0 too, the size of the first value; and 1 where that is 0.

    Notes
    -----
    Source: Silverman (1986), Density estimation, equation 3.31; R's ``bw.nrd0``.
    """
    values = np.asarray(x, dtype=np.float64)
    # A power of two changes no digit, and squares neither overflow nor vanish.
    power = int(np.frexp(np.abs(values).max())[1])
    scaled = np.ldexp(values, -power)
    low, high = quantile_type7(scaled, [0.25, 0.75])
    deviation = _standard_deviation(scaled)
    spread = min(deviation, float(high - low) / 1.34) or deviation or abs(float(scaled[0]))
    return float(0.9 * (np.ldexp(spread, power) or 1.0) * values.size**-0.2)


def _standard_deviation(x: FloatArray) -> float:
    """Divisor n - 1, with R's order of sums: one after the other, in extended precision."""
    extended = x.astype(np.longdouble)
    mean = np.cumsum(extended)[-1] / x.size
    mean += np.cumsum(extended - mean)[-1] / x.size
    away = extended - np.float64(mean)  # from the mean as R hands it on, a double
    return float(np.sqrt(np.float64(np.cumsum(away * away)[-1] / (x.size - 1))))
