"""Standard errors and counts of cells: by hand, and where cells of levels lie."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale
from aleplot_py.results.cells import cell_counts, cell_table, standard_errors
from tests.mixed_data import FEATURES, effect_of

pytestmark = pytest.mark.usefixtures("close_figures")


def test_standard_errors_by_hand():
    X = pd.DataFrame({"x": [0.0, 1.0, 1.0, 2.0], "z": [1.0, 3.0, 5.0, 7.0]})
    effect = ale(lambda F: F["x"] * F["z"], X, "x", grid=[0.0, 1.0, 2.0])
    # Local effects 1, 3, 5 in the first interval; one row in the second.
    assert cell_counts(effect).tolist() == [3, 1]
    np.testing.assert_allclose(standard_errors(effect), [2 / np.sqrt(3), np.nan])
    table = cell_table(effect)
    assert list(table) == [
        "x_from",
        "x_to",
        "count",
        "local_mean",
        "local_std",
        "standard_error",
        "empty",
    ]
    assert table["x_to"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("feature", FEATURES)
def test_cell_counts_are_the_numbers_of_kept_local_effects(feature):
    effect = effect_of(feature)
    cells = np.ravel_multi_index(tuple(effect.local_effects.cells.T), effect.local_mean.shape)
    expected = np.bincount(cells, minlength=effect.local_mean.size)
    np.testing.assert_array_equal(cell_counts(effect).ravel(), expected)
    table = cell_table(effect)
    assert len(table) == effect.local_mean.size
    np.testing.assert_array_equal(table["count"], expected)


def test_cells_of_levels_lie_between_neighbours():
    effect = effect_of(("c", "x"), order={"c": ["b", "a", "c"]})
    table = cell_table(effect)
    assert table["c_from"].tolist() == ["b"] * 4 + ["a"] * 4
    assert table["c_to"].tolist() == ["a"] * 4 + ["c"] * 4
    assert table["x_from"].tolist() == list(effect.x_values[1][:-1]) * 2
