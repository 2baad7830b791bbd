"""Data for effects in parts, and what "the same" means: to the last bit."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, partial_dependence
from aleplot_py.results.effects import EffectCollection

ARRAYS = ("f_values", "counts", "empty", "local_mean", "local_std", "main_effects")


def data(n=900):
    rng = np.random.default_rng(5)
    c = rng.choice(list("pqrs"), n)
    return pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "z": rng.normal(size=n) * 100
            + pd.Series(c).map(dict(zip("rpsq", range(4), strict=True))) * 30,
            "i": rng.integers(0, 30, n),
            "c": c,
            "k": pd.Categorical(rng.choice(list("uvw"), n), categories=["w", "v", "u", "unused"]),
            "flag": rng.random(n) < 0.3,
            "w": rng.integers(0, 4, n) / 7,
        }
    )


def black_box(frame):
    """Looks at types, too: an integer must stay one, a category have all its categories."""
    assert frame["k"].cat.categories.tolist() == ["w", "v", "u", "unused"]
    letter = frame["c"].map(dict(zip("pqrs", range(4), strict=True))).astype(float)
    i = frame["i"] if frame["i"].dtype == np.int64 else -frame["i"]
    return frame["x"] * frame["z"] + letter * frame["x"] ** 2 + i * 0.1 + frame["k"].cat.codes


def same(found, expected):
    """Whether two effects are equal to the last bit, but for the rows, which one does not keep."""
    if isinstance(expected, EffectCollection):
        assert list(found) == list(expected)
        for name in expected:
            same(found[name], expected[name])
        return
    assert found.features == expected.features
    assert (found.kinds, found.grid, found.target) == (
        expected.kinds,
        expected.grid,
        expected.target,
    )
    assert (found.constant, found.centre) == (expected.constant, expected.centre)
    for one, other in zip(found.x_values, expected.x_values, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    for name in ARRAYS:
        one, other = getattr(found, name, None), getattr(expected, name, None)
        pairs = zip(one, other, strict=True) if isinstance(one, tuple) else [(one, other)]
        for part, whole in pairs:
            np.testing.assert_array_equal(part, whole, err_msg=name)
    assert repr(found) == repr(expected)


CALLS = {
    "ale": lambda X, **how: ale(black_box, X, "x", **how),
    "ale all": lambda X, **how: ale(black_box, X, "all", K=7, order={"k": "declared"}, **how),
    "ale similar": lambda X, **how: ale(black_box, X, ["c", "k"], **how),
    "ale pairs": lambda X, **how: ale(
        black_box, X, [("x", "z"), ("c", "x"), ("x", "k"), ("c", "k")], K=4, **how
    ),
    "ale iml": lambda X, **how: ale(black_box, X, ["x", "i"], grid="iml", centre="paper", **how),
    "ale equidistant": lambda X, **how: ale(black_box, X, "x", grid="equidistant", **how),
    "ale given": lambda X, **how: ale(
        black_box, X, "x", grid=[-1.0, 0, 0.1, 3], outside="clip", **how
    ),
    "pd": lambda X, **how: partial_dependence(black_box, X, ["x", "c", ("i", "x")], K=5, **how),
    "pd centred": lambda X, **how: partial_dependence(
        black_box, X, ["x", ("k", "x")], K=5, centre="pdplot", **how
    ),
    "pd anchored": lambda X, **how: partial_dependence(
        black_box, X, "i", K=5, grid="iml", centre=3, **how
    ),
}


@pytest.fixture(scope="session")
def X():
    return data()


@pytest.fixture(scope="session")
def expected(X):
    """Effects in memory, computed when they are first asked for."""
    known = {}

    def effect(name, **how):
        key = (name, *sorted(how))
        if key not in known:
            known[key] = CALLS[name](
                X, **{k: X[v] if k == "sample_weight" else v for k, v in how.items()}
            )
        return known[key]

    return effect
