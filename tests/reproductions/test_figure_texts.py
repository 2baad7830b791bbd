"""Words and numbers of the figures in three languages."""

import re
import string

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text as TextArtist

from reproductions.engine import pictures
from reproductions.engine.texts import LANGUAGES, Text, catalogue, figure_text, localise
from tests.reproductions.shared import (
    BY_ID,
    FIGURES,
    QUICK,
    computed,
    each_figure,
    each_language,
)


def fields(message):
    return {name for _, name, _, _ in string.Formatter().parse(message) if name is not None}


def english_sections():
    sections = {name: dict(messages) for name, messages in catalogue("en").items()}
    for figure in FIGURES:
        sections.setdefault(figure.id, {}).update(figure.english())
    return sections


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_every_message_is_in_every_language_with_the_same_fields(code):
    english, other = english_sections(), catalogue(code)
    assert set(other) == set(english)
    for section, messages in english.items():
        assert set(other[section]) == set(messages), section
        for key, message in messages.items():
            assert fields(other[section][key]) == fields(message), (section, key)
            assert other[section][key].count("\n") == message.count("\n"), (section, key)


@each_language
def test_no_message_is_empty_or_of_a_figure_that_does_not_exist(code):
    known = {"common", "gallery", *BY_ID}
    for section, messages in catalogue(code).items():
        assert section in known
        assert all(message.strip() for message in messages.values())


@each_figure
@each_language
def test_every_figure_has_title_alternative_text_and_caption(figure, code):
    text = figure_text(figure, code)
    assert all(text(key) for key in ("title", "alt", "caption"))


@each_figure
def test_no_text_is_hard_wired_in_scripts(figure):
    """Draw with messages that are all marked: any letters without a mark are not from them."""

    class Marked(Text):
        def __call__(self, key, **values):
            super().__call__(key, **values)
            return "\N{PILCROW SIGN}"

    text = figure_text(figure, "en")
    marked = Marked(text.language, text._sections)
    picture = Figure(figsize=figure.size, layout="constrained")
    figure.module.draw(computed(figure), picture, marked)
    FigureCanvasAgg(picture).draw()
    for artist in picture.findobj(TextArtist):
        words = re.sub(r"\\[a-z]+", "", artist.get_text())
        assert not re.search(r"[A-Za-z]{2,}", words), artist.get_text()


@pytest.mark.parametrize(
    ("code", "value", "spec", "written"),
    [
        ("en", -0.5, ".1f", "\u22120.5"),
        ("tr", 1234.5, ".1f", "1234,5"),
        ("fa", 0.25, ".2f", "\u06f0\u066b\u06f2\u06f5"),
        ("fa", -3, "d", "\u200e\u2212\u06f3\u200e"),
        ("en", 5.6e-17, ".1e", "5.6\u00a0\u00d7\u00a010⁻¹⁷"),
        ("tr", 1e10, ".1e", "1,0\u00a0\u00d7\u00a010¹⁰"),
        ("en", 2e-5, ".0e", "2\u00a0\u00d7\u00a010⁻⁵"),
    ],
)
def test_numbers_are_written_as_the_language_does(code, value, spec, written):
    assert Text(LANGUAGES[code], [{}]).number(value, spec) == written


def test_a_missing_message_is_an_error_that_names_it():
    with pytest.raises(KeyError, match=r"no message 'nothing' in messages/fa\.json"):
        figure_text(BY_ID[QUICK], "fa")("nothing")


def test_tick_labels_are_in_the_language():
    figure = BY_ID[QUICK]
    picture = pictures.draw(figure, computed(figure), "fa")
    FigureCanvasAgg(picture).draw()
    labels = [label.get_text() for label in picture.axes[0].get_xticklabels()]
    assert "\u06f0\u066b\u06f2" in labels


def test_powers_on_a_logarithmic_axis_are_in_the_language():
    picture = Figure()
    axes = picture.subplots()
    axes.set(yscale="log", ylim=(0.005, 0.5))
    localise(picture, LANGUAGES["fa"])
    FigureCanvasAgg(picture).draw()
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert "$\\mathdefault{\u06f1\u06f0^{-\u06f2}}$" in labels
    assert not any(re.search("[0-9]", label) for label in labels)


def test_formulas_on_an_axis_stay_as_they_are():
    picture = Figure()
    axes = picture.subplots()
    axes.set_xticks([0.2, 0.8], ["$z_{0,1}$", "$z_{1,1}$"])
    localise(picture, LANGUAGES["fa"])
    FigureCanvasAgg(picture).draw()
    names = axes.get_xticklabels()
    assert [name.get_text() for name in names] == ["$z_{0,1}$", "$z_{1,1}$"]
    assert {name.get_verticalalignment() for name in names} == {"top"}


def test_names_on_an_axis_stand_on_one_line():
    picture = Figure()
    axes = picture.subplots()
    axes.set_xticks([0.2, 0.8], ["\u06a9\u0645", "\u0622\u06af\u0631"])
    localise(picture, LANGUAGES["fa"])
    FigureCanvasAgg(picture).draw()
    names = axes.get_xticklabels()
    assert {name.get_verticalalignment() for name in names} == {"baseline"}
    assert max(name.get_window_extent().y1 for name in names) < axes.bbox.y0
