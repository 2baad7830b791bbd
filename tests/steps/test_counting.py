"""Order statistics by counting, against sorting everything."""

import numpy as np
import pytest

from aleplot_py.steps import counting
from aleplot_py.steps.counting import WHOLE, Counts, Search, doubles, in_order, leading
from aleplot_py.steps.grid import grid_positions, quantile_grid

RNG = np.random.default_rng(20)
COLUMNS = {
    "normal": RNG.normal(size=9_000),
    "counts": RNG.poisson(3, 5_000) * 1.0,
    "wide": np.exp(RNG.normal(size=4_000) * 60) * RNG.choice([-1, 1], 4_000),
    "near each other": 1 + np.arange(3_000) * 2.0**-52,
    "denormal": np.arange(-50, 51) * 5e-324,
    "zeros": np.r_[np.repeat(-0.0, 5), 1e308, -1e308],
    "one": np.array([7.0]),
}


def bits(x):
    return np.asarray(x).view(np.int64).tolist()


def scanned(parts, numbers, few):
    """Search in parts of the data, merged from the last on, and the number of scans."""
    sorted_keys = [np.sort(in_order(part)) for part in parts]
    distinct = [Counts.of_few(keys, few) for keys in sorted_keys]
    scans = 1
    if all(counts is not None for counts in distinct):
        search = Search.within(merged(distinct), numbers, WHOLE)
    else:
        search = Search.within(merged([Counts.of(leading(keys)) for keys in sorted_keys]), numbers)
    while search.depth < WHOLE:
        search = search.narrowed(merged([search.count(part) for part in parts]))
        scans += 1
    return search.found, scans


def merged(counts):
    total = counts[-1]
    for more in counts[-2::-1]:
        total = total.merge(more)
    return total


def test_doubles_keep_their_order_as_integers():
    x = np.concatenate(list(COLUMNS.values()))
    x = np.sort(x[x != 0])
    assert (np.diff(in_order(x)) >= 0).all()
    assert bits(doubles(in_order(x))) == bits(x)


@pytest.mark.parametrize("kept", [counting.KEPT, 20], ids=["two scans", "three scans"])
@pytest.mark.parametrize("x", COLUMNS.values(), ids=COLUMNS)
def test_order_statistics_are_those_of_the_sorted_data(x, kept, monkeypatch):
    monkeypatch.setattr(counting, "KEPT", kept)
    numbers = np.unique(np.r_[0, grid_positions(len(x), 40), len(x) - 1])
    found, scans = scanned(np.array_split(x, min(3, len(x))), numbers, few=0)
    assert bits(found) == bits(np.sort(x)[numbers])
    assert scans <= (2 if kept > len(x) else 3)


def test_few_different_values_take_one_scan():
    x = COLUMNS["counts"]
    numbers = np.arange(len(x))
    found, scans = scanned(np.array_split(x, 4), numbers, few=50)
    assert (found.tolist(), scans) == (np.sort(x).tolist(), 1)
    assert Counts.of_few(np.arange(51), 50) is None


@pytest.mark.parametrize("rule", ["aleplot", "iml"])
@pytest.mark.parametrize("K", [1, 7, 40, 70_000])
def test_positions_of_a_grid(K, rule):
    x = COLUMNS["normal"]
    positions = grid_positions(len(x), K, rule)
    edges = np.unique(np.r_[x.min(), np.sort(x)[positions]])
    assert bits(edges) == bits(quantile_grid(x, K, rule))
