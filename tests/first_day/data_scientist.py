"""A pipeline is fitted: which features drive its predictions, how, and how sure is that?"""

from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from aleplot_py import AleDisplay, ale, bootstrap_bands, load, lofo_importance, partial_dependence
from aleplot_py.datasets import load_bike

bike = load_bike()
X, y = bike.drop(columns="cnt"), bike["cnt"]


def pipeline(model):
    words = (OneHotEncoder(), ["season", "holiday", "workday", "weather"])
    return make_pipeline(make_column_transformer(words, remainder="passthrough"), model)


forest = pipeline(RandomForestRegressor(10, random_state=0)).fit(X, y)
ridge = pipeline(Ridge()).fit(X, y)

effects = ale(forest, X, "all")
effects.plot().figure_.savefig("effects.png")
ale(forest, X, "temp", groups="season").plot().figure_.savefig("seasons.png")
temp = ale(forest, X, "temp", local_effects=True)
bands = bootstrap_bands(temp, n_boot=200, random_state=1)
temp.plot(band=bands).figure_.savefig("temperature.png")
warm = temp.evaluate([0, 20])
print(f"20 degrees instead of 0: {warm[1] - warm[0]:+.0f} rentals a day")

curves = [temp, ale(ridge, X, "temp"), partial_dependence(forest, X, "temp")]
AleDisplay.overlay(curves, labels=["forest", "ridge", "PD"]).figure_.savefig("models.png")
ale(forest, X, ("temp", "hum")).plot(empty="hatch").figure_.savefig("pair.png")

lofo = lofo_importance(ridge, X, y, scoring="r2", cv=3, random_state=1)
print("most important:", lofo.features[int(lofo.mean.argmax())])
temp.save("temp.json")
print("kept to the last bit:", (load("temp.json").f_values == temp.f_values).all())
