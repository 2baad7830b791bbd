"""Rows that each method asks the model about, counted while it works."""

import numpy as np
import pandas as pd

from aleplot_py import ale, partial_dependence

X = pd.DataFrame(np.random.default_rng(1).normal(size=(500, 2)), columns=["x1", "x2"])
asked: list[int] = []


def model(rows):
    """Count the rows and predict their product."""
    asked.append(len(rows))
    return rows["x1"] * rows["x2"]


answers = []
for ask in (
    lambda: partial_dependence(model, X, "x1", K=20),
    lambda: ale(model, X, "x1", K=20),
    lambda: ale(model, X, ("x1", "x2"), K=20),
):
    asked.clear()
    ask()
    answers.append(sum(asked))
print(*answers)
