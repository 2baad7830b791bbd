"""Estimates against the population effects known in closed form (aleplot_py.theory)."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, m_plot, partial_dependence
from aleplot_py.datasets.truth import (
    ALEPlotDependent,
    BivariateNormalInteraction,
    CubicWindow,
    GridInteraction,
    Kink,
    Step,
    UniformPlusNoise,
)

# Additive components are recovered exactly; a fraction of the largest prediction for rounding.
EXACT = 1e-12
# The rest is Monte Carlo with fixed seeds, as fractions of the range of the curve. At N rows and
# K intervals the slopes of ALE have errors of about sqrt(K / N) each, which average out along the
# curve.
N, K = 60_000, 60
CURVE = 0.01
# An M-plot smooths over two intervals or a bandwidth; to that come standard errors of its means.
SMOOTHING = 0.03
STANDARD_ERRORS = 5
# A second-order effect is bilinear in each cell, and the outermost cells are wide, so that the
# main effects removed there are those of their middles. The error, in R as here, is about 1 / K.
SURFACE = 0.1

CENTRAL = (0.02, 0.98)


def frame(x1, x2):
    return pd.DataFrame({"x1": x1, "x2": x2})


def bivariate_normal(case, rng, n):
    u, v = rng.normal(size=(2, n))
    other = case.rho * u + np.sqrt(1 - case.rho**2) * v
    return frame(case.mu1 + case.s1 * u, case.mu2 + case.s2 * other)


def uniform_plus_noise(case, rng, n):
    x1 = rng.uniform(size=n)
    return frame(x1, x1 + case.s * rng.normal(size=n))


def dependent_design(case, rng, n):
    u = rng.uniform(size=n)
    return frame(u + case.s * rng.normal(size=n), u + case.s * rng.normal(size=n))


def cubic_window(case, rng, n):
    x1 = rng.uniform(0, 10, n)
    return frame(x1, x1 + rng.uniform(-3, 3, n))


def equal_features(case, rng, n):
    x = rng.uniform(size=n)
    return frame(x, x)


CASES = {
    "Groemping": (BivariateNormalInteraction.groemping(), bivariate_normal),
    "positive correlation": (
        BivariateNormalInteraction(1, 2, -1, 0.5, mu1=0.3, mu2=-1, s1=0.7, s2=2, rho=0.6),
        bivariate_normal,
    ),
    "independent": (
        BivariateNormalInteraction(0, 1, 1, 1, mu1=0, mu2=1, s1=1, s2=1, rho=0),
        bivariate_normal,
    ),
    "uniform plus noise": (UniformPlusNoise(0, 1, -1, 4, s=0.15), uniform_plus_noise),
    "dependent design": (ALEPlotDependent(), dependent_design),
    "cubic window": (CubicWindow(), cubic_window),
    "kink": (Kink(), equal_features),
}
every_case = pytest.mark.parametrize("name", CASES)
with_interaction = pytest.mark.parametrize(
    "name", ["Groemping", "positive correlation", "independent", "uniform plus noise"]
)


def setting(name, n=N):
    case, draw = CASES[name]
    return case, draw(case, np.random.default_rng(len(name)), n)


def predictor(case):
    return lambda X: case.prediction(X["x1"].to_numpy(), X["x2"].to_numpy())


def central(X, feature):
    """Points where rows are dense; a curve estimated from a handful of rows proves nothing."""
    low, high = X[f"x{feature}"].quantile(CENTRAL)
    return np.linspace(low, high, 41)


def check(estimate, truth, tolerance):
    """Compare curves up to the tolerance times the range of the truth."""
    np.testing.assert_allclose(estimate, truth, rtol=0, atol=tolerance * np.ptp(truth))


@pytest.mark.parametrize("feature", [1, 2])
@every_case
def test_ale(name, feature):
    case, X = setting(name)
    effect = ale(predictor(case), X, f"x{feature}", K=K)
    x = central(X, feature)
    check(effect.evaluate(x), case.ale(feature, x), CURVE)


@pytest.mark.parametrize("feature", [1, 2])
@every_case
def test_partial_dependence(name, feature):
    case, X = setting(name, N // 10)
    effect = partial_dependence(predictor(case), X, f"x{feature}", K=K, centre="pdplot")
    x = central(X, feature)
    found = effect.evaluate(x)
    truth = case.pd(feature, x)
    check(found - found.mean(), truth - truth.mean(), 2 * CURVE)


@pytest.mark.parametrize("neighbourhood", ["interval", "kernel"])
@pytest.mark.parametrize("feature", [1, 2])
@every_case
def test_m_plot(name, feature, neighbourhood):
    n, intervals = (N, K) if neighbourhood == "interval" else (5_000, 30)
    case, X = setting(name, n)
    predict = predictor(case)
    effect = m_plot(predict, X, f"x{feature}", K=intervals, neighbourhood=neighbourhood)
    x = central(X, feature)
    if neighbourhood == "kernel":  # at the ends of the data a kernel looks to one side only
        x = x[8:-8]
    found, truth = effect.evaluate(x), case.m(feature, x)
    standard_error = np.std(predict(X)) / np.sqrt(effect.counts[len(effect.counts) // 2])
    tolerance = SMOOTHING * np.ptp(truth) + STANDARD_ERRORS * standard_error
    np.testing.assert_allclose(found - found.mean(), truth - truth.mean(), rtol=0, atol=tolerance)


@with_interaction
def test_second_order_ale(name):
    """Where the data are: in cells without rows there is no truth to estimate."""
    case, X = setting(name)
    rows = X[X.apply(lambda x: x.between(*x.quantile(CENTRAL))).all(axis=1)]
    truth = case.ale_pair(rows["x1"].to_numpy(), rows["x2"].to_numpy())
    errors = []
    for intervals in (20, 80):
        effect = ale(predictor(case), X, ("x1", "x2"), K=intervals)
        errors.append(effect.evaluate(rows) - truth)
    assert np.std(errors[1]) <= SURFACE * np.std(truth)
    assert np.std(errors[1]) <= np.std(errors[0]) / 2
    assert abs(np.mean(errors[1])) <= 2 * SURFACE * np.std(truth)


@with_interaction
def test_effects_add_up_to_the_prediction(name):
    case, X = setting(name)
    predict = predictor(case)
    features = ("x1", "x2", ("x1", "x2"))
    effects = [ale(predict, X, f, K=60 if isinstance(f, str) else 40) for f in features]
    rows = X[X.apply(lambda x: x.between(*x.quantile(CENTRAL))).all(axis=1)]
    total = sum(effect.evaluate(rows) for effect in effects) + effects[0].mean_prediction
    prediction = predict(rows)
    assert np.std(total - prediction) <= 2 * CURVE * np.std(prediction)


@pytest.mark.parametrize("feature", [1, 2])
@pytest.mark.parametrize("intervals", [3, 40])
@pytest.mark.parametrize("name", ["dependent design", "cubic window"])
def test_additive_models_are_recovered_exactly(name, feature, intervals):
    case, X = setting(name, 300)
    effect = ale(predictor(case), X, f"x{feature}", K=intervals)
    truth = case.ale(feature, effect.x_values[0])
    scale = np.abs(predictor(case)(X)).max()
    assert np.ptp(effect.f_values - truth) <= EXACT * scale
    pair = ale(predictor(case), X, ("x1", "x2"), K=intervals)
    assert np.abs(pair.f_values).max() <= EXACT * scale * 10


def quadratic_term(effect, x):
    return np.polynomial.Polynomial.fit(x, effect.evaluate(x), 2).convert().coef[2]


def test_groemping_curves_bend_as_they_should():
    """The model is linear in x1; ALE bends by b3 b21 / 2, the M-plot by twice that, PD not."""
    case, X = setting("Groemping")
    x = central(X, 1)
    assert abs(quadratic_term(ale(predictor(case), X, "x1", K=K), x) + 0.45) <= 0.02
    assert abs(quadratic_term(m_plot(predictor(case), X, "x1", K=K), x) + 0.90) <= 0.1
    pd_effect = partial_dependence(predictor(case), X.iloc[:2000], "x1", K=20)
    low, high = pd_effect.x_values[0][[0, -1]]
    inside = x[(x > low) & (x < high)]
    assert abs(quadratic_term(pd_effect, inside)) <= 1e-9


@pytest.mark.parametrize(
    ("n", "intervals", "draws", "expected", "spread"),
    [
        # Fitted over the grid points: the outermost ones lie far from their rows.
        (100, 20, 300, -0.441, 0.071),
        (20_000, 200, 60, -0.45, 0.002),
    ],
)
def test_groemping_sampling_distribution(n, intervals, draws, expected, spread):
    """The fitted quadratic term is -0.441 on average in small samples, -0.45 in large ones."""
    case = BivariateNormalInteraction.groemping()
    rng = np.random.default_rng(300)
    terms = []
    for _ in range(draws):
        X = bivariate_normal(case, rng, n)
        effect = ale(predictor(case), X, "x1", K=intervals)
        x = effect.x_values[0] if n == 100 else X["x1"].to_numpy()
        terms.append(quadratic_term(effect, x))
    assert abs(np.mean(terms) - expected) <= 3 * np.std(terms, ddof=1) / np.sqrt(draws)
    assert np.std(terms) <= spread


def test_full_grid():
    """Uniform on the grid: the first-order effects are exact, the pair up to its first cells."""
    case = GridInteraction()
    x1, x2 = (axis.ravel() for axis in np.meshgrid(case.axis(), case.axis(), indexing="ij"))
    X = frame(x1, x2)
    first, second, pair = (ale(predictor(case), X, f) for f in ("x1", "x2", ("x1", "x2")))
    assert abs(first.mean_prediction - case.mean()) <= EXACT * 5
    assert abs(first.mean_prediction - 3.188) <= 5e-4
    for feature, effect in ((1, first), (2, second)):
        assert effect.x_values[0].tolist() == case.axis().tolist()
        assert np.ptp(effect.f_values - case.ale(feature, case.axis())) <= EXACT * 10
    truth = case.ale_pair(*np.meshgrid(case.axis(), case.axis(), indexing="ij"))
    assert not pair.empty.any()
    # The first interval holds two grid lines and counts them in its middle, 1/30 off.
    assert np.abs(pair.f_values - truth).max() <= 2 / 30
    corner = pair.f_values[-1, -1] - pair.f_values[0, -1] - pair.f_values[-1, 0]
    assert abs(corner + pair.f_values[0, 0] - 4) <= EXACT * 10


@pytest.mark.parametrize("intervals", [20, 30, 50, 80])
def test_a_narrow_step_is_seen_from_a_grid_point_inside(intervals):
    case = Step()
    seen = 0
    for seed in range(40):
        X = pd.DataFrame({"x": np.random.default_rng(seed).uniform(0, 10, 100)})
        effect = ale(lambda X: case.prediction(X["x"].to_numpy()), X, "x", K=intervals)
        z = effect.x_values[0]
        inside = ((z >= case.low) & (z <= case.high)).any()
        assert np.ptp(effect.f_values) == (10 if inside else 0)
        seen += inside
    assert (seen < 20) if intervals == 20 else (seen > 20)


def test_multiplicative_recovery():
    """f = g(x1, x2) h(w) with w independent: the effects of g times the mean of h."""
    case, X = setting("uniform plus noise")
    w = np.random.default_rng(1).uniform(size=N)
    X = X.assign(w=w)

    def product(X):
        return predictor(case)(X) * (1 + 6 * X["w"] ** 2)

    x = central(X, 1)
    check(ale(product, X, "x1", K=K).evaluate(x), 3 * case.ale(1, x), 2 * CURVE)


def test_ale_of_the_pair_effect_is_zero():
    """Pseudo-orthogonality: first-order effects of the second-order effect vanish."""
    case, X = setting("positive correlation")

    def pair_effect(X):
        return case.ale_pair(X["x1"].to_numpy(), X["x2"].to_numpy())

    scale = np.ptp(pair_effect(X))
    for feature in (1, 2):
        values = ale(pair_effect, X, f"x{feature}", K=K).evaluate(central(X, feature))
        assert np.abs(values).max() <= CURVE * scale
