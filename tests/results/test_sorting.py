"""Effects of a collection by strength, range and name."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from aleplot_py import (
    EffectCollection,
    ale,
    partial_dependence,
)

EXACT = 1e-12  # sums in another order


def strengths():
    X = pd.DataFrame({"a": [0.0, 1, 2, 3], "b": [1.0, 3, 2, 0], "c": list("uuvv")})
    return X, ale(lambda X: X["a"] - 3 * X["b"] + (X["c"] == "v"), X, ["c", ("a", "b"), "b", "a"])


def test_the_strength_is_the_standard_deviation_over_the_rows():
    X, effects = strengths()
    # Rows stand in the middle of their intervals: (0, 1], with two rows, (1, 2] and (2, 3].
    middles = np.array([0.5, 0.5, 1.5, 2.5])
    np.testing.assert_allclose(effects["a"].strength, middles.std(), rtol=EXACT)
    np.testing.assert_allclose(effects["b"].strength, 3 * middles.std(), rtol=EXACT)
    np.testing.assert_allclose(effects["c"].strength, 0.5, rtol=EXACT)
    assert effects["a", "b"].strength < EXACT
    weighted = ale(lambda X: X["a"], X, "c", order="declared", sample_weight=[1, 1, 1, 3])
    at = weighted.f_values
    mean = (2 * at[0] + 4 * at[1]) / 6
    right = np.sqrt((2 * (at[0] - mean) ** 2 + 4 * (at[1] - mean) ** 2) / 6)
    np.testing.assert_allclose(weighted.strength, right, rtol=EXACT)
    profile = partial_dependence(lambda X: X["a"], X, "a", grid=[0.0, 1, 2, 3])
    np.testing.assert_allclose(profile.strength, np.std([0, 1, 2, 3]), rtol=EXACT)
    assert np.isnan(replace(profile, f_values=np.full(4, np.nan)).strength)


def test_collections_are_sorted():
    _, effects = strengths()
    assert list(effects.sort_by("strength")) == ["b", "a", "c", ("a", "b")]
    assert list(effects.sort_by("range")) == ["b", "a", "c", ("a", "b")]
    assert list(effects.sort_by("name")) == ["a", ("a", "b"), "b", "c"]
    by_points = effects.sort_by(lambda effect: effect.f_values.size)
    assert list(by_points) == [("a", "b"), "b", "a", "c"]
    assert list(effects) == ["c", ("a", "b"), "b", "a"]
    assert list(effects.top(2)) == ["b", "a"]
    assert list(effects.top(1, by="name")) == ["a"]
    assert list(effects.top(9)) == list(effects.sort_by("strength"))
    assert len(effects.top(0)) == 0
    unknown = replace(effects["b"], f_values=np.full(4, np.nan))
    mixed = EffectCollection((unknown, effects["c"], effects["a"]))
    assert list(mixed.sort_by("strength")) == list(mixed.sort_by("range")) == ["a", "c", "b"]
    with pytest.raises(ValueError, match=r"by must be 'strength', 'range', 'name' or a callable"):
        effects.sort_by("size")
    for n in (-1, 1.5, True):
        with pytest.raises(ValueError, match="n must be a whole number of at least 0, got"):
            effects.top(n)
