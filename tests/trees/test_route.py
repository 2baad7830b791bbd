"""One walk down the trees gives the effects that calls of the model give, to the last bit."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble, tree
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)

from aleplot_py import ale, ice, load, partial_dependence
from aleplot_py.errors import RouteError
from aleplot_py.steps import compiled
from aleplot_py.trees import route as routes
from aleplot_py.trees import walker

pytest.importorskip("numba", reason="the walk is compiled by numba")

FEATURES = ["a", "b", "k", ("a", "b"), ("k", "a")]
SETTINGS = {"n_estimators": 7, "random_state": 0}


def table(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    X["k"] = rng.integers(0, 5, n)
    return X


def response(X):
    return X["a"] * X["b"] + np.sin(3 * X["a"]) + (X["k"] == 2)


X = table()
Y = response(X)
CLASSES = np.where(Y > 0.7, "high", np.where(Y > 0, "mid", "low"))


def fitted(name, y=Y, rows=X, **settings):
    module = ensemble if hasattr(ensemble, name) else tree
    return getattr(module, name)(**settings).fit(rows, y)


def assert_same(model, rows=X, features=FEATURES, **options):
    """Every effect by both routes, and its individual curves."""
    for effect in (ale, ice):
        called = effect(model, rows, features, K=6, method="predict", **options)
        walked = effect(model, rows, features, K=6, method="trees", **options)
        assert [one.route for one in walked.effects] == ["trees"] * len(features)
        assert [one.route for one in called.effects] == ["predict"] * len(features)
        assert walked == called


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("DecisionTreeRegressor", {"random_state": 0}),
        ("ExtraTreeRegressor", {"random_state": 0}),
        ("RandomForestRegressor", SETTINGS),
        ("RandomForestRegressor", SETTINGS | {"max_leaf_nodes": 9}),
        ("ExtraTreesRegressor", SETTINGS),
        ("GradientBoostingRegressor", SETTINGS),
        ("GradientBoostingRegressor", SETTINGS | {"init": "zero", "loss": "huber"}),
        ("HistGradientBoostingRegressor", {"max_iter": 7, "random_state": 0}),
        ("HistGradientBoostingRegressor", {"max_iter": 7, "categorical_features": ["k"]}),
    ],
)
def test_regression(name, settings):
    assert_same(fitted(name, **settings))


def test_the_links_of_counts():
    model = fitted("HistGradientBoostingRegressor", np.exp(Y), loss="poisson", max_iter=7)
    assert_same(model)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("DecisionTreeClassifier", {"random_state": 0}),
        ("RandomForestClassifier", SETTINGS),
        ("ExtraTreesClassifier", SETTINGS),
        ("GradientBoostingClassifier", SETTINGS),
        ("HistGradientBoostingClassifier", {"max_iter": 7, "random_state": 0}),
    ],
)
def test_classification(name, settings):
    model = fitted(name, Y > 0, **settings)
    assert_same(model)
    assert_same(model, features=["a"], target=False)
    if hasattr(model, "decision_function"):
        assert_same(model, features=["a"], response_method="decision_function")
        options = {"response_method": "decision_function", "target": False}
        assert_same(model, features=["a"], **options)


def test_each_of_three_classes():
    model = fitted("RandomForestClassifier", CLASSES, **SETTINGS)
    for target in model.classes_:
        assert_same(model, features=["a", "k"], target=target)


def test_each_of_two_responses():
    model = fitted("RandomForestRegressor", np.column_stack([Y, -(Y**2)]), **SETTINGS)
    for target in (0, 1):
        assert_same(model, features=["a"], target=target)


def test_threads_of_the_model_and_ours():
    """The model's own threads add up in any order; those of one thread are the reference."""
    model = fitted("RandomForestRegressor", **SETTINGS, n_jobs=2)
    walked = ale(model, X, FEATURES, method="trees", n_jobs=3)
    assert walked.effects[0].route == "trees"
    model.n_jobs = 1
    assert walked == ale(model, X, FEATURES, method="predict")
    assert walked == ale(model.predict, X, FEATURES, method="trees")


def test_options_of_rows():
    model = fitted("RandomForestRegressor", **SETTINGS)
    assert_same(model, features=["k", ("k", "a"), "a"], categorical="k")
    assert_same(model, sample_weight=np.arange(len(X)) / 7, batch_rows=40)
    gaps = X.copy()
    gaps.loc[::9, "a"] = np.nan
    boosted = fitted("HistGradientBoostingRegressor", rows=gaps, max_iter=7)
    assert_same(boosted, gaps, missing="drop")
    assert_same(boosted, gaps, features=["b", ("k", "b")])
    for options in ({"grid": [-1.0, 0.0, 1.0], "outside": "clip"}, {"K": "auto"}):
        called, walked = (
            ale(model, X, "a", method=method, **options) for method in ("predict", "trees")
        )
        assert walked.route == "trees"
        assert walked == called
    kept = [ale(model, X, "k", method=m, local_effects=True) for m in ("predict", "trees")]
    assert kept[0] == kept[1]


def test_arrays_of_every_number():
    for dtype in (np.float64, np.float32, np.int64, np.uint8):
        rows = np.ascontiguousarray(4 * table().abs().to_numpy()).astype(dtype)
        model = fitted("RandomForestRegressor", rows=rows, **SETTINGS)
        assert_same(model, rows, [0, 2, (0, 2)])
        model = fitted("HistGradientBoostingRegressor", rows=rows, max_iter=5)
        assert_same(model, np.asfortranarray(rows), [0, (2, 1)])


def test_values_on_thresholds_and_beside_them():
    """Thresholds of doubles, values of 32 bits: what rounds up to a threshold goes left with it."""
    rows = np.array([[0.1], [0.1 + 1e-9], [0.2], [-0.0], [0.0], [1e-320], [0.3], [0.1 - 1e-9]])
    y = np.arange(8.0)
    for model in (
        tree.DecisionTreeRegressor(random_state=0).fit(rows, y),
        ensemble.HistGradientBoostingRegressor(min_samples_leaf=1, max_iter=5).fit(rows, y),
        ensemble.GradientBoostingRegressor(n_estimators=5, random_state=0).fit(rows, y),
    ):
        nodes = getattr(model, "tree_", None)
        own = [] if nodes is None else nodes.threshold[nodes.feature >= 0].tolist()
        points = np.unique([*rows[:, 0], *own, *np.nextafter(own, 1), *np.nextafter(own, -1)])
        called, walked = (
            ice(model, rows, 0, grid=points, method=method) for method in ("predict", "trees")
        )
        assert walked.route == "trees"
        assert walked == called


def test_trees_of_a_single_leaf():
    flat = np.zeros(len(X))
    assert_same(fitted("RandomForestRegressor", flat, **SETTINGS))
    assert_same(fitted("HistGradientBoostingRegressor", flat, max_iter=3))


def test_missing_values_take_the_side_that_the_tree_learnt():
    gaps = X.copy()
    gaps.loc[::3, "b"] = np.nan
    forest = fitted("RandomForestRegressor", rows=gaps, **SETTINGS)
    assert_same(forest, gaps, features=["a", ("k", "a")])
    assert_same(fitted("HistGradientBoostingRegressor", rows=gaps, max_iter=5), gaps, ["a", "k"])


def test_infinite_values_are_for_those_who_take_them():
    wide = X.copy()
    wide.loc[3, "b"] = np.inf
    wide.loc[4, "b"] = -np.inf
    assert_same(fitted("HistGradientBoostingRegressor", rows=wide, max_iter=5), wide, ["a", "k"])
    wide.loc[4, "b"] = 0.0
    forest = fitted("RandomForestRegressor", **SETTINGS)
    with pytest.raises(RouteError, match="refuses: infinite or too large"):
        ale(forest, wide, "a", method="trees")
    with pytest.raises(ValueError, match="infinity"):
        ale(forest, wide, "a")


@pytest.mark.parametrize("piped", [False, True])
def test_a_sample_is_too_small_for_the_threads_of_histograms(monkeypatch, piped):
    model = fitted("HistGradientBoostingClassifier", Y > 0, max_iter=5)
    model = make_pipeline(FunctionTransformer(), model) if piped else model
    asked, own = [], ensemble.HistGradientBoostingClassifier._raw_predict

    def counted(self, rows, n_threads=None):
        asked.append(n_threads)
        return own(self, rows, n_threads)

    monkeypatch.setattr(ensemble.HistGradientBoostingClassifier, "_raw_predict", counted)
    walked = ale(model, X, "a", method="trees")
    assert asked == [1]
    assert walked == ale(model, X, "a", method="predict")
    assert None in asked


def levels(n=150):
    rows = table(n)
    rng = np.random.default_rng(1)
    rows["c"] = pd.Categorical(rng.choice(list("pqrstu"), n))
    return rows


def test_splits_of_categories():
    rows = levels()
    y = Y + 2 * rows["c"].isin(["q", "t"]) + (rows["c"] == "u") * rows["a"]
    rows.loc[::8, "b"] = np.nan
    rows.loc[5, "c"] = np.nan
    model = fitted(
        "HistGradientBoostingRegressor", y, rows, categorical_features="from_dtype", max_iter=9
    )
    assert any(node["is_categorical"].any() for [p] in model._predictors for node in [p.nodes])
    features = ["a", "c", ("c", "a"), ("c", "k")]
    assert_same(model, rows, features, missing="drop")
    assert_same(model, rows[["k", "a", "c", "b"]].iloc[::-1][["a", "b", "k", "c"]], ["a"])


def test_pipelines_whose_steps_touch_single_columns():
    rows = levels()
    y = Y + 2 * (rows["c"] == "q")
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler(copy=False)), ["b", "a"]),
        (OneHotEncoder(), ["c"]),
        remainder="passthrough",
    )
    forest = ensemble.RandomForestRegressor(**SETTINGS, n_jobs=2)
    model = make_pipeline(columns, forest).fit(rows, y)
    before = rows.copy()
    walked = ale(model, rows, ["a", "c", ("c", "a")], method="trees")
    assert rows.equals(before)
    model[-1].n_jobs = 1
    assert walked == ale(model, rows, ["a", "c", ("c", "a")], method="predict")
    assert_same(model, rows, ["c", "k"])
    selected = make_pipeline(
        FunctionTransformer(), SelectKBest(f_regression, k=2), StandardScaler(), forest
    )
    assert_same(selected.fit(X, Y))
    ordinal = make_pipeline(
        make_column_transformer(
            (OrdinalEncoder(), ["c"]), remainder="passthrough", sparse_threshold=0
        ),
        ensemble.GradientBoostingClassifier(**SETTINGS),
    )
    assert_same(ordinal.fit(rows, y > 0), rows, ["c", "a"])


def reason(model, rows=X, features="a", **options):
    """What the automatic route says, and that asking for the walk is refused with it."""
    found = ale(model, rows, features, **options)
    with pytest.raises(RouteError, match="method='trees' cannot be used: ") as refused:
        ale(model, rows, features, method="trees", **options)
    why = str(refused.value).partition("used: ")[2]
    if found.route != "predict":
        assert found.route == f"predict: {why}"
    assert found == ale(model, rows, features, method="predict", **options)
    return why


class Doubled(ensemble.RandomForestRegressor):
    """Predicts otherwise than the class that it inherits from."""

    def predict(self, X):
        return 2 * super().predict(X)


def test_what_is_left_to_predict_says_why(monkeypatch):
    monkeypatch.setattr(routes, "WORTH_A_WALK", 0)
    assert "known" in reason(LinearRegression().fit(X, Y))
    assert "known" in reason(Doubled(**SETTINGS).fit(X, Y))
    assert "known" in reason(lambda rows: rows["a"])
    forest = ensemble.RandomForestRegressor(**SETTINGS)
    assert "PCA may mix" in reason(make_pipeline(PCA(), forest).fit(X, Y))
    many = make_pipeline(PolynomialFeatures(), forest).fit(X, Y)
    assert "PolynomialFeatures may mix" in reason(many)
    adds = make_pipeline(SimpleImputer(add_indicator=True), forest).fit(X, Y)
    assert "SimpleImputer adds or drops" in reason(adds)
    start = fitted("GradientBoostingRegressor", init=LinearRegression(), **SETTINGS)
    assert "model of its own" in reason(start)
    for name, many in (
        ("GradientBoostingClassifier", SETTINGS),
        ("HistGradientBoostingClassifier", {"max_iter": 3}),
    ):
        model = fitted(name, CLASSES, **many)
        assert "all classes" in reason(model, target="mid")
    labels = fitted("RandomForestClassifier", Y > 0, **SETTINGS)
    assert "single mean" in reason(labels, response_method="predict")
    typed = X.assign(k=X["k"].astype("Int64"))
    assert "column 'k' has type Int64" in reason(fitted("RandomForestRegressor", **SETTINGS), typed)
    large = X.assign(b=2**60 + np.arange(len(X)))
    assert "doubles cannot hold" in reason(
        fitted("RandomForestRegressor", rows=large, **SETTINGS), large
    )
    with ThreadPoolExecutor(2) as pool:
        assert "known" in reason(fitted("RandomForestRegressor", **SETTINGS), n_jobs=pool)


def test_a_prediction_that_differs_is_never_used(monkeypatch):
    monkeypatch.setattr(routes, "WORTH_A_WALK", 0)
    model = fitted("RandomForestRegressor", **SETTINGS)
    alter = model.estimators_[3].tree_.value

    def other(packed, trees, init=walker.Packed.__init__):
        init(packed, trees)
        packed.leaves[:] = np.nextafter(packed.leaves, np.inf)

    assert alter.size > 1
    monkeypatch.setattr(walker.Packed, "__init__", other)
    assert "differ from the model's, by up to" in reason(model)
    assert "differ from the model's, by up to" in reason(model, features=("a", "k"))
    profile = partial_dependence(model, X, "a")
    assert "differ from the model's" in profile.route
    assert profile == partial_dependence(model, X, "a", method="predict")


def test_a_model_that_fails_says_so_itself(monkeypatch):
    monkeypatch.setattr(routes, "WORTH_A_WALK", 0)
    model = fitted("RandomForestRegressor", **SETTINGS)
    with pytest.raises(ValueError, match="feature names should match"):
        ale(model, X.rename(columns={"b": "other"}), "a")
    with pytest.raises(RouteError, match="refuses a sample of the rows"):
        ale(model, X.rename(columns={"b": "other"}), "a", method="trees")


def test_few_predictions_are_not_worth_a_walk():
    model = fitted("RandomForestRegressor", **SETTINGS)
    assert ale(model, X, "a").route == "predict: too few predictions to set up a walk"


def test_without_numba_one_line_says_so(monkeypatch):
    monkeypatch.setattr(routes, "WORTH_A_WALK", 0)
    monkeypatch.setattr(compiled, "AVAILABLE", False)
    assert "pip install 'aleplot-py[trees]'" in reason(fitted("RandomForestRegressor", **SETTINGS))


def test_sums_that_do_not_fit_at_a_time(monkeypatch):
    """Effects descend in groups, points in parts; nothing of it shows."""
    model = fitted("HistGradientBoostingRegressor", max_iter=5)
    whole = ale(model, X, FEATURES, method="trees"), ice(model, X, FEATURES, method="trees")
    monkeypatch.setattr(routes, "LARGEST_SUMS", 6 * 8 * len(X))
    monkeypatch.setattr(walker, "LARGEST_SUMS", 5 * 8 * len(X))
    assert ale(model, X, FEATURES, method="trees") == whole[0]
    assert ice(model, X, FEATURES, method="trees") == whole[1]


def test_other_grids_of_one_feature_in_a_call():
    model = fitted("RandomForestRegressor", **SETTINGS)
    options = {"K": {"a": 5, "b": 9}, "centre": "none"}
    assert_same_collection(model, ["a", ("a", "b"), ("b", "k"), "b"], **options)


def assert_same_collection(model, features, **options):
    called, walked = (ale(model, X, features, method=m, **options) for m in ("predict", "trees"))
    assert walked == called


def test_a_route_is_not_part_of_a_result(tmp_path):
    model = fitted("RandomForestRegressor", **SETTINGS)
    walked = ale(model, X, ("a", "b"), method="trees")
    assert walked.transpose().route == "trees"
    walked.save(tmp_path / "walked.json")
    ale(model, X, ("a", "b"), method="predict").save(tmp_path / "called.json")
    texts = [(tmp_path / name).read_text() for name in ("walked.json", "called.json")]
    assert texts[0] == texts[1]
    assert load(tmp_path / "walked.json") == walked
    assert "route" not in texts[0]


def test_gradients_need_no_route():
    model = fitted("HistGradientBoostingRegressor", max_iter=3)
    options = {"gradient": lambda rows: np.ones((len(rows), 3)), "categorical": "k"}
    effects = ale(model, X, ["a", "k"], method="trees", **options)
    assert [effect.route for effect in effects.effects] == ["gradient", "trees"]
    with pytest.raises(RouteError, match="no row is moved, since gradient= gives"):
        ale(model, X, "a", method="trees", **options)


def quiet(fit, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries, about each other's versions
        return fit(*args)


def test_xgboost():
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    gaps = X.copy()
    gaps.loc[::5, "b"] = np.nan
    for settings in ({}, {"booster": "dart"}, {"num_parallel_tree": 2, "subsample": 0.5}):
        model = quiet(xgboost.XGBRegressor(n_estimators=6, n_jobs=1, **settings).fit, gaps, Y)
        # From XGBoost 3.4 on dart is gbtree where it dropped no tree.
        if b"dart" in bytes(model.get_booster().save_raw("json")):
            assert "weights" in reason_of_the_walk(model, gaps)
        else:
            assert_same(model, gaps, ["a", ("k", "a")])
    for objective in ("count:poisson", "reg:logistic"):
        model = xgboost.XGBRegressor(n_estimators=6, n_jobs=1, objective=objective)
        assert_same(model.fit(X, Y > 0), features=["a", "k"])
    model = xgboost.XGBClassifier(n_estimators=6, n_jobs=1).fit(X, Y > 0)
    for target in (0, 1):
        assert_same(model, features=["a", "k"], target=target)
    stopped = xgboost.XGBRegressor(n_estimators=60, n_jobs=1, early_stopping_rounds=2)
    stopped.fit(X, Y, eval_set=[(table(seed=5), Y)], verbose=False)
    assert stopped.best_iteration < 40
    assert_same(stopped, features=["a"])
    three = xgboost.XGBClassifier(n_estimators=3, n_jobs=1).fit(X, np.arange(len(X)) % 3)
    assert "several outputs" in reason_of_the_walk(three, target=1)
    leaves_of_two = {"multi_strategy": "multi_output_tree", "tree_method": "hist"}
    two = xgboost.XGBRegressor(n_estimators=3, n_jobs=1, **leaves_of_two)
    two.fit(X, np.stack([Y, -Y], axis=1))
    assert "several outputs" in reason_of_the_walk(two, target=1)


def test_lightgbm():
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    gaps = X.copy()
    gaps.loc[::5, "b"] = np.nan
    settings = {"n_estimators": 6, "verbose": -1, "n_jobs": 1, "min_child_samples": 3}
    assert_same(quiet(lightgbm.LGBMRegressor(**settings).fit, gaps, Y), gaps, ["a", ("k", "a")])
    assert_same(quiet(lightgbm.LGBMRegressor(**settings).fit, X, Y))
    model = quiet(lightgbm.LGBMClassifier(**settings).fit, X, Y > 0)
    for target in (False, True):
        assert_same(model, features=["a", "k"], target=target)
    for other, why in (
        ({"zero_as_missing": True}, "zeros"),
        ({"boosting_type": "rf", "subsample": 0.5, "subsample_freq": 1}, "is a forest"),
        ({"objective": "poisson"}, "link of poisson"),
    ):
        model = quiet(lightgbm.LGBMRegressor(**settings, **other).fit, X, Y**2)
        assert why in reason_of_the_walk(model)
    rows = levels().drop(columns="k")
    split = {"min_data_per_group": 1, "cat_smooth": 1}
    model = lightgbm.LGBMRegressor(**settings, **split)
    quiet(model.fit, rows, Y + 9 * rows["c"].isin(["q", "t"]))
    assert "splits of categories" in reason_of_the_walk(model, rows)


def reason_of_the_walk(model, rows=X, **options):
    with pytest.raises(RouteError) as refused:
        ale(model, rows, "a", method="trees", **options)
    return str(refused.value)
