"""The gallery: one static page with every figure, its numbers and what was said about it."""

import os
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from reproductions.engine import sources
from reproductions.engine.figure import SOURCES, VERDICTS, FigureScript
from reproductions.engine.pictures import RESOLUTION
from reproductions.engine.texts import LANGUAGES, Text, figure_text, gallery_text
from reproductions.site.page import (
    document,
    in_all_languages,
    in_each_language,
    labels,
    scientific,
    statistics_list,
)

#: The report of ``python -m validation``, which belongs to the same site.
VALIDATION = "validation/index.html"

_ROOT = Path(__file__).resolve().parents[2]

# Pictures wider than this share of their height stand above their words instead of beside them.
_WIDE = 1.5

_CHIPS = {"reproduced": ("good", "✓"), "partly": ("half", "◐"), "not reproduced": ("bad", "✗")}

Records = Mapping[str, Mapping[str, Any]]
Claims = Mapping[str, Sequence[Mapping[str, Any]]]


def page(out: Path, figures: Sequence[FigureScript], records: Records, claims: Claims) -> str:
    """Write the gallery's page.

    Parameters
    ----------
    out : Path
        Folder of the page, to look up which pictures there are. Only in a folder of the checkout
        are scripts linked.
    figures : sequence of FigureScript
        Those to show, each with a record.
    records : dict of str to dict
        First id to entry of the manifest.
    claims : dict of str to list of dict
        First id to verdicts.

    Returns
    -------
    str
        HTML that needs no file but the pictures.
    """
    texts = {code: gallery_text(code) for code in LANGUAGES}
    by_source = {
        source: [figure for figure in figures if figure.source == source] for source in SOURCES
    }
    shown = {source: own for source, own in by_source.items() if own}
    sections = [
        _section(texts, out, source, own, figures, records, claims) for source, own in shown.items()
    ]
    links = "".join(
        f'<li><a href="#{source}">{in_all_languages(texts, f"section.{source}")}</a></li>'
        for source in shown
    )
    if (out / VALIDATION).exists():
        links += f'<li><a href="{VALIDATION}">{in_all_languages(texts, "compared")}</a></li>'
    nav = f'<nav class="sources" {labels(texts, "sources")}><ul class="wrap">{links}</ul></nav>'
    return document(
        texts,
        counts=_counts(figures, records),
        start="figures",
        statistics=_statistics(texts, figures, records, claims),
        nav=nav,
        main=f'<main id="figures" class="wrap">\n{"".join(sections)}</main>',
        commands="python -m reproductions\npython -m reproductions --check",
    )


def _counts(figures: Sequence[FigureScript], records: Records) -> dict[str, int]:
    """How many figures there are, are compared with R, and in their shape only."""
    compared = [comparison for f in figures if (comparison := records[f.id]["comparison"])]
    shapes = [all(c["shape_only"] for c in comparison.values()) for comparison in compared]
    return {"whole": len(figures), "part": len(compared), "shapes": sum(shapes)}


def _statistics(
    texts: Mapping[str, Text], figures: Sequence[FigureScript], records: Records, claims: Claims
) -> str:
    exact = [
        comparison["difference"]
        for figure in figures
        for comparison in records[figure.id]["comparison"].values()
        if not comparison["shape_only"] and not comparison["of_peak"]
    ]
    counts = _counts(figures, records)
    verdicts = [c["verdict"] for figure in figures for c in claims.get(figure.id, ())]
    values = {
        "figures": {code: text.number(len(figures), "d") for code, text in texts.items()},
        "equal": {c: t("of", **counts) for c, t in texts.items()},
        "difference": {c: scientific(max(exact, default=0.0), t) for c, t in texts.items()},
        "claims": {
            code: text("of", part=verdicts.count(VERDICTS[0]), whole=len(verdicts))
            for code, text in texts.items()
        },
    }
    return statistics_list(texts, values)


def _section(
    texts: Mapping[str, Text],
    out: Path,
    source: str,
    own: Sequence[FigureScript],
    figures: Sequence[FigureScript],
    records: Records,
    claims: Claims,
) -> str:
    elsewhere = [
        (other, figure)
        for figure in figures
        for other in figure.ids[1:]
        if other.startswith(f"{source}/") and figure.source != source
    ]
    same = ""
    if elsewhere:
        links = ", ".join(
            f'<a href="#{_anchor(figure)}">{in_each_language(_citations(texts, other))}</a>'
            for other, figure in elsewhere
        )
        same = f'<p class="same">{in_all_languages(texts, "same")} {links}</p>\n'
    cards = "".join(
        _card(texts, out, figure, records[figure.id], claims.get(figure.id, ())) for figure in own
    )
    return f"""<section id="{source}">
<h2>{in_all_languages(texts, f"section.{source}")}</h2>
<p class="about">{in_all_languages(texts, f"about.{source}")}</p>
{same}{cards}</section>
"""


def _card(
    texts: Mapping[str, Text],
    out: Path,
    figure: FigureScript,
    record: Mapping[str, Any],
    claims: Sequence[Mapping[str, Any]],
) -> str:
    own = {code: figure_text(figure, code) for code in LANGUAGES}
    cited = "".join(
        f"<span>{in_each_language(_citations(texts, name))}</span>" for name in figure.ids
    )
    captions = {code: text("caption").split("\n") for code, text in own.items()}
    paragraphs = "".join(
        f'<p class="caption">{in_each_language({code: captions[code][i] for code in captions})}</p>'
        for i in range(len(captions["en"]))
    )
    titles = {code: text("title") for code, text in own.items()}
    anchor = _anchor(figure)
    width, height = figure.size
    kind = "card wide" if width / height > _WIDE else "card"
    return f"""<article class="{kind}" id="{anchor}" aria-labelledby="{anchor}-title">
<div class="plate">{_picture(texts, own, out, figure)}</div>
<div class="words"><div>
<p class="cite">{cited}</p>
<h3 id="{anchor}-title"><a href="#{anchor}">{in_each_language(titles)}</a></h3>
{paragraphs}
{_comparison(texts, record)}
</div><div>
{_claims(texts, own, claims)}{_facts(texts, out, figure, record)}
</div></div>
</article>
"""


def _anchor(figure: FigureScript) -> str:
    return figure.id.replace("/", "-").replace(".", "-")


def _citations(texts: Mapping[str, Text], figure_id: str) -> dict[str, str]:
    """How a figure is cited, by language."""
    source, number = figure_id.split("/")
    main, companion = re.fullmatch(r"(\d[\d.]*)?(.*)", number).groups()
    citations = {}
    for code, text in texts.items():
        if main is None and f"cite.{source}.companion" in text:
            # No figure of the source's, not even an unnumbered one.
            citations[code] = text(f"cite.{source}.companion")
            continue
        if main is None or companion.startswith("d-"):
            cited = text("unnumbered")
        else:
            written = text.language.numeral(main)
            written = text("companion", number=written) if companion else written
            cited = text("numbered", number=written)
        citations[code] = text(f"cite.{source}", figure=cited)
    return citations


def _picture(
    texts: Mapping[str, Text], own: Mapping[str, Text], out: Path, figure: FigureScript
) -> str:
    files = {code: _shown(out, figure, code) for code in LANGUAGES}
    if None in files.values():
        return ""
    stored = " ".join(
        f'data-{code}="{escape(file)}" data-alt-{code}="{escape(own[code]("alt"))}"'
        for code, file in files.items()
    )
    width, height = (round(RESOLUTION * inches) for inches in figure.size)
    vector = f"{figure.id}.svg"
    target = vector if (out / vector).exists() else files["en"]
    names = {code: text("enlarge", title=own[code]("title")) for code, text in texts.items()}
    labels = " ".join(f'data-label-{code}="{escape(name)}"' for code, name in names.items())
    return (
        f'<a href="{escape(target)}" aria-label="{escape(names["en"])}" {labels}>'
        f'<img src="{escape(files["en"])}" alt="{escape(own["en"]("alt"))}" width="{width}" '
        f'height="{height}" loading="lazy" {stored}></a>'
    )


def _shown(out: Path, figure: FigureScript, code: str) -> str | None:
    """Picture in a language, or else in another; None where there is no png and no svg."""
    for language in (code, *LANGUAGES):
        infix = "" if language == "en" else f".{language}"
        for suffix in ("png", "svg"):
            file = f"{figure.id}{infix}.{suffix}"
            if (out / file).exists():
                return file
    return None


def _comparison(texts: Mapping[str, Text], record: Mapping[str, Any]) -> str:
    comparisons = record["comparison"].values()
    refitted = record["model"] is not None and record["model"]["from"] == "sklearn"
    if refitted or not comparisons:
        key = "sklearn" if refitted else "no_r"
        return (
            f'<p class="verdict"><span class="chip none">{in_all_languages(texts, key)}</span></p>'
        )
    peaks = [c["difference"] / c["largest_value"] for c in comparisons if c["of_peak"]]
    if all(c["shape_only"] for c in comparisons):
        kind, key = "none", "shape_only"
    elif record["matches"]:
        kind, key = "good", "agrees" if peaks else "equal"
    else:
        kind, key = "bad", "differs"
    if peaks:
        detail = in_all_languages(texts, "of_peak", percent=100 * max(peaks))
    else:
        grids = "grids" if all(c["grid_equal"] for c in comparisons) else "grids_unequal"
        largest = max(c["difference"] for c in comparisons)
        detail = in_each_language(
            {c: t(grids, difference=scientific(largest, t)) for c, t in texts.items()}
        )
    return (
        f'<p class="verdict"><span class="chip {kind}">{in_all_languages(texts, key)}</span> '
        f"<span>{detail}</span></p>"
    )


def _claims(
    texts: Mapping[str, Text], own: Mapping[str, Text], claims: Sequence[Mapping[str, Any]]
) -> str:
    if not claims:
        return ""
    items = []
    for claim in claims:
        kind, sign = _CHIPS[claim["verdict"]]
        verdict = in_all_languages(texts, f"verdict.{claim['verdict']}")
        evidence = {
            code: text(f"evidence.{claim['key']}", **claim["numbers"]) for code, text in own.items()
        }
        items.append(
            f'<li><p><span class="chip {kind}"><span aria-hidden="true">{sign}</span> {verdict}'
            f"</span>{in_all_languages(own, 'claim.' + claim['key'])}</p>"
            f'<p class="evidence">{in_each_language(evidence)}</p></li>\n'
        )
    heading = in_all_languages(texts, "claims")
    return f'<h4>{heading}</h4>\n<ul class="claims">\n{"".join(items)}</ul>\n'


def _facts(
    texts: Mapping[str, Text], out: Path, figure: FigureScript, record: Mapping[str, Any]
) -> str:
    rows = {"script": f"<code>{record['script']}</code>"}
    if out.is_relative_to(_ROOT):
        target = Path(os.path.relpath(_ROOT / record["script"], out)).as_posix()
        rows["script"] = f'<a href="{escape(target)}">{rows["script"]}</a>'
    rows["numbers"] = "".join(_file_link(file) for file in record["numbers"])
    pictures = [f"{figure.id}.{suffix}" for suffix in ("png", "svg", "pdf")]
    rows["pictures"] = "".join(_file_link(file) for file in pictures if (out / file).exists())
    if figure.data:
        credit = "; ".join(sources.DATA[name].credit for name in figure.data)
        rows["data"] = f'<bdi dir="ltr">{escape(credit)}</bdi>'
    if record["model"] is not None:
        origin = in_all_languages(texts, f"from.{record['model']['from']}")
        rows["model"] = f"<code>{record['model']['name']}</code> {origin}"
    entries = "".join(
        f"<dt>{in_all_languages(texts, k)}</dt><dd>{value}</dd>" for k, value in rows.items()
    )
    return f'<dl class="facts">{entries}</dl>'


def _file_link(file: str) -> str:
    """Link to a file in the page's folder, named without the figure's source."""
    return f'<a href="{escape(file)}"><bdi dir="ltr">{escape(file.split("/", 1)[1])}</bdi></a> '
