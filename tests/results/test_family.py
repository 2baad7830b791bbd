"""What all results share, class by class: frozen, equal to the bit, shown in a line."""

import copy
import datetime
import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace

import numpy as np
import pandas as pd
import pytest

import aleplot_py
import aleplot_py.importance
from aleplot_py import (
    AleDisplay,
    AleStatistics,
    Decomposition,
    Effect,
    ale,
    decompose,
    load,
    m_plot,
    partial_dependence,
)
from aleplot_py.errors import SourceError
from aleplot_py.inputs import frames
from aleplot_py.results.base import Result
from aleplot_py.steps.grid import bin_codes
from tests.results.every_result import (
    EFFECTS,
    RESULTS,
    black_box,
    each_class,
    each_result,
    numbers,
    product,
    table,
)
from validation.compare import RComparison


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
        table, before = one.to_frame(), result.to_frame()
        assert table.index.tolist() == before.index.tolist()
        pd.testing.assert_frame_equal(
            table.reset_index(drop=True), before.reset_index(drop=True), check_exact=True
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


def test_what_the_caller_does_to_the_data_later_does_not_change_a_result():
    # Where pandas shares memory until somebody writes, these write past it.
    data = np.arange(20.0).reshape(10, 2) ** 2
    frames = [pd.DataFrame(data, columns=["a", "b"], copy=copy) for copy in (True, False)]
    values = frames[0]["b"].array
    effects = [ale(lambda X: X["a"], X, ["a", "b", ("a", "b")], K=3) for X in frames]
    before = pickle.dumps(effects)
    data[:] = 0
    frames[0]["a"].array[:] = 0
    values[:] = 0
    assert effects == pickle.loads(before)


@pytest.mark.parametrize("kind", ["array", "frame", "singles", "levels"])
def test_effects_of_a_call_share_the_rows_of_a_column(kind):
    numbers = np.stack([np.arange(12.0), np.arange(12.0)[::-1] ** 2], axis=1)
    made = {
        "array": numbers,
        "frame": pd.DataFrame(numbers),
        "singles": numbers.astype(np.float32),
        "levels": pd.DataFrame({0: list("abcabcabcabc"), 1: numbers[:, 1]}),
    }

    def two(X):
        one = np.asarray(X)[:, 1].astype(float)
        return np.stack([one, 2 * one], axis=1)

    def rows(groups):
        """Memory of the codes of column 0, and of its values if they are kept, of each effect."""
        found = ale(
            two, made[kind], [0, (0, 1)], K=2, order="declared", target="all", groups=groups
        )
        for effect in found.values():
            axis = effect.axes[effect.features.index(0)]
            kept = [axis.__dict__["codes"], axis.kept]
            yield {id(values) for values in kept if values is not None}

    parts = 1 if kind == "levels" else 2  # which are those of the codes
    assert len(set().union(*rows(None))) == parts
    assert len(set().union(*rows(np.arange(12) % 2))) == 2 * parts


def many_rows(kind, n=40):
    numbers = np.stack([np.arange(n) ** 1.5, np.arange(n)[::-1] ** 2.0], axis=1)
    made = {
        "array": numbers,
        "columns": np.asfortranarray(numbers),
        "frame": pd.DataFrame(numbers),
        "singles": numbers.astype(np.float32),
        "integers": pd.DataFrame(numbers.astype(int)),
        "nullable": pd.DataFrame(numbers.astype(int)).astype("Int64"),
        "objects": pd.DataFrame(numbers.astype(int)).astype(object),
        "times": pd.DataFrame({0: pd.to_datetime(numbers[:, 0].round(), unit="D"), 1: 1.0}),
    }
    if kind == "polars":
        polars = pytest.importorskip("polars")
        return polars.DataFrame({"0": numbers[:, 0], "1": numbers[:, 1]})
    return made[kind]


KINDS = (
    *("array", "columns", "frame", "singles", "integers", "nullable", "objects", "times"),
    "polars",
)


def first_column(X):
    column = X["0"].to_numpy() if type(X).__module__.startswith("polars") else np.asarray(X)[:, 0]
    return pd.to_numeric(pd.Series(column)).to_numpy(float)


@pytest.mark.parametrize("kind", KINDS)
def test_of_many_rows_the_values_are_read_when_they_are_asked_for(kind, monkeypatch, tmp_path):
    X = many_rows(kind)
    name = X.columns[0] if hasattr(X, "columns") else 0

    def effects():
        made = (ale, partial_dependence, m_plot)
        return [one(first_column, X, name, K=5) for one in made]

    copied = effects()
    monkeypatch.setattr(frames, "COPIED_ROWS", 30)
    read = effects()
    for one, other in zip(copied, read, strict=True):
        assert isinstance(one.axes[0].kept, np.ndarray)
        assert callable(other.axes[0].kept)
        assert other.observed[0].tobytes() == one.observed[0].tobytes()
        assert not other.observed[0].flags.writeable
        assert other == one
        assert other.axes[0].n == 40
        other.save(tmp_path / "effect.json")
        for kept in (pickle.loads(pickle.dumps(other)), load(tmp_path / "effect.json")):
            assert isinstance(kept.axes[0].kept, np.ndarray)
            assert kept == one


def test_of_rows_that_are_left_out_the_values_are_copied(monkeypatch):
    monkeypatch.setattr(frames, "COPIED_ROWS", 30)
    X = many_rows("array")
    X[3, 0] = np.nan
    effect = ale(lambda a: a[:, 1], X, 0, K=5, missing="drop")
    assert effect.observed[0].tolist() == np.delete(X[:, 0], 3).tolist()
    assert isinstance(effect.axes[0].kept, np.ndarray)


@pytest.mark.parametrize("kind", ["array", "columns", "singles"])
def test_values_that_were_overwritten_are_not_handed_out(kind, monkeypatch):
    monkeypatch.setattr(frames, "COPIED_ROWS", 30)
    X = many_rows(kind)
    effect = ale(first_column, X, 0, K=5)
    before = pickle.loads(pickle.dumps(effect))
    X[[1, 2]] = X[[2, 1]]  # the same values
    with pytest.raises(SourceError, match=r"column 0 of X was overwritten .* more than 30 rows"):
        effect.observed  # noqa: B018
    assert effect != before
    assert effect.f_values.tolist() == before.f_values.tolist()
    assert effect.evaluate([5.0]).tolist() == before.evaluate([5.0]).tolist()
    X[[1, 2]] = X[[2, 1]]
    assert effect == before


@pytest.mark.parametrize("kind", ["numbers", "times"])
@pytest.mark.parametrize("value", ["text", 10**400, 1j, [1], None, datetime.date(2020, 1, 1)])
def test_what_is_none_of_their_kind_was_overwritten_too(kind, value, monkeypatch):
    monkeypatch.setattr(frames, "COPIED_ROWS", 30)
    X = many_rows("array").astype(object)
    if kind == "times":
        X[:, 0] = datetime.datetime(2020, 1, 1) + np.arange(40) * datetime.timedelta(1)
    effect = ale(lambda a: a[:, 1].astype(float), X, 0, K=5)
    effect.mean_prediction  # noqa: B018
    X[3, 0] = value
    with pytest.raises(SourceError, match="column 0 of X was overwritten"):
        effect.observed  # noqa: B018


@pytest.mark.parametrize("kind", ["array", "times"])
def test_effects_of_values_that_were_overwritten_are_still_shown(kind, monkeypatch):
    monkeypatch.setattr(frames, "COPIED_ROWS", 30)
    X = many_rows(kind)
    effect = ale(first_column, X, 0, K=5)
    line = effect.plot(visuals={"rug": False}).lines_[0]
    values = X if kind == "array" else X[0].array
    values[3] = values[4]
    with pytest.raises(SourceError, match="column 0 of X was overwritten"):
        effect.plot()
    drawn = [
        effect.plot(visuals={"rug": False}),
        AleDisplay.overlay({"one": effect, "two": effect}, align="none", visuals={"rug": False}),
    ]
    for one in drawn:
        assert np.array_equal(one.lines_[0].get_xydata(), line.get_xydata())
    assert effect._repr_html_().endswith("</table>")
    assert effect.summary().startswith(repr(effect))


def test_what_replaces_a_column_of_a_frame_does_not_reach_a_result(monkeypatch):
    monkeypatch.setattr(frames, "COPIED_ROWS", 30)
    X = many_rows("frame")
    effect = ale(first_column, X, 0, K=5)
    before = pickle.loads(pickle.dumps(effect))
    X[0] = "text"
    assert effect.observed[0].tolist() == before.observed[0].tolist()
    del X[0]
    assert effect.observed[0].tolist() == before.observed[0].tolist()


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
