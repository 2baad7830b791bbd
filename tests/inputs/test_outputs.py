"""What a black box may return: shapes, several outputs, classes."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale
from aleplot_py.errors import PredictionError
from tests.small_inputs import check_curve, column, identity

# Sums of a few small numbers: rounding only.
EXACT = 1e-12
SHAPES = {
    "list": lambda y, X: y.tolist(),
    "(n,)": lambda y, X: y,
    "(n, 1)": lambda y, X: y[:, None],
    "Series with an odd index": lambda y, X: pd.Series(y, index=np.arange(len(y))[::-1] * 7),
    "one-column frame": lambda y, X: pd.DataFrame({"y": y}, index=X.index),
    "float32": lambda y, X: y.astype(np.float32),
    "nullable": lambda y, X: pd.array(y, dtype="Float64"),
    "object": lambda y, X: y.astype(object),
    "boolean": lambda y, X: y > -1,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_that_agree(shape):
    def predict(X):
        return SHAPES[shape](2 * identity(X), X)

    right = [0] * 10 if shape == "boolean" else 2 * (np.arange(1, 11) - 5.1)
    check_curve(ale(predict, column(np.arange(1.0, 11)), "x"), range(1, 11), right)


def test_several_outputs_need_a_target():
    def outputs(X):
        return np.column_stack([identity(X), -identity(X)])

    X = column(np.arange(1.0, 11))
    with pytest.raises(PredictionError, match=r"returns 2 outputs: choose one of \[0, 1\] with"):
        ale(outputs, X, "x")
    check_curve(ale(outputs, X, "x", target=1), range(1, 11), 5.1 - np.arange(1, 11))
    named = ale(lambda X: pd.DataFrame(outputs(X), columns=["up", "down"]), X, "x", target="down")
    check_curve(named, range(1, 11), 5.1 - np.arange(1, 11))
    assert named.target == "down"


class ByProbability:
    """A classifier in scikit-learn's manner with p(yes) = x / 10."""

    def __init__(self, classes):
        self.classes_ = np.array(classes, dtype=object)

    def predict(self, X):
        raise AssertionError("a classifier is explained by its probabilities")

    def predict_proba(self, X):
        p = identity(X) / 10
        return np.column_stack([1 - p, p])


@pytest.mark.parametrize("classes", [["no", "yes"], ["0 - No!", "Yes (%)"], [False, True], [3, 1]])
def test_classes_of_a_classifier(classes):
    X, right = column(np.arange(1.0, 11)), np.array([-0.42, -0.12, 0.18, 0.48])
    model = ByProbability(classes)
    check_curve(ale(model, X, "x", K=3), [1, 4, 7, 10], right)
    for label, values in zip(classes, [-right, right], strict=True):
        effect = ale(model, X, "x", K=3, target=label)
        check_curve(effect, [1, 4, 7, 10], values)
        assert effect.target == label
        assert type(effect.target) is type(label)
