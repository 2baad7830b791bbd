"""What a black box does to its rows reaches neither the caller's data nor its next call."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, decompose, ice, intervals, m_plot, partial_dependence
from aleplot_py.errors import PredictionError
from aleplot_py.gradient import from_sklearn

N = 25


def table(**types):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=N),
            "y": rng.normal(size=N),
            "c": pd.Categorical(rng.choice(list("abc"), N)),
            "t": pd.date_range("2020-01-01", periods=N),
            "o": pd.Series(list("uvwxy") * 5, dtype=object),
        },
        index=pd.Index(np.arange(N) * 2.0, name="row"),
    )
    return frame.astype(types)


FRAMES = {
    "mixed": table(),
    "numbers": table()[["x", "y"]],
    "integers": table()[["x", "y"]].round(1).mul(10).astype("int64"),
    "singles": table(y="float32"),
    "nullable": table(y="Float64"),
    "sparse": table(y=pd.SparseDtype("float64", 0.0)),
    "objects": table(y=object),
    "made from an array": pd.DataFrame(table()[["x", "y"]].to_numpy(), columns=["x", "y"]),
}


def reads(X):
    return np.asarray(X["x"], dtype=float) * (1 + np.asarray(X["y"], dtype=float))


def _through_array(X):
    X["y"].array[:] = 9


def _through_sparse(X):
    array = X["y"].array
    (array.sp_values if isinstance(array, pd.arrays.SparseArray) else array)[:] = 9


def _by_assignment(X):
    X["y"] = 9.0


def _in_place(X):
    X.iloc[:, 1] = 9


def _names(X):
    X.index.name = "mine"
    X.columns.name = "mine"


def _attributes(X):
    X.attrs.setdefault("notes", []).append("mine")


def _other_columns(X):
    for name in X.columns.intersection(["c", "o"]):
        X[name].array[:] = X[name].iloc[0]


WRITERS = [
    _through_array,
    _through_sparse,
    _by_assignment,
    _in_place,
    _names,
    _attributes,
    _other_columns,
]
ESTIMATORS = {
    "ale": lambda f, X: ale(f, X, "x", K=4),
    "ale of a pair": lambda f, X: ale(f, X, ("x", "y"), K=3),
    "ale in batches": lambda f, X: ale(f, X, "x", K=4, batch_rows=7),
    "auto": lambda f, X: ale(f, X, "x", K="auto"),
    "intervals": lambda f, X: intervals.fit(f, X, "x"),
    "pd": lambda f, X: partial_dependence(f, X, "x", K=4),
    "ice": lambda f, X: ice(f, X, "x", K=4),
    "m_plot": lambda f, X: m_plot(f, X, "x", K=4),
    "kernel": lambda f, X: m_plot(f, X, "x", K=4, neighbourhood="kernel"),
    "decompose": lambda f, X: decompose(f, X[["x", "y"]], K=3),
}


def _cases():
    for write in WRITERS:
        for name in FRAMES:
            if name != "sparse" or write not in (_through_array, _in_place):  # pandas refuses these
                yield pytest.param(write, name, id=f"{write.__name__.strip('_')}-{name}")


@pytest.mark.parametrize(("write", "name"), list(_cases()))
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::pandas.errors.PerformanceWarning")
def test_a_black_box_that_writes(write, name):
    X = FRAMES[name].copy()
    X.attrs["notes"] = ["ours"]
    before = X.copy(deep=True)

    def writes(X):
        values = reads(X)
        write(X)
        return values

    for estimate in ESTIMATORS.values():
        result, right = estimate(writes, X), estimate(reads, before)
        assert result == right
    pd.testing.assert_frame_equal(X, before)
    assert (X.index.name, X.columns.name) == (before.index.name, None)
    assert X.attrs == {"notes": ["ours"]}


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_black_box_that_writes_to_its_array(order):
    X = np.array(FRAMES["numbers"].to_numpy(), order=order)
    before = X.copy()

    def writes(X):
        values = X[:, 0] * X[:, 1]
        X[:] = 9
        return values

    for features in (0, (0, 1)):
        right = ale(lambda X: X[:, 0] * X[:, 1], before, features, K=3)
        assert ale(writes, X, features, K=3) == right
    assert X.tolist() == before.tolist()


def test_copies_lie_in_memory_as_the_data_do():
    """The last bit of a prediction may depend on it."""
    for numbers in (np.zeros((9, 3)), np.zeros((9, 3), order="F")):
        X = pd.DataFrame(numbers, columns=list("xyz"), copy=False)
        seen = []

        def sees(X, seen=seen):
            seen.append(X.to_numpy().flags.c_contiguous)
            return np.arange(9.0)

        effect = ale(sees, X.assign(x=np.arange(9.0)), "x", K=3)
        decompose(sees, X.assign(x=np.arange(9.0))[["x"]], K=3, pairs=None)
        assert effect.K == (3,)
        seen.clear()
        assert ale(sees, pd.DataFrame(numbers), 0, K=3, grid=[-1, 0, 1]).mean_prediction == 4.0
        assert seen[-1] == pd.DataFrame(numbers).to_numpy().flags.c_contiguous


def _drops(X):
    X.dropna(inplace=True)  # noqa: PD002 (as users do)
    return X["x"]


def _keeps(X):
    kept = X["x"].copy()
    X.drop(X.index[:5], inplace=True)  # noqa: PD002
    return kept


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_rows_that_the_black_box_drops_in_place():
    X = table()[["x", "y"]]
    X.iloc[:5, 1] = np.nan
    for name in ("ale", "auto", "intervals", "m_plot"):
        with pytest.raises(PredictionError, match="it returned 20 for 25 rows"):
            ESTIMATORS[name](_drops, X)
    for name in ("pd", "ice", "kernel"):
        with pytest.raises(PredictionError, match=r"it returned \d+ for \d+ rows"):
            ESTIMATORS[name](_drops, X)

    def drops_the_data(X, calls=[]):  # noqa: B006 (counts the calls)
        calls.append(X)
        return X["x"].copy() if len(calls) < 3 else _drops(X)

    with pytest.raises(PredictionError, match="it returned 20 for 25 rows"):
        _ = ale(drops_the_data, X, "x", K=4).mean_prediction
    assert ale(_keeps, X, "x", K=4).mean_prediction == ale(lambda X: X["x"], X, "x").mean_prediction


def test_a_pipeline_that_scales_in_place_keeps_its_gradient():
    linear_model = pytest.importorskip("sklearn.linear_model")
    pipeline = pytest.importorskip("sklearn.pipeline")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    X = table()[["x", "y"]].to_numpy() * 5 + 3
    y = X @ [1.0, 2.0]
    steps = (preprocessing.StandardScaler(copy=False), linear_model.LinearRegression())
    model = pipeline.make_pipeline(*steps).fit(X.copy(), y)
    before = X.copy()
    np.testing.assert_allclose(from_sklearn(model)(X.copy()), np.tile([1.0, 2.0], (N, 1)))
    effect = ale(model, X, 0, K=4, gradient="model")
    np.testing.assert_allclose(np.diff(effect.f_values), np.diff(effect.x_values[0]))
    assert X.tolist() == before.tolist()
