"""Figures of one's own: a folder anywhere, and the script that it begins with."""

import json
import shutil
import sys

import pytest

import reproductions.figures
from reproductions import __main__ as command
from reproductions.engine import figure as engine
from reproductions.engine import own_paper, runner

SCRIPT = '''"""Sets {a, b} and their effect.

More of it.
"""
import pandas as pd
from ._shared import VALUE

def compute(c=1):
    return {"a": pd.DataFrame({"x": [0.0, 1.0], "y": [0.0, VALUE * c]})}

def draw(numbers, figure, text):
    figure.subplots().plot(*numbers["a"].to_numpy().T)
    figure.suptitle(text("ale"))
'''


@pytest.fixture
def paper(tmp_path):
    folder = tmp_path / "my paper"
    folder.mkdir()
    (folder / "_shared.py").write_text("VALUE = 2.0\n", encoding="utf-8")
    for name in ("fig10", "fig9"):
        (folder / f"{name}.py").write_text(SCRIPT, encoding="utf-8")
    # Neither a figure nor anything that a list of figures may run.
    (folder / "train.py").write_text("raise SystemExit('trained')\n", encoding="utf-8")
    return folder


def test_the_skeleton_runs_at_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command.main(["new", "my_paper/fig1"]) == 0
    assert "my_paper/fig1.py written" in capsys.readouterr().out
    script = tmp_path / "my_paper/fig1.py"
    assert script.read_bytes() == own_paper._SKELETON.read_bytes()
    assert command.main(["--from", "my_paper/", "--list"]) == 0
    assert (
        capsys.readouterr().out == "my_paper/fig1  -  Effect of x on the predictions of my model\n"
    )
    assert command.main(["--from", "my_paper/"]) == 0
    assert "my_paper/fig1" in capsys.readouterr().out
    out = tmp_path / "my_paper/paper_figures"
    names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert names == {
        ".made.json",
        "claims.json",
        "index.html",
        "manifest.json",
        "my_paper/fig1.ale.csv",
        "my_paper/fig1.pd.csv",
        "my_paper/fig1.png",
        "my_paper/fig1.svg",
    }
    record = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["figures"]
    assert record["my_paper/fig1"]["script"] == "my_paper/fig1.py"
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "python -m reproductions --from my_paper --check" in page
    assert 'href="../fig1.py"' in page
    assert command.main(["--from", "my_paper", "my_paper/fig1", "--check"]) == 0
    # Changed by its author, it is neither lost nor taken for what was drawn.
    script.write_text(script.read_text(encoding="utf-8").replace("** 2", "** 3"), encoding="utf-8")
    assert command.main(["new", "my_paper/fig1.py"]) == 2
    assert "my_paper/fig1.py is there already" in capsys.readouterr().err
    assert "** 3" in script.read_text(encoding="utf-8")


def test_a_folder_of_ones_own(paper, capsys):
    assert command.main(["--from", str(paper), "--list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in listed] == ["my paper/fig9", "my paper/fig10"]
    assert listed[0].endswith("Sets {a, b} and their effect")
    assert command.main(["--from", str(paper), "--jobs", "2", "--lang", "en,fa"]) == 0
    assert "2 of 2 figures are good" in capsys.readouterr().out
    out = paper / "paper_figures"
    assert (out / "my paper/fig9.fa.png").is_file()
    assert "Sets {a, b} and their effect." in (out / "index.html").read_text(encoding="utf-8")
    assert command.main(["--from", str(paper), "my paper/fig9", "--set", "c=3"]) == 0
    varied = paper / "build/figures-varied/my paper/fig9.a.csv"
    assert varied.read_text(encoding="utf-8").splitlines()[-1] == "1.0,6.0"


def test_what_scripts_share_is_part_of_their_digest(paper):
    (script, _), broken = engine.discover(paper)
    assert broken == {}
    before = script.digest()
    (paper / "_shared.py").write_text("VALUE = 3.0\n", encoding="utf-8")
    assert script.digest() != before


def test_a_script_that_cannot_be_imported_fails_and_the_others_are_drawn(paper, capsys):
    (paper / "fig11.py").write_text("def compute(:\n", encoding="utf-8")
    arguments = ["--from", str(paper), "--format", "svg", "--jobs", "1"]
    assert command.main(arguments) == 1
    shown = capsys.readouterr().out
    assert "SyntaxError" in shown
    assert "not good: my paper.fig11" in shown
    assert (paper / "paper_figures/my paper/fig9.svg").is_file()


def fails(arguments, capsys):
    """One line of complaint."""
    try:
        code = command.main(arguments)
    except SystemExit as stopped:
        code = stopped.code
    shown = capsys.readouterr()
    assert (code, shown.out) == (2, "")
    return shown.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["new"], "new takes one path, such as my_paper/fig1, got 0"),
        (["new", "a", "b"], "new takes one path, such as my_paper/fig1, got 2"),
        (["new", "{tmp}/1st"], "such as my_paper/fig1, got '{tmp}/1st'"),
        (["new", "{tmp}/_a"], "such as my_paper/fig1, got '{tmp}/_a'"),
        (["new", "{tmp}/file/a"], "new: {tmp}/file/a.py cannot be written: "),
        (
            ["--from", "{tmp}/none"],
            "{tmp}/none is not a folder; python -m reproductions new {tmp}/n",
        ),
        (
            ["--from", "{tmp}"],
            "{tmp} has no figure script; python -m reproductions new {tmp}/fig1 w",
        ),
        (
            ["--from", "{tmp}/my paper", "fig9"],
            "there is my paper, my paper/fig10, my paper/fig9; ",
        ),
        (["--from", "{tmp}/my paper", "--set", "b=1"], "has no setting 'b'; it has c=1"),
        (
            ["--from", "{tmp}/my paper", "--set", "c=a"],
            "c must be a whole number such as 1, got 'a'",
        ),
        (
            ["--from", "{tmp}/my paper", "--out", str(runner.ROOT / "paper_figures")],
            "is for the fi",
        ),
    ],
)
def test_a_mistake_is_told_in_a_line(tmp_path, paper, capsys, arguments, message):
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    told = fails([argument.format(tmp=tmp_path) for argument in arguments], capsys)
    assert message.format(tmp=tmp_path) in told


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("IDS = ('other/1',)", "the first id must begin with my paper/"),
        ("DATA = ('bikes',)", "DATA may be bike_edition2, "),
        ("MODEL = 'forest'", "MODEL may be "),
    ],
)
def test_a_wrong_name_in_a_script_is_told_in_a_line(paper, capsys, line, message):
    script = paper / "fig9.py"
    script.write_text(f"{SCRIPT}\n{line}\n", encoding="utf-8")
    told = fails(["--from", str(paper)], capsys)
    assert told.startswith("fig9.py: ")
    assert message in told


def test_a_folder_beside_the_others_is_found(tmp_path, monkeypatch, capsys):
    for source in ("zebra", "molnar3"):
        (tmp_path / source).mkdir()
        shutil.copy(own_paper._SKELETON, tmp_path / source / "extra.py")
    monkeypatch.setattr(engine, "FOLDER", tmp_path)
    monkeypatch.setattr(engine, "SOURCES", engine._sources(tmp_path))
    monkeypatch.setattr(reproductions.figures, "__path__", [str(tmp_path)])
    for name in [name for name in sys.modules if name.startswith("reproductions.figures.")]:
        monkeypatch.delitem(sys.modules, name)
    assert engine.SOURCES == ("molnar3", "zebra")
    assert command.main(["--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "molnar3/extra",
        "zebra/extra",
    ]
