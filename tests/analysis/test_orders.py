"""Sensitivity to the order of levels, and orders by frequency and mean prediction."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, load, m_plot, order_sensitivity, partial_dependence
from aleplot_py.errors import FeatureError, FeatureTypeError

# Sums in another order; the effects are of order 1.
ROUNDING = 1e-13

RNG = np.random.default_rng(8)
N = 200
LEVELS = RNG.choice(list("pqrs"), N, p=[0.1, 0.4, 0.3, 0.2])
SLOPE = {"p": 2.0, "q": 0.0, "r": -1.0, "s": 1.0}
X = pd.DataFrame({"c": LEVELS, "x": RNG.normal(size=N) + (LEVELS == "r"), "y": RNG.uniform(size=N)})


def interacting(frame):
    return frame["c"].map(SLOPE).astype(float) * frame["x"] + frame["y"]


def additive(frame):
    return frame["c"].map(SLOPE).astype(float) + frame["x"]


@pytest.mark.parametrize("door", [ale, partial_dependence, m_plot])
def test_frequency_puts_the_level_of_most_rows_first(door):
    assert list(door(additive, X, "c", order="frequency").x_values[0]) == list("qrsp")


@pytest.mark.parametrize("door", [ale, partial_dependence, m_plot])
def test_mean_prediction_is_that_of_the_rows_of_each_level(door):
    means = interacting(X).groupby(X["c"], observed=True).mean().sort_values()
    found = door(interacting, X, "c", order={"c": "mean_prediction"})
    assert list(found.x_values[0]) == list(means.index)


def test_equal_levels_stand_as_declared():
    c = pd.Categorical(list("aabbcc"), categories=["c", "a", "b"])
    frame = pd.DataFrame({"c": c, "x": [0.0, 1.0, 0.0, 1.0, 5.0, 6.0]})
    for order in ("frequency", "mean_prediction"):
        effect = ale(lambda rows: np.zeros(len(rows)), frame, "c", order=order)
        assert list(effect.x_values[0]) == ["c", "a", "b"]


def test_an_order_by_counting_costs_nothing():
    assert cost(["c", "k"], "frequency") == cost(["c", "k"], "declared")


def cost(features, order):
    """Rows predicted for effects that move all rows alike, in any order of the levels."""
    rows = []

    def counted(frame):
        rows.append(len(frame))
        return interacting(frame)

    partial_dependence(counted, X.assign(k=X["c"]), features, order=order)
    return sum(rows)


def test_mean_predictions_are_made_once_for_all_features():
    assert cost(["c", "k"], "mean_prediction") - cost(["c", "k"], "declared") == N
    assert cost("c", "mean_prediction") - cost("c", "declared") == N


def test_means_ignore_weights_and_need_one_output():
    weights = np.where(LEVELS == "p", 100.0, 1.0) * RNG.uniform(size=N)
    plain = ale(interacting, X, "c", order="mean_prediction")
    weighted = ale(interacting, X, "c", order="mean_prediction", sample_weight=weights)
    assert list(plain.x_values[0]) == list(weighted.x_values[0])

    def both(frame):
        return np.column_stack([interacting(frame), additive(frame)])

    right = additive(X).groupby(X["c"], observed=True).mean()
    second = ale(both, X, "c", order="mean_prediction", target=1)
    assert list(second.x_values[0]) == list(right.sort_values().index)
    with pytest.raises(ValueError, match="orders levels by one output: target must be one label"):
        ale(both, X, "c", order="mean_prediction", target="all")


def test_differences_are_those_of_the_curves_at_the_same_levels():
    found = order_sensitivity(interacting, X, "c")
    assert found.orders == ("similarity", "declared", "frequency", "mean_prediction")
    first = dict(zip(found.effects[0].x_values[0], found.effects[0].f_values, strict=True))
    for order, effect, row, distance in zip(
        found.orders, found.effects, found.differences, found.distance, strict=True
    ):
        assert effect == ale(interacting, X, "c", order=order)
        curve = dict(zip(effect.x_values[0], effect.f_values, strict=True))
        right = [curve[level] - first[level] for level in first]
        np.testing.assert_array_equal(row, right)
        at_rows = [curve[level] - first[level] for level in LEVELS]
        assert abs(distance - np.sqrt(np.mean(np.square(at_rows)))) <= ROUNDING
    assert found.distance[0] == 0
    assert found.distance[1:].max() > 0.1


def test_an_additive_model_and_a_reversed_order_move_nothing():
    assert order_sensitivity(additive, X, "c").distance.max() <= ROUNDING
    orders = {"there": list("pqrs"), "back": list("srqp"), "else": list("prqs")}
    there, back, other = order_sensitivity(interacting, X, "c", orders=orders).distance
    assert there == 0
    assert back <= ROUNDING < other


def test_weights_count_in_the_distance():
    weights = (LEVELS != "p").astype(float)
    found = order_sensitivity(
        interacting, X, "c", sample_weight=weights, orders=["declared", "frequency"]
    )
    inside = LEVELS != "p"
    at_rows = found.effects[1].evaluate(LEVELS) - found.effects[0].evaluate(LEVELS)
    right = np.sqrt(np.mean(at_rows[inside] ** 2))
    assert abs(found.distance[1] - right) <= ROUNDING


def test_numbers_declared_categories_and_collapsed_levels():
    frame = X.assign(k=np.arange(N) % 4)
    with pytest.raises(FeatureTypeError, match="one categorical column, got 'k', which is numeric"):
        order_sensitivity(additive, frame, "k")
    assert order_sensitivity(additive, frame, "k", categorical="k").feature == "k"
    found = order_sensitivity(interacting, X, "c", collapse={"c": ["p", "s"]})
    assert {effect.collapsed["c"] for effect in found.effects} == {("p", "s")}


@pytest.mark.parametrize(
    ("orders", "error", "message"),
    [
        ("similarity", TypeError, "orders must be a list of words, or a mapping of name to order"),
        (["similarity"], ValueError, "at least two different orders, got"),
        (["declared", "alphabetical"], ValueError, "each of orders must be one of"),
        ({1: "declared", 2: "frequency"}, TypeError, "orders must be named by text, got 1"),
        ({"a": "declared", "b": ["p"]}, ValueError, "order of column 'c' leaves out level 'q'"),
        (5, TypeError, "got 5"),
        ({"frequency", "declared"}, TypeError, "orders must be a list of words"),
        ({"a": "declared", "b": ["p", pd.NA]}, ValueError, "names <NA>, which is not a level"),
        ({"a": "declared", "b": ["p", ["q"]]}, ValueError, r"names \['q'\], which is not a level"),
    ],
)
def test_what_are_no_orders_is_refused(orders, error, message):
    with pytest.raises(error, match=message):
        order_sensitivity(interacting, X, "c", orders=orders)


def test_levels_that_only_some_orders_collapse_cannot_be_compared():
    """A declared order keeps its rare levels; once the curves' other levels were asked for."""
    ordered = X.assign(c=pd.Categorical(X["c"], ordered=True))
    with pytest.raises(FeatureError, match="collapse= leaves the levels of column 'c' alone"):
        order_sensitivity(interacting, ordered, "c", collapse=0.25)
    without = ["similarity", "frequency", "mean_prediction"]
    found = order_sensitivity(interacting, ordered, "c", orders=without, collapse=0.25)
    assert all(effect.collapsed for effect in found.effects)


def test_the_table_and_the_file(tmp_path):
    found = order_sensitivity(interacting, X, "c")
    table = found.to_frame()
    assert list(table.columns) == ["order", "levels", "strength", "distance", "largest", "at"]
    assert table["levels"][2] == tuple("qrsp")
    largest = np.abs(found.differences)
    assert table["largest"].tolist() == largest.max(axis=1).tolist()
    assert table["at"][1] == found.effects[0].x_values[0][largest[1].argmax()]
    found.save(tmp_path / "orders.json")
    assert load(tmp_path / "orders.json") == found
    assert repr(found).startswith("OrderSensitivity('c': 4 orders, up to ")


def test_the_drawing_has_every_order_at_every_level():
    found = order_sensitivity(interacting, X, "c")
    display = found.plot(labels={"c": "class"}, level_labels={"p": "first"}, units="m", title="t")
    left, right = display.axes_
    assert left.get_xlabel() == "class"
    assert "first" in [text.get_text() for text in left.get_xticklabels()]
    for line, differences in zip(display.points_, found.differences, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), found.effects[0].f_values + differences)
        assert (np.round(line.get_xdata()) == np.arange(4)).all()
    shown = [float(line.get_xdata()[0]) for line in display.distances_]
    assert shown == found.distance.tolist()
    assert display.largest_.get_xdata().tolist() == np.abs(found.differences).max(axis=1).tolist()
    names = [text.get_text() for text in right.get_yticklabels()]
    assert names == ["similarity", "declared", "frequency", "mean prediction"]
    assert right.get_xlabel() == "difference from similarity\n(m)"
    with pytest.raises(ValueError, match="level_labels names 'k'"):
        found.plot(level_labels={"k": "x"})
    plt.close("all")
