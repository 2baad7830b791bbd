"""LOFO and its relatives: by hand, against plain loops, closed forms and scikit-learn."""

import io
import pickle
import sys
import time
from dataclasses import FrozenInstanceError
from functools import wraps

import joblib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import sklearn.inspection
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config, register_parallel_backend
from joblib.parallel import ThreadingBackend
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_selector
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    get_scorer,
    log_loss,
    make_scorer,
    mean_squared_error,
    r2_score,
)
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeRegressor

from aleplot_py.datasets.truth import lofo_oracle
from aleplot_py.importance.lofo import (
    leave_two_out_importance,
    lofo_importance,
    refit_with_permuted,
    sequential_elimination,
)
from aleplot_py.importance.permutation import (
    conditional_permutation_importance,
    permutation_importance,
)
from aleplot_py.importance.refits import LofoError

# Least squares on a few hundred rows of size 1, solved in another order of columns.
ROUNDING = 1e-12
# Standard errors within which a seeded Monte Carlo mean must lie of its expectation.
STANDARD_ERRORS = 3
# Subgroups of 200 rows or more leave some dependence and split off some noise: 2 % together.
SUBGROUPS = 0.02
# The owner's bound on time over a plain loop.
OVERHEAD = 1.02

MSE = "neg_mean_squared_error"
LINEAR = LinearRegression()


def frame(n: int = 120, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    """Three numbers and a category; y leans on a, less on b, a little on the category."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.normal(size=n),
            "c": rng.normal(size=n),
            "kind": pd.Categorical(rng.choice(["low", "mid", "high"], size=n)),
        },
        index=np.arange(n)[::-1],
    )
    y = 2 * X["a"] + X["b"] + (X["kind"] == "low") + 0.5 * rng.normal(size=n)
    return X, y.rename("y")


X, Y = frame()
NUMBERS = X[["a", "b", "c"]]
TRAIN, TEST = np.arange(80), np.arange(80, 120)
HOLD_OUT = {"X_test": NUMBERS.iloc[TEST], "y_test": Y.iloc[TEST]}
FOREST = RandomForestRegressor(n_estimators=5, random_state=3)


def on_hold_out(estimator=LINEAR, scoring=MSE, **options):
    return lofo_importance(
        estimator, NUMBERS.iloc[TRAIN], Y.iloc[TRAIN], scoring=scoring, **HOLD_OUT, **options
    )


def plain_loop(estimator, X, y, splits, scoring, names=None):
    """Importances (features, splits) by the loop that anybody would write."""
    scorer = get_scorer(scoring)
    importances = []
    for train, test in splits:
        full = clone(estimator).fit(X.iloc[train], y.iloc[train])
        base = scorer(full, X.iloc[test], y.iloc[test])
        row = []
        for name in names or X.columns:
            less = X.drop(columns=name)
            refit = clone(estimator).fit(less.iloc[train], y.iloc[train])
            row.append(base - scorer(refit, less.iloc[test], y.iloc[test]))
        importances.append(row)
    return np.array(importances).T


class Recorder(RegressorMixin, BaseEstimator):
    """A mean that remembers, for the class, which rows and columns each fit and score saw."""

    seen: list[tuple[str, tuple, tuple, object]] = []  # noqa: RUF012

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        weights = None if sample_weight is None else tuple(sample_weight)
        self.seen.append(("fit", tuple(X.index), tuple(X.columns), self.random_state))
        self.mean_ = np.average(y, weights=weights)
        return self

    def predict(self, X):
        self.seen.append(("predict", tuple(X.index), tuple(X.columns), self.random_state))
        return np.full(len(X), self.mean_)


class LeastSquares(RegressorMixin, BaseEstimator):
    """The shortest solution, so that copies share a coefficient.

    scikit-learn before 1.7 keeps singular values of rounding size, and with them coefficients of
    opposite sign and any size.
    """

    def fit(self, X, y):
        design = np.column_stack([np.ones(len(X)), X])
        self.coefficients_ = np.linalg.lstsq(design, y, rcond=1e-10)[0]
        return self

    def predict(self, X):
        return np.column_stack([np.ones(len(X)), X]) @ self.coefficients_


@pytest.fixture
def seen():
    Recorder.seen.clear()
    return Recorder.seen


class FailsOn(RegressorMixin, BaseEstimator):
    """Refuses to be fitted without a column on rows that lack a label."""

    def __init__(self, column="a", row=-1, portable=True):
        self.column = column
        self.row = row
        self.portable = portable

    def fit(self, X, y):
        if self.column not in X.columns and self.row not in X.index:
            if self.portable:
                raise RuntimeError("no convergence")
            raise type("LocalError", (Exception,), {})("cannot travel")
        self.mean_ = np.mean(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


# By hand: rows 27 to 29 of the cases


def by_hand(second_column, estimator=LINEAR, scoring=MSE, **options):
    train = np.array([-1.0, 1.0, -2.0, 2.0])
    test = np.array([-1.0, 1.0])
    X, X_test = (pd.DataFrame({"x1": x1, "x2": second_column(x1)}) for x1 in (train, test))
    return lofo_importance(
        estimator, X, train, scoring=scoring, X_test=X_test, y_test=test, **options
    )


def zero(x1):
    return 0 * x1


def test_case_27_by_hand():
    result = by_hand(zero)
    assert result.features == ("x1", "x2")
    assert np.abs(result.mean - [1, 0]).max() <= ROUNDING


def test_case_27_copies():
    copies = by_hand(np.copy, LeastSquares())
    assert np.abs(copies.mean).max() <= ROUNDING
    together = by_hand(np.copy, LeastSquares(), features={"both": ["x1", "x2"]})
    assert together.features == ("both",)
    assert together.columns == (("x1", "x2"),)
    assert np.abs(together.mean - 1).max() <= ROUNDING


def test_case_27_arrays_have_positions():
    train = np.array([[-1.0, 0.0], [1.0, 0.0], [-2.0, 0.0], [2.0, 0.0]])
    for kind in (np.asarray, np.ndarray.tolist, sparse.coo_array):
        result = lofo_importance(
            LINEAR,
            kind(train),
            train[:, 0],
            scoring=MSE,
            X_test=kind(train[:2]),
            y_test=train[:2, 0],
        )
        assert result.features == (0, 1)
        assert np.abs(result.mean - [1, 0]).max() <= ROUNDING


def test_case_27_negative_importances_are_kept():
    # x2 goes along with y in the training rows only, so that the model is better without it.
    train = pd.DataFrame({"x1": [-1.0, 1.0, -1.0, 1.0], "x2": [-1.0, -1.0, 1.0, 1.0]})
    y = 2 * train["x1"] + train["x2"]
    result = lofo_importance(LINEAR, train, y, scoring=MSE, X_test=train, y_test=2 * train["x1"])
    # With x2 the errors are 1; without it 0; without x1 they are x2 - 2 x1: 1, 3, 3, 1.
    assert np.abs(result.mean - [4, -1]).max() <= ROUNDING
    display = result.plot()
    assert display.features_ == ("x1", "x2")
    widths = [bar.get_width() for bar in display.bars_]
    assert np.abs(np.array(widths) - [4, -1]).max() <= ROUNDING
    plt.close(display.figure_)


def mse_as_scorer(estimator, X, y):
    return -float(np.mean((estimator.predict(X) - y) ** 2))


@pytest.mark.parametrize(
    ("scoring", "expected"),
    [
        ("r2", 1.0),
        (MSE, 1.0),
        (mean_squared_error, 1.0),
        (r2_score, 1.0),
        (make_scorer(mean_squared_error, greater_is_better=False), 1.0),
        (mse_as_scorer, 1.0),
        (None, 1.0),
    ],
)
def test_case_28_important_is_positive(scoring, expected):
    result = by_hand(zero, scoring=scoring)
    assert np.abs(result.mean - [expected, 0]).max() <= ROUNDING


@pytest.mark.parametrize("scoring", [accuracy_score, "accuracy", f1_score, log_loss])
def test_case_28_metrics_of_classes(scoring):
    answer = np.where(NUMBERS["a"] > 0, 1, 0)
    result = lofo_importance(LogisticRegression(), NUMBERS, answer, scoring=scoring, features=["a"])
    name = {accuracy_score: "accuracy", f1_score: "f1", log_loss: "neg_log_loss"}
    folds = list(StratifiedKFold(5).split(NUMBERS, answer))
    expected = plain_loop(
        LogisticRegression(),
        NUMBERS,
        pd.Series(answer, NUMBERS.index),
        folds,
        name.get(scoring, scoring),
        ["a"],
    )
    assert np.array_equal(result.importances[:, 0], expected)
    assert result.mean[0] > 0.1


class Exact(RegressorMixin, BaseEstimator):
    """Predicts the first column left, without error where that is x1."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X.iloc[:, 0].to_numpy()


@pytest.mark.parametrize("scoring", [MSE, mse_as_scorer])
def test_case_28_ratios_of_a_perfect_model(scoring):
    with pytest.warns(UserWarning) as caught:
        result = by_hand(zero, Exact(), scoring, compare="ratio")
    messages = [str(warning.message) for warning in caught]
    assert len(messages) == 2
    assert "['x1'] divides by 0 and is infinite" in messages[0]
    assert "['x2'] is 0/0" in messages[1]
    assert all(warning.filename == __file__ for warning in caught)
    assert np.array_equal(result.mean, [np.inf, np.nan], equal_nan=True)
    assert np.array_equal(result.to_frame()["importance"], result.mean, equal_nan=True)
    display = result.plot()
    assert [text.get_text().strip() for text in display.texts_] == ["inf", "nan"]
    assert [bar.get_width() > 0 for bar in display.bars_] == [True, False]
    display.figure_.canvas.draw()
    plt.close(display.figure_)


def test_ratios():
    losses = on_hold_out(compare="ratio")
    assert np.array_equal(losses.importances, losses.scores / losses.base_scores)
    assert losses.neutral == 1
    assert losses.mean[0] > losses.mean[1] > 1
    unsigned = on_hold_out(scoring=mse_as_scorer, compare="ratio")
    assert np.abs(unsigned.mean / losses.mean - 1).max() <= ROUNDING
    scores = on_hold_out(scoring="r2", compare="ratio", features=["b", "c"])
    assert np.array_equal(scores.importances, scores.base_scores / scores.scores)
    assert scores.mean[0] > 1
    with pytest.warns(UserWarning, match=r"\['all'\] is 0/0 or of negative scores"):
        on_hold_out(scoring="r2", compare="ratio", features={"all": ["a", "b", "c"]})


def rows_by_columns(seen, action):
    """Rows that each set of columns was fitted or scored on, in the order of the splits."""
    found: dict[tuple, list[tuple]] = {}
    for what, rows, columns, _ in seen:
        if what == action:
            found.setdefault(columns, []).append(rows)
    return found


LABELS = np.repeat(np.arange(6), 20)


@pytest.mark.parametrize(
    ("make_cv", "groups", "n_splits"),
    [
        (lambda: iter([(TRAIN, TEST), (TEST, TRAIN)]), None, 2),
        (lambda: KFold(3, shuffle=True), None, 3),
        (lambda: ShuffleSplit(2, test_size=7), None, 2),
        (lambda: GroupKFold(3), LABELS, 3),
        (lambda: [(np.arange(120) < 80, np.arange(120) >= 80)], None, 1),
        (lambda: 4, None, 4),
        (lambda: None, None, 5),
    ],
)
def test_case_29_splits_are_shared(seen, make_cv, groups, n_splits):
    result = lofo_importance(
        Recorder(), NUMBERS, Y, scoring=MSE, cv=make_cv(), groups=groups, n_repeats=2
    )
    assert result.importances.shape == (3, 2, n_splits)
    assert result.base_scores.shape == (2, n_splits)
    for action in ("fit", "predict"):
        found = rows_by_columns(seen, action)
        assert len(found) == 4
        first, *others = found.values()
        assert len(first) == 2 * n_splits
        assert first[:n_splits] == first[n_splits:]
        assert all(rows == first for rows in others)
    if groups is not None:
        labels = pd.Series(groups, NUMBERS.index)
        fits, scores = rows_by_columns(seen, "fit"), rows_by_columns(seen, "predict")
        for columns in fits:
            for train, test in zip(fits[columns], scores[columns], strict=True):
                assert not set(labels[list(train)]) & set(labels[list(test)])


# Against a plain loop


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_equals_a_plain_loop(n_jobs):
    folds = list(KFold(3, shuffle=True, random_state=1).split(NUMBERS))
    result = lofo_importance(FOREST, NUMBERS, Y, scoring=MSE, cv=folds, n_jobs=n_jobs)
    assert np.array_equal(result.importances[:, 0], plain_loop(FOREST, NUMBERS, Y, folds, MSE))
    base = cross_val_score(FOREST, NUMBERS, Y, cv=folds, scoring=MSE)
    assert np.array_equal(result.base_scores[0], base)
    assert np.array_equal(result.importances, result.base_scores - result.scores)


def test_seeds_of_repeats_are_those_of_a_plain_loop():
    result = on_hold_out(FOREST, n_repeats=3, random_state=7)
    assert len(set(result.seeds)) == 3
    for repeat, seed in enumerate(result.seeds):
        forest = clone(FOREST).set_params(random_state=seed)
        expected = plain_loop(forest, NUMBERS, Y, [(TRAIN, TEST)], MSE)
        assert np.array_equal(result.importances[:, repeat], expected)
    assert result.std[0] > 0


def test_time_over_the_fits_themselves(monkeypatch):
    """All but fitting and scoring takes at most 2 %: so does what comes on top of any loop."""
    spent: list[tuple[str, float]] = []

    def timed(function):
        @wraps(function)
        def wrapped(*args, **options):
            start = time.process_time()
            answer = function(*args, **options)
            spent.append((function.__name__, time.process_time() - start))
            return answer

        return wrapped

    monkeypatch.setattr(RandomForestRegressor, "fit", timed(RandomForestRegressor.fit))
    table, y = frame(n=3000)
    forest = RandomForestRegressor(n_estimators=100, random_state=0)
    ratios = []
    for _ in range(3):
        spent.clear()
        start = time.process_time()
        lofo_importance(forest, table[["a", "b", "c"]], y, scoring=timed(mse_as_scorer), cv=2)
        ratios.append((time.process_time() - start) / sum(seconds for _, seconds in spent))
        assert [name for name, _ in spent] == ["fit", "mse_as_scorer"] * 8
    assert min(ratios) <= OVERHEAD


# Closed forms


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


SMALL = st.integers(0, 10_000)


@given(seed=SMALL, place=st.integers(0, 3), value=st.floats(-1e6, 1e6))
def test_a_constant_column_has_importance_0(seed, place, value):
    table, y = frame(n=60, seed=seed)
    table = table[["a", "b", "c"]]
    table.insert(place, "constant", value)
    options = {"scoring": MSE, "cv": 2, "features": ["constant"], "random_state": seed}
    # Boosting looks at all columns in their order; a forest draws which to look at, so that one
    # column less, though useless, gives it other trees.
    boosting = HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=5)
    lofo = lofo_importance(boosting, table, y, **options)
    assert np.array_equal(lofo.importances, np.zeros((1, 1, 2)))
    forest = RandomForestRegressor(2)
    permuted = refit_with_permuted(forest, table, y, **options)
    assert np.array_equal(permuted.importances, np.zeros((1, 1, 2)))


@given(seed=SMALL)
def test_a_copied_column_sends_both_to_0(seed):
    table, y = frame(n=60, seed=seed)
    single = table[["a", "b", "c"]]
    table = single.assign(copy=single["a"])
    options = {"scoring": MSE, "cv": 3}
    result = lofo_importance(LeastSquares(), table, y, **options)
    assert np.abs(result.mean[[0, 3]]).max() <= ROUNDING
    both = {"both": ["a", "copy"]}
    pair = lofo_importance(LeastSquares(), table, y, features=both, **options)
    alone = lofo_importance(LeastSquares(), single, y, features="a", **options)
    assert np.abs(pair.mean - alone.mean).max() <= ROUNDING
    assert pair.mean[0] > 1


@given(seed=SMALL)
def test_everything_left_out_is_the_null_model(seed):
    table, y = frame(n=60, seed=seed)
    table = table[["a", "b", "c"]]
    everything = {"all": ["c", "a", "b"]}
    weights = np.random.default_rng(seed).uniform(1, 2, size=60)
    options = {"cv": 3, "features": everything, "fit_params": {"sample_weight": weights}}
    result = lofo_importance(LINEAR, table, y, scoring=MSE, **options)
    folds = list(KFold(3).split(table))
    for split, (train, test) in enumerate(folds):
        mean = np.average(y.iloc[train], weights=weights[train])
        null = -np.mean((y.iloc[test] - mean) ** 2)
        assert abs(result.scores[0, 0, split] - null) <= ROUNDING
    classes = (y > 0).astype(int)
    result = lofo_importance(
        LogisticRegression(), table, classes, scoring="neg_log_loss", cv=3, features=everything
    )
    expected = cross_val_score(
        DummyClassifier(strategy="prior"), table, classes, scoring="neg_log_loss", cv=3
    )
    assert np.array_equal(result.scores[0, 0], expected)


# Orders, seeds, the caller's things


def test_order_of_features_asked_never_changes_the_answer():
    forest = RandomForestRegressor(5)
    first = on_hold_out(forest, random_state=1, n_repeats=2, features=["a", "b", "c"])
    second = on_hold_out(forest, random_state=1, n_repeats=2, features=["c", "a"], n_jobs=2)
    assert np.array_equal(second.importances, first.importances[[2, 0]])
    as_groups = on_hold_out(
        forest, random_state=1, n_repeats=2, features={"one": ["c"], "two": ["b", "a"]}
    )
    assert np.array_equal(as_groups.importances[0], first.importances[2])
    other_way = on_hold_out(forest, random_state=1, n_repeats=2, features={"two": ["a", "b"]})
    assert np.array_equal(other_way.importances[0], as_groups.importances[1])


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


def test_order_of_columns_and_seeds_never_change_a_deterministic_answer():
    first = on_hold_out(random_state=0)
    assert np.array_equal(on_hold_out(random_state=99).mean, first.mean)
    turned = NUMBERS[["c", "a", "b"]]
    result = lofo_importance(
        LINEAR, turned.iloc[TRAIN], Y.iloc[TRAIN], scoring=MSE, features=["a", "b", "c"], **HOLD_OUT
    )
    assert np.abs(result.mean - first.mean).max() <= ROUNDING


def test_hold_out_columns_may_stand_in_another_order():
    other = {**HOLD_OUT, "X_test": HOLD_OUT["X_test"][["c", "b", "a"]]}
    result = lofo_importance(FOREST, NUMBERS.iloc[TRAIN], Y.iloc[TRAIN], scoring=MSE, **other)
    assert np.array_equal(result.mean, on_hold_out(FOREST).mean)


def test_columns_keep_their_order(seen):
    on_hold_out(Recorder(), features={"group": ["b"]})
    assert {columns for _, _, columns, _ in seen} == {("a", "b", "c"), ("a", "c")}


def test_one_seed_per_repeat_for_all_fits(seen):
    fresh = on_hold_out(Recorder(), n_repeats=2)
    seeds = [seed for what, *_, seed in seen if what == "fit"]
    assert seeds == [fresh.seeds[0]] * 4 + [fresh.seeds[1]] * 4
    seen.clear()
    on_hold_out(Recorder(random_state=5), n_repeats=2)
    assert {seed for *_, seed in seen} == {5}
    seen.clear()
    given = on_hold_out(Recorder(random_state=5), n_repeats=2, random_state=1)
    assert {seed for *_, seed in seen} == set(given.seeds)
    assert given.seeds == on_hold_out(LINEAR, n_repeats=2, random_state=1).seeds


@pytest.mark.parametrize("source", [np.random.default_rng, np.random.RandomState, int])
def test_sources_of_seeds(source):
    one, two = (
        on_hold_out(RandomForestRegressor(2), random_state=source(4), n_repeats=2) for _ in range(2)
    )
    assert one.seeds == two.seeds
    assert np.array_equal(one.importances, two.importances)


def test_an_unseeded_inner_search_is_shared_too():
    search = GridSearchCV(Ridge(), {"alpha": [1e-3, 1e4]}, cv=KFold(3, shuffle=True), scoring=MSE)
    table = NUMBERS.assign(constant=1.0)
    result = lofo_importance(search, table, Y, scoring=MSE, cv=3, features=["constant"])
    assert np.abs(result.importances).max() <= ROUNDING
    assert search.cv.random_state is None


def test_nothing_of_the_caller_is_touched():
    before, state = X.copy(deep=True), np.random.get_state()[1].copy()  # noqa: NPY002
    model = RandomForestRegressor(2)
    parameters = str(model.get_params())
    lofo_importance(model, NUMBERS, Y, scoring=MSE, cv=KFold(2, shuffle=True, random_state=0))
    refit_with_permuted(model, NUMBERS, Y, scoring=MSE, cv=2)
    model.set_params(random_state=0).fit(NUMBERS, Y)
    permutation_importance(model, NUMBERS, Y, scoring=MSE)
    conditional_permutation_importance(model, NUMBERS, Y, scoring=MSE)
    pd.testing.assert_frame_equal(X, before)
    assert np.array_equal(np.random.get_state()[1], state)  # noqa: NPY002
    assert str(model.set_params(random_state=None).get_params()) == parameters


# Weights


def test_sample_weights_are_cut_to_each_split():
    # Weight 0 for a row is the same as its absence from the fit.
    weights = (np.arange(120) % 3 > 0).astype(float)
    folds = list(KFold(3).split(NUMBERS))
    kept = [(train[weights[train] > 0], test) for train, test in folds]
    expected = lofo_importance(LINEAR, NUMBERS, Y, scoring=MSE, cv=kept)
    for kind in (np.asarray, list, lambda w: pd.Series(w, NUMBERS.index)):
        result = lofo_importance(
            LINEAR, NUMBERS, Y, scoring=MSE, cv=folds, fit_params={"sample_weight": kind(weights)}
        )
        assert np.abs(result.importances - expected.importances).max() <= ROUNDING
    pipeline = make_pipeline(StandardScaler(), LinearRegression())
    result = lofo_importance(
        pipeline,
        NUMBERS,
        Y,
        scoring=MSE,
        cv=folds,
        fit_params={"linearregression__sample_weight": weights},
    )
    assert np.abs(result.importances - expected.importances).max() <= ROUNDING


def test_weights_of_the_score():
    weights = (np.arange(120) % 3 > 0).astype(float)
    folds = list(KFold(3).split(NUMBERS))
    kept = [(train, test[weights[test] > 0]) for train, test in folds]
    expected = lofo_importance(LINEAR, NUMBERS, Y, scoring=MSE, cv=kept)
    result = lofo_importance(
        LINEAR, NUMBERS, Y, scoring=MSE, cv=folds, score_params={"sample_weight": weights}
    )
    assert np.abs(result.importances - expected.importances).max() <= ROUNDING
    held_out = on_hold_out(score_params={"sample_weight": np.ones(len(TEST))})
    assert np.abs(held_out.importances - on_hold_out().importances).max() <= ROUNDING


# Pipelines and searches


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


# Failures


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_failure_is_loud_and_loses_nothing(n_jobs):
    # Only the second split's training rows lack row 0, so only its refit without a fails.
    folds = [(TRAIN, TEST), (TEST, TRAIN), (TRAIN, TEST)]
    model = FailsOn("a", row=int(NUMBERS.index[0]))
    with pytest.raises(LofoError) as caught:
        lofo_importance(model, NUMBERS, Y, scoring=MSE, cv=folds, n_jobs=n_jobs)
    message = str(caught.value)
    assert "the fit without ['a'] failed in split 1 (of 3" in message
    assert "RuntimeError: no convergence" in message
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert "in fit" in caught.value.__notes__[0]
    partial = caught.value.partial
    assert list(partial.columns) == ["left_out", "repeat", "split", "score"]
    done = set(zip(partial["left_out"], partial["split"], strict=True))
    assert {((), 0), (("a",), 0), (("b",), 0), (("c",), 0), ((), 1)} <= done
    assert (("a",), 1) not in done
    complete = lofo_importance(DummyRegressor(), NUMBERS, Y, scoring=MSE, cv=folds)
    of_first = partial.loc[partial["split"] == 0, "score"]
    assert of_first.tolist() == [complete.base_scores[0, 0]] * 4


def test_the_error_travels_between_processes():
    with pytest.raises(LofoError) as caught:
        lofo_importance(FailsOn(), NUMBERS, Y, scoring=MSE, cv=2)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    pd.testing.assert_frame_equal(again.partial, caught.value.partial)


def test_no_fit_is_started_after_a_failure(seen):
    with pytest.raises(LofoError, match="the score with all columns failed in split 0"):
        lofo_importance(Recorder(), NUMBERS, Y, scoring=lambda *_: [1.0, 2.0])
    assert len(seen) == 1


def test_an_error_that_cannot_travel_between_processes():
    with pytest.raises(LofoError, match="LocalError: cannot travel") as caught:
        lofo_importance(FailsOn(portable=False), NUMBERS, Y, scoring=MSE, n_jobs=2)
    assert len(caught.value.partial) > 0


class OnlyWithTwo(LinearRegression):
    """Refuses a single column."""

    def fit(self, X, y):
        if X.shape[1] < 2:
            raise RuntimeError("too narrow")
        return super().fit(X, y)


def test_a_step_that_fails_keeps_the_steps_before():
    with pytest.raises(LofoError, match="too narrow") as caught:
        sequential_elimination(OnlyWithTwo(), NUMBERS, Y, scoring=MSE, cv=2)
    left_out = caught.value.partial["left_out"]
    # All columns, then the first step in both splits, then the second step without c.
    first = [(), (), ("a",), ("b",), ("c",), ("a",), ("b",), ("c",)]
    assert list(left_out) == first


def test_missing_values_refused_by_the_estimator():
    table = NUMBERS.copy()
    table.iloc[100, 1] = np.nan
    with pytest.raises(LofoError, match=r"split 0 \(of 3.*ValueError: Input X contains NaN"):
        lofo_importance(LINEAR, table, Y, scoring=MSE, cv=3)
    forest = RandomForestRegressor(2, random_state=0)
    assert np.isfinite(lofo_importance(forest, table, Y, scoring=MSE, cv=2).mean).all()


def test_an_undefined_score_is_no_number():
    with pytest.raises(LofoError, match="must return a number, got nan"):
        lofo_importance(LINEAR, NUMBERS, Y, scoring=lambda *_: np.nan)


class WithoutStreams(ThreadingBackend):
    """A backend like joblib's oldest: all results at the end."""

    supports_return_generator = False


def test_backends_of_joblib():
    register_parallel_backend("without streams", WithoutStreams)
    expected = on_hold_out(FOREST).importances
    for backend in ("without streams", "threading", "loky", "sequential"):
        with parallel_config(backend=backend, n_jobs=2):
            assert np.array_equal(on_hold_out(FOREST).importances, expected)
    with parallel_config(backend="without streams", n_jobs=2), pytest.raises(LofoError) as caught:
        lofo_importance(FailsOn("a", row=-1), NUMBERS, Y, scoring=MSE, cv=2)
    assert len(caught.value.partial) == 6


def test_a_backend_that_breaks_down(monkeypatch):
    def broken(*_, **__):
        def run(calls):
            function, args, options = next(iter(calls))
            yield function(*args, **options)
            raise OSError("worker lost")

        return run

    monkeypatch.setattr(joblib, "Parallel", broken)
    with pytest.raises(LofoError, match="broke down: OSError: worker lost") as caught:
        on_hold_out()
    assert caught.value.partial["left_out"].tolist() == [()]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_shown_on_a_terminal_only(monkeypatch, capsys):
    on_hold_out()
    assert capsys.readouterr() == ("", "")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    on_hold_out()
    assert "refits" in terminal.getvalue()
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert np.array_equal(on_hold_out().features, ("a", "b", "c"))


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match=r"aleplot-py\[figures\]"):
        on_hold_out()


# Pairs, elimination, permuted copies


def test_pairs_share_what_copies_hide():
    table = NUMBERS.assign(copy=NUMBERS["a"])
    options = {"scoring": MSE, "cv": 3}
    result = leave_two_out_importance(LeastSquares(), table, Y, **options)
    assert result.pairs[:3] == (("a", "b"), ("a", "c"), ("a", "copy"))
    lofo = lofo_importance(LeastSquares(), table, Y, **options)
    assert np.array_equal(result.singles.importances, lofo.importances)
    groups = {"pair": ["a", "copy"]}
    both = lofo_importance(LeastSquares(), table, Y, features=groups, **options)
    copies = result.pairs.index(("a", "copy"))
    assert np.array_equal(result.joint[copies], both.importances[0])
    assert abs(result.shared_mean[copies] - both.mean[0]) <= ROUNDING
    assert result.shared_mean[copies] > 1
    others = np.delete(np.abs(result.shared_mean), copies)
    assert others.max() < 0.2
    table = result.to_frame()
    assert table.loc[table["shared"].idxmax(), ["first", "second"]].tolist() == ["a", "copy"]
    display = result.plot()
    assert display.image_.get_array().shape == (3, 3)
    assert len(display.texts_) == 6
    assert display.texts_[3].get_text() == f"{result.shared_mean[copies]:.2g}"
    plt.close(display.figure_)


def test_only_together():
    rng = np.random.default_rng(5)
    signs = pd.DataFrame(rng.choice([-1.0, 1.0], size=(400, 2)), columns=["u", "v"])
    tree = DecisionTreeRegressor(random_state=0)
    result = leave_two_out_importance(
        tree, signs, signs["u"] * signs["v"], scoring=MSE, cv=2, random_state=0
    )
    # Without one of them nothing is left to learn, so the second costs nothing more.
    assert result.singles.mean.min() > 0.9
    assert result.shared_mean[0] < -0.9


def test_elimination(seen):
    result = sequential_elimination(LINEAR, NUMBERS, Y, scoring=MSE, cv=3)
    assert result.eliminated == ("c", "b")
    assert result.kept == ("a",)
    assert [step.features for step in result.steps] == [("a", "b", "c"), ("a", "b")]
    for step, columns in enumerate((["a", "b", "c"], ["a", "b"], ["a"])):
        expected = cross_val_score(LINEAR, NUMBERS[columns], Y, scoring=MSE, cv=KFold(3))
        assert np.array_equal(result.scores[step, 0], expected)
    again = lofo_importance(LINEAR, NUMBERS[["a", "b"]], Y, scoring=MSE, cv=3)
    assert np.array_equal(result.steps[1].importances, again.importances)
    table = result.to_frame()
    assert table["eliminated"].tolist() == [None, "c", "b"]
    assert table["n_left"].tolist() == [3, 2, 1]
    display = result.plot()
    assert np.array_equal(display.line_.get_ydata(), table["score"])
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["all", "- c", "- b"]
    plt.close(display.figure_)
    sequential_elimination(Recorder(), NUMBERS, Y, scoring=MSE, cv=3)
    assert sum(what == "fit" for what, *_ in seen) == 3 * (1 + 3 + 2)


def test_elimination_of_groups_down_to_the_null_model():
    groups = {"noise": ["c"], "signal": ["a", "b"]}
    result = sequential_elimination(LINEAR, NUMBERS, Y, scoring=MSE, cv=3, features=groups, keep=0)
    assert result.eliminated == ("noise", "signal")
    assert result.kept == ()
    null = cross_val_score(DummyRegressor(), NUMBERS, Y, scoring=MSE, cv=KFold(3))
    assert np.array_equal(result.scores[-1, 0], null)
    part = sequential_elimination(
        LINEAR, NUMBERS, Y, scoring=MSE, cv=3, features=["b", "c"], keep=np.int64(0)
    )
    only_a = cross_val_score(LINEAR, NUMBERS[["a"]], Y, scoring=MSE, cv=KFold(3))
    assert np.array_equal(part.scores[-1, 0], only_a)


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


# Permutation importance


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
        with pytest.raises(ValueError, match=f"column '{name}': must have no missing or infinite"):
            conditional_permutation_importance(model, table, Y, scoring=MSE, features=["a", name])


def test_without_other_columns_the_subgroup_is_everything():
    model = LinearRegression().fit(NUMBERS, Y)
    options = {"scoring": MSE, "features": {"all": ["a", "b", "c"]}, "random_state": 2}
    conditional = conditional_permutation_importance(model, NUMBERS, Y, **options)
    marginal = permutation_importance(model, NUMBERS, Y, **options)
    assert np.array_equal(conditional.importances, marginal.importances)


# Results


def test_tables_of_a_result():
    result = on_hold_out(FOREST, n_repeats=2, random_state=0, features={"one": ["a"], "c": ["c"]})
    table = result.to_frame()
    assert list(table.columns) == ["feature", "importance", "std", "score", "base_score"]
    assert table["feature"].tolist() == ["one", "c"]
    assert np.array_equal(table["importance"], result.mean)
    assert np.array_equal(table["std"], result.importances.reshape(2, -1).std(axis=1))
    long = result.to_frame(per_split=True)
    assert long.shape == (4, 6)
    assert long["repeat"].tolist() == [0, 1, 0, 1]
    assert long["split"].tolist() == [0, 0, 0, 0]
    assert np.array_equal(long["base_score"] - long["score"], long["importance"])


def test_results_are_frozen():
    result = on_hold_out()
    with pytest.raises(FrozenInstanceError):
        result.compare = "ratio"
    for values in (result.importances, result.scores, result.base_scores):
        with pytest.raises(ValueError, match="read-only"):
            values[...] = 0


def test_bars_are_sorted_and_show_the_spread():
    result = lofo_importance(FOREST, NUMBERS[["c", "b", "a"]], Y, scoring=MSE, cv=3)
    display = result.plot(color="tab:red")
    assert display.features_ == ("a", "b", "c")
    order = [2, 1, 0]
    assert np.array_equal([bar.get_width() for bar in display.bars_], result.mean[order])
    (segments,) = display.bars_.errorbar.lines[2]
    lengths = [segment[1, 0] - segment[0, 0] for segment in segments.get_segments()]
    assert np.abs(np.array(lengths) - 2 * result.std[order]).max() <= ROUNDING
    # The most important one is on top: the axis points down.
    assert display.ax_.yaxis_inverted()
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["a", "b", "c"]
    ratios = on_hold_out(compare="ratio").plot(ax=display.figure_.add_subplot())
    assert ratios.figure_ is display.figure_
    assert {bar.get_x() for bar in ratios.bars_} == {1.0}
    plt.close(display.figure_)


# Bad input

GOOD = {"estimator": LINEAR, "X": NUMBERS, "y": Y, "scoring": MSE}
EMPTY = iter(())


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"estimator": LinearRegression}, TypeError, "estimator: must be a scikit-learn estimator"),
        ({"estimator": print}, TypeError, "estimator: must be a scikit-learn estimator"),
        ({"X": NUMBERS["a"].to_numpy()}, ValueError, "X: must have 2 dimensions"),
        ({"X": NUMBERS.iloc[:0]}, ValueError, "X: must have at least one row"),
        ({"X": NUMBERS[["a", "a"]]}, ValueError, r"X: column names must be unique, got \['a'\]"),
        ({"y": Y.iloc[:7]}, ValueError, "y: must have as many rows as X, got 7 rows for 120"),
        ({"y": 3.0}, ValueError, "y: must have as many rows as X, got 0"),
        ({"features": ["a", "z"]}, ValueError, "features: unknown column 'z'"),
        ({"features": "z"}, ValueError, "features: unknown column 'z'"),
        ({"features": [0]}, ValueError, "features: unknown column 0"),
        ({"features": ["a", "a"]}, ValueError, "column 'a' is asked for twice"),
        ({"features": []}, ValueError, "features: at least one column"),
        ({"features": {"a", "b"}}, TypeError, "features: names must come in an order"),
        ({"features": {"g": {"a", "b"}}}, TypeError, "features: names must come in an order"),
        ({"features": [["a", "b"]]}, ValueError, r"features: unknown column \['a', 'b'\]"),
        ({"features": {"g": 3}}, ValueError, "features: unknown column 3"),
        ({"features": [True]}, ValueError, "features: unknown column True"),
        ({"features": {"g": []}}, ValueError, "group 'g' must hold at least one column"),
        (
            {"features": {"g": ["a", "b"], "h": ["b"]}},
            ValueError,
            "must not overlap, but column 'b' is in 'g' and in 'h'",
        ),
        ({"features": {"g": ["a", "a"]}}, ValueError, "must not overlap, but column 'a'"),
        ({"scoring": "accurate"}, ValueError, "scoring: unknown scorer 'accurate'"),
        ({"scoring": 3}, TypeError, "scoring: must be a scorer's name"),
        ({"scoring": make_scorer(mean_squared_error)}, ValueError, "mean_squared_error is a loss"),
        ({"scoring": lambda y_true, y_pred: 0.0}, ValueError, "greater_is_better"),
        ({"scoring": None, "estimator": StandardScaler()}, TypeError, "lacks"),
        ({"compare": "quotient"}, ValueError, "compare: must be 'difference' or 'ratio'"),
        ({"n_repeats": 0}, ValueError, "n_repeats: must be an integer of at least 1, got 0"),
        ({"n_repeats": 1.5}, ValueError, "n_repeats: must be an integer"),
        ({"n_jobs": 0}, ValueError, "n_jobs: must be None or an integer other than 0"),
        ({"random_state": "x"}, ValueError, "'x' cannot be used to seed"),
        ({"cv": 1}, ValueError, "n_splits=1|at least one train/test split|n_splits=2 or more"),
        ({"cv": EMPTY}, ValueError, "cv: must give at least one split, got none"),
        ({"cv": [([0, 500], [1])]}, ValueError, "cv: split 0 must hold row positions of X"),
        ({"cv": [([0, 1], [])]}, ValueError, "cv: split 0 must hold row positions of X"),
        ({"cv": GroupKFold(2)}, ValueError, "groups"),
        ({"groups": [1, 2]}, ValueError, "groups: must have one label per row of X, got 2"),
        ({"fit_params": [1]}, TypeError, "fit_params: must be a dict"),
        (
            {"fit_params": {"sample_weight": [1.0]}},
            ValueError,
            "fit_params: 'sample_weight' must have one value per row, got 1 for 120",
        ),
        ({"score_params": {"sample_weight": [1.0]}}, ValueError, "score_params: 'sample_weight'"),
        ({"y_test": Y}, ValueError, "X_test: is needed with y_test"),
        ({"X_test": NUMBERS}, ValueError, "y_test: is needed with X_test"),
        ({**HOLD_OUT, "cv": 3}, ValueError, "cv: give either cv"),
        ({**HOLD_OUT, "groups": LABELS}, ValueError, "cv: give either cv"),
        ({"X_test": NUMBERS, "y_test": Y.iloc[:3]}, ValueError, "y_test: must have as many rows"),
        ({"X_test": NUMBERS[["a"]], "y_test": Y}, ValueError, "X_test: must have the columns of X"),
        ({"X_test": NUMBERS.to_numpy(), "y_test": Y}, TypeError, "must be of the kind of X"),
        (
            {"X": NUMBERS.to_numpy(), "X_test": X[["a"]].to_numpy(), "y_test": Y},
            ValueError,
            "X_test: must have the 3 columns of X, got 1",
        ),
    ],
)
def test_bad_input(changes, error, message):
    with pytest.raises(error, match=message):
        lofo_importance(**{**GOOD, **changes})


@pytest.mark.parametrize(
    ("function", "changes", "error", "message"),
    [
        (leave_two_out_importance, {"features": ["a"]}, ValueError, "at least two features"),
        (sequential_elimination, {"keep": 3}, ValueError, "keep: must be an integer from 0 to 2"),
        (sequential_elimination, {"keep": True}, ValueError, "keep: must be"),
        (refit_with_permuted, {"compare": "x"}, ValueError, "compare"),
        (permutation_importance, {"estimator": object()}, TypeError, "estimator"),
        (permutation_importance, {"y": [1.0]}, ValueError, "y: must have as many rows"),
        (permutation_importance, {"n_repeats": -1}, ValueError, "n_repeats"),
        (permutation_importance, {"features": "z"}, ValueError, "unknown column 'z'"),
        (permutation_importance, {"compare": "x"}, ValueError, "compare"),
        (
            conditional_permutation_importance,
            {"min_samples_leaf": 1},
            ValueError,
            "min_samples_leaf: must be at least 2, got 1",
        ),
        (
            conditional_permutation_importance,
            {"min_samples_leaf": "30"},
            TypeError,
            "min_samples_leaf: must be an integer, got '30'",
        ),
        (
            conditional_permutation_importance,
            {"max_depth": 0},
            ValueError,
            "max_depth: must be at least 1, got 0",
        ),
        (
            conditional_permutation_importance,
            {"X": sparse.csr_array(NUMBERS.to_numpy())},
            TypeError,
            "X: subgroups need a data frame or an array",
        ),
    ],
)
def test_bad_input_of_the_others(function, changes, error, message):
    with pytest.raises(error, match=message):
        function(**{**GOOD, **changes})
