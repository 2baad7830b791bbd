"""What an effect of very many rows costs: measured constants, and what they add up to.

``python -m validation.scale`` measures, on this machine and one core, how long a row takes to be
read, to be counted for the quantiles, and to be moved over its interval by a linear black box; how
many bytes a partition sends; and how long two tallies take to merge. It then adds up, for a billion
and a hundred billion rows on some numbers of cores. Assumptions, none of which is measured:

- all cores are as fast as this one, and read from where they are, at this machine's speed;
- rows and columns are alike (doubles without ties, one main effect with K intervals), so that the
  third scan is needed where the buckets of the second would hold more than `counting.KEPT` values;
- a round of the scheduler takes `ROUND` seconds, a task `TASK` seconds of the one process that
  schedules, tallies are merged eight at a time, and machines send `BYTES_A_SECOND`.
"""

from __future__ import annotations

import argparse
import math
import pickle
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py import ale
from aleplot_py.inputs.black_box import as_black_box
from aleplot_py.scale.cluster import AT_ONCE, tally_of_partition
from aleplot_py.scale.scans import Counting, Layout, LocalEffects, Scan, Searching, Wanted, merged
from aleplot_py.scale.sources import ROWS, Schema, open_source
from aleplot_py.steps import counting
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.counting import Search
from aleplot_py.steps.grid import grid_positions

COLUMNS, K = 4, 40
PARTITION = 4 * ROWS
#: Share of normal numbers in the buckets of 40 quantiles, 256 buckets for each power of two.
IN_BUCKETS = 0.06
ROUND, TASK, BYTES_A_SECOND = 1.0, 1e-3, 1e8


def linear(frame: pd.DataFrame) -> Any:
    """The black box: two products and a sum."""
    return 2 * frame["x0"] + frame["x1"]


@dataclass(frozen=True)
class Constants:
    """Measured on one core.

    Parameters
    ----------
    read : float
        Seconds for a value of a column to be read from Parquet.
    scans : dict of str to (float, int, float)
        For each scan: seconds a row, bytes of a partition's tallies, seconds to merge two of them.
    """

    read: float
    scans: dict[str, tuple[float, int, float]]


def _seconds(function: Callable[[], Any], repeats: int = 3) -> float:
    """Median of the CPU seconds of some calls."""
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        taken.append(time.process_time() - start)
    return float(np.median(taken))


def measure(rows: int = PARTITION) -> Constants:
    """Take the constants from one partition of so many rows, and another to merge with it."""
    rng = np.random.default_rng(0)
    one, other = (
        pd.DataFrame(rng.normal(size=(rows, COLUMNS)), columns=[f"x{i}" for i in range(COLUMNS)])
        for _ in range(2)
    )
    schema = Schema(one.iloc[:0])
    wanted = Wanted("x0", "numbers")
    first: Scan = Counting((wanted,))
    effect = ale(linear, one, "x0", K=K)
    points = effect.x_values[0]
    positions = np.unique(grid_positions(rows, K))
    search = Search.within(_leading(first, one, schema), positions)
    axis = Axis("x0", "numeric", points, points, np.empty(0, np.intp), np.empty(0), "aleplot")
    scans: dict[str, Scan] = {
        "counting": first,
        "quantiles": Searching({(wanted, tuple(positions.tolist())): search}),
        "local effects": LocalEffects(as_black_box(linear), {0: Layout((axis,), (), "clip")}),
    }
    found = {}
    for name, scan in scans.items():

        def tally(part: pd.DataFrame = one, scan: Scan = scan) -> Any:
            return tally_of_partition(scan, part, schema, 0)

        a, b = tally(), tally(other)
        merge = _seconds(partial(merged, a, b), 9)
        found[name] = (_seconds(tally) / rows, len(pickle.dumps(a)), merge)
    return Constants(_reading(one), found)


def _leading(scan: Scan, part: pd.DataFrame, schema: Schema) -> counting.Counts:
    found: Any = tally_of_partition(scan, part, schema, 0)
    [counted] = found.values()
    leading: counting.Counts = counted.leading
    return leading


def _reading(part: pd.DataFrame) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part.parquet"
        part.to_parquet(path)

        def read() -> None:
            for piece in open_source(path).parts():
                for _ in piece.read(None, ROWS):
                    pass

        return _seconds(read) / part.size


@dataclass(frozen=True)
class Cost:
    """What one main effect costs.

    Parameters
    ----------
    passes : int
        How often the data are read, one column but for the last time.
    seconds : float
        Until it is there.
    sent : float
        Bytes that partitions send.
    """

    passes: int
    seconds: float
    sent: float


def cost(constants: Constants, rows: float, cores: int) -> Cost:
    """What the constants add up to."""
    third = rows * IN_BUCKETS > counting.KEPT
    scans = ["counting", *["quantiles"] * (1 + third), "local effects"]
    partitions = math.ceil(rows / PARTITION)
    seconds, sent = 0.0, 0.0
    for name in scans:
        a_row, size, merge = constants.scans[name]
        columns = COLUMNS if name == "local effects" else 1
        work = math.ceil(partitions / cores) * PARTITION * (a_row + columns * constants.read)
        merges = partitions * (1 + 1 / (AT_ONCE - 1))
        merging = merges * (merge + size / BYTES_A_SECOND) / cores
        depth = math.log(max(partitions, 2), AT_ONCE) * (AT_ONCE * merge + size / BYTES_A_SECOND)
        scheduled = partitions * (1 + 1 / AT_ONCE) * TASK
        # What a scan for quantiles keeps is no longer small when it comes together.
        grown = 16 * min(rows * IN_BUCKETS, counting.KEPT) if name == "quantiles" else 0
        depth += grown / BYTES_A_SECOND + merge * grown / size
        seconds += max(work + merging + depth, scheduled) + ROUND
        sent += merges * size + grown
    return Cost(len(scans), seconds, sent)


def table(constants: Constants) -> pd.DataFrame:
    """Costs of a billion and a hundred billion rows on some numbers of cores."""
    listed = []
    for rows in (1e9, 1e11):
        for cores in (1, 16, 256, 2048):
            found = cost(constants, rows, cores)
            listed.append(
                {
                    "rows": f"{rows:.0e}",
                    "cores": cores,
                    "passes": found.passes,
                    "minutes": round(found.seconds / 60, 1),
                    "GB sent": round(found.sent / 1e9, 2),
                }
            )
    return pd.DataFrame(listed)


def main() -> None:
    """Print the constants and the table."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--rows", type=int, default=PARTITION, help="rows to measure with")
    constants = measure(options.parse_args().rows)
    print(f"read            {constants.read * 1e9:8.2f} ns a value")
    for name, (a_row, size, merge) in constants.scans.items():
        print(
            f"{name:15} {a_row * 1e9:8.2f} ns a row, {size:8,} bytes, {merge * 1e3:.2f} ms a merge"
        )
    print(table(constants).to_string(index=False))


if __name__ == "__main__":
    main()
