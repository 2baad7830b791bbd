"""Numbers of intervals: as large as R takes them without the memory, and none ignored."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, intervals, k_sensitivity, m_plot, partial_dependence
from aleplot_py.errors import FeatureError, GridError
from aleplot_py.steps import grid

X = pd.DataFrame({"x": np.arange(20.0), "z": np.arange(20) % 3, "g": list("uvwx") * 5})
ESTIMATORS = [ale, partial_dependence, m_plot]

# Bytes for what does not depend on K.
SMALL = 10 * 2**20


def f(X):
    return X["x"].to_numpy()


@pytest.mark.parametrize("rule", ["aleplot", "iml"])
@pytest.mark.parametrize("n", [1, 2, 10, 777, 6000])
@pytest.mark.parametrize("K", [65_537, 131_072, 131_073, 999_983, 10**6])
def test_grids_of_many_intervals_are_those_of_all_quantiles_together(rule, n, K):
    x = np.round(np.random.default_rng(n).normal(size=n), 3)
    p = grid.iml_probabilities(K) if rule == "iml" else grid.aleplot_probabilities(K)
    right = np.unique(np.append(x.min(), grid.quantile_type1(x, p)))
    assert grid.quantile_grid(x, K, rule).tolist() == right.tolist()


@pytest.mark.parametrize("rule", ["aleplot", "iml"])
def test_the_largest_K_takes_no_memory(rule):
    ale(f, X, "x", K=2, grid=rule)
    tracemalloc.start()
    try:
        effect = ale(f, X, "x", K=10**6, grid=rule)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert effect.x_values[0].tolist() == X["x"].tolist()
    assert peak < SMALL


@pytest.mark.parametrize("K", [10**6 + 1, 10**9, 2**63, 2**70, np.int64(10**9)])
@pytest.mark.parametrize("features", ["x", "g", ("x", "z"), ["x", "g"]])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_larger_ones_are_refused(estimator, features, K):
    for given in (K, {"x": K}):
        with pytest.raises(ValueError, match=r"K must be at most 1,000,000, got"):
            estimator(f, X, features, K=given)


def test_larger_ones_are_refused_by_every_argument_for_a_number_of_intervals():
    with pytest.raises(ValueError, match="max_K must be at most 1,000,000"):
        intervals.Auto(max_K=10**9)
    with pytest.raises(ValueError, match="max_K must be at most 1,000,000"):
        intervals.fit(f, X, "x", max_K=2**63)
    with pytest.raises(ValueError, match="each of Ks must be at most 1,000,000"):
        k_sensitivity(f, X, "x", Ks=[5, 10**9])


def test_pairs_of_more_points_than_fit_into_memory():
    many = pd.DataFrame({"x": np.arange(4000.0), "z": np.arange(4000.0)[::-1]})
    for estimator in ESTIMATORS:
        with pytest.raises(GridError, match=r"at most 10,000,000 points, got 4,\d+ x 4,\d+"):
            estimator(f, many, ("x", "z"), K=4001)


@pytest.mark.parametrize(
    ("K", "error"),
    [
        ("abc", ValueError),
        ("Auto", ValueError),
        ([3], TypeError),
        (None, TypeError),
        (2.5, TypeError),
    ],
)
@pytest.mark.parametrize("features", ["x", "g", ["g"], ("g", "x")])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_wrong_K_is_refused_whatever_the_kind_of_the_feature(estimator, features, K, error):
    for given in (K, {"g": K}, {"z": K}, {0: K}):
        with pytest.raises((error, TypeError), match="K must be a positive integer"):
            estimator(f, X, features, K=given)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_wrong_grids_and_orders_are_refused_whatever_the_kind_of_the_feature(estimator):
    for features in ("x", "g"):
        for rule in ("abc", {"x": "abc"}, {"g": "abc"}):
            with pytest.raises(ValueError, match="grid must be one of"):
                estimator(f, X, features, grid=rule)
        for points in ([0, "b"], {"g": [2, 1]}, {"z": []}):
            with pytest.raises(GridError, match="grid of column"):
                estimator(f, X, features, grid=points)
        for order in ("abc", {"x": "abc"}, {"g": "abc"}):
            with pytest.raises(ValueError, match="order must be one of"):
                estimator(f, X, features, order=order)
        for option in ("K", "grid", "order"):
            with pytest.raises(FeatureError, match="feature 'q' is not a column"):
                estimator(f, X, features, **{option: {"q": 5}})


@pytest.mark.parametrize("estimator", [partial_dependence, m_plot])
def test_automatic_intervals_are_for_accumulated_effects(estimator):
    for features in ("x", "g"):
        with pytest.raises(TypeError, match="K must be a positive integer, got 'auto'"):
            estimator(f, X, features, K="auto")


@pytest.mark.parametrize("neighbourhood", ["interval", "kernel"])
def test_a_wrong_bandwidth_is_refused_whether_or_not_it_is_needed(neighbourhood):
    for features in ("x", "g"):
        for bandwidth in ("abc", 0, -1.0, np.nan, {features: "abc"}):
            with pytest.raises(ValueError, match=f"bandwidth of column '{features}' must be a pos"):
                m_plot(f, X, features, neighbourhood=neighbourhood, bandwidth=bandwidth)
        with pytest.raises(FeatureError, match="feature 'q' is not a column"):
            m_plot(f, X, features, neighbourhood=neighbourhood, bandwidth={"q": 1})


@pytest.mark.parametrize("bandwidth", [0.5, {"x": 0.5}])
def test_a_bandwidth_without_a_kernel_is_refused(bandwidth):
    with pytest.raises(ValueError, match=r"bandwidth= is that of a kernel, got .* with neigh"):
        m_plot(f, X, "x", bandwidth=bandwidth)
    assert m_plot(f, X, "x", neighbourhood="kernel", bandwidth=bandwidth).f_values.size
