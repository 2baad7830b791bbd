"""``python -m reproductions.lab``: build the laboratory and check its arithmetic."""

import argparse
import sys
from collections.abc import Sequence

from reproductions.lab import arithmetic, build


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the page, or check that it is up to date, and compare its arithmetic with Python's.

    Parameters
    ----------
    arguments : sequence of str, optional
        Command line, by default the process's.

    Returns
    -------
    int
        0 if all is well, 1 if a case differs or, with ``--check``, the page is not up to date.
    """
    parser = argparse.ArgumentParser(prog="python -m reproductions.lab", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(arguments)
    page = build.page()
    if not options.check:
        build.OUT.write_text(page, encoding="utf-8")
        sys.stdout.write(f"laboratory: {build.OUT}\n")
    elif not build.OUT.exists() or build.OUT.read_text(encoding="utf-8") != page:
        sys.stderr.write(f"{build.OUT} is not what its sources give: run make lab\n")
        return 1
    if arithmetic.NODE is None:
        sys.stdout.write("arithmetic: not compared, for Node is not installed\n")
        return 0
    equal, different = arithmetic.differences()
    cases = sum(arithmetic.CASES.values())
    sys.stdout.write(f"arithmetic: {sum(equal.values())} of {cases} cases equal to Python's\n")
    sys.stderr.write("".join(f"{line}\n" for line in different))
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main())
