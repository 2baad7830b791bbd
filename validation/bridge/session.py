"""R inside this process, through rpy2: starting it, what is installed, evaluating its code.

Only rpy2's low-level interface is used, so that none of it depends on the versions of pandas or of
rpy2. R is started, and rpy2 imported, only when something is asked of it.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

MODEL_PACKAGES = ("randomForest", "nnet", "party", "gbm", "rpart")
ALEPLOT_PACKAGES = ("ALEPlot", "yaImpute")
IML_PACKAGES = ("iml",)

# What R printed last; kept for error messages instead of cluttering the terminal.
console: deque[str] = deque(maxlen=200)


class RUnavailableError(RuntimeError):
    """R or rpy2 is missing or does not start; the message says which and why."""


class RCallError(RuntimeError):
    """An R function ended in an error; the message is R's."""


def _keep(s: str) -> None:
    console.append(s)


@functools.cache
def start() -> Any:
    """Start R once and return rpy2's low-level interface."""
    try:
        home = subprocess.run(
            ["R", "RHOME"], capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        raise RUnavailableError("R is not installed (no R on the PATH)") from None
    # LD_LIBRARY_PATH cannot be changed in a running process; loading the libraries does the same.
    for library in ("libRblas.so", "libRlapack.so", "libR.so"):
        path = Path(home) / "lib" / library
        if path.exists():
            ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    try:
        import rpy2.rinterface as rinterface
        from rpy2.rinterface_lib import callbacks
    except ImportError as error:
        raise RUnavailableError(f"rpy2 cannot be imported: {error}; run `make r`") from error
    try:
        rinterface.initr()
    except Exception as error:
        raise RUnavailableError(f"R does not start through rpy2: {error}") from error
    callbacks.consolewrite_print = _keep
    callbacks.consolewrite_warnerror = _keep
    # Without a device R would write Rplots.pdf into the working directory.
    rinterface.evalr("grDevices::pdf(NULL)")
    return rinterface


@functools.cache
def why_unavailable() -> str | None:
    """Return why R cannot be used here, or None when it can (R is then running).

    Returns
    -------
    str or None
        The reason, fit for the summary of a test run.
    """
    try:
        start()
    except RUnavailableError as error:
        return str(error)
    return None


def why_packages_unavailable(names: Iterable[str]) -> str | None:
    """Return why R with these packages cannot be used here, or None when it can.

    Parameters
    ----------
    names : iterable of str
        R packages.

    Returns
    -------
    str or None
        The reason, naming every missing package.
    """
    reason = why_unavailable()
    if reason is None:
        missing = [name for name, version in package_versions(names).items() if version is None]
        if missing:
            plural = "s are" if len(missing) > 1 else " is"
            reason = f"the R package{plural} not installed: {', '.join(missing)}"
    return reason


def package_versions(names: Iterable[str]) -> dict[str, str | None]:
    """Return the installed versions of R packages.

    Parameters
    ----------
    names : iterable of str
        R packages.

    Returns
    -------
    dict
        Version by name, None for a package that is not installed.
    """
    version = r(
        "function(name) if (length(find.package(name, quiet = TRUE)))"
        " as.character(utils::packageVersion(name)) else NA_character_"
    )
    missing = start().NA_Character
    found = {name: guarded(version, name)[0] for name in names}
    return {name: None if text is missing else str(text) for name, text in found.items()}


@functools.cache
def versions() -> dict[str, str]:
    """Return the versions of everything that takes part in a comparison.

    Returns
    -------
    dict
        R, its BLAS and LAPACK, its packages that are installed, rpy2, Python and numpy.
    """
    packages = package_versions([*ALEPLOT_PACKAGES, *IML_PACKAGES, *MODEL_PACKAGES])
    return {
        "R": str(r("as.character(getRversion())")[0]),
        "R's BLAS": str(r("basename(extSoftVersion()[['BLAS']])")[0]),
        "R's LAPACK": str(r("La_version()")[0]),
        **{name: version for name, version in packages.items() if version is not None},
        "rpy2": importlib.metadata.version("rpy2-rinterface"),
        "Python": ".".join(map(str, sys.version_info[:3])),
        "numpy": np.__version__,
    }


@functools.cache
def r(code: str) -> Any:
    """Evaluate R code once and keep the R object: functions, constants.

    Parameters
    ----------
    code : str
        R expressions; the value of the last one is returned.

    Returns
    -------
    rpy2 object
        The R object, not converted.
    """
    return guarded(start().evalr, code)


def guarded(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call into R; an error of R becomes an RCallError with R's own message."""
    from rpy2.rinterface_lib.embedded import RRuntimeError

    try:
        return function(*args, **kwargs)
    except RRuntimeError as error:
        raise RCallError(str(error).strip()) from None
