"""Results: interpolation, tables, files that restore every bit, frozen, picklable."""

import copy
import json
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

from aleplot_py import (
    AleResult,
    Effect,
    EffectCollection,
    PartialDependenceResult,
    ale,
    ice,
    load,
    m_plot,
    partial_dependence,
    total_effect,
)
from tests.results.every_result import (
    EFFECTS,
    black_box,
    check_same_effect,
    each,
    table,
)

# Interpolation by hand.
EXACT = 1e-12


@each
def test_saving_and_loading_restores_every_bit(effect, tmp_path):
    effect.save(tmp_path / "effect.json")
    for restored in (load(tmp_path / "effect.json"), Effect.load(str(tmp_path / "effect.json"))):
        check_same_effect(effect, restored)
    restored.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "effect.json").read_bytes()


@each
def test_copies_and_pickles_are_the_same(effect):
    check_same_effect(effect, copy.deepcopy(effect))
    check_same_effect(effect, pickle.loads(pickle.dumps(effect)))


@each
def test_results_are_frozen(effect):
    with pytest.raises(FrozenInstanceError):
        effect.f_values = None


def test_collections_are_saved_too(tmp_path):
    X = table()
    effects = ale(black_box, X, ["x", ("x", "c"), "c"], K=4)
    effects.save(tmp_path / "all.json")
    restored = load(tmp_path / "all.json")
    assert isinstance(restored, EffectCollection)
    assert list(restored) == ["x", ("x", "c"), "c"]
    for feature, effect in effects.items():
        check_same_effect(effect, restored[feature])


def test_saved_files_are_plain_json(tmp_path):
    EFFECTS["ale pair"].save(tmp_path / "effect.json")
    content = json.loads((tmp_path / "effect.json").read_text(encoding="utf-8"))
    assert content["class"] == "AleResult"
    values = content["f_values"]["array"]
    assert values == EFFECTS["ale pair"].f_values.ravel().tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "does not hold a saved result"),
        ('{"class": "Nothing"}', "does not hold a saved result"),
        ('{"class": "Effect", "format": 2}', "does not hold a saved result"),
        ('{"class": "Axis", "format": 2}', "does not hold a saved result"),
        ('{"class": "AleResult"}', "has format None, this version reads 1 and 2"),
        ('{"class": "AleResult", "format": true}', "has format True, this version reads 1 and 2"),
        ('{"class": "AleResult", "format": 99}', "has format 99, this version reads 1 and 2"),
        ("x,y\n1,2", r"file\.json does not hold a saved result: it is not JSON"),
        ("[NaN]", "it is not JSON"),
        ("[" * 100_000, "it is nested too deeply"),
        ('{"class": "AleResult", "format": 1}', "AleResult lacks the field 'features'"),
        ('{"class": "AleResult", "format": 2}', "AleResult lacks the field 'axes'"),
        (
            '{"class": "EffectCollection", "format": 1}',
            "EffectCollection.effects must be a list, got None",
        ),
        ('{"class": "EffectCollection", "format": 2}', "lacks the field 'effects'"),
        (
            '{"class": "EffectCollection", "format": 2, "effects": 5}',
            r"EffectCollection.effects must be a tuple of \(Effect\), got 5",
        ),
        ('{"class": ["AleResult"], "format": 1}', "does not hold a saved result"),
    ],
)
def test_other_files_are_refused(text, message, tmp_path):
    (tmp_path / "file.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        load(tmp_path / "file.json")


def test_a_file_of_another_class_is_refused(tmp_path):
    EFFECTS["ale x"].save(tmp_path / "effect.json")
    assert isinstance(AleResult.load(tmp_path / "effect.json"), AleResult)
    with pytest.raises(ValueError, match="holds a AleResult, not a PartialDependenceResult"):
        PartialDependenceResult.load(tmp_path / "effect.json")


def test_a_label_that_json_has_no_words_for_is_refused(tmp_path):
    X = pd.DataFrame({"c": pd.Categorical([1j, 2j, 1j]), "z": [1.0, 2, 3]})
    effect = ale(lambda X: X["z"], X, "c", order="declared")
    with pytest.raises(TypeError, match="a label of type complex cannot be saved: 1j"):
        effect.save(tmp_path / "effect.json")
    assert not (tmp_path / "effect.json").exists()


@each
def test_evaluate_at_the_points_gives_the_values(effect):
    points = np.meshgrid(*(np.arange(len(x)) for x in effect.x_values), indexing="ij")
    coordinates = [x[at.ravel()] for x, at in zip(effect.x_values, points, strict=True)]
    found = effect.evaluate(*coordinates)
    assert np.array_equal(found, effect.f_values.ravel(), equal_nan=True)
    frame = pd.DataFrame(dict(zip(effect.features, coordinates, strict=True)))
    assert np.array_equal(effect.evaluate(frame), found, equal_nan=True)


@each
def test_the_table_has_a_row_for_each_point(effect):
    table = effect.to_frame()
    name = {"ALE": "ale", "PD": "pd", "M": "m"}[effect.name]
    assert table.columns.tolist() == [*effect.features, name]
    assert np.array_equal(table[name], effect.f_values.ravel(), equal_nan=True)
    for feature, kind, x in zip(effect.features, effect.kinds, effect.x_values, strict=True):
        column = table[feature]
        assert set(column) == set(x)
        if kind == "categorical":
            assert column.cat.ordered
            assert column.cat.categories.tolist() == x.tolist()


def simple():
    X = pd.DataFrame({"x": np.arange(1.0, 11), "z": [0.0, 1] * 5, "c": list("aabbbccccc")})
    return X, ale(lambda X: X["x"], X, "x", K=4)


def test_evaluate_interpolates_linearly():
    _, effect = simple()
    found = effect.evaluate([1, 2, 2.5, 9.999, 10])
    np.testing.assert_allclose(found, np.array([1, 2, 2.5, 9.999, 10]) - 5.15, rtol=0, atol=EXACT)


@pytest.mark.parametrize("x", [0.999, 10.001, np.nan, np.inf, -np.inf, None])
def test_evaluate_knows_nothing_outside(x):
    _, effect = simple()
    assert np.isnan(effect.evaluate([x])).all()


def test_evaluate_takes_numbers_of_any_type():
    _, effect = simple()
    right = [-4.15, -2.15]
    for x in (
        [1, 3],
        np.array([1, 3], dtype=np.int8),
        pd.Series([1, 3], dtype="Int64"),
        (1.0, 3.0),
    ):
        np.testing.assert_allclose(effect.evaluate(x), right, rtol=0, atol=EXACT)
    np.testing.assert_allclose(effect.evaluate(3), [-2.15], rtol=0, atol=EXACT)
    assert np.isnan(effect.evaluate(pd.array([None, 3], "Int64")))[0]
    assert effect.evaluate([]).shape == (0,)


def test_evaluate_is_bilinear_in_a_pair():
    X, _ = simple()
    effect = ale(lambda X: X["x"] * X["z"], X, ("x", "z"), K=3)
    x, f = effect.x_values[0], effect.f_values
    s = (2.5 - x[0]) / (x[1] - x[0])
    t = 0.25
    right = (1 - s) * ((1 - t) * f[0, 0] + t * f[0, 1]) + s * ((1 - t) * f[1, 0] + t * f[1, 1])
    assert abs(effect.evaluate(2.5, 0.25)[0] - right) <= EXACT
    assert effect.evaluate([2.5, 3, 4], 0.25).shape == (3,)
    assert np.isnan(effect.evaluate([2.5, 0], [2, 0.5])).all()


def test_evaluate_takes_the_value_of_a_level():
    X, _ = simple()
    effect = ale(lambda X: X["c"].map({"a": 0.0, "b": 1, "c": 4}), X, "c")
    for levels in (X["c"], X["c"].astype("category"), X["c"].to_numpy(), X["c"].tolist()):
        right = X["c"].map({"a": -2.3, "b": -1.3, "c": 1.7})
        np.testing.assert_allclose(effect.evaluate(levels), right, rtol=0, atol=EXACT)
    assert np.isnan(effect.evaluate(["a", None, np.nan])).tolist() == [False, True, True]
    with pytest.raises(ValueError, match=r"'d' is not a level of 'c': it has \["):
        effect.evaluate(["a", "d"])


def test_evaluate_with_a_level_beside_a_number():
    X, _ = simple()
    effect = ale(lambda X: (X["c"] == "b") * X["x"], X, ("c", "x"), K=3)
    f, x = effect.f_values, effect.x_values[1]
    at = effect.x_values[0].tolist().index("b")
    middle = (x[0] + x[1]) / 2
    assert abs(effect.evaluate("b", middle)[0] - (f[at, 0] + f[at, 1]) / 2) <= EXACT
    assert np.isnan(effect.evaluate([None, "b"], [2, np.nan])).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2],), r"one array for each of \('x', 'z'\), got 1"),
        (([1, 2], [0, 1, 1]), r"as many values of 'x' as of 'z', got 2 and 3"),
        ((["low"], [1]), r"values of 'x' must be numbers, got \['low'\]"),
    ],
)
def test_evaluate_refuses(arguments, message):
    X, one = simple()
    pair = ale(lambda X: X["x"] * X["z"], X, ("x", "z"), K=3)
    with pytest.raises(ValueError, match=message):
        pair.evaluate(*arguments)
    with pytest.raises(ValueError, match=r"one array for each of \('x',\), got 2"):
        one.evaluate([1], [2])


def test_a_single_point():
    X, _ = simple()
    effect = partial_dependence(lambda X: X["x"] * X["z"], X, "x", grid=[5.0])
    assert effect.f_values.tolist() == [2.5]
    assert effect.evaluate([5.0, 6.0]).tolist()[0] == 2.5
    assert np.isnan(effect.evaluate([6.0])).all()


@pytest.mark.parametrize(("estimator", "name"), [(ale, "ale"), (m_plot, "m")])
def test_a_feature_named_like_the_value_keeps_its_column(estimator, name):
    X = pd.DataFrame({name: [1.0, 2, 3], "z": [1.0, 0, 1]})
    table = estimator(lambda X: X[name] + X["z"], X, name, K=2).to_frame()
    assert table.columns.tolist() == [name, f"{name}_"]
    assert table[name].tolist() == [1.0, 2.0, 3.0]


def test_the_table_of_a_collection():
    X, _ = simple()
    effects = ale(lambda X: X["x"] * X["z"], X, ["x", ("c", "x"), "c"], K=3)
    table = effects.to_frame()
    assert table.columns.tolist() == ["feature", "x", "feature2", "x2", "value"]
    assert len(table) == sum(effect.f_values.size for effect in effects.values())
    main = table[(table["feature"] == "c") & table["feature2"].isna()]
    assert main["x"].tolist() == effects["c"].x_values[0].tolist()
    assert main["value"].tolist() == effects["c"].f_values.tolist()
    pair = table[table["feature2"] == "x"]
    assert pair["value"].tolist() == effects["c", "x"].f_values.ravel().tolist()


def test_transposing_twice_changes_nothing():
    for name in ("ale pair", "ale c pair", "ale levels"):
        effect = EFFECTS[name]
        turned = effect.transpose()
        assert turned.features == effect.features[::-1]
        assert turned.f_values.shape == effect.f_values.shape[::-1]
        check_same_effect(effect, turned.transpose())


def test_shapes_are_those_promised():
    X = table()
    L = {"c": 3, "flag": 2}
    for features in ("x", "c", ("x", "z"), ("c", "x"), ("x", "c"), ("flag", "c")):
        effect = ale(black_box, X, features, K=5)
        points = tuple(len(x) for x in effect.x_values)
        numeric = [kind == "numeric" for kind in effect.kinds]
        units = tuple(p - n for p, n in zip(points, numeric, strict=True))
        steps = tuple(p - 1 for p in points)
        assert effect.f_values.shape == points
        assert effect.K == effect.counts.shape == units
        assert effect.empty.shape == effect.local_mean.shape == effect.local_std.shape == steps
        assert len(effect.main_effects) == (len(points) == 2) * 2
        assert [len(main) for main in effect.main_effects] == list(points) * (len(points) == 2)
        assert [len(o) for o in effect.observed] == [len(X)] * len(points)
        for name, kind, x in zip(effect.features, effect.kinds, effect.x_values, strict=True):
            assert x.dtype == (np.float64 if kind == "numeric" else object)
            if kind == "categorical":
                assert len(x) == L[name]


def test_the_callers_grid_is_not_shared():
    X, _ = simple()
    grid = np.array([0.0, 5, 10])
    for estimator in (ale, partial_dependence, m_plot):
        effect = estimator(lambda X: X["x"], X, "x", grid=grid)
        grid[1] = 7
        assert effect.x_values[0].tolist() == [0, 5, 10]
        grid[1] = 5


def test_the_data_are_not_shared():
    X, _ = simple()
    array = np.array(X[["x", "z"]])
    effect = ale(lambda a: a[:, 0], array, 0, K=3)
    array[:] = -1
    assert effect.observed[0].tolist() == list(np.arange(1.0, 11))


def test_the_total_effect_adds_up_its_parts():
    X = table()
    for features in (("x", "z"), ("c", "x"), ("x", "c")):
        pair, first, second = (ale(black_box, X, f, K=5) for f in (features, *features))
        total = total_effect(pair, first, second)
        assert total.features == features
        right = pair.f_values + first.f_values[:, None] + second.f_values + pair.mean_prediction
        np.testing.assert_allclose(total.f_values, right, rtol=0, atol=EXACT)
        assert np.array_equal(total_effect(pair, second, first).f_values, total.f_values)


def test_the_total_effect_of_an_additive_function_is_the_function():
    """Up to a constant: the mean of a curve over the data is that of its linear pieces."""
    X, _ = simple()
    pair, first, second = (
        ale(lambda X: X["x"] ** 2 + 3 * X["z"], X, f) for f in (("x", "z"), "x", "z")
    )
    total = total_effect(pair, first, second)
    right = total.x_values[0][:, None] ** 2 + 3 * total.x_values[1]
    assert np.ptp(total.f_values - right) <= EXACT * right.max()


def test_the_total_effect_interpolates_main_effects_on_other_grids():
    X, _ = simple()
    pair = ale(lambda X: X["x"] + X["z"], X, ("x", "z"), K=3)
    fine, second = (ale(lambda X: X["x"] + X["z"], X, f, K=9) for f in ("x", "z"))
    coarse = ale(lambda X: X["x"] + X["z"], X, "x", K=3)
    one, other = total_effect(pair, fine, second), total_effect(pair, coarse, second)
    assert np.ptp(one.f_values - other.f_values) <= EXACT


def test_the_total_effect_needs_main_effects_that_reach():
    X, _ = simple()

    def f(X):
        return X["x"] * X["z"]

    pair = ale(f, X, ("x", "z"), grid={"x": [0, 5, 12]})
    with pytest.raises(ValueError, match=r"main effect of 'x' does not reach 0\.0: compute it on"):
        total_effect(pair, ale(f, X, "x"), ale(f, X, "z"))


def test_repr_is_one_short_line():
    X = pd.DataFrame({"x": np.arange(1.0, 501.0)})
    effect = ale(lambda frame: frame["x"], X, "x", K=5)
    assert repr(effect) == "AleResult('x': 6 points, n=500, values -249.1 to 249.9)"


def test_individual_curves_as_a_table():
    X = pd.DataFrame({"x": [0.0, 1.0, 3.0], "z": [5.0, 6.0, 7.0]})
    effect = ice(lambda frame: frame["x"] * frame["z"], X, "x", K=2)
    table = effect.to_frame(individual=True)
    assert table.columns.tolist() == ["row", "x", "ice"]
    assert table["row"].tolist() == [0, 0, 1, 1, 2, 2]
    assert table["ice"].tolist() == [0, 15, 0, 18, 0, 21]
    assert table.groupby("x", observed=True)["ice"].mean().tolist() == [0, 18]
    with pytest.raises(ValueError, match="individual curves were not kept"):
        partial_dependence(lambda frame: frame["x"], X, "x", K=2).to_frame(individual=True)
