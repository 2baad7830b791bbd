"""Plain JSON for the values that results hold, without losing a bit."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import fields
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.results.local_effects import LocalEffects

FORMAT = 1


def encode(value: Any) -> Any:
    """Plain JSON for arrays, tuples, labels, times and intervals; floats keep every bit."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            flat = [None if np.isnan(v) else encode(v) for v in value.ravel().tolist()]
        else:
            flat = [encode(v) for v in value.ravel().tolist()]
        return {"array": flat, "dtype": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, tuple):
        return {"tuple": [encode(v) for v in value]}
    if isinstance(value, LocalEffects):
        kept = {f.name: encode(getattr(value, f.name)) for f in fields(value)}
        return {"local_effects": kept}
    if value is pd.NaT:
        return {"nat": True}
    if isinstance(value, pd.Timestamp):
        return {"timestamp": value.isoformat()}
    if isinstance(value, pd.Timedelta):
        return {"timedelta": value.isoformat()}
    if isinstance(value, pd.Period):
        return {"period": [value.ordinal, value.freqstr]}
    for name, kind in PLAIN_TIMES.items():
        if type(value) is kind:
            return {name: value.isoformat()}
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, pd.Interval):
        return {"interval": [encode(value.left), encode(value.right), value.closed]}
    if isinstance(value, np.generic):
        return encode(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return {"float": str(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"a label of type {type(value).__name__} cannot be saved: {value!r}")


def decode(value: Any) -> Any:
    """Inverse of `encode`."""
    if not isinstance(value, dict):
        return value
    if "tuple" in value:
        return tuple(decode(v) for v in value["tuple"])
    if "local_effects" in value:
        return LocalEffects(**{k: decode(v) for k, v in value["local_effects"].items()})
    if "timestamp" in value:
        return pd.Timestamp(value["timestamp"])
    if "interval" in value:
        left, right, closed = value["interval"]
        return pd.Interval(decode(left), decode(right), closed)
    for name, plain in PLAIN_DECODERS.items():
        if name in value:
            return plain(value[name])
    dtype = np.dtype(value["dtype"])
    flat = np.empty(len(value["array"]), dtype=dtype)
    flat[:] = [decode(v) for v in value["array"]]
    return flat.reshape(value["shape"])


PLAIN_TIMES: dict[str, Any] = {
    "datetime": datetime.datetime,
    "date": datetime.date,
    "time": datetime.time,
}


PLAIN_DECODERS: dict[str, Callable[[Any], Any]] = {
    **{name: kind.fromisoformat for name, kind in PLAIN_TIMES.items()},
    "nat": lambda _: pd.NaT,
    "timedelta": pd.Timedelta,
    "period": lambda value: pd.Period(ordinal=value[0], freq=value[1]),
    "decimal": Decimal,
    "bytes": bytes.fromhex,
    "float": float,
}
