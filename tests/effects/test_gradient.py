"""Effects from a Jacobian against differences, and adapters against numerical derivatives."""

import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import (
    HuberRegressor,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
)
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PowerTransformer, StandardScaler
from sklearn.svm import LinearSVC

from aleplot_py import ale, gradient
from aleplot_py.errors import PredictionError

# Sums of a few hundred terms of size 1 in double precision.
ROUNDING = 1e-11
# Central differences with step 1e-5: truncation 1e-10 times the third derivative, rounding 1e-11.
NUMERICAL = 1e-7


def close(actual, expected, atol=ROUNDING):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=atol)


def frame(n=200, seed=0):
    x, u, w = np.random.default_rng(seed).normal(size=(3, n))
    return pd.DataFrame({"x": x, "u": u, "w": w})


def smooth(X):
    return np.sin(2 * X["x"]) + X["x"] * X["u"]


def smooth_gradient(X):
    return np.column_stack([2 * np.cos(2 * X["x"]) + X["u"], X["x"], np.zeros(len(X))])


def numerical_jacobian(predict, X, step=1e-5):
    """Central differences; NaN where a kink of a relu lies within the step."""
    columns = []
    here = np.asarray(predict(X))
    for position in range(X.shape[1]):
        up, down = X.copy(), X.copy()
        up.iloc[:, position] += step
        down.iloc[:, position] -= step
        right, left = np.asarray(predict(up)) - here, here - np.asarray(predict(down))
        kink = np.abs(right - left) > 100 * step**2  # no smooth model here bends that much
        columns.append(np.where(kink, np.nan, (right + left) / (2 * step)))
    return np.column_stack(columns)


def test_approaches_differences_as_K_grows():
    X = frame(2000)
    differences = []
    for K in (5, 20, 80, 320):
        by_difference = ale(smooth, X, "x", K=K)
        by_gradient = ale(smooth, X, "x", K=K, gradient=smooth_gradient)
        z = by_difference.x_values[0]
        np.testing.assert_array_equal(by_gradient.x_values[0], z)
        np.testing.assert_array_equal(by_gradient.counts, by_difference.counts)
        worst = np.abs(by_gradient.f_values - by_difference.f_values).max()
        # The second derivative is at most 4: a local effect differs by 4 width^2 / 2 at most,
        # the sum of all by that much, and centring may double it.
        assert worst <= 4 * (np.diff(z) ** 2).sum()
        differences.append(worst)
    assert differences[-1] < differences[0] / 50


@pytest.mark.parametrize("K", [1, 3, 40])
@pytest.mark.parametrize("centring", ["aleplot", "paper", "none"])
def test_equal_where_the_prediction_is_linear_in_the_feature(K, centring):
    X = frame()

    def predict(rows):
        return rows["x"] * (np.sin(rows["u"]) - 3) + rows["w"] ** 2

    def slopes(rows):
        return np.column_stack(
            [np.sin(rows["u"]) - 3, rows["x"] * np.cos(rows["u"]), 2 * rows["w"]]
        )

    by_difference = ale(predict, X, "x", K=K, centre=centring)
    by_gradient = ale(predict, X, "x", K=K, centre=centring, gradient=slopes)
    close(by_gradient.f_values, by_difference.f_values)
    close(by_gradient.local_std, by_difference.local_std)


def quadratic(X):
    return 1.5 * X["x"] ** 2 + X["x"] * X["u"] - X["u"] ** 2


def quadratic_gradient(X):
    return np.column_stack([3 * X["x"] + X["u"], X["x"] - 2 * X["u"]])


def test_equal_for_quadratics_where_rows_average_to_the_middle_of_their_interval():
    grid = np.array([0.0, 1.0, 3.0, 3.5, 7.0])
    middle, width = (grid[:-1] + grid[1:]) / 2, np.diff(grid)
    x = np.concatenate([middle - width / 4, middle, middle + width / 4])
    X = pd.DataFrame({"x": x, "u": np.random.default_rng(1).normal(size=len(x))})
    by_difference = ale(quadratic, X, "x", grid=grid)
    by_gradient = ale(quadratic, X, "x", grid=grid, gradient=quadratic_gradient)
    close(by_gradient.f_values, by_difference.f_values)


def test_quadratics_differ_by_the_distance_of_the_rows_from_the_middle():
    X = frame()[["x", "u"]]
    by_difference = ale(quadratic, X, "x", K=7)
    by_gradient = ale(quadratic, X, "x", K=7, gradient=quadratic_gradient)
    z = by_difference.x_values[0]
    codes = np.maximum(np.searchsorted(z, X["x"]) - 1, 0)
    mean = np.bincount(codes, X["x"]) / np.bincount(codes)
    expected = 2 * 1.5 * np.diff(z) * (mean - (z[:-1] + z[1:]) / 2)
    close(by_gradient.local_mean - by_difference.local_mean, expected)
    assert np.abs(expected).max() > 0.01


def test_one_call_serves_all_features_and_nothing_is_predicted():
    X = frame()
    calls = []

    def counted(rows):
        calls.append(len(rows))
        return smooth_gradient(rows)

    def never(rows):
        raise AssertionError("predicted")

    effects = ale(never, X, "all", gradient=counted)
    assert calls == [len(X)]
    for name in X:
        single = ale(smooth, X, name, gradient=smooth_gradient)
        np.testing.assert_array_equal(effects[name].f_values, single.f_values)
    close(effects["w"].f_values, 0)
    close(ale(smooth, X, "x", gradient=smooth_gradient).mean_prediction, smooth(X).mean())


def test_batches():
    X = frame()
    sizes = []

    def counted(rows):
        sizes.append(len(rows))
        return smooth_gradient(rows)

    parts = ale(smooth, X, ["x", "u"], gradient=counted, batch_rows=90)
    assert sizes == [90, 90, 20]
    close(parts["x"].f_values, ale(smooth, X, "x", gradient=smooth_gradient).f_values)


def test_forms_of_the_gradient_agree():
    X = frame()
    expected = ale(smooth, X, "x", gradient=smooth_gradient).f_values
    forms = {
        "frame of some columns": lambda rows: pd.DataFrame(
            {"w": 0.0, "x": smooth_gradient(rows)[:, 0]}, index=rows.index
        ),
        "by name": {"x": lambda rows: smooth_gradient(rows)[:, 0]},
        "by position": {0: lambda rows: smooth_gradient(rows)[:, 0]},
    }
    for form, given in forms.items():
        values = ale(smooth, X, "x", gradient=given).f_values
        np.testing.assert_array_equal(values, expected, err_msg=form)
    array = X.to_numpy()
    of_array = ale(
        lambda rows: np.sin(2 * rows[:, 0]) + rows[:, 0] * rows[:, 1],
        array,
        0,
        gradient=lambda rows: smooth_gradient(pd.DataFrame(rows, columns=list(X))),
    )
    np.testing.assert_array_equal(of_array.f_values, expected)


def test_weights_and_kept_local_effects():
    X = frame(60)
    weights = np.arange(60) % 3
    weighted = ale(smooth, X, "x", K=5, sample_weight=weights, gradient=smooth_gradient)
    z = weighted.x_values[0]
    codes = np.maximum(np.searchsorted(z, X["x"]) - 1, 0)
    slope = np.bincount(codes, weights * smooth_gradient(X)[:, 0]) / np.bincount(codes, weights)
    close(weighted.local_mean, slope * np.diff(z))
    kept = ale(smooth, X, "x", K=5, gradient=smooth_gradient, local_effects=True).local_effects
    close(kept.effects, smooth_gradient(X)[:, 0] * np.diff(z)[codes])
    np.testing.assert_array_equal(kept.cells[:, 0], codes)


def test_categories_are_differenced_as_ever():
    X = frame().assign(c=np.resize(["a", "b", "c"], 200))

    def predict(rows):
        return smooth(rows) + 2.0 * (rows["c"] == "b")

    def slopes(rows):
        return pd.DataFrame(smooth_gradient(rows), columns=["x", "u", "w"], index=rows.index)

    every = ale(predict, X, "all", gradient=slopes)
    np.testing.assert_array_equal(every["c"].f_values, ale(predict, X, "c").f_values)
    close(every["x"].f_values, ale(smooth, X, "x", gradient=slopes).f_values)


def test_missing_rows_are_dropped_for_their_feature():
    X = frame(60)
    X.loc[[3, 7], "x"] = np.nan
    effects = ale(smooth, X, ["x", "u"], missing="drop", gradient=smooth_gradient_or_zero)
    known = X.dropna()
    expected = ale(smooth, known, "x", gradient=smooth_gradient)
    np.testing.assert_array_equal(effects["x"].f_values, expected.f_values)
    assert effects["u"].counts.sum() == 60


def smooth_gradient_or_zero(X):
    return np.nan_to_num(smooth_gradient(X))


def test_out_of_range_edges_need_no_prediction_there():
    X = frame(50)
    clipped = ale(smooth, X, "x", grid=[-1.0, 0.0, 1.0], outside="iml", gradient=smooth_gradient)
    inside = X["x"] <= 1
    assert clipped.counts.sum() == inside.sum()
    codes = np.clip(np.searchsorted([-1.0, 0.0, 1.0], X["x"][inside]) - 1, 0, 1)
    slopes = smooth_gradient(X[inside])[:, 0]
    close(clipped.local_mean, np.bincount(codes, slopes) / np.bincount(codes))


X_FIT = frame(150, seed=4)
Y = (np.sin(X_FIT["x"]) + X_FIT["u"] * X_FIT["w"]).to_numpy()
TWO = np.where(Y > 0, "yes", "no")
THREE = np.digitize(Y, [-0.5, 0.5])
SMALL = {"hidden_layer_sizes": (6, 4), "max_iter": 3000, "random_state": 0}


def perceptron(**options):
    return MLPRegressor(**{**SMALL, **options})


MODELS = {
    "linear": (LinearRegression(), Y, {}),
    "ridge": (Ridge(), Y, {}),
    "huber": (HuberRegressor(), Y, {}),
    "no intercept": (LinearRegression(fit_intercept=False), Y, {}),
    "two outputs": (LinearRegression(), np.column_stack([Y, Y**2]), {"target": 1}),
    "logistic": (LogisticRegression(), TWO, {}),
    "logistic, first class": (LogisticRegression(), TWO, {"target": "no"}),
    "logistic, score": (LogisticRegression(), TWO, {"response_method": "decision_function"}),
    "svc, first class": (LinearSVC(), TWO, {"target": "no"}),
    "softmax": (LogisticRegression(), THREE, {"target": 1}),
    "three scores": (
        LogisticRegression(),
        THREE,
        {"target": 2, "response_method": "decision_function"},
    ),
    "perceptron, tanh": (perceptron(activation="tanh"), Y, {}),
    "perceptron, logistic": (perceptron(activation="logistic"), Y, {}),
    "perceptron, relu": (perceptron(activation="relu"), Y, {}),
    "perceptron, identity": (perceptron(activation="identity"), Y, {}),
    "classifier of two": (MLPClassifier(**SMALL), TWO, {}),
    "classifier of two, first": (MLPClassifier(**SMALL), TWO, {"target": "no"}),
    "classifier of three": (MLPClassifier(activation="tanh", **SMALL), THREE, {"target": 0}),
    "scaled perceptron": (
        make_pipeline(StandardScaler(), MinMaxScaler((-1, 2)), perceptron(activation="tanh")),
        Y,
        {},
    ),
    "scaled logistic": (
        make_pipeline(StandardScaler(with_std=False), "passthrough", LogisticRegression()),
        TWO,
        {"target": "no"},
    ),
    "centred by nothing": (make_pipeline(StandardScaler(with_mean=False), Ridge()), Y, {}),
}


def explained(model, options):
    """Prediction that `options` choose, written without the library."""
    method = options.get("response_method")
    if method is None:
        method = "predict_proba" if hasattr(model, "predict_proba") else "predict"
        if hasattr(model, "decision_function") and method == "predict":
            method = "decision_function"
    target = options.get("target")

    def predict(rows):
        values = getattr(model, method)(rows)
        if values.ndim == 1:
            return -values if target == "no" else values
        if hasattr(model, "classes_"):
            classes = list(model.classes_)
            return values[:, classes.index("yes" if target is None else target)]
        return values[:, 0 if target is None else target]

    return predict


@pytest.mark.parametrize("name", MODELS)
def test_sklearn_adapters_against_numerical_derivatives(name):
    model, y, options = MODELS[name]
    model = model.fit(X_FIT, y)
    adapter = gradient.from_sklearn(model, **options)
    expected = numerical_jacobian(explained(model, options), X_FIT)
    kinks = np.isnan(expected)
    assert kinks.sum() <= (3 if getattr(model, "activation", None) == "relu" else 0)
    close(adapter(X_FIT)[~kinks], expected[~kinks], atol=NUMERICAL)
    by_model = ale(model, X_FIT, ["x", "w"], K=10, gradient="model", **options)
    by_hand = ale(model, X_FIT, "w", K=10, gradient=lambda rows: adapter(rows), **options)
    np.testing.assert_array_equal(by_model["w"].f_values, by_hand.f_values)


def test_perceptrons_of_counts():
    # What MLPRegressor(loss="poisson") ends with, which older versions of scikit-learn lack.
    rng = np.random.default_rng(5)
    layers = gradient.Layers(
        (rng.normal(size=(3, 4)), rng.normal(size=(4, 1))),
        (rng.normal(size=4), rng.normal(size=1)),
        ("tanh", "exp"),
    )
    expected = numerical_jacobian(layers.predict, X_FIT)
    close(layers(X_FIT), expected, atol=NUMERICAL)


def test_linear_model_is_a_straight_line():
    model = LinearRegression().fit(X_FIT, Y)
    effect = ale(model, X_FIT, "x", gradient="model")
    z = effect.x_values[0]
    close(np.diff(effect.f_values), model.coef_[0] * np.diff(z))
    close(effect.f_values, ale(model, X_FIT, "x").f_values)


def test_array_of_a_model_fitted_on_an_array():
    of_array = perceptron(activation="tanh").fit(X_FIT.to_numpy(), Y)
    of_frame = perceptron(activation="tanh").fit(X_FIT, Y)
    effect = ale(of_array, X_FIT.to_numpy(), 1, gradient="model")
    same = ale(of_frame, X_FIT, "u", gradient="model")
    np.testing.assert_array_equal(effect.f_values, same.f_values)


def test_a_model_whose_prediction_is_not_its_coefficients_is_refused():
    model = PoissonRegressor().fit(X_FIT, np.abs(Y))
    with pytest.raises(PredictionError, match="does not predict what its coefficients say"):
        ale(model, X_FIT, "x", gradient="model")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (RandomForestRegressor(n_estimators=2), "knows linear models and .*RandomForestRegressor"),
        (make_pipeline(PowerTransformer(), Ridge()), "knows the steps .*not PowerTransformer"),
    ],
)
def test_models_without_an_adapter(model, message):
    with pytest.raises(TypeError, match=message):
        ale(model.fit(X_FIT, Y), X_FIT, "x", gradient="model")


def shaped(values):
    return {"gradient": lambda rows: values}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            shaped(np.zeros(200)),
            PredictionError,
            r"the gradient must return one row .*shape \(200, 3\): got shape \(200,\)",
        ),
        (shaped(np.zeros((200, 4))), PredictionError, r"\(200, 3\): got shape \(200, 4\)"),
        (shaped(np.zeros((3, 200))), PredictionError, r"\(200, 3\): got shape \(3, 200\)"),
        (shaped(pd.DataFrame({"x": [1.0]})), PredictionError, r"\(200, 1\): got shape \(1, 1\)"),
        (
            shaped(pd.DataFrame({"w": np.zeros(200)})),
            PredictionError,
            r"the gradient has no column 'x': it has \['w'\]",
        ),
        (
            shaped(np.full((200, 3), np.nan)),
            PredictionError,
            "must be finite: 200 of 200 derivatives in column 'x'",
        ),
        (shaped([["a"] * 3] * 200), PredictionError, "the gradient must return numbers"),
        (
            {"gradient": {"u": len}},
            PredictionError,
            r"gradient has no entry for column 'x': it has \['u'\]",
        ),
        ({"gradient": {"x": 3}}, TypeError, "gradient of column 'x' must be callable, got 3"),
        (
            {"gradient": {"x": lambda rows: np.zeros((200, 1))}},
            PredictionError,
            r"the gradient of column 'x' must return one derivative per row of X, shape \(200,\)",
        ),
        ({"gradient": 3}, TypeError, "gradient must be a callable.*got int"),
        ({"gradient": "auto"}, ValueError, "gradient must be .*got 'auto'"),
        ({"gradient": "model"}, TypeError, "knows linear models and multilayer perceptrons"),
    ],
)
def test_errors(options, error, message):
    with pytest.raises(error, match=message):
        ale(smooth, frame(), "x", **options)


def test_a_pair_is_refused():
    with pytest.raises(ValueError, match=r"gradient= serves main effects, not the pair \('x', 'u'"):
        ale(smooth, frame(), ("x", "u"), gradient=smooth_gradient)


def test_columns_that_are_no_numbers():
    model = Ridge().fit(X_FIT, Y)
    adapter = gradient.from_sklearn(model)
    with pytest.raises(PredictionError, match="numeric columns only"):
        adapter._layers(X_FIT.assign(w="text"))
    with pytest.raises(PredictionError, match="fitted on 3 columns, X has 2"):
        adapter._layers(X_FIT[["x", "u"]])


def test_an_output_must_be_chosen():
    model = LinearRegression().fit(X_FIT, np.column_stack([Y, Y]))
    with pytest.raises(PredictionError, match=r"outputs \[0, 1\]: choose one with target="):
        gradient.from_sklearn(model)


@pytest.mark.parametrize(("make", "package"), [("from_torch", "torch"), ("from_jax", "jax")])
def test_packages_that_are_not_installed(monkeypatch, make, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"needs the package {package}: install it first"):
        getattr(gradient, make)(lambda x: x)


# The two packages are no dependencies: these tests exist where they are installed.
if find_spec("torch"):

    def test_torch_module_against_numerical_derivatives():
        import torch

        torch.manual_seed(0)
        module = torch.nn.Sequential(
            torch.nn.Linear(3, 5), torch.nn.Tanh(), torch.nn.Dropout(), torch.nn.Linear(5, 2)
        ).double()
        module.train()
        net = gradient.from_torch(module, output=1)
        close(net(X_FIT), numerical_jacobian(net.predict, X_FIT), atol=NUMERICAL)
        assert all(part.training for part in module.modules())
        by_gradient = ale(net.predict, X_FIT, "x", K=100, gradient=net)
        by_difference = ale(net.predict, X_FIT, "x", K=100)
        close(by_gradient.f_values, by_difference.f_values, atol=0.01)

    def test_torch_errors():
        import torch

        module = torch.nn.Linear(3, 2)
        with pytest.raises(TypeError, match=r"use gradient.from_torch\(module\)"):
            ale(smooth, frame(), "x", gradient=module)
        with pytest.raises(TypeError, match=r"must be a torch.nn.Module, got function"):
            gradient.from_torch(smooth)
        with pytest.raises(PredictionError, match="returns 2 outputs: choose one with output="):
            gradient.from_torch(module)(X_FIT)
        with pytest.raises(PredictionError, match="choose one with output=, got 2"):
            gradient.from_torch(module, output=2).predict(X_FIT)


if find_spec("jax"):

    def test_jax_function_against_its_formula():
        import jax.numpy as jnp

        def function(x):
            return jnp.sin(2 * x[:, 0]) + x[:, 0] * x[:, 1]

        net = gradient.from_jax(function)
        # Single precision.
        close(net(X_FIT), smooth_gradient(X_FIT), atol=1e-5)
        close(net.predict(X_FIT), smooth(X_FIT), atol=1e-5)
        two = gradient.from_jax(lambda x: jnp.stack([function(x), x[:, 2] ** 2], axis=1), output=1)
        close(two(X_FIT)[:, 2], 2 * X_FIT["w"], atol=1e-5)
        effect = ale(net.predict, X_FIT, "u", gradient=net)
        close(effect.f_values, ale(smooth, X_FIT, "u").f_values, atol=1e-5)

    def test_jax_errors():
        with pytest.raises(TypeError, match="function must be callable, got int"):
            gradient.from_jax(3)
        with pytest.raises(PredictionError, match="returns 3 outputs: choose one with output="):
            gradient.from_jax(lambda x: x)(X_FIT)
