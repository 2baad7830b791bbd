"""Cases in files: the worst and the failed ones saved, minimised, loaded and run again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from validation import bridge, r_effects
from validation.goldens_reader import StoredCase
from validation.search.checks import Finding, against_saved, run_check, why_not
from validation.search.minimise import minimise
from validation.search.random_cases import draw
from validation.search.report import SearchReport

# Minimising runs a case a few hundred times: enough for the first failures to be understood.
MINIMISED = 5

NOTE = (
    "black_box is a numpy expression over the columns; a categorical column stands for its 0-based "
    "level codes (levels as listed, unused ones kept). Replay with: python -m validation --replay"
)


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
