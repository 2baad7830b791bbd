"""Regional effects: the search against trying every split, the published case, the rules."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale
from aleplot_py.analysis.regional import Region, regional_effects
from aleplot_py.errors import FeatureError

pytestmark = pytest.mark.usefixtures("close_figures")

# Sums in another order, squares of them divided by each other: rounding only.
TOLERANCE = 1e-10


def gkolemis(n: int = 1000, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.uniform(-1, 1, (n, 3)), columns=["x1", "x2", "x3"])


def hidden(X: pd.DataFrame) -> pd.Series:
    return 0.2 * X["x1"] - 5 * X["x2"] + 10 * X["x2"] * (X["x3"] > 0)


def mixed(n: int = 150, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "a": rng.normal(size=n).round(1),
            "c": rng.choice(list("pqr"), size=n),
            "d": rng.choice([True, False], size=n),
        }
    )


def wavy(X: pd.DataFrame) -> np.ndarray:
    x, a = X["x"].to_numpy(), X["a"].to_numpy()
    level = X["c"].map({"p": 0.0, "q": 1.0, "r": 5.0}).to_numpy(dtype=float)
    return x * a + np.sin(3 * x * a) + level * x + x * X["d"].to_numpy() * a**2 + level * a


# ---------------------------------------------------------------------------------------------
# The published case (Gkolemis et al. 2023)


def test_the_hidden_effect_is_found():
    region = regional_effects(hidden, gkolemis(), "x2", max_depth=3)
    # d f / d x2 is -5 or 5.
    assert region.heterogeneity == pytest.approx(25, rel=0.05)
    assert region.split.feature == "x3"
    assert region.split.value == pytest.approx(0, abs=0.01)
    assert region.split.reduction == pytest.approx(1, abs=TOLERANCE)
    assert region.reduction == pytest.approx(1, abs=TOLERANCE)
    low, high = region.leaves
    for leaf, slope in ((low, -5), (high, 5)):
        assert leaf.heterogeneity < 1e-20
        rise = np.diff(leaf.effect.f_values) / np.diff(leaf.effect.x_values[0])
        np.testing.assert_allclose(rise, slope, atol=1e-9)
    np.testing.assert_array_less(np.abs(region.effect.f_values), 2)


def test_a_homogeneous_effect_is_not_split():
    region = regional_effects(hidden, gkolemis(), "x1")
    assert region.split is None
    assert region.leaves == (region,)
    assert region.reduction == 0


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e6])
def test_rounding_is_not_heterogeneity(shift):
    region = regional_effects(lambda F: F["x1"] * 0.1 + 7 * F["x2"] + shift, gkolemis(), "x1")
    assert region.split is None
    unused = regional_effects(lambda F: F["x1"] * 0.1 + shift, gkolemis(), "x2")
    assert unused.heterogeneity == 0
    assert unused.split is None


def kinked(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(n)
    x = rng.uniform(-1, 1, n)
    near = x + rng.normal(0, 0.01, n)
    return pd.DataFrame(
        {"x": x, "copy": x, "turned": -(x**3), "side": x > 0, "near": near, "z": rng.normal(size=n)}
    )


def only_along_x(slope):
    """Jacobian of a function whose derivative along the other features is 0."""
    return lambda F: np.column_stack([slope(F), np.zeros((len(F), F.shape[1] - 1))])


@pytest.mark.parametrize("K", [5, 10, 20, 21, 40, "auto"])
@pytest.mark.parametrize("n", [300, 1000])
def test_a_kink_inside_an_interval_is_no_interaction(n, K):
    # The slopes are -3 and 3, those of the one interval around 0 both.
    X, slope = kinked(n), only_along_x(lambda F: 3 * np.sign(F["x"]))
    region = regional_effects(lambda F: 3 * F["x"].abs(), X, "x", gradient=slope, K=K)
    assert region.split is None
    assert 0 <= region.heterogeneity <= 9


@pytest.mark.parametrize("K", [10, 20, "auto"])
def test_an_interaction_is_found_beside_kinks_and_curves(K):
    X = kinked(1000)
    for own, own_slope in (
        (lambda x: x.abs() / 2, lambda x: np.sign(x) / 2),
        (lambda x: x**3, lambda x: 3 * x**2),
    ):
        region = regional_effects(
            lambda F, own=own: own(F["x"]) + F["x"] * np.sign(F["z"]),
            X,
            "x",
            gradient=only_along_x(lambda F, s=own_slope: s(F["x"]) + np.sign(F["z"])),
            K=K,
        )
        assert [one.split.feature for one in region if one.split] == ["z"]


@pytest.mark.parametrize("K", [20, "auto"])
@pytest.mark.parametrize(("strength", "split"), [(0.09, None), (0.12, "z")])
@pytest.mark.parametrize("factor", [1.0, 1e-6, 1e9])
def test_heterogeneity_is_measured_by_the_size_of_the_effect(factor, strength, split, K):
    X = kinked(400)
    region = regional_effects(
        lambda F: factor * F["x"] * (1 + strength * np.sign(F["z"])), X, "x", K=K, max_depth=1
    )
    found = region.split and region.split.feature
    assert found == split


@pytest.mark.parametrize(
    ("power", "of_x"), [(-700, 0), (500, 0), (700, 0), (0, 700), (0, -700), (700, 700), (-500, 400)]
)
def test_regions_of_any_scale(power, of_x):
    X = kinked(300)[["x", "z"]]
    here = X.assign(x=np.ldexp(X["x"], of_x))

    def f(F, of_x=0, power=0):
        return np.ldexp(np.ldexp(F["x"], -of_x) * np.sign(F["z"]), power)

    plain = regional_effects(f, X, "x")
    scaled = regional_effects(lambda F: f(F, of_x, power), here, "x")
    assert [one.rule for one in scaled] == [one.rule for one in plain]
    assert scaled.split == plain.split


# ---------------------------------------------------------------------------------------------
# The search


def pooled_variance(effect, chosen):
    """Within-interval variance of the slopes of some rows, term by term."""
    local = effect.local_effects
    weights = np.ones(len(chosen)) if local.weights is None else local.weights
    width = np.diff(effect.x_values[0]) if effect.kinds == ("numeric",) else None
    squares, entries, cells, total = 0.0, 0, 0, 0.0
    for cell in range(effect.local_mean.size):
        here = (local.cells[:, 0] == cell) & chosen[local.rows]
        if not here.any():
            continue
        slope = local.effects[here] / (1 if width is None else width[cell])
        weight = weights[local.rows[here]]
        squares += (weight * (slope - np.average(slope, weights=weight)) ** 2).sum()
        entries, cells, total = entries + here.sum(), cells + 1, total + weight.sum()
    return squares / total * entries / (entries - cells) if entries > cells else np.inf, total


def every_split(effect, X, feature, min_rows):
    splits = {}
    for name in X.columns:
        if name == feature:
            continue
        column = X[name]
        numeric = column.dtype == np.float64
        for value in np.unique(column):
            left = (column <= value if numeric else column == value).to_numpy()
            if min(left.sum(), (~left).sum()) < min_rows:
                continue
            (h, w), (other_h, other_w) = (pooled_variance(effect, s) for s in (left, ~left))
            splits[name, value] = (w * h + other_w * other_h) / (w + other_w), left
    return splits


@pytest.mark.parametrize("feature", ["x", "c"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("candidate", [None, "a", "d"])
@pytest.mark.parametrize("min_rows", [2, 40])
def test_the_best_of_all_splits_is_found(feature, weighted, candidate, min_rows):
    X = mixed()
    weights = np.random.default_rng(2).uniform(0.5, 2, len(X)) if weighted else None
    region = regional_effects(
        wavy,
        X,
        feature,
        candidates=None if candidate is None else [candidate],
        K=8,
        max_depth=1,
        min_rows=min_rows,
        min_reduction=1e-9,
        sample_weight=weights,
    )
    effect = ale(wavy, X, feature, K=8, local_effects=True, sample_weight=weights)
    whole, _ = pooled_variance(effect, np.ones(len(X), dtype=bool))
    assert region.heterogeneity == pytest.approx(whole, rel=TOLERANCE)
    columns = X if candidate is None else X[[feature, candidate]]
    splits = every_split(effect, columns, feature, min_rows)
    best, left = min(splits.values(), key=lambda pair: pair[0])
    if best > whole:  # the mean of fewer rows can be the less precise
        assert region.split is None
        return
    assert region.split.reduction == pytest.approx(1 - best / whole, rel=TOLERANCE)
    sides = {tuple(np.flatnonzero(left)), tuple(np.flatnonzero(~left))}
    assert {tuple(child.rows) for child in region.children} == sides


def test_heterogeneity_by_hand():
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 4.0, 6.0], "z": [1.0, 3.0, 5.0, 2.0, 6.0]})
    region = regional_effects(lambda F: F["x"] * F["z"], X, "x", grid=[0.0, 2.0, 6.0])
    # Slopes 1, 3, 5 in the first interval (variance 4), 2 and 6 in the second (8).
    assert region.heterogeneity == pytest.approx((2 * 4 + 1 * 8) / 3, rel=TOLERANCE)


def test_fewer_rows_alone_do_not_lower_the_heterogeneity():
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(400, 4)), columns=list("xabc"))
    X["noise"] = rng.normal(size=400)
    region = regional_effects(
        lambda F: F["x"] * F["noise"], X, "x", candidates=["a", "b", "c"], min_rows=30
    )
    assert region.split is None


def test_splits_are_looked_for_in_every_region():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.uniform(-1, 1, (2000, 3)), columns=["x", "a", "b"])

    def f(F):
        return F["x"] * np.where(F["a"] > 0.2, 3.0 * (F["b"] > -0.5), -4.0)

    region = regional_effects(f, X, "x")
    assert [one.split.feature for one in region if one.split] == ["a", "b"]
    values = [one.split.value for one in region if one.split]
    np.testing.assert_allclose(values, [0.2, -0.5], atol=0.01)
    assert sorted(len(leaf.rule) for leaf in region.leaves) == [1, 2, 2]
    assert max(leaf.heterogeneity for leaf in region.leaves) < 1e-20
    assert regional_effects(f, X, "x", max_depth=1).leaves[0].children == ()
    assert len(list(regional_effects(f, X, "x", min_reduction=0.99))) == 1
    assert all(len(one.rows) >= 600 for one in regional_effects(f, X, "x", min_rows=600))
    assert len(list(regional_effects(f, X, "x", min_rows=1001))) == 1


def test_rules_select_the_rows():
    X = mixed()
    region = regional_effects(wavy, X, "x", min_rows=20, min_reduction=0.01, max_depth=3)
    assert len(region.leaves) > 2
    for one in region:
        chosen = X.query(" and ".join(one.rule)) if one.rule else X
        assert chosen.index.tolist() == one.rows.tolist()
        assert len(one.effect.observed[0]) == len(one.rows)
        again = ale(wavy, X.iloc[one.rows], "x", K=20)
        np.testing.assert_array_equal(one.effect.f_values, again.f_values)
    together = np.sort(np.concatenate([leaf.rows for leaf in region.leaves]))
    assert together.tolist() == list(range(len(X)))


def test_thresholds_have_few_digits():
    X = pd.DataFrame({"x": np.tile([0.0, 1.0], 20), "a": np.repeat([0.123456, 0.298765], 20)})
    region = regional_effects(lambda F: F["x"] * (F["a"] > 0.2), X, "x", min_rows=5)
    assert region.split.rules == ("a <= 0.2", "a > 0.2")
    X["a"] = np.repeat([1.0, np.nextafter(1.0, 2.0)], 20)
    region = regional_effects(lambda F: F["x"] * (F["a"] > 1), X, "x", min_rows=5)
    assert region.split.value == 1.0
    assert region.children[0].rows.tolist() == list(range(20))


def test_levels_are_set_apart():
    X = mixed(300)
    region = regional_effects(lambda F: F["x"] * (F["c"] == "q"), X, "x")
    assert region.split.rules == ("c == 'q'", "c != 'q'")
    flags = regional_effects(lambda F: F["x"] * F["d"], X, "x")
    assert flags.split.feature == "d"
    numbers = X.assign(c=X["c"].map({"p": 1, "q": 2, "r": 3}))
    declared = regional_effects(
        lambda F: F["x"] * (F["c"] == 2), numbers, "x", categorical=["c"], max_depth=1
    )
    assert declared.split.rules == ("c == 2", "c != 2")


def test_effects_of_levels_are_split_too():
    X = mixed(400)
    X["side"] = np.where(X["c"] == "p", "left", "right")
    region = regional_effects(
        lambda F: (F["c"] == "q") * np.sign(F["a"]) + (F["c"] == "r") * 1.0,
        X,
        "c",
        order=["p", "q", "r"],
    )
    assert region.split.feature == "a"
    for one in region:
        assert one.effect.x_values[0].tolist() == ["p", "q", "r"]
    # `side` tells the level: on one of its sides there is no effect to speak of.
    assert all(one.split is None or one.split.feature != "side" for one in region)


def test_levels_without_rows_in_a_region_are_left_out():
    rng = np.random.default_rng(0)
    a = rng.uniform(-1, 1, 400)
    c = np.where(a > 0, rng.choice(list("pq"), 400), rng.choice(list("pqr"), 400))
    X = pd.DataFrame({"c": c, "a": a})
    region = regional_effects(
        lambda F: (F["c"] == "q") * np.sign(F["a"]), X, "c", order=["r", "p", "q"], min_rows=20
    )
    assert [leaf.effect.x_values[0].tolist() for leaf in region.leaves] == [
        ["r", "p", "q"],
        ["p", "q"],
    ]


def test_scale_and_constant_weights_change_no_split():
    X = mixed()
    options = {"K": 8, "min_rows": 20, "max_depth": 2, "min_reduction": 0.05}
    ours = regional_effects(wavy, X, "x", **options)
    scaled = regional_effects(lambda F: 4 * wavy(F), X, "x", **options)
    twice = regional_effects(wavy, X, "x", sample_weight=np.full(len(X), 2.0), **options)
    assert [one.text for one in scaled] == [one.text for one in ours]
    assert [one.text for one in twice] == [one.text for one in ours]
    for one, two, three in zip(ours, scaled, twice, strict=True):
        assert two.heterogeneity == pytest.approx(16 * one.heterogeneity, rel=TOLERANCE)
        assert three.heterogeneity == pytest.approx(one.heterogeneity, rel=TOLERANCE)
        assert three.weight == 2 * one.weight


# ---------------------------------------------------------------------------------------------
# Data of all sorts


def test_arrays_are_split_by_position():
    X = gkolemis(300).to_numpy()
    region = regional_effects(lambda A: A[:, 1] * (A[:, 2] > 0), X, 1)
    assert region.split.feature == 2
    assert region.children[0].text.startswith("column 2 <= ")


def test_rows_with_missing_values_are_dropped_and_positions_stay_those_of_the_data():
    X = gkolemis(300)
    X.loc[[0, 7], "x2"] = np.nan
    with pytest.raises(FeatureError, match="'x2' has 2 missing"):
        regional_effects(hidden, X, "x2")
    region = regional_effects(hidden, X, "x2", missing="drop")
    assert region.rows.tolist() == [i for i in range(300) if i not in (0, 7)]
    low = region.children[0]
    assert (X["x3"].to_numpy()[low.rows] <= region.split.value).all()


def test_columns_that_cannot_be_split_on_are_left_out_unless_named():
    X = gkolemis(300).assign(wave=1j, gap=np.nan, far=np.inf, same=1.0)
    region = regional_effects(hidden, X, "x2")
    assert region.split.feature == "x3"
    for name, message in [("wave", "complex128"), ("gap", "missing"), ("far", "infinite")]:
        with pytest.raises(FeatureError, match=message):
            regional_effects(hidden, X, "x2", candidates=["x3", name])
    alone = regional_effects(hidden, X, "x2", candidates=["same"])
    assert alone.split is None


def test_predictions_cost_one_effect_for_each_depth():
    X = gkolemis(1500)
    seen = []

    def f(F):
        seen.append(len(F))
        return hidden(F)

    regional_effects(f, X, "x2", max_depth=1)
    assert sum(seen) == 1000 + 2 * 2 * 1500


def test_gradients_and_batches_reach_the_effects():
    X = gkolemis(300)
    slope = {"x2": lambda F: -5 + 10.0 * (F["x3"] > 0)}
    region = regional_effects(hidden, X, "x2", gradient=slope, batch_rows=50)
    assert region.split.feature == "x3"


# ---------------------------------------------------------------------------------------------
# What comes out


def test_rows_without_weight_are_not_counted():
    X = mixed()
    weights = (X["c"] != "r").astype(float) * (X["a"] > -1)
    options = {"K": 6, "max_depth": 1, "min_rows": 20, "min_reduction": 1e-9}
    region = regional_effects(wavy, X, "x", sample_weight=weights, **options)
    effect = ale(wavy, X, "x", K=6, local_effects=True, sample_weight=weights)
    used = weights.to_numpy() > 0
    whole, _ = pooled_variance(effect, used)
    assert region.heterogeneity == pytest.approx(whole, rel=TOLERANCE)
    splits = {}
    for name, numeric in (("a", True), ("c", False), ("d", False)):
        for value in np.unique(X[name]):
            left = (X[name] <= value if numeric else X[name] == value).to_numpy()
            sides = [side & used for side in (left, ~left)]
            if min(side.sum() for side in sides) >= 20:
                (h, w), (other_h, other_w) = (pooled_variance(effect, side) for side in sides)
                splits[name, value] = (w * h + other_w * other_h) / (w + other_w)
    (name, value), best = min(splits.items(), key=lambda item: item[1])
    assert region.split.feature == name
    assert (X[name] <= region.split.value).sum() == (X[name] <= value).sum()
    assert region.split.reduction == pytest.approx(1 - best / whole, rel=1e-6)
    assert min((weights.to_numpy()[child.rows] > 0).sum() for child in region.children) >= 20


def test_spread_of_single_rows_is_unknown():
    X = pd.DataFrame({"x": np.arange(6.0), "a": np.arange(6.0)})
    region = regional_effects(
        lambda F: F["x"] * F["a"], X, "x", grid=np.arange(-1.0, 6.0), min_rows=2
    )
    assert np.isnan(region.heterogeneity)
    assert region.split is None
    assert "sd of local effects nan" in str(region)


def test_trees_as_text_and_table():
    X = pd.DataFrame({"x": np.tile([0.0, 1.0], 20), "a": np.repeat([0.0, 1.0], 20)})
    region = regional_effects(lambda F: 2 * F["x"] * F["a"], X, "x", min_rows=5)
    assert str(region).splitlines() == [
        "all rows: 40 rows, sd of local effects 1.013, split on a removes 100.0%",
        "  a <= 0.5: 20 rows, sd of local effects 0",
        "  a > 0.5: 20 rows, sd of local effects 0",
    ]
    table = region.to_frame()
    assert table["rule"].tolist() == ["all rows", "a <= 0.5", "a > 0.5"]
    assert table["depth"].tolist() == [0, 1, 1]
    assert table["rows"].tolist() == [40, 20, 20]
    assert table["split_on"].tolist()[0] == "a"
    assert table["split_on"].isna().tolist() == [False, True, True]
    np.testing.assert_allclose(table["heterogeneity"], [40 / 39, 0, 0])
    np.testing.assert_allclose(table["sd"], [np.sqrt(40 / 39), 0, 0])
    np.testing.assert_allclose(table["reduction"], [1, np.nan, np.nan])


def test_leaves_are_drawn_with_their_rules():
    region = regional_effects(hidden, gkolemis(), "x2")
    display = region.plot()
    assert [ax.get_title() for ax in display.axes_] == [leaf.text for leaf in region.leaves]
    for line, leaf in zip(display.lines_, region.leaves, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), leaf.effect.f_values)
    single = regional_effects(hidden, gkolemis(), "x1").plot()
    assert single.axes_[0].get_title() == "all rows"


def test_regions_are_frozen():
    region = regional_effects(hidden, gkolemis(100), "x1")
    assert isinstance(region, Region)
    with pytest.raises(AttributeError):
        region.rows = np.arange(3)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"feature": "x9"}, FeatureError, "'x9' is not a column"),
        ({"feature": ("x1", "x2")}, ValueError, "feature must be a single column"),
        ({"feature": ["x1"]}, ValueError, "feature must be a single column"),
        ({"candidates": ["x2"]}, FeatureError, "candidates must not hold 'x2'"),
        ({"candidates": ["x8"]}, FeatureError, "'x8' is not a column"),
        ({"candidates": []}, FeatureError, "candidates must name at least one column"),
        ({"max_depth": 0}, ValueError, "max_depth must be a positive integer"),
        ({"max_depth": 1.5}, TypeError, "max_depth must be a positive integer"),
        ({"min_rows": 1}, ValueError, "min_rows must be at least 2, got 1"),
        ({"min_reduction": 0}, ValueError, "min_reduction must lie between 0 and 1, got 0"),
        ({"min_reduction": 1.0}, ValueError, "min_reduction must lie between 0 and 1"),
        ({"min_reduction": "10 %"}, ValueError, "min_reduction must lie between 0 and 1"),
        ({"sample_weight": [1.0]}, ValueError, "sample_weight must have one value per row"),
        ({"missing": "ignore"}, ValueError, "missing must be one of"),
    ],
)
def test_bad_arguments_are_named(options, error, message):
    with pytest.raises(error, match=message):
        regional_effects(hidden, gkolemis(100), **{"feature": "x2", **options})
