"""Data and names in other containers: taken, or refused with what they are and what to do."""

import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from aleplot_py import (
    ale,
    association_matrix,
    decompose,
    ice,
    intervals,
    k_sensitivity,
    m_plot,
    partial_dependence,
    regional_effects,
)
from aleplot_py.errors import FeatureError

X = pd.DataFrame({"x": np.arange(20.0), "z": np.arange(20) % 3})


def f(X):
    return np.asarray(X)[:, 0] * np.asarray(X)[:, 1]


FUNCTIONS = {
    "ale": lambda X: ale(f, X, "x"),
    "pd": lambda X: partial_dependence(f, X, "x"),
    "ice": lambda X: ice(f, X, "x"),
    "m_plot": lambda X: m_plot(f, X, "x"),
    "decompose": lambda X: decompose(f, X),
    "regional": lambda X: regional_effects(f, X, "x"),
    "sensitivity": lambda X: k_sensitivity(f, X, "x"),
    "intervals": lambda X: intervals.fit(f, X, "x"),
    "association": association_matrix,
}


def of_library(name, method):
    """A frame of another library, as far as a frame of pandas is concerned."""
    cls = type("DataFrame", (), {"shape": (20, 2), "columns": ["x", "z"], method: lambda _: X})
    cls.__module__ = f"{name}.dataframe.frame"
    return cls()


FRAMES = {
    "polars": ("to_pandas", "DataFrame of polars: call its .to_pandas() first"),
    "pyarrow": ("to_pandas", "DataFrame of pyarrow: call its .to_pandas() first"),
    "pyspark": ("toPandas", "DataFrame of pyspark: call its .toPandas() first"),
    "dask": ("compute", "DataFrame of dask: call its .compute() first"),
    "unheard": ("other", "DataFrame of unheard"),
}


# Those that take Dask's own (tests/scale).
TAKE_DASK = {"ale", "pd", "ice"}


CASES = [(f, lib) for f in FUNCTIONS for lib in FRAMES if lib != "dask" or f not in TAKE_DASK]


@pytest.mark.parametrize(("function", "library"), CASES)
def test_a_frame_of_another_library_is_named(function, library):
    method, message = FRAMES[library]
    with pytest.raises(TypeError) as caught:
        FUNCTIONS[function](of_library(library, method))
    assert str(caught.value) == f"X must be a DataFrame or a two-dimensional array, got {message}"


def test_importances_name_the_library_too():
    importance = pytest.importorskip("aleplot_py.importance")
    linear_model = pytest.importorskip("sklearn.linear_model")
    model, frame = linear_model.LinearRegression(), of_library("polars", "to_pandas")
    for function in (importance.permutation_importance, importance.lofo_importance):
        with pytest.raises(TypeError, match=r"got DataFrame of polars: call its \.to_pandas\(\)"):
            function(model, frame, X["x"], scoring="r2")


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("shape", [(20,), (20, 1), ()])
def test_structured_arrays_are_told_what_to_become(function, shape):
    fields = [("x", "f8"), ("z", "i4")]
    for array in (np.zeros(shape, dtype=fields), np.zeros(shape, dtype=fields).view(np.recarray)):
        with pytest.raises(TypeError, match=r"with the fields \['x', 'z'\]: pass pd.DataFrame"):
            function(array)


def test_what_is_no_table_keeps_its_message():
    for data, got in (
        (sparse.csr_matrix(X), "csr_matrix of scipy"),
        (X.to_dict(), "dict"),
        (X["x"], "Series"),
        (ModuleType("x"), "module"),
        (sys, "module"),
    ):
        with pytest.raises(TypeError, match=f"two-dimensional array, got {got}$"):
            ale(f, data, "x")


LISTS = {
    "list": ["x", "z"],
    "positions": [0, 1],
    "array": np.array(["x", "z"]),
    "objects": np.array(["x", "z"], dtype=object),
    "array of positions": np.array([0, 1]),
    "index": pd.Index(["x", "z"]),
    "series": pd.Series(["x", "z"], index=[7, 8]),
    "series of positions": pd.Series([0, 1]),
    "categories": pd.Series(["x", "z"], dtype="category"),
    "string": pd.array(["x", "z"], dtype="string"),
    "columns": X.columns,
}


@pytest.mark.parametrize("names", LISTS.values(), ids=LISTS)
def test_names_in_every_list(names):
    for estimator in (ale, partial_dependence, ice, m_plot):
        assert estimator(f, X, names, K=3) == estimator(f, X, ["x", "z"], K=3)
    assert decompose(f, X, features=names, K=3) == decompose(f, X, features=["x", "z"], K=3)
    as_categories = ale(f, X, "z", categorical=names)
    assert as_categories == ale(f, X, "z", categorical=["x", "z"])


ONES = {
    "name": "z",
    "position": 1,
    "numpy position": np.int64(1),
    "numpy text": np.str_("z"),
    "no dimensions": np.array("z"),
    "position without dimensions": np.array(1),
}


@pytest.mark.parametrize("one", ONES.values(), ids=ONES)
def test_one_name_in_every_form(one):
    for estimator in (ale, partial_dependence, ice, m_plot):
        assert estimator(f, X, one, K=3) == estimator(f, X, "z", K=3)
    assert ale(f, X, "z", categorical=one) == ale(f, X, "z", categorical="z")
    regions = regional_effects(f, X, "x", candidates=one, K=3, min_rows=3)
    assert regions == regional_effects(f, X, "x", candidates=["z"], K=3, min_rows=3)
    assert k_sensitivity(f, X, one, Ks=[2, 3]) == k_sensitivity(f, X, "z", Ks=[2, 3])


@pytest.mark.parametrize(
    "names", [np.array([["x", "z"]]), [["x", "z"]], {"x": 1}.keys(), {"x", "z"}, iter(["x"])]
)
def test_what_names_no_column_is_shown(names):
    for estimator in (ale, partial_dependence, m_plot):
        with pytest.raises(FeatureError, match="is not a column of X: it has 2 columns, 'x', 'z'"):
            estimator(f, X, names)


def test_misspelt_names_get_the_nearest():
    wide = pd.DataFrame(
        {f"column {i}": np.arange(5.0) for i in range(30)} | {"wind_speed": X["x"][:5]}
    )
    for estimate in (
        lambda: ale(f, wide, "windspeed"),
        lambda: partial_dependence(f, wide, ["windspeed"]),
        lambda: m_plot(f, wide, ("windspeed", 0)),
        lambda: ale(f, wide, "all", categorical=["windspeed"]),
        lambda: ale(f, wide, "all", K={"windspeed": 3}),
        lambda: regional_effects(f, wide, 0, candidates=["windspeed"]),
        lambda: decompose(f, wide, pairs=[("windspeed", 0)]),
    ):
        with pytest.raises(
            FeatureError, match=r"'windspeed' is not a column of X: nearest of its "
        ):
            estimate()
