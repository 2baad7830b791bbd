"""A table of numbers, levels and truth values with a black box that needs them all."""

import numpy as np
import pandas as pd

from aleplot_py import ale
from aleplot_py.results.effects import AleResult

FEATURES = ["x", "c", ("x", "z"), ("x", "c"), ("c", "x"), ("c", "d")]


def frame(n: int = 120, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "z": rng.uniform(size=n),
            "c": rng.choice(list("abc"), size=n),
            "d": rng.choice([True, False], size=n),
        }
    )


def black_box(X: pd.DataFrame) -> np.ndarray:
    x, z = X["x"].to_numpy(), X["z"].to_numpy()
    code = X["c"].map({"a": 0.0, "b": 1.0, "c": 3.0}).to_numpy(dtype=float)
    return x**2 * z + np.sin(code * z) + code * X["d"].to_numpy() * x


def effect_of(feature, X=None, f=black_box, **options) -> AleResult:
    X = frame() if X is None else X
    return ale(f, X, feature, **{"K": 4, "local_effects": True, **options})


def sorted_by_unit(feature, X, **options):
    """Rows in the order of their units, where a resample's numbering is that of the rows."""
    units = effect_of(feature, X, **options).local_effects.units
    columns = units.T if feature == ("x", "c") else units[:, ::-1].T
    return X.iloc[np.lexsort(columns)].reset_index(drop=True)
