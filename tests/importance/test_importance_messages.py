"""Bad input: which argument, which rule, which value."""

import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression
from sklearn.metrics import (
    make_scorer,
    mean_squared_error,
)
from sklearn.model_selection import (
    GroupKFold,
)
from sklearn.preprocessing import StandardScaler

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
from tests.importance.models import HOLD_OUT, LABELS, LINEAR, MSE, NUMBERS, X, Y

GOOD = {"estimator": LINEAR, "X": NUMBERS, "y": Y, "scoring": MSE}


EMPTY = iter(())


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"estimator": LinearRegression}, TypeError, "estimator must be a scikit-learn estimator"),
        ({"estimator": print}, TypeError, "estimator must be a scikit-learn estimator"),
        ({"X": NUMBERS["a"].to_numpy()}, ValueError, "X must be two-dimensional"),
        ({"X": NUMBERS.iloc[:0]}, ValueError, "X must have rows and columns"),
        ({"X": NUMBERS[["a", "a"]]}, ValueError, r"column names of X must be unique, got \['a'\]"),
        ({"y": Y.iloc[:7]}, ValueError, "y must have as many rows as X, got 7 rows for 120"),
        ({"y": 3.0}, ValueError, "y must have as many rows as X, got 0"),
        ({"features": ["a", "z"]}, ValueError, "feature 'z' is not a column of X"),
        ({"features": "z"}, ValueError, "feature 'z' is not a column of X"),
        ({"features": [3]}, ValueError, "feature 3 is not a column: X has 3 columns"),
        ({"features": ["a", "a"]}, ValueError, "features names column 'a' more than once"),
        ({"features": []}, ValueError, "features must name at least one column"),
        ({"features": {"a", "b"}}, TypeError, "features must come in an order"),
        ({"features": {"g": {"a", "b"}}}, TypeError, "features must come in an order"),
        ({"features": [["a", "b"]]}, ValueError, r"feature \['a', 'b'\] is not a column of X"),
        ({"features": {"g": 3}}, ValueError, "feature 3 is not a column: X has 3 columns"),
        ({"features": [True]}, ValueError, "feature True is not a column of X"),
        ({"features": {"g": []}}, ValueError, "group 'g' of features must name a column"),
        (
            {"features": {"g": ["a", "b"], "h": ["b"]}},
            ValueError,
            "must not overlap, but column 'b' is in 'g' and in 'h'",
        ),
        ({"features": {"g": ["a", "a"]}}, ValueError, "must not overlap, but column 'a'"),
        ({"scoring": "accurate"}, ValueError, "scoring must be a scorer's name, got 'accurate'"),
        ({"scoring": 3}, TypeError, "scoring must be a scorer's name"),
        ({"scoring": make_scorer(mean_squared_error)}, ValueError, "mean_squared_error is a loss"),
        ({"scoring": lambda y_true, y_pred: 0.0}, ValueError, "greater_is_better"),
        ({"scoring": None, "estimator": StandardScaler()}, TypeError, "lacks"),
        ({"compare": "quotient"}, ValueError, "compare must be one of"),
        ({"n_repeats": 0}, ValueError, "n_repeats must be a positive integer, got 0"),
        ({"n_repeats": 1.5}, TypeError, "n_repeats must be a positive integer, got 1.5"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be a positive integer, got 0"),
        ({"random_state": "x"}, TypeError, "random_state must be None, .*, got 'x'"),
        ({"random_state": -1}, TypeError, "random_state must be None, .*, got -1"),
        ({"cv": 1}, ValueError, "n_splits=1|at least one train/test split|n_splits=2 or more"),
        ({"cv": EMPTY}, ValueError, "cv must give at least one split, got none"),
        ({"cv": [([0, 500], [1])]}, ValueError, "split 0 of cv must hold row positions of X"),
        ({"cv": [([0, 1], [])]}, ValueError, "split 0 of cv must hold row positions of X"),
        ({"cv": GroupKFold(2)}, ValueError, "groups"),
        ({"groups": [1, 2]}, ValueError, "groups must have one label per row of X, got 2"),
        ({"fit_params": [1]}, TypeError, "fit_params must be a dict"),
        (
            {"fit_params": {"sample_weight": [1.0]}},
            ValueError,
            "'sample_weight' in fit_params must have one value per row, got 1 for 120",
        ),
        ({"score_params": {"sample_weight": [1.0]}}, ValueError, "'sample_weight' in score_params"),
        ({"y_test": Y}, ValueError, "X_test must be given with y_test"),
        ({"X_test": NUMBERS}, ValueError, "y_test must be given with X_test"),
        ({**HOLD_OUT, "cv": 3}, ValueError, "cv and groups must be left out"),
        ({**HOLD_OUT, "groups": LABELS}, ValueError, "cv and groups must be left out"),
        ({"X_test": NUMBERS, "y_test": Y.iloc[:3]}, ValueError, "y_test must have as many rows"),
        ({"X_test": NUMBERS[["a"]], "y_test": Y}, ValueError, "X_test must have the columns of X"),
        ({"X_test": NUMBERS.to_numpy(), "y_test": Y}, TypeError, "must be of the kind of X"),
        (
            {"X": NUMBERS.to_numpy(), "X_test": X[["a"]].to_numpy(), "y_test": Y},
            ValueError,
            "X_test must have the 3 columns of X, got 1",
        ),
    ],
)
def test_bad_input(changes, error, message):
    with pytest.raises(error, match=message):
        lofo_importance(**{**GOOD, **changes})


@pytest.mark.parametrize(
    ("function", "changes", "error", "message"),
    [
        (
            leave_two_out_importance,
            {"features": ["a"]},
            ValueError,
            "features must name at least two",
        ),
        (sequential_elimination, {"keep": 3}, ValueError, "keep must be an integer from 0 to 2"),
        (sequential_elimination, {"keep": True}, ValueError, "keep must be"),
        (refit_with_permuted, {"compare": "x"}, ValueError, "compare"),
        (permutation_importance, {"estimator": object()}, TypeError, "estimator"),
        (permutation_importance, {"y": [1.0]}, ValueError, "y must have as many rows"),
        (permutation_importance, {"n_repeats": -1}, ValueError, "n_repeats"),
        (permutation_importance, {"features": "z"}, ValueError, "feature 'z' is not a column of X"),
        (permutation_importance, {"compare": "x"}, ValueError, "compare"),
        (
            conditional_permutation_importance,
            {"min_samples_leaf": 1},
            ValueError,
            "min_samples_leaf must be at least 2, got 1",
        ),
        (
            conditional_permutation_importance,
            {"min_samples_leaf": "30"},
            TypeError,
            "min_samples_leaf must be a positive integer, got '30'",
        ),
        (
            conditional_permutation_importance,
            {"max_depth": 0},
            ValueError,
            "max_depth must be a positive integer, got 0",
        ),
        (
            conditional_permutation_importance,
            {"X": sparse.csr_array(NUMBERS.to_numpy())},
            TypeError,
            "X must be a DataFrame or an array to form subgroups",
        ),
    ],
)
def test_bad_input_of_the_others(function, changes, error, message):
    with pytest.raises(error, match=message):
        function(**{**GOOD, **changes})
