"""Dates, durations and periods as numbers on an axis, and back as what the column holds."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aleplot_py.inputs.arrays import WHOLE, as_times, with_its_type
from aleplot_py.steps.axis import Times
from aleplot_py.steps.grid import FloatArray

Ticks = NDArray[np.int64]

#: Units that the numbers may count, the coarsest first.
NANOSECONDS = {"D": 86_400 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
#: What Python's own types tell apart.
OF_OBJECTS = {datetime.date: "D", datetime.datetime: "us", datetime.timedelta: "us"}
#: Times between whole units are rounded to this: doubles tell no less apart today.
MICROSECOND = 1_000
NOT_A_TIME = np.iinfo(np.int64).min
LATEST = np.iinfo(np.int64).max
#: Differences of whole numbers up to here do not overflow.
ROOM = 2.0**62


def times_of(column: pd.Series) -> Times | None:
    """What numbers on an axis of the column count; None where it holds no times.

    The unit is the coarsest of days, seconds, milli-, micro- and nanoseconds that all values are
    whole numbers of, the frequency of periods. They are counted from 1970 in UTC, or from a
    duration of 0; where they would exceed 2**53 then, beyond which doubles have gaps, from the
    earliest. Only nanoseconds over more than 104 days are rounded, by a few of them.
    """
    times = as_times(column)
    if times is None:
        return None
    ticks, unit = _ticks(times)
    known, per = ticks[ticks != NOT_A_TIME], 1
    if not isinstance(times.dtype, pd.PeriodDtype):
        coarser = [(name, size // NANOSECONDS[unit]) for name, size in NANOSECONDS.items()]
        unit, per = next(
            (name, size) for name, size in coarser if size and not (known % size).any()
        )
    whole = known // per
    near = not whole.size or max(-int(whole.min()), int(whole.max())) <= WHOLE
    return Times(_value(column, times, 0 if near else int(whole.min()) * per), unit)


def _ticks(times: pd.Series) -> tuple[Ticks, str]:
    """Whole numbers (n,), and their unit: the resolution of times, the frequency of periods."""
    if isinstance(times.dtype, pd.PeriodDtype):
        return pd.PeriodIndex(times).asi8, _period(0, times.dtype).freqstr
    values = (times if _zone(times) is None else times.dt.tz_convert(None)).to_numpy()
    return values.view(np.int64), np.datetime_data(values.dtype)[0]


def _period(ordinal: int, like: Any) -> pd.Period:
    return pd.Period(ordinal=ordinal, freq=like.freq)


def _zone(times: pd.Series) -> datetime.tzinfo | None:
    return times.dtype.tz if isinstance(times.dtype, pd.DatetimeTZDtype) else None


def _value(column: pd.Series, times: pd.Series, ticks: int) -> Any:
    """A value of the column's own type, so many ticks from 1970 or 0."""
    if isinstance(times.dtype, pd.PeriodDtype):
        return _period(ticks, times.dtype)
    known = column[times.notna()]
    like = type(known.iloc[0]) if column.dtype == np.object_ and len(known) else None
    if like is datetime.date:
        return datetime.date(1970, 1, 1)
    resolution: Any = _ticks(times.iloc[:0])[1]
    if times.dtype.kind == "m":
        length = pd.Timedelta(np.timedelta64(ticks, resolution))
        return length.to_pytimedelta() if like is datetime.timedelta else length
    moment = pd.Timestamp(np.datetime64(ticks, resolution))
    if _zone(times) is not None:
        moment = moment.tz_localize("UTC").tz_convert(_zone(times))
    return moment.to_pydatetime() if like is datetime.datetime else moment


def _origin(times: Times) -> tuple[int, int, int]:
    """The origin in units, the nanoseconds of a unit, and those of what the column tells apart."""
    [tick], resolution = _ticks(_series([times.origin]))
    if isinstance(times.origin, pd.Period):
        return int(tick), 1, 1
    size, own = NANOSECONDS[times.unit], OF_OBJECTS.get(type(times.origin))
    least = NANOSECONDS[own or times.origin.unit]
    return int(tick) * NANOSECONDS[resolution] // size, size, least


def _series(values: list[Any]) -> pd.Series:
    times = as_times(pd.Series(values))
    if times is None:
        raise TypeError(f"{values[0]!r} is no time")
    return times


def to_numbers(values: Any, times: Times) -> FloatArray:
    """Numbers on the axis for times, text of them, or numbers on the axis; missing ones as NaN.

    Parameters
    ----------
    values : array_like of shape (n,)
        Times in a column of any type, or what pandas can read as such. Text and times without a
        zone are in the zone of the axis.
    times : Times
        What the numbers count.

    Raises
    ------
    ValueError
        If a value is no time, or the axis has no zone and the value has: with the rule and the
        value.
    """
    given = pd.Series(with_its_type(values))
    if pd.api.types.is_numeric_dtype(given.dtype) and not pd.api.types.is_bool_dtype(given.dtype):
        return given.to_numpy(dtype=np.float64, na_value=np.nan)
    column = as_times(given)
    if column is None or not _same_kind(column, times):
        column = _read(given, times)
    zone = getattr(times.origin, "tzinfo", None)
    if not isinstance(times.origin, pd.Period) and column.dtype.kind == "M":
        if _zone(column) is None and zone is not None:
            column = column.dt.tz_localize(zone)
        elif _zone(column) is not None and zone is None:
            first = column[column.notna()].iloc[0]
            raise ValueError(f"must be times without a zone, as the column's, got {first}")
    ticks, unit = _ticks(column)
    origin, size, _ = _origin(times)
    # Periods count themselves, also where their frequency is one of these units.
    own = 1 if isinstance(times.origin, pd.Period) else NANOSECONDS[unit]
    numbers = _difference(ticks, own, origin, size)
    numbers[ticks == NOT_A_TIME] = np.nan
    return numbers


def _same_kind(column: pd.Series, times: Times) -> bool:
    """Whether a column of times is of the kind, for periods of the frequency, of the axis."""
    origin = _series([times.origin]).dtype
    if isinstance(origin, pd.PeriodDtype) or isinstance(column.dtype, pd.PeriodDtype):
        return column.dtype == origin
    return column.dtype.kind == origin.kind


def _read(given: pd.Series, times: Times) -> pd.Series:
    """Times of the kind of the axis from text and from times of other types."""
    kind: Any = _series([times.origin]).dtype
    freq: Any = getattr(kind, "freq", None)
    read: list[Any] = []
    for value in given:
        if pd.api.types.is_scalar(value) and pd.isna(value):
            read.append(pd.NaT)
            continue
        try:
            if isinstance(value, (bool, int, float, np.number)):
                raise TypeError
            if isinstance(kind, pd.PeriodDtype):
                read.append(pd.Period(value, freq=freq))
            elif kind.kind == "m":
                read.append(pd.Timedelta(value))
            else:
                read.append(pd.Timestamp(value))
        except (TypeError, ValueError):
            what = "durations" if kind.kind == "m" else "times"
            raise ValueError(f"must be {what} such as {times.origin}, got {value!r}") from None
    if isinstance(kind, pd.PeriodDtype):
        return pd.Series(pd.PeriodIndex(read, freq=freq))
    known = [value for value in read if value is not pd.NaT]
    zones = {value.tzinfo for value in known} if kind.kind == "M" else {None}
    if len(zones) > 1:
        raise ValueError(f"must be all in one zone, got {known[0]} and others")
    column = pd.Series(read, dtype=object).infer_objects()
    if known and column.dtype != np.object_:
        return column
    # None is known, or nanoseconds have no room for all.
    own: Any = f"{kind.kind}8[us]"
    column = pd.Series(np.array([value.asm8.astype(own) for value in read], dtype=own))
    return column if zones <= {None} else column.dt.tz_localize("UTC")


def _difference(ticks: Ticks, own: int, origin: int, size: int) -> FloatArray:
    """Ticks of `own` nanoseconds as numbers of units of `size` from the origin."""
    if own >= size:
        far = ticks.astype(np.float64) * (own // size) - origin
        with np.errstate(over="ignore"):
            exact = ticks * (own // size) - origin
        return np.where(np.abs(far) < ROOM, exact, far)
    whole, rest = np.divmod(ticks, size // own)
    far = whole.astype(np.float64) - origin
    with np.errstate(over="ignore"):
        exact = np.where(np.abs(far) < ROOM, whole - origin, far)
    return np.asarray(exact + rest / (size // own))


def to_times(numbers: FloatArray, times: Times) -> Any:
    """Times at numbers on an axis, (P,): an array of pandas, or of objects such as dates.

    Between whole units they are rounded to the nearest that the column's type can hold, and to
    microseconds where it holds less.
    """
    origin, size, smallest = _origin(times)
    whole = np.rint(numbers)
    if isinstance(times.origin, pd.Period):
        periods = [_period(origin + int(k), times.origin) for k in whole]
        return pd.PeriodIndex(periods, freq=times.origin.freq).array
    per = size // smallest  # of what the type tells apart
    least = max(1, min(size, MICROSECOND) // smallest)
    between = np.rint((numbers - whole) * (per / least)) * least
    if np.abs((whole + origin) * per).max(initial=0) < ROOM:
        ticks = (whole.astype(np.int64) + origin) * per + between.astype(np.int64)
    else:
        pairs = zip(whole, between, strict=True)
        counts = [(origin + int(k)) * per + int(rest) for k, rest in pairs]
        ticks = np.array([min(max(c, -LATEST), LATEST) for c in counts], dtype=np.int64)
    unit = next(name for name, count in NANOSECONDS.items() if count == smallest)
    if isinstance(times.origin, (pd.Timedelta, datetime.timedelta)):
        lengths = ticks.view(f"m8[{unit}]")
        own = type(times.origin) is datetime.timedelta
        return lengths.astype(object) if own else pd.Series(lengths).array
    moments = ticks.view(f"M8[{unit}]")
    if type(times.origin) is datetime.date:
        return moments.astype(object)
    typed = pd.Series(moments)
    if times.origin.tzinfo is not None:
        typed = typed.dt.tz_localize("UTC").dt.tz_convert(times.origin.tzinfo)
    if isinstance(times.origin, pd.Timestamp):
        return typed.array
    return np.array([moment.to_pydatetime() for moment in typed], dtype=object)


def moments_at(numbers: FloatArray, times: Times) -> NDArray[np.datetime64]:
    """Moments in UTC at numbers on an axis of dates, (P,); of a period its start."""
    typed = as_times(pd.Series(to_times(numbers, times)))
    assert typed is not None
    if isinstance(typed.dtype, pd.PeriodDtype):
        typed = typed.dt.to_timestamp()
    return (typed if _zone(typed) is None else typed.dt.tz_convert(None)).to_numpy()
