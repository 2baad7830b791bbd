"""Friedman's H statistics against R's iml and hstats running live on the same black boxes."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import h_statistics
from validation import bridge, r_effects

# Root means of squares of differences of means, which each side rounds in its own way; what is
# rounding there is 0 here.
VALUES = 1e-12


def rows(n: int = 40, seed: int = 1) -> pd.DataFrame:
    """Numbers, some of them tied, and levels."""
    rng = np.random.default_rng(seed)
    level = pd.Categorical(rng.choice(["p", "q", "r"], n), ["q", "p", "r"])
    return pd.DataFrame({"x": rng.normal(size=n), "k": rng.integers(0, 4, n) * 1.0, "c": level})


def black_box(X: pd.DataFrame) -> np.ndarray:
    """A function with interactions of two and three features."""
    code = X["c"].cat.codes.to_numpy(dtype=float)
    return np.asarray((X["x"] - code) ** 2 * (1 + X["k"] * X["x"]) + code)


@pytest.mark.iml_r
def test_features_and_pairs_of_iml(record_parity):
    """Not squared, of every feature with all others and with each."""
    X = rows()
    found = h_statistics(black_box, X).to_frame(squared=False)["pd"]
    in_r = r_effects.iml_interaction(black_box, X)
    for position in range(3):
        in_r |= r_effects.iml_interaction(black_box, X, position)
    assert len(in_r) == 6
    for names, value in in_r.items():
        [key] = [key for key in found.index if names in (key, frozenset(key))]
        difference = abs(found[key] - value)
        record_parity("iml_r", f"H of {key}", difference)
        assert difference <= VALUES


@pytest.mark.parametrize("weighted", [False, True])
def test_every_statistic_of_hstats(weighted):
    """Overall, features, pairs and triples; skipped where hstats is not installed."""
    reason = bridge.why_packages_unavailable(["hstats"])
    if reason is not None:
        pytest.skip(reason)
    X = rows()
    weights = np.arange(40.0) if weighted else None
    found = h_statistics(black_box, X, triples="all", sample_weight=weights)
    in_r = r_effects.hstats(black_box, X, weights)
    keys = [names[0] if len(names) == 1 else frozenset(names) for names in found.features]
    assert set(keys) == set(in_r)
    np.testing.assert_allclose(
        found.to_frame()["pd"], [in_r[key] for key in keys], rtol=0, atol=VALUES
    )
