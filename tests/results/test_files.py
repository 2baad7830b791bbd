"""Files of results: what 0.1.0 wrote is read, what is broken is refused by field."""

import copy
import json
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aleplot_py import (
    EffectCollection,
    LocalEffects,
    Region,
    ale,
    load,
    m_plot,
    partial_dependence,
)
from tests.results.every_result import (
    EFFECTS,
    RESULTS,
    check_identical,
    each_class,
    numbers,
    product,
)

DATA = Path(__file__).with_name("data")
# 0.1.0 rounded its sums on the way, and numpy's exp differs by version: last bits of numbers to 10.
ROUNDING = 1e-13


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
        for field in fields(one):
            if field.name not in ("_mean", "_column"):
                check_nearly_the_same(getattr(one, field.name), getattr(other, field.name))
        state = json.loads((DATA / f"format1_{name}.json").read_text(encoding="utf-8"))
        if "f_values" in state:
            saved = np.array(state["f_values"]["array"], dtype=np.float64)
            np.testing.assert_array_equal(one.f_values.ravel(), saved)


def check_nearly_the_same(one, other):
    """Values of a field alike; floats but for the rounding of sums, which 0.1.0 had."""
    if isinstance(one, tuple) and len(one) == len(other):
        for a, b in zip(one, other, strict=True):
            check_nearly_the_same(a, b)
    elif isinstance(one, LocalEffects):
        for field in fields(one):
            check_nearly_the_same(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, (np.ndarray, float)) and np.asarray(one).dtype.kind == "f":
        np.testing.assert_allclose(one, other, rtol=ROUNDING, atol=ROUNDING)
    else:
        check_identical(one, other)


def len_of(result):
    return len(result) if isinstance(result, EffectCollection) else 0


def changed(state, path, value):
    """A copy of a saved state with one value changed, or LEFT_OUT."""
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
        (("axes",), {"tuple": []}, "AleResult.axes must be one or more features"),
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
        if not field.compare:  # how it was made: no file has it
            continue
        later = field.name in type(result)._later  # older files may be silent of it
        assert not later or getattr(result, field.name) != field.default or field.name not in state
        for value in (array([[1]]),) if later else (LEFT_OUT, array([[1]])):
            broken = changed({field.name: None} | state, (field.name,), value)
            (tmp_path / "broken.json").write_text(json.dumps(broken), encoding="utf-8")
            with pytest.raises(ValueError, match=rf"whole result: .*{field.name}"):
                load(tmp_path / "broken.json")


def test_files_from_before_groups_are_read(tmp_path):
    effects = EffectCollection((EFFECTS["ale x"], EFFECTS["pd"]))
    effects.save(tmp_path / "now.json")
    text = (tmp_path / "now.json").read_text(encoding="utf-8")
    assert '"by"' not in text
    assert '"group"' not in text
    assert load(tmp_path / "now.json") == effects
    grouped = replace(effects, by=("group",), effects=(replace(EFFECTS["pd"], group="a"),))
    grouped.save(tmp_path / "grouped.json")
    assert load(tmp_path / "grouped.json") == grouped


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
