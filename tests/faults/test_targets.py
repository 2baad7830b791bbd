"""``target=`` given something else than one label: told by name, whatever it is."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import (
    ale,
    decompose,
    ice,
    interaction_strength,
    intervals,
    k_sensitivity,
    m_plot,
    partial_dependence,
    regional_effects,
)
from aleplot_py.errors import PredictionError

X = pd.DataFrame({"x": np.arange(20.0), "z": np.arange(20) % 3})
Y = pd.Series([0, 1] * 10, name="y")
RESPONSES = {
    "array": Y.to_numpy(),
    "series": Y,
    "frame": Y.to_frame(),
    "list": Y.tolist(),
    "Int64": Y.astype("Int64").array,
    "category": Y.astype("category"),
    "index": pd.Index(Y),
    "text": Y.map({0: "no", 1: "yes"}),
    "one value": np.array([1]),
    "a set": {0, 1},
    "a dict": {"y": 1},
}
FUNCTIONS = {
    "ale": lambda f, target: ale(f, X, "x", target=target),
    "pair": lambda f, target: ale(f, X, ("x", "z"), target=target),
    "pd": lambda f, target: partial_dependence(f, X, "x", target=target),
    "ice": lambda f, target: ice(f, X, "x", target=target),
    "m_plot": lambda f, target: m_plot(f, X, "x", target=target),
    "decompose": lambda f, target: decompose(f, X, target=target),
    "interaction": lambda f, target: interaction_strength(f, X, target=target),
    "regional": lambda f, target: regional_effects(f, X, "x", target=target),
    "sensitivity": lambda f, target: k_sensitivity(f, X, "x", target=target),
    "intervals": lambda f, target: intervals.fit(f, X, "x", target=target),
}


def two(X):
    return np.column_stack([X["x"], -X["x"]])


class Classifier:
    classes_ = np.array(["no", "yes"])

    def predict(self, X):
        return self.classes_[(X["x"] > 5).astype(int)]

    def predict_proba(self, X):
        return np.column_stack([1 - X["x"] / 20, X["x"] / 20])


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
def test_the_response_is_no_target(function, response):
    with pytest.raises(PredictionError, match=r"target must be the label of one output .*, got a"):
        function(two, response)


@pytest.mark.parametrize("model", [two, Classifier()], ids=["callable", "classifier"])
@pytest.mark.parametrize("unknown", [pd.NA, pd.NaT, np.nan, frozenset({1}), "maybe", 7, 1.5])
def test_a_label_that_is_none_of_the_outputs(model, unknown):
    with pytest.raises(PredictionError, match=r"target=.* is not an output of the black box"):
        ale(model, X, "x", target=unknown)


def test_labels_in_arrays_without_dimensions():
    assert ale(Classifier(), X, "x", target=np.array("yes")).target == "yes"
    assert ale(two, X, "x", target=np.int64(1)).f_values[0] > 0


def test_permutation_importance_takes_one_class_too():
    permutation = pytest.importorskip("aleplot_py.importance")
    linear_model = pytest.importorskip("sklearn.linear_model")
    model = linear_model.LogisticRegression().fit(X, Y)
    for response in (Y, Y.to_numpy()):
        with pytest.raises(PredictionError, match="target must be the label of one output"):
            permutation.permutation_importance(model, X, Y, scoring="f1", target=response)
