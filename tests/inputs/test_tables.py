"""Tables as black boxes see them: types, names, arrays, missing values, the caller's own."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, ice, m_plot, partial_dependence
from aleplot_py.errors import FeatureError, FeatureTypeError, GridError, PredictionError
from aleplot_py.inputs.frames import Table
from tests.small_inputs import check_curve, column, first, identity, numbers, product, weighted

# Sums of a few small numbers: rounding only.
EXACT = 1e-12
# Right answers written with four decimals.
FOUR_DECIMALS = 5.1e-5


@pytest.mark.parametrize("dtype", ["int64", "Int64", "int8", "float64", "float32", "object"])
def test_integers_are_not_truncated(dtype):
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
def test_frames_keep_their_types_and_the_caller_its_own(estimator, features):
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


def test_rows_keep_their_labels():
    X, predict = every_type(), Recorder("x")
    ale(predict, X, "x")
    for seen in predict.seen:
        pd.testing.assert_frame_equal(seen.drop(columns="x"), X.drop(columns="x"), check_dtype=True)


@pytest.mark.parametrize("estimator", [ale, partial_dependence, m_plot])
def test_array_in_array_out(estimator):
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


def with_a_hole():
    return pd.DataFrame({"x": [1.0, 2, 3, 4, np.nan, 5, 6, 7, 8, 9], "z": [np.nan, 1.0] * 5})


def test_missing_feature_values():
    with pytest.raises(FeatureError, match=r"column 'x' has 1 missing value\(s\) in 10 rows"):
        ale(identity, with_a_hole(), "x", K=4)
    effect = ale(identity, with_a_hole(), "x", K=4, missing="drop")
    right = [-3.6667, -1.6667, 0.3333, 2.3333, 4.3333]
    check_curve(effect, [1, 3, 5, 7, 9], right, FOUR_DECIMALS)
    assert effect.counts.sum() == 9


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "object", "string", "category"])
def test_missing_values_of_any_type(dtype):
    X = pd.DataFrame({"x": pd.Series([1, 2, None, 3], dtype="Int64").astype(dtype), "z": 1.0})
    X["z"] = [1.0, 2, 3, 4]
    with pytest.raises(FeatureError, match=r"column 'x' has 1 missing value\(s\) in 4 rows"):
        ale(lambda X: X["z"], X, "x")
    assert ale(lambda X: X["z"], X, "x", missing="drop").counts.sum() in (2, 3)


def test_missing_values_elsewhere_reach_the_model():
    seen = []

    def predict(X):
        seen.append(int(X["z"].isna().sum()))
        return identity(X)

    effect = ale(predict, with_a_hole().drop(index=4), "x", K=4)
    assert np.isfinite(effect.f_values).all()
    assert seen == [4, 4]


ESTIMATORS = [ale, partial_dependence, m_plot]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_subset_of_features(estimator):
    X, _ = weighted()
    alone = estimator(product, X, "x", K=5).f_values
    both = estimator(product, X, ["z", "x"], K=5)
    assert list(both) == ["z", "x"]
    assert np.array_equal(both["x"].f_values, alone)


@pytest.mark.parametrize(
    ("X", "features", "message"),
    [
        (column([]), "x", r"X must have rows and columns, got shape \(0, 1\)"),
        (column([1.0, 2]), "y", r"feature 'y' is not a column of X: it has 1 column, 'x'"),
        (column([1.0, 2]), ["x", "x"], r"features names 'x' more than once"),
        (column([1.0, 2]), ("x", "x"), r"two different features, got 'x' twice"),
        (
            pd.DataFrame([[1.0, 2], [3, 4]], columns=["x", "x"]),
            "x",
            r"column 'x' occurs 2 times in X: names must be unique",
        ),
    ],
)
def test_frames_and_names_are_checked(X, features, message):
    for estimator in (ale, partial_dependence, m_plot):
        with pytest.raises(ValueError, match=message):
            estimator(identity, X, features)


def mixed():
    """A number, categories, text and truth values."""
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "x": rng.normal(size=20),
            "c": pd.Categorical(rng.choice(list("abc"), 20)),
            "s": rng.choice(["u", "v"], 20),
            "b": pd.array(rng.uniform(size=20) < 0.5, dtype="boolean"),
        }
    )


def masked(values):
    """The values without the first."""
    return np.ma.array(values, mask=np.arange(values.size).reshape(values.shape) == 0)


def test_truth_values_as_names():
    X = numbers([True, False])
    assert ale(first, X, True).features == (True,)
    assert list(ale(first, X, "all")) == [True, False]
    with pytest.raises(FeatureError, match="feature True is not a column"):
        ale(first, numbers([1, 0]), True)


def test_a_tuple_that_is_a_name_is_that_column():
    X = numbers([("a", "b"), ("c", "d")])
    assert ale(first, X, ("a", "b")).features == (("a", "b"),)
    assert ale(first, X, (("a", "b"), ("c", "d"))).features == (("a", "b"), ("c", "d"))
    effect = ale(first, X, ("a", "b"), categorical=("a", "b"), order="declared")
    assert effect.kinds == ("categorical",)
    assert ale(first, numbers(["a", "b", ("a", "b")]), ("b", "a")).features == ("b", "a")


@pytest.mark.parametrize("name", [1.5, np.int64(7), pd.Timestamp("2020-01-01")])
def test_a_single_categorical_name_of_any_type(name):
    effect = ale(first, numbers([name, "z"]), (name,), categorical=name, order="declared")
    assert effect.kinds == ("categorical",)


@pytest.mark.parametrize("name", [pd.NA, pd.NaT, np.nan, None], ids=str)
def test_a_missing_name_is_that_of_its_column_only(name):
    X = numbers(["x", "z"])
    with pytest.raises(FeatureError, match=f"feature {name} is not a column"):
        ale(first, X, name)
    right = ale(first, X, "x").f_values.tolist()
    X.columns = pd.Index([name, "z"], dtype=object)
    assert ale(first, X, name).f_values.tolist() == right


def test_columns_of_one_name_beside_the_feature_are_each_themselves():
    """Both decide the order of the levels; here only the second one tells them apart."""
    X = pd.DataFrame({"c": list("aabbcc"), "x": 1.0, "y": [0.0, 1, 2, 3, 1, 2]})
    right = ale(lambda X: np.zeros(len(X)), X, "c").x_values[0].tolist()
    X.columns = ["c", "x", "x"]
    assert ale(lambda X: np.zeros(len(X)), X, "c").x_values[0].tolist() == right
    assert right in (["a", "c", "b"], ["b", "c", "a"])


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("features", ["x", "c", ("c", "x"), ("s", "c")])
@pytest.mark.parametrize("batch_rows", [None, 1])
def test_writing_to_arrays_of_extension_types_reaches_nobody(estimator, features, batch_rows):
    def predict(X):
        return X["x"].to_numpy() * X["c"].cat.codes.to_numpy() + X["b"].to_numpy(dtype=float)

    def spoil(X):
        values = predict(X)
        X["c"].array[:] = "b"
        X["s"].array[:] = "v"
        X["b"].array[:] = True
        return values

    X, right = mixed(), estimator(predict, mixed(), features, K=3)
    effect = estimator(spoil, X, features, K=3, batch_rows=batch_rows)
    pd.testing.assert_frame_equal(X, mixed())
    np.testing.assert_allclose(effect.f_values, right.f_values, rtol=0, atol=EXACT)
    if estimator is ale:
        assert abs(effect.mean_prediction - right.mean_prediction) <= EXACT


def by_rows():
    """Numbers whose rows lie together in memory, and a category."""
    numbers = pd.DataFrame(np.arange(36.0).reshape(12, 3), columns=list("xyz"), copy=False)
    return numbers.assign(c=pd.Categorical(list("abc") * 4))


def by_columns():
    """Numbers whose columns lie together, of two types, and a category."""
    return pd.DataFrame({"x": np.arange(12.0), "n": np.arange(12), "c": by_rows()["c"]})


@pytest.mark.parametrize("frame", [by_rows, by_columns])
@pytest.mark.parametrize("rows", [[0, 1, 2], [7, 3, 3], range(11), range(12), [0] * 13])
def test_some_rows_with_a_column_replaced_are_those_of_a_table_of_them(frame, rows):
    """A copy in the same order in memory, which the last bit of a prediction may depend on."""
    table, rows = Table(frame()), np.array(rows)
    columns = {"c": table.column("c").array[rows[::-1]]}
    found, right = table.with_columns(columns, rows=rows), table.rows(rows).with_columns(columns)
    pd.testing.assert_frame_equal(found, right)
    assert found.drop(columns="c").to_numpy().strides == right.drop(columns="c").to_numpy().strides
    found["x"].array[:] = -1
    found["c"].array[:] = "b"
    pd.testing.assert_frame_equal(table.data, frame())


def test_a_column_replaced_later_does_not_change_the_mean_prediction():
    X = pd.DataFrame({"x": np.arange(4.0), "z": 1.0})
    effect = ale(lambda X: X["x"] + X["z"], X, "x")
    X["z"] = 100.0
    assert effect.mean_prediction == 2.5


def test_masked_entries_are_missing():
    X = pd.DataFrame({"x": np.arange(6.0)})
    with pytest.raises(PredictionError, match="1 of 6 predictions are NaN"):
        ale(lambda X: masked(X["x"].to_numpy()), X, "x")
    with pytest.raises(ValueError, match="sample_weight must be finite and not negative, got nan"):
        ale(lambda X: X["x"], X, "x", sample_weight=masked(np.ones(6, dtype=int)))
    with pytest.raises(GridError, match="must be finite, got nan"):
        ale(lambda X: X["x"], X, "x", grid=masked(np.array([0, 3, 5])))
    effect = ale(lambda X: X["x"], X, "x", K=5)
    assert np.isnan(effect.evaluate(masked(np.array([0, 3])))).tolist() == [True, False]


@pytest.mark.parametrize("X", [masked(np.eye(3)), np.ma.array(np.eye(3))])
def test_a_masked_array_is_no_plain_array(X):
    with pytest.raises(TypeError, match=r"plain array, got MaskedArray: pass np\.asarray"):
        ale(lambda X: X[:, 0], X, 0)


def test_text_and_times_are_no_numbers():
    X = pd.DataFrame({"x": np.arange(6.0)})
    with pytest.raises(TypeError, match="sample_weight must be numbers"):
        ale(lambda X: X["x"], X, "x", sample_weight=["1"] * 6)
    for grid in (["0", "5"], np.array(["1970-01-01", "1970-01-06"], dtype="M8[D]")):
        with pytest.raises(GridError, match="must be numbers"):
            ale(lambda X: X["x"], X, "x", grid=grid)
    with pytest.raises(ValueError, match="values of 'x' must be numbers"):
        ale(lambda X: X["x"], X, "x").evaluate(["1"])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_lists_are_no_levels(estimator):
    X = pd.DataFrame({"x": [[1], [2], [1]], "z": [0.0, 1, 2]})
    with pytest.raises(FeatureTypeError, match=r"column 'x' holds values that cannot be levels"):
        estimator(lambda X: X["z"], X, "x")
    with pytest.warns(UserWarning, match="left out: column 'x' holds"):
        assert list(estimator(lambda X: X["z"], X, "all")) == ["z"]


@pytest.mark.parametrize("unit", ["ns", "s"])
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_times_that_are_centuries_apart_beside_a_category(unit, zone):
    """Their difference in nanoseconds has no room in 64 bits; c lies between a and b."""
    years = ["1678", "1800", "2200", "2262", "1800", "2200"]
    times = pd.DatetimeIndex(np.array(years, dtype=f"M8[{unit}]")).tz_localize(zone)
    X = pd.DataFrame({"c": list("aabbcc"), "t": times})
    order = ale(lambda X: np.zeros(len(X)), X, "c").x_values[0].tolist()
    assert order in (["a", "c", "b"], ["b", "c", "a"])


def test_numbers_that_doubles_cannot_tell_apart():
    X = pd.DataFrame({"x": np.array([2**63 - 1, 2**63 - 2, 2**63 - 3], dtype=np.int64)})
    with pytest.raises(FeatureError, match="differ by less than double precision can tell"):
        ale(first, X, "x")


@pytest.mark.parametrize("dtype", [object, str])
def test_text_in_an_array_is_categories(dtype):
    """As in a frame of the same columns."""
    levels = list("abcd" * 9)
    numbers = [float(i % 7) for i in range(36)]
    array = np.array([levels, numbers], dtype=object).T.astype(dtype)
    frame = pd.DataFrame({"c": levels, "x": numbers})

    def f(c, x):
        return (np.asarray(c) == "a") * np.asarray(x, dtype=float)

    for door in (ale, partial_dependence, m_plot):
        for how in ({}, {"collapse": ["b", "c"]}, {"missing": "drop"}):
            found = door(lambda rows: f(rows[:, 0], rows[:, 1]), array, 0, order="declared", **how)
            right = door(lambda rows: f(rows["c"], rows["x"]), frame, "c", order="declared", **how)
            np.testing.assert_array_equal(found.f_values, right.f_values)
            assert list(found.x_values[0]) == list(right.x_values[0])
