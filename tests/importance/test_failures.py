"""A fit or score that fails is loud and loses nothing."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config, register_parallel_backend
from joblib.parallel import ThreadingBackend
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression

from aleplot_py.importance.lofo import (
    lofo_importance,
    sequential_elimination,
)
from aleplot_py.importance.refits import LofoError
from tests.importance.models import (
    FOREST,
    LINEAR,
    MSE,
    NUMBERS,
    TEST,
    TRAIN,
    FailsOn,
    Recorder,
    Y,
    on_hold_out,
)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_failure_is_loud_and_loses_nothing(n_jobs):
    # Only the second split's training rows lack row 0, so only its refit without a fails.
    folds = [(TRAIN, TEST), (TEST, TRAIN), (TRAIN, TEST)]
    model = FailsOn("a", row=int(NUMBERS.index[0]))
    with pytest.raises(LofoError) as caught:
        lofo_importance(model, NUMBERS, Y, scoring=MSE, cv=folds, n_jobs=n_jobs)
    message = str(caught.value)
    assert "the fit without ['a'] failed in split 1 (of 3" in message
    assert "RuntimeError: no convergence" in message
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert "in fit" in caught.value.__notes__[0]
    partial = caught.value.partial
    assert list(partial.columns) == ["left_out", "repeat", "split", "score"]
    done = set(zip(partial["left_out"], partial["split"], strict=True))
    assert {((), 0), (("a",), 0), (("b",), 0), (("c",), 0), ((), 1)} <= done
    assert (("a",), 1) not in done
    complete = lofo_importance(DummyRegressor(), NUMBERS, Y, scoring=MSE, cv=folds)
    of_first = partial.loc[partial["split"] == 0, "score"]
    assert of_first.tolist() == [complete.base_scores[0, 0]] * 4


def test_the_error_travels_between_processes():
    with pytest.raises(LofoError) as caught:
        lofo_importance(FailsOn(), NUMBERS, Y, scoring=MSE, cv=2)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    pd.testing.assert_frame_equal(again.partial, caught.value.partial)


def test_no_fit_is_started_after_a_failure(seen):
    with pytest.raises(LofoError, match="the score with all columns failed in split 0"):
        lofo_importance(Recorder(), NUMBERS, Y, scoring=lambda *_: [1.0, 2.0])
    assert len(seen) == 1


def test_an_error_that_cannot_travel_between_processes():
    with pytest.raises(LofoError, match="LocalError: cannot travel") as caught:
        lofo_importance(FailsOn(portable=False), NUMBERS, Y, scoring=MSE, n_jobs=2)
    assert len(caught.value.partial) > 0


class OnlyWithTwo(LinearRegression):
    """Refuses a single column."""

    def fit(self, X, y):
        if X.shape[1] < 2:
            raise RuntimeError("too narrow")
        return super().fit(X, y)


def test_a_step_that_fails_keeps_the_steps_before():
    with pytest.raises(LofoError, match="too narrow") as caught:
        sequential_elimination(OnlyWithTwo(), NUMBERS, Y, scoring=MSE, cv=2)
    left_out = caught.value.partial["left_out"]
    # All columns, then the first step in both splits, then the second step without c.
    first = [(), (), ("a",), ("b",), ("c",), ("a",), ("b",), ("c",)]
    assert list(left_out) == first


def test_missing_values_refused_by_the_estimator():
    table = NUMBERS.copy()
    table.iloc[100, 1] = np.nan
    with pytest.raises(LofoError, match=r"split 0 \(of 3.*ValueError: Input X contains NaN"):
        lofo_importance(LINEAR, table, Y, scoring=MSE, cv=3)
    forest = RandomForestRegressor(2, random_state=0)
    assert np.isfinite(lofo_importance(forest, table, Y, scoring=MSE, cv=2).mean).all()


def test_an_undefined_score_is_no_number():
    with pytest.raises(LofoError, match="must return a number, got nan"):
        lofo_importance(LINEAR, NUMBERS, Y, scoring=lambda *_: np.nan)


class WithoutStreams(ThreadingBackend):
    """A backend like joblib's oldest: all results at the end."""

    supports_return_generator = False


def test_backends_of_joblib():
    register_parallel_backend("without streams", WithoutStreams)
    expected = on_hold_out(FOREST).importances
    for backend in ("without streams", "threading", "loky", "sequential"):
        with parallel_config(backend=backend, n_jobs=2):
            assert np.array_equal(on_hold_out(FOREST).importances, expected)
    with parallel_config(backend="without streams", n_jobs=2), pytest.raises(LofoError) as caught:
        lofo_importance(FailsOn("a", row=-1), NUMBERS, Y, scoring=MSE, cv=2)
    assert len(caught.value.partial) == 6


def test_a_backend_that_breaks_down(monkeypatch):
    def broken(*_, **__):
        def run(calls):
            function, args, options = next(iter(calls))
            yield function(*args, **options)
            raise OSError("worker lost")

        return run

    monkeypatch.setattr(joblib, "Parallel", broken)
    with pytest.raises(LofoError, match="broke down: OSError: worker lost") as caught:
        on_hold_out()
    assert caught.value.partial["left_out"].tolist() == [()]
