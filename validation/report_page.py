"""The report of a search: a page like the gallery's, a table and a picture."""

from __future__ import annotations

import csv
import functools
import io
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from aleplot_py.plots import STYLE
from reproductions.engine import files, pictures
from reproductions.engine.texts import LANGUAGES, Text, catalogue
from reproductions.site.page import Speaker, Words, render, scientific
from validation import second_r
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
    contents = {"differences.csv": numbers(report, tiers).encode("utf-8")}
    for code in LANGUAGES:
        contents[_picture_name(code)] = picture(report, tiers, report_text(code))
    contents["index.html"] = page(report, folder, tiers).encode("utf-8")
    for name, content in contents.items():
        files.write(folder / name, content)
    return [folder / name for name in contents]


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
        "bit_for_bit": sum(row.identical) if row.identical else "",
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
    return pictures.optimised(file.getvalue())


def _draw(ax: Axes, lines: Sequence[tuple[str, str, list[float]]], text: Text) -> None:
    for place, (_, colour, differences) in enumerate(lines):
        inexact = [value for value in differences if value > 0]
        share = 1 - len(inexact) / max(len(differences), 1)
        label = text.language.percent(share) if differences else ""
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
    say = Speaker({code: report_text(code) for code in LANGUAGES})
    shown = {code: _picture_name(code) for code in LANGUAGES}
    sections = ["picture", "search", "data", "tiers", "second", "scale", "cannot", "versions"]
    if tiers is None:
        sections.remove("tiers")
    return render(
        "report.html",
        FOLDER / "templates",
        say=say,
        lede=say("lede"),
        start="search",
        statistics=_statistics(say, report),
        nav_label=say("nav"),
        sections=sections,
        dash=_none(say),
        picture={"file": shown, "alt": say("alt"), "label": None, "width": None},
        search=_search_table(say, report),
        data=_data_table(say, report),
        tiers=None if tiers is None else _tier_table(say, tiers),
        second=_second_table(say),
        left_out=[
            {
                "check": row.check,
                "kind": row.kind,
                "part": row.statuses[status],
                "whole": row.cases,
                "status": status,
            }
            for row in report.rows()
            for status in ("R cannot", "both refuse")
            if row.statuses[status]
        ],
        not_run=report.not_run,
        versions={**(tiers.versions if tiers is not None else {}), **report.versions},
        saved=sorted(path.name for path in folder.glob("worst-*.json")),
        commands=[
            f"python -m validation --cases {len(report.cases)} --seed {report.seed}",
            "python -m validation --replay worst-numeric.json",
        ],
    )


def _picture_name(code: str) -> str:
    return "differences.png" if code == "en" else f"differences.{code}.png"


def _statistics(say: Speaker, report: SearchReport) -> list[tuple[Words, Words]]:
    rows = report.rows()
    compared = sum(row.compared for row in rows)
    equal = sum(min(row.points_equal, row.orders_equal) for row in rows)
    largest = max(
        (row.largest_of_curve for row in rows if row.check in ("ALEPlot", "iml ale", "base R")),
        default=0.0,
    )
    values = {
        "cases": say.number(len(report.cases)),
        "comparisons": say.number(compared),
        "grids": say("of", part=equal, whole=compared),
        "largest": {code: scientific(largest, text) for code, text in say.texts.items()},
        "mismatches": say.number(len(report.failures)),
        "cannot": say.number(sum(row.statuses["R cannot"] for row in rows)),
    }
    return [(say(f"stat.{name}"), value) for name, value in values.items()]


def _head(say: Speaker, *columns: tuple[str, bool]) -> list[tuple[Words, bool]]:
    """Titles of columns, and whether each is one of numbers."""
    return [(say(f"col.{name}"), is_number) for name, is_number in columns]


def _share(say: Speaker, part: int, whole: int) -> Words:
    return say("all") if part == whole else say("of", part=part, whole=whole)


def _search_table(say: Speaker, report: SearchReport) -> dict[str, Any]:
    head = _head(
        say, ("check", False), ("kind", False), ("cases", True), ("grids", True), ("orders", True),
        ("exact", True), ("median", True), ("largest", True), ("rounding", True),
        ("verdict", False),
    )  # fmt: skip
    rows, last = [], ""
    for row in report.rows():
        rounding, orders = None, None
        if row.of_predictions:
            rounding = say("eps", count=len(row.of_predictions), size=row.largest_of_predictions)
        if "categorical" in row.kind:
            orders = _share(say, row.orders_equal, row.compared)
        rows.append(
            {
                "first": row.check != last,
                "check": row.check,
                "kind": row.kind,
                "cases": say.number(row.cases),
                "grids": _share(say, row.points_equal, row.compared),
                "orders": orders,
                "exact": _of(say, row.identical),
                "median": _scientific(say, median(row.of_curve or [0.0])),
                "largest": _scientific(say, row.largest_of_curve),
                "rounding": rounding,
                "different": row.mismatches,
            }
        )
        last = row.check
    return {"head": head, "rows": rows}


def _second_table(say: Speaker) -> dict[str, Any]:
    """What other Rs and other linear algebra change, as it was found and stored."""
    head = _head(
        say, ("R", False), ("blas", False), ("lapack", False), ("bits", True), ("identical", True),
        ("orders_equal", True), ("orders_reversed", True), ("orders_open", True),
    )  # fmt: skip
    rows = []
    for found in second_r.read():
        orders = Counter(found.orders)
        rows.append(
            {
                "libraries": [found.R, found.BLAS or NONE, found.LAPACK],
                "bits": say.number(found.long_double),
                "identical": _share(say, found.identical, found.curves),
                "orders": [
                    say.number(orders["equal"]),
                    say.number(orders["reversed"]),
                    say.number(orders.total() - orders["equal"] - orders["reversed"]),
                ],
            }
        )
    return {"head": head, "rows": rows}


def _scientific(say: Speaker, value: float) -> Words:
    return {code: scientific(value, text) for code, text in say.texts.items()}


def _of(say: Speaker, judged: Sequence[bool]) -> Words:
    return say("of", part=sum(judged), whole=len(judged)) if judged else _none(say)


def _none(say: Speaker) -> Words:
    return dict.fromkeys(say.texts, NONE)


def _data_table(say: Speaker, report: SearchReport) -> dict[str, Any]:
    """Largest difference from ALEPlot by kind of data and of effect; no rows without ALEPlot."""
    found = {
        (row.data, row.kind): row for row in report.rows(by_data=True) if row.check == "ALEPlot"
    }
    kinds = [kind for kind in KINDS if any(key[1] == kind for key in found)]
    rows = [
        {
            "data": data,
            "numbers": [
                _scientific(say, found[data, kind].largest_of_curve)
                if (data, kind) in found and found[data, kind].of_curve
                else _none(say)
                for kind in kinds
            ],
        }
        for data in DATA
        if any((data, kind) in found for kind in kinds)
    ]
    kind_titles = [(say(f"kind.{kind}"), True) for kind in kinds]
    return {"head": [*_head(say, ("data", False)), *kind_titles], "rows": rows}


def _tier_table(say: Speaker, tiers: Tiers) -> dict[str, Any]:
    head = _head(
        say, ("tier", False), ("cases", True), ("grids", True), ("exact", True), ("median", True),
        ("largest", True),
    )  # fmt: skip
    rows = []
    for tier in TIERS:
        records, differences = tiers.of(tier), tiers.differences(tier)
        if not records:
            continue
        equal = sum(record["grid_equal"] for record in records)
        share = differences.count(0.0) / len(differences) if differences else 0.0
        exact = {code: text.language.percent(share) for code, text in say.texts.items()}
        rows.append(
            {
                "tier": tier,
                "cases": say.number(len(records)),
                "grids": _share(say, equal, len(records)),
                "exact": exact if differences else _none(say),
                "median": _scientific(say, median(differences)) if differences else _none(say),
                "largest": _scientific(say, max(differences)) if differences else _none(say),
            }
        )
    return {"head": head, "rows": rows}
