"""Tables of polars and pyarrow: the same numbers in every function, the black box gets its own."""

import datetime

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

import aleplot_py
from aleplot_py import ale, intervals, load, partial_dependence
from aleplot_py.errors import AleplotError, FeatureError
from tests.test_front_doors import DOORS

pl = pytest.importorskip("polars", reason="polars is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

N = 60
RNG = np.random.default_rng(8)
Y = RNG.normal(size=N)
COLUMNS = {
    "x": RNG.normal(size=N),
    "k": RNG.integers(0, 9, N),
    "word": RNG.choice(["low", "middle", "high"], N),
    "red": (np.arange(N) % 3 == 0).astype(np.int64),
    "blue": (np.arange(N) % 3 == 1).astype(np.int64),
    "when": np.datetime64("2024-01-01T00", "us") + RNG.integers(0, 90, N).astype("m8[D]"),
}
PANDAS = pd.DataFrame(COLUMNS)
LIBRARIES = {"polars": pl.from_pandas(PANDAS), "pyarrow": pa.table(COLUMNS)}
NUMBERS = ["x", "k", "red", "blue"]


def numbers(rows):
    """Columns that are numbers of a table of any library, (n, columns)."""
    names = getattr(rows, "column_names", None) or list(rows.columns)
    chosen = [name for name in names if name in NUMBERS or name.startswith("random")]
    return np.column_stack([np.asarray(rows[name], dtype=float) for name in chosen])


def f(rows):
    word = np.asarray([len(text) for text in np.asarray(rows["word"])])
    day = (np.asarray(rows["when"]).astype("M8[h]") - np.datetime64("2024-01-01T00")).astype(float)
    return numbers(rows) @ [1.0, 0.5, 2.0, -1.0] + word * np.asarray(rows["x"]) + day / 24


class Linear(RegressorMixin, BaseEstimator):
    """Least squares on the numbers of a table of any library, of one library only."""

    def fit(self, X, y):
        self.kind_ = type(X)
        self.coefficients_ = np.linalg.lstsq(self.design(X), np.asarray(y), rcond=None)[0]
        return self

    def design(self, X):
        assert type(X) is self.kind_
        values = numbers(X)
        return np.column_stack([np.ones(len(values)), values])

    def predict(self, X):
        return self.design(X) @ self.coefficients_


def fitted(X):
    return Linear().fit(X, Y)


OPTIONS = {"scoring": "r2", "random_state": 0}
CALLS = {
    "ALEPlot": lambda X: aleplot_py.ALEPlot(X, None, lambda _, rows: f(rows), "x", 5, plot=False),
    "PDPlot": lambda X: aleplot_py.PDPlot(
        X, None, lambda _, rows: f(rows), ["x", "k"], 5, plot=False
    ),
    "ale": lambda X: ale(f, X, "all", K=5, local_effects=True, groups="word"),
    "association_matrix": lambda X: aleplot_py.association_matrix(X),
    "bootstrap_bands": lambda X: aleplot_py.bootstrap_bands(
        ale(f, X, "x", K=5), refit=Linear(), X=X, y=Y, n_boot=3, random_state=0
    ),
    "conditional_permutation_importance": lambda X: aleplot_py.conditional_permutation_importance(
        fitted(X), X, Y, **OPTIONS
    ),
    "decompose": lambda X: aleplot_py.decompose(f, X, features=["x", "word"], K=3),
    "effect_panel": lambda X: aleplot_py.effect_panel(f, X, Y, ["x", "word", "when"], K=3),
    "first_order_prediction": lambda X: aleplot_py.first_order_prediction(
        ale(f, X, ["x", "when", "word"]), X
    ),
    "fit": lambda X: intervals.fit(f, X, "x", min_rows=5),
    "h_statistics": lambda X: aleplot_py.h_statistics(f, X, features=["x", "word", "when"], K=3),
    "ice": lambda X: aleplot_py.ice(f, X, ["when", "word", ("x", "k")], K=3),
    "interaction_strength": lambda X: aleplot_py.interaction_strength(f, X, features=["x"], K=3),
    "k_sensitivity": lambda X: aleplot_py.k_sensitivity(f, X, "x", Ks=(2, 5)),
    "learner_bands": lambda X: aleplot_py.learner_bands(
        ale(f, X, "x", K=5), Linear(), X, Y, n_refits=3, random_state=0
    ),
    "leave_two_out_importance": lambda X: aleplot_py.leave_two_out_importance(
        Linear(), X, Y, features=["x", "k"], cv=2, **OPTIONS
    ),
    "lofo_importance": lambda X: aleplot_py.lofo_importance(Linear(), X, Y, cv=2, **OPTIONS),
    "m_plot": lambda X: aleplot_py.m_plot(f, X, "all", K=4),
    "order_sensitivity": lambda X: aleplot_py.order_sensitivity(f, X, "word"),
    "partial_dependence": lambda X: partial_dependence(
        f, X, {"colour": ["red", "blue"], "x": ["x"]}, K=4
    ),
    "permutation_importance": lambda X: aleplot_py.permutation_importance(
        fitted(X), X, Y, features=["x", "word"], **OPTIONS
    ),
    "random_variable_null": lambda X: aleplot_py.random_variable_null(
        Linear(), X, Y, n=3, K=4, random_state=0
    ),
    "refit_with_permuted": lambda X: aleplot_py.refit_with_permuted(
        Linear(), X, Y, features=["x"], X_test=X, y_test=Y, **OPTIONS
    ),
    "regional_effects": lambda X: aleplot_py.regional_effects(
        f, X, "x", candidates=["word", "when"], min_rows=5, K=3
    ),
    "sequential_elimination": lambda X: aleplot_py.sequential_elimination(
        Linear(), X, Y, features=["x", "k"], cv=2, **OPTIONS
    ),
}


def test_every_function_that_takes_rows_is_called_here():
    plain = {door.__name__ for door in DOORS if door.__module__.startswith("aleplot_py")}
    assert plain - {"from_estimator"} <= CALLS.keys()


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", CALLS)
def test_the_same_numbers(name, library):
    X = LIBRARIES[library]
    kept = X.clone() if library == "polars" else X
    expected, found = CALLS[name](PANDAS), CALLS[name](X)
    assert X.equals(kept)
    if isinstance(expected, np.ndarray):
        assert np.array_equal(found, expected)
    elif name in ("ALEPlot", "PDPlot"):
        assert np.array_equal(found.f_values, expected.f_values)
    else:
        assert found == expected


ODD = {
    "category": pl.Series(["b", "a", None, "c"] * 15, dtype=pl.Categorical),
    "enum": pl.Series(["z", "x", "y", "z"] * 15, dtype=pl.Enum(["z", "y", "x", "unused"])),
    "text": pl.Series(["b", "a", "c", "c"] * 15),
    "flag": pl.Series([True, False, None, True] * 15),
    "small": pl.Series([1, 2, None, 4] * 15, dtype=pl.Int8),
    "single": pl.Series([1.5, 2, None, 4] * 15, dtype=pl.Float32),
    "gap": pl.Series([1.5, 2, float("nan"), 4] * 15),
    "money": pl.Series(["1.50", "2.25", None, "4.00"] * 15).cast(pl.Decimal(8, 2)),
    "day": pl.Series([datetime.date(2024, 1, day) for day in (1, 3, 9, 20)] * 15),
    "zoned": pl.Series([datetime.datetime(2024, 1, day) for day in (1, 3, 9, 20)] * 15)
    .dt.cast_time_unit("ms")
    .dt.replace_time_zone("Asia/Tehran"),
    "span": pl.Series([datetime.timedelta(hours=hour) for hour in (1, 3, 9, 20)] * 15),
    "hour": pl.Series([datetime.time(hour) for hour in (1, 3, 9, 20)] * 15),
}


def types_of(rows):
    return rows.schema if isinstance(rows, pl.DataFrame) else rows.schema.remove_metadata()


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", ODD)
def test_the_black_box_gets_the_type_and_the_values_that_came_in(name, library):
    X = pl.DataFrame({"it": ODD[name], "y": Y})
    X = X if library == "polars" else X.to_arrow()
    seen = set()

    def values_of(rows):
        return rows["it"].to_list() if library == "polars" else rows["it"].to_pylist()

    def watch(rows):
        assert type(rows) is type(X)
        if name != "money":  # between its cents there are floats only
            assert types_of(rows) == types_of(X)
        seen.update(values_of(rows))
        return np.asarray(rows["y"], dtype=float)

    known = {value for value in values_of(X) if value is not None and value == value}
    effect = ale(watch, X, "it", missing="drop", K=20)
    assert seen == known
    kind = "categorical" if name in ("category", "enum", "text", "flag", "hour") else "numeric"
    assert effect.kinds == (kind,)
    if name == "enum" and library == "polars":
        assert list(effect.x_values[0]) == ["z", "y", "x"]
    if len(known) < len(set(values_of(X))):
        with pytest.raises(FeatureError, match="has 15 missing"):
            ale(watch, X, "it")


def test_ordered_dictionaries_of_pyarrow_keep_their_order():
    words = pa.DictionaryArray.from_arrays(
        pa.array([2, 1, 0] * 20), pa.array(["c", "a", "b"]), ordered=True
    )
    X = pa.table({"it": words, "y": Y})

    def watch(rows):
        assert rows.schema == X.schema
        return np.asarray(rows["y"])

    assert list(ale(watch, X, "it").x_values[0]) == ["c", "a", "b"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_columns_as_arguments_and_outputs(library):
    X = LIBRARIES[library]
    own = pl.Series if library == "polars" else pa.chunked_array
    column = (lambda values: own(values)) if library == "polars" else (lambda values: own([values]))
    weight, words = np.arange(N) + 1.0, X["word"]
    plain = ale(f, PANDAS, ["x", "k"], sample_weight=weight, groups=PANDAS["word"])
    ours = ale(
        lambda rows: column(f(rows)), X, ["x", "k"], sample_weight=column(weight), groups=words
    )
    assert ours == plain
    table = pl.DataFrame if library == "polars" else pa.table
    both = lambda rows: table({"low": f(rows), "high": -f(rows)})  # noqa: E731
    assert ale(both, X, "x", target="high") == ale(
        lambda rows: pd.DataFrame({"low": f(rows), "high": -f(rows)}), PANDAS, "x", target="high"
    )
    effect = partial_dependence(f, X, ("x", "when"), K=3)
    assert np.array_equal(effect.evaluate(X), effect.evaluate(PANDAS), equal_nan=True)
    slope = ale(f, X, ["x"], gradient=lambda rows: table({"x": np.ones(N)}))
    assert slope == ale(f, PANDAS, ["x"], gradient=lambda rows: pd.DataFrame({"x": np.ones(N)}))


class Sign(ClassifierMixin, Linear):
    """A classifier of two words."""

    def fit(self, X, y):
        self.classes_ = np.unique(np.asarray(y))
        return super().fit(X, np.asarray(y) == self.classes_[1])

    def predict(self, X):
        return self.classes_[(super().predict(X) > 0.5).astype(int)]


@pytest.mark.parametrize("estimator", [ale, partial_dependence])
def test_a_forest_predicts_what_came_in(estimator):
    X = LIBRARIES["polars"].select("x", "k")
    forest = RandomForestRegressor(5, random_state=0).fit(X, Y)
    ours, plain = estimator(forest, X, "x"), estimator(forest, PANDAS[["x", "k"]], "x")
    assert np.array_equal(ours.f_values, plain.f_values)
    with pytest.raises(AleplotError, match="another library than pandas"):
        estimator(forest, X, "x", method="trees")


def test_derivatives_of_a_model():
    X = LIBRARIES["polars"].select("x", "k")
    model = LinearRegression().fit(X, Y)
    plain = ale(model, PANDAS[["x", "k"]], "all", gradient="model")
    ours = ale(model, X, "all", gradient="model")
    pairs = zip(ours.values(), plain.values(), strict=True)
    assert all(np.array_equal(one.f_values, other.f_values) for one, other in pairs)


def test_responses_and_weights_of_refits():
    X = LIBRARIES["polars"]
    words = pl.Series(np.where(Y > 0, "up", "down"))
    options = {"scoring": "accuracy", "cv": 2, "random_state": 0, "features": ["x", "k"]}
    ours = aleplot_py.lofo_importance(Sign(), X, words, **options)
    assert ours == aleplot_py.lofo_importance(Sign(), PANDAS, words.to_numpy(), **options)
    with pytest.raises(TypeError, match="X_test must be of the kind of X"):
        aleplot_py.lofo_importance(Linear(), X, Y, scoring="r2", X_test=PANDAS, y_test=Y)


def test_what_is_refused():
    empty = pl.DataFrame({"x": pl.Series([], dtype=pl.Float64)})
    with pytest.raises(ValueError, match=r"X must have rows and columns, got shape \(0, 1\)"):
        ale(f, empty, "x")
    twice = pa.table([[1, 2], [3, 4]], names=["x", "x"])
    with pytest.raises(FeatureError, match=r"must be unique, got \['x'\] repeated"):
        ale(f, twice, "x")
    lists = pl.DataFrame({"x": [[1], [2]]})
    with pytest.raises(FeatureError, match="cannot be levels"):
        ale(lambda rows: np.zeros(len(rows)), lists, "x")


def test_results_are_saved(tmp_path):
    effect = ale(f, LIBRARIES["polars"], ["word", "when"])
    effect.save(tmp_path / "effect.json")
    assert load(tmp_path / "effect.json") == effect
