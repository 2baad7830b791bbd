"""Messages of the figures and the gallery, one catalogue per language."""

import functools
import json
import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.axis import Axis, XAxis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, Formatter

from reproductions.engine.figure import FigureScript

FOLDER = Path(__file__).parents[1] / "messages"

# Between these two a browser, or the library that lays out text in pictures, reads left to right.
ISOLATE, END = "\u2066", "\u2069"

# Marked in messages of languages written from the right, where a formula would turn around.
_FORMULA = re.compile("`([^`]*)`")
# A picture takes the direction of a text from its first letter.
_LATIN_FIRST = re.compile("[^\\w$]*[A-Za-z].*[\u0621-\u06d3]", re.DOTALL)
RIGHT = "\u200f"
_POWER = re.compile(r"\$\\mathdefault\{.*\}\$")
_NUMBER = re.compile(r"\s*[-\u2212+]?\d+([.,]\d+)?\s*")


@dataclass(frozen=True)
class Language:
    """A language and how it writes numbers.

    Parameters
    ----------
    code : str
        ISO 639-1 code.
    name : str
        The language's own name.
    direction : {"ltr", "rtl"}
        Direction of its text.
    digits : str
        Its digits from 0 to 9.
    point : str
        Its decimal separator.
    percentage : str
        How it writes a percentage, with the field ``number``.
    """

    code: str
    name: str
    direction: str = "ltr"
    digits: str = "0123456789"
    point: str = "."
    percentage: str = "{number} %"

    def number(self, text: str) -> str:
        """Write a number, given as Python formats it, in the language's digits.

        Parameters
        ----------
        text : str
            A formatted number, or text with numbers in it.

        Returns
        -------
        str
            The same with the language's digits and decimal separator.
        """
        text = re.sub(r"(?<=\d)e([+-])0?(\d+)", _power_of_ten, text)
        text = re.sub(r"(?<=\d)\.(?=\d)", self.point, text)
        text = re.sub(r"-(?=\d)", "\u2212", text)
        if self.direction == "rtl" and re.search("[\u2212\u00d7]", text):
            # Without the mark a sign ends up at the other end of its number.
            text = f"\u200e{text}\u200e"
        return self.numeral(text)

    def percent(self, share: float) -> str:
        """Write a share as a percentage without decimals."""
        return self.percentage.format(number=self.number(f"{100 * share:.0f}"))

    def numeral(self, text: str) -> str:
        """Write a figure's number, whose point is no decimal point, in the language's digits."""
        return text.translate(str.maketrans("0123456789", self.digits))


LANGUAGES = {
    language.code: language
    for language in (
        Language("en", "English"),
        Language("fa", "فارسی", "rtl", "۰۱۲۳۴۵۶۷۸۹", "\u066b", "{number}٪"),
        Language("tr", "Türkçe", point=",", percentage="%{number}"),
    )
}


class Text:
    """Messages of one figure in one language.

    Parameters
    ----------
    language : Language
        The language.
    sections : sequence of dict of str to str
        Where messages are looked for, in this order.
    """

    def __init__(self, language: Language, sections: Sequence[Mapping[str, str]]) -> None:
        self.language = language
        self._sections = sections

    def __contains__(self, key: str) -> bool:
        return any(key in section for section in self._sections)

    def __call__(self, key: str, **values: Any) -> str:
        """Message by its key, with values filled in.

        Parameters
        ----------
        key : str
            The message's key.
        **values
            Values of the message's fields; numbers are written in the language's digits.

        Returns
        -------
        str
            The message; in a language written from the right its formulas, between backticks in
            the catalogue, between `ISOLATE` and `END`.

        Raises
        ------
        KeyError
            If the catalogue has no such message.
        """
        for section in self._sections:
            if key in section:
                template = _FORMULA.sub(self._isolated, section[key])
                mark = RIGHT if _LATIN_FIRST.match(template) else ""
                return mark + _Filler(self.language).format(template, **values)
        raise KeyError(f"no message {key!r} in messages/{self.language.code}.json")

    def _isolated(self, formula: re.Match[str]) -> str:
        return f"{ISOLATE}{formula[1]}{END}" if self.language.direction == "rtl" else formula[1]

    def number(self, value: float, spec: str = "g") -> str:
        """Write a number in the language's digits, formatted as by ``format(value, spec)``."""
        return self.language.number(format(value, spec))


class _Filler(string.Formatter):
    """Fills a template, numbers in the language's digits."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        text = format(value, format_spec)
        return text if isinstance(value, str) else self._language.number(text)


def _power_of_ten(exponent: re.Match[str]) -> str:
    sign, digits = exponent.groups()
    raised = digits.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return "\u00a0\u00d7\u00a010" + ("⁻" if sign == "-" else "") + raised


@functools.cache
def catalogue(code: str) -> dict[str, dict[str, str]]:
    """Messages of a language as its file has them.

    Parameters
    ----------
    code : str
        A key of `LANGUAGES`.

    Returns
    -------
    dict of str to dict of str to str
        Section (``common``, ``gallery`` or a figure's first id) to key to message.
    """
    return json.loads((FOLDER / f"{code}.json").read_text(encoding="utf-8"))


def figure_text(figure: FigureScript, code: str) -> Text:
    """Messages of a figure, its own before those common to all.

    Parameters
    ----------
    figure : FigureScript
        The figure.
    code : str
        A key of `LANGUAGES`.

    Returns
    -------
    Text
        Function of a key.
    """
    messages = catalogue(code)
    scripted = figure.english() if code == "en" else {}
    if figure.id not in catalogue("en"):
        # Of one's own, with no message but what is in the script.
        scripted = figure.english() | figure.defaults()
    own = messages.get(figure.id, {})
    return Text(LANGUAGES[code], (own, scripted, messages["common"]))


def gallery_text(code: str) -> Text:
    """Messages of the gallery.

    Parameters
    ----------
    code : str
        A key of `LANGUAGES`.

    Returns
    -------
    Text
        Function of a key.
    """
    messages = catalogue(code)
    return Text(LANGUAGES[code], (messages["gallery"], messages["common"]))


def localise(figure: Figure, language: Language) -> None:
    """Write tick labels and bare numbers of a figure in the language's digits.

    Parameters
    ----------
    figure : Figure
        A drawn figure, changed in place.
    language : Language
        The language.
    """
    if language.code == "en":
        return
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(_LocalFormatter(axis, language))
            if language.direction == "rtl":
                _give_room(axis)
        for artist in axes.texts:
            if _NUMBER.fullmatch(artist.get_text()):
                artist.set_text(language.number(artist.get_text()))


def _give_room(axis: Axis) -> None:
    """Room for letters that reach further up and down than Latin ones."""
    axis.labelpad += 2
    names = axis.get_ticklabels()
    if not isinstance(axis, XAxis) or not isinstance(axis.get_major_locator(), FixedLocator):
        return
    if not names or any(name.get_rotation() or "$" in name.get_text() for name in names):
        return
    # Names hang from their tops by default, each with its baseline at another height.
    size = max(float(name.get_fontsize()) for name in names)
    pad: Any = axis.get_major_ticks()[0].get_pad()  # type: ignore[func-returns-value]
    axis.set_tick_params(pad=pad + size)
    for name in names:
        name.set_verticalalignment("baseline")


class _LocalFormatter(Formatter):
    """An axis' own formatter, its labels in the language's digits."""

    def __init__(self, axis: Axis, language: Language) -> None:
        self._inner, self._language = axis.get_major_formatter(), language

    def _local(self, label: str) -> str:
        if "$" not in label:
            return self._language.number(label)
        # Formulas stay as they are; a power of a logarithmic axis is a number without a point.
        return self._language.numeral(label) if _POWER.fullmatch(label) else label

    def __call__(self, x: float, pos: int | None = None) -> str:
        return self._local(self._inner(x, pos))

    def format_ticks(self, values: list[float]) -> list[str]:
        return [self._local(label) for label in self._inner.format_ticks(values)]

    def set_axis(self, axis: Any) -> None:
        self._inner.set_axis(axis)

    def set_locs(self, locs: list[float]) -> None:
        self._inner.set_locs(locs)

    def get_offset(self) -> str:
        return self._local(self._inner.get_offset())
