"""Universal Binary JSON, read as it is defined and as XGBoost writes it."""

import json
import struct

import numpy as np
import pytest

from aleplot_py.trees.ubjson import decoded


def test_every_kind_of_value():
    values = {
        "a": (b"i\xff", -1),
        "b": (b"U\xff", 255),
        "c": (b"I\xff\xfe", -2),
        "d": (b"l\x00\x01\x00\x00", 65536),
        "e": (b"L" + struct.pack(">q", -(2**40)), -(2**40)),
        "f": (b"d" + struct.pack(">f", 0.25), 0.25),
        "g": (b"D" + struct.pack(">d", 0.1), 0.1),
        "h": (b"T", True),
        "i": (b"F", False),
        "j": (b"Z", None),
        "k": (b"Si\x03\xc3\xa9!", "é!"),
        "l": (b"[i\x01[]{}]", [1, [], {}]),
        "m": (b"[#i\x02Si\x00i\x05", ["", 5]),
    }
    members = (b"i\x01" + name.encode() + text for name, (text, _) in values.items())
    document = b"{" + b"".join(members) + b"}"
    assert decoded(document) == {name: value for name, (_, value) in values.items()}
    numbers = decoded(b"[$d#i\x02" + struct.pack(">ff", 1.5, -2.0))
    assert isinstance(numbers, np.ndarray)
    assert numbers.tolist() == [1.5, -2.0]
    with pytest.raises(KeyError):
        decoded(b"?")


def test_what_xgboost_writes():
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = xgboost.XGBRegressor(n_estimators=140, max_depth=2, n_jobs=1).fit(X, X[:, 0] > 0)
    text, binary = (bytes(model.get_booster().save_raw(form)) for form in ("json", "ubj"))

    def same(one, other):
        if isinstance(one, dict):
            return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
        if isinstance(one, list):
            return len(one) == len(other) and all(map(same, one, other))
        return one == other or np.float32(one) == other

    assert same(json.loads(text), decoded(binary))
