"""Bands: closed forms, properties, a simulation of their coverage, refusals."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.linear_model import LinearRegression

from aleplot_py import ale, load, m_plot, partial_dependence, total_effect
from aleplot_py.analysis import resampling
from aleplot_py.analysis.bootstrap import bootstrap_bands
from aleplot_py.analysis.limits import band_limits
from aleplot_py.datasets.truth import BivariateNormalInteraction
from aleplot_py.results.bands import Bands
from aleplot_py.results.cells import cell_table
from tests.mixed_data import FEATURES, black_box, effect_of, frame

pytestmark = pytest.mark.usefixtures("close_figures")

# Sums of a few hundred products in another order: rounding only.
TOLERANCE = 1e-11
# Standard deviation of 2,000 resamples: its own error is 1 / sqrt(4000), here times four.
MONTE_CARLO = 4 / np.sqrt(4000)


@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("method", ["percentile", "normal"])
@pytest.mark.parametrize(
    ("feature", "f"),
    [
        ("x", lambda F: F["x"]),
        ("c", lambda F: 0.1 * (F["c"] == "b")),
        (("x", "z"), lambda F: F["x"] * F["z"]),
    ],
)
def test_equal_slopes_have_no_width(feature, f, method, simultaneous):
    z = [1.0, 5.0, 2.5, 8.0, 3.0, 1.5, 9.0, 2.0, 7.0, 4.0]
    X = pd.DataFrame({"x": np.arange(1.0, 11.0), "z": z, "c": list("abbabbbbab")})
    # No cell is empty: R's filling would give one another slope.
    effect = effect_of(feature, X, f, K=2 if len(feature) == 2 else 4)
    bands = bootstrap_bands(
        effect, n_boot=50, method=method, simultaneous=simultaneous, random_state=0
    )
    np.testing.assert_allclose(bands.lower, effect.f_values, atol=TOLERANCE)
    np.testing.assert_allclose(bands.upper, effect.f_values, atol=TOLERANCE)
    np.testing.assert_allclose(bands.std, 0.0, atol=TOLERANCE)


def test_equal_local_effects_have_no_width_at_all():
    X = pd.DataFrame({"x": np.linspace(0.1, 7.3, 400)})
    for f in (lambda F: F["x"], lambda F: F["x"] ** 3):
        effect = effect_of("x", X, f)
        bands = bootstrap_bands(effect, n_boot=50, random_state=0)
        np.testing.assert_array_equal(bands.lower, effect.f_values)
        np.testing.assert_array_equal(bands.upper, effect.f_values)
        np.testing.assert_array_equal(bands.std, 0.0)


def test_width_grows_as_local_effects_are_accumulated():
    effect = effect_of("z", frame(500), lambda F: F["x"] * F["z"], K=8, centre="none")
    bands = bootstrap_bands(effect, random_state=0)
    assert bands.width[0] == 0
    assert (np.diff(bands.width) > 0).all()


@pytest.mark.parametrize(
    ("level", "label"),
    [
        (0.95, "95 % pointwise band"),
        (0.975, "97.5 % pointwise band"),
        (0.999, "99.9 % pointwise band"),
        (0.07, "7 % pointwise band"),
    ],
)
def test_labels_name_the_level(level, label):
    assert bootstrap_bands(effect_of("x"), n_boot=5, level=level).label == label


def test_a_level_missing_from_resamples_is_handled():
    X = frame()
    X["c"] = ["rare"] + ["common"] * 60 + ["other"] * 59
    effect = effect_of("c", X, lambda F: (F["c"] == "rare") * F["x"] * 1.0 + (F["c"] == "other"))
    n_missing = sum(
        (times[:, 0] == 0).sum()
        for times in resampling.drawn_counts(len(X), 300, np.random.default_rng(0))
    )
    assert n_missing > 80
    for centre_over in ("data", "resamples"):
        bands = bootstrap_bands(effect, n_boot=300, random_state=0, centre_over=centre_over)
        assert np.isfinite(bands.to_frame()[["std", "lower", "upper"]].to_numpy()).all()
        assert len(bands.lower) == 3


def test_bands_shrink_with_the_number_of_rows():
    widths = [
        bootstrap_bands(
            effect_of("z", frame(n), grid=[0.0, 0.25, 0.5, 0.75, 1.0]), random_state=0
        ).width.mean()
        for n in (250, 1000, 4000)
    ]
    # As 1 / sqrt(n): a half each time, within the variation of the samples.
    assert 1.6 < widths[0] / widths[1] < 2.5
    assert 1.6 < widths[1] / widths[2] < 2.5


@given(
    power=st.integers(-8, 8),
    sign=st.sampled_from([1, -1]),
    simultaneous=st.booleans(),
    method=st.sampled_from(["percentile", "normal"]),
    feature=st.sampled_from(FEATURES),
)
@settings(max_examples=25, deadline=None)
def test_bands_are_scale_equivariant(power, sign, simultaneous, method, feature):
    factor = sign * 2.0**power
    options = {
        "n_boot": 40,
        "method": method,
        "simultaneous": simultaneous,
        "random_state": 0,
    }
    ours = bootstrap_bands(effect_of(feature), **options)
    scaled = bootstrap_bands(effect_of(feature, f=lambda F: factor * black_box(F)), **options)
    low, high = (ours.lower, ours.upper) if sign > 0 else (ours.upper, ours.lower)
    size = TOLERANCE * abs(factor)
    np.testing.assert_allclose(scaled.lower, factor * low, rtol=TOLERANCE, atol=size)
    np.testing.assert_allclose(scaled.upper, factor * high, rtol=TOLERANCE, atol=size)


def test_a_constant_added_to_the_prediction_changes_nothing():
    options = {"n_boot": 40, "random_state": 0}
    ours = bootstrap_bands(effect_of("x"), **options)
    moved = bootstrap_bands(effect_of("x", f=lambda F: black_box(F) + 64.0), **options)
    np.testing.assert_allclose(moved.lower, ours.lower, atol=TOLERANCE)


def test_higher_levels_are_wider_and_simultaneous_bands_hold_whole_curves():
    effect = effect_of("x", K=10)
    options = {"n_boot": 500, "random_state": 0, "keep_curves": True}
    for method in ("percentile", "normal"):
        point = bootstrap_bands(effect, method=method, **options)
        wider = bootstrap_bands(effect, method=method, level=0.99, **options)
        whole = bootstrap_bands(effect, method=method, simultaneous=True, **options)
        assert (wider.width >= point.width).all()
        assert (whole.width >= point.width).all()
        assert whole.kind == "simultaneous"
    whole = bootstrap_bands(effect, simultaneous=True, level=0.9, **options)
    inside = ((whole.lower <= whole.curves) & (whole.curves <= whole.upper)).all(axis=1)
    assert 0.9 <= inside.mean() <= 0.93


@pytest.fixture(scope="module")
def many_points():
    """A pair of 441 points, and 1,000 resamples that no band has seen."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.uniform(size=(2000, 3)), columns=["x", "z", "w"])
    effect = effect_of(("x", "z"), X, lambda F: F["x"] * F["z"] * (1 + 2 * F["w"]), K=20)
    fresh = bootstrap_bands(effect, n_boot=1000, random_state=99, keep_curves=True).curves
    return effect, fresh


@pytest.mark.parametrize("method", [None, "normal", "percentile"])
@pytest.mark.parametrize("n_boot", [450, 1000])
def test_simultaneous_bands_hold_new_resamples(many_points, method, n_boot):
    effect, fresh = many_points
    bands = bootstrap_bands(effect, n_boot=n_boot, method=method, simultaneous=True, random_state=1)
    inside = ((bands.lower <= fresh) & (fresh <= bands.upper)).all(axis=(1, 2)).mean()
    # The factor itself is a quantile of n_boot resamples, give or take four standard errors.
    assert inside == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / n_boot))


def test_simultaneous_bands_warn_of_fewer_resamples_than_points(many_points):
    effect, _ = many_points
    message = "440 points rests on n_boot=100 resamples.*take n_boot=440 or more"
    with pytest.warns(UserWarning, match=message.replace("440", r"4\d\d")):
        bootstrap_bands(effect, n_boot=100, simultaneous=True, random_state=1)
    bootstrap_bands(effect, n_boot=100, random_state=1)


def test_the_default_ends_are_quantiles_pointwise_and_max_t_simultaneously():
    effect = effect_of("x", K=10)
    for simultaneous, method in ((False, "percentile"), (True, "normal")):
        options = {"n_boot": 60, "simultaneous": simultaneous, "random_state": 0}
        bands = bootstrap_bands(effect, **options)
        assert bands.method == method
        assert bands == bootstrap_bands(effect, method=method, **options)


def test_max_t_measures_every_resample_by_the_others():
    curves = np.random.default_rng(0).standard_t(8, size=(39, 6))
    lower, upper, std = band_limits(curves, np.zeros(6), 0.9, "normal", simultaneous=True)
    largest = []
    for i, curve in enumerate(curves):
        others = np.delete(curves, i, axis=0)
        largest.append(np.max(np.abs(curve - others.mean(axis=0)) / others.std(axis=0, ddof=1)))
    # The 36th of 39: a new one lies below it with probability 36 / 40.
    factor = np.sort(largest)[35]
    np.testing.assert_allclose(upper, factor * std, rtol=TOLERANCE)
    np.testing.assert_allclose(lower, -factor * std, rtol=TOLERANCE)


@pytest.mark.parametrize("method", ["percentile", "normal"])
@pytest.mark.parametrize("n_boot", [2, 3, 50])
def test_simultaneous_bands_are_finite_where_points_hardly_ever_move(method, n_boot):
    curves = np.zeros((n_boot, 40))
    curves[0] = 1.0
    curves[:, 20:] += np.random.default_rng(0).normal(size=(n_boot, 20))
    lower, upper, _ = band_limits(curves, np.zeros(40), 0.95, method, simultaneous=True)
    assert np.isfinite(lower).all()
    assert np.isfinite(upper).all()
    assert (lower <= upper).all()


def test_normal_bands_are_symmetric_with_the_quantiles_of_the_normal():
    effect = effect_of("x")
    bands = bootstrap_bands(effect, method="normal", level=0.9, random_state=0)
    np.testing.assert_allclose(bands.upper - effect.f_values, 1.6448536269514722 * bands.std)
    np.testing.assert_allclose(effect.f_values - bands.lower, 1.6448536269514722 * bands.std)


def test_percentile_bands_are_quantiles_of_the_curves():
    bands = bootstrap_bands(
        effect_of(("x", "z")), n_boot=41, level=0.9, random_state=0, keep_curves=True
    )
    ordered = np.sort(bands.curves, axis=0)
    np.testing.assert_allclose(bands.lower, ordered[2], atol=TOLERANCE)
    np.testing.assert_allclose(bands.upper, ordered[38], atol=TOLERANCE)


def test_the_standard_error_of_one_interval_is_that_of_a_mean():
    effect = effect_of("x", K=1, centre="none")
    bands = bootstrap_bands(effect, n_boot=2000, random_state=0)
    expected = effect.local_std[0] / np.sqrt(120)
    np.testing.assert_allclose(bands.std, [0, expected], rtol=MONTE_CARLO)


def test_seeds_repeat_and_generators_run_on():
    effect = effect_of("x")
    one, two = (bootstrap_bands(effect, n_boot=20, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(one.lower, two.lower)
    rng = np.random.default_rng(5)
    first, second = (bootstrap_bands(effect, n_boot=20, random_state=rng) for _ in range(2))
    np.testing.assert_array_equal(first.lower, one.lower)
    assert (first.lower != second.lower).any()


def test_rows_without_weight_are_no_rows():
    X, grid = frame(), [-9.0, -0.5, 0.5, 9.0]
    weights = np.where(np.arange(120) < 40, 0.0, 1.0)
    ours = effect_of("x", X, sample_weight=weights, grid=grid)
    theirs = effect_of("x", X[40:], grid=grid)
    for centre_over in ("data", "resamples"):
        options = {"n_boot": 30, "random_state": 0, "centre_over": centre_over}
        one, two = (bootstrap_bands(effect, **options) for effect in (ours, theirs))
        np.testing.assert_allclose(one.lower, two.lower, atol=TOLERANCE)
        np.testing.assert_allclose(one.std, two.std, atol=TOLERANCE)


def test_a_loaded_effect_has_the_same_bands(tmp_path):
    effect = effect_of(("x", "c"))
    effect.save(tmp_path / "effect.json")
    options = {"n_boot": 30, "random_state": 0}
    ours, theirs = (
        bootstrap_bands(one, **options) for one in (effect, load(tmp_path / "effect.json"))
    )
    np.testing.assert_array_equal(ours.lower, theirs.lower)


def test_a_collection_gives_a_dict():
    effects = ale(black_box, frame(), ["x", ("x", "z")], K=3, local_effects=True)
    bands = bootstrap_bands(effects, n_boot=20, random_state=0)
    assert list(bands) == ["x", ("x", "z")]
    assert bands["x"].features == ("x",)
    alone = bootstrap_bands(effects["x"], n_boot=20, random_state=0)
    np.testing.assert_array_equal(bands["x"].upper, alone.upper)


def test_tables_hold_the_band_beside_the_effect():
    X = frame().rename(columns={"z": "lower"})
    effect = effect_of(("x", "lower"), X, lambda F: F["x"] * F["lower"])
    bands = bootstrap_bands(effect, n_boot=20, random_state=0)
    table = bands.to_frame()
    assert list(table) == ["x", "lower", "ale", "std", "lower_", "upper"]
    np.testing.assert_array_equal(table["lower_"], bands.lower.ravel())
    np.testing.assert_array_equal(table["lower"], effect.to_frame()["lower"])


def test_a_hundred_thousand_rows_take_no_prediction_and_the_memory_of_their_cells():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(100_000, 2)), columns=["x", "z"])
    calls = []

    def f(F):
        calls.append(len(F))
        return F["x"] * F["z"]

    effect = ale(f, X, "x", local_effects=True)
    made = len(calls)
    tracemalloc.start()
    try:
        bands = bootstrap_bands(effect, n_boot=1000, random_state=0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Less than 20 resamples of the rows would take.
    assert peak < 20 * effect.local_effects.effects.nbytes
    assert len(calls) == made
    assert bands.n_boot == 1000


def test_coverage_of_the_population_effect():
    """400 samples of Grömping's case; the truth on the fixed grid is in closed form."""
    case = BivariateNormalInteraction.groemping()
    n, u = 1000, np.concatenate([[-6], stats.norm.ppf([0.2, 0.4, 0.6, 0.8]), [6]])
    z = case.mu1 + case.s1 * u
    share = np.diff(stats.norm.cdf(u))
    u_mean = -np.diff(stats.norm.pdf(u)) / share
    x2_mean = case.mu2 + case.rho * case.s2 * u_mean
    truth = np.append(0, np.cumsum(np.diff(z) * (case.b1 + case.b3 * x2_mean)))
    middle = (truth[:-1] + truth[1:]) / 2
    hits = {"data": np.zeros(6), "resamples": np.zeros(6)}
    for seed in range(400):
        rng = np.random.default_rng(seed)
        a, b = rng.normal(size=(2, n))
        x2 = case.mu2 + case.s2 * (case.rho * a + np.sqrt(1 - case.rho**2) * b)
        X = np.column_stack([case.mu1 + case.s1 * a, x2])
        effect = ale(lambda F: case.prediction(F[:, 0], F[:, 1]), X, 0, grid=z, local_effects=True)
        centres = {"data": effect.counts / n, "resamples": share / share.sum()}
        for centre_over, weight in centres.items():
            bands = bootstrap_bands(effect, n_boot=200, random_state=rng, centre_over=centre_over)
            centred = truth - weight @ middle
            hits[centre_over] += (bands.lower <= centred) & (centred <= bands.upper)
    for covered in hits.values():
        assert (covered / 400 >= 0.92).all()
        assert (covered / 400 <= 0.98).all()


def test_what_cannot_be_resampled_is_refused():
    X = frame()
    with pytest.raises(ValueError, match=r"keeps no local effects.*local_effects=True"):
        bootstrap_bands(ale(black_box, X, "x"))
    with pytest.raises(ValueError, match=r"keeps no individual curves.*kind='both'"):
        bootstrap_bands(partial_dependence(black_box, X, "x"))
    with pytest.raises(TypeError, match="result of ale or partial_dependence, got MPlotResult"):
        bootstrap_bands(m_plot(black_box, X, "x"))
    pair, *mains = (effect_of(feature) for feature in (("x", "z"), "x", "z"))
    with pytest.raises(ValueError, match="a total effect"):
        bootstrap_bands(total_effect(pair, *mains))
    weighted = partial_dependence(black_box, X, "x", kind="both", sample_weight=np.arange(120))
    with pytest.raises(ValueError, match="pass the sample_weight"):
        bootstrap_bands(weighted)
    with pytest.raises(TypeError, match="result of ale, got Bands"):
        cell_table(bootstrap_bands(effect_of("x"), n_boot=2))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_boot": 1}, ValueError, "n_boot must be at least 2 resamples, got 1"),
        ({"n_boot": 0}, ValueError, "n_boot must be a positive integer, got 0"),
        ({"n_boot": 2.5}, TypeError, "n_boot must be a positive integer, got 2.5"),
        ({"level": 0}, ValueError, "level must lie between 0 and 1"),
        ({"level": 1.0}, ValueError, "level must lie between 0 and 1"),
        ({"level": 95}, ValueError, "level must lie between 0 and 1 .*got 95"),
        ({"level": "95 %"}, TypeError, "level must be a number"),
        ({"level": np.nan}, ValueError, "level must lie between 0 and 1"),
        ({"method": "bca"}, ValueError, "method must be one of"),
        ({"centre_over": "mean"}, ValueError, "centre_over must be one of"),
        ({"grid": "new"}, ValueError, "grid must be one of"),
        ({"random_state": "seed"}, TypeError, "random_state must be"),
        ({"random_state": -1}, TypeError, "random_state must be"),
        ({"X": frame()}, ValueError, "X= serves refit= or grid='redrawn' only"),
        ({"sample_weight": np.ones(120)}, ValueError, "keeps its own weights"),
        ({"refit": LinearRegression()}, ValueError, "refit= needs X="),
        ({"refit": LinearRegression(), "X": frame()}, ValueError, "refit= needs y="),
        (
            {"refit": LinearRegression(), "X": frame(50), "y": np.zeros(50)},
            ValueError,
            "X must hold the 120 rows of the effect .*got 50",
        ),
        (
            {"refit": LinearRegression(), "X": frame(seed=9), "y": np.zeros(120)},
            ValueError,
            "column 'x' of X is not the one that the effect was computed on",
        ),
        (
            {"refit": LinearRegression(), "X": frame(), "y": np.zeros(3)},
            ValueError,
            "y must have one value per row, 120, got shape \\(3,\\)",
        ),
        (
            {"refit": 3, "X": frame(), "y": np.zeros(120)},
            TypeError,
            "refit must be an estimator",
        ),
        (
            {"refit": LinearRegression, "X": frame(), "y": np.zeros(120)},
            TypeError,
            "refit must be an estimator, not its class LinearRegression",
        ),
        (
            {"refit": lambda X, y: None, "X": frame(), "y": np.zeros(120)},
            TypeError,
            "must return a fitted model, got None",
        ),
        (
            {"refit": lambda X, y: 0, "predict": black_box, "X": frame(), "y": np.zeros(120)},
            ValueError,
            "predict= and refit= exclude each other",
        ),
        ({"grid": "redrawn", "X": frame()}, ValueError, "grid='redrawn' needs predict="),
        ({"grid": "redrawn", "predict": black_box}, ValueError, "grid='redrawn' needs X="),
        (
            {"grid": "redrawn", "predict": black_box, "X": frame(), "K": 0},
            ValueError,
            "K must be a positive integer",
        ),
        (
            {
                "refit": lambda X, y: black_box,
                "X": frame(),
                "y": np.zeros(120),
                "sample_weight": [1, 2],
            },
            ValueError,
            "sample_weight must have one value per row",
        ),
    ],
)
def test_bad_arguments_are_named(options, error, message):
    with pytest.raises(error, match=message):
        bootstrap_bands(effect_of("x"), **options)


def test_redrawing_needs_a_rule():
    X = frame()
    options = {"grid": "redrawn", "predict": black_box, "X": X}
    with pytest.raises(ValueError, match="that of column 'x' is 'given'"):
        bootstrap_bands(ale(black_box, X, "x", grid=[-9.0, 0.0, 9.0]), **options)
    with pytest.raises(ValueError, match="not partial dependence"):
        bootstrap_bands(partial_dependence(black_box, X, "x"), **options)
    with pytest.raises(ValueError, match="lie outside the effect's grid"):
        bootstrap_bands(ale(black_box, X, "x", grid=[-0.5, 0.0, 1.0], outside="clip"), **options)


def test_bands_are_frozen():
    bands = bootstrap_bands(effect_of("x"), n_boot=2)
    assert isinstance(bands, Bands)
    with pytest.raises(AttributeError):
        bands.level = 0.5
