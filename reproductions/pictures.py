"""Pictures of a figure, the same bytes for the same numbers."""

import io
from collections.abc import Sequence
from typing import Any

from matplotlib import style
from matplotlib.figure import Figure
from PIL import Image

from aleplot_py.display import STYLE
from reproductions.figure import FigureScript, Numbers
from reproductions.texts import figure_text, localise

FORMATS = ("png", "svg", "pdf")
LARGEST_PNG = 150_000
RESOLUTION = 160

# Without dates and with a fixed salt, a picture changes only if the numbers or the script do.
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def draw(figure: FigureScript, numbers: Numbers, code: str, *, refitted: bool = False) -> Figure:
    """Draw a figure.

    Parameters
    ----------
    figure : FigureScript
        The figure.
    numbers : dict of str to result or DataFrame
        What its ``compute`` returned.
    code : str
        Language.
    refitted : bool
        Whether the model was refitted in scikit-learn, which the picture then says.

    Returns
    -------
    Figure
        Drawn, not saved.
    """
    text = figure_text(figure, code)
    picture = Figure(figsize=figure.size, layout="constrained")
    figure.module.draw(numbers, picture, text)
    if refitted:
        picture.text(0.995, 0.005, text("refitted"), ha="right", va="bottom", fontsize=6)
    localise(picture, text.language)
    return picture


def render(
    figure: FigureScript,
    numbers: Numbers,
    code: str,
    formats: Sequence[str],
    *,
    refitted: bool = False,
) -> dict[str, bytes]:
    """Draw a figure and encode it.

    Parameters
    ----------
    figure, numbers, code, refitted
        As in `draw`.
    formats : sequence of {"png", "svg", "pdf"}
        What is wanted.

    Returns
    -------
    dict of str to bytes
        Format to the file's content; a png has at most 150,000 bytes.
    """
    settings = {"svg.hashsalt": figure.id, "svg.fonttype": "path", "font.family": "DejaVu Sans"}
    with style.context(["default", STYLE, settings]):
        picture = draw(figure, numbers, code, refitted=refitted)
        return {name: _encode(picture, name) for name in formats}


def _encode(picture: Figure, name: str) -> bytes:
    file = io.BytesIO()
    # savefig.bbox="tight" of a style would make sizes depend on the language.
    picture.savefig(file, format=name, dpi=RESOLUTION, metadata=_METADATA[name], bbox_inches=None)
    content = file.getvalue()
    return _small(content) if name == "png" else content


def _small(png: bytes) -> bytes:
    """Reduce a png to 256 colours, and then its size, until it is small enough."""
    opened = Image.open(io.BytesIO(png)).convert("RGB")
    share = 1.0
    while len(png) > LARGEST_PNG:
        width, height = (round(share * side) for side in opened.size)
        image = opened.resize((width, height), Image.Resampling.LANCZOS)
        # The default cut gives nearly all colours to the large areas, none to the colour bar.
        image = image.quantize(256, method=Image.Quantize.MAXCOVERAGE)
        file = io.BytesIO()
        image.save(file, format="png", optimize=True)
        png, share = file.getvalue(), 0.85 * share
    return png
