"""What is compared with what, and the goal of each comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: A process of a comparison, and one of its tasks.
Measure = tuple[str, str]
Numbers = Mapping[str, float]

FOREST = {"kind": "forest", "n": 20_000, "p": 10}


@dataclass(frozen=True)
class Process:
    """A process that makes a case and carries out its tasks.

    Parameters
    ----------
    runner : {"here", "0.1.0", "R"}
        This checkout, the first release, or R.
    case : str
        Of ``worker.py``.
    options : mapping of str to int or str
        Of the case.
    """

    runner: str
    case: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Comparison:
    """One line of a row.

    Parameters
    ----------
    label : str
        What differs from the other lines.
    processes : mapping of str to Process
        By the names that measures use.
    ours : tuple of (str, str)
        What is measured.
    against : sequence of tuple of (str, str)
        The quickest of these is what it is compared with; without any the goal is in seconds.
    also : sequence of tuple of (str, str)
        Measured and shown as well.
    times : callable
        From the case's numbers to how often `against` is counted.
    at : float or None
        Place on the axis of a picture of growth.
    """

    label: str
    processes: Mapping[str, Process]
    ours: Measure
    against: Sequence[Measure] = ()
    also: Sequence[Measure] = ()
    times: Callable[[Numbers], float] = lambda numbers: 1.0
    at: float | None = None


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Parameters
    ----------
    name : str
        For the command line.
    title : str
        What is measured against what.
    goal : float
        Largest ratio, or seconds, or share of memory.
    comparisons : sequence of Comparison
        The goal holds if it holds in each.
    unit : {"ratio", "seconds", "memory"}
        What the goal is of; memory is a multiple of the case's number `of`.
    of : str
        Of memory: the number of bytes that counts as one.
    identical : bool
        Whether the effect must have every bit of that by ``method="predict"``.
    """

    name: str
    title: str
    goal: float
    comparisons: Sequence[Comparison]
    unit: str = "ratio"
    of: str = ""
    identical: bool = False


def _one(
    case: str,
    options: Mapping[str, Any],
    ours: str,
    *against: str,
    label: str = "",
    times: Callable[[Numbers], float] = lambda numbers: 1.0,
) -> Comparison:
    """Tasks of a single process."""
    process = {"here": Process("here", case, options)}
    return Comparison(
        label, process, ("here", ours), [("here", task) for task in against], times=times
    )


def _first_release(case: str, options: Mapping[str, Any], task: str) -> Comparison:
    """The same task by 0.1.0."""
    processes = {name: Process(name, case, options) for name in ("here", "0.1.0")}
    return Comparison("", processes, ("here", task), [("0.1.0", task)])


def _peers(n: int, K: int, label: str, at: float) -> Comparison:
    """A main effect of a cheap black box by every package."""
    options = {"n": n, "p": 10, "K": K}
    processes = {name: Process(name, "cheap", options) for name in ("here", "R")}
    theirs = [("here", "PyALE"), ("here", "effector")]
    theirs += [("R", name) for name in ("ALEPlot", "iml", "effectplots")]
    also = [("here", "aleplot-py, frame"), ("here", "bare"), ("R", "bare")]
    return Comparison(label, processes, ("here", "aleplot-py"), theirs, also, at=at)


def _wide(p: int) -> Comparison:
    processes = {name: Process(name, "wide", {"p": p}) for name in ("here", "0.1.0")}
    return Comparison(
        f"p = {p:,}", processes, ("here", "aleplot-py"), [("0.1.0", "aleplot-py")], at=p
    )


def _fourfold(p: int) -> Comparison:
    processes = {
        "wide": Process("here", "wide", {"p": p}),
        "narrow": Process("here", "wide", {"p": p // 4}),
    }
    return Comparison(
        "", processes, ("wide", "aleplot-py"), [("narrow", "aleplot-py")], times=_times(4)
    )


def _times(count: int) -> Callable[[Numbers], float]:
    return lambda numbers: count


def _walk(numbers: Numbers) -> float:
    """Three predictions, and the nodes once for each of 40 points, in predictions."""
    return 1 + 40 * numbers["nodes"] / numbers["visits"] / 3


ROWS = (
    Row(
        "forest",
        "all 10 features, forest of 100 trees, n = 20,000 / `predict(X)`",
        3.3,
        [_one("trees", FOREST, "all", "predict")],
        identical=True,
    ),
    Row(
        "forest-50",
        "all 50 features, forest of 100 trees, n = 4,000 / `predict(X)`",
        6.0,
        [_one("trees", {**FOREST, "n": 4000, "p": 50}, "all", "predict")],
        identical=True,
    ),
    Row(
        "boosted",
        "all 10 features, HistGradientBoosting of 200, n = 4,000 / `predict(X)`",
        1.5,
        [_one("trees", {"kind": "boosted", "n": 4000}, "all", "predict")],
        identical=True,
    ),
    Row(
        "xgboost",
        "all 10 features, XGBoost of 200, n = 10,000 / `predict(X)`",
        4.0,
        [_one("trees", {"kind": "xgboost", "n": 10_000}, "all", "predict")],
        identical=True,
    ),
    Row(
        "generic",
        "main effect, pair of a forest, n = 5,000, by predictions alone / as many bare predictions",
        1.1,
        [
            _one(
                "trees",
                {**FOREST, "n": 5000},
                f"{task} by predict",
                "predict",
                label=f"{task}, {rows}n",
                times=_times(rows),
            )
            for task, rows in (("main", 2), ("pair", 4))
        ],
    ),
    Row(
        "pd",
        "partial dependence, linear, 40 points / scikit-learn's brute force",
        1.0,
        [
            _one("profiles", {"n": n}, "partial_dependence", "scikit-learn", label=f"n = {n:,}")
            for n in (1000, 20_000, 200_000)
        ],
    ),
    Row(
        "ice",
        "ICE, linear, 40 points / scikit-learn's",
        1.0,
        [
            _one("profiles", {"n": n}, "ice", "scikit-learn, ICE", label=f"n = {n:,}")
            for n in (1000, 20_000, 200_000)
        ],
    ),
    Row(
        "pd-trees",
        "partial dependence of a forest, n = 2,000, 40 points / (`predict(X)` + a third of 40 "
        "visits of every node)",
        3.0,
        [_one("trees", {**FOREST, "n": 2000}, "partial_dependence", "predict", times=_walk)],
    ),
    Row(
        "wide",
        "all of 1,000 features, n = 2,000, cheap / 0.1.0",
        0.6 / 4.8,
        [_first_release("wide", {"p": 1000}, "aleplot-py")],
    ),
    Row(
        "linear-in-p",
        "all of 1,000 features, n = 2,000, cheap / four times all of 250",
        1.15,
        [_fourfold(1000)],
    ),
    Row(
        "long",
        "main effect, array of 1,000,000 x 10, linear / bare 2n",
        3.5,
        [
            _one("batches", {}, "whole", "bare", label="whole"),
            _one("batches", {}, "batches", "bare", label="batches of 50,000"),
        ],
    ),
    Row(
        "long-memory",
        "the same: extra memory in columns",
        4.0,
        [_one("batches", {}, "whole")],
        unit="memory",
        of="column",
    ),
    Row(
        "all-memory",
        "all 10 features, 200,000 rows: extra memory in copies of X",
        0.5,
        [_one("every", {}, task, label=task) for task in ("array", "frame")],
        unit="memory",
        of="bytes",
    ),
    Row(
        "stream",
        "main effect, Parquet of 50,000,000 x 4, linear / its columns read twice",
        4.0,
        [_one("streamed", {"n": 50_000_000}, "main", "columns twice")],
    ),
    Row(
        "stream-memory",
        "the same: gigabytes",
        1.0,
        [_one("streamed", {"n": 50_000_000}, "main")],
        unit="memory",
        of="gigabyte",
    ),
    Row(
        "levels",
        "category of 500 levels by similarity, 20 columns, n = 20,000 / 0.1.0",
        80 / 478,
        [_first_release("levels", {}, "main")],
    ),
    Row(
        "bands",
        "bands, B = 1,000, n = 100,000 / 0.1.0",
        0.4 / 1.1,
        [_first_release("bands", {}, "bands")],
    ),
    Row(
        "lofo",
        "LOFO of a linear regression on a frame, n = 2,000 / lofo-importance",
        1.0,
        [_one("left_out", {}, "aleplot-py", "lofo-importance")],
    ),
    Row(
        "auto",
        'K="auto", n = 2,000 / effector\'s RHALE',
        1.0,
        [_one("automatic", {}, "aleplot-py", "effector")],
    ),
    Row(
        "cells",
        "6,000 empty cells of 100 x 100: seconds",
        0.1,
        [_one("cells", {}, "uneven")],
        unit="seconds",
    ),
    Row(
        "cells-tied",
        "the same on a lattice, where most are tied: seconds",
        1.0,
        [_one("cells", {}, "lattice")],
        unit="seconds",
    ),
    Row(
        "n",
        "main effect of a cheap black box, 10 columns, K = 40 / the quickest other package",
        1.0,
        [_peers(n, 40, f"n = {n:,}", n) for n in (1000, 10_000, 100_000)],
    ),
    Row(
        "K",
        "the same, n = 10,000 / the quickest other package",
        1.0,
        [_peers(10_000, K, f"K = {K}", K) for K in (10, 40, 160)],
    ),
    Row(
        "p",
        "all features of a cheap black box, n = 2,000 / 0.1.0",
        1.0,
        [_wide(p) for p in (10, 100, 1000)],
    ),
)
#: Rows drawn as lines, with the name of their axis.
GROWTH = {
    "n": "rows (10 columns, K = 40)",
    "K": "intervals (10,000 rows)",
    "p": "features, all explained (2,000 rows)",
}
