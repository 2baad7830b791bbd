"""Individual curves: their mean, their anchor."""

import numpy as np
import pandas as pd

from aleplot_py import ice, partial_dependence

# Sums of a few small numbers: rounding only.
EXACT = 1e-12


def test_individual_curves():
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"x": rng.normal(size=5), "z": rng.normal(size=5)})

    def predict(X):
        return np.sin(X["x"]) * X["z"] + X["x"] ** 2

    effect = ice(predict, X, "x", K=7)
    assert effect.individual.shape == (5, 7)
    average = partial_dependence(predict, X, "x", K=7).f_values
    np.testing.assert_allclose(effect.individual.mean(axis=0), average, rtol=0, atol=EXACT)
    np.testing.assert_allclose(effect.f_values, average, rtol=0, atol=EXACT)
    anchored = ice(predict, X, "x", K=7, centre=X["x"].min())
    assert (anchored.individual[:, 0] == 0).all()
    assert anchored.f_values[0] == 0
