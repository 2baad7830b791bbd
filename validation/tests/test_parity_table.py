"""The table of parity names tests that exist."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
NAMED = sorted(set(re.findall(r"`([\w/.]+)::(test_\w+)`", (HERE / "PARITY.md").read_text("utf-8"))))


def test_there_are_rows():
    """The pattern above still finds them."""
    assert len(NAMED) > 60


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_named_test_exists(file, name):
    """In ``validation/tests``, or in the folder that the table gives."""
    path = HERE.parent / file if "/" in file else HERE / "tests" / f"{file}.py"
    assert re.search(rf"^def {name}\(", path.read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_every_row_names_a_test():
    """No line of a table without one."""
    lines = (HERE / "PARITY.md").read_text("utf-8").splitlines()
    rows = [
        line
        for line in lines
        if line.startswith("| ") and not line.startswith(("| R |", "| input"))
    ]
    assert [line for line in rows if "::" not in line and "the same |" not in line] == []
