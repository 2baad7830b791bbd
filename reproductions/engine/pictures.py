"""Pictures of a figure, the same bytes for the same numbers."""

import contextlib
import difflib
import hashlib
import importlib.util
import io
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import font_manager, style
from matplotlib.figure import Figure, FigureBase, SubFigure
from matplotlib.transforms import Bbox
from PIL import Image, ImageChops

from aleplot_py.plots import STYLE
from reproductions.engine.figure import FigureScript, Numbers
from reproductions.engine.texts import LANGUAGES, catalogue, figure_text, localise

# Decimals of a place in the layout, as a share of the figure.
_PLACES = 6

# Pictures are alike if no square of so many pixels a side differs by more than this, of 255, on
# average: one pixel for the last bits of another machine, a letter's edges for other fonts.
_PART = 16
_ONE_PIXEL, _EDGES = 1, 24

FORMATS = ("png", "svg", "pdf")
LARGEST_PNG = 150_000
RESOLUTION = 160
FONT = "DejaVu Sans"

# What draws, beside the figures' scripts: of the library only this, for it computes as well.
_ROOT = Path(__file__).resolve().parents[2]
_DRAWING = (
    "aleplot_py/plots/aleplot.mplstyle",
    *sorted(
        path.relative_to(_ROOT).as_posix() for path in (_ROOT / "aleplot_py/plots").glob("*.py")
    ),
    "reproductions/engine/pictures.py",
    "reproductions/engine/texts.py",
)

# Without dates and with a fixed salt, a picture changes only if the numbers or the script do.
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@dataclass(frozen=True)
class Look:
    """How a picture is drawn where it is to differ from the script's.

    Parameters
    ----------
    size : tuple of float, optional
        Width and height in inches; by default the script's.
    font : str
        Family of the letters; DejaVu Sans, the default, has those it lacks.
    dpi : int
        Pixels per inch.

    Raises
    ------
    ValueError
        If the font is not installed, or a number is not positive.
    """

    size: tuple[float, float] | None = None
    font: str = FONT
    dpi: int = RESOLUTION

    def __post_init__(self) -> None:
        numbers = (self.dpi, *(self.size or ()))
        if not all(0 < number < math.inf for number in numbers):
            raise ValueError(f"size and dpi must be positive, got {self.size} and {self.dpi}")
        installed = font_manager.get_font_names()
        if self.font not in installed:
            # The wrong case is the commonest fault.
            lower = {name.lower(): name for name in installed}
            near = difflib.get_close_matches(self.font.lower(), sorted(lower), n=3, cutoff=0.4)
            had = ", ".join(lower[name] for name in near) or ", ".join(sorted(installed)[:5])
            raise ValueError(f"the font {self.font!r} is not installed; there is {had}")


#: As the scripts and the style have it.
PLAIN = Look()


def draw(
    figure: FigureScript,
    numbers: Numbers,
    code: str,
    *,
    refitted: bool = False,
    look: Look = PLAIN,
) -> Figure:
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
    look : Look
        Size, font and resolution.

    Returns
    -------
    Figure
        Drawn, not saved.
    """
    text = figure_text(figure, code)
    picture = Figure(figsize=look.size or figure.size, dpi=look.dpi, layout="constrained")
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
    look: Look = PLAIN,
) -> dict[str, bytes]:
    """Draw a figure and encode it.

    Parameters
    ----------
    figure, numbers, code, refitted, look
        As in `draw`.
    formats : sequence of {"png", "svg", "pdf"}
        What is wanted.

    Returns
    -------
    dict of str to bytes
        Format to the file's content; a png that looks as the script says has at most
        `LARGEST_PNG` bytes.
    """
    with styled(figure, look):
        picture = draw(figure, numbers, code, refitted=refitted, look=look)
        _freeze(picture)
        return {name: _encode(picture, name, look) for name in formats}


@contextlib.contextmanager
def styled(figure: FigureScript, look: Look = PLAIN) -> Iterator[None]:
    """Settings of matplotlib under which a figure is drawn and encoded.

    Parameters
    ----------
    figure : FigureScript
        The figure, whose id the ids in its svg are made from.
    look : Look
        Of which the font counts.
    """
    settings = {
        "svg.hashsalt": figure.id,
        "svg.fonttype": "path",
        "pdf.fonttype": 42,  # TrueType: letters that can be searched, and that journals take
        "font.family": list(dict.fromkeys([look.font, FONT])),
    }
    with style.context(["default", STYLE, settings]):
        yield


def decoded(png: bytes) -> Image.Image | None:
    """Decode a picture.

    Parameters
    ----------
    png : bytes
        Content of a file.

    Returns
    -------
    Image or None
        Its pixels, in one form whatever the file's; None if it is no whole picture.
    """
    try:
        return Image.open(io.BytesIO(png), formats=["png"]).convert("RGBA")
    except Exception:  # of many kinds, according to where a file is cut or wrong
        return None


def pixels_sha256(png: bytes) -> str | None:
    """SHA-256 of a picture's size and pixels, the same however they are packed.

    Parameters
    ----------
    png : bytes
        Content of a file.

    Returns
    -------
    str or None
        In hexadecimal; None if it is no whole picture.
    """
    picture = decoded(png)
    if picture is None:
        return None
    return hashlib.sha256(f"{picture.size}".encode() + picture.tobytes()).hexdigest()


def alike(first: bytes, second: bytes, *, same_fonts: bool = True) -> bool:
    """Whether two pictures show the same.

    Parameters
    ----------
    first, second : bytes
        Contents of png files.
    same_fonts : bool
        Whether the same version of matplotlib drew both; another one has other edges of letters.

    Returns
    -------
    bool
        Whether both are pictures of one size whose parts are of nearly the same colour.
    """
    one, other = decoded(first), decoded(second)
    if one is None or other is None or one.size != other.size:
        return False
    first_rgb, second_rgb = one.convert("RGB"), other.convert("RGB")
    if same_fonts:
        pixels = ImageChops.difference(first_rgb, second_rgb).reduce(_PART)
        return bool(np.asarray(pixels).max() <= _ONE_PIXEL)
    # What an edge loses on one side it gains on the other.
    parts = [np.asarray(rgb.reduce(_PART), dtype=float) for rgb in (first_rgb, second_rgb)]
    return bool(np.abs(parts[0] - parts[1]).max() <= _EDGES)


def optimised(png: bytes) -> bytes:
    """Pack the same pixels into fewer bytes.

    Parameters
    ----------
    png : bytes
        Content of a file.

    Returns
    -------
    bytes
        A smaller file, or the same where oxipng is not installed.
    """
    if importlib.util.find_spec("oxipng") is None:
        return png
    import oxipng

    # Higher levels take many times as long and save another hundredth.
    return bytes(oxipng.optimize_from_memory(png, level=2))


def digest(figure: FigureScript) -> str:
    """SHA-256 of what makes a figure's pictures of its numbers, but for its script.

    Parameters
    ----------
    figure : FigureScript
        The figure.

    Returns
    -------
    str
        Digest of the modules that draw and of the figure's messages.
    """
    found = hashlib.sha256()
    for name in _DRAWING:
        found.update((_ROOT / name).read_bytes())
    for code in LANGUAGES:
        messages = catalogue(code)
        own = [messages.get(figure.id, {}), messages["common"]]
        found.update(json.dumps(own, sort_keys=True).encode())
    return found.hexdigest()


def _freeze(picture: Figure) -> None:
    """Lay a figure out once for all formats, to places that do not depend on the last bits.

    The solver of constrained layout adds its terms up in the order of addresses in memory.
    """
    picture.draw_without_rendering()
    picture.set_layout_engine("none")
    for part in _subfigures(picture):
        part.bbox_relative.set_points(part.bbox_relative.get_points().round(_PLACES))
    for axes in picture.axes:
        points = axes.get_position(original=True).get_points()
        axes.set_position(Bbox(np.round(points, _PLACES)))


def _subfigures(picture: FigureBase) -> Iterator[SubFigure]:
    for part in picture.subfigs:
        yield part
        yield from _subfigures(part)


def _encode(picture: Figure, name: str, look: Look) -> bytes:
    file = io.BytesIO()
    # savefig.bbox="tight" of a style would make sizes depend on the language.
    picture.savefig(file, format=name, dpi=look.dpi, metadata=_METADATA[name], bbox_inches=None)
    content = file.getvalue()
    # Made small before it is packed, so that the pixels do not depend on who packs.
    if name != "png":
        return content
    return optimised(_small(content) if look == PLAIN else content)


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
