"""Comparison of a figure's numbers with R's and with those committed."""

import numpy as np
import pandas as pd
import pytest

from reproductions.engine.reference import (
    FOLDER,
    Reference,
    Refits,
    difference_from_committed,
    read_csv,
)


def test_one_unit_in_the_last_place_of_a_grid_is_unequal(r_table):
    file = r_table(**{".value": [1.0, 2.0], "x": [0.1, 0.2]})
    same = pd.DataFrame({"x": [0.1, 0.2], "ale": [1.0, 2.0]})
    off = pd.DataFrame({"x": [np.nextafter(0.1, 1), 0.2], "ale": [1.0, 2.0]})
    assert Reference(file).compare(same).matches
    assert not Reference(file).compare(off).grid_equal


def test_values_beyond_the_tolerance_do_not_match(r_table):
    file = r_table(**{".value": [1.0, 2.0], "x": [0.1, 0.2]})
    near = pd.DataFrame({"x": [0.1, 0.2], "ale": [1.0, 2.0 + 9e-10]})
    far = pd.DataFrame({"x": [0.1, 0.2], "ale": [1.0, 2.0 + 2e-9]})
    assert Reference(file).compare(near).matches
    comparison = Reference(file).compare(far)
    assert comparison.grid_equal
    assert not comparison.matches
    assert comparison.difference == pytest.approx(2e-9, rel=1e-5)


def test_levels_may_be_reversed_but_numbers_may_not(r_table):
    file = r_table(**{".value": [1.0, 2.0, 3.0], "month": ["a", "b", "c"]})
    turned = pd.DataFrame({"month": ["c", "b", "a"], "ale": [3.0, 2.0, 1.0]})
    mixed = pd.DataFrame({"month": ["b", "a", "c"], "ale": [2.0, 1.0, 3.0]})
    assert Reference(file).compare(turned).matches
    assert not Reference(file).compare(mixed).matches
    file = r_table(**{".value": [1.0, 2.0], "x": [0.1, 0.2]})
    assert not Reference(file).compare(pd.DataFrame({"x": [0.2, 0.1], "ale": [2.0, 1.0]})).matches


def test_a_pair_is_matched_by_its_grid_whatever_the_order_of_rows(r_table):
    file = r_table(**{".ale": [1.0, 2.0, 3.0, 4.0], "x": [0, 1, 0, 1], "w": [5.0, 5.0, 6.0, 6.0]})
    ours = pd.DataFrame({"x": [0, 0, 1, 1], "w": [5.0, 6.0, 5.0, 6.0], "ale": [1.0, 3.0, 2.0, 4.0]})
    assert Reference(file).compare(ours).matches
    assert not Reference(file).compare(ours.assign(ale=[1.0, 2.0, 3.0, 4.0])).matches


def test_missing_rows_and_values_do_not_match(r_table):
    file = r_table(**{".value": [1.0, np.nan], "x": [0.1, 0.2]})
    both = pd.DataFrame({"x": [0.1, 0.2], "ale": [1.0, np.nan]})
    assert Reference(file).compare(both).matches
    assert not Reference(file).compare(both.fillna(0.0)).matches
    assert not Reference(file).compare(both[:1]).matches


def test_densities_are_compared_as_a_share_of_the_peak(r_table):
    file = r_table(x=[0.1, 0.2], density=[10.0, 1.0])
    ours = pd.DataFrame({"x": [0.1, 0.2], "density": [10.0, 1.04]})
    assert Reference(file, tolerance=0.005, of_peak=True).compare(ours).matches
    assert not Reference(file, tolerance=0.003, of_peak=True).compare(ours).matches


REFITS = pd.DataFrame(
    {"feature": list("abcd"), "importance": [1.0, 5.0, 2.0, 9.0], "std": [1.0, 1.0, 1.0, 2.0]}
)


@pytest.mark.parametrize(
    ("changed", "deviations"),
    [
        ({}, 0.0),
        ({"importance": [2.0, 8.0, 3.0, 15.0]}, 3.0),
        ({"importance": [2.0, 8.1, 3.0, 15.0]}, 3.1),
        ({"importance": [-1.0, -5.0, -2.0, -9.0]}, 10.0),
        ({"importance": [2.0, 5.0, 1.5, np.nan]}, np.inf),
        ({"std": [0.0, 0.0, 0.0, 0.0]}, 0.0),
        ({"std": [-1.0, 0.0, 0.0, 0.0], "importance": [1.1, 5.0, 2.0, 9.0]}, np.inf),
    ],
)
def test_refits_are_within_a_stated_number_of_deviations(r_table, changed, deviations):
    r = r_table(feature=list("abcd"), importance=REFITS["importance"])
    reference = Reference(r, {"importance": "importance"}, {"feature": "feature"}, refits=Refits())
    comparison = reference.compare(REFITS.assign(**changed))
    assert comparison.deviations == pytest.approx(deviations, rel=1e-12)
    assert comparison.matches is (deviations <= 3)


def test_refits_have_the_ranks_of_r(r_table):
    r = r_table(feature=list("abcd"), importance=[5.0, 1.0, 9.0, 2.0])
    reference = Reference(r, {"importance": "importance"}, {"feature": "feature"}, refits=Refits())
    comparison = reference.compare(REFITS.assign(std=100.0))
    assert comparison.deviations < 1
    assert comparison.rank_correlation == pytest.approx(-0.6, abs=1e-12)
    assert not comparison.matches
    # No order at all is not R's either.
    assert not reference.compare(REFITS.assign(std=100.0, importance=4.0)).matches


def test_a_table_without_a_grid_cannot_be_compared(r_table):
    file = r_table(**{".value": [1.0], "x": [0.1]})
    with pytest.raises(
        ValueError, match=r"r\.csv has none of the columns \['y', 'ale'\] as a grid"
    ):
        Reference(file).compare(pd.DataFrame({"y": [0.1], "ale": [1.0]}))


def test_differences_from_committed_numbers_are_named(tmp_path):
    table = pd.DataFrame({"level": ["a", "b"], "ale": [100.0, -200.0], "n": [1, 2]})
    path = tmp_path / "t.csv"
    assert difference_from_committed(table, path) == "t.csv is missing"
    table.to_csv(path, index=False)
    assert difference_from_committed(table, path) is None
    assert difference_from_committed(table.assign(ale=[100.0, -200.0 - 1e-8]), path) is None
    changes = {
        "ale differs by": table.assign(ale=[100.0, -200.001]),
        "level differs": table.assign(level=["a", "c"]),
        "n differs": table.assign(n=[1, 3]),
        "has 2 rows, now 1": table[:1],
        "has the columns": table.rename(columns={"n": "m"}),
    }
    for message, changed in changes.items():
        assert message in difference_from_committed(changed, path)


def test_a_file_cut_anywhere_differs_and_raises_nothing(tmp_path):
    table = pd.DataFrame({"level": ["a", "b"], "ale": [100.25, -2e-20], "n": [1, 2]})
    path = tmp_path / "t.csv"
    table.to_csv(path, index=False)
    whole = path.read_bytes()
    # Without its last end of line a file says the same.
    for length in range(len(whole) - 1):
        path.write_bytes(whole[:length])
        assert difference_from_committed(table, path), whole[:length]
    for content in (b"\xff\xfe", b"\0" * 20, b"level,ale,n\na,x,1\nb,y,2\n", b'"' * 200_000):
        path.write_bytes(content)
        assert difference_from_committed(table, path), content[:20]
    path.unlink()
    path.mkdir()
    assert "t.csv cannot be read" in difference_from_committed(table, path)


def test_references_are_read_with_every_bit():
    table = read_csv(FOLDER / "fig20_ale_bike_windspeed.csv")
    first = (FOLDER / "fig20_ale_bike_windspeed.csv").read_text().splitlines()[1].split(",")
    assert table[".value"][0] == float(first[1])
    assert table["windspeed"][0] == float(first[2])
