"""Validation against R: stored results, R itself running live, and the report of both.

R is started, and rpy2 imported, only when something is asked of it.
"""

from validation.compare import RComparison, compare_with_r

__all__ = ["RComparison", "compare_with_r"]
