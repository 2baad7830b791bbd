"""A regression with a strong, a weak and a useless feature, and its null distribution."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from aleplot_py.analysis.random_variable import random_variable_null


@pytest.fixture(scope="module")
def regression():
    rng = np.random.default_rng(11)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=["strong", "weak", "noise"])
    y = 2 * X["strong"] + 0.3 * X["weak"] + rng.normal(size=120)
    null = random_variable_null(LinearRegression(), X, y, n=200, random_state=5)
    return X, y, null
