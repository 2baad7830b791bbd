"""Trees of XGBoost and LightGBM, from what the libraries write to files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from aleplot_py.steps.grid import FloatArray
from aleplot_py.trees import ubjson
from aleplot_py.trees.flat import FlatTrees, NotWalkableError, plain_numbers

XGBOOST = ("XGBRegressor", "XGBClassifier", "XGBRFRegressor", "XGBRFClassifier", "Booster")
LIGHTGBM = ("LGBMRegressor", "LGBMClassifier", "Booster")


def of_xgboost(model: Any, method: str, output: int | None) -> FlatTrees:
    """XGBoost's sums of 32 bits, from the base score on; its own link behind them."""
    booster = model if method == "inplace_predict" else model.get_booster()
    classifier = hasattr(model, "predict_proba")
    if classifier and method != "predict_proba":
        raise NotWalkableError("predict gives classes")
    if not math.isnan(getattr(model, "missing", math.nan)):
        raise NotWalkableError("a number stands for missing values")
    state = ubjson.decoded(bytes(booster.save_raw("ubj")))
    learner = state["learner"]
    boosting = learner["gradient_booster"]
    told = learner["learner_model_param"]
    several = any(int(told.get(name, 0)) > 1 for name in ("num_class", "num_target"))
    if boosting["name"] != "gbtree" or several or any(boosting["model"]["tree_info"]):
        raise NotWalkableError("its booster has weights for its trees, or several outputs")
    trees = boosting["model"]["trees"]
    if method != "inplace_predict" and hasattr(model, "_get_iteration_range"):
        last = model._get_iteration_range(None)[1]  # where it stopped early
        trees = trees[: boosting["model"]["iteration_indptr"][last] if last else None]
    sizes = [len(tree["left_children"]) for tree in trees]
    roots = np.cumsum([0, *sizes[:-1]])
    behind = np.repeat(roots, sizes)

    def joined(name: str) -> Any:
        return np.concatenate([tree[name] for tree in trees])

    if joined("split_type").any():
        raise NotWalkableError("XGBoost's splits of categories")
    left, right = joined("left_children"), joined("right_children")
    inner = left >= 0
    split = joined("split_conditions")
    start, link = float(told["base_score"].strip("[]")), None
    if learner["objective"]["name"] != "reg:squarederror":
        bare = _without_trees(state, type(booster))
        nothing = np.zeros((1, booster.num_features()), dtype=np.float32)
        start = float(bare.inplace_predict(nothing, predict_type="margin").ravel()[0])
        link = partial(_through, bare, output)
    return FlatTrees(
        roots=roots,
        left=np.where(inner, left + behind, -1),
        right=np.where(inner, right + behind, -1),
        feature=joined("split_indices"),
        threshold=split,
        value=split,
        strict=True,
        missing_left=joined("default_left"),
        inputs="float32",
        sums="float32",
        start=start,
        link=link,
        encode=_finite_or_missing,
    )


def _without_trees(state: dict[str, Any], booster: Any) -> Any:
    """The same booster with a leaf of 0 for a tree: its base score, and its link by itself."""
    model = state["learner"]["gradient_booster"]["model"]
    tree = dict(model["trees"][0])
    for name, values in tree.items():
        if isinstance(values, np.ndarray) and not name.startswith("categories"):
            tree[name] = values[:1]
    tree |= {"left_children": [-1], "right_children": [-1], "split_conditions": [0.0]}
    tree["tree_param"] = tree["tree_param"] | {"num_nodes": "1"}
    kept = model | {"trees": [tree], "tree_info": [0], "iteration_indptr": [0, 1]}
    kept["gbtree_model_param"] = kept["gbtree_model_param"] | {
        "num_trees": "1",
        "num_parallel_tree": "1",
    }
    learner = state["learner"]
    boosting = learner["gradient_booster"] | {"model": kept}
    bare = booster({"nthread": 1})  # on a busy machine, threads cost more than what they share
    text = json.dumps(
        state | {"learner": learner | {"gradient_booster": boosting}}, default=np.ndarray.tolist
    )
    bare.load_model(bytearray(text.encode()))
    return bare


def _through(bare: Any, output: int | None, sums: Any) -> Any:
    rows = np.zeros((len(sums), bare.num_features()), dtype=np.float32)
    found = bare.inplace_predict(rows, base_margin=sums, validate_features=False)
    return 1 - found if output == 0 else found


def _finite_or_missing(rows: Any) -> Any:
    with np.errstate(over="ignore"):
        numbers = plain_numbers(rows).astype(np.float32)
    if np.isinf(numbers).any():
        raise NotWalkableError("there are values that XGBoost refuses: infinite or too large")
    return numbers


# Bits of a node's decision_type in LightGBM's files.
_CATEGORY, _DEFAULT_LEFT, _ZERO_MISSING, _NAN_MISSING = 1, 2, 4, 8


def of_lightgbm(model: Any, method: str, output: int | None) -> FlatTrees:
    """LightGBM's sums of doubles, and its objective's link behind them."""
    classifier = hasattr(model, "predict_proba")
    if classifier and method != "predict_proba":
        raise NotWalkableError("predict gives classes")
    booster = getattr(model, "booster_", model)
    head, *blocks = booster.model_to_string(
        num_iteration=booster.best_iteration if booster.best_iteration > 0 else None
    ).split("\nTree=")
    settings = dict(line.partition("=")[::2] for line in head.splitlines())
    if settings.get("num_tree_per_iteration") != "1" or "average_output" in settings:
        raise NotWalkableError("its booster has several outputs, or is a forest")
    link = _lightgbm_link(settings.get("objective", ""), output)
    parts: dict[str, list[Any]] = {name: [] for name in ("left", "right", "feature", "threshold")}
    parts |= {"value": [], "missing_left": []}
    roots, filled = [], 0
    for block in blocks:
        tree = dict(line.partition("=")[::2] for line in block.splitlines()[1:])
        if tree.get("num_cat", "0") != "0" or tree.get("is_linear", "0") != "0":
            raise NotWalkableError("LightGBM's splits of categories, or linear leaves")
        roots.append(filled)
        filled += _lightgbm_tree(tree, filled, parts)
    nodes: dict[str, Any] = {name: np.concatenate(arrays) for name, arrays in parts.items()}
    return FlatTrees(roots=np.array(roots), link=link, **nodes)


def _lightgbm_tree(tree: dict[str, str], behind: int, parts: dict[str, list[Any]]) -> int:
    """Append a tree, its leaves behind its splits; its number of nodes."""

    def numbers(name: str, dtype: str) -> Any:
        return np.array(tree.get(name, "").split(), dtype=dtype)

    value, leaves = numbers("leaf_value", "f8"), int(tree["num_leaves"])
    splits, decision = leaves - 1, numbers("decision_type", "i8")
    if (decision & _ZERO_MISSING).any():
        raise NotWalkableError("LightGBM's zeros that are missing values")
    threshold = numbers("threshold", "f8")
    astray = np.where(decision & _NAN_MISSING, decision & _DEFAULT_LEFT != 0, threshold >= 0)
    for name in ("left", "right"):
        child = numbers(f"{name}_child", "i8")
        at = np.where(child >= 0, child, splits + ~child) + behind
        parts[name].append(np.concatenate([at, np.full(leaves, -1)]))
    nothing = np.zeros(leaves)
    parts["feature"].append(np.concatenate([numbers("split_feature", "i8"), nothing.astype("i8")]))
    parts["threshold"].append(np.concatenate([threshold, nothing]))
    parts["value"].append(np.concatenate([np.zeros(splits), value]))
    parts["missing_left"].append(np.concatenate([astray.astype(bool), nothing.astype(bool)]))
    return splits + leaves


def _lightgbm_link(objective: str, output: int | None) -> Callable[[Any], Any] | None:
    name, *settings = objective.split() or [""]
    if name == "binary":
        slope = float(dict(word.partition(":")[::2] for word in settings)["sigmoid"])

        def probability(sums: FloatArray) -> FloatArray:
            # The C library's exponential: numpy's own may round otherwise.
            found = np.array([1 / (1 + math.exp(-slope * s)) for s in sums.tolist()])
            return 1 - found if output == 0 else found

        return probability
    if name in ("regression", "regression_l1", "huber", "fair", "quantile", "mape"):
        if "sqrt" in settings:
            raise NotWalkableError("LightGBM's square roots of the response")
        return None
    raise NotWalkableError(f"LightGBM's link of {name or 'an objective of your own'}")
