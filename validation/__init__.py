"""Validation against R: stored results, R itself running live, and the report of both.

R is started, and rpy2 imported, only when something is asked of it.
"""

from validation.certify import CertificateError, verify_certificate
from validation.compare import RComparison, compare_with_r

__all__ = ["CertificateError", "RComparison", "compare_with_r", "verify_certificate"]
