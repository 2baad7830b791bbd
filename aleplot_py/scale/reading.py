"""Passes over the data: part by part in this process, or where Dask computes them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import pandas as pd

from aleplot_py.effects.local_effects import in_threads
from aleplot_py.errors import SourceError
from aleplot_py.inputs.fitting import with_bar
from aleplot_py.inputs.frames import Table
from aleplot_py.scale.checkpoint import Checkpoint
from aleplot_py.scale.scans import Scan, Tallies, merged
from aleplot_py.scale.sources import ROWS, Schema, Source, digest_of


class Reader(Protocol):
    """Who has the data."""

    def read(self, scan: Scan, title: str) -> Tallies:
        """What a scan finds in all of the rows."""


def tally_of(scan: Scan, frame: pd.DataFrame, schema: Schema, label: str) -> Tallies:
    """What a scan finds in a batch: all that is ever done to rows, wherever they are.

    Raises
    ------
    SourceError
        If the batch has not the columns of all others.
    """
    return scan.of(Table(schema.fitted(frame, scan.columns, label)))


def together(found: Iterable[Tallies | None]) -> Tallies | None:
    """Tallies of consecutive parts; those without rows have none."""
    total: Tallies | None = None
    for tallies in found:
        if tallies is not None:
            total = tallies if total is None else merged(total, tallies)
    return total


class Local:
    """The parts one after the other.

    Parameters
    ----------
    source : Source
        The data.
    batch_rows : int or None
        Rows of a batch.
    threads : int
        Batches at the same time.
    checkpoint : Checkpoint or None
        What is known of an interrupted run, and kept of this one.
    shown : bool
        Whether progress is shown.
    """

    def __init__(
        self,
        source: Source,
        batch_rows: int | None,
        threads: int,
        checkpoint: Checkpoint | None = None,
        *,
        shown: bool = True,
    ) -> None:
        self.source, self.rows, self.threads = source, batch_rows or ROWS, threads
        self.checkpoint, self.shown = checkpoint, shown
        self.scans = 0

    def read(self, scan: Scan, title: str) -> Tallies:
        """What a scan finds in all of the rows."""
        state: dict[str, Any] = {"done": 0, "digests": (), "found": None, "finished": False}
        if self.checkpoint is not None:
            state = self.checkpoint.part(self.scans)
        self.scans += 1
        if not state["finished"]:
            parts = with_bar(self.source.parts(), self.source.size, title, shown=self.shown)
            for number, part in enumerate(parts):
                self._add(scan, number, part, state)
            state["finished"] = True
        if state["found"] is None:
            raise SourceError("X must have rows, got none in all of its parts")
        return state["found"]  # type: ignore[no-any-return]

    def _add(self, scan: Scan, number: int, part: Any, state: dict[str, Any]) -> None:
        known = number < state["done"]
        if known and self.source.identity is not None:
            return
        digest = hashlib.sha256()
        by_content = self.checkpoint is not None and self.source.identity is None

        def frames() -> Iterator[tuple[int, pd.DataFrame]]:
            start = 0
            for frame in part.read(scan.columns, self.rows):
                if by_content:
                    names = list(frame.columns) if scan.columns is None else scan.columns
                    digest.update(digest_of(frame[names]).encode())
                yield start, frame
                start += len(frame)

        if known:
            for _ in frames():
                pass
            if state["digests"][number] != digest.hexdigest():
                raise SourceError(
                    f"{part.label} is not what it was when the run was interrupted: remove the "
                    "checkpoint"
                )
            return

        def of(batch: tuple[int, pd.DataFrame]) -> Tallies:
            start, frame = batch
            try:
                return tally_of(scan, frame, self.source.schema, part.label)
            except Exception as error:
                error.add_note(f"in {part.label}, rows {start} to {start + len(frame) - 1} of it")
                raise

        found = together(in_threads(of, frames(), self.threads))
        state["found"] = together([state["found"], found])
        state["done"] = number + 1
        if self.checkpoint is not None:
            if by_content:
                state["digests"] = (*state["digests"], digest.hexdigest())
            self.checkpoint.save()
