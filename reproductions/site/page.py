"""What the site's pages share: their frame, and words in every language."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reproductions.engine.texts import LANGUAGES, Text

FOLDER = Path(__file__).parent / "templates"


def document(
    texts: Mapping[str, Text],
    *,
    start: str,
    statistics: str,
    nav: str,
    main: str,
    commands: str,
    counts: Mapping[str, int] = MappingProxyType({}),
    files: str = "",
    styles: Sequence[Path] = (),
) -> str:
    """Put a page of the site together.

    Parameters
    ----------
    texts : dict of str to Text
        Language to the page's messages.
    start : str
        Id of the element that the link past the navigation leads to.
    statistics, nav, main : str
        HTML of the numbers at the top, the navigation and the content.
    commands : str
        What to type to make the page again.
    counts : dict of str to int
        Values of the fields of the page's first sentences.
    files : str
        HTML of further files, above the licence.
    styles : sequence of Path
        Style sheets of the page's own.

    Returns
    -------
    str
        HTML that needs no file but the pictures.
    """
    titles = " ".join(f'data-title-{code}="{escape(t("title"))}"' for code, t in texts.items())
    css = "\n".join(_read(path) for path in (FOLDER / "style.css", *styles))
    return f"""<!doctype html>
<html lang="en" dir="ltr" {titles}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(texts["en"]("title"))}</title>
<meta name="description" content="{escape(texts["en"]("lede", **counts))}">
<link rel="icon" href="data:,">
<style>
{css}
</style>
</head>
<body>
<a class="skip" href="#{start}">{in_all_languages(texts, "skip")}</a>
<header class="masthead wrap">
<div class="controls">
{_languages(texts)}
{_themes(texts)}
</div>
<h1>{in_all_languages(texts, "title")}</h1>
<p class="lede">{in_all_languages(texts, "lede", **counts)}</p>
{statistics}
</header>
{nav}
{main}
<footer><div class="wrap">
<h2>{in_all_languages(texts, "again")}</h2>
<p>{in_all_languages(texts, "again.how")}</p>
<pre><code>{commands}</code></pre>
{files}<p>{in_all_languages(texts, "licence")}</p>
</div></footer>
<dialog><form method="dialog"><button>{in_all_languages(texts, "close")}</button></form>\
<img alt=""></dialog>
<script>
{_read(FOLDER / "script.js")}
</script>
</body>
</html>
"""


def statistics_list(texts: Mapping[str, Text], values: Mapping[str, Mapping[str, str]]) -> str:
    """List the numbers at the top of a page.

    Parameters
    ----------
    texts : dict of str to Text
        Language to the page's messages.
    values : dict of str to dict of str to str
        Key of a number to language to the number as written.

    Returns
    -------
    str
        HTML.
    """
    entries = "".join(
        f"<div><dt>{in_all_languages(texts, f'stat.{name}')}</dt>"
        f"<dd>{in_each_language(written)}</dd></div>"
        for name, written in values.items()
    )
    return f'<dl class="stats">{entries}</dl>'


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


def in_all_languages(texts: Mapping[str, Text], key: str, **values: Any) -> str:
    """Message in every language, of which the style sheet shows one."""
    return in_each_language({code: text(key, **values) for code, text in texts.items()})


def in_each_language(messages: Mapping[str, str]) -> str:
    """Element that holds messages by language, of which the style sheet shows one."""
    spans = "".join(
        f'<span lang="{code}" dir="{LANGUAGES[code].direction}">{escape(message)}</span>'
        for code, message in messages.items()
    )
    return f'<span class="t">{spans}</span>'


def labels(texts: Mapping[str, Text], key: str, **values: Any) -> str:
    """Accessible name of an element, in every language for the script to choose from."""
    names = {code: escape(text(key, **values)) for code, text in texts.items()}
    stored = " ".join(f'data-label-{code}="{name}"' for code, name in names.items())
    return f'aria-label="{names["en"]}" {stored}'


def _languages(texts: Mapping[str, Text]) -> str:
    buttons = "".join(
        f'<button type="button" data-language="{code}" lang="{code}" '
        f'aria-pressed="{str(code == "en").lower()}">{language.name}</button>'
        for code, language in LANGUAGES.items()
    )
    return f'<div class="choice" role="group" {labels(texts, "language")}>{buttons}</div>'


def _themes(texts: Mapping[str, Text]) -> str:
    buttons = "".join(
        f'<button type="button" data-theme="{name}" aria-pressed="{str(name == "auto").lower()}">'
        f"{in_all_languages(texts, f'theme.{name}')}</button>"
        for name in ("auto", "light", "dark")
    )
    return f'<div class="choice" role="group" {labels(texts, "theme")}>{buttons}</div>'


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8").rstrip()
