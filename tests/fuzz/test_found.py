"""What the fuzz found, each with its right value."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, bootstrap_bands, m_plot, partial_dependence
from aleplot_py.errors import GridError
from aleplot_py.steps.axis import step_positions
from aleplot_py.steps.cells import fill_empty

UNSIGNED = ["uint8", "uint16", "uint32", "uint64", "UInt8", "UInt16", "UInt32", "UInt64"]


@pytest.mark.parametrize("dtype", [*UNSIGNED, "int8", "Int8", "int16", "Int16"])
@pytest.mark.parametrize("estimator", [ale, partial_dependence, m_plot])
def test_a_grid_may_reach_beyond_the_columns_type(estimator, dtype):
    """Points that whole numbers of the type cannot hold were an OverflowError of pandas."""
    X = pd.DataFrame({"x": pd.Series([0, 1, 2, 3], dtype=dtype)})
    grid = [-1, 0, 2, 3, 100_000]
    effect = estimator(lambda frame: frame["x"].astype(float), X, "x", grid=grid)
    rise = effect.f_values[[1, 2, 3]] - effect.f_values[1]
    assert rise.tolist() == [0.0, 2.0, 3.0]


def test_positions_of_denormal_edges_keep_their_digits():
    edges = np.array([0.0, 1.0, 2.0, 4.0])
    denormal = step_positions(edges * 5e-324, "numeric")
    assert denormal.tolist() == step_positions(edges, "numeric").tolist()


@pytest.mark.parametrize("unit", [5e-324, 1e-300, 1.0, 1e300])
def test_a_slope_is_lent_whatever_the_unit(unit):
    widths = np.array([1.0, 2.0]) * unit
    values, empty = np.array([30.0, 0.0]), np.array([False, True])
    filled = fill_empty(values, empty, [np.array([0.2, 0.7])], widths=widths)
    assert filled.tolist() == [30.0, 60.0]


def test_a_slope_beyond_the_largest_double_is_refused():
    values, empty = np.array([30.0, 0.0]), np.array([False, True])
    with pytest.raises(GridError, match="too wide"):
        fill_empty(values, empty, [np.array([0.2, 0.7])], widths=np.array([1e-300, 1e300]))


def _kept(x, features):
    X = pd.DataFrame({"x": x, "z": np.arange(11.0) % 4 * x.max()})
    step = np.arange(11.0) % 3
    return ale(
        lambda f: step * (f["x"] > x[5]) + (f["z"] > 0), X, features, K=5, local_effects=True
    )


@pytest.mark.parametrize("features", ["x", ("x", "z")], ids=str)
def test_bands_do_not_depend_on_the_unit_of_a_column(features):
    """A cell that loses its rows takes a slope over a width, or an area, beyond any double."""
    x = np.arange(11.0) ** 2
    once = bootstrap_bands(_kept(x, features), n_boot=50, random_state=1)
    for power in (-1000, 1000):
        scaled = bootstrap_bands(_kept(np.ldexp(x, power), features), n_boot=50, random_state=1)
        np.testing.assert_allclose(scaled.upper, once.upper, rtol=0, atol=2.0**-40)


def test_a_resample_with_a_slope_beyond_the_largest_double_is_refused():
    effect = _kept(10.0 ** np.arange(-300, 301, 60), "x")
    with pytest.raises(GridError, match="too wide"):
        bootstrap_bands(effect, n_boot=50, random_state=1)


@pytest.mark.parametrize("power", [-1000, 900])
def test_a_kernel_reaches_far_whatever_the_unit_of_the_prediction(power):
    """The weight of a level's only row, far away, times a small prediction was 0."""
    X = pd.DataFrame({"x": [0.0, 1.0, 3.0, 36.0], "g": pd.Categorical(list("aabb"))})
    f = np.array([3.0, -1.0, 0.7, 5.0])
    grid = {"x": [0.0, 2.0, 36.0]}
    near = {"neighbourhood": "kernel", "bandwidth": {"x": 1.0}, "grid": grid}

    def effect(values):
        return m_plot(lambda frame: np.tile(values, len(frame) // 4), X, ("x", "g"), **near)

    once = effect(f).f_values
    assert once[2, 0] == pytest.approx(-1.0, rel=1e-12)
    assert np.array_equal(effect(np.ldexp(f, power)).f_values, np.ldexp(once, power))
