"""Scorers: signs, ratios, events and weights."""

from inspect import signature

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    get_scorer,
    get_scorer_names,
    log_loss,
    make_scorer,
    mean_squared_error,
    r2_score,
)
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
)
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aleplot_py.importance import (
    conditional_permutation_importance,
    leave_two_out_importance,
    permutation_importance,
    refit_with_permuted,
    sequential_elimination,
)
from aleplot_py.importance.lofo import (
    lofo_importance,
)
from tests.importance import models
from tests.importance.models import (
    LINEAR,
    MSE,
    NUMBERS,
    ROUNDING,
    TEST,
    TRAIN,
    Y,
    by_hand,
    mse_as_scorer,
    on_hold_out,
    plain_loop,
    zero,
)


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
def test_important_is_positive(scoring, expected):
    result = by_hand(zero, scoring=scoring)
    assert np.abs(result.mean - [expected, 0]).max() <= ROUNDING


@pytest.mark.parametrize("scoring", [accuracy_score, "accuracy", f1_score, log_loss])
def test_metrics_of_classes(scoring):
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
def test_ratios_of_a_perfect_model(scoring):
    with pytest.warns(UserWarning) as caught:
        result = by_hand(zero, Exact(), scoring, compare="ratio")
    messages = [str(warning.message) for warning in caught]
    assert len(messages) == 2
    assert "['x1'] divides by 0 and is infinite" in messages[0]
    assert "['x2'] is 0/0" in messages[1]
    assert all(warning.filename == models.__file__ for warning in caught)
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


TEXT = pd.Series(np.where(Y.mean() < Y, "yes", "no"), Y.index)
ONES = (TEXT == "yes").astype(int)
# Scorers whose metric has an event, of two classes.
OF_AN_EVENT = [
    name
    for name in get_scorer_names()
    if "pos_label" in signature(get_scorer(name)._score_func).parameters
    and get_scorer(name)._kwargs.get("average", "binary") == "binary"
]


@pytest.mark.parametrize("scoring", OF_AN_EVENT)
def test_the_event_of_a_scorer(scoring):
    model, options = LogisticRegression(), {"cv": 2, "scoring": scoring}
    with pytest.raises(ValueError, match=f"'{scoring}' counts one class .* target=.*make_scorer"):
        lofo_importance(model, NUMBERS, TEXT, **options)
    with pytest.raises(ValueError, match="which is 'maybe', but y has the classes"):
        lofo_importance(model, NUMBERS, TEXT, target="maybe", **options)
    expected = lofo_importance(model, NUMBERS, ONES, **options)
    found = lofo_importance(model, NUMBERS, TEXT, target="yes", **options)
    assert np.array_equal(found.scores, expected.scores)
    other = lofo_importance(model, NUMBERS, ONES, target=0, **options)
    assert np.array_equal(
        lofo_importance(model, NUMBERS, TEXT, target="no", **options).scores, other.scores
    )
    fitted = clone(model).fit(NUMBERS, TEXT)
    permuted = permutation_importance(fitted, NUMBERS, TEXT, scoring=scoring, target="yes")
    assert permuted.mean[0] > 0


def test_scorers_of_an_event_are_found():
    assert {"f1", "precision", "recall", "jaccard", "average_precision"} <= set(OF_AN_EVENT)


@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro", "roc_auc", "neg_log_loss", None])
def test_scorers_without_an_event(scoring):
    options = {"scoring": scoring, "cv": 2}
    assert lofo_importance(LogisticRegression(), NUMBERS, TEXT, **options).mean[0] > 0
    with pytest.raises(ValueError, match="target must be left out where scoring counts no class"):
        lofo_importance(LogisticRegression(), NUMBERS, TEXT, target="yes", **options)


def loss(y, prediction):
    return float(np.mean((y - prediction) ** 2))


def weighted_square(y, prediction, weight=None):
    return float(np.average((y - prediction) ** 2, weights=weight))


@pytest.mark.parametrize(
    "metric", [loss, weighted_square, lambda y, p: loss(y, p), lambda actual, forecast: 0.0]
)
def test_a_loss_of_your_own(metric):
    model = LinearRegression().fit(NUMBERS, Y)
    doors = {
        lofo_importance: LINEAR,
        refit_with_permuted: LINEAR,
        leave_two_out_importance: LINEAR,
        sequential_elimination: LINEAR,
        permutation_importance: model,
        conditional_permutation_importance: model,
    }
    for function, estimator in doors.items():
        with pytest.raises(ValueError, match=r"\(y, prediction\): use make_scorer\("):
            function(estimator, NUMBERS, Y, scoring=metric)


def test_a_loss_in_make_scorer():
    found = on_hold_out(scoring=make_scorer(loss, greater_is_better=False))
    assert np.abs(found.importances - on_hold_out().importances).max() <= ROUNDING


# Weights by name


def test_sample_weight_is_of_fits_and_scores():
    weights = np.linspace(1, 3, len(Y))
    both = {"fit_params": {"sample_weight": weights}, "score_params": {"sample_weight": weights}}
    expected = lofo_importance(LINEAR, NUMBERS, Y, scoring=MSE, cv=3, **both)
    found = lofo_importance(LINEAR, NUMBERS, Y, scoring=MSE, cv=3, sample_weight=list(weights))
    assert np.array_equal(found.importances, expected.importances)
    assert not np.array_equal(
        found.importances, lofo_importance(LINEAR, NUMBERS, Y, scoring=MSE, cv=3).importances
    )
    # On a hold-out set those of the score are other rows'.
    fits = on_hold_out(fit_params={"sample_weight": weights[: len(TRAIN)]})
    held_out = on_hold_out(sample_weight=weights[: len(TRAIN)])
    assert np.array_equal(held_out.importances, fits.importances)
    model = LinearRegression().fit(NUMBERS, Y)
    options = {"scoring": MSE, "random_state": 0}
    expected = permutation_importance(
        model, NUMBERS, Y, score_params={"sample_weight": weights}, **options
    )
    found = permutation_importance(model, NUMBERS, Y, sample_weight=weights, **options)
    assert np.array_equal(found.importances, expected.importances)


@pytest.mark.parametrize("wrap", [lambda p: p, lambda p: GridSearchCV(p, {"ridge__alpha": [1.0]})])
def test_sample_weight_reaches_the_last_step(wrap):
    weights = np.linspace(1, 3, len(Y))
    pipeline = wrap(make_pipeline(StandardScaler(), Ridge()))
    both = {
        "fit_params": {"ridge__sample_weight": weights},
        "score_params": {"sample_weight": weights},
    }
    expected = lofo_importance(pipeline, NUMBERS, Y, scoring=MSE, cv=2, **both)
    found = lofo_importance(pipeline, NUMBERS, Y, scoring=MSE, cv=2, sample_weight=weights)
    assert np.array_equal(found.importances, expected.importances)


def test_sample_weight_where_it_cannot_go():
    ones = np.ones(len(Y))
    with pytest.raises(TypeError, match="fit takes none, as that of KNeighborsRegressor"):
        lofo_importance(KNeighborsRegressor(), NUMBERS, Y, scoring=MSE, sample_weight=ones)
    with pytest.raises(TypeError, match="the scorer takes none"):
        lofo_importance(LINEAR, NUMBERS, Y, scoring=mse_as_scorer, sample_weight=ones)
    for params in ("fit_params", "score_params"):
        with pytest.raises(ValueError, match=f"sample_weight must be left out where {params} has"):
            lofo_importance(
                LINEAR,
                NUMBERS,
                Y,
                scoring=MSE,
                sample_weight=ones,
                **{params: {"sample_weight": ones}},
            )
    with pytest.raises(ValueError, match="sample_weight must be finite and not negative, got -1"):
        permutation_importance(
            LinearRegression().fit(NUMBERS, Y), NUMBERS, Y, scoring=MSE, sample_weight=-ones
        )
