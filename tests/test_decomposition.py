"""Total effect, additive model, decomposition, interaction strength and complexity."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aleplot_py import ale
from aleplot_py.analysis.complexity import main_effect_complexity
from aleplot_py.analysis.decomposition import (
    decompose,
    first_order_prediction,
    interaction_strength,
    total_effect,
)
from aleplot_py.datasets.truth import BivariateNormalInteraction, GridInteraction
from aleplot_py.errors import FeatureError

# Sums of a few hundred terms of size 1 in double precision.
EXACT = 1e-12
# The same for random effects of size up to 1e3.
EXACT_LARGE = 1e-8

GRID = GridInteraction()


def lattice() -> pd.DataFrame:
    first, second = np.meshgrid(GRID.axis(), GRID.axis(), indexing="ij")
    return pd.DataFrame({"x1": first.ravel(), "x2": second.ravel()})


def on_lattice(X):
    return GRID.prediction(X["x1"], X["x2"])


def cell_borders():
    """Edges with every lattice point in the middle of its interval."""
    half = 1 / (GRID.points - 1)
    edges = np.linspace(-1 - half, 1 + half, GRID.points + 1)
    return {"x1": edges, "x2": edges}


def normal_sample(case, n, seed):
    covariance = [[case.s1**2, case.rho * case.s1 * case.s2]] * 2
    covariance = [covariance[0], covariance[1][::-1]]
    covariance[1][1] = case.s2**2
    draws = np.random.default_rng(seed).multivariate_normal([case.mu1, case.mu2], covariance, n)
    return pd.DataFrame(draws, columns=["x1", "x2"])


@pytest.fixture
def mixed():
    rng = np.random.default_rng(7)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=60),
            "b": rng.uniform(size=60),
            "c": pd.Categorical(rng.choice(list("uvw"), size=60), ordered=True),
        },
        index=np.arange(100, 160),
    )

    def predict(X):
        level = X["c"].cat.codes.to_numpy()
        return (X["a"] * (1 + level) + np.sin(3 * X["b"]) * X["a"] ** 2).to_numpy()

    return predict, X


# The lattice case of theory 5.


def test_lattice_constant_and_main_effects_are_the_closed_forms():
    parts = decompose(on_lattice, lattice())
    assert round(parts.constant, 3) == 3.188
    assert parts.constant == pytest.approx(GRID.mean(), abs=EXACT)
    for number, name in ((1, "x1"), (2, "x2")):
        main = parts.mains[name]
        assert len(main.local_mean) == GRID.points - 1
        np.testing.assert_array_equal(main.x_values[0], GRID.axis())
        np.testing.assert_allclose(main.f_values, GRID.ale(number, GRID.axis()), rtol=0, atol=EXACT)


def test_lattice_pair_is_the_product_up_to_the_first_closed_interval():
    # The first interval holds two lattice points, so that interval middles have mean m, not 0, and
    # the main effects that R's estimator removes from the product are m x1 and m x2.
    pair = decompose(on_lattice, lattice()).pairs["x1", "x2"]
    first, second = (x.astype(float) for x in pair.x_values)
    m = (-1 + 1 / (GRID.points - 1)) / GRID.points
    expected = np.outer(first, second) - m * np.add.outer(first, second)
    np.testing.assert_allclose(pair.f_values, expected, rtol=0, atol=EXACT)


def test_lattice_points_in_the_middle_of_cells_give_the_product_itself():
    parts = decompose(on_lattice, lattice(), grid=cell_borders())
    pair = parts.pairs["x1", "x2"]
    expected = np.outer(*pair.x_values)
    np.testing.assert_allclose(pair.f_values, expected, rtol=0, atol=EXACT)
    # Only exp between grid points is left: at most its second derivative times width^2 / 8, twice.
    width = 2 / (GRID.points - 1)
    assert np.abs(parts.remainder).max() < 2 * np.e * np.exp(width) * width**2 / 8


def test_bilinear_function_is_put_together_exactly():
    def bilinear(X):
        return 3 + X["x1"] - 2 * X["x2"] + 0.5 * X["x1"] * X["x2"]

    parts = decompose(bilinear, lattice(), grid=cell_borders())
    np.testing.assert_allclose(parts.remainder, 0, rtol=0, atol=EXACT)
    assert parts.unexplained < EXACT**2
    pair = parts.pairs["x1", "x2"]
    first, second = np.meshgrid(*pair.x_values, indexing="ij")
    corners = pd.DataFrame({"x1": first.ravel(), "x2": second.ravel()})
    np.testing.assert_allclose(parts.predict(corners), bilinear(corners), rtol=0, atol=EXACT)
    total = total_effect(pair, parts.mains["x1"], parts.mains["x2"])
    np.testing.assert_allclose(total.f_values.ravel(), bilinear(corners), rtol=0, atol=EXACT)


# Gaussian features of theory 1.


@pytest.mark.parametrize(
    ("case", "tolerance", "left"),
    [
        # Four standard deviations over seeds (0.0030), and the estimate's bias (0.0003). There is
        # no third order: the pair leaves next to nothing.
        (BivariateNormalInteraction(0, 1, 1, 1, 0, 0, 1, 1, 0.5), 0.0125, 5e-4),
        # As above (0.7e-5), and the noise of main effects of 10 times the size (1.7e-5), which is
        # all that the pair leaves.
        (BivariateNormalInteraction.groemping(), 5e-5, 1e-4),
    ],
    ids=["rho 0.5", "Groemping"],
)
def test_gaussian_interaction_strength(case, tolerance, left):
    X = normal_sample(case, 20_000, seed=1)

    def predict(X):
        return case.prediction(X["x1"], X["x2"])

    parts = decompose(predict, X, K=50)
    assert parts.interaction_strength == pytest.approx(case.interaction_strength(), abs=tolerance)
    assert parts.constant == pytest.approx(case.mean(), abs=4 * np.sqrt(case.variance() / len(X)))
    assert parts.unexplained < left
    assert interaction_strength(predict, X, K=50) == parts.interaction_strength


def test_groemping_interaction_strength_is_the_number_of_the_theory():
    case = BivariateNormalInteraction.groemping()
    assert case.interaction_strength() == pytest.approx(2.046e-4, abs=5e-8)


# Identities.


def test_rows_add_up(mixed):
    predict, X = mixed
    parts = decompose(predict, X, K=8)
    table = parts.to_frame()
    assert list(table.columns) == [
        "constant", "f(a)", "f(b)", "f(c)", "f(a, b)", "f(a, c)", "f(b, c)",
        "remainder", "prediction",
    ]  # fmt: skip
    np.testing.assert_array_equal(table.index, X.index)
    np.testing.assert_array_equal(table["prediction"], predict(X))
    np.testing.assert_allclose(
        table.drop(columns="prediction").sum(axis=1), predict(X), rtol=0, atol=EXACT
    )
    # Every part has mean 0 over the rows.
    means = table.drop(columns=["constant", "prediction"]).mean()
    np.testing.assert_allclose(means, 0, rtol=0, atol=EXACT)
    np.testing.assert_allclose(parts.predict(X), predict(X) - parts.remainder, rtol=0, atol=EXACT)
    np.testing.assert_allclose(parts.predict(X, order=1), parts.first_order, rtol=0, atol=EXACT)


def test_effects_are_those_of_ale_up_to_a_constant(mixed):
    predict, X = mixed
    parts = decompose(predict, X, K=8)
    for key, effect in [*parts.mains.items(), *parts.pairs.items()]:
        plain = ale(predict, X, key, K=8)
        shift = plain.f_values - effect.f_values
        assert np.ptp(shift) < EXACT
        assert effect.constant - plain.constant == pytest.approx(shift.flat[0], abs=EXACT)
        assert effect.mean_prediction == pytest.approx(plain.mean_prediction, abs=EXACT)
        assert effect.centering == "rows"


def test_centering_of_ale_gives_its_very_numbers(mixed):
    predict, X = mixed
    parts = decompose(predict, X, pairs=[("b", "a")], K=8, centering="aleplot")
    for key, effect in [*parts.mains.items(), *parts.pairs.items()]:
        np.testing.assert_array_equal(effect.f_values, ale(predict, X, key, K=8).f_values)
    assert list(parts.pairs) == [("b", "a")]
    direct = first_order_prediction(ale(predict, X, "all", K=8), X)
    np.testing.assert_allclose(direct, parts.first_order, rtol=0, atol=EXACT)


def test_interaction_strength_is_the_formula(mixed):
    predict, X = mixed
    effects = ale(predict, X, "all", K=8)
    f, first = predict(X), first_order_prediction(effects, X)
    expected = ((f - first) ** 2).sum() / ((f - f.mean()) ** 2).sum()
    found = interaction_strength(predict, X, K=8, centering="aleplot")
    assert found == pytest.approx(expected, abs=EXACT)
    assert found > 0.1


def test_integer_weights_are_repeated_rows():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.permutation(12.0 * np.arange(12)), "b": rng.normal(size=12)})
    weights = rng.integers(1, 4, size=12)
    grid = {name: np.quantile(X[name], [0, 0.3, 0.6, 1]) for name in X}

    def predict(X):
        return (X["a"] * X["b"]).to_numpy()

    weighted = decompose(predict, X, grid=grid, sample_weight=weights)
    repeated = decompose(predict, X.loc[X.index.repeat(weights)], grid=grid)
    assert weighted.constant == pytest.approx(repeated.constant, abs=EXACT)
    assert weighted.interaction_strength == pytest.approx(repeated.interaction_strength, abs=EXACT)
    assert weighted.unexplained == pytest.approx(repeated.unexplained, abs=EXACT)
    np.testing.assert_allclose(
        weighted.remainder.repeat(weights), repeated.remainder, rtol=0, atol=1e-10
    )


def test_arrays_are_decomposed_like_frames(mixed):
    _, X = mixed
    numbers = X[["a", "b"]]
    frame = decompose(lambda X: X["a"] * X["b"], numbers, K=5)
    array = decompose(lambda X: X[:, 0] * X[:, 1], numbers.to_numpy(), K=5, pairs=[(0, 1)])
    np.testing.assert_array_equal(frame.components, array.components)
    assert list(array.components.columns) == ["f(0)", "f(1)", "f(0, 1)"]
    np.testing.assert_array_equal(array.predict(numbers.to_numpy()), frame.predict(numbers))


def test_predictions_outside_the_grid_are_unknown(mixed):
    predict, X = mixed
    parts = decompose(predict, X, K=8)
    X = X.head(3).assign(a=[100.0, 0.0, np.nan])
    np.testing.assert_array_equal(np.isnan(parts.predict(X)), [True, False, True])


def test_batches_and_one_pass_over_the_rows(mixed):
    predict, X = mixed
    calls = []

    def counted(frame):
        calls.append(len(frame))
        return predict(frame)

    parts = decompose(counted, X, features=["a", "b"], K=8)
    n = len(X)
    assert sum(calls) == n + 2 * 2 * n + 4 * n
    before = len(calls)
    assert parts.mains["a"].mean_prediction == parts.constant
    assert len(calls) == before
    again = decompose(predict, X, features=["a", "b"], K=8, batch_rows=7)
    np.testing.assert_allclose(again.remainder, parts.remainder, rtol=0, atol=EXACT)


numbers = st.floats(-100, 100).map(lambda v: round(v, 3))


@settings(deadline=None, max_examples=40)
@given(
    rows=st.lists(st.tuples(numbers, numbers), min_size=3, max_size=15, unique_by=(
        lambda row: row[0], lambda row: row[1])),
    seed=st.integers(0, 2**16),
)  # fmt: skip
def test_additive_functions_leave_nothing_at_grid_points(rows, seed):
    # Every value is a grid point.
    X = pd.DataFrame(rows, columns=["a", "b"])
    scale = np.random.default_rng(seed).normal(size=3)

    def predict(X):
        return scale[0] + scale[1] * np.abs(X["a"] - 1) + scale[2] * np.cos(X["b"]) * 100

    parts = decompose(predict, X, grid={name: np.sort(X[name]) for name in X})
    first = parts.prediction - parts.first_order
    np.testing.assert_allclose(first, 0, rtol=0, atol=EXACT_LARGE)
    np.testing.assert_allclose(parts.remainder, 0, rtol=0, atol=EXACT_LARGE)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**16),
    K=st.integers(1, 9),
    factor=st.sampled_from([-4.0, 0.5, 2.0**20]),
    shift=st.sampled_from([0.0, 8.0]),
)
def test_shares_do_not_depend_on_the_scale_of_the_prediction(seed, K, factor, shift):
    X = pd.DataFrame(np.random.default_rng(seed).normal(size=(30, 2)), columns=["a", "b"])

    def predict(X):
        return X["a"] * X["b"] + X["b"]

    plain = decompose(predict, X, K=K)
    scaled = decompose(lambda X: factor * (predict(X) + shift), X, K=K)
    assert scaled.interaction_strength == pytest.approx(plain.interaction_strength, abs=1e-10)
    assert scaled.unexplained == pytest.approx(plain.unexplained, abs=1e-10)
    complexity = main_effect_complexity(plain.mains)
    assert main_effect_complexity(scaled.mains).value == pytest.approx(complexity.value, abs=1e-9)


# Complexity.


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


# Refusals.


def test_effects_are_checked(mixed):
    predict, X = mixed
    effects = ale(predict, X, ["a", ("a", "b")], K=4)
    with pytest.raises(ValueError, match="main effects, got one of"):
        first_order_prediction(effects, X)
    with pytest.raises(ValueError, match="'a' more than once"):
        first_order_prediction([effects["a"], effects["a"]], X)
    with pytest.raises(ValueError, match="at least one"):
        first_order_prediction([], X)
    with pytest.raises(TypeError, match="results of ale, got str"):
        first_order_prediction(["a"], X)
    with pytest.raises(TypeError, match="ALE main effects, got int"):
        main_effect_complexity(3)
    with pytest.raises(FeatureError, match="no column 'a'"):
        first_order_prediction(effects["a"], X[["b"]])
    with pytest.raises(FeatureError, match="'a' must be numeric"):
        first_order_prediction(effects["a"], X.assign(a="text"))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"pairs": [("a", "b"), ("b", "a")]}, FeatureError, "more than once"),
        ({"pairs": ["ab"]}, FeatureError, "tuples of two names"),
        ({"pairs": [("a", "b", "c")]}, FeatureError, "tuples of two names"),
        ({"pairs": ("a", "b")}, TypeError, "list of tuples"),
        ({"pairs": "none"}, ValueError, "pairs must be one of"),
        ({"features": [("a", "b")]}, FeatureError, "single columns"),
        ({"features": ["z"]}, FeatureError, "'z' is not a column"),
        ({"centering": "none"}, ValueError, "centering must be one of"),
    ],
)
def test_decompose_refuses(mixed, arguments, error, message):
    predict, X = mixed
    with pytest.raises(error, match=message):
        decompose(predict, X, **arguments)


def test_constant_prediction_has_no_interaction_strength(mixed):
    _, X = mixed
    with pytest.raises(ValueError, match="prediction that varies, got 5"):
        interaction_strength(lambda X: np.full(len(X), 5.0), X)


def test_order_of_prediction_is_checked(mixed):
    predict, X = mixed
    parts = decompose(predict, X, features="a", pairs=None, K=4)
    assert list(parts.components.columns) == ["f(a)"]
    with pytest.raises(ValueError, match="order must be 1 or 2, got 3"):
        parts.predict(X, order=3)


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
