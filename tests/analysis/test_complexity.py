"""Complexity of main effects: simple curves, levels, plateaus, the best breakpoint."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aleplot_py import ale
from aleplot_py.analysis.complexity import main_effect_complexity

# Sums of a few hundred terms of size 1 in double precision.
EXACT = 1e-12


def curve(values, x=None, counts=None):
    """ALE of a function that is exact at the points x."""
    x = np.arange(len(values), dtype=float) if x is None else np.asarray(x, dtype=float)
    rows = np.repeat(x, 1 if counts is None else counts)
    return ale(lambda X: np.interp(X["x"], x, values), pd.DataFrame({"x": rows}), "x", grid=x)


@pytest.mark.parametrize(
    ("values", "segments", "complexity"),
    [
        (np.arange(9.0), 1, 1),
        (np.abs(np.arange(9.0) - 4), 2, 3),
        (np.minimum(np.arange(9.0), 4), 2, 2),
        (np.zeros(9), 0, 0),
    ],
    ids=["line", "two slopes", "slope and plateau", "no effect"],
)
def test_complexity_of_simple_curves(values, segments, complexity):
    found = main_effect_complexity(curve(values), max_error=1e-6)
    (pieces,) = found.pieces
    assert (pieces.segments, pieces.complexity) == (segments, complexity)
    assert found.value == complexity
    assert pieces.variance == pytest.approx(np.var(values), abs=EXACT)


def test_step_is_two_flat_pieces():
    x = np.linspace(-1, 1, 401)
    effect = ale(lambda X: 1.0 * (X["x"] > 0.3), pd.DataFrame({"x": x}), "x", K=100)
    (pieces,) = main_effect_complexity(effect).pieces
    assert (pieces.segments, pieces.complexity) == (2, 1)
    np.testing.assert_array_equal(pieces.slope, [0, 0])
    assert pieces.end[0] == pieces.start[1]
    assert abs(pieces.end[0] - 0.3) < 0.02
    assert pieces.end_value[1] - pieces.start_value[0] == pytest.approx(1, abs=0.02)


def test_pieces_of_two_slopes_are_the_curve():
    X = pd.DataFrame({"x": np.arange(101.0)})
    effect = ale(
        lambda X: np.minimum(0.2 * X["x"], 15 - 0.1 * X["x"]), X, "x", grid=10 * np.arange(11.0)
    )
    complexity = main_effect_complexity(effect, max_error=0)
    (pieces,) = complexity.pieces
    np.testing.assert_array_equal(pieces.start, [0, 50])
    np.testing.assert_array_equal(pieces.end, [50, 100])
    np.testing.assert_allclose(pieces.slope, [0.2, -0.1], rtol=0, atol=EXACT)
    np.testing.assert_allclose(
        np.append(pieces.start_value, pieces.end_value[-1]),
        effect.f_values[[0, 5, 10]],
        rtol=0,
        atol=EXACT,
    )
    assert pieces.r_squared == pytest.approx(1, abs=EXACT)
    table = complexity.segments_frame()
    assert list(table["feature"]) == ["x", "x"]
    np.testing.assert_array_equal(table["slope"], pieces.slope)


def test_categories_are_counted_by_groups_of_levels():
    X = pd.DataFrame({"c": list("aabbbcdd")})
    height = {"a": 0.0, "b": 1.0, "c": 1.0, "d": 3.0}
    effect = ale(lambda X: X["c"].map(height).astype(float), X, "c", order=list("abcd"))
    (pieces,) = main_effect_complexity(effect, max_error=0).pieces
    assert pieces.complexity == 2
    assert list(pieces.start) == ["a", "b", "d"]
    assert list(pieces.end) == ["a", "c", "d"]
    np.testing.assert_allclose(pieces.start_value, np.array([0, 1, 3]) - 1.25, atol=EXACT, rtol=0)
    (two,) = main_effect_complexity(effect, max_segments=2).pieces
    assert list(two.start) == ["a", "d"]
    # Means 0.6667 and 3 with 6 and 2 rows: 1.3333 of 9.5 left.
    assert two.r_squared == pytest.approx(1 - (4 / 3) / 9.5, abs=EXACT)


def test_complexity_is_weighted_with_variances():
    rng = np.random.default_rng(0)
    x = np.linspace(-1, 1, 201)
    X = pd.DataFrame({"v": x, "line": rng.permutation(x), "unused": rng.permutation(x)})
    effects = ale(lambda X: np.abs(X["v"]) + 2 * X["line"], X, "all")
    found = main_effect_complexity(effects)
    table = found.to_frame().set_index("feature")
    assert table["complexity"].to_dict() == {"v": 3, "line": 1, "unused": 0}
    v, line = table["variance"]["v"], table["variance"]["line"]
    assert found.value == pytest.approx((3 * v + line) / (v + line), abs=EXACT)
    assert found.mean_segments == pytest.approx((2 * v + line) / (v + line), abs=EXACT)
    np.testing.assert_array_equal(table["r_squared"] >= 0.95, True)
    alone = main_effect_complexity(effects["unused"])
    assert (alone.value, alone.mean_segments) == (0, 0)


def test_plateau_is_flat_even_where_pieces_are_too_few():
    values = np.append(np.tile([1 / 3, -1 / 3], 5), np.full(40, 99.9))
    (pieces,) = main_effect_complexity(curve(values, counts=3), max_error=0, max_segments=2).pieces
    assert pieces.start[1] == 9
    assert pieces.r_squared < 1 - 1e-6
    np.testing.assert_array_equal(pieces.slope != 0, [True, False])


def test_more_error_never_needs_more_pieces():
    rng = np.random.default_rng(5)
    effect = curve(rng.normal(size=30).cumsum())
    found = [main_effect_complexity(effect, max_error=e) for e in (0.001, 0.01, 0.05, 0.2, 0.6)]
    for stricter, looser in pairwise(found):
        assert stricter.pieces[0].segments >= looser.pieces[0].segments
        assert stricter.pieces[0].r_squared >= looser.pieces[0].r_squared
    for complexity, error in zip(found, (0.001, 0.01, 0.05, 0.2, 0.6), strict=True):
        assert complexity.pieces[0].r_squared >= 1 - error
    capped = main_effect_complexity(effect, max_error=0.001, max_segments=3)
    assert capped.pieces[0].segments == 3


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**16), points=st.integers(3, 14))
def test_first_breakpoint_is_the_best_of_all(seed, points):
    rng = np.random.default_rng(seed)
    x = np.unique(rng.normal(size=points).round(3))
    if len(x) < 3:
        return
    values = rng.normal(size=len(x))
    counts = rng.integers(1, 4, size=len(x))
    effect = curve(values, x, counts)
    rows = effect.observed[0]
    y = effect.evaluate(rows)

    def squares(inside):
        degree = min(1, len(np.unique(rows[inside])) - 1)
        # An empty domain: numpy 1 divides by zero in mapping a single value to it.
        fit = np.polynomial.Polynomial.fit(rows[inside], y[inside], degree, domain=[])
        return ((fit(rows[inside]) - y[inside]) ** 2).sum()

    total = ((y - y.mean()) ** 2).sum()
    best = min(squares(rows <= z) + squares(rows > z) for z in x[1:-1])
    (pieces,) = main_effect_complexity(effect, max_error=0, max_segments=2).pieces
    one = squares(rows < np.inf)
    expected = min(best, one) if one > 1e-9 * total else one
    assert 1 - pieces.r_squared == pytest.approx(expected / total, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"max_error": 1}, ValueError, "max_error must be at least 0 and below 1"),
        ({"max_error": "small"}, TypeError, "max_error must be a number"),
        ({"max_segments": 0}, ValueError, "max_segments must be a positive integer"),
        ({"max_segments": 2.5}, TypeError, "max_segments must be a positive integer"),
    ],
)
def test_complexity_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        main_effect_complexity(curve(np.arange(4.0)), **arguments)
