"""The command: measure rows, each kept as soon as it is done, and write the report."""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from reproductions.engine import files
from validation.benchmarks import report, run
from validation.benchmarks.rows import ROWS

_QUICK = 10


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m validation.benchmarks",
        description="Compare what effects cost with bare predictions, peers and 0.1.0. A row that "
        "was measured at this commit is not measured again. Ends with 1 if a goal is missed.",
    )
    names = ", ".join(row.name for row in ROWS)
    parser.add_argument("rows", nargs="*", metavar="row", help=f"of {names}; default: all")
    parser.add_argument(
        "--quick", action="store_true", help=f"a look: a {_QUICK}th of the rows, no report kept"
    )
    parser.add_argument("--force", action="store_true", help="measure again what is there")
    parser.add_argument(
        "--python",
        metavar="PATH",
        help="interpreter that has the peers; default: .venv-peers, made when it is missing",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="default: paper_figures/benchmarks, with the README's sentences; after --quick, or "
        "for some of the rows, the table is only printed",
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.

    Returns
    -------
    int
        0 if every goal that was measured is reached, 1 if one is missed, 2 for wrong arguments,
        130 if the run was interrupted; rows that were done are kept.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    known = {row.name: row for row in ROWS}
    for name in options.rows:
        if name not in known:
            parser.error(f"row must be one of {', '.join(known)}, got {name!r}")
    if options.out is not None and (reason := files.why_not_writable(options.out.absolute())):
        parser.error(f"argument --out: {reason}")
    rows = [known[name] for name in dict.fromkeys(options.rows or known)]
    scale = _QUICK if options.quick else 1
    try:
        python = run.interpreter(options.python)
    except run.NotThereError as reason:
        print(reason, file=sys.stderr)
        return 1
    kept = run.ROOT / "build" / "benchmarks" / f"{_state()}-{scale}"
    kept.mkdir(parents=True, exist_ok=True)
    places = run.Places(python, run.first_release(kept.parent / "0.1.0"), scale)
    results = []
    try:
        for row in rows:
            file = kept / f"{row.name}.json"
            if options.force or not file.is_file():
                started = time.monotonic()
                measured = run.measure(row, places)
                measured["seconds"] = round(time.monotonic() - started, 1)
                files.write_json(file, measured)
            results.append(files.read_json(file))
            print(*report.lines(row, results[-1]), sep="\n", flush=True)
    except KeyboardInterrupt:
        print(f"interrupted; what was measured is in {kept}", file=sys.stderr)
        return 130
    if options.out is not None or not (options.rows or options.quick):
        for written in report.write(results, options.out or report.FOLDER):
            print(f"written: {written}")
    return int(any(report.verdict(known[result["row"]], result) == "missed" for result in results))


def _state() -> str:
    """The commit, and the digest of what differs from it."""
    git = ["git", "-C", str(run.ROOT)]
    head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, check=False)
    differs = subprocess.run(
        [*git, "diff", "HEAD", "--", "aleplot_py", "validation"], capture_output=True, check=False
    )
    commit = head.stdout.decode().strip() or "no-commit"
    return (
        f"{commit}-{hashlib.sha256(differs.stdout).hexdigest()[:8]}" if differs.stdout else commit
    )


if __name__ == "__main__":
    sys.exit(main())
