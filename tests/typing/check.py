"""Type-check the snippets of this folder with mypy (strict) and pyright; part of `make lint`.

Nothing may be wrong with a line of ``ok_*.py``. In ``bad_*.py`` every line of a block, from a
comment ``# E: mypy[code, ...] pyright[code, ...]`` to the next blank line, must be refused by both
checkers, with one of the codes named for it, and no other line may be.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

#: Codes of the errors by file and line.
Found = dict[tuple[str, int], set[str]]


class CheckerMissingError(Exception):
    """A checker that cannot run here."""


def mypy(files: list[Path]) -> Found:
    """What mypy finds."""
    options = ["--strict", "--output", "json", "--cache-dir", str(ROOT / ".mypy_cache" / "typing")]
    found: Found = defaultdict(set)
    for line in _output([sys.executable, "-m", "mypy", *options, *map(str, files)]).splitlines():
        error = json.loads(line)
        if error["severity"] == "error":
            found[Path(error["file"]).name, error["line"]].add(error["code"])
    return found


def pyright(files: list[Path]) -> Found:
    """What pyright finds, strict as `pyrightconfig.json` says."""
    options = ["--outputjson", "--project", str(HERE), "--pythonpath", sys.executable]
    report = json.loads(_output([sys.executable, "-m", "pyright", *options]))
    if report["summary"]["filesAnalyzed"] != len(files):
        raise CheckerMissingError(f"pyright saw {report['summary']['filesAnalyzed']} files")
    found: Found = defaultdict(set)
    for error in report["generalDiagnostics"]:
        if error["severity"] == "error":
            line = error["range"]["start"]["line"] + 1
            found[Path(error["file"]).name, line].add(error.get("rule", "syntax"))
    return found


def _output(command: list[str]) -> str:
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):  # 1: errors were found
        raise CheckerMissingError(run.stdout + run.stderr)
    if not run.stdout.strip() and run.stderr.strip():
        raise CheckerMissingError(run.stderr)
    return run.stdout


def expected(path: Path, checker: str) -> dict[int, set[str]]:
    """Codes, of which one must be found, by line that the checker must refuse."""
    lines: dict[int, set[str]] = {}
    codes: set[str] = set()
    for number, text in enumerate(path.read_text("utf-8").splitlines(), 1):
        if text.startswith("# E: "):
            named = re.search(rf"{checker}\[([\w, -]+)\]", text)
            if named is None:
                raise SystemExit(f"{path.name}:{number}: names no code of {checker}")
            codes = set(named[1].split(", "))
        elif not text:
            codes = set()
        elif codes:
            lines[number] = codes
    return lines


def complaints(found: Found, files: list[Path], checker: str) -> list[str]:
    """Lines that a checker judges otherwise than they say."""
    wrong = []
    for path in files:
        marked = expected(path, checker)
        if path.name.startswith("bad_") != bool(marked):
            wrong.append(f"{path.name}: bad_*.py marks lines, ok_*.py does not")
        got = {line: codes for (name, line), codes in found.items() if name == path.name}
        for line in sorted(marked.keys() | got.keys()):
            at, codes = f"{checker}: {path.name}:{line}", got.get(line, set())
            if line not in marked:
                wrong.append(f"{at} must pass, got {sorted(codes)}")
            elif not codes:
                wrong.append(f"{at} must be refused with {sorted(marked[line])}, but passes")
            elif not codes & marked[line]:
                wrong.append(f"{at} must be refused with {sorted(marked[line])}: {sorted(codes)}")
    return wrong


def main(checkers: tuple[Callable[[list[Path]], Found], ...] = (mypy, pyright)) -> int:
    """Run the checkers; 0 if every line is judged as it says."""
    files = sorted([*HERE.glob("ok_*.py"), *HERE.glob("bad_*.py")])
    wrong, missing = [], False
    for checker in checkers:
        name = checker.__name__
        try:
            wrong += complaints(checker(files), files, name)
        except (CheckerMissingError, json.JSONDecodeError) as error:
            print(
                f"{name} cannot run here, its part of the typing snippets is NOT CHECKED: {error}"
            )
            missing = True
    for line in wrong:
        print(line)
    if not wrong and not missing:
        print(f"{len(files)} typing snippets are judged as they say")
    return 1 if wrong or (missing and os.environ.get("CI")) else 0


if __name__ == "__main__":
    sys.exit(main())
