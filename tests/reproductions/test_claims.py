"""What figures claim is in their texts: a source for each, and no number that its text lacks."""

import csv
import re
from pathlib import Path

import pytest

from reproductions.engine.texts import LANGUAGES, figure_text
from tests.reproductions.shared import BY_ID, FIGURES, each_language

SOURCES = Path(__file__).parents[2] / "reproductions/claims_sources.csv"

with SOURCES.open(encoding="utf-8", newline="") as file:
    ROWS = {(row["figure"], row["claim"]): row for row in csv.DictReader(file)}

CLAIMS = [(figure.id, claim.key) for figure in FIGURES for claim in figure.claims]


def numbers_in(sentence, language):
    """Numbers of a sentence, without those that belong to a name, such as x1."""
    plain = sentence.translate(str.maketrans(language.digits, "0123456789"))
    plain = re.sub(rf"(?<=\d){re.escape(language.point)}(?=\d)", ".", plain)
    return {float(n) for n in re.findall(r"(?<![A-Za-z_\d.])\d+(?:\.\d+)?", plain)}


def test_every_claim_has_a_source_and_every_source_a_claim():
    assert sorted(ROWS) == sorted(CLAIMS)
    with SOURCES.open(encoding="utf-8", newline="") as file:
        assert sum(1 for _ in csv.reader(file)) == 1 + len(CLAIMS)


@pytest.mark.parametrize("key", CLAIMS, ids="{0[0]} {0[1]}".format)
def test_a_source_is_a_place_and_its_sense(key):
    row = ROWS[key]
    named = (
        r"(Molnar|Zhu and Apley|Gkolemis et al\.), |(Gkolemis|Heiß|Molnar) et al\. |Limitations of "
    )
    assert re.match(named, row["source"])
    assert len(row["paragraph"].split()) >= 6
    stated = numbers_in(row["paragraph"], LANGUAGES["en"])
    assert {float(n) for n in row["numbers"].split()} <= stated


@each_language
@pytest.mark.parametrize("key", CLAIMS, ids="{0[0]} {0[1]}".format)
def test_no_claim_has_a_number_that_its_text_lacks(key, code):
    figure, claim = key
    sentence = figure_text(BY_ID[figure], code)(f"claim.{claim}")
    allowed = {float(n) for n in ROWS[key]["numbers"].split()}
    assert numbers_in(sentence, LANGUAGES[code]) == allowed


@pytest.mark.parametrize(
    ("code", "sentence", "numbers"),
    [
        ("en", "At x1 = 0.75 the 25-year-olds", {0.75, 25.0}),
        ("tr", "x2 = 0,2 ve %60", {0.2, 60.0}),
        ("fa", "\u06f2\u06f5\u0633 x4 \u06f0\u066b\u06f3", {25.0, 0.3}),
        ("en", "N1(1) of x1 and b1", {1.0}),
    ],
)
def test_numbers_are_found_in_every_language(code, sentence, numbers):
    assert numbers_in(sentence, LANGUAGES[code]) == numbers
