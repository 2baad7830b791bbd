"""What all results share: frozen arrays, equality to the bit, files, and how they are shown."""

from __future__ import annotations

import base64
import html
import io
import json
import math
import operator
import types
import warnings
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from aleplot_py.errors import SourceError
from aleplot_py.inputs.arrays import read_only
from aleplot_py.results.codec import FORMAT, Rule, encode, register

Array = np.ndarray[Any, Any]

#: Types of values that nobody can write to.
FIXED = frozenset({type(None), str, float, int, bool})

SHOWN_ROWS = 12
SHOWN_FIELDS = 6


class Result:
    """Base of all results, which are frozen dataclasses.

    The arrays that a result hands out cannot be written to, and share no memory with the caller's.
    Two results are equal if all their values are, bit for bit; NaN is equal to NaN. A field that is
    not compared (``field(compare=False)``) tells how a result was made: files leave it out.
    """

    #: Axes of the small picture in a notebook; none: a table.
    _panels: ClassVar[int] = 0

    #: Fields that older files lack; see `codec.register`.
    _later: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, *, stored: bool = True) -> None:
        super().__init_subclass__()
        if stored:
            register(cls, cls._rules, later=cls._later)

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for name in _fields(kind):
            value = getattr(self, name)
            if type(value) not in FIXED and (kept := frozen(value)) is not value:
                object.__setattr__(self, name, kept)

    def _rules(self) -> Iterator[Rule]:
        """What must hold of the values in a file; see `codec.register`."""
        yield from ()

    def _value(self, name: str) -> Any:
        """Value of a field as it is saved and compared."""
        return getattr(self, name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return same(self, other)

    def __hash__(self) -> int:
        return hash((type(self).__name__, *(_trace(getattr(self, name)) for name in _names(self))))

    def __getstate__(self) -> dict[str, Any]:
        state = {f.name: self._value(f.name) for f in fields(self)}  # type: ignore[arg-type]
        thawed = {k: dict(v) for k, v in state.items() if isinstance(v, types.MappingProxyType)}
        return state | thawed

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    def __repr__(self) -> str:
        shown = [(name, _brief(getattr(self, name))) for name in _names(self)]
        parts = [f"{name}={text}" for name, text in shown if text and not name.startswith("_")]
        more = ", ..." if len(parts) > SHOWN_FIELDS else ""
        return f"{type(self).__name__}({', '.join(parts[:SHOWN_FIELDS])}{more})"

    def to_frame(self) -> pd.DataFrame:
        """The result as a table, fresh and writable."""
        raise NotImplementedError

    def summary(self) -> str:
        """The result in a line, and its table, shortened."""
        return f"{self!r}\n{self.to_frame().to_string(max_rows=SHOWN_ROWS)}"

    def _repr_html_(self) -> str:
        title = f"<div><code>{html.escape(repr(self))}</code></div>"
        return title + (self._picture() or self._html_table())

    def _html_table(self) -> str:
        return str(self.to_frame().to_html(max_rows=SHOWN_ROWS, border=0, escape=True))

    def _picture(self) -> str | None:
        """A small picture as an image element; None without matplotlib or the rows in it."""
        if self._panels == 0 or find_spec("matplotlib") is None:
            return None
        from matplotlib import rc_context

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a glyph that a font lacks is no news here
            try:
                data = self._png()
            except SourceError:  # X was overwritten: the table needs no rows
                return None
            except ValueError:  # a name that is broken as a formula, such as "$x_{"
                with rc_context({"text.parse_math": False}):
                    data = self._png()
        text = base64.b64encode(data).decode("ascii")
        return f'<img alt="{html.escape(repr(self))}" src="data:image/png;base64,{text}">'

    def _png(self) -> bytes:
        """The small picture, drawn without pyplot, which would keep it."""
        from matplotlib.figure import Figure

        columns = min(self._panels, 3)
        rows = -(-self._panels // columns)
        figure = Figure(figsize=(3.6 * columns, 2.7 * rows), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for spare in axes[self._panels :]:
            spare.set_axis_off()
        self._draw_on(list(axes[: self._panels]))
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=80)
        return file.getvalue()

    def _draw_on(self, axes: list[Any]) -> None:
        """Draw the small picture on as many axes as `_panels` says."""
        self.plot(ax=axes[0])  # type: ignore[attr-defined]

    def save(self, path: str | Path) -> None:
        """Write the result to a JSON file from which `aleplot_py.load` restores it exactly.

        Parameters
        ----------
        path : str or Path
            File to write.

        Raises
        ------
        TypeError
            If a label is of a type that the file has no words for.
        """
        state = encode(self)
        state = {"class": state.pop("class"), "format": FORMAT, **state}
        Path(path).write_text(json.dumps(state, allow_nan=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a result written by `save`.

        Parameters
        ----------
        path : str or Path
            File to read.

        Returns
        -------
        Result
            A result of the class that was saved, equal to it bit for bit.

        Raises
        ------
        ValueError
            If the file does not hold a result of this class; with the field, the rule, and the
            value got where a value in it is wrong.
        """
        from aleplot_py.results.load import load

        result = load(path)
        if not isinstance(result, cls):
            raise ValueError(f"{path} holds a {type(result).__name__}, not a {cls.__name__}")
        return result


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    """Names of the fields of a dataclass."""
    return tuple(f.name for f in fields(kind))


@cache
def _compared(kind: Any) -> tuple[str, ...]:
    """Names of those that are compared."""
    return tuple(f.name for f in fields(kind) if f.compare)


def _names(record: Any) -> tuple[str, ...]:
    kind: Any = type(record)
    return _compared(kind)


def frozen(value: Any) -> Any:
    """A value whose arrays nobody can write to, copied where need be."""
    if type(value) in FIXED:
        return value
    if isinstance(value, np.ndarray):
        return read_only(value)
    if isinstance(value, tuple):
        parts = tuple(frozen(v) for v in value)
        return value if all(map(operator.is_, value, parts)) else parts
    if isinstance(value, dict):
        return types.MappingProxyType({k: frozen(v) for k, v in value.items()})
    if is_dataclass(value) and not isinstance(value, (type, Result)):
        given = [_stored(value, name) for name in _names(value)]
        kept = [part if type(part) in FIXED else frozen(part) for part in given]
        if all(map(operator.is_, given, kept)):
            return value
        return replace(value, **dict(zip(_names(value), kept, strict=True)))
    return value


def _stored(record: Any, name: str) -> Any:
    """A field as the record keeps it: whole numbers in their small type, not as they are seen."""
    try:
        return record.__dict__[name]
    except (AttributeError, KeyError):
        return getattr(record, name)


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal in type and to the bit; never raises."""
    if one is other:
        return True
    if isinstance(one, pd.Index) and isinstance(other, pd.Index):  # a range is its numbers
        return same(tuple(one.names), tuple(other.names)) and same(tuple(one), tuple(other))
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return _same_arrays(one, other)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, (dict, types.MappingProxyType)):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if is_dataclass(one):
        return all(_same_field(one, other, name) for name in _names(one))
    if isinstance(one, float):
        equal = one == other and math.copysign(1, one) == math.copysign(1, other)
        return equal or (math.isnan(one) and math.isnan(other))
    try:
        zones = [str(getattr(value, "tzinfo", None)) for value in (one, other)]
        return bool(one == other) and zones[0] == zones[1]
    except (TypeError, ValueError):
        return False


def _same_field(one: Any, other: Any, name: str) -> bool:
    if _stored(one, name) is _stored(other, name):
        return True
    try:
        parts = [
            r._value(name) if isinstance(r, Result) else getattr(r, name) for r in (one, other)
        ]
        return same(*parts)
    except Exception:  # a black box asked for the mean prediction fails, or X was overwritten
        return False


def _same_arrays(one: Array, other: Array) -> bool:
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.hasobject:
        return all(map(same, one.flat, other.flat))
    if one.dtype.kind == "f":
        equal = (one == other) & (np.signbit(one) == np.signbit(other))
        return bool((equal | (np.isnan(one) & np.isnan(other))).all())
    return bool((one == other).all())


def _trace(value: Any) -> Hashable:
    """Something that equal values have in common and that is quickly told."""
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape)
    if isinstance(value, tuple):
        return tuple(_trace(v) for v in value)
    return value if isinstance(value, (str, bool, int)) else None


def _brief(value: Any) -> str:
    """A few words for a value; none for what would not fit into a line."""
    if isinstance(value, np.ndarray):
        return " x ".join(map(str, value.shape)) or "1"
    if isinstance(value, float):
        return f"{value:.4g}"
    if value is None or isinstance(value, (str, bool, int)):
        return repr(value)
    if isinstance(value, tuple):
        if len(value) <= 3 and all(isinstance(v, (str, int)) for v in value):
            return repr(value)
        return f"<{len(value)}>"
    if isinstance(value, (Result, Mapping, pd.Index)) or is_dataclass(value):
        return ""
    return repr(value)
