"""The report of a search: a page like the gallery's, a table and a picture."""

from __future__ import annotations

import csv
import functools
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from statistics import median
from typing import Any

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from aleplot_py.plots import STYLE
from reproductions.engine.texts import LANGUAGES, Text, catalogue
from reproductions.site.page import (
    document,
    in_all_languages,
    labels,
    scientific,
    statistics_list,
)
from validation.agreement import EPSILON, OF_CURVE
from validation.parity_report import TIERS
from validation.search import Row, SearchReport
from validation.search.checks import CHECKS
from validation.search.random_cases import DATA, KINDS

FOLDER = Path(__file__).parent
RESOLUTION = 140
# Differences below this are drawn at the left end of the axis.
SMALLEST_DRAWN = 1e-18
COLOURS = ("#7f7f7f", "#aa4499", "#0b5394", "#56b4e9", "#d55e00", "#009e73", "#000000")

NONE = "\u2013"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

COLUMNS = (
    "tier",
    "compared_with",
    "kind",
    "data",
    "cases",
    "compared",
    "grids_equal",
    "orders_equal",
    "orders_reversed",
    "orders_tied",
    "different",
    "r_cannot",
    "both_refuse",
    "bit_for_bit",
    "smallest",
    "median",
    "largest",
    "rounding",
    "rounding_epsilons",
    "worst_case",
)


@dataclass(frozen=True)
class Tiers:
    """Comparisons of a test run, from pytest's ``--parity-json``.

    Parameters
    ----------
    versions : dict of str to str
        What took part.
    records : tuple of dict
        ``tier``, ``case``, ``difference`` (or None) and ``grid_equal`` of each comparison.
    """

    versions: dict[str, str]
    records: tuple[dict[str, Any], ...]

    def differences(self, tier: str) -> list[float]:
        """Differences recorded by a tier; NaN counts as infinite."""
        found = [r["difference"] for r in self.records if r["tier"] == tier]
        return [math.inf if math.isnan(value) else value for value in found if value is not None]

    def of(self, tier: str) -> list[dict[str, Any]]:
        """Comparisons of a tier."""
        return [record for record in self.records if record["tier"] == tier]


def read_tiers(path: Path) -> Tiers:
    """Read what pytest wrote with ``--parity-json``.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    Tiers
        Its comparisons.
    """
    content = json.loads(path.read_text(encoding="utf-8"))
    shown = [tier for tier in TIERS if tier not in ("figures", "claims")]
    return Tiers(
        content["versions"],
        tuple(record for record in content["records"] if record["tier"] in shown),
    )


def write(report: SearchReport, folder: Path, tiers: Tiers | None = None) -> list[Path]:
    """Write the report.

    Parameters
    ----------
    report : SearchReport
        What a search found.
    folder : Path
        Where to; made if it is missing.
    tiers : Tiers, optional
        Comparisons of a test run to show too.

    Returns
    -------
    list of Path
        ``index.html``, ``differences.csv`` and a picture in each language.
    """
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "differences.csv"
    table.write_text(numbers(report, tiers), encoding="utf-8", newline="")
    pictures = []
    for code in LANGUAGES:
        pictures.append(folder / ("differences.png" if code == "en" else f"differences.{code}.png"))
        pictures[-1].write_bytes(picture(report, tiers, report_text(code)))
    page_file = folder / "index.html"
    page_file.write_text(page(report, folder, tiers), encoding="utf-8", newline="\n")
    return [page_file, table, *pictures]


# --- the table --------------------------------------------------------------------------------


def numbers(report: SearchReport, tiers: Tiers | None) -> str:
    """Give all numbers as csv: the search by check, kind and data, and the test run by tier.

    Parameters
    ----------
    report : SearchReport
        What a search found.
    tiers : Tiers or None
        Comparisons of a test run.

    Returns
    -------
    str
        Lines under `COLUMNS`; "all" stands for every kind of data.
    """
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for row in [*report.rows(), *report.rows(by_data=True)]:
        writer.writerow(_numbers_of(row))
    for tier in TIERS:
        records = [] if tiers is None else tiers.of(tier)
        if tiers is not None and records:
            differences = tiers.differences(tier)
            writer.writerow(
                {
                    "tier": tier,
                    "compared_with": TIERS[tier],
                    "cases": len(records),
                    "compared": len(records),
                    "grids_equal": sum(record["grid_equal"] for record in records),
                    **_spread(differences),
                }
            )
    return file.getvalue()


def _numbers_of(row: Row) -> dict[str, Any]:
    with_levels = "categorical" in row.kind
    return {
        "tier": "search",
        "compared_with": row.check,
        "kind": row.kind,
        "data": row.data,
        "cases": row.cases,
        "compared": row.compared,
        "grids_equal": row.points_equal,
        "orders_equal": row.orders_equal if with_levels else "",
        "orders_reversed": row.orders["reversed"] + row.orders["turned"] if with_levels else "",
        "orders_tied": row.orders["tied"] + row.orders["undetermined"] if with_levels else "",
        "different": row.mismatches,
        "r_cannot": row.statuses["R cannot"],
        "both_refuse": row.statuses["both refuse"],
        **_spread(row.of_curve),
        "rounding": len(row.of_predictions),
        "rounding_epsilons": f"{row.largest_of_predictions:.3g}" if row.of_predictions else "",
        "worst_case": row.worst,
    }


def _spread(differences: Sequence[float]) -> dict[str, Any]:
    """Smallest, middle and largest difference, the smallest among those that are not 0."""
    if not differences:
        return {}
    inexact = [value for value in differences if value > 0]
    return {
        "bit_for_bit": len(differences) - len(inexact),
        "smallest": f"{min(inexact):.3g}" if inexact else "",
        "median": f"{median(differences):.3g}",
        "largest": f"{max(differences):.3g}",
    }


# --- the picture ------------------------------------------------------------------------------


def picture(report: SearchReport, tiers: Tiers | None, text: Text) -> bytes:
    """Draw the differences on a logarithmic axis.

    Parameters
    ----------
    report : SearchReport
        What a search found.
    tiers : Tiers or None
        Comparisons of a test run.
    text : Text
        Messages of the language.

    Returns
    -------
    bytes
        A png.
    """
    lines: list[tuple[str, str, list[float]]] = []
    for check in CHECKS:
        for row in report.rows():
            if row.check == check:
                label = f"{text(f'check.{check}')}: {text(f'kind.{row.kind}')}"
                lines.append((label, COLOURS[list(CHECKS).index(check)], row.of_curve))
    if tiers is not None:
        for tier in TIERS:
            differences = tiers.differences(tier)
            if differences and tier != "density":
                lines.append((text(f"tier.{tier}"), COLOURS[-1], differences))
    settings = {"font.family": "DejaVu Sans"}
    with style.context(["default", STYLE, settings]):
        figure = Figure(figsize=(7.6, 0.6 + 0.19 * len(lines)), layout="constrained")
        _draw(figure.subplots(), lines, text)
        file = io.BytesIO()
        figure.savefig(file, dpi=RESOLUTION, metadata={"Software": None}, bbox_inches=None)
    return file.getvalue()


def _draw(ax: Axes, lines: Sequence[tuple[str, str, list[float]]], text: Text) -> None:
    for place, (_, colour, differences) in enumerate(lines):
        inexact = [value for value in differences if value > 0]
        share = 1 - len(inexact) / max(len(differences), 1)
        label = text.language.number(f"{100 * share:.0f} %") if differences else ""
        ax.text(
            0.115, place, label, transform=ax.get_yaxis_transform(), ha="right", va="center",
            fontsize=6.5, color="0.35",
        )  # fmt: skip
        if not inexact:
            continue
        low, middle, high = (
            max(value, SMALLEST_DRAWN)
            for value in (min(inexact), median(differences), max(inexact))
        )
        ax.plot([low, high], [place, place], color=colour, lw=1.3, ls="-", alpha=0.6)
        ax.plot([middle], [place], "|", color=colour, ms=7)
        ax.plot([high], [place], "o", color=colour, ms=4)
    for value, name, look in ((EPSILON, "epsilon", "--"), (OF_CURVE, "limit", ":")):
        ax.axvline(value, color="#262626", lw=0.8, ls=look, zorder=0)
        ax.annotate(
            text(name), (value, 1), xycoords=("data", "axes fraction"), xytext=(3, 2),
            textcoords="offset points", fontsize=6.5,
        )  # fmt: skip
    ax.annotate(
        text("exact"), (0.115, 1), xycoords="axes fraction", xytext=(0, 2),
        textcoords="offset points", ha="right", fontsize=6.5, color="0.35",
    )  # fmt: skip
    ax.set_xscale("log")
    # Room at the left for the shares, which have no place on a logarithmic axis.
    ax.set_xlim(SMALLEST_DRAWN / 10, 1e-11)
    ax.set_xticks([10.0**power for power in range(-18, -10)])
    ax.set_xticklabels(
        [text.language.numeral("10") + str(p).translate(_RAISED) for p in range(-18, -10)]
    )
    ax.minorticks_off()
    ax.set_ylim(len(lines) - 0.4, -0.6)
    # The mark keeps a label that starts with Latin letters in the direction of its language.
    mark = "\u200f" if text.language.direction == "rtl" else ""
    ax.set_yticks(range(len(lines)), [mark + label for label, _, _ in lines])
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(text("axis"))


# --- the page ---------------------------------------------------------------------------------


@functools.cache
def _messages(code: str) -> dict[str, str]:
    content: dict[str, str] = json.loads(
        (FOLDER / "messages" / f"{code}.json").read_text(encoding="utf-8")
    )
    return content


def report_text(code: str) -> Text:
    """Messages of the report, before those of the gallery.

    Parameters
    ----------
    code : str
        A key of ``reproductions.engine.texts.LANGUAGES``.

    Returns
    -------
    Text
        Function of a key.
    """
    return Text(LANGUAGES[code], (_messages(code), catalogue(code)["gallery"]))


def page(report: SearchReport, folder: Path, tiers: Tiers | None) -> str:
    """Make the page.

    Parameters
    ----------
    report : SearchReport
        What a search found.
    folder : Path
        Folder of the page, to look up which cases were saved.
    tiers : Tiers or None
        Comparisons of a test run.

    Returns
    -------
    str
        HTML that needs no file but the pictures.
    """
    texts = {code: report_text(code) for code in LANGUAGES}
    say = functools.partial(in_all_languages, texts)
    sections = {
        "picture": _picture_section(texts),
        "search": f'<p class="about">{say("about.search")}</p>\n{_search_table(texts, report)}',
        "data": f'<p class="about">{say("about.data")}</p>\n{_data_table(texts, report)}',
        "tiers": ""
        if tiers is None
        else f'<p class="about">{say("about.tiers")}</p>\n{_tier_table(texts, tiers)}',
        "scale": '<div class="prose">'
        f"<p>{say('scale.curve')}</p><p>{say('scale.rounding')}</p></div>",
        "cannot": _cannot(texts, report),
        "versions": _versions(report, tiers),
    }
    shown = {name: content for name, content in sections.items() if content}
    links = "".join(f'<li><a href="#{name}">{say(f"section.{name}")}</a></li>' for name in shown)
    body = "".join(
        f'<section id="{name}">\n<h2>{say(f"section.{name}")}</h2>\n{content}\n</section>\n'
        for name, content in shown.items()
    )
    return document(
        texts,
        start="search",
        statistics=_statistics(texts, report),
        nav=f'<nav class="sources" {labels(texts, "nav")}><ul class="wrap">\n'
        f'<li><a href="../index.html">{say("back")}</a></li>{links}</ul></nav>',
        main=f'<main class="wrap">\n{body}</main>',
        commands=f"python -m validation --cases {len(report.cases)} --seed {report.seed}\n"
        "python -m validation --replay worst-numeric.json",
        files=f"{_files(texts, folder)}\n",
        styles=[FOLDER / "report_style.css"],
    )


def _statistics(texts: Mapping[str, Text], report: SearchReport) -> str:
    rows = report.rows()
    compared = sum(row.compared for row in rows)
    equal = sum(min(row.points_equal, row.orders_equal) for row in rows)
    largest = max(
        (row.largest_of_curve for row in rows if row.check in ("ALEPlot", "iml ale", "base R")),
        default=0.0,
    )
    values: dict[str, Callable[[Text], str]] = {
        "cases": lambda t: t.number(len(report.cases), "d"),
        "comparisons": lambda t: t.number(compared, "d"),
        "grids": lambda t: t("of", part=equal, whole=compared),
        "largest": lambda t: scientific(largest, t),
        "mismatches": lambda t: t.number(len(report.failures), "d"),
        "cannot": lambda t: t.number(sum(row.statuses["R cannot"] for row in rows), "d"),
    }
    return statistics_list(
        texts,
        {
            name: {code: value(text) for code, text in texts.items()}
            for name, value in values.items()
        },
    )


def _picture_section(texts: Mapping[str, Text]) -> str:
    stored = " ".join(
        f'data-{code}="{"differences.png" if code == "en" else f"differences.{code}.png"}" '
        f'data-alt-{code}="{escape(text("alt"))}"'
        for code, text in texts.items()
    )
    return (
        f'<p class="about">{in_all_languages(texts, "picture")}</p>\n'
        '<div class="card wide"><div class="plate"><a href="differences.png">'
        f'<img src="differences.png" alt="{escape(texts["en"]("alt"))}" {stored}></a></div></div>'
    )


def _table(
    texts: Mapping[str, Text], header: Sequence[tuple[str, bool]], rows: Iterable[Iterable[str]]
) -> str:
    head = "".join(
        f"<th{' class=n' if number else ''} scope=col>{in_all_languages(texts, f'col.{name}')}</th>"
        for name, number in header
    )
    return (
        f'<div class="table" tabindex="0"><table><thead><tr>{head}</tr></thead>\n<tbody>\n'
        + "\n".join("".join(row) for row in rows)
        + "\n</tbody></table></div>"
    )


def _cell(content: str) -> str:
    return f"<td>{content}</td>"


def _number(text: str) -> str:
    return f'<td class="n"><bdi dir="ltr">{escape(text)}</bdi></td>'


def _share(texts: Mapping[str, Text], part: int, whole: int) -> str:
    if part == whole:
        return f'<td class="n">{in_all_languages(texts, "all")}</td>'
    return f'<td class="n">{in_all_languages(texts, "of", part=part, whole=whole)}</td>'


def _verdict(texts: Mapping[str, Text], different: int) -> str:
    kind = "bad" if different else "good"
    word = (
        in_all_languages(texts, "bad", count=different)
        if different
        else (in_all_languages(texts, "ok"))
    )
    return f'<td><span class="chip {kind}">{word}</span></td>'


def _search_table(texts: Mapping[str, Text], report: SearchReport) -> str:
    header = (
        ("check", False), ("kind", False), ("cases", True), ("grids", True), ("orders", True),
        ("exact", True), ("median", True), ("largest", True), ("rounding", True),
        ("verdict", False),
    )  # fmt: skip
    rows, last = [], ""
    for row in report.rows():
        rounding = NONE
        if row.of_predictions:
            rounding = in_all_languages(
                texts, "eps", count=len(row.of_predictions), size=row.largest_of_predictions
            )
        exact = row.of_curve.count(0.0) / max(len(row.of_curve), 1)
        rows.append(
            [
                "<tr>" if row.check == last else '<tr class="first">',
                _cell("" if row.check == last else in_all_languages(texts, f"check.{row.check}")),
                _cell(in_all_languages(texts, f"kind.{row.kind}")),
                _number(str(row.cases)),
                _share(texts, row.points_equal, row.compared),
                _share(texts, row.orders_equal, row.compared)
                if "categorical" in row.kind
                else _number(NONE),
                _number(f"{100 * exact:.0f} %"),
                _number(_scientific(median(row.of_curve or [0.0]))),
                _number(_scientific(row.largest_of_curve)),
                f'<td class="n">{rounding}</td>',
                _verdict(texts, row.mismatches),
                "</tr>",
            ]
        )
        last = row.check
    return _table(texts, header, rows)


def _scientific(value: float) -> str:
    return LANGUAGES["en"].number(f"{value:.1e}") if value else "0"


def _data_table(texts: Mapping[str, Text], report: SearchReport) -> str:
    """Largest difference from ALEPlot by kind of data and of effect; nothing without ALEPlot."""
    found = {
        (row.data, row.kind): row for row in report.rows(by_data=True) if row.check == "ALEPlot"
    }
    if not found:
        return ""
    kinds = [kind for kind in KINDS if any(key[1] == kind for key in found)]
    head = "".join(
        f"<th class=n scope=col>{in_all_languages(texts, f'kind.{kind}')}</th>" for kind in kinds
    )
    rows = []
    for data in DATA:
        cells = [
            _number(_scientific(found[data, kind].largest_of_curve))
            if (data, kind) in found and found[data, kind].of_curve
            else _number(NONE)
            for kind in kinds
        ]
        if any((data, kind) in found for kind in kinds):
            name = in_all_languages(texts, f"data.{data}")
            rows.append(f"<tr>{_cell(name)}{''.join(cells)}</tr>")
    return (
        '<div class="table" tabindex="0"><table><thead><tr>'
        f"<th scope=col>{in_all_languages(texts, 'col.data')}</th>{head}</tr></thead>\n<tbody>\n"
        + "\n".join(rows)
        + "\n</tbody></table></div>"
    )


def _tier_table(texts: Mapping[str, Text], tiers: Tiers) -> str:
    header = (
        ("tier", False), ("cases", True), ("grids", True), ("exact", True), ("median", True),
        ("largest", True),
    )  # fmt: skip
    rows = []
    for tier in TIERS:
        records, differences = tiers.of(tier), tiers.differences(tier)
        if not records:
            continue
        exact = f"{100 * differences.count(0.0) / len(differences):.0f} %" if differences else NONE
        rows.append(
            [
                "<tr>",
                _cell(in_all_languages(texts, f"tier.{tier}")),
                _number(str(len(records))),
                _share(texts, sum(record["grid_equal"] for record in records), len(records)),
                _number(exact),
                _number(_scientific(median(differences)) if differences else NONE),
                _number(_scientific(max(differences)) if differences else NONE),
                "</tr>",
            ]
        )
    return _table(texts, header, rows)


def _cannot(texts: Mapping[str, Text], report: SearchReport) -> str:
    items = []
    for row in report.rows():
        for status in ("R cannot", "both refuse"):
            if row.statuses[status]:
                name = in_all_languages(texts, f"check.{row.check}")
                kind = in_all_languages(texts, f"kind.{row.kind}")
                counted = in_all_languages(texts, "of", part=row.statuses[status], whole=row.cases)
                why = in_all_languages(texts, f"cannot.{status}")
                items.append(f"<li>{name}, {kind}, {counted}. {why}</li>")
    for check, reason in report.not_run.items():
        label = in_all_languages(texts, "cannot.not run")
        name = in_all_languages(texts, f"check.{check}")
        items.append(f'<li>{label} {name}. <bdi dir="ltr">{escape(reason)}</bdi></li>')
    if not items:
        return f'<p class="about">{in_all_languages(texts, "cannot.none")}</p>'
    return f'<div class="prose"><ul>{"".join(items)}</ul></div>'


def _versions(report: SearchReport, tiers: Tiers | None) -> str:
    found = {**(tiers.versions if tiers is not None else {}), **report.versions}
    entries = "".join(
        f'<dt><bdi dir="ltr">{escape(name)}</bdi></dt>'
        f'<dd><bdi dir="ltr">{escape(version)}</bdi></dd>'
        for name, version in found.items()
    )
    return f'<dl class="facts">{entries}</dl>'


def _files(texts: Mapping[str, Text], folder: Path) -> str:
    def link(name: str) -> str:
        return f'<a href="{escape(name)}"><bdi dir="ltr">{escape(name)}</bdi></a>'

    saved = sorted(path.name for path in folder.glob("worst-*.json"))
    worst = (
        f"<p>{in_all_languages(texts, 'worst')} {' '.join(map(link, saved))}</p>\n" if saved else ""
    )
    return f"{worst}<p>{in_all_languages(texts, 'table')} {link('differences.csv')}</p>"
