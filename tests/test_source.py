"""Rules that the source keeps."""

import inspect
import re
from pathlib import Path

import aleplot_py


def test_every_groupby_says_what_it_observes():
    """Its default changes between versions of pandas; warnings are errors in all tests."""
    source = Path(inspect.getfile(aleplot_py)).parent
    paths = sorted(source.rglob("*.py"))
    assert len(paths) > 40
    for path in paths:
        for call in re.findall(r"\.groupby\([^\n]*", path.read_text(encoding="utf-8")):
            assert "observed=" in call, f"{path.relative_to(source)}: {call}"
