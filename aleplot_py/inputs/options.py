"""The options that every front door takes, in one place."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np

from aleplot_py.inputs.black_box import RESPONSE_METHODS
from aleplot_py.inputs.checks import interval_count, job_count, one_of, positive_integer
from aleplot_py.typing import (
    Columns,
    Grid,
    IntervalCounts,
    Missing,
    Numbers,
    Order,
    Outside,
    ResponseMethod,
)

MISSING = ("error", "drop")
OUTSIDE = ("error", "clip", "iml")


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
    categorical: Columns | None = None
    sample_weight: Numbers | None = None
    target: Hashable | None = None
    response_method: ResponseMethod = "auto"
    missing: Missing = "error"
    batch_rows: int | None = None
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        for asked in self.K.values() if isinstance(self.K, Mapping) else [self.K]:
            if isinstance(asked, (bool, int, float, np.number, np.bool_)):
                interval_count(asked)
        one_of(self.outside, OUTSIDE, "outside")
        one_of(self.response_method, RESPONSE_METHODS, "response_method")
        one_of(self.missing, MISSING, "missing")
        if self.batch_rows is not None:
            positive_integer(self.batch_rows, "batch_rows")
        job_count(self.n_jobs)

    @property
    def threads(self) -> int:
        """Number of threads that call the black box."""
        return job_count(self.n_jobs)
