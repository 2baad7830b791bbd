"""Leaving one feature out: by hand, against plain loops, and what never changes the answer."""

import sys
from functools import wraps

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    ShuffleSplit,
    cross_val_score,
)

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
    HOLD_OUT,
    LABELS,
    LINEAR,
    MSE,
    NUMBERS,
    ROUNDING,
    SMALL,
    TEST,
    TRAIN,
    LeastSquares,
    Recorder,
    X,
    Y,
    by_hand,
    frame,
    mse_as_scorer,
    on_hold_out,
    plain_loop,
    zero,
)


def test_by_hand():
    result = by_hand(zero)
    assert result.features == ("x1", "x2")
    assert np.abs(result.mean - [1, 0]).max() <= ROUNDING


def test_a_copy_hides_its_twin():
    copies = by_hand(np.copy, LeastSquares())
    assert np.abs(copies.mean).max() <= ROUNDING
    together = by_hand(np.copy, LeastSquares(), features={"both": ["x1", "x2"]})
    assert together.features == ("both",)
    assert together.columns == (("x1", "x2"),)
    assert np.abs(together.mean - 1).max() <= ROUNDING


def test_arrays_have_positions():
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


def test_negative_importances_are_kept():
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


def rows_by_columns(seen, action):
    """Rows that each set of columns was fitted or scored on, in the order of the splits."""
    found: dict[tuple, list[tuple]] = {}
    for what, rows, columns, _ in seen:
        if what == action:
            found.setdefault(columns, []).append(rows)
    return found


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
def test_splits_are_shared(seen, make_cv, groups, n_splits):
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


def test_nothing_is_fitted_or_scored_twice(monkeypatch):
    done = []

    def counted(function):
        @wraps(function)
        def wrapped(*args, **options):
            done.append(function.__name__)
            return function(*args, **options)

        return wrapped

    monkeypatch.setattr(RandomForestRegressor, "fit", counted(RandomForestRegressor.fit))
    table, y = frame(n=60)
    forest = RandomForestRegressor(n_estimators=2, random_state=0)
    lofo_importance(forest, table[["a", "b", "c"]], y, scoring=counted(mse_as_scorer), cv=2)
    # In each of two folds, with all columns and without each of three.
    assert done == ["fit", "mse_as_scorer"] * 8


@settings(max_examples=max(10, settings.default.max_examples // 4))  # 18 fits each
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


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match=r"aleplot-py\[figures\]"):
        on_hold_out()
