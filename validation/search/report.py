"""What a search found: every case, sums by check and kind, and both as text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from validation.search.checks import CHECKS, MISMATCHES, Finding


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
    identical: list[bool] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
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
        self.identical += [] if finding.identical is None else [finding.identical]
        self.exact += [] if finding.exact is None else [finding.exact]
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
        return sum(self.statuses[name] for name in MISMATCHES)

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
    table = [(*header, "identical", "exact", "largest of curve", "rounding", "worst case")]
    for row in report.rows():
        rounding = f"{len(row.of_predictions)} ({row.largest_of_predictions:.2g} eps)"
        table.append(
            (
                row.check,
                row.kind,
                str(row.cases),
                _of(row.points_equal, row.compared),
                _of(row.orders_equal, row.compared) if "categorical" in row.kind else "-",
                of_all(row.identical),
                of_all(row.exact),
                f"{row.largest_of_curve:.1e}",
                rounding if row.of_predictions else "-",
                row.worst,
            )
        )
    widths = [max(len(line[i]) for line in table) for i in range(len(header) + 5)]
    text = ["  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip()
            for line in table]  # fmt: skip
    text.append("identical: every bit is R's with the levels in R's order, as ALEPlot() and")
    text.append("PDPlot() add; exact: as ale() and partial_dependence() add, each sum rounded once")
    text.append(
        "(so too in the column before where R is iml or base R, which add in other orders);"
    )
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


def of_all(judged: list[bool]) -> str:
    """How many are true, as "n of n"; a dash where nothing was judged."""
    return f"{sum(judged)} of {len(judged)}" if judged else "-"
