"""Columns that broke other packages: skewed, short, constant, tiny, huge; and own grids."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, load, m_plot, partial_dependence
from aleplot_py.errors import ConstantFeatureError, FeatureError, GridError, PredictionError
from tests.small_inputs import check_curve, column, identity

# Sums of a few small numbers: rounding only.
EXACT = 1e-12


def test_skew_leaves_one_interval():
    effect = ale(identity, column([0.0] * 90 + list(np.arange(1.0, 11))), "x", K=4)
    check_curve(effect, [0, 10], [-5, 5])
    assert effect.K == (1,)
    assert effect.counts.tolist() == [100]


def test_more_intervals_than_rows():
    effect = ale(identity, column(np.arange(1.0, 11)), "x", K=40)
    check_curve(effect, range(1, 11), np.arange(1, 11) - 5.1)
    assert effect.K == (9,)
    assert effect.counts.tolist() == [2] + [1] * 8


@pytest.mark.parametrize("ones", [1, 20, 29])
def test_a_zero_one_column_is_numeric(ones):
    X = column(np.r_[np.zeros(50 - ones), np.ones(ones)])
    effect = ale(lambda X: 2 * X["x"], X, "x", K=40)
    assert effect.kinds == ("numeric",)
    check_curve(effect, [0, 1], [-1, 1])


@pytest.mark.parametrize("values", [[5.0, 5.0], pd.Categorical(["u", "u"], ["v", "u"])])
def test_constant_feature(values):
    X = pd.DataFrame({"x": values, "z": [1.0, 2.0]})
    for estimator in (ale, partial_dependence, m_plot):
        with pytest.raises(ConstantFeatureError, match=r"column 'x' has a single .*(5\.0|'u')"):
            estimator(lambda X: X["z"], X, "x")


def test_a_constant_feature_is_left_out_of_all_features():
    X = pd.DataFrame({"x": [5.0, 5.0], "z": [1.0, 2.0]})
    with pytest.warns(UserWarning, match="left out: column 'x' has a single value, 5.0"):
        effects = ale(lambda X: X["z"], X, "all")
    assert list(effects) == ["z"]
    with pytest.raises(ConstantFeatureError):
        ale(lambda X: X["z"], X, ["z", "x"])


def test_own_grid_with_empty_intervals():
    effect = ale(identity, column([1.0, 2, 3, 7, 8]), "x", grid=[0, 2, 4, 6, 8, 10])
    assert effect.counts.tolist() == [2, 1, 0, 2, 0]
    assert effect.empty.tolist() == [False, False, True, False, True]
    np.testing.assert_allclose(np.diff(effect.f_values), 2, rtol=0, atol=EXACT)
    assert effect.grid == ("given",)


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ([0, 6, 4, 10], r"grid of column 'x' .*strictly increasing: 6\.0 is followed by 4\.0"),
        ([0, 4, 4, 10], r"grid of column 'x' .*strictly increasing: 4\.0 is followed by 4\.0"),
        ([0, np.nan, 10], r"grid of column 'x' must be finite, got nan"),
        ([0, np.inf], r"grid of column 'x' must be finite, got inf"),
        ([2, 7.5], r"runs from 2\.0 to 7\.5, but 2 of 5 rows lie outside .*1\.0 to 8\.0"),
    ],
)
def test_unusable_grid(grid, message):
    with pytest.raises(GridError, match=message):
        ale(identity, column([1.0, 2, 3, 7, 8]), "x", grid=grid)


def test_stated_clipping():
    effect = ale(identity, column([1.0, 2, 3, 7, 8]), "x", grid=[2, 4, 7.5], outside="clip")
    assert effect.counts.tolist() == [3, 2]
    check_curve(effect, [2, 4, 7.5], np.array([2, 4, 7.5]) - (3 * 3 + 2 * 5.75) / 5)


def test_centring_weighted_by_the_data():
    effect = ale(identity, column(np.arange(1.0, 11)), "x", K=4)
    check_curve(effect, [1, 3, 5, 8, 10], [-4.15, -2.15, -0.15, 2.85, 4.85])


@pytest.mark.parametrize("features", ["x", "c", ("x", "z"), ("c", "x"), ("x", "c"), ("c", "g")])
def test_small_samples_are_finite_everywhere(features):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "x": rng.normal(size=10),
            "z": rng.normal(size=10),
            "c": pd.Categorical(rng.choice(list("pqrs"), 10)),
            "g": pd.Categorical(rng.choice(list("uvw"), 10)),
        }
    )
    effect = ale(lambda X: X["x"] * X["z"] + X["c"].cat.codes * X["x"], X, features, K=20)
    assert np.isfinite(effect.f_values).all()
    assert np.isfinite(effect.local_mean).all()


def test_additive_function_has_no_interaction():
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"x": rng.lognormal(size=50), "z": rng.integers(0, 4, 50)})
    effect = ale(lambda X: X["x"] + X["z"], X, ("x", "z"), K=10)
    assert np.abs(effect.f_values).max() <= EXACT
    product = ale(lambda X: X["x"] * X["z"], X, ("x", "z"), K=10).f_values
    turned = ale(lambda X: X["x"] * X["z"], X, ("z", "x"), K=10).f_values
    assert np.abs(product).max() > 0.1
    np.testing.assert_allclose(turned, product.T, rtol=0, atol=EXACT)


def test_local_effects_that_are_equal_have_no_spread():
    """The bands themselves come with the uncertainty of effects."""
    X = column(np.arange(1.0, 41))
    assert ale(identity, X, "x", K=4).local_std.max() <= EXACT
    X = X.assign(z=np.tile([0.0, 1.0], 20))
    assert ale(lambda X: X["x"] * X["z"], X, "x", K=4).local_std.min() > 1


@pytest.mark.parametrize("K", [0, -3, 2.5, 2.0, "40", True, None, [4]])
def test_number_of_intervals_is_checked(K):
    with pytest.raises((TypeError, ValueError), match=r"K must be a positive integer.*got"):
        ale(identity, column([1.0, 2, 3]), "x", K=K)


@pytest.mark.parametrize("scale", [1e-10, 1e-300, 1.0, 1e10, 1e300])
def test_curves_are_free_of_scale(scale):
    X = column(np.arange(11.0))
    right = ale(identity, X, "x", K=5)
    scaled = ale(identity, X * scale, "x", K=5)
    np.testing.assert_allclose(scaled.x_values[0] / scale, right.x_values[0], rtol=0, atol=EXACT)
    np.testing.assert_allclose(scaled.f_values / scale, right.f_values, rtol=0, atol=EXACT)


@pytest.mark.parametrize("features", ["x", ("x", "z")])
def test_a_large_offset(features):
    """Grid points differ in the last digits only; the same rows stay in the same intervals."""
    rng = np.random.default_rng(7)
    X = pd.DataFrame({"x": rng.integers(0, 64, 80) / 64, "z": rng.normal(size=80)})

    def predict(X):
        return (X["x"] - 1e6) * X["z"]

    right = ale(lambda X: X["x"] * X["z"], X, features, K=8)
    moved = ale(predict, X.assign(x=X["x"] + 1e6), features, K=8)
    assert np.array_equal(moved.counts, right.counts)
    np.testing.assert_allclose(moved.f_values, right.f_values, rtol=0, atol=EXACT)


ESTIMATORS = [ale, partial_dependence, m_plot]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_values_whose_differences_overflow(estimator):
    X = pd.DataFrame({"x": [-1.7e308, 0.0, 1.7e308], "z": [0.0, 1, 2]})
    with pytest.raises(FeatureError, match=r"column 'x' must have values of at most 4\.5e\+307"):
        estimator(lambda X: X["z"], X, ("x", "z"))
    with pytest.raises(GridError, match=r"points of at most 4\.5e\+307 in size, got 1e\+308"):
        estimator(lambda X: X["z"], X, "z", grid=[0, 1, 1e308])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_predictions_whose_sums_overflow(estimator):
    X = pd.DataFrame({"x": [0.0, 1, 2, 3]})
    with pytest.raises(PredictionError, match=r"at most 1e\+302 in size, .* got -1\.7e\+308"):
        estimator(lambda X: np.where(X["x"] > 1, 1.0, -1.7e308), X, "x")
    with pytest.raises(PredictionError, match="got an integer beyond all doubles"):
        estimator(lambda X: [10**400] * len(X), X, "x")


@pytest.mark.parametrize("batch_rows", [None, 2])
def test_squares_overflow_but_the_effect_does_not(tmp_path, batch_rows):
    """f = z x on x = 0, 1, 2, 3, scaled by 1e200: the effect of the unscaled one, times 1e200."""
    X = pd.DataFrame({"x": [0.0, 1, 2, 3], "z": [1.0, 3, -2, 5]})
    right = ale(lambda X: X["x"] * X["z"], X, "x", K=2)
    effect = ale(lambda X: X["x"] * X["z"] * 1e200, X, "x", K=2, batch_rows=batch_rows)
    np.testing.assert_allclose(effect.f_values / 1e200, right.f_values, rtol=0, atol=EXACT)
    np.testing.assert_allclose(effect.local_std / 1e200, right.local_std, rtol=0, atol=EXACT)
    effect.save(tmp_path / "effect.json")
    assert np.array_equal(load(tmp_path / "effect.json").local_std, effect.local_std)


def test_equidistant_points_that_coincide_are_one():
    low, high = 1.0, np.nextafter(1, 2)
    X = pd.DataFrame({"x": [low, high, low, high]})
    effect = partial_dependence(lambda X: X["x"] > 1, X, "x", K=7)
    assert effect.x_values[0].tolist() == [low, high]
    assert effect.evaluate(X["x"]).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("scale", [1e-300, 1e200])
def test_kernels_are_free_of_scale(scale):
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"x": rng.normal(size=30), "z": rng.normal(size=30)})
    right = m_plot(lambda X: X["x"] * X["z"], X, "x", K=5, neighbourhood="kernel")
    effect = m_plot(
        lambda X: X["x"] / scale * X["z"],
        X.assign(x=X["x"] * scale),
        "x",
        K=5,
        neighbourhood="kernel",
    )
    np.testing.assert_allclose(effect.f_values, right.f_values, rtol=0, atol=1e3 * EXACT)


def test_a_kernel_needs_a_spread_or_a_bandwidth():
    X = pd.DataFrame({"x": [1.0, 1.0], "z": [0.0, 1.0]})
    options = {"grid": [0, 1, 2], "neighbourhood": "kernel"}
    with pytest.raises(ValueError, match=r"bandwidth of column 'x' is needed: .* value, 1\.0"):
        m_plot(lambda X: X["z"], X, "x", **options)
    effect = m_plot(lambda X: X["z"], X, "x", bandwidth=1.0, **options)
    assert effect.f_values.tolist() == [0.5, 0.5, 0.5]
    # 40 bandwidths away doubles have no digits left for the weights.
    effect = m_plot(lambda X: X["z"], X, "x", bandwidth=0.025, **options)
    assert np.isnan(effect.f_values).tolist() == [True, False, True]


@pytest.mark.parametrize("n", [50, 6000])
@pytest.mark.parametrize("ends", [(0.0, 30.0), (-1.0, 31.5), (3.0, 30.0), (0.0, 28.5)])
def test_a_row_belongs_to_the_first_point_not_below_it(n, ends):
    """To the last one beyond the grid; values are quick to find on a grid that holds them all."""
    x = np.append(np.random.default_rng(n).integers(0, 61, n) / 2, [0, 30])
    points = np.unique(np.concatenate([ends, np.arange(4.0, 28.0, 3.25), [7.0, 7.5]]))
    axis = partial_dependence(lambda X: X[:, 0], x[:, None], 0, grid=points).axes[0]
    assert axis.codes.tolist() == [min((points < value).sum(), len(points) - 1) for value in x]
