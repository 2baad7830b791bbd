"""ALE statistics: the published case, by hand, scale and bounds, refusals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aleplot_py import ale
from aleplot_py.analysis.statistics import ale_statistics, normalised_effect, statistics_table

# Sums of a few dozen terms of size 10 in double precision.
EXACT = 1e-12
# Okoli's worked case: effects, rows (first those at the first edge), response.
EFFECT = [0.5, 1, 2, 5, 7.5]
ROWS = [3, 4, 5, 2, 6]
RESPONSE = [1, 1.1, 1.2, 1.5, 2, 2.2, 2.4, 2.4, 3, 3.5, 4, 5, 6.1, 7, 8, 8, 9, 10, 10.5, 11.2]


def test_worked_case():
    found = ale_statistics(EFFECT, RESPONSE, counts=ROWS)
    assert found.aled == pytest.approx(2.8625, abs=EXACT)
    assert found.aler == (0.5, 7.5)
    assert found.naled == pytest.approx(18.25, abs=EXACT)
    assert found.naler == (5, 50)


def test_worked_case_with_the_counts_of_its_intervals():
    merged = [ROWS[0] + ROWS[1], *ROWS[2:]]
    expected = ale_statistics(EFFECT, RESPONSE, counts=ROWS)
    assert ale_statistics(EFFECT, RESPONSE, counts=merged) == expected


def test_worked_case_as_levels():
    found = ale_statistics(EFFECT, RESPONSE, counts=ROWS, kind="categorical")
    assert found.aled == pytest.approx((1.5 + 4 + 10 + 10 + 45) / 20, abs=EXACT)
    # 5, 5, 10, 30 and 50 percentile points.
    assert found.naled == pytest.approx((15 + 20 + 50 + 60 + 300) / 20, abs=EXACT)


def test_statistics_of_a_result_are_those_of_its_arrays():
    x = np.array([1.0, 2, 2, 3, 5, 8, 8, 13])
    X = pd.DataFrame({"x": x, "c": list("aabbbccc")})
    numeric = ale(lambda X: X["x"] ** 2, X, "x", K=3)
    y = x**2 + 1
    from_arrays = ale_statistics(numeric.f_values, y, counts=numeric.counts)
    assert ale_statistics(numeric, y) == from_arrays
    middle = np.abs((numeric.f_values[1:] + numeric.f_values[:-1]) / 2)
    assert from_arrays.aled == pytest.approx(middle @ numeric.counts / 8, abs=EXACT)
    level = ale(lambda X: (X["c"] == "c") * 8.0, X, "c", order=["a", "b", "c"])
    found = ale_statistics(level, y)
    assert found == ale_statistics(level.f_values, y, counts=[2, 3, 3], kind="categorical")
    assert found.aler == (-3, 5)
    assert found.aled == pytest.approx((5 * 3 + 3 * 5) / 8, abs=EXACT)


def test_statistics_of_a_pair_weigh_its_cells():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=50), "c": rng.choice(list("uv"), size=50)})
    pair = ale(lambda X: X["a"] * (X["c"] == "u"), X, ("a", "c"), K=4, order={"c": ["u", "v"]})
    found = ale_statistics(pair)
    cells = np.abs((pair.f_values[1:] + pair.f_values[:-1]) / 2)
    assert found.aled == pytest.approx((cells * pair.counts).sum() / 50, abs=EXACT)
    assert found.aler == (pair.f_values.min(), pair.f_values.max())
    assert np.isnan([found.naled, *found.naler]).all()


def test_normalised_effects_by_hand():
    # Centred at 3: 0, 0, 1, 2 and 4 above, 0, 0, 1 and 2 below.
    response = [5, 1, 2, 3, 4, 7, 3]
    effect = [-9, -2, -1.5, -1, -0.9, 0, 0.9, 1, 1.9, 2, 3.9, 4, 9]
    expected = [-50, -50, -37.5, 0, 0, 0, 0, 0, 30, 40, 40, 50, 50]
    np.testing.assert_allclose(normalised_effect(effect, response), expected, rtol=0, atol=EXACT)


@pytest.mark.parametrize(
    ("response", "effect", "expected"),
    [
        (range(1, 12), [-1.2, 0.3, 1.2], [-50 / 3, 0, 50 / 3]),
        ([0, 0, 0, 1, 1], [-0.5, 0, 0.3, 1, 1.2], [-50, 0, 0, 0, 50]),
        ([1, 1, 1, 0, 0], [0.5, 0, -0.3, -1, -1.2], [50, 0, 0, 0, -50]),
        (range(1, 11), [-0.5, 0.5, 1.5, -1.6], [0, 0, 20, -20]),
        ([3, 3, 3], [-1, 0, 1], [-50, 0, 50]),
        ([7], [-1, 0, 1], [-50, 0, 50]),
        ([1.7e308, 1.6e308, 1.7e308, 1.6e308], [6e306, -6e306, 4e306], [50, -50, 0]),
    ],
)
def test_the_median_belongs_to_both_halves_and_the_nearest_response_counts_nothing(
    response, effect, expected
):
    found = normalised_effect(effect, list(response))
    np.testing.assert_allclose(found, expected, rtol=0, atol=EXACT)


@pytest.mark.parametrize("power", [-1000, -500, 0, 500, 1000])
def test_statistics_of_any_size(power):
    effect, weights = np.ldexp(EFFECT, power), np.ldexp(ROWS, -power)
    plain = ale_statistics(EFFECT, RESPONSE, counts=ROWS)
    found = ale_statistics(effect, np.ldexp(RESPONSE, power), counts=weights)
    assert found.aled == np.ldexp(plain.aled, power)
    assert (found.naled, found.naler) == (plain.naled, plain.naler)


def test_table_has_a_row_per_effect():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(40, 2)), columns=["a", "b"])
    y = X["a"] * X["b"] + X["a"]
    effects = ale(lambda X: X["a"] * X["b"] + X["a"], X, ["a", "b", ("a", "b")], K=5)
    table = statistics_table(effects, y)
    assert list(table.index) == ["a", "b", ("a", "b")]
    for key, effect in effects.items():
        sizes = ale_statistics(effect, y).to_series()
        np.testing.assert_array_equal(table.iloc[list(effects).index(key)], sizes)
        assert list(table.columns) == list(sizes.index)


effects_and_counts = st.integers(2, 8).flatmap(
    lambda n: st.tuples(
        st.lists(st.floats(-50, 50), min_size=n, max_size=n),
        st.lists(st.integers(0, 9), min_size=n, max_size=n).filter(any),
    )
)
responses = st.lists(st.integers(-200, 200).map(lambda v: v / 8), min_size=1, max_size=30)


@given(
    effects_and_counts,
    responses,
    st.sampled_from(["numeric", "categorical"]),
    st.integers(-6, 6),
    st.integers(-400, 400),
)
def test_scale_equivariance(case, response, kind, power, shift):
    # Powers of two and eighths, so that nothing is rounded.
    effect, counts = np.array(case[0]).round(3), case[1]
    effect = np.round(effect * 8) / 8
    factor = 2.0**power
    plain = ale_statistics(effect, response, counts=counts, kind=kind)
    scaled = ale_statistics(
        factor * effect, factor * (np.array(response) + shift), counts=counts, kind=kind
    )
    assert scaled.aled == factor * plain.aled
    assert scaled.aler == (factor * plain.aler_min, factor * plain.aler_max)
    assert (scaled.naled, scaled.naler) == (plain.naled, plain.naler)


@given(effects_and_counts, responses, st.sampled_from(["numeric", "categorical"]))
def test_turning_the_sign_swaps_the_ends(case, response, kind):
    effect, counts = np.array(case[0]), case[1]
    plain = ale_statistics(effect, response, counts=counts, kind=kind)
    turned = ale_statistics(-effect, -np.array(response), counts=counts, kind=kind)
    assert (turned.aled, turned.naled) == (plain.aled, plain.naled)
    assert turned.aler == (-plain.aler_max, -plain.aler_min)
    assert turned.naler == (-plain.naler_max, -plain.naler_min)


@given(effects_and_counts, responses, st.sampled_from(["numeric", "categorical"]))
def test_bounds(case, response, kind):
    effect, counts = case
    found = ale_statistics(effect, response, counts=counts, kind=kind)
    assert 0 <= found.aled <= max(-found.aler_min, found.aler_max) * (1 + EXACT)
    assert -50 <= found.naler_min <= found.naler_max <= 50
    assert 0 <= found.naled <= max(-found.naler_min, found.naler_max) * (1 + EXACT)
    # Normalising is increasing.
    points = normalised_effect(np.sort(effect), response)
    assert (np.diff(points) >= 0).all()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([1, 2], None), ValueError, "counts must be given"),
        (([1, 2], None, [1, 2, 3]), ValueError, "one value per interval: got 3 for 2"),
        (([1, 2], None, [1], "categorical"), ValueError, "one value per level: got 1 for 2"),
        (([1, 2], None, [0, 0]), ValueError, "negative or all 0"),
        (([1, 2], None, [1, -1]), ValueError, "negative or all 0, got -1"),
        (([1, 2], None, [1, 1], "level"), ValueError, "kind must be one of"),
        (([1, np.nan], None, [1, 1]), ValueError, "effect must be finite, got nan"),
        (([[1, 2]], None, [1, 1]), ValueError, r"effect must be a list of numbers, got shape"),
        (("text", None, [1, 1]), TypeError, "effect must be numbers, got str"),
        (([1, 2], [], [1, 1]), ValueError, "response must be a list of numbers"),
        (([1, 2], ["yes"], [1, 1]), TypeError, "response must be numbers"),
    ],
)
def test_statistics_refuse(arguments, error, message):
    effect, response, *rest = arguments
    options = dict(zip(("counts", "kind"), rest, strict=False))
    with pytest.raises(error, match=message):
        ale_statistics(effect, response, **options)


def test_results_bring_their_own_counts():
    effect = ale(lambda X: X["x"], pd.DataFrame({"x": [1.0, 2, 3]}), "x")
    with pytest.raises(ValueError, match="plain arrays only"):
        ale_statistics(effect, counts=[1, 2])
    with pytest.raises(TypeError, match="collection of ALE effects, got AleResult"):
        statistics_table(effect)
    with pytest.raises(TypeError, match="'x' is not"):
        statistics_table({"x": effect.f_values})


def test_the_index_says_what_tells_the_effects_apart():
    X = pd.DataFrame({"x": np.arange(12.0), "z": np.arange(12.0) % 5, "g": list("ab") * 6})

    def f(frame):
        return frame["x"] * frame["z"]

    one = statistics_table(ale(f, X, "x", K=3, groups="g"))
    assert (one.index.name, list(one.index)) == ("group", ["a", "b"])
    both = statistics_table(ale(f, X, ["x", "z"], K=3, groups="g"))
    assert both.index.name == ("feature", "group")
    assert list(both.index) == [("x", "a"), ("x", "b"), ("z", "a"), ("z", "b")]
    assert statistics_table(ale(f, X, ["x", ("x", "z")], K=3)).index.name == "feature"
