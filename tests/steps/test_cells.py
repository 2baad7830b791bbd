"""Filling of empty cells: nearest, all ties settled the same way, fast enough, input untouched."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aleplot_py.steps.cells import _settle_ties, fill_empty, nearest_cells

# Distances computed in two ways differ by rounding.
SAME_DISTANCE = 1e-9
# A difference over its width, times another width: edges are decimal fractions, rounded.
SLOPES = 1e-14


def brute_force_distances(points, queries):
    return np.sqrt(((queries[:, None, :] - points[None, :, :]) ** 2).sum(axis=2))


def scattered(seed, m, q):
    rng = np.random.default_rng(seed)
    return rng.uniform(size=(m, 2)), rng.uniform(size=(q, 2))


def lattice(seed, m, q, size=9):
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(size * size)[: m + q]
    positions = np.stack(np.unravel_index(chosen, (size, size)), axis=1) / size
    return positions[:m], positions[m:]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("drawn", [scattered, lattice])
def test_a_nearest_cell_is_taken(drawn, seed):
    points, queries = drawn(seed, 30, 40)
    distance = brute_force_distances(points, queries)
    for chosen in (nearest_cells(points, queries), _settle_ties(points, queries)):
        taken = distance[np.arange(len(queries)), chosen]
        assert (taken <= distance.min(axis=1) * (1 + SAME_DISTANCE)).all()


@pytest.mark.parametrize("seed", range(10))
def test_without_ties_the_exact_search_and_the_fast_one_agree(seed):
    points, queries = scattered(seed, 50, 60)
    right = brute_force_distances(points, queries).argmin(axis=1)
    assert np.array_equal(nearest_cells(points, queries), right)
    assert np.array_equal(_settle_ties(points, queries), right)


@pytest.mark.parametrize("seed", range(5))
def test_ties_among_many_neighbours_go_to_the_exact_search(seed):
    """The fast search looks at two neighbours only; that is enough to see that there is a tie."""
    points, queries = lattice(seed, 12, 40)
    distance = brute_force_distances(points, queries)
    nearest = distance.min(axis=1, keepdims=True)
    tied = (distance <= nearest * (1 + SAME_DISTANCE)).sum(axis=1) > 1
    assert tied.sum() >= 3
    assert np.array_equal(nearest_cells(points, queries), _settle_ties(points, queries))


def test_a_query_alone_gets_what_it_gets_among_others():
    points, queries = lattice(3, 20, 50)
    together = nearest_cells(points, queries)
    assert together.tolist() == [int(nearest_cells(points, q[None])[0]) for q in queries]


def test_four_corners_around_the_centre():
    """By hand: the box is cut at .5 in the first dimension; the query is not below, goes high.

    There the cut in the second dimension sends it high again, and an equally near cell met later
    does not replace the first.
    """
    corners = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
    assert nearest_cells(corners, np.array([[0.5, 0.5]])).tolist() == [3]
    assert nearest_cells(corners[::-1], np.array([[0.5, 0.5]])).tolist() == [0]


def test_one_known_cell_fills_all():
    assert nearest_cells(np.array([[0.3, 0.3]]), np.zeros((4, 2))).tolist() == [0, 0, 0, 0]
    values = np.zeros((3, 4))
    values[1, 2] = 7.0
    empty = np.ones((3, 4), dtype=bool)
    empty[1, 2] = False
    assert (fill_empty(values, empty, [np.arange(3.0), np.arange(4.0)]) == 7).all()


def test_one_axis():
    values = np.array([1.0, 0, 0, 0, 5.0])
    empty = np.array([False, True, True, True, False])
    filled = fill_empty(values, empty, [np.array([0.0, 0.1, 0.2, 0.8, 1.0])])
    assert filled.tolist() == [1, 1, 1, 5, 5]


@pytest.mark.parametrize(
    ("grid", "difference", "right"),
    [
        ([0.0, 2, 4, 6.9, 8], [2.0, 2, 0, 1.1], [2, 2, 2.9, 1.1]),
        ([0.0, 0.1, 0.8, 0.85, 1], [0.1, 0, 0, 0.15], [0.1, 0.7, 0.05, 0.15]),
    ],
)
def test_an_interval_without_rows_takes_the_slope_of_its_neighbour(grid, difference, right):
    """Differences of f = x: a straight line stays one."""
    z, differences = np.array(grid), np.array(difference)
    middle = (z[:-1] + z[1:]) / 2 / (z[-1] - z[0])
    filled = fill_empty(differences, differences == 0, [middle], widths=np.diff(z))
    np.testing.assert_allclose(filled, right, rtol=SLOPES, atol=0)
    assert np.array_equal(filled[differences > 0], differences[differences > 0])


@given(st.integers(0, 10**6), st.integers(1, 7), st.integers(1, 7))
def test_known_cells_and_the_input_are_left_alone(seed, rows, columns):
    rng = np.random.default_rng(seed)
    values, empty = rng.normal(size=(rows, columns)), rng.uniform(size=(rows, columns)) < 0.6
    empty[rng.integers(rows), rng.integers(columns)] = False
    before = values.copy()
    coordinates = [np.arange(rows) / rows, np.sort(rng.uniform(size=columns))]
    for listing in ("aleplot", "iml"):
        filled = fill_empty(values, empty, coordinates, listing)
        assert np.array_equal(values, before)
        assert np.array_equal(filled[~empty], values[~empty])
        assert np.isin(filled[empty], values[~empty]).all()


def test_values_of_empty_cells_are_never_used():
    values = np.array([[1.0, np.nan], [np.nan, 4.0]])
    filled = fill_empty(values, np.isnan(values), [np.arange(2.0), np.arange(2.0)])
    assert np.isfinite(filled).all()


def test_the_listing_decides_ties_only():
    """ALEPlot lists the cells with the first axis fastest, iml with the second.

    So swapping the features of a pair may settle a tie the other way, in R as here.
    """
    rng = np.random.default_rng(0)
    axes = [np.arange(5) / 5, np.arange(9) / 9]
    position = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    values = np.arange(45.0).reshape(5, 9)
    differing = 0
    for _ in range(40):
        empty = rng.uniform(size=(5, 9)) < 0.5
        iml = fill_empty(values, empty, axes, "iml")
        aleplot = fill_empty(values, empty, axes, "aleplot")
        for cell in np.flatnonzero(iml != aleplot):
            distance = brute_force_distances(position, position[[cell]])[0]
            one, other = distance[int(iml.flat[cell])], distance[int(aleplot.flat[cell])]
            assert abs(one - other) <= SAME_DISTANCE
            differing += 1
    assert differing


@pytest.mark.parametrize("size", [1, 2, 3, 17])
def test_points_on_a_line(size):
    points = np.stack([np.arange(size) / size, np.zeros(size)], axis=1)
    queries = points + np.array([0.1 / size, 0])
    assert nearest_cells(points, queries).tolist() == list(range(size))
