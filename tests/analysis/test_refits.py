"""Bands with models refitted and grids redrawn, lost levels and classes included."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from aleplot_py import ale, partial_dependence
from aleplot_py.analysis import resampling
from aleplot_py.analysis.bootstrap import bootstrap_bands
from tests.mixed_data import black_box, effect_of, frame, sorted_by_unit

pytestmark = pytest.mark.usefixtures("close_figures")

# Sums of a few hundred products in another order: rounding only.
TOLERANCE = 1e-11


def linear_data(n=200):
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["x", "z"])
    y = 2 * X["x"] - X["z"] + rng.normal(size=n)
    return X, y


def test_refitting_shows_the_error_of_the_coefficient():
    X, y = linear_data()
    model = LinearRegression().fit(X, y)
    effect = ale(model.predict, X, "x", K=3, centre="none")
    design = np.column_stack([np.ones(len(X)), X])
    residual = y - model.predict(X)
    covariance = np.linalg.inv(design.T @ design) * (residual @ residual) / (len(X) - 3)
    span = X["x"].max() - X["x"].min()
    unfitted = LinearRegression()
    bands = bootstrap_bands(effect, refit=unfitted, X=X, y=y, n_boot=300, random_state=0)
    assert not hasattr(unfitted, "coef_")
    assert bands.refitted
    # 300 resamples (4 %), and rows drawn instead of errors: 20 %.
    np.testing.assert_allclose(bands.std[-1], span * np.sqrt(covariance[1, 1]), rtol=0.2)


def test_refitting_by_a_callable_equals_refitting_an_estimator():
    X, y = linear_data(60)
    effect = ale(lambda F: F["x"], X, ("x", "z"), K=3)
    options = {"X": X, "y": y, "n_boot": 5, "random_state": 1}
    ours = bootstrap_bands(effect, refit=lambda X, y: LinearRegression().fit(X, y), **options)
    theirs = bootstrap_bands(effect, refit=LinearRegression(), **options)
    np.testing.assert_array_equal(ours.lower, theirs.lower)


@pytest.mark.parametrize("feature", ["x", "c", ("x", "z"), ("x", "c"), ("c", "x")])
def test_refitting_the_same_model_equals_resampling_the_local_effects(feature, monkeypatch):
    X = sorted_by_unit(feature, frame())
    effect = effect_of(feature, X)
    rows = [np.random.default_rng(i).integers(len(X), size=len(X)) for i in range(6)]
    drawn = np.array([np.bincount(r, minlength=len(X)) for r in rows])
    monkeypatch.setattr(resampling, "drawn_counts", lambda *_: [drawn])
    for centre_over in ("data", "resamples"):
        given = iter(rows)
        monkeypatch.setattr(resampling, "_draw_with_all_levels", lambda *_, it=given: next(it))
        options = {"n_boot": 6, "centre_over": centre_over, "keep_curves": True}
        fast = bootstrap_bands(effect, **options)
        slow = bootstrap_bands(effect, refit=lambda X, y: black_box, X=X, y=X["x"], **options)
        np.testing.assert_allclose(fast.curves, slow.curves, atol=TOLERANCE)


@pytest.mark.parametrize("centre", ["none", "pdplot", 0.0])
def test_refitting_serves_partial_dependence(centre):
    X, y = linear_data(60)
    effect = partial_dependence(lambda F: F["x"], X, "x", K=4, centre=centre)
    bands = bootstrap_bands(
        effect, refit=LinearRegression(), X=X, y=y, n_boot=20, random_state=0, keep_curves=True
    )
    slopes = np.diff(bands.curves, axis=1) / np.diff(effect.x_values[0])
    np.testing.assert_allclose(slopes, slopes[:, :1].repeat(3, axis=1), atol=TOLERANCE)
    assert 1.5 < slopes.min() < slopes.max() < 2.5
    if centre == "pdplot":
        np.testing.assert_allclose(bands.curves @ effect.counts, 0, atol=1e-9)


def test_refitting_draws_again_where_a_level_is_missing():
    X = frame(40)
    X["c"] = ["rare"] * 2 + ["common"] * 20 + ["other"] * 18
    effect = ale(black_box_of_levels, X, "c", order=["common", "rare", "other"])
    seen = []

    def refit(X, y):
        seen.append(set(X["c"]))
        return black_box_of_levels

    bands = bootstrap_bands(effect, refit=refit, X=X, y=X["x"], n_boot=30, random_state=0)
    assert all(levels == {"rare", "common", "other"} for levels in seen)
    assert np.isfinite(bands.width).all()


def black_box_of_levels(F: pd.DataFrame) -> pd.Series:
    return (F["c"] == "rare") * 1.0 + (F["c"] == "other") * F["x"]


def test_levels_too_rare_to_be_drawn_are_named(monkeypatch):
    monkeypatch.setattr(resampling, "TRIES", 3)
    X = pd.DataFrame({"c": [f"level {i}" for i in range(30)], "x": np.arange(30.0)})
    effect = ale(lambda F: F["x"], X, "c")
    with pytest.raises(ValueError, match="3 resamples in turn lacked a level of column 'c'"):
        bootstrap_bands(effect, refit=LinearRegression(), X=X, y=X["x"], n_boot=2, random_state=0)


def three_classes(n: int = 60) -> tuple[pd.DataFrame, np.ndarray]:
    """Three rows of one class, which one resample in twenty lacks, and two of the same size."""
    X = frame(n)[["x", "z"]]
    return X, np.repeat([0, 1, 2], [3, (n - 3) // 2, n - 3 - (n - 3) // 2])


@pytest.mark.parametrize(
    "label", [np.asarray, lambda y: pd.Series(y, dtype="Int64"), lambda y: y.astype(str).tolist()]
)
def test_refitting_draws_again_where_a_class_is_missing(label):
    X, y = three_classes()
    y = label(y)
    seen = []

    class Recorder(DecisionTreeClassifier):
        def fit(self, X, y):
            seen.append(len(pd.unique(np.asarray(y, dtype=object))))
            return super().fit(X, y)

    model = make_pipeline(Recorder(max_depth=2, random_state=0))
    target = model.fit(X, y).classes_[1]
    effect = ale(model, X, "x", K=3, target=target)
    bands = bootstrap_bands(effect, refit=model, X=X, y=y, n_boot=100, random_state=0)
    assert seen == [3] * 101
    assert np.isfinite(bands.width).all()


def test_a_callable_that_loses_a_class_is_refused():
    X, y = three_classes()

    def refit(X, y):
        return DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)

    effect = ale(refit(X, y), X, "x", K=3, target=1)
    options = {"X": X, "n_boot": 100, "random_state": 0}
    with pytest.raises(ValueError, match="classifiers of different classes"):
        bootstrap_bands(effect, refit=refit, y=y, **options)

    def of_numbers(X, y):  # numbers that the callable makes classes of
        return LogisticRegression().fit(X, y > 0)

    bands = bootstrap_bands(
        ale(of_numbers(X, X["z"] - 0.5), X, "x", K=3), refit=of_numbers, y=X["z"] - 0.5, **options
    )
    assert bands.width.max() > 0


def test_classes_too_rare_to_be_drawn_are_named(monkeypatch):
    monkeypatch.setattr(resampling, "TRIES", 3)
    X = pd.DataFrame({"x": np.arange(30.0)})
    effect = ale(lambda F: F["x"], X, "x")
    labels = [f"class {i}" for i in range(30)]
    with pytest.raises(ValueError, match="3 resamples in turn lacked a class of y"):
        bootstrap_bands(effect, refit=LogisticRegression(), X=X, y=labels, n_boot=2)


@pytest.mark.parametrize("rule", ["aleplot", "iml", "equidistant"])
def test_redrawn_grids_are_read_at_the_points_of_the_effect(rule):
    X = frame(100)
    seen = []

    def f(F):
        seen.append(np.unique(F["x"]))
        return F["x"] * 3.0

    effect = ale(f, X, "x", K=5, grid=rule)
    seen.clear()
    bands = bootstrap_bands(effect, grid="redrawn", predict=f, X=X, n_boot=20, random_state=0)
    np.testing.assert_allclose(bands.width, 0, atol=TOLERANCE)
    assert bands.grid == "redrawn"
    if rule == "equidistant":
        assert set(np.concatenate(seen)) <= set(effect.x_values[0])
        return
    ends = {(low[0], high[-1]) for low, high in zip(seen[::2], seen[1::2], strict=True)}
    assert ends == {(X["x"].min(), X["x"].max())}
    assert len({low[1] for low in seen[::2]}) > 1


def test_redrawn_grids_serve_pairs_and_take_another_number_of_intervals():
    X = frame(100)
    f = lambda F: F["x"] * F["z"]  # noqa: E731
    effect = ale(f, X, ("x", "z"), K=2)
    options = {"predict": f, "X": X, "n_boot": 10, "random_state": 0}
    bands = bootstrap_bands(effect, grid="redrawn", **options)
    # A product is bilinear: its accumulated surface is exact on any grid.
    np.testing.assert_allclose(bands.width, 0, atol=TOLERANCE)
    sizes = []

    def g(F):
        sizes.append(len(np.unique(F["x"])))
        return F["x"] * 1.0

    main = ale(g, X, "x", K=4)
    sizes.clear()
    bootstrap_bands(main, grid="redrawn", K=9, predict=g, X=X, n_boot=3, random_state=0)
    assert set(sizes) == {9}
