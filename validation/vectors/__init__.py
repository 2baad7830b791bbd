"""Test vectors: stored results of R with the predictions behind them.

README.md in this folder describes the files for readers in any language, ``schema.json`` says the
same to programs. `validation.vectors.write` asks R for them again.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parent
FORMAT = "aleplot-vectors/1"

Array = np.ndarray[Any, Any]


def path_of(name: str) -> Path:
    """File of a kind of vectors, such as ``ale_numeric``."""
    return FOLDER / f"{name}.json.xz"


@cache
def read(name: str) -> dict[str, Any]:
    """Content of a file of vectors.

    Parameters
    ----------
    name : str
        Such as ``ale_numeric``.

    Returns
    -------
    dict
        As ``schema.json`` describes it.
    """
    content: dict[str, Any] = json.loads(lzma.decompress(path_of(name).read_bytes()))
    return content


def names(pattern: str = "*") -> list[str]:
    """Names of the files that match a pattern such as ``ale_*``, sorted."""
    return sorted(path.name.removesuffix(".json.xz") for path in FOLDER.glob(f"{pattern}.json.xz"))


def numbers(texts: Any) -> Any:
    """Hexadecimal numbers as floats, nested as they are; null is NaN."""
    if isinstance(texts, list):
        return [numbers(text) for text in texts]
    return float("nan") if texts is None else float.fromhex(texts)


def hexadecimal(values: Any) -> Any:
    """Floats as hexadecimal text, exact, nested as they are; NaN is null, text stays text."""
    if isinstance(values, (list, tuple, np.ndarray)):
        return [hexadecimal(value) for value in values]
    if isinstance(values, str):
        return values
    return None if np.isnan(values) else float(values).hex()


def points(case: dict[str, Any]) -> list[list[Any]]:
    """Points of each feature of a case: numbers, or levels in order."""
    kinds = [case["columns"][name]["kind"] for name in case["features"]]
    return [
        list(axis) if kind == "categorical" else numbers(axis)
        for kind, axis in zip(kinds, case["points"], strict=True)
    ]


def table_of(case: dict[str, Any], frame: pd.DataFrame) -> Callable[[pd.DataFrame], Array]:
    """Black box that knows the stored predictions and nothing else.

    Parameters
    ----------
    case : dict
        A case with its ``columns``.
    frame : DataFrame of shape (n, d)
        Its data.

    Returns
    -------
    callable
        Maps a frame to predictions; a row that is not stored is a KeyError.
    """
    asked, rows = case["asked"], _coded(frame)[case["asked"]["row"]]
    for name, axis, to in zip(case["features"], points(case), asked["to"], strict=True):
        if case["columns"][name]["kind"] == "categorical":
            levels = case["columns"][name]["levels"]
            axis = [levels.index(level) for level in axis]
        rows[:, list(frame.columns).index(name)] = np.array(axis, dtype=np.float64)[to] + 0.0
    known = dict(zip(map(bytes, rows), numbers(asked["prediction"]), strict=True))

    def predict(X: pd.DataFrame) -> Array:
        return np.array([known[bytes(row)] for row in _coded(X)])

    return predict


def _coded(X: pd.DataFrame) -> Array:
    """The rows as doubles, levels as codes, (n, d); no negative zeros, which equal 0."""
    columns = [
        X[name].cat.codes if isinstance(X[name].dtype, pd.CategoricalDtype) else X[name]
        for name in X.columns
    ]
    return np.stack([column.to_numpy(np.float64) for column in columns], axis=1) + 0.0
