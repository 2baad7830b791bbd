"""Random search for a difference from R: many cases, every check that can run, worst cases kept."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import platform
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from validation import bridge, r_effects
from validation.checks import CHECKS, Finding, against_saved, run_check, why_not
from validation.goldens_reader import StoredCase
from validation.minimise import minimise
from validation.random_cases import draw

# Minimising runs a case a few hundred times: enough for the first failures to be understood.
MINIMISED = 5

NOTE = (
    "black_box is a numpy expression over the columns; a categorical column stands for its 0-based "
    "level codes (levels as listed, unused ones kept). Replay with: python -m validation --replay"
)


@dataclass(frozen=True)
class CaseFindings:
    """All findings of one case.

    Parameters
    ----------
    id, kind, data : str
        Name of the case, kind of effect, kind of data.
    number : int
        Number of the case in the search.
    findings : tuple of Finding
        One for each check.
    """

    id: str
    kind: str
    data: str
    number: int
    findings: tuple[Finding, ...]


@dataclass
class Row:
    """Summary of one check over cases of one kind.

    Parameters
    ----------
    check, kind, data : str
        What is summed up; "all" for several.
    """

    check: str
    kind: str
    data: str = "all"
    cases: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    orders: Counter[str] = field(default_factory=Counter)
    points_equal: int = 0
    of_curve: list[float] = field(default_factory=list)
    of_predictions: list[float] = field(default_factory=list)
    worst: str = ""

    def add(self, case: CaseFindings, finding: Finding) -> None:
        """Take one finding into account."""
        if finding.status == "too large":
            return
        self.cases += 1
        self.statuses[finding.status] += 1
        agreement = finding.agreement
        if agreement is None:
            return
        self.points_equal += agreement.points_equal
        self.orders[agreement.order] += 1
        if finding.status == "rounding":
            self.of_predictions.append(agreement.of_predictions)
            return
        if agreement.of_curve >= self.largest_of_curve:
            self.worst = case.id
        self.of_curve.append(agreement.of_curve)

    @property
    def compared(self) -> int:
        """Cases in which both sides gave a result."""
        return sum(self.orders.values())

    @property
    def mismatches(self) -> int:
        """Cases that must not be."""
        return sum(self.statuses[name] for name in ("different", "R stopped", "Python stopped"))

    @property
    def orders_equal(self) -> int:
        """Cases whose levels stand in R's order, reversed or not, as far as it is determined."""
        return self.compared - self.orders["different"]

    @property
    def largest_of_curve(self) -> float:
        """Largest difference as a fraction of the curve, where it is not rounding."""
        return max(self.of_curve, default=0.0)

    @property
    def largest_of_predictions(self) -> float:
        """Largest difference that is rounding, in machine epsilons of the largest prediction."""
        return max(self.of_predictions, default=0.0)


@dataclass(frozen=True)
class SearchReport:
    """What a search found.

    Parameters
    ----------
    seed : int
        Seed of the search.
    cases : tuple of CaseFindings
        Every case.
    not_run : dict of str to str
        Reason of each check that could not run.
    versions : dict of str to str
        What took part.
    """

    seed: int
    cases: tuple[CaseFindings, ...]
    not_run: dict[str, str]
    versions: dict[str, str]

    def rows(self, *, by_data: bool = False) -> list[Row]:
        """Sum up by check and kind of effect, or by kind of data too."""
        rows: dict[tuple[str, str, str], Row] = {}
        for case in self.cases:
            for finding in case.findings:
                key = (finding.check, case.kind, case.data if by_data else "all")
                rows.setdefault(key, Row(*key)).add(case, finding)
        order = list(CHECKS)
        return sorted(
            (row for row in rows.values() if row.cases),
            key=lambda row: (order.index(row.check), row.kind, row.data),
        )

    @property
    def failures(self) -> list[tuple[CaseFindings, Finding]]:
        """Every mismatch."""
        return [(c, f) for c in self.cases for f in c.findings if f.mismatch]

    def worst(self) -> dict[str, CaseFindings]:
        """The case of each kind of effect with the largest fraction of the curve."""

        def severity(case: CaseFindings) -> float:
            found = [f.agreement for f in case.findings if f.status in ("equal", "different")]
            return max((a.of_curve for a in found if a is not None), default=-1.0)

        by_kind: dict[str, CaseFindings] = {}
        for case in self.cases:
            if case.kind not in by_kind or severity(case) > severity(by_kind[case.kind]):
                by_kind[case.kind] = case
        return by_kind


def versions() -> dict[str, str]:
    """Versions of R and its packages where R is there, and of Python and numpy."""
    if bridge.why_unavailable() is None:
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
    # R does not survive a fork, and threads of a BLAS would compete with the processes.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        yield from pool.map(function, items, chunksize=4)


# --- text -------------------------------------------------------------------------------------


def lines(report: SearchReport) -> list[str]:
    """Give the report as lines of text.

    Parameters
    ----------
    report : SearchReport
        What was found.

    Returns
    -------
    list of str
        A table by check and kind, then what did not run and why, mismatches and versions.
    """
    header = ("check", "kind", "cases", "grids equal", "orders equal")
    table = [(*header, "bit for bit", "largest of curve", "rounding", "worst case")]
    for row in report.rows():
        rounding = f"{len(row.of_predictions)} ({row.largest_of_predictions:.2g} eps)"
        table.append(
            (
                row.check,
                row.kind,
                str(row.cases),
                _of(row.points_equal, row.compared),
                _of(row.orders_equal, row.compared) if "categorical" in row.kind else "-",
                str(row.of_curve.count(0.0)),
                f"{row.largest_of_curve:.1e}",
                rounding if row.of_predictions else "-",
                row.worst,
            )
        )
    widths = [max(len(line[i]) for line in table) for i in range(len(header) + 4)]
    text = ["  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip()
            for line in table]  # fmt: skip
    text.append("largest of curve: largest difference as a fraction of R's largest absolute value;")
    text.append("rounding: effects small beside the predictions, which differ by rounding of these")
    text.append("(in machine epsilons of the largest prediction) and are not in the column before")
    text += _asides(report)
    for case, finding in report.failures:
        text.append(f"MISMATCH {case.id}, {finding.check}: {finding.status} {finding.detail}")
        if finding.agreement is not None:
            text.append(f"  {finding.agreement}")
    text += [f"not run: {CHECKS[c].title}: {reason}" for c, reason in report.not_run.items()]
    text.append("versions: " + ", ".join(f"{k} {v}" for k, v in report.versions.items()))
    return text


def _asides(report: SearchReport) -> list[str]:
    """Cases without a comparison, and orders that are equal only up to ties."""
    text = []
    for row in report.rows():
        for status, meaning in (
            ("R cannot", "where R is known to fail (see PARITY.md)"),
            ("both refuse", "refused by both"),
        ):
            if row.statuses[status]:
                text.append(f"{row.check}, {row.kind}: {row.statuses[status]} {meaning}")
        for order, meaning in (
            ("tied", "orders equal up to levels with the same coordinate"),
            ("turned", "orders reversed, a tie between cells settled in R's direction"),
            ("undetermined", "orders on an axis that the distances leave undetermined"),
        ):
            if row.orders[order]:
                text.append(f"{row.check}, {row.kind}: {row.orders[order]} {meaning}")
    return text


def _of(part: int, whole: int) -> str:
    return "all" if part == whole else f"{part} of {whole}"


# --- files ------------------------------------------------------------------------------------


def with_r_result(case: StoredCase, findings: Iterable[Finding] = ()) -> dict[str, Any]:
    """Content of a case for a file: ALEPlot's result where it runs, and what was found.

    Parameters
    ----------
    case : StoredCase
        The case.
    findings : iterable of Finding
        Added under "findings".

    Returns
    -------
    dict
        Ready for JSON, in the form of the stored results.
    """
    content = dict(case.content)
    if why_not("ALEPlot") is None and "K" in content:
        X = case.frame()
        positions = [list(X.columns).index(name) for name in case.features]
        try:
            result = r_effects.aleplot(case.predict(), X, positions, case["K"])
        except bridge.RCallError as error:
            content["r_error"] = str(error)
        else:
            axes = [axis.tolist() for axis in result.x_values]
            content["r"] = {
                "K": list(result.K or ()),
                "x_values": axes if len(axes) > 1 else axes[0],
                "f_values": result.f_values.tolist(),
            }
    content["findings"] = [
        {
            "check": finding.check,
            "status": finding.status,
            "detail": finding.detail,
            "difference_of_curve": (
                None if finding.agreement is None else _json(finding.agreement.of_curve)
            ),
        }
        for finding in findings
    ]
    return content


def _json(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def save(path: Path, contents: Sequence[dict[str, Any]], versions: dict[str, str]) -> None:
    """Write cases to a file that `load` and ``--replay`` read.

    Parameters
    ----------
    path : Path
        File to write; its folder is made.
    contents : sequence of dict
        Cases.
    versions : dict of str to str
        What they were found with.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"provenance": {**versions, "note": NOTE}, "cases": list(contents)}
    path.write_text(json.dumps(content) + "\n", encoding="utf-8")


def load(path: Path) -> list[StoredCase]:
    """Read the cases of a saved search, or of a file of stored results.

    Parameters
    ----------
    path : Path
        File to read. Its black boxes are evaluated as Python expressions: trust its source.

    Returns
    -------
    list of StoredCase
        The cases.

    Raises
    ------
    ValueError
        If the file is no such file.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        cases = [StoredCase(case) for case in content["cases"]]
        complete = all({"data", "black_box", "n"} <= set(case.content) for case in cases)
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no file of saved cases: {error}") from None
    if not complete:
        raise ValueError(f"{path} is no file of saved cases: data, black_box or n is missing")
    return cases


def save_cases(report: SearchReport, folder: Path) -> list[Path]:
    """Save the worst case of each kind and, minimised, the first failures.

    Those of an earlier search in the same folder are removed.

    Parameters
    ----------
    report : SearchReport
        What was found.
    folder : Path
        Where to.

    Returns
    -------
    list of Path
        The files, one case in each.
    """
    for pattern in ("worst-*.json", "failed-*.json"):
        for old in folder.glob(pattern):
            old.unlink()
    files = []
    for kind, found in report.worst().items():
        case = draw(report.seed, found.number, found.kind, found.data)
        files.append(folder / f"worst-{kind}.json")
        save(files[-1], [with_r_result(case, found.findings)], report.versions)
    for found, finding in report.failures[:MINIMISED]:
        case = draw(report.seed, found.number, found.kind, found.data)
        small = minimise(case, partial(still_fails, finding))
        name = f"failed-{found.id}-{finding.check.replace(' ', '_')}.json"
        files.append(folder / name)
        save(files[-1], [with_r_result(small, [run_check(finding.check, small)])], report.versions)
    return files


def still_fails(finding: Finding, case: StoredCase) -> bool:
    """Whether a case fails in the same check and in the same way as a finding."""
    return run_check(finding.check, case).status == finding.status


# --- replay -----------------------------------------------------------------------------------


def replay(case: StoredCase, checks: Sequence[str]) -> list[Finding]:
    """Run the checks on a saved case, and compare with R's result where it is saved too.

    Parameters
    ----------
    case : StoredCase
        The case.
    checks : sequence of str
        Keys of `CHECKS` that can run here.

    Returns
    -------
    list of Finding
        One for each check, the saved result first.
    """
    findings = [run_check(check, case) for check in checks]
    has_result = case.content.get("r_function") == "ALEPlot" and "r" in case.content
    return [against_saved(case), *findings] if has_result else findings
