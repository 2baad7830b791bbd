"""What every call must keep to: an answer or a documented error, and nothing touched."""

import copy
import linecache
import traceback
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import event, settings

import aleplot_py

PACKAGE = str(Path(aleplot_py.__file__).parent)
HERE = str(Path(__file__).parent)
# What users are warned of.
WARNINGS = ("keep their declared order", "left out: ")

# 200 examples of each family, 2,000 at night.
often = settings(max_examples=max(200, 2 * settings.default.max_examples))


def documented(error):
    """Whether an error is one that the package raises on purpose."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(last.filename, last.lineno).strip()
    ours = last.filename.startswith(PACKAGE) and line.startswith("raise ")
    return isinstance(error, (ValueError, TypeError)) and ours


def outcome(function, *args, **options):
    """Result of a call, or the error it documents; fails on anything else."""
    every = (*args, *options.values())
    inputs = [one for one in every if not callable(one) and not hasattr(one, "predict")]
    before = copy.deepcopy(inputs)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = function(*args, **options)
        except Exception as error:
            if not documented(error):
                raise
            found = error
    for warning in caught:
        text = str(warning.message)
        assert warning.category is UserWarning, text
        assert any(known in text for known in WARNINGS), text
        assert warning.filename.startswith(HERE), warning.filename
    for now, then in zip(inputs, before, strict=True):
        assert unchanged(now, then), f"changed from {then!r} to {now!r}"
    return found


def unchanged(now, then):
    """Whether an argument is what it was, to the type."""
    if type(now) is not type(then):
        return False
    if isinstance(now, pd.DataFrame):
        pd.testing.assert_frame_equal(now, then, check_exact=True)
        return True
    if isinstance(now, pd.Series):
        pd.testing.assert_series_equal(now, then, check_exact=True)
        return True
    if isinstance(now, dict):
        return list(now) == list(then) and all(unchanged(now[k], then[k]) for k in now)
    if isinstance(now, np.ndarray):
        return now.dtype == then.dtype and now.tobytes() == then.tobytes()
    return repr(now) == repr(then)


def answered(found, refusals):
    """Whether there is an answer; `refusals` names the reasons that rule one out."""
    is_error = isinstance(found, Exception)
    if is_error and not refusals:
        raise AssertionError("refused without a reason") from found
    assert is_error == bool(refusals), f"answered in spite of {refusals}"
    event(f"refused: {refusals[0]}" if refusals else "answered")
    return not is_error
