"""An effect of three features: a panel for each of some values of the third, one scale."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from aleplot_py import AleDisplay, ale, partial_dependence
from aleplot_py.results.effects import slice_of

# A blend of two points rounds twice.
BLEND = 1e-14
N = 200
RNG = np.random.default_rng(4)
X = pd.DataFrame(RNG.uniform(size=(N, 3)), columns=["a", "b", "c"])
X["s"] = pd.Categorical(RNG.choice(["lo", "mid", "hi"], N), ["lo", "mid", "hi"], ordered=True)
X["t"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 300, N), unit="D")


def product(X):
    return X["a"] * X["b"] * (X["c"] + X["s"].cat.codes + X["t"].dt.month / 12)


def effect_of(*features, **options):
    return ale(product, X, features, K=4, **options)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def titles(display):
    return [ax.get_title() for ax in display.axes_]


def test_a_panel_for_each_point_with_one_scale():
    effect = effect_of("a", "b", "c")
    display = effect.plot()
    points = effect.x_values[2]
    assert titles(display) == [f"c = {x:.3g}" for x in points]
    assert {mesh.get_clim() for mesh in display.meshes_} == {display.meshes_[0].get_clim()}
    assert display.meshes_[0].get_clim()[1] == np.abs(effect.f_values).max()
    assert [bar is not None for bar in display.colorbars_] == [False] * 4 + [True]
    label = "ALE of a, b and c\n(units of the prediction)"
    assert display.colorbars_[-1].ax.get_ylabel() == label
    for i, mesh in enumerate(display.meshes_):
        np.testing.assert_array_equal(mesh.get_array(), effect.f_values[..., i].T)
    contours = [set(lines.levels) for lines in display.contours_ if lines is not None]
    every = set().union(*contours)
    assert len(contours) == 5
    assert len(every) <= 10
    # Of neighbours one has the labels.
    assert [ax.get_ylabel() for ax in display.axes_] == ["b", "", "", "b", ""]
    assert [ax.get_xlabel() for ax in display.axes_] == ["", "", "a", "a", "a"]


def test_values_between_points_are_interpolated():
    effect = effect_of("a", "b", "c")
    low, high = effect.x_values[2][1:3]
    middle = low + (high - low) / 2
    display = effect.plot(slices=[middle, low], n_cols=2)
    np.testing.assert_allclose(
        display.meshes_[0].get_array(),
        effect.f_values[..., 1:3].mean(axis=-1).T,
        rtol=0,
        atol=BLEND,
    )
    between, at = slice_of(effect, middle), slice_of(effect, low)
    assert np.array_equal(between.counts, effect.counts[..., 1])
    assert np.array_equal(at.counts, effect.counts[..., :2].sum(axis=-1))
    assert between.axes[0].n == effect.counts[..., 1].sum()
    for edge in (0, -1):
        outer = slice_of(effect, effect.x_values[2][edge])
        assert np.array_equal(outer.counts, effect.counts[..., edge])
        assert np.array_equal(outer.f_values, effect.f_values[..., edge])
        assert np.array_equal(outer.empty, effect.empty[..., edge])


def test_levels_times_and_texts():
    effect = effect_of("a", "b", "s")
    display = effect.plot(labels={"s": "size"}, level_labels={"mid": "middle"})
    assert titles(display) == ["size = lo", "size = middle", "size = hi"]
    assert np.array_equal(slice_of(effect, "hi").counts, effect.counts[..., 2])
    assert titles(effect.plot(slices={"hi": "the largest"})) == ["the largest"]
    dated = effect_of("a", "s", "t")
    assert titles(dated.plot(slices=2)) == [
        f"t = {X['t'].min():%Y-%m-%d}",
        f"t = {X['t'].max():%Y-%m-%d}",
    ]
    assert titles(dated.plot(slices=["2024-03-01"])) == ["t = 2024-03-01"]
    first = dated.transpose("t", "a", "s").plot(slices=["lo"], labels={"t": "tarih"})
    assert first.axes_[0].get_xlabel() == "tarih"


def test_a_number_keeps_its_sign_behind_a_label_from_right_to_left():
    moved = X.assign(c=X["c"] - 2)
    effect = ale(product, moved, ("a", "b", "c"), K=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        display = effect.plot(slices=[-1.5], labels={"a": "دما", "b": "değişken", "c": "باد"})
        display.figure_.canvas.draw()
    assert titles(display) == ["باد = \N{LEFT-TO-RIGHT MARK}-1.5"]


def test_options_reach_the_panels():
    effect = effect_of("a", "b", "s", sample_weight=np.arange(N) % 3)
    _, axes = plt.subplots(1, 3)
    display = effect.plot(
        ax=axes,
        title="above",
        clim=(-2, 1),
        empty="black",
        min_count=5,
        cells="intervals",
        visuals={"points": True, "contours": {"levels": [0.0]}, "colorbar": False},
    )
    assert list(display.axes_) == list(axes)
    assert display.figure_.get_suptitle() == "above"
    assert all(mesh.get_clim() == (-2, 2) for mesh in display.meshes_)
    assert display.colorbars_ == [None] * 3
    assert all(cover is not None for cover in display.empty_cells_)
    seen = [len(points.get_offsets()) for points in display.points_]
    assert seen == X["s"].value_counts().loc[["lo", "mid", "hi"]].tolist()
    plain = effect.plot(visuals={"contours": False})
    assert plain.contours_ == [None] * 3


def test_beside_other_effects():
    effects = ale(product, X, ["a", ("a", "b", "s"), ("a", "b")], K=3)
    display = effects.plot(title=["one", "three", "two"])
    assert titles(display) == ["one", "three, s = lo", "three, s = mid", "three, s = hi", "two"]
    assert [bar is not None for bar in display.colorbars_] == [False, False, False, True, True]
    groups = effect_of("a", "b", "c", groups=X["s"])
    assert titles(groups.plot(slices=[0.5])) == [f"{name}, c = 0.5" for name in ("lo", "mid", "hi")]
    assert "<img" in effects._repr_html_()
    assert "<table" in ale(product, X, [("a", "b", "s")], K=3)._repr_html_()
    assert "<img" in effect_of("a", "b", "c")._repr_html_()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"slices": 0}, ValueError, "slices must be at least 1, got 0"),
        ({"slices": True}, TypeError, "slices must be a number of panels or values, got True"),
        ({"slices": 2.5}, TypeError, "slices must be a number of panels or values, got 2.5"),
        ({"slices": "hi"}, TypeError, "slices must be a number of panels or values, got 'hi'"),
        ({"slices": []}, ValueError, "slices must have at least one value"),
        ({"slices": [7.0]}, ValueError, r"slices must lie from 0\.\d+ to 0\.\d+, got 7\.0"),
        ({"slices": ["x"]}, ValueError, "values of 'c' must be numbers"),
        ({"show": "count"}, ValueError, "show='count' needs a pair of the ALE kind"),
        ({"band": (0, 1)}, ValueError, r"band is drawn around main effects and pairs, not around"),
        ({"ax": "two"}, ValueError, r"one Axes for each of 5 panel\(s\), got 2"),
    ],
    ids=str,
)
def test_wrong_slices_are_refused(options, error, message):
    if options.get("ax") == "two":
        options = {"ax": plt.subplots(1, 2)[1]}
    with pytest.raises(error, match=message):
        effect_of("a", "b", "c").plot(**options)


def test_what_has_no_slices_is_refused():
    for effect in (effect_of("a", "b"), partial_dependence(product, X, "a", K=3)):
        with pytest.raises(ValueError, match="slices needs an effect of three features"):
            effect.plot(slices=3)
    four = effect_of("a", "b", "c", "s")
    with pytest.raises(
        ValueError, match=r"up to three features, got one of \('a', 'b', 'c', 's'\)"
    ):
        four.plot()
    assert "<table" in four._repr_html_()
    with pytest.raises(ValueError, match="main effects"):
        AleDisplay.overlay([effect_of("a", "b", "c")])
