"""Quadratic coefficients of ALE and M-plot in the population, from the closed forms."""

import numpy as np

from aleplot_py.theory import BivariateNormalInteraction

case = BivariateNormalInteraction(b0=1, b1=1, b2=1, b3=2, mu1=0, mu2=0, s1=1, s2=1, rho=0.6)
x = np.array([-1.0, 0, 1])
answers = [np.polyfit(x, curve(1, x), 2)[0] for curve in (case.ale, case.m)]
print(*answers)
