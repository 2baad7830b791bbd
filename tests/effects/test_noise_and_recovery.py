"""Noise at machine epsilon moves a curve no more than it must; truth is recovered at its rate.

A bound on noise. Let every prediction, at most M in absolute value, change by at most eps M. A
local effect of first order, a difference of two predictions, changes by at most 2 eps M, and its
own rounding (half an epsilon of at most 2 M, in both runs) adds 2 eps M. So does a mean of local
effects, and a curve accumulated over S steps changes between any two points by at most 4 S eps M;
with mean 0 it changes by no more than that at any point. A local effect of second order is a
difference of four predictions: 4 eps M of noise and 8 eps M of rounding, which accumulate over
S1 S2 cells. Each of both main effects in the surface changes by no more than the surface does, and
subtracting the mean at most doubles the sum of the three: 6 x 12 S1 S2 eps M. A partial dependence
is a mean of predictions: eps M, and as much for rounding; PDPlot's centring subtracts one such mean
from a curve, and at most doubles the sum of three for a pair.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from aleplot_py import ale, bootstrap_bands, partial_dependence, permutation_importance
from aleplot_py.theory import BivariateNormalInteraction

EPSILON = 2.0**-52
# Errors of means of n independent terms fall as n to the power -1/2. Over three sizes and 40 seeds
# the fitted power has a standard error of about 0.05, of which three are allowed.
RATE, OF_RATE = -0.5, 0.15
SIZES = (200, 800, 3200)
SEEDS = range(40)

TRUTH = BivariateNormalInteraction(
    b0=1.0, b1=1.0, b2=-1.0, b3=2.0, mu1=0.0, mu2=0.5, s1=1.0, s2=1.0, rho=0.6
)
INSIDE = np.linspace(-1.5, 1.5, 7)


# --- trivial noise --------------------------------------------------------------------------------


def rows(n=400):
    rng = np.random.default_rng(5)
    x = rng.normal(size=n)
    return pd.DataFrame(
        {
            "x": x,
            "z": x + rng.normal(size=n),
            "g": pd.Categorical(rng.choice(list("abcd"), n)),
        }
    )


def smooth(X):
    z = X["z"].to_numpy()
    return 100.0 + X["x"].to_numpy() * z + z**2 * (1 + X["g"].cat.codes.to_numpy())


class Noisy:
    """The black box with noise of up to one machine epsilon of its largest prediction.

    It has one sign in each call, so that means do not average it out.
    """

    def __init__(self, largest, seed):
        self.largest, self.rng = largest, np.random.default_rng(seed)

    def __call__(self, X):
        noise = self.rng.choice([-1, 1]) * self.rng.uniform(0.5, 1, len(X))
        return smooth(X) + EPSILON * self.largest * noise


class Largest:
    """The black box that remembers its largest prediction."""

    value = 0.0

    def __call__(self, X):
        values = smooth(X)
        self.value = max(self.value, float(np.abs(values).max()))
        return values


def bound_of_ale(effect):
    steps = [len(points) - 1 for points in effect.x_values]
    return 4 * steps[0] if len(steps) == 1 else 72 * steps[0] * steps[1]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("features", ["x", "g", ("x", "z"), ("g", "z")])
def test_noise_moves_an_ale_by_no_more_than_its_bound(features, seed):
    X, box = rows(), Largest()
    effect = ale(box, X, features, K=12)
    moved = ale(Noisy(box.value, seed), X, features, K=12)
    change = np.abs(moved.f_values - effect.f_values).max() / (EPSILON * box.value)
    assert 0 < change <= bound_of_ale(effect)
    for ours, theirs in zip(moved.x_values, effect.x_values, strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("features", "centre", "bound"),
    [("x", "none", 2), ("g", "none", 2), ("x", "pdplot", 4), (("x", "z"), "pdplot", 12)],
)
def test_noise_moves_a_partial_dependence_by_no_more_than_its_bound(features, centre, bound, seed):
    X, box = rows(), Largest()
    effect = partial_dependence(box, X, features, K=8, centre=centre)
    moved = partial_dependence(Noisy(box.value, seed), X, features, K=8, centre=centre)
    change = np.abs(moved.f_values - effect.f_values).max() / (EPSILON * box.value)
    assert 0 < change <= bound


# --- seeds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("features", ["x", "g", ("x", "z"), ("g", "z")])
def test_an_effect_knows_no_seed(features):
    """Whatever the state of numpy's generator, nothing is drawn from it."""
    effects = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002 - the state that must not matter
        before = np.random.get_state()[1].copy()  # noqa: NPY002
        effects.append(ale(smooth, rows(), features, K=12))
        assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    assert effects[0] == effects[1]


def test_other_seeds_change_the_bands_and_not_the_effect():
    effect = ale(smooth, rows(), "x", K=12, local_effects=True)
    one, other, again = (
        bootstrap_bands(effect, n_boot=50, random_state=seed) for seed in (1, 2, 1)
    )
    assert one == again
    assert one.effect == other.effect == effect
    assert not np.array_equal(one.lower, other.lower)
    middle = np.abs(one.lower - other.lower).max()
    assert middle < np.ptp(effect.f_values) / 2  # they estimate the same band


def test_other_seeds_change_the_importances_and_not_the_loss():
    X = rows()[["x", "z"]]
    y = X["x"] + X["z"] + np.random.default_rng(0).normal(0, 0.1, len(X))
    model = LinearRegression().fit(X, y)
    one, other, again = (
        permutation_importance(model, X, y, scoring="neg_mean_squared_error", random_state=seed)
        for seed in (1, 2, 1)
    )
    assert one == again
    assert np.array_equal(one.base_scores, other.base_scores)
    assert one.features == other.features
    assert not np.array_equal(one.importances, other.importances)


# --- recovery -------------------------------------------------------------------------------------


def drawn(n, seed):
    """Rows of the distribution of the truth."""
    rng = np.random.default_rng([n, seed])
    x1 = rng.normal(size=n)
    return pd.DataFrame({"x1": x1, "x2": 0.5 + 0.6 * x1 + 0.8 * rng.normal(size=n)})


def black_box(X):
    return TRUTH.prediction(X["x1"].to_numpy(), X["x2"].to_numpy())


def error_of_ale(X, feature):
    """K grows as the root of n, so that the bias falls at least as fast as the noise.

    It is of order 1 / K**2 in the shape, and of order 1 / K in the level, since the rows of the
    wide outer intervals are read in the middle, as R does.
    """
    effect = ale(black_box, X, f"x{feature}", K=int(2 * len(X) ** 0.5))
    at = INSIDE + (0.5 if feature == 2 else 0.0)
    return effect.evaluate(at) - TRUTH.ale(feature, at)


def error_of_pd(X, feature):
    at = INSIDE + (0.5 if feature == 2 else 0.0)
    effect = partial_dependence(black_box, X, f"x{feature}", grid=at)
    # The mean of a partial dependence over its own feature lacks the covariance of both.
    level = TRUTH.mean() - TRUTH.b3 * TRUTH.rho * TRUTH.s1 * TRUTH.s2
    return effect.f_values - TRUTH.pd(feature, at) - level


def error_of_mean(X, feature):
    return np.array([ale(black_box, X, f"x{feature}", K=2).mean_prediction - TRUTH.mean()])


@pytest.mark.parametrize("feature", [1, 2])
@pytest.mark.parametrize("error", [error_of_ale, error_of_pd, error_of_mean])
def test_errors_fall_as_the_root_of_n(error, feature):
    """Root mean squared over seeds and points, against n on logarithmic axes."""
    errors = [
        np.sqrt(np.mean([error(drawn(n, seed), feature) ** 2 for seed in SEEDS])) for n in SIZES
    ]
    power = np.polyfit(np.log(SIZES), np.log(errors), 1)[0]
    assert abs(power - RATE) <= OF_RATE
    assert errors[0] > errors[1] > errors[2]


@pytest.mark.parametrize("feature", [1, 2])
def test_the_shape_is_without_bias(feature):
    """Means over seeds lie within four standard errors of the closed form, levels apart."""
    errors = np.array([error_of_ale(drawn(3200, seed), feature) for seed in SEEDS])
    errors -= errors.mean(axis=1, keepdims=True)
    standard_errors = errors.std(axis=0, ddof=1) / np.sqrt(len(errors))
    assert (np.abs(errors.mean(axis=0)) <= 4 * standard_errors).all()


def test_the_interaction_is_recovered():
    """b3 (d e - b21 d**2 / 2 - b12 e**2 / 2): the product without its own main effects."""
    d, e = np.meshgrid([-1.0, 0.0, 1.0], [-1.0, 0.0, 1.0], indexing="ij")
    truth = TRUTH.b3 * (d * e - TRUTH.rho * (d**2 + e**2) / 2)
    errors = []
    for n in SIZES:
        K = int(n**0.25 * 2)
        found = [
            ale(black_box, drawn(n, seed), ("x1", "x2"), K=K).evaluate(d.ravel(), e.ravel() + 0.5)
            for seed in SEEDS
        ]
        errors.append(np.sqrt(np.mean((np.array(found) - truth.ravel()) ** 2)))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < np.ptp(truth) / 20
