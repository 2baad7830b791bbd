"""A figure that keeps its style when it is saved: imported inside functions, for matplotlib."""

from __future__ import annotations

from typing import Any

import matplotlib
from matplotlib.figure import Figure

from aleplot_py.plots.look import STYLE

_READ_WHEN_SAVED = ("savefig.", "pdf.", "ps.")


class StyledFigure(Figure):
    """Figure whose file is written with the settings of `STYLE`, whenever it is saved."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """As matplotlib's; resolution, and fonts as TrueType (journals refuse Type 3), by STYLE."""
        style = matplotlib.rc_params_from_file(STYLE, use_default_template=False)
        saving = {name: style[name] for name in style if name.startswith(_READ_WHEN_SAVED)}
        with matplotlib.rc_context(saving):
            super().savefig(fname, **options)
