"""Several outputs from the same predictions: the numbers of one at a time, at the cost of one."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, ice, load, m_plot, partial_dependence, regional_effects
from aleplot_py.errors import PredictionError
from tests.inputs.test_outputs import ByProbability
from tests.small_inputs import column

N = 60
RNG = np.random.default_rng(7)
X = pd.DataFrame(
    {"x": RNG.normal(size=N), "z": RNG.normal(size=N), "c": RNG.choice(list("pqr"), N)}
)
WEIGHTS = RNG.uniform(size=N)
FEATURES = ["x", "c", ("x", "z"), ("x", "c"), ("c", "x")]


class Counting:
    """Outputs "low" and "high", and the rows that were predicted."""

    def __init__(self):
        self.rows = 0

    def __call__(self, frame):
        self.rows += len(frame)
        low = frame["x"] * frame["z"] + (frame["c"] == "q") * frame["x"]
        return pd.DataFrame({"low": low, "high": 1e6 * frame["x"] ** 2 - low})


DOORS = {
    "ale": (ale, {}),
    "ale kept, weighted": (ale, {"local_effects": True, "sample_weight": WEIGHTS}),
    "batches": (ale, {"batch_rows": 17}),
    "threads": (ale, {"n_jobs": 2}),
    "pd": (partial_dependence, {}),
    "pd centred": (partial_dependence, {"centre": "pdplot", "batch_rows": 70}),
    "ice": (ice, {"sample_weight": WEIGHTS}),
    "m": (m_plot, {"batch_rows": 17}),
    "kernel": (m_plot, {"neighbourhood": "kernel", "sample_weight": WEIGHTS}),
}


@pytest.mark.parametrize(("door", "options"), DOORS.values(), ids=DOORS)
def test_all_outputs_cost_the_predictions_of_one_and_are_the_same(door, options):
    for features in FEATURES:
        together = Counting()
        effects = door(together, X, features, target="all", K=4, **options)
        assert list(effects) == ["low", "high"]
        predicted = together.rows
        for label in effects:
            alone = Counting()
            effect = door(alone, X, features, target=label, K=4, **options)
            assert predicted == alone.rows
            assert effects[label] == effect


def test_the_mean_prediction_is_made_once_for_all_outputs():
    predict = Counting()
    effects = ale(predict, X, "x", target=["high", "low"], K=4)
    before = predict.rows
    means = [effect.mean_prediction for effect in effects.values()]
    assert predict.rows == before + N
    assert means == [ale(Counting(), X, "x", target=t).mean_prediction for t in ("high", "low")]


def test_the_mean_prediction_is_made_once_for_all_features():
    predict = Counting()
    effects = ale(predict, X, ["x", "z", ("x", "z")], target="low", K=4)
    before = predict.rows
    [mean] = {effect.mean_prediction for effect in effects.values()}
    assert predict.rows == before + N
    assert mean == ale(Counting(), X, "z", target="low").mean_prediction


def test_automatic_intervals_and_anchors_are_those_of_each_output():
    effects = ale(Counting(), X, "x", target="all", K="auto")
    for label, effect in effects.items():
        assert effect == ale(Counting(), X, "x", target=label, K="auto")
    effects = ice(Counting(), X, "x", target="all", K=4, centre=0.5)
    for label, effect in effects.items():
        assert effect == ice(Counting(), X, "x", target=label, K=4, centre=0.5)


def test_several_features_and_outputs_have_both_in_their_keys(tmp_path):
    effects = ale(Counting(), X, ["x", "c"], target=["high"], K=4)
    assert list(effects) == [("x", "high"), ("c", "high")]
    assert effects["c", "high"].target == "high"
    frame = effects.to_frame()
    assert list(frame.columns) == ["target", "feature", "x", "feature2", "x2", "value"]
    assert len(frame) == 5 + 3
    effects.save(tmp_path / "effects.json")
    assert load(tmp_path / "effects.json") == effects
    assert list(effects.sort_by("name")) == [("c", "high"), ("x", "high")]
    assert effects.top(1).by == ("feature", "target")
    assert repr(effects).endswith("by=('feature', 'target'))")


@pytest.mark.parametrize("classes", [["no", "yes"], [False, True], ["all", "other"]])
def test_classes_of_a_classifier(classes):
    model, one = ByProbability(classes), column(np.arange(1.0, 11))
    effects = ale(model, one, "x", K=3, target="all")
    assert list(effects) == classes
    assert [type(key) for key in effects] == [type(label) for label in classes]
    np.testing.assert_array_equal(effects[classes[0]].f_values, -effects[classes[1]].f_values)
    alone = ale(model, one, "x", K=3, target=[classes[0]])  # also one that is called "all"
    assert list(alone) == classes[:1]
    assert alone[classes[0]] == effects[classes[0]]


class ByDecision:
    classes_ = np.array(["no", "yes"])

    def predict(self, frame):
        raise AssertionError("a classifier is explained by its decision function")

    def decision_function(self, frame):
        return frame["x"].to_numpy()


def test_both_classes_of_one_decision():
    effects = ale(ByDecision(), X, "x", target="all", K=3)
    np.testing.assert_array_equal(effects["no"].f_values, -effects["yes"].f_values)
    assert list(effects) == ["no", "yes"]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ([], "target must name at least one output, got an empty list"),
        (["low", "high", "low"], "different ones, got a list of 3 values with 'low' twice"),
        (["low", "hihg"], r"target='hihg' is not an output .* it has \['low', 'high'\]"),
        ([["low"]], "target must be the label of one output"),
        (np.array(["low", "high"]), "target must be the label of one output"),
    ],
)
def test_lists_that_are_not_labels_of_outputs(target, message):
    for door in (ale, partial_dependence, ice, m_plot):
        with pytest.raises(PredictionError, match=message):
            door(Counting(), X, "x", target=target)


def test_what_has_one_output_only():
    with pytest.raises(PredictionError, match="target='all' chooses among several outputs, but"):
        ale(lambda frame: frame["x"], X, "x", target="all")
    with pytest.raises(ValueError, match=r"gradient= serves one output: .* got 'all'"):
        ale(Counting(), X, "x", target="all", gradient=lambda frame: frame)
    with pytest.raises(PredictionError, match=r"not an output .*: it has \['no', 'yes'\]"):
        ale(ByProbability(["no", "yes"]), X, "x", target=["maybe"])
    with pytest.raises(PredictionError, match=r"the label of one output .* list"):
        regional_effects(Counting(), X, "x", target=["low", "high"])
    with pytest.raises(PredictionError, match="target='all' is not an output of the black box"):
        regional_effects(Counting(), X, "x", target="all")


def test_wrong_predictions_of_any_output_are_refused():
    for bad, message in ((np.nan, "1 of 120 predictions are NaN"), (1e303, "got 1e.303: rescale")):
        with pytest.raises(PredictionError, match=message):
            ale(
                lambda frame, bad=bad: np.where(
                    np.arange(N)[:, None] == [5, N], bad, np.ones((N, 2))
                ),
                X,
                "x",
                target="all",
            )
    with pytest.raises(PredictionError, match="must return numbers: its first prediction is 'a'"):
        ale(lambda frame: np.full((len(frame), 2), "a"), X, "x", target="all")
