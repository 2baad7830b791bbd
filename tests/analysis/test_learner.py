"""Learner-ALE and learner-PD: means and corrected variances by hand, and published coverage."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeRegressor

from aleplot_py import Bands, ale, bootstrap_bands, learner_bands, partial_dependence
from tests.mixed_data import black_box, frame

# Sums of some hundred numbers of order 1 in another order: rounding only.
TOLERANCE = 1e-11


def linear_data(n=60, seed=4):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["x", "z"])
    return X, 2 * X["x"] - X["z"] + rng.normal(size=n)


class Recorder:
    """Coefficients of x, and which rows every model was fitted to."""

    def __init__(self):
        self.slopes, self.rows = [], []

    def __call__(self, X, y):
        model = LinearRegression().fit(X, y)
        self.slopes.append(model.coef_[0])
        self.rows.append(X.index)
        return model


@pytest.mark.parametrize("resampling", ["bootstrap", "subsampling"])
def test_a_line_has_the_mean_slope_and_its_corrected_variance(resampling):
    X, y = linear_data()
    n, m, level = len(X), 6, 0.9
    model = LinearRegression().fit(X, y)
    effect = ale(model, X, "x", K=3)
    record = Recorder()
    bands = learner_bands(
        effect, record, X, y, n_refits=m, resampling=resampling, level=level, random_state=1,
        keep_curves=True,
    )  # fmt: skip
    slopes = np.array(record.slopes)
    different = np.array([len(set(rows)) for rows in record.rows])
    drawn = [len(rows) for rows in record.rows]
    assert drawn == ([n] * m if resampling == "bootstrap" else [round(0.632 * n)] * m)
    assert (different < n).all()
    ratio = (n - different.mean()) / different.mean()
    x = effect.f_values / model.coef_[0]  # centred
    std = np.sqrt((1 / m + ratio) * slopes.var(ddof=1)) * np.abs(x)
    np.testing.assert_allclose(bands.curves, slopes[:, None] * x, atol=TOLERANCE)
    np.testing.assert_allclose(bands.effect.f_values, slopes.mean() * x, atol=TOLERANCE)
    np.testing.assert_allclose(bands.std, std, atol=TOLERANCE)
    half = t.ppf(0.95, m - 1) * std
    np.testing.assert_allclose(bands.lower, slopes.mean() * x - half, atol=TOLERANCE)
    np.testing.assert_allclose(bands.upper, slopes.mean() * x + half, atol=TOLERANCE)
    assert (bands.method, bands.n_boot, bands.level, bands.refitted) == ("t", m, level, True)


def test_models_are_explained_on_the_rows_left_out():
    X, y = linear_data()
    effect = partial_dependence(lambda F: F["x"], X, "x", K=4)
    record = Recorder()
    bands = learner_bands(effect, record, X, y, n_refits=3, random_state=0, keep_curves=True)
    for rows, curve in zip(record.rows, bands.curves, strict=True):
        left = X.drop(index=rows)
        model = LinearRegression().fit(X.loc[rows], y.loc[rows])
        own = partial_dependence(model, left, "x", grid=effect.x_values[0])
        np.testing.assert_allclose(curve, own.f_values, atol=TOLERANCE)
    np.testing.assert_allclose(bands.effect.f_values, bands.curves.mean(axis=0), atol=TOLERANCE)
    assert bands.effect.individual is None


def test_points_of_a_partial_dependence_need_not_cover_the_data():
    X, y = linear_data()
    profile = partial_dependence(lambda F: F["x"], X, "x", grid=[-0.5, 0.5])
    options = {"X": X, "y": y, "random_state": 0}
    learner = learner_bands(profile, LinearRegression(), n_refits=3, **options)
    refitted = bootstrap_bands(profile, refit=LinearRegression(), n_boot=3, **options)
    for bands in (learner, refitted):
        assert (bands.width > 0).all()
    clipped = ale(lambda F: F["x"], X, "x", grid=[-0.5, 0.5], outside="clip")
    with pytest.raises(ValueError, match="outside the effect's grid: learner= needs one that cov"):
        learner_bands(clipped, LinearRegression(), **options)


FEATURES = ["x", "c", ("x", "z"), ("x", "c"), ("c", "x"), ("x", "z", "c")]


def test_several_effects_share_the_refits_and_are_those_of_one():
    X = frame(60)
    tree = DecisionTreeRegressor(max_depth=3, random_state=0)
    numbers = X.drop(columns="c")
    seen = []

    def learner(X, y):
        seen.append(len(X))
        model = tree.fit(X.drop(columns="c"), y)
        return lambda F, model=model: model.predict(F[numbers.columns]) + black_box(F)

    effects = ale(black_box, X, FEATURES, K=3)
    y = black_box(X)
    together = learner_bands(effects, learner, X, y, n_refits=4, random_state=3)
    assert len(seen) == 4
    assert list(together) == list(effects)
    for key, bands in together.items():
        assert isinstance(bands, Bands)
        mean = bands.effect
        assert mean.axes == effects[key].axes
        # What a curve is made of adds up to it.
        centre = ale(lambda F: F["x"], X, key, K=3, centre="none")
        assert mean.local_mean.shape == centre.local_mean.shape
        values = mean.f_values
        for axis in range(values.ndim):  # effects of fewer features have no such difference
            values = np.diff(values, axis=axis)
        np.testing.assert_allclose(values, mean.local_mean, atol=TOLERANCE)
        assert ((bands.lower <= mean.f_values) & (mean.f_values <= bands.upper)).all()
    alone = learner_bands(effects["x"], learner, X, y, n_refits=4, random_state=3)
    assert alone.width.shape == alone.effect.f_values.shape
    assert learner_bands({}, learner, X, y) == {}


def test_a_learner_that_learns_nothing_has_no_width():
    X = frame(40)
    effect = partial_dependence(black_box, X, "x", K=3, centre=0.0)
    bands = learner_bands(
        effect, lambda X, y: lambda F: 3.0 * F["x"], X, X["x"], n_refits=3, random_state=0
    )
    np.testing.assert_allclose(bands.width, 0, atol=TOLERANCE)
    np.testing.assert_allclose(bands.effect.f_values, 3 * effect.x_values[0], atol=TOLERANCE)


def test_seeds_make_it_the_same_and_nothing_of_the_callers_changes():
    X, y = linear_data()
    before = X.copy(), y.copy()
    tree = DecisionTreeRegressor(max_features=1, max_depth=3)
    effect = ale(tree.fit(X, y), X, "x", K=4)
    one, same, other = (
        learner_bands(effect, DecisionTreeRegressor(max_features=1, max_depth=3), X, y,
                      n_refits=3, random_state=seed)
        for seed in (1, 1, 2)
    )  # fmt: skip
    assert one == same
    assert one != other
    pd.testing.assert_frame_equal(X, before[0])
    pd.testing.assert_series_equal(y, before[1])


def test_every_class_is_in_every_refit():
    X, _ = linear_data(40)
    y = np.repeat(["a", "b", "c"], [3, 19, 18])
    model = LogisticRegression().fit(X, y)
    effect = ale(model, X, "x", K=3, target="b")
    bands = learner_bands(effect, LogisticRegression(), X, y, n_refits=20, random_state=0)
    assert bands.effect.target == "b"
    assert np.isfinite(bands.width).all()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"n_refits": 1}, ValueError, "n_refits must be at least 2 refits, got 1"),
        ({"n_refits": 2.0}, TypeError, "n_refits must be a positive integer, got 2.0"),
        ({"resampling": "jackknife"}, ValueError, "resampling must be one of"),
        ({"level": 95}, ValueError, r"level must lie between 0 and 1 \(0.95 for 95 %\), got 95"),
        ({"learner": None}, TypeError, "learner must be an estimator with a fit method"),
        ({"learner": LinearRegression}, TypeError, "learner must be an estimator, not its class"),
        ({"effect": 3}, TypeError, "effect must be the result of ale or partial_dependence"),
        ({"y": 5.0}, ValueError, r"y must have one value per row, 60, got shape \(\)"),
        ({"y": "y"}, ValueError, r"y must have one value per row, 60, got shape \(\)"),
        ({"y": [1.0]}, ValueError, r"y must have one value per row, 60, got shape \(1,\)"),
        ({"y": None}, ValueError, "learner= needs y=, the response"),
        ({"X": linear_data(20)[0]}, ValueError, "X must hold the 60 rows of the effect"),
    ],
)
def test_what_cannot_be_refitted_is_refused(change, error, message):
    X, y = linear_data()
    effect = ale(lambda F: F["x"], X, "x", K=3)
    arguments = {"effect": effect, "learner": LinearRegression(), "X": X, "y": y}
    with pytest.raises(error, match=message):
        learner_bands(**(arguments | change), random_state=0)


def test_a_single_row_cannot_be_left_out():
    X = pd.DataFrame({"x": [1.0]})
    profile = partial_dependence(lambda F: F["x"], X, "x", grid=[0.0, 1.0])
    with pytest.raises(ValueError, match="X must have at least 2 rows, so that some can be left"):
        learner_bands(profile, lambda X, y: lambda F: F["x"], X, [0.0])


# Table 1 of the source (arXiv 2109.01433), linear model on the linear data, n = 100: coverage of
# bands of 95 % for partial dependence at five points of each feature, without and with correction.
PUBLISHED = {"bootstrap": (0.41, 0.89), "subsampling": (0.34, 0.82)}
# Of 400 data sets, whose points are nearly one number each: 0.025; two such (of two features
# that depend on each other) and the table's two digits make three of them.
COVERAGE_ERROR = 0.07


@pytest.mark.nightly
@pytest.mark.parametrize("resampling", PUBLISHED)
def test_bands_cover_as_the_source_says(resampling):
    rng, inside = np.random.default_rng(8), []
    grid = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    for seed in range(400):
        X = pd.DataFrame(rng.uniform(size=(100, 2)), columns=["x", "z"])
        y = X["x"] - X["z"] + rng.normal(size=100)
        model = LinearRegression().fit(X, y)
        profiles = partial_dependence(model, X, ["x", "z"], grid=grid)
        bands = learner_bands(
            profiles, LinearRegression(), X, y, resampling=resampling, random_state=seed,
            keep_curves=True, progress=False,
        )  # fmt: skip
        # The model is unbiased: its expected partial dependence is that of the truth.
        for name, true in (("x", grid - 0.5), ("z", 0.5 - grid)):
            band = bands[name]
            mean = band.effect.f_values
            naive = t.ppf(0.975, 14) * np.sqrt(band.curves.var(axis=0, ddof=1) / 15)
            within = [np.abs(mean - true) <= half for half in (naive, band.width / 2)]
            inside.append([np.mean(w) for w in within])
    found = np.mean(inside, axis=0)
    np.testing.assert_allclose(found, PUBLISHED[resampling], atol=COVERAGE_ERROR)
