"""R packages that the comparisons ask for, and the versions of all that takes part."""

from __future__ import annotations

import functools
import importlib.metadata
import sys

import numpy as np

from aleplot_py.r.convert import call
from aleplot_py.r.session import evaluate, package_versions

MODEL_PACKAGES = ("randomForest", "nnet", "party", "gbm", "rpart")
ALEPLOT_PACKAGES = ("ALEPlot", "yaImpute")
IML_PACKAGES = ("iml",)


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
        "R": str(call(evaluate("function() as.character(getRversion())"))[0]),
        "R's BLAS": str(call(evaluate("function() basename(extSoftVersion()[['BLAS']])"))[0]),
        "R's LAPACK": str(call(evaluate("function() La_version()"))[0]),
        **{name: version for name, version in packages.items() if version is not None},
        "rpy2": importlib.metadata.version("rpy2-rinterface"),
        "Python": ".".join(map(str, sys.version_info[:3])),
        "numpy": np.__version__,
    }
