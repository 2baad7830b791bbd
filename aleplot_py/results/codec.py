"""Plain JSON for the values that results hold: no bit is lost, and nothing read is trusted."""

from __future__ import annotations

import datetime
import math
import types
import zoneinfo
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd

FORMAT = 2
#: Types of arrays in files. A type is never built from a file's own words.
DTYPES = {text: np.dtype(text) for text in ("<f8", "<i8", "|b1", "|O")}
#: Deepest nesting of values: a tree of regions takes two for each of its levels.
MAX_DEPTH = 100
#: Longest axis of an array, so that sizes beside a 0 stay countable.
LARGEST = 10**9
SHOWN = 60

#: A condition on a record: whether it holds, the field, the rule, and the value got.
Rule = tuple[bool, str, str, Any]
Rules = Callable[[Any], Iterator[Rule]]

_RECORDS: dict[str, tuple[type[Any], Rules]] = {}
_LATER: dict[str, tuple[str, ...]] = {}


def _no_rules(_record: Any) -> Iterator[Rule]:
    yield from ()


def register(cls: type[Any], rules: Rules = _no_rules, *, later: tuple[str, ...] = ()) -> None:
    """Let a dataclass be written to files and read from them.

    Parameters
    ----------
    cls : dataclass
        Its annotations are what a file is checked against first.
    rules : callable(record) -> iterator of Rule
        What must hold besides; a rule may rely on those before it.
    later : tuple of str
        Fields that older files of this format lack. They have their default where a file is
        silent, and are left out of it where they have.
    """
    _RECORDS[cls.__name__] = (cls, rules)
    _LATER[cls.__name__] = later


def _defaults(cls: type[Any]) -> dict[str, Any]:
    """Defaults, in plain JSON, of the fields that older files lack."""
    later = _LATER[cls.__name__]
    return {f.name: encode(f.default) for f in fields(cls) if f.name in later}


def record_class(name: Any) -> type[Any] | None:
    """Class of that name, None where there is none."""
    return _RECORDS[name][0] if isinstance(name, str) and name in _RECORDS else None


def encode(value: Any, depth: int = 0) -> Any:
    """Plain JSON for records, arrays, tuples, labels, times and intervals."""
    if depth > MAX_DEPTH:
        raise ValueError(f"a result nested deeper than {MAX_DEPTH} levels cannot be saved")
    if isinstance(value, np.ndarray):
        return _encode_array(value)
    if isinstance(value, tuple):
        return {"tuple": [encode(v, depth + 1) for v in value]}
    if type(value).__name__ in _RECORDS and type(value) is _RECORDS[type(value).__name__][0]:
        own = getattr(value, "_value", None) or (lambda name: getattr(value, name))
        state = {f.name: encode(own(f.name), depth + 1) for f in fields(value) if f.compare}
        name = type(value).__name__
        silent = {key for key, default in _defaults(type(value)).items() if state[key] == default}
        return {"class": name, **{key: part for key, part in state.items() if key not in silent}}
    if isinstance(value, Mapping):
        return {"mapping": [[encode(k), encode(v, depth + 1)] for k, v in value.items()]}
    if isinstance(value, pd.Index):
        labels = [encode(label, depth + 1) for label in value]
        return {"index": labels, "names": [encode(name) for name in value.names]}
    return encode_label(value)


def _encode_array(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    shape = list(array.shape)
    kind = array.dtype.kind
    if kind == "f":
        flat: list[Any] = array.astype(np.float64).ravel().tolist()
        if not np.isfinite(array).all():
            flat = [None if math.isnan(v) else encode_label(v) for v in flat]
        return {"array": flat, "dtype": "<f8", "shape": shape}
    if kind in "iu":
        return {"array": array.ravel().tolist(), "dtype": "<i8", "shape": shape}
    if kind == "b":
        return {"array": array.ravel().tolist(), "dtype": "|b1", "shape": shape}
    return {"array": [encode_label(v) for v in array.ravel()], "dtype": "|O", "shape": shape}


def encode_label(value: Any) -> Any:
    """Plain JSON for a single label or number."""
    if value is pd.NaT:
        return {"nat": True}
    if value is pd.NA:
        return {"na": True}
    if isinstance(value, pd.Timestamp):
        found = {"timestamp": value.isoformat(), "unit": value.unit}
        return found | _zone(value.tz)
    if isinstance(value, pd.Timedelta):
        return {"timedelta": value.isoformat(), "unit": value.unit}
    if isinstance(value, pd.Period):
        return {"period": [value.ordinal, value.freqstr]}
    if type(value) is datetime.timedelta:
        return {"days": [value.days, value.seconds, value.microseconds]}
    for name, kind in PLAIN_TIMES.items():
        if type(value) is kind:
            return {name: value.isoformat()} | _zone(getattr(value, "tzinfo", None))
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, pd.Interval):
        return {"interval": [encode_label(value.left), encode_label(value.right), value.closed]}
    if isinstance(value, tuple):
        return {"tuple": [encode_label(v) for v in value]}
    if isinstance(value, np.generic) and not isinstance(value, (np.datetime64, np.timedelta64)):
        return encode_label(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"a label of type {type(value).__name__} cannot be saved: {value!r}")


def _zone(tz: datetime.tzinfo | None) -> dict[str, str]:
    """Name of a time zone, where the name alone gives the zone back; the offset is kept anyway."""
    name = getattr(tz, "key", None) or getattr(tz, "zone", None)  # zoneinfo, pytz
    return {"zone": name} if isinstance(name, str) else {}


def decode(value: Any, where: str, depth: int = 0) -> Any:
    """Inverse of `encode`, for text from anywhere.

    Parameters
    ----------
    value : object
        What a JSON parser gave.
    where : str
        Name of the field, for messages.
    depth : int
        How deep it is nested.

    Raises
    ------
    ValueError
        With the field, the rule, and the value got.
    """
    if depth > MAX_DEPTH:
        raise ValueError(f"{where} must not be nested deeper than {MAX_DEPTH} levels")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if not isinstance(value, dict):
        raise _wrong(where, "a value as save writes it", value)
    if "class" in value:
        return decode_record(value, where, depth)
    if "array" in value:
        return _decode_array(value, where, depth)
    for tag in ("tuple", "mapping", "index"):
        if tag in value and not isinstance(value[tag], list):
            raise _wrong(where, f"a list of the parts of a {tag}", value[tag])
    if "tuple" in value:
        return tuple(decode(v, f"{where}[{i}]", depth + 1) for i, v in enumerate(value["tuple"]))
    if "mapping" in value:
        pairs = [decode({"tuple": pair}, where, depth + 1) for pair in value["mapping"]]
        if not all(len(pair) == 2 and isinstance(pair[0], Hashable) for pair in pairs):
            raise _wrong(where, "pairs of key and value", value["mapping"])
        return dict(pairs)
    if "index" in value:
        return _decode_index(value, where, depth)
    for tag, plain in DECODERS.items():
        if tag in value:
            try:
                return plain(value)
            except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, OSError):
                raise _wrong(where, f"a {tag}", value[tag]) from None
    raise _wrong(where, "a value as save writes it", value)


def _decode_array(value: dict[str, Any], where: str, depth: int) -> np.ndarray[Any, Any]:
    flat, dtype, shape = (value.get(key) for key in ("array", "dtype", "shape"))
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise _wrong(f"{where}.dtype", f"one of {tuple(DTYPES)}", dtype)
    if not isinstance(flat, list):
        raise _wrong(f"{where}.array", "a list", flat)
    sizes = shape if isinstance(shape, list) and len(shape) <= 3 else None
    if sizes is None or not all(type(size) is int and 0 <= size <= LARGEST for size in sizes):
        raise _wrong(f"{where}.shape", "up to three sizes", shape)
    if math.prod(sizes) != len(flat):
        raise _wrong(f"{where}.shape", f"that of {len(flat)} values", shape)
    if dtype == "|O":
        items = [decode(v, f"{where}[{i}]", depth + 1) for i, v in enumerate(flat)]
        for i, item in enumerate(items):
            if not _fits(item, Hashable):
                raise _wrong(f"{where}[{i}]", "a label", item)
    else:
        items = [_ENTRIES[dtype](v) for v in flat]
        wrong = next((v for v, item in zip(flat, items, strict=True) if item is None), _ENTRIES)
        if wrong is not _ENTRIES:
            raise _wrong(where, f"numbers of type {dtype}", wrong)
        return np.array(items, dtype=DTYPES[dtype]).reshape(sizes)
    array = np.empty(len(flat), dtype=object)
    for i, item in enumerate(items):  # numpy would take tuples for rows
        array[i] = item
    return array.reshape(sizes)


def _float(value: Any) -> float | None:
    if value is None:
        return math.nan
    if type(value) is float:
        return value
    if type(value) is int and abs(value) < 2**1000:
        return float(value)
    if value in ({"float": "inf"}, {"float": "-inf"}, {"float": "nan"}):
        return float(value["float"])
    return None


def _int(value: Any) -> int | None:
    return value if type(value) is int and -(2**63) <= value < 2**63 else None


def _bool(value: Any) -> bool | None:
    return value if type(value) is bool else None


_ENTRIES: dict[str, Callable[[Any], Any]] = {"<f8": _float, "<i8": _int, "|b1": _bool}


def _decode_index(value: dict[str, Any], where: str, depth: int) -> pd.Index:
    labels = [decode(v, f"{where}[{i}]", depth + 1) for i, v in enumerate(value["index"])]
    names = value.get("names")
    if not isinstance(names, list) or not names:
        raise _wrong(f"{where}.names", "a list of names", names)
    names = [decode(name, f"{where}.names", depth + 1) for name in names]
    if len(names) == 1:
        index: pd.Index = pd.Index(labels, name=names[0], tupleize_cols=False)
        return index
    if not all(isinstance(label, tuple) and len(label) == len(names) for label in labels):
        raise _wrong(where, f"tuples of {len(names)} labels", value["index"])
    return pd.MultiIndex.from_tuples(labels, names=names)


def decode_record(state: dict[str, Any], where: str, depth: int = 0) -> Any:
    """A registered dataclass from its fields, all of them checked; see `decode`."""
    cls = record_class(state["class"])
    if cls is None:
        raise _wrong(f"{where}.class", "the name of a result", state["class"])
    names = [f.name for f in fields(cls) if f.compare]
    state = _defaults(cls) | state
    lacking = [name for name in names if name not in state]
    unknown = [name for name in state if name not in (*names, "class", "format")]
    if lacking or unknown:
        what = f"lacks the field {lacking[0]!r}" if lacking else f"has no field {unknown[0]!r}"
        raise ValueError(f"{where}: {cls.__name__} {what}")
    return build(
        cls, {name: decode(state[name], _below(where, name), depth + 1) for name in names}, where
    )


def build(cls: type[Any], values: dict[str, Any], where: str) -> Any:
    """A registered dataclass from values of its fields, refused where they do not fit.

    Raises
    ------
    ValueError
        With the field, the rule, and the value got.
    """
    for name, hint in field_types(cls).items():
        if not _fits(values[name], hint):
            raise _wrong(_below(where, name), _described(hint), values[name])
    try:
        made = cls(**values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from None
    try:
        broken = next((rule for rule in _RECORDS[cls.__name__][1](made) if not rule[0]), None)
    except (TypeError, ValueError, IndexError) as error:  # values that a rule cannot be asked of
        raise ValueError(f"{where}: {error}") from None
    if broken is not None:
        _, name, rule, got = broken
        raise _wrong(_below(where, name), rule, got)
    return made


def _below(where: str, name: str) -> str:
    return f"{where}.{name}"


def _wrong(where: str, rule: str, value: Any) -> ValueError:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    text = repr(value.item() if isinstance(value, np.generic) else value)
    if len(text) > SHOWN:
        text = text[:SHOWN] + "..."
    return ValueError(f"{where} must be {rule}, got {text}")


def field_types(cls: type[Any]) -> dict[str, Any]:
    """Types of a dataclass's fields, those that say how it was made left out."""
    hints = get_type_hints(cls)
    known = [f for f in fields(cls) if get_origin(f.type) is not ClassVar]
    return {f.name: hints[f.name] for f in known if f.compare}


def _spelt_out(hint: Any) -> Any:
    """What a type variable is bound to, or a named alias (NDArray in Python 3.12) stands for."""
    if isinstance(hint, TypeVar):
        return hint.__bound__
    meaning = getattr(get_origin(hint), "__value__", None)
    return hint if meaning is None else meaning[get_args(hint)]


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value has the type that an annotation says."""
    hint = _spelt_out(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if hint is Hashable:
        try:
            hash(value)
        except TypeError:
            return False
        return not isinstance(value, np.ndarray)
    if hint is None or hint is type(None):
        return value is None
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in arguments)
    if origin is Literal:
        return any(value == one and type(value) is type(one) for one in arguments)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(arguments) == 2 and arguments[1] is ...:
            return all(_fits(v, arguments[0]) for v in value)
        pairs = zip(value, arguments, strict=False)
        return len(value) == len(arguments) and all(_fits(v, one) for v, one in pairs)
    if origin is np.ndarray:
        if not isinstance(value, np.ndarray):
            return False
        scalar = (get_args(arguments[1]) or (Any,))[0]
        return scalar is Any or value.dtype == np.dtype(scalar)
    if isinstance(origin, type) and is_dataclass(origin):  # a collection
        return isinstance(value, origin)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _fits(k, arguments[0]) and _fits(v, arguments[1]) for k, v in value.items()
        )
    if origin is not None:  # a callable, which no file holds
        return False
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)


def _described(hint: Any) -> str:
    """Words for an annotation."""
    hint = _spelt_out(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is np.ndarray:
        scalar = (get_args(arguments[1]) or (Any,))[0]
        return "an array" if scalar is Any else f"an array of {np.dtype(scalar)}"
    if origin is Literal:
        return f"one of {arguments}"
    if origin in (Union, types.UnionType):
        known = [one for one in arguments if get_origin(one) is not Callable]
        return " or ".join(_described(one) for one in known)
    if origin is tuple:
        return f"a tuple of ({', '.join(_described(a) for a in arguments if a is not ...)})"
    if is_dataclass(origin):
        hint = origin
    elif origin is not None:
        return str(hint)
    return "None" if hint is type(None) else str(getattr(hint, "__name__", hint))


def _timestamp(value: dict[str, Any]) -> Any:
    found = pd.Timestamp(_text(value["timestamp"]))
    if "zone" in value:
        found = found.tz_convert(zoneinfo.ZoneInfo(_text(value["zone"])))
    return found.as_unit(value["unit"]) if "unit" in value else found


def _timedelta(value: dict[str, Any]) -> Any:
    found = pd.Timedelta(_text(value["timedelta"]))
    return found.as_unit(value["unit"]) if "unit" in value else found


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text expected")
    return value


def _integers(values: Any) -> list[int]:
    if not isinstance(values, list) or not all(type(value) is int for value in values):
        raise TypeError("integers expected")
    return values


def _plain_time(name: str, kind: Any) -> Callable[[dict[str, Any]], Any]:
    def decoded(value: dict[str, Any]) -> Any:
        found = kind.fromisoformat(_text(value[name]))
        if "zone" not in value:
            return found
        zone = zoneinfo.ZoneInfo(_text(value["zone"]))
        return found.astimezone(zone) if kind is datetime.datetime else found.replace(tzinfo=zone)

    return decoded


def _interval(value: dict[str, Any]) -> Any:
    left, right, closed = value["interval"]
    return pd.Interval(decode(left, "left"), decode(right, "right"), closed)


PLAIN_TIMES: dict[str, Any] = {
    "datetime": datetime.datetime,
    "date": datetime.date,
    "time": datetime.time,
}


DECODERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "nat": lambda _: pd.NaT,
    "na": lambda _: pd.NA,
    "timestamp": _timestamp,
    "timedelta": _timedelta,
    "period": lambda value: pd.Period(
        ordinal=int(value["period"][0]), freq=_text(value["period"][1])
    ),
    "days": lambda value: datetime.timedelta(*_integers(value["days"])),
    **{name: _plain_time(name, kind) for name, kind in PLAIN_TIMES.items()},
    "decimal": lambda value: Decimal(_text(value["decimal"])),
    "bytes": lambda value: bytes.fromhex(_text(value["bytes"])),
    "interval": _interval,
    "float": lambda value: float(_text(value["float"])),
}
