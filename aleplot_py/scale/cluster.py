"""Passes over a DataFrame of Dask: the partitions stay where they are, and tallies come back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import pandas as pd

from aleplot_py.errors import SourceError
from aleplot_py.inputs.extras import needed
from aleplot_py.scale.reading import tally_of, together
from aleplot_py.scale.scans import Scan, Tallies
from aleplot_py.scale.sources import ROWS, Columns, Schema

#: Tallies that are merged at a time, so that no machine holds those of all partitions.
AT_ONCE = 8

HERE = "in partition"


class Cluster:
    """The partitions where Dask computes them: its scheduler, its retries, its dashboard.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        The data.
    schema : Schema
        Names and types of the columns.
    batch_rows : int or None
        Rows of a batch.
    """

    def __init__(self, frame: Any, schema: Schema, batch_rows: int | None) -> None:
        self.frame, self.schema, self.rows = frame, schema, batch_rows or ROWS

    def read(self, scan: Scan, title: str) -> Tallies:
        """What a scan finds in all of the rows."""
        delayed = needed("dask", "a DataFrame of Dask", "scale").delayed
        columns = scan.columns
        frame = self.frame if columns is None else self.frame[columns]
        # One object for all partitions: a large model is sent once to each machine.
        shared = delayed(scan, pure=False, traverse=False)
        tally, merge = (delayed(f, pure=False) for f in (tally_of_partition, together))
        token = uuid4().hex
        found: Sequence[Any] = [
            tally(shared, part, self.schema, number, self.rows, dask_key_name=(name, number))
            for name in [f"{title.replace(' ', '-')}-{token}"]
            for number, part in enumerate(frame.to_delayed())
        ]
        while len(found) > 1:
            starts = range(0, len(found), AT_ONCE)
            found = [merge(found[start : start + AT_ONCE]) for start in starts]
        try:
            total = found[0].compute()
        except Exception as error:
            if not any(note.startswith(HERE) for note in getattr(error, "__notes__", [])):
                self._name_partition(columns)
            raise
        if total is None:
            raise SourceError("X must have rows, got none in all of its partitions")
        return total  # type: ignore[no-any-return]

    def _name_partition(self, columns: Columns) -> None:
        """Tell which partition cannot be computed, or has not the columns of the others."""
        look = needed("dask", "a DataFrame of Dask", "scale").delayed(_look, pure=False)
        for number, part in enumerate(self.frame.to_delayed()):
            label = f"partition {number}"
            try:
                empty = look(part).compute()
            except Exception as error:
                raise SourceError(f"{label} of X cannot be computed: {error}") from error
            self.schema.fitted(empty, columns, label)


def tally_of_partition(
    scan: Scan, frame: pd.DataFrame, schema: Schema, number: int, rows: int = ROWS
) -> Tallies | None:
    """What a scan finds in a partition; None in one without rows.

    It needs nothing of Dask: whatever can call a function on a part of the data can do the work,
    and merge what it returns with `together` in the order of the parts.
    """

    def of(start: int) -> Tallies:
        batch = frame.iloc[start : start + rows]
        try:
            return tally_of(scan, batch, schema, f"partition {number}")
        except Exception as error:
            error.add_note(f"{HERE} {number}, rows {start} to {start + len(batch) - 1} of it")
            raise

    return together(map(of, range(0, len(frame), rows)))


def _look(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.iloc[:0]
