"""Numbers of any size: whoever squares a prediction or a feature takes its power of two out."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import (
    ale,
    bootstrap_bands,
    decompose,
    interaction_strength,
    k_sensitivity,
    main_effect_complexity,
    partial_dependence,
)
from aleplot_py.analysis.association import association_matrix
from tests.mixed_data import FEATURES, black_box, frame

# Powers of two change no digit. Beyond 2**450 what is squared is scaled, and numbers of ordinary
# size are not: sums of their squares may differ by rounding in another order of magnitude.
POWERS = [-900, -520, 520, 900]
EXACT = 1e-12


def scaled(power):
    return lambda F: np.ldexp(black_box(F), power)


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("method", ["percentile", "normal"])
def test_bands(power, simultaneous, method):
    X = frame(60)
    options = {
        "n_boot": 30,
        "random_state": 0,
        "simultaneous": simultaneous,
        "method": method,
    }
    for feature in FEATURES:
        plain, large = (
            bootstrap_bands(ale(f, X, feature, K=3, local_effects=True), **options)
            for f in (black_box, scaled(power))
        )
        assert plain.std.any()
        for name in ("lower", "upper", "std"):
            size = np.abs(plain.upper).max() * EXACT
            here = np.ldexp(getattr(large, name), -power)
            np.testing.assert_allclose(here, getattr(plain, name), rtol=0, atol=size)


@pytest.mark.parametrize("power", POWERS)
def test_bands_of_partial_dependence_and_of_refits(power):
    X = frame(40)
    found, expected = (
        bootstrap_bands(
            partial_dependence(f, X, "x", K=3, kind="both"),
            n_boot=20,
            method="normal",
            random_state=0,
        ).std
        for f in (scaled(power), black_box)
    )
    np.testing.assert_allclose(np.ldexp(found, -power), expected, rtol=EXACT)

    def fit(X, y):
        return lambda F: y.iloc[0] * F["x"]

    effect = ale(lambda F: np.ldexp(F["x"], power), X, "x", K=3)
    stretch = pd.Series(np.ldexp(np.arange(1.0, 41.0), power))
    bands = bootstrap_bands(
        effect, refit=fit, X=X, y=stretch, n_boot=20, simultaneous=True, random_state=0
    )
    assert np.isfinite(bands.width).all()
    assert bands.width[0] > 0


@pytest.mark.parametrize(
    ("power", "of_x"),
    [(-900, 0), (-520, 0), (520, 0), (900, 0), (900, 900), (-900, -900), (520, -300), (0, 900)],
)
def test_complexity(power, of_x):
    X = frame(150)
    here = X.assign(x=np.ldexp(X["x"], of_x))
    names = ["x", "z", "c"]

    def f(F):
        return np.ldexp(black_box(F.assign(x=np.ldexp(F["x"], -of_x))), power)

    plain = main_effect_complexity(ale(black_box, X, names, K=8))
    large = main_effect_complexity(ale(f, here, names, K=8))
    assert large.value == pytest.approx(plain.value, rel=EXACT)
    assert large.mean_segments == pytest.approx(plain.mean_segments, rel=EXACT)
    for one, other in zip(plain.pieces, large.pieces, strict=True):
        assert other.r_squared == pytest.approx(one.r_squared, rel=EXACT)
        assert other.segments == one.segments
        np.testing.assert_allclose(
            np.ldexp(other.end_value, -power), one.end_value, rtol=0, atol=EXACT
        )


def test_complexity_weighs_effects_of_very_different_size():
    X = frame(100)
    effects = ale(lambda F: np.ldexp(F["x"], 600) + np.ldexp(F["z"] ** 2, 598), X, ["x", "z"], K=10)
    plain = ale(lambda F: F["x"] + F["z"] ** 2 / 4, X, ["x", "z"], K=10)
    expected = main_effect_complexity(plain).value
    assert main_effect_complexity(effects).value == pytest.approx(expected, rel=EXACT)
    apart = [
        ale(lambda F: np.ldexp(F["x"], 800), X, "x"),
        ale(lambda F: np.ldexp(F["z"] ** 2, -800), X, "z"),
    ]
    assert main_effect_complexity(apart).value == 1


@pytest.mark.parametrize("power", POWERS)
def test_interaction_strength(power):
    X = frame(150)
    weights = np.random.default_rng(0).uniform(size=150)
    for options in ({}, {"sample_weight": weights}):
        expected = interaction_strength(black_box, X, K=5, **options)
        assert interaction_strength(scaled(power), X, K=5, **options) == pytest.approx(
            expected, rel=EXACT
        )
    parts = decompose(scaled(power), X, K=5, pairs=[("x", "z")])
    plain = decompose(black_box, X, K=5, pairs=[("x", "z")])
    assert parts.unexplained == pytest.approx(plain.unexplained, rel=EXACT)


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("of_x", [-450, 0, 450])
def test_sensitivity_to_the_number_of_intervals(power, of_x):
    X = frame(100)
    here = X.assign(x=np.ldexp(X["x"], of_x))

    def f(F):
        return np.ldexp(black_box(F.assign(x=np.ldexp(F["x"], -of_x))), power)

    plain = k_sensitivity(black_box, X, "x", Ks=[2, 5, 10])
    large = k_sensitivity(f, here, "x", Ks=[2, 5, 10])
    assert large.recommended == plain.recommended
    for name in ("roughness", "standard_error", "distance"):
        np.testing.assert_allclose(
            np.ldexp(getattr(large, name), -power), getattr(plain, name), rtol=EXACT, atol=EXACT
        )


@pytest.mark.parametrize("power", [*POWERS, 1020])
@pytest.mark.parametrize("measure", ["variance_explained", "normalised_mutual_information"])
def test_associations(power, measure):
    X = frame(100)
    X["w"] = X["x"] + X["z"]
    large = X.assign(x=np.ldexp(X["x"], power), w=np.ldexp(X["w"], power))
    expected = association_matrix(X, measure=measure).matrix
    found = association_matrix(large, measure=measure).matrix
    np.testing.assert_allclose(found, expected, rtol=0, atol=EXACT)


def test_an_additive_black_box_has_no_interaction_where_intervals_are_empty():
    X = pd.DataFrame({"x": [1.0, 2, 3, 7, 8], "z": [2.0, 5, 1, 4, 3]})
    grid = {"x": [0, 2, 4, 6.9, 8], "z": [1, 1.5, 1.6, 1.7, 3, 5]}
    strength = interaction_strength(lambda F: F["x"] + 2 * F["z"], X, grid=grid)
    assert strength == pytest.approx(0, abs=EXACT)
    weights = [1.0, 1, 0, 0, 1]
    strength = interaction_strength(lambda F: F["x"] + 2 * F["z"], X, K=4, sample_weight=weights)
    assert strength == pytest.approx(0, abs=EXACT)
