"""The bridge to R: frames both ways, Python black boxes in R, R models as Python black boxes.

>>> from validation import bridge
>>> bridge.call("stats::median", [1.0, 5.0, 2.0])      # doctest: +SKIP
array([2.])
"""

from validation.bridge.convert import (
    call,
    call_r,
    frame_from_r,
    frame_to_r,
    to_python,
    to_r,
)
from validation.bridge.models import RModel, array_frame, fit, lend_to_r
from validation.bridge.session import (
    ALEPLOT_PACKAGES,
    IML_PACKAGES,
    MODEL_PACKAGES,
    RCallError,
    RUnavailableError,
    r,
    versions,
    why_packages_unavailable,
    why_unavailable,
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
    "r",
    "to_python",
    "to_r",
    "versions",
    "why_packages_unavailable",
    "why_unavailable",
]
