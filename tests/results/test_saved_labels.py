"""Files: labels and names of every kind come back as they were."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, load
from tests.small_inputs import first, numbers

LABELS = {
    "timedelta": list(pd.to_timedelta([1, 2], unit="D")),
    "period": list(pd.period_range("2020", periods=2, freq="Q")),
    "date": [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)],
    "datetime": [datetime.datetime(2020, 1, 1, 3), datetime.datetime(2020, 1, 2)],
    "time": [datetime.time(1, 2, 3), datetime.time(2)],
    "decimal": [Decimal("1.10"), Decimal(2)],
    "bytes": [b"a", b"\xff"],
    "infinite": [-np.inf, np.inf],
    "tuple": [(1, "x"), (2, None)],
}


@pytest.mark.parametrize("kind", list(LABELS))
def test_labels_of_every_kind_are_saved(kind, tmp_path):
    column = np.empty(4, dtype=object)
    column[:] = LABELS[kind] * 2
    X = pd.DataFrame({"c": pd.Series(column, dtype=object), "x": [0.0, 1, 2, 3]})
    effect = ale(lambda X: X["x"], X, ("c", "x"), categorical="c")
    effect.save(tmp_path / "effect.json")
    found = load(tmp_path / "effect.json").x_values[0].tolist()
    assert found == effect.x_values[0].tolist()
    assert [type(level) for level in found] == [type(level) for level in effect.x_values[0]]


@pytest.mark.parametrize("name", [np.inf, pd.NaT, np.nan])
def test_odd_names_are_saved(name, tmp_path):
    effect = ale(first, numbers([name, "z"]), 0)
    effect.save(tmp_path / "effect.json")
    assert repr(load(tmp_path / "effect.json").features) == repr((name,))
