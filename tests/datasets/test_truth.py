"""Closed forms: published numbers, limits, identities, and wrong arguments."""

from dataclasses import FrozenInstanceError
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from aleplot_py.datasets.truth import (
    ALEPlotDependent,
    BivariateNormalInteraction,
    CubicWindow,
    GridInteraction,
    Kink,
    Step,
    UniformPlusNoise,
    lofo_oracle,
)
from aleplot_py.r.random import set_seed

# Gauss sums and quad reach about 1e-12 of the largest prediction (up to 300 here).
ABSOLUTE = 1e-8
# Pure arithmetic on numbers up to a few hundred.
ROUNDING = 1e-11


def close(actual, expected, atol=ABSOLUTE):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=atol)


GROEMPING = BivariateNormalInteraction.groemping()
ASKEW = BivariateNormalInteraction(
    b0=1.0, b1=-2.0, b2=0.7, b3=1.3, mu1=0.4, mu2=-1.1, s1=1.8, s2=0.6, rho=0.55
)
INDEPENDENT = BivariateNormalInteraction(0.0, 1.0, 2.0, 3.0, 0.5, -0.5, 1.0, 2.0, 0.0)
NOISY = UniformPlusNoise(b0=0.5, b1=1.0, b2=-2.0, b3=3.0, s=0.25)
BOTH = [1, 2]


def test_groemping_numbers():
    x1 = np.linspace(7, 13, 13)
    d = x1 - 10
    close(GROEMPING.pd(1, x1), -4 * d, atol=ROUNDING)
    close(GROEMPING.ale(1, x1), -4 * d - 0.45 * (d**2 - 1), atol=ROUNDING)
    close(GROEMPING.m(1, x1), -12.55 * d - 0.9 * (d**2 - 1), atol=ROUNDING)
    x2 = np.linspace(-8, -2, 13)
    e = x2 + 5
    close(GROEMPING.ale(2, x2), 9.5 * e - 0.45 * (e**2 - 1), atol=ROUNDING)
    close(GROEMPING.prediction(10, -5), 162.5, atol=ROUNDING)


def test_groemping_interaction_strength():
    # Printed with four digits.
    close(GROEMPING.interaction_strength(), 2.046e-4, atol=5e-8)


@pytest.mark.parametrize("case", [GROEMPING, ASKEW], ids=["groemping", "askew"])
@pytest.mark.parametrize("feature", BOTH)
def test_m_has_twice_the_curvature_of_ale_with_the_sign_of_b3_rho(case, feature):
    x = np.array([-1.0, 0.0, 1.0])
    ale, m = np.diff(case.ale(feature, x), n=2), np.diff(case.m(feature, x), n=2)
    close(m, 2 * ale, atol=ROUNDING)
    assert np.sign(ale[0]) == np.sign(case.b3 * case.rho)


@pytest.mark.parametrize("feature", BOTH)
def test_without_correlation_all_three_curves_are_one(feature):
    x = np.linspace(-3, 3, 7)
    np.testing.assert_array_equal(INDEPENDENT.ale(feature, x), INDEPENDENT.pd(feature, x))
    np.testing.assert_array_equal(INDEPENDENT.m(feature, x), INDEPENDENT.pd(feature, x))


def test_perfect_correlation_leaves_no_interaction():
    case = BivariateNormalInteraction(0, 1, 1, 1, 0, 0, 1, 1, 1.0)
    assert case.interaction_strength() == 0.0
    x = np.linspace(-2, 2, 5)
    close(case.ale_pair(x, x), 0.0, atol=ROUNDING)


@pytest.mark.parametrize("s", [0.01, 0.05, 0.25, 1.0, 5.0])
def test_density_entropy_and_conditional_mean_are_integrals(s):
    case = UniformPlusNoise(0, 0, 0, 1, s)
    x = np.linspace(-4 * s, 1 + 4 * s, 25)
    density = [quad(norm.pdf, 0, 1, args=(v, s), points=_within(v), limit=200)[0] for v in x]
    close(case.density(x), density)
    first_moment = [
        quad(lambda u, v: u * norm.pdf(u, v, s), 0, 1, args=(v,), points=_within(v), limit=200)[0]
        for v in x
    ]
    close(case.conditional_mean(x), np.divide(first_moment, density))

    def surprise(v):
        p = norm.cdf(v / s) - norm.cdf((v - 1) / s)
        return -p * np.log(p) if p > 0 else 0.0

    cuts = [-8 * s, -3 * s, 0, min(3 * s, 0.5), max(1 - 3 * s, 0.5), 1, 1 + 3 * s, 1 + 8 * s]
    parts = [quad(surprise, a, b, epsabs=1e-12)[0] for a, b in pairwise(cuts)]
    close(case.entropy, sum(parts))


def _within(v):
    return [v] if 0 < v < 1 else None


def test_conditional_mean_is_tweedies_formula():
    step = 1e-5
    x = np.linspace(-0.5, 1.5, 9)
    score = np.log(NOISY.density(x + step)) - np.log(NOISY.density(x - step))
    # Central differences of log p: about step^2, and rounding / step.
    close(NOISY.conditional_mean(x), x + NOISY.s**2 * score / (2 * step), atol=1e-9)


def test_tails_stay_finite_symmetric_and_inside_the_unit_interval():
    x = np.array([-30.0, -3.0, -1.0, 0.5, 2.0, 4.0, 31.0])
    case = UniformPlusNoise(0, 1, 1, 1, 0.1)
    h = case.conditional_mean(x)
    assert np.all((h >= -ROUNDING) & (h <= 1 + ROUNDING))
    close(h, 1 - case.conditional_mean(1 - x), atol=ROUNDING)
    # Far left, U given x decays at the rate |x| / s^2, so its mean is s^2 / |x| to first order.
    close(h[1], 0.1**2 / 3, atol=0.1**4)
    assert np.all(np.isfinite(case.ale(2, x)))


def test_entropy_vanishes_with_the_noise_and_tends_to_the_normal_one():
    assert 0 < UniformPlusNoise(0, 0, 0, 1, 1e-6).entropy < 1e-5
    s = 50.0
    wide = 0.5 * np.log(2 * np.pi * np.e * (s**2 + 1 / 12))
    # The uniform part's excess kurtosis contributes about (1/120)^2 / (48 s^8).
    close(UniformPlusNoise(0, 0, 0, 1, s).entropy, wide)


def test_dependent_design_numbers():
    case = ALEPlotDependent()
    x = np.linspace(0, 1, 11)
    close(case.ale(1, x), x - 0.5, atol=ROUNDING)
    close(case.ale(2, x), x**2 - (1 / 3 + 0.0025), atol=ROUNDING)
    np.testing.assert_array_equal(case.ale(1, x), case.pd(1, x))
    # Printed with four digits.
    close(case.correlation(), 0.9709, atol=5e-5)


@pytest.mark.parametrize("feature", BOTH)
def test_dependent_m_plots_are_about_x_plus_x_squared(feature):
    x = np.linspace(0.2, 0.8, 7)
    m = ALEPlotDependent().m(feature, x)
    # Away from the edges the noise moves the curve by about s^2 = 0.0025.
    close(m - (x + x**2 - 5 / 6), 0.0, atol=0.003)


def test_kink_curves_follow_from_the_definitions():
    case = Kink()
    x = np.linspace(0, 1, 11)
    average = [quad(lambda u, v: max(0, 1 - v - u), 0, 1, args=(v,), points=[1 - v])[0] for v in x]
    close(case.pd(1, x), np.array(average) - 1 / 6)
    close(case.m(1, x), case.prediction(x, x) - 1 / 4, atol=ROUNDING)
    # ALE by fine intervals: the rows of an interval stand in its middle, the kink on an edge.
    z = np.linspace(0, 1, 2001)
    middle = (z[1:] + z[:-1]) / 2
    curve = np.cumsum(case.prediction(z[1:], middle) - case.prediction(z[:-1], middle))
    close(case.ale(1, z[1:]) - case.ale(1, 0), curve)
    close(case.ale(1, [0.0, 0.25, 0.5, 0.75, 1.0]), [0.375, 0.125, -0.125, -0.125, -0.125])


@pytest.mark.parametrize("effect", ["pd", "ale", "m"])
@pytest.mark.parametrize("feature", BOTH)
def test_kink_curves_have_mean_zero(feature, effect):
    curve = getattr(Kink(), effect)
    close(quad(lambda x: float(curve(feature, x)), 0, 1, points=[0.5])[0], 0.0)
    np.testing.assert_array_equal(curve(feature, [0.1, 0.9]), curve(3 - feature, [0.1, 0.9]))


def test_grid_case_is_brute_force_on_its_grid():
    case = GridInteraction()
    axis = case.axis()
    x1, x2 = np.meshgrid(axis, axis, indexing="ij")
    f = case.prediction(x1, x2)
    assert axis.shape == (30,)
    # Printed with four digits.
    close(case.mean(), 3.188, atol=5e-4)
    close(case.mean(), f.mean(), atol=ROUNDING)
    # On a full grid the rows of an interval hold every value of the other feature.
    for feature, table in [(1, f), (2, f.T)]:
        steps = np.diff(table, axis=0).mean(axis=1)
        curve = np.concatenate([[0], np.cumsum(steps)])
        close(case.ale(feature, axis), curve - curve.mean(), atol=ROUNDING)
        close(case.pd(feature, axis), table.mean(axis=1) - f.mean(), atol=ROUNDING)
        close(case.m(feature, axis), table.mean(axis=1) - f.mean(), atol=ROUNDING)
    pair = f - f.mean(axis=0) - f.mean(axis=1)[:, None] + f.mean()
    close(case.ale_pair(x1, x2), pair, atol=ROUNDING)


def test_cubic_window_numbers():
    x = np.linspace(0, 10, 11)
    close(CubicWindow().ale(1, x), (x - 4) * (x - 5) * (x - 6), atol=ROUNDING * 100)
    with pytest.raises(ValueError, match=r"x must lie strictly between -3 and 13.* got 13"):
        CubicWindow().m(2, [1.0, 13.0])


def test_step_is_seen_only_by_a_grid_with_a_point_inside():
    case = Step()
    close(case.mean(), quad(lambda x: float(case.prediction(x)), 0, 10, points=[4.9, 5.1])[0] / 10)
    close(case.ale([4.0, 4.9, 5.0, 5.1, 5.2]), [-0.2, 9.8, 9.8, 9.8, -0.2], atol=ROUNDING)
    seen = []
    for seed in range(1, 41):
        x = np.sort(set_seed(seed).runif(100, 0, 10))
        for K in (20, 50):
            z = np.quantile(x, np.arange(K + 1) / K, method="inverted_cdf")
            differences = np.diff(case.prediction(z))
            assert case.seen_by(z) == bool(differences.any())
            seen.append((K, case.seen_by(z)))
    share = {K: np.mean([hit for k, hit in seen if k == K]) for K in (20, 50)}
    assert share[20] < 0.5 < share[50]


@pytest.mark.parametrize(("b1", "rho"), [(1.5, 0.0), (2.0, 0.6), (-0.7, -0.9), (1.0, 1.0)])
def test_lofo_oracle_against_quadrature_and_the_normal_equations(b1, rho):
    b2, noise_variance = 0.8, 0.5
    # Refit without X1: residual variance of y on X2.
    variance_y = b1**2 + b2**2 + 2 * rho * b1 * b2 + noise_variance
    covariance_y_x2 = b1 * rho + b2
    refit = variance_y - covariance_y_x2**2
    # Permutations: mean square of y minus the prediction at the new X1, by Gauss-Hermite sums.
    nodes, weights = np.polynomial.hermite_e.hermegauss(8)
    weights = weights / weights.sum()
    x2, own, new = np.meshgrid(nodes, nodes, nodes, indexing="ij")
    mass = np.einsum("i,j,k->ijk", weights, weights, weights)
    x1 = rho * x2 + np.sqrt(1 - rho**2) * own
    same_x2 = rho * x2 + np.sqrt(1 - rho**2) * new

    def added_error(x1_new):
        return (mass * (b1 * x1 + b2 * x2 - (b1 * x1_new + b2 * x2)) ** 2).sum()

    oracle = lofo_oracle(b1, rho)
    close(oracle.lofo, refit - noise_variance, atol=ROUNDING)
    close(oracle.marginal_permutation, added_error(new), atol=ROUNDING)
    close(oracle.conditional_permutation, added_error(same_x2), atol=ROUNDING)
    assert oracle.conditional_permutation == 2 * oracle.lofo


def test_cases_are_frozen():
    with pytest.raises(FrozenInstanceError):
        NOISY.s = 1.0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: NOISY.ale(3, 0.5), ValueError, r"feature must be 1 or 2, got 3"),
        (lambda: NOISY.pd(True, 0.5), ValueError, r"feature must be 1 or 2, got True"),
        (lambda: NOISY.m("x1", 0.5), ValueError, r"feature must be 1 or 2, got 'x1'"),
        (lambda: NOISY.ale(1, ["a"]), TypeError, r"x must hold numbers, got \['a'\]"),
        (lambda: UniformPlusNoise(0, 1, 1, 1, 0), ValueError, r"s must be positive, got 0"),
        (lambda: UniformPlusNoise(0, 1, 1, "1", 1), TypeError, r"b3 must be a number, got '1'"),
        (lambda: UniformPlusNoise(0, np.nan, 1, 1, 1), ValueError, r"b1 must be finite, got nan"),
        (lambda: ALEPlotDependent(-1.0), ValueError, r"s must be positive, got -1"),
        (
            lambda: BivariateNormalInteraction(0, 1, 1, 1, 0, 0, 1, -2, 0),
            ValueError,
            r"s2 must be positive, got -2",
        ),
        (
            lambda: BivariateNormalInteraction(0, 1, 1, 1, 0, 0, 1, 1, 1.5),
            ValueError,
            r"rho must lie between -1 and 1, got 1\.5",
        ),
        (
            lambda: BivariateNormalInteraction(1, 0, 0, 0, 0, 0, 1, 1, 0).interaction_strength(),
            ValueError,
            r"needs a prediction that varies, got b1 = 0, b2 = 0, b3 = 0",
        ),
        (lambda: GridInteraction(1), ValueError, r"points must be at least 2, got 1"),
        (lambda: GridInteraction(2.5), TypeError, r"points must be an integer, got 2\.5"),
        (lambda: Step(low=5, high=4), ValueError, r"start <= low < high <= end .* low = 5"),
        (lambda: lofo_oracle(1.0, 1.2), ValueError, r"rho must lie between -1 and 1, got 1\.2"),
        (lambda: lofo_oracle(None, 0.2), TypeError, r"b1 must be a number, got None"),
    ],
)
def test_wrong_arguments_are_named_with_the_rule_and_the_value(call, error, message):
    with pytest.raises(error, match=message):
        call()
