"""What the library costs beside the black box: ``python -m validation.speed`` prints the ratios.

Every effect is timed in turn with the bare predictions of the very rows it asks for. Processor
time on one thread is taken and the shortest of several rounds, so that what else runs on the
machine does not count. The exit status is 1 where a limit is exceeded.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from aleplot_py import ale
from aleplot_py.steps.cells import fill_empty

FOREST_ROWS, FOREST_REPEATS = 20_000, 7
LINEAR_ROWS, LINEAR_REPEATS = 200_000, 15
CELLS, EMPTY_SHARE, FILL_REPEATS = 100, 0.6, 5

Task = Callable[[], object]


@dataclass(frozen=True)
class Measurement:
    """One line of the table.

    Parameters
    ----------
    name : str
        What was measured.
    seconds : float
        Its shortest time.
    bare : float or None
        Shortest time of the bare predictions; None where there are none.
    limit : float
        Largest allowed ratio to the bare predictions, or number of seconds without them.
    """

    name: str
    seconds: float
    bare: float | None
    limit: float

    @property
    def value(self) -> float:
        """What is compared with the limit."""
        return self.seconds if self.bare is None else self.seconds / self.bare

    @property
    def line(self) -> str:
        """The measurement as a line of the table."""
        bare = "-" if self.bare is None else f"{self.bare:.4f}"
        unit = "s" if self.bare is None else "x"
        verdict = "ok" if self.value <= self.limit else "EXCEEDED"
        return (
            f"{self.name:<58}{self.seconds:>9.4f}{bare:>9}"
            f"{self.value:>8.3f} {unit}{self.limit:>7.2f} {unit}  {verdict}"
        )


def shortest(tasks: list[Task], repeats: int) -> list[float]:
    """Shortest time of each task, all of them run in turn `repeats` times.

    Parameters
    ----------
    tasks : list of callables
        What to time.
    repeats : int
        Number of rounds, after one that warms up.

    Returns
    -------
    list of float
        Seconds of processor time.
    """
    best = [float("inf")] * len(tasks)
    for round_number in range(repeats + 1):
        for number, task in enumerate(tasks):
            start = time.process_time()
            task()
            if round_number:
                best[number] = min(best[number], time.process_time() - start)
    return best


def rows_asked_for(X: Any, features: Any) -> list[Any]:
    """Frames or arrays that an effect passes to its black box, one per call."""
    seen: list[Any] = []

    def predict(rows: Any) -> np.ndarray:
        seen.append(rows.copy())
        return np.zeros(len(rows))

    ale(predict, X, features)
    return seen


def bare(predict: Callable[[Any], object], calls: list[Any]) -> Task:
    """The predictions alone."""
    return lambda: [predict(rows) for rows in calls]


def forest() -> list[Measurement]:
    """A main effect and a pair with a random forest of 100 trees on a frame."""
    from sklearn.ensemble import RandomForestRegressor

    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(FOREST_ROWS, 10)), columns=[f"x{i}" for i in range(10)])
    y = X["x0"] * X["x1"] + np.sin(X["x2"]) + rng.normal(size=FOREST_ROWS) / 10
    model = RandomForestRegressor(100, random_state=0, n_jobs=-1).fit(X, y)
    model.n_jobs = 1
    features = ("x0", ("x0", "x1"))
    main, pair, two, four = shortest(
        [
            *(lambda names=names: ale(model, X, names) for names in features),
            *(bare(model.predict, rows_asked_for(X, names)) for names in features),
        ],
        FOREST_REPEATS,
    )
    return [
        Measurement("forest, 20,000 x 10 frame: main effect / bare 2n", main, two, 1.02),
        Measurement("forest, 20,000 x 10 frame: pair / bare 4n", pair, four, 1.1),
    ]


def linear() -> list[Measurement]:
    """A main effect with a linear black box on an array."""
    rng = np.random.default_rng(2)
    X, slopes = rng.normal(size=(LINEAR_ROWS, 10)), rng.normal(size=10)

    def predict(rows: np.ndarray) -> np.ndarray:
        return rows @ slopes

    main, two = shortest(
        [lambda: ale(predict, X, 0), bare(predict, rows_asked_for(X, 0))], LINEAR_REPEATS
    )
    return [Measurement("linear, 200,000 x 10 array: main effect / bare 2n", main, two, 5.0)]


def fills() -> list[Measurement]:
    """The empty cells of a square grid, without ties and on a lattice, where most are tied."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(CELLS, CELLS))
    empty = rng.uniform(size=values.shape) < EMPTY_SHARE
    uneven = [np.sort(rng.uniform(size=CELLS)) for _ in range(2)]
    lattice = [np.arange(CELLS) / CELLS] * 2
    free, tied = shortest(
        [lambda: fill_empty(values, empty, uneven), lambda: fill_empty(values, empty, lattice)],
        FILL_REPEATS,
    )
    return [
        Measurement("100 x 100 cells, 60 % empty: fill without ties", free, None, 0.1),
        Measurement("100 x 100 cells, 60 % empty: fill with ties everywhere", tied, None, 1.0),
    ]


def main() -> int:
    """Print the table.

    Returns
    -------
    int
        0 if every limit is kept, else 1.
    """
    header = f"{'':<58}{'seconds':>9}{'bare':>9}{'value':>10}{'limit':>9}"
    print(header)
    kept = True
    with threadpool_limits(1):
        for measure in (fills, linear, forest):
            for measurement in measure():
                print(measurement.line, flush=True)
                kept = kept and measurement.value <= measurement.limit
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
