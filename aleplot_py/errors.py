"""Errors that name the column or argument, the rule and the value got."""

import difflib
import os
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

_PACKAGE = str(Path(__file__).parent) + os.sep

# Values that a message lists at most.
MOST_SHOWN = 20


def listing(values: Iterable[object]) -> str:
    """Values for a message, the first ones only where there are many."""
    listed = list(values)
    shown = ", ".join(repr(value) for value in listed[:MOST_SHOWN])
    return f"[{shown}]" if len(listed) <= MOST_SHOWN else f"[{shown}, ...] ({len(listed)} in all)"


def nearest(name: object, known: Iterable[object]) -> str:
    """Question after the known name most like `name`, to end a message; empty if none is."""
    by_text = {str(one): one for one in known}
    found = difflib.get_close_matches(str(name), by_text, n=1)
    return f"; did you mean {by_text[found[0]]!r}?" if found else ""


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn of a line of the caller's: the first frame that is not in this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


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
