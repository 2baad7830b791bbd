"""ALEPlot and PDPlot as an R script calls them."""

import dataclasses
import inspect

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import EventCollection, PatchCollection, QuadMesh
from matplotlib.colors import to_rgba

from aleplot_py import ale, partial_dependence
from aleplot_py.r.api import ALEPlot, PDPlot
from validation.goldens_reader import aleplot_curve, cases

pytestmark = pytest.mark.usefixtures("close_figures")

# A weighted mean of three numbers around 1.
BY_HAND = 1e-14


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(2)
    x1 = rng.uniform(0, 1, 150)
    levels = ["a", "b", "c"]
    return pd.DataFrame(
        {
            "x1": x1,
            "x2": x1 + rng.normal(0, 0.05, 150),
            "c": pd.Categorical(rng.choice(levels, 150), categories=levels, ordered=True),
        }
    )


def yhat(X_model, newdata):
    return X_model["slope"] * newdata["x1"] * newdata["x2"] + newdata["c"].cat.codes


MODEL = {"slope": 3.0}


def predict(frame):
    return yhat(MODEL, frame)


def test_signatures_are_those_of_r():
    def shape(function):
        parameters = inspect.signature(function).parameters.values()
        return [(p.name, p.default, p.kind.name) for p in parameters]

    empty, place, word = inspect.Parameter.empty, "POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY"
    first = [(name, empty, place) for name in ("X", "X_model", "pred_fun", "J")]
    last = ("plot", True, word)
    assert shape(ALEPlot) == [*first, ("K", 40, place), ("NA_plot", True, place), last]
    assert shape(PDPlot) == [*first, ("K", empty, place), last]


def first_case(kind):
    """First stored case of a kind that R could do."""
    return next(case for case in cases(kind) if not case.failed_in_r)


@pytest.mark.stored
@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (ALEPlot, "ale_numeric"),
        (ALEPlot, "ale_numeric_numeric"),
        (ALEPlot, "ale_categorical_numeric"),
        (PDPlot, "pd_numeric"),
        (PDPlot, "pd_numeric_numeric"),
        (PDPlot, "pd_categorical"),
    ],
)
def test_equals_r(function, kind):
    """Every bit, by R's positions; categories ordered as R puts them."""
    case = first_case(kind)
    curve = aleplot_curve(case)
    X, pred_fun = case.with_levels_in_order(curve.x_values)
    J = [j - 1 for j in case["J"]]  # R counts from 1
    result = function(X, None, pred_fun, J, case["K"], plot=False)
    assert result.arithmetic in ("long double", "exact")
    if function is ALEPlot:
        assert np.ravel(result.K).tolist() == case["r"]["K"]
    x_values = [result.x_values] if len(J) == 1 else result.x_values
    assert [list(points) for points in x_values] == curve.x_values
    np.testing.assert_array_equal(result.f_values, curve.f_values, strict=True)


def test_main_effect_returns_r_names(X):
    result = ALEPlot(X, MODEL, yhat, 0, 8, plot=False)
    effect = ale(predict, X, "x1", K=8)
    assert list(result) == ["K", "x_values", "f_values"]
    assert result.K == 8
    assert isinstance(result.K, int)
    np.testing.assert_array_equal(result.x_values, effect.x_values[0])
    np.testing.assert_array_equal(result.f_values, effect.f_values)
    for name in ("f_values", "f.values"):
        assert result[name] is result.f_values
    assert dict(result)["K"] == 8
    with pytest.raises(KeyError, match="'f' is not one of"):
        result["f"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.K = 3


def test_pair_returns_lists_of_two(X):
    result = ALEPlot(X, MODEL, yhat, [2, 1], K=5, plot=False)
    effect = ale(predict, X, ("c", "x2"), K=5)
    assert result.K.tolist() == [3, 5]
    assert isinstance(result.x_values, list)
    assert result.x_values[0].tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(result.x_values[1], effect.x_values[1])
    np.testing.assert_array_equal(result.f_values, effect.f_values)


def test_pd_returns_r_names(X):
    result = PDPlot(X, MODEL, yhat, [0, 1], 4, plot=False)
    effect = partial_dependence(predict, X, ("x1", "x2"), K=4, centre="pdplot")
    assert list(result) == ["x_values", "f_values"]
    np.testing.assert_array_equal(result.f_values, effect.f_values)
    single = PDPlot(X, MODEL, yhat, "c", 4, plot=False)
    assert single["x.values"].tolist() == ["a", "b", "c"]
    assert np.average(single.f_values, weights=X["c"].value_counts(sort=False)) == pytest.approx(
        0, abs=BY_HAND
    )


@pytest.mark.parametrize("J", [1, "x2", ["x2"], (1,), np.array([1])])
def test_J_by_name_or_position_from_zero(X, J):
    result = ALEPlot(X, MODEL, yhat, J, K=4, plot=False)
    np.testing.assert_array_equal(result.f_values, ale(predict, X, "x2", K=4).f_values)


@pytest.mark.parametrize("J", [[0, 1], (0, "x2"), ["x1", "x2"], np.array([0, 1])])
def test_J_of_a_pair(X, J):
    result = ALEPlot(X, MODEL, yhat, J, K=4, plot=False)
    np.testing.assert_array_equal(result.f_values, ale(predict, X, ("x1", "x2"), K=4).f_values)


def test_the_model_is_handed_to_pred_fun_untouched(X):
    seen = []

    def remember(X_model, newdata):
        seen.append((X_model, type(newdata)))
        return newdata["x1"]

    ALEPlot(X, MODEL, remember, 0, K=3, plot=False)
    assert all(model is MODEL and kind is pd.DataFrame for model, kind in seen)
    array = X[["x1", "x2"]].to_numpy()
    result = ALEPlot(array, None, lambda _, newdata: newdata[:, 0], 0, K=3)
    assert plt.gca().get_xlabel() == "$x_{1}$"
    assert result.K == 3


def test_line_with_rug_on_the_current_axes(X):
    _, (left, right) = plt.subplots(1, 2)
    plt.sca(left)
    result = ALEPlot(X, MODEL, yhat, J=1, K=6)
    assert not right.has_data()
    (line,) = left.lines
    np.testing.assert_array_equal(line.get_xdata(), result.x_values)
    np.testing.assert_array_equal(line.get_ydata(), result.f_values)
    assert (line.get_linestyle(), line.get_marker()) == ("-", "None")
    (rug,) = left.collections
    assert isinstance(rug, EventCollection)
    np.testing.assert_array_equal(rug.get_positions(), np.unique(X["x2"]))
    assert left.get_xlabel() == "$x_{2}$ (x2)"
    assert left.get_ylabel() == "$f_{2}(x_{2})$"


def test_a_new_plot_replaces_the_one_before(X):
    ALEPlot(X, MODEL, yhat, J=1, K=6)
    result = PDPlot(X, MODEL, yhat, J=0, K=6)
    (line,) = plt.gca().lines
    np.testing.assert_array_equal(line.get_ydata(), result.f_values)
    assert len(plt.get_fignums()) == 1


def test_bars_of_a_category(X):
    for function in (ALEPlot, PDPlot):
        result = function(X, MODEL, yhat, J="c", K=6)
        ax = plt.gca()
        assert [bar.get_height() for bar in ax.patches] == result.f_values.tolist()
        assert [t.get_text() for t in ax.get_xticklabels()] == ["a", "b", "c"]


@pytest.mark.parametrize("NA_plot", [True, False])
def test_image_with_contours_and_black_where_there_are_no_data(X, NA_plot):
    result = ALEPlot(X, MODEL, yhat, [0, 1], K=6, NA_plot=NA_plot)
    figure, ax = plt.gcf(), plt.gca()
    assert figure.axes == [ax]
    (mesh,) = [c for c in ax.collections if isinstance(c, QuadMesh)]
    np.testing.assert_array_equal(mesh.get_array(), result.f_values.T)
    assert any(hasattr(c, "levels") for c in ax.collections)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$x_{1}$ (x1)", "$x_{2}$ (x2)")
    covers = [c for c in ax.collections if isinstance(c, PatchCollection)]
    empty = ale(predict, X, ("x1", "x2"), K=6).empty
    assert empty.any()
    if NA_plot:
        assert covers == []
        return
    (cover,) = covers
    assert tuple(cover.get_facecolor()[0]) == to_rgba("black")
    z, w = result.x_values
    boxes = [path.get_extents() for path in cover.get_paths()]
    assert {(b.x0, b.x1, b.y0, b.y1) for b in boxes} == {
        (z[i], z[i + 1], w[j], w[j + 1]) for i, j in np.argwhere(empty)
    }


def test_image_of_a_partial_dependence(X):
    result = PDPlot(X, MODEL, yhat, [2, 0], K=4)
    (mesh,) = [c for c in plt.gca().collections if isinstance(c, QuadMesh)]
    np.testing.assert_array_equal(mesh.get_array(), result.f_values.T)


def test_nothing_is_drawn_without_plot(X):
    ALEPlot(X, MODEL, yhat, 0, plot=False)
    PDPlot(X, MODEL, yhat, 0, 5, plot=False)
    assert plt.get_fignums() == []


def test_a_name_with_a_dollar_is_not_a_formula():
    X = pd.DataFrame({"$a$": np.arange(8.0)})
    ALEPlot(X, None, lambda _, newdata: newdata["$a$"], J=0, K=3)
    assert plt.gca().get_xlabel() == r"$x_{1}$ (\$a\$)"
    plt.gcf().canvas.draw()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"J": [0, 1, 2]}, ValueError, "J must name one or two columns, got 3"),
        ({"J": []}, ValueError, "J must name one or two columns, got 0"),
        ({"J": 3}, ValueError, "feature 3 is not a column: X has 3 columns"),
        ({"J": "x9"}, ValueError, "feature 'x9' is not a column of X"),
        ({"J": [1, 1]}, ValueError, "a pair needs two different features"),
        ({"K": 2.5}, TypeError, "K must be a positive integer, got 2.5"),
        ({"pred_fun": "yhat"}, TypeError, "pred_fun must be a function of .* got str"),
    ],
)
@pytest.mark.parametrize("function", [ALEPlot, PDPlot])
def test_bad_calls(X, function, change, error, message):
    call = {"X": X, "X_model": MODEL, "pred_fun": yhat, "J": 0, "K": 5, **change}
    with pytest.raises(error, match=message):
        function(**call)
    assert plt.get_fignums() == []


def test_prediction_function_of_another_signature():
    X = pd.DataFrame({"x1": np.arange(1.0, 11.0)})
    with pytest.raises(TypeError, match=r"must be a function of \(X_model, newdata\)"):
        ALEPlot(X, None, lambda newdata: newdata["x1"], J=0, plot=False)
