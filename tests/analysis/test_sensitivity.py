"""Sensitivity to K: by hand, by simulation, its table and its plot."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from aleplot_py import ale
from aleplot_py.analysis.sensitivity import k_sensitivity
from aleplot_py.errors import FeatureError

# Sums of a few hundred terms of size 1 in double precision.
ROUNDING = 1e-12
# Standard deviation over 400 draws is within 10 % of the truth (three of its standard errors).
SIMULATION = 0.1


def close(actual, expected, atol=ROUNDING):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=atol)


def frame(n=2000, seed=1):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"x": rng.uniform(size=n), "u": rng.normal(size=n)})


def wave(X):
    return np.sin(6 * X["x"]) + X["x"] * X["u"]


def product(X):
    return X["x"] * X["u"]


def line(X):
    return 3 * X["x"] - X["u"]


def constant(X):
    return np.ones(len(X))


def test_curves_are_those_of_ale():
    X = frame(300)
    result = k_sensitivity(wave, X, "x", Ks=(7, 3, 12, 7))
    assert result.Ks == (3, 7, 12)
    assert result.feature == "x"
    for K, effect in zip(result.Ks, result.effects, strict=True):
        alone = ale(wave, X, "x", K=K)
        np.testing.assert_array_equal(effect.x_values[0], alone.x_values[0])
        np.testing.assert_array_equal(effect.f_values, alone.f_values)


def test_cost_is_2n_rows_for_each_K():
    X = frame(100)
    rows = []

    def counted(moved):
        rows.append(len(moved))
        return wave(moved)

    k_sensitivity(counted, X, "x", Ks=(5, 10, 20))
    assert rows == [100] * 6


def test_measures_by_hand():
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0, 4.0], "u": [1.0, -1.0, 2.0, 0.0, 3.0]})

    def predict(rows):
        return rows["x"] ** 2 + rows["x"] * rows["u"]

    result = k_sensitivity(predict, X, "x", Ks=(1, 2))
    # K = 1: all rows over (0, 4], differences 16 + 4 u, mean 20, variance 16 * 2.5.
    # K = 2: edges 0, 2, 4; differences 4 + 2 u over (0, 2], 12 + 2 u over (2, 4].
    one, two = result.effects
    close(one.f_values, [-10, 10])
    low, high = 4 + 2 * (2 / 3), 12 + 2 * 1.5
    close(np.diff(two.f_values), [low, high])
    close(result.roughness, [0, 4 * (high - low) / 2])
    # One interval: the centred ends are half a mean difference away from 0.
    close(result.point_errors[0], np.sqrt(40 / 5) / 2)
    v = np.array([4 * np.var([1, -1, 2], ddof=1) / 3, 4 * np.var([0, 3], ddof=1) / 2])
    # Shares 3/5 and 2/5: the mean is 7/10 of the first difference and 2/10 of the second.
    weights = np.array([[-0.7, -0.2], [0.3, -0.2], [0.3, 0.8]])
    errors = np.sqrt((weights**2) @ v)
    close(result.point_errors[1], errors)
    squares = errors**2
    overall = 0.6 * (squares[0] + squares[1]) / 2 + 0.4 * (squares[1] + squares[2]) / 2
    close(result.standard_error, [np.sqrt(2), np.sqrt(overall)])
    difference = one.evaluate(X["x"]) - two.evaluate(X["x"])
    close(result.distance, [np.sqrt(np.mean(difference**2)), 0])


def test_standard_error_is_the_spread_over_draws_of_the_other_features():
    X = frame(200)
    rng = np.random.default_rng(5)
    curves, errors = [], []
    for _ in range(400):
        X["u"] = rng.normal(size=200)
        result = k_sensitivity(product, X, "x", Ks=(2, 10))
        curves.append([effect.f_values[[0, -1]] for effect in result.effects])
        errors.append([points[[0, -1]] for points in result.point_errors])
    np.testing.assert_allclose(
        np.sqrt(np.mean(np.square(errors), axis=0)), np.std(curves, axis=0), rtol=SIMULATION
    )


def test_intervals_of_a_single_row_borrow_the_pooled_variance():
    x = np.arange(10.0)
    X = pd.DataFrame({"x": x, "u": np.random.default_rng(0).normal(size=10)})
    result = k_sensitivity(product, X, "x", Ks=(3, 100))
    # Effective intervals: 9, the first with two rows, all of width 1.
    assert result.effects[1].counts.tolist() == [2] + [1] * 8
    pooled = np.var(X["u"][:2], ddof=1)
    share = result.effects[1].counts / 10
    above = np.append(np.cumsum(share[::-1])[::-1][1:], 0) + share / 2
    last = np.sqrt(((1 - above) ** 2 * pooled / result.effects[1].counts).sum())
    close(result.point_errors[1][-1], last)


def test_without_an_interval_of_two_rows_there_is_no_standard_error():
    X = pd.DataFrame({"x": [0.0, 1.0, 3.0], "u": [1.0, 2.0, 5.0]})
    result = k_sensitivity(product, X, "x", Ks=(1, 3), grid="equidistant")
    assert result.effects[1].counts.tolist() == [2, 0, 1]
    assert np.isfinite(result.standard_error).all()
    X["x"] = [0.0, 2.0, 3.0]
    result = k_sensitivity(product, X, "x", Ks=(1, 3), grid="equidistant")
    assert result.effects[1].counts.tolist() == [1, 1, 1]
    assert np.isfinite(result.standard_error[0])
    assert np.isnan(result.standard_error[1])
    assert np.isnan(result.point_errors[1]).all()
    assert result.recommended in (1, 3)


def test_recommendation():
    X = frame()
    # A straight line needs nothing; a wave with K = 5 misses its tops; noise is no reason for more.
    assert k_sensitivity(line, X, "x").recommended == 5
    assert k_sensitivity(product, X, "x").recommended == 5
    result = k_sensitivity(wave, X, "x")
    assert result.recommended == 20
    assert result.recommended_effect is result.effects[2]
    visible = 0.01 * np.ptp(result.effects[-1].f_values)
    assert result.distance[1] > max(visible, result.standard_error[-1]) >= result.distance[2]
    assert k_sensitivity(constant, X, "x").recommended == 5


def test_roughness_grows_with_K_and_the_standard_error_does_not():
    X = frame()
    result = k_sensitivity(product, X, "x")
    assert (np.diff(result.roughness) > 0).all()
    assert np.ptp(result.standard_error) < 0.05 * result.standard_error.mean()


@pytest.mark.parametrize("factor", [-2.0, 1e-6, 1e6])
def test_measures_are_in_units_of_the_prediction_and_free_of_those_of_the_feature(factor):
    X = frame(500)
    plain = k_sensitivity(wave, X, "x")
    scaled = k_sensitivity(lambda rows: factor * wave(rows), X, "x")
    stretched = k_sensitivity(
        lambda rows: wave(rows.assign(x=rows["x"] / 8)), X.assign(x=8 * X["x"]), "x"
    )
    for name in ("roughness", "standard_error", "distance"):
        values = getattr(plain, name)
        np.testing.assert_allclose(getattr(scaled, name), abs(factor) * values, rtol=1e-9)
        np.testing.assert_allclose(getattr(stretched, name), values, rtol=1e-9)
    assert scaled.recommended == stretched.recommended == plain.recommended


def test_a_gradient_serves_every_K():
    X = frame(300)
    slopes = {"x": lambda rows: 6 * np.cos(6 * rows["x"]) + rows["u"]}
    result = k_sensitivity(wave, X, "x", gradient=slopes)
    alone = ale(wave, X, "x", K=10, gradient=slopes)
    np.testing.assert_array_equal(result.effects[1].f_values, alone.f_values)


def test_to_frame():
    result = k_sensitivity(wave, frame(100), "x", Ks=(5, 400))
    table = result.to_frame()
    assert list(table) == [
        "K",
        "effective_K",
        "fewest_rows",
        "roughness",
        "standard_error",
        "distance",
        "recommended",
    ]
    assert table["K"].tolist() == [5, 400]
    assert table["effective_K"].tolist() == [5, 99]
    assert table["fewest_rows"].tolist() == [result.effects[0].counts.min(), 1]
    assert table["recommended"].sum() == 1


def test_result_is_frozen():
    result = k_sensitivity(line, frame(50), "x", Ks=(2, 4))
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.recommended = 3


@pytest.fixture
def no_figures_left():
    yield
    plt.close("all")


@pytest.mark.usefixtures("no_figures_left")
def test_plot_holds_what_it_drew():
    result = k_sensitivity(wave, frame(400), "x", Ks=(5, 10, 20))
    display = result.plot()
    for curve, effect in zip(display.curves_, result.effects, strict=True):
        np.testing.assert_array_equal(curve.get_xdata(), effect.x_values[0])
        np.testing.assert_array_equal(curve.get_ydata(), effect.f_values)
    roughness, errors, distance = display.measures_
    np.testing.assert_array_equal(roughness.get_ydata(), result.roughness)
    np.testing.assert_array_equal(errors.get_ydata(), result.standard_error)
    np.testing.assert_array_equal(distance.get_ydata()[:2], result.distance[:2])
    thick = [curve.get_linewidth() for curve in display.curves_]
    assert result.Ks[int(np.argmax(thick))] == result.recommended
    texts = [text.get_text() for text in display.axes_[0].get_legend().get_texts()]
    assert sum("recommended" in text for text in texts) == 1
    display.figure_.canvas.draw()


@pytest.mark.usefixtures("no_figures_left")
def test_plot_on_given_axes():
    figure, axes = plt.subplots(2, 1)
    display = k_sensitivity(wave, frame(100), "x", Ks=(5, 10)).plot(ax=axes)
    assert display.figure_ is figure
    assert list(display.axes_) == list(axes)
    with pytest.raises(ValueError, match=r"one Axes for each of 2 panel\(s\), got 1"):
        k_sensitivity(wave, frame(100), "x", Ks=(5, 10)).plot(ax=axes[:1])


@pytest.mark.usefixtures("no_figures_left")
def test_plot_of_an_effect_that_is_nothing():
    display = k_sensitivity(constant, frame(100), "x", Ks=(5, 10)).plot()
    assert display.axes_[1].get_yscale() == "linear"
    display.figure_.canvas.draw()


@pytest.mark.parametrize(
    ("feature", "options", "error", "message"),
    [
        ("x", {"Ks": (5,)}, ValueError, r"Ks must hold at least two different numbers, got \[5\]"),
        ("x", {"Ks": (5, 5)}, ValueError, "Ks must hold at least two different"),
        ("x", {"Ks": ()}, ValueError, "Ks must hold at least two different"),
        ("x", {"Ks": (5, 0)}, ValueError, "each of Ks must be a positive integer, got 0"),
        ("x", {"Ks": (5, 2.5)}, TypeError, "each of Ks must be a positive integer, got 2.5"),
        ("x", {"Ks": 40}, TypeError, "Ks must be a sequence of integers, got 40"),
        ("x", {"Ks": "auto"}, TypeError, "Ks must be a sequence of integers, got 'auto'"),
        ("x", {"grid": [0, 1]}, ValueError, "grid must be one of"),
        ("c", {}, FeatureError, "feature must be one numeric column, got 'c'"),
        (("x", "u"), {}, FeatureError, "feature must be a single column of X"),
        (["x"], {}, FeatureError, "feature must be a single column of X"),
        ("y", {}, FeatureError, "feature 'y' is not a column of X"),
    ],
)
def test_errors(feature, options, error, message):
    X = frame(40).assign(c=["a", "b"] * 20)
    with pytest.raises(error, match=message):
        k_sensitivity(wave, X, feature, **options)
