"""What of R is installed, whether it fits, and what mends it: ``aleplot doctor r``."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from aleplot_py.r import session

CRAN = "https://cran.r-project.org/src/contrib"
#: What each R package is for, and the R code that installs it. ALEPlot has left CRAN.
PACKAGES = {
    "yaImpute": ("needed by ALEPlot", 'install.packages("yaImpute")'),
    "ALEPlot": (
        "the reference implementation",
        f'install.packages("{CRAN}/Archive/ALEPlot/ALEPlot_1.1.tar.gz", repos = NULL)',
    ),
    "iml": ("the book's implementation", 'install.packages("iml")'),
    "reticulate": ("R scripts that call this package", 'install.packages("reticulate")'),
    **{
        name: ("models", f'install.packages("{name}")')
        for name in ("randomForest", "nnet", "party", "gbm", "rpart")
    },
}

# rpy2 that does not fit can end the whole process, so another one tries.
_TRY = """
from aleplot_py.r import session
try:
    session.start()
except session.RUnavailableError as error:
    raise SystemExit(str(error))
"""

_VERSIONS = """
for (name in commandArgs(TRUE)) {
  found <- nzchar(system.file(package = name))
  cat(name, if (found) as.character(packageVersion(name)) else "-", "\\n")
}
"""


def report() -> Iterator[tuple[bool, str, str]]:
    """What is there, line by line.

    Yields
    ------
    tuple of (bool, str, str)
        Whether it is well, what it is, and the command or reason where it is not.
    """
    try:
        r = session.installed_r()
    except session.RUnavailableError as error:
        yield False, "R", f"{error}; on Debian or Ubuntu: apt-get install r-base-dev"
        return
    yield True, f"{r} ({r.path})", ""
    versions = session.rpy2_versions()
    name = f"rpy2 {versions['rpy2']}" if "rpy2" in versions else "rpy2"
    tried = subprocess.run(
        [sys.executable, "-c", _TRY], capture_output=True, text=True, check=False
    )
    last = tried.stderr.strip().splitlines()[-1:] or [f"ended with code {tried.returncode}"]
    known = session.pip_command(r.version)
    reason = last[0] if known in last[0] else f"{last[0]}; {known}"
    yield tried.returncode == 0, name, "" if tried.returncode == 0 else reason
    yield from _packages(r)


def _packages(r: session.InstalledR) -> Iterator[tuple[bool, str, str]]:
    asked = [r.path, "--vanilla", "--no-echo", "-e", _VERSIONS, "--args", *PACKAGES]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    found = dict(line.split()[:2] for line in told.stdout.splitlines() if len(line.split()) == 2)
    for name, (purpose, command) in PACKAGES.items():
        version = found.get(name, "-")
        if version != "-":
            yield True, f"{name} {version}, {purpose}", ""
        else:
            yield False, f"{name}, {purpose}", f"in R: {command}"
