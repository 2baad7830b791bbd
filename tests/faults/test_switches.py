"""True or False where a question is asked, and nothing else: a word such as "no" was once True."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import aleplot_py
from aleplot_py import ale, ice, intervals
from aleplot_py.r_random import set_seed
from aleplot_py.trees import FlatTrees
from tests.test_front_doors import FUNCTIONS, METHODS

RNG = np.random.default_rng(0)
X = pd.DataFrame({"x": RNG.normal(size=24), "z": RNG.normal(size=24), "c": list("abcd" * 6)})
NUMBERS, Y = X[["x", "z"]], X["x"] + X["z"]
MODEL = LinearRegression().fit(NUMBERS, Y)
FIT = (LinearRegression(), NUMBERS, Y)
SCORED = {"scoring": "r2", "random_state": 0}


def f(frame):
    return frame["x"] * frame["z"]


def door(function, *given, **how):
    return lambda **switch: function(f, X, *given, **how, **switch)


def of_models(function, *given, **how):
    return lambda **switch: function(*given, **SCORED, **how, **switch)


EFFECT = ale(f, X, "x", K=3, local_effects=True)
CURVES = ice(f, X, "x", K=3)
STUMP = {"roots": [0], "left": [-1], "right": [-1], "feature": [0], "threshold": [0.0]}
H = aleplot_py.h_statistics(f, NUMBERS)


def simulated(n, rng):
    rows = pd.DataFrame(rng.normal(size=(n, 2)), columns=["x", "z"])
    return rows, f(rows)


ERROR = aleplot_py.effect_error(
    f,
    simulated,
    LinearRegression(),
    "x",
    n=30,
    K=3,
    n_simulations=2,
    n_redraws=2,
    n_reference=50,
    n_folds=2,
    random_state=1,
)
CALLS = {
    "ALEPlot": lambda **switch: aleplot_py.ALEPlot(X, None, lambda _, rows: f(rows), 0, **switch),
    "PDPlot": lambda **switch: aleplot_py.PDPlot(X, None, lambda _, rows: f(rows), 0, 4, **switch),
    "AleDisplay.plot": EFFECT.plot,
    "EffectCollection.plot": ale(f, X, ["x", "z"], K=3).plot,
    "ImportanceResult.to_frame": lambda **switch: aleplot_py.permutation_importance(
        MODEL, NUMBERS, Y, **SCORED
    ).to_frame(**switch),
    "PartialDependenceResult.to_frame": CURVES.to_frame,
    "RRandom.sample": lambda **switch: set_seed(1).sample(3, 2, **switch),
    "RRandom.sample_int": lambda **switch: set_seed(1).sample_int(3, 2, **switch),
    "ale": door(ale, "x"),
    "bootstrap_bands": lambda **switch: aleplot_py.bootstrap_bands(EFFECT, n_boot=2, **switch),
    "conditional_permutation_importance": of_models(
        aleplot_py.conditional_permutation_importance, MODEL, NUMBERS, Y
    ),
    "decompose": door(aleplot_py.decompose, features=["x"], pairs=None),
    "effect_panel": door(aleplot_py.effect_panel, Y, "x"),
    "fit": door(intervals.fit, "x"),
    "effect_error": lambda **switch: aleplot_py.effect_error(
        f, simulated, LinearRegression(), "x", **switch
    ),
    "h_statistics": door(aleplot_py.h_statistics, features=["x"]),
    "HStatistics.to_frame": H.to_frame,
    "HStatistics.plot": H.plot,
    "learner_bands": lambda **switch: aleplot_py.learner_bands(EFFECT, *FIT, **switch),
    "EffectError.to_frame": lambda **switch: ERROR.to_frame(**switch),
    "ice": door(ice, "x"),
    "interaction_strength": door(aleplot_py.interaction_strength, features=["x"]),
    "k_sensitivity": door(aleplot_py.k_sensitivity, "x"),
    "leave_two_out_importance": of_models(aleplot_py.leave_two_out_importance, *FIT),
    "lofo_importance": of_models(aleplot_py.lofo_importance, *FIT),
    "m_plot": door(aleplot_py.m_plot, "x"),
    "order_sensitivity": door(aleplot_py.order_sensitivity, "c"),
    "partial_dependence": door(aleplot_py.partial_dependence, "x"),
    "permutation_importance": of_models(aleplot_py.permutation_importance, MODEL, NUMBERS, Y),
    "random_variable_null": lambda **switch: aleplot_py.random_variable_null(*FIT, n=2, **switch),
    "refit_with_permuted": of_models(aleplot_py.refit_with_permuted, *FIT),
    "regional_effects": door(aleplot_py.regional_effects, "x"),
    "sequential_elimination": of_models(aleplot_py.sequential_elimination, *FIT),
    "FlatTrees": lambda **switch: FlatTrees(**STUMP, value=[1.0], **switch),
}


SWITCHES = sorted(
    {
        (thing.__qualname__, parameter.name)
        for thing in [*FUNCTIONS, *METHODS, FlatTrees]
        for parameter in inspect.signature(thing).parameters.values()
        if parameter.annotation == "bool" and thing.__qualname__ in CALLS
    }
)


def test_every_call_has_a_switch():
    assert {name for name, _ in SWITCHES} == set(CALLS)


@pytest.mark.parametrize(("name", "switch"), SWITCHES)
@pytest.mark.parametrize("value", ["no", 1, None])
def test_a_switch_is_true_or_false(name, switch, value):
    with pytest.raises(
        TypeError, match=re.escape(f"{switch} must be True or False, got {value!r}")
    ):
        CALLS[name](**{switch: value})


def test_truth_of_numpy_is_truth():
    assert ale(f, X, "x", K=3, progress=np.False_, local_effects=np.True_) == EFFECT


def test_words_are_refused_where_rows_come_in_parts():
    with pytest.raises(TypeError, match="progress must be True or False, got 'no'"):
        ale(f, [X], "x", progress="no")
