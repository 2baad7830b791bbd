"""Effects put together again: the total effect of a pair."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from aleplot_py.grid import FloatArray
from aleplot_py.result import AleResult


def total_effect(pair: AleResult, first: AleResult, second: AleResult) -> AleResult:
    """Second-order effect with both main effects and the mean prediction added back.

    Parameters
    ----------
    pair : AleResult
        Second-order effect of two features.
    first, second : AleResult
        Main effects of the two features, in either order. Between their own grid points they are
        interpolated linearly.

    Returns
    -------
    AleResult
        On the pair's grid, ``f_values`` of shape (P1, P2) in units of the prediction: how the
        prediction varies with both features. ``centering`` is ``"total"``.

    Raises
    ------
    ValueError
        If the effects are not a pair and its two main effects, explain different outputs, or a
        main effect's grid does not cover the pair's.

    Notes
    -----
    Source: Molnar, Interpretable Machine Learning, ALE chapter; Apley and Zhu (2020), section 3.2.
    """
    if len(pair.features) != 2:
        raise ValueError(f"pair must be a second-order effect, got one of {pair.features}")
    mains = {main.features: main for main in (first, second)}
    if set(mains) != {(name,) for name in pair.features}:
        raise ValueError(
            f"main effects of {pair.features} are needed, got {first.features}, {second.features}"
        )
    if not pair.target == first.target == second.target:
        raise ValueError(
            "the effects must explain the same output, got targets "
            f"{pair.target!r}, {first.target!r}, {second.target!r}"
        )
    curves = [
        _on_points(mains[(name,)], points)
        for name, points in zip(pair.features, pair.x_values, strict=True)
    ]
    total = pair.f_values + curves[0][:, None] + curves[1] + pair.mean_prediction
    return replace(pair, f_values=total, main_effects=(), constant=0.0, centering="total")


def _on_points(main: AleResult, points: np.ndarray[Any, Any]) -> FloatArray:
    values = main.evaluate(points)
    if np.isnan(values).any():
        outside = points[np.isnan(values)][0]
        raise ValueError(
            f"the main effect of {main.features[0]!r} does not reach {outside}: compute it on a "
            "grid that covers the pair's"
        )
    return values
