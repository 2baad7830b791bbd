"""How curve, error and heterogeneity depend on the number of intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from aleplot_py.analysis.sensitivity import KSensitivity


class KSensitivityDisplay:
    """Drawing of a `KSensitivity`.

    Parameters
    ----------
    result : KSensitivity
        What is drawn.

    Attributes
    ----------
    figure_ : Figure
        The figure.
    axes_ : tuple of two Axes
        Curves; measures against K.
    curves_ : list of Line2D
        One per K, in order.
    measures_ : list of Line2D
        Roughness, standard error and distance.
    """

    figure_: Figure
    axes_: tuple[Axes, Axes]
    curves_: list[Line2D]
    measures_: list[Line2D]

    def __init__(self, result: KSensitivity) -> None:
        self.result = result

    def _draw(self, axes: Sequence[Axes] | None) -> KSensitivityDisplay:
        import matplotlib as mpl
        from matplotlib import pyplot as plt

        if axes is None:
            _, drawn = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
            axes = list(drawn)
        if len(axes) != 2:
            raise ValueError(f"axes must be two, got {len(axes)}")
        result = self.result
        curve_axes, measure_axes = axes
        colours = mpl.colormaps["viridis"](np.linspace(0, 0.9, len(result.Ks)))
        self.curves_ = []
        for K, effect, colour in zip(result.Ks, result.effects, colours, strict=True):
            chosen = result.recommended == K
            [line] = curve_axes.plot(
                effect.x_values[0],
                effect.f_values,
                color=colour,
                linewidth=2.5 if chosen else 1.0,
                label=f"K = {K}" + (" (recommended)" if chosen else ""),
            )
            self.curves_.append(line)
        curve_axes.set(xlabel=str(result.feature), ylabel="ALE")
        curve_axes.legend()
        self.measures_ = []
        drawn_any = False
        for values, label, marker in (
            (result.roughness, "roughness", "o"),
            (result.standard_error, "standard error", "s"),
            (result.distance, f"distance from K = {result.Ks[-1]}", "^"),
        ):
            shown = np.where(values > 0, values, np.nan)
            drawn_any = drawn_any or bool(np.any(values > 0))
            [line] = measure_axes.plot(result.Ks, shown, marker=marker, label=label)
            self.measures_.append(line)
        measure_axes.axvline(result.recommended, color="0.6", linestyle=":", zorder=0)
        measure_axes.set_xscale("log")
        if drawn_any:
            measure_axes.set_yscale("log")
        measure_axes.set_xticks(result.Ks, [str(K) for K in result.Ks])
        measure_axes.set_xticks([], minor=True)
        measure_axes.set(xlabel="K", ylabel="units of the prediction")
        measure_axes.legend()
        self.axes_ = (curve_axes, measure_axes)
        self.figure_ = curve_axes.figure  # type: ignore[assignment]
        return self
