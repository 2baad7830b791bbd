"""Results: interpolation, tables, files that restore every bit, frozen, picklable."""

import copy
import json
import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import aleplot_py
import aleplot_py.importance
from aleplot_py import (
    AleResult,
    AleStatistics,
    Decomposition,
    Effect,
    EffectCollection,
    PartialDependenceResult,
    Region,
    ale,
    ale_statistics,
    association_matrix,
    bootstrap_bands,
    decompose,
    ice,
    intervals,
    k_sensitivity,
    leave_two_out_importance,
    load,
    lofo_importance,
    m_plot,
    main_effect_complexity,
    partial_dependence,
    random_variable_null,
    regional_effects,
    sequential_elimination,
    total_effect,
)
from aleplot_py.results.base import Result
from aleplot_py.steps.axis import Axis
from aleplot_py.steps.grid import bin_codes
from validation.agreement import measure
from validation.compare import RComparison
from validation.r_effects import REffect

DATA = Path(__file__).with_name("data")

# Interpolation by hand.
EXACT = 1e-12


def table():
    rng = np.random.default_rng(11)
    n = 40
    return pd.DataFrame(
        {
            "x": rng.normal(size=n) / 3,
            "z": rng.integers(0, 6, n),
            "c": pd.Categorical(
                rng.choice(["p", "ü - no!", "r"], n), categories=["r", "p", "ü - no!"]
            ),
            "flag": rng.uniform(size=n) < 0.5,
            "when": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 3, n), unit="D"),
            "bins": pd.cut(rng.normal(size=n), 3),
        }
    )


def black_box(X):
    code = X["c"].cat.codes.to_numpy()
    return np.exp(X["x"]) * (1 + code) + X["z"] * X["x"] + X["flag"] * X["z"] / 7


def effects():
    X = table()
    return {
        "ale x": ale(black_box, X, "x", K=7),
        "ale c": ale(black_box, X, "c"),
        "ale flag": ale(black_box, X, "flag"),
        "ale pair": ale(black_box, X, ("x", "z"), K=5),
        "ale c pair": ale(black_box, X, ("x", "c"), K=5),
        "ale levels": ale(black_box, X, ("flag", "c"), centering="none"),
        "ale times": ale(black_box, X, "when", categorical="when"),
        "ale bins": ale(black_box, X, "bins"),
        "ale target": ale(lambda X: X[["x", "z"]].to_numpy(), X, "x", K=3, target=1),
        "ale weights": ale(black_box, X, "x", K=3, sample_weight=np.arange(40) / 7),
        "pd": partial_dependence(black_box, X, "x", K=7, centre="pdplot"),
        "pd pair": partial_dependence(black_box, X, ("c", "x"), K=4, centre=("p", 0.1)),
        "ice": ice(black_box, X, "x", K=3, centre=0.0),
        "m": m_plot(black_box, X, "x", K=7),
        "m gap": m_plot(black_box, X, "x", grid=[-3, -2.5, -2, 0, 3]),
        "m pair": m_plot(black_box, X, ("c", "z"), K=3),
        "array": ale(lambda a: a[:, 0] * a[:, 1], X[["x", "z"]].to_numpy(), (1, 0), K=4),
    }


EFFECTS = effects()
each = pytest.mark.parametrize("effect", EFFECTS.values(), ids=EFFECTS)


def check_identical(one, other):
    assert type(one) is type(other)
    if isinstance(one, tuple):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            check_identical(a, b)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        if one.dtype == object:
            assert one.tolist() == other.tolist()
            assert [type(v) for v in one.flat] == [type(v) for v in other.flat]
        else:
            assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    elif isinstance(one, Axis):
        for field in fields(one):
            check_identical(getattr(one, field.name), getattr(other, field.name))
    else:
        assert one == other


def check_same_effect(one, other):
    assert type(one) is type(other)
    for field in fields(one):
        if field.name != "_mean":
            check_identical(getattr(one, field.name), getattr(other, field.name))
    if isinstance(one, AleResult):
        assert one.mean_prediction == other.mean_prediction


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


# What all results share, class by class.


def numbers():
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "<b>c</b>"])
    return X, (X["a"] + 2 * X["b"] + X["a"] * X["b"]).to_numpy()


def product(X):
    return (X["a"] * np.sign(X["b"]) + X["b"]).to_numpy()


def one_of_each():
    """Several results of every class, with and without what is optional."""
    X, y = numbers()
    effect = ale(product, X, "a", K=4, local_effects=True)
    curves = ice(product, X, "b", K=3, centre="pdplot")
    mains = ale(product, X, "all", K=4)
    cv = {"scoring": "r2", "cv": 2, "random_state": 1}
    regions = regional_effects(product, X, "a", min_rows=5)
    assert len(regions.leaves) > 1
    in_r = REffect(effect.x_values, effect.f_values + 0.5, effect.K)
    agreement = measure(effect, in_r.x_values, in_r.f_values, order="none", predictions=3.0)
    dated = X.set_axis(pd.date_range("2024-03-30", periods=60, freq="h", tz="Europe/Paris"))
    found = [
        *EFFECTS.values(),
        effect,
        effect.local_effects,
        ale(product, X, ("a", "b"), K=3, local_effects=True, sample_weight=np.ones(60)).transpose(),
        mains,
        ale(black_box, table(), ["x", ("x", "c"), "c"], K=4),
        EffectCollection(()),
        bootstrap_bands(effect, n_boot=5, keep_curves=True, random_state=1),
        bootstrap_bands(curves, n_boot=5, simultaneous=True, method="normal", random_state=1),
        regions,
        regions.leaves[0],
        decompose(product, X, K=3, sample_weight=np.arange(60) / 7),
        decompose(product, dated, K=3, pairs=None),
        k_sensitivity(product, X, "a", Ks=(2, 4)),
        main_effect_complexity(mains),
        *main_effect_complexity(mains).pieces,
        *main_effect_complexity(ale(black_box, table(), "c")).pieces,
        ale_statistics(effect),
        ale_statistics(effect, y),
        random_variable_null(LinearRegression(), X, y, n=3, random_state=1),
        intervals.fit(product, X, "a", min_rows=5),
        lofo_importance(LinearRegression(), X, y, **cv),
        leave_two_out_importance(LinearRegression(), X, y, **cv),
        sequential_elimination(LinearRegression(), X, y, **cv),
        association_matrix(X, rows="a"),
        RComparison(effect, in_r, agreement, "ALEPlot::ALEPlot", 4, 60, {"R": "0.0.0"}),
    ]
    return {f"{i} {type(result).__name__}": result for i, result in enumerate(found)}


RESULTS = one_of_each()
each_result = pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
each_class = pytest.mark.parametrize(
    "result", {type(result): result for result in RESULTS.values()}.values(), ids=lambda r: type(r)
)


def test_every_result_class_is_among_them():
    exported = {
        getattr(module, name)
        for module in (aleplot_py, aleplot_py.intervals, aleplot_py.importance)
        for name in module.__all__
    }
    classes = {c for c in exported if isinstance(c, type) and issubclass(c, Result)} - {Effect}
    assert {type(result) for result in RESULTS.values()} == classes | {RComparison}


def arrays_in(value):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from arrays_in(one)
    elif is_dataclass(value):
        for field in fields(value):
            yield from arrays_in(getattr(value, field.name))


@each_result
def test_no_array_can_be_written_to(result, tmp_path):
    result.save(tmp_path / "result.json")
    others = (
        copy.copy(result),
        copy.deepcopy(result),
        pickle.loads(pickle.dumps(result)),
        load(tmp_path / "result.json"),
    )
    for one in (result, *others):
        for array in arrays_in(one):
            owner = array
            while owner is not None:
                assert not owner.flags.writeable
                owner = owner.base
    with pytest.raises(FrozenInstanceError):
        setattr(result, fields(result)[0].name, None)


@each_result
def test_files_copies_and_pickles_are_equal(result, tmp_path):
    result.save(tmp_path / "result.json")
    restored = load(tmp_path / "result.json")
    assert restored == type(result).load(tmp_path / "result.json")
    for one in (restored, copy.copy(result), copy.deepcopy(result)):
        assert type(one) is type(result)
        assert one == result
        assert hash(one) == hash(result)
        pd.testing.assert_frame_equal(
            one.to_frame(), result.to_frame(), check_exact=True, check_freq=False
        )
    assert pickle.loads(pickle.dumps(result)) == result
    restored.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "result.json").read_bytes()


def test_different_results_are_not_equal():
    given = list(RESULTS.values())
    for i, one in enumerate(given):
        assert [one == other for other in given].index(True) == i
        assert one != "a result"
        assert (one == None) is False  # noqa: E711 (asks ==)


@each_result
def test_one_changed_bit_is_a_difference(result):
    for field in fields(result):
        value = getattr(result, field.name)
        if not (isinstance(value, np.ndarray) and value.dtype == float and value.size):
            continue
        other = value.copy()
        other.flat[-1] = 0.25 if np.isnan(other.flat[-1]) else np.nextafter(other.flat[-1], 9.0)
        if other.flat[-1] != 9.0:
            assert replace(result, **{field.name: other}) != result


def test_zero_has_a_sign_and_nan_is_equal_to_itself():
    plus, minus = (AleStatistics(0.5, zero, 1.0, float("nan")) for zero in (0.0, -0.0))
    assert plus != minus
    assert plus == AleStatistics(0.5, 0.0, 1.0, float("nan"))


def test_a_black_box_that_fails_makes_no_comparison_fail():
    X, _ = numbers()
    broken = []

    def predict(X):
        if broken:
            raise RuntimeError("no more")
        return product(X)

    one, other = (ale(predict, X, "a", K=4) for _ in range(2))
    broken.append(True)
    assert one == one
    assert one != other


@each_result
def test_results_print_one_line(result):
    text = repr(result)
    assert text.startswith(type(result).__name__)
    assert "\n" not in text
    assert len(text) < 250
    assert type(result).__name__ in result.summary() or result.summary() == str(result)


@each_result
def test_tables_are_fresh_and_writable(result):
    first, before = result.to_frame(), result.to_frame()
    for column in range(first.shape[1]):
        if first.iloc[:, column].dtype == float and len(first):
            first.iloc[0, column] = 123.0
    first["more"] = 1
    pd.testing.assert_frame_equal(result.to_frame(), before)


@each_class
def test_notebooks_show_a_picture_or_a_table_and_pyplot_knows_of_nothing(result, monkeypatch):
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    page = result._repr_html_()
    assert plt.get_fignums() == before
    draws = hasattr(result, "plot") or isinstance(result, Decomposition)
    draws = draws and bool(len(result.to_frame())) and not isinstance(result, RComparison)
    assert ('src="data:image/png;base64,' in page) == draws
    assert "<b>c</b>" not in page
    monkeypatch.setattr("aleplot_py.results.base.find_spec", lambda name: None)
    page = result._repr_html_()
    assert "<img" not in page
    assert "<b>c</b>" not in page
    assert "<table" in page or "<pre>" in page


def test_names_are_escaped_in_notebooks():
    X, _ = numbers()
    page = ale(lambda X: X["<b>c</b>"], X, "<b>c</b>", K=3)._repr_html_()
    assert "&lt;b&gt;c&lt;/b&gt;" in page
    assert "<b>c" not in page
    odd = X.rename(columns={"a": "$x_{$", "b": "\n"})
    assert "<img" in ale(lambda X: X["$x_{$"], odd, ["$x_{$", "\n"], K=3)._repr_html_()


def test_nothing_of_the_callers_is_frozen_or_shared():
    values = np.arange(10.0)
    data = np.stack([values, values[::-1]], axis=1).copy()
    grid = np.array([0.0, 5.0, 9.0])
    weights = np.ones(10)
    for estimator in (ale, partial_dependence, m_plot):
        effect = estimator(lambda a: a[:, 0], data, 0, grid=grid, sample_weight=weights)
        for array in arrays_in(effect):
            assert not any(np.shares_memory(array, own) for own in (data, grid, weights))
    local = ale(lambda a: a[:, 0], data, 0, K=2, sample_weight=weights, local_effects=True)
    weights[0] = 5
    assert local.local_effects.weights[0] == 1
    assert data.flags.writeable
    assert grid.flags.writeable
    assert weights.flags.writeable


def test_axes_keep_the_rows_codes():
    X = table()
    effect = ale(black_box, X, ("x", "c"), K=5)
    assert [axis.name for axis in effect.axes] == ["x", "c"]
    numeric, levels = effect.axes
    assert numeric.codes.tolist() == bin_codes(X["x"], numeric.points).tolist()
    assert levels.points[levels.codes].tolist() == X["c"].tolist()
    assert effect.transpose().axes == effect.axes[::-1]
    for axis in effect.axes:
        assert axis.typed_points is None
        assert axis.above is None


def test_centering_is_called_centre():
    with pytest.warns(DeprecationWarning, match="centering is now called centre"):
        assert EFFECTS["ale x"].centering == "aleplot"
    X, _ = numbers()
    parts = decompose(product, X, K=3, pairs=None)
    with pytest.warns(DeprecationWarning, match="centering is now called centre"):
        assert parts.centering == "rows"


def test_saved_times_keep_the_name_of_their_zone(tmp_path):
    paris = pd.to_datetime(["2024-10-27 00:30", "2024-10-27 01:30", "2024-07-01 00:00"], utc=True)
    X = pd.DataFrame({"when": np.tile(paris.tz_convert("Europe/Paris"), 4), "z": np.arange(12.0)})
    for unit in ("s", "ns"):
        X["when"] = X["when"].dt.as_unit(unit)
        effect = ale(lambda X: X["z"], X, "when", categorical="when", order="declared")
        effect.save(tmp_path / "effect.json")
        restored = load(tmp_path / "effect.json")
        assert restored == effect
        assert [str(level.tz) for level in restored.x_values[0]] == ["Europe/Paris"] * 3
        assert [level.unit for level in restored.x_values[0]] == [unit] * 3


def format_1():
    """The results that 0.1.0 wrote to tests/data, computed by this version."""
    X = pd.DataFrame(
        {
            "x": [0.1, 0.7, 0.2, 0.9, 0.4, 0.4, 1.3, 0.05],
            "c": list("babacbca"),
            "z": [3.0, 1, 2, 5, 4, 2, 1, 0],
        }
    )

    def f(d):
        return (np.exp(d["x"]) * (1 + (d["c"] == "b")) + d["x"] * d["z"]).to_numpy()

    w = [1, 2, 1, 1, 0.5, 1, 1, 1]
    return {
        "AleResult": ale(f, X, "x", K=3, local_effects=True, sample_weight=w),
        "PartialDependenceResult": partial_dependence(
            f, X, ("c", "x"), K=3, kind="both", centre=("a", 0.1)
        ),
        "MPlotResult": m_plot(f, X, "x", grid=[-1, -0.5, 0, 0.5, 2]),
        "EffectCollection": ale(f, X, ["c", ("x", "c")], K=3, order="declared"),
    }


@pytest.mark.parametrize(("name", "now"), format_1().items())
def test_files_of_0_1_0_are_read(name, now):
    before = load(DATA / f"format1_{name}.json")
    assert type(before) is type(now)
    pairs = zip(before.values(), now.values(), strict=True) if len_of(now) else [(before, now)]
    for one, other in pairs:
        if name != "AleResult" and name != "EffectCollection":
            # 0.1.0 did not write by which rule these grids were laid.
            rules = zip(one.axes, other.axes, strict=True)
            other = replace(other, axes=tuple(replace(b, grid=a.grid) for a, b in rules))
        check_same_effect(one, other)


def len_of(result):
    return len(result) if isinstance(result, EffectCollection) else 0


def changed(state, path, value):
    """A copy of a saved state with one value changed; None leaves the field out."""
    state = copy.deepcopy(state)
    at = state
    for key in path[:-1]:
        at = at[key]
    if value is LEFT_OUT:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return state


LEFT_OUT = object()


def array(values, dtype="<f8", shape=None):
    return {"array": values, "dtype": dtype, "shape": [len(values)] if shape is None else shape}


AXIS = ("axes", "tuple", 0)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("f_values",), array([1.0, 2.0]), r"AleResult.f_values must be of the points' shape \(5,"),
        (("f_values",), 5, r"AleResult.f_values must be an array of float64, got 5"),
        (("f_values",), "abc", r"AleResult.f_values must be an array of float64, got 'abc'"),
        (("f_values",), array(["abc"]), r"f_values must be numbers of type <f8, got 'abc'"),
        (("f_values",), array([True]), r"f_values must be numbers of type <f8, got True"),
        (("f_values",), array([10**400]), r"f_values must be numbers of type <f8, got 1000"),
        (("f_values", "dtype"), "<U2000000000", r"f_values.dtype must be one of \('<f8', '<i8'"),
        (("f_values", "dtype"), "<f4", r"f_values.dtype must be one of"),
        (("f_values", "dtype"), ["<f8"], r"f_values.dtype must be one of"),
        (("f_values", "shape"), [2], r"f_values.shape must be that of 5 values, got \[2\]"),
        (("f_values", "shape"), [-5, -1], r"f_values.shape must be up to three sizes, got \[-5"),
        (("f_values", "shape"), [5, 0, 10**30], r"f_values.shape must be up to three sizes"),
        (("f_values", "shape"), [1] * 65 + [5], r"f_values.shape must be up to three sizes"),
        (("f_values", "array"), 5, r"f_values.array must be a list, got 5"),
        (("f_values",), LEFT_OUT, "AleResult lacks the field 'f_values'"),
        (("more",), 1, "AleResult has no field 'more'"),
        (("counts",), array([1.0, -2.0, 3.0, 4.0]), "counts must be finite and at least 0"),
        (("centre",), "evil", r"AleResult.centre must be one of \('aleplot'"),
        (("constant",), "0", "AleResult.constant must be float, got '0'"),
        (("_mean",), {"float": "nan"}, "AleResult._mean must be finite, got nan"),
        (("empty",), array([0.0] * 4), "AleResult.empty must be an array of bool"),
        (("empty",), array([False] * 3, "|b1"), r"AleResult.empty must be of the steps' shape"),
        (("main_effects",), {"tuple": [array([1.0])]}, "main_effects must be of the shapes"),
        (("target",), array([1.0]), "AleResult.target must be Hashable or None"),
        (("axes",), {"tuple": []}, "AleResult.axes must be one or two features"),
        (("axes",), {"tuple": 5}, "AleResult.axes must be a list of the parts of a tuple, got 5"),
        (("axes",), {"what": 5}, r"AleResult.axes must be a value as save writes it"),
        (("axes",), {"float": "x"}, "AleResult.axes must be a float, got 'x'"),
        ((*AXIS, "class"), "os.system", r"axes\[0\].class must be the name of a result"),
        ((*AXIS, "kind"), "evil", r"axes\[0\].kind must be one of \('numeric', 'categorical'\)"),
        ((*AXIS, "kind"), "categorical", r"axes\[0\].grid must be 'levels' for a category"),
        ((*AXIS, "grid"), "evil", r"axes\[0\].grid must be one of"),
        ((*AXIS, "points"), array([2.0, 1.0]), r"axes\[0\].points must be increasing"),
        ((*AXIS, "points"), array([None, 1.0]), r"axes\[0\].points must be finite, got \[nan"),
        ((*AXIS, "observed"), array([1.0]), r"axes\[0\].observed must be of shape \(60,\)"),
        ((*AXIS, "codes"), array([0.5]), r"axes\[0\].codes must be an array of int64"),
        ((*AXIS, "codes", "array", 0), 4, r"axes\[0\].codes must be below 4, the number of"),
        ((*AXIS, "codes", "array", 0), -1, r"axes\[0\].codes must be at least 0, got -1"),
        ((*AXIS, "codes", "array", 0), 2**63, r"codes must be numbers of type <i8, got 9223"),
        ((*AXIS, "typed_points"), 1, r"axes\[0\].typed_points must be None in a file, got 1"),
        (("local_effects", "rows", "array", 0), 60, "local_effects.rows must be from 0 to 59"),
        (("local_effects", "cells", "array", 0), 4, r"local_effects.cells must be below \(4,\)"),
        (("local_effects", "units"), array([1], "<i8"), "local_effects.units must be of shape"),
    ],
)
def test_broken_effects_are_refused(path, value, message, tmp_path):
    X, _ = numbers()
    ale(product, X, "a", K=4, local_effects=True).save(tmp_path / "effect.json")
    state = json.loads((tmp_path / "effect.json").read_text(encoding="utf-8"))
    (tmp_path / "effect.json").write_text(json.dumps(changed(state, path, value)), encoding="utf-8")
    with pytest.raises(ValueError, match=r"does not hold a whole result: .*" + message):
        load(tmp_path / "effect.json")


def test_broken_levels_are_refused(tmp_path):
    EFFECTS["ale c"].save(tmp_path / "effect.json")
    state = json.loads((tmp_path / "effect.json").read_text(encoding="utf-8"))
    for path, value, message in (
        (("observed", "array", 0), "nowhere", "observed must be the levels of the codes"),
        (
            ("points", "array", 0),
            EFFECTS["ale c"].x_values[0][1],
            "points must be different levels",
        ),
        (("points", "array", 0), array([1.0]), r"points\[0\] must be a label"),
        (("points",), array([1.0, 2.0, 3.0]), "points must be an array of labels"),
    ):
        broken = changed(state, (*AXIS, *path), value)
        (tmp_path / "broken.json").write_text(json.dumps(broken), encoding="utf-8")
        with pytest.raises(ValueError, match=message):
            load(tmp_path / "broken.json")


@each_class
def test_a_field_that_is_missing_or_of_another_type_is_refused(result, tmp_path):
    result.save(tmp_path / "result.json")
    state = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    for field in fields(result):
        for value in (LEFT_OUT, array([[1]])):
            broken = changed(state, (field.name,), value)
            (tmp_path / "broken.json").write_text(json.dumps(broken), encoding="utf-8")
            with pytest.raises(ValueError, match=rf"whole result: .*{field.name}"):
                load(tmp_path / "broken.json")


@each_class
def test_arrays_of_another_shape_are_refused(result, tmp_path):
    """Every array has a shape that other fields decide."""
    result.save(tmp_path / "result.json")
    state = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    for field in fields(result):
        if isinstance(getattr(result, field.name), np.ndarray):
            value = {**state[field.name], "shape": [*state[field.name]["shape"], 1]}
            broken = changed(state, (field.name,), value)
            (tmp_path / "broken.json").write_text(json.dumps(broken), encoding="utf-8")
            with pytest.raises(ValueError, match="whole result"):
                load(tmp_path / "broken.json")


@pytest.mark.parametrize("name", ["AleResult", "PartialDependenceResult", "MPlotResult"])
def test_broken_files_of_0_1_0_are_refused(name, tmp_path):
    state = json.loads((DATA / f"format1_{name}.json").read_text(encoding="utf-8"))
    for path, value, message in (
        (("f_values",), array([1.0]), "f_values must be of the points' shape"),
        (("f_values",), 5, "f_values must be an array of float64, got 5"),
        (("kinds", "tuple", 0), "evil", r"axes\[0\]"),
        (("kinds",), "numeric", "kinds must be a tuple"),
        (("x_values", "tuple", 0), "abc", r"axes\[0\].points must be an array"),
        (("observed", "tuple", 0, "dtype"), "<U2000000000", "dtype must be one of"),
        (("features",), LEFT_OUT, "lacks the field 'features'"),
    ):
        broken = changed(state, path, value)
        (tmp_path / "broken.json").write_text(json.dumps(broken), encoding="utf-8")
        with pytest.raises(ValueError, match=message):
            load(tmp_path / "broken.json")


def test_results_nested_too_deeply_are_neither_read_nor_written(tmp_path):
    regions = next(r for r in RESULTS.values() if type(r) is Region and r.children)
    for _ in range(60):
        regions = replace(regions, children=(regions, regions.children[0]))
    with pytest.raises(ValueError, match="nested deeper than 100 levels cannot be saved"):
        regions.save(tmp_path / "regions.json")
    assert not (tmp_path / "regions.json").exists()
    EFFECTS["ale x"].save(tmp_path / "effect.json")
    state = json.loads((tmp_path / "effect.json").read_text(encoding="utf-8"))
    for _ in range(150):
        state["target"] = {"tuple": [state["target"]]}
    (tmp_path / "effect.json").write_text(json.dumps(state), encoding="utf-8")
    with pytest.raises(ValueError, match="must not be nested deeper than 100 levels"):
        load(tmp_path / "effect.json")


def strengths():
    X = pd.DataFrame({"a": [0.0, 1, 2, 3], "b": [1.0, 3, 2, 0], "c": list("uuvv")})
    return X, ale(lambda X: X["a"] - 3 * X["b"] + (X["c"] == "v"), X, ["c", ("a", "b"), "b", "a"])


def test_the_strength_is_the_standard_deviation_over_the_rows():
    X, effects = strengths()
    # Rows stand in the middle of their intervals: (0, 1], with two rows, (1, 2] and (2, 3].
    middles = np.array([0.5, 0.5, 1.5, 2.5])
    np.testing.assert_allclose(effects["a"].strength, middles.std(), rtol=EXACT)
    np.testing.assert_allclose(effects["b"].strength, 3 * middles.std(), rtol=EXACT)
    np.testing.assert_allclose(effects["c"].strength, 0.5, rtol=EXACT)
    assert effects["a", "b"].strength < EXACT
    weighted = ale(lambda X: X["a"], X, "c", order="declared", sample_weight=[1, 1, 1, 3])
    at = weighted.f_values
    mean = (2 * at[0] + 4 * at[1]) / 6
    right = np.sqrt((2 * (at[0] - mean) ** 2 + 4 * (at[1] - mean) ** 2) / 6)
    np.testing.assert_allclose(weighted.strength, right, rtol=EXACT)
    profile = partial_dependence(lambda X: X["a"], X, "a", grid=[0.0, 1, 2, 3])
    np.testing.assert_allclose(profile.strength, np.std([0, 1, 2, 3]), rtol=EXACT)
    assert np.isnan(replace(profile, f_values=np.full(4, np.nan)).strength)


def test_collections_are_sorted():
    _, effects = strengths()
    assert list(effects.sort_by("strength")) == ["b", "a", "c", ("a", "b")]
    assert list(effects.sort_by("range")) == ["b", "a", "c", ("a", "b")]
    assert list(effects.sort_by("name")) == ["a", ("a", "b"), "b", "c"]
    by_points = effects.sort_by(lambda effect: effect.f_values.size)
    assert list(by_points) == [("a", "b"), "b", "a", "c"]
    assert list(effects) == ["c", ("a", "b"), "b", "a"]
    assert list(effects.top(2)) == ["b", "a"]
    assert list(effects.top(1, by="name")) == ["a"]
    assert list(effects.top(9)) == list(effects.sort_by("strength"))
    assert len(effects.top(0)) == 0
    unknown = replace(effects["b"], f_values=np.full(4, np.nan))
    mixed = EffectCollection((unknown, effects["c"], effects["a"]))
    assert list(mixed.sort_by("strength")) == list(mixed.sort_by("range")) == ["a", "c", "b"]
    with pytest.raises(ValueError, match=r"by must be 'strength', 'range', 'name' or a callable"):
        effects.sort_by("size")
    for n in (-1, 1.5, True):
        with pytest.raises(ValueError, match="n must be a whole number of at least 0, got"):
            effects.top(n)
