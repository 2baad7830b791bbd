"""Other Rs: the stored curves computed again under another R version, BLAS or LAPACK.

An R without ALEPlot and yaImpute answers by our own lines of base R (``definition.R``). A BLAS and
LAPACK are lent to one process by ``LD_PRELOAD``; the machine's own stay as they are::

    python -m validation second-r --library DIR ... --write
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py import ale
from reproductions.engine import files
from validation.agreement import order_of_levels
from validation.asked import lenders
from validation.goldens_reader import StoredCase, cases
from validation.r_effects import DEFINITION

#: What `compare` found, as the report of the validation shows it.
FOUND = Path(__file__).with_name("second_r.json")
RUNNER = Path(__file__).with_name("webr_run.mjs")
SECONDS = 600
# A pair of many points is asked many times, one call each.
LARGEST = 200
# Functions whose last bit is the C library's, not the estimator's.
OF_THE_C_LIBRARY = ("np.exp", "np.sin", "np.tanh", "**1.5")

ABOUT = """paste(getRversion(), basename(dirname(extSoftVersion()[["BLAS"]])),
  La_version(), basename(dirname(La_library())), .Machine$longdouble.digits, sep = "|")"""
PRELUDE = f"""{{ {DEFINITION}
np.abs <- abs
np.where <- ifelse
black_box <- function(code) function(X.model, X) {{
  values <- lapply(X, function(x) if (is.factor(x)) as.integer(x) - 1 else as.double(x))
  rep_len(as.double(eval(code, values, globalenv())), nrow(X))
}}
0 }}"""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Found:
    """How one R compares with the stored results of ALEPlot and PDPlot.

    Parameters
    ----------
    R, BLAS, LAPACK : str
        Versions and names.
    long_double : int
        Bits of the mantissa in which this R sums.
    curves, identical : int
        Whole curves computed again, in the stored order of levels; how many are the stored ones
        bit for bit, grid and values.
    orders : dict of str to int
        Orders of levels by similarity against the stored ones: "equal", "reversed", "tied",
        "undetermined", "different".
    """

    R: str
    BLAS: str
    LAPACK: str
    long_double: int
    curves: int
    identical: int
    orders: dict[str, int]


def asked_curves() -> list[StoredCase]:
    """Stored cases whose predictions are the same everywhere, and that R answered."""
    return [
        case
        for case in [*cases("ale_*"), *cases("pd_*")]
        if not case.failed_in_r
        and not any(name in case["black_box"] for name in OF_THE_C_LIBRARY)
        and np.size(case["r"]["f_values"]) <= (LARGEST if "pd" in case.id else np.inf)
    ]


def asked_orders() -> list[StoredCase]:
    """Stored cases with an order of levels by similarity, one for each data set."""
    return [case for case in cases("ale_categorical*") if len(case.features) == 1]


def vector(values: Any) -> str:
    """R code of a vector, exact because its numbers are hexadecimal."""
    return "c(" + ",".join(float(value).hex() for value in np.ravel(values)) + ")"


def _text(levels: Sequence[str]) -> str:
    return "c(" + ",".join(json.dumps(level) for level in levels) + ")"


def _frame(X: pd.DataFrame) -> str:
    columns = []
    for name in X.columns:
        column = X[name]
        code = vector(column.cat.codes + 1 if hasattr(column, "cat") else column)
        if hasattr(column, "cat"):
            levels = column.cat.categories.tolist()
            code = f"factor({_text(levels)}[{code}], {_text(levels)})"
        columns.append(f"{name} = {code}")
    return f"data.frame({', '.join(columns)})"


def _points(case: StoredCase) -> list[list[Any]]:
    axes = case["r"]["x_values"]
    return [list(axis) for axis in (axes if len(case.features) > 1 else [axes])]


def curve_code(case: StoredCase) -> str:
    """R code of a stored case's numeric points and values, levels in the stored order."""
    points, X = _points(case), case.frame()
    order = next((axis for axis in points if isinstance(axis[0], str)), None)
    lender: Array = np.empty(0)
    if case["r_function"] == "ALEPlot":
        given = None if order is None else {case.features[0]: order}
        features = case.features if len(points) == 2 else case.features[0]
        lender = lenders(ale(case.predict(), X, features, K=case["K"], order=given)) + 1
    return (
        f"{{ r <- definition({_frame(X)}, black_box(quote({case['black_box']})),"
        f" {vector(case['J'])}, {case['K']}, {json.dumps(case['r_function'])},"
        f" {'NULL' if order is None else _text(order)}, {vector(lender)});"
        " c(unlist(Filter(is.numeric, r$x.values)), r$f.values) }"
    )


def curve_of(case: StoredCase) -> Array:
    """The same numbers as they are stored."""
    numeric = [axis for axis in _points(case) if not isinstance(axis[0], str)]
    values = np.array(case["r"]["f_values"]).ravel(order="F")
    return np.concatenate([*(np.array(axis, dtype=np.float64) for axis in numeric), values])


def order_code(case: StoredCase) -> str:
    """R code of the order of levels, as their numbers from 1."""
    levels = case["data"][case.features[0]]["levels"]
    return f"match(levels_by_similarity({_frame(case.frame())}, {case['J'][0]}), {_text(levels)})"


def run_webr(codes: Sequence[str]) -> tuple[str, list[Array]]:
    """Evaluate R code in webr.

    Parameters
    ----------
    codes : sequence of str
        R expressions with numeric values, evaluated one after the other.

    Returns
    -------
    about : str
        Versions.
    values : list of ndarray
        One for each expression.

    Raises
    ------
    OSError
        If Node or webr is not installed, or the run fails.
    """
    reason = why_no_webr()
    if reason is not None:
        raise OSError(reason)
    content = json.dumps({"about": ABOUT, "codes": list(codes)})
    run = _run(["node", str(RUNNER), str(webr_folder())], content, None)
    answers = json.loads(run)
    return answers["about"], [np.array(value, dtype=np.float64) for value in answers["values"]]


def webr_folder() -> Path:
    """Folder into which ``make webr`` installs the npm packages."""
    return Path(os.environ.get("ALEPLOT_WEBR", Path(sys.prefix) / "webr"))


def why_no_webr() -> str | None:
    """Return why webr cannot run here, or None where it can."""
    if shutil.which("node") is None:
        return "Node is not installed"
    if not (webr_folder() / "node_modules" / "webr").is_dir():
        return "the npm package webr is not installed; run `make webr`"
    return None


def run_rscript(codes: Sequence[str], library: Path | None = None) -> tuple[str, list[Array]]:
    """Evaluate R code in a plain Rscript, with the BLAS and LAPACK of a folder.

    Parameters
    ----------
    codes : sequence of str
        As in `run_webr`.
    library : Path, optional
        Folder with ``libblas.so.3`` and ``liblapack.so.3``; None for R's own.

    Returns
    -------
    about : str
        Versions.
    values : list of ndarray
        One for each expression.

    Raises
    ------
    OSError
        If the run fails.
    """
    lines = [f"cat({ABOUT}, '\\n')"]
    lines += [f'cat(sprintf("%a", as.numeric({code})), "\\n")' for code in codes]
    answers = _run(["Rscript", "--vanilla", "/dev/stdin"], "\n".join(lines), library).splitlines()
    return answers[0].strip(), [
        np.array([float.fromhex(text) for text in line.split()]) for line in answers[1:]
    ]


def _run(command: list[str], text: str, library: Path | None) -> str:
    environment = dict(os.environ)
    if library is not None:
        # R's own start script puts the system's folders first, so that a search path is not enough.
        lent = [library / name for name in ("libblas.so.3", "liblapack.so.3")]
        environment["LD_PRELOAD"] = ":".join(str(file) for file in lent if file.exists())
        environment["LD_LIBRARY_PATH"] = str(library.parent)
    run = subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=SECONDS, check=False,
        env=environment,
    )  # fmt: skip
    if run.returncode:
        raise OSError(f"{command[0]} failed: {run.stderr[-2000:]}")
    return run.stdout


def compare(about: str, values: Sequence[Array]) -> Found:
    """Compare an R's answers to `codes` with the stored results."""
    version, blas, lapack, source, digits = about.split("|")
    curves, orders = asked_curves(), asked_orders()
    answers = values[1:]
    identical = sum(
        np.array_equal(answer, curve_of(case))
        for case, answer in zip(curves, answers[: len(curves)], strict=True)
    )
    found: Counter[str] = Counter()
    for case, numbers in zip(orders, answers[len(curves) :], strict=True):
        levels = case["data"][case.features[0]]["levels"]
        theirs = [levels[int(number) - 1] for number in numbers]
        found[order_of_levels(case.frame(), case.features[0], _points(case)[0], theirs)] += 1
    lapack = f"{lapack} ({source})" if source else lapack
    return Found(version, blas, lapack, int(digits), len(curves), identical, dict(found))


def codes() -> list[str]:
    """Everything that an R is asked: the definitions, curves, and orders of levels."""
    return [PRELUDE, *map(curve_code, asked_curves()), *map(order_code, asked_orders())]


def read() -> list[Found]:
    """Read what was found and stored."""
    content = json.loads(FOUND.read_text(encoding="utf-8"))
    return [Found(**found) for found in content["found"]]


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments after ``second-r``.

    Returns
    -------
    int
        0 if all curves are identical everywhere, else 1.
    """
    arguments = argparse.ArgumentParser(
        prog="python -m validation second-r",
        description="Compute the stored curves again in this R, in webr, and with other libraries.",
    )
    arguments.add_argument(
        "--library", type=Path, nargs="+", default=[], metavar="DIR",
        help="folders with libblas.so.3 and liblapack.so.3",
    )  # fmt: skip
    arguments.add_argument("--write", action="store_true", help="keep it for the report")
    options = arguments.parse_args(argv)
    asked = codes()
    found = [compare(*run_rscript(asked, library)) for library in (None, *options.library)]
    if (reason := why_no_webr()) is None:
        found.append(compare(*run_webr(asked)))
    else:
        print(f"not run: webr: {reason}")
    for one in found:
        print(", ".join(f"{key} {value}" for key, value in asdict(one).items()))
    if options.write:
        files.write_json(FOUND, {"found": [asdict(one) for one in found]})
    return int(any(one.identical < one.curves for one in found))
