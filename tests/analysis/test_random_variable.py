"""The null distribution of a random variable, its bands and p-values."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aleplot_py import ale
from aleplot_py.analysis.random_variable import (
    RandomVariableNull,
    effect_regions,
    p_values,
    random_variable_null,
)
from aleplot_py.analysis.statistics import AleStatistics, ale_statistics, statistics_table
from aleplot_py.errors import FeatureError

# Sums of a few dozen terms of size 10 in double precision.
EXACT = 1e-12


def least_squares(X, y):
    design = np.column_stack([np.ones(len(X)), X])
    weights = np.linalg.lstsq(design, y, rcond=None)[0]
    return lambda X: np.column_stack([np.ones(len(X)), X]) @ weights


def test_null_of_least_squares_is_the_sampling_distribution_of_a_slope():
    # With standard normal noise and column the slope is N(0, 1 / rows) and the effect slope * x:
    # its mean absolute deviation has expectation E|slope| E|x| = 2 / (pi sqrt(rows)).
    rng = np.random.default_rng(2)
    rows, n = 400, 300
    X = rng.normal(size=(rows, 2))
    y = X[:, 0] + rng.normal(size=rows)
    y = y / np.std(y - least_squares(X, y)(X), ddof=3)
    null = random_variable_null(least_squares, X, y, n=n, random_state=3)
    aled = null.statistics["aled"]
    expected = 2 / (np.pi * np.sqrt(rows))
    # Four standard errors.
    assert aled.mean() == pytest.approx(expected, abs=4 * aled.std() / np.sqrt(n))
    low, high = null.band(0.1)
    assert low < 0 < high
    # A line through a symmetric column reaches as far down as up.
    assert low == pytest.approx(-high, rel=0.2)


def test_strong_feature_is_found_and_noise_is_not(regression):
    X, y, null = regression
    model = LinearRegression().fit(X, y)
    effects = ale(model, X, "all")
    table = statistics_table(effects, y)
    shares = p_values(table, null)
    assert list(shares.index) == ["strong", "weak", "noise"]
    np.testing.assert_array_equal(shares.loc["strong"], 1 / 201)
    assert (shares.loc["weak", ["aled", "aler_min", "aler_max"]] < 0.05).all()
    assert (shares.loc["noise", ["aled", "aler_min", "aler_max"]] > 0.05).all()
    one = p_values(ale_statistics(effects["noise"], y), null)
    np.testing.assert_array_equal(one, shares.loc["noise"])
    bare = p_values(ale_statistics(effects["noise"]), null)
    assert bare.isna().tolist() == [False, False, False, True, True, True]


def test_estimator_callable_and_workers_agree(regression):
    X, y, null = regression

    def fit(X, y):
        return LinearRegression().fit(X, y)

    again = random_variable_null(fit, X, y, n=200, random_state=np.random.default_rng(5))
    pd.testing.assert_frame_equal(again.statistics, null.statistics, check_exact=True)
    other = random_variable_null(fit, X, y, n=20, random_state=6)
    assert not np.isin(other.statistics["aled"], null.statistics["aled"]).any()
    parallel = random_variable_null(fit, X, y, n=20, random_state=6, n_jobs=2)
    pd.testing.assert_frame_equal(parallel.statistics, other.statistics, check_exact=True)


def test_frame_is_kept_and_gets_one_column(regression):
    X, y, _ = regression
    X = X.head(30).assign(kind=pd.Categorical(list("ab") * 15))
    before = X.copy()
    seen = []

    def fit(frame, response):
        seen.append(frame)
        pd.testing.assert_series_equal(response, target)
        return lambda frame: frame["signal"].to_numpy()

    target = y.head(30)
    null = random_variable_null(
        fit,
        X,
        target,
        n=2,
        name="signal",
        draw=lambda generator, size: generator.uniform(size=size),
        random_state=0,
    )
    pd.testing.assert_frame_equal(X, before)
    for frame in seen:
        pd.testing.assert_frame_equal(frame[X.columns], X)
        assert list(frame.columns) == [*X.columns, "signal"]
        assert frame["signal"].between(0, 1).all()
    ranges = null.statistics["aler_max"] - null.statistics["aler_min"]
    expected = [frame["signal"].max() - frame["signal"].min() for frame in seen]
    np.testing.assert_allclose(ranges, expected, rtol=0, atol=EXACT)


def test_unseeded_estimators_are_seeded_and_not_changed(regression):
    X, y, _ = regression
    forest = make_pipeline(StandardScaler(), RandomForestRegressor(n_estimators=2))
    state = np.random.get_state()[1].copy()  # noqa: NPY002 (what must stay as it is)
    first = random_variable_null(forest, X.head(40), y.head(40), n=2, random_state=9)
    second = random_variable_null(forest, X.head(40), y.head(40), n=2, random_state=9)
    pd.testing.assert_frame_equal(first.statistics, second.statistics, check_exact=True)
    assert not hasattr(forest[-1], "estimators_")
    assert forest[-1].random_state is None
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_seeds_of_the_caller_are_kept(regression):
    X, y, _ = regression
    seeds = []

    class Recorder(RandomForestRegressor):
        def fit(self, X, y):
            seeds.append(self.random_state)
            return super().fit(X, y)

    for seed in (None, 3):
        random_variable_null(Recorder(n_estimators=1, random_state=seed), X, y, n=2, random_state=0)
    assert seeds[2:] == [3, 3]
    assert len(set(seeds[:2])) == 2


def test_unused_random_variable_is_a_warning(regression):
    X, y, _ = regression
    with pytest.warns(UserWarning, match="none of 3 refits used the random variable"):
        random_variable_null(lambda X, y: lambda X: X["strong"], X, y, n=3, random_state=0)


def test_a_random_variable_in_a_single_interval_is_used(regression):
    # The mean effect of two values is 0: all rows stand in the middle of the only interval.
    X, y, _ = regression

    def coin(generator, size):
        return generator.permutation(np.arange(size) % 2)

    null = random_variable_null(LinearRegression(), X, y, n=3, draw=coin, random_state=0)
    np.testing.assert_allclose(null.statistics["aled"], 0, rtol=0, atol=EXACT)
    assert (null.statistics["aler_max"] > 0).all()


def null_of(values):
    values = np.asarray(values, dtype=float)
    columns = {
        name: -values if name.endswith("min") else values
        for name in ("aled", "aler_min", "aler_max", "naled", "naler_min", "naler_max")
    }
    return RandomVariableNull(pd.DataFrame(columns).to_numpy())


def test_p_values_by_hand():
    null = null_of([1, 2, 2, 3])
    found = p_values(AleStatistics(2, -2, 2.5, 0, -4, 3), null)
    assert found.tolist() == [0.8, 0.8, 0.4, 1, 0.2, 0.4]
    assert null.band(0.4) == (-2, 2)
    assert null.band(0.2) == (-3, 3)
    assert repr(null) == "RandomVariableNull(4 refits, smallest p-value 0.2)"


@pytest.mark.parametrize(
    ("n", "alpha", "needed"), [(18, 0.05, 19), (3, 0.05, 19), (98, 0.01, 99), (998, 0.001, 999)]
)
def test_too_few_refits_find_nothing_and_say_how_many_it_takes(n, alpha, needed):
    message = f"{n} refits give no p-value below .*takes n={needed} or more"
    with pytest.warns(UserWarning, match=message):
        assert null_of(np.arange(n)).band(alpha) == (-np.inf, np.inf)
    assert null_of(np.arange(needed)).band(alpha) == (1 - needed, needed - 1)
    far = p_values(AleStatistics(1e9, -1e9, 1e9), null_of(np.arange(needed)))
    assert (far.dropna() == 1 / (needed + 1)).all()


def test_no_region_is_found_with_too_few_refits():
    X = pd.DataFrame({"x": np.arange(10.0), "c": list("ab") * 5})
    for feature, f in (("x", lambda X: X["x"]), ("c", lambda X: 9.0 * (X["c"] == "a"))):
        with pytest.warns(UserWarning, match="the band is infinite"):
            regions = effect_regions(ale(f, X, feature), null_of([1.0, 2.0]))
        assert set(regions["position"]) == {"within"}


@given(
    st.lists(st.integers(-20, 20), min_size=1, max_size=40),
    st.integers(-25, 25),
    st.one_of(st.floats(0.001, 0.999), st.integers(1, 39).map(lambda k: k / 40)),
)
def test_outside_the_band_is_the_same_as_significant(values, value, alpha):
    null = null_of(values)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the band is infinite")
        low, high = null.band(alpha)
    shares = p_values(AleStatistics(0, -value, value), null)
    assert (value > high) == (shares["aler_max"] <= alpha)
    assert (-value < low) == (shares["aler_min"] <= alpha)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"n": 0}, ValueError, "n must be a positive integer"),
        ({"name": "strong"}, FeatureError, "already has a column 'strong'"),
        ({"y": [1, 2]}, ValueError, r"y must have one value per row, 120, got shape \(2,\)"),
        ({"y": None}, ValueError, r"y must have one value per row"),
        (
            {"fit": 3},
            TypeError,
            "fit must be an estimator with a fit method or a callable.X, y., got int",
        ),
        (
            {"fit": LinearRegression},
            TypeError,
            "fit must be an estimator, not its class LinearRegression",
        ),
        ({"y": ["yes"] * 120}, TypeError, "y is not numeric: give response="),
        ({"draw": lambda generator, size: [1.0]}, ValueError, r"draw must return shape \(120,\)"),
        ({"X": [[1]]}, TypeError, "X must be a DataFrame"),
    ],
)
def test_null_refuses(regression, changes, error, message):
    X, y, _ = regression
    arguments = {"fit": LinearRegression(), "X": X, "y": y, "n": 2, **changes}
    with pytest.raises(error, match=message):
        random_variable_null(
            arguments.pop("fit"), arguments.pop("X"), arguments.pop("y"), **arguments
        )


@pytest.mark.parametrize("alpha", [0, 1, -0.1, np.nan])
def test_band_needs_a_level(alpha):
    with pytest.raises(ValueError, match="alpha must be between 0 and 1"):
        null_of([1.0]).band(alpha)


def test_p_values_refuse():
    with pytest.raises(TypeError, match="null must be a RandomVariableNull"):
        p_values(AleStatistics(0, 0, 0), [1])
    with pytest.raises(TypeError, match="statistics must be AleStatistics"):
        p_values([1], null_of([1]))
    with pytest.raises(ValueError, match="'size' is not an ALE statistic"):
        p_values(pd.DataFrame({"size": [1]}), null_of([1]))
