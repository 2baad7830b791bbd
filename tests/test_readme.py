"""The README's example does what it says."""

import doctest
import re
from pathlib import Path

import matplotlib as mpl

README = Path(__file__).parent.parent / "README.md"


def test_the_examples_give_the_numbers_shown():
    with mpl.rc_context({"backend": "Agg"}):
        outcome = doctest.testfile(str(README), module_relative=False)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_links_and_pictures_exist():
    for target in re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8")):
        assert (README.parent / target).exists(), target
