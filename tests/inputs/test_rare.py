"""Levels that share a point: closed forms, the definition in loops, what is refused."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from aleplot_py import (
    ale,
    bootstrap_bands,
    decompose,
    effect_panel,
    first_order_prediction,
    ice,
    load,
    m_plot,
    partial_dependence,
    regional_effects,
)
from aleplot_py.errors import FeatureError, RouteError

# Averages of averages in another order of sums; the effects are of order 10.
ROUNDING = 1e-13

RNG = np.random.default_rng(4)
N = 160
LEVELS = RNG.permutation(np.repeat(list("abcdef"), [60, 50, 32, 7, 6, 5]))
WEIGHT = dict(zip("abcdef", (0.0, 1.0, 3.0, 5.0, 7.0, -2.0), strict=True))
RARE = list("def")
ROWS = [7, 6, 5]
SHARE = 0.06
X = pd.DataFrame(
    {
        "c": LEVELS,
        "x": RNG.normal(size=N) + (LEVELS == "b"),
        "z": RNG.choice(list("uvw"), N, p=[0.9, 0.06, 0.04]),
    }
)


def additive(frame):
    return frame["c"].map(WEIGHT).astype(float) + frame["x"] ** 2


def interacting(frame):
    slope = frame["c"].map(WEIGHT).astype(float) + (frame["z"] == "v")
    return slope * frame["x"] + slope**2 / 4


def curve(effect):
    return dict(zip(effect.x_values[0], effect.f_values, strict=True))


def mean_of_rare(values):
    return np.average([values[level] for level in RARE], weights=ROWS)


def test_the_example_has_three_rare_levels():
    effect = ale(additive, X, "c", collapse=SHARE)
    assert effect.collapsed == {"c": tuple(RARE)}
    assert sorted(effect.x_values[0]) == ["(rare)", "a", "b", "c"]
    assert curve(effect).keys() - {"(rare)"} == set("abc")
    assert "(rare) of 'c' for 3 levels" in repr(effect)
    rows = dict(zip(effect.x_values[0], effect.counts, strict=True))
    assert rows["(rare)"] == np.isin(LEVELS, RARE).sum()


@pytest.mark.parametrize("order", ["similarity", "declared", "frequency", "mean_prediction"])
def test_without_interactions_the_point_has_the_mean_of_its_levels(order):
    full = curve(ale(additive, X, "c", order=order))
    short = curve(ale(additive, X, "c", order=order, collapse=SHARE))
    assert abs(short.pop("(rare)") - mean_of_rare(full)) <= ROUNDING
    for level, value in short.items():
        assert abs(value - full[level]) <= ROUNDING


DOORS = {
    "pd": partial_dependence,
    "m_plot": m_plot,
    "kernel": lambda *asked, **how: m_plot(*asked, neighbourhood="kernel", **how),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_of_any_model_means_at_the_point_are_those_of_its_levels(door):
    full = curve(door(interacting, X, "c"))
    short = curve(door(interacting, X, "c", collapse=SHARE))
    assert abs(short.pop("(rare)") - mean_of_rare(full)) <= ROUNDING
    assert short == {level: full[level] for level in short}


def test_individual_curves_at_the_point_are_means_over_its_levels():
    full = ice(interacting, X, "c")
    short = ice(interacting, X, "c", collapse=SHARE)
    place = [list(full.x_values[0]).index(level) for level in RARE]
    right = np.average(full.individual[:, place], axis=1, weights=ROWS)
    np.testing.assert_allclose(short.individual[:, -1], right, rtol=0, atol=ROUNDING)
    anchored = ice(interacting, X, "c", collapse=SHARE, centre="(rare)")
    zero = short.individual - short.individual[:, -1:]
    np.testing.assert_array_equal(anchored.individual, zero)


def in_loops(points, rows):
    """ALE of a category by its definition: every row moves to the levels beside its own."""

    @cache
    def black_box(level, x, z):
        return interacting(pd.DataFrame({"c": [level], "x": [x], "z": [z]}))[0]

    def predicted(row, level):
        own = row["c"] in RARE
        if level == "(rare)" and not own:
            values = [predicted(row, one) for one in RARE]
            return np.average(values, weights=ROWS)
        if level == "(rare)":
            return predicted(row, row["c"])
        return black_box(level, row["x"], row["z"])

    place = {level: i for i, level in enumerate(points)} | dict.fromkeys(
        RARE, points.index("(rare)")
    )
    steps = [[] for _ in points[1:]]
    for row in rows:
        at = place[row["c"]]
        if at > 0:
            steps[at - 1].append(predicted(row, points[at]) - predicted(row, points[at - 1]))
        if at < len(points) - 1:
            steps[at].append(predicted(row, points[at + 1]) - predicted(row, points[at]))
    values = np.append(0.0, np.cumsum([np.mean(step) for step in steps]))
    return values - np.mean([values[place[row["c"]]] for row in rows])


def test_an_effect_is_that_of_its_definition_in_loops():
    effect = ale(interacting, X, "c", collapse=SHARE)
    right = in_loops(list(effect.x_values[0]), X.to_dict("records"))
    np.testing.assert_allclose(effect.f_values, right, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("how", [{"batch_rows": 37}, {"batch_rows": 90, "n_jobs": 2}])
def test_batches_and_threads_change_no_bit(how):
    for asked in ("c", ("c", "z")):
        whole = ale(interacting, X, asked, collapse=SHARE)
        assert ale(interacting, X, asked, collapse=SHARE, **how) == whole
    curves = partial_dependence(interacting, X, ("c", "z"), collapse=SHARE)
    assert partial_dependence(interacting, X, ("c", "z"), collapse=SHARE, **how) == curves


def test_a_constant_black_box_has_no_effect_to_the_last_bit():
    effect = ale(lambda frame: np.full(len(frame), 0.1), X, "c", collapse=SHARE)
    assert not effect.f_values.any()


def test_a_pair_without_interaction_of_second_order_is_zero_where_levels_share_points():
    effect = ale(additive, X, ("c", "z"), collapse={"c": SHARE, "z": ["v", "w"]})
    assert effect.collapsed == {"c": tuple(RARE), "z": ("v", "w")}
    assert np.abs(effect.f_values).max() <= ROUNDING


def test_several_outputs_are_collapsed_each_by_itself():
    def both(frame):
        return pd.DataFrame({"one": interacting(frame), "two": additive(frame)})

    effects = ale(both, X, "c", target="all", collapse=SHARE)
    alone = ale(interacting, X, "c", collapse=SHARE)
    np.testing.assert_array_equal(effects["one"].f_values, alone.f_values)


def test_the_caller_names_the_levels_and_where_they_stand():
    order = ["b", "(rare)", "a", "c"]
    for listed in (order, ["d", *order, "e"]):  # those that are collapsed need not be left out
        effect = ale(additive, X, "c", collapse={"c": ["e", "d", "f"]}, order=listed)
        assert list(effect.x_values[0]) == order
    assert ale(additive, X, "c", collapse=["f", "e"]).collapsed == {"c": ("e", "f")}
    assert ale(additive, X, "x", collapse=SHARE).collapsed == {}


def test_a_single_rare_level_keeps_its_point():
    share = 0.05
    lone = X[~X["c"].isin(["d", "e"])]
    assert ale(additive, lone, "c", collapse=share).collapsed == {}


def test_a_level_of_exactly_the_share_is_not_rare():
    c = np.repeat(["a", "b", "c", "d"], [7, 6, 6, 81])
    frame = pd.DataFrame({"c": c, "x": np.arange(100.0) % 9})
    effect = ale(lambda rows: rows["x"], frame, "c", collapse=0.07, order="declared")
    assert effect.collapsed == {"c": ("b", "c")}


@pytest.mark.parametrize("missing", [None, np.nan])
def test_numbers_and_categories_are_collapsed_as_text_is(missing):
    number = pd.Series(LEVELS).map({level: i for i, level in enumerate("abcdef")})
    coded = X.assign(c=number)

    def black_box(frame):
        return interacting(frame.assign(c=[list("abcdef")[int(i)] for i in frame["c"]]))

    found = ale(black_box, coded, "c", categorical="c", collapse=SHARE, order="declared")
    text = ale(interacting, X, "c", collapse=SHARE, order="declared")
    np.testing.assert_array_equal(found.f_values, text.f_values)
    assert found.collapsed == {"c": (3, 4, 5)}
    unknown = X.assign(c=pd.Categorical([missing, *LEVELS[1:]]))
    dropped = ale(interacting, unknown, "c", collapse=SHARE, missing="drop", order="declared")
    known = ale(interacting, X.iloc[1:], "c", collapse=SHARE, order="declared")
    np.testing.assert_array_equal(dropped.f_values, known.f_values)


def test_levels_that_are_in_order_are_left_alone_unless_they_are_named():
    sizes = pd.Categorical(LEVELS, categories=list("fedcba"), ordered=True)
    frame = X.assign(c=sizes)

    def black_box(rows):
        return interacting(rows.assign(c=rows["c"].astype(str)))

    assert ale(black_box, frame, "c", collapse=SHARE).collapsed == {}
    assert ale(black_box, frame, "c", collapse=SHARE, order="frequency").collapsed
    with pytest.raises(FeatureError, match="collapse names column 'c', whose levels have an order"):
        ale(black_box, frame, "c", collapse={"c": SHARE})


@pytest.mark.parametrize(
    ("collapse", "error", "message"),
    [
        (0, ValueError, "collapse of column 'c' must lie between 0 and 1"),
        (1.5, ValueError, r"0.05 for 5 % of the rows\), got 1.5"),
        (float("nan"), ValueError, "got nan"),
        (True, TypeError, "must be a share of the rows or a list of its levels, got True"),
        ("rare", TypeError, "got 'rare'"),
        ({"c": "d"}, TypeError, "collapse of column 'c' must be a share"),
        (["d", "q"], FeatureError, r"'q', which is not a level of its rows: they have \['a', 'b"),
        (["d", pd.NA], FeatureError, "names <NA>, which is not a level"),
        (["d", np.zeros(2)], FeatureError, r"names array\(\[0., 0.\]\), which is not a level"),
        ({"k": 0.1}, FeatureError, "'k' is not a column"),
    ],
)
def test_what_cannot_be_collapsed_is_refused(collapse, error, message):
    for door in (ale, partial_dependence, m_plot):
        with pytest.raises(error, match=message):
            door(additive, X, "c", collapse=collapse)


def test_an_option_is_checked_where_no_feature_needs_it():
    with pytest.raises(ValueError, match="collapse of column 'c' must lie between 0 and 1"):
        ale(additive, X, "x", collapse={"c": 2.0})


def test_names_that_are_taken_and_levels_that_are_all_rare_are_refused():
    named = X.replace({"c": {"a": "(rare)"}})
    with pytest.raises(FeatureError, match=r"column 'c' has a level '\(rare\)'"):
        ale(lambda frame: frame["x"], named, "c", collapse=SHARE)
    with pytest.raises(FeatureError, match=r"a single level, '\(rare\)'"):
        ale(additive, X, "c", collapse=0.9)
    with pytest.raises(ValueError, match=r"order of column 'c' leaves out level '\(rare\)'"):
        ale(additive, X, "c", collapse=SHARE, order=list("abcdef"))


def test_rows_in_parts_are_refused_by_name():
    parts = [X.iloc[:100], X.iloc[100:]]
    for door in (ale, partial_dependence):
        with pytest.raises(ValueError, match="collapse= has no meaning where X comes in parts"):
            door(additive, parts, "c", collapse=SHARE)
        for order in ("frequency", "mean_prediction"):
            with pytest.raises(ValueError, match=f"order='{order}' has no meaning where X comes"):
                door(additive, parts, "c", order={"c": order})


def test_trees_are_not_walked():
    tree = pytest.importorskip("sklearn.tree").DecisionTreeRegressor(max_depth=3)
    frame = pd.DataFrame({"c": pd.Series(LEVELS).map(ord), "x": X["x"]})
    tree.fit(frame, interacting(X))
    effect = ale(tree, frame, "c", categorical="c", collapse=SHARE, order="declared")
    assert effect.collapsed
    with pytest.raises(RouteError, match="cannot be used: levels are collapsed"):
        ale(tree, frame, "c", categorical="c", collapse=SHARE, method="trees", order="declared")


def test_results_say_it_wherever_they_go(tmp_path):
    effect = ale(interacting, X, ("c", "z"), collapse={"c": SHARE}, order="declared")
    effect.save(tmp_path / "effect.json")
    again = load(tmp_path / "effect.json")
    assert again == effect
    assert again.collapsed == {"c": tuple(RARE)}
    assert again.axes[0].collapsed.rows.tolist() == ROWS
    values = again.evaluate(["d", "e", "(rare)"], ["u", "u", "u"])
    assert len(set(values)) == 1
    assert list(effect.to_frame()["c"].cat.categories) == ["a", "b", "c", "(rare)"]
    display = ale(interacting, X, "c", collapse=SHARE, order="declared").plot(
        level_labels={"(rare)": "others"}
    )
    assert [text.get_text() for text in display.axes_[0].get_xticklabels()][-1] == "others"


def test_rows_of_the_data_have_their_own_levels_in_what_is_derived():
    how = {"collapse": SHARE, "order": "declared"}
    parts = decompose(interacting, X, K=4, **how)
    np.testing.assert_array_equal(parts.prediction, interacting(X))
    assert parts.mains["c"].collapsed == {"c": tuple(RARE)}
    first_order_prediction(parts.mains, X)
    panel = effect_panel(interacting, X, interacting(X), "c", **how)
    of_rare = panel.to_frame().iloc[-1]
    assert abs(of_rare["predicted"] - interacting(X)[X["c"].isin(RARE)].mean()) <= ROUNDING
    assert panel.profiles[0].collapsed == {"c": tuple(RARE)}
    regions = regional_effects(interacting, X, "c", min_rows=20, max_depth=1, **how)
    split = [region for region in regions.leaves if "(rare)" in region.effect.x_values[0]]
    assert split
    assert all(set(region.effect.collapsed["c"]) <= set(RARE) for region in split)
    groups = ale(interacting, X, "c", groups="z", **how)
    assert {effect.collapsed["c"] for effect in groups.values()} == {tuple(RARE)}


def test_bands_of_a_refit_keep_the_levels_together():
    effect = ale(interacting, X, "c", collapse=SHARE, order="declared", local_effects=True)
    bands = bootstrap_bands(effect, n_boot=10, random_state=1)
    again = bootstrap_bands(
        effect, n_boot=10, random_state=1, X=X, y=X["x"], refit=lambda rows, y: interacting
    )
    for found in (bands, again):
        assert found.lower.shape == (4,)
        assert (found.lower <= found.upper).all()
    other = X.replace({"c": {"d": "a"}})
    with pytest.raises(ValueError, match="is not the one that the effect was computed on"):
        bootstrap_bands(effect, n_boot=2, X=other, y=X["x"], refit=lambda rows, y: interacting)
