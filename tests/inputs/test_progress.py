"""Bars of loops that take long, and the log of what was decided."""

import io
import logging
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import aleplot_py
from aleplot_py import ale, m_plot, partial_dependence
from aleplot_py.analysis.sensitivity import interval_errors
from aleplot_py.inputs import fitting

RNG = np.random.default_rng(1)
X = pd.DataFrame(RNG.normal(size=(60, 2)), columns=["x", "z"]).assign(
    k=RNG.integers(0, 4, 60), word=RNG.choice(["low", "middle", "high"], 60)
)
NUMBERS, Y = X[["x", "z", "k"]], X["x"] + RNG.normal(size=60)
MODEL = LinearRegression().fit(NUMBERS, Y)
SCORED = {"scoring": "r2", "random_state": 0}
LOOPS = {
    "effects": lambda **how: ale(f, X, "all", batch_rows=7, **how),
    "effects ": lambda **how: partial_dependence(f, X, "all", batch_rows=7, K=3, **how),
    "effects  ": lambda **how: m_plot(f, X, "all", batch_rows=7, **how),
    "batches": lambda **how: ale(f, X, "x", batch_rows=7, **how),
    "batches ": lambda **how: partial_dependence(f, X, "x", batch_rows=7, K=3, **how),
    "batches  ": lambda **how: m_plot(f, X, "x", batch_rows=7, **how),
    "batches   ": lambda **how: aleplot_py.intervals.fit(f, X, "x", batch_rows=7, **how),
    "effects    ": lambda **how: aleplot_py.decompose(f, X, features=["x", "z"], **how),
    "effects     ": lambda **how: aleplot_py.interaction_strength(f, X, **how),
    "effects      ": lambda **how: aleplot_py.ice(f, X, ["x", "z"], K=3, **how),
    "effects       ": lambda **how: aleplot_py.h_statistics(f, X, features=["x", "z"], **how),
    "numbers": lambda **how: aleplot_py.k_sensitivity(f, X, "x", Ks=(2, 3), **how),
    "orders": lambda **how: aleplot_py.order_sensitivity(f, X, "word", **how),
    "regions": lambda **how: aleplot_py.regional_effects(f, X, "x", min_rows=5, **how),
    "draws": lambda **how: aleplot_py.bootstrap_bands(
        ale(f, X, "x", local_effects=True, progress=False), n_boot=3, **how
    ),
    "resamples": lambda **how: aleplot_py.bootstrap_bands(
        ale(f, NUMBERS, "x", K=2, progress=False),
        refit=LinearRegression(),
        X=NUMBERS,
        y=Y,
        n_boot=3,
        batch_rows=7,
        **how,
    ),
    "random variables": lambda **how: aleplot_py.random_variable_null(
        LinearRegression(), NUMBERS, Y, n=3, batch_rows=7, **how
    ),
    "refits": lambda **how: aleplot_py.lofo_importance(
        LinearRegression(), NUMBERS, Y, cv=2, **SCORED, **how
    ),
    "refits ": lambda **how: aleplot_py.leave_two_out_importance(
        LinearRegression(), NUMBERS, Y, cv=2, **SCORED, **how
    ),
    "refits  ": lambda **how: aleplot_py.sequential_elimination(
        LinearRegression(), NUMBERS, Y, cv=2, **SCORED, **how
    ),
    "refits   ": lambda **how: aleplot_py.refit_with_permuted(
        LinearRegression(), NUMBERS, Y, cv=2, **SCORED, **how
    ),
    "permutations": lambda **how: aleplot_py.permutation_importance(
        MODEL, NUMBERS, Y, **SCORED, **how
    ),
    "permutations ": lambda **how: aleplot_py.conditional_permutation_importance(
        MODEL, NUMBERS, Y, **SCORED, **how
    ),
    "draws ": lambda **how: interval_errors("piecewise", Ks=(5,), n=300, seeds=range(2), **how),
}


def f(rows):
    return rows["x"] * np.sign(rows["z"])


def g(rows):
    return rows["k"] * np.sign(rows["z"])


class Terminal(io.StringIO):
    def isatty(self):
        return True


def watched(monkeypatch):
    """A terminal at which somebody looks from the start, at whatever speed."""
    monkeypatch.setattr(fitting, "AFTER", 0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    return sys.stderr


@pytest.mark.filterwarnings("ignore:none of 3 refits")
@pytest.mark.parametrize("name", LOOPS)
def test_the_outermost_loop_has_a_bar(name, monkeypatch):
    terminal = watched(monkeypatch)
    LOOPS[name](progress=False)
    assert terminal.getvalue() == ""
    LOOPS[name]()
    shown = terminal.getvalue()
    words = {"effects", "batches", "numbers", "orders", "regions", "draws", "resamples", "refits"}
    told = {word for word in words | {"random variables", "permutations"} if word in shown}
    assert name.strip() in told
    assert "batches" not in told or name.strip() in ("batches", "effects")


def test_nobody_looks_where_there_is_no_terminal(monkeypatch, capsys):
    monkeypatch.setattr(fitting, "AFTER", 0)
    ale(f, X, "all")
    assert capsys.readouterr() == ("", "")


def messages(caplog, call):
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="aleplot_py"):
        call()
    assert {record.name for record in caplog.records} <= {"aleplot_py"}
    return [record.getMessage() for record in caplog.records]


def test_the_log_tells_what_was_decided(caplog):
    gaps = X.assign(x=X["x"].where(X["k"] > 0))
    told = messages(caplog, lambda: ale(g, gaps, ["x", "k"], missing="drop"))
    dropped = int((X["k"] == 0).sum())
    assert told[0] == "the only output is explained over 60 rows of a pandas DataFrame"
    assert f"{dropped} of 60 rows dropped, where 'x' is missing" in told
    assert "column 'k' has 3 intervals: ties leave no more of 40" in told
    order = ", ".join(map(repr, ale(f, X, "word").x_values[0]))
    told = messages(caplog, lambda: ale(f, X, "word"))
    assert f"levels of column 'word' by similarity: [{order}]" in told
    told = messages(caplog, lambda: ale(f, X, "x", K="auto"))
    assert any(line.startswith("column 'x' has") and "merged from" in line for line in told)
    told = messages(caplog, LOOPS["refits"])
    assert "8 fits, 0 of them known before" in told


def test_the_log_is_silent_by_itself(capsys):
    ale(f, X, "all")
    assert capsys.readouterr() == ("", "")
