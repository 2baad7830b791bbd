"""Pairs left out together, and features dropped one after the other."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.dummy import DummyRegressor
from sklearn.model_selection import (
    KFold,
    cross_val_score,
)
from sklearn.tree import DecisionTreeRegressor

from aleplot_py.importance.lofo import (
    leave_two_out_importance,
    lofo_importance,
    sequential_elimination,
)
from tests.importance.models import LINEAR, MSE, NUMBERS, ROUNDING, LeastSquares, Recorder, Y


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
    assert [t.get_text() for t in display.axes_[0].get_xticklabels()] == ["all", "- c", "- b"]
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
