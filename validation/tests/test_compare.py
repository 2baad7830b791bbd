"""Compare your own: the report, the plot, and what it says where R is missing."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale
from aleplot_py.r import session
from validation import RComparison, bridge, compare_with_r
from validation.agreement import measure
from validation.r_effects import REffect

N = 120


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def rows() -> pd.DataFrame:
    """Two numbers, of which one is rounded, and categories with an unused level."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=N)
    return pd.DataFrame(
        {
            "x": x.round(1),
            "z": x + rng.normal(size=N),
            "g": pd.Categorical(rng.choice(list("abc"), N), ["d", "c", "b", "a"]),
        }
    )


def predict(X: pd.DataFrame) -> np.ndarray:
    """Black box with an interaction of every pair."""
    return (X["x"] ** 2 * X["z"] + X["g"].cat.codes * X["z"]).to_numpy()


def by_hand(feature, *, shift: float = 0.0, reverse: bool = False) -> RComparison:
    """A comparison with the library's own result in place of R's, shifted or reversed."""
    effect = ale(predict, rows(), feature, K=6)
    axes = [np.array([str(v) for v in x], dtype=object) if kind == "categorical" else x
            for x, kind in zip(effect.x_values, effect.kinds, strict=True)]  # fmt: skip
    values = effect.f_values + shift
    order = "none" if effect.kinds[0] == "numeric" else "equal"
    if reverse:
        axes[0], values, order = axes[0][::-1], values[::-1], "reversed"
    agreement = measure(effect, axes, values, order=order, predictions=10.0)
    in_r = REffect(tuple(axes), values, effect.K)
    return RComparison(effect, in_r, agreement, "ALEPlot::ALEPlot", 6, N, {"R": "0.0.0"})


# --- the report and the plot, without R -------------------------------------------------------


@pytest.mark.parametrize("feature", ["x", "g", ("x", "z"), ("g", "z"), ("z", "g")])
def test_report_of_equal_effects(feature):
    """Points, values, differences, versions and the verdict."""
    comparison = by_hand(feature)
    text = str(comparison)
    assert comparison.equal
    assert text.endswith("EQUAL to R")
    for part in ("n = 120, K = 6", "points ", "difference   0", "versions     R 0.0.0", "Python"):
        assert part in text
    frame = comparison.to_frame()
    assert len(frame) == comparison.effect.f_values.size
    assert frame["R"].tolist() == frame["Python"].tolist() == comparison.r_values.ravel().tolist()
    assert (frame["difference"] == 0).all()


def test_report_of_different_effects():
    """A shift by a millionth of the curve is a difference, and the report shows it."""
    comparison = by_hand("x", shift=1e-6)
    assert not comparison.equal
    assert "DIFFERENT from R" in str(comparison)
    assert "-1.0e-06" in str(comparison)


def test_levels_are_matched_by_name():
    """R's order may be the reverse of this library's; the report says so."""
    comparison = by_hand("g", reverse=True)
    assert comparison.equal
    assert comparison.r_values.tolist() == comparison.effect.f_values.tolist()
    assert "the reverse of R's order" in str(comparison)


def test_other_points_are_a_difference():
    """The report says how many there are; there is nothing to put side by side."""
    effect = ale(predict, rows(), "x", K=6)
    in_r = REffect((np.arange(3.0),), np.zeros(3))
    agreement = measure(effect, in_r.x_values, in_r.f_values, order="none", predictions=1.0)
    comparison = RComparison(effect, in_r, agreement, "ALEPlot::ALEPlot", 6, N, {})
    assert "DIFFERENT: 7 here, 3 in R" in str(comparison)
    for refused in (comparison.to_frame, comparison.plot):
        with pytest.raises(ValueError, match="the points differ"):
            refused()


def test_plot_of_a_curve():
    """R wide below, Python thin above it, the same points; differences in the lower panel."""
    comparison = by_hand("x")
    figure = comparison.plot()
    above, below = figure.axes
    in_r, ours = above.get_lines()[:2]
    assert in_r.get_linewidth() > 3 * ours.get_linewidth()
    for line, values in ((in_r, comparison.r_values), (ours, comparison.effect.f_values)):
        assert line.get_xdata().tolist() == comparison.effect.x_values[0].tolist()
        assert line.get_ydata().tolist() == values.tolist()
    assert [text.get_text() for text in above.get_legend().get_texts()] == [
        "R (ALEPlot)",
        "Python (aleplot_py)",
    ]
    assert "machine epsilons" in below.get_ylabel()
    assert figure.get_suptitle().startswith("EQUAL to R")


def test_plot_of_levels():
    """Bars of R are wider than Python's, over the levels' names."""
    comparison = by_hand("g")
    above, below = comparison.plot().axes
    heights = [bar.get_height() for bar in above.patches]
    values = comparison.effect.f_values.tolist()
    assert heights == comparison.r_values.tolist() + values
    assert above.patches[0].get_width() > above.patches[-1].get_width()
    labels = [label.get_text() for label in below.get_xticklabels()]
    assert labels == list(comparison.effect.x_values[0])


@pytest.mark.parametrize("feature", [("x", "z"), ("g", "z"), ("z", "g")])
def test_plot_of_a_pair(feature):
    """Both surfaces on one scale of colours, and their difference."""
    comparison = by_hand(feature)
    panels = comparison.plot().axes[:3]
    meshes = [panel.collections[0] for panel in panels]
    for mesh in meshes[:2]:
        np.testing.assert_array_equal(mesh.get_array(), comparison.effect.f_values.T)
    assert meshes[0].get_clim() == meshes[1].get_clim()
    assert not meshes[2].get_array().any()


# --- what is refused --------------------------------------------------------------------------


def test_without_r(monkeypatch):
    """The message says what is missing and how to get it."""
    monkeypatch.setattr(session, "why_unavailable", lambda: "R is not installed (test)")
    with pytest.raises(bridge.RUnavailableError, match=r"R is not installed \(test\).*make r"):
        compare_with_r(predict, rows(), "x")


def test_an_unknown_method():
    """The message lists what R can be asked."""
    with pytest.raises(ValueError, match=r"method must be one of .*ALEPlot.*, got 'DALEX'"):
        compare_with_r(predict, rows(), "x", method="DALEX")


def test_importing_starts_no_r():
    """The package rpy2 is imported only when R is asked."""
    code = "import sys, validation; sys.exit('rpy2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- with R -----------------------------------------------------------------------------------


@pytest.mark.aleplot_r
@pytest.mark.parametrize("feature", ["x", "g", ("x", "z"), ("g", "z"), ("z", "g")])
@pytest.mark.parametrize("method", ["ALEPlot", "PDPlot"])
def test_compare_with_aleplot(record_parity, method, feature):
    """Main effects and pairs, numbers and categories, in either order."""
    comparison = compare_with_r(predict, rows(), feature, K=6, method=method, quiet=True)
    found = comparison.agreement
    record_parity("aleplot_r", f"compare {method} {feature}", found.of_curve, found.points_equal)
    assert comparison.equal
    assert comparison.effect.features == (feature if isinstance(feature, tuple) else (feature,))
    assert f"ALEPlot::{method}" in str(comparison)


@pytest.mark.iml_r
@pytest.mark.parametrize("feature", ["x", "g", ("x", "z"), ("g", "z")])
@pytest.mark.parametrize("method", ["iml", "iml-pdp"])
def test_compare_with_iml(record_parity, method, feature):
    """The unused level of `g`, which iml takes for a used one, is kept from it."""
    comparison = compare_with_r(predict, rows(), feature, K=6, method=method, quiet=True)
    found = comparison.agreement
    record_parity("iml_r", f"compare {method} {feature}", found.of_curve, found.points_equal)
    assert comparison.equal


@pytest.mark.aleplot_r
def test_the_report_is_printed(capsys):
    """Unless it is asked to be quiet; only the packages asked are named."""
    comparison = compare_with_r(predict, rows(), "x", K=6)
    assert capsys.readouterr().out == f"{comparison}\n"
    assert "yaImpute" in comparison.versions
    assert not {"iml", "randomForest"} & set(comparison.versions)


@pytest.mark.aleplot_r
def test_models_and_arrays():
    """A fitted classifier with a target, and an array with its positions."""
    from sklearn.linear_model import LogisticRegression

    X = rows()[["x", "z"]]
    model = LogisticRegression().fit(X, rows()["g"].astype(str))
    assert compare_with_r(model, X, "z", K=5, target="b", quiet=True).equal

    def product(array: np.ndarray) -> np.ndarray:
        assert isinstance(array, np.ndarray)
        return array[:, 0] * array[:, 1]

    comparison = compare_with_r(product, X.to_numpy(), (1, 0), K=4, quiet=True)
    assert comparison.equal
    assert comparison.effect.features == (1, 0)


@pytest.mark.aleplot_r
def test_r_errors_are_r_s_own():
    """Where R cannot, its message comes through."""
    X = rows().assign(h=pd.Categorical(np.resize(["u", "v"], N)))
    with pytest.raises(bridge.RCallError, match="not meaningful for factors"):
        compare_with_r(predict, X, ("g", "h"), quiet=True)
