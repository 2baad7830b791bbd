"""What both figures share: Grömping's case for any correlation, and the curvature of an effect."""

from dataclasses import replace

import numpy as np
from statsmodels.regression.linear_model import OLS

from aleplot_py import ale
from aleplot_py.datasets.simulations import groemping_model, simulate_groemping
from aleplot_py.datasets.truth import BivariateNormalInteraction

# Standard deviation of the noise in the responses to which the models are fitted.
NOISE = 2

GROEMPING = BivariateNormalInteraction.groemping()


def case(rho):
    """Grömping's case with another correlation."""
    return replace(GROEMPING, rho=rho)


def curvature_in_theory(rho):
    """Coefficient of x1^2 in the ALE of the population."""
    mu, s = GROEMPING.mu1, GROEMPING.s1
    low, middle, high = case(rho).ale(1, np.array([mu - s, mu, mu + s]))
    return (low - 2 * middle + high) / (2 * s**2)


def fitted_model(X, rng):
    """Linear model with the interaction, fitted to responses with noise, as a black box."""
    y = groemping_model(X) + rng.normal(0, NOISE, len(X))
    results = OLS(y, _terms(X)).fit()
    return lambda rows: results.predict(_terms(rows))


def _terms(X):
    return np.column_stack([np.ones(len(X)), X["x1"], X["x2"], X["x1"] * X["x2"]])


def fitted_curvature(x, f):
    """Coefficient of x^2 in the parabola that ordinary least squares fit to points of a curve."""
    d = x - GROEMPING.mu1
    return OLS(f, np.column_stack([np.ones_like(d), d, d**2])).fit().params[2]


def curvature_of_a_draw(n, K, rho, rng):
    """Curvature of the ALE of x1 in a new data set: over the grid points, and over the rows."""
    X = simulate_groemping(n, rho=rho, random_state=rng)
    effect = ale(fitted_model(X, rng), X, "x1", K=K)
    x = X["x1"].to_numpy()
    return (
        fitted_curvature(effect.x_values[0], effect.f_values),
        fitted_curvature(x, effect.evaluate(x)),
    )


def standard_error(values):
    """Standard error of the mean."""
    return np.std(values, ddof=1) / np.sqrt(len(values))
