"""The bridge to R for comparisons: Python black boxes in R, R models fitted for the tests.

What users need as well is in the library and handed on here: R's session, the conversions and
`RModel` (`aleplot_py.r`).

>>> from validation import bridge
>>> bridge.call("stats::median", [1.0, 5.0, 2.0])      # doctest: +SKIP
array([2.])
"""

from aleplot_py.r.convert import (
    array_frame,
    call,
    call_r,
    frame_from_r,
    frame_to_r,
    to_python,
    to_r,
)
from aleplot_py.r.model import RModel
from aleplot_py.r.session import (
    RCallError,
    RUnavailableError,
    why_packages_unavailable,
    why_unavailable,
)
from validation.bridge.models import fit, lend_to_r
from validation.bridge.session import (
    ALEPLOT_PACKAGES,
    IML_PACKAGES,
    MODEL_PACKAGES,
    versions,
)

__all__ = [
    "ALEPLOT_PACKAGES",
    "IML_PACKAGES",
    "MODEL_PACKAGES",
    "RCallError",
    "RModel",
    "RUnavailableError",
    "array_frame",
    "call",
    "call_r",
    "fit",
    "frame_from_r",
    "frame_to_r",
    "lend_to_r",
    "to_python",
    "to_r",
    "versions",
    "why_packages_unavailable",
    "why_unavailable",
]
