"""Black boxes that know only what a row holds, and every type of output that they may have."""

import decimal
import importlib.util
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd


def _text(value):
    """A cell's value whatever type it has: numbers by their size, so that 3 is 3.0."""
    if value is None or value is pd.NA or value is pd.NaT:
        return "missing"
    if isinstance(value, (bool, int, float, np.number, np.bool_, decimal.Decimal)):
        number = float(value)
        return "missing" if np.isnan(number) else repr(number)
    return value if isinstance(value, str) else repr(value)


@dataclass
class Hashed:
    """Prediction that has nothing smooth: a number of 12 bits for each row and point.

    Differences of such numbers are exact, so that a mean can be asked for to the last bit.

    Parameters
    ----------
    places : sequence of int
        Positions of the columns that are read: the explained ones and the row's number.
    output : Output
        In what container and type.
    power : int
        Predictions are times 2**power, in the type "array" only.
    """

    places: Any
    output: Any
    power: int = 0

    def values(self, frame):
        columns = [
            (frame.iloc[:, place] if isinstance(frame, pd.DataFrame) else frame[:, place]).tolist()
            for place in self.places
        ]
        keys = ["|".join(map(_text, cells)).encode() for cells in zip(*columns, strict=True)]
        return np.array([zlib.crc32(key) % 4096 - 2048 for key in keys]) / 64

    def reference(self, frame):
        """What the output means, as plain doubles."""
        return np.ldexp(self.output.value(self.values(frame)), self.power)

    def __call__(self, frame):
        values = self.output.value(self.values(frame))
        return self.output.of(np.ldexp(values, self.power), frame)


@dataclass
class Output:
    """How predictions come out.

    Parameters
    ----------
    of : callable(values, frame) -> anything
        The container.
    value : callable(values) -> values
        Values that the type can hold.
    options : dict
        Options that such an output needs.
    """

    of: Any
    value: Any = lambda v: v
    options: Any = None


def _whole(v):
    return np.floor(v)


def _byte(v):
    return np.floor(v) % 100


def _truth(v):
    return (v > 0).astype(float)


OUTPUTS = {
    "array": Output(lambda v, X: v),
    "float32": Output(lambda v, X: v.astype("float32")),
    "float16": Output(lambda v, X: v.astype("float16")),
    "whole": Output(lambda v, X: v.astype(int), _whole),
    "int8": Output(lambda v, X: v.astype("int8"), _byte),
    "uint8": Output(lambda v, X: v.astype("uint8"), _byte),
    "bool": Output(lambda v, X: v.astype(bool), _truth),
    "list": Output(lambda v, X: v.tolist()),
    "tuple": Output(lambda v, X: tuple(v)),
    "decimals": Output(lambda v, X: [decimal.Decimal(one) for one in v.tolist()]),
    "read only": Output(lambda v, X: np.broadcast_to(v, v.shape)),
    "strided": Output(lambda v, X: np.repeat(v, 2)[::2]),
    "swapped": Output(lambda v, X: v.astype(">f8")),
    "series": Output(lambda v, X: pd.Series(v)),
    "own index": Output(lambda v, X: pd.Series(v, index=getattr(X, "index", None))),
    "index": Output(lambda v, X: pd.Index(v)),
    "Float64": Output(lambda v, X: pd.array(v, dtype="Float64")),
    "Int64": Output(lambda v, X: pd.Series(v.astype(int), dtype="Int64"), _whole),
    "boolean": Output(lambda v, X: pd.Series(v.astype(bool), dtype="boolean"), _truth),
    "sparse": Output(lambda v, X: pd.Series(pd.arrays.SparseArray(v))),
    "masked": Output(lambda v, X: np.ma.masked_array(v)),
    "column": Output(lambda v, X: v[:, None]),
    "frame": Output(lambda v, X: pd.DataFrame({"p": v})),
    "two": Output(lambda v, X: np.stack([-v, v], axis=1), options={"target": 1}),
    "named": Output(lambda v, X: pd.DataFrame({"no": -v, "yes": v}), options={"target": "yes"}),
}
if importlib.util.find_spec("pyarrow") is not None:
    OUTPUTS["double[pyarrow]"] = Output(lambda v, X: pd.Series(v, dtype="double[pyarrow]"))

WRONG = {
    "nothing": Output(lambda v, X: None),
    "one number": Output(lambda v, X: 1.0),
    "text": Output(lambda v, X: v.astype(str)),
    "NaN": Output(lambda v, X: np.full(len(v), np.nan)),
    "infinite": Output(lambda v, X: [np.inf] * len(v)),
    "too large": Output(lambda v, X: np.full(len(v), 1e305)),
    "missing": Output(lambda v, X: pd.array([pd.NA] * len(v), dtype="Float64")),
    "too long": Output(lambda v, X: np.append(v, 1.0)),
    "complex": Output(lambda v, X: v + 1j),
    "times": Output(lambda v, X: pd.date_range("2020", periods=len(v))),
    "without target": Output(lambda v, X: np.stack([v, v], axis=1)),
    "three axes": Output(lambda v, X: v[:, None, None]),
    "ragged": Output(lambda v, X: [[1.0], *([1.0, 2.0] for _ in v)]),
}


class Model:
    """Regressor or classifier whose second class has the probability that is explained."""

    def __init__(self, box, method):
        self.box = box
        if method != "predict":
            self.classes_ = np.array(["no", "yes"])
            setattr(self, method, self._of_classes if method == "predict_proba" else box)

    def predict(self, X):
        return self.box(X)

    def _of_classes(self, X):
        values = self.box(X)
        return np.stack([1 - values, values], axis=1)
