"""Small tables, black boxes and comparisons of curves."""

import numpy as np
import pandas as pd

# Sums of a few small numbers: rounding only.
EXACT = 1e-12


def identity(X):
    return X["x"].to_numpy(dtype=float)


def column(values):
    return pd.DataFrame({"x": values})


def check_curve(effect, points, values, tolerance=EXACT):
    assert effect.x_values[0].tolist() == list(points)
    np.testing.assert_allclose(effect.f_values, values, rtol=0, atol=tolerance)


def weighted():
    rng = np.random.default_rng(6)
    X = pd.DataFrame(
        {
            "x": rng.integers(0, 9, 30) / 4,
            "z": rng.normal(size=30),
            "c": pd.Categorical(rng.choice(list("pqr"), 30)),
        }
    )
    return X, rng.integers(1, 4, 30)


def product(X):
    return X["x"] * X["z"] + X["c"].cat.codes * X["x"] ** 2


def first(X):
    return np.asarray(X.iloc[:, 0], dtype=float)


def numbers(names):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(12, len(names))))
    X.columns = pd.Index(names, tupleize_cols=False)
    return X
