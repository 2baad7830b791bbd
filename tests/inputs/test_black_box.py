"""Black boxes of every kind: scikit-learn, statsmodels, callables; how often and on what."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeRegressor

from aleplot_py import ale, ice, m_plot, partial_dependence
from aleplot_py.errors import PredictionError
from aleplot_py.inputs.black_box import BlackBox, as_black_box

# The same predictions averaged in another order.
EXACT = 1e-12

N = 120


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(10)
    return pd.DataFrame(
        {
            "x": rng.normal(size=N),
            "z": rng.integers(0, 9, N),
            "c": pd.Categorical(rng.choice(list("pqrs"), N)),
        }
    )


@pytest.fixture(scope="module")
def y(X):
    return X["x"] ** 2 + X["z"] * (X["c"] == "q")


def same(one, other):
    assert all(a.tolist() == b.tolist() for a, b in zip(one.x_values, other.x_values, strict=True))
    np.testing.assert_allclose(one.f_values, other.f_values, rtol=0, atol=EXACT)


def encoded(model):
    columns = ColumnTransformer([("levels", OneHotEncoder(), ["c"])], remainder="passthrough")
    return make_pipeline(columns, model)


@pytest.mark.parametrize("features", ["x", "c", ("x", "z"), ("c", "x")])
def test_pipeline_with_a_frame(X, y, features):
    model = encoded(DecisionTreeRegressor(max_depth=6)).fit(X, y)
    effect = ale(model, X, features, K=6)
    same(effect, ale(model.predict, X, features, K=6))
    assert np.ptp(effect.f_values) > 0.01


@pytest.mark.parametrize("estimator", [ale, partial_dependence, m_plot, ice])
def test_forest_on_an_array(X, y, estimator):
    array = X[["x", "z"]].to_numpy(dtype=float)
    model = RandomForestRegressor(5, random_state=0).fit(array, y)
    same(estimator(model, array, 0, K=5), estimator(model.predict, array, 0, K=5))


def test_searched_pipeline(X, y):
    search = GridSearchCV(
        make_pipeline(StandardScaler(), LinearRegression()),
        {"linearregression__fit_intercept": [True]},
    ).fit(X[["x", "z"]], y)
    slope = search.best_estimator_[-1].coef_[0] / search.best_estimator_[0].scale_[0]
    effect = ale(search, X[["x", "z"]], "x", K=5)
    np.testing.assert_allclose(
        np.diff(effect.f_values), slope * np.diff(effect.x_values[0]), rtol=0, atol=EXACT
    )


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [0, 1], [7, 3]])
def test_binary_classifier_is_explained_by_its_second_class(X, labels):
    positive = sorted(labels)[1]
    answers = np.array(sorted(labels))[(X["x"] > 0).astype(int)]
    data = X[["x", "z"]]
    model = LogisticRegression().fit(data, answers)
    up = ale(model, data, "x", K=5)
    same(up, ale(lambda X: model.predict_proba(X)[:, 1], data, "x", K=5))
    assert up.f_values[-1] > up.f_values[0]
    same(up, ale(model, data, "x", K=5, target=positive))
    down = ale(model, data, "x", K=5, target=sorted(labels)[0])
    np.testing.assert_allclose(down.f_values, -up.f_values, rtol=0, atol=EXACT)


def test_numpy_labels_are_the_same_labels(X):
    data = X[["x", "z"]]
    for answers in (X["x"] > 0, np.where(X["x"] > 0, 5, 2), np.where(X["x"] > 0, "b", "a")):
        model = GaussianNB().fit(data, answers)
        for label in model.classes_:
            same(
                ale(model, data, "x", K=3, target=label),
                ale(model, data, "x", K=3, target=label.item()),
            )


def test_truth_values_are_not_numbers(X):
    model = GaussianNB().fit(X[["x", "z"]], X["x"] > 0)
    with pytest.raises(PredictionError, match=r"target=1 is not an output .* \[False, True\]"):
        ale(model, X[["x", "z"]], "x", target=1)


def test_several_classes(X):
    data = X[["x", "z"]]
    model = RandomForestClassifier(5, random_state=0).fit(data, X["c"])
    with pytest.raises(PredictionError, match=r"4 outputs: choose one of \['p', 'q', 'r', 's'\]"):
        ale(model, data, "x")
    for position, label in enumerate("pqrs"):
        effect = ale(model, data, "x", K=5, target=label)
        right = ale(lambda X, i=position: model.predict_proba(X)[:, i], data, "x", K=5)
        same(effect, right)
        assert effect.target == label
    total = sum(ale(model, data, "x", K=5, target=label).f_values for label in "pqrs")
    np.testing.assert_allclose(total, 0, rtol=0, atol=EXACT)


def test_response_methods(X):
    data, answers = X[["x", "z"]], np.where(X["x"] > 0, 1, 0)
    model = LogisticRegression().fit(data, answers)
    for method in ("predict", "predict_proba", "decision_function"):
        output = getattr(model, method)
        right = ale(lambda X, f=output: f(X) if f(X).ndim == 1 else f(X)[:, 1], data, "x", K=5)
        same(ale(model, data, "x", K=5, response_method=method), right)
    same(ale(model, data, "x", K=5), ale(model, data, "x", K=5, response_method="predict_proba"))


def test_decision_function_where_there_is_no_probability(X):
    data = X[["x", "z"]]
    model = LinearSVC(random_state=0).fit(data, np.where(X["x"] > 0, "yes", "no"))
    up = ale(model, data, "x", K=5)
    same(up, ale(model.decision_function, data, "x", K=5))
    same(up, ale(model, data, "x", K=5, target="yes"))
    down = ale(model, data, "x", K=5, target="no")
    np.testing.assert_allclose(down.f_values, -up.f_values, rtol=0, atol=EXACT)
    with pytest.raises(TypeError, match="LinearSVC has no method predict_proba"):
        ale(model, data, "x", response_method="predict_proba")


def test_columns_for_pairs_of_classes_are_not_classes(X):
    """One-versus-one decisions have six columns for four classes."""
    data = X[["x", "z"]]
    model = SVC(decision_function_shape="ovo").fit(data, X["c"])
    with pytest.raises(PredictionError, match="returns 6 outputs but has the 4 classes"):
        ale(model, data, "x", target="q")
    rest = SVC(decision_function_shape="ovr").fit(data, X["c"])
    same(
        ale(rest, data, "x", K=4, target="q"),
        ale(lambda X: rest.decision_function(X)[:, 1], data, "x", K=4),
    )


def test_labels_as_predictions_are_refused(X):
    model = GaussianNB().fit(X[["x", "z"]], X["c"])
    with pytest.raises(PredictionError, match="must return numbers: its first prediction is '"):
        ale(model, X[["x", "z"]], "x", response_method="predict")


def test_single_class(X):
    data = X[["x", "z"]]
    model = GaussianNB().fit(data, ["u"] * N)
    assert (ale(model, data, "x", target="u").f_values == 0).all()


def test_several_outputs(X, y):
    data = X[["x", "z"]]
    model = LinearRegression().fit(data, np.column_stack([y, 2 * y]))
    once, twice = (ale(model, data, "x", K=4, target=i) for i in (0, np.int64(1)))
    np.testing.assert_allclose(twice.f_values, 2 * once.f_values, rtol=0, atol=EXACT)
    with pytest.raises(PredictionError, match=r"target=-1 is not an output .* \[0, 1\]"):
        ale(model, data, "x", target=-1)


def test_several_outputs_with_classes_of_their_own(X):
    data = X[["x", "z"]]
    two = np.column_stack([X["c"].astype(str), np.where(X["x"] > 0, "yes", "no")])
    model = RandomForestClassifier(3, random_state=0).fit(data, two)
    with pytest.raises(TypeError, match="several outputs with classes of their own"):
        ale(model, data, "x")


def test_unfitted_models_say_so(X):
    with pytest.raises(ValueError, match="not fitted"):
        ale(LinearRegression(), X[["x", "z"]], "x")
    with pytest.raises(TypeError, match="fitted model or a callable, got the class"):
        ale(LinearRegression, X[["x", "z"]], "x")


def test_statsmodels_on_a_frame_and_an_array(X, y):
    data = sm.add_constant(X[["x", "z"]].astype(float))
    fitted = sm.OLS(y, data).fit()
    effect = ale(fitted, data, "x", K=5)
    slope = fitted.params["x"]
    np.testing.assert_allclose(
        np.diff(effect.f_values), slope * np.diff(effect.x_values[0]), rtol=0, atol=EXACT
    )
    array = sm.OLS(y.to_numpy(), data.to_numpy()).fit()
    np.testing.assert_allclose(
        ale(array, data.to_numpy(), 1, K=5).f_values, effect.f_values, rtol=0, atol=EXACT
    )


@pytest.mark.parametrize("features", ["x", "c", ("c", "x")])
def test_statsmodels_formula(X, y, features):
    fitted = smf.ols("y ~ x * c + np.sqrt(z)", X.assign(y=y)).fit()
    effect = ale(fitted, X, features, K=5)
    same(effect, ale(lambda X: fitted.predict(X).to_numpy(), X, features, K=5))
    if features == "c":
        assert len(effect.f_values) == 4


def test_statsmodels_glm(X):
    data = X.assign(hits=np.random.default_rng(1).poisson(np.exp(X["x"] / 2)))
    fitted = smf.glm("hits ~ x + c", data, family=sm.families.Poisson()).fit()
    right = ale(lambda X: np.exp(fitted.predict(X, which="linear")), data, "x", K=6)
    same(ale(fitted, data, "x", K=6), right)


def test_statsmodels_classes_by_column(X):
    data = sm.add_constant(X[["x"]])
    fitted = sm.MNLogit(X["z"].clip(upper=2), data).fit(disp=0)
    with pytest.raises(PredictionError, match=r"returns 3 outputs: choose one of \[0, 1, 2\]"):
        ale(fitted, data, "x")
    total = sum(ale(fitted, data, "x", K=5, target=i).f_values for i in range(3))
    np.testing.assert_allclose(total, 0, rtol=0, atol=EXACT)
    same(
        ale(fitted, data, "x", K=5, target=2),
        ale(lambda X: np.asarray(fitted.predict(X))[:, 2], data, "x", K=5),
    )


def test_missing_values_elsewhere_are_the_models_business(X, y):
    data = X.assign(y=y, w=np.where(np.arange(N) % 3 == 0, np.nan, X["z"] ** 2))
    fitted = smf.ols("y ~ x + w", data).fit()
    with pytest.raises(PredictionError, match="40 of 120 predictions are NaN or infinite"):
        ale(fitted, data, "x")


class Counter:
    """A black box that counts its calls and rows."""

    def __init__(self):
        self.rows = []

    def __call__(self, X):
        self.rows.append(len(X))
        return np.asarray(X["x"], dtype=float)


def test_rows_and_calls_of_a_main_effect(X):
    predict = Counter()
    ale(predict, X, "x", K=7)
    assert predict.rows == [N, N]


@pytest.mark.parametrize("K", [1, 40])
def test_rows_of_a_pair_whatever_K(X, K):
    predict = Counter()
    ale(predict, X, ("x", "z"), K=K)
    assert predict.rows == [N] * 4


def test_rows_of_a_category(X):
    predict = Counter()
    effect = ale(predict, X, "c")
    n_first, n_last = effect.counts[[0, -1]]
    assert sum(predict.rows) == 3 * N - n_first - n_last
    assert len(predict.rows) == 3


def test_rows_of_a_category_with_a_number(X):
    for features in (("c", "x"), ("x", "c")):
        predict = Counter()
        effect = ale(predict, X, features, K=5)
        by_level = effect.counts.sum(axis=1 - features.index("c"))
        assert sum(predict.rows) == 2 * (3 * N - by_level[0] - by_level[-1])


def test_rows_of_a_partial_dependence(X):
    predict = Counter()
    partial_dependence(predict, X, "x", K=7)
    assert sum(predict.rows) == 7 * N
    predict = Counter()
    partial_dependence(predict, X, ("x", "c"), K=7)
    assert sum(predict.rows) == 7 * 4 * N


@pytest.mark.parametrize("batch_rows", [1, 50, 119, 120, 10**6])
@pytest.mark.parametrize("features", ["x", "c", ("x", "z"), ("c", "x")])
@pytest.mark.parametrize("estimator", [ale, partial_dependence, m_plot])
def test_batches_bound_the_rows_of_a_call(X, estimator, features, batch_rows):
    if batch_rows == 1:
        X = X.iloc[:12]
    bounded, free = Counter(), Counter()
    estimator(bounded, X, features, K=3, batch_rows=batch_rows)
    estimator(free, X, features, K=3)
    assert max(bounded.rows) <= batch_rows
    assert min(bounded.rows) > 0
    assert sum(bounded.rows) == sum(free.rows)


@pytest.mark.parametrize("target", [None, "all"])
def test_a_batch_is_set_to_point_after_point(monkeypatch, target):
    """Points whose predictions are held at a time: as many as the data have columns, at least."""
    X, calls = np.random.default_rng(1).normal(size=(50, 3)), []

    def predict(rows):
        calls.append((len(rows), rows[0, 1], rows[0, 0]))
        product = rows[:, 0] * rows[:, 1]
        return product if target is None else np.stack([product, rows[:, 2]], axis=1)

    whole = ice(predict, X, 0, K=7, target=target)
    points = np.linspace(X[:, 0].min(), X[:, 0].max(), 7)
    monkeypatch.setattr("aleplot_py.effects.partial_dependence.HELD", 1)
    calls.clear()
    assert ice(predict, X, 0, K=7, target=target, batch_rows=20) == whole
    assert calls == [
        (len(X[rows]), X[rows][0, 1], point)
        for group in (points[:3], points[3:6], points[6:])
        for rows in (slice(0, 20), slice(20, 40), slice(40, 50))
        for point in group
    ]


def test_the_mean_prediction_is_made_once_and_when_asked_for(X):
    predict = Counter()
    effect = ale(predict, X, "x", K=7, batch_rows=50)
    before = len(predict.rows)
    assert abs(effect.mean_prediction - X["x"].mean()) <= EXACT
    assert predict.rows[before:] == [50, 50, 20]
    assert effect.mean_prediction == effect.mean_prediction
    assert len(predict.rows) == before + 3


def test_a_buffer_that_is_handed_out_again(X):
    """Some black boxes write every answer into the same memory."""
    buffer = np.empty(N)

    def predict(X):
        buffer[: len(X)] = X["x"] * X["z"]
        return buffer[: len(X)]

    for features in ("x", "c", ("x", "z")):
        same(
            ale(predict, X, features, K=4),
            ale(lambda X: X["x"] * X["z"], X, features, K=4),
        )


def test_a_view_of_the_frame_may_be_returned(X):
    same(ale(lambda X: X["x"].to_numpy(), X, "x", K=4), ale(lambda X: X["x"] * 1, X, "x", K=4))
    array = X[["x", "z"]].to_numpy(dtype=float)
    same(ale(lambda X: X[:, 0], array, 0, K=4), ale(lambda X: X[:, 0] * 1, array, 0, K=4))


class Fickle:
    """Has both a `predict` method and a call; the method is what models have."""

    def predict(self, X):
        return np.asarray(X["x"])

    def __call__(self, X):
        raise AssertionError("a model is asked through predict")


def test_a_method_comes_before_a_call(X):
    same(ale(Fickle(), X, "x", K=4), ale(lambda X: X["x"], X, "x", K=4))


def test_a_booster_is_asked_for_tables(X):
    """As XGBoost's, whose ``predict`` takes matrices of its own kind."""

    class Booster:
        def predict(self, matrix):
            raise TypeError("Expecting data to be a DMatrix object")

        def inplace_predict(self, rows):
            return rows["x"]

    expected = ale(lambda rows: rows["x"], X, "x", K=4)
    for method in ("auto", "predict"):
        effect = ale(Booster(), X, "x", K=4, response_method=method)
        np.testing.assert_array_equal(effect.f_values, expected.f_values)


def test_an_adapter_passes_through():
    adapter = as_black_box(lambda X: X["x"])
    assert isinstance(adapter, BlackBox)
    assert as_black_box(adapter) is adapter


def test_constant_predictions(X):
    for features in ("x", "c", ("x", "z"), ("c", "x")):
        assert (ale(lambda X: np.ones(len(X)), X, features, K=4).f_values == 0).all()


def test_the_default_class_of_a_binary_classifier_is_named():
    X = pd.DataFrame({"x": [0.0, 1, 2, 3, 4, 5]})
    model = LogisticRegression().fit(X, ["no", "yes", "no", "yes", "yes", "yes"])
    assert ale(model, X, "x").target == "yes"
    assert ale(model, X, "x", target="no").target == "no"
