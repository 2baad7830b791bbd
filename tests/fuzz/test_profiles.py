"""PD, ICE and M-plots on any frame with any options: the definition, or a documented error."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from aleplot_py import ice, m_plot, partial_dependence
from tests.fuzz.answers import MEANS, near
from tests.fuzz.calls import calls, numbers, own_edges
from tests.fuzz.frames import cases
from tests.fuzz.test_effects import grids, levels
from tests.fuzz.verdict import answered, often, outcome
from validation import brute_force

# Gaussian weights are rounded, and their logarithm is as long as 37**2 / 2.
KERNEL = 2.0**-38


@st.composite
def point_grids(draw, case, call, number=0):
    """Points of a numeric feature, put among the options; None where an error is due."""
    name, values = case.names[number], numbers(case, number)
    K = draw(st.integers(1, 8))
    call.options.setdefault("K", {})[name] = K
    if not np.isfinite(values).all():
        call.refusals.append("infinite values")
    if call.refusals or not values:
        return None
    if draw(st.booleans()):
        given, points = draw(own_edges(values, at_least=1))
        call.options.setdefault("grid", {})[name] = given
        if points is None:
            call.refusals.append("grid")
        return points
    rule = draw(st.sampled_from(["equidistant", "iml"]))
    call.options.setdefault("grid", {})[name] = rule
    if min(values) == max(values) or K < 2:
        call.refusals.append("a single value")
        return None
    points = np.linspace(min(values), max(values), K)
    if rule == "iml" and pd.api.types.is_integer_dtype(case.column(number).dtype):
        points = np.round(points)
    return np.unique(points).tolist()


def _laid(data, case, call, kinds, lay):
    return [
        data.draw(lay(case, call, axis) if kind == "numeric" else levels(case, call, axis))
        for axis, kind in enumerate(kinds)
    ]


def _right(function, effect, case, call, kinds, points, **options):
    known = case.known()
    X = case.X[known]
    X.columns = range(X.shape[1])
    at = [
        p if kind == "numeric" else list(x)
        for kind, p, x in zip(kinds, points, effect.x_values, strict=True)
    ]
    assert [list(x) for x in effect.x_values] == at
    weights = None if call.weights is None else call.weights[known]
    return function(
        call.box.reference, X, case.places, at, kinds, weights=weights, **options
    ), np.abs(call.box.reference(X)).max() + np.ldexp(32.0, call.box.power)


def _profile(case, data, kinds, estimator):
    call = data.draw(calls(case))
    points = _laid(data, case, call, kinds, point_grids)
    centre = data.draw(st.sampled_from(["none", "pdplot", "value"]))
    if centre == "value" and not call.refusals:
        centre = tuple(
            p[0] if kind == "numeric" else case.column(axis)[case.known()].tolist()[0]
            for axis, (kind, p) in enumerate(zip(kinds, points, strict=True))
        )
    call.options["centre"] = centre if centre != "value" else "none"
    effect = outcome(estimator, call.predict, case.X, case.asked, **call.options)
    if not answered(effect, call.refusals):
        return
    (values, curves), largest = _right(
        brute_force.partial_dependence, effect, case, call, kinds, points,
        centre=call.options["centre"],
    )  # fmt: skip
    near(effect.f_values, values, MEANS * largest)
    if estimator is ice:
        near(effect.individual, curves, MEANS * largest)


@often
@given(
    case=cases({"numeric"}), data=st.data(), estimator=st.sampled_from([partial_dependence, ice])
)
def test_profile_of_a_number(case, data, estimator):
    _profile(case, data, ["numeric"], estimator)


@often
@given(case=cases({"categorical"}, {"numeric"}, most=10), data=st.data())
def test_profile_of_a_pair(case, data):
    estimator = data.draw(st.sampled_from([partial_dependence, ice]))
    _profile(case, data, ["categorical", "numeric"], estimator)


@often
@given(case=cases({"numeric"}), data=st.data())
def test_m_plot_of_a_number(case, data):
    _m_plot(case, data, ["numeric"])


@often
@given(case=cases({"numeric"}, {"categorical"}, most=10), data=st.data())
def test_m_plot_of_a_pair(case, data):
    _m_plot(case, data, ["numeric", "categorical"])


def _m_plot(case, data, kinds):
    call = data.draw(calls(case))
    points = _laid(data, case, call, kinds, grids)
    widths = None
    if data.draw(st.booleans()) and not call.refusals:
        span = points[0][-1] - points[0][0]
        widths = [span * data.draw(st.sampled_from([0.05, 0.3, 4.0])), 1.0]
        if not 1e-290 < span < 1e290:
            widths = None
    if widths is not None:
        call.options |= {"neighbourhood": "kernel", "bandwidth": {case.names[0]: widths[0]}}
    effect = outcome(m_plot, call.predict, case.X, case.asked, **call.options)
    if not answered(effect, call.refusals):
        return
    (values, counts), largest = _right(
        brute_force.m_plot, effect, case, call, kinds, points, widths=widths
    )
    if widths is None:
        assert np.array_equal(effect.counts, counts)
        near(effect.f_values, values, MEANS * largest)
    else:
        np.testing.assert_allclose(effect.counts, counts, rtol=KERNEL, atol=0)
        near(effect.f_values, values, KERNEL * largest)
