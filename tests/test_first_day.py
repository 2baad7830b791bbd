"""The first day of four people, each a script written from README and docstrings alone."""

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "first_day"
LONGEST = 40
# The scripts, what they leave behind, and what they say.
DAYS = {
    "data_scientist": (
        {"effects.png", "seasons.png", "temperature.png", "models.png", "pair.png", "temp.json"},
        [
            r"20 degrees instead of 0: +",
            "most important: cnt_2d_bfr",
            "kept to the last bit: True",
        ],
    ),
    "r_user": (
        {"factor.png"},
        [
            # The definition on these values: x2 has mean 1/2, and "b" adds 2.
            "[0.01307758 0.1255551  0.21092575",
            "interaction from -0.26 to 0.24",
            "slope 0.514, mean of x2 0.514, order ['a', 'b', 'c']",
        ],
    ),
    "lecturer": (
        {"three_methods.png", "K.png", "rows.png", "slide.tr.png", "slide.fa.png"},
        [
            "ALE: coefficient of the square -0.45",
            "PD: coefficient of the square -0.00",
            "M-plot: coefficient of the square -0.",
            "points of the varied figure: 6",
        ],
    ),
    "replicator": (
        {"mine", "mine.json"},
        [
            "equal to R",
            "21 points, 243 test days",
            "days in the paper's split: 243",
            "grid within the data: True",
            "slope of a line: 10.000000",
        ],
    ),
}
DRAWN = ("lecturer", "replicator")


def test_every_script_is_played():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(DAYS)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.figures if n in DRAWN else ()) for n in DAYS]
)
def test_a_first_day(name, tmp_path, monkeypatch, capsys, close_figures):
    path = FOLDER / f"{name}.py"
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    files, said = DAYS[name]
    assert {file.name for file in tmp_path.iterdir()} == files
    printed = capsys.readouterr().out
    assert [line for line in said if line not in printed] == []
