"""Distances of three levels, and which of them stands between the others."""

import numpy as np
import pandas as pd
from scipy.stats import ks_2samp

from aleplot_py import ale

x = {"A": [1, 2, 3, 4], "B": [3, 4, 5, 6], "C": [2, 3, 4, 5]}
ab, ac = (ks_2samp(x["A"], x[other]).statistic for other in "BC")

X = pd.DataFrame({"level": np.repeat(list("ABC"), 4), "x": np.concatenate(list(x.values()))})
effect = ale(lambda X: X["x"], X, "level")
middle = effect.axes[0].points[1]
print(ab, ac, "ABC".index(middle) + 1)
