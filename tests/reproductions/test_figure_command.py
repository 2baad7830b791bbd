"""``python -m reproductions``: its arguments, its runs, and what becomes of one that is stopped."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reproductions import __main__ as command
from reproductions.engine import files, pictures, runner
from reproductions.engine.reference import read_csv
from tests.reproductions.shared import BY_ID, FIGURES, QUICK, computed, one_number, script


def test_check_writes_nothing_and_finds_missing_numbers(tmp_path, capsys):
    out = tmp_path / "new"
    assert command.main([QUICK, "--check", "--out", str(out)]) == 1
    assert not out.exists()
    assert "differs from committed" in capsys.readouterr().out


def test_check_passes_on_what_the_runner_wrote_until_it_changes(tmp_path, capsys):
    assert command.main([QUICK, "--lang", "tr", "--format", "pdf,svg", "--out", str(tmp_path)]) == 0
    names = {path.name for path in (tmp_path / "molnar3").iterdir()}
    assert names == {"20.4.tr.pdf", "20.4.tr.svg", "20.4.points.csv", "20.4.background.csv"}
    assert command.main([QUICK, "--check", "--out", str(tmp_path)]) == 0
    path = tmp_path / "molnar3" / "20.4.points.csv"
    table = read_csv(path)
    table.assign(y=table["y"] + 1e-6).to_csv(path, index=False)
    assert command.main([QUICK, "--check", "--out", str(tmp_path)]) == 1
    assert "y differs by" in capsys.readouterr().out


def test_check_finds_pictures_of_an_older_script(tmp_path, capsys, monkeypatch):
    arguments = [QUICK, "--out", str(tmp_path)]
    assert command.main([*arguments, "--lang", "tr,en", "--format", "png"]) == 0
    assert command.main([*arguments, "--check"]) == 0
    path = tmp_path / f"{QUICK}.png"
    other = (tmp_path / f"{QUICK}.tr.png").read_bytes()
    capsys.readouterr()

    def problem():
        assert command.main([*arguments, "--check"]) == 1
        shown = capsys.readouterr().out
        assert "pictures outdated" in shown
        return shown

    whole = path.read_bytes()
    path.write_bytes(whole[:-500])
    assert f"{QUICK}.png is not the picture that manifest.json has" in problem()
    path.unlink()
    assert f"{QUICK}.png is missing" in problem()
    path.write_bytes(whole)
    with monkeypatch.context() as patch:
        patch.setattr(pictures, "render", lambda *_, **__: {"png": other})
        assert f"{QUICK}.png is not what its script draws" in problem()
    assert command.main([*arguments, "--check"]) == 0


def test_check_judges_the_claims_again(tmp_path, capsys):
    arguments = [QUICK, "--out", str(tmp_path)]
    assert command.main([*arguments, "--lang", "en", "--format", "svg"]) == 0
    assert command.main([*arguments, "--check"]) == 0
    path = tmp_path / "claims.json"
    whole = path.read_text(encoding="utf-8")

    def problem(change):
        stored = json.loads(whole)
        change(stored["figures"][QUICK])
        path.write_text(json.dumps(stored), encoding="utf-8")
        capsys.readouterr()
        assert command.main([*arguments, "--check"]) == 1
        shown = capsys.readouterr().out
        assert "claims outdated" in shown
        return shown

    key = json.loads(whole)["figures"][QUICK][0]["key"]
    (number, value), *_ = json.loads(whole)["figures"][QUICK][0]["numbers"].items()
    for name, other in (("verdict", "partly"), ("claim", "Another."), ("evidence", "None.")):
        text = problem(lambda claims, name=name, other=other: claims[0].update({name: other}))
        assert f"claims.json: {name} of {key} is not what is found today" in text
    for other in (value + 1e-6, value * 2 + 1, str(value), None):
        text = problem(lambda claims, other=other: claims[0]["numbers"].update({number: other}))
        assert f"claims.json: numbers of {key} is not what is found today" in text
    assert f"claims.json: {key} is missing" in problem(lambda claims: claims.pop(0))
    added = problem(lambda claims: claims.append({**claims[0], "key": "invented"}))
    assert "claims.json: there is no claim invented" in added
    path.write_text(whole, encoding="utf-8")
    assert command.main([*arguments, "--check"]) == 0


def test_the_same_run_again_changes_no_file(tmp_path, capsys):
    arguments = [
        QUICK,
        "molnar3/20.3",
        "--lang",
        "en",
        "--format",
        "png,svg",
        "--out",
        str(tmp_path),
    ]
    contents = []
    for jobs in ("1", "2"):
        assert command.main([*arguments, "--jobs", jobs]) == 0
        contents.append({p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()})
    assert contents[0] == contents[1]
    assert "0 written to" in capsys.readouterr().out
    # Drawn anew by another process, every byte is the same too.
    assert command.main([*arguments, "--force", "--jobs", "2"]) == 0
    assert {p: p.read_bytes() for p in contents[0]} == contents[0]


def test_a_run_of_one_figure_keeps_the_others_entries(tmp_path):
    common = ["--lang", "en", "--format", "png", "--out", str(tmp_path)]
    # Without claims, with claims, and again: no entry is lost or needed.
    for name in ("molnar3/20.3", QUICK, "molnar3/20.3"):
        assert command.main([name, *common]) == 0
    entries = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))["figures"]
    assert set(entries) == {QUICK, "molnar3/20.3"}


def test_list_and_unknown_names(capsys):
    assert command.main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(FIGURES)
    assert any(line.startswith("molnar3/20.4 = molnar2/8.9") for line in lines)
    assert command.main(["nothing"]) == 2
    assert "'nothing' is neither" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command.main(["--lang", "de"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--jobs", "0"], "argument --jobs: must be 1 or more, got 0"),
        (["--jobs", "-3"], "argument --jobs: must be 1 or more, got -3"),
        (["--data", "{tmp}/none"], "argument --data: {tmp}/none is not a folder"),
        (["--data", "{tmp}/file"], "argument --data: {tmp}/file is not a folder"),
        (["--out", "{tmp}/file"], "argument --out: {tmp}/file is not a folder"),
        (["--out", "{tmp}/file/below"], "argument --out: {tmp}/file is not a folder"),
        (["--out", "{tmp}/file", "--check"], "argument --out: {tmp}/file is not a folder"),
        # Not even an administrator writes there.
        (["--out", "/proc/figures"], "argument --out: /proc cannot be written to: "),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_computed(
    tmp_path, capsys, monkeypatch, arguments, message
):
    monkeypatch.setattr(runner, "run_all", lambda *_: pytest.fail("computed"))
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    with pytest.raises(SystemExit) as stopped:
        command.main([QUICK, *(argument.format(tmp=tmp_path) for argument in arguments)])
    assert stopped.value.code == 2
    assert message.format(tmp=tmp_path) in capsys.readouterr().err


def test_the_output_folder_may_be_new_and_is_not_made_by_a_check(tmp_path):
    folder = tmp_path / "a" / "b"
    assert files.why_not_writable(folder) is None
    assert not folder.parent.exists()


# The second figure never ends. Worker processes import this program too.
WAITING = """
import sys, threading
from reproductions import __main__ as command
from reproductions.figures.aleplot import fig2

fig2.compute = lambda: threading.Event().wait()
if __name__ == "__main__":
    sys.exit(command.main())
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_ends_a_run_with_one_line(tmp_path, jobs):
    program = tmp_path / "waiting.py"
    program.write_text(WAITING, encoding="utf-8")
    # A group of its own, which a terminal would interrupt as a whole.
    process = subprocess.Popen(
        [sys.executable, program, QUICK, "aleplot/2", "--jobs", jobs, "--out", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(runner.ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not (tmp_path / "manifest.json").exists() and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=600)
    assert (output, errors) == ("", "interrupted; figures that were done are kept\n")
    assert process.returncode == 130
    assert set(runner.read_reports(tmp_path)[0]) == {QUICK}


def test_an_interrupt_that_a_library_swallows_ends_the_run_after_the_figure(tmp_path, capsys):
    def compute():
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return one_number()

    def later():
        pytest.fail("the run went on")

    before = signal.getsignal(signal.SIGINT)
    figures = [script("molnar3/0", compute), script("molnar3/1", later)]
    with pytest.raises(KeyboardInterrupt):
        runner.run_all(figures, runner.Options(tmp_path, {}), 1)
    assert set(runner.read_reports(tmp_path)[0]) == {"molnar3/0"}
    assert signal.getsignal(signal.SIGINT) is before


def test_data_folder_is_looked_at_first(tmp_path, monkeypatch, capsys):
    # Set first, so that monkeypatch restores what the command changes.
    monkeypatch.setenv("ALEPLOT_PY_DATA", "elsewhere")
    (tmp_path / "bike_sharing_day.csv").write_text("season\n1\n", encoding="utf-8")
    code = command.main(["molnar3/20.6", "--data", str(tmp_path), "--check"])
    assert code == 1
    assert f"{tmp_path}/bike_sharing_day.csv could not be read" in capsys.readouterr().out


@pytest.mark.figures
def test_models_refitted_in_scikit_learn_are_reported_as_such(tmp_path, capsys):
    computed(BY_ID["molnar3/20.8"])
    arguments = ["molnar3/20.8", "--model", "sklearn", "--lang", "en", "--format", "svg"]
    assert command.main([*arguments, "--out", str(tmp_path)]) == 0
    assert "scikit-learn" in capsys.readouterr().out
    record = json.loads((tmp_path / "manifest.json").read_text())["figures"]["molnar3/20.8"]
    assert record["model"] == {"name": "book3_penguin_forest", "from": "sklearn"}
    assert record["comparison"] == {}


def test_default_folders_keep_refitted_models_apart():
    assert command._default_folder("r") == Path(runner.ROOT / "paper_figures")
    assert command._default_folder("sklearn") == Path(runner.ROOT / "build/figures-sklearn")
