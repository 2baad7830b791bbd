"""Universal Binary JSON, in which XGBoost writes models quickly: arrays stay arrays."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

#: Numbers by their markers; all are big-endian.
_NUMBERS = {
    ord(marker): struct.Struct(f">{kind}")
    for marker, kind in zip("iUIlLdD", "bBhiqfd", strict=True)
}
_TYPES = {marker: np.dtype(number.format) for marker, number in _NUMBERS.items()}
_CONSTANTS = {ord("T"): True, ord("F"): False, ord("Z"): None}
_TEXT, _OBJECT, _END, _LIST, _LIST_END, _TYPED, _COUNTED = b"S{}[]$#"


def decoded(text: bytes) -> Any:
    """What is written, with an array for every list of numbers of one type.

    Parameters
    ----------
    text : bytes
        A document (https://ubjson.org).

    Raises
    ------
    KeyError
        If a marker is unknown.
    """
    return _value(text, 0)[0]


def _value(text: bytes, at: int) -> tuple[Any, int]:
    """The value at a position, and the position behind it."""
    marker, at = text[at], at + 1
    number = _NUMBERS.get(marker)
    if number is not None:
        return number.unpack_from(text, at)[0], at + number.size
    if marker == _TEXT:
        return _text(text, at)
    if marker == _OBJECT:
        members = {}
        while text[at] != _END:
            name, at = _text(text, at)
            members[name], at = _value(text, at)
        return members, at + 1
    if marker == _LIST:
        return _list(text, at)
    return _CONSTANTS[marker], at


def _text(text: bytes, at: int) -> tuple[str, int]:
    size, at = _value(text, at)
    return text[at : at + size].decode(), at + size


def _list(text: bytes, at: int) -> tuple[Any, int]:
    if text[at] == _TYPED:
        kind = _TYPES[text[at + 1]]
        count, at = _value(text, at + 3)  # behind the type and the #
        return np.frombuffer(text, kind, count, at), at + count * kind.itemsize
    items = []
    if text[at] == _COUNTED:
        count, at = _value(text, at + 1)
        for _ in range(count):
            item, at = _value(text, at)
            items.append(item)
        return items, at
    while text[at] != _LIST_END:
        item, at = _value(text, at)
        items.append(item)
    return items, at + 1
