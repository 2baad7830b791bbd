"""Small inputs that broke other packages, with the right answers, by the rows of cases.md."""

import inspect
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import aleplot_py
from aleplot_py import ale, ice, m_plot, partial_dependence
from aleplot_py.errors import ConstantFeatureError, FeatureError, GridError, PredictionError

# Sums of a few small numbers: rounding only.
EXACT = 1e-12
# Right answers written with four decimals.
FOUR_DECIMALS = 5.1e-5

EFFECTS = {"a": 0.0, "b": 1.0, "c": 4.0}
CENTRED = {"a": -2.3, "b": -1.3, "c": 1.7}


def identity(X):
    return X["x"].to_numpy(dtype=float)


def column(values):
    return pd.DataFrame({"x": values})


def abc(**options):
    """The column of row 6: a, b, c with counts 2, 3, 5."""
    return pd.Categorical(list("aabbbccccc"), **options)


def effect_of_level(X):
    return np.array([EFFECTS[str(level)] for level in X["c"]])


def by_level(effect):
    return dict(zip(effect.x_values[0].tolist(), effect.f_values.tolist(), strict=True))


def check_curve(effect, points, values, tolerance=EXACT):
    assert effect.x_values[0].tolist() == list(points)
    np.testing.assert_allclose(effect.f_values, values, rtol=0, atol=tolerance)


def check_levels(effect, values, tolerance=EXACT):
    found = by_level(effect)
    assert set(found) == set(values)
    for level, value in values.items():
        assert abs(found[level] - value) <= tolerance


def test_row_01_skew_leaves_one_interval():
    effect = ale(identity, column([0.0] * 90 + list(np.arange(1.0, 11))), "x", K=4)
    check_curve(effect, [0, 10], [-5, 5])
    assert effect.K == (1,)
    assert effect.counts.tolist() == [100]


def test_row_02_more_intervals_than_rows():
    effect = ale(identity, column(np.arange(1.0, 11)), "x", K=40)
    check_curve(effect, range(1, 11), np.arange(1, 11) - 5.1)
    assert effect.K == (9,)
    assert effect.counts.tolist() == [2] + [1] * 8


@pytest.mark.parametrize("ones", [1, 20, 29])
def test_row_03_zero_one_column_is_numeric(ones):
    X = column(np.r_[np.zeros(50 - ones), np.ones(ones)])
    effect = ale(lambda X: 2 * X["x"], X, "x", K=40)
    assert effect.kinds == ("numeric",)
    check_curve(effect, [0, 1], [-1, 1])


def test_row_03_as_a_category():
    X = column(np.r_[np.zeros(30), np.ones(20)])
    effect = ale(lambda X: 2 * X["x"], X, "x", categorical="x", order=[0, 1])
    assert effect.kinds == ("categorical",)
    check_levels(effect, {0: -0.8, 1: 1.2})


@pytest.mark.parametrize("values", [[5.0, 5.0], pd.Categorical(["u", "u"], ["v", "u"])])
def test_row_04_constant_feature(values):
    X = pd.DataFrame({"x": values, "z": [1.0, 2.0]})
    for estimator in (ale, partial_dependence, m_plot):
        with pytest.raises(ConstantFeatureError, match=r"column 'x' has a single .*(5\.0|'u')"):
            estimator(lambda X: X["z"], X, "x")


def test_row_04_is_left_out_of_all_features():
    X = pd.DataFrame({"x": [5.0, 5.0], "z": [1.0, 2.0]})
    with pytest.warns(UserWarning, match="left out: column 'x' has a single value, 5.0"):
        effects = ale(lambda X: X["z"], X, "all")
    assert list(effects) == ["z"]
    with pytest.raises(ConstantFeatureError):
        ale(lambda X: X["z"], X, ["z", "x"])


def test_row_05_own_grid_with_empty_intervals():
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
def test_row_05_unusable_grid(grid, message):
    with pytest.raises(GridError, match=message):
        ale(identity, column([1.0, 2, 3, 7, 8]), "x", grid=grid)


def test_row_05_stated_clipping():
    effect = ale(identity, column([1.0, 2, 3, 7, 8]), "x", grid=[2, 4, 7.5], outside="clip")
    assert effect.counts.tolist() == [3, 2]
    check_curve(effect, [2, 4, 7.5], np.array([2, 4, 7.5]) - (3 * 3 + 2 * 5.75) / 5)


def test_row_06_categorical_centring():
    X = pd.DataFrame({"c": abc(), "z": np.arange(10.0)})
    effect = ale(effect_of_level, X, "c")
    check_levels(effect, CENTRED)
    assert abs(effect.counts @ effect.f_values) <= EXACT
    assert effect.counts.sum() == 10


def test_row_07_centring_weighted_by_the_data():
    effect = ale(identity, column(np.arange(1.0, 11)), "x", K=4)
    check_curve(effect, [1, 3, 5, 8, 10], [-4.15, -2.15, -0.15, 2.85, 4.85])


@pytest.mark.parametrize("declared", ["cab", "abc", "bca"])
def test_row_08_ordered_category_keeps_its_order(declared):
    X = pd.DataFrame({"c": abc(categories=list(declared), ordered=True), "z": np.arange(10.0)})
    effect = ale(effect_of_level, X, "c")
    assert effect.x_values[0].tolist() == list(declared)
    check_levels(effect, CENTRED)


def test_row_08_types_of_other_columns_never_decide():
    n = 10
    others = {
        "ordered": abc(ordered=True),
        "unordered": abc(categories=list("xcba")),
        "flag": np.arange(n) % 3 == 0,
        "maybe": pd.array([None, 1] * 5, "Int64"),
        "maybe_flag": pd.array([None, True] * 5, "boolean"),
        "when": pd.date_range("2020-01-01", periods=n),
        "lag": pd.to_timedelta(np.arange(n), unit="h"),
        "text": list("qwertyuiop"),
        "mixed": [1, "a", None, 2.5, "b"] * 2,
        "holes": [np.nan, 1.0] * 5,
        "infinite": [np.inf, 1.0] * 5,
        "nothing": [None] * n,
        "lists": [[i] for i in range(n)],
        "complex": np.arange(n) * 1j,
        "bins": pd.cut(np.arange(n), 3),
    }
    for name, values in others.items():
        X = pd.DataFrame({"c": abc(), "z": np.arange(n) % 4.0, name: values})
        check_levels(ale(effect_of_level, X, "c"), CENTRED)


def test_row_09_one_column_only():
    X = pd.DataFrame({"c": abc(categories=list("cab"))})
    with pytest.warns(UserWarning, match="column 'c': there is no other column, so its levels"):
        effect = ale(effect_of_level, X, "c")
    assert effect.x_values[0].tolist() == list("cab")
    check_levels(effect, CENTRED)


def sexes():
    rng = np.random.default_rng(1)
    sex = pd.Categorical(rng.choice(["female", "male"], 40), categories=["male", "female"])
    return pd.DataFrame({"sex": sex, "z": rng.normal(size=40), "w": rng.normal(size=40)})


def interacting(X):
    return (X["sex"] == "female") * (1 + X["z"]) + X["w"]


def test_row_10_declared_order_is_kept():
    effect = ale(interacting, sexes(), "sex", order="declared")
    assert effect.x_values[0].tolist() == ["male", "female"]
    levels = effect.to_frame()["sex"]
    assert levels.cat.ordered
    assert levels.cat.categories.tolist() == ["male", "female"]


def test_row_10_reversed_order_and_shuffled_rows_change_nothing():
    X = sexes()
    right = by_level(ale(interacting, X, "sex"))
    for order in (["male", "female"], ["female", "male"]):
        check_levels(ale(interacting, X, "sex", order=order), right)
    check_levels(ale(interacting, X.sample(frac=1, random_state=3), "sex"), right)


def test_row_11_booleans():
    X = pd.DataFrame({"b": [True] * 5 + [False] * 15, "z": np.arange(20.0)})
    check_levels(ale(lambda X: 2.0 * X["b"], X, "b"), {False: -0.5, True: 1.5})


@pytest.mark.parametrize("dtype", ["object", "string", "str"])
def test_row_11_text(dtype):
    X = pd.DataFrame({"c": pd.Series(list("aabbbccccc"), dtype=dtype), "z": np.arange(10.0)})
    check_levels(ale(effect_of_level, X, "c"), CENTRED)


@pytest.mark.parametrize("dtype", ["int64", "Int64", "int8", "float64", "float32", "object"])
def test_row_12_integers_are_not_truncated(dtype):
    X = pd.DataFrame({"x": pd.Series(range(11), dtype=dtype)})
    effect = partial_dependence(identity, X, "x", K=4, centre="pdplot")
    grid = [0, 10 / 3, 20 / 3, 10]
    np.testing.assert_allclose(effect.x_values[0], grid, rtol=0, atol=EXACT)
    tolerance = FOUR_DECIMALS
    np.testing.assert_allclose(
        effect.f_values, [-6.3636, -3.0303, 0.3030, 3.6364], rtol=0, atol=tolerance
    )


class Recorder:
    """A black box that keeps copies of what it saw and then spoils its argument."""

    def __init__(self, name):
        self.name = name
        self.seen = []

    def __call__(self, X):
        self.seen.append(X.copy(deep=True))
        values = X[self.name]
        categorical = isinstance(values.dtype, pd.CategoricalDtype)
        result = (values.cat.codes if categorical else values).to_numpy(dtype=float).copy()
        X["x"] = -1
        X["new"] = 0
        del X["when"]
        X.index.name = X.columns.name = "spoilt"
        return result


def every_type():
    return pd.DataFrame(
        {
            "x": np.arange(12) % 5,
            "c": pd.Categorical(list("abc") * 4, categories=["c", "unused", "b", "a"]),
            "flag": np.arange(12) % 2 == 0,
            "when": pd.date_range("2020-01-01", periods=12),
            "maybe": pd.array([None, 1, 2] * 4, "Int64"),
            "small": np.arange(12, dtype=np.float32) % 7,
            "text": list("uvw") * 4,
            7: np.arange(12.0),
        },
        index=pd.Index([f"row{i}" for i in range(12)], name="key"),
    )


@pytest.mark.parametrize("estimator", [ale, partial_dependence, ice, m_plot])
@pytest.mark.parametrize("features", ["x", "c", "small", ("x", "small"), ("c", "x"), 7])
def test_row_13_frames_keep_their_types_and_the_caller_its_own(estimator, features):
    X, before = every_type(), every_type()
    names = features if isinstance(features, tuple) else (features,)
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    predict = Recorder(names[0])
    options = {} if estimator in (ale, m_plot) else {"grid": {"x": [0, 1, 4], "small": [0, 2, 6]}}
    if 7 in names and options:
        options = {"K": 3}
    estimator(predict, X, features, **options)
    pd.testing.assert_frame_equal(X, before)
    assert X.index.name == "key"
    assert X.columns.name is None
    assert np.array_equal(np.random.get_state()[1], state)  # noqa: NPY002
    assert predict.seen
    for seen in predict.seen:
        assert seen.columns.tolist() == before.columns.tolist()
        pd.testing.assert_series_equal(seen.dtypes, before.dtypes)
        assert set(seen.index) <= set(before.index)
        assert seen.index.name == "key"


def test_row_13_rows_keep_their_labels():
    X, predict = every_type(), Recorder("x")
    ale(predict, X, "x")
    for seen in predict.seen:
        pd.testing.assert_frame_equal(seen.drop(columns="x"), X.drop(columns="x"), check_dtype=True)


@pytest.mark.parametrize("estimator", [ale, partial_dependence, m_plot])
def test_row_14_array_in_array_out(estimator):
    rng = np.random.default_rng(2)
    array = rng.normal(size=(20, 3))
    frame = pd.DataFrame(array, columns=["u", "v", "w"])

    def of_frame(X):
        assert isinstance(X, pd.DataFrame)
        assert X.columns.tolist() == ["u", "v", "w"]
        return X["u"] * X["v"]

    def of_array(X):
        assert type(X) is np.ndarray
        assert X.shape[1] == 3
        return X[:, 0] * X[:, 1]

    for names, positions in [("v", 1), (("u", "v"), (0, 1))]:
        one = estimator(of_frame, frame, names, K=4)
        other = estimator(of_array, array, positions, K=4)
        assert np.array_equal(one.f_values, other.f_values, equal_nan=True)
        assert other.features == (positions if isinstance(positions, tuple) else (positions,))


SHAPES = {
    "list": lambda y, X: y.tolist(),
    "(n,)": lambda y, X: y,
    "(n, 1)": lambda y, X: y[:, None],
    "Series with an odd index": lambda y, X: pd.Series(y, index=np.arange(len(y))[::-1] * 7),
    "one-column frame": lambda y, X: pd.DataFrame({"y": y}, index=X.index),
    "float32": lambda y, X: y.astype(np.float32),
    "nullable": lambda y, X: pd.array(y, dtype="Float64"),
    "object": lambda y, X: y.astype(object),
    "boolean": lambda y, X: y > -1,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_row_15_shapes_that_agree(shape):
    def predict(X):
        return SHAPES[shape](2 * identity(X), X)

    right = [0] * 10 if shape == "boolean" else 2 * (np.arange(1, 11) - 5.1)
    check_curve(ale(predict, column(np.arange(1.0, 11)), "x"), range(1, 11), right)


def test_row_15_several_outputs_need_a_target():
    def outputs(X):
        return np.column_stack([identity(X), -identity(X)])

    X = column(np.arange(1.0, 11))
    with pytest.raises(PredictionError, match=r"returns 2 outputs: choose one of \[0, 1\] with"):
        ale(outputs, X, "x")
    check_curve(ale(outputs, X, "x", target=1), range(1, 11), 5.1 - np.arange(1, 11))
    named = ale(lambda X: pd.DataFrame(outputs(X), columns=["up", "down"]), X, "x", target="down")
    check_curve(named, range(1, 11), 5.1 - np.arange(1, 11))
    assert named.target == "down"


class ByProbability:
    """A classifier in scikit-learn's manner with p(yes) = x / 10."""

    def __init__(self, classes):
        self.classes_ = np.array(classes, dtype=object)

    def predict(self, X):
        raise AssertionError("a classifier is explained by its probabilities")

    def predict_proba(self, X):
        p = identity(X) / 10
        return np.column_stack([1 - p, p])


@pytest.mark.parametrize("classes", [["no", "yes"], ["0 - No!", "Yes (%)"], [False, True], [3, 1]])
def test_row_16_classes(classes):
    X, right = column(np.arange(1.0, 11)), np.array([-0.42, -0.12, 0.18, 0.48])
    model = ByProbability(classes)
    check_curve(ale(model, X, "x", K=3), [1, 4, 7, 10], right)
    for label, values in zip(classes, [-right, right], strict=True):
        effect = ale(model, X, "x", K=3, target=label)
        check_curve(effect, [1, 4, 7, 10], values)
        assert effect.target == label
        assert type(effect.target) is type(label)


def with_a_hole():
    return pd.DataFrame({"x": [1.0, 2, 3, 4, np.nan, 5, 6, 7, 8, 9], "z": [np.nan, 1.0] * 5})


def test_row_17_missing_feature_values():
    with pytest.raises(FeatureError, match=r"column 'x' has 1 missing value\(s\) in 10 rows"):
        ale(identity, with_a_hole(), "x", K=4)
    effect = ale(identity, with_a_hole(), "x", K=4, missing="drop")
    right = [-3.6667, -1.6667, 0.3333, 2.3333, 4.3333]
    check_curve(effect, [1, 3, 5, 7, 9], right, FOUR_DECIMALS)
    assert effect.counts.sum() == 9


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "object", "string", "category"])
def test_row_17_missing_values_of_any_type(dtype):
    X = pd.DataFrame({"x": pd.Series([1, 2, None, 3], dtype="Int64").astype(dtype), "z": 1.0})
    X["z"] = [1.0, 2, 3, 4]
    with pytest.raises(FeatureError, match=r"column 'x' has 1 missing value\(s\) in 4 rows"):
        ale(lambda X: X["z"], X, "x")
    assert ale(lambda X: X["z"], X, "x", missing="drop").counts.sum() in (2, 3)


def test_row_17_missing_values_elsewhere_reach_the_model():
    seen = []

    def predict(X):
        seen.append(int(X["z"].isna().sum()))
        return identity(X)

    effect = ale(predict, with_a_hole().drop(index=4), "x", K=4)
    assert np.isfinite(effect.f_values).all()
    assert seen == [4, 4]


@pytest.mark.parametrize("features", ["x", "c", ("x", "z"), ("c", "x"), ("x", "c"), ("c", "g")])
def test_row_18_small_samples_are_finite_everywhere(features):
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


def test_row_19_additive_function_has_no_interaction():
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"x": rng.lognormal(size=50), "z": rng.integers(0, 4, 50)})
    effect = ale(lambda X: X["x"] + X["z"], X, ("x", "z"), K=10)
    assert np.abs(effect.f_values).max() <= EXACT
    product = ale(lambda X: X["x"] * X["z"], X, ("x", "z"), K=10).f_values
    turned = ale(lambda X: X["x"] * X["z"], X, ("z", "x"), K=10).f_values
    assert np.abs(product).max() > 0.1
    np.testing.assert_allclose(turned, product.T, rtol=0, atol=EXACT)


def test_row_21_individual_curves():
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"x": rng.normal(size=5), "z": rng.normal(size=5)})

    def predict(X):
        return np.sin(X["x"]) * X["z"] + X["x"] ** 2

    effect = ice(predict, X, "x", K=7)
    assert effect.individual.shape == (5, 7)
    average = partial_dependence(predict, X, "x", K=7).f_values
    np.testing.assert_allclose(effect.individual.mean(axis=0), average, rtol=0, atol=EXACT)
    np.testing.assert_allclose(effect.f_values, average, rtol=0, atol=EXACT)
    anchored = ice(predict, X, "x", K=7, centre=X["x"].min())
    assert (anchored.individual[:, 0] == 0).all()
    assert anchored.f_values[0] == 0


ESTIMATORS = [ale, partial_dependence, m_plot]


def weighted():
    rng = np.random.default_rng(6)
    X = pd.DataFrame(
        {
            "x": rng.integers(0, 9, 30) / 4,
            "z": rng.normal(size=30),
            "c": pd.Categorical(rng.choice(list("pqr"), 30)),
        }
    )
    return X, rng.integers(1, 4, 30)


def product(X):
    return X["x"] * X["z"] + X["c"].cat.codes * X["x"] ** 2


OPTIONS = {"grid": {"x": [0.0, 0.5, 1, 2.5], "z": [-4.0, 0, 1, 4]}, "order": {"c": list("qpr")}}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("features", ["x", "c", ("x", "z"), ("c", "x"), ("x", "c")])
def test_row_22_weights(estimator, features):
    X, weights = weighted()
    plain = estimator(product, X, features, **OPTIONS)
    twos = estimator(product, X, features, sample_weight=[2] * 30, **OPTIONS)
    assert np.array_equal(twos.counts, 2 * plain.counts)
    np.testing.assert_allclose(twos.f_values, plain.f_values, rtol=0, atol=EXACT)
    repeated = X.loc[X.index.repeat(weights)].reset_index(drop=True)
    long = estimator(product, repeated, features, **OPTIONS)
    short = estimator(product, X, features, sample_weight=weights, **OPTIONS)
    assert np.array_equal(long.counts, short.counts)
    np.testing.assert_allclose(short.f_values, long.f_values, rtol=0, atol=EXACT)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_row_23_subset_of_features(estimator):
    X, _ = weighted()
    alone = estimator(product, X, "x", K=5).f_values
    both = estimator(product, X, ["z", "x"], K=5)
    assert list(both) == ["z", "x"]
    assert np.array_equal(both["x"].f_values, alone)


def test_row_24_local_effects_that_are_equal_have_no_spread():
    """The bands themselves come with the uncertainty of effects."""
    X = column(np.arange(1.0, 41))
    assert ale(identity, X, "x", K=4).local_std.max() <= EXACT
    X = X.assign(z=np.tile([0.0, 1.0], 20))
    assert ale(lambda X: X["x"] * X["z"], X, "x", K=4).local_std.min() > 1


@pytest.mark.parametrize("K", [0, -3, 2.5, 2.0, "40", True, None, [4]])
def test_row_26_number_of_intervals(K):
    with pytest.raises((TypeError, ValueError), match=r"K must be a positive integer.*got"):
        ale(identity, column([1.0, 2, 3]), "x", K=K)


@pytest.mark.parametrize(
    ("X", "features", "message"),
    [
        (column([]), "x", r"X must have rows and columns, got shape \(0, 1\)"),
        (column([1.0, 2]), "y", r"feature 'y' is not a column of X: it has 'x'"),
        (column([1.0, 2]), ["x", "x"], r"features names 'x' more than once"),
        (column([1.0, 2]), ("x", "x"), r"two different features, got 'x' twice"),
        (
            pd.DataFrame([[1.0, 2], [3, 4]], columns=["x", "x"]),
            "x",
            r"column 'x' occurs 2 times in X: names must be unique",
        ),
    ],
)
def test_row_26_frames_and_names(X, features, message):
    for estimator in (ale, partial_dependence, m_plot):
        with pytest.raises(ValueError, match=message):
            estimator(identity, X, features)


def test_row_30_every_groupby_says_what_it_observes():
    """Its default changes between versions of pandas; warnings are errors in all tests."""
    source = Path(inspect.getfile(aleplot_py)).parent
    for path in sorted(source.glob("*.py")):
        for call in re.findall(r"\.groupby\([^\n]*", path.read_text(encoding="utf-8")):
            assert "observed=" in call, f"{path.name}: {call}"


@pytest.mark.parametrize("scale", [1e-10, 1e-300, 1.0, 1e10, 1e300])
def test_row_31_curves_are_free_of_scale(scale):
    X = column(np.arange(11.0))
    right = ale(identity, X, "x", K=5)
    scaled = ale(identity, X * scale, "x", K=5)
    np.testing.assert_allclose(scaled.x_values[0] / scale, right.x_values[0], rtol=0, atol=EXACT)
    np.testing.assert_allclose(scaled.f_values / scale, right.f_values, rtol=0, atol=EXACT)


@pytest.mark.parametrize("features", ["x", ("x", "z")])
def test_row_31_a_large_offset(features):
    """Grid points differ in the last digits only; the same rows stay in the same intervals."""
    rng = np.random.default_rng(7)
    X = pd.DataFrame({"x": rng.integers(0, 64, 80) / 64, "z": rng.normal(size=80)})

    def predict(X):
        return (X["x"] - 1e6) * X["z"]

    right = ale(lambda X: X["x"] * X["z"], X, features, K=8)
    moved = ale(predict, X.assign(x=X["x"] + 1e6), features, K=8)
    assert np.array_equal(moved.counts, right.counts)
    np.testing.assert_allclose(moved.f_values, right.f_values, rtol=0, atol=EXACT)
