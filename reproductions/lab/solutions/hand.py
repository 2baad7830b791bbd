"""Accumulated local effect of x1 by hand, and by one call."""

import numpy as np
import pandas as pd

from aleplot_py import ale

X = pd.DataFrame({"x1": [1.0, 2, 3, 4, 5, 6], "x2": [2.0, 1, 4, 3, 6, 5]})
low, high = np.where(X["x1"] <= 3, 1, 3), np.where(X["x1"] <= 3, 3, 6)
differences = high * X["x2"] - low * X["x2"]
means = np.array([differences[X["x1"] <= 3].mean(), differences[X["x1"] > 3].mean()])
curve = np.append(0, np.cumsum(means))
constant = np.mean((curve[:-1] + curve[1:]) / 2)  # each interval has three rows
answers = [means[0], means[1], curve[-1] - constant]

effect = ale(lambda X: X["x1"] * X["x2"], X, "x1", K=2)
assert np.allclose(answers, [*effect.local_mean, effect.f_values[-1]])
print(*answers)
