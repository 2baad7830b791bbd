"""A file that an interrupted run goes on from."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from aleplot_py.errors import SourceError, warn_caller
from aleplot_py.results.codec import decode, encode_label
from aleplot_py.scale import scans
from aleplot_py.steps.counting import Counts
from aleplot_py.steps.moments import CellMoments
from aleplot_py.steps.sums import ExactSums

#: Changes with the meaning of what is kept.
FORMAT = "1"
#: What a file may hold: nothing is built that it only names.
RECORDS: dict[str, Callable[..., Any]] = {
    kind.__name__: kind
    for kind in (
        *(scans.Added, scans.Averaged, scans.Largest, scans.Levels, scans.Moved, scans.Numbers),
        *(scans.Wanted, Counts, CellMoments, ExactSums),
    )
}


class Checkpoint:
    """What has been found so far, written to a file after every part of the data.

    Parameters
    ----------
    path : str or Path
        The file; read if it exists, and removed in the end.
    question : dict of str to str
        What the run is about, in which a file of another run differs.

    Raises
    ------
    SourceError
        If the file is of another run, or none of these.
    """

    def __init__(self, path: str | PathLike[str], question: Mapping[str, str]) -> None:
        self.path, self.question = Path(path), {**question, "format": FORMAT}
        self.scans: list[dict[str, Any]] = []
        self._warned = False
        if self.path.exists():
            self.scans = self._read()

    def part(self, number: int) -> dict[str, Any]:
        """State of a scan: parts `done`, their `digests`, what was `found`, if `finished`."""
        while len(self.scans) <= number:
            self.scans.append({"done": 0, "digests": (), "found": None, "finished": False})
        return self.scans[number]

    def save(self) -> None:
        """Replace the file, or leave it as it was where there is no room for a new one."""
        arrays: list[np.ndarray[Any, Any]] = []
        state = _packed({"question": self.question, "scans": tuple(self.scans)}, arrays)
        text = np.frombuffer(json.dumps(state).encode(), dtype=np.uint8)
        beside = self.path.with_name(self.path.name + ".part")
        try:
            with beside.open("wb") as file:
                np.savez(file, text, *arrays)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self.path)
        except OSError as error:
            beside.unlink(missing_ok=True)
            if not self._warned:
                warn_caller(
                    f"checkpoint={str(self.path)!r} cannot be written, and the run goes on "
                    f"without: {error}"
                )
            self._warned = True

    def remove(self) -> None:
        """The run is over."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> list[dict[str, Any]]:
        try:
            with self.path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                text, *arrays = (stored[name] for name in stored.files)
            state = _unpacked(json.loads(text.tobytes()), arrays)
            question, found = state["question"], [dict(scan) for scan in state["scans"]]
        except (OSError, ValueError, TypeError, KeyError, IndexError, zipfile.BadZipFile) as error:
            raise SourceError(
                f"checkpoint={str(self.path)!r} is no file of an interrupted run: {error}"
            ) from None
        for what, here in self.question.items():
            if question.get(what) != here:
                raise SourceError(
                    f"checkpoint={str(self.path)!r} is of a run with other {what}, "
                    f"{question.get(what)}, than this one, {here}: remove it, or take another path"
                )
        return found


def _packed(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    """Plain JSON, with the arrays apart."""
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"at": len(arrays) - 1}
    if isinstance(value, tuple):
        return {"tuple": [_packed(one, arrays) for one in value]}
    if isinstance(value, Mapping):
        pairs = [[_packed(key, arrays), _packed(one, arrays)] for key, one in value.items()]
        return {"mapping": pairs}
    if is_dataclass(value) and not isinstance(value, type):
        state = {f.name: _packed(getattr(value, f.name), arrays) for f in fields(value)}
        return {"record": type(value).__name__, "fields": state}
    return encode_label(value)


def _unpacked(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    if isinstance(value, dict) and "at" in value:
        return arrays[value["at"]]
    if isinstance(value, dict) and "record" in value:
        state = {name: _unpacked(one, arrays) for name, one in value["fields"].items()}
        return RECORDS[value["record"]](**state)
    if isinstance(value, dict) and "tuple" in value:
        return tuple(_unpacked(one, arrays) for one in value["tuple"])
    if isinstance(value, dict) and "mapping" in value:
        return {_unpacked(key, arrays): _unpacked(one, arrays) for key, one in value["mapping"]}
    return decode(value, "checkpoint")
