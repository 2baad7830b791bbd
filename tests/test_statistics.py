"""ALE statistics, their null distribution, p-values and effect regions."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
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
from aleplot_py.analysis.statistics import (
    AleStatistics,
    ale_statistics,
    normalised_effect,
    statistics_table,
)
from aleplot_py.errors import FeatureError

# Sums of a few dozen terms of size 10 in double precision.
EXACT = 1e-12

# Okoli's worked case (theory 7): effects, rows (first those at the first edge), response.
EFFECT = [0.5, 1, 2, 5, 7.5]
ROWS = [3, 4, 5, 2, 6]
RESPONSE = [1, 1.1, 1.2, 1.5, 2, 2.2, 2.4, 2.4, 3, 3.5, 4, 5, 6.1, 7, 8, 8, 9, 10, 10.5, 11.2]


# Statistics.


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
    # Centred at 3: -2, -1, 1, 2 and 4; the response at the median is on neither side.
    response = [5, 1, 2, 3, 4, 7, 3]
    effect = [-9, -2, -1.5, -1, -0.9, 0, 0.9, 1, 1.9, 2, 3.9, 4, 9]
    third = 50 / 3
    expected = [-50, -50, -25, -25, 0, 0, 0, third, third, 2 * third, 2 * third, 50, 50]
    np.testing.assert_allclose(normalised_effect(effect, response), expected, rtol=0, atol=EXACT)


def test_normalising_by_a_binary_response():
    np.testing.assert_array_equal(
        normalised_effect([-0.5, 0.0, 0.5, 1.0], [0, 0, 0, 1, 1]), [0, 0, 0, 50]
    )


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


# The random variable.


def least_squares(X, y):
    design = np.column_stack([np.ones(len(X)), X])
    weights = np.linalg.lstsq(design, y, rcond=None)[0]
    return lambda X: np.column_stack([np.ones(len(X)), X]) @ weights


@pytest.fixture(scope="module")
def regression():
    rng = np.random.default_rng(11)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=["strong", "weak", "noise"])
    y = 2 * X["strong"] + 0.3 * X["weak"] + rng.normal(size=120)
    null = random_variable_null(LinearRegression(), X, y, n=200, random_state=5)
    return X, y, null


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
    np.testing.assert_array_equal(shares.loc["strong"], 0)
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
        assert response is target
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
    return RandomVariableNull(pd.DataFrame(columns))


def test_p_values_by_hand():
    null = null_of([1, 2, 2, 3])
    found = p_values(AleStatistics(2, -2, 2.5, 0, -4, 3), null)
    assert found.tolist() == [0.75, 0.75, 0.25, 1, 0, 0.25]
    assert null.band(0.25) == (-2, 2)
    assert null.band(0.2) == (-3, 3)


@given(
    st.lists(st.integers(-20, 20), min_size=1, max_size=40),
    st.integers(-25, 25),
    st.one_of(st.floats(0.001, 0.999), st.integers(1, 39).map(lambda k: k / 40)),
)
def test_outside_the_band_is_the_same_as_significant(values, value, alpha):
    null = null_of(values)
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
        ({"fit": 3}, TypeError, "fit must be an estimator or a callable, got int"),
        ({"fit": LinearRegression}, TypeError, "got the class LinearRegression"),
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


# Regions.


@pytest.fixture
def line():
    X = pd.DataFrame({"x": np.linspace(-1, 1, 200), "c": list("aabbbbcccc") * 20})
    return ale(lambda X: X["x"], X, "x", grid=np.linspace(-1, 1, 6)), X


def test_regions_of_a_line(line):
    effect, _ = line
    found = effect_regions(effect, (-0.5, 0.25))
    assert found["position"].tolist() == ["below", "within", "above"]
    np.testing.assert_allclose(found["start"], [-1, -0.5, 0.25], rtol=0, atol=EXACT)
    np.testing.assert_allclose(found["end"], [-0.5, 0.25, 1], rtol=0, atol=EXACT)
    np.testing.assert_allclose(found["start_value"], [-1, -0.5, 0.25], rtol=0, atol=EXACT)
    np.testing.assert_allclose(found["end_value"], [-0.5, 0.25, 1], rtol=0, atol=EXACT)
    assert found["rows"].tolist() == [50, 75, 75]
    assert found["share"].sum() == pytest.approx(1, abs=EXACT)


def test_regions_with_a_confidence_band(line):
    effect, _ = line
    lower, upper = effect.f_values - 0.1, effect.f_values + 0.2
    found = effect_regions(effect, (-0.5, 0.25), lower=lower, upper=upper)
    assert found["position"].tolist() == ["below", "within", "above"]
    np.testing.assert_allclose(found["end"], [-0.7, 0.35, 1], rtol=0, atol=EXACT)
    wide = effect_regions(effect, (-0.5, 0.25), lower=lower - 3, upper=upper + 3)
    assert wide["position"].tolist() == ["within"]
    assert wide[["start", "end", "rows"]].to_numpy().tolist() == [[-1, 1, 200]]


def test_regions_come_back_to_the_band():
    x = np.linspace(-2, 2, 401)
    effect = ale(lambda X: np.cos(np.pi * X["x"]), pd.DataFrame({"x": x}), "x", K=400)
    found = effect_regions(effect, (-0.5, 0.5))
    there = ["above", "within", "below", "within"]
    assert found["position"].tolist() == [*there, *there, "above"]
    # cos is +-1/2 at +-1/3, +-2/3, +-4/3 and +-5/3; one grid step is 0.01.
    crossings = np.array([-5, -4, -2, -1, 1, 2, 4, 5]) / 3
    np.testing.assert_allclose(found["end"][:-1], crossings, rtol=0, atol=0.01)
    np.testing.assert_array_equal(found["start"][1:], found["end"][:-1])


def test_regions_of_levels(line):
    _, X = line
    effect = ale(lambda X: (X["c"] == "c") * 1.0 - (X["c"] == "a"), X, "c", order=list("abc"))
    found = effect_regions(effect, (-0.5, 0.5))
    assert found["level"].tolist() == ["a", "b", "c"]
    assert found["position"].tolist() == ["below", "within", "above"]
    assert found["rows"].tolist() == [40, 80, 80]
    np.testing.assert_array_equal(found["value"], effect.f_values)


def test_regions_against_the_null(regression):
    X, y, null = regression
    model = LinearRegression().fit(X, y)
    low, high = null.band()
    strong = effect_regions(ale(model, X, "strong"), null)
    assert strong["position"].tolist() == ["below", "within", "above"]
    np.testing.assert_allclose(strong["end_value"][:2], [low, high], rtol=0, atol=EXACT)
    noise = effect_regions(ale(model, X, "noise"), null, alpha=0.01)
    assert noise["position"].tolist() == ["within"]


@settings(deadline=None)
@given(st.integers(0, 2**16), st.integers(2, 12))
def test_regions_cover_the_grid_and_every_row(seed, K):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.normal(size=40)})
    weights = rng.integers(0, 3, size=40) + 1.0
    effect = ale(lambda X: np.sin(5 * X["x"]), X, "x", K=K, sample_weight=weights)
    low, high = np.sort(rng.normal(size=2) / 2)
    found = effect_regions(effect, (low, high))
    assert found["start"].iloc[0] == effect.x_values[0][0]
    assert found["end"].iloc[-1] == effect.x_values[0][-1]
    assert (found["position"] != found["position"].shift()).all()
    assert found["rows"].sum() == pytest.approx(weights.sum(), abs=EXACT * 100)
    middle = effect.evaluate((found["start"] + found["end"]) / 2)
    for position, value in zip(found["position"], middle, strict=True):
        inside = {"below": value < high, "within": True, "above": value > low}[position]
        assert inside


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"null": (1, -1)}, ValueError, "low end must not exceed"),
        ({"null": 3}, TypeError, r"a band \(low, high\), got 3"),
        ({"lower": np.zeros(6)}, ValueError, "given together"),
        ({"lower": np.zeros(5), "upper": np.ones(6)}, ValueError, "lower must have one value"),
        ({"lower": np.ones(6), "upper": np.zeros(6)}, ValueError, "must not exceed upper"),
    ],
)
def test_regions_refuse(line, arguments, error, message):
    effect, _ = line
    with pytest.raises(error, match=message):
        effect_regions(effect, **{"null": (-1, 1), **arguments})


def test_regions_need_a_main_effect(line):
    _, X = line
    pair = ale(lambda X: X["x"], X, ("x", "c"), K=2, order={"c": "declared"})
    with pytest.raises(TypeError, match="main effect of ale"):
        effect_regions(pair, (-1, 1))
