"""Grids and bin codes: equal to plain sorting and searching for every distribution and size."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aleplot_py.steps.bandwidth import bandwidth_nrd0
from aleplot_py.steps.grid import (
    BUCKETS,
    MANY,
    Values,
    aleplot_probabilities,
    bin_codes,
    equidistant_grid,
    iml_probabilities,
    quantile_grid,
    quantile_type1,
    quantile_type7,
)

DISTRIBUTIONS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: rng.uniform(size=n),
    "heavy tails": lambda rng, n: rng.standard_cauchy(size=n),
    "very skewed": lambda rng, n: np.exp(rng.normal(scale=12, size=n)),
    "zero inflated": lambda rng, n: np.where(rng.uniform(size=n) < 0.9, 0, rng.exponential(size=n)),
    "integers": lambda rng, n: rng.integers(-5, 6, n).astype(float),
    "two values": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "one outlier": lambda rng, n: np.append(rng.normal(size=n - 1), 1e12),
    "two clusters": lambda rng, n: rng.choice([-1e8, 1e8], n) + rng.normal(size=n),
    "tiny": lambda rng, n: rng.normal(size=n) * 1e-300,
    "denormal": lambda rng, n: rng.integers(0, 50, n) * 5e-324,
    "huge": lambda rng, n: rng.uniform(-1, 1, n) * 1.7e308,
    "last digits": lambda rng, n: 1e6 + rng.integers(0, 40, n) * 2.0**-33,
    "neighbours": lambda rng, n: 1 + rng.integers(0, 4, n) * 2.0**-52,
    "signed zeros": lambda rng, n: rng.choice([-0.0, 0.0, 1.0], n),
    "sorted": lambda rng, n: np.arange(n) / n,
    "constant": lambda rng, n: np.full(n, 3.5),
}
SIZES = [1, 2, 7, MANY - 1, MANY, 3 * BUCKETS]


def draw(distribution, n):
    return DISTRIBUTIONS[distribution](np.random.default_rng(n), n)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_order_statistics_are_those_of_a_sort(distribution, n):
    x = draw(distribution, n)
    before = x.copy()
    every = np.linspace(0, n - 1, min(n, 500)).astype(int)
    for number in (every, every[::-1], np.array([n - 1]), np.array([0, 0, n - 1])):
        assert np.array_equal(Values(x).order_statistics(number), np.sort(x)[number])
    assert np.array_equal(x, before)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_bin_codes_are_those_of_a_search(distribution, n):
    x = draw(distribution, n)
    low, high = x.min(), x.max()
    with np.errstate(over="ignore"):
        wide = [low - 1, high + 1]
        own = np.r_[low, np.sort(np.random.default_rng(1).choice(x, 30)), high]
        beyond = np.r_[wide[0], (low / 2 + high / 2), wide[1]]
    for edges in (quantile_grid(x, 40), quantile_grid(x, 40, "iml"), np.unique(own), beyond):
        z = np.unique(edges)
        if len(z) < 2:
            continue
        right = np.maximum(np.searchsorted(z, x, side="left") - 1, 0)
        codes = bin_codes(x, z)
        assert np.array_equal(codes, right)
        assert (x <= z[codes + 1]).all()
        assert ((x > z[codes]) | (codes == 0)).all()


@pytest.mark.parametrize("K", [1, 255, 256, 257])
@pytest.mark.parametrize("n", [600, MANY])
def test_codes_lie_in_few_bytes(n, K):
    x = np.random.default_rng(K).permutation(np.arange(float(n)))
    z = quantile_grid(x, K)
    values = Values(x)
    codes = values.codes(z)
    assert len(z) == K + 1
    assert codes.dtype == (np.uint8 if K < 255 else np.uint16)
    assert not codes.flags.writeable
    assert np.array_equal(codes, np.maximum(np.searchsorted(z, x) - 1, 0))
    assert bin_codes(x, z).dtype == np.intp


@pytest.mark.parametrize("K", [1, 2, 3, 7, 40, 1000])
@pytest.mark.parametrize("distribution", [name for name in DISTRIBUTIONS if name != "constant"])
def test_quantile_grid_covers_the_data_and_increases(distribution, K):
    x = draw(distribution, 997)
    for rule in ("aleplot", "iml"):
        z = quantile_grid(x, K, rule)
        assert (z[0], z[-1]) == (x.min(), x.max())
        assert (z[1:] > z[:-1]).all()
        assert 2 <= len(z) <= K + 1
        assert np.isin(z, x).all()


def test_constant_feature_has_a_single_edge():
    assert quantile_grid([5.0, 5.0], 4).tolist() == [5.0]


def test_probabilities_are_those_of_the_two_packages():
    """Both are rounded in their own way: 3/5 comes out as 0.6000000000000001."""
    assert aleplot_probabilities(1).tolist() == [1.0]
    assert aleplot_probabilities(5).tolist() == [0.2, 0.4, 0.6000000000000001, 0.8, 1.0]
    assert iml_probabilities(1).tolist() == [0.0, 1.0]
    assert iml_probabilities(5).tolist() == [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]


@pytest.mark.parametrize("K", range(1, 61))
def test_probabilities_follow_their_formulas(K):
    step = (1 - 1 / K) / max(K - 1, 1)
    right = [1 / K + i * step for i in range(K - 1)] + [1.0]
    assert aleplot_probabilities(K).tolist() == right
    assert iml_probabilities(K).tolist() == [i * (1 / K) for i in range(K)] + [1.0]


@given(st.integers(1, 400), st.integers(1, 60))
def test_type_1_takes_the_order_statistic_number_ceil_np(n, K):
    for p in (aleplot_probabilities(K), iml_probabilities(K)):
        right = [min(max(math.ceil(n * q), 1), n) for q in p.tolist()]
        assert quantile_type1(np.arange(1.0, n + 1), p).tolist() == right


def test_type_1_has_no_tolerance():
    """5 * 0.6000000000000001 is 3.0000000000000004: R takes the fourth value."""
    assert quantile_type1([1.0, 2, 3, 4, 5], [0.6, 0.6000000000000001]).tolist() == [3.0, 4.0]


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50),
    st.lists(st.floats(0, 1), min_size=1, max_size=10),
)
def test_type_7_interpolates_between_order_statistics(x, p):
    ordered, n = sorted(x), len(x)
    right = []
    for q in p:
        index = 1 + (n - 1) * q
        low, high = ordered[math.floor(index) - 1], ordered[math.ceil(index) - 1]
        h = index - math.floor(index)
        right.append(low if low == high else (1 - h) * low + h * high)
    assert quantile_type7(x, p).tolist() == right


def test_equidistant_grid_includes_both_ends():
    assert equidistant_grid(0.0, 10.0, 4).tolist() == [0.0, 10 / 3, 20 / 3, 10.0]
    assert equidistant_grid(-1.5, 1e10, 7)[[0, -1]].tolist() == [-1.5, 1e10]


@given(
    st.lists(st.floats(-100, 100).map(lambda v: round(v, 1)), min_size=2, max_size=60),
    st.integers(1, 50),
)
def test_every_interval_of_a_quantile_grid_has_rows(x, K):
    z = quantile_grid(x, K)
    if len(z) > 1:
        assert np.bincount(bin_codes(x, z), minlength=len(z) - 1).min() >= 1


@pytest.mark.parametrize(
    ("x", "expected"),  # what R 4.2.2's bw.nrd0 prints with %a
    [
        ([0.0] * 80 + list(range(1, 21)), "0x1.c65669e33031bp+0"),  # no interquartile range
        ([-5.0] * 3, "0x1.ce610f4a867d4p+1"),  # no spread
        ([0.0] * 4, "0x1.5d3899ced9cedp-1"),
        ([2.0, 3, 5, 7, 11, 13], "0x1.6248502aee463p+1"),
        ([0.1, 0.2, 0.4], "0x1.4b41b6e527098p-4"),
    ],
)
def test_bandwidth_is_that_of_r(x, expected):
    assert bandwidth_nrd0(x) == float.fromhex(expected)


@pytest.mark.parametrize("power", [-1000, 1000])
def test_bandwidth_neither_overflows_nor_vanishes(power):
    x = np.array([2.0, 3, 5, 7, 11, 13])
    assert bandwidth_nrd0(np.ldexp(x, power)) == np.ldexp(bandwidth_nrd0(x), power)
