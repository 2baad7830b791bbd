"""The random search: what it draws, what counts as equal, that it finds, minimises and replays."""

import json
import re
from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from aleplot_py.r import session
from aleplot_py.steps.sums import R
from validation import __main__ as command
from validation import bridge, search
from validation.agreement import (
    EPSILON,
    OF_CURVE,
    OF_PREDICTIONS,
    Agreement,
    levels_are_alike,
    order_of_levels,
)
from validation.goldens_reader import StoredCase, cases
from validation.search import checks
from validation.search.checks import CHECKS, Check, Finding
from validation.search.minimise import minimise, terms
from validation.search.random_cases import DATA, KINDS, draw

EVERY_TURN = len(KINDS) * len(DATA)


# --- what is drawn ----------------------------------------------------------------------------


def test_every_kind_of_effect_and_of_data_has_its_turn():
    """Together, not each with one other only."""
    drawn = {(case["drawn"]["kind"], case["drawn"]["data"]) for case in _drawn(EVERY_TURN)}
    assert drawn == {(kind, data) for kind in KINDS for data in DATA}


def _drawn(n, seed=5):
    return [draw(seed, number) for number in range(n)]


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in _drawn(EVERY_TURN)])
def test_a_drawn_case_can_be_explained_and_saved(case):
    """Explained columns vary, predictions are finite, and JSON keeps every bit."""
    X = case.frame()
    assert all(X[name].astype(str).duplicated().sum() < len(X) - 1 for name in case.features)
    assert np.isfinite(case.predict()(X)).all()
    assert [list(X.columns)[j - 1] for j in case["J"]] == list(case.features)
    again = StoredCase(json.loads(json.dumps(case.content)))
    pd.testing.assert_frame_equal(again.frame(), X)
    number = case["drawn"]["number"]
    assert draw(5, number, case["drawn"]["kind"], case["drawn"]["data"]).content == case.content
    assert draw(6, number).content != case.content


def test_what_makes_comparisons_hard_is_drawn():
    """Unused and rare levels, twins among levels, ties, single intervals, integers."""
    frames = [(case, case.frame()) for case in _drawn(400)]
    levels = [X["c"].value_counts() for _, X in frames]
    assert any((counts == 0).any() for counts in levels)
    assert any((counts == 1).any() for counts in levels)
    assert any(X["x1"].nunique() == 2 for _, X in frames)
    assert any(X["x1"].duplicated().mean() > 0.5 and X["x1"].nunique() > 5 for _, X in frames)
    assert any(X["x1"].dtype == np.int64 for _, X in frames)
    assert any(X["x1"].min() > 1e5 for _, X in frames)
    assert any(case["K"] > case["n"] for case, _ in frames)
    assert any(levels_are_alike(X, "c") for _, X in frames)


# --- what counts as equal ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"difference": 0.0}, "equal"),
        ({"difference": 0.0, "curve": 0.0}, "equal"),
        ({"difference": 0.9 * OF_CURVE}, "equal"),
        ({"difference": 1.1 * OF_CURVE}, "different"),
        ({"difference": 1.1 * OF_CURVE, "predictions": 1e6}, "rounding"),
        ({"difference": 1.1 * OF_PREDICTIONS * EPSILON * 1e6, "predictions": 1e6}, "different"),
        ({"difference": float("inf")}, "different"),
        ({"difference": float("nan")}, "different"),
        ({"difference": 0.0, "points_equal": False}, "different"),
        ({"difference": 0.0, "order": "different"}, "different"),
        ({"difference": 0.0, "order": "reversed"}, "equal"),
        ({"difference": 0.0, "order": "tied"}, "equal"),
    ],
)
def test_status(changes, status):
    """The scale is the curve's; only rounding of the predictions themselves is let through."""
    found = Agreement(True, "none", 0.0, curve=1.0, predictions=1.0)
    assert replace(found, **changes).status == status


@pytest.mark.parametrize(
    ("check", "status", "identical", "exact"),
    [("ALEPlot", "not identical", False, False), ("iml ale", "equal", False, None)],
)
def test_a_last_bit_counts_where_every_bit_is_expected(check, status, identical, exact):
    """ALEPlot's values are R's to the last bit; iml adds in another order."""
    task = checks._task(draw(1, 0, "numeric"))
    right = checks._ale(task, R)
    same = checks.REffect(right.x_values, right.f_values, right.K)
    finding = checks._compare_ale("ALEPlot", task, lambda: same)
    assert (finding.status, finding.identical, finding.exact) == ("equal", True, True)
    values = right.f_values.copy()
    values[3] = np.nextafter(values[3], np.inf)
    off = checks.REffect(right.x_values, values, right.K)
    finding = checks._compare_ale(check, task, lambda: off)
    assert (finding.status, finding.identical, finding.exact) == (status, identical, exact)
    assert finding.mismatch == (status == "not identical")


def frame_of(codes, numbers):
    """Rows with levels a, b, c, ... and one number."""
    levels = pd.Categorical.from_codes(codes, list("abcdef")[: max(codes) + 1])
    return pd.DataFrame({"level": levels, "x": np.array(numbers, dtype=float)})


@pytest.mark.parametrize(
    ("X", "theirs", "order"),
    [
        (frame_of([0, 0, 1, 1, 2, 2], [1, 2, 2, 3, 3, 4]), "abc", "equal"),
        (frame_of([0, 0, 1, 1, 2, 2], [1, 2, 2, 3, 3, 4]), "cba", "reversed"),
        (frame_of([0, 0, 1, 1, 2, 2], [1, 2, 2, 3, 3, 4]), "bac", "different"),
        (frame_of([0, 0, 1, 1, 2, 2], [1, 2, 2, 3, 3, 4]), "abd", "different"),
        # Levels a and b have the same rows, so that only c has a place of its own.
        (frame_of([0, 0, 1, 1, 2, 2], [1, 2, 1, 2, 3, 4]), "bac", "tied"),
        (frame_of([0, 0, 1, 1, 2, 2], [1, 2, 1, 2, 3, 4]), "acb", "different"),
    ],
)
def test_order_of_levels(X, theirs, order):
    """Direction, ties and undetermined axes are free, nothing else."""
    assert order_of_levels(X, "level", list("abc"), list(theirs)) == order


def test_an_axis_that_the_distances_do_not_determine():
    """Three levels as far from each other as can be: a triangle has no longest side."""
    X = frame_of([0, 1, 2], [1, 2, 3])
    verdicts = {order_of_levels(X, "level", list("abc"), order) for order in permutations("abc")}
    assert "undetermined" in verdicts
    assert "different" not in verdicts


def test_levels_that_nothing_tells_apart():
    """All distances are 0, whatever the number of rows."""
    assert levels_are_alike(frame_of([0, 1, 1], [7, 7, 7]), "level")
    assert not levels_are_alike(frame_of([0, 1, 1], [7, 7, 8]), "level")


# --- the search without R ---------------------------------------------------------------------


def test_without_r_the_loops_run_and_the_rest_is_named(monkeypatch, capsys, tmp_path):
    """Everything that can run does, and the text says what did not and why."""
    monkeypatch.setattr(session, "why_unavailable", lambda: "R is not installed (test)")
    monkeypatch.delenv("ALEPLOT_REQUIRE_R", raising=False)
    arguments = ["--cases", "8", "--jobs", "1", "--save", str(tmp_path)]
    (tmp_path / "failed-before.json").write_text("{}", encoding="utf-8")
    assert command.main(arguments) == 0
    text = capsys.readouterr().out
    assert re.search(r"loops +numeric +2 +all", text)
    for check in set(CHECKS) - {"loops"}:
        assert f"not run: {CHECKS[check].title}: R is not installed (test)" in text
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        f"worst-{kind}.json" for kind in KINDS
    )
    monkeypatch.setenv("ALEPLOT_REQUIRE_R", "1")
    assert command.main(arguments) == 1
    assert "forbids leaving out: base R, ALEPlot" in capsys.readouterr().out


def test_processes_find_what_one_finds():
    """The cases of a search do not depend on who works on them."""
    options = {"checks": ("loops",), "kinds": ("numeric", "categorical"), "data": ("lattice",)}
    alone, together = search.search(4, 2, **options), search.search(4, 2, jobs=2, **options)
    assert alone.cases == together.cases
    assert [case.kind for case in alone.cases] == 2 * ["numeric", "categorical"]
    assert {case.data for case in alone.cases} == {"lattice"}


@pytest.mark.parametrize(
    "arguments",
    [["--cases", "0"], ["--seed", "-1"], ["--kind", "text"], ["--replay", "missing.json"]],
)
def test_bad_arguments(arguments, capsys):
    """A message of the command, not a traceback."""
    with pytest.raises(SystemExit) as stopped:
        command.main(arguments)
    assert stopped.value.code == 2
    assert "error: " in capsys.readouterr().err


# --- a difference is found, minimised, saved and replayed -------------------------------------


def _wrong_beyond_k3(task):
    """A check that is wrong for K above 3 where column x1 has a value above its mean."""
    wrong = task.K > 3 and len(task.X) > 2
    difference = 1.0 if wrong else 0.0
    agreement = Agreement(True, "none", difference, 1.0, 1.0)
    return Finding("loops", agreement.status, agreement)


def test_a_difference_is_found_minimised_and_replayed(monkeypatch, capsys, tmp_path):
    """The saved case is the smallest that still fails, and the command ends with 1."""
    monkeypatch.setitem(CHECKS, "loops", Check("a wrong check", None, _wrong_beyond_k3))
    arguments = ["--cases", "12", "--check", "loops", "--jobs", "1", "--save", str(tmp_path)]
    assert command.main(arguments) == 1
    assert "MISMATCH" in capsys.readouterr().out
    failed = sorted(tmp_path.glob("failed-*.json"))
    assert failed
    for path in failed:
        (case,) = search.load(path)
        assert (case["n"], case["K"]) == (3, 4)
        assert set(case["data"]) >= set(case.features)
        assert case["minimised_from"] + "-minimised" == case.id
        assert case["findings"][0]["status"] == "different"
        assert command.main(["--replay", str(path), "--check", "loops"]) == 1
        assert f"{case.id}: " in capsys.readouterr().out
    monkeypatch.setitem(CHECKS, "loops", Check("the loops", None, checks.check_loops))
    assert command.main(["--replay", str(failed[0]), "--check", "loops"]) == 0


def test_an_error_of_one_side_is_a_mismatch():
    """A black box that only one side survives: here the library refuses its NaN."""
    case = draw(1, 0)
    broken = StoredCase({**case.content, "black_box": "x1 / 0.0"})
    with np.errstate(all="ignore"):
        finding = checks._compare_ale(
            "ALEPlot", checks._task(broken), lambda: checks.REffect((), np.zeros(2))
        )
    assert finding.status == "Python stopped"
    assert finding.mismatch
    assert "finite" in finding.detail


def test_minimise_reaches_the_smallest_case():
    """Rows, K, terms, columns and digits, all that the fault does not need."""
    case = draw(3, 4)
    box = "2.0 * x1 + np.sin(x2) * x3 + 1000.0"
    content = {**case.content, "black_box": box, "K": 40, "columns": ["x1"], "J": [1]}

    def fails(candidate):
        x1 = candidate.frame()["x1"]
        return candidate["K"] >= 5 and len(x1) >= 2 and "np.sin" in candidate["black_box"]

    small = minimise(StoredCase(content), fails)
    assert (small["n"], small["K"], small["black_box"]) == (2, 5, "np.sin(x2) * x3")
    assert list(small["data"]) == ["x1", "x2", "x3"]
    assert all(value == round(value) for value in small["data"]["x1"]["values"])
    assert fails(small)
    with pytest.raises(ValueError, match="must fail"):
        minimise(small, lambda _: False)


def test_minimise_stops_when_its_trials_are_used_up():
    """And returns the smallest case so far."""
    case, calls = draw(3, 0), []
    small = minimise(case, lambda candidate: calls.append(candidate) or True, trials=7)
    assert len(calls) == 8
    assert small["n"] < case["n"]


def test_terms_of_a_black_box():
    """Only the outermost additions are split."""
    assert terms("2 * (x1 + x2) + np.abs(x3 - 1) + 4 - x3") == [
        "2 * (x1 + x2) + np.abs(x3 - 1) + 4 - x3"
    ]
    assert terms("2 * (x1 + x2) + np.abs(x3 + 1) + 4") == ["2 * (x1 + x2)", "np.abs(x3 + 1)", "4"]


def test_stored_results_are_replayed(tmp_path, capsys):
    """A file of stored results is a file of cases: R's saved result is compared too."""
    case = next(case for case in cases("ale_categorical_numeric") if not case.failed_in_r)
    path = tmp_path / "case.json"
    search.save(path, [case.content], {})
    assert command.main(["--replay", str(path), "--check", "loops"]) == 0
    text = capsys.readouterr().out
    assert "saved R result: equal" in text
    assert "loops: " in text
    wrong = json.loads(json.dumps(case.content))
    wrong["r"]["f_values"][1][1] += 1e-6
    search.save(path, [wrong], {})
    assert command.main(["--replay", str(path), "--check", "loops"]) == 1
    assert "saved R result: different" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content", ["", "[]", '{"cases": 3}', '{"cases": [{"n": 3}]}', '{"cases": [3]}']
)
def test_files_that_are_no_cases(tmp_path, content):
    """Refused with the file's name."""
    path = tmp_path / "other.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"other\.json is no file of saved cases"):
        search.load(path)


# --- with R -----------------------------------------------------------------------------------


@pytest.mark.base_r
def test_random_search_in_base_r(record_parity):
    """The definition written once more in R."""
    _search_and_record(record_parity, "base_r", ("base R",))


@pytest.mark.aleplot_r
def test_random_search_in_aleplot(record_parity):
    """ALEPlot and PDPlot on twenty cases."""
    _search_and_record(record_parity, "aleplot_r", ("ALEPlot", "PDPlot"))


@pytest.mark.iml_r
def test_random_search_in_iml(record_parity):
    """The package iml on twenty cases."""
    _search_and_record(record_parity, "iml_r", ("iml ale", "iml pdp"))


def _search_and_record(record_parity, tier, names):
    report = search.search(20, 77, checks=names)
    assert not report.not_run
    for case in report.cases:
        for finding in case.findings:
            found = finding.agreement
            if found is not None:
                difference = found.of_curve if finding.status != "rounding" else None
                equal = found.points_equal and found.order != "different"
                identical = finding.identical if finding.check in checks.IDENTICAL else None
                name = f"search {finding.check} {case.id}"
                record_parity(tier, name, difference, equal, identical)
    assert report.failures == []
    assert sum(row.compared for row in report.rows()) > 15 * len(names)


@pytest.mark.aleplot_r
def test_the_worst_case_carries_r_result(tmp_path):
    """In the form of the stored results, so that it can be compared without R later."""
    report = search.search(4, 3, checks=("ALEPlot",), kinds=("categorical_numeric",))
    (path,) = search.save_cases(report, tmp_path)
    (case,) = search.load(path)
    assert case.failed_in_r or np.shape(case["r"]["f_values"]) == tuple(
        len(axis) for axis in case["r"]["x_values"]
    )
    assert json.loads(path.read_text())["provenance"]["ALEPlot"] == bridge.versions()["ALEPlot"]


@pytest.mark.aleplot_r
@pytest.mark.parametrize("kind", ["numeric_numeric", "categorical"])
def test_where_r_is_known_to_fail_is_no_mismatch(kind):
    """A single interval, or levels that nothing tells apart; any other error of R is one."""
    case = draw(1, 0, kind, "lattice")
    content = json.loads(json.dumps(case.content))
    if kind == "numeric_numeric":
        content["K"] = 1
    else:
        content["data"] = {"c": content["data"]["c"], "x1": {**content["data"]["x1"]}}
        content["data"]["x1"]["values"] = [1.0] * content["n"]
        content.update(J=[1], black_box="c * x1")
    assert checks.run_check("ALEPlot", StoredCase(content)).status == "R cannot"

    def stopped():
        raise bridge.RCallError("another error")

    other = checks._compare_ale("ALEPlot", checks._task(case), stopped)
    assert (other.status, other.mismatch) == ("R stopped", True)
