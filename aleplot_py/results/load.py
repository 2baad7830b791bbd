"""Reading what ``save`` wrote, checked before anything is built from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from aleplot_py.results.base import Result
from aleplot_py.results.codec import FORMAT, decode_record, record_class
from aleplot_py.results.format1 import from_format_1


def load(path: str | Path) -> Result:
    """Read a result or a collection written by ``save``.

    Parameters
    ----------
    path : str or Path
        JSON file, of this version or of 0.1.0.

    Returns
    -------
    Result
        What was saved, equal to it bit for bit: an effect, a collection, bands, regions, or any
        other result.

    Raises
    ------
    ValueError
        If the file holds something else or a later format, or a value in it is wrong: with the
        field, the rule, and the value got.

    See Also
    --------
    AleResult.load : The same of one class, which a type checker then knows.
    AleResult.save : Writes the file.
    """
    try:
        state = json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=_no_constant)
    except RecursionError:
        raise ValueError(f"{path} does not hold a saved result: it is nested too deeply") from None
    except ValueError:
        raise ValueError(f"{path} does not hold a saved result: it is not JSON") from None
    cls = record_class(state.get("class")) if isinstance(state, dict) else None
    if cls is None or not issubclass(cls, Result):
        raise ValueError(f"{path} does not hold a saved result")
    given = state.get("format")
    if given not in (1, FORMAT) or isinstance(given, bool):
        raise ValueError(f"{path} has format {given}, this version reads 1 and {FORMAT}")
    try:
        found: Any = (from_format_1 if given == 1 else decode_record)(state, cls.__name__)
    except ValueError as error:
        raise ValueError(f"{path} does not hold a whole result: {error}") from None
    return found  # type: ignore[no-any-return]


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")
