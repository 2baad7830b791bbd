"""The README's table of what packages have: ``python -m validation.features`` writes it there.

The table is ``features.csv``. A cell is a symbol, and the number of a note in COMPARISON.md where
it has one; a feature may have one too. A line with a single cell begins a group.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
SOURCE = Path(__file__).with_name("features.csv")
SYMBOLS = ("✓", "(✓)", "·", "?", "\N{EN DASH}")

_TABLE = re.compile(r"^\| \| aleplot-py \|.*?\n\n", re.M | re.S)
_NOTE = re.compile(r"^(.*) (\d+)$")


def read() -> list[list[str]]:
    """Lines of the source: the header, groups, features.

    Returns
    -------
    list of list of str
        Of each line its cells.

    Raises
    ------
    ValueError
        If a feature has a cell for too few or too many packages, or an unknown symbol.
    """
    with SOURCE.open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    for feature, *cells in lines:
        if cells and len(cells) != len(header) - 1:
            raise ValueError(f"{feature!r} must have {len(header) - 1} cells, got {len(cells)}")
        for package, cell in zip(header[1:], cells, strict=False):
            if note(cell)[0] not in SYMBOLS:
                raise ValueError(f"{feature!r} of {package} must be of {SYMBOLS}, got {cell!r}")
    return [header, *lines]


def note(cell: str) -> tuple[str, str]:
    """Split a cell.

    Parameters
    ----------
    cell : str
        Such as ``"(✓) 12"``.

    Returns
    -------
    tuple of (str, str)
        What it says, and the number of its note or nothing.
    """
    found = _NOTE.match(cell)
    return (found[1], found[2]) if found else (cell, "")


def table() -> str:
    """The table as Markdown.

    Returns
    -------
    str
        With the line that ends it.
    """
    header, *lines = read()
    columns = len(header) - 1
    written = [["", *header[1:]], ["---", *[":-:"] * columns]]
    for feature, *cells in lines:
        raised = [_raised(cell) for cell in (feature, *cells)]
        written.append(raised if cells else [f"**{feature}**", *[""] * columns])
    rows = ["|" + "|".join(f" {cell} " if cell else " " for cell in row) + "|" for row in written]
    rows[1] = "|".join(["", *written[1], ""])
    return "\n".join(rows) + "\n\n"


def _raised(cell: str) -> str:
    text, number = note(cell)
    return f"{text}<sup>{number}</sup>" if number else text


def rewritten(readme: str) -> str:
    """The README with this table in the place of its own.

    Parameters
    ----------
    readme : str
        Text of the README.

    Returns
    -------
    str
        The same around the table.

    Raises
    ------
    ValueError
        If the README has no such table.
    """
    text, found = _TABLE.subn(lambda _: table(), readme)
    if found != 1:
        raise ValueError(f"the README must have one table of features, got {found}")
    return text


def main() -> int:
    """Write the table into the README.

    Returns
    -------
    int
        0.
    """
    before = README.read_text(encoding="utf-8")
    README.write_text(rewritten(before), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
