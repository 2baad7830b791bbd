"""Seeds of refits, rows of their own, progress."""

import io
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    RandomForestRegressor,
    VotingRegressor,
)
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from aleplot_py import ale, bootstrap_bands, random_variable_null
from aleplot_py.importance.lofo import (
    lofo_importance,
)
from aleplot_py.inputs import fitting
from aleplot_py.inputs.fitting import seeded
from tests.importance.models import LINEAR, MSE, NUMBERS, ROUNDING, Recorder, Y, on_hold_out


def test_one_seed_per_repeat_for_all_fits(seen):
    fresh = on_hold_out(Recorder(), n_repeats=2)
    seeds = [seed for what, *_, seed in seen if what == "fit"]
    assert seeds == [fresh.seeds[0]] * 4 + [fresh.seeds[1]] * 4
    seen.clear()
    on_hold_out(Recorder(random_state=5), n_repeats=2)
    assert {seed for *_, seed in seen} == {5}
    seen.clear()
    given = on_hold_out(Recorder(random_state=5), n_repeats=2, random_state=1)
    assert {seed for *_, seed in seen} == set(given.seeds)
    assert given.seeds == on_hold_out(LINEAR, n_repeats=2, random_state=1).seeds


@pytest.mark.parametrize("source", [np.random.default_rng, np.random.RandomState, int])
def test_sources_of_seeds(source):
    one, two = (
        on_hold_out(RandomForestRegressor(2), random_state=source(4), n_repeats=2) for _ in range(2)
    )
    assert one.seeds == two.seeds
    assert np.array_equal(one.importances, two.importances)


def test_an_unseeded_inner_search_is_shared_too():
    search = GridSearchCV(Ridge(), {"alpha": [1e-3, 1e4]}, cv=KFold(3, shuffle=True), scoring=MSE)
    table = NUMBERS.assign(constant=1.0)
    result = lofo_importance(search, table, Y, scoring=MSE, cv=3, features=["constant"])
    assert np.abs(result.importances).max() <= ROUNDING
    assert search.cv.random_state is None


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_shown_on_a_terminal_only(monkeypatch, capsys):
    on_hold_out()
    assert capsys.readouterr() == ("", "")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(fitting, "AFTER", 0)
    on_hold_out()
    assert "refits" in terminal.getvalue()
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert np.array_equal(on_hold_out().features, ("a", "b", "c"))


UNSEEDED = {
    "forest": RandomForestRegressor(3),
    "pipeline": make_pipeline(StandardScaler(), RandomForestRegressor(3)),
    "meta-estimator": TransformedTargetRegressor(RandomForestRegressor(3)),
    "ensemble": VotingRegressor([("forest", RandomForestRegressor(3)), ("line", LINEAR)]),
    "search": GridSearchCV(RandomForestRegressor(3), {"max_depth": [5, 9]}, cv=2),
    "splits of a search": GridSearchCV(
        DecisionTreeRegressor(random_state=0), {"max_depth": [5, 9]}, cv=KFold(2, shuffle=True)
    ),
    "candidates of a search": GridSearchCV(
        Pipeline([("model", LINEAR)]), [{"model": [RandomForestRegressor(3)]}], cv=2
    ),
}


@pytest.mark.parametrize("name", UNSEEDED)
def test_two_calls_give_one_answer(name):
    model = UNSEEDED[name]
    effect = ale(clone(model).fit(NUMBERS, Y), NUMBERS, "a", K=4)
    bands = [
        bootstrap_bands(effect, refit=model, X=NUMBERS, y=Y, n_boot=3, random_state=1)
        for _ in range(2)
    ]
    assert np.array_equal(bands[0].lower, bands[1].lower)
    nulls = [random_variable_null(model, NUMBERS, Y, n=2, K=4, random_state=1) for _ in range(2)]
    pd.testing.assert_frame_equal(nulls[0].statistics, nulls[1].statistics)
    lofo = [lofo_importance(model, NUMBERS, Y, scoring=MSE, cv=2, random_state=1) for _ in range(2)]
    assert np.array_equal(lofo[0].scores, lofo[1].scores)


def test_each_resample_has_a_seed_of_its_own(seen):
    effect = ale(Recorder().fit(NUMBERS, Y), NUMBERS, "a", K=4)
    options = {"X": NUMBERS, "y": Y, "n_boot": 3, "random_state": 1}
    seen.clear()
    bootstrap_bands(effect, refit=Recorder(), **options)
    fits = [(rows, seed) for what, rows, _, seed in seen if what == "fit"]
    assert len({seed for _, seed in fits}) == 3
    seen.clear()
    bootstrap_bands(effect, refit=Recorder(random_state=5), **options)
    # A seeded estimator keeps its seed, and sees the same resamples.
    assert [(rows, 5) for rows, _ in fits] == [
        (rows, seed) for what, rows, _, seed in seen if what == "fit"
    ]


def test_the_estimator_itself_is_not_seeded():
    for model in UNSEEDED.values():
        before = str(model.get_params())
        seeds = iter(range(100))
        seeded(model, lambda seeds=seeds: next(seeds))
        assert str(model.get_params()) == before
        assert next(seeds) > 0


@pytest.mark.parametrize("source", [np.random.default_rng, np.random.RandomState, int])
def test_sources_of_resamples(source):
    effect = ale(LinearRegression().fit(NUMBERS, Y), NUMBERS, "a", K=4)
    options = {"refit": RandomForestRegressor(2), "X": NUMBERS, "y": Y, "n_boot": 2}
    one, two = (bootstrap_bands(effect, random_state=source(4), **options) for _ in range(2))
    assert np.array_equal(one.lower, two.lower)
    null, again = (
        random_variable_null(LinearRegression(), NUMBERS, Y, n=2, K=4, random_state=source(4))
        for _ in range(2)
    )
    pd.testing.assert_frame_equal(null.statistics, again.statistics)
