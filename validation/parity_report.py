"""Pytest plugin: the table of parity that closes a test run.

Tests record each comparison with R through the fixture `record_parity`; the records travel in the
reports' ``user_properties``, so that they survive pytest-xdist. Both ``conftest.py`` register this
plugin. ``ALEPLOT_REQUIRE_R=1`` turns every skip of a tier that needs R into a failure, and
``HYPOTHESIS_PROFILE=nightly`` draws many more random cases.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from validation import bridge

PLUGIN_NAME = "aleplot-parity-report"

TIERS = {
    "stored": "stored R results",
    "base_r": "base R live",
    "density": "R's density, of its peak",
    "r_models": "R models live",
    "aleplot_r": "ALEPlot, PDPlot live",
    "iml_r": "iml live",
    "webr": "second R (webr)",
    "figures": "figures matched",
    "claims": "claims reproduced",
}
# R packages that a tier needs besides those named in the marker: ``pytest.mark.r_models("nnet")``.
PACKAGES = {
    "base_r": (),
    "r_models": (),
    "aleplot_r": bridge.ALEPLOT_PACKAGES,
    "iml_r": bridge.IML_PACKAGES,
}
TIERS_OF_R = ("base_r", "r_models", "aleplot_r", "iml_r", "webr")

RecordParity = Callable[..., None]
RecordVersions = Callable[[dict[str, str]], None]

# The fixtures below only append to a list or start R once, so that sharing them among the
# examples of one property is safe.
settings.register_profile(
    "fast",
    max_examples=40,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile(
    "nightly",
    settings.get_profile("fast"),
    max_examples=1000,
    derandomize=False,
)


@dataclass
class TierSummary:
    """What one tier recorded in this run."""

    cases: int = 0
    judged: int = 0
    identical: int = 0
    unequal_grids: list[str] = field(default_factory=list)
    largest: float | None = None
    worst: str = ""
    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(
        self,
        case_id: str,
        difference: float | None,
        grid_equal: bool,
        identical: bool | None = None,
    ) -> None:
        """Take one comparison into account; NaN counts as the largest difference."""
        self.cases += 1
        self.judged += identical is not None
        self.identical += bool(identical)
        if not grid_equal:
            self.unequal_grids.append(case_id)
        if difference is None or (self.largest is not None and math.isnan(self.largest)):
            return
        if self.largest is None or math.isnan(difference) or difference > self.largest:
            self.largest, self.worst = difference, case_id


class ParityReport:
    """Collects the records of a run and prints the table at its end.

    Parameters
    ----------
    config : pytest.Config
        The run's configuration.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.tiers = {tier: TierSummary() for tier in TIERS}
        self.other_skips: Counter[str] = Counter()
        self.versions: dict[str, str] = {}
        self.records: list[dict[str, Any]] = []

    @pytest.fixture
    def record_parity(self, request: pytest.FixtureRequest) -> RecordParity:
        """Record a comparison: ``record_parity(tier, case_id, difference, grid_equal, identical)``.

        `tier` is a key of `TIERS`, `case_id` a readable name, `difference` the largest difference
        as a fraction of the curve's scale (None where only equality was asked), `grid_equal`
        whether grids, codes or orders were equal, `identical` whether every bit of the values
        was (None, the default, where the last bit cannot be expected). Record before asserting.
        """

        def record(
            tier: str,
            case_id: str,
            difference: float | None,
            grid_equal: bool = True,
            identical: bool | None = None,
        ) -> None:
            if tier not in TIERS:
                raise ValueError(f"tier must be one of {list(TIERS)}, got {tier!r}")
            number = None if difference is None else float(difference)
            bits = None if identical is None else bool(identical)
            request.node.user_properties.append(
                ("parity", [tier, str(case_id), number, bool(grid_equal), bits])
            )

        return record

    @pytest.fixture
    def record_versions(self, request: pytest.FixtureRequest) -> RecordVersions:
        """Record versions of what was compared with, ``record_versions({"R": "4.2.2"})``."""

        def record(versions: dict[str, str]) -> None:
            request.node.user_properties.append(("versions", dict(versions)))

        return record

    @pytest.fixture(autouse=True)
    def live_r(self, request: pytest.FixtureRequest) -> None:
        """Skip a test of a live tier, with the reason, where R or its packages are missing."""
        marks = [mark for mark in request.node.iter_markers() if mark.name in PACKAGES]
        if not marks:
            return
        needed = [name for mark in marks for name in (*PACKAGES[mark.name], *mark.args)]
        reason = bridge.why_packages_unavailable(needed)
        if reason is not None:
            pytest.skip(reason)
        request.node.user_properties.append(("versions", bridge.versions()))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Forbid skipping a tier of R where ``ALEPLOT_REQUIRE_R=1``."""
        report = yield
        required = os.environ.get("ALEPLOT_REQUIRE_R") == "1"
        if report.skipped and required and _tier_of(item.keywords, TIERS_OF_R):
            report.outcome = "failed"
            report.longrepr = f"ALEPLOT_REQUIRE_R=1 forbids skipping: {_skip_reason(report)}"
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect outcomes, reasons of skips and recorded comparisons."""
        if report.when != "call" and not (report.skipped or report.failed):
            return
        summary = self.tiers.get(_tier_of(report.keywords, TIERS) or "")
        if summary is not None:
            summary.outcomes[report.outcome] += 1
        if report.skipped:
            reasons = self.other_skips if summary is None else summary.reasons
            reasons[_skip_reason(report)] += 1
        if report.when != "call":
            return
        properties: Iterable[tuple[str, Any]] = report.user_properties
        for name, value in properties:
            if name == "parity":
                tier, *found = value
                self.tiers[tier].add(*found)
                self.records.append({"test": report.nodeid, **_named(value)})
            elif name == "versions" and isinstance(value, dict):
                self.versions.update(value)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, None, None]:
        """Print the table after everything else, and write the records where asked to."""
        yield
        path = self.config.getoption("--parity-json", default=None)
        if path:
            content = {"versions": self.versions, "records": self.records}
            Path(path).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        ran = [tier for tier, summary in self.tiers.items() if summary.outcomes or summary.cases]
        if not ran and not self.other_skips:
            return
        terminalreporter.section("parity with R")
        for line in self.lines():
            terminalreporter.line(line)

    def lines(self) -> list[str]:
        """Give the table, one line per tier, then versions and skips outside the tiers."""
        last = ("worst case", "tests")
        rows = [
            ("tier", "cases", "grids equal", "identical", "largest difference", *last),
            *(_row(name, self.tiers[tier]) for tier, name in TIERS.items()),
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(6)]
        lines = []
        for row in rows:
            texts = [row[0].ljust(widths[0])]
            texts += [row[column].rjust(widths[column]) for column in (1, 2, 3, 4)]
            texts += [row[5].ljust(widths[5]), row[6]]
            lines.append("  ".join(texts).rstrip())
        lines.append("differences are fractions of the curve's scale; grids, codes and orders")
        lines.append("are compared with equality; identical: every bit of the values is R's, where")
        lines.append("the last bit can be expected (validation/PARITY.md)")
        for tier, summary in self.tiers.items():
            if summary.unequal_grids:
                what = "not reproduced in full" if tier == "claims" else "UNEQUAL GRIDS"
                lines.append(f"{what} in {TIERS[tier]}: {', '.join(summary.unequal_grids)}")
            for reason, count in summary.reasons.items():
                lines.append(f"skipped in {TIERS[tier]} ({_tests(count)}): {reason}")
        for reason, count in self.other_skips.items():
            lines.append(f"skipped elsewhere ({_tests(count)}): {reason}")
        if self.versions:
            versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
            lines.append(f"versions: {versions}")
        return lines


def _row(name: str, summary: TierSummary) -> tuple[str, ...]:
    outcomes = ", ".join(
        f"{summary.outcomes[outcome]} {outcome}"
        for outcome in ("passed", "failed", "skipped")
        if summary.outcomes[outcome]
    )
    if not summary.cases:
        return (name, "-", "-", "-", "-", "-", outcomes or "not run")
    equal = summary.cases - len(summary.unequal_grids)
    grids = "all" if equal == summary.cases else f"{equal} of {summary.cases}"
    largest = "-" if summary.largest is None else f"{summary.largest:.1e}"
    bits = f"{summary.identical} of {summary.judged}" if summary.judged else "-"
    return (name, str(summary.cases), grids, bits, largest, summary.worst or "-", outcomes or "-")


def _tests(count: int) -> str:
    return f"{count} test" + ("s" if count > 1 else "")


def _named(record: Iterable[Any]) -> dict[str, Any]:
    return dict(zip(("tier", "case", "difference", "grid_equal", "identical"), record, strict=True))


def _tier_of(keywords: Any, tiers: Iterable[str]) -> str | None:
    return next((tier for tier in tiers if tier in keywords), None)


def _skip_reason(report: pytest.TestReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")


def register(config: pytest.Config) -> None:
    """Add the plugin to a run and load the hypothesis profile; the second call does nothing.

    Parameters
    ----------
    config : pytest.Config
        The run's configuration.
    """
    if config.pluginmanager.has_plugin(PLUGIN_NAME):
        return
    config.pluginmanager.register(ParityReport(config), PLUGIN_NAME)
    if not config.getoption("--hypothesis-profile", default=None):
        settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


def add_options(parser: pytest.Parser) -> None:
    """Add the option ``--parity-json`` once.

    Parameters
    ----------
    parser : pytest.Parser
        Pytest's parser.
    """
    group = parser.getgroup("parity")
    if not any("--parity-json" in option.names() for option in group.options):
        group.addoption(
            "--parity-json", metavar="PATH", help="write every recorded comparison to PATH"
        )
