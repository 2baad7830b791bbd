"""The search itself: draw many cases and run every check that can run on each of them."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from aleplot_py.r import session
from reproductions.engine.processes import interrupts_ignored, pool_of
from validation import bridge
from validation.search.checks import CHECKS, run_check, why_not
from validation.search.random_cases import draw
from validation.search.report import CaseFindings, SearchReport


def versions() -> dict[str, str]:
    """Versions of R and its packages where R is there, and of Python and numpy."""
    if session.why_unavailable() is None:
        return bridge.versions()
    return {"Python": platform.python_version(), "numpy": np.__version__}


def examine(seed: int, checks: Sequence[str], job: tuple[int, str | None, str | None]) -> Any:
    """Draw one case and run the checks on it.

    Parameters
    ----------
    seed : int
        Seed of the search.
    checks : sequence of str
        Keys of `CHECKS`.
    job : tuple
        Number, kind and data of the case; None for those whose turn it is.

    Returns
    -------
    CaseFindings
        What came of it.
    """
    case = draw(seed, *job)
    drawn = case["drawn"]
    return CaseFindings(
        case.id,
        drawn["kind"],
        drawn["data"],
        drawn["number"],
        tuple(run_check(check, case) for check in checks),
    )


def search(
    n_cases: int,
    seed: int,
    *,
    kinds: Sequence[str] = (),
    data: Sequence[str] = (),
    checks: Sequence[str] = tuple(CHECKS),
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> SearchReport:
    """Search for a difference from R.

    Parameters
    ----------
    n_cases : int
        Number of cases.
    seed : int
        Not negative; the same seed draws the same cases.
    kinds, data : sequences of str
        Kinds of effects and of data to take in turn, all by default.
    checks : sequence of str
        Keys of `CHECKS`; those that cannot run here are left out and named in the report.
    jobs : int
        Number of processes. Each starts its own R.
    progress : callable, optional
        Told the number of finished cases.

    Returns
    -------
    SearchReport
        Findings of every case.
    """
    reasons = {check: why_not(check) for check in checks}
    running = [check for check in checks if reasons[check] is None]
    turns = [
        (
            number,
            kinds[number % len(kinds)] if kinds else None,
            data[number // max(len(kinds), 1) % len(data)] if data else None,
        )
        for number in range(n_cases)
    ]
    examine_one = partial(examine, seed, running)
    found = []
    for case in _mapped(examine_one, turns, jobs):
        found.append(case)
        if progress is not None:
            progress(len(found))
    not_run = {check: reason for check, reason in reasons.items() if reason is not None}
    return SearchReport(seed, tuple(found), not_run, versions())


def _mapped(function: Callable[[Any], Any], items: Sequence[Any], jobs: int) -> Iterator[Any]:
    if jobs == 1:
        yield from map(function, items)
        return
    # Threads of a BLAS would compete with the processes.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with pool_of(jobs) as pool:
        with interrupts_ignored():
            found = pool.map(function, items, chunksize=4)
        yield from found
