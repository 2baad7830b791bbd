"""Copies of rows in memory used again: never memory that a black box kept, nor what it wrote."""

import contextlib

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, ice, partial_dependence
from aleplot_py.inputs.memory import WIDE, Memory

COLUMNS = WIDE + 3


def numbers(columns=COLUMNS, n=40):
    return np.random.default_rng(columns).normal(size=(n, columns))


def first_two(X):
    values = X.to_numpy() if isinstance(X, pd.DataFrame) else X
    return values[:, 0] * values[:, 1]


@pytest.mark.parametrize("container", [np.asarray, np.asfortranarray, pd.DataFrame])
@pytest.mark.parametrize("columns", [3, COLUMNS])
def test_rows_that_the_black_box_keeps_stay_as_they_were(container, columns):
    X = container(numbers(columns))
    kept, then = [], []

    def keeps(X):
        then.append(X.copy())
        kept.append(X if len(kept) % 2 else X[:4])  # all of them, or a view
        return first_two(X)

    assert ale(keeps, X, "all", K=4) == ale(first_two, X, "all", K=4)
    partial_dependence(keeps, X, 0, K=3)
    for now, before in zip(kept, then, strict=True):
        assert np.array_equal(now, before[: len(now)])


def writers():
    def always(X, call):
        X[:, -1] = 7

    def late(X, call):  # between two of the calls that are checked
        if call == 11:
            X[:, 1] = 7

    def turning(X, call):  # every second call undoes it
        X[:, :] = -X[:, :]

    def last(X, call):
        if call == 2 * COLUMNS - 1:
            X[:, 0] = 7

    return [always, late, turning, last]


@pytest.mark.parametrize("write", writers(), ids=lambda write: write.__name__)
@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame])
def test_what_the_black_box_writes_into_wide_rows_reaches_no_other_call(write, container):
    X = container(numbers())
    before, calls = X.copy(), []

    def writes(rows):
        values = first_two(rows)
        write(rows if isinstance(rows, np.ndarray) else rows.iloc, len(calls))
        calls.append(0)
        return values

    assert ale(writes, X, "all", K=4) == ale(first_two, before, "all", K=4)
    assert np.array_equal(X, before)


@pytest.mark.parametrize("write", writers(), ids=lambda write: write.__name__)
@pytest.mark.parametrize("batch_rows", [None, 90, 25])
def test_what_the_black_box_writes_at_one_point_reaches_no_other(write, batch_rows):
    X, calls = numbers(4), []
    before = X.copy()

    def writes(rows):
        values = rows[:, 0] * rows[:, 1] + rows[:, 3]
        write(rows, len(calls))
        calls.append(0)
        return values

    right = ice(lambda rows: rows[:, 0] * rows[:, 1] + rows[:, 3], before, 0, K=70)
    assert ice(writes, X, 0, K=70, batch_rows=batch_rows) == right
    assert np.array_equal(X, before)


def test_labels_that_the_black_box_writes_to_are_its_own():
    X = pd.DataFrame(numbers(3), columns=list("abc"))

    def writes(rows):
        values = (rows["a"] * rows["b"]).to_numpy()
        with contextlib.suppress(ValueError):  # of pandas 3, where labels are read-only
            rows.columns.array[0] = "z"
        return values

    assert ale(writes, X, "all", K=4) == ale(first_two, X, "all", K=4)
    assert list(X.columns) == list("abc")


@pytest.mark.skipif(
    int(pd.__version__.partition(".")[0]) < 3, reason="older pandas puts a written column apart"
)
def test_a_frame_that_is_one_array_stays_one():
    X, found = pd.DataFrame(numbers(3)), []

    def looks(rows):
        found.append(np.may_share_memory(rows.to_numpy(), rows.iloc[:, 0].to_numpy()))
        return first_two(rows)

    ale(looks, X, "all", K=4, batch_rows=7)
    assert all(found) == np.may_share_memory(X.to_numpy(), X.iloc[:, 0].to_numpy())


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_copy_is_that_of_numpy(order):
    memory, X = Memory(), np.asarray(numbers(4), order=order)

    def copies():
        for rows in (slice(None), slice(3, 9), slice(1, 2), slice(None, None, -2)):
            for dtype in (np.float64, np.float32):
                right, got = X[rows].astype(dtype), memory.copy(X[rows], dtype)
                assert np.array_equal(got, right)
                assert (got.dtype, got.flags.c_contiguous) == (dtype, right.flags.c_contiguous)

    memory.during(copies)


@pytest.mark.parametrize("columns", [3, COLUMNS])
@pytest.mark.parametrize("batch_rows", [None, 20])
def test_points_that_the_type_of_an_array_cannot_hold_are_written_to_a_wider_one(
    columns, batch_rows
):
    X = numbers(columns).astype(np.float32)
    singles, doubles = (
        ice(first_two, data, 0, grid=[-0.1, 0.1, 0.7], batch_rows=batch_rows)
        for data in (X, X.astype(float))
    )
    assert np.array_equal(singles.individual, doubles.individual)


@pytest.mark.parametrize("bytes_at_once", [1, 100, 2**19])
@pytest.mark.parametrize("lasting", [True, False])
@pytest.mark.parametrize("order", ["C", "F"])
def test_columns_of_a_copy_are_replaced(order, lasting, bytes_at_once, monkeypatch):
    monkeypatch.setattr("aleplot_py.inputs.memory.AT_ONCE", bytes_at_once)
    memory, X = Memory(), np.asarray(numbers(4), order=order)
    n, before = len(X), X.copy()

    def copies():
        new = {2: np.arange(n), 0: -np.arange(float(n))}
        right = X.copy()
        right[:, 2], right[:, 0] = new[2], new[0]
        assert np.array_equal(memory.copy(X, X.dtype, new), right)
        again = np.broadcast_to(X, (3, n, 4))
        new = {1: np.arange(3.0)[:, None], 3: np.arange(3.0 * n).reshape(3, n)}
        right = again.copy()
        right[..., 1], right[..., 3] = new[1], new[3]
        assert np.array_equal(memory.copy(again, X.dtype, new), right)

    memory.during(copies) if lasting else copies()
    assert np.array_equal(X, before)


def test_memory_is_used_again_while_nobody_holds_it():
    memory, X = Memory(), numbers(4)

    def addresses():
        seen = [memory.copy(X, X.dtype).__array_interface__["data"][0] for _ in range(3)]
        kept = memory.copy(X, X.dtype)
        return seen, kept.__array_interface__["data"][0], memory.copy(X, X.dtype).ctypes.data

    seen, first, second = memory.during(addresses)
    assert set(seen) == {first}
    assert second != first


@pytest.mark.parametrize("container", [np.asarray, np.asfortranarray, pd.DataFrame])
def test_what_is_written_to_a_column_is_seen_before_that_is_replaced(container):
    def corrects(X):
        values = X.to_numpy(copy=True) if isinstance(X, pd.DataFrame) else X
        values[values[:, 0] > 10, 2] = 7
        if isinstance(X, pd.DataFrame):
            X.isetitem(2, values[:, 2])
        return values[:, 0] + values[:, 1] * values[:, 2]

    def corrects_its_own(X):
        return corrects(X.copy())

    few, many = numbers(3), numbers(COLUMNS)
    grid = {0: [-5.0, 4.0, 11.0], 1: [-5.0, 5.0], 2: [-5.0, 5.0]}
    options = {"grid": grid, "batch_rows": len(few)}
    served, honest = (
        (
            partial_dependence(black_box, container(few), [0, 1, 2], **options),
            ale(black_box, container(many), [0, 1, 2], grid=grid),
        )
        for black_box in (corrects, corrects_its_own)
    )
    assert served == honest
