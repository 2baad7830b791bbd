"""Every row of docs/pages/estimators.md, as it stands there, against the definition in loops.

The predictions behind the loops are made by the model's own library, without the package.
"""

import re
import warnings
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, gradient
from validation import brute_force

PAGE = Path(__file__).parent.parent / "docs" / "pages" / "estimators.md"

# Of the largest prediction: libraries add in an order that depends on how many rows they are given,
# boosted trees and networks in single precision.
DOUBLE, SINGLE = 1e-12, 1e-5
# Least squares by R and by numpy.
REFITTED = 1e-10
# Slopes of a smooth network in the place of differences over intervals.
SLOPES = 0.02


def rows_of_the_table():
    """Model, call and when it is run, as the table has them."""
    lines = re.findall(r"^\| (.*) \|$", PAGE.read_text("utf-8"), re.M)
    rows = [line.split(" | ") for line in lines if "`" in line]
    return {model: (call.strip("`"), run) for model, call, run in rows}


TABLE = rows_of_the_table()


def needed(name):
    return pytest.importorskip(name, reason=f"{name} is not installed")


@cache
def data():
    rng = np.random.default_rng(3)
    n = 120
    colour = pd.Categorical(rng.choice(["blue", "green", "red"], size=n))
    X = pd.DataFrame({"x1": rng.normal(size=n), "x2": rng.normal(size=n), "colour": colour})
    y = X["x1"] + X["x1"] ** 2 / 2 + X["x2"] + (X["colour"] == "red") + rng.normal(size=n) / 10
    return SimpleNamespace(X=X, y=y, high=(y > 1).astype(int), label=np.where(y > 1, "high", "low"))


def sklearn_pipeline(last):
    compose, pipeline, processing = (
        import_module(f"sklearn.{name}") for name in ("compose", "pipeline", "preprocessing")
    )
    columns = compose.make_column_transformer(
        (processing.StandardScaler(), ["x1", "x2"]), (processing.OneHotEncoder(), ["colour"])
    )
    return pipeline.make_pipeline(columns, last)


def function(d):
    return {}, lambda X: X["x1"] ** 2 + (X["colour"] == "red"), DOUBLE


def pipeline(d):
    ensemble = import_module("sklearn.ensemble")
    model = sklearn_pipeline(ensemble.RandomForestRegressor(5, random_state=0)).fit(d.X, d.y)
    return {"pipeline": model}, model.predict, DOUBLE


def classifier(d):
    linear = import_module("sklearn.linear_model")
    model = sklearn_pipeline(linear.LogisticRegression()).fit(d.X, d.label)
    assert model.classes_.tolist() == ["high", "low"]
    return {"classifier": model}, lambda X: model.predict_proba(X)[:, 0], DOUBLE


def decision(d):
    names, _, _ = classifier(d)
    return names, names["classifier"].decision_function, DOUBLE


def xgb_regressor(d):
    model = needed("xgboost").XGBRegressor(n_estimators=5, enable_categorical=True, n_jobs=1)
    model.fit(d.X, d.y)
    return {"xgb_regressor": model}, model.predict, SINGLE


def xgb_classifier(d):
    model = needed("xgboost").XGBClassifier(n_estimators=5, enable_categorical=True, n_jobs=1)
    model.fit(d.X, d.high)
    return {"xgb_classifier": model}, lambda X: model.predict_proba(X)[:, 1], SINGLE


def booster(d):
    xgboost = needed("xgboost")

    def matrix(X, y=None):
        return xgboost.DMatrix(X, y, enable_categorical=True)

    model = xgboost.train({"max_depth": 3, "nthread": 1}, matrix(d.X, d.y), 5)
    return {"booster": model}, lambda X: model.predict(matrix(X)), SINGLE


# The other settings let it split rows as few as these by their categories.
LIGHTGBM = {
    "n_estimators": 10,
    "min_data_per_group": 5,
    "cat_smooth": 1,
    "verbose": -1,
    "n_jobs": 1,
}


def lgbm_regressor(d):
    model = needed("lightgbm").LGBMRegressor(**LIGHTGBM).fit(d.X, d.y)
    return {"lgbm_regressor": model}, model.predict, DOUBLE


def lgbm_classifier(d):
    model = needed("lightgbm").LGBMClassifier(**LIGHTGBM).fit(d.X, d.label)
    return {"lgbm_classifier": model}, lambda X: model.predict_proba(X)[:, 0], DOUBLE


def cat_options():
    return {
        "iterations": 5,
        "cat_features": ["colour"],
        "thread_count": 1,
        "verbose": False,
        "allow_writing_files": False,
    }


def cat_regressor(d):
    model = needed("catboost").CatBoostRegressor(**cat_options()).fit(d.X, d.y)
    return {"cat_regressor": model}, model.predict, DOUBLE


def cat_classifier(d):
    model = needed("catboost").CatBoostClassifier(**cat_options()).fit(d.X, d.label)
    return {"cat_classifier": model}, lambda X: model.predict_proba(X)[:, 0], DOUBLE


def formula(kind, text, **options):
    d = data()
    table = d.X.assign(y=d.y, high=d.high)
    with warnings.catch_warnings():  # of the optimiser, about data this small
        warnings.simplefilter("ignore")
        return getattr(needed("statsmodels.formula.api"), kind)(text, table, **options).fit()


def ols(d):
    model = formula("ols", "y ~ x1 + np.power(x1, 2) + x2 + C(colour)")
    return {"ols": model}, model.predict, DOUBLE


def glm(d):
    family = needed("statsmodels.api").families.Poisson()
    model = formula("glm", "high ~ x1 + x2 + C(colour)", family=family)
    return {"glm": model}, model.predict, DOUBLE


def linear_predictor(d):
    names, mean, _ = glm(d)
    return names, lambda X: np.log(mean(X)), DOUBLE


def mixed(d):
    model = formula("mixedlm", "y ~ x1 * colour + x2", groups=np.arange(len(d.y)) % 6)
    return {"mixed": model}, model.predict, DOUBLE


def r_model(d):
    """R's linear model on the same rows, against its coefficients."""
    from aleplot_py.r.convert import call_r
    from aleplot_py.r.model import RModel

    fit = "function(d) stats::lm(y ~ x1 + x2 + colour, data = d)"
    model = call_r(fit, d.X.assign(y=d.y))
    slopes = np.linalg.lstsq(dummies(d.X), d.y, rcond=None)[0]
    return {"r_model": model, "RModel": RModel}, lambda X: dummies(X) @ slopes, REFITTED


def dummies(X):
    shades = [X["colour"] == name for name in ("green", "red")]
    return np.column_stack([np.ones(len(X)), X["x1"], X["x2"], *shades]).astype(float)


def torch_module(d):
    torch = needed("torch")
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))

    def plain(X):
        with torch.no_grad():
            return module.double()(torch.tensor(X.to_numpy()))[:, 0].numpy()

    return {"module": module.double()}, plain, DOUBLE


MODELS = {
    "a function": function,
    "scikit-learn pipeline with a `ColumnTransformer`": pipeline,
    "scikit-learn classifier, one class": classifier,
    "scikit-learn classifier, decision function": decision,
    "XGBoost, scikit-learn interface": xgb_regressor,
    "XGBoost classifier, one class": xgb_classifier,
    "XGBoost `Booster`": booster,
    "LightGBM, scikit-learn interface": lgbm_regressor,
    "LightGBM classifier, one class": lgbm_classifier,
    "LightGBM `Booster`": lgbm_regressor,
    "CatBoost": cat_regressor,
    "CatBoost classifier, one class": cat_classifier,
    "statsmodels formula, linear": ols,
    "statsmodels formula, GLM (the mean, on the scale of the response)": glm,
    "statsmodels formula, GLM (the linear predictor)": linear_predictor,
    "statsmodels formula, mixed model (its fixed effects)": mixed,
    "R model": r_model,
    "PyTorch module": torch_module,
    "PyTorch module, by its gradient": torch_module,
}
MARKS = {"CI": (), "nightly": pytest.mark.nightly, "CI, with R": pytest.mark.base_r}


def test_every_row_is_tried():
    assert list(TABLE) == list(MODELS)


@pytest.mark.parametrize(
    "row", [pytest.param(row, marks=MARKS[run], id=row) for row, (_, run) in TABLE.items()]
)
def test_a_row_of_the_table(row, request):
    call, run = TABLE[row]
    if run == "CI, with R":
        request.getfixturevalue("live_r")
    d = data()
    names, plain, rounding = MODELS[row](d)
    names |= {"ale": ale, "gradient": gradient, "X": d.X.copy(), "Z": d.X[["x1", "x2"]].copy()}
    X = names["Z"] if "Z" in call else names["X"]
    kept = X.copy()
    assert call.count('"x1"') == 1 + ('X["x1"]' in call)
    feature_of = {call: "x1"}
    if "colour" in X:
        before, _, after = call.rpartition('"x1"')
        feature_of[f'{before}"colour"{after}'] = "colour"
    for code, feature in feature_of.items():
        effect = eval(code, names)
        points = [effect.x_values[0].tolist()]
        kind = "numeric" if feature == "x1" else "categorical"
        expected = brute_force.ale(plain, X, [feature], points, [kind])
        scale = np.abs(plain(X)).max()
        limit = SLOPES if "gradient=" in code else rounding
        np.testing.assert_allclose(effect.f_values, expected.f_values, rtol=0, atol=limit * scale)
        assert np.ptp(effect.f_values) > 0.01 * scale
        pd.testing.assert_frame_equal(X, kept)
