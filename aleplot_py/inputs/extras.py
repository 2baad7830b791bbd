"""Packages of the extras, imported where they are needed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

_PACKAGES = {"sklearn": "scikit-learn"}


def needed(module: str, what: str, extra: str = "figures") -> ModuleType:
    """Import a module of an extra.

    Raises
    ------
    ImportError
        If it is missing, naming the package that `what` needs and how to get it.
    """
    try:
        return import_module(module)
    except ImportError as error:
        root = module.partition(".")[0]
        raise ImportError(
            f"{what} needs {_PACKAGES.get(root, root)}, which is in the extra {extra!r}: "
            f"pip install 'aleplot-py[{extra}]'"
        ) from error
