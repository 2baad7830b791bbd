"""Tables, frozen arrays and bars of a result."""

from dataclasses import FrozenInstanceError

import matplotlib.pyplot as plt
import numpy as np
import pytest

from aleplot_py.importance.lofo import (
    lofo_importance,
)
from tests.importance.models import FOREST, MSE, NUMBERS, ROUNDING, Y, on_hold_out


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
    display = result.plot(visuals={"bars": {"color": "tab:red"}})
    assert display.features_ == ("a", "b", "c")
    order = [2, 1, 0]
    assert np.array_equal([bar.get_width() for bar in display.bars_], result.mean[order])
    (segments,) = display.bars_.errorbar.lines[2]
    lengths = [segment[1, 0] - segment[0, 0] for segment in segments.get_segments()]
    assert np.abs(np.array(lengths) - 2 * result.std[order]).max() <= ROUNDING
    # The most important one is on top: the axis points down.
    assert display.axes_[0].yaxis_inverted()
    assert [text.get_text() for text in display.axes_[0].get_yticklabels()] == ["a", "b", "c"]
    ratios = on_hold_out(compare="ratio").plot(ax=display.figure_.add_subplot())
    assert ratios.figure_ is display.figure_
    assert {bar.get_x() for bar in ratios.bars_} == {1.0}
    plt.close(display.figure_)
