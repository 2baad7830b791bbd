"""``n_jobs``: processes for a black box that threads must not share, with the same numbers."""

import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pandas as pd
import pytest

from aleplot_py import (
    ale,
    bootstrap_bands,
    decompose,
    ice,
    intervals,
    k_sensitivity,
    m_plot,
    partial_dependence,
    regional_effects,
)

RNG = np.random.default_rng(8)
X = pd.DataFrame(
    {"x": RNG.normal(size=60), "z": RNG.normal(size=60), "g": RNG.choice(list("abc"), 60)}
)


class Scratch:
    """A model that writes to a buffer of its own, as tree walks and sessions do."""

    def __init__(self):
        self.buffer = np.zeros(0)

    def predict(self, X):
        self.buffer = X["x"].to_numpy() * X["z"].to_numpy()
        time.sleep(0.001)
        return self.buffer + X["x"].to_numpy()


class Safe:
    def predict(self, X):
        return X["x"].to_numpy() * X["z"].to_numpy() + X["x"].to_numpy()


class Where(Scratch):
    def predict(self, X):
        return np.full(len(X), float(os.getpid()))


class Wrong(Scratch):
    def predict(self, X):
        raise ArithmeticError(f"no {X['x'].iloc[0]:.0f}")


@pytest.fixture(scope="module")
def pool():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


FUNCTIONS = {
    "ale": lambda model, **o: ale(model, X, ["x", ("x", "z"), "g"], K=4, **o),
    "batches": lambda model, **o: ale(model, X, "x", K=4, batch_rows=17, **o),
    "pd": lambda model, **o: partial_dependence(model, X, "x", K=4, **o),
    "ice": lambda model, **o: ice(model, X, "g", **o),
    "m_plot": lambda model, **o: m_plot(model, X, "x", K=4, **o),
    "kernel": lambda model, **o: m_plot(model, X, "x", K=4, neighbourhood="kernel", **o),
    "decompose": lambda model, **o: decompose(model, X[["x", "z"]], K=4, **o),
    "intervals": lambda model, **o: intervals.fit(model, X, "x", **o),
    "sensitivity": lambda model, **o: k_sensitivity(model, X, "x", Ks=[2, 4], **o),
    "regional": lambda model, **o: regional_effects(model, X, "x", K=4, max_depth=1, **o),
    "bands": lambda model, **o: bootstrap_bands(
        ale(model, X, "x", K=4),
        n_boot=3,
        grid="redrawn",
        predict=model,
        X=X,
        random_state=1,
        **o,
    ),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_processes_give_the_same_numbers(function, pool):
    # In as many batches: the last bit of a mean may depend on them.
    assert function(Scratch(), n_jobs=pool) == function(Safe(), n_jobs=-1)


def test_the_black_box_runs_in_the_processes(pool):
    profile = partial_dependence(Where(), X, "x", K=4, kind="both", n_jobs=pool)
    assert os.getpid() not in profile.individual


def test_errors_come_from_the_processes_as_they_are(pool):
    with pytest.raises(ArithmeticError, match="no "):
        ale(Wrong(), X, "x", n_jobs=pool)


def test_a_pool_that_was_shut_down_leaves_the_rest_to_this_process():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        effect = ale(Scratch(), X, "x", K=4, n_jobs=pool)
    assert effect.mean_prediction == ale(Scratch(), X, "x", K=4).mean_prediction


@pytest.mark.parametrize("lock", [threading.Lock(), lambda X: X], ids=["lock", "lambda"])
def test_a_black_box_that_cannot_be_sent(lock, pool):
    def closure(X, lock=lock):
        return X["x"]

    with pytest.raises(TypeError, match="n_jobs with processes needs a black box that can be pick"):
        ale(closure, X, "x", n_jobs=pool)


def test_threads_of_the_caller_serve_functions_too():
    with ThreadPoolExecutor(2) as pool:
        effect = ale(lambda X: X["x"], X, "x", K=4, n_jobs=pool)
    assert effect == ale(lambda X: X["x"], X, "x", K=4)


@pytest.mark.parametrize("n_jobs", [0, -2, 2.5, "all", True, ThreadPoolExecutor])
def test_what_is_neither_a_number_nor_an_executor(n_jobs):
    with pytest.raises((TypeError, ValueError), match="n_jobs must be a positive integer"):
        ale(Scratch(), X, "x", n_jobs=n_jobs)
