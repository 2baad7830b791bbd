"""R inside this process: which R and rpy2 there are, whether they fit, and evaluating code.

Only rpy2's low-level interface is used, so that every conversion is spelled out in
`aleplot_py.r.convert` and none depends on the versions of pandas or of rpy2. R is started, and rpy2
imported, by the first call that needs it.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import re
import shutil
import subprocess
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: The first R with the symbol (R_getVar) that rpy2's interface needs from 3.6.6 on.
R_OF_CURRENT_RPY2 = (4, 5)
_FOR_CURRENT_R = ("rpy2>=3.6.6",)
_FOR_OLDER_R = ("rpy2==3.6.5", "rpy2-rinterface<3.6.6", "rpy2-robjects<3.6.5")

# What R printed last; kept for error messages instead of cluttering the terminal.
console: deque[str] = deque(maxlen=200)


class RUnavailableError(RuntimeError):
    """R or rpy2 is missing or does not start; the message says which, why and what mends it."""


class RCallError(RuntimeError):
    """An R function ended in an error; the message is R's."""


# --- which R, which rpy2 ----------------------------------------------------------------------


@dataclass(frozen=True)
class InstalledR:
    """The R that the PATH leads to.

    Parameters
    ----------
    path : str
        Its executable.
    version : tuple of int
        Such as ``(4, 2, 2)``.
    """

    path: str
    version: tuple[int, ...]

    def __str__(self) -> str:
        """``R 4.2.2``."""
        return "R " + ".".join(map(str, self.version))


def installed_r() -> InstalledR:
    """Find R and ask it for its version, without rpy2.

    Returns
    -------
    InstalledR
        The R on the PATH.

    Raises
    ------
    RUnavailableError
        If there is none, or it does not run or tell a version.
    """
    path = shutil.which("R")
    if path is None:
        raise RUnavailableError("R is not installed (no R on the PATH)")
    told = _output_of_r(path, "--version")
    found = re.search(r"R version (\d+)\.(\d+)(?:\.(\d+))?", told)
    if found is None:
        first = told.strip().splitlines()[:1]
        raise RUnavailableError(f"{path} --version tells no version of R, but {first}")
    return InstalledR(path, tuple(int(part) for part in found.groups("0")))


def _output_of_r(path: str, argument: str) -> str:
    """What R prints when called with one argument."""
    try:
        done = subprocess.run(
            [path, argument], capture_output=True, text=True, check=True, timeout=60
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise RUnavailableError(f"R does not run: {error}") from error
    return done.stdout


def rpy2_requirements(version: tuple[int, ...]) -> tuple[str, ...]:
    """Requirements of the rpy2 that fits an R.

    Parameters
    ----------
    version : tuple of int
        Version of R.

    Returns
    -------
    tuple of str
        As pip takes them. rpy2 comes in three distributions, which must be held back together.
    """
    return _FOR_CURRENT_R if version >= R_OF_CURRENT_RPY2 else _FOR_OLDER_R


def pip_command(version: tuple[int, ...]) -> str:
    """The command that installs the rpy2 that fits an R.

    Parameters
    ----------
    version : tuple of int
        Version of R.

    Returns
    -------
    str
        A line for a shell. The interface is compiled against the R found, so that one left from
        another R must go first.
    """
    wanted = " ".join(f"'{requirement}'" for requirement in rpy2_requirements(version))
    return f"pip uninstall -y rpy2-rinterface; pip install {wanted}"


def rpy2_versions() -> dict[str, str]:
    """Versions of the installed distributions of rpy2.

    Returns
    -------
    dict of str to str
        By name; empty where none is installed.
    """
    found = {}
    for name in ("rpy2", "rpy2-rinterface", "rpy2-robjects"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


# --- starting ---------------------------------------------------------------------------------


@functools.cache
def start() -> Any:
    """Start R once and return rpy2's low-level interface.

    Returns
    -------
    module
        ``rpy2.rinterface``, with R running.

    Raises
    ------
    RUnavailableError
        If R is not found, or rpy2 is missing, does not fit it or does not start it.
    """
    r = installed_r()
    home = _output_of_r(r.path, "RHOME").strip()
    # LD_LIBRARY_PATH cannot be changed in a running process; loading the libraries does the same.
    for library in ("libRblas.so", "libRlapack.so", "libR.so"):
        path = Path(home) / "lib" / library
        if path.exists():
            try:
                ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
            except OSError as error:
                raise RUnavailableError(f"{r} cannot be loaded: {error}") from error
    rinterface, callbacks, already = _import_rpy2(r)
    try:
        rinterface.initr()
    except Exception as error:
        raise RUnavailableError(f"{r} does not start through rpy2: {error}") from error
    # The console and the device of an R that the caller started are the caller's.
    if not already:
        callbacks.consolewrite_print = _keep
        callbacks.consolewrite_warnerror = _keep
        # Without a device R would write Rplots.pdf into the working directory.
        rinterface.evalr("grDevices::pdf(NULL)")
    return rinterface


def _keep(s: str) -> None:
    console.append(s)


def _import_rpy2(r: InstalledR) -> tuple[Any, Any, bool]:
    """rpy2's interface and callbacks, and whether R runs already."""
    try:
        import rpy2.rinterface as rinterface
        from rpy2.rinterface_lib import callbacks, embedded
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "rpy2":
            raise RUnavailableError(_does_not_fit(r, error)) from error
        raise RUnavailableError(
            f"rpy2 is not installed ({error}); for {r}: {pip_command(r.version)}"
        ) from error
    # An rpy2 built for another R fails in whatever way its loader does: OSError, ffi.error, ...
    except (Exception, SystemExit) as error:
        raise RUnavailableError(_does_not_fit(r, error)) from error
    return rinterface, callbacks, bool(embedded.isinitialized())


def _does_not_fit(r: InstalledR, error: BaseException) -> str:
    versions = rpy2_versions()
    name = " ".join(["rpy2", *([versions["rpy2"]] if "rpy2" in versions else [])])
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{name} does not load with {r} ({reason}); {pip_command(r.version)}"


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
    version = evaluate(
        "function(name) if (length(find.package(name, quiet = TRUE)))"
        " as.character(utils::packageVersion(name)) else ''"
    )
    vector = start().StrSexpVector
    return {name: str(version(vector([name]))[0]) or None for name in names}


# --- evaluating -------------------------------------------------------------------------------


@functools.cache
def evaluate(code: str) -> Any:
    """Evaluate R code once and keep the R object: functions, constants.

    Parameters
    ----------
    code : str
        R expressions; the value of the last one is returned.

    Returns
    -------
    rpy2 object
        The R object, not converted.

    Raises
    ------
    RCallError
        If R stops with an error.
    """
    return guarded(start().evalr, code)


def guarded(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call into R; an error of R becomes an RCallError with R's own message.

    Parameters
    ----------
    function : callable
        Of rpy2.
    *args, **kwargs
        Its arguments, R objects.

    Returns
    -------
    rpy2 object
        What it returns.

    Raises
    ------
    RCallError
        If R stops with an error.
    """
    from rpy2.rinterface_lib.embedded import RRuntimeError

    try:
        return function(*args, **kwargs)
    except RRuntimeError as error:
        raise RCallError(str(error).strip()) from None
