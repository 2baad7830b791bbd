"""The gallery: one static page with every figure, its numbers and what was said about it."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reproductions.engine import sources
from reproductions.engine.figure import VERDICTS, FigureScript
from reproductions.engine.pictures import RESOLUTION
from reproductions.engine.reference import FOLDER as REFERENCES
from reproductions.engine.texts import LANGUAGES, Text, figure_text, gallery_text
from reproductions.site.page import Speaker, Words, render, scientific

#: The report of ``python -m validation``, which belongs to the same site.
VALIDATION = "validation/index.html"
#: The page of ``python -m reproductions.lab``, likewise.
LABORATORY = "lab.html"

_ROOT = Path(__file__).resolve().parents[2]

# Pictures wider than this share of their height stand above their words instead of beside them.
_WIDE = 1.5

# R scripts by the beginnings of the names of the files they write; the longest decides.
_R_SCRIPTS = {
    "fig20_": "book3.R",
    "fig20_8_": "penguins.R",
    "fig24_": "lofo.R",
    "fig8_": "book2.R",
    "vignette_": "vignette.R",
    "vignette_fig6_": "adult.R",
}
# Digits of a digest in a citation.
_DIGITS = 12

_CHIPS = {"reproduced": ("good", "✓"), "partly": ("half", "◐"), "not reproduced": ("bad", "✗")}

Records = Mapping[str, Mapping[str, Any]]
Claims = Mapping[str, Sequence[Mapping[str, Any]]]


def page(
    out: Path,
    figures: Sequence[FigureScript],
    records: Records,
    claims: Claims,
    paper: Path | None = None,
) -> str:
    """Write the gallery's page.

    Parameters
    ----------
    out : Path
        Folder of the page, to look up which pictures there are: png only, for the others are not
        kept by git, and the page is. Only in a folder of the checkout are scripts linked.
    figures : sequence of FigureScript
        Those to show, each with a record.
    records : dict of str to dict
        First id to entry of the manifest.
    claims : dict of str to list of dict
        First id to verdicts.
    paper : Path, optional
        Folder of the scripts, where they are not of the sources here.

    Returns
    -------
    str
        HTML that needs no file but the pictures.
    """
    say = Speaker({code: gallery_text(code) for code in LANGUAGES})
    counts = _counts(figures, records)
    sections = [
        {
            "source": source,
            "title": _words(say, f"section.{source}", source),
            "about": _words(say, f"about.{source}", ""),
            "same": _elsewhere(say, source, figures),
            "cards": [
                _card(say, out, figure, records[figure.id], claims.get(figure.id, ()))
                for figure in figures
                if figure.source == source
            ],
        }
        for source in dict.fromkeys(figure.source for figure in figures)
    ]
    command = "python -m reproductions" + (f" --from {paper.name}" if paper else "")
    return render(
        "gallery.html",
        say=say,
        lede=say("lede", **counts) if paper is None else say("lede.own", name=paper.name, **counts),
        start="figures",
        statistics=_statistics(say, figures, counts, records, claims),
        nav_label=say("sources"),
        validation=VALIDATION if (out / VALIDATION).exists() else None,
        laboratory=LABORATORY if (out / LABORATORY).exists() else None,
        sections=sections,
        reports=[name for name in ("manifest.json", "claims.json") if (out / name).exists()],
        commands=[command, f"{command} --check"],
    )


def _words(say: Speaker, key: str, otherwise: str) -> Words:
    """A message, or what stands for it where the catalogues have none."""
    return say(key) if key in say.texts["en"] else dict.fromkeys(say.texts, otherwise)


def _counts(figures: Sequence[FigureScript], records: Records) -> dict[str, int]:
    """How many figures there are, are compared with R, and in their shape only."""
    compared = [comparison for f in figures if (comparison := records[f.id]["comparison"])]
    shapes = [all(c["shape_only"] for c in comparison.values()) for comparison in compared]
    points = len(compared) - sum(shapes)
    return {
        "whole": len(figures), "part": len(compared), "points": points, "shapes": sum(shapes)
    }  # fmt: skip


def _statistics(
    say: Speaker,
    figures: Sequence[FigureScript],
    counts: Mapping[str, int],
    records: Records,
    claims: Claims,
) -> list[tuple[Words, Words]]:
    exact = [
        comparison["difference"]
        for figure in figures
        for comparison in records[figure.id]["comparison"].values()
        if not comparison["shape_only"] and not comparison["of_peak"]
    ]
    verdicts = [c["verdict"] for figure in figures for c in claims.get(figure.id, ())]
    largest = max(exact, default=0.0)
    values = {
        "figures": say.number(len(figures)),
        "equal": say("of", **counts),
        "difference": {code: scientific(largest, text) for code, text in say.texts.items()},
        "claims": say("of", part=verdicts.count(VERDICTS[0]), whole=len(verdicts)),
    }
    return [(say(f"stat.{name}"), value) for name, value in values.items()]


def _elsewhere(
    say: Speaker, source: str, figures: Sequence[FigureScript]
) -> list[tuple[str, Words]]:
    """Anchors and citations of a source's figures that are shown under another."""
    return [
        (_anchor(figure), _citation(say.texts, other))
        for figure in figures
        for other in figure.ids[1:]
        if other.startswith(f"{source}/") and figure.source != source
    ]


def _card(
    say: Speaker,
    out: Path,
    figure: FigureScript,
    record: Mapping[str, Any],
    claims: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    own = Speaker({code: figure_text(figure, code) for code in LANGUAGES})
    captions = {code: words.split("\n") for code, words in own("caption").items()}
    width, height = figure.size
    references = sorted({found["reference"] for found in record["comparison"].values()})
    return {
        "anchor": _anchor(figure),
        "wide": width / height > _WIDE,
        "picture": _picture(say, own, out, figure),
        "citations": [_citation(say.texts, name) for name in figure.ids],
        "title": own("title"),
        "caption": [
            {code: captions[code][i] for code in captions} for i in range(len(captions["en"]))
        ],
        "comparison": _comparison(say, record),
        "claims": [_claim(say, own, claim) for claim in claims],
        "script": _link(out, figure.path, record["script"]),
        "references": [_link(out, REFERENCES / name, name) for name in references],
        "r_scripts": [
            _link(out, _ROOT / "reproductions/r_scripts" / name, name)
            for name in sorted(filter(None, set(map(r_script, references))))
        ],
        "cite": _cited(figure, record),
        "numbers": record["numbers"],
        "pictures": [name for name in (f"{figure.id}.png",) if (out / name).exists()],
        "credit": "; ".join(sources.DATA[name].credit for name in figure.data),
        "model": record["model"],
    }


def r_script(reference: str) -> str | None:
    """Name of the R script that wrote a file of R's numbers.

    Parameters
    ----------
    reference : str
        Name of a file in ``reproductions/reference``.

    Returns
    -------
    str or None
        Name of a file in ``reproductions/r_scripts``; None of a file of one's own.
    """
    starts = [start for start in _R_SCRIPTS if reference.startswith(start)]
    return _R_SCRIPTS[max(starts, key=len)] if starts else None


def _link(out: Path, path: Path, name: str) -> dict[str, str | None]:
    """A file by its name, linked from a page that lies in the same checkout or folder."""
    beside = any(
        path.is_relative_to(folder) and out.is_relative_to(folder)
        for folder in (_ROOT, path.parent)
    )
    address = Path(os.path.relpath(path, out)).as_posix()
    return {"name": name, "address": address if beside else None}


def _cited(figure: FigureScript, record: Mapping[str, Any]) -> str:
    """What tells this picture from that of another version or other data, in no language."""
    parts = [f"aleplot-py {record['versions']['aleplot-py']}", *figure.ids]
    digests = record["data_sha256"] | {"numbers": record["numbers_sha256"]}
    parts += [f"{name} sha256:{digest[:_DIGITS]}" for name, digest in digests.items()]
    return ", ".join(parts)


def _anchor(figure: FigureScript) -> str:
    return re.sub(r"[^\w-]", "-", figure.id)


def _citation(texts: Mapping[str, Text], figure_id: str) -> Words:
    """How a figure is cited, by language."""
    source, number = figure_id.split("/")
    if f"cite.{source}" not in texts["en"]:
        return dict.fromkeys(texts, figure_id)
    companion = re.sub(r"^\d[\d.]*", "", number)
    main = number.removesuffix(companion)
    citations = {}
    for code, text in texts.items():
        if not main and f"cite.{source}.companion" in text:
            # No figure of the source's, not even an unnumbered one.
            citations[code] = text(f"cite.{source}.companion")
            continue
        if not main or companion.startswith("d-"):
            cited = text("unnumbered")
        else:
            written = text.language.numeral(main)
            written = text("companion", number=written) if companion else written
            cited = text("numbered", number=written)
        citations[code] = text(f"cite.{source}", figure=cited)
    return citations


def _picture(say: Speaker, own: Speaker, out: Path, figure: FigureScript) -> dict[str, Any] | None:
    """A picture's files, words and size; None without a png."""
    files = {code: file for code in LANGUAGES if (file := _shown(out, figure, code)) is not None}
    if not files:
        return None
    width, height = (round(RESOLUTION * inches) for inches in figure.size)
    titles = own("title")
    return {
        "file": files,
        "alt": own("alt"),
        "label": {code: text("enlarge", title=titles[code]) for code, text in say.texts.items()},
        "width": width,
        "height": height,
    }


def _shown(out: Path, figure: FigureScript, code: str) -> str | None:
    """Picture in a language, or else in another; None where there is no png."""
    for language in (code, *LANGUAGES):
        file = f"{figure.id}.png" if language == "en" else f"{figure.id}.{language}.png"
        if (out / file).exists():
            return file
    return None


def _comparison(say: Speaker, record: Mapping[str, Any]) -> dict[str, Any]:
    comparisons = record["comparison"].values()
    refitted = record["model"] is not None and record["model"]["from"] == "sklearn"
    if refitted or not comparisons:
        return {"kind": "none", "verdict": say("sklearn" if refitted else "no_r"), "detail": None}
    peaks = [c["difference"] / c["largest_value"] for c in comparisons if c["of_peak"]]
    if record["matches"]:
        shapes = all(c["shape_only"] for c in comparisons)
        kind, key = "good", "shape_only" if shapes else "agrees" if peaks else "equal"
    else:
        kind, key = "bad", "differs"
    if peaks:
        detail = say("of_peak", percent=100 * max(peaks))
    else:
        grids = "grids" if all(c["grid_equal"] for c in comparisons) else "grids_unequal"
        largest = max(c["difference"] for c in comparisons)
        detail = {
            code: text(grids, difference=scientific(largest, text))
            for code, text in say.texts.items()
        }
    return {"kind": kind, "verdict": say(key), "detail": detail}


def _claim(say: Speaker, own: Speaker, claim: Mapping[str, Any]) -> dict[str, Any]:
    kind, sign = _CHIPS[claim["verdict"]]
    return {
        "kind": kind,
        "sign": sign,
        "verdict": say(f"verdict.{claim['verdict']}"),
        "sentence": own(f"claim.{claim['key']}"),
        "evidence": own(f"evidence.{claim['key']}", **claim["numbers"]),
    }
