"""Trees of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from aleplot_py.steps.grid import FloatArray
from aleplot_py.trees.flat import FlatTrees, NotWalkableError, plain_numbers

TREES = (
    *("DecisionTreeRegressor", "DecisionTreeClassifier"),
    *("ExtraTreeRegressor", "ExtraTreeClassifier"),
)
FORESTS = (
    *("RandomForestRegressor", "RandomForestClassifier"),
    *("ExtraTreesRegressor", "ExtraTreesClassifier"),
)
BOOSTING = ("GradientBoostingRegressor", "GradientBoostingClassifier")
HISTOGRAMS = ("HistGradientBoostingRegressor", "HistGradientBoostingClassifier")


def of_trees(model: Any, method: str, output: int | None) -> FlatTrees:
    """A single tree."""
    return _mean_of([model], model, method, output)


def of_forest(model: Any, method: str, output: int | None) -> FlatTrees:
    """The mean of trees, of probabilities for a classifier."""
    return _mean_of(model.estimators_, model, method, output)


def _mean_of(estimators: list[Any], model: Any, method: str, output: int | None) -> FlatTrees:
    one = np.ndim(model.n_classes_) == 0 if hasattr(model, "classes_") else model.n_outputs_ == 1
    if hasattr(model, "classes_"):
        if method != "predict_proba" or not one or output is None:
            raise NotWalkableError(f"{method} of this classifier gives no single mean of its trees")
        at: tuple[Any, ...] = (slice(None), 0, output)
    else:
        at = (slice(None), 0 if one else output, 0)
    trees = [estimator.tree_ for estimator in estimators]
    allowed = getattr(estimators[0], "_support_missing_values", lambda _: False)
    return FlatTrees(
        **_joined(trees, (tree.value[at] for tree in trees)),
        inputs="float32",
        divisor=len(trees),
        encode=partial(finite32, missing=bool(allowed(np.zeros((1, 1))))),
    )


def of_boosting(model: Any, method: str, output: int | None) -> FlatTrees:
    """Gradient boosting: a constant, and the trees' values times the learning rate."""
    if model.n_trees_per_iteration_ != 1:
        raise NotWalkableError("its probabilities need the trees of all classes")
    starting = getattr(model.init_, "strategy", model.init_)
    if starting not in ("zero", "mean", "median", "quantile", "constant", "prior"):
        raise NotWalkableError("its boosting starts from a model of its own")
    trees = [estimator.tree_ for estimator in model.estimators_[:, 0]]
    zeros = np.zeros((1, model.n_features_in_), dtype=np.float32)
    parts = _joined(trees, (model.learning_rate * tree.value[:, 0, 0] for tree in trees))
    return FlatTrees(
        **parts | {"missing_left": None},
        inputs="float32",
        start=float(model._raw_predict_init(zeros)[0, 0]),
        link=_probability(model, method, output),
        encode=partial(finite32, missing=False),
    )


def of_histograms(model: Any, method: str, output: int | None) -> FlatTrees:
    """Histogram-based boosting, with its splits of categories and missing values."""
    if model.n_trees_per_iteration_ != 1:
        raise NotWalkableError("its probabilities need the trees of all classes")
    predictors = [iteration[0] for iteration in model._predictors]
    tables = [predictor.nodes for predictor in predictors]
    sizes = [len(table) for table in tables]
    bare = np.dtype((np.void, tables[0].itemsize))  # numpy compares types of fields name by name
    nodes = np.concatenate([table.view(bare) for table in tables]).view(tables[0].dtype)
    roots, behind = _places(sizes)
    inner = nodes["is_leaf"] == 0
    parts: dict[str, Any] = {
        "left": np.where(inner, nodes["left"].astype(np.int64) + behind, -1),
        "right": np.where(inner, nodes["right"].astype(np.int64) + behind, -1),
        "missing_left": nodes["missing_go_to_left"],
    }
    on_levels = inner & (nodes["is_categorical"] == 1)
    if on_levels.any():
        known, number = model._bin_mapper.make_known_categories_bitsets()
        tree = np.repeat(np.arange(len(sizes)), sizes)[on_levels]
        split = nodes[on_levels]
        bits = np.array(
            [
                predictors[t].raw_left_cat_bitsets[s]
                for t, s in zip(tree, split["bitset_idx"], strict=True)
            ]
        )
        unknown = ~_levels(known)[number[split["feature_idx"]]]
        astray = unknown & (split["missing_go_to_left"] == 1)[:, None]
        parts["left_levels"] = _levels(bits) | astray
        parts["level_set"] = np.where(on_levels, np.cumsum(on_levels) - 1, -1)
    encode, sources = plain_numbers, None
    if model._preprocessor is not None:
        encode = partial(model._preprocess_X, reset=False)
        first = np.asarray(model.is_categorical_)
        sources = (*np.flatnonzero(first).tolist(), *np.flatnonzero(~first).tolist())
    link = _probability(model, method, output)
    if method == "predict":
        link = model._loss.link.inverse
    return FlatTrees(
        roots=roots,
        feature=nodes["feature_idx"],
        threshold=nodes["num_threshold"],
        value=nodes["value"],
        start=float(model._baseline_prediction.ravel()[0]),
        link=link,
        encode=encode,
        sources=sources,
        **parts,
    )


def _levels(bits: Any) -> Any:
    """Words of 32 bits, (sets, words), as truth values (sets, 32 words)."""
    words = np.ascontiguousarray(bits, dtype="<u4")
    return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little").astype(bool)


def _places(sizes: list[int]) -> tuple[Any, Any]:
    """First node of each tree, and for every node how many lie before its tree."""
    roots = np.cumsum([0, *sizes[:-1]])
    return roots, np.repeat(roots, sizes)


def _joined(trees: list[Any], values: Iterable[FloatArray]) -> dict[str, Any]:
    """Nodes of scikit-learn's trees in one table."""
    sizes = [tree.node_count for tree in trees]
    kinds = {"left": "i4", "right": "i4", "feature": "i4", "threshold": "f8", "value": "f8"}
    parts: dict[str, Any] = {name: np.empty(sum(sizes), kind) for name, kind in kinds.items()}
    missing_left = np.empty(sum(sizes), dtype=np.bool_)
    roots = np.cumsum([0, *sizes[:-1]])
    for tree, root, value in zip(trees, roots.tolist(), values, strict=True):
        nodes = tree.__getstate__()["nodes"]
        here = slice(root, root + len(nodes))
        for name in ("left", "right"):
            child = nodes[f"{name}_child"]
            parts[name][here] = np.where(child >= 0, child + root, -1)
        parts["feature"][here] = nodes["feature"]
        parts["threshold"][here] = nodes["threshold"]
        parts["value"][here] = value
        missing_left[here] = nodes["missing_go_to_left"]
    known = missing_left if missing_left.any() else None
    return {"roots": roots, "missing_left": known, **parts}


def _probability(model: Any, method: str, output: int | None) -> Callable[[Any], Any] | None:
    """From sums to a class's probability, row by row; None where the sums are predicted."""
    if hasattr(model, "classes_") and method == "predict":
        raise NotWalkableError("predict gives classes")
    if method != "predict_proba":
        return None
    return lambda sums: model._loss.predict_proba(sums.reshape(-1, 1))[:, output]


def finite32(rows: Any, *, missing: bool) -> Any:
    """Numbers as 32 bits that scikit-learn's forests accept."""
    with np.errstate(over="ignore"):
        numbers = plain_numbers(rows).astype(np.float32)
    wrong = ~np.isfinite(numbers)
    if missing:
        wrong &= ~np.isnan(numbers)
    if wrong.any():
        what = "infinite or too large" if missing else "missing, infinite or too large"
        raise NotWalkableError(f"there are values that the model refuses: {what}")
    return numbers
