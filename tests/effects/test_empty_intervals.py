"""An interval of one feature without rows has the nearest one's slope: a line stays a line."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, bootstrap_bands, decompose, interaction_strength

# Sums of a few numbers with one or two digits.
BY_HAND = 1e-14

# Rows, grid and values of the effect of a black box that returns the column.
LINES = {
    "two apart": (
        [1, 2, 3, 7, 8],
        [0, 2, 4, 6.9, 8],
        [-3.98, -1.98, 0.02, 2.92, 4.02],
    ),
    "narrow beside wide": (
        [0, 0.05, 0.1, 0.9, 1],
        [0, 0.1, 0.8, 0.85, 1],
        [-0.4, -0.3, 0.4, 0.45, 0.6],
    ),
    "at both ends": (
        [3.5, 4, 4.5, 5],
        [0, 3, 4, 5, 5.5, 9],
        [-4.0, -1.0, 0.0, 1.0, 1.5, 5.0],
    ),
}


def line(X):
    return X["x"].to_numpy(dtype=float)


def frame(x, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"x": np.asarray(x, dtype=float), "z": rng.uniform(size=len(x))})


@pytest.mark.parametrize("gradient", [None, {"x": lambda X: np.ones(len(X))}], ids=["", "gradient"])
@pytest.mark.parametrize("name", LINES)
def test_a_line_on_the_callers_grid(name, gradient):
    x, grid, right = LINES[name]
    effect = ale(line, frame(x), "x", grid=grid, gradient=gradient)
    assert effect.empty.any()
    np.testing.assert_allclose(effect.local_mean, np.diff(grid), rtol=0, atol=BY_HAND)
    np.testing.assert_allclose(effect.f_values, right, rtol=0, atol=BY_HAND)


@pytest.mark.parametrize("weighted", ["rows", "weights"])
def test_a_subgroup_on_the_grid_of_all_rows(weighted):
    """Rows left out, or of weight 0, leave intervals of R's own grid without any."""
    rng = np.random.default_rng(3)
    X = frame(rng.exponential(size=200))
    group = (X["x"] < 0.2) | (X["x"] > 1.5)
    whole = ale(line, X, "x", K=20)
    if weighted == "weights":
        effect = ale(line, X, "x", K=20, sample_weight=group.astype(float))
    else:
        inside = pd.concat([X[group], X.iloc[[X["x"].argmin()]]])
        effect = ale(line, inside, "x", grid=whole.x_values[0])
    assert np.array_equal(effect.x_values[0], whole.x_values[0])
    assert effect.empty.sum() > 5
    np.testing.assert_allclose(effect.local_mean, np.diff(effect.x_values[0]), rtol=0, atol=BY_HAND)


def test_an_additive_function_has_no_interaction():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"x": rng.choice([0.0, 0.05, 0.1, 0.9, 1.0], 60), "z": rng.uniform(size=60)})
    X.loc[:1, "z"] = [0.0, 1.0]
    options = {"grid": {"x": [0, 0.1, 0.8, 0.85, 1], "z": np.linspace(0, 1, 9)}}

    def additive(X):
        return 3 * X["x"].to_numpy() - X["z"].to_numpy()

    assert ale(additive, X, "x", **options).empty.any()
    assert interaction_strength(additive, X, **options) < BY_HAND
    parts = decompose(additive, X, **options)
    assert np.abs(parts.remainder).max() < BY_HAND


def test_a_pair_keeps_the_rule_of_aleplot():
    """Its empty cells have the nearest cell's difference, on every grid."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"x": rng.choice([0.05, 0.9], 40), "z": rng.uniform(size=40)})
    X.loc[:1] = [[0.0, 0.0], [1.0, 1.0]]
    grid = {"x": [0, 0.1, 0.5, 1], "z": [0, 0.5, 1]}
    pair = ale(lambda X: (X["x"] * X["z"]).to_numpy(), X, ("x", "z"), grid=grid)
    assert pair.empty[1].all()
    assert not pair.empty[[0, 2]].any()
    np.testing.assert_array_equal(pair.local_mean[1], pair.local_mean[0])


def test_categories_have_no_widths():
    X = pd.DataFrame({"c": list("aabbccdd"), "z": np.arange(8.0)})
    weight = [1, 1, 1, 1, 0, 0, 0, 0]
    values = {"a": 0.0, "b": 1.0, "c": 5.0, "d": 6.0}
    effect = ale(
        lambda X: X["c"].map(values).to_numpy(), X, "c", order=list("abcd"), sample_weight=weight
    )
    assert effect.empty.tolist() == [False, False, True]
    assert effect.local_mean.tolist() == [1.0, 4.0, 4.0]


@pytest.mark.parametrize("centre_over", ["data", "resamples"])
def test_resampled_curves(centre_over):
    """A curve of a line is one, moved by its centre at most: the band is as wide everywhere."""
    x, grid, right = LINES["narrow beside wide"]
    effect = ale(line, frame(x * 4), "x", grid=grid, local_effects=True)
    bands = bootstrap_bands(effect, n_boot=50, random_state=0, centre_over=centre_over)
    np.testing.assert_allclose(effect.f_values, right, rtol=0, atol=BY_HAND)
    width = bands.upper - bands.lower
    np.testing.assert_allclose(width, width[0], rtol=0, atol=BY_HAND)
    if centre_over == "data":
        assert width.max() == 0


def test_the_picture_and_the_table_tell_which_intervals_are_filled():
    x, grid, _ = LINES["narrow beside wide"]
    effect = ale(line, frame(x), "x", grid=grid)
    assert effect.empty.tolist() == [False, True, True, False]
    assert effect.counts.tolist() == [3, 0, 0, 2]
    assert np.isnan(effect.local_std).tolist() == effect.empty.tolist()
