"""Closed forms against numerical integration of the definitions.

Nothing here reuses a formula of the module: derivatives, joint densities and supports are
written down again from the description of each case, and expectations are Gauss sums.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

from aleplot_py.datasets.truth import (
    ALEPlotDependent,
    BivariateNormalInteraction,
    CubicWindow,
    TwoFeatureCase,
    UniformPlusNoise,
)

# Gauss sums and quad reach about 1e-12 of the largest prediction (up to 300 here).
ABSOLUTE = 1e-8
# Pure arithmetic on numbers up to a few hundred.
ROUNDING = 1e-11
NODES, WEIGHTS = np.polynomial.legendre.leggauss(300)


def close(actual, expected, atol=ABSOLUTE):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=atol)


@dataclass(frozen=True)
class Setting:
    """A case described a second time, by densities, supports and derivatives."""

    case: TwoFeatureCase
    joint: Callable
    gradient: tuple[Callable, Callable]
    support: tuple[tuple[float, float], tuple[float, float]]
    other: tuple[Callable, Callable]  # range of the other feature given this one
    points: tuple[list[float], list[float]]
    kinks: list[float]  # where the density of X1 is not smooth

    def conditional_mean(self, feature, function, x):
        """E[function(X1, X2) | X_feature = x]."""
        low, high = self.other[feature - 1](x)
        nodes = low + (high - low) * (NODES + 1) / 2
        pair = (np.full_like(nodes, x), nodes) if feature == 1 else (nodes, np.full_like(nodes, x))
        weights = WEIGHTS * self.joint(*pair)
        return (weights * function(*pair)).sum() / weights.sum()

    def expectation(self, function):
        """E function(X1, X2), by a Gauss sum over X1 of Gauss sums over X2."""
        edges = [self.support[0][0], *self.kinks, self.support[0][1]]
        total = mass = 0.0
        for left, right in pairwise(edges):
            for node, weight in zip(left + (right - left) * (NODES + 1) / 2, WEIGHTS, strict=True):
                low, high = self.other[0](node)
                inner = low + (high - low) * (NODES + 1) / 2
                outer = np.full_like(inner, node)
                scale = weight * (right - left) * (high - low)
                density = scale * WEIGHTS * self.joint(outer, inner)
                total += (density * function(outer, inner)).sum()
                mass += density.sum()
        return total / mass


def normal_setting(case):
    covariance = case.rho * case.s1 * case.s2
    distribution = multivariate_normal(
        [case.mu1, case.mu2], [[case.s1**2, covariance], [covariance, case.s2**2]]
    )
    ranges = tuple((m - 9 * s, m + 9 * s) for m, s in [(case.mu1, case.s1), (case.mu2, case.s2)])
    return Setting(
        case=case,
        joint=lambda x1, x2: distribution.pdf(np.stack([x1, x2], axis=-1)),
        gradient=(
            lambda x1, x2: case.b1 + case.b3 * x2,
            lambda x1, x2: case.b2 + case.b3 * x1,
        ),
        support=ranges,
        other=(lambda x: ranges[1], lambda x: ranges[0]),
        points=(
            [case.mu1 + k * case.s1 for k in (-2, -0.3, 0, 1.5)],
            [case.mu2 + k * case.s2 for k in (-1.7, 0, 0.4, 2)],
        ),
        kinks=[],
    )


def uniform_setting(case):
    return Setting(
        case=case,
        joint=lambda x1, x2: np.exp(-(((x2 - x1) / case.s) ** 2) / 2),
        gradient=(
            lambda x1, x2: case.b1 + case.b3 * x2,
            lambda x1, x2: case.b2 + case.b3 * x1,
        ),
        support=((0.0, 1.0), (-9 * case.s, 1 + 9 * case.s)),
        other=(lambda x: (x - 9 * case.s, x + 9 * case.s), lambda x: (0.0, 1.0)),
        points=([0.0, 0.2, 0.7, 1.0], [-0.1, 0.0, 0.45, 1.2]),
        kinks=[],
    )


def dependent_setting(case):
    def joint(x1, x2):
        sd = case.s / np.sqrt(2)
        middle = (x1 + x2) / 2
        inside = norm.cdf(1, middle, sd) - norm.cdf(0, middle, sd)
        return norm.pdf(x1 - x2, scale=case.s * np.sqrt(2)) * inside

    def near(x):
        return x - 14 * case.s, x + 14 * case.s

    ends = (-9 * case.s, 1 + 9 * case.s)
    return Setting(
        case=case,
        joint=joint,
        gradient=(lambda x1, x2: np.ones_like(x1), lambda x1, x2: 2 * x2),
        support=(ends, ends),
        other=(near, near),
        points=([-0.05, 0.1, 0.5, 1.02], [-0.05, 0.1, 0.5, 1.02]),
        kinks=[0.0, 0.5, 1.0],
    )


def window_setting(case):
    return Setting(
        case=case,
        joint=lambda x1, x2: np.ones_like(x1),
        gradient=(
            lambda x1, x2: (x1 - 5) * (x1 - 6) + (x1 - 4) * (x1 - 6) + (x1 - 4) * (x1 - 5),
            lambda x1, x2: 3 * x2**2,
        ),
        support=((0.0, 10.0), (-3.0, 13.0)),
        other=(
            lambda x: (x - 3, x + 3),
            lambda x: (max(0.0, x - 3), min(10.0, x + 3)),
        ),
        points=([0.0, 4.2, 5.5, 10.0], [-2.5, 1.0, 5.0, 12.0]),
        kinks=[],
    )


GROEMPING = BivariateNormalInteraction.groemping()
ASKEW = BivariateNormalInteraction(
    b0=1.0, b1=-2.0, b2=0.7, b3=1.3, mu1=0.4, mu2=-1.1, s1=1.8, s2=0.6, rho=0.55
)
INDEPENDENT = BivariateNormalInteraction(0.0, 1.0, 2.0, 3.0, 0.5, -0.5, 1.0, 2.0, 0.0)
NOISY = UniformPlusNoise(b0=0.5, b1=1.0, b2=-2.0, b3=3.0, s=0.25)
SETTINGS = {
    "groemping": normal_setting(GROEMPING),
    "askew": normal_setting(ASKEW),
    "independent": normal_setting(INDEPENDENT),
    "uniform": uniform_setting(NOISY),
    "dependent": dependent_setting(ALEPlotDependent()),
    "window": window_setting(CubicWindow()),
}
BOTH = [1, 2]


@pytest.fixture(params=SETTINGS.values(), ids=SETTINGS.keys())
def setting(request):
    return request.param


@pytest.mark.parametrize("feature", BOTH)
def test_ale_is_the_integral_of_the_conditional_mean_of_the_derivative(setting, feature):
    start, *others = setting.points[feature - 1]

    def slope(z):
        return setting.conditional_mean(feature, setting.gradient[feature - 1], z)

    for x in others:
        accumulated, _ = quad(slope, start, x, epsabs=1e-11, epsrel=1e-11)
        rise = setting.case.ale(feature, x) - setting.case.ale(feature, start)
        close(rise, accumulated)


@pytest.mark.parametrize("feature", BOTH)
def test_m_is_the_conditional_mean_of_the_prediction(setting, feature):
    for x in setting.points[feature - 1]:
        conditional = setting.conditional_mean(feature, setting.case.prediction, x)
        close(setting.case.m(feature, x), conditional - setting.case.mean())


@pytest.mark.parametrize("feature", BOTH)
def test_pd_is_the_mean_over_the_other_margin(setting, feature):
    case = setting.case

    def averaged(x):
        if feature == 1:
            return setting.expectation(lambda x1, x2: case.prediction(x, x2))
        return setting.expectation(lambda x1, x2: case.prediction(x1, x))

    start, *others = setting.points[feature - 1]
    for x in others:
        close(case.pd(feature, x) - case.pd(feature, start), averaged(x) - averaged(start))


@pytest.mark.parametrize("effect", ["pd", "ale", "m"])
@pytest.mark.parametrize("feature", BOTH)
def test_curves_have_mean_zero(setting, feature, effect):
    curve = getattr(setting.case, effect)
    mean = setting.expectation(lambda x1, x2: curve(feature, x1 if feature == 1 else x2))
    close(mean, 0.0)


def test_mean_is_the_mean_prediction(setting):
    close(setting.case.mean(), setting.expectation(setting.case.prediction))


def test_effects_add_up_to_the_prediction_pointwise(setting):
    case = setting.case
    x1, x2 = np.meshgrid(*setting.points, indexing="ij")
    total = case.mean() + case.ale(1, x1) + case.ale(2, x2) + case.ale_pair(x1, x2)
    close(total, case.prediction(x1, x2), atol=ROUNDING * 100)


def test_pair_effect_has_mean_zero(setting):
    close(setting.expectation(setting.case.ale_pair), 0.0)


@pytest.mark.parametrize("feature", BOTH)
def test_first_order_ale_of_the_pair_effect_is_zero(setting, feature):
    """The pair effect's own derivative has conditional mean 0 (pseudo-orthogonality)."""
    step = 1e-4
    pair = setting.case.ale_pair

    def derivative(x1, x2):
        if feature == 1:
            return (pair(x1 + step, x2) - pair(x1 - step, x2)) / (2 * step)
        return (pair(x1, x2 + step) - pair(x1, x2 - step)) / (2 * step)

    for x in setting.points[feature - 1]:
        # Central differences of log p err by about step^2 times its third derivative.
        close(setting.conditional_mean(feature, derivative, x), 0.0, atol=1e-6)


def test_second_differences_of_the_pair_effect_are_those_of_the_prediction(setting):
    (a1, b1), (a2, b2) = setting.points[0][:2], setting.points[1][:2]

    def second_difference(surface):
        return surface(b1, b2) - surface(a1, b2) - surface(b1, a2) + surface(a1, a2)

    expected = second_difference(setting.case.prediction)
    close(second_difference(setting.case.ale_pair), expected, atol=ROUNDING * 100)


@pytest.mark.parametrize("name", ["groemping", "askew", "independent"])
def test_variances_are_mean_squares(name):
    setting = SETTINGS[name]
    case = setting.case
    variance = setting.expectation(lambda x1, x2: (case.prediction(x1, x2) - case.mean()) ** 2)
    pair_variance = setting.expectation(lambda x1, x2: case.ale_pair(x1, x2) ** 2)
    close(case.variance(), variance)
    close(case.ale_pair_variance(), pair_variance)
    close(case.interaction_strength(), pair_variance / variance)


@pytest.mark.parametrize("effect", ["pd", "ale", "m"])
def test_curves_keep_the_shape_of_their_points(setting, effect):
    curve = getattr(setting.case, effect)
    x = np.full((2, 3), setting.points[0][1])
    assert curve(1, x).shape == (2, 3)
    assert np.shape(curve(1, x[0, 0])) == ()
    assert setting.case.ale_pair(x[:, :1], x[:1]).shape == (2, 3)
