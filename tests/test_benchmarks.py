"""``python -m validation.benchmarks``: what is measured, compared and written. No clock is read."""

import dataclasses
import json

import pytest

from reproductions.engine import files
from validation.benchmarks import __main__ as command
from validation.benchmarks import report, run, worker
from validation.benchmarks.rows import GROWTH, ROWS, Comparison, Process, Row

PLACES = run.Places("python", None)
# Options by which a case is made and run in no time.
SMALL = {
    "automatic": "n=200",
    "bands": "n=200 n_boot=20",
    "batches": "n=200",
    "cells": "size=8",
    "cheap": "n=200",
    "every": "n=200",
    "left_out": "n=200",
    "levels": "n=200 count=5 p=3",
    "profiles": "n=200",
    "streamed": "n=300 p=2",
    "trees": "kind=forest n=200 p=3",
    "wide": "p=5 n=200",
}


def answers(*commands):
    """What the process says, through JSON."""
    return [json.loads(json.dumps(said)) for said in worker.answer(commands)]


@pytest.fixture
def quick(monkeypatch, tmp_path):
    monkeypatch.setattr(worker, "LEAST", 0)
    monkeypatch.chdir(tmp_path)  # where a case may write


@pytest.mark.parametrize("name", SMALL)
def test_every_case_gives_tasks_that_run(quick, name):
    (case,) = answers(f"case {name} {SMALL[name]}")
    assert case["versions"]["aleplot-py"]
    tasks = [f"run {task}" for task in case["tasks"]]
    seconds = answers(f"case {name} {SMALL[name]}", *tasks)[1:]
    assert len(seconds) == len(tasks) > 0
    assert all(isinstance(value, float) for value in seconds)


def test_every_row_asks_for_what_its_case_has(quick):
    """A task may be missing where its package is; nothing is misspelt."""
    offered = {name: answers(f"case {name} {SMALL[name]}")[0]["tasks"] for name in SMALL}
    packages = {"PyALE", "effector", "lofo-importance"}
    others = {"main by predict", "pair by predict"}  # where `ale` has a method
    assert {row.name for row in ROWS} >= set(GROWTH)
    assert len({row.name for row in ROWS}) == len(ROWS)
    for row in ROWS:
        for comparison in row.comparisons:
            for name, task in (comparison.ours, *comparison.against, *comparison.also):
                process = comparison.processes[name]
                if process.runner != "R":
                    assert task in {*offered[process.case], *packages, *others}, (row.name, task)


def test_what_a_process_grows_by(quick, monkeypatch):
    """64 megabytes are seen, as far as the system tells; so much is never what was freed before."""
    held = {"array": lambda: worker.np.ones(2**23)}
    monkeypatch.setitem(worker.CASES, "held", lambda: (held, {}))
    grown = answers("case held", "memory array")[1]
    assert grown is None or grown > 60 * 2**20
    monkeypatch.setattr(worker.Path, "write_text", lambda *_, **__: (_ for _ in ()).throw(OSError))
    assert answers("case held", "memory array")[1] is None


def test_a_process_of_its_own(tmp_path):
    """It answers until it is told to do what it cannot; its last words are those of the error."""
    places = run.Places(run.sys.executable, None)
    process = run.Worker(Process("here", "cells", {"size": 8}), places, tmp_path)
    assert process.case["tasks"] == ["uneven", "lattice"]
    assert process.ask("run uneven") > 0
    with pytest.raises(RuntimeError, match="'run nothing' ended its process: KeyError: 'nothing'"):
        process.ask("run nothing")


def _line(label, ours, *against, case="case", runner="here", times=None, **options):
    names = {name for name, _ in (ours, *against)}
    processes = {name: Process(name if name in ("R", "0.1.0") else runner, case, options)
                 for name in names}  # fmt: skip
    line = Comparison(label, processes, ours, against)
    return line if times is None else dataclasses.replace(line, times=times)


SECONDS = {"ours": 2.0, "theirs": 4.0, "quicker": 1.0}


class Canned:
    """A process whose tasks take what was said."""

    missing = ()
    memory = 250

    def __init__(self, process, places, folder):
        if process.runner in self.missing:
            raise run.NotThereError(f"{process.runner} is not there")
        self.case = {
            "tasks": list(SECONDS),
            "numbers": {"column": 100.0},
            "versions": {"numpy": "2"},
        }

    def ask(self, command):
        what, _, task = command.partition(" ")
        return self.memory if what == "memory" else SECONDS[task]

    def end(self):
        pass


@pytest.fixture
def canned(monkeypatch):
    monkeypatch.setattr(run, "Worker", Canned)
    return monkeypatch


@pytest.mark.parametrize(
    ("line", "value", "missing"),
    [
        (_line("", ("here", "ours"), ("here", "theirs")), 0.5, []),
        (_line("", ("here", "ours"), ("here", "theirs"), ("here", "quicker")), 2.0, []),
        (_line("", ("here", "ours"), ("here", "theirs"), times=lambda numbers: 2), 0.25, []),
        (_line("", ("here", "ours")), 2.0, []),
        (
            _line("", ("here", "ours"), ("here", "theirs"), ("here", "none")),
            0.5,
            ["none is not installed"],
        ),
        (_line("", ("here", "none"), ("here", "ours")), None, ["none is not installed"]),
        (_line("", ("here", "ours"), ("R", "theirs")), None, ["R is not there"]),
        (
            _line("", ("here", "ours"), ("R", "quicker"), ("here", "theirs")),
            0.5,
            ["R is not there"],
        ),
    ],
    ids=["ratio", "quickest", "times", "seconds", "one missing", "ours", "all", "runner"],
)
def test_a_comparison(canned, line, value, missing):
    canned.setattr(Canned, "missing", ("R",))
    (found,) = run.measure(Row("r", "t", 1, [line]), PLACES)["lines"]
    assert found["value"] == value
    assert found["missing"] == missing


def test_a_row_that_fails_leaves_the_others(canned):
    def ended(worker, command):
        raise RuntimeError(f"{command!r} ended its process: no memory")

    canned.setattr(Canned, "ask", ended)
    row = Row("r", "t", 1, [_line("", ("here", "ours"))])
    (line,) = run.measure(row, PLACES)["lines"]
    assert line["missing"] == ["'run ours' ended its process: no memory"]
    assert report.verdict(row, {"lines": [line]}) == "not measured"


def test_memory_is_a_multiple_of_what_the_case_says(canned):
    row = Row("r", "t", 4, [_line("", ("here", "ours"))], unit="memory", of="column")
    assert run.measure(row, PLACES)["lines"][0]["value"] == 2.5
    canned.setattr(Canned, "memory", None)
    (line,) = run.measure(row, PLACES)["lines"]
    assert line["value"] is None
    assert report.verdict(row, {"lines": [line]}) == "not measured"


@pytest.mark.parametrize(
    ("values", "identical", "said"),
    [
        ([0.5, 1.0], None, "reached"),
        ([0.5, 1.1], None, "missed"),
        ([0.5, None], None, "not measured"),
        ([0.5], True, "reached"),
        ([0.5], False, "missed"),
    ],
)
def test_verdicts(values, identical, said):
    row = Row("r", "t", 1.0, [], identical=identical is not None)
    lines = [{"label": "l", "value": value, "missing": [], "identical": identical}
             for value in values]  # fmt: skip
    assert report.verdict(row, {"lines": lines}) == said
    assert said in "\n".join(report.lines(row, {"lines": lines}))


def test_no_r(monkeypatch, tmp_path):
    monkeypatch.setattr(run.shutil, "which", lambda name: None)
    with pytest.raises(run.NotThereError, match="R is not installed"):
        run.Worker(Process("R", "cheap", {"n": 10, "p": 2}), PLACES, tmp_path)
    with pytest.raises(run.NotThereError, match=r"0\.1\.0 is not in the history"):
        run.Worker(Process("0.1.0", "cheap", {"n": 10, "p": 2}), PLACES, tmp_path)


@pytest.fixture
def started(monkeypatch, tmp_path):
    """The command, which measures by counting, in a folder of its own."""
    measured = []

    def measure(row, places):
        measured.append(row.name)
        return {"row": row.name, "lines": [line_of(row)]}

    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "measure", measure)
    monkeypatch.setattr(run, "first_release", lambda folder: None)
    return measured


def line_of(row, value=0.5):
    seconds = {"aleplot-py": 0.1, "PyALE": 0.2, "bare": 0.01}
    return {"label": "n = 10", "at": 10, "value": value, "seconds": seconds, "missing": ["R"],
            "identical": True, "versions": {"numpy": "2"}}  # fmt: skip


def test_a_run_goes_on_where_it_stopped(started, monkeypatch, tmp_path, capsys):
    measure = run.measure
    monkeypatch.setattr(run, "measure", lambda row, places: (_ for _ in ()).throw(KeyboardInterrupt)
                        if row.name == "pd" else measure(row, places))  # fmt: skip
    assert command.main(["n", "pd", "--python", "python"]) == 130
    assert "interrupted; what was measured is in" in capsys.readouterr().err
    monkeypatch.setattr(run, "measure", measure)
    assert command.main(["n", "pd", "--python", "python"]) == 0
    assert started == ["n", "pd"]
    assert command.main(["n", "--python", "python", "--force"]) == 0
    assert started == ["n", "pd", "n"]
    assert not (tmp_path / "paper_figures").exists()


def test_a_missed_goal_is_the_exit_code(started, monkeypatch):
    monkeypatch.setattr(
        run, "measure", lambda row, places: {"row": row.name, "lines": [line_of(row, 99.0)]}
    )
    assert command.main(["n", "--python", "python"]) == 1


def test_the_report_of_all_rows(started, tmp_path):
    out = tmp_path / "out"
    command.main(["--python", "python", "--out", str(out)])
    assert sorted(path.name for path in out.iterdir()) == [
        "benchmarks.json",
        "benchmarks.md",
        "growth.png",
    ]
    table = (out / "benchmarks.md").read_text("utf-8")
    for row in ROWS:
        assert f"| {row.name} | {row.title} | n = 10 | 0.5" in table
    assert "- n: R" in table
    assert "Versions: numpy 2." in table


def test_mistakes_are_refused(started, capsys, tmp_path):
    for arguments, message in (
        (["speed"], "row must be one of forest, "),
        (["--out", str(tmp_path / "file" / "x")], "argument --out: "),
    ):
        (tmp_path / "file").touch()
        with pytest.raises(SystemExit) as raised:
            command.main(arguments)
        assert raised.value.code == 2
        assert message in capsys.readouterr().err


def test_what_the_readme_claims_was_measured():
    """Sentences and table are those of the results in paper_figures."""
    content = files.read_json(report.FOLDER / report.RESULTS)
    assert {result["row"] for result in content["results"]} == {row.name for row in ROWS}
    readme = report.README.read_text("utf-8")
    assert report.with_claims(readme, report.claims(content["results"])) == readme
    assert report.table(report.FOLDER) == (report.FOLDER / "benchmarks.md").read_text("utf-8")


def test_claims():
    values = {"n": [0.5, 0.025], "forest": [3.25], "boosted": [1.2], "xgboost": [3.9]}
    rows = {row.name: row for row in ROWS}
    results = [
        {"row": name, "lines": [line_of(rows[name], value) for value in found]}
        for name, found in values.items()
    ]
    first, second = report.claims(results)
    assert "takes 0.025 to 0.5 times as long as that of the quickest other package (PyALE)" in first
    assert first.endswith("it is the quickest in each.")
    assert second.endswith("3.2 of a forest, 1.2 of HistGradientBoosting, 3.9 of XGBoost.")
    results[0]["lines"][0]["value"] = 2.0
    assert report.claims(results)[0].endswith("at 1,000 to 100,000 rows.")
    results[0]["lines"][0]["value"] = None
    assert len(report.claims(results)) == 1
    with pytest.raises(ValueError, match="the README must have a line"):
        report.with_claims("no place", [])


def test_lines_of_growth_are_those_of_the_results():
    rows = {row.name: row for row in ROWS}
    results = [
        {"row": name, "lines": [line_of(rows[name]), line_of(rows[name]) | {"at": 100}]}
        for name in GROWTH
    ]
    figure = report.growth(results)
    assert [panel.get_xlabel() for panel in figure.axes] == list(GROWTH.values())
    for panel in figure.axes:
        assert (panel.get_xscale(), panel.get_yscale()) == ("log", "log")
        assert [line.get_xydata().tolist() for line in panel.lines] == [
            [[10, seconds], [100, seconds]] for seconds in (0.1, 0.2, 0.01)
        ]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["aleplot-py", "PyALE", "bare"]


def test_the_peers_are_installed_once(monkeypatch, tmp_path):
    """Anew where what is wanted changes; the reason is told where they cannot be had."""
    ran = []
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["numpy>=1.26"]\n')
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run.subprocess, "run", lambda command, **_: ran.append(command))
    python = str(tmp_path / ".venv-peers" / "bin" / "python")
    assert [run.interpreter(None), run.interpreter(None)] == [python, python]
    assert len(ran) == 2
    wanted = (tmp_path / ".venv-peers" / "wanted.txt").read_text("utf-8").splitlines()
    assert {"numpy>=1.26", "PyALE", "effector", "lofo-importance"} <= set(wanted)
    assert run.interpreter("other") == "other"

    def failing(command, **_):
        raise run.subprocess.CalledProcessError(1, "pip")

    monkeypatch.setattr(run.subprocess, "run", failing)
    assert run.interpreter(None) == python
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["numpy>=2"]\n')
    with pytest.raises(run.NotThereError, match=r"the peers could not be installed .*--python"):
        run.interpreter(None)
    assert command.main(["n"]) == 1
