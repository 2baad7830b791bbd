"""The judge of the typing snippets, which `make lint` runs, sees what is wrong with them."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "typing" / "check.py"
SPEC = importlib.util.spec_from_file_location("typing_snippets", SCRIPT)
check = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check)

BAD = """x = 1

# A comment.
# E: mypy[attr-defined, arg-type] pyright[reportCallIssue]
x.y
x.z

x
"""


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / "ok_calls.py", tmp_path / "bad_calls.py"]
    for path, text in zip(paths, ("x = 1\n", BAD), strict=True):
        path.write_text(text)
    return paths


RIGHT = {("bad_calls.py", 5): {"attr-defined"}, ("bad_calls.py", 6): {"arg-type", "misc"}}


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        (RIGHT, []),
        (
            {("bad_calls.py", 5): {"attr-defined"}},
            ["mypy: bad_calls.py:6 must be refused with ['arg-type', 'attr-defined'], but passes"],
        ),
        (
            RIGHT | {("bad_calls.py", 6): {"misc"}},
            ["mypy: bad_calls.py:6 must be refused with ['arg-type', 'attr-defined']: ['misc']"],
        ),
        (
            RIGHT | {("bad_calls.py", 8): {"misc"}},
            ["mypy: bad_calls.py:8 must pass, got ['misc']"],
        ),
        (
            RIGHT | {("ok_calls.py", 1): {"misc"}},
            ["mypy: ok_calls.py:1 must pass, got ['misc']"],
        ),
    ],
)
def test_every_line_is_judged_as_it_says(files, found, wrong):
    assert check.complaints(found, files, "mypy") == wrong


def test_the_other_checker_has_codes_of_its_own(files):
    assert check.expected(files[1], "pyright") == {n: {"reportCallIssue"} for n in (5, 6)}


def test_a_bad_snippet_marks_its_lines(files):
    files[1].write_text("x.y\n")
    assert check.complaints({}, files, "mypy") == [
        "bad_calls.py: bad_*.py marks lines, ok_*.py does not"
    ]


def test_a_checker_that_cannot_run_fails_in_ci_only(monkeypatch, capsys):
    def pyright(files):
        raise check.CheckerMissingError("no Node")

    monkeypatch.delenv("CI", raising=False)
    assert check.main((pyright,)) == 0
    assert "NOT CHECKED: no Node" in capsys.readouterr().out
    monkeypatch.setenv("CI", "true")
    assert check.main((pyright,)) == 1
