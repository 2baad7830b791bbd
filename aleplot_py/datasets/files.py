"""Files of data sets: where they are looked for, how they are checked.

UCI files are looked for, in this order, at an explicit ``path``, in the folder named by the
environment variable ``ALEPLOT_PY_DATA``, in the user's cache, in a folder ``shared/data`` beside
the checkout, and in the package itself, which has all but the hourly rentals (see ``NOTICE`` in
``aleplot_py/datasets/data``). Those alone are downloaded from UCI's archive and kept in the cache
(needs pooch; never tried where ``ALEPLOT_PY_OFFLINE`` is set to anything but the empty string). A
file may be packed, as ``.csv.xz``. What was read is compared with a pinned shape and SHA-256 of
the values, so that a figure is never drawn from other data than its caption says.

Frames have the columns, levels and units of the source's R code; categorical columns are
unordered and list their levels in R's order.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import importlib.util
import io
import os
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pandas as pd

from aleplot_py.errors import AleplotError

FloatArray = npt.NDArray[np.float64]


IntArray = npt.NDArray[np.int64]


Columns = Mapping[str, Sequence[str]]


_FOLDER_VARIABLE = "ALEPLOT_PY_DATA"
_OFFLINE_VARIABLE = "ALEPLOT_PY_OFFLINE"
_DOWNLOAD_SECONDS = 30
_SHIPPED = Path(__file__).parent / "data"

#: Bytes of a data file, or of an archive with it, of which no more are read: ten times the largest.
LARGEST_FILE = 2**25
_TOO_LARGE = f"it has more than {LARGEST_FILE:,} bytes"


class DataNotFoundError(FileNotFoundError):
    """A data file is neither at hand nor to be downloaded."""


class DataMismatchError(AleplotError):
    """A data file was read, but its values are not those the figures were computed with."""


@dataclass(frozen=True)
class Pin:
    """Shape and SHA-256 that a loaded frame must have."""

    shape: tuple[int, int]
    sha256: str


@dataclass(frozen=True)
class Archive:
    """Where UCI has a file: the address of the archive, and its name in there."""

    url: str
    member: str


@dataclass(frozen=True)
class Source:
    """One UCI file: its name and checksum, and where to download it unless the package has it."""

    title: str
    file: str
    sha256: str
    archive: Archive | None = None


@contextlib.contextmanager
def offline() -> Iterator[None]:
    """Within it nothing is downloaded."""
    before = os.environ.get(_OFFLINE_VARIABLE)
    os.environ[_OFFLINE_VARIABLE] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_OFFLINE_VARIABLE]
        else:
            os.environ[_OFFLINE_VARIABLE] = before


def values_sha256(frame: pd.DataFrame) -> str:
    """Digest of a frame's column names, levels and values, whatever the pandas version.

    Parameters
    ----------
    frame : DataFrame
        Columns of floats, integers or categories of text.

    Returns
    -------
    str
        SHA-256 in hexadecimal.

    Raises
    ------
    TypeError
        If a column is of another type.
    """
    digest = hashlib.sha256()
    for name in frame.columns:
        column = frame[name]
        digest.update(f"column {name}\n".encode())
        if isinstance(column.dtype, pd.CategoricalDtype):
            digest.update(f"levels {list(map(str, column.cat.categories))}\n".encode())
            digest.update(column.cat.codes.to_numpy().astype("<i8").tobytes())
        elif pd.api.types.is_integer_dtype(column.dtype):
            digest.update(b"integers\n" + column.to_numpy().astype("<i8").tobytes())
        elif pd.api.types.is_float_dtype(column.dtype):
            digest.update(b"floats\n" + column.to_numpy().astype("<f8").tobytes())
        else:
            raise TypeError(
                f"column {name!r} must be of floats, integers or categories, got {column.dtype}"
            )
    return digest.hexdigest()


def load_file(
    source: Source,
    path: str | os.PathLike[str] | None,
    build: Callable[[Columns], pd.DataFrame],
    pin: Pin,
) -> pd.DataFrame:
    """Find a file or download it, build the frame and compare it with its pin."""
    found = _find(source, path)
    if found is not None:
        return checked_frame(_content(found), build, pin, str(found))
    if source.archive is None:
        raise _not_found(source, _places(source))
    content = _download(source, source.archive).encode()
    frame = checked_frame(content, build, pin, source.archive.url)
    _keep(content, source)
    return frame


def checked_frame(
    content: bytes, build: Callable[[Columns], pd.DataFrame], pin: Pin, origin: str
) -> pd.DataFrame:
    """Build a frame from a csv file read at `origin` and compare it with its pin."""
    try:
        if len(content) > LARGEST_FILE:
            raise ValueError(_TOO_LARGE)
        frame = build(parse(content.decode("utf-8-sig")))
    except ValueError as error:
        raise DataMismatchError(f"{origin} could not be read as expected: {error}") from error
    check_pin(frame, pin, origin)
    return frame


def parse(text: str) -> dict[str, tuple[str, ...]]:
    """Split a csv file into the text of its columns."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text)) if row]
    except csv.Error as error:  # such as a field of more characters than any value has
        raise ValueError(str(error)) from None
    if not rows:
        raise ValueError("the file is empty")
    header = rows.pop(0)
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise ValueError(
                f"data row {number} must have {len(header)} values as the header, got {len(row)}"
            )
    return {name: tuple(row[place] for row in rows) for place, name in enumerate(header)}


def check_pin(frame: pd.DataFrame, pin: Pin, origin: str) -> None:
    """Raise unless a frame has the pinned shape and values."""
    got = Pin(frame.shape, values_sha256(frame))
    if got != pin:
        raise DataMismatchError(
            f"the values read from {origin} are not those the figures were computed with: "
            f"expected shape {pin.shape} and SHA-256 {pin.sha256}, "
            f"got shape {got.shape} and SHA-256 {got.sha256}"
        )


def _find(source: Source, path: str | os.PathLike[str] | None) -> Path | None:
    """First place that has the file; an explicit path is the only place looked at."""
    if path is None:
        places = _places(source)
    else:
        given = Path(path)
        places = _in_folder(source, given) if given.is_dir() else [given]
    found = next((file for file in places if file.is_file()), None)
    if found is None and path is not None:
        raise _not_found(source, places[:1])
    return found


def _places(source: Source) -> list[Path]:
    """Where a file may be, in the order of looking."""
    folders = [_cache_folder(), _folder_beside_checkout(), _SHIPPED]
    if os.environ.get(_FOLDER_VARIABLE):
        folders.insert(0, Path(os.environ[_FOLDER_VARIABLE]))
    return [file for folder in folders if folder is not None for file in _in_folder(source, folder)]


def _in_folder(source: Source, folder: Path) -> list[Path]:
    """A file's names in a folder: plain and packed."""
    return [folder / source.file, folder / f"{source.file}.xz"]


def _content(file: Path) -> bytes:
    """Bytes of a csv file, unpacked, and no more of them than one may have."""
    if file.suffix != ".xz":
        with file.open("rb") as plain:
            return plain.read(LARGEST_FILE + 1)
    # A Python may be built without it.
    import lzma

    try:
        with lzma.open(file) as packed:
            return packed.read(LARGEST_FILE + 1)
    except (EOFError, lzma.LZMAError) as error:
        raise DataMismatchError(f"{file} could not be read as expected: {error}") from error


def _cache_folder() -> Path | None:
    """Return the user's cache for this package, None without pooch, which alone fills it."""
    try:
        import pooch
    except ImportError:
        return None
    return Path(pooch.os_cache("aleplot-py"))


def _folder_beside_checkout() -> Path:
    """Return the folder ``shared/data`` beside the folder that holds the package."""
    return Path(__file__).resolve().parents[3] / "shared" / "data"


def _download(source: Source, packed: Archive) -> str:
    """Download UCI's archive and return the text of the file in it."""
    places = _places(source)
    if os.environ.get(_OFFLINE_VARIABLE):
        raise _not_found(source, places, f"no download was tried: {_OFFLINE_VARIABLE} is set")
    try:
        import pooch
    except ImportError as error:
        reason = "no download was tried: the package pooch (extra 'figures') is not installed"
        raise _not_found(source, places, reason) from error
    # pooch draws its bar with tqdm.
    progress = sys.stderr.isatty() and importlib.util.find_spec("tqdm") is not None
    with tempfile.TemporaryDirectory() as folder:
        try:
            archive = pooch.retrieve(
                packed.url,
                # The archive may be packed again; its values are checked instead.
                known_hash=None,
                fname="archive.zip",
                path=folder,
                downloader=_bounded(pooch.HTTPDownloader)(
                    progressbar=progress, timeout=_DOWNLOAD_SECONDS
                ),
            )
            text = _member(archive, packed.member).decode("utf-8-sig")
            parse(text)
        except Exception as error:  # a broken archive raises what its packer's libraries do
            reason = f"the download of {packed.url} failed: {error}"
            raise _not_found(source, places, reason) from error
        return text


def _member(archive: str | os.PathLike[str], name: str) -> bytes:
    """Unpack one file of an archive, without taking its word for how large it is."""
    if Path(archive).stat().st_size > LARGEST_FILE:
        raise ValueError(_TOO_LARGE)
    with zipfile.ZipFile(archive) as packed, packed.open(name) as member:
        content = member.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise ValueError(f"{name}: {_TOO_LARGE}")
    return content


def _bounded(downloader: Any) -> Any:
    """Class of a downloader of pooch that stops at the largest size a file may have."""

    class Bounded(downloader):  # type: ignore[misc]
        def __call__(self, url: str, output_file: Any, *arguments: Any, **options: Any) -> Any:
            with Path(output_file).open("wb") as file:
                return super().__call__(url, _BoundedFile(file), *arguments, **options)

    return Bounded


class _BoundedFile:
    """File to write to, up to the largest size."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._size = 0

    def write(self, content: bytes) -> int:
        self._size += len(content)
        if self._size > LARGEST_FILE:
            raise ValueError(_TOO_LARGE)
        return self._file.write(content)

    def flush(self) -> None:
        self._file.flush()


def _keep(content: bytes, source: Source) -> None:
    """Put a checked file into the user's cache, whole or not at all."""
    folder = _cache_folder()
    if folder is None:
        return
    # The data are at hand: a cache that cannot be written only costs the next download.
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as unfinished:
            file = Path(unfinished) / source.file
            file.write_bytes(content)
            file.replace(folder / source.file)


def _not_found(source: Source, places: Sequence[Path], reason: str = "") -> DataNotFoundError:
    """Say which file is missing, where it was looked for, where to put it and its checksum."""
    looked = ", ".join(str(file) for file in places if file.suffix != ".xz")
    return DataNotFoundError(
        f"{source.file} ({source.title}) was not found at {looked}"
        + (f"; {reason}" if reason else "")
        + f". Put the file into one of these folders, or name its folder in the environment "
        f"variable {_FOLDER_VARIABLE} or in path=. SHA-256 of the file: {source.sha256}"
    )
