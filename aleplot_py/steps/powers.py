"""Powers of two put back into numbers from which `power_of` took them before they were squared."""

from __future__ import annotations

import numpy as np

from aleplot_py.steps.grid import FloatArray


def times_power(x: FloatArray, power: int) -> FloatArray:
    """Numbers times a power of two, infinite or 0 where doubles end."""
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(x, power)


def square_in_units(square: float, power: int) -> float:
    """Square of what had the power taken out, as that of the whole; infinite or 0 likewise."""
    return float(times_power(np.array(square), 2 * power))
