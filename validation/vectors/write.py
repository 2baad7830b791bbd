"""Asks R for the test vectors again: ``python -m validation vectors --write``.

The questions (data, black box, options) are those of the files as they stand; R's answers, and the
predictions at every row that the answer is made of, are new. Needs ALEPlot, yaImpute and iml.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py import ale, partial_dependence
from aleplot_py.results.effects import Effect
from reproductions.engine import files
from validation import bridge, brute_force, r_effects, vectors
from validation.asked import asked_for
from validation.goldens_reader import (
    StoredCase,
    aleplot_curve,
    cases,
    iml_curve,
    relative_difference,
)
from validation.vectors import FORMAT, hexadecimal, numbers

# Means of iml are data.table's, whose last bits depend on its number of threads.
OF_THREADS = 1e-14

Array = np.ndarray[Any, Any]


def answered(case: StoredCase) -> dict[str, Any]:
    """R's answer to one question, and the predictions behind it.

    Parameters
    ----------
    case : StoredCase
        The question.

    Returns
    -------
    dict
        A case of a file of vectors, its data under "columns".
    """
    iml = "method" in case.content
    found = _ask_iml(case) if iml else _ask_aleplot(case)
    X, predict = case.frame(), case.predict()
    axes = dict(zip(case.features, found.pop("axes"), strict=True))
    row, to, prediction = asked_for(predict, X, _laid(case, axes, iml=iml)).flat()
    options = ("method", "grid_size", "center_at", "grid_points") if iml else ("K",)
    return {
        "id": case.id,
        "function": "FeatureEffect" if iml else case["r_function"],
        "features": list(case.features),
        "options": {name: case[name] for name in options},
        "black_box": case["black_box"],
        "columns": {name: _column(X[name]) for name in X.columns},
        "points": hexadecimal(list(axes.values())),
        "asked": {
            "row": row.tolist(),
            "to": [at.tolist() for at in to],
            "prediction": hexadecimal(prediction),
        },
        **found,
    }


def _laid(case: StoredCase, axes: dict[str, Any], *, iml: bool) -> Effect:
    """An effect on R's points, for its axes."""
    X, features = case.frame(), case.features
    order = {name: list(points) for name, points in axes.items() if isinstance(points[0], str)}
    grid = {name: points for name, points in axes.items() if name not in order}
    options: dict[str, Any] = {"order": order or None, "grid": grid or "aleplot"}
    asked = features if len(features) == 2 else features[0]
    if (case["method"] if iml else case["r_function"]) in ("ale", "ALEPlot"):
        effect: Effect = ale(case.predict(), X, asked, outside="clip", **options)
    else:
        options["grid"] = grid or "equidistant"
        effect = partial_dependence(case.predict(), X, asked, **options)
    return effect


def _ask_aleplot(case: StoredCase) -> dict[str, Any]:
    X, predict = case.frame(), case.predict()
    positions = [j - 1 for j in case["J"]]
    try:
        result = r_effects.aleplot(predict, X, positions, case["K"], case["r_function"])
    except bridge.RCallError as error:
        return _by_definition(case, str(error))
    expected: dict[str, Any] = {"source": "R", "values": hexadecimal(result.f_values)}
    if result.K is not None:
        expected["K"] = list(result.K)
    return {"axes": result.x_values, "expected": expected}


def _by_definition(case: StoredCase, r_error: str) -> dict[str, Any]:
    """Where R stops: the definition in plain loops."""
    X, predict = case.frame(), case.predict()
    effect = ale(predict, X, case.features, K=case["K"])
    edges = [brute_force.quantile_edges(X[name].tolist(), case["K"]) for name in case.features]
    right = brute_force.ale(
        predict, X, case.features, edges, effect.kinds, tied=effect.local_mean
    ).f_values
    expected = {
        "source": "definition",
        "K": [len(axis) - 1 for axis in edges],
        "values": hexadecimal(right),
    }
    return {"axes": edges, "expected": expected, "r_error": r_error}


def _ask_iml(case: StoredCase) -> dict[str, Any]:
    X, method = case.frame(), case["method"]
    positions = [list(X.columns).index(name) for name in case.features]
    table = r_effects.iml_table(
        case.predict(), X, positions, case["grid_size"], method, case["center_at"],
        points=case["grid_points"], drop_unused=True,
    )  # fmt: skip
    value = ".ale" if ".ale" in table.columns else ".value"
    axes = [list(pd.unique(table[name])) for name in case.features]
    axes = [list(map(str, axis)) if isinstance(axis[0], str) else axis for axis in axes]
    expected: dict[str, Any] = {"source": "R"}
    for kind, rows in table.groupby(".type", observed=True):
        if kind == "ice":
            ordered = rows.sort_values(".id", kind="stable")[value].to_numpy()
            expected["individual"] = hexadecimal(ordered.reshape(-1, *map(len, axes)))
            continue
        values = np.full([len(axis) for axis in axes], np.nan)
        where = [
            [axis.index(point) for point in rows[name]]
            for name, axis in zip(case.features, axes, strict=True)
        ]
        values[tuple(where)] = rows[value]
        expected["values"] = hexadecimal(values)
    return {"axes": axes, "expected": expected}


def _column(column: pd.Series) -> dict[str, Any]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels, codes = column.cat.categories.tolist(), column.cat.codes.tolist()
        return {"kind": "categorical", "levels": levels, "codes": codes}
    if pd.api.types.is_integer_dtype(column.dtype):
        return {"kind": "integer", "values": column.tolist()}
    return {"kind": "numeric", "values": hexadecimal(column.to_numpy())}


def ask_again(name: str) -> tuple[dict[str, Any], list[str]]:
    """R's answers to all questions of a file.

    Parameters
    ----------
    name : str
        Such as ``ale_numeric``.

    Returns
    -------
    content : dict
        What the file should hold.
    changed : list of str
        Cases to which R's answer is another than the one that is stored.
    """
    data: dict[str, str] = {}
    answers, changed = [], []
    for case in cases(name):
        answer = answered(case)
        columns = json.dumps(answer.pop("columns"))
        answer["data"] = data.setdefault(columns, f"data{len(data) + 1}")
        answers.append(answer)
        if "r_error" not in answer and _settle(case, answer):
            changed.append(case.id)
    content = {
        "format": FORMAT,
        "provenance": bridge.versions(),
        "data": {key: json.loads(columns) for columns, key in data.items()},
        "cases": answers,
    }
    return content, changed


def write(name: str, content: dict[str, Any]) -> None:
    """Write a file of vectors."""
    text = json.dumps(content, separators=(",", ":"))
    packed = lzma.compress(text.encode("ascii"), preset=9 | lzma.PRESET_EXTREME)
    files.write(vectors.path_of(name), packed)


def _settle(case: StoredCase, answer: dict[str, Any]) -> bool:
    """Whether R answered otherwise before; what iml's threads alone changed stays as it was."""
    expected = answer["expected"]
    if "method" not in case.content:
        return hexadecimal(aleplot_curve(case).f_values) != expected["values"]
    kinds = {"values": "ale" if case["method"] == "ale" else "pdp", "individual": "ice"}
    changed = False
    for key in expected.keys() & kinds.keys():
        stored = iml_curve(case, kinds[key]).f_values
        new = np.array(numbers(expected[key]))
        if relative_difference(new, stored) <= OF_THREADS:
            expected[key] = hexadecimal(stored)
        else:
            changed = True
    return changed


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments after ``vectors``.

    Returns
    -------
    int
        0 if R answers as before, 1 if it answers otherwise or cannot be asked.
    """
    arguments = argparse.ArgumentParser(
        prog="python -m validation vectors",
        description="Ask R for every test vector again, and say where it answers otherwise.",
    )
    arguments.add_argument("--write", action="store_true", help="replace the files")
    arguments.add_argument("--only", nargs="+", choices=vectors.names(), help="some of the files")
    options = arguments.parse_args(argv)
    reason = bridge.why_packages_unavailable([*bridge.ALEPLOT_PACKAGES, *bridge.IML_PACKAGES])
    if reason is not None:
        print(f"R cannot be asked: {reason}")
        return 1
    anything = False
    for name in options.only or vectors.names():
        content, changed = ask_again(name)
        if options.write:
            write(name, content)
        anything = anything or bool(changed)
        print(
            f"{name}: " + (f"R answers otherwise in {', '.join(changed)}" if changed else "equal")
        )
    return int(anything)
