"""Permuted columns, refitted or not, anywhere or within subgroups."""

import numpy as np
import pandas as pd
import pytest
import sklearn.inspection
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from aleplot_py.datasets.truth import lofo_oracle
from aleplot_py.importance.lofo import (
    lofo_importance,
    refit_with_permuted,
)
from aleplot_py.importance.permutation import (
    conditional_permutation_importance,
    permutation_importance,
)
from tests.importance.models import (
    FOREST,
    LINEAR,
    MSE,
    NUMBERS,
    ROUNDING,
    STANDARD_ERRORS,
    TEST,
    TRAIN,
    Recorder,
    X,
    Y,
)

# Subgroups of 200 rows or more leave some dependence and split off some noise: 2 % together.
SUBGROUPS = 0.02


@pytest.mark.parametrize("rho", [0.0, 0.5, -0.9])
def test_gaussian_oracle(rho):
    n, b1, b2 = 20_000, 1.5, -1.0
    rng = np.random.default_rng(11)

    def draw():
        x1 = rng.normal(size=n)
        x2 = rho * x1 + np.sqrt(1 - rho**2) * rng.normal(size=n)
        X = pd.DataFrame({"x1": x1, "x2": x2})
        return X, b1 * x1 + b2 * x2 + rng.normal(size=n)

    (X, y), (X_test, y_test) = draw(), draw()
    oracle = lofo_oracle(b1, rho)
    options = {"scoring": MSE, "features": "x1"}
    lofo = lofo_importance(LINEAR, X, y, X_test=X_test, y_test=y_test, **options)
    # Per row the losses differ by (e + b1 u)^2 - e^2 with u ~ N(0, 1 - rho^2), e ~ N(0, 1).
    variance = 1 - rho**2
    error = np.sqrt((2 * b1**4 * variance**2 + 4 * b1**2 * variance) / n)
    assert abs(lofo.mean[0] - oracle.lofo) <= STANDARD_ERRORS * error

    model = LINEAR.fit(X, y)
    marginal = permutation_importance(model, X_test, y_test, random_state=0, n_repeats=5, **options)
    # Differences d of two draws of x1: b1^2 d^2 + 2 b1 d e, at worst one permutation's error.
    error = np.sqrt((8 * b1**4 + 8 * b1**2) / n)
    assert abs(marginal.mean[0] - oracle.marginal_permutation) <= STANDARD_ERRORS * error
    conditional = conditional_permutation_importance(
        model, X_test, y_test, random_state=0, n_repeats=5, min_samples_leaf=200, **options
    )
    error = np.sqrt((8 * b1**4 * variance**2 + 8 * b1**2 * variance) / n)
    allowed = STANDARD_ERRORS * error + SUBGROUPS * oracle.conditional_permutation
    assert abs(conditional.mean[0] - oracle.conditional_permutation) <= allowed


class Keeper(Recorder):
    """Remembers the tables themselves."""

    tables: list[pd.DataFrame] = []  # noqa: RUF012

    def fit(self, X, y):
        self.tables.append(X)
        return super().fit(X, y)


def test_refit_with_permuted():
    Keeper.tables.clear()
    options = {"cv": [(TRAIN, TEST)], "random_state": 0, "features": {"g": ["a", "kind"]}}
    refit_with_permuted(Keeper(), X, Y, scoring=MSE, **options)
    full, permuted = Keeper.tables
    pd.testing.assert_frame_equal(full, X.iloc[TRAIN])
    assert permuted.dtypes.equals(full.dtypes)
    assert permuted.index.equals(full.index)
    pd.testing.assert_frame_equal(permuted[["b", "c"]], full[["b", "c"]])
    columns = ["a", "kind"]
    assert not permuted[columns].equals(full[columns])
    in_order = [table[columns].sort_values("a", ignore_index=True) for table in (full, permuted)]
    pd.testing.assert_frame_equal(*in_order)


def test_a_permuted_column_is_as_good_as_none():
    n, b1 = 5_000, 1.5
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.normal(size=(2 * n, 2)), columns=["x1", "x2"])
    y = b1 * table["x1"] + table["x2"] + rng.normal(size=2 * n)
    options = {"scoring": MSE, "cv": [(np.arange(n), np.arange(n, 2 * n))]}
    lofo = lofo_importance(LINEAR, table, y, **options)
    for values in (table, table.to_numpy(), sparse.csr_array(table.to_numpy())):
        permuted = refit_with_permuted(LINEAR, values, y, random_state=0, **options)
        # The refit gives the noise a coefficient of order 1 / sqrt(n).
        assert np.abs(permuted.mean - lofo.mean).max() <= STANDARD_ERRORS * b1**2 / np.sqrt(n)


def test_permutation_importance_is_scikit_learns():
    model = clone(FOREST).fit(NUMBERS.iloc[TRAIN], Y.iloc[TRAIN])
    table, y = NUMBERS.iloc[TEST], Y.iloc[TEST]
    expected = sklearn.inspection.permutation_importance(
        model, table, y, scoring="r2", n_repeats=4, random_state=3
    )
    result = permutation_importance(model, table, y, scoring="r2", n_repeats=4, random_state=3)
    assert np.array_equal(result.importances[:, :, 0], expected.importances)
    assert np.array_equal(result.importances_mean, expected.importances_mean)
    assert np.array_equal(result.importances_std, expected.importances_std)
    some = permutation_importance(
        model, table, y, scoring="r2", n_repeats=4, random_state=3, features=["c"], n_jobs=2
    )
    assert np.array_equal(some.importances[0], result.importances[2])
    array_model = clone(FOREST).fit(NUMBERS.to_numpy(), Y)
    numbers = NUMBERS.to_numpy()
    expected = sklearn.inspection.permutation_importance(
        array_model, numbers, Y, scoring="r2", n_repeats=2, random_state=3
    )
    result = permutation_importance(
        array_model, numbers, Y, scoring="r2", n_repeats=2, random_state=3
    )
    assert np.array_equal(result.importances[:, :, 0], expected.importances)


def test_permuting_a_group_keeps_its_columns_together():
    table = NUMBERS.assign(copy=NUMBERS["a"])
    model = LinearRegression().fit(table, table["a"] - table["copy"] + Y)
    options = {"scoring": MSE, "random_state": 0}
    together = permutation_importance(
        model, table, Y, features={"pair": ["a", "copy"], "c": ["c"]}, **options
    )
    alone = permutation_importance(model, table, Y, features=["c"], **options)
    assert np.array_equal(together.importances[1], alone.importances[0])
    difference = LinearRegression().fit(table, Y)
    difference.coef_ = np.array([5.0, 0.0, 0.0, -5.0])
    pair = permutation_importance(difference, table, Y, features={"pair": ["a", "copy"]}, **options)
    assert np.abs(pair.mean).max() <= ROUNDING


def test_ratio_of_permutation_importance():
    model = LinearRegression().fit(NUMBERS, Y)
    result = permutation_importance(model, NUMBERS, Y, scoring=MSE, compare="ratio", random_state=0)
    assert np.array_equal(result.importances, result.scores / result.base_scores)
    assert result.mean[0] > 1


def test_conditional_permutation_stays_within_subgroups():
    # b and the category determine each other: within a subgroup there is nothing to permute.
    table = X.assign(b=X["kind"].cat.codes.astype(float))
    model = make_pipeline(
        ColumnTransformer([("kind", OneHotEncoder(), ["kind"])], remainder="passthrough"), Ridge()
    ).fit(table, Y)
    options = {"scoring": MSE, "random_state": 0, "features": ["b", "kind"]}
    within = conditional_permutation_importance(model, table, Y, min_samples_leaf=5, **options)
    assert np.array_equal(within.importances, np.zeros((2, 5, 1)))
    marginal = permutation_importance(model, table, Y, **options)
    assert np.abs(marginal.importances).min() > 0


def test_conditional_permutation_of_all_kinds_of_columns():
    rng = np.random.default_rng(0)
    table = X.assign(
        flag=rng.random(120) < 0.5,
        day=pd.date_range("2011-01-01", periods=120, tz="UTC"),
        span=pd.to_timedelta(rng.integers(0, 9, 120), unit="h"),
        nothing=np.nan,
        unbounded=np.where(np.arange(120) == 7, np.inf, NUMBERS["b"]),
        holes=pd.array(np.where(np.arange(120) == 3, None, True), dtype="boolean"),
        text=rng.choice(["u", "v"], 120),
        gaps=NUMBERS["c"].where(NUMBERS["c"] > 0),
        count=pd.array(rng.integers(0, 5, 120), dtype="Int64"),
    )
    model = Recorder().fit(table, Y)
    unusable = ("gaps", "nothing", "holes", "unbounded")
    features = [name for name in table.columns if name not in unusable]
    result = conditional_permutation_importance(
        model, table, Y, scoring=MSE, features=features, n_repeats=1
    )
    assert np.array_equal(result.mean, np.zeros(len(features)))
    for name in unusable:
        with pytest.raises(ValueError, match=f"column '{name}' must have no missing or infinite"):
            conditional_permutation_importance(model, table, Y, scoring=MSE, features=["a", name])


def test_without_other_columns_the_subgroup_is_everything():
    model = LinearRegression().fit(NUMBERS, Y)
    options = {"scoring": MSE, "features": {"all": ["a", "b", "c"]}, "random_state": 2}
    conditional = conditional_permutation_importance(model, NUMBERS, Y, **options)
    marginal = permutation_importance(model, NUMBERS, Y, **options)
    assert np.array_equal(conditional.importances, marginal.importances)


@pytest.mark.parametrize("n", [500, 2000, 5000])
def test_subgroups_of_the_usual_size_are_right_within_noise(n):
    # The model knows the truth, so that only the subgroups err: 2 b^2 var(x | others).
    rho, coefficients = 0.8, np.array([1.0, 1.0, 0.5])
    expected = 2 * coefficients**2 * np.array([1 - rho**2, 1 - rho**2, 1.0])
    model = LinearRegression().fit(np.eye(3), np.zeros(3))
    model.coef_ = coefficients
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(n, 3))
        x[:, 1] = rho * x[:, 0] + np.sqrt(1 - rho**2) * x[:, 1]
        result = conditional_permutation_importance(
            model, x, x @ coefficients, scoring=MSE, random_state=seed
        )
        found.append(result.mean / expected)
    noise = np.std(found, axis=0, ddof=1)
    assert (np.abs(np.mean(found, axis=0) - 1) <= np.maximum(noise, SUBGROUPS)).all()
