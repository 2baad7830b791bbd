"""Errors that name the column or argument, the rule and the value got; warnings of the caller."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from typing import Any

# Values that a message lists at most.
MOST_SHOWN = 20


def listing(values: Iterable[object]) -> str:
    """Values for a message, the first ones only where there are many."""
    listed = list(values)
    shown = ", ".join(repr(value) for value in listed[:MOST_SHOWN])
    return f"[{shown}]" if len(listed) <= MOST_SHOWN else f"[{shown}, ...] ({len(listed)} in all)"


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn about the line that called into this package, however deep the reason was found."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals):
        frame = frame.f_back
    warnings.warn_explicit(
        message,
        category,
        filename=frame.f_code.co_filename,
        lineno=frame.f_lineno,
        module=frame.f_globals.get("__name__"),
        registry=frame.f_globals.setdefault("__warningregistry__", {}),
    )


def _is_ours(module: dict[str, Any]) -> bool:
    return str(module.get("__name__")).partition(".")[0] == __name__.partition(".")[0]


class AleplotError(ValueError):
    """Base of the errors raised on purpose by this package."""


class FeatureError(AleplotError):
    """A feature is unknown, repeated, of an unusable type, or has unusable values."""

    #: Whether a call for all features leaves the column out with a warning.
    skippable = False


class ConstantFeatureError(FeatureError):
    """A feature has a single value or level, so that there is no interval to difference over."""

    skippable = True


class FeatureTypeError(FeatureError):
    """A feature is of a type that has neither an interval nor a level, such as a date."""

    skippable = True


class GridError(AleplotError):
    """A grid is unsorted, repeated, not finite, too short, or does not cover the data."""


class PredictionError(AleplotError):
    """The black box returned something that is not one finite number per row."""
