"""The README's table of features is that of features.csv, and every cell has its evidence."""

import re

import pytest

from validation import features

COMPARISON = features.SOURCE.with_name("COMPARISON.md").read_text("utf-8")


def section(title):
    """Text below a heading of COMPARISON.md, up to the next."""
    return COMPARISON.split(f"\n## {title}\n")[1].split("\n## ")[0]


def first_cells(text):
    return re.findall(r"^\| (.*?) \|", text, re.M)[1:]


def test_the_readme_has_the_table():
    readme = features.README.read_text("utf-8")
    assert features.rewritten(readme) == readme
    assert features.table() in readme


def test_a_table_that_disagrees_is_written_anew(monkeypatch, tmp_path):
    before = features.README.read_text("utf-8")
    readme = tmp_path / "README.md"
    readme.write_text(before.replace("| ICE | ✓ |", "| ICE | · |"), "utf-8")
    assert readme.read_text("utf-8") != before
    monkeypatch.setattr(features, "README", readme)
    assert features.main() == 0
    assert readme.read_text("utf-8") == before
    with pytest.raises(ValueError, match="must have one table of features, got 0"):
        features.rewritten("no table")


def test_every_package_has_its_version_and_every_note_its_text():
    header, *lines = features.read()
    versions = " ".join(first_cells(COMPARISON.split("## Notes")[0]))
    names = {"R's ale": "ale (R)", "lofo-imp.": "lofo-importance"}
    assert [name for name in header[1:] if names.get(name, name) not in versions] == []
    used = {features.note(cell)[1] for line in lines for cell in line} - {""}
    notes = set(re.findall(r"^(\d+)\. ", section("Notes"), re.M))
    # Two notes are of the table of versions.
    assert notes - used == {"18", "19"}
    assert used - notes == set()


@pytest.mark.parametrize("package", ["hidimstat", "effectplots"])
def test_every_cell_has_its_evidence(package):
    named = [features.note(line[0])[0] for line in features.read()[1:] if len(line) > 1]
    assert first_cells(section(f"{package}, cell by cell")) == named


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ICE,✓", "'ICE' must have 2 cells, got 1"),
        ("ICE,✓,yes 3", "'ICE' of ALEPlot must be of .* got 'yes 3'"),
    ],
)
def test_a_source_with_a_fault_is_refused(monkeypatch, tmp_path, line, message):
    source = tmp_path / "features.csv"
    source.write_text(f"feature,aleplot-py,ALEPlot\nGroup\n{line}\n", "utf-8")
    monkeypatch.setattr(features, "SOURCE", source)
    with pytest.raises(ValueError, match=message):
        features.read()
