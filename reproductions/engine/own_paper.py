"""Figure scripts of one's own: a folder anywhere, and the script to begin with."""

import keyword
from collections.abc import Sequence
from pathlib import Path

from reproductions.engine import files

_SKELETON = Path(__file__).with_name("skeleton.py")


def check(folder: Path) -> None:
    """Refuse a folder that cannot be read.

    Parameters
    ----------
    folder : Path
        What was asked for.

    Raises
    ------
    ValueError
        If it is not a folder or cannot be read.
    """
    if not folder.is_dir():
        raise ValueError(f"argument --from: {folder} is not a folder; {how_to_begin(folder)}")
    try:
        next(folder.iterdir(), None)
    except OSError as error:
        raise ValueError(f"argument --from: {folder} cannot be read: {error.strerror}") from None


def new(names: Sequence[str]) -> Path:
    """Write a script that draws a figure, to be changed into one's own.

    Parameters
    ----------
    names : sequence of str
        One path of the script, with or without ``.py``; its folder is made.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError
        If there is not one path, its last part cannot name a module, or the file is there already
        or cannot be written.
    """
    if len(names) != 1:
        raise ValueError(f"new takes one path, such as my_paper/fig1, got {len(names)}")
    path = Path(names[0].removesuffix(".py") + ".py")
    stem = path.stem
    if not stem.isidentifier() or keyword.iskeyword(stem) or stem.startswith("_"):
        raise ValueError(
            f"new: a script is named by letters, digits and _, beginning with a letter, such as "
            f"my_paper/fig1, got {names[0]!r}"
        )
    try:
        if path.exists():
            raise ValueError(f"new: {path} is there already and is left as it is")
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(path, _SKELETON.read_bytes())
    except OSError as error:
        raise ValueError(f"new: {path} cannot be written: {error.strerror}") from None
    return path


def how_to_begin(folder: Path) -> str:
    """Say how a folder gets its first script."""
    return f"python -m reproductions new {folder}/fig1 writes a script"
