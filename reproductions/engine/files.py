"""Files of an output folder: written whole or not at all, and absent where they cannot be read."""

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any


def write(path: Path, content: bytes) -> None:
    """Write a file by way of another, so that there is never a part of it under its name.

    Parameters
    ----------
    path : Path
        The file; its folder is made.
    content : bytes
        What is to be in it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=f".{path.name}.", suffix=".part", delete=False
    ) as part:
        unfinished = Path(part.name)
        try:
            part.write(content)
            part.flush()
            os.fsync(part.fileno())
            # A temporary file is its owner's alone; other files are as the user's mask says.
            unfinished.chmod(0o666 & ~_mask())
            unfinished.replace(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise


def write_json(path: Path, content: Any) -> None:
    """Write a value as JSON, one item a line.

    Parameters
    ----------
    path : Path
        The file; its folder is made.
    content : dict or list
        What is to be in it.
    """
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    write(path, text.encode("utf-8"))


def read_json(path: Path) -> dict[str, Any]:
    """Read an object from JSON.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    dict
        Its content, empty where the file is missing or holds anything else.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def entries(content: Any) -> dict[str, dict[str, Any]]:
    """Objects of an object, without what is none.

    Parameters
    ----------
    content : object
        What a file has in a place where it should have an object of objects.

    Returns
    -------
    dict of str to dict
        Those of its items that are objects.
    """
    found = content if isinstance(content, dict) else {}
    return {name: entry for name, entry in found.items() if isinstance(entry, dict)}


def sha256(path: Path) -> str | None:
    """SHA-256 of a file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    str or None
        In hexadecimal; None where the file cannot be read.
    """
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def why_not_writable(folder: Path) -> str | None:
    """Say why files cannot be written to a folder that may not be there yet.

    Parameters
    ----------
    folder : Path
        The folder.

    Returns
    -------
    str or None
        The reason, or None if they can; the folder is not made.
    """
    there = next(path for path in (folder, *folder.parents) if path.exists() or path.is_symlink())
    if not there.is_dir():
        return f"{there} is not a folder"
    try:
        # Permissions do not say it all: a file system may be read-only, also to an administrator.
        with tempfile.TemporaryFile(dir=there):
            return None
    except OSError as error:
        return f"{there} cannot be written to: {error.strerror}"


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
