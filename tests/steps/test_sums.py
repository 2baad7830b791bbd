"""Means, sums and spreads per cell: equal to fractions rounded once, whatever the order.

Everything here is compared with equality.
"""

import math
import warnings
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aleplot_py.steps import _exact
from aleplot_py.steps._exact import ExactSums, certain_means
from aleplot_py.steps.accumulate import accumulate
from aleplot_py.steps.moments import CellMoments
from aleplot_py.steps.sums import EXACT, PLAIN, R, arithmetic_of_r, total

NUMBERS = st.one_of(
    st.floats(-10, 10),
    st.floats(allow_nan=False, allow_infinity=False, width=64).filter(lambda x: abs(x) < 1e300),
    st.integers(-1074, 996).flatmap(lambda e: st.floats(1, 2).map(lambda m: math.ldexp(m, e))),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1e300, -1e300, 1e-300, 1.0, 1e9, 0.1]),
)
WEIGHTS = st.one_of(
    st.sampled_from([0.0, 1.0, 0.5, 3.0, 1e-300, 5e-324, 1e300]),
    st.floats(0, 5),
    st.floats(0, 1e300),
)
CELLS = 4


@st.composite
def rows(draw, weighted=None):
    """Values, cells, weights or None, and an order of the rows."""
    n = draw(st.integers(0, 30))

    def many(elements):
        return draw(st.lists(elements, min_size=n, max_size=n))

    values = np.array(many(NUMBERS), dtype=np.float64)
    codes = np.array(many(st.integers(0, CELLS - 1)), dtype=np.intp)
    if weighted is None:
        weighted = draw(st.booleans())
    weights = np.array(many(WEIGHTS), dtype=np.float64) if weighted else None
    return values, codes, weights, np.array(draw(st.permutations(range(n))), dtype=np.intp)


def nearest(x):
    """Double nearest to a fraction, infinite beyond the largest."""
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def by_fractions(values, codes, weights):
    """Weight, mean, sum of squared deviations of each cell, and its variance, as fractions."""
    w = [Fraction(x) for x in (np.ones(len(values)) if weights is None else weights).tolist()]
    v = [Fraction(x) for x in values.tolist()]
    cells = []
    for cell in range(CELLS):
        here = [i for i in range(len(v)) if codes[i] == cell]
        weight = sum((w[i] for i in here), Fraction(0))
        if not weight:
            cells.append((weight, Fraction(0), Fraction(0)))
            continue
        mean = sum(w[i] * v[i] for i in here) / weight
        cells.append((weight, mean, sum(w[i] * (v[i] - mean) ** 2 for i in here)))
    return cells


def same(one, other):
    for name in ("weights", "first", "second"):
        a, b = getattr(one, name), getattr(other, name)
        assert a.low == b.low
        assert np.array_equal(a.digits, b.digits)


@given(rows())
def test_moments_are_fractions_rounded_once(drawn):
    values, codes, weights, _ = drawn
    moments = CellMoments.of(values, codes, CELLS, weights)
    right = by_fractions(values, codes, weights)
    assert moments.weight.tolist() == [nearest(weight) for weight, _, _ in right]
    assert moments.mean.tolist() == [nearest(mean) for _, mean, _ in right]
    assert moments.squares.tolist() == [nearest(squares) for _, _, squares in right]


@given(rows())
def test_the_spread_is_the_root_of_the_variance_whatever_its_size(drawn):
    values, codes, weights, _ = drawn
    std = CellMoments.of(values, codes, CELLS, weights).std
    right = by_fractions(values, codes, weights)
    for got, (weight, _, squares) in zip(std.tolist(), right, strict=True):
        if not weight:
            assert math.isnan(got)
            continue
        # Both roundings, of the variance and of its root, are at most half a unit each.
        variance = squares / weight
        low, high = (Fraction(np.nextafter(got, to)) for to in (0, np.inf))
        assert low**2 <= variance <= high**2


@given(rows(), st.data())
def test_order_division_and_order_of_merging_do_not_matter(drawn, data):
    values, codes, weights, order = drawn
    whole = CellMoments.of(values, codes, CELLS, weights)
    shuffled = None if weights is None else weights[order]
    same(CellMoments.of(values[order], codes[order], CELLS, shuffled), whole)
    part_of = np.array([data.draw(st.integers(0, 3)) for _ in order], dtype=np.intp)
    parts = [
        CellMoments.of(values[own], codes[own], CELLS, None if weights is None else weights[own])
        for own in (order[part_of == part] for part in range(4))
    ]
    a, b, c, d = data.draw(st.permutations(parts))
    same(a.merge(b).merge(c.merge(d)), whole)
    same(d.merge(c.merge(b.merge(a))), whole)
    same(CellMoments.zero(CELLS).merge(whole), whole)


@given(rows(weighted=False))
def test_sums_and_means_of_cells(drawn):
    values, codes, _, _ = drawn
    right = by_fractions(values, codes, None)
    sums = ExactSums.of(values, codes, CELLS)
    assert sums.rounded().tolist() == [nearest(weight * mean) for weight, mean, _ in right]
    assert EXACT.cell_means(values, codes, CELLS).tolist() == [nearest(m) for _, m, _ in right]


@given(rows())
def test_means_of_columns(drawn):
    values, codes, weights, order = drawn
    assume(len(values) > 0 and (weights is None or weights.any()))
    table = np.stack([values, values[order], codes], axis=1)
    means = EXACT.column_means(table, weights)
    w = [Fraction(x) for x in (np.ones(len(values)) if weights is None else weights).tolist()]
    for column, mean in zip(table.T, means.tolist(), strict=True):
        summed = sum(a * Fraction(b) for a, b in zip(w, column.tolist(), strict=True))
        assert mean == nearest(summed / sum(w))


#: Signed powers of two and what is next to them: sums that lie between two doubles, or nearly.
TIES = st.builds(
    lambda sign, power, step: sign * (math.ldexp(1.0, power) + math.ldexp(step, power - 52)),
    st.sampled_from([-1, 1]),
    st.integers(-120, 120),
    st.integers(-1, 1),
)


@pytest.mark.parametrize("many", [0, 10**6], ids=["arrays", "integers"])
@given(numbers=st.lists(NUMBERS.filter(lambda x: abs(x) < 1e290) | TIES, max_size=30))
def test_running_totals(many, numbers):
    with patch.object(_exact, "MANY", many):
        _check_running_totals(numbers)


@pytest.mark.parametrize("many", [0, 10**6], ids=["arrays", "integers"])
@given(numbers=st.lists(TIES, min_size=1, max_size=30))
def test_running_totals_between_two_doubles(many, numbers):
    with patch.object(_exact, "MANY", many):
        _check_running_totals(numbers)


def _check_running_totals(numbers):
    right, summed = [], Fraction(0)
    for number in numbers:
        summed += Fraction(number)
        right.append(float(summed))
    x = np.array(numbers, dtype=np.float64)
    assert EXACT.running_total(x).tolist() == right
    assert total(EXACT, x) == float(summed)
    table = np.stack([x, -2 * x])
    assert EXACT.running_total(table, 1).tolist() == [right, [-2 * r for r in right]]
    assert EXACT.totals(table, 1).tolist() == [float(summed), float(-2 * summed)]
    assert EXACT.totals(table, 0).tolist() == (-x + 0).tolist()
    assert accumulate(x).tolist() == [0.0, *right]


def test_rows_beyond_a_block_and_carries(monkeypatch):
    """Several blocks, each carried at once: as few rows as that takes in a real block."""
    rng = np.random.default_rng(0)
    values, codes = rng.normal(size=5000) * 1e6, rng.integers(0, 7, 5000)
    weights = rng.uniform(size=5000)
    right = CellMoments.of(values, codes, 7, weights)
    monkeypatch.setattr(_exact, "BLOCKS", 1)
    same(CellMoments.of(values, codes, 7, weights), right)
    monkeypatch.setattr(_exact.blocks, "__defaults__", (64,))
    same(CellMoments.of(values, codes, 7, weights), right)


def test_digits_carry_beyond_what_a_double_or_a_word_could_add():
    """2**26 rows and more in one cell: doubling 2**50 times by merging with itself."""
    moments = CellMoments.of(np.array([0.1, 0.3, 1e300]), np.array([0, 0, 1]), 2)
    many = moments
    for _ in range(50):
        many = many.merge(many)
    assert many.weight.tolist() == [2.0**51, 2.0**50]
    assert many.mean.tolist() == moments.mean.tolist()
    assert many.std.tolist() == moments.std.tolist()


@pytest.mark.parametrize("digit", [2.0**35 - 1, 2.0**34 + 0.5, -(2.0**35) + 1, 0.5, -0.5, 2.0**35])
def test_the_largest_digits_fill_a_block(digit):
    """Every row of a block with the largest digit: their sum is still exact in a double."""
    n = _exact.ROWS
    codes = np.zeros(n, dtype=np.intp)
    assert ExactSums.of(np.full(n, digit), codes, 1).rounded().tolist() == [digit * n]
    weights = np.full(n, 2.0**35 - 1)
    moments = CellMoments.of(np.full(n, digit), codes, 1, weights)
    assert moments.mean.tolist() == [digit]
    assert moments.std.tolist() == [0.0]
    assert moments.weight.tolist() == [float(n * (2**35 - 1))]


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9, 1e15])
def test_an_offset_does_not_touch_the_spread(offset):
    effects = offset + np.array([-1.0, 0.0, 1.0] * 1000)
    codes = np.zeros(3000, dtype=np.intp)
    moments = CellMoments.of(effects, codes, 1)
    assert moments.mean.tolist() == [offset]
    assert moments.squares.tolist() == [2000.0]
    assert moments.std.tolist() == [math.sqrt(2 / 3)]


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_no_size_is_lost(scale):
    """By hand: 1, 2, 4 have mean 7/3 and variance 14/9, times any scale."""
    moments = CellMoments.of(np.array([1, 2, 4]) * scale, np.zeros(3, dtype=np.intp), 1)
    fractions = [Fraction(x) for x in (np.array([1, 2, 4]) * scale).tolist()]
    assert moments.mean.tolist() == [float(sum(fractions) / 3)]
    assert abs(moments.std[0] / scale - math.sqrt(14 / 9)) <= 4 * np.finfo(float).eps


def test_known_moments_come_back():
    weight, mean, std = np.array([3.0, 0.0, 0.7]), np.array([0.1, 0, 1e9]), np.array([0.3, 0, 1e-7])
    moments = CellMoments.given(weight, mean, std)
    assert moments.weight.tolist() == weight.tolist()
    assert moments.mean.tolist() == mean.tolist()
    assert moments.std[[0, 2]].tolist() == std[[0, 2]].tolist()
    assert np.isnan(moments.std[1])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(bad):
    codes = np.zeros(2, dtype=np.intp)
    for call in (
        lambda: CellMoments.of(np.array([1.0, bad]), codes, 1),
        lambda: CellMoments.of(np.ones(2), codes, 1, np.array([1.0, bad])),
        lambda: ExactSums.of_columns(np.array([[1.0, bad]])),
        lambda: EXACT.running_total(np.array([1.0, bad])),
    ):
        with pytest.raises(ValueError, match=f"must be finite, got {bad}"):
            call()


def test_the_nearest_fraction_and_the_long_double_differ_where_it_rounds_twice():
    """R's sum of 1, 2**-53 and 2**-78 is 1: the long double drops what breaks the tie."""
    x = np.array([1.0, 2.0**-53, 2.0**-78])
    assert total(EXACT, x) == 1 + 2.0**-52
    assert total(arithmetic_of_r(52), x) == 1 + 2.0**-52
    if R is not EXACT and np.finfo(np.longdouble).nmant == 63:
        assert total(R, x) == 1.0


def test_rs_arithmetic_falls_back_on_the_exact_one_and_says_so():
    assert arithmetic_of_r(52) is EXACT
    assert arithmetic_of_r(52).name == "exact"
    assert {arithmetic_of_r(bits).name for bits in (63, 112)} == {"long double"}


@pytest.mark.parametrize("arithmetic", [EXACT, R, PLAIN], ids=lambda a: a.name)
def test_every_arithmetic_knows_cells_without_rows_and_sums_of_nothing(arithmetic):
    means = arithmetic.cell_means(np.array([1.0, 2.0]), np.array([3, 3]), 5)
    assert means.tolist() == [0, 0, 0, 1.5, 0]
    assert arithmetic.totals(np.zeros((0, 2)), 0).tolist() == [0, 0]
    assert arithmetic.totals(np.ones((3, 0)), 1).tolist() == [0, 0, 0]
    assert arithmetic.running_total(np.zeros(0)).tolist() == []
    negative = arithmetic.running_total(np.array([-0.0, -0.0]))
    assert negative.tolist() == [0, 0]
    assert arithmetic.column_means(np.array([[1.0, 2], [2, 4]])).tolist() == [1.5, 3]


def test_no_warning_at_the_ends_of_the_range():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CellMoments.of(np.array([1e308, -1e308, 5e-324]), np.zeros(3, dtype=np.intp), 1)


@pytest.mark.parametrize("n", [1000, 10_000, 40_000])
@pytest.mark.parametrize("scale", [1.0, 2.0**-650, 2.0**650])
@pytest.mark.parametrize("order", ["C", "F"])
def test_means_of_long_columns_are_rounded_once_with_and_without_the_short_cut(n, scale, order):
    rng = np.random.default_rng(n)
    values = scale * np.exp(2 * rng.normal(size=(n, 5))) * rng.choice([-1, 1], (n, 5))
    values[:, 4] = np.where(np.arange(n) < n // 2, 1.0, 1 + 2.0**-52) * scale  # midway
    values = np.asarray(values, order=order)
    right = [float(sum(map(Fraction, column.tolist())) / n) for column in values.T]
    assert EXACT.column_means(values).tolist() == right
    assert certain_means(values) is None
    assert certain_means(values[:, :4]).tolist() == right[:4]
    assert EXACT.totals(values, 0).tolist() == [math.fsum(column) for column in values.T]


@pytest.mark.parametrize("scales", [(1.0, 2.0**-60), (2.0**-300, 1.0), (0.0, 1.0), (1.0, 0.0)])
def test_means_of_blocks_of_different_sizes_are_rounded_once(scales):
    values = np.random.default_rng(1).normal(1, 1, (80_000, 1))
    values[:40_000] *= scales[0]
    values[40_000:] *= scales[1]
    right = float(sum(map(Fraction, values[:, 0].tolist())) / len(values))
    assert certain_means(values).tolist() == [right]
    assert EXACT.column_means(values).tolist() == [right]
    assert certain_means(0 * values) is None
    values[70_000] = np.nan
    assert certain_means(values) is None
