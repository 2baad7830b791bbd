"""What the site's pages share: where their templates are, and words in every language."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from reproductions.engine.texts import END, ISOLATE, LANGUAGES, Text

FOLDER = Path(__file__).parent / "templates"

_ISOLATED = re.compile(f"{ISOLATE}([^{ISOLATE}{END}]*){END}")

#: A message by language, of which a page shows one.
Words = Mapping[str, str]


class Speaker:
    """Says the messages of a page in every language.

    Parameters
    ----------
    texts : dict of str to Text
        Language to messages.
    """

    def __init__(self, texts: Mapping[str, Text]) -> None:
        self.texts = texts

    def __call__(self, key: str, **values: Any) -> Words:
        """Message by its key, with values filled in, by language."""
        return {code: text(key, **values) for code, text in self.texts.items()}

    def number(self, value: float, spec: str = "d") -> Words:
        """Write a number as each language does."""
        return {code: text.number(value, spec) for code, text in self.texts.items()}


def render(template: str, *folders: Path, **values: Any) -> str:
    """Fill a template that extends ``base.html``; all that is filled in is escaped.

    Parameters
    ----------
    template : str
        Name of its file.
    *folders : Path
        Where it is looked for before the site's own templates. All their style sheets are set in.
    **values
        What the template names; ``say`` is the page's `Speaker`.

    Returns
    -------
    str
        HTML that needs no file but the pictures.
    """
    environment = Environment(
        loader=FileSystemLoader([*folders, FOLDER]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(languages=LANGUAGES)
    environment.filters["isolated"] = isolated
    sheets = [path for folder in (FOLDER, *folders) for path in sorted(folder.glob("*.css"))]
    css, script = (
        Markup("\n").join(map(_ours, paths)) for paths in (sheets, [FOLDER / "script.js"])
    )
    return environment.get_template(template).render(values, css=css, script=script)


def isolated(text: str) -> Markup:
    """Escape a message, and set its formulas into elements of their own direction.

    Parameters
    ----------
    text : str
        A message, as `Text` says it.

    Returns
    -------
    Markup
        HTML.
    """
    return Markup(_ISOLATED.sub(r'<bdi dir="ltr">\1</bdi>', str(escape(text))))


def scientific(value: float, text: Text) -> str:
    """Write a small difference in a language's digits.

    Parameters
    ----------
    value : float
        The difference.
    text : Text
        Messages of the language.

    Returns
    -------
    str
        Such as 5.6 times ten to the minus 17.
    """
    return text.number(value, ".1e" if value else "g")


def _ours(path: Path) -> Markup:
    """Content of a file of the site's own, which is set in as it is."""
    return Markup(path.read_text(encoding="utf-8").rstrip())
