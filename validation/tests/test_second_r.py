"""Other Rs: plain Rscript computes stored curves again; what was found is what is stored."""

import dataclasses

import numpy as np
import pytest

from validation import second_r

pytestmark = pytest.mark.base_r


def test_stored_curves_in_plain_r(record_parity):
    """Base R alone, without the bridge: every curve bit for bit, every order of levels."""
    found = second_r.compare(*second_r.run_rscript(second_r.codes()))
    record_parity("base_r", "stored curves in Rscript", None, found.identical == found.curves)
    assert found.curves == len(second_r.asked_curves()) > 50
    assert found.identical == found.curves
    assert set(found.orders) <= {"equal", "reversed", "tied", "undetermined"}


def test_another_value_or_order_is_seen():
    """In the last place of one value, and in two levels that changed places."""
    curves, orders = second_r.asked_curves(), second_r.asked_orders()
    levels = [
        [case["data"][case.features[0]]["levels"].index(x) + 1.0 for x in case["r"]["x_values"]]
        for case in orders
    ]
    right = [second_r.curve_of(case) for case in curves]
    about = "4.2.2|blas|3.11.0|lapack|64"
    found = second_r.compare(about, [np.zeros(1), *right, *map(np.array, levels)])
    assert found.identical == found.curves
    assert found.orders == {"equal": len(orders)}
    right[0] = np.nextafter(right[0], np.inf)
    levels[0][:2] = levels[0][1::-1]
    levels[1] = levels[1][::-1]
    worse = second_r.compare(about, [np.zeros(1), *right, *map(np.array, levels)])
    assert worse.identical == found.curves - 1
    assert worse.orders["equal"] == len(orders) - 2
    assert worse.orders["reversed"] == 1


def test_what_was_found_is_whole():
    """Several Rs, and every field that the report shows."""
    stored = second_r.read()
    assert len({dataclasses.astuple(found)[:3] for found in stored}) == len(stored) >= 5
    for found in stored:
        assert found.identical == found.curves
        assert sum(found.orders.values()) == len(second_r.asked_orders())
