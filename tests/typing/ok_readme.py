"""The calls that README shows."""

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression

from aleplot_py import (
    AleDisplay,
    ALEPlot,
    ale,
    ale_statistics,
    bootstrap_bands,
    effect_panel,
    ice,
    k_sensitivity,
    lofo_importance,
    partial_dependence,
    regional_effects,
)
from aleplot_py.datasets import groemping_model, simulate_groemping
from aleplot_py.r_random import set_seed

rng = set_seed(1)
x1 = rng.runif(500)
X = pd.DataFrame({"x1": x1, "x2": x1 + rng.rnorm(500, sd=0.1)})
effect = ale(lambda X: X["x1"] * X["x2"], X, "x1", K=5)
print(effect.x_values[0].round(4).tolist())
print(effect.evaluate([0.25, 0.5, 0.75]).round(6).tolist())
display = effect.plot()

forest = RandomForestClassifier().fit(X, x1 > 0.5)
effects = ale(forest, X, "all", target="yes")
effects.plot().figure_.savefig("effects.png")
ale(forest, X, ("age", "income"), target="yes").plot(empty="hatch").figure_.savefig("pair.png")


def outputs(X: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({"low": X["x1"] * X["x2"], "high": X["x1"] + X["x2"]})


both = ale(outputs, X, ["x1", "x2"], target="all")
print(list(both), both.plot())
print(list(ale(outputs, X, "x1", target="low", groups=X["x2"] > 0.5)))
wet = X.assign(rain=(X["x2"] > 0.8) * 1, snow=(X["x2"] < 0.1) * 1)
one_hot = ale(lambda X: X["rain"] - X["snow"], wet, {"weather": ["rain", "snow"]})
print(one_hot["weather"].evaluate(["snow", "(none)", "rain"]))
low = [
    ale(outputs, X, "x1", target="low"),
    partial_dependence(outputs, X, "x1", target="low"),
]
AleDisplay.overlay(low, labels=["ALE", "PD"], align="mean")
ice(outputs, X, "x1", target="low").plot(individual=50, colour_by="x2")
effect_panel(lambda X: X["x1"], X, x1, "all").plot()

r = ALEPlot(X, None, lambda X_model, newdata: newdata["x1"] * newdata["x2"], J=0, K=5)
print(r.K, r.f_values.round(6).tolist())


def model(X: pd.DataFrame) -> pd.Series:
    return X["x1"] * X["x2"]


effect = ale(model, X, "x1", K="auto", local_effects=True)
bands = bootstrap_bands(effect, n_boot=1000, random_state=1)
print(bands.label, bool(bands.width.max() < 0.02))
display = effect.plot(band=bands, heterogeneity=True, local_effects=True)
split = regional_effects(model, X, "x1").split
print(split and split.feature)
ale(model, X, "all", gradient=lambda X: X[["x2", "x1"]].to_numpy())
print(k_sensitivity(model, X, "x1").recommended)
print(round(ale_statistics(effect, response=model(X)).naled, 1))

twins, y = X.assign(copy=X["x1"]), 3 * x1 + rng.rnorm(500, sd=0.5)
lofo = lofo_importance(LinearRegression(), twins, y, scoring="neg_mean_squared_error", cv=5)
print(dict(zip(lofo.features, (lofo.mean.round(2) + 0).tolist(), strict=True)))
groups = {"x1 and its copy": ["x1", "copy"], "x2": ["x2"]}
lofo_importance(LinearRegression(), twins, y, scoring="r2", features=groups, cv=5)

G = simulate_groemping(20_000, random_state=1)
curve = ale(groemping_model, G, "x1", K=200)
print(np.polyfit(G["x1"], curve.evaluate(G["x1"]), deg=2)[0])
