"""The tables name tests that exist; that of a test run counts what is identical."""

import re
from pathlib import Path

import pytest

from validation.parity_report import ParityReport

HERE = Path(__file__).parents[1]
TABLES = "".join((HERE / name).read_text("utf-8") for name in ("PARITY.md", "STANDARDS.md"))
NAMED = sorted(set(re.findall(r"`([\w/.]+)::(test_\w+)`", TABLES)))


def test_there_are_rows():
    """The pattern above still finds them."""
    assert len(NAMED) > 120


def test_what_is_identical_is_counted_where_it_was_judged(request):
    """As n of n, beside the grids; None is a last bit that cannot be expected."""
    report = ParityReport(request.config)
    for case, identical in (("a", True), ("b", False), ("c", None), ("d", True)):
        report.tiers["stored"].add(case, 1e-16, True, identical)
    report.tiers["base_r"].add("cut", None, True)
    head, stored, base_r = report.lines()[:3]
    assert head.split("  ")[0] == "tier"
    assert re.search(r"grids equal +identical +largest difference", head)
    assert re.search(r"^stored R results +4 +all +2 of 3 +1\.0e-16", stored)
    assert re.search(r"^base R live +1 +all +- +-", base_r)


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
