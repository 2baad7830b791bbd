"""What came out: a table with goals and verdicts, a picture of growth, the README's sentences."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import style
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, StrMethodFormatter

from aleplot_py.plots import STYLE
from reproductions.engine import files
from validation.benchmarks.rows import GROWTH, ROWS, Row

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "paper_figures" / "benchmarks"
README = ROOT / "README.md"
RESULTS = "benchmarks.json"
_BEGIN, _END = "<!-- by python -m validation.benchmarks -->\n", "<!-- end -->\n"
_UNITS = {"ratio": "x", "seconds": "s", "memory": ""}
# One colour for a package in every panel; what is no package is grey.
_COLOURS = ("#0072B2", "#56B4E9", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#8C564B", "#7A5195")
_OURS = ("aleplot-py", "aleplot-py, frame")

Result = Mapping[str, Any]


def verdict(row: Row, result: Result) -> str:
    """Whether the goal of a row is reached.

    Parameters
    ----------
    row : Row
        With its goal.
    result : mapping
        What was measured.

    Returns
    -------
    {"reached", "missed", "not measured"}
        Reached if in every comparison, in all its bits where these count.
    """
    lines = result["lines"]
    if any(line["value"] is None for line in lines):
        return "not measured"
    kept = all(line["value"] <= row.goal for line in lines)
    same = not row.identical or all(line.get("identical", False) for line in lines)
    return "reached" if kept and same else "missed"


def lines(row: Row, result: Result) -> Iterator[str]:
    """A row for the terminal.

    Parameters
    ----------
    row : Row
        With its goal.
    result : mapping
        What was measured.

    Yields
    ------
    str
        The row, its comparisons and the measures behind them.
    """
    unit = _UNITS[row.unit]
    yield f"{row.name}: {row.title}"
    yield f"  goal {row.goal:.3g}{unit}: {verdict(row, result)} ({result.get('seconds', 0):.0f} s)"
    for line in result["lines"]:
        value = "-" if line["value"] is None else f"{line['value']:.3g}{unit}"
        same = {None: "", True: ", identical", False: ", NOT IDENTICAL"}[line.get("identical")]
        yield f"  {line['label']:<24}{value:>10}{same}"
        for name, seconds in line.get("seconds", {}).items():
            yield f"    {name:<34}{seconds:>12.6f} s"
        for reason in line["missing"]:
            yield f"    not measured: {reason}"


def write(results: Sequence[Result], folder: Path) -> list[Path]:
    """Write results, table and picture, and the README's sentences if the folder is the usual one.

    Parameters
    ----------
    results : sequence of mapping
        Of rows.
    folder : Path
        Where to.

    Returns
    -------
    list of Path
        What was written.
    """
    files.write_json(folder / RESULTS, {"machine": _machine(), "results": list(results)})
    files.write(folder / "benchmarks.md", table(folder).encode())
    written = [folder / RESULTS, folder / "benchmarks.md"]
    drawn = [result for result in results if result["row"] in GROWTH]
    if drawn:
        with style.context(STYLE):
            growth(drawn).savefig(folder / "growth.png", dpi=160)
        written.append(folder / "growth.png")
    if folder.resolve() == FOLDER:
        readme = README.read_text(encoding="utf-8")
        files.write(README, with_claims(readme, claims(results)).encode())
        written.append(README)
    return written


def _machine() -> dict[str, Any]:
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        found = re.search(r"model name\s*:\s*(.*)", info.read_text(encoding="utf-8"))
        cpu = found[1].strip() if found else cpu
    return {"cpu": cpu, "cores": os.cpu_count(), "system": f"{platform.system()}"}


def table(folder: Path) -> str:
    """The table of a folder's results as Markdown.

    Parameters
    ----------
    folder : Path
        With the results.

    Returns
    -------
    str
        What was measured against what, goals, verdicts, machine and versions.
    """
    content = files.read_json(folder / RESULTS)
    results = {result["row"]: result for result in content["results"]}
    machine = content["machine"]
    text = [
        "# What effects cost",
        "",
        "Written by `python -m validation.benchmarks`. Seconds are medians of processor time on "
        f"one thread, of tasks that took turns, on {machine['cpu']} ({machine['cores']} cores, "
        f"{machine['system']}); memory is what a fresh process grew by. Ratios are within one "
        "run, so that they tell more than seconds. A goal is reached if it is in every line of its "
        "row.",
        "",
        "| row | measured / against | line | value | goal | verdict |",
        "|---|---|---|--:|--:|---|",
    ]
    for row in ROWS:
        if row.name not in results:
            continue
        result = results[row.name]
        for number, line in enumerate(result["lines"]):
            first = (row.name, row.title) if number == 0 else ("", "")
            value = "-" if line["value"] is None else f"{line['value']:.3g}"
            said = verdict(row, result) if number == 0 else ""
            same = " identical" if line.get("identical") else ""
            goal = f"{row.goal:.3g}" if number == 0 else ""
            cells = (*first, line["label"], value + same, goal, said)
            text.append(f"| {' | '.join(cells)} |")
    text += ["", "## Seconds", "", "| row | line | measure | seconds |", "|---|---|---|--:|"]
    for name, result in results.items():
        for line in result["lines"]:
            for measure, seconds in line.get("seconds", {}).items():
                text.append(f"| {name} | {line['label']} | {measure} | {seconds:.3g} |")
    lacking = {
        f"- {name}: {reason}"
        for name, result in results.items()
        for line in result["lines"]
        for reason in line["missing"]
    }
    if lacking:
        text += ["", "## Not measured", "", *sorted(lacking)]
    versions: dict[str, str] = {}
    for result in results.values():
        for line in result["lines"]:
            versions |= line.get("versions", {})
    listed = ", ".join(f"{name} {value}" for name, value in sorted(versions.items()))
    return "\n".join([*text, "", f"Versions: {listed}.", ""])


def growth(results: Sequence[Result]) -> Figure:
    """Seconds over the size of the task, on logarithmic axes.

    Parameters
    ----------
    results : sequence of mapping
        Of the rows of `GROWTH`.

    Returns
    -------
    Figure
        A panel for each.
    """
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    panels = figure.subplots(1, len(results), squeeze=False)[0]
    names = list(
        dict.fromkeys(
            name
            for result in results
            for line in result["lines"]
            for name in line.get("seconds", {})
            if not name.startswith("bare")
        )
    )
    colours = dict(zip(names, _COLOURS, strict=False))
    handles: dict[str, Any] = {}
    for panel, result in zip(panels, results, strict=True):
        curves: dict[str, list[tuple[float, float]]] = {}
        for line in result["lines"]:
            for name, seconds in line.get("seconds", {}).items():
                curves.setdefault(name, []).append((line["at"], seconds))
        for name, points in curves.items():
            bare = name.startswith("bare")
            (drawn,) = panel.plot(
                *zip(*points, strict=True),
                color="0.6" if bare else colours[name],
                linestyle={"bare": "--", "bare (R)": ":"}.get(name, "-"),
                linewidth=2.6 if name in _OURS else 1.4,
                marker="o",
                markersize=3.5,
                zorder=3 if name in _OURS else 2,
            )
            handles.setdefault(name, drawn)
        panel.set(xscale="log", yscale="log", xlabel=GROWTH[result["row"]])
        panel.set_xticks([line["at"] for line in result["lines"]])
        panel.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        panel.xaxis.set_minor_formatter(NullFormatter())
        panel.minorticks_off()
    panels[0].set_ylabel("seconds of one core")
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=5, frameon=False)
    return figure


def claims(results: Sequence[Result]) -> list[str]:
    """What the README says of these results.

    Parameters
    ----------
    results : sequence of mapping
        Of rows; a sentence whose row is missing is left out.

    Returns
    -------
    list of str
        Points of a list.
    """
    values = {
        result["row"]: [line["value"] for line in result["lines"]]
        for result in results
        if all(line["value"] is not None for line in result["lines"])
    }
    said = []
    if "n" in values:
        gains = [1 / value for value in values["n"]]
        others = sorted(
            {name for line in _of(results, "n")["lines"] for name in line["seconds"]}
            - {"aleplot-py", "aleplot-py, frame", "bare", "bare (R)"}
        )
        said.append(
            "A main effect of a cheap black box takes "
            f"{_span(values['n'])} times as long as that of the quickest other package "
            f"({', '.join(others)}) at 1,000 to 100,000 rows"
            + (": it is the quickest in each." if min(gains) >= 1 else ".")
        )
    trees = {"forest": "a forest", "boosted": "HistGradientBoosting", "xgboost": "XGBoost"}
    if trees.keys() <= values.keys():
        costs = ", ".join(f"{values[row][0]:.2g} of {name}" for row, name in trees.items())
        said.append(
            f"Main effects of ten features cost as much as this many predictions of the table: "
            f"{costs}."
        )
    if {"long", "long-memory"} <= values.keys():
        said.append(
            f"A million rows of ten columns cost {_span(values['long'])} times the bare "
            f"predictions of a linear black box, and {values['long-memory'][0]:.2g} columns of "
            "memory."
        )
    if {"stream", "stream-memory"} <= values.keys():
        said.append(
            "Fifty million rows of a Parquet file cost "
            f"{values['stream'][0]:.2g} times what reading its four columns twice costs, and "
            f"{values['stream-memory'][0]:.1g} GB of memory."
        )
    if {"pd", "ice"} <= values.keys():
        said.append(
            f"Partial dependence takes {_span(values['pd'])} times as long as scikit-learn's, ICE "
            f"{_span(values['ice'])}."
        )
    return said


def _of(results: Sequence[Result], name: str) -> Result:
    return next(result for result in results if result["row"] == name)


def _span(values: Sequence[float]) -> str:
    least, most = f"{min(values):.2g}", f"{max(values):.2g}"
    return least if least == most else f"{least} to {most}"


def with_claims(readme: str, said: Sequence[str]) -> str:
    """The README with these sentences in the place of its own.

    Parameters
    ----------
    readme : str
        Text of the README.
    said : sequence of str
        Points of a list.

    Returns
    -------
    str
        The same around the sentences.

    Raises
    ------
    ValueError
        If the README has no place for them.
    """
    before, begin, rest = readme.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not (begin and end):
        raise ValueError(f"the README must have a line {_BEGIN.strip()} and a line {_END.strip()}")
    return before + begin + "".join(f"- {sentence}\n" for sentence in said) + end + after
