"""Forests whose predictions are kept: the same numbers, and fitted once."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from aleplot_py.importance.lofo import lofo_importance
from reproductions.engine import fits

KINDS = {
    "regression": (fits.KeptForestRegressor, RandomForestRegressor, "neg_mean_absolute_error"),
    "classes": (fits.KeptForestClassifier, RandomForestClassifier, "accuracy"),
}


@pytest.fixture(params=KINDS)
def kind(request, monkeypatch, tmp_path):
    monkeypatch.setattr(fits, "FOLDER", tmp_path / "fits")
    return KINDS[request.param]


@pytest.fixture
def importance(kind):
    """LOFO by a class of forests, with a seed that may change."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    y = X["a"] + 0.3 * X["b"] if kind[2] != "accuracy" else np.where(X["a"] > 0, "yes", "no")

    def score(forest, seed=0):
        options = {"scoring": kind[2], "n_repeats": 2, "random_state": seed}
        result = lofo_importance(forest(5), X[:40], y[:40], X_test=X[40:], y_test=y[40:], **options)
        return result.importances

    return score


def test_scores_are_those_of_a_plain_forest(kind, importance):
    kept, plain, _ = kind
    expected = importance(plain)
    np.testing.assert_array_equal(importance(kept), expected)
    # From what was kept, too.
    np.testing.assert_array_equal(importance(kept), expected)
    np.testing.assert_array_equal(importance(kept, seed=1), importance(plain, seed=1))


def test_the_same_fit_is_made_once(kind, importance, monkeypatch):
    kept, plain, _ = kind
    importance(kept)

    def refuse(*_):
        raise AssertionError("fitted again")

    monkeypatch.setattr(plain, "fit", refuse)
    importance(kept)
    # Another seed is another fit.
    with pytest.raises(Exception, match="fitted again"):
        importance(kept, seed=1)


def test_without_a_folder_every_run_fits(kind, importance, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setattr(fits, "FOLDER", tmp_path / "file" / "fits")
    np.testing.assert_array_equal(importance(kind[0]), importance(kind[1]))
