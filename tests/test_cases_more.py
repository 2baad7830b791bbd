"""More inputs that broke the library once, with the right answers; each stands for a kind."""

import datetime
import warnings
from decimal import Decimal
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, load, m_plot, partial_dependence, total_effect
from aleplot_py.errors import FeatureError, FeatureTypeError, GridError, PredictionError
from aleplot_py.steps.moments import CellMoments

# Sums of a few small numbers: rounding only.
EXACT = 1e-12

ESTIMATORS = [ale, partial_dependence, m_plot]


def first(X):
    return np.asarray(X.iloc[:, 0], dtype=float)


def numbers(names):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(12, len(names))))
    X.columns = pd.Index(names, tupleize_cols=False)
    return X


def mixed():
    """A number, categories, text and truth values."""
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "x": rng.normal(size=20),
            "c": pd.Categorical(rng.choice(list("abc"), 20)),
            "s": rng.choice(["u", "v"], 20),
            "b": pd.array(rng.uniform(size=20) < 0.5, dtype="boolean"),
        }
    )


def masked(values):
    """The values without the first."""
    return np.ma.array(values, mask=np.arange(values.size).reshape(values.shape) == 0)


# --- names of columns ---------------------------------------------------------------------------


def test_truth_values_as_names():
    X = numbers([True, False])
    assert ale(first, X, True).features == (True,)
    assert list(ale(first, X, "all")) == [True, False]
    with pytest.raises(FeatureError, match="feature True is not a column"):
        ale(first, numbers([1, 0]), True)


def test_a_tuple_that_is_a_name_is_that_column():
    X = numbers([("a", "b"), ("c", "d")])
    assert ale(first, X, ("a", "b")).features == (("a", "b"),)
    assert ale(first, X, (("a", "b"), ("c", "d"))).features == (("a", "b"), ("c", "d"))
    effect = ale(first, X, ("a", "b"), categorical=("a", "b"), order="declared")
    assert effect.kinds == ("categorical",)
    assert ale(first, numbers(["a", "b", ("a", "b")]), ("b", "a")).features == ("b", "a")


@pytest.mark.parametrize("name", [1.5, np.int64(7), pd.Timestamp("2020-01-01")])
def test_a_single_categorical_name_of_any_type(name):
    effect = ale(first, numbers([name, "z"]), (name,), categorical=name, order="declared")
    assert effect.kinds == ("categorical",)


def test_a_missing_name_is_unknown():
    with pytest.raises(FeatureError, match="feature <NA> is not a column"):
        ale(first, numbers([pd.NA, "z"]), pd.NA)


def test_columns_of_one_name_beside_the_feature_are_each_themselves():
    """Both decide the order of the levels; here only the second one tells them apart."""
    X = pd.DataFrame({"c": list("aabbcc"), "x": 1.0, "y": [0.0, 1, 2, 3, 1, 2]})
    right = ale(lambda X: np.zeros(len(X)), X, "c").x_values[0].tolist()
    X.columns = ["c", "x", "x"]
    assert ale(lambda X: np.zeros(len(X)), X, "c").x_values[0].tolist() == right
    assert right in (["a", "c", "b"], ["b", "c", "a"])


# --- what the caller owns -----------------------------------------------------------------------


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("features", ["x", "c", ("c", "x"), ("s", "c")])
@pytest.mark.parametrize("batch_rows", [None, 1])
def test_writing_to_arrays_of_extension_types_reaches_nobody(estimator, features, batch_rows):
    def predict(X):
        return X["x"].to_numpy() * X["c"].cat.codes.to_numpy() + X["b"].to_numpy(dtype=float)

    def spoil(X):
        values = predict(X)
        X["c"].array[:] = "b"
        X["s"].array[:] = "v"
        X["b"].array[:] = True
        return values

    X, right = mixed(), estimator(predict, mixed(), features, K=3)
    effect = estimator(spoil, X, features, K=3, batch_rows=batch_rows)
    pd.testing.assert_frame_equal(X, mixed())
    np.testing.assert_allclose(effect.f_values, right.f_values, rtol=0, atol=EXACT)
    if estimator is ale:
        assert abs(effect.mean_prediction - right.mean_prediction) <= EXACT


def test_a_column_replaced_later_does_not_change_the_mean_prediction():
    X = pd.DataFrame({"x": np.arange(4.0), "z": 1.0})
    effect = ale(lambda X: X["x"] + X["z"], X, "x")
    X["z"] = 100.0
    assert effect.mean_prediction == 2.5


# --- masked entries, text and times are no numbers ----------------------------------------------


def test_masked_entries_are_missing():
    X = pd.DataFrame({"x": np.arange(6.0)})
    with pytest.raises(PredictionError, match="1 of 6 predictions are NaN"):
        ale(lambda X: masked(X["x"].to_numpy()), X, "x")
    with pytest.raises(ValueError, match="sample_weight must be finite and not negative, got nan"):
        ale(lambda X: X["x"], X, "x", sample_weight=masked(np.ones(6, dtype=int)))
    with pytest.raises(GridError, match="must be finite, got nan"):
        ale(lambda X: X["x"], X, "x", grid=masked(np.array([0, 3, 5])))
    effect = ale(lambda X: X["x"], X, "x", K=5)
    assert np.isnan(effect.evaluate(masked(np.array([0, 3])))).tolist() == [True, False]


@pytest.mark.parametrize("X", [masked(np.eye(3)), np.ma.array(np.eye(3))])
def test_a_masked_array_is_no_plain_array(X):
    with pytest.raises(TypeError, match=r"plain array, got MaskedArray: pass np\.asarray"):
        ale(lambda X: X[:, 0], X, 0)


def test_text_and_times_are_no_numbers():
    X = pd.DataFrame({"x": np.arange(6.0)})
    with pytest.raises(TypeError, match="sample_weight must be numbers"):
        ale(lambda X: X["x"], X, "x", sample_weight=["1"] * 6)
    for grid in (["0", "5"], np.array(["1970-01-01", "1970-01-06"], dtype="M8[D]")):
        with pytest.raises(GridError, match="must be numbers"):
            ale(lambda X: X["x"], X, "x", grid=grid)
    with pytest.raises(ValueError, match="values of 'x' must be numbers"):
        ale(lambda X: X["x"], X, "x").evaluate(["1"])


# --- types of columns ---------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_lists_are_no_levels(estimator):
    X = pd.DataFrame({"x": [[1], [2], [1]], "z": [0.0, 1, 2]})
    with pytest.raises(FeatureTypeError, match=r"column 'x' holds values that cannot be levels"):
        estimator(lambda X: X["z"], X, "x")
    with pytest.warns(UserWarning, match="left out: column 'x' holds"):
        assert list(estimator(lambda X: X["z"], X, "all")) == ["z"]


@pytest.mark.parametrize("unit", ["ns", "s"])
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_times_that_are_centuries_apart_beside_a_category(unit, zone):
    """Their difference in nanoseconds has no room in 64 bits; c lies between a and b."""
    years = ["1678", "1800", "2200", "2262", "1800", "2200"]
    times = pd.DatetimeIndex(np.array(years, dtype=f"M8[{unit}]")).tz_localize(zone)
    X = pd.DataFrame({"c": list("aabbcc"), "t": times})
    order = ale(lambda X: np.zeros(len(X)), X, "c").x_values[0].tolist()
    assert order in (["a", "c", "b"], ["b", "c", "a"])


def test_numbers_that_doubles_cannot_tell_apart():
    X = pd.DataFrame({"x": np.array([2**63 - 1, 2**63 - 2, 2**63 - 3], dtype=np.int64)})
    with pytest.raises(FeatureError, match="differ by less than double precision can tell"):
        ale(first, X, "x")


# --- the limits of doubles ----------------------------------------------------------------------


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_values_whose_differences_overflow(estimator):
    X = pd.DataFrame({"x": [-1.7e308, 0.0, 1.7e308], "z": [0.0, 1, 2]})
    with pytest.raises(FeatureError, match=r"column 'x' must have values of at most 4\.5e\+307"):
        estimator(lambda X: X["z"], X, ("x", "z"))
    with pytest.raises(GridError, match=r"points of at most 4\.5e\+307 in size, got 1e\+308"):
        estimator(lambda X: X["z"], X, "z", grid=[0, 1, 1e308])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_predictions_whose_sums_overflow(estimator):
    X = pd.DataFrame({"x": [0.0, 1, 2, 3]})
    with pytest.raises(PredictionError, match=r"at most 1e\+302 in size, .* got -1\.7e\+308"):
        estimator(lambda X: np.where(X["x"] > 1, 1.0, -1.7e308), X, "x")


@pytest.mark.parametrize("batch_rows", [None, 2])
def test_squares_overflow_but_the_effect_does_not(tmp_path, batch_rows):
    """f = z x on x = 0, 1, 2, 3, scaled by 1e200: the curve of the unscaled one, times 1e200."""
    X = pd.DataFrame({"x": [0.0, 1, 2, 3], "z": [1.0, 3, -2, 5]})
    right = ale(lambda X: X["x"] * X["z"], X, "x", K=2)
    effect = ale(lambda X: X["x"] * X["z"] * 1e200, X, "x", K=2, batch_rows=batch_rows)
    np.testing.assert_allclose(effect.f_values / 1e200, right.f_values, rtol=0, atol=EXACT)
    assert np.isinf(effect.local_std).all()
    effect.save(tmp_path / "effect.json")
    assert np.isinf(load(tmp_path / "effect.json").local_std).all()


def test_equidistant_points_that_coincide_are_one():
    low, high = 1.0, np.nextafter(1, 2)
    X = pd.DataFrame({"x": [low, high, low, high]})
    effect = partial_dependence(lambda X: X["x"] > 1, X, "x", K=7)
    assert effect.x_values[0].tolist() == [low, high]
    assert effect.evaluate(X["x"]).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("scale", [1e-300, 1e200])
def test_kernels_are_free_of_scale(scale):
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"x": rng.normal(size=30), "z": rng.normal(size=30)})
    right = m_plot(lambda X: X["x"] * X["z"], X, "x", K=5, neighbourhood="kernel")
    effect = m_plot(
        lambda X: X["x"] / scale * X["z"],
        X.assign(x=X["x"] * scale),
        "x",
        K=5,
        neighbourhood="kernel",
    )
    np.testing.assert_allclose(effect.f_values, right.f_values, rtol=0, atol=1e3 * EXACT)


def test_a_kernel_needs_a_spread_or_a_bandwidth():
    X = pd.DataFrame({"x": [1.0, 1.0], "z": [0.0, 1.0]})
    options = {"grid": [0, 1, 2], "neighbourhood": "kernel"}
    with pytest.raises(ValueError, match=r"bandwidth of column 'x' is needed: .* value, 1\.0"):
        m_plot(lambda X: X["z"], X, "x", **options)
    effect = m_plot(lambda X: X["z"], X, "x", bandwidth=1.0, **options)
    assert effect.f_values.tolist() == [0.5, 0.5, 0.5]
    # 40 bandwidths away doubles have no digits left for the weights.
    effect = m_plot(lambda X: X["z"], X, "x", bandwidth=0.025, **options)
    assert np.isnan(effect.f_values).tolist() == [True, False, True]


# --- weights ------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_rows", [None, 1])
@pytest.mark.parametrize("features", ["x", "c", ("x", "z"), ("c", "x")])
def test_weights_of_a_whole_cell_near_the_smallest_double(features, batch_rows):
    """Their ratios decide, whatever their size: 3 to 1 as subnormal numbers and as usual ones."""
    X = pd.DataFrame(
        {
            "x": [0.0, 1, 2, 3, 4, 5],
            "z": [0.0, 0, 0, 1, 1, 1],
            "c": pd.Categorical(list("aabbcc"), ordered=True),
        }
    )
    tiny = np.array([1.0, 1, 3 * 5e-324, 5e-324, 3 * 5e-324, 5e-324])
    usual = np.array([1.0, 1, 3e-200, 1e-200, 3e-200, 1e-200])

    def predict(X):
        return X["x"] ** 2 * (X["z"] + 0.3) + X["c"].cat.codes * X["x"]

    right = ale(predict, X, features, K=3, sample_weight=usual)
    effect = ale(predict, X, features, K=3, sample_weight=tiny, batch_rows=batch_rows)
    np.testing.assert_allclose(effect.f_values, right.f_values, rtol=0, atol=100 * EXACT)


@pytest.mark.parametrize("largest", [1e-101, 1e101])
def test_only_ratios_of_weights_matter(largest):
    X = pd.DataFrame({"x": [0.0, 1, 2]})
    with pytest.raises(ValueError, match=r"between 1e-100 and 1e\+100, got 1e[+-]101: only"):
        ale(first, X, "x", sample_weight=[0.0, largest / 2, largest])


def test_a_row_without_weight_and_a_huge_effect_has_no_spread():
    moments = CellMoments.of(
        np.array([1.0, 1.0, 1e200]), np.zeros(3, dtype=np.intp), 1, np.array([1.0, 1, 0])
    )
    assert moments.std.tolist() == [0]


# --- messages -----------------------------------------------------------------------------------


def test_long_lists_are_shortened():
    X = pd.DataFrame({"x": np.arange(300.0), "c": [f"L{i:03}" for i in range(300)]})
    with pytest.raises(PredictionError, match=r"19, \.\.\.\] \(300 in all\) with target="):
        ale(lambda X: X["x"].to_numpy()[None, :], X, "x")
    effect = partial_dependence(lambda X: X["x"], X, "c")
    with pytest.raises(ValueError, match=r"'L019', \.\.\.\] \(300 in all\)$"):
        effect.evaluate(["M"])


def test_an_order_that_is_no_list():
    X = pd.DataFrame({"c": list("aab")})
    with pytest.raises(TypeError, match="order of column 'c' must be a list of its levels"):
        ale(lambda X: np.zeros(len(X)), X, "c", order=5)


def test_evaluate_needs_the_columns():
    X = pd.DataFrame({"x": [0.0, 1, 2], "z": [0.0, 1, 2]})
    with pytest.raises(ValueError, match="evaluate needs column 'x', which the frame has not"):
        ale(lambda X: X["x"], X, "x").evaluate(X[["z"]])


def test_a_total_effect_is_of_ale_and_made_once():
    X = pd.DataFrame({"x": [0.0, 1, 2], "z": [1.0, 0, 2]})

    def f(X):
        return X["x"] * X["z"]

    pair, one, two = (ale(f, X, features) for features in (("x", "z"), "x", "z"))
    with pytest.raises(TypeError, match="first must be an AleResult, got PartialDependenceResult"):
        total_effect(pair, partial_dependence(f, X, "x"), two)
    with pytest.raises(ValueError, match="pair is a total effect already"):
        total_effect(total_effect(pair, one, two), one, two)


# --- files --------------------------------------------------------------------------------------

LABELS = {
    "timedelta": list(pd.to_timedelta([1, 2], unit="D")),
    "period": list(pd.period_range("2020", periods=2, freq="Q")),
    "date": [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)],
    "datetime": [datetime.datetime(2020, 1, 1, 3), datetime.datetime(2020, 1, 2)],
    "time": [datetime.time(1, 2, 3), datetime.time(2)],
    "decimal": [Decimal("1.10"), Decimal(2)],
    "bytes": [b"a", b"\xff"],
    "infinite": [-np.inf, np.inf],
    "tuple": [(1, "x"), (2, None)],
}


@pytest.mark.parametrize("kind", list(LABELS))
def test_labels_of_every_kind_are_saved(kind, tmp_path):
    column = np.empty(4, dtype=object)
    column[:] = LABELS[kind] * 2
    X = pd.DataFrame({"c": pd.Series(column, dtype=object), "x": [0.0, 1, 2, 3]})
    effect = ale(lambda X: X["x"], X, ("c", "x"), categorical="c")
    effect.save(tmp_path / "effect.json")
    found = load(tmp_path / "effect.json").x_values[0].tolist()
    assert found == effect.x_values[0].tolist()
    assert [type(level) for level in found] == [type(level) for level in effect.x_values[0]]


@pytest.mark.parametrize("name", [np.inf, pd.NaT, np.nan])
def test_odd_names_are_saved(name, tmp_path):
    effect = ale(first, numbers([name, "z"]), 0)
    effect.save(tmp_path / "effect.json")
    assert repr(load(tmp_path / "effect.json").features) == repr((name,))


# --- pictures -----------------------------------------------------------------------------------


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
