"""R's random streams against stored streams of R, and the rules of its arguments."""

import json
from pathlib import Path

import numpy as np
import pytest

from aleplot_py.r.random import RRandom, set_seed

GOLDENS = Path(__file__).resolve().parents[2] / "validation" / "vectors" / "r_random.json"
CASES = json.loads(GOLDENS.read_text())["cases"]

# Normal and exponential draws pass through log and sqrt, whose last bit may depend on the
# mathematical library; uniforms and samples do not and are compared by equality.
RELATIVE = 1e-14

stored = pytest.mark.stored
each_seed = pytest.mark.parametrize("case", CASES, ids=lambda case: f"seed{case['seed']}")


def test_every_kind_of_stored_stream_is_compared():
    compared = {
        "seed",
        "runif20",
        "rnorm20",
        "rexp10",
        "sample_728_485",
        "sample_333_222",
        "sample_01_30_replace",
        "sample_int_10",
        "sample_int_1e6_10_replace",
        "runif25_then_rnorm25",
    }
    assert len(CASES) == 6
    assert all(set(case) == compared for case in CASES)


@stored
@each_seed
def test_runif_equals_r_bit_for_bit(case):
    np.testing.assert_array_equal(set_seed(case["seed"]).runif(20), case["runif20"])


@stored
@each_seed
def test_rnorm_equals_r(case):
    draws = set_seed(case["seed"]).rnorm(20)
    np.testing.assert_allclose(draws, case["rnorm20"], rtol=RELATIVE, atol=0)


@stored
@each_seed
def test_rexp_equals_r(case):
    draws = set_seed(case["seed"]).rexp(10)
    np.testing.assert_allclose(draws, case["rexp10"], rtol=RELATIVE, atol=0)


@stored
@each_seed
def test_samples_equal_r(case):
    def fresh() -> RRandom:
        return set_seed(case["seed"])

    assert fresh().sample(np.arange(1, 729), 485).tolist() == case["sample_728_485"]
    assert fresh().sample_int(333, 222).tolist() == case["sample_333_222"]
    assert fresh().sample([0, 1], 30, replace=True).tolist() == case["sample_01_30_replace"]
    assert fresh().sample_int(10).tolist() == case["sample_int_10"]
    expected = case["sample_int_1e6_10_replace"]
    assert fresh().sample_int(1_000_000, 10, replace=True).tolist() == expected


@stored
@each_seed
def test_one_stream_serves_different_draws_in_turn(case):
    rng = set_seed(case["seed"])
    expected = case["runif25_then_rnorm25"]
    np.testing.assert_array_equal(rng.runif(25), expected["x1"])
    noise = rng.rnorm(25, sd=0.1)
    np.testing.assert_allclose(noise, expected["noise"], rtol=RELATIVE, atol=0)


# The values below were printed by R 4.2.2 (17 significant digits).
@stored
@pytest.mark.parametrize(
    ("seed", "uniforms", "integers"),
    [
        (0, [0.8966972001362592, 0.26550866314209998, 0.37212389963679016], [7, 1, 2, 11]),
        (-7, [0.32649485557340086, 0.53986111702397466, 0.25473622092977166], [18, 8, 12, 9]),
        (
            2**31 - 1,
            [0.68966742674820125, 0.98787517822347581, 0.19676422467455268],
            [1, 8, 12, 15],
        ),
        (
            1 - 2**31,
            [0.56201667874120176, 0.57561779324896634, 0.37009761366061866],
            [5, 15, 10, 3],
        ),
    ],
)
def test_zero_negative_and_extreme_seeds_equal_r(seed, uniforms, integers):
    rng = set_seed(np.int64(seed))
    assert rng.runif(3).tolist() == uniforms
    assert rng.sample_int(20, 4).tolist() == integers


@stored
@pytest.mark.parametrize(
    ("n", "size", "replace", "expected"),
    [
        # R draws distinct numbers by hashing above 1e7 when at most half of them is wanted.
        (20_000_000, 5, False, [10938497, 17633234, 12201267, 18120554, 13901861]),
        (2**40, 3, False, [1066750153383, 550622062077, 921961144590]),
        (4_500_000_000_000_000, 2, True, [2356543641544833, 534349528607019]),
    ],
)
def test_large_populations_equal_r(n, size, replace, expected):
    assert set_seed(1).sample_int(n, size, replace).tolist() == expected


@stored
def test_hashing_draws_again_what_was_drawn_before():
    """5000 draws of seed 1 below 1e7 + 2 meet one duplicate; the values after it are R's."""
    drawn = set_seed(1).sample_int(10_000_001, 5000)
    with_duplicates = set_seed(1).sample_int(10_000_001, 5000, replace=True)
    assert len(set(drawn.tolist())) == 5000
    assert len(set(with_duplicates.tolist())) == 4999
    assert drawn[-3:].tolist() == [9159860, 6033956, 2626729]


@stored
def test_number_of_bits_at_multiples_of_sixteen_equals_r():
    rng = set_seed(1)
    assert rng.sample_int(65536, 1).tolist() == [24388]
    assert rng.sample_int(65537, 1).tolist() == [59521]
    assert rng.runif(1).tolist() == [0.2016819310374558]


@stored
def test_a_population_of_one_takes_one_number_from_the_stream():
    rng = set_seed(1)
    assert rng.sample_int(1).tolist() == [1]
    assert rng.runif(1).tolist() == [0.37212389963679016]


@stored
def test_long_permutation_equals_r_and_leaves_the_stream_where_r_does():
    rng = set_seed(7)
    drawn = rng.sample_int(100_000)
    assert drawn[:3].tolist() == [91603, 4572, 51906]
    assert drawn[-3:].tolist() == [85144, 90301, 32994]
    assert sorted(drawn.tolist()) == list(range(1, 100_001))
    assert rng.runif(1).tolist() == [0.87207526597194374]


@stored
def test_one_parameter_per_draw_and_degenerate_draws_equal_r():
    rng = set_seed(1)
    draws = rng.rnorm(3, mean=[1, 2, 3], sd=[1, 0, 1])
    expected = [0.37354618925766758, 2.0, 3.1836433242220821]
    np.testing.assert_allclose(draws, expected, rtol=RELATIVE, atol=0)
    assert rng.runif(1).tolist() == [0.2016819310374558]

    rng = set_seed(1)
    draws = rng.runif(3, min=[0, 5, -1], max=[10, 5, 1])
    assert draws.tolist() == [2.6550866314209998, 5.0, -0.25575220072641969]
    assert rng.runif(1).tolist() == [0.57285336335189641]

    draws = set_seed(4).rexp(3, rate=[0.5, 2, 10])
    expected = [0.34320122003555298, 2.151972466953731, 0.086810562848569181]
    np.testing.assert_allclose(draws, expected, rtol=RELATIVE, atol=0)


def test_a_draw_in_parts_is_the_draw_in_one():
    rng = set_seed(12)
    parts = [rng.rnorm(3), rng.rnorm(0), rng.rnorm(4)]
    np.testing.assert_array_equal(np.concatenate(parts), set_seed(12).rnorm(7))


def test_streams_do_not_disturb_each_other_nor_numpys_global_state():
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - the global state is what is watched
    first, second = set_seed(1), set_seed(1)
    first.runif(5)
    second.rnorm(5)
    np.testing.assert_array_equal(first.runif(2), set_seed(1).runif(7)[5:])
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_sample_takes_elements_of_the_population():
    letters = np.array(["a", "b", "c", "d"])
    positions = set_seed(5).sample_int(4)
    np.testing.assert_array_equal(set_seed(5).sample(letters), letters[positions - 1])
    np.testing.assert_array_equal(set_seed(5).sample(4), positions)
    assert letters.tolist() == ["a", "b", "c", "d"]


def test_a_sequence_of_one_number_is_a_population_of_one():
    assert set_seed(5).sample([7], 3, replace=True).tolist() == [7, 7, 7]


@pytest.mark.parametrize("draw", ["runif", "rnorm", "rexp"])
def test_no_draws_give_an_empty_array(draw):
    assert getattr(set_seed(1), draw)(0).shape == (0,)


def test_samples_of_size_zero_are_empty():
    assert set_seed(1).sample_int(5, 0).shape == (0,)
    assert set_seed(1).sample_int(5, 0, replace=True).shape == (0,)
    assert set_seed(1).sample(["a"], 0).shape == (0,)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: set_seed(1.0), TypeError, r"seed must be an integer, got 1\.0"),
        (lambda: set_seed("1"), TypeError, r"seed must be an integer, got '1'"),
        (lambda: set_seed(True), TypeError, r"seed must be an integer, got True"),
        (lambda: set_seed(None), TypeError, r"seed must be an integer, got None"),
        (lambda: set_seed(2**31), ValueError, r"seed must be between .* got 2147483648"),
        (lambda: set_seed(-(2**31)), ValueError, r"seed must be between .* got -2147483648"),
        (lambda: set_seed(1).runif(2.0), TypeError, r"n must be an integer, got 2\.0"),
        (lambda: set_seed(1).rnorm(-1), ValueError, r"n must not be negative, got -1"),
        (lambda: set_seed(1).rexp("2"), TypeError, r"n must be an integer, got '2'"),
        (lambda: set_seed(1).runif(1, 2, 1), ValueError, r"min must not exceed max.* 2 .* 1"),
        (lambda: set_seed(1).runif(1, 0, np.inf), ValueError, r"max must be finite, got inf"),
        (lambda: set_seed(1).rnorm(1, np.nan), ValueError, r"mean must be finite, got nan"),
        (lambda: set_seed(1).rnorm(1, "a"), TypeError, r"mean must be a number or 1 numbers"),
        (lambda: set_seed(1).rnorm(1, sd=-2), ValueError, r"sd must not be negative, got -2"),
        (lambda: set_seed(1).rnorm(3, [1, 2]), ValueError, r"mean .* shape \(3,\), got shape"),
        (lambda: set_seed(1).rexp(1, 0), ValueError, r"rate must be positive, got 0"),
        (lambda: set_seed(1).sample_int(0), ValueError, r"n must be at least 1.* got 0"),
        (lambda: set_seed(1).sample_int(-3), ValueError, r"n must not be negative, got -3"),
        (lambda: set_seed(1).sample_int(5.5), TypeError, r"n must be an integer, got 5\.5"),
        (lambda: set_seed(1).sample_int(10**16, 1), ValueError, r"n must not exceed 4\.5e15"),
        (
            lambda: set_seed(1).sample_int(2**31),
            ValueError,
            r"size must not exceed half of n = 2147483648 .* got size = 2147483648",
        ),
        (
            lambda: set_seed(1).sample_int(5, 6),
            ValueError,
            r"size must not exceed n = 5 without replacement, got size = 6",
        ),
        (lambda: set_seed(1).sample_int(5, -1), ValueError, r"size must not be negative, got -1"),
        (lambda: set_seed(1).sample_int(5, 2.5), TypeError, r"size must be an integer, got 2\.5"),
        (lambda: set_seed(1).sample_int(5, 2, 1), TypeError, r"replace must be .* got 1"),
        (lambda: set_seed(1).sample([]), ValueError, r"len\(x\) must be at least 1.* got 0"),
        (lambda: set_seed(1).sample(0), ValueError, r"x must be at least 1.* got 0"),
        (lambda: set_seed(1).sample(2.5), TypeError, r"x must be an integer, got 2\.5"),
        (lambda: set_seed(1).sample("abc"), TypeError, r"x must be .* got str"),
        (lambda: set_seed(1).sample(np.eye(2)), TypeError, r"x must be .* 2 dimensions"),
        (
            lambda: set_seed(1).sample(["a", "b"], 3),
            ValueError,
            r"size must not exceed len\(x\) = 2 without replacement, got size = 3",
        ),
    ],
)
def test_wrong_arguments_are_named_with_the_rule_and_the_value(call, error, message):
    with pytest.raises(error, match=message):
        call()
