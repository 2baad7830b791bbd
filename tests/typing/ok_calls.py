"""Calls that must type-check, and what they give."""

from pathlib import Path
from typing import assert_type

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aleplot_py import (
    AleResult,
    Bands,
    EffectCollection,
    HStatistics,
    MPlotResult,
    PartialDependenceResult,
    RandomVariableNull,
    ale,
    ale_statistics,
    bootstrap_bands,
    decompose,
    first_order_prediction,
    h_statistics,
    ice,
    intervals,
    k_sensitivity,
    load,
    m_plot,
    order_sensitivity,
    p_values,
    partial_dependence,
    regional_effects,
    statistics_table,
)
from aleplot_py.plots import AleDisplay
from aleplot_py.typing import FrameLike, Predictor

X = pd.DataFrame({"size": np.arange(9.0), "age": np.arange(9.0) ** 2, "kind": list("abcabcabc")})


def predict(frame: pd.DataFrame) -> pd.Series:
    return frame["size"] * frame["age"]


class Model:
    def predict(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return rows[:, 0]


# A name, a position or a pair gives one effect; a list or "all" a collection.
effect = ale(predict, X, "size")
assert_type(effect, AleResult)
assert_type(ale(predict, X, 0), AleResult)
assert_type(ale(predict, X, ("size", "age")), AleResult)
assert_type(ale(predict, X, "all"), EffectCollection[AleResult])
assert_type(ale(predict, X, ["size", ("size", "age")]), EffectCollection[AleResult])
assert_type(ale(predict, X, X.columns), EffectCollection[AleResult])
assert_type(ale(predict, X, np.array(["size"])), EffectCollection[AleResult])
for name in ("size", "age"):
    assert_type(ale(predict, X, name), AleResult)
assert_type(partial_dependence(predict, X, "size"), PartialDependenceResult)
assert_type(partial_dependence(predict, X, "all"), EffectCollection[PartialDependenceResult])
assert_type(ice(predict, X, "size"), PartialDependenceResult)
assert_type(ice(predict, X, ["size"]), EffectCollection[PartialDependenceResult])
assert_type(m_plot(predict, X, "size"), MPlotResult)
assert_type(m_plot(predict, X, ["size"]), EffectCollection[MPlotResult])

# Several outputs, groups, or one-hot columns give a collection, too.
assert_type(ale(predict, X, "size", target=["low", "high"]), EffectCollection[AleResult])
assert_type(ale(predict, X, "size", target="all", K=5), EffectCollection[AleResult])
assert_type(ale(predict, X, "size", groups="kind", target="low"), EffectCollection[AleResult])
assert_type(ale(predict, X, {"kind": ["size", "age"]}), EffectCollection[AleResult])
assert_type(ale(predict, X, "size", target="low"), AleResult)
assert_type(
    partial_dependence(predict, X, "size", groups=X["kind"], kind="both"),
    EffectCollection[PartialDependenceResult],
)
assert_type(ice(predict, X, "size", target="all"), EffectCollection[PartialDependenceResult])
assert_type(m_plot(predict, X, "size", groups=list("abcabcabc")), EffectCollection[MPlotResult])

# A black box is a callable or has `predict`; rows are a frame or an array.
ale(Model(), X[["size", "age"]].to_numpy(), 0)
ale(lambda rows: rows[:, 0], np.ones((3, 2)), 0)
ale(lambda frame: list(frame["size"]), X, "size")

# Options.
ale(predict, X, "size", K=5, grid="iml", centre="paper", outside="clip", missing="drop")
ale(predict, X, "size", K=np.int64(5), grid=[0.0, 4.0, 8.0])
ale(predict, X, "size", K="auto", grid="equidistant", local_effects=True)
ale(predict, X, "size", K=intervals.Auto(min_rows=2), n_jobs=2, batch_rows=100)
ale(predict, X, "all", K={"size": 4, "age": "auto"}, grid={"size": "iml", "age": [0, 80]})
ale(predict, X, "kind", order=["c", "b", "a"], categorical=["kind"], target="yes")
ale(predict, X, "kind", order={"kind": "declared"}, response_method="predict_proba")
assert_type(
    ale(predict, "rows.parquet", "size", sample_weight="age", checkpoint="run.npz"), AleResult
)
assert_type(ale(predict, [X, X], ["size", "age"], K=5), EffectCollection[AleResult])
assert_type(partial_dependence(predict, Path("rows"), "size"), PartialDependenceResult)
ale(predict, X, "size", sample_weight=np.ones(9), gradient=lambda frame: frame[["age", "size"]])
ale(predict, X, "size", sample_weight=X["age"], gradient={"size": lambda frame: frame["age"]})
ale(predict, X, "size", gradient="model")
partial_dependence(predict, X, "size", centre=3.0, kind="both", K={"size": 7})
partial_dependence(predict, X, ("size", "kind"), centre=(3.0, "a"), grid="iml")
partial_dependence(predict, X, "size", percentiles=(0.05, 0.95), method="recursion")
m_plot(predict, X, "size", neighbourhood="kernel", bandwidth={"size": 0.5}, centre="pdplot")

# Results.
assert_type(effect.K, tuple[int, ...])
assert_type(effect.to_frame(), pd.DataFrame)
effect.evaluate([0.5, 1.5])
effect.evaluate(X["size"])
effect.evaluate(X)
collection = ale(predict, X, "all")
assert_type(collection["size"], AleResult)
assert_type(collection.top(2), EffectCollection[AleResult])
assert_type(collection.sort_by(lambda one: one.strength), EffectCollection[AleResult])
for one in collection.values():
    assert_type(one, AleResult)
assert_type(AleResult.load("effect.json"), AleResult)
found = load("anything.json")
found.save("again.json")
if isinstance(found, AleResult):
    print(found.local_std)

# Drawings.
assert_type(effect.plot(units="rentals", visuals={"rug": False, "line": {"lw": 2}}), AleDisplay)
assert_type(collection.plot(n_cols=2, title=["a", "b", "c"]), AleDisplay)
display = AleDisplay([effect, partial_dependence(predict, X, "size")]).plot(sharey=False)
AleDisplay.from_estimator(predict, X, "size", K=5, grid="iml")
assert_type(ale(predict, X, "size", groups="kind").plot(panels=True), AleDisplay)
AleDisplay.overlay({"one": effect, "other": effect}, align="none", ax=display.axes_[0])

# What is derived from effects.
bands = bootstrap_bands(effect, n_boot=100, random_state=1)
assert_type(bands, Bands)
effect.plot(band=bands)
bands.plot(show="effect")
for one_band in bootstrap_bands(collection, n_boot=100).values():
    assert_type(one_band, Bands)
refitted = bootstrap_bands(effect, refit=lambda X, y: Model(), X=X, y=X["age"], random_state=1)
assert_type(refitted, Bands)
sizes = ale_statistics(effect, response=X["age"])


def with_null(null: RandomVariableNull) -> None:
    assert_type(p_values(statistics_table(collection), null), pd.DataFrame)
    print(p_values(sizes, null)["aled"])


shares = h_statistics(predict, X, triples=[("size", "age", "kind")], max_rows=None)
assert_type(shares, HStatistics)
shares.plot("ale", squared=False)
parts = decompose(predict, X, features=["size", "age"], pairs=[("size", "age")], centre="rows")
parts = decompose(predict, X, triples=[("size", "age", "kind")])
parts = decompose(predict, X, order=3)
assert_type(parts.mains, EffectCollection[AleResult])
first_order_prediction(parts.mains, X)
first_order_prediction([effect], X)
k_sensitivity(predict, X, "size", Ks=(2, 4)).plot(units="")
order_sensitivity(predict, X, "kind", orders=["similarity", "frequency"]).plot(units="")
order_sensitivity(predict, X, "kind", orders={"mine": ["a", "b"], "R's": "similarity"})
ale(predict, X, "kind", order="mean_prediction", collapse=0.05)
decompose(predict, X, order={"kind": "frequency"}, collapse={"kind": ["a", "b"]})
regions = regional_effects(predict, X, "size", candidates=["age"], min_rows=2)
regions.plot(title="regions")


# Signatures of one's own.
def explained(model: Predictor, rows: FrameLike, names: list[str]) -> EffectCollection[AleResult]:
    return ale(model, rows, names, missing="drop")
