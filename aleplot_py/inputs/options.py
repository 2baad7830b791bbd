"""The options that every front door takes, in one place."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aleplot_py.inputs.black_box import (
    RESPONSE_METHODS,
    BlackBox,
    as_black_box,
    elsewhere,
    one_label,
)
from aleplot_py.inputs.checks import (
    check_switches,
    interval_count,
    job_count,
    one_of,
    positive_integer,
)
from aleplot_py.steps.axis import Collapsed
from aleplot_py.typing import (
    Collapse,
    Columns,
    Grid,
    IntervalCounts,
    Method,
    Missing,
    Numbers,
    Order,
    Outside,
    ResponseMethod,
)

MISSING = ("error", "drop")
OUTSIDE = ("error", "clip", "iml")
METHODS = ("auto", "predict", "trees", "recursion")

#: Rows per call where the caller sets no bound: enough to drown a call's overhead, few enough to
#: need little memory.
ROWS_PER_CALL = 25_000


@dataclass(frozen=True, kw_only=True)
class Options:
    """Common options as the caller gave them; what can be checked without the data is checked.

    `aleplot_py.ale` documents them. A front door that does not show an option leaves it at its
    default here.
    """

    K: IntervalCounts = 40
    grid: Grid = "aleplot"
    outside: Outside = "error"
    order: Order | None = None
    collapse: Collapse | Mapping[Any, Collapsed | None] | None = None
    categorical: Columns | None = None
    sample_weight: Numbers | Hashable | None = None
    target: Hashable | None = None
    response_method: ResponseMethod = "auto"
    missing: Missing = "error"
    batch_rows: int | None = None
    n_jobs: int | Executor | None = None
    progress: bool = True
    method: Method = "auto"

    def __post_init__(self) -> None:
        for asked in self.K.values() if isinstance(self.K, Mapping) else [self.K]:
            if isinstance(asked, (bool, int, float, np.number, np.bool_)):
                interval_count(asked)
        one_of(self.outside, OUTSIDE, "outside")
        one_of(self.response_method, RESPONSE_METHODS, "response_method")
        one_of(self.missing, MISSING, "missing")
        one_of(self.method, METHODS, "method")
        check_switches(progress=self.progress)
        if self.batch_rows is not None:
            positive_integer(self.batch_rows, "batch_rows")
        one_label(self.target)
        self.threads  # noqa: B018 (checks n_jobs)

    @property
    def threads(self) -> int:
        """Number of threads that call the black box, or wait for processes that do."""
        return job_count(-1 if isinstance(self.n_jobs, Executor) else self.n_jobs)

    def rows_per_call(self, rows: int) -> int:
        """Largest number of rows in one call of the black box, of all that are to be predicted."""
        return self.batch_rows or min(ROWS_PER_CALL, -(-rows // self.threads))

    def black_box(self, predict: Any) -> BlackBox:
        """Adapter for what is explained, called wherever `n_jobs` says.

        Raises
        ------
        TypeError, ValueError, PredictionError
            As `aleplot_py.inputs.black_box.as_black_box`, or if the black box cannot be sent to
            processes.
        """
        black_box = as_black_box(predict, target=self.target, response_method=self.response_method)
        if not isinstance(self.n_jobs, Executor):
            return black_box
        return replace(black_box, function=elsewhere(black_box.function, self.n_jobs))
