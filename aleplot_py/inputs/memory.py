"""Memory for the copies of rows that black boxes get, used again while nobody holds it.

A black box may keep its rows, or a view of them, and change them whenever it likes. Whoever keeps
them holds a reference to their memory, which CPython counts: such memory is left to its keeper and
never used again. What a black box writes is gone with the next copy.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
Array = np.ndarray[Any, Any]

#: Columns from which on copying all of them to change one would outweigh a cheap black box.
WIDE = 64
#: Bytes that are copied at a time.
AT_ONCE = 2**19
#: Types whose values are compared bit by bit, NaN too, as integers of the same size.
BITS = {f"{kind}{size}": f"u{size}" for kind in "biuf" for size in (1, 2, 4, 8)}


#: Numbers of the calls after which a trusted black box is looked at.
_LOOKS = {64**power for power in range(10)}


class AlteredError(Exception):
    """A black box wrote to rows that it was trusted to read only."""


@dataclass
class _Copy:
    """Memory, and what lies in it.

    Parameters
    ----------
    memory : ndarray of bytes
        What copies are views of.
    of : ndarray of shape (n, d) or (m, n, d), optional
        The values that were copied, where the copy may be taken up again.
    seen : ndarray of the same shape, optional
        The memory as an array like `of`.
    replaced : sequence of int
        Columns that the last call had replaced.
    calls, read : int
        Number of calls since, and how many of the first of them are known to have only read.
    """

    memory: Array
    of: Array | None = None
    seen: Array | None = None
    replaced: Sequence[int] = ()
    calls: int = 0
    read: int = 0

    @property
    def held(self) -> bool:
        """Whether somebody else has a reference to the memory."""
        return sys.getrefcount(self.memory) > _ALONE + (self.seen is not None)

    def array(self, dtype: Any, like: Array) -> Array:
        """The memory as an array in the shape of another, with its order of axes in memory."""
        flat = self.memory[: like.size * dtype.itemsize].view(dtype)
        if like.ndim == 2 and len(like) > 1 and not like.flags.c_contiguous:
            strides = np.empty_like(like[:2]).strides
            if strides[0] < strides[1]:
                return np.asarray(flat.reshape(like.shape[::-1]).T)
        return np.asarray(flat.reshape(like.shape))


@dataclass
class Memory:
    """Copies of rows, one after another in the same memory for as long as some work lasts."""

    _lasting: bool = False
    _trusting: bool = False
    _calls: int = 0
    _free: list[_Copy] = field(default_factory=list)

    def copy(
        self,
        values: Array,
        dtype: Any,
        replaced: Mapping[int, Array] | None = None,
        read: Mapping[int, Array] | None = None,
    ) -> Array:
        """Copy of an array (n, d) as ``values.astype(dtype)`` makes it, of (m, n, d) in C order.

        The columns `replaced` have other values, (n,), or those of (m, n) or (m, 1). Columns of the
        array that were `read` before, (n,), need not be gathered from it again.
        """
        replaced, read = replaced or {}, read or {}
        dtype = np.dtype(dtype)
        plain = type(values) is np.ndarray and not dtype.hasobject
        if not (self._lasting and plain and COUNTS_REFERENCES):
            array = values.astype(dtype, order="K" if values.ndim == 2 else "C")
            _write(array, replaced)
            return array
        # Threads take a copy each, or find none: pop and append are single steps.
        copy = self._free.pop() if self._free else _Copy(np.empty(0, dtype=np.uint8))
        same = dtype == values.dtype and _is_same(copy.of, values)
        covered = [column for column in replaced if column not in copy.replaced]
        held = copy.held
        self._check(copy, covered, read, due=not same or held)
        if held or copy.memory.size < values.size * dtype.itemsize:
            copy = _Copy(np.empty(values.size * dtype.itemsize, dtype=np.uint8))
        if same and copy.seen is not None:
            array = copy.seen.view()
            for column in set(copy.replaced) - set(replaced):
                known = read.get(column)
                array[..., column] = values[..., column] if known is None else known
            _write(array, replaced)
        else:
            array = copy.array(dtype, values)
            # Some rows at a time, which the cache still has when their columns are replaced.
            size = max(1, AT_ONCE // max(array[:1].nbytes, 1))
            for start in range(0, len(array), size):
                rows = slice(start, start + size)
                array[rows] = values[rows]
                _write(array[rows], {column: new[rows] for column, new in replaced.items()})
            many = (values.ndim == 3 or values.shape[1] > WIDE) and dtype.str[1:] in BITS
            again = many and dtype == values.dtype and self._trusting
            copy.of, copy.seen = (values, array.view()) if again else (None, None)
            copy.calls = copy.read = 0
        copy.replaced = tuple(replaced)
        copy.calls += 1
        self._calls += 1
        self._free.append(copy)
        return array

    def during(self, work: Callable[[], T], *, trusting: bool = False) -> T:
        """Result of work that copies the same rows again and again.

        Where it replaces one of many columns after another, or a column of repeated rows by other
        values, the other columns need not be copied each time. The black box is then trusted to
        read them only, and checked after calls number 1, 64, 4096, ... and the last, each column
        also before it is replaced. One that is found to write is not trusted any more, and where
        what it wrote may have reached another call, the work is done again. Not for several
        threads.
        """
        self._lasting, self._trusting, self._calls = True, trusting, 0
        try:
            result = work()
            for copy in self._free:
                self._check(copy, due=True)
        except AlteredError:
            self._trusting = False
            result = work()
        finally:
            self._lasting = self._trusting = False
            self._free.clear()
        return result

    def _check(
        self,
        copy: _Copy,
        covered: Sequence[int] = (),
        read: Mapping[int, Array] | None = None,
        *,
        due: bool,
    ) -> None:
        """Look whether the columns that were not replaced are still what they were.

        Between the calls after which all are looked at, those that are about to be `covered` are:
        what was written to them would not be seen any more.
        """
        due = due or self._calls in _LOOKS
        if copy.of is None or copy.seen is None or not (due or covered):
            return
        bits = BITS[copy.of.dtype.str[1:]]
        found, expected = copy.seen.view(bits), copy.of.view(bits)
        if due:
            equal = found == expected
            for column in copy.replaced:
                equal[..., column] = True
            if equal.all():
                copy.read = copy.calls
                return
        else:
            known = {c: read[c].view(bits) for c in covered if read and c in read}
            if all((found[..., c] == known.get(c, expected[..., c])).all() for c in covered):
                return
        self._trusting, copy.of, copy.seen = False, None, None
        if copy.calls - copy.read > 1:
            raise AlteredError


def _write(array: Array, columns: Mapping[int, Array]) -> None:
    for position, values in columns.items():
        array[..., position] = values


def _is_same(one: Array | None, other: Array) -> bool:
    """Whether two arrays are views of the same numbers, both being held."""
    return one is other or (
        one is not None and one.__array_interface__ == other.__array_interface__
    )


def _references() -> int:
    copy = _Copy(np.empty(0, dtype=np.uint8))
    return sys.getrefcount(copy.memory)


#: Other Pythons than CPython count no references.
COUNTS_REFERENCES = hasattr(sys, "getrefcount")
#: References to memory that only its copy holds, as this Python counts them.
_ALONE = _references() if COUNTS_REFERENCES else 0
