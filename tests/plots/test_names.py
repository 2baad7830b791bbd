"""Pictures: names are no formulas, levels are named as there is room, one style."""

import warnings
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, partial_dependence
from tests.small_inputs import first, numbers


def drawn(effect, **options):
    """Text below the axes, drawn with warnings as errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        display = effect.plot(**options)
        display.figure_.canvas.draw()
    ax = display.axes_[0]
    texts = [label.get_text() for label in ax.get_xticklabels()]
    plt.close(display.figure_)
    return texts, ax


def test_names_are_no_formulas():
    """Two dollars would enclose a formula, which these are not."""
    X = pd.DataFrame({"cost_$a$^": [0.0, 1, 2, 3], "c": ["$5_", "$10-$20"] * 2})
    texts, ax = drawn(partial_dependence(first, X, "c"))
    assert texts == [r"\$10-\$20", r"\$5_"]
    _, ax = drawn(ale(first, X, "cost_$a$^"))
    assert ax.get_xlabel() == r"cost_\$a\$^"
    _, ax = drawn(ale(first, X, "cost_$a$^"), labels={"cost_$a$^": "$x_1$"})
    assert ax.get_xlabel() == "$x_1$"


@pytest.mark.parametrize("features", ["c", ("c", "x"), ("x", "c")])
def test_long_names_leave_room_for_the_effect(features):
    levels = [f"{'very ' * 60}long {i}" for i in range(3)]
    X = pd.DataFrame({"c": levels * 4, "x": np.arange(12.0)})
    effect = ale(lambda X: X["x"], X, features, order={"c": "declared"})
    texts, ax = drawn(effect)
    if features[0] == "c":
        assert [len(text) for text in texts] == [28] * 3
        assert [text[-6:] for text in texts] == ["long 0", "long 1", "long 2"]
    assert ax.get_position().height > 0.3
    assert ax.get_position().width > 0.25


@pytest.mark.parametrize(("features", "side"), [("c", "x"), (("c", "x"), "x"), (("x", "c"), "y")])
def test_a_thousand_levels_are_named_here_and_there(features, side):
    X = pd.DataFrame({"c": [f"L{i:04}" for i in range(1000)] * 2, "x": np.arange(2000) % 7.0})
    effect = ale(lambda X: X["x"], X, features, K=2, order={"c": "declared"})
    _, ax = drawn(effect)
    axis = getattr(ax, f"{side}axis")
    boxes = [label.get_window_extent() for label in axis.get_ticklabels()]
    assert 10 <= len(boxes) <= 100
    low, high = ("x0", "x1") if side == "x" else ("y0", "y1")
    assert all(getattr(b, low) > getattr(a, high) - 2 for a, b in pairwise(boxes))
    names = [label.get_text() for label in axis.get_ticklabels()]
    assert names == [f"L{round(at):04}" for at in axis.get_ticklocs()]


def test_short_names_that_fit_are_all_there():
    """Narrower than they are high, so that there is room for them unturned."""
    letters = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
    X = pd.DataFrame({"c": list(letters) * 2, "x": np.arange(64) % 7.0})
    texts, _ = drawn(ale(lambda X: X["x"], X, "c", order="declared"))
    assert "".join(texts) == letters


def test_a_new_figure_is_of_one_style():
    """Light throughout, whatever the caller's style; half of it dark would show nothing."""
    effect = ale(first, numbers(["x", "z"]), "x", K=3)
    with plt.style.context("dark_background"):
        _, ax = drawn(effect)
    assert ax.get_facecolor() == (1, 1, 1, 1)
    assert ax.figure.get_facecolor() == (1, 1, 1, 1)
