"""Bad input: what is raised, what it says, and that nothing is predicted or changed before."""

import re

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, decompose, ice, m_plot, partial_dependence, total_effect
from aleplot_py.errors import (
    AleplotError,
    ConstantFeatureError,
    FeatureError,
    FeatureTypeError,
    GridError,
    PredictionError,
)


def table():
    return pd.DataFrame(
        {
            "x": [1.0, 2, 3, 4, 5, 6],
            "z": [0.5, 0, 1, 0, 1, 2],
            "c": pd.Categorical(list("abcabc"), categories=["a", "b", "c", "unused"]),
            "flat": 7,
            "only": pd.Categorical(["u"] * 6),
            "hole": [1.0, None, 3, None, 5, 6],
            "hollow": pd.Categorical(["a", None, "b", "a", "b", "b"]),
            "endless": [1.0, 2, np.inf, -np.inf, 5, 6],
            "when": pd.date_range("2020-01-01", periods=6),
            "wave": np.arange(6) * 1j,
            "void": [np.nan] * 6,
        }
    )


class Unused:
    """A black box that must not be called: the arguments are checked first."""

    def __call__(self, X):
        raise AssertionError("the black box was called before the arguments were checked")


class UnusedClassifier:
    classes_ = np.array(["no", "yes"])

    def predict(self, X):
        raise AssertionError("called before the arguments were checked")

    predict_proba = predict


class ManyOutputs(UnusedClassifier):
    classes_ = [np.array([0, 1]), np.array([0, 1, 2])]  # noqa: RUF012


class WithoutMethods:
    pass


COMMON = [
    # the data
    ({"X": [[1, 2], [3, 4]]}, TypeError, r"X must be a DataFrame or a two-dimensional array.*list"),
    ({"X": None}, TypeError, r"X must be .* got NoneType"),
    ({"X": np.arange(3.0)}, ValueError, r"X must be two-dimensional, got shape \(3,\)"),
    ({"X": table()["x"]}, TypeError, r"X must be .* got Series"),
    ({"X": table().iloc[:0]}, ValueError, r"X must have rows and columns, got shape \(0, 11\)"),
    ({"X": table()[[]]}, ValueError, r"X must have rows and columns, got shape \(6, 0\)"),
    (
        {
            "X": pd.DataFrame(
                np.ones((2, 2)), columns=pd.MultiIndex.from_product([["x"], ["a", "b"]])
            )
        },
        TypeError,
        r"X must have plain column names, got a MultiIndex",
    ),
    # the features
    (
        {"features": "y"},
        FeatureError,
        r"feature 'y' is not a column of X: it has 11 columns, 'x', 'z', 'c', ...",
    ),
    ({"features": 11}, FeatureError, r"feature 11 is not a column: X has 11 columns"),
    ({"features": -1}, FeatureError, r"feature -1 is not a column"),
    ({"features": True}, FeatureError, r"feature True is not a column"),
    ({"features": None}, FeatureError, r"feature None is not a column"),
    ({"features": 1.0}, FeatureError, r"feature 1\.0 is not a column"),
    ({"features": []}, FeatureError, r"features must name at least one column, got an empty list"),
    ({"features": ()}, FeatureError, r"an effect has one .*, got \(\)"),
    ({"features": ("x", "x")}, FeatureError, r"two different features, got 'x' twice"),
    ({"features": ("x", 0)}, FeatureError, r"two different features, got 'x' twice"),
    ({"features": ["x", "z", "x"]}, FeatureError, r"features names 'x' more than once"),
    ({"features": ["x", "y"]}, FeatureError, r"feature 'y' is not a column of X"),
    (
        {"features": [("x", "z"), ("x", "z")]},
        FeatureError,
        r"features names \('x', 'z'\) more than once",
    ),
    (
        {"X": pd.DataFrame(np.ones((2, 2)), columns=["x", "x"])},
        FeatureError,
        r"column 'x' occurs 2 times in X: names must be unique",
    ),
    # their values
    ({"features": "flat"}, ConstantFeatureError, r"column 'flat' has a single value, 7\.0"),
    ({"features": "only"}, ConstantFeatureError, r"column 'only' has a single level, 'u'"),
    ({"features": ("x", "only")}, ConstantFeatureError, r"column 'only' has a single level"),
    ({"features": "hole"}, FeatureError, r"column 'hole' has 2 missing value\(s\) in 6 rows"),
    ({"features": "hollow"}, FeatureError, r"column 'hollow' has 1 missing value\(s\) in 6 rows"),
    ({"features": ("x", "hole")}, FeatureError, r"column 'hole' has 2 missing value"),
    ({"features": "endless"}, FeatureError, r"column 'endless' has 2 infinite value\(s\) in 6"),
    ({"features": "wave"}, FeatureTypeError, r"column 'wave' has type complex128"),
    (
        {"features": "void", "missing": "drop"},
        FeatureError,
        r"no row is left where 'void' is known",
    ),
    ({"missing": "ignore"}, ValueError, r"missing must be one of \('error', 'drop'\), got 'ignore"),
    # weights
    ({"sample_weight": [1, 2]}, ValueError, r"sample_weight must have one value per row, \(6,\)"),
    ({"sample_weight": np.ones((6, 1))}, ValueError, r"sample_weight must have .*\(6, 1\)"),
    ({"sample_weight": "x"}, TypeError, r"sample_weight must be numbers"),
    ({"sample_weight": [1, 1, 1, 1, 1, -2]}, ValueError, r"sample_weight .* not negative, got -2"),
    ({"sample_weight": [1, 1, 1, 1, 1, np.nan]}, ValueError, r"sample_weight .* got nan"),
    ({"sample_weight": [0] * 6}, ValueError, r"sample_weight must not be all zero"),
    (
        {"features": "hole", "missing": "drop", "sample_weight": [0, 1, 0, 1, 0, 0]},
        ConstantFeatureError,
        r"sample_weight is zero in every row where 'hole' is known",
    ),
    # grids and intervals
    ({"K": 0}, ValueError, r"K must be a positive integer, got 0"),
    ({"K": -4}, ValueError, r"K must be a positive integer, got -4"),
    ({"K": 4.0}, TypeError, r"K must be a positive integer, got 4\.0"),
    ({"K": True}, TypeError, r"K must be a positive integer, got True"),
    ({"K": 0, "features": "c"}, ValueError, r"K must be a positive integer, got 0"),
    ({"K": 0, "grid": [0, 10]}, ValueError, r"K must be a positive integer, got 0"),
    ({"K": {"x": 0}}, ValueError, r"K must be a positive integer, got 0"),
    ({"K": {"y": 4}}, FeatureError, r"feature 'y' is not a column of X"),
    ({"grid": "quantile"}, ValueError, r"grid must be one of .* got 'quantile'"),
    ({"grid": [1, 6, 5]}, GridError, r"grid of column 'x' must be strictly increasing: 6.*5"),
    ({"grid": [1, 6, 6]}, GridError, r"grid of column 'x' must be strictly increasing"),
    ({"grid": [1, np.nan]}, GridError, r"grid of column 'x' must be finite, got nan"),
    ({"grid": [1, np.inf]}, GridError, r"grid of column 'x' must be finite, got inf"),
    ({"grid": [[1, 6]]}, GridError, r"grid of column 'x' must be a list .* got shape \(1, 2\)"),
    ({"grid": []}, GridError, r"grid of column 'x' must be a list of at least"),
    ({"grid": None}, GridError, r"grid of column 'x' must be a list"),
    ({"grid": ["low", "high"]}, GridError, r"grid of column 'x' must be numbers, got \['low'"),
    ({"grid": {"x": [6, 1]}}, GridError, r"grid of column 'x' must be strictly increasing"),
    ({"grid": {"y": [1, 6]}}, FeatureError, r"feature 'y' is not a column of X"),
    # levels
    ({"categorical": "y"}, FeatureError, r"feature 'y' is not a column of X"),
    ({"categorical": ["x", "y"]}, FeatureError, r"feature 'y' is not a column of X"),
    ({"features": "c", "order": "size"}, ValueError, r"order must be one of .* got 'size'"),
    (
        {"features": "c", "order": ["a", "b", "c", "a"]},
        ValueError,
        r"order of column 'c' names level 'a' more than once",
    ),
    (
        {"features": "c", "order": ["a", "b"]},
        ValueError,
        r"order of column 'c' leaves out level 'c'",
    ),
    (
        {"features": "c", "order": ["a", "b", "c", "d"]},
        ValueError,
        r"order of column 'c' names 'd', which is not a level",
    ),
    ({"features": "c", "order": {"y": []}}, FeatureError, r"feature 'y' is not a column of X"),
    # batches
    ({"batch_rows": 0}, ValueError, r"batch_rows must be a positive integer, got 0"),
    ({"batch_rows": 2.5}, TypeError, r"batch_rows must be a positive integer, got 2\.5"),
    # the black box
    (
        {"predict": None},
        TypeError,
        r"predict must be a callable or have a predict method.*NoneType",
    ),
    ({"predict": "model"}, TypeError, r"predict must be a callable .* got str"),
    ({"predict": Unused}, TypeError, r"predict must be a fitted model .* got the class"),
    (
        {"predict": WithoutMethods(), "response_method": "predict"},
        TypeError,
        r"WithoutMethods has no method predict",
    ),
    ({"response_method": "proba"}, ValueError, r"response_method must be one of .* got 'proba'"),
    (
        {"predict": UnusedClassifier(), "response_method": "decision_function"},
        TypeError,
        r"UnusedClassifier has no method decision_function",
    ),
    (
        {"predict": UnusedClassifier(), "target": "maybe"},
        PredictionError,
        r"target='maybe' is not an output of the black box: it has \['no', 'yes'\]",
    ),
    (
        {"predict": UnusedClassifier(), "target": 2},
        PredictionError,
        r"target=2 is not an output of the black box",
    ),
    ({"predict": ManyOutputs()}, TypeError, r"ManyOutputs predicts several outputs with classes"),
]

OF_ALE = [
    ({"features": ("x", "z", "x")}, FeatureError, r"needs three different features, got 'x' twice"),
    ({"features": ("x", "z", "c", "x")}, FeatureError, r"a set of 4 features needs 4 different"),
    ({"centre": "mean"}, ValueError, r"centre must be one of .* got 'mean'"),
    ({"outside": "drop"}, ValueError, r"outside must be one of .* got 'drop'"),
    ({"features": ("x", "z"), "outside": "iml"}, ValueError, r"outside='iml' is .* main effects"),
    ({"n_jobs": 0}, ValueError, r"n_jobs must be a positive integer, got 0"),
    ({"n_jobs": -2}, ValueError, r"n_jobs must be a positive integer, got -2"),
    ({"n_jobs": 1.5}, TypeError, r"n_jobs must be a positive integer, got 1\.5"),
    ({"K": None}, TypeError, r"K must be a positive integer, got None"),
    ({"grid": [3]}, GridError, r"grid of column 'x' must be a list of at least 2 point"),
    ({"grid": [2, 6]}, GridError, r"grid of column 'x' runs from 2\.0 to 6\.0, but 1 of 6 rows"),
    ({"grid": [-9, 0], "outside": "iml"}, GridError, r"but 6 of 6 rows lie outside it"),
]

OF_PROFILES = [
    ({"centre": "mean"}, ValueError, r"centre must be .*'pdplot'.* column 'x', got 'mean'"),
    ({"centre": np.nan}, ValueError, r"centre must be .* finite value of column 'x', got nan"),
    ({"centre": True}, ValueError, r"centre must be .* got True"),
    ({"centre": None}, ValueError, r"centre must be .* got None"),
    ({"centre": (1, 2)}, ValueError, r"centre must be .* each of \('x',\), got \(1, 2\)"),
    ({"features": ("x", "z", "c")}, FeatureError, r"one or two features, got \('x', 'z', 'c'\)"),
    ({"features": ("x", "z"), "centre": 1}, ValueError, r"each of \('x', 'z'\), got 1"),
    ({"features": "c", "centre": "d"}, ValueError, r"centre 'd' is not a level of column 'c'"),
]

OF_PD = [
    ({"kind": "ice"}, ValueError, r"kind must be one of .* got 'ice'"),
    ({"K": 1}, ValueError, r"K must be at least 2 grid points, got 1"),
    ({"grid": "aleplot"}, ValueError, r"grid must be one of .* got 'aleplot'"),
]

OF_M = [
    ({"neighbourhood": "near"}, ValueError, r"neighbourhood must be one of .* got 'near'"),
    (
        {"neighbourhood": "kernel", "bandwidth": 0},
        ValueError,
        r"bandwidth of column 'x' must be a positive number, got 0",
    ),
    (
        {"neighbourhood": "kernel", "bandwidth": {"x": np.inf}},
        ValueError,
        r"bandwidth of column 'x' must be a positive number, got inf",
    ),
]


def calls():
    for estimators, rows in [
        ((ale, partial_dependence, m_plot), COMMON),
        ((ale,), OF_ALE),
        ((partial_dependence, m_plot), OF_PROFILES),
        ((partial_dependence,), OF_PD),
        ((m_plot,), OF_M),
    ]:
        for changes, error, message in rows:
            shown = ", ".join(f"{k}={v!r}" if k != "X" else "X" for k, v in changes.items())
            shown = re.sub(r" at 0x[0-9a-f]+", "", shown)  # pytest-xdist needs the same ids twice
            for estimator in estimators:
                name = f"{estimator.__name__}({shown})".replace("\n", " ")[:90]
                yield pytest.param(estimator, changes, error, message, id=name)


@pytest.mark.parametrize(("estimator", "changes", "error", "message"), list(calls()))
def test_bad_argument(estimator, changes, error, message):
    X = changes.get("X", table())
    before = X.copy() if isinstance(X, (pd.DataFrame, np.ndarray)) else X
    arguments = {"predict": Unused(), "X": X, "features": "x", **changes}
    with pytest.raises(error, match=message) as caught:
        estimator(**arguments)
    assert type(caught.value) in (error, *error.__subclasses__())
    if isinstance(X, pd.DataFrame):
        pd.testing.assert_frame_equal(X, before)


def test_own_errors_are_value_errors():
    for error in (FeatureError, GridError, PredictionError):
        assert issubclass(error, AleplotError)
        assert issubclass(error, ValueError)
    for error in (ConstantFeatureError, FeatureTypeError):
        assert issubclass(error, FeatureError)


def test_options_are_keyword_only():
    for estimator in (ale, partial_dependence, m_plot):
        with pytest.raises(TypeError, match="positional argument"):
            estimator(Unused(), table(), "x", 40)
        with pytest.raises(TypeError, match="unexpected keyword argument 'bins'"):
            estimator(Unused(), table(), "x", bins=40)
    with pytest.raises(TypeError, match="'kind'"):
        ice(Unused(), table(), "x", kind="average")


def returns(output):
    return lambda X: output(X["x"].to_numpy(dtype=float))


PREDICTIONS = [
    (lambda x: x[:-1], r"one prediction per row: it returned 5 for 6 rows"),
    (lambda x: np.append(x, 0), r"one prediction per row: it returned 7 for 6 rows"),
    (lambda x: [], r"one prediction per row: it returned 0 for 6 rows"),
    (lambda x: 3.0, r"one prediction per row: it returned a float for 6 rows"),
    (lambda x: None, r"one prediction per row: it returned a NoneType for 6 rows"),
    (lambda x: (v for v in x), r"one prediction per row: it returned a generator for 6 rows"),
    (lambda x: np.ones((6, 2, 2)), r"an output of shape \(6, 2, 2\) for 6 rows"),
    (lambda x: [[1], [2, 3]], r"one number per row: it returned a list of parts of different"),
    (lambda x: np.column_stack([x, x]), r"returns 2 outputs: choose one of \[0, 1\] with target="),
    (lambda x: pd.DataFrame({"p": x, "q": x}), r"choose one of \['p', 'q'\] with target="),
    (lambda x: ["yes"] * 6, r"must return numbers: its first prediction is 'yes'"),
    (lambda x: ["1"] * 6, r"must return numbers: its first prediction is '1'"),
    (lambda x: np.array(["1"] * 6, dtype=object), r"must return numbers: .* '1'"),
    (lambda x: pd.Series(["1"] * 6), r"must return numbers: its first prediction is '1'"),
    (lambda x: pd.Categorical(["1"] * 6), r"must return numbers: its first prediction is '1'"),
    (lambda x: np.array(["2020-01-01"] * 6, dtype="M8[D]"), r"must return numbers"),
    (lambda x: pd.Series(pd.Timedelta(days=1), index=range(6)), r"must return numbers"),
    (lambda x: [{}] * 6, r"must return numbers: its first prediction is \{\}"),
    (lambda x: x + 1j, r"must return real numbers: it returned complex ones"),
    (lambda x: np.where(x > 4, np.nan, x), r"finite numbers: \d of 6 predictions are NaN or inf"),
    (lambda x: np.where(x > 4, -np.inf, x), r"finite numbers: \d of 6 predictions are NaN or inf"),
    (lambda x: pd.array([1, None] * 3, "Int64"), r"finite numbers: 3 of 6 predictions are NaN"),
    (lambda x: [None] * 6, r"(finite numbers: 6 of 6|must return numbers)"),
]


@pytest.mark.parametrize("estimator", [ale, m_plot])
@pytest.mark.parametrize(("output", "message"), PREDICTIONS)
def test_bad_prediction(estimator, output, message):
    with pytest.raises(PredictionError, match=message):
        estimator(returns(output), table(), "x")


def test_bad_prediction_of_a_mean():
    """An effect does not need the rows' own predictions; asked for, they are checked as well."""
    effect = ale(lambda X: np.where(X["z"] == 0.5, np.nan, X["x"]), table(), "z", K=1)
    with pytest.raises(PredictionError, match="1 of 6 predictions are NaN"):
        _ = effect.mean_prediction


@pytest.mark.parametrize("estimator", [ale, partial_dependence, m_plot])
def test_single_output_has_no_target(estimator):
    with pytest.raises(PredictionError, match=r"target='p' chooses among several outputs, but"):
        estimator(lambda X: X["x"], table(), "x", target="p")
    with pytest.raises(PredictionError, match=r"target=2 is not an output .* \[0, 1\]"):
        estimator(lambda X: X[["x", "z"]].to_numpy(), table(), "x", target=2)
    with pytest.raises(PredictionError, match=r"target=True is not an output .* \[0, 1\]"):
        estimator(lambda X: X[["x", "z"]].to_numpy(), table(), "x", target=True)


class RefusalError(Exception):
    """The model's own error."""


@pytest.mark.parametrize("features", ["c", ("c", "x"), ("x", "c")])
@pytest.mark.parametrize("estimator", [ale, partial_dependence, m_plot])
def test_a_level_that_the_model_refuses_is_named(estimator, features):
    def predict(X):
        if (X["c"] == "b").any():
            raise RefusalError("unknown level")
        return X["x"]

    X = table()
    X.loc[X["c"] == "b", "z"] = 5
    with pytest.raises(RefusalError, match="unknown level") as caught:
        estimator(predict, X, features)
    assert caught.value.__notes__ == ["while column 'c' was moved to level 'b'"]


def refuses_row_nine(X):
    if (X["z"] == 9).any():
        raise RefusalError("no such row")
    return X["x"] + X["z"]


ONE_ROW_AT_A_TIME = {
    "ale": lambda f, X, **how: ale(f, X, "x", K=2, **how),
    "category": lambda f, X, **how: ale(f, X, "c", order="declared", **how),
    "partial_dependence": lambda f, X, **how: partial_dependence(f, X, "x", K=2, **how),
    "ice": lambda f, X, **how: ice(f, X, "x", K=2, **how),
    "m_plot": lambda f, X, **how: m_plot(f, X, "x", K=2, **how),
    "decompose": lambda f, X, **how: decompose(f, X, features="x", pairs=None, **how),
}


@pytest.mark.parametrize("call", ONE_ROW_AT_A_TIME.values(), ids=ONE_ROW_AT_A_TIME)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_batch_that_fails_is_named_with_its_rows(call, n_jobs):
    X = pd.DataFrame({"x": np.arange(12.0), "z": np.arange(12.0), "c": list("abcabcabcabc")})
    with pytest.raises(RefusalError, match="no such row") as caught:
        call(refuses_row_nine, X, batch_rows=3, n_jobs=n_jobs)
    [note] = [note for note in caught.value.__notes__ if "batch" in note]
    number, of = map(int, re.search(r"in batch (\d+) of (\d+)", note).groups())
    assert number <= of
    assert note.endswith("rows 9 to 11 of those used, counted from 0")
    with pytest.raises(RefusalError) as caught:
        call(refuses_row_nine, X.iloc[9:], batch_rows=None)
    assert not any("batch" in note for note in getattr(caught.value, "__notes__", []))


def test_a_batch_of_the_gradient_or_the_mean_prediction_that_fails_is_named():
    X = pd.DataFrame({"x": np.arange(12.0), "z": np.arange(12.0)})
    rows = "in batch 4 of 4, rows 9 to 11 of those used, counted from 0"
    with pytest.raises(RefusalError) as caught:
        ale(lambda X: X["x"], X, "x", gradient={"x": refuses_row_nine}, batch_rows=3)
    assert caught.value.__notes__ == [rows]
    calls = []
    effect = ale(lambda X: refuses_row_nine(X) if calls else X["x"], X, "x", batch_rows=3)
    calls.append("now")
    with pytest.raises(RefusalError) as caught:
        effect.mean_prediction  # noqa: B018
    assert caught.value.__notes__ == [rows]


def test_the_models_own_error_passes_for_numbers():
    def predict(X):
        raise RefusalError("no")

    for estimator in (ale, partial_dependence, m_plot):
        with pytest.raises(RefusalError, match="no"):
            estimator(predict, table(), "x")


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_error_in_a_later_batch_leaves_nothing_half_computed(n_jobs):
    calls = []

    def predict(X):
        calls.append(len(X))
        if len(calls) > 3:
            raise RefusalError("tired")
        return X["x"]

    with pytest.raises(RefusalError, match="tired"):
        ale(predict, table(), "x", batch_rows=2, n_jobs=n_jobs)


def test_everything_leaves_out_what_has_no_effect():
    X = table()[["x", "flat", "only", "wave"]]
    with pytest.warns(UserWarning, match="left out: column") as caught:
        effects = ale(lambda X: X["x"], X, "all")
    assert list(effects) == ["x"]
    messages = [str(warning.message) for warning in caught]
    assert [message.split("'")[1] for message in messages] == ["flat", "only", "wave"]
    with pytest.raises(FeatureError, match="column 'hole' has 2 missing"):
        ale(Unused(), table()[["x", "hole"]], "all")


def test_total_effect_needs_a_pair_and_its_main_effects():
    X = table()

    def predict(X):
        return X["x"] * X["z"]

    pair, x, z = (ale(predict, X, f, K=2) for f in (("x", "z"), "x", "z"))
    with pytest.raises(ValueError, match=r"pair must be a second-order effect, got .*'x'"):
        total_effect(x, x, z)
    with pytest.raises(ValueError, match=r"main effects of \('x', 'z'\) are needed"):
        total_effect(pair, x, x)
    outputs = ale(lambda X: X[["x", "z"]], X, "x", K=2, target="x")
    with pytest.raises(ValueError, match=r"same output, got targets None, 'x', None"):
        total_effect(pair, outputs, z)
