"""Collections by group and output: lines on shared axes with one legend, or panels."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from aleplot_py import AleDisplay, ale, bootstrap_bands, ice, partial_dependence

# A shift of a curve rounds once more.
SHIFT = 1e-12
N = 90
RNG = np.random.default_rng(5)
GROUP = np.where(np.arange(N) % 3 == 0, "far", "near")
X = pd.DataFrame(
    {
        "x": RNG.uniform(size=N) + (GROUP == "far"),
        "z": RNG.uniform(size=N),
        "c": np.where(GROUP == "far", "a", RNG.choice(["b", "d"], N)),
    }
)


def outputs(frame):
    low = frame["x"] ** 2 + frame["z"] * (frame["c"] == "b")
    return pd.DataFrame({"low": low, "high": frame["z"] - low})


def texts(legend):
    return [text.get_text() for text in legend.get_texts()]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def both():
    return ale(outputs, X, ["x", "z"], target="all", K=5)


def test_outputs_of_a_feature_share_axes_and_one_legend(both):
    display = both.plot()
    first, second = display.figure_.axes
    assert list(display.axes_) == [first, first, second, second]
    assert texts(first.get_legend()) == ["low", "high"]
    assert second.get_legend() is None
    assert (first.get_xlabel(), second.get_xlabel()) == ("x", "z")
    assert (first.get_ylabel(), second.get_ylabel()) == ("ALE (units of the prediction)", "")
    for line, effect in zip(display.lines_, both.values(), strict=True):
        mean = effect.evaluate(effect.observed[0]).mean()
        np.testing.assert_allclose(line.get_ydata(), effect.f_values - mean, rtol=0, atol=SHIFT)
    colours = [line.get_color() for line in display.lines_]
    assert colours[:2] == colours[2:]
    assert colours[0] != colours[1]


def test_a_line_keeps_its_style_where_others_are_missing(both):
    some = type(both)(both.effects[1:], both.by)
    display = some.plot()
    styles = {(line.get_color(), line.get_linestyle()) for line in display.lines_[0::2]}
    assert len(styles) == 1
    assert [axes.get_legend() is None for axes in display.figure_.axes] == [True, False]


def test_panels_are_titled_and_name_no_output_at_the_side(both):
    display = both.plot(panels=True, n_cols=2)
    assert [axes.get_title() for axes in display.axes_] == [
        "x, low",
        "x, high",
        "z, low",
        "z, high",
    ]
    assert display.axes_[0].get_ylabel() == "ALE (units of the prediction)"
    pairs = ale(outputs, X, ("x", "z"), target="all", K=3).plot()
    assert [axes.get_title() for axes in pairs.axes_] == ["low", "high"]
    assert all(pairs.meshes_)


def test_a_group_is_drawn_as_far_as_its_rows_reach():
    effects = ale(lambda f: outputs(f)["low"], X, "x", K=10, groups=GROUP)
    display = effects.plot(band=bootstrapped(effects))
    assert texts(display.axes_[0].get_legend()) == ["far", "near"]
    for line, effect in zip(display.lines_, effects.values(), strict=True):
        inside = effect.observed[0]
        drawn = line.get_xdata()[np.isfinite(line.get_ydata())]
        points = effect.x_values[0]
        assert drawn[0] <= inside.min() < points[points > drawn[0]][0]
        assert points[points < drawn[-1]][-1] < inside.max() <= drawn[-1]
    bars = ale(lambda f: outputs(f)["low"], X, "c", groups=GROUP, order=["a", "b", "d"]).plot()
    missing = [[bool(np.isnan(bar.get_height())) for bar in one] for one in bars.bars_]
    assert missing == [[False, True, True], [True, False, False]]
    curves = partial_dependence(lambda f: outputs(f)["low"], X, "x", groups=GROUP).plot()
    assert all(np.isfinite(line.get_ydata()).all() for line in curves.lines_)


def bootstrapped(effects):
    kept = ale(lambda f: outputs(f)["low"], X, "x", K=10, groups=GROUP, local_effects=True)
    assert list(kept) == list(effects)
    return bootstrap_bands(kept, n_boot=5, random_state=1)


def test_groups_of_outputs_stand_on_axes_of_their_own_with_their_name_above(both):
    effects = ale(outputs, X, "x", target=["low", "high"], groups=GROUP, K=4)
    display = effects.plot(title="All", labels={"low": "niedrig", "x": "Wind"})
    assert [axes.get_title() for axes in display.figure_.axes] == ["far", "near"]
    assert display.figure_.get_suptitle() == "All"
    assert texts(display.axes_[0].get_legend()) == ["niedrig", "high"]
    assert display.axes_[0].get_xlabel() == "Wind"
    one = ale(outputs, X, "x", target="low", groups=GROUP, K=4).plot(labels=["f", "n"], units="")
    assert texts(one.axes_[0].get_legend()) == ["f", "n"]
    assert one.axes_[0].get_ylabel() == "ALE, low"
    _, given = plt.subplots(1, 2)
    assert set(both.plot(ax=given).axes_) == set(given)


def test_pictures_in_notebooks(both):
    assert both._panels == 2
    for effects in (both, ice(outputs, X, "x", target="all", K=3)):
        assert "<img" in effects._repr_html_()


def test_options_that_do_not_fit(both):
    with pytest.raises(TypeError, match="heterogeneity= is not for effects that share axes: pass"):
        both.plot(heterogeneity=True)
    assert both.plot(heterogeneity=True, panels=True).heterogeneity_[0] is not None
    with pytest.raises(ValueError, match=r"labels names 'lwo', .*; did you mean 'low'\?"):
        both.plot(labels={"lwo": "a"})
    with pytest.raises(ValueError, match=r"labels must be one text for each of 2 effect\(s\)"):
        AleDisplay.overlay(both, labels=["a", "b", "c", "d"])
    with pytest.raises(ValueError, match="band names 'x', which is not an effect here"):
        both.plot(band={"x": (0, 1)})
    with pytest.raises(ValueError, match=r"by must be some of .* in this order, got \('target', "):
        type(both)(both.effects, ("target", "feature"))
