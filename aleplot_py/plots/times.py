"""Axes of dates and durations: days as matplotlib counts them, lengths in a unit that fits."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from aleplot_py.inputs.times import NANOSECONDS, moments_at, to_numbers
from aleplot_py.results.effects import Effect
from aleplot_py.steps.axis import Axis, Times
from aleplot_py.steps.grid import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Units of a duration's axis, with the shortest longest duration that each is for.
LENGTHS = {
    "days": (86_400 * 10**9, 2),
    "hours": (3600 * 10**9, 2),
    "minutes": (60 * 10**9, 2),
    "seconds": (10**9, 1),
    "milliseconds": (10**6, 1),
    "microseconds": (10**3, 1),
    "nanoseconds": (1, 0),
}

#: What matplotlib can draw.
CALENDAR = [datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31)]
#: Days.
CENTURY = 36_525


@dataclass(frozen=True)
class Clocks:
    """How the axes of some effects of the same features are drawn.

    Parameters
    ----------
    units : tuple of str or None
        For each feature "dates", a unit of `LENGTHS`, or None for what is no time.
    zones : tuple of tzinfo or None
        Zone of the dates.
    """

    units: tuple[str | None, ...]
    zones: tuple[Any, ...]

    @classmethod
    def of(cls, effects: Sequence[Effect]) -> Clocks:
        """Those that fit all of the effects."""
        features = list(zip(*(effect.axes for effect in effects), strict=True))
        first = [axes[0].times for axes in features]
        return cls(
            tuple(_unit(axes) for axes in features),
            tuple(getattr(times and times.origin, "tzinfo", None) for times in first),
        )

    @property
    def sort(self) -> str:
        """What the first feature is: "dates", "durations" or "no times"."""
        unit = self.units[0]
        return "no times" if unit is None else "dates" if unit == "dates" else "durations"

    def drawn(self, effect: Effect) -> Effect:
        """The effect with numbers for matplotlib in place of those that count times."""
        if not any(self.units):
            return effect
        pairs = zip(effect.axes, self.units, strict=True)
        return replace(effect, axes=tuple(_drawn(axis, unit) for axis, unit in pairs))

    def write(self, ax: Axes) -> None:
        """Ticks of dates; the unit of durations behind the label that is there."""
        for which, unit, zone in zip("xy", self.units, self.zones, strict=False):
            if unit == "dates":
                _write_dates(ax, which, zone)
            elif unit is not None:
                label = getattr(ax, f"get_{which}label")()
                getattr(ax, f"set_{which}label")(f"{label} ({unit})")


def _unit(axes: Sequence[Axis]) -> str | None:
    """Unit of one feature of several effects."""
    times = axes[0].times
    if times is None:
        return None
    if not isinstance(times.origin, datetime.timedelta):
        return "dates"
    ends = [_numbers(axis.points[[0, -1]], axis.times or times, "nanoseconds") for axis in axes]
    return _length(np.concatenate(ends))


def _length(nanoseconds: FloatArray) -> str:
    """Unit that lengths are told in."""
    longest = float(np.abs(nanoseconds).max())
    return next(name for name, (size, least) in LENGTHS.items() if longest >= least * size)


def colour_times(column: pd.Series, times: Times) -> tuple[FloatArray, Clocks]:
    """Times (n,) as numbers for matplotlib, NaN where unknown, and how a colour bar tells them."""
    numbers = to_numbers(column, times)
    known, unit = np.isfinite(numbers), "dates"
    if isinstance(times.origin, datetime.timedelta):
        unit = _length(_numbers(numbers[known], times, "nanoseconds"))
    numbers[known] = _numbers(numbers[known], times, unit)
    return numbers, Clocks((None, unit), (None, getattr(times.origin, "tzinfo", None)))


def _drawn(axis: Axis, unit: str | None) -> Axis:
    times = axis.times
    if times is None or unit is None:
        return axis

    def observed() -> FloatArray:
        return _numbers(axis.observed, times, unit)

    read: Any = observed  # when it is drawn
    return replace(axis, points=_numbers(axis.points, times, unit), observed=read, times=None)


def _numbers(numbers: FloatArray, times: Times, unit: str) -> FloatArray:
    """Numbers on an axis as those that matplotlib draws."""
    if unit != "dates":
        zero = pd.Timedelta(times.origin) / pd.Timedelta(1, "ns")
        return np.asarray((numbers * NANOSECONDS[times.unit] + zero) / LENGTHS[unit][0])
    from matplotlib import dates

    to_days: Any = dates.date2num
    distinct, place = np.unique(numbers, return_inverse=True)
    return np.asarray(to_days(moments_at(distinct, times)), dtype=np.float64)[place]


def _write_dates(ax: Axes, which: str, zone: Any) -> None:
    from matplotlib import dates

    locators: Any = dates  # which has no types
    axis = ax.xaxis if which == "x" else ax.yaxis
    limits = axis.get_view_interval()
    shown = np.clip(limits, *locators.date2num(CALENDAR))
    if (shown != limits).any():
        getattr(ax, f"set_{which}lim")(shown)
    if np.ptp(shown) > CENTURY:  # hours are not seen, and the calendar's ends have no room for them
        zone = None
    axis.axis_date(zone)
    # With two ticks at least, every unit has a step long enough for five at most.
    locator = locators.AutoDateLocator(tz=zone, minticks=2, maxticks=5)
    axis.set_major_locator(locator)
    axis.set_major_formatter(locators.ConciseDateFormatter(locator, tz=zone))
