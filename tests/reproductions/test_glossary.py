"""Messages use the words of the chapters in their language, and formulas that cannot turn."""

import csv
import json
import re
from pathlib import Path

import pytest

from reproductions.engine import texts
from reproductions.engine.texts import LANGUAGES, catalogue
from reproductions.lab import build

ROOT = Path(__file__).parents[2]

with (texts.FOLDER / "glossary.csv").open(encoding="utf-8", newline="") as file:
    GLOSSARY = list(csv.DictReader(file))

TERMS = [(row, code) for row in GLOSSARY for code in ("fa", "tr")]
each_term = pytest.mark.parametrize(
    ("row", "code"), TERMS, ids=[f"{row['concept']} {code}" for row, code in TERMS]
)


def messages(code):
    """Every message of the figures, the gallery, the laboratory and the comparison with R."""
    report = json.loads((ROOT / f"validation/messages/{code}.json").read_text(encoding="utf-8"))
    found = {f"{s}.{k}": m for s, own in catalogue(code).items() for k, m in own.items()}
    found |= {f"lab.{key}": message for key, message in build.messages(code).items()}
    return found | {f"validation.{key}": message for key, message in report.items()}


@each_term
def test_the_term_is_in_use(row, code):
    if row[code]:
        assert any(row[code] in message for message in messages(code).values())


@each_term
def test_no_superseded_term_is_left(row, code):
    for term in filter(None, row[f"not_{code}"].split(";")):
        # A term may begin a word, but not be a part of another: a library is no house.
        word = re.compile(rf"(?<!\w){re.escape(term)}" if term[0].isalpha() else re.escape(term))
        left = [key for key, message in messages(code).items() if word.search(message)]
        assert not left, term


def test_terms_are_sourced_and_listed_once():
    concepts = [row["concept"] for row in GLOSSARY]
    assert len(set(concepts)) == len(concepts)
    assert all(row["source"] for row in GLOSSARY)
    assert {"concept", "en", "fa", "tr", "source"} <= set(GLOSSARY[0])


# A letter, digit or bracket beside an operator, a function's bracket, or a difference.
FORMULA = re.compile(
    r"[A-Za-z0-9)\]\u06f0-\u06f9]\s*[=+^<>±\u00d7]|[=+^<>±\u00d7]\s*[A-Za-z0-9(\[]|[A-Za-z0-9]\([a-z0-9]|"
    r"\w\s-\s\w|[a-z]\d\s[a-z]\d"
)


@pytest.mark.parametrize(
    "code", [code for code, one in LANGUAGES.items() if one.direction == "rtl"]
)
def test_every_formula_is_isolated_where_text_runs_from_the_right(code):
    for key, message in messages(code).items():
        # Fields are numbers, which are marked when they are filled in; mathtext is laid out apart.
        rest = re.sub(r"`[^`]*`|\$[^$]*\$|\{[^}]*\}|<[^>]*>", "", message)
        assert not FORMULA.search(rest), (key, rest)


def test_a_formula_is_isolated_in_persian_and_plain_elsewhere():
    sections = [{"a": "`x1 = {n:d}`, b"}]
    said = {code: texts.Text(language, sections)("a", n=3) for code, language in LANGUAGES.items()}
    assert said["fa"] == "\u2066x1 = \u06f3\u2069, b"
    assert said["en"] == said["tr"] == "x1 = 3, b"


@pytest.mark.parametrize(
    ("message", "mark"),
    [
        ("ALE (\u0627\u062c\u0627\u0631\u0647)", "\u200f"),
        ("\u0646\u0645\u0648\u062f\u0627\u0631 M", ""),
        ("ALE", ""),
        ("$x_1$", ""),
    ],
)
def test_a_text_from_the_right_that_begins_with_latin_letters_says_so(message, mark):
    """A picture would set its first word at the wrong end."""
    assert texts.Text(LANGUAGES["fa"], [{"a": message}])("a") == mark + message
