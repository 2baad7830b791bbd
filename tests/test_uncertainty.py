"""Bands and cell errors: against repeated rows, closed forms, a simulation, and by hand."""

import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from aleplot_py import ale, intervals, load, m_plot, partial_dependence, total_effect
from aleplot_py.analysis import resampling
from aleplot_py.analysis.bootstrap import bootstrap_bands
from aleplot_py.datasets.truth import BivariateNormalInteraction
from aleplot_py.results.bands import Bands
from aleplot_py.results.cells import cell_counts, cell_table, standard_errors
from aleplot_py.results.effects import AleResult

pytestmark = pytest.mark.usefixtures("close_figures")

# Sums of a few hundred products in another order: rounding only.
TOLERANCE = 1e-11
# Standard deviation of 2,000 resamples: its own error is 1 / sqrt(4000), here times four.
MONTE_CARLO = 4 / np.sqrt(4000)

FEATURES = ["x", "c", ("x", "z"), ("x", "c"), ("c", "x"), ("c", "d")]


def frame(n: int = 120, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "z": rng.uniform(size=n),
            "c": rng.choice(list("abc"), size=n),
            "d": rng.choice([True, False], size=n),
        }
    )


def black_box(X: pd.DataFrame) -> np.ndarray:
    x, z = X["x"].to_numpy(), X["z"].to_numpy()
    code = X["c"].map({"a": 0.0, "b": 1.0, "c": 3.0}).to_numpy(dtype=float)
    return x**2 * z + np.sin(code * z) + code * X["d"].to_numpy() * x


def effect_of(feature, X=None, f=black_box, **options) -> AleResult:
    X = frame() if X is None else X
    return ale(f, X, feature, **{"K": 4, "local_effects": True, **options})


# ---------------------------------------------------------------------------------------------
# Local effects


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("batch_rows", [None, 7])
def test_kept_local_effects_have_the_moments_of_the_cells(feature, weighted, batch_rows):
    weights = np.random.default_rng(1).uniform(0.5, 2, 120) if weighted else None
    effect = effect_of(feature, sample_weight=weights, batch_rows=batch_rows)
    local = effect.local_effects
    cells = np.ravel_multi_index(tuple(local.cells.T), effect.local_mean.shape)
    for cell in range(effect.local_mean.size):
        here = cells == cell
        if effect.empty.flat[cell]:
            assert not here.any()
            continue
        weight = None if weights is None else weights[local.rows[here]]
        mean = np.average(local.effects[here], weights=weight)
        spread = np.average((local.effects[here] - mean) ** 2, weights=weight)
        np.testing.assert_allclose(mean, effect.local_mean.flat[cell], atol=TOLERANCE)
        np.testing.assert_allclose(np.sqrt(spread), effect.local_std.flat[cell], atol=1e-7)


def test_local_effects_are_the_rows_own_differences():
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "z": [1.0, 2.0, 3.0, 4.0]})
    effect = effect_of("x", X, lambda F: F["x"] * F["z"], grid=[0.0, 1.0, 3.0])
    assert effect.local_effects.effects.tolist() == [1.0, 2.0, 6.0, 8.0]
    assert effect.local_effects.cells.tolist() == [[0], [0], [1], [1]]
    assert effect.local_effects.rows.tolist() == [0, 1, 2, 3]
    assert effect.local_effects.units.tolist() == [[0], [0], [1], [1]]


def test_threads_keep_the_order_of_the_rows():
    one, two = effect_of(("x", "c")), effect_of(("x", "c"), n_jobs=2)
    order = np.lexsort((two.local_effects.rows, *two.local_effects.cells.T))
    expected = np.lexsort((one.local_effects.rows, *one.local_effects.cells.T))
    for name in ("effects", "rows", "cells"):
        ours = getattr(two.local_effects, name)[order]
        np.testing.assert_array_equal(ours, getattr(one.local_effects, name)[expected])


@pytest.mark.parametrize("options", [{"K": "auto"}, {"K": intervals.Auto(max_K=12)}])
def test_merged_intervals_keep_local_effects_over_their_own_width(options):
    effect = effect_of("x", **options)
    local = effect.local_effects
    means = np.bincount(local.cells[:, 0], weights=local.effects) / effect.counts
    np.testing.assert_allclose(means, effect.local_mean, atol=TOLERANCE)
    assert bootstrap_bands(effect, n_boot=20, random_state=0).width.min() >= 0


def test_gradients_keep_local_effects():
    effect = effect_of("x", gradient={"x": lambda F: 2 * F["x"] * F["z"]})
    local = effect.local_effects
    means = np.bincount(local.cells[:, 0], weights=local.effects) / effect.counts
    np.testing.assert_allclose(means, effect.local_mean, atol=TOLERANCE)


def test_rows_above_the_grid_of_iml_have_no_local_effect_but_count_in_the_centre():
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0, 9.0, 9.0] * 10, "z": 1.0})
    effect = effect_of("x", X, lambda F: F["x"] ** 2, grid=[0.0, 1.0, 3.0], outside="iml")
    assert effect.local_effects.units[:6].ravel().tolist() == [0, 0, 1, 1, -1, -1]
    assert effect.local_effects.rows[:6].tolist() == [0, 1, 2, 3, 6, 7]
    bands = bootstrap_bands(effect, n_boot=200, random_state=0)
    np.testing.assert_array_equal(bands.lower, effect.f_values)
    over = bootstrap_bands(effect, n_boot=2000, random_state=0, centre_over="resamples")
    # The centre is the mean over rows of 0.5, 0.5, 5, 5, 9, 9.
    se = np.std([0.5, 0.5, 5, 5, 9, 9]) / np.sqrt(60)
    np.testing.assert_allclose(over.std, se, rtol=MONTE_CARLO)


@pytest.mark.parametrize("feature", FEATURES)
def test_local_effects_are_saved_exactly(feature, tmp_path):
    weights = np.random.default_rng(1).uniform(size=120)
    effect = effect_of(feature, sample_weight=weights)
    effect.save(tmp_path / "effect.json")
    loaded = load(tmp_path / "effect.json").local_effects
    for name in ("effects", "cells", "rows", "units", "weights"):
        ours, kept = getattr(loaded, name), getattr(effect.local_effects, name)
        assert ours.dtype == kept.dtype
        np.testing.assert_array_equal(ours, kept)


def test_local_effects_are_left_out_unless_asked_for():
    assert ale(black_box, frame(), "x").local_effects is None


# ---------------------------------------------------------------------------------------------
# Resamples against repeated rows


def sorted_by_unit(feature, X, **options):
    """Rows in the order of their units, where a resample's numbering is that of the rows."""
    units = effect_of(feature, X, **options).local_effects.units
    columns = units.T if feature == ("x", "c") else units[:, ::-1].T
    return X.iloc[np.lexsort(columns)].reset_index(drop=True)


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_resample_is_the_effect_of_the_repeated_rows(feature, weighted, monkeypatch):
    fixed = {"order": {"c": ["b", "a", "c"], "d": [False, True]}}
    X = sorted_by_unit(feature, frame(), **fixed)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(X)) if weighted else None
    effect = effect_of(feature, X, sample_weight=weights, **fixed)
    drawn = np.array(list(resampling.row_counts(len(X), 25, np.random.default_rng(2))))
    drawn = drawn.reshape(25, len(X))
    monkeypatch.setattr(resampling, "row_counts", lambda *_: [drawn[:13], drawn[13:]])
    bands = bootstrap_bands(effect, n_boot=25, centre_over="resamples", keep_curves=True)
    grid = {
        name: points
        for name, kind, points in zip(effect.features, effect.kinds, effect.x_values, strict=True)
        if kind == "numeric"
    }
    for times, curve in zip(drawn, bands.curves, strict=True):
        rows = np.repeat(np.arange(len(X)), times)
        weight = None if weights is None else weights[rows]
        again = effect_of(feature, X.iloc[rows], grid=grid, sample_weight=weight, **fixed)
        np.testing.assert_allclose(curve, again.f_values, atol=TOLERANCE)


@pytest.mark.parametrize("feature", FEATURES)
def test_the_data_themselves_give_the_effect(feature, monkeypatch):
    effect = effect_of(feature)
    monkeypatch.setattr(resampling, "row_counts", lambda n, *_: [np.ones((2, n), dtype=np.intp)])
    for centre_over in ("data", "resamples"):
        bands = bootstrap_bands(effect, n_boot=2, centre_over=centre_over)
        np.testing.assert_allclose(bands.lower, effect.f_values, atol=TOLERANCE)
        np.testing.assert_allclose(bands.upper, effect.f_values, atol=TOLERANCE)


def test_rows_are_drawn_with_replacement_as_often_as_there_are_rows():
    drawn = np.concatenate(list(resampling.row_counts(7, 4000, np.random.default_rng(0), 1000)))
    assert drawn.shape == (4000, 7)
    assert (drawn.sum(axis=1) == 7).all()
    # Binomial(7, 1/7): mean 1, variance 6/7, and covariance -1/7 between rows.
    np.testing.assert_allclose(np.cov(drawn.T), np.eye(7) - 1 / 7, atol=0.1)


def test_cells_emptied_by_a_resample_take_the_nearest_cell(monkeypatch):
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0, 4.0], "z": [1.0, 2.0, 4.0, 8.0, 16.0]})
    grid = [0.0, 1.0, 2.0, 3.0, 4.0]
    effect = effect_of("x", X, lambda F: F["x"] * F["z"], grid=grid, centering="none")
    times = np.array([[1, 2, 2, 0, 0], [0, 0, 0, 0, 5]])
    monkeypatch.setattr(resampling, "row_counts", lambda *_: [times])
    curves = bootstrap_bands(effect, n_boot=2, keep_curves=True).curves
    slopes = np.diff(curves, axis=1)
    np.testing.assert_allclose(slopes, [[5 / 3, 4, 4, 4], [16] * 4], atol=TOLERANCE)


def test_cells_emptied_by_a_resample_take_the_slope_not_the_difference(monkeypatch):
    X = pd.DataFrame({"x": [0.0, 1.0, 5.0], "z": [2.0, 2.0, 7.0]})
    effect = effect_of("x", X, lambda F: F["x"] * F["z"], grid=[0.0, 1.0, 5.0], centering="none")
    monkeypatch.setattr(resampling, "row_counts", lambda *_: [np.array([[2, 1, 0], [0, 0, 3]])])
    curves = bootstrap_bands(effect, n_boot=2, keep_curves=True).curves
    np.testing.assert_allclose(curves, [[0, 2, 10], [0, 7, 35]], atol=TOLERANCE)


def test_sparse_pairs_keep_their_filling():
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    X = pd.DataFrame({"x": x, "z": x + 0.1 * rng.normal(size=300)})
    effect = effect_of(("x", "z"), X, lambda F: F["x"] ** 2 * F["z"] ** 2, K=15)
    assert effect.empty.mean() > 0.5
    bands = bootstrap_bands(effect, n_boot=100, random_state=0)
    assert np.isfinite(bands.lower).all()
    assert np.isfinite(bands.upper).all()
    # Cells differ only through their emptiness: f has no other column.
    twin = effect_of(("x", "z"), X, lambda F: F["x"] * F["z"], K=15)
    assert bootstrap_bands(twin, n_boot=100, random_state=0).std.max() < bands.std.max()


# ---------------------------------------------------------------------------------------------
# Cases and properties


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
    effect = effect_of("z", frame(500), lambda F: F["x"] * F["z"], K=8, centering="none")
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
        for times in resampling.row_counts(len(X), 300, np.random.default_rng(0))
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
    effect = effect_of("x", K=1, centering="none")
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


def test_a_hundred_thousand_rows_take_seconds_and_no_prediction():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(100_000, 2)), columns=["x", "z"])
    calls = []

    def f(F):
        calls.append(len(F))
        return F["x"] * F["z"]

    effect = ale(f, X, "x", local_effects=True)
    made = len(calls)
    start = time.process_time()
    bands = bootstrap_bands(effect, n_boot=1000, random_state=0)
    assert time.process_time() - start < 5
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


# ---------------------------------------------------------------------------------------------
# Partial dependence


@pytest.mark.parametrize("feature", ["x", "c", ("x", "z"), ("x", "c")])
@pytest.mark.parametrize("centre", ["none", "pdplot"])
@pytest.mark.parametrize("weighted", [False, True])
def test_partial_dependence_of_a_resample_is_that_of_the_repeated_rows(
    feature, centre, weighted, monkeypatch
):
    X = frame(60)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(X)) if weighted else None
    options = {"K": 4, "centre": centre}
    effect = partial_dependence(
        black_box, X, feature, kind="both", sample_weight=weights, **options
    )
    drawn = np.random.default_rng(2).multinomial(60, np.full(60, 1 / 60), size=10)
    monkeypatch.setattr(resampling, "row_counts", lambda *_: [drawn])
    bands = bootstrap_bands(
        effect, n_boot=10, centre_over="resamples", keep_curves=True, sample_weight=weights
    )
    grid = {
        name: points
        for name, kind, points in zip(effect.features, effect.kinds, effect.x_values, strict=True)
        if kind == "numeric"
    }
    for times, curve in zip(drawn, bands.curves, strict=True):
        rows = np.repeat(np.arange(60), times)
        weight = None if weights is None else weights[rows]
        again = partial_dependence(
            black_box, X.iloc[rows], feature, grid=grid, sample_weight=weight, centre=centre
        )
        np.testing.assert_allclose(curve, again.f_values, atol=TOLERANCE)


def test_partial_dependence_of_equal_curves_has_no_width():
    X = frame()
    effect = partial_dependence(lambda F: F["x"], X, "x", K=5, kind="both")
    bands = bootstrap_bands(effect, n_boot=50, random_state=0)
    np.testing.assert_allclose(bands.width, 0, atol=TOLERANCE)
    spread = partial_dependence(lambda F: F["x"] * F["z"], X, "x", K=5, kind="both", centre=0.0)
    assert bootstrap_bands(spread, n_boot=50, random_state=0).width.max() > 0.1


# ---------------------------------------------------------------------------------------------
# Models refitted, grids redrawn


def linear_data(n=200):
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["x", "z"])
    y = 2 * X["x"] - X["z"] + rng.normal(size=n)
    return X, y


def test_refitting_shows_the_error_of_the_coefficient():
    X, y = linear_data()
    model = LinearRegression().fit(X, y)
    effect = ale(model.predict, X, "x", K=3, centering="none")
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
    monkeypatch.setattr(resampling, "row_counts", lambda *_: [drawn])
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


# ---------------------------------------------------------------------------------------------
# Cells


def test_standard_errors_by_hand():
    X = pd.DataFrame({"x": [0.0, 1.0, 1.0, 2.0], "z": [1.0, 3.0, 5.0, 7.0]})
    effect = ale(lambda F: F["x"] * F["z"], X, "x", grid=[0.0, 1.0, 2.0])
    # Local effects 1, 3, 5 in the first interval; one row in the second.
    assert cell_counts(effect).tolist() == [3, 1]
    np.testing.assert_allclose(standard_errors(effect), [2 / np.sqrt(3), np.nan])
    table = cell_table(effect)
    assert list(table) == [
        "x_from",
        "x_to",
        "count",
        "local_mean",
        "local_std",
        "standard_error",
        "empty",
    ]
    assert table["x_to"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("feature", FEATURES)
def test_cell_counts_are_the_numbers_of_kept_local_effects(feature):
    effect = effect_of(feature)
    cells = np.ravel_multi_index(tuple(effect.local_effects.cells.T), effect.local_mean.shape)
    expected = np.bincount(cells, minlength=effect.local_mean.size)
    np.testing.assert_array_equal(cell_counts(effect).ravel(), expected)
    table = cell_table(effect)
    assert len(table) == effect.local_mean.size
    np.testing.assert_array_equal(table["count"], expected)


def test_cells_of_levels_lie_between_neighbours():
    effect = effect_of(("c", "x"), order={"c": ["b", "a", "c"]})
    table = cell_table(effect)
    assert table["c_from"].tolist() == ["b"] * 4 + ["a"] * 4
    assert table["c_to"].tolist() == ["a"] * 4 + ["c"] * 4
    assert table["x_from"].tolist() == list(effect.x_values[1][:-1]) * 2


# ---------------------------------------------------------------------------------------------
# Drawings


def test_bands_are_drawn_as_ribbons_with_their_label():
    bands = bootstrap_bands(effect_of("x"), n_boot=50, level=0.975, random_state=0)
    display = bands.plot()
    ribbon = display.bands_[0]
    assert ribbon.get_label() == "97.5 % pointwise band"
    corners = {tuple(point) for point in ribbon.get_paths()[0].vertices}
    x = bands.effect.x_values[0]
    assert set(zip(x, bands.lower, strict=True)) <= corners
    assert set(zip(x, bands.upper, strict=True)) <= corners
    assert bands.effect.plot(band=(bands.lower, bands.upper)).bands_[0].get_label() == "band"


def test_bands_of_levels_are_error_bars():
    bands = bootstrap_bands(effect_of("c"), n_boot=50, random_state=0)
    segments = np.array(bands.plot().bands_[0].lines[2][0].get_segments())
    np.testing.assert_allclose(segments[:, 0, 1], bands.lower, atol=TOLERANCE)
    np.testing.assert_allclose(segments[:, 1, 1], bands.upper, atol=TOLERANCE)


@pytest.mark.parametrize("feature", [("x", "z"), ("c", "x"), ("c", "d")])
def test_bands_of_pairs_are_dots_where_they_hold_0(feature):
    effect = effect_of(feature)
    half = np.median(np.abs(effect.f_values))
    display = effect.plot(band=(effect.f_values - half, effect.f_values + half))
    dots = display.bands_[0].get_offsets()
    i, j = np.nonzero(np.abs(effect.f_values) <= half)
    assert 0 < len(i) < effect.f_values.size
    bands = bootstrap_bands(effect, n_boot=5)
    assert bands.plot().bands_[0].get_label() == bands.label
    places = [
        x.astype(float) if kind == "numeric" else np.arange(len(x))
        for x, kind in zip(effect.x_values, effect.kinds, strict=True)
    ]
    np.testing.assert_array_equal(dots, np.stack([places[0][i], places[1][j]], axis=1))


def test_bands_of_a_collection_are_drawn_together():
    effects = ale(black_box, frame(), ["x", "c", ("x", "z")], K=3, local_effects=True)
    bands = bootstrap_bands(effects, n_boot=20, random_state=0)
    assert all(artist is not None for artist in effects.plot(band=bands).bands_)
    del bands["c"]
    assert effects.plot(band=bands).bands_[1] is None
    with pytest.raises(ValueError, match="band of 'x' is that of \\('c',\\)"):
        effects["x"].plot(band=bootstrap_bands(effects["c"], n_boot=2))


@pytest.mark.parametrize("feature", [("x", "z"), ("x", "c"), ("c", "x"), ("c", "d")])
def test_cells_show_their_rows_and_errors(feature):
    effect = effect_of(feature, K=6)
    display = effect.plot(show="count")
    counts = np.ma.masked_equal(cell_counts(effect).T, 0)
    np.testing.assert_array_equal(display.meshes_[0].get_array(), counts)
    assert display.colorbars_[0].ax.get_ylabel() == "rows behind each cell"
    assert display.contours_[0] is None
    edges = display.meshes_[0].get_coordinates()
    if feature == ("x", "z"):
        np.testing.assert_array_equal(edges[0, :, 0], effect.x_values[0])
    errors = effect.plot(show="standard_error", units="kg").meshes_[0]
    np.testing.assert_array_equal(errors.get_array().filled(np.nan), standard_errors(effect).T)


def test_cells_with_few_rows_are_faded():
    effect = effect_of(("x", "z"), K=9)
    few = (effect.counts < 3).sum()
    assert 0 < (effect.counts == 0).sum() < few < 81
    cover = effect.plot(empty="fade", min_count=3).empty_cells_[0]
    assert len(cover.get_paths()) == few
    assert cover.get_alpha() == 0.7
    assert len(effect.plot(empty="fade").empty_cells_[0].get_paths()) == (effect.counts == 0).sum()


@pytest.mark.parametrize("feature", ["x", "c"])
def test_local_effects_are_strokes_whose_mean_ends_on_the_curve(feature):
    effect = effect_of(feature)
    assert effect.plot().individual_ == [None]
    strokes = np.array(effect.plot(local_effects=True).individual_[0].get_segments())
    cell = effect.local_effects.cells[:, 0]
    x = effect.x_values[0] if feature == "x" else np.arange(3.0)
    np.testing.assert_array_equal(strokes[:, 0, 0], x[cell])
    np.testing.assert_array_equal(strokes[:, 1, 0], x[cell + 1])
    np.testing.assert_array_equal(strokes[:, 0, 1], effect.f_values[cell])
    ends = np.bincount(cell, weights=strokes[:, 1, 1]) / np.bincount(cell)
    np.testing.assert_allclose(ends, effect.f_values[1:], atol=TOLERANCE)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="local_effects needs a main effect that keeps them"):
        ale(black_box, frame(), "x").plot(local_effects=True)
    with pytest.raises(ValueError, match="show='count' needs a pair of the ALE kind"):
        effect_of("x").plot(show="count")
    with pytest.raises(ValueError, match="show must be 'effect', 'count' or 'standard_error'"):
        effect_of(("x", "z")).plot(show="sd")


# ---------------------------------------------------------------------------------------------
# Errors


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
            "y must have one value per row of X, 120, got 3",
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
