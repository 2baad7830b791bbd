"""Errors that name the column or argument, the rule and the value got; warnings; the log."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

#: Tells what was decided: output, dropped rows, intervals, order of levels, route, refits.
LOG = logging.getLogger("aleplot_py")

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


def renamed(**new_name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Accept old spellings of a function's arguments, with a warning that names the new ones.

    Parameters
    ----------
    **new_name : str
        ``old="new"``, for each argument that was renamed.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def accepting(*args: P.args, **options: P.kwargs) -> R:
            for old in new_name.keys() & options.keys():
                new = new_name[old]
                if new in options:
                    raise TypeError(
                        f"{function.__name__} got {new}= and {old}=, its spelling of before: "
                        f"leave {old}= out"
                    )
                warn_caller(f"{old}= is now spelled {new}=", DeprecationWarning)
                options[new] = options.pop(old)
            return function(*args, **options)

        return accepting

    return decorate


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
    """A feature is of a type that has neither an interval nor a level, such as complex numbers."""

    skippable = True


class GridError(AleplotError):
    """A grid is unsorted, repeated, not finite, too short, or does not cover the data."""


class SourceError(AleplotError):
    """Data cannot be read, have changed, or come in parts that do not fit together."""


class PredictionError(AleplotError):
    """The black box returned something that is not one finite number per row."""


class RouteError(AleplotError):
    """A walk of trees was asked for, and this model or these rows cannot be walked."""
