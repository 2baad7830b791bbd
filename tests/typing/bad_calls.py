"""Calls that must not type-check; `check.py` reads the expected codes above each block."""

import numpy as np
import pandas as pd

from aleplot_py import (
    AleDisplay,
    ale,
    bootstrap_bands,
    decompose,
    first_order_prediction,
    ice,
    k_sensitivity,
    load,
    lofo_importance,
    m_plot,
    order_sensitivity,
    partial_dependence,
    regional_effects,
    statistics_table,
)

X = pd.DataFrame({"size": np.arange(9.0), "age": np.arange(9.0) ** 2})


def predict(frame: pd.DataFrame) -> pd.Series:
    return frame["size"] * frame["age"]


effect = ale(predict, X, "size")
collection = ale(predict, X, ["size", "age"])

# Names that results do not have.
# E: mypy[attr-defined] pyright[reportAttributeAccessIssue]
effect.f_valuess
collection.f_values
collection["size"].individual
ale(predict, X, "all").local_std
partial_dependence(predict, X, "size").local_std
m_plot(predict, X, ["size"]).counts
load("effect.json").f_values
bootstrap_bands(effect).curve
bootstrap_bands(collection).lower

# Results are frozen.
# E: mypy[misc] pyright[reportAttributeAccessIssue]
effect.f_values = np.zeros(3)

# Values that options do not have.
# E: mypy[call-overload, arg-type, dict-item, list-item] pyright[reportArgumentType]
ale(predict, X, "size", grid="alepot")
ale(predict, X, "size", grid={"size": "alepot"})
ale(predict, X, "size", K="automatic")
ale(predict, X, "size", centre="papers")
ale(predict, X, "size", outside="ignore")
ale(predict, X, "size", missing="keep")
ale(predict, X, "size", order="similar")
ale(predict, X, "size", gradient="models")
ale(predict, X, "size", response_method="proba")
ale(predict, X, "size", sample_weight="age")
ale(predict, X, "size", n_jobs="all")
partial_dependence(predict, X, "size", kind="all")
partial_dependence(predict, X, "size", grid="aleplot")
m_plot(predict, X, "size", neighbourhood="kernels")
decompose(predict, X, centre="none")
decompose(predict, X, pairs="some")
decompose(predict, X, triples="some")
k_sensitivity(predict, X, "size", grid="alepot")
order_sensitivity(predict, X, "size", orders=["alphabetical"])
ale(predict, X, "size", order="frequencies")
bootstrap_bands(effect, method="percentiles")
bootstrap_bands(effect, grid="aleplot")

# Options that are not there.
# E: mypy[call-overload, call-arg] pyright[reportCallIssue]
ale(predict, X, "size", Ks=5)
ale(predict, X)
ice(predict, X, "size", kind="both")
regional_effects(predict, X, "size", depth=2)
effect.plot(unit="rentals")
AleDisplay.from_estimator(predict, X, "size", gird="iml")

# Rows that are no frames.
# E: mypy[list-item] pyright[reportArgumentType]
ale(predict, [[1.0, 2.0]], 0)

# Things that are not what they should be.
# E: mypy[call-overload, arg-type] pyright[reportArgumentType]
effect.plot(visuals={"rugs": False})
ale(print, X, "size")
ale(3, X, "size")
first_order_prediction(partial_dependence(predict, X, "size"), X)
statistics_table(partial_dependence(predict, X, "all"))
bootstrap_bands(m_plot(predict, X, "size"))
lofo_importance(3, X, X["age"], scoring="r2")
