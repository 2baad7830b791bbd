"""Random search for a difference from R: many cases, every check that can run, worst cases kept."""

from validation.search.report import CaseFindings, Row, SearchReport, lines
from validation.search.run import examine, search, versions
from validation.search.saved import load, replay, save, save_cases, with_r_result

__all__ = [
    "CaseFindings",
    "Row",
    "SearchReport",
    "examine",
    "lines",
    "load",
    "replay",
    "save",
    "save_cases",
    "search",
    "versions",
    "with_r_result",
]
