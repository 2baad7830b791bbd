"""The runner: what it writes, and what it leaves as it is."""

import errno
import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import aleplot_py
from aleplot_py.datasets.files import DataNotFoundError
from reproductions.engine import files, runner
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference
from tests.reproductions.shared import one_number, script


def test_a_failure_and_missing_data_do_not_stop_the_others(tmp_path):
    def fail():
        raise RuntimeError("the reason")

    def miss():
        raise DataNotFoundError("no such file anywhere")

    figures = [script("lofo/a", fail), script("lofo/b", miss), script("lofo/c", one_number)]
    outcomes = runner.run_all(figures, runner.Options(tmp_path, {"en": ("svg",)}), 1)
    assert [o.status for o in outcomes] == ["failed", "data missing", "no R numbers"]
    report = runner.report(outcomes)
    assert "RuntimeError: the reason" in report
    assert "1 of 3 figures are good" in report
    assert "lofo/b: data missing\nno such file anywhere" in report
    assert "not good: lofo/a, lofo/b" in report
    assert {p.name for p in (tmp_path / "lofo").iterdir()} == {"c.a.csv", "c.svg"}


def test_a_difference_from_r_is_reported(tmp_path, r_table):
    file = r_table(**{".value": [2.1], "x": [1.0]})
    figure = script("lofo/d", one_number, REFERENCE={"a": Reference(file)})
    outcome = runner.run(figure, runner.Options(tmp_path, {"en": ()}))
    assert outcome.status == "differs from R"
    assert "r.csv not matched" in outcome.problem
    assert outcome.difference == pytest.approx(0.1)


def draw(shade):
    """Draw nothing but a colour."""
    return lambda numbers, figure, text: figure.subplots().set_facecolor(shade)


@pytest.fixture
def finished(tmp_path):
    """Options, and a function that runs a figure of one number and returns what it changed."""

    def go(y=2.0, shade="white", formats=("png", "svg"), **changed):
        before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()}
        numbers = {"a": pd.DataFrame({"x": [1.0, 0.1], "y": [3.0, y]})}
        figure = script("lofo/f", lambda: numbers, draw=draw(shade))
        options = runner.Options(tmp_path, {"en": formats}, **changed)
        outcome = runner.run_all([figure], options, 1)[0]
        assert outcome.status == "no R numbers", outcome.problem
        after = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()}
        found = {p.name for p, time in after.items() if before.get(p) != time}
        assert {name.split("/")[1] for name in outcome.written} == found - REPORTS
        return found

    assert go() == NUMBERS | PICTURES | REPORTS
    return go


REPORTS = {"manifest.json", "claims.json", runner.MADE}
NUMBERS, PICTURES = {"f.a.csv"}, {"f.png", "f.svg"}


def test_what_is_up_to_date_is_left_as_it_is(finished):
    assert finished() == set()
    # The last bits of another machine.
    assert finished(y=np.nextafter(2.0, 3)) == set()
    assert finished(force=True) == NUMBERS | PICTURES | REPORTS
    # The picture does not show the number.
    assert finished(y=2.001) == NUMBERS | REPORTS


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("script_sha256", "0"),
        ("pictures_sha256", "0"),
        ("data_sha256", {"bike": "0"}),
        ("reference_sha256", {"r.csv": "0"}),
        ("model", {"name": "forest"}),
        ("matplotlib", "1.0"),
    ],
)
def test_what_was_made_from_something_else_is_drawn_again(finished, tmp_path, key, value):
    path = tmp_path / runner.MADE

    def age():
        stored = json.loads(path.read_text(encoding="utf-8"))
        assert key in stored["lofo/f"]["origin"]
        stored["lofo/f"]["origin"][key] = value
        path.write_text(json.dumps(stored), encoding="utf-8")

    age()
    # It shows the same: nothing that git keeps is written.
    assert finished() == {runner.MADE}
    age()
    assert finished(shade="red") == PICTURES | REPORTS


def test_a_fresh_clone_gets_what_git_does_not_keep_and_nothing_else(finished, tmp_path):
    (tmp_path / runner.MADE).unlink()
    (tmp_path / "lofo" / "f.svg").unlink()
    assert finished() == {"f.svg", runner.MADE}
    assert finished() == set()


def test_a_picture_packed_in_another_way_is_left_as_it_is(finished, tmp_path):
    path = tmp_path / "lofo" / "f.png"
    Image.open(path).convert("RGB").save(path, compress_level=0)
    assert finished() == {runner.MADE}
    assert finished() == set()


def test_versions_alone_change_nothing(finished, monkeypatch):
    other = runner._versions() | {"python": "3.99.0", "numpy": "9.0.0"}
    monkeypatch.setattr(runner, "_versions", lambda: other)
    assert finished() == set()


def test_a_missing_picture_is_drawn_again(finished, tmp_path):
    (tmp_path / "lofo" / "f.svg").unlink()
    assert finished() == {"f.svg", runner.MADE}


@pytest.mark.parametrize("name", ["lofo/f.a.csv", "lofo/f.png", "lofo/f.svg"])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.95])
def test_a_file_that_was_cut_is_made_whole(finished, tmp_path, name, share):
    path = tmp_path / name
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    assert finished() == {path.name, runner.MADE}
    assert path.read_bytes() == whole
    assert finished() == set()


@pytest.mark.parametrize("name", sorted(REPORTS))
@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "5", '"a"', '{"figures": 5}', '{"figures": {"lofo/f": []}}', "[" * 100_000],
)
def test_a_report_that_cannot_be_read_is_as_good_as_none(finished, tmp_path, name, content):
    path = tmp_path / name
    whole = path.read_bytes()
    path.write_text(content, encoding="utf-8")
    finished()
    if name != "claims.json":  # no claims, nothing to enter
        found = json.loads(path.read_text("utf-8"))
        assert {**found, **json.loads(whole)} == found
    assert finished() == set()


def test_claims_that_cannot_be_read_are_judged_again(tmp_path):
    claim = Claim("k", "One is one.", "it is {one}", lambda numbers: decide(True, one=1))
    figure = script("lofo/f", one_number, CLAIMS=(claim,))
    options = runner.Options(tmp_path, {"en": ("svg",)})
    runner.run_all([figure], options, 1)
    path = tmp_path / "claims.json"
    whole = path.read_bytes()
    assert b"it is 1" in whole
    for content in (whole[:40], b'{"figures": {"lofo/f": [5]}}', b"\xff"):
        path.write_bytes(content)
        runner.run_all([figure], options, 1)
        assert path.read_bytes() == whole
    # A claim that is worded differently is entered, also where nothing is drawn anew.
    other = Claim("k", "One is one.", "{one} it is", claim.check)
    figure = script("lofo/f", one_number, CLAIMS=(other,))
    (tmp_path / runner.MADE).unlink()
    runner.run_all([figure], options, 1)
    assert b"1 it is" in path.read_bytes()


@pytest.mark.parametrize(
    ("found", "same"),
    [
        (1234.5 * (1 + 1e-15), True),
        (1234.5 * (1 + 2e-9), False),
        (1234, False),
        ("1234.5", False),
    ],
)
def test_a_claim_is_not_outdated_by_the_last_bits_of_another_machine(tmp_path, found, same):
    numbers = {"value": 1234.5}
    claim = Claim("k", "So it is.", "it is {value}", lambda _: decide(True, **numbers))
    figure = script("lofo/f", one_number, CLAIMS=(claim,))
    options = runner.Options(tmp_path, {"en": ("svg",)})
    assert runner.run_all([figure], options, 1)[0].status == "no R numbers"
    numbers["value"] = found
    outcome = runner.run(figure, runner.Options(tmp_path, {"en": ("svg",)}, check=True))
    assert outcome.status == ("no R numbers" if same else "claims outdated")


def test_a_full_disk_leaves_what_was_there(finished, tmp_path, monkeypatch):
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    figure = script("lofo/f", one_number, draw=draw("red"))
    options = runner.Options(tmp_path, {"en": ("png", "svg")})
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        assert runner.run(figure, options).status == "failed"
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


def test_a_run_that_is_stopped_keeps_what_it_finished(tmp_path):
    def stop():
        raise KeyboardInterrupt

    figures = [script("lofo/f", one_number), script("lofo/g", stop)]
    options = runner.Options(tmp_path, {"en": ("svg",)})
    with pytest.raises(KeyboardInterrupt):
        runner.run_all(figures, options, 1)
    assert set(runner.read_reports(tmp_path)[0]) == {"lofo/f"}
    assert not runner.run_all(figures[:1], options, 1)[0].written
    made = files.read_json(tmp_path / runner.MADE)["lofo/f"]["files"]
    assert made == {name: files.sha256(tmp_path / name) for name in ("lofo/f.a.csv", "lofo/f.svg")}


def test_the_version_of_a_checkout_is_recorded():
    assert runner._versions()["aleplot-py"] == aleplot_py.__version__
