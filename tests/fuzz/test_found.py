"""What the fuzz found, each with its right value."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, m_plot, partial_dependence
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
