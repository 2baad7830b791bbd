"""All that draws. Modules of results import it inside ``.plot()``, and it matplotlib in functions.

`Display` is the base of all displays; `STYLE` is the path of the style sheet of new figures:
``with matplotlib.style.context(STYLE): ...`` applies it elsewhere.
"""

from aleplot_py.plots.base import Display
from aleplot_py.plots.display import AleDisplay
from aleplot_py.plots.heatmap import HeatmapDisplay
from aleplot_py.plots.importance import EliminationDisplay, ImportanceDisplay
from aleplot_py.plots.look import STYLE
from aleplot_py.plots.panel import EffectPanelDisplay
from aleplot_py.plots.sensitivity import KSensitivityDisplay, OrderSensitivityDisplay

__all__ = [
    "STYLE",
    "AleDisplay",
    "Display",
    "EffectPanelDisplay",
    "EliminationDisplay",
    "HeatmapDisplay",
    "ImportanceDisplay",
    "KSensitivityDisplay",
    "OrderSensitivityDisplay",
]
