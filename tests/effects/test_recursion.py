"""The grid and the recursion of scikit-learn's partial dependence, equal to it bit for bit."""

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble, tree
from sklearn.inspection import partial_dependence as of_sklearn
from sklearn.linear_model import LinearRegression

from aleplot_py import ale, bootstrap_bands, ice, load, partial_dependence
from aleplot_py.errors import GridError, RouteError

PERCENTILES = (0.05, 0.95)
FEATURES = ["a", "k", ("a", "b")]

RNG = np.random.default_rng(5)
X = pd.DataFrame(RNG.normal(size=(160, 2)), columns=["a", "b"]).assign(
    k=RNG.integers(0, 4, 160).astype(float)
)
Y = X["a"] * X["b"] + np.sin(3 * X["a"]) + (X["k"] == 2)
CLASSES = np.where(Y > 0.7, "high", np.where(Y > 0, "mid", "low"))
REGRESSIONS = {
    "boosting": ensemble.GradientBoostingRegressor(n_estimators=9, random_state=0),
    "zero": ensemble.GradientBoostingRegressor(n_estimators=9, init="zero", random_state=0),
    "histograms": ensemble.HistGradientBoostingRegressor(max_iter=9),
    "forest": ensemble.RandomForestRegressor(n_estimators=9, random_state=0),
    "tree": tree.DecisionTreeRegressor(max_depth=4, random_state=0),
}
CLASSIFIERS = {
    "boosting": ensemble.GradientBoostingClassifier(n_estimators=5, random_state=0),
    "histograms": ensemble.HistGradientBoostingClassifier(max_iter=5),
}


def theirs(model, features, **how):
    names = list(features) if isinstance(features, tuple) else [features]
    return of_sklearn(model, X, names, grid_resolution=7, **how)


def check_same(effect, found, output=0):
    for points, expected in zip(effect.x_values, found["grid_values"], strict=True):
        np.testing.assert_array_equal(points, expected)
    np.testing.assert_array_equal(effect.f_values, found["average"][output])


@pytest.mark.filterwarnings("ignore:Using recursion method with a non-constant init:UserWarning")
@pytest.mark.parametrize("features", FEATURES, ids=str)
@pytest.mark.parametrize("name", REGRESSIONS)
def test_recursion_of_a_regression(name, features):
    model = REGRESSIONS[name].fit(X, Y)
    effect = partial_dependence(
        model, X, features, K=7, percentiles=PERCENTILES, method="recursion"
    )
    check_same(effect, theirs(model, features, method="recursion"))
    assert effect.route == "recursion"


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_recursion_of_a_classifier(name):
    model = CLASSIFIERS[name].fit(X, CLASSES)
    how = {"K": 7, "percentiles": PERCENTILES, "method": "recursion"}
    found = theirs(model, "a", method="recursion", response_method="decision_function")
    effects = partial_dependence(model, X, "a", target="all", **how)
    for output, label in enumerate(model.classes_):
        check_same(effects[label], found, output)
        check_same(partial_dependence(model, X, "a", target=label, **how), found, output)
    binary = CLASSIFIERS[name].fit(X, Y > 0)
    found = theirs(binary, "a", method="recursion")
    second = partial_dependence(binary, X, "a", **how)
    check_same(second, found)
    first = partial_dependence(binary, X, "a", target=False, **how)
    np.testing.assert_array_equal(first.f_values, -second.f_values)


@pytest.mark.parametrize("percentiles", [(0.05, 0.95), (0, 1), (0.3, 0.31)])
def test_the_grid_between_percentiles(percentiles):
    """Averages round otherwise, points do not."""
    model = LinearRegression().fit(X, Y)
    for features in FEATURES:
        how = {"K": 7, "percentiles": percentiles}
        effect, curves = (f(model, X, features, **how) for f in (partial_dependence, ice))
        found = theirs(model, features, percentiles=percentiles, method="brute")
        for points, expected in zip(effect.x_values, found["grid_values"], strict=True):
            np.testing.assert_array_equal(points, expected)
        np.testing.assert_array_equal(curves.f_values, effect.f_values)
        np.testing.assert_allclose(effect.f_values, found["average"][0], rtol=0, atol=1e-13)


def test_percentiles_of_times_are_times():
    days = pd.date_range("2024-01-01", periods=101, freq="D")
    rows = pd.DataFrame({"day": days, "z": np.arange(101.0)})
    effect = partial_dependence(
        lambda X: X["day"].dt.day.to_numpy() * 1.0, rows, "day", K=3, percentiles=(0.25, 0.75)
    )
    shown = pd.DatetimeIndex(effect.to_frame()["day"])
    assert shown.min() > days[20]
    assert shown.max() < days[80]


def test_an_anchor_and_a_centred_recursion():
    model = REGRESSIONS["boosting"].fit(X, Y)
    plain = partial_dependence(model, X, "a", K=7, method="recursion")
    anchored = partial_dependence(model, X, "a", K=7, method="recursion", centre=X["a"].min())
    np.testing.assert_array_equal(anchored.f_values, plain.f_values - plain.f_values[0])
    centred = partial_dependence(model, X, "a", K=7, method="recursion", centre="pdplot")
    assert abs(centred.counts @ centred.f_values) < 1e-12 * len(X)


def test_rows_of_the_fit_are_averaged(tmp_path):
    """Which rows are asked about changes nothing but the grid; files keep the values."""
    model = REGRESSIONS["tree"].fit(X, Y)
    some = X.iloc[:40]
    effect = partial_dependence(model, some, "a", grid=[-1.0, 0.0, 1.0], method="recursion")
    whole = partial_dependence(model, X, "a", grid=[-1.0, 0.0, 1.0], method="recursion")
    np.testing.assert_array_equal(effect.f_values, whole.f_values)
    effect.save(tmp_path / "effect.json")
    assert load(tmp_path / "effect.json") == effect


def test_categories_come_first_behind_a_preprocessor():
    """A column of numbers is looked up where the model has it, behind its categories."""
    rows = X.assign(c=pd.Categorical(np.where(X["k"] > 1, "p", "q")))
    model = ensemble.HistGradientBoostingRegressor(max_iter=9, categorical_features=["c"])
    model.fit(rows, Y)
    plain = ensemble.HistGradientBoostingRegressor(max_iter=9, categorical_features=[0])
    plain.fit(rows.assign(c=rows["c"].cat.codes)[["c", "a", "b", "k"]].to_numpy(), Y)
    how = {"method": "recursion", "K": 5}
    np.testing.assert_array_equal(
        partial_dependence(model, rows, "b", **how).f_values,
        partial_dependence(
            plain, rows.assign(c=0.0)[["c", "a", "b", "k"]].to_numpy(), 2, **how
        ).f_values,
    )


BOOSTED = REGRESSIONS["boosting"].fit(X, Y)
REFUSED = {
    "weights": (lambda: pd_of(sample_weight=np.ones(160)), "leave sample_weight= out"),
    "groups": (lambda: pd_of(groups="k"), "leave groups= out"),
    "curves": (lambda: pd_of(kind="both"), "leave kind= out"),
    "ice": (lambda: ice(BOOSTED, X, "a", method="recursion"), "leave kind= out"),
    "ale": (lambda: ale(BOOSTED, X, "a", method="recursion"), r"that of partial_dependence\("),
    "line": (
        lambda: pd_of(LinearRegression().fit(X, Y)),
        "RandomForestRegressor, got LinearRegression$",
    ),
    "function": (lambda: pd_of(lambda X: X["a"]), "got function$"),
    "category": (lambda: pd_of(features="k", categorical="k"), "column 'k' has none"),
    "outputs": (
        lambda: pd_of(tree.DecisionTreeRegressor().fit(X, X[["a", "b"]]), target=0),
        "one output, got a model of 2",
    ),
    "start": (
        lambda: pd_of(
            ensemble.GradientBoostingRegressor(n_estimators=2, init=LinearRegression()).fit(X, Y)
        ),
        "the model that boosting starts from",
    ),
    "fitted with weights": (
        lambda: pd_of(
            ensemble.HistGradientBoostingRegressor(max_iter=2).fit(X, Y, sample_weight=np.ones(160))
        ),
        "fitted with weights",
    ),
    "not fitted": (lambda: pd_of(tree.DecisionTreeRegressor()), "the model is not fitted"),
    "columns in another order": (
        lambda: partial_dependence(BOOSTED, X[[*X.columns[::-1]]], "a", method="recursion"),
        r"the model was fitted to \d columns, \['.*'\], got \['",
    ),
    "a column more": (
        lambda: partial_dependence(BOOSTED, X.assign(more=1.0), "a", method="recursion"),
        "the model was fitted to",
    ),
    "a column less, of an array": (
        lambda: partial_dependence(BOOSTED, X.to_numpy()[:, :-1], 0, method="recursion"),
        "the model was fitted to",
    ),
    "probability": (
        lambda: pd_of(CLASSIFIERS["histograms"].fit(X, Y > 0), response_method="predict_proba"),
        "a classifier's decision_function, got predict_proba",
    ),
}


def pd_of(model=BOOSTED, features="a", **how):
    return partial_dependence(model, X, features, method="recursion", **how)


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED)
def test_recursion_is_refused_by_name(call, message):
    with pytest.raises(RouteError, match=f"method='recursion'.*{message}"):
        call()


@pytest.mark.parametrize("options", [{}, {"refit": LinearRegression(), "X": X, "y": Y}], ids=str)
def test_bands_of_moved_rows_are_refused(options, tmp_path):
    """A file tells over which rows an average is."""
    pd_of().save(tmp_path / "pd.json")
    for effect in (pd_of(), load(tmp_path / "pd.json")):
        assert effect.of_fit
        with pytest.raises(ValueError, match=r"bands .* of \('a',\) by method='recursion'"):
            bootstrap_bands(effect, n_boot=3, **options)


@pytest.mark.parametrize("wrong", [(0.9, 0.1), (0.1, 0.1), (-0.1, 1), (0, 95), 0.5, (0, None)])
def test_wrong_percentiles(wrong):
    with pytest.raises(ValueError, match="percentiles must be two increasing numbers from 0 to 1"):
        partial_dependence(BOOSTED, X, "a", percentiles=wrong)


def test_percentiles_that_cannot_be_ends():
    tied = X.assign(a=np.where(np.arange(160) < 150, 0.0, X["a"]))
    with pytest.raises(GridError, match=r"percentiles of column 'a' must differ, got 0\.0"):
        partial_dependence(BOOSTED, tied, "a", K=5, percentiles=(0.1, 0.5))
    with pytest.raises(ValueError, match="got grid='iml' for column 'a'"):
        partial_dependence(BOOSTED, X, "a", grid="iml", percentiles=(0.1, 0.5))
    with pytest.raises(ValueError, match="percentiles= has no meaning where X comes in parts"):
        partial_dependence(BOOSTED, [X], "a", percentiles=(0.1, 0.5))
    with pytest.raises(ValueError, match="method='recursion' has no meaning where X comes in"):
        partial_dependence(BOOSTED, [X], "a", method="recursion")
