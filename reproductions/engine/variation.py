"""Figures in a notebook, as the sources have them or with other settings."""

import io
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure

from reproductions.engine import pictures
from reproductions.engine.figure import FigureScript, Numbers, all_figures, select
from reproductions.engine.texts import LANGUAGES


@dataclass(frozen=True)
class ComputedFigure:
    """A figure with its numbers.

    Parameters
    ----------
    script : FigureScript
        The figure.
    numbers : dict of str to result or DataFrame
        What it draws.
    """

    script: FigureScript
    numbers: Numbers

    def plot(
        self,
        lang: str = "en",
        *,
        size: tuple[float, float] | None = None,
        font: str = pictures.FONT,
        dpi: int = pictures.RESOLUTION,
    ) -> Figure:
        """Draw the figure.

        Parameters
        ----------
        lang : {"en", "fa", "tr"}
            Language.
        size : tuple of float, optional
            Width and height in inches, by default the script's.
        font : str
            Family of the letters.
        dpi : int
            Pixels per inch.

        Returns
        -------
        Figure
            Of matplotlib; a notebook shows it.

        Raises
        ------
        ValueError
            If there is no such language, the font is not installed or a number is not positive.
        """
        if lang not in LANGUAGES:
            raise ValueError(f"lang must be one of {', '.join(LANGUAGES)}, got {lang!r}")
        look = pictures.Look(size, font, dpi)
        with pictures.styled(self.script, look):
            picture = pictures.draw(self.script, self.numbers, lang, look=look)
            # Laid out here: a style that holds later does not reach what is placed.
            picture.draw_without_rendering()
        return picture

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.plot().savefig(file, format="png")
        return file.getvalue()


def figure(name: str, *, model: str = "r", **settings: Any) -> ComputedFigure:
    """Compute a figure of the literature, with the source's settings or with others.

    Parameters
    ----------
    name : str
        Its id, such as ``molnar3/20.5``.
    model : {"r", "sklearn"}
        Whether a fitted model is the one exported from R or refitted in scikit-learn.
    **settings
        Other values of its settings, such as ``K=5``.

    Returns
    -------
    ComputedFigure
        Its ``numbers``, and its picture by ``plot()``.

    Raises
    ------
    ValueError
        If there is no such figure or setting; the message says which there are.

    Examples
    --------
    >>> from reproductions import figure
    >>> figure("molnar3/20.5", K=5).numbers["ale_x1"].K
    (5,)
    """
    scripts = all_figures()
    found = [script for script in select(scripts, [name]) if name in script.ids]
    if not found:
        ids = ", ".join(i for script in scripts for i in script.ids if i.startswith(f"{name}/"))
        raise ValueError(f"{name!r} is a source, not a figure; its figures are {ids}")
    return ComputedFigure(found[0], found[0].compute(model, **settings))
