"""Combinations of options, and the reasons for which some of them must be refused."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from tests.fuzz.boxes import OUTPUTS, WRONG, Hashed, Model

POWERS = [0, 0, 0, 0, -1000, -520, 520, 990]
RULES = ["aleplot", "iml", "equidistant"]


@dataclass
class Call:
    """A black box with options.

    Parameters
    ----------
    box : Hashed
        What is explained.
    predict : callable or model
        How it is handed over.
    options : dict
        Options as they are given.
    weights : ndarray of shape (n,) or None
        The same weights as plain doubles.
    refusals : list of str
        Why an error is due.
    """

    box: Hashed
    predict: Any
    options: dict = field(default_factory=dict)
    weights: Any = None
    refusals: list = field(default_factory=list)


@st.composite
def calls(draw, case, *, outputs=True):
    """Black box, kind of output, weights, batches, threads and the rule for missing values."""
    n = len(case.X)
    name = draw(st.sampled_from(sorted(OUTPUTS))) if outputs else "array"
    output, options, refusals = OUTPUTS[name], dict(OUTPUTS[name].options or {}), []
    if outputs and draw(st.integers(0, 15)) == 15:
        output = WRONG[draw(st.sampled_from(sorted(WRONG)))]
        options, refusals = {}, ["predictions"]
    box = Hashed([*case.places, case.row], output)
    if output is OUTPUTS["array"]:
        box.power = draw(st.sampled_from(POWERS))
    predict = box
    if name == "array" and not refusals and box.power <= 0:
        method = draw(st.sampled_from(["", "predict", "predict_proba", "decision_function"]))
        predict = Model(box, method) if method else box
        if method in ("predict_proba", "decision_function") and draw(st.booleans()):
            options["response_method"] = method
        if method == "predict":
            options["response_method"] = draw(st.sampled_from(["auto", "predict"]))
    call = Call(box, predict, options, None, refusals)
    if draw(st.booleans()):
        _weigh(draw, call, case, n)
    if draw(st.booleans()):
        options["batch_rows"] = draw(st.integers(1, n + 1))
    if draw(st.integers(0, 4)) == 0:
        options["n_jobs"] = draw(st.sampled_from([1, 2, 3, -1]))
    if draw(st.booleans()):
        options["missing"] = draw(st.sampled_from(["drop", "error"]))
    if case.unusable_names:
        refusals.append("names")
    known = case.known()
    if not known.all() and options.get("missing") != "drop":
        refusals.append("missing values")
    if not known.any():
        refusals.append("no row is known")
    if call.weights is not None and not call.weights[known].any():
        refusals.append("no weight where the features are known")
    return call


def _weigh(draw, call, case, n):
    """Give the call weights of some type, or unusable ones."""
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    weights = rng.integers(0, 3, n) * draw(st.sampled_from([1.0, 0.1, 1e-90, 1e90]))
    if draw(st.booleans()):
        weights = rng.uniform(size=n)
    kind = draw(
        st.sampled_from(["array", "list", "series", "Float64", "float32", "array", "wrong"])
    )
    call.weights = weights
    given = {
        "array": weights,
        "list": weights.tolist(),
        "series": pd.Series(weights, index=case.X.index),
        "Float64": pd.array(weights, dtype="Float64"),
    }.get(kind)
    if kind == "float32":
        given = np.minimum(weights, 1e30).astype("float32")
        call.weights = given.astype(float)
    if kind == "wrong":
        given = draw(
            st.sampled_from(
                [np.ones(n + 1), -np.ones(n), np.full(n, np.nan), "many", 1.0, ["a"] * n]
            )
        )
        call.weights = None
        call.refusals.append("weights")
    elif not 1e-100 <= call.weights.max() <= 1e100:
        call.refusals.append("no weight")
        call.weights = None
    call.options["sample_weight"] = given


@st.composite
def own_edges(draw, values, at_least=2):
    """A caller's own grid for some values, with unequal and empty intervals; and what is wrong."""
    low, high = min(values), max(values)
    inner = draw(st.lists(st.floats(0, 1), max_size=4))
    points = sorted({low, high, *(low + share * (high - low) for share in inner)})
    kind = draw(st.sampled_from(["fits", "fits", "wide", "wide", "narrow", "wrong"]))
    if kind == "wide":
        width = (high - low) or 1.0
        points = [low - width / 3, *points, high + width, high + 1.5 * width]
        points = sorted({p for p in points if np.isfinite(p)})
    if kind == "narrow":
        points = points[1:]
    if kind == "wrong":
        given = draw(
            st.sampled_from([[], points[::-1], [points], "text", [np.nan, 1.0], [1.0, 1.0]])
        )
        if given == points and len(points) >= at_least:
            given = [np.inf, *points]
        return given, None
    if len(points) < at_least or max(map(abs, points)) > 4e307:
        return points, None
    as_given = draw(st.sampled_from([list, tuple, np.array, pd.Series, pd.Index]))
    return as_given(points), points


def numbers(case, number=0):
    """Known values of an explained numeric column, as doubles."""
    return [float(v) for v in case.column(number)[case.known()].tolist()]
