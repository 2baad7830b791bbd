"""What can and cannot run here, line by line: what ``aleplot doctor`` prints."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Iterator
from functools import partial
from importlib import metadata
from pathlib import Path

import pandas as pd

from aleplot_py import __version__, datasets
from aleplot_py.datasets.files import offline
from aleplot_py.errors import AleplotError
from aleplot_py.r import doctor as r_doctor

#: Whether it is well, what it is, and what mends it where it is not.
Line = tuple[bool, str, str]

#: Data sets by the names of the command line: what loads them, and what they are.
DATA: dict[str, tuple[Callable[[], pd.DataFrame], str]] = {
    "bike": (datasets.load_bike, "bike rentals by day, as Molnar's third edition has them"),
    "bike2": (partial(datasets.load_bike, 2), "the same, as the second edition has them"),
    "bike_hourly": (datasets.load_bike_hourly, "bike rentals by hour (downloaded once)"),
    "cervical": (datasets.load_cervical, "risk factors for cervical cancer"),
    "adult": (datasets.load_adult, "census income, complete rows"),
    "penguins": (datasets.load_penguins, "Palmer penguins (from the package palmerpenguins)"),
}

_DISTRIBUTION = "aleplot-py"
# What runs with an extra. The packages are those of the installed metadata; R's have a part of
# their own, and who develops has a checkout that says what is needed.
_EXTRAS = {
    "": "effects, statistics, bands, pictures",
    "figures": "LOFO, the figures of the literature",
    "trees": "trees in one walk",
    "scale": "tables larger than memory, clusters",
}
_ELSEWHERE = ("dev", "docs", "r")
_REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(?:\[.*?\])?\s*\(?(?:>=(?P<least>[\d.]+))?.*?"
    r"(?:;\s*extra\s*==\s*['\"](?P<extra>[\w-]+)['\"])?$"
)

# A letter of each script that the pictures are written in.
_FONT = "DejaVu Sans"
_LETTERS = {"Persian": "\N{ARABIC LETTER PEH}", "Turkish": "\N{LATIN SMALL LETTER DOTLESS I}"}
_SHAPES_PERSIAN = "3.11"


def packages() -> Iterator[Line]:
    """Python, and the packages of each extra.

    Yields
    ------
    tuple of (bool, str, str)
        Whether it is well, what it is, and the command or reason where it is not.
    """
    place = Path(__file__).parent
    yield True, f"aleplot-py {__version__} ({place}), Python {platform.python_version()}", ""
    try:
        requirements = metadata.requires(_DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        yield False, f"{_DISTRIBUTION} is on the path, but not installed", "pip install ."
        return
    wanted: dict[str, list[tuple[str, str]]] = {}
    for line in requirements:
        found = _REQUIREMENT.match(line)
        if found is not None:
            extra = found["extra"] or ""
            wanted.setdefault(extra, []).append((found["name"], found["least"] or "0"))
    for extra, needs in wanted.items():
        if extra in _ELSEWHERE:
            continue
        what = _EXTRAS.get(extra, f"the extra {extra!r}")
        mend = f"pip install '{_DISTRIBUTION}{f'[{extra}]' if extra else ''}'"
        had = ", ".join(f"{name} {_version(name)}" for name, _ in needs if _version(name))
        lacking = ", ".join(filter(None, (_lack(name, least) for name, least in needs)))
        mend = f"{lacking}; {mend}" if lacking else ""
        yield not lacking, f"{what} ({had})" if had else what, mend


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _lack(name: str, least: str) -> str | None:
    """What is wrong with a package, None where nothing is."""
    version = _version(name)
    if version is None:
        return f"{name} is not installed"
    return f"{name} must be {least} or newer" if _numbers(version) < _numbers(least) else None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def fonts() -> Iterator[Line]:
    """The letters of the pictures' three languages.

    Yields
    ------
    tuple of (bool, str, str)
        As `packages` does.
    """
    try:
        import matplotlib as mpl
        from matplotlib import font_manager, ft2font
    except ImportError as error:
        yield False, "fonts", f"matplotlib does not load: {error}"
        return
    file = font_manager.findfont(_FONT)
    font = ft2font.FT2Font(file)
    for language, letter in _LETTERS.items():
        has = font.get_char_index(ord(letter)) != 0
        yield has, f"letters for {language} ({Path(file).name})", "" if has else f"install {_FONT}"
    shapes = _numbers(mpl.__version__) >= _numbers(_SHAPES_PERSIAN)
    mend = f"matplotlib {mpl.__version__} draws Persian letters unjoined"
    yield (
        shapes,
        "joined Persian letters",
        "" if shapes else f"{mend}; pip install 'matplotlib>={_SHAPES_PERSIAN}'",
    )


def data() -> Iterator[Line]:
    """The data sets, read and compared with their digests; nothing is downloaded.

    Yields
    ------
    tuple of (bool, str, str)
        As `packages` does.
    """
    for name, (loader, _) in DATA.items():
        try:
            with offline():
                rows, columns = loader().shape
        except (AleplotError, OSError) as error:
            yield False, f"data {name}", f"{error} 'aleplot data {name}' downloads what it can"
        else:
            yield True, f"data {name}: {rows:,} rows, {columns} columns", ""


#: Parts of the report by the names of the command line.
PARTS: dict[str, Callable[[], Iterator[Line]]] = {
    "packages": packages,
    "r": r_doctor.report,
    "fonts": fonts,
    "data": data,
}
