"""Total effect, additive model, decomposition and interaction strength."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aleplot_py import ale, h_statistics
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


def test_groemping_interaction_strength_is_the_number_of_the_closed_form():
    case = BivariateNormalInteraction.groemping()
    assert case.interaction_strength() == pytest.approx(2.046e-4, abs=5e-8)


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
        assert effect.centre == "rows"


def test_centre_of_ale_gives_its_very_numbers(mixed):
    predict, X = mixed
    parts = decompose(predict, X, pairs=[("b", "a")], K=8, centre="aleplot")
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
    found = interaction_strength(predict, X, K=8, centre="aleplot")
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


def test_no_call_has_more_rows_than_the_default(mixed, monkeypatch):
    predict, X = mixed
    whole = decompose(predict, X, features=["a", "b"], K=3)
    monkeypatch.setattr("aleplot_py.inputs.options.ROWS_PER_CALL", 50)
    sizes = []

    def counted(frame):
        sizes.append(len(frame))
        return predict(frame)

    assert decompose(counted, X, features=["a", "b"], K=3) == whole
    assert max(sizes) == 50


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
    with pytest.raises(FeatureError, match="'a' is not a column of X"):
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
        ({"centre": "none"}, ValueError, "centre must be one of"),
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
    with pytest.raises(ValueError, match="order must be 1, 2 or 3, got 4"):
        parts.predict(X, order=4)


@pytest.mark.parametrize("kind", [pd.DataFrame, np.asarray])
def test_one_hot_columns_are_one_feature(kind):
    """As a categorical column in their place is, to the last bit."""
    rng = np.random.default_rng(5)
    colour = rng.choice(["(none)", "red", "blue"], 90)
    coded = pd.DataFrame({"x": rng.normal(size=90)}).assign(
        red=(colour == "red").astype(float), blue=(colour == "blue").astype(float)
    )

    def f(X):
        X = np.asarray(X)
        return X[:, 0] * (1 + X[:, 1] - 2 * X[:, 2]) + X[:, 2]

    levels = pd.Categorical(colour, categories=["(none)", "red", "blue"])
    plain = coded[["x"]].assign(colour=levels)

    def of_levels(X):
        ones = [X["x"], X["colour"] == "red", X["colour"] == "blue"]
        return f(np.stack(ones, axis=1).astype(float))

    names = ["red", "blue"] if kind is pd.DataFrame else [1, 2]
    x = "x" if kind is pd.DataFrame else 0
    asked = {x: [x], "colour": names}
    found = decompose(f, kind(coded), features=asked, K=4, order="frequency")
    right = decompose(of_levels, plain, features=["x", "colour"], K=4, order="frequency")
    np.testing.assert_array_equal(found.at_rows, right.at_rows)
    np.testing.assert_array_equal(found.remainder, right.remainder)
    assert list(found.pairs) == [(x, "colour")]
    some = decompose(f, kind(coded), features=asked, pairs=[("colour", x)], K=4)
    assert list(some.pairs) == [("colour", x)]
    strength = interaction_strength(f, kind(coded), features=asked, K=4, order="frequency")
    assert strength == right.interaction_strength
    by_h = h_statistics(f, kind(coded), features=asked, K=4)
    right = h_statistics(of_levels, plain, features=["x", "colour"], K=4)
    assert by_h.features == ((), (x,), ("colour",), (x, "colour"))
    np.testing.assert_array_equal(by_h.interaction, right.interaction)
    with pytest.raises(FeatureError, match="must not use a column twice"):
        decompose(f, kind(coded), features={"a": names, "b": names[:1]})
