"""What numba compiles where it is installed (the extra ``trees``); it takes a while to start."""

from __future__ import annotations

from typing import Any

try:
    import numba
except ImportError:
    numba = None  # type: ignore[assignment]

AVAILABLE = numba is not None


def compiled(function: Any) -> Any:
    """Compile, keeping the result on disk where there is a place for it."""
    if numba is None:
        return function
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return numba.njit(nogil=True)(function)


def inlined(function: Any) -> Any:
    """Compile into those that call it."""
    return function if numba is None else numba.njit(inline="always")(function)
