"""Random search for a difference from R: ``python -m validation --cases 1000 --seed 1``.

``python -m validation certify`` writes a certificate of one comparison, or checks one, and ``python
-m validation vectors`` asks R for the stored results again; ``second-r`` asks other Rs.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from reproductions.engine import files
from validation import certify, search, second_r
from validation.goldens_reader import StoredCase
from validation.search.checks import CHECKS, why_not
from validation.search.random_cases import DATA, KINDS
from validation.vectors import write as vectors

COMMANDS = {"certify": certify.main, "vectors": vectors.main, "second-r": second_r.main}


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    arguments = argparse.ArgumentParser(
        prog="python -m validation",
        description="Draw random data, black boxes and K, ask R and this library for the same "
        "effects, and report how they differ. Ends with 1 if anything does.",
    )
    add = arguments.add_argument
    cores = min(os.cpu_count() or 1, 4)
    add("--cases", type=_positive, default=200, metavar="N", help="number of cases (200)")
    add("--seed", type=_natural, default=1, metavar="S", help="seed of the cases (1)")
    for name, choices, meaning in (
        ("--kind", KINDS, "kind of effect"),
        ("--data", tuple(DATA), "kind of data"),
        ("--check", tuple(CHECKS), "what to compare with"),
    ):
        add(name, action="append", default=[], choices=choices, help=f"{meaning}; repeatable")
    add("--jobs", type=_positive, default=cores, metavar="P", help=f"processes ({cores})")
    for name, metavar, meaning in (
        ("--report", "DIR", "write a page, a table and a picture of the differences to DIR"),
        (
            "--save",
            "DIR",
            "write the worst and the failed cases to DIR (default: that of --report)",
        ),
        ("--tiers", "FILE", "pytest's --parity-json FILE, to show in the report"),
        ("--replay", "FILE", "run the cases of FILE; evaluates its black boxes: trust it"),
    ):
        add(name, type=Path, metavar=metavar, help=meaning)
    return arguments


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {value}")
    return value


def _natural(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"must not be negative, got {value}")
    return value


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments, by default those of the process.

    Returns
    -------
    int
        0 if everything that ran is equal, 1 if something differs, or if something was not run
        although ``ALEPLOT_REQUIRE_R=1``; 130 if the search was interrupted.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    if given and given[0] in COMMANDS:
        return COMMANDS[given[0]](given[1:])
    arguments = parser()
    options = arguments.parse_args(given)
    checks = options.check or list(CHECKS)
    if options.replay is not None:
        try:
            cases = search.load(options.replay)
        except (OSError, ValueError) as error:
            arguments.error(str(error))
        return _replay(cases, checks)
    for name in ("report", "save"):
        folder = getattr(options, name)
        if folder is not None and (reason := files.why_not_writable(folder.absolute())):
            arguments.error(f"argument --{name}: {reason}")
    started = time.monotonic()
    try:
        report = search.search(
            options.cases,
            options.seed,
            kinds=options.kind,
            data=options.data,
            checks=checks,
            jobs=options.jobs,
            progress=_progress(options.cases),
        )
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    seconds = time.monotonic() - started
    print("\n".join(search.lines(report)))
    print(f"{options.cases} cases, seed {options.seed}, {seconds:.0f} s, {options.jobs} processes")
    folder = options.save or options.report
    if folder is None:
        print("nothing written; --report DIR or --save DIR keeps the worst and the failed cases")
    else:
        for file in search.save_cases(report, folder):
            print(f"saved: {file}")
    if options.report is not None:
        from validation import report_page

        tiers = None if options.tiers is None else report_page.read_tiers(options.tiers)
        for file in report_page.write(report, options.report, tiers):
            print(f"written: {file}")
    return _exit_code(bool(report.failures), report.not_run)


def _exit_code(failed: bool, not_run: dict[str, str]) -> int:
    if not_run and os.environ.get("ALEPLOT_REQUIRE_R") == "1":
        print("ALEPLOT_REQUIRE_R=1 forbids leaving out: " + ", ".join(not_run))
        return 1
    return int(failed)


def _progress(total: int) -> Callable[[int], None] | None:
    """Counter on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        return None

    def show(done: int) -> None:
        sys.stderr.write(f"\r{done} of {total} cases" + ("\n" if done == total else ""))
        sys.stderr.flush()

    return show


def _replay(cases: Sequence[StoredCase], checks: Sequence[str]) -> int:
    reasons = {check: why_not(check) for check in checks}
    running = [check for check in checks if reasons[check] is None]
    failed = False
    for case in cases:
        kinds = f"K={case.content.get('K', case.content.get('grid_size'))}, n={case['n']}"
        print(f"{case.id}: {', '.join(case.features)}, {kinds}, {case['black_box']}")
        for finding in search.replay(case, running):
            failed = failed or finding.mismatch
            values = finding.agreement
            measured = "" if values is None else (
                f" {values.of_curve:.1e} of the curve, {values.of_predictions:.2g} eps of the "
                f"largest prediction, order {values.order}"
            )  # fmt: skip
            print(f"  {finding.check}: {finding.status}{measured} {finding.detail}".rstrip())
    not_run = {check: reason for check, reason in reasons.items() if reason is not None}
    for check, reason in not_run.items():
        print(f"not run: {CHECKS[check].title}: {reason}")
    return _exit_code(failed, not_run)


if __name__ == "__main__":
    sys.exit(main())
