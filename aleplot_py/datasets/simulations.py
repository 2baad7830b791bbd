"""Simulated data and the black boxes that go with them."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from aleplot_py.datasets.files import FloatArray
from aleplot_py.datasets.truth import BivariateNormalInteraction
from aleplot_py.errors import FeatureError, renamed
from aleplot_py.r.random import set_seed

GROEMPING = BivariateNormalInteraction.groemping()


def simulate_book_points(n: int = 100, *, sd: float = 0.1, seed: int = 1) -> pd.DataFrame:
    """Draw the two correlated features of the book's toy figures with R's random numbers.

    Molnar, Interpretable Machine Learning, 3rd edition: figures 20.1 and 20.2 (n = 100,
    seed 1), 20.3 (n = 25, seed 12), 20.4 and 20.5 (n = 25, seed 1).

    Parameters
    ----------
    n : int
        Number of points.
    sd : float
        Standard deviation of x2 around x1; the book's is .1.
    seed : int
        Argument of R's ``set.seed``, whose random numbers these are.

    Returns
    -------
    DataFrame of shape (n, 2)
        x1, uniform on [0, 1], and x2 = x1 + N(0, sd^2).
    """
    rng = set_seed(seed)
    x1 = rng.runif(n)
    return pd.DataFrame({"x1": x1, "x2": x1 + rng.rnorm(n, 0.0, sd)})


def book_extrapolation_model(
    X: pd.DataFrame, *, x1_above: float = 0.7, x2_below: float = 0.3
) -> FloatArray:
    """Predict x1 + x2, but 2 where there is no data (Molnar's figures 20.4 and 20.5).

    Parameters
    ----------
    X : DataFrame of n rows
        Data with the columns x1 and x2.
    x1_above, x2_below : float
        Limits of the corner without data; the book's are .7 and .3.

    Returns
    -------
    ndarray of shape (n,)
        2 where x1 > x1_above and x2 < x2_below, otherwise x1 + x2.

    Raises
    ------
    FeatureError
        If a column is missing.
    """
    x1, x2 = column_values(X, "x1"), column_values(X, "x2")
    return np.where((x1 > x1_above) & (x2 < x2_below), 2.0, x1 + x2)


def simulate_vignette_example1(n: int = 5000, *, seed: int = 1) -> pd.DataFrame:
    """Draw the data of example 1 of ALEPlot's vignette with R's random numbers.

    Parameters
    ----------
    n : int
        Number of rows; the vignette's figure 3 has 5,000.
    seed : int
        Argument of R's ``set.seed``, whose random numbers these are.

    Returns
    -------
    DataFrame of shape (n, 5)
        x1, x2, x3, x4, independent and uniform on [0, 1], and
        y = 4 x1 + 3.87 x2^2 + 2.97 sigma(-5 + 10 x3) + N(0, 1), sigma the logistic function.
    """
    rng = set_seed(seed)
    frame = pd.DataFrame({name: rng.runif(n) for name in ("x1", "x2", "x3", "x4")})
    odds = np.exp(-5.0 + 10.0 * frame["x3"])
    mean = 4.0 * frame["x1"] + 3.87 * frame["x2"] ** 2 + 2.97 * odds / (1.0 + odds)
    return frame.assign(y=mean + rng.rnorm(n))


def simulate_vignette_example2(n: int = 5000, *, seed: int = 1) -> pd.DataFrame:
    """Draw the data of example 2 of ALEPlot's vignette: example 1 with an interaction.

    Parameters
    ----------
    n : int
        Number of rows; the vignette's figure 5 has 5,000.
    seed : int
        Argument of R's ``set.seed``, whose random numbers these are.

    Returns
    -------
    DataFrame of shape (n, 5)
        The columns of `simulate_vignette_example1`, with 13.86 (x1 - .5) (x2 - .5) added to y.
    """
    frame = simulate_vignette_example1(n, seed=seed)
    return frame.assign(y=frame["y"] + 13.86 * (frame["x1"] - 0.5) * (frame["x2"] - 0.5))


def simulate_vignette_example4(n: int = 200, *, seed: int = 1) -> pd.DataFrame:
    """Draw the strongly dependent data of example 4 of ALEPlot's vignette.

    Parameters
    ----------
    n : int
        Number of rows; the vignette's figures 7 and 8 have 200.
    seed : int
        Argument of R's ``set.seed``, whose random numbers these are; figure 7 has seed
        1, figure 8 seeds 1 to 50.

    Returns
    -------
    DataFrame of shape (n, 3)
        x1 and x2, both u + N(0, .05^2) with the same u uniform on [0, 1], and
        y = x1 + x2^2 + N(0, .1^2).
    """
    rng = set_seed(seed)
    base = rng.runif(n)
    x1 = base + rng.rnorm(n, 0.0, 0.05)
    x2 = base + rng.rnorm(n, 0.0, 0.05)
    return pd.DataFrame({"x1": x1, "x2": x2, "y": x1 + x2**2 + rng.rnorm(n, 0.0, 0.1)})


@renamed(rng="random_state")
def simulate_groemping(
    n: int = 100, *, rho: float = -0.9, random_state: np.random.Generator | int
) -> pd.DataFrame:
    """Draw the two correlated normal features of Grömping (2020).

    .. versionchanged:: 0.2
       `random_state` is the new name of ``rng``.

    Parameters
    ----------
    n : int
        Number of rows.
    rho : float
        Correlation, between -1 and 1.
    random_state : int or Generator
        Seed or source of random numbers.

    Returns
    -------
    DataFrame of shape (n, 2)
        x1 and x2 with means 10 and -5 and variances 1.

    Raises
    ------
    TypeError
        If `n` is not an integer.
    ValueError
        If `n` is below 1 or `rho` is not between -1 and 1.
    """
    if not -1.0 <= rho <= 1.0:
        raise ValueError(f"rho must be between -1 and 1, got {rho!r}")
    first, second = np.random.default_rng(random_state).standard_normal((2, _checked_rows(n)))
    x2 = GROEMPING.mu2 + rho * first + math.sqrt(1.0 - rho**2) * second
    return pd.DataFrame({"x1": GROEMPING.mu1 + first, "x2": x2})


def groemping_model(X: pd.DataFrame) -> FloatArray:
    """Predict with the model of Grömping (2020): 200 + x1 - .5 x2 + x1 x2.

    Parameters
    ----------
    X : DataFrame of n rows
        Data with the columns x1 and x2.

    Returns
    -------
    ndarray of shape (n,)
        Predictions.

    Raises
    ------
    FeatureError
        If a column is missing.
    """
    return GROEMPING.prediction(column_values(X, "x1"), column_values(X, "x2"))


@renamed(rng="random_state")
def simulate_gkolemis_interaction(
    n: int = 1000, *, random_state: np.random.Generator | int
) -> pd.DataFrame:
    """Draw the three features of the interaction case of Gkolemis et al. (2023).

    .. versionchanged:: 0.2
       `random_state` is the new name of ``rng``.

    Parameters
    ----------
    n : int
        Number of rows.
    random_state : int or Generator
        Seed or source of random numbers.

    Returns
    -------
    DataFrame of shape (n, 3)
        x1, x2, x3, independent and uniform on [-1, 1].

    Raises
    ------
    TypeError
        If `n` is not an integer.
    ValueError
        If `n` is below 1.
    """
    x1, x2, x3 = np.random.default_rng(random_state).uniform(-1.0, 1.0, size=(3, _checked_rows(n)))
    return pd.DataFrame({"x1": x1, "x2": x2, "x3": x3})


def gkolemis_interaction_model(X: pd.DataFrame) -> FloatArray:
    """Predict .2 x1 - 5 x2 + 10 x2 where x3 > 0, and .2 x1 - 5 x2 elsewhere.

    Parameters
    ----------
    X : DataFrame of n rows
        Data with the columns x1, x2 and x3.

    Returns
    -------
    ndarray of shape (n,)
        Predictions; x2 has no mean effect, but its local effects are -5 and 5.

    Raises
    ------
    FeatureError
        If a column is missing.
    """
    x1, x2, x3 = column_values(X, "x1"), column_values(X, "x2"), column_values(X, "x3")
    return 0.2 * x1 - 5.0 * x2 + np.where(x3 > 0.0, 10.0 * x2, 0.0)


@renamed(rng="random_state")
def simulate_gkolemis_piecewise(
    n: int = 1000, *, random_state: np.random.Generator | int
) -> pd.DataFrame:
    """Draw the three features of the piecewise linear case of Gkolemis et al. (2023).

    .. versionchanged:: 0.2
       `random_state` is the new name of ``rng``.

    Parameters
    ----------
    n : int
        Number of rows.
    random_state : int or Generator
        Seed or source of random numbers.

    Returns
    -------
    DataFrame of shape (n, 3)
        x1, uniform on [0, 1], x2 = x1, and x3 = N(0, .5^2).

    Raises
    ------
    TypeError
        If `n` is not an integer.
    ValueError
        If `n` is below 1.
    """
    rows = _checked_rows(n)
    generator = np.random.default_rng(random_state)
    x1 = generator.uniform(0.0, 1.0, size=rows)
    return pd.DataFrame({"x1": x1, "x2": x1, "x3": generator.normal(0.0, 0.5, size=rows)})


def gkolemis_piecewise_model(X: pd.DataFrame) -> FloatArray:
    """Predict a continuous function of x1 + x2 with slopes 1, -1 and 0.

    The slopes change at x1 + x2 = 1/2 and 1, that is, on the line x2 = x1 of the data at
    x1 = 1/4 and 1/2.

    Parameters
    ----------
    X : DataFrame of n rows
        Data with the columns x1 and x2.

    Returns
    -------
    ndarray of shape (n,)
        Predictions.

    Raises
    ------
    FeatureError
        If a column is missing.
    """
    total = column_values(X, "x1") + column_values(X, "x2")
    return np.where(total < 0.5, total, np.where(total < 1.0, 1.0 - total, 0.0))


def column_values(X: pd.DataFrame, name: str) -> FloatArray:
    """Values of a column as floats."""
    if name not in X.columns:
        raise FeatureError(f"the model needs a column {name!r}, got columns {list(X.columns)}")
    return X[name].to_numpy(dtype=np.float64)


def _checked_rows(n: int) -> int:
    """Number of rows to draw."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer):
        raise TypeError(f"n must be an integer, got {n!r}")
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}")
    return int(n)
