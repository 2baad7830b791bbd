"""Regions of an effect above, inside and below a band."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from aleplot_py import ale
from aleplot_py.analysis.random_variable import effect_regions

# Sums of a few dozen terms of size 10 in double precision.
EXACT = 1e-12


@pytest.fixture
def line():
    X = pd.DataFrame({"x": np.linspace(-1, 1, 200), "c": list("aabbbbcccc") * 20})
    return ale(lambda X: X["x"], X, "x", grid=np.linspace(-1, 1, 6)), X


def test_regions_of_a_line(line):
    effect, _ = line
    found = effect_regions(effect, (-0.5, 0.25))
    assert found["position"].tolist() == ["below", "within", "above"]
    np.testing.assert_allclose(found["start"], [-1, -0.5, 0.25], rtol=0, atol=EXACT)
    np.testing.assert_allclose(found["end"], [-0.5, 0.25, 1], rtol=0, atol=EXACT)
    np.testing.assert_allclose(found["start_value"], [-1, -0.5, 0.25], rtol=0, atol=EXACT)
    np.testing.assert_allclose(found["end_value"], [-0.5, 0.25, 1], rtol=0, atol=EXACT)
    assert found["rows"].tolist() == [50, 75, 75]
    assert found["share"].sum() == pytest.approx(1, abs=EXACT)


def test_regions_with_a_confidence_band(line):
    effect, _ = line
    lower, upper = effect.f_values - 0.1, effect.f_values + 0.2
    found = effect_regions(effect, (-0.5, 0.25), lower=lower, upper=upper)
    assert found["position"].tolist() == ["below", "within", "above"]
    np.testing.assert_allclose(found["end"], [-0.7, 0.35, 1], rtol=0, atol=EXACT)
    wide = effect_regions(effect, (-0.5, 0.25), lower=lower - 3, upper=upper + 3)
    assert wide["position"].tolist() == ["within"]
    assert wide[["start", "end", "rows"]].to_numpy().tolist() == [[-1, 1, 200]]


def test_regions_come_back_to_the_band():
    x = np.linspace(-2, 2, 401)
    effect = ale(lambda X: np.cos(np.pi * X["x"]), pd.DataFrame({"x": x}), "x", K=400)
    found = effect_regions(effect, (-0.5, 0.5))
    there = ["above", "within", "below", "within"]
    assert found["position"].tolist() == [*there, *there, "above"]
    # cos is +-1/2 at +-1/3, +-2/3, +-4/3 and +-5/3; one grid step is 0.01.
    crossings = np.array([-5, -4, -2, -1, 1, 2, 4, 5]) / 3
    np.testing.assert_allclose(found["end"][:-1], crossings, rtol=0, atol=0.01)
    np.testing.assert_array_equal(found["start"][1:], found["end"][:-1])


def test_regions_of_levels(line):
    _, X = line
    effect = ale(lambda X: (X["c"] == "c") * 1.0 - (X["c"] == "a"), X, "c", order=list("abc"))
    found = effect_regions(effect, (-0.5, 0.5))
    assert found["level"].tolist() == ["a", "b", "c"]
    assert found["position"].tolist() == ["below", "within", "above"]
    assert found["rows"].tolist() == [40, 80, 80]
    np.testing.assert_array_equal(found["value"], effect.f_values)


def test_regions_against_the_null(regression):
    X, y, null = regression
    model = LinearRegression().fit(X, y)
    low, high = null.band()
    strong = effect_regions(ale(model, X, "strong"), null)
    assert strong["position"].tolist() == ["below", "within", "above"]
    np.testing.assert_allclose(strong["end_value"][:2], [low, high], rtol=0, atol=EXACT)
    noise = effect_regions(ale(model, X, "noise"), null, alpha=0.01)
    assert noise["position"].tolist() == ["within"]


@settings(deadline=None)
@given(st.integers(0, 2**16), st.integers(2, 12))
def test_regions_cover_the_grid_and_every_row(seed, K):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.normal(size=40)})
    weights = rng.integers(0, 3, size=40) + 1.0
    effect = ale(lambda X: np.sin(5 * X["x"]), X, "x", K=K, sample_weight=weights)
    low, high = np.sort(rng.normal(size=2) / 2)
    found = effect_regions(effect, (low, high))
    assert found["start"].iloc[0] == effect.x_values[0][0]
    assert found["end"].iloc[-1] == effect.x_values[0][-1]
    assert (found["position"] != found["position"].shift()).all()
    assert found["rows"].sum() == pytest.approx(weights.sum(), abs=EXACT * 100)
    middle = effect.evaluate((found["start"] + found["end"]) / 2)
    for position, value in zip(found["position"], middle, strict=True):
        inside = {"below": value < high, "within": True, "above": value > low}[position]
        assert inside


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"null": (1, -1)}, ValueError, "low end must not exceed"),
        ({"null": 3}, TypeError, r"a band \(low, high\), got 3"),
        ({"lower": np.zeros(6)}, ValueError, "given together"),
        ({"lower": np.zeros(5), "upper": np.ones(6)}, ValueError, "lower must have one value"),
        ({"lower": np.ones(6), "upper": np.zeros(6)}, ValueError, "must not exceed upper"),
    ],
)
def test_regions_refuse(line, arguments, error, message):
    effect, _ = line
    with pytest.raises(error, match=message):
        effect_regions(effect, **{"null": (-1, 1), **arguments})


def test_regions_need_a_main_effect(line):
    _, X = line
    pair = ale(lambda X: X["x"], X, ("x", "c"), K=2, order={"c": "declared"})
    with pytest.raises(TypeError, match="main effect of ale"):
        effect_regions(pair, (-1, 1))
