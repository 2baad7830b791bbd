"""What the doors of this room share: from arguments to a problem, from effects to an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from aleplot_py.errors import FeatureError
from aleplot_py.inputs.arrays import as_column, with_its_type
from aleplot_py.inputs.axes import levels_of
from aleplot_py.inputs.columns import column_name
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.one_hot import with_one_hot
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import Groups, Problem, problem_of
from aleplot_py.inputs.requests import Requests, feature_requests, is_listing, without
from aleplot_py.results.effects import KEYS, Effect, EffectCollection

E = TypeVar("E", bound=Effect)


def question(
    predict: Any, X: Any, features: Any, options: Options, groups: Any, most: int | None = 2
) -> tuple[Problem, Requests]:
    """The checked arguments of a door, and which effects it is asked for, of `most` features."""
    problem = problem_of(predict, X, options)
    parts = groups_of(groups, problem.table, options.missing)
    if isinstance(features, Mapping):
        problem, requests = with_one_hot(problem, features)
    else:
        requests = feature_requests(features, problem.table, most)
    if parts is None:
        return problem, requests
    problem = replace(problem, groups=parts)
    if parts.name is not None:
        requests = without(requests, parts.name)
    known = np.flatnonzero(parts.codes >= 0)
    return problem if len(known) == len(parts.codes) else problem.on(known), requests


def answer(problem: Problem, requests: Requests, effects: Sequence[E]) -> E | EffectCollection[E]:
    """The effect, or a collection by all that was asked for in the plural.

    `effects` are those of each request, group by group, and of each group output by output.
    """
    several = (requests.several, problem.groups is not None, problem.black_box.several)
    by = tuple(word for word, asked in zip(KEYS, several, strict=True) if asked)
    if not by:
        return effects[0]
    if problem.groups is not None:
        outputs, labels = len(problem.black_box.outputs), problem.groups.labels
        effects = [
            replace(effect, group=labels[i // outputs % len(labels)])
            for i, effect in enumerate(effects)
        ]
    return EffectCollection(tuple(effects), by)


def refuse_checkpoint(checkpoint: Any) -> None:
    """Refuse a checkpoint of what is computed at once."""
    if checkpoint is not None:
        raise ValueError(
            "checkpoint= serves rows that come in parts, not X in memory: leave it out"
        )


def groups_of(groups: Any, table: Table, missing: str) -> Groups | None:
    """Groups of the rows: the values of a column, or labels (n,) of the caller's own.

    Raises
    ------
    FeatureError, ValueError
        If the column is unknown, labels are not one per row, or missing without being dropped.
    """
    if groups is None:
        return None
    name = None
    labels = with_its_type(groups)
    if is_listing(labels) or isinstance(labels, pd.DataFrame):
        labels = as_column(groups, "groups")
        if labels.shape != (len(table),):
            raise ValueError(
                f"groups must have one label per row, ({len(table)},), got {labels.shape}"
            )
        column = labels.rename("groups")
    else:
        name = column_name(groups, table)
        column = table.column(name)
    unknown = column.isna().to_numpy()
    if unknown.all() or (unknown.any() and missing == "error"):
        raise FeatureError(
            f"groups has {int(unknown.sum())} missing label(s) in {len(column)} rows: drop them, "
            "or pass missing='drop'"
        )
    levels, codes = levels_of(column[~unknown])
    of_rows = np.full(len(column), -1, dtype=np.intp)
    of_rows[~unknown] = codes
    return Groups(tuple(levels), of_rows, name)
