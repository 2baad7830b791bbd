"""The stored results of R: their data, black boxes and curves, read from ``validation/vectors``.

A black box is there as a table of its predictions, and as the numpy expression that they come from,
in which a categorical column stands for the 0-based codes of its levels as listed. What is on disk
decides which cases there are.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.results.effects import Effect
from validation import vectors

DTYPES = {"integer": np.int64, "numeric": np.float64}

Array = np.ndarray[Any, Any]
Predictor = Callable[[pd.DataFrame], Array]


@dataclass(frozen=True)
class StoredCase:
    """One stored call of R with its data and its result.

    Parameters
    ----------
    content : dict
        The case as it stands in the file.
    """

    content: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.content[key]

    @property
    def id(self) -> str:
        """Name of the case."""
        return str(self.content["id"])

    @property
    def features(self) -> tuple[str, ...]:
        """Explained columns."""
        return tuple(self.content.get("columns") or self.content["feature"])

    @property
    def failed_in_r(self) -> bool:
        """Whether R stopped with an error."""
        return "r_error" in self.content

    def frame(self) -> pd.DataFrame:
        """The data, a new frame at every call."""
        columns: dict[str, Any] = {}
        for name, column in self.content["data"].items():
            if column["kind"] == "categorical":
                columns[name] = pd.Categorical.from_codes(
                    column["codes"], categories=column["levels"]
                )
            else:
                columns[name] = np.array(column["values"], dtype=DTYPES[column["kind"]])
        return pd.DataFrame(columns)

    def predict(self) -> Predictor:
        """The black box, a function of a frame like that of `frame`."""
        return predictor(self.content["black_box"])

    def table(self) -> Predictor:
        """The black box as a table of its stored predictions; only stored results have one."""
        return vectors.table_of(self.content["vector"], self.frame())

    @property
    def calls_exp(self) -> bool:
        """Whether predictions may differ from R's by a last bit, as numpy's exp does by machine."""
        return "np.exp" in self.content["black_box"]

    def with_levels_in_order(
        self, x_values: list[list[Any]]
    ) -> tuple[pd.DataFrame, Callable[[Any, pd.DataFrame], Array]]:
        """Data whose explained categories are ordered as R put them, and what predicts these.

        Parameters
        ----------
        x_values : list of list
            R's points of each feature.

        Returns
        -------
        X : DataFrame
            Like `frame`.
        pred_fun : callable(None, X) -> (n,)
            The black box as ``ALEPlot`` takes it.
        """
        X, black_box = self.frame(), self.table()
        own = {}
        for name, points in zip(self.features, x_values, strict=True):
            if isinstance(points[0], str):
                own[name] = X[name].dtype
                X[name] = X[name].cat.set_categories(points, ordered=True)

        def pred_fun(_: Any, rows: pd.DataFrame) -> Array:
            return black_box(rows.astype(own))

        return X, pred_fun


def predictor(expression: str) -> Predictor:
    """Turn a stored expression into a function of a frame.

    Parameters
    ----------
    expression : str
        Numpy expression over the columns; categorical columns are codes.

    Returns
    -------
    callable
        Maps a frame of n rows to n predictions.
    """
    code = compile(expression, "black_box", "eval")

    def predict(X: pd.DataFrame) -> Array:
        values: dict[str, Any] = {"np": np}
        for name in X.columns:
            column = X[name]
            categorical = isinstance(column.dtype, pd.CategoricalDtype)
            values[name] = (column.cat.codes if categorical else column).to_numpy(np.float64)
        result = np.asarray(eval(code, values), dtype=np.float64)
        return np.broadcast_to(result, len(X)).copy()

    return predict


@cache
def load(name: str) -> dict[str, Any]:
    """Content of ``vectors/<name>.json``, R's answers about numbers instead of effects."""
    content: dict[str, Any] = json.loads(
        (vectors.FOLDER / f"{name}.json").read_text(encoding="utf-8")
    )
    return content


@cache
def _stored(name: str) -> list[StoredCase]:
    content = vectors.read(name)
    data = {
        key: {name: _exact(column) for name, column in columns.items()}
        for key, columns in content["data"].items()
    }
    cases = []
    for vector in content["cases"]:
        columns = data[vector["data"]]
        cases.append(StoredCase(_content({**vector, "columns": columns}, columns)))
    return cases


def _exact(column: dict[str, Any]) -> dict[str, Any]:
    numeric = column["kind"] == "numeric"
    return {**column, "values": vectors.numbers(column["values"])} if numeric else column


def _content(vector: dict[str, Any], columns: dict[str, Any]) -> dict[str, Any]:
    """A test vector as the search draws and saves its cases."""
    features, points = vector["features"], vectors.points(vector)
    first = next(iter(columns.values()))
    content = {
        "id": vector["id"],
        "n": len(first["codes"] if first["kind"] == "categorical" else first["values"]),
        "black_box": vector["black_box"],
        "data": columns,
        "vector": vector,
        **vector["options"],
    }
    expected = {
        key: vectors.numbers(vector["expected"][key])
        for key in ("values", "individual")
        if key in vector["expected"]
    }
    if vector["function"] == "FeatureEffect":
        kind = "ale" if vector["options"]["method"] == "ale" else "pdp"
        names = {"values": kind, "individual": "ice"}
        found = {names[key]: values for key, values in expected.items()}
        return {**content, "feature": features, "r": {"points": points, **found}}
    content |= {
        "r_function": vector["function"],
        "J": [list(columns).index(name) + 1 for name in features],
        "columns": features,
    }
    if "r_error" in vector:
        return {**content, "r_error": vector["r_error"]}
    answer = {"x_values": points if len(points) > 1 else points[0], "f_values": expected["values"]}
    return {**content, "r": {**answer, "K": vector["expected"].get("K")}}


def cases(pattern: str) -> list[StoredCase]:
    """All cases of the files whose names match a pattern such as ``ale_*``, in order of name."""
    return [case for name in vectors.names(pattern) for case in _stored(name)]


@dataclass(frozen=True)
class Curve:
    """Points and values as R returned them.

    Parameters
    ----------
    x_values : list of list
        Grid points or levels of each axis.
    f_values : ndarray
        Values, one axis per feature.
    """

    x_values: list[list[Any]]
    f_values: Array


def aleplot_curve(case: StoredCase) -> Curve:
    """Result of ``ALEPlot`` or ``PDPlot``."""
    x_values = case["r"]["x_values"]
    if len(case.features) == 1:
        x_values = [x_values]
    return Curve(x_values, np.array(case["r"]["f_values"], dtype=np.float64))


def iml_curve(case: StoredCase, kind: str) -> Curve:
    """Result of ``FeatureEffect``: the rows of one kind ("ale", "pdp" or "ice").

    The individual curves of ``"ice"`` come as an array with one row per observation.
    """
    return Curve(case["r"]["points"], np.array(case["r"][kind], dtype=np.float64))


@dataclass(frozen=True)
class Comparison:
    """How an effect differs from R's.

    Parameters
    ----------
    points_equal : bool
        Whether grids and levels are equal (orders of levels up to reversal).
    difference : float
        Largest difference of the values as a fraction of R's curve, its largest absolute value.
    """

    points_equal: bool
    difference: float


def compare(effect: Effect, curve: Curve, *, any_order: bool = False) -> Comparison:
    """Compare an effect with R's curve.

    Parameters
    ----------
    effect : Effect
        Result of this library.
    curve : Curve
        Result of R.
    any_order : bool
        Whether levels may stand in any order (partial dependence, where order means nothing to
        iml) rather than in R's or its reverse.

    Returns
    -------
    Comparison
        Differences; an infinite one where the shapes differ.
    """
    values, equal = effect.f_values, True
    for axis, (kind, mine, theirs) in enumerate(
        zip(effect.kinds, effect.x_values, curve.x_values, strict=True)
    ):
        levels = list(mine)
        if kind == "numeric":
            equal = equal and np.array_equal(mine, np.array(theirs, dtype=np.float64))
        elif any_order and sorted(levels) == sorted(theirs):
            values = np.take(values, [levels.index(level) for level in theirs], axis)
        elif levels == theirs[::-1]:
            values = np.flip(values, axis)
        else:
            equal = equal and levels == theirs
    return Comparison(equal, relative_difference(values, curve.f_values))


def relative_difference(values: Array, reference: Array) -> float:
    """Largest difference as a fraction of the largest absolute value of the reference."""
    if values.shape != reference.shape:
        return float("inf")
    difference = float(np.abs(values - reference).max())
    if difference == 0:
        return 0.0
    scale = float(np.abs(reference).max())
    return difference / scale if scale > 0 else float("inf")
