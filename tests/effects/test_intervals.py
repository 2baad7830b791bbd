"""Automatic intervals against hand-made data, brute force, and the published cases."""

import dataclasses
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aleplot_py import ale, datasets, intervals, load
from aleplot_py.effects import intervals as module
from aleplot_py.effects.intervals import Auto
from aleplot_py.errors import FeatureError, GridError

# Sums of some thousand terms of size 1 to 100 in double precision.
ROUNDING = 1e-11
# Width of a fine interval on [0, 1] and a bit: a change inside one can be placed at either end.
FINE = 0.0101
# The published criterion itself, without the least gain that this package adds.
PUBLISHED = {"min_gain": 0.0}


def close(actual, expected, atol=ROUNDING):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=atol)


def cost_by_hand(x, d, edges, alpha):
    """Published cost of a partition, row by row."""
    total = 0.0
    for k, (low, high) in enumerate(pairwise(edges)):
        inside = (x <= high) & ((x > low) | ((k == 0) & (x == low)))
        total += (1 - alpha * inside.sum() / len(x)) * d[inside].var() * (high - low)
    return total


def best_by_hand(x, d, z, alpha, min_rows):
    """Lowest published cost over all partitions of a grid with enough rows in each interval."""
    best = np.inf
    for size in range(len(z) - 1):
        for inner in combinations(z[1:-1], size):
            edges = np.array([z[0], *inner, z[-1]])
            counts = np.bincount(np.maximum(np.searchsorted(edges, x) - 1, 0))
            if len(counts) < len(edges) - 1 or counts.min() < min_rows:
                continue
            best = min(best, cost_by_hand(x, d, edges, alpha))
    return best


def piecewise_on_a_lattice(n=1001):
    x1 = np.arange(n) / (n - 1)
    x3 = np.random.default_rng(0).normal(0.0, 0.5, n)
    return pd.DataFrame({"x1": x1, "x2": x1, "x3": x3})


@pytest.mark.parametrize("method", ["dynamic", "greedy"])
@pytest.mark.parametrize("min_gain", [0.0, 0.003])
def test_piecewise_case_on_a_lattice_has_exactly_three_intervals(method, min_gain):
    X = piecewise_on_a_lattice()
    chosen = intervals.fit(
        datasets.gkolemis_piecewise_model, X, "x1", method=method, min_gain=min_gain
    )
    np.testing.assert_array_equal(chosen.edges, [0.0, 0.25, 0.5, 1.0])
    np.testing.assert_array_equal(chosen.counts, [251, 250, 500])
    close(chosen.slope, [1, -1, 0])
    close(chosen.slope_std, 0, atol=1e-6)  # the square root of rounding
    effect = ale(
        datasets.gkolemis_piecewise_model,
        X,
        "x1",
        K=Auto(method=method, min_gain=min_gain),
        centre="none",
    )
    close(effect.f_values, [0, 0.25, 0, 0])


@pytest.mark.parametrize("seed", range(10))
def test_piecewise_case_of_random_rows_has_three_intervals(seed):
    X = datasets.simulate_gkolemis_piecewise(1000, random_state=seed)
    effect = ale(datasets.gkolemis_piecewise_model, X, "x1", K="auto")
    assert effect.K == (3,)
    assert effect.grid == ("auto",)
    z = effect.x_values[0]
    assert (z[0], z[-1]) == (X["x1"].min(), X["x1"].max())
    close(z[1:3], [0.25, 0.5], atol=FINE)
    slopes = effect.local_mean / np.diff(z)
    close(slopes, [1, -1, 0], atol=0.05)  # the rows of one straddling fine interval


@pytest.mark.parametrize("seed", range(5))
def test_piecewise_case_by_its_derivative(seed):
    X = datasets.simulate_gkolemis_piecewise(1000, random_state=seed)
    slope = np.select([X["x1"] < 0.25, X["x1"] < 0.5], [1.0, -1.0], 0.0)
    chosen = intervals.fit_derivatives(X["x1"], slope)
    assert chosen.K == 3
    close(chosen.edges[1:3], [0.25, 0.5], atol=FINE)
    zeros = np.zeros(len(X))
    by_gradient = ale(
        datasets.gkolemis_piecewise_model,
        X,
        "x1",
        K="auto",
        gradient=lambda frame: np.column_stack([slope, zeros, zeros]),
    )
    np.testing.assert_array_equal(by_gradient.x_values[0], chosen.edges)
    close(by_gradient.local_mean, chosen.slope * np.diff(chosen.edges))


@pytest.mark.parametrize("settings", [{}, PUBLISHED])
@pytest.mark.parametrize("seed", range(5))
def test_interaction_case(seed, settings):
    X = datasets.simulate_gkolemis_interaction(1000, random_state=seed)
    model = datasets.gkolemis_interaction_model

    def gradient(frame):
        x2_slope = np.where(frame["x3"] > 0, 5.0, -5.0)
        zeros = np.zeros(len(frame))
        return np.column_stack([zeros + 0.2, x2_slope, zeros])

    for source in (None, gradient):
        x1 = intervals.fit(model, X, "x1", gradient=source, **settings)
        x2 = intervals.fit(model, X, "x2", gradient=source, **settings)
        assert (x1.K, x2.K) == (1, 1)
        close(x1.slope, 0.2)
        assert abs(x2.slope[0]) < 4 * 5 / np.sqrt(1000)  # four standard errors of 0
        close(x2.slope_std, np.sqrt(25 - x2.slope**2))  # two values, 5 and -5
        assert 4.95 < x2.slope_std[0] <= 5
    x3 = intervals.fit(model, X, "x3", gradient=gradient, **settings)
    assert (x3.K, x3.slope[0], x3.slope_std[0]) == (1, 0, 0)


def test_interaction_case_as_an_effect():
    X = datasets.simulate_gkolemis_interaction(1000, random_state=1)
    effect = ale(datasets.gkolemis_interaction_model, X, "x2", K="auto")
    width = np.ptp(X["x2"])
    assert effect.K == (1,)
    close(effect.local_std / width, np.sqrt(25 - (effect.local_mean / width) ** 2))
    close(effect.f_values, [-effect.local_mean[0] / 2, effect.local_mean[0] / 2])


@pytest.mark.parametrize("offset", [0.0, 1e6, -1e9])
@pytest.mark.parametrize("method", ["dynamic", "greedy"])
@pytest.mark.parametrize("settings", [{}, PUBLISHED])
def test_a_linear_function_has_one_interval(offset, method, settings):
    x = np.random.default_rng(3).normal(size=400)
    X = pd.DataFrame({"x": x, "other": x**2})
    auto = Auto(method=method, **settings)
    effect = ale(lambda frame: offset + 3 * frame["x"] - frame["other"], X, "x", K=auto)
    assert effect.K == (1,)
    z = np.array([x.min(), x.max()])
    np.testing.assert_array_equal(effect.x_values[0], z)
    # The fine differences of an offset lose its digits: eps * offset over widths of 1 / 100.
    atol = ROUNDING + 1e-12 * abs(offset)
    close(np.diff(effect.f_values), 3 * np.diff(z), atol=atol)
    close(effect.counts, 400)


@given(
    seed=st.integers(0, 2**16),
    fine=st.integers(2, 9),
    n=st.integers(12, 60),
    alpha=st.sampled_from([0.0, 0.2, 0.5]),
    min_rows=st.integers(2, 6),
    kind=st.sampled_from(["noise", "steps", "slopes"]),
)
@settings(max_examples=60, deadline=None)
def test_dynamic_programme_is_the_brute_force_optimum(seed, fine, n, alpha, min_rows, kind):
    rng = np.random.default_rng(seed)
    x = np.append([0.0, 1.0], rng.uniform(size=n - 2))
    d = {
        "noise": rng.normal(size=n),
        "steps": np.floor(3 * x) + 0.1 * rng.normal(size=n),
        "slopes": np.sin(5 * x),
    }[kind]
    options = {"alpha": alpha, "min_rows": min_rows, "max_K": fine, "min_gain": 0.0}
    best = intervals.fit_derivatives(x, d, **options)
    greedy = intervals.fit_derivatives(x, d, method="greedy", **options)
    close(best.cost, cost_by_hand(x, d, best.edges, alpha))
    close(greedy.cost, cost_by_hand(x, d, greedy.edges, alpha))
    close(best.cost, best_by_hand(x, d, best.fine_edges, alpha, min_rows))
    assert min(best.counts.min(), greedy.counts.min()) >= min_rows
    assert best.cost <= greedy.cost + ROUNDING
    assert set(best.edges) <= set(best.fine_edges)


@pytest.mark.parametrize("seed", range(20))
def test_greedy_is_never_better(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=500)
    d = np.sin(3 * x) + rng.normal(size=500) * (x > 0)
    best = intervals.fit_derivatives(x, d)
    greedy = intervals.fit_derivatives(x, d, method="greedy")
    assert best.penalty == greedy.penalty > 0
    assert best.cost + best.K * best.penalty <= greedy.cost + greedy.K * greedy.penalty + ROUNDING


def test_a_fine_grid_of_a_hundred_asks_once_for_the_cost_of_each_interval(monkeypatch):
    rng = np.random.default_rng(0)
    x, d = rng.uniform(size=(2, 2000))
    asked = []
    cost = module._Sums.cost

    def counted(sums, low, high):
        lows, highs = np.broadcast_arrays(low, high)
        asked.extend((a, b) for a, b in zip(lows.flat, highs.flat, strict=True) if a < b)
        return cost(sums, low, high)

    monkeypatch.setattr(module._Sums, "cost", counted)
    chosen = intervals.fit_derivatives(x, d, max_K=100)
    assert len(chosen.fine_edges) == 101
    # Each once; then those that were chosen.
    assert len(set(asked)) == 100 * 101 / 2
    assert len(asked) == len(set(asked)) + chosen.K


def test_cost_is_2n_rows_in_two_calls():
    X = datasets.simulate_gkolemis_piecewise(300, random_state=0)
    calls = []

    def counted(frame):
        calls.append(len(frame))
        return datasets.gkolemis_piecewise_model(frame)

    intervals.fit(counted, X, "x1")
    ale(counted, X, "x1", K="auto")
    assert calls == [300] * 4


def test_rows_move_only_within_their_fine_interval():
    X = datasets.simulate_gkolemis_piecewise(300, random_state=0)
    moved = []

    def recorded(frame):
        moved.append(np.abs(frame["x1"].to_numpy() - X["x1"].to_numpy()).max())
        return np.zeros(len(frame))

    effect = ale(recorded, X, "x1", K="auto")
    assert effect.K == (1,)
    assert max(moved) <= np.ptp(X["x1"]) / 100 * (1 + 1e-9)


def test_the_result_is_consistent_with_its_parts(tmp_path):
    X = datasets.simulate_gkolemis_piecewise(800, random_state=4)
    model = datasets.gkolemis_piecewise_model
    effect = ale(model, X, "x1", K="auto")
    chosen = intervals.fit(model, X, "x1")
    widths = np.diff(chosen.edges)
    np.testing.assert_array_equal(effect.x_values[0], chosen.edges)
    np.testing.assert_array_equal(effect.counts, chosen.counts)
    assert effect.counts.sum() == 800
    close(effect.local_mean, chosen.slope * widths)
    close(effect.local_std, chosen.slope_std * widths)
    close(np.diff(effect.f_values), effect.local_mean)
    middle = (effect.f_values[:-1] + effect.f_values[1:]) / 2
    close((middle * effect.counts).sum(), 0)
    assert not effect.empty.any()
    close(effect.mean_prediction, model(X).mean())
    effect.save(tmp_path / "effect.json")
    restored = load(tmp_path / "effect.json")
    np.testing.assert_array_equal(restored.f_values, effect.f_values)
    assert restored.grid == ("auto",)


def test_local_effects_kept_are_those_averaged():
    X = datasets.simulate_gkolemis_piecewise(400, random_state=4)
    effect = ale(datasets.gkolemis_piecewise_model, X, "x1", K="auto", local_effects=True)
    kept = effect.local_effects
    means = np.bincount(kept.cells[:, 0], kept.effects) / np.bincount(kept.cells[:, 0])
    close(means, effect.local_mean)


@pytest.mark.parametrize("options", [{"batch_rows": 70}, {"n_jobs": 2}])
def test_batches_and_threads_change_nothing(options):
    X = datasets.simulate_gkolemis_piecewise(500, random_state=2)
    whole = ale(datasets.gkolemis_piecewise_model, X, "x1", K="auto")
    parts = ale(datasets.gkolemis_piecewise_model, X, "x1", K="auto", **options)
    np.testing.assert_array_equal(parts.x_values[0], whole.x_values[0])
    close(parts.f_values, whole.f_values)


def test_weights():
    X = datasets.simulate_gkolemis_piecewise(500, random_state=2)
    model = datasets.gkolemis_piecewise_model
    plain = ale(model, X, "x1", K="auto")
    twice = ale(model, X, "x1", K="auto", sample_weight=np.full(500, 2.0))
    np.testing.assert_array_equal(twice.x_values[0], plain.x_values[0])
    close(twice.f_values, plain.f_values)
    close(twice.counts, 2 * plain.counts)
    # A row without weight decides nothing, but it still spans the grid.
    weights = np.where(X["x1"] < 0.6, 1.0, 0.0)
    few = intervals.fit(model, X, "x1", sample_weight=weights, min_rows=30)
    rows = [
        ((X["x1"] > low) & (X["x1"] <= high) & (weights > 0)).sum() + (k == 0)
        for k, (low, high) in enumerate(pairwise(few.edges))
    ]
    assert min(rows) >= 30
    close(few.counts, rows)


def test_integers_in_a_tree_keep_their_steps():
    x = np.repeat(np.arange(6), 20)
    X = pd.DataFrame({"x": x})
    chosen = intervals.fit(lambda frame: 4.0 * (frame["x"] > 2.5), X, "x")
    np.testing.assert_array_equal(chosen.fine_edges, np.arange(6.0))
    np.testing.assert_array_equal(chosen.edges, [0, 2, 3, 5])
    close(chosen.slope, [0, 4, 0])


def test_zero_one_column():
    X = pd.DataFrame({"x": np.repeat([0, 1], [30, 20])})
    effect = ale(lambda frame: 2 * frame["x"], X, "x", K="auto")
    close(effect.f_values, [-1, 1])


def test_small_samples():
    X = pd.DataFrame({"x": [1.0, 2.0, 4.0]})
    effect = ale(lambda frame: frame["x"], X, "x", K="auto")
    assert effect.K == (1,)
    close(np.diff(effect.f_values), 3)
    assert intervals.fit(lambda frame: frame["x"] ** 2, X, "x").min_rows == 3


def test_default_fewest_rows():
    assert [Auto().fewest_rows(n) for n in (2, 10, 11, 200, 201, 1000)] == [2, 10, 10, 10, 11, 50]


def test_mixed_collection():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a": rng.uniform(size=300), "b": rng.uniform(size=300), "c": rng.choice(["u", "v"], 300)}
    )

    def model(frame):
        return np.abs(frame["a"] - 0.5) + frame["b"] + (frame["c"] == "u")

    every = ale(model, X, "all", K="auto")
    assert [effect.K for effect in every.values()] == [(2,), (1,), (2,)]
    one = ale(model, X, ["a", "b"], K={"a": "auto", "b": 7})
    assert [effect.K for effect in one.values()] == [(2,), (7,)]
    np.testing.assert_array_equal(one["a"].f_values, every["a"].f_values)
    pair = ale(
        model,
        X,
        ("a", "b"),
        grid={"a": intervals.fit(model, X, "a").edges, "b": intervals.fit(model, X, "b").edges},
    )
    close(pair.f_values, 0)


def test_more_intervals_with_a_lower_least_gain():
    X = pd.DataFrame({"x": np.linspace(0, 1, 2000)})

    def number(min_gain):
        return intervals.fit(lambda frame: frame["x"] ** 2, X, "x", min_gain=min_gain).K

    numbers = [number(gain) for gain in (1.0, 0.1, 0.01, 0.001, 0.0)]
    assert numbers == sorted(numbers)
    assert numbers[0] == 1
    assert numbers[-1] >= 15  # at most twenty: each holds a twentieth of the rows


def test_to_frame():
    X = piecewise_on_a_lattice()
    table = intervals.fit(datasets.gkolemis_piecewise_model, X, "x1").to_frame()
    assert list(table) == ["low", "high", "counts", "slope", "slope_std", "cost"]
    assert table["high"].tolist() == [0.25, 0.5, 1.0]


def test_results_and_options_are_frozen():
    X = piecewise_on_a_lattice()
    chosen = intervals.fit(datasets.gkolemis_piecewise_model, X, "x1")
    with pytest.raises(dataclasses.FrozenInstanceError):
        chosen.edges = None
    with pytest.raises(dataclasses.FrozenInstanceError):
        Auto().alpha = 1


def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "a": rng.uniform(size=40),
            "b": rng.uniform(size=40),
            "c": ["u", "v"] * 20,
            "d": [1.0] * 40,
        }
    )


def first(rows):
    return rows["a"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Auto(method="best"), ValueError, "method must be one of"),
        (lambda: Auto(min_rows=1), ValueError, "min_rows must be at least 2, got 1"),
        (lambda: Auto(min_rows=2.5), TypeError, "min_rows must be a positive integer, got 2.5"),
        (lambda: Auto(max_K=0), ValueError, "max_K must be a positive integer, got 0"),
        (lambda: Auto(alpha=1.5), ValueError, "alpha must lie between 0 and 1, got 1.5"),
        (lambda: Auto(alpha=float("nan")), ValueError, "alpha must lie between 0 and 1, got nan"),
        (lambda: Auto(alpha="much"), TypeError, "alpha must be a number, got 'much'"),
        (lambda: Auto(min_gain=-1), ValueError, "min_gain must lie between 0 and 1, got -1"),
        (
            lambda: intervals.fit(first, frame(), "a", min_rows=41),
            GridError,
            "min_rows=41 leaves column 'a' without an interval: it has 40 rows",
        ),
        (
            lambda: ale(first, frame(), "a", K=Auto(min_rows=41)),
            GridError,
            "min_rows=41 leaves column 'a' without an interval",
        ),
        (
            lambda: intervals.fit(
                first, frame(), "a", min_rows=30, sample_weight=np.repeat([1, 0], 20)
            ),
            GridError,
            "min_rows=30 leaves column 'a' without an interval: it has 20 rows",
        ),
        (
            lambda: ale(first, frame(), ("a", "b"), K="auto"),
            ValueError,
            "K='auto' chooses intervals for a main effect, not for the pair \\('a', 'b'\\)",
        ),
        (lambda: ale(first, frame(), ("a", "c"), K="auto"), ValueError, "not for the pair"),
        (lambda: ale(first, frame(), "a", K="best"), ValueError, "K must be .*, got 'best'"),
        (
            lambda: ale(first, frame(), "a", K="auto", grid="iml"),
            GridError,
            "K='auto' lays the grid of column 'a' itself: it takes grid='aleplot', got 'iml'",
        ),
        (
            lambda: ale(first, frame(), "a", K="auto", grid=[0, 1]),
            GridError,
            "it takes grid='aleplot'",
        ),
        (lambda: intervals.fit(first, frame(), "d"), FeatureError, "single value"),
        (lambda: intervals.fit(first, frame(), "c"), FeatureError, "column 'c' is not numeric"),
        (
            lambda: intervals.fit(first, frame(), ["a"]),
            ValueError,
            "feature must be a single column of X",
        ),
        (
            lambda: intervals.fit(first, frame(), ("a", "b")),
            ValueError,
            "feature must be a single column of X",
        ),
        (
            lambda: intervals.fit_derivatives([1, 2, 3], [1, 2]),
            ValueError,
            "x and derivatives must have the same length, got 3 and 2",
        ),
        (
            lambda: intervals.fit_derivatives([1, 2, 3], [1, 2, np.nan]),
            ValueError,
            "derivatives must be finite, got nan",
        ),
        (
            lambda: intervals.fit_derivatives(["u", "v"], [1, 2]),
            TypeError,
            "x must be numbers",
        ),
        (
            lambda: intervals.fit_derivatives([[1, 2]], [1, 2]),
            ValueError,
            "x must be one number per row, got shape \\(1, 2\\)",
        ),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
