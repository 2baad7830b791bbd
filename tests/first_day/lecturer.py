"""A lecture on correlated features: three methods, the truth, and a figure of the book varied."""

import numpy as np

from aleplot_py import AleDisplay, ale, ice, k_sensitivity, m_plot, partial_dependence
from aleplot_py.datasets import groemping_model, simulate_groemping
from reproductions import figure

# The model 200 + x1 - 0.5 x2 + x1 x2 is linear in x1; the features are correlated with -0.9.
X = simulate_groemping(2000, random_state=1)
curves = [
    ale(groemping_model, X, "x1"),
    partial_dependence(groemping_model, X, "x1"),
    m_plot(groemping_model, X, "x1"),
]
overlay = AleDisplay.overlay(curves, labels=["ALE", "PD", "M-plot"], align="mean")
overlay.figure_.savefig("three_methods.png")

# Students ask: is the effect of x1 linear, as the model is?
at = np.quantile(X["x1"], np.linspace(0.05, 0.95, 50))
for name, curve in zip(("ALE", "PD", "M-plot"), curves, strict=True):
    bent = np.polyfit(at, curve.evaluate(at), 2)[0]
    print(f"{name}: coefficient of the square {bent:.2f}")

# What does K do?
sensitivity = k_sensitivity(groemping_model, X, "x1")
sensitivity.plot().figure_.savefig("K.png")
print("recommended K:", sensitivity.recommended)

# Single rows beside their mean.
ice(groemping_model, X[:100], "x1").plot().figure_.savefig("rows.png")

# A figure of the book with other settings, in Turkish and in Persian for the slides.
varied = figure("molnar3/20.5", K=5)
for lang in ("tr", "fa"):
    varied.plot(lang, size=(7, 3.5)).savefig(f"slide.{lang}.png")
print("points of the varied figure:", len(varied.numbers["ale_x1"].x_values[0]))
