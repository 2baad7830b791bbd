"""Simulated cases whose effect and slope are known: what automatic intervals should find."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.datasets import simulations
from aleplot_py.datasets.simulations import column_values
from aleplot_py.steps.grid import FloatArray

# The bands of the third case: the prediction is odd only where the data are not.
BAND, STRENGTH = 1.0, 5.0


@dataclass(frozen=True, kw_only=True)
class IntervalCase:
    """A simulated case whose effect, slope and heterogeneity are known.

    Parameters
    ----------
    feature : str
        The explained column.
    simulate : callable(n, random_state) -> DataFrame of shape (n, d)
        Draws the features.
    model : callable(frame) -> (n,)
        The black box.
    gradient : callable(frame) -> (n,)
        Its derivative in the explained column.
    curve, slope, slope_std : callable of ndarray (m,) -> (m,)
        Population effect up to a constant, mean local derivative and its standard deviation, at
        values of the feature, in units of the prediction (per unit of the feature).
    """

    feature: str
    simulate: Callable[[int, Any], pd.DataFrame]
    model: Callable[[pd.DataFrame], FloatArray]
    gradient: Callable[[pd.DataFrame], FloatArray]
    curve: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]
    slope_std: Callable[[FloatArray], FloatArray]


def _constant(value: float) -> Callable[[FloatArray], FloatArray]:
    return lambda x: np.full(np.shape(x), value)


def _piecewise_curve(x: FloatArray) -> FloatArray:
    return np.asarray(np.clip(np.minimum(x, 0.5 - x), 0.0, None))


def _piecewise_slope(x: FloatArray) -> FloatArray:
    return np.where(x < 0.25, 1.0, np.where(x < 0.5, -1.0, 0.0))


def _piecewise_gradient(X: pd.DataFrame) -> FloatArray:
    return _piecewise_slope((column_values(X, "x1") + column_values(X, "x2")) / 2)


def _simulate_ood(n: int, random_state: Any) -> pd.DataFrame:
    generator = np.random.default_rng(random_state)
    x1 = generator.uniform(0.0, 10.0, size=n)
    noise, x3 = generator.normal(0.0, 0.1, size=n), generator.normal(0.0, 1.0, size=n)
    return pd.DataFrame({"x1": x1, "x2": x1 + noise, "x3": x3})


def _ood_model(X: pd.DataFrame) -> FloatArray:
    x1, x2, x3 = (column_values(X, name) for name in ("x1", "x2", "x3"))
    away = x1 - x2
    outside = np.maximum(away**2 - BAND**2, 0.0)
    return np.asarray(x1 * x2 + x1 * x3 + STRENGTH * np.sign(away) * outside)


def _ood_gradient(X: pd.DataFrame) -> FloatArray:
    away = column_values(X, "x1") - column_values(X, "x2")
    odd = np.where(np.abs(away) > BAND, 2 * STRENGTH * np.abs(away), 0.0)
    return np.asarray(column_values(X, "x2") + column_values(X, "x3") + odd)


#: The cases of Gkolemis et al. (2022, 2023): ``"piecewise"`` (slopes 1, -1, 0 in x1, no
#: heterogeneity), ``"heterogeneous"`` (the same plus x1 x3), ``"interaction"`` (x2: mean effect 0,
#: standard deviation 5) and ``"ood"`` (x1 x2 + x1 x3 inside a band around x2 = x1, where the data
#: are, and a steep term outside, in our settings).
INTERVAL_CASES: Mapping[str, IntervalCase] = MappingProxyType(
    {
        "piecewise": IntervalCase(
            feature="x1",
            simulate=lambda n, random_state: simulations.simulate_gkolemis_piecewise(
                n, random_state=random_state
            ),
            model=simulations.gkolemis_piecewise_model,
            gradient=_piecewise_gradient,
            curve=_piecewise_curve,
            slope=_piecewise_slope,
            slope_std=_constant(0.0),
        ),
        "heterogeneous": IntervalCase(
            feature="x1",
            simulate=lambda n, random_state: simulations.simulate_gkolemis_piecewise(
                n, random_state=random_state
            ),
            model=lambda X: (
                simulations.gkolemis_piecewise_model(X)
                + column_values(X, "x1") * column_values(X, "x3")
            ),
            gradient=lambda X: _piecewise_gradient(X) + column_values(X, "x3"),
            curve=_piecewise_curve,
            slope=_piecewise_slope,
            slope_std=_constant(0.5),
        ),
        "interaction": IntervalCase(
            feature="x2",
            simulate=lambda n, random_state: simulations.simulate_gkolemis_interaction(
                n, random_state=random_state
            ),
            model=simulations.gkolemis_interaction_model,
            gradient=lambda X: np.where(column_values(X, "x3") > 0, 5.0, -5.0),
            curve=_constant(0.0),
            slope=_constant(0.0),
            slope_std=_constant(5.0),
        ),
        "ood": IntervalCase(
            feature="x1",
            simulate=_simulate_ood,
            model=_ood_model,
            gradient=_ood_gradient,
            curve=lambda x: x**2 / 2,
            slope=lambda x: np.asarray(x),
            slope_std=_constant(float(np.hypot(0.1, 1.0))),
        ),
    }
)
