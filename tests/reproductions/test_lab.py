"""The laboratory: its arithmetic, the Python that it shows, its exercises and messages."""

import contextlib
import io
import json
import runpy
import string
import struct
import subprocess

import numpy as np
import pytest

from reproductions.engine.texts import LANGUAGES
from reproductions.lab import __main__ as command
from reproductions.lab import arithmetic, build

# Least squares are solved in another way there, and numpy adds the origin of automatic slopes in
# pairs; all other numbers of the scenes are equal to the last bit.
CLOSE = {"parabola": 1e-12, "twin": 1e-12, "automatic": 1e-12}
# Answers that both sides compute in plain doubles.
ROUNDING = 1e-9

needs_node = pytest.mark.skipif(arithmetic.NODE is None, reason="Node is not installed")

#: Settings away from the first ones, of which each scene takes those that it knows.
VARIED = [
    {"n": 60, "rho": 0.5, "K": 7, "seed": 9, "sd": 0.4, "model": "additive", "shift": 0.5},
    {"n": 31, "rho": -0.5, "K": 3, "seed": 4, "sd": 0.5, "model": "product", "shift": -1.5}
    | {"moved": {"3": [0.25, 0.75], "0": [1, 0.1]}, "method": "m", "case": "interaction"},
    {"n": 50, "rho": 0.3, "K": 10, "seed": 77, "grid": "equidistant", "method": "ale"}
    | {"model": "curved", "at": 0.4, "width": 0.3},
]


def in_node(script, given=""):
    done = subprocess.run(
        [arithmetic.NODE, str(build.MODULES / script)],
        input=given,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return json.loads(done.stdout)


@needs_node
def test_two_hundred_cases_are_the_packages():
    equal, different = arithmetic.differences()
    assert different == []
    assert equal == arithmetic.CASES
    assert sum(equal.values()) == 200


@needs_node
def test_a_difference_is_told(monkeypatch):
    monkeypatch.setattr(arithmetic, "CASES", {"random": 1})
    [(asked, expected)] = arithmetic.cases()
    last = expected["uniform"][-1]
    expected["uniform"][-1] = f"{int(last, 16) + 1:016x}"
    monkeypatch.setattr(arithmetic, "cases", lambda: [(asked, expected)])
    assert arithmetic.differences()[1] == ["random 1: uniform"]


@pytest.fixture(scope="module")
def scenes():
    return in_node("scenes_check.mjs", json.dumps([{}, *VARIED]))


@needs_node
@pytest.mark.parametrize("name", build.SCENES)
def test_the_python_of_a_scene_gives_the_pages_numbers(scenes, name):
    if name == "twin":
        pytest.importorskip("sklearn", reason="LOFO refits a model of scikit-learn")
    shown = [one for one in scenes if one["scene"] == name]
    assert len(shown) == 1 + len(VARIED)
    for one in shown:
        scope = {}
        exec(one["python"], scope)
        page = [struct.unpack(">d", bytes.fromhex(bits))[0] for bits in one["result"]]
        result = np.array(scope["result"], dtype=float)
        if name in CLOSE:
            np.testing.assert_allclose(result, page, rtol=0, atol=CLOSE[name])
        else:
            np.testing.assert_array_equal(result, page)


@needs_node
def test_solutions_in_python_give_the_pages_answers():
    answers = in_node("exercises_check.mjs")
    assert tuple(answers) == build.EXERCISES
    for name, expected in answers.items():
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            runpy.run_path(str(build.SOLUTIONS / f"{name}.py"))
        found = [float(number) for number in printed.getvalue().split()]
        np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING)


def fields(message):
    return sorted(field[1:] for field in string.Formatter().parse(message) if field[1])


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_messages_are_the_same_in_every_language(code):
    english, other = build.messages("en"), build.messages(code)
    assert list(other) == list(english)
    assert {key: fields(m) for key, m in other.items()} == {
        key: fields(m) for key, m in english.items()
    }


def test_a_page_that_is_not_up_to_date_is_told_and_built(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(arithmetic, "NODE", None)
    monkeypatch.setattr(build, "OUT", tmp_path / "lab.html")
    assert command.main(["--check"]) == 1
    assert "make lab" in capsys.readouterr().err
    assert command.main([]) == 0
    assert command.main(["--check"]) == 0


def test_modules_that_import_each_other_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "MODULES", tmp_path)
    (tmp_path / "one.js").write_text('import { b } from "./other.js";\nexport const a = b;\n')
    (tmp_path / "other.js").write_text('import { a } from "./one.js";\nexport const b = a;\n')
    with pytest.raises(ValueError, match="imports itself by way of other"):
        build.program("one.js")
