"""Scales from 1e-300 to 1e300: a power of two in the data or the predictions changes no digit."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, intervals, m_plot, partial_dependence
from aleplot_py.errors import PredictionError
from aleplot_py.steps.moments import DIGIT, CellMoments

OF_X = [33, -33, 517, -517, 548, -548, 900, -900]
OF_PREDICTION = [500, -500, 515, -515, 600, -600, 900, -900]
X0 = np.linspace(-1, 1, 200)
Z = np.random.default_rng(0).normal(size=200)


def data(power=0):
    return pd.DataFrame({"x": np.ldexp(X0, power), "z": Z})


def bent(of_x=0, of_prediction=0):
    def f(X):
        values = np.ldexp(X["x"].to_numpy(), -of_x) ** 2 * (1 + X["z"].to_numpy() / 10)
        return np.ldexp(values, of_prediction)

    return f


def numbers(effect, of_x, of_prediction):
    """Everything that scales, brought back."""
    parts = [np.ldexp(effect.x_values[0], -of_x), effect.f_values, effect.strength]
    for name in ("local_mean", "local_std"):
        parts.append(getattr(effect, name, 0.0))
    kept = getattr(effect, "local_effects", None)
    parts.append(0.0 if kept is None else kept.effects)
    return [parts[0].tolist(), *(np.ldexp(p, -of_prediction).tolist() for p in parts[1:])]


EFFECTS = {
    "auto": lambda f, X: ale(f, X, "x", K="auto", local_effects=True),
    "greedy": lambda f, X: ale(f, X, "x", K=intervals.Auto(method="greedy"), local_effects=True),
    "ale": lambda f, X: ale(f, X, "x", K=7, local_effects=True),
    "weights": lambda f, X: ale(f, X, "x", K="auto", sample_weight=1 + Z**2),
    "equidistant": lambda f, X: ale(f, X, "x", K=7, grid="equidistant"),
    "pd": lambda f, X: partial_dependence(f, X, "x", K=7),
    "pd centred": lambda f, X: partial_dependence(f, X, "x", K=8, grid="iml"),
    "m_plot": lambda f, X: m_plot(f, X, "x", K=7),
    "kernel": lambda f, X: m_plot(f, X, "x", K=7, neighbourhood="kernel"),
}


@pytest.mark.parametrize("estimate", EFFECTS.values(), ids=EFFECTS)
@pytest.mark.parametrize("power", OF_X)
def test_scale_of_the_feature(estimate, power):
    right = numbers(estimate(bent(), data()), 0, 0)
    assert numbers(estimate(bent(power), data(power)), power, 0) == right


@pytest.mark.parametrize("estimate", EFFECTS.values(), ids=EFFECTS)
@pytest.mark.parametrize("power", OF_PREDICTION)
def test_scale_of_the_prediction(estimate, power):
    right = numbers(estimate(bent(), data()), 0, 0)
    assert numbers(estimate(bent(0, power), data()), 0, power) == right


@pytest.mark.parametrize(("of_x", "of_prediction"), [(900, -900), (-900, 900), (990, 990)])
def test_both_scales_at_once(of_x, of_prediction):
    right = numbers(EFFECTS["auto"](bent(), data()), 0, 0)
    effect = EFFECTS["auto"](bent(of_x, of_prediction), data(of_x))
    assert numbers(effect, of_x, of_prediction) == right


@pytest.mark.parametrize("scale", [1e165, 1e-155, 1e-200, 1e300])
def test_automatic_intervals_of_decimal_scales(scale):
    effect = ale(lambda X: np.abs(X["x"] / scale), data().assign(x=X0 * scale), "x", K="auto")
    assert effect.K == (2,)
    np.testing.assert_allclose(effect.f_values, [0.5, -0.5, 0.5], atol=1e-2)


@pytest.mark.parametrize("power", [0, 300, -300, 500, -500])
@pytest.mark.parametrize("of_slope", [0, 300, -300, 450, -450])
def test_intervals_of_derivatives(power, of_slope):
    slopes = 2 * X0 + Z / 10
    right = intervals.fit_derivatives(X0, slopes)
    found = intervals.fit_derivatives(np.ldexp(X0, power), np.ldexp(slopes, of_slope))
    assert np.ldexp(found.edges, -power).tolist() == right.edges.tolist()
    assert np.ldexp(found.slope, -of_slope).tolist() == right.slope.tolist()
    assert np.ldexp(found.slope_std, -of_slope).tolist() == right.slope_std.tolist()


def test_a_kernel_counts_tiny_weights_of_tiny_predictions():
    weights = np.full(200, 1e-100)
    effect = m_plot(
        lambda X: np.full(len(X), 1e-300),
        data(),
        "x",
        neighbourhood="kernel",
        sample_weight=weights,
    )
    np.testing.assert_allclose(effect.f_values, 1e-300)
    right = m_plot(lambda X: np.ones(len(X)), data(), "x", neighbourhood="kernel")
    np.testing.assert_allclose(effect.counts, right.counts * 1e-100)


def test_a_gradient_whose_effects_no_double_holds():
    gradient = {"x": lambda X: np.full(len(X), 1e300)}
    with pytest.raises(PredictionError, match=r"gradient in column 'x' times the width .*got inf"):
        ale(bent(), data(600), "x", gradient=gradient)


def test_moments_scale_exactly():
    effects, codes = np.array([1e-300, 3.5, -7e200, 0.1]), np.array([0, 1, 1, 0])
    moments = CellMoments.of(effects, codes, 3)
    assert moments.scaled(3 * DIGIT).scaled(-3 * DIGIT).mean.tolist() == moments.mean.tolist()
    scaled = CellMoments.of(effects[[1, 3]] * 2.0**DIGIT, codes[[1, 3]], 2)
    there = CellMoments.of(effects[[1, 3]], codes[[1, 3]], 2).scaled(DIGIT)
    assert there.mean.tolist() == scaled.mean.tolist()
    assert there.squares.tolist() == scaled.squares.tolist()
