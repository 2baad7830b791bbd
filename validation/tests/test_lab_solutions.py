"""The exercises of the laboratory solved in base R give the answers of the solutions in Python."""

import contextlib
import io
import runpy
import subprocess

import numpy as np
import pytest

from reproductions.lab import build

pytestmark = pytest.mark.base_r

# R prints seven digits.
PRINTED = 1e-6


def test_solutions_in_r_give_those_in_python():
    """One R runs all scripts, each in an environment of its own."""
    files = [str(build.SOLUTIONS / f"{name}.R") for name in build.EXERCISES]
    code = "for (file in commandArgs(TRUE)) sys.source(file, new.env(parent = globalenv()))"
    done = subprocess.run(
        ["Rscript", "-e", code, *files], capture_output=True, text=True, check=True, timeout=120
    )
    lines = done.stdout.splitlines()
    assert len(lines) == len(build.EXERCISES)
    for name, line in zip(build.EXERCISES, lines, strict=True):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            runpy.run_path(str(build.SOLUTIONS / f"{name}.py"))
        expected = [float(number) for number in printed.getvalue().split()]
        found = [float(number) for number in line.split()]
        np.testing.assert_allclose(found, expected, rtol=PRINTED, atol=PRINTED)
