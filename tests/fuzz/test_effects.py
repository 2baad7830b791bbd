"""ALE on any frame with any options: the definition by loops, or a documented error."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aleplot_py import ale
from aleplot_py.errors import FeatureTypeError, GridError, PredictionError
from aleplot_py.inputs.black_box import LARGEST_PREDICTION
from aleplot_py.inputs.ordering import ORDERS
from tests.fuzz.answers import assert_ale
from tests.fuzz.calls import RULES, calls, numbers, own_edges
from tests.fuzz.frames import KINDS, cases
from tests.fuzz.verdict import answered, often, outcome
from validation import brute_force


@st.composite
def grids(draw, case, call, number=0):
    """Edges of a numeric feature, put among the options; None where an error is due."""
    name, values = case.names[number], numbers(case, number)
    n = len(case.X)
    K = draw(st.one_of(st.integers(1, 12), st.integers(1, 10 * n)))
    if len(case.places) == 2:
        K = min(K, 12)
    call.options.setdefault("K", {})[name] = K
    if not np.isfinite(values).all():
        call.refusals.append("infinite values")
    if call.refusals or not values:
        return None
    if draw(st.booleans()):
        given, edges = draw(own_edges(values))
        call.options.setdefault("grid", {})[name] = given
        outside = call.options.get("outside", "error")
        if edges is None:
            call.refusals.append("grid")
        elif outside == "error" and (edges[0] > min(values) or edges[-1] < max(values)):
            call.refusals.append("rows outside the grid")
        elif outside == "iml" and min(values) > edges[-1]:
            call.refusals.append("all rows above the grid")
        return edges
    rule = draw(st.sampled_from(RULES))
    call.options.setdefault("grid", {})[name] = rule
    if min(values) == max(values):
        call.refusals.append("a single value")
        return None
    if rule == "equidistant":
        return np.unique(np.linspace(min(values), max(values), K + 1)).tolist()
    return brute_force.quantile_edges(values, K, rule)


@st.composite
def levels(draw, case, call, number=0):
    """Put a categorical feature's kind and the order of its levels among the options."""
    name, column = case.names[number], case.column(number)
    known = column[case.known()].tolist()
    used = sorted({brute_text(v): v for v in known}.values(), key=brute_text)
    if KINDS[case.types[number]] != "categorical" or case.types[number] == "mixed":
        call.options.setdefault("categorical", []).append(name)
    if len(used) < 2:
        call.refusals.append("a single level")
        return
    kind = draw(st.sampled_from(["none", "none", *ORDERS, "own", "own", "wrong"]))
    if kind == "none":
        return
    order = {"own": draw(st.permutations(used)), "wrong": [*used, used[0]]}.get(kind, kind)
    call.options.setdefault("order", {})[name] = order
    if kind == "wrong":
        call.refusals.append("order")


def slope_overflows(found, edges, power=0):
    """Whether the widths of the intervals explain that one cannot take another's slope.

    Predictions are up to 32 times 2**power.
    """
    if not (isinstance(found, GridError) and "too wide" in str(found)):
        return False
    widths = [float(high) - float(low) for low, high in pairwise(edges or [])]
    return min(widths) * 2.0 ** (1000 - max(power, 0)) < max(widths)


def brute_text(value):
    return f"{type(value).__name__} {value!r}"


def assert_levels(effect, axis, case, call):
    """All used levels, in the order that was asked for or declared."""
    found = list(effect.x_values[axis])
    column, order = case.column(axis), call.options.get("order", {}).get(case.names[axis])
    used = list(dict.fromkeys(column[case.known()].tolist()))
    assert sorted(map(brute_text, found)) == sorted(map(brute_text, used))
    declared = order == "declared" and hasattr(column, "cat")
    if isinstance(order, list):
        assert found == order
    elif declared or (order is None and getattr(column.dtype, "ordered", False)):
        assert found == [level for level in column.cat.categories if level in used]
    elif order in ("frequency", "mean_prediction"):
        sizes = [_size(level, order, column, case, call) for level in found]
        assert sizes == sorted(sizes)


def _size(level, order, column, case, call):
    """What a level is ranked by: its rows, or the mean of their predictions, rounded once."""
    same = [brute_text(value) == brute_text(level) for value in column.tolist()]
    own = np.array(same) & case.known()
    if order == "frequency":
        return -int(own.sum())
    X = case.X[own]
    X.columns = range(X.shape[1])
    predictions = [Fraction(float(value)) for value in call.box.reference(X)]
    return float(sum(predictions) / len(predictions))


def compared(effect, case, call, kinds, edges, **options):
    """The effect against the loops, on its own levels and on edges laid by the loops."""
    points = []
    for axis, (kind, z) in enumerate(zip(kinds, edges, strict=True)):
        if kind == "numeric":
            assert effect.x_values[axis].tolist() == z
        points.append(z if kind == "numeric" else list(effect.x_values[axis]))
    known = case.known()
    X = case.X[known]
    X.columns = range(X.shape[1])
    right = brute_force.ale(
        call.box.reference,
        X,
        case.places,
        points,
        kinds,
        weights=None if call.weights is None else call.weights[known],
        centre=call.options.get("centre", "aleplot"),
        tied=effect.local_mean,
        **options,
    )
    assert_ale(effect, right)


CENTRES = st.sampled_from(["aleplot", "paper", "none"])


@often
@given(case=cases({"numeric"}), data=st.data())
def test_numeric(case, data):
    call = data.draw(calls(case))
    call.options["outside"] = data.draw(st.sampled_from(["error", "clip", "iml"]))
    call.options["centre"] = data.draw(CENTRES)
    call.options["local_effects"] = data.draw(st.booleans())
    edges = data.draw(grids(case, call))
    effect = outcome(ale, call.predict, case.X, case.asked, **call.options)
    if slope_overflows(effect, edges, call.box.power):
        return
    if answered(effect, call.refusals):
        outside = "iml" if call.options["outside"] == "iml" else "clip"
        compared(effect, case, call, ["numeric"], [edges], outside=outside)


@often
@given(case=cases({"numeric", "categorical", "time"}), data=st.data())
def test_categorical(case, data):
    call = data.draw(calls(case))
    call.options["centre"] = data.draw(CENTRES)
    data.draw(levels(case, call))
    effect = outcome(ale, call.predict, case.X, case.asked, **call.options)
    if answered(effect, call.refusals):
        assert_levels(effect, 0, case, call)
        compared(effect, case, call, ["categorical"], [None])


@often
@given(case=cases({"numeric"}, {"numeric"}, most=10), data=st.data())
def test_pair_of_numbers(case, data):
    _pair(case, data, ["numeric", "numeric"])


@often
@given(case=cases({"categorical"}, {"numeric"}, most=10), data=st.data())
def test_category_and_number(case, data):
    kinds = ["categorical", "numeric"]
    if data.draw(st.booleans()):
        case.places.reverse()
        case.types.reverse()
        kinds.reverse()
    _pair(case, data, kinds)


@often
@given(case=cases({"categorical"}, {"categorical", "numeric"}, most=10), data=st.data())
def test_pair_of_categories(case, data):
    _pair(case, data, ["categorical", "categorical"])


def _pair(case, data, kinds):
    call = data.draw(calls(case))
    call.options["centre"] = data.draw(CENTRES)
    call.options["outside"] = data.draw(st.sampled_from(["error", "clip"]))
    call.options["local_effects"] = data.draw(st.booleans())
    edges = [
        data.draw(grids(case, call, axis) if kind == "numeric" else levels(case, call, axis))
        for axis, kind in enumerate(kinds)
    ]
    effect = outcome(ale, call.predict, case.X, case.asked, **call.options)
    if not answered(effect, call.refusals):
        return
    for axis, kind in enumerate(kinds):
        if kind == "categorical":
            assert_levels(effect, axis, case, call)
    compared(effect, case, call, kinds, edges)


@often
@given(case=cases({"numeric"}), data=st.data())
def test_gradient(case, data):
    """The route by derivatives: slopes that are predictions of the hashed black box."""
    call = data.draw(calls(case, outputs=False))
    call.options.pop("response_method", None)
    call.box.power = 0
    call.options["centre"] = data.draw(CENTRES)
    edges = data.draw(grids(case, call))
    per_feature = data.draw(st.booleans())
    width = case.X.shape[1]

    def slopes(frame):
        one = call.box.values(frame)
        return one if per_feature else np.repeat(one[:, None], width, axis=1)

    gradient = {case.names[0]: slopes} if per_feature else slopes
    effect = outcome(ale, call.predict, case.X, case.asked, gradient=gradient, **call.options)
    steepest = 32 * max(map(float, np.diff(edges or [0.0, 1.0])))
    if isinstance(effect, PredictionError) and steepest > LARGEST_PREDICTION:
        return
    if slope_overflows(effect, edges, call.box.power):
        return
    if answered(effect, call.refusals):
        of_rows = call.box.values(case.X[case.known()])
        compared(effect, case, call, ["numeric"], [edges], slopes=of_rows)


@given(case=cases({"refused"}, odd=False), data=st.data())
def test_what_is_neither_number_nor_level_is_refused(case, data):
    call = data.draw(calls(case))
    found = outcome(ale, call.predict, case.X, case.asked, **call.options)
    assert isinstance(found, FeatureTypeError) or call.refusals


@given(case=cases({"time"}), data=st.data())
def test_times_have_an_effect_or_a_reason(case, data):
    call = data.draw(calls(case))
    found = outcome(ale, call.predict, case.X, case.asked, **call.options)
    if not isinstance(found, Exception):
        assert not call.refusals
        assert np.isfinite(found.f_values).all()
        assert list(found.x_values[0]) == sorted(found.x_values[0])
