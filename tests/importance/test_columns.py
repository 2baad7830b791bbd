"""Columns as they are asked for, and estimators that speak of columns that are left out."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_selector
from sklearn.ensemble import (
    HistGradientBoostingRegressor,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_score,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from aleplot_py.importance import conditional_permutation_importance, permutation_importance
from aleplot_py.importance.lofo import (
    lofo_importance,
)
from tests.importance.models import LINEAR, MSE, NUMBERS, ROUNDING, X, Y, on_hold_out, plain_loop


@pytest.mark.parametrize(
    "names",
    [pd.Index(["c", "a"]), pd.Series(["c", "a"]), ("c", "a"), np.array(["c", "a"]), iter("ca")],
    ids=["index", "series", "tuple", "array", "iterator"],
)
def test_names_come_in_anything_that_has_an_order(names):
    result = on_hold_out(features=names)
    assert result.features == ("c", "a")
    assert np.array_equal(result.importances, on_hold_out().importances[[2, 0]])


def test_names_of_columns_are_those_of_the_table():
    options = {"scoring": MSE, "cv": 3}
    expected = lofo_importance(LINEAR, NUMBERS, Y, **options).importances
    array = NUMBERS.to_numpy()
    result = lofo_importance(LINEAR, array, Y, features=np.array([2]), **options)
    assert result.features == (2,)
    assert type(result.features[0]) is int
    group = lofo_importance(LINEAR, array, Y, features={"last": np.int64(2)}, **options)
    assert group.columns == ((2,),)
    tuples = NUMBERS.set_axis(pd.MultiIndex.from_tuples([("u", 1), ("u", 2), ("v", 1)]), axis=1)
    one = lofo_importance(LINEAR, tuples, Y, features=("v", 1), **options)
    assert one.features == (("v", 1),)
    for found in (result, group, one):
        np.testing.assert_allclose(found.importances[0], expected[2], rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("features", [0, np.int64(0), [0], pd.Series([0]), {"a": 0}])
def test_positions_stand_for_names(features):
    found = on_hold_out(features=features)
    assert found.features == ("a",)
    assert np.array_equal(found.importances, on_hold_out(features="a").importances)
    model = LinearRegression().fit(NUMBERS, Y)
    for function in (permutation_importance, conditional_permutation_importance):
        by_position = function(model, NUMBERS, Y, scoring=MSE, features=features, random_state=0)
        assert by_position.columns == (("a",),)


def test_a_name_comes_before_a_position():
    turned = NUMBERS.set_axis([2, 1, 0], axis=1)
    found = lofo_importance(LINEAR, turned, Y, scoring=MSE, cv=2, features=0)
    last = lofo_importance(LINEAR, NUMBERS, Y, scoring=MSE, cv=2, features="c")
    assert np.abs(found.mean - last.mean).max() <= ROUNDING


def test_all_is_every_column():
    every = on_hold_out(features="all")
    assert every.features == ("a", "b", "c")
    assert np.array_equal(every.importances, on_hold_out().importances)


def one_hot(columns, numbers=("a", "b", "c"), **options):
    return make_pipeline(
        ColumnTransformer(
            [
                ("kind", OneHotEncoder(handle_unknown="ignore", **options), columns),
                ("numbers", StandardScaler(), numbers),
            ]
        ),
        Ridge(alpha=1e-3),
    )


SELECTIONS = {
    "names": one_hot(["kind"], ["a", "b", "c"]),
    "positions": one_hot([3], [0, 1, 2]),
    "from the end": one_hot([-1], [-4, 1, -2]),
    "masks": one_hot([False, False, False, True], np.array([True, True, True, False])),
    "slices": one_hot(slice(3, None), slice("a", "c")),
    "selectors": one_hot(
        make_column_selector(dtype_include="category"),
        make_column_selector(dtype_include="number"),
    ),
    "categories": one_hot(["kind"], ["a", "b", "c"], categories=[["low", "mid", "high"]]),
    "inside a search": GridSearchCV(one_hot(["kind"], [0, 1, 2]), {"ridge__alpha": [1e-3, 1.0]}),
    "inside a target": TransformedTargetRegressor(one_hot(["kind"], slice(0, 3))),
    "behind a step": Pipeline(
        [("same", "passthrough"), ("rest", one_hot([3], slice(0, 3)))],
    ),
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_column_transformers_may_name_a_dropped_column(name):
    folds = list(KFold(2).split(X))
    result = lofo_importance(SELECTIONS[name], X, Y, scoring=MSE, cv=folds)
    by_type = SELECTIONS["selectors"]
    if name == "inside a search":
        by_type = GridSearchCV(by_type, {"ridge__alpha": [1e-3, 1.0]})
    expected = plain_loop(by_type, X, Y, folds, MSE)
    assert np.abs(result.importances[:, 0] - expected).max() <= ROUNDING
    assert result.features[int(np.argmax(result.mean))] == "a"


def test_per_column_settings_inside_nested_parts():
    levels = ["low", "mid", "high"]
    table = X.assign(other=X["kind"].cat.rename_categories(str.upper))
    encoder = Pipeline(
        [
            ("impute", SimpleImputer(strategy="most_frequent")),
            ("code", OrdinalEncoder(categories=[levels, [level.upper() for level in levels]])),
        ]
    )
    model = make_pipeline(
        ColumnTransformer([("codes", encoder, ["kind", "other"])], remainder="passthrough"),
        LinearRegression(),
    )
    result = lofo_importance(model, table, Y, scoring=MSE, cv=2)
    codes = table.assign(
        kind=X["kind"].cat.set_categories(levels).cat.codes,
        other=X["kind"].cat.set_categories(levels).cat.codes,
    )
    expected = lofo_importance(LINEAR, codes, Y, scoring=MSE, cv=2)
    assert np.abs(result.mean - expected.mean).max() <= ROUNDING


def test_a_text_column_named_alone():
    table = NUMBERS.assign(text=np.where(Y > 0, "good day", "bad day"))
    model = make_pipeline(
        ColumnTransformer(
            [("words", CountVectorizer(), "text"), ("one", "passthrough", ["a"])],
        ),
        LinearRegression(),
    )
    result = lofo_importance(model, table, Y, scoring=MSE, cv=2, features=["text", "c"])
    alone = lofo_importance(LINEAR, NUMBERS[["a"]], Y, scoring=MSE, cv=2, features=["a"])
    assert np.abs(result.scores[0] - alone.base_scores).max() <= ROUNDING
    assert np.array_equal(result.importances[1], np.zeros((1, 2)))


def test_positions_in_trees_follow_their_columns():
    codes = X.assign(kind=X["kind"].cat.codes.to_numpy())[["a", "kind", "b", "c"]]
    options = {"max_iter": 5, "min_samples_leaf": 5}
    by_position = HistGradientBoostingRegressor(
        categorical_features=[1],
        monotonic_cst=[1, 0, 1, 0],
        interaction_cst=[{0, 2}, {1, 3}],
        **options,
    )
    result = lofo_importance(by_position, codes, Y, scoring=MSE, cv=2)
    masked = clone(by_position).set_params(categorical_features=[False, True, False, False])
    assert np.array_equal(
        lofo_importance(masked, codes, Y, scoring=MSE, cv=2).importances, result.importances
    )
    without_a = HistGradientBoostingRegressor(
        categorical_features=["kind"],
        monotonic_cst={"b": 1},
        interaction_cst=[{1}, {0, 2}],
        **options,
    )
    expected = cross_val_score(without_a, codes.drop(columns="a"), Y, scoring=MSE, cv=2)
    assert np.array_equal(result.scores[0, 0], expected)
    names = {"categorical_features": ["kind"], "monotonic_cst": {"a": 1, "b": 1}}
    by_name = clone(by_position).set_params(**names)
    named = lofo_importance(by_name, codes, Y, scoring=MSE, cv=2)
    assert np.array_equal(named.importances, result.importances)


def test_columns_that_cannot_be_told_give_a_clear_error():
    behind = Pipeline(
        [
            ("all", ColumnTransformer([("keep", "passthrough", ["b", "a", "c"])])),
            ("some", ColumnTransformer([("first", "passthrough", [0, 1])])),
            ("model", LinearRegression()),
        ]
    )
    with pytest.raises(ValueError, match=r"Pipeline\.some\.first: selects columns by position"):
        lofo_importance(behind, NUMBERS, Y, scoring=MSE)
    only_a = make_pipeline(ColumnTransformer([("one", "passthrough", ["a"])]), LinearRegression())
    with pytest.raises(ValueError, match=r"without \['a'\] this ColumnTransformer has no column"):
        lofo_importance(only_a, NUMBERS, Y, scoring=MSE)
    rest = lofo_importance(only_a, NUMBERS, Y, scoring=MSE, features=["b", "c"])
    assert np.array_equal(rest.mean, [0, 0])


def test_a_search_searches_anew_in_every_refit():
    # Without a the small penalty stops being best in some split, which only a new search sees.
    search = GridSearchCV(Ridge(), {"alpha": [1e-3, 50.0, 1e3]}, cv=3, scoring=MSE)
    folds = list(KFold(3).split(NUMBERS))
    result = lofo_importance(search, NUMBERS, Y, scoring=MSE, cv=folds)
    expected = plain_loop(search, NUMBERS, Y, folds, MSE)
    assert np.array_equal(result.importances[:, 0], expected)
