"""The test vectors: as their schema says, complete, and answered from their predictions alone."""

import json
import re

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from aleplot_py import ale, ice, partial_dependence
from validation import __main__ as command
from validation import vectors
from validation.goldens_reader import cases, relative_difference

pytestmark = pytest.mark.stored

SCHEMA = json.loads((vectors.FOLDER / "schema.json").read_text(encoding="utf-8"))
FILES = vectors.names()
LONG = 20
# Means of iml are those of data.table, which adds in another order in every thread.
OF_IML = 1e-12
# PDPlot's main effects are subtracted from means of predictions, which are larger.
OF_PREDICTIONS = 16 * 2.0**-52


def parameters(pattern):
    """Parameters of a test, one for each vector."""
    return [pytest.param(case, id=case.id) for case in cases(pattern)]


def options_of(case):
    """Points and orders of R, whose direction no implementation can know."""
    vector = case["vector"]
    given = dict(zip(case.features, vectors.points(vector), strict=True))
    order = {name: axis for name, axis in given.items() if isinstance(axis[0], str)}
    features = case.features if len(case.features) == 2 else case.features[0]
    return features, {"order": order or None}, vector["expected"]


def shortened(value):
    """The same with the first entries only of long lists, whose entries are all of one kind."""
    if isinstance(value, dict):
        return {key: shortened(part) for key, part in value.items()}
    if isinstance(value, list) and len(value) > LONG and not isinstance(value[0], (dict, list)):
        return value[:LONG]
    return [shortened(part) for part in value] if isinstance(value, list) else value


def test_files_follow_the_schema():
    """All of them, and the schema is one; long lists by their first entries."""
    Draft202012Validator.check_schema(SCHEMA)
    assert len(FILES) == 9
    for name in FILES:
        content = shortened(vectors.read(name))
        assert list(Draft202012Validator(SCHEMA).iter_errors(content)) == [], name


def test_every_prediction_is_a_number_of_the_schema():
    """The entries of the longest lists, which the schema is slow on."""
    number = re.compile(SCHEMA["$defs"]["number"]["pattern"])
    for name in FILES:
        for case in vectors.read(name)["cases"]:
            assert all(map(number.match, case["asked"]["prediction"])), case["id"]


@pytest.mark.parametrize("spoil", ["number", "kind", "row", "extra"])
def test_the_schema_refuses(spoil):
    """Decimal numbers, other kinds, rows counted from -1, unknown keys."""
    content = shortened(json.loads(json.dumps(vectors.read("ale_categorical"))))
    case = content["cases"][0]
    if spoil == "number":
        case["expected"]["values"][0] = 0.25
    elif spoil == "kind":
        content["data"][case["data"]]["x1"]["kind"] = "text"
    elif spoil == "row":
        case["asked"]["row"][0] = -1
    else:
        case["more"] = 1
    assert not Draft202012Validator(SCHEMA).is_valid(content)


def test_there_is_one_answer_to_each_question():
    """Rows, points and predictions belong together, and lie within the data."""
    for name in FILES:
        for case in cases(name):
            asked = case["vector"]["asked"]
            assert len(asked["row"]) == len(asked["prediction"])
            assert max(asked["row"]) == case["n"] - 1
            for to, axis in zip(asked["to"], case["vector"]["points"], strict=True):
                assert len(to) == len(asked["row"])
                assert max(to) < len(axis)


def test_the_table_knows_nothing_else():
    """A row that was not asked is an error, not a guess."""
    case = cases("ale_numeric")[0]
    other = case.frame().assign(x2=0.123)
    with pytest.raises(KeyError):
        case.table()(other)


@pytest.mark.parametrize("case", parameters("ale_*"))
def test_ale_from_the_table(record_parity, case):
    """Points, K and every bit of the values; to rounding where R stops and loops answer."""
    features, options, expected = options_of(case)
    effect = ale(case.table(), case.frame(), features, K=case["K"], **options)
    points = [list(axis) for axis in effect.x_values]
    right = np.array(vectors.numbers(expected["values"]))
    equal = points == vectors.points(case["vector"]) and list(effect.K) == expected["K"]
    if expected["source"] == "R":
        identical = np.array_equal(effect.f_values, right)
    else:
        identical = relative_difference(effect.f_values, right) < OF_IML
    record_parity("stored", f"vector {case.id}", None, equal and identical)
    assert equal
    assert identical


@pytest.mark.parametrize("case", parameters("pd_*"))
def test_partial_dependence_from_the_table(record_parity, case):
    """Points equal, values to rounding of the means."""
    features, options, expected = options_of(case)
    table = case.table()
    effect = partial_dependence(
        table, case.frame(), features, K=case["K"], centre="pdplot", **options
    )
    largest = np.abs(vectors.numbers(case["vector"]["asked"]["prediction"])).max()
    difference = np.abs(effect.f_values - np.array(vectors.numbers(expected["values"]))).max()
    equal = [list(axis) for axis in effect.x_values] == vectors.points(case["vector"])
    record_parity("stored", f"vector {case.id}", difference / largest, equal)
    assert equal
    assert difference <= OF_PREDICTIONS * largest


@pytest.mark.parametrize("case", parameters("iml_*"))
def test_iml_from_the_table(record_parity, case):
    """ALE, partial dependence and individual curves."""
    features, options, expected = options_of(case)
    given = case["grid_points"]
    options |= {"grid": "iml" if given is None else given, "K": case["grid_size"]}
    if case["method"] == "ale":
        outside = "error" if given is None else "iml"
        effect = ale(case.table(), case.frame(), features, outside=outside, **options)
        found = {"values": effect.f_values}
    else:
        centre = "none" if case["center_at"] is None else case["center_at"]
        effect = ice(case.table(), case.frame(), features, centre=centre, **options)
        found = {"values": effect.f_values, "individual": effect.individual}
    compared = expected.keys() & found.keys()
    assert compared
    largest = max(
        relative_difference(found[key], np.array(vectors.numbers(expected[key])))
        for key in compared
    )
    equal = [list(axis) for axis in effect.x_values] == vectors.points(case["vector"])
    record_parity("stored", f"vector {case.id}", largest, equal)
    assert equal
    assert largest <= OF_IML


@pytest.mark.aleplot_r
@pytest.mark.iml_r
def test_r_answers_as_stored(capsys):
    """The command asks R once more, and finds no difference."""
    assert command.main(["vectors", "--only", "pd_categorical"]) == 0
    assert capsys.readouterr().out == "pd_categorical: equal\n"
