"""Order of levels: distances by loops, scaling, what ties and useless columns lead to."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aleplot_py import ale
from aleplot_py.errors import FeatureError
from aleplot_py.inputs import ordering
from aleplot_py.inputs.ordering import (
    add_distribution_distance,
    level_distances,
    similarity_order,
)
from aleplot_py.steps import compiled
from aleplot_py.steps.grid import quantile_type7
from aleplot_py.steps.kolmogorov import STRIP
from aleplot_py.steps.scaling import classical_scaling, doubly_centred
from validation import brute_force

# Shares of a few rows; the quantile points are computed by the same formula.
DISTANCES = 1e-12
# Eigenvalues of a small matrix.
SCALING = 1e-10


def mixed_frame(seed, n=40, levels=5):
    rng = np.random.default_rng(seed)
    codes = np.r_[np.arange(levels), rng.integers(0, levels, n - levels)]
    return codes, [
        pd.Series(rng.normal(size=n) + codes),
        pd.Series(rng.integers(0, 4, n).astype(float)),
        pd.Series(pd.Categorical(rng.choice(list("uvw"), n), categories=list("xwvu"))),
        pd.Series(rng.choice(["p", "q"], n)),
        pd.Series(rng.uniform(size=n) < 0.5),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_distances_are_those_of_plain_loops(seed):
    codes, others = mixed_frame(seed)
    distances = level_distances(others, codes, 5)
    assert np.array_equal(distances, distances.T)
    for a in range(5):
        for b in range(5):
            right = brute_force.level_distance(others, codes.tolist(), a, b)
            assert abs(distances[a, b] - right) <= DISTANCES


def test_distances_of_every_column_add_up():
    codes, others = mixed_frame(7)
    total = sum(level_distances([column], codes, 5) for column in others)
    np.testing.assert_allclose(level_distances(others, codes, 5), total, rtol=0, atol=DISTANCES)


@pytest.mark.parametrize(
    "dtype", ["int64", "Int64", "float32", "object", "boolean", "Sparse[float]"]
)
def test_the_same_numbers_of_another_type_are_as_far(dtype):
    codes, _ = mixed_frame(1)
    numbers = pd.Series((codes * 7 + np.arange(40)) % 2)
    right = level_distances([numbers.astype(float)], codes, 5)
    found = level_distances([numbers.astype(dtype)], codes, 5)
    np.testing.assert_allclose(found, right, rtol=0, atol=DISTANCES)


@pytest.mark.parametrize("n", [300, 6000])  # below and above what is thrown into buckets
@pytest.mark.parametrize("decimals", [1, 9])
def test_distances_are_exactly_those_of_shares_counted_level_by_level(n, decimals):
    rng = np.random.default_rng(n)
    x, codes = np.round(rng.normal(size=n), decimals), rng.integers(0, 9, n)
    q = quantile_type7(x, np.linspace(0, 1, 100))
    shares = [(x[codes == level, None] <= q).mean(axis=0) for level in range(9)]
    right = np.abs(np.array(shares)[:, None] - shares).max(axis=-1)
    assert np.array_equal(level_distances([pd.Series(x)], codes, 9), right)


def numeric_tables():
    """Numbers of values of levels at places: levels of many rows, of few, of one and of none."""
    rng = np.random.default_rng(8)
    sizes = [(2, 100, 9), (40, 100, 2000), (40, 100, 300), (9, 3, 50)]
    strips = [(STRIP, 100, 900), (STRIP + 1, 9, 900), (2 * STRIP + 1, 100, 4000)]
    for levels, places, rows in sizes + strips:
        cells = rng.integers(0, levels, rows) * places + rng.integers(0, places, rows)
        yield np.bincount(cells, minlength=levels * places).reshape(levels, places)
    yield np.eye(7, 5, dtype=np.int64)  # two levels of none
    yield np.arange(6)[:, None]  # a constant column, unknown in one level
    yield np.zeros((3, 4), dtype=np.int64)
    yield rng.integers(0, 2, (1000, 20)) * rng.integers(0, 2, (1000, 1))


def distribution_distances(table):
    total = np.zeros(len(table) * (len(table) - 1) // 2)
    add_distribution_distance(table, total)
    return total


@pytest.mark.parametrize("table", list(numeric_tables()), ids=lambda table: str(table.shape))
def test_compiled_distances_are_scipys_to_the_last_bit(table, monkeypatch):
    pytest.importorskip("numba", reason="distances of many levels are compiled by numba")
    right = distribution_distances(table)
    monkeypatch.setattr(ordering, "WORTH_STARTING", 0)
    monkeypatch.setattr(ordering, "pdist", None)
    found = distribution_distances(table)
    assert np.array_equal(found.view(np.int64), right.view(np.int64))


@pytest.mark.parametrize("worth_starting", [0, 10**9])
def test_distances_are_added_to_those_of_other_columns(worth_starting, monkeypatch):
    monkeypatch.setattr(ordering, "WORTH_STARTING", worth_starting)
    monkeypatch.setattr(ordering, "_compared", 0)
    table = np.eye(70, 5, dtype=np.int64)
    before = np.random.default_rng(1).uniform(size=70 * 69 // 2)
    total = before.copy()
    add_distribution_distance(table, total)
    assert np.array_equal(total, before + distribution_distances(table))


def test_what_was_compared_in_several_calls_starts_numba(monkeypatch):
    pytest.importorskip("numba", reason="distances of many levels are compiled by numba")
    called = []
    pdist = ordering.pdist
    monkeypatch.setattr(ordering, "pdist", lambda *args: called.append(1) or pdist(*args))
    monkeypatch.setattr(ordering, "_compared", 0)
    monkeypatch.setattr(ordering, "WORTH_STARTING", 105)  # 21 pairs at 5 places: one call
    table = np.eye(7, 5, dtype=np.int64)
    distances = [distribution_distances(table) for _ in range(5)]
    assert len(called) == 1
    assert all(np.array_equal(found, distances[0]) for found in distances)


def test_without_numba_the_distances_are_scipys(monkeypatch):
    codes, others = mixed_frame(6)
    right = level_distances(others, codes, 5)
    monkeypatch.setattr(ordering, "WORTH_STARTING", 0)
    monkeypatch.setattr(compiled, "AVAILABLE", False)
    assert np.array_equal(level_distances(others, codes, 5), right)


def test_distribution_functions_count_the_point_itself():
    """One of the 100 quantiles is the last value of the first level; there the two part fully.

    That value stands at places 131 to 136, the quantiles around it at 130, 134 and 138.
    """
    values = pd.Series(np.r_[np.arange(130.0), np.full(6, 130.0), np.arange(131.0, 395.0)])
    codes = (values > 130).to_numpy().astype(np.intp)
    assert level_distances([values], codes, 2)[0, 1] == 1


def test_times_are_as_far_as_their_seconds():
    codes, _ = mixed_frame(2)
    days = pd.Series((codes * 3 + np.arange(40)) % 11)
    right = level_distances([days.astype(float)], codes, 5)
    for times in (pd.Timestamp("2020-01-01") + pd.to_timedelta(days, unit="D"),
                  pd.to_timedelta(days, unit="D")):  # fmt: skip
        np.testing.assert_allclose(
            level_distances([times], codes, 5), right, rtol=0, atol=DISTANCES
        )


def test_missing_numbers_are_left_out_and_missing_categories_are_one():
    codes = np.array([0, 0, 0, 1, 1, 1])
    numbers = pd.Series([1.0, 2.0, np.nan, 1.0, 2.0, np.inf])
    assert level_distances([numbers], codes, 2)[0, 1] == 0
    text = pd.Series(["u", "u", None, "u", "u", "u"], dtype=object)
    assert abs(level_distances([text], codes, 2)[0, 1] - 1 / 3) <= DISTANCES


def grown(place):
    """Distances of levels on a line, each with a little of its own."""
    own = np.random.default_rng(4).uniform(0, 0.1, size=len(place))
    return np.abs(place[:, None] - place) + (own[:, None] + own) * (1 - np.eye(len(place)))


@given(st.integers(0, 10**6), st.integers(2, 8))
def test_points_on_a_line_are_found_again(seed, levels):
    """Distances that one axis explains entirely come back up to shift and direction."""
    place = np.random.default_rng(seed).normal(size=levels)
    distances = np.abs(place[:, None] - place)
    found = classical_scaling(distances)
    np.testing.assert_allclose(
        np.abs(found[:, None] - found), distances, rtol=0, atol=SCALING * np.abs(place).max()
    )


def test_scaling_is_the_leading_axis_of_the_doubly_centred_squares():
    distances = np.array([[0, 3, 4, 1], [3, 0, 5, 2], [4, 5, 0, 2.5], [1, 2, 2.5, 0]])
    centring = np.eye(4) - 0.25
    B = -centring @ distances**2 @ centring / 2
    found = classical_scaling(distances)
    eigenvalues = np.linalg.eigvalsh(B)
    np.testing.assert_allclose(B @ found, eigenvalues[-1] * found, rtol=0, atol=SCALING)
    assert abs(found @ found - eigenvalues[-1]) <= SCALING


def test_centring_subtracts_the_means_of_columns_first():
    """In this order, which the last bits of coordinates depend on; the values stay."""
    values = np.random.default_rng(5).normal(size=(9, 6))
    before = values.copy()
    right = before - before.mean(axis=0) - before.mean(axis=1)[:, None] + before.mean()
    assert np.array_equal(doubly_centred(values), right)
    assert np.array_equal(values, before)
    assert np.array_equal(doubly_centred(values, overwrite=True), right)


@pytest.mark.parametrize("levels", [3, 150])
def test_distances_are_overwritten_where_they_may_be_only(levels):
    distances = grown(np.random.default_rng(7).normal(size=levels))
    before = distances.copy()
    right = classical_scaling(distances)
    assert np.array_equal(distances, before)
    assert np.array_equal(classical_scaling(distances, overwrite=True), right)
    assert not np.array_equal(distances, before)


@pytest.mark.parametrize("levels", [2, 99, 100, 250])
def test_the_leading_axis_found_alone_is_that_of_all_axes(levels):
    """Whatever its number of levels, some at the same place."""
    place = np.random.default_rng(levels).normal(size=levels).round(1)
    distances = grown(place)
    found = classical_scaling(distances)
    eigenvalues, eigenvectors = np.linalg.eigh(-doubly_centred(distances**2) / 2)
    expected = eigenvectors[:, -1] * eigenvalues[-1] ** 0.5
    expected *= np.sign(found @ expected)
    np.testing.assert_allclose(found, expected, rtol=0, atol=SCALING * np.abs(expected).max())


def test_many_levels_are_placed_without_finding_all_axes(monkeypatch):
    distances = grown(np.random.default_rng(6).normal(size=150))
    right = classical_scaling(distances)
    monkeypatch.setattr(np.linalg, "eigh", None)
    assert np.array_equal(classical_scaling(distances), right)


def almost_a_circle(levels, stretched):
    angle = 2 * np.pi * np.arange(levels) / levels
    x, y = (1 + stretched) * np.cos(angle), np.sin(angle)
    return np.hypot(x[:, None] - x, y[:, None] - y)


@pytest.mark.parametrize("stretched", [0, 1e-5, 4e-4])
def test_an_axis_that_is_hardly_longer_than_the_next_is_that_of_all_axes(stretched):
    """To the last bit: its squared length is less than a thousandth larger."""
    distances = almost_a_circle(120, stretched)
    eigenvalues, eigenvectors = np.linalg.eigh(doubly_centred(distances**2) / -2)
    expected = eigenvectors[:, -1] * np.sqrt(eigenvalues[-1])
    assert np.array_equal(classical_scaling(distances), expected)


@pytest.mark.parametrize("levels", [2, 3, 30, 200])
def test_where_the_leading_axis_is_arbitrary_it_is_that_of_all_axes(levels):
    """Levels that are all equally far apart; with two there is a second axis of length 0."""
    distances = 1.0 - np.eye(levels)
    products = -doubly_centred(distances**2) / 2
    eigenvalues, eigenvectors = np.linalg.eigh(products)
    found, expected = classical_scaling(distances), eigenvectors[:, -1] * eigenvalues[-1] ** 0.5
    if levels == 2:
        np.testing.assert_allclose(np.abs(found), np.abs(expected), rtol=0, atol=SCALING)
    else:
        np.testing.assert_array_equal(found, expected)


def shifted(places, n=30):
    """Rows of levels whose other column sits at the given places."""
    codes = np.repeat(np.arange(len(places)), n)
    return codes, [pd.Series(np.asarray(places)[codes] + np.tile(np.arange(n), len(places)))]


def test_neighbours_are_similar():
    codes, others = shifted([0, 30, 10, 20])
    order = similarity_order(others, codes, 4).tolist()
    assert order in ([0, 2, 3, 1], [1, 3, 2, 0])


@given(st.permutations(range(5)))
def test_relabelling_the_levels_relabels_the_order(permutation):
    """Up to reversal, which is arbitrary."""
    codes, others = mixed_frame(3)
    right = similarity_order(others, codes, 5)
    renamed = np.array(permutation)
    found = similarity_order(others, renamed[codes], 5)
    assert found.tolist() in (renamed[right].tolist(), renamed[right][::-1].tolist())


@given(st.integers(0, 10**6))
def test_the_order_of_rows_and_columns_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    codes, others = mixed_frame(4)
    right = similarity_order(others, codes, 5).tolist()
    rows = rng.permutation(len(codes))
    shuffled = [others[i].iloc[rows].reset_index(drop=True) for i in rng.permutation(len(others))]
    assert similarity_order(shuffled, codes[rows], 5).tolist() == right


def test_the_level_farthest_from_the_centre_comes_first():
    codes, others = shifted([0, 2, 1, 40])
    assert similarity_order(others, codes, 4)[0] == 3


def test_levels_at_the_same_place_keep_their_declared_order():
    codes = np.repeat([0, 1, 2, 3], 4)
    others = [pd.Series(np.tile([1.0, 2, 3, 4], 4))]
    others[0][codes == 3] += 10
    assert similarity_order(others, codes, 4).tolist() == [3, 0, 1, 2]


@pytest.mark.parametrize("others", [[], [pd.Series(np.ones(8))], [pd.Series(["u"] * 8)]])
def test_without_a_column_that_tells_levels_apart(others):
    reason = "no other column tells its levels apart" if others else "there is no other column"
    with pytest.warns(UserWarning, match=f"column 'c': {reason}, so its levels keep their"):
        order = similarity_order(others, np.repeat([0, 1, 2, 3], 2), 4, "c")
    assert order.tolist() == [0, 1, 2, 3]


def frame():
    codes, others = mixed_frame(5)
    X = pd.DataFrame({f"o{i}": column for i, column in enumerate(others)})
    levels = ["e", "d", "c", "b", "a", "unused"]
    return X.assign(c=pd.Categorical.from_codes(codes, categories=levels))


def black_box(X):
    return X["c"].cat.codes * X["o0"] + X["o1"]


def test_unused_levels_are_dropped_from_the_result_not_from_the_frames():
    seen = []

    def predict(X):
        seen.append(X["c"].cat.categories.tolist())
        return black_box(X)

    effect = ale(predict, frame(), "c")
    assert sorted(effect.x_values[0]) == list("abcde")
    assert all(levels == ["e", "d", "c", "b", "a", "unused"] for levels in seen)


@pytest.mark.parametrize("order", [None, "similarity"])
def test_more_levels_than_memory_holds_distances_of_are_refused(order):
    rows = ordering.MOST_SIMILAR + 1
    X = pd.DataFrame({"id": [f"id {i}" for i in range(rows)], "x": np.arange(rows) / 7})
    with pytest.raises(FeatureError, match="'id' has 10,001 levels, at most 10,000"):
        ale(lambda data: data["x"], X, "id", order=order)
    assert len(ale(lambda data: data["x"], X, "id", order="frequency").x_values[0]) == rows


def test_the_caller_decides_the_order():
    X = frame()
    assert ale(black_box, X, "c", order="declared").x_values[0].tolist() == list("edcba")
    assert ale(black_box, X, "c", order=list("cabed")).x_values[0].tolist() == list("cabed")
    with_unused = ale(black_box, X, "c", order=["unused", *"cabed"])
    assert with_unused.x_values[0].tolist() == list("cabed")
    by_name = ale(black_box, X, "c", order={"c": list("cabed")})
    assert by_name.x_values[0].tolist() == list("cabed")
    ordered = X.assign(c=X["c"].cat.as_ordered())
    assert ale(black_box, ordered, "c").x_values[0].tolist() == list("edcba")
    similar = ale(black_box, ordered, "c", order="similarity").x_values[0].tolist()
    assert similar == ale(black_box, X, "c").x_values[0].tolist()


@pytest.mark.parametrize(
    ("values", "levels"),
    [
        ([3, 1, 2, 10], [1, 2, 3, 10]),
        (["b10", "a", "b9", "B"], ["B", "a", "b10", "b9"]),
        ([True, False, True, False], [False, True]),
        ([1, "b", 2.5, "a"], [1, 2.5, "a", "b"]),
    ],
)
def test_levels_without_a_declared_order_are_sorted(values, levels):
    """As numbers or as text; levels of mixed types by what they look like."""
    X = pd.DataFrame({"c": values, "z": np.arange(4.0)})
    effect = ale(lambda X: X["z"], X, "c", categorical="c", order="declared")
    assert effect.x_values[0].tolist() == levels
