"""Models of scikit-learn, which has no types of its own, are black boxes and estimators."""

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from aleplot_py import (
    ale,
    bootstrap_bands,
    leave_two_out_importance,
    lofo_importance,
    permutation_importance,
    random_variable_null,
    sequential_elimination,
)

X = pd.DataFrame({"size": np.arange(9.0), "age": np.arange(9.0) ** 2})
y = X["size"]

forest = RandomForestRegressor().fit(X, y)
pipeline = make_pipeline(StandardScaler(), LinearRegression())
effect = ale(forest, X, "size", local_effects=True)
ale(pipeline, X, "size")
ale(SVC(), X, "size", response_method="decision_function")
ale(RandomForestClassifier(), X, ["size"], target=1)
bootstrap_bands(effect, refit=RandomForestRegressor(), X=X, y=y, random_state=1)
random_variable_null(pipeline, X, y, n=10, random_state=np.random.default_rng(1))
lofo = lofo_importance(LinearRegression(), X, y, scoring="r2", cv=KFold(3), random_state=1)
print(lofo.mean.round(2), lofo.plot(title="LOFO"))
lofo_importance(pipeline, X, y, scoring=None, X_test=X, y_test=y, features={"all": ["size", "age"]})
leave_two_out_importance(LinearRegression(), X, y, scoring="r2", cv=3).plot()
sequential_elimination(LinearRegression(), X, y, scoring="r2", keep=1).plot()
permutation_importance(forest, X, y, scoring="r2", features=["size"]).to_frame(per_split=True)
