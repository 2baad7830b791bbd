"""Pipelines that end in a model of trees: which column goes where in steps of scikit-learn."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from aleplot_py.trees.flat import FlatTrees, NotWalkableError

#: Steps that make one column of each, from this column alone.
ONE_TO_ONE = (
    *("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler"),
    *("PowerTransformer", "QuantileTransformer", "Binarizer"),
    *("OrdinalEncoder", "SimpleImputer"),
)


def steps_of(model: Any) -> list[Any]:
    """Steps before the last of a pipeline."""
    return [step for _, step in model.steps[:-1]] if _is(model, "Pipeline") else []


def last_step(model: Any) -> Any:
    """Last step of a pipeline; any other model itself."""
    return model.steps[-1][1] if _is(model, "Pipeline") else model


def with_last_step(model: Any, **settings: Any) -> Any:
    """A model whose last step has other settings; nothing is fitted again, or altered."""
    changed = copy.copy(model)
    if not _is(model, "Pipeline"):
        vars(changed).update(settings)
        return changed
    name, last = model.steps[-1]
    changed.steps = [*model.steps[:-1], (name, with_last_step(last, **settings))]
    return changed


def behind(trees: FlatTrees, steps: list[Any], names: Sequence[Hashable]) -> FlatTrees:
    """Flat trees that see rows through the steps of a pipeline."""
    origin = list(range(len(names)))
    for step in steps:
        origin = _origins(step, origin)
    sources: Any = range(len(origin)) if trees.sources is None else trees.sources
    own = trees.matrix

    def encode(rows: Any) -> Any:
        for step in steps:
            if not _passes(step):
                rows = step.transform(rows)
        return own(rows.toarray() if sparse.issparse(rows) else rows)

    named = tuple(names[origin[position]] for position in sources)
    return replace(trees, encode=encode, sources=named)


def _origins(step: Any, given: list[int]) -> list[int]:
    """First column that each column behind a step is made from."""
    if _passes(step):
        return given
    name = type(step).__name__ if type(step).__module__.startswith("sklearn.") else ""
    if name == "Pipeline":
        for _, inner in step.steps:
            given = _origins(inner, given)
        return given
    if name in ONE_TO_ONE:
        if getattr(step, "add_indicator", False) or len(step.get_feature_names_out()) != len(given):
            raise NotWalkableError(f"{name} adds or drops columns")
        return given
    if name == "OneHotEncoder":
        return [given[i] for i, count in enumerate(step._n_features_outs) for _ in range(count)]
    if hasattr(step, "get_support") and name:
        return [given[i] for i in step.get_support(indices=True)]
    if name == "ColumnTransformer":
        return _of_column_transformer(step, given)
    raise NotWalkableError(f"the step {type(step).__name__} may mix columns")


def _of_column_transformer(step: Any, given: list[int]) -> list[int]:
    places = step.output_indices_
    total = max(place.stop for place in places.values())
    made = np.full(total, -1)
    for name, inner, _ in step.transformers_:
        if isinstance(inner, str) and inner == "drop":
            continue
        columns = [given[i] for i in step._transformer_to_input_indices[name]]
        if columns:
            made[places[name]] = _origins(inner, columns)
    return [int(position) for position in made]


def _passes(step: Any) -> bool:
    """Whether a step hands on what it gets."""
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return True
    return _is(step, "FunctionTransformer") and step.func is None


def _is(model: Any, name: str) -> bool:
    return type(model).__module__.startswith("sklearn.") and type(model).__name__ == name
