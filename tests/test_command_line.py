"""``aleplot``: every command, its exit code, and no traceback for a mistake of the user."""

import importlib
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest

import aleplot_py
from aleplot_py import __main__ as command
from aleplot_py import doctor
from aleplot_py.datasets import DataNotFoundError, load_bike

ROOT = Path(__file__).parent.parent


def refused(arguments, capsys):
    """What is said about wrong arguments, on the last line."""
    with pytest.raises(SystemExit) as raised:
        command.main(arguments)
    assert raised.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


def test_the_entry_point_is_the_module():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["scripts"]["aleplot"].partition(":")
    assert getattr(importlib.import_module(module), name) is command.main
    ran = subprocess.run(
        [sys.executable, "-m", "aleplot_py", "--version"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert (ran.returncode, ran.stdout) == (0, f"aleplot-py {aleplot_py.__version__}\n")


def test_the_examples_of_the_help_are_taken(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "PARTS", {"r": lambda: [(True, "R 4.2.2", "")]})
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 0))
    with pytest.raises(SystemExit) as raised:
        command.main(["--help"])
    assert raised.value.code == 0
    shown = re.findall(r"^  aleplot (.*?)(?: {2,}.*)$", capsys.readouterr().out, re.M)
    assert len(shown) == 6
    assert [command.main(shlex.split(line)) for line in shown] == [0] * 6
    assert "R 4.2.2" in capsys.readouterr().out


def test_what_is_missing_is_said_with_what_mends_it(capsys, monkeypatch):
    """Requirements are read from the installed metadata; the code is 1."""
    requires = [
        "numpy>=1.26",
        "pandas (>=2.1)",
        'no-such-package>=2.0; extra == "figures"',
        "pandas>=1; extra == 'figures'",
        "numpy[some]>=999.1; extra == 'other'",
        "ruff>=0.8; extra == 'dev'",
        "sphinx>=8; extra == 'docs'",
        "rpy2>=3.6; extra == 'r'",
    ]
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: requires)
    assert command.main(["doctor", "packages"]) == 1
    first, core, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("ok       aleplot-py ")
    assert re.fullmatch(r"ok       effects, .* \(numpy [\d.]+\S*, pandas [\d.]+\S*\)", core)
    assert re.fullmatch(r"MISSING  LOFO, .* \(pandas [\d.]+\S*\)", rest[0])
    mend = "no-such-package is not installed; pip install 'aleplot-py[figures]'"
    assert rest[1].strip() == mend
    assert rest[2].startswith("MISSING  the extra 'other' (numpy ")
    assert rest[3].strip() == "numpy must be 999.1 or newer; pip install 'aleplot-py[other]'"
    assert len(rest) == 4


def test_a_package_that_is_only_on_the_path(monkeypatch):
    def missing(name):
        raise doctor.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(doctor.metadata, "requires", missing)
    assert list(doctor.packages())[1:] == [
        (False, "aleplot-py is on the path, but not installed", "pip install .")
    ]


def test_the_core_and_its_letters_are_well_where_the_tests_run():
    """The tests themselves need both; only letters that join are for the newest matplotlib."""
    core = [line for line in doctor.packages() if line[1].startswith("effects")]
    assert [good for good, _, _ in core] == [True]
    assert [good for good, _, _ in doctor.fonts()][:2] == [True, True]


def test_data_that_cannot_be_had(capsys, monkeypatch):
    """The report goes on after a data set that is missing, and downloads nothing."""

    def offline():
        assert os.environ["ALEPLOT_PY_OFFLINE"]
        raise DataNotFoundError("hour.csv was not found.")

    monkeypatch.delenv("ALEPLOT_PY_OFFLINE", raising=False)
    monkeypatch.setattr(doctor, "DATA", {"a": (offline, "A"), "bike": (load_bike, "B")})
    assert command.main(["doctor", "data"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "MISSING  data a",
        "         hour.csv was not found. 'aleplot data a' downloads what it can",
        "ok       data bike: 728 rows, 9 columns",
    ]
    assert "ALEPLOT_PY_OFFLINE" not in os.environ
    monkeypatch.setenv("ALEPLOT_PY_OFFLINE", "yes")
    assert command.main(["data", "a"]) == 1
    assert capsys.readouterr().err == "aleplot data: hour.csv was not found.\n"


def test_a_data_set_is_listed_shown_and_written(capsys, tmp_path):
    assert command.main(["data"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(doctor.DATA)
    file = tmp_path / "bike.csv"
    assert command.main(["data", "bike", "--out", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(": 728 rows, 9 columns")
    assert lines[1].split(maxsplit=1) == ["season", "WINTER, SPRING, SUMMER, FALL"]
    assert lines[-1] == f"written: {file}"
    assert (pd.read_csv(file)["cnt"] == load_bike()["cnt"]).all()


def test_mistakes_are_one_line(capsys, tmp_path):
    assert "part must be one of packages, r, fonts, data, got 'R'" in refused(
        ["doctor", "R"], capsys
    )
    assert "--out needs the name of a data set" in refused(["data", "--out", "x"], capsys)
    assert "invalid choice: 'bikes'" in refused(["data", "bikes"], capsys)
    assert "required: command" in refused([], capsys)
    file = tmp_path / "no" / "bike.csv"
    assert command.main(["data", "bike", "--out", str(file)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("aleplot data: ")
    assert str(file.parent) in line


def test_commands_of_a_checkout_are_started_there(capfd, monkeypatch, tmp_path):
    """In the folder one is in, with all that follows, and its exit code comes back."""
    for folder in ("aleplot_py", "reproductions", "validation"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
        source = "import sys; print(__package__, *sys.argv[1:]); sys.exit(7)"
        (tmp_path / folder / "__main__.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    assert command.main(["figures", "--set", "K=5", "--help"]) == 7
    assert command.main(["validate", "--cases", "2"]) == 7
    assert command.main(["certify", "--check", "x.json"]) == 7
    assert capfd.readouterr().out.splitlines() == [
        "reproductions --set K=5 --help",
        "validation --cases 2",
        "validation certify --check x.json",
    ]


@pytest.mark.parametrize("name", ["figures", "validate", "certify"])
def test_elsewhere_they_say_that_they_need_one(capsys, monkeypatch, tmp_path, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(aleplot_py, "__file__", str(tmp_path / "site" / "aleplot_py" / "x.py"))
    assert command.main([name]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"aleplot {name} needs a checkout of aleplot-py")


def test_an_interrupt_is_one_line(capsys, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor, "PARTS", {"r": interrupted})
    assert command.main(["doctor"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_a_reader_that_has_read_enough(tmp_path):
    """As ``aleplot data | head -0``: no complaint."""
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [sys.executable, "-m", "aleplot_py", "data"],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
    )
    os.close(writing)
    assert ran.stderr == ""
    assert ran.returncode == 1
