"""Runs figures: numbers, pictures, comparison with R, claims, manifest and gallery."""

import functools
import hashlib
import importlib.metadata
import json
import math
import multiprocessing
import platform
import time
import traceback
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tqdm import tqdm

import aleplot_py
from aleplot_py.datasets.files import DataNotFoundError
from reproductions.engine import pictures, sources
from reproductions.engine.black_boxes import MODELS
from reproductions.engine.figure import FigureScript, Numbers, all_figures, discover, tables
from reproductions.engine.reference import Comparison, difference_from_committed
from reproductions.engine.texts import LANGUAGES, figure_text
from reproductions.site import gallery

ROOT = Path(__file__).resolve().parents[2]

# Each language has the png that the gallery shows; the vector picture is kept once.
FORMATS_BY_LANGUAGE = {code: ("png", "svg") if code == "en" else ("png",) for code in LANGUAGES}

_PACKAGES = ("matplotlib", "numpy", "pandas", "scikit-learn", "scipy", "statsmodels")

GOOD = ("equal to R", "shape only", "no R numbers", "scikit-learn", "data missing")


@dataclass(frozen=True)
class Options:
    """What to do with each figure.

    Parameters
    ----------
    out : Path
        Folder of pictures and numbers.
    formats : dict of str to tuple of str
        Language to the formats wanted.
    model : {"r", "sklearn"}
        Where fitted models come from.
    check : bool
        Whether to compare with what is in `out` and write nothing.
    force : bool
        Whether to write everything, also what is up to date.
    """

    out: Path
    formats: Mapping[str, Sequence[str]] = field(default_factory=lambda: FORMATS_BY_LANGUAGE)
    model: str = "r"
    check: bool = False
    force: bool = False


@dataclass(frozen=True)
class Outcome:
    """What became of one figure.

    Parameters
    ----------
    id : str
        The figure's first id.
    status : str
        One of `GOOD`, or "differs from R", "differs from committed", "pictures outdated",
        "failed".
    seconds : float
        Time taken.
    difference : float or None
        Largest absolute difference from R, None without R numbers that can be matched.
    share_of_peak : float or None
        Largest difference of a density as a share of its peak.
    problem : str
        What went wrong, if anything.
    record : dict
        Entry of the manifest; empty if nothing was written.
    claims : list of dict
        Verdicts.
    """

    id: str
    status: str
    seconds: float
    difference: float | None = None
    share_of_peak: float | None = None
    problem: str = ""
    record: Mapping[str, Any] = field(default_factory=dict)
    claims: Sequence[Mapping[str, Any]] = ()


def file_name(figure: FigureScript, suffix: str, code: str = "en") -> str:
    """Path of a file below the output folder, such as ``molnar3/20.4.fa.png``.

    Parameters
    ----------
    figure : FigureScript
        The figure.
    suffix : str
        Ending without the first dot: ``png`` or ``windspeed.csv``.
    code : str
        Language.

    Returns
    -------
    str
        The path, with slashes.
    """
    return f"{figure.id}.{suffix}" if code == "en" else f"{figure.id}.{code}.{suffix}"


def csv_texts(numbers: Numbers) -> dict[str, str]:
    """Content of the csv files behind a figure.

    Parameters
    ----------
    numbers : dict of str to result or DataFrame
        What ``compute`` returned.

    Returns
    -------
    dict of str to str
        Name to csv with every bit of each number.
    """
    return {
        name: table.to_csv(index=False, lineterminator="\n")
        for name, table in tables(numbers).items()
    }


def compare_with_r(figure: FigureScript, numbers: Numbers) -> dict[str, Comparison]:
    """Compare a figure's numbers with R's.

    Parameters
    ----------
    figure : FigureScript
        The figure.
    numbers : dict of str to result or DataFrame
        What its ``compute`` returned, with R's model.

    Returns
    -------
    dict of str to Comparison
        One for each number that has a reference.
    """
    ours = tables(numbers)
    return {name: reference.compare(ours[name]) for name, reference in figure.reference.items()}


def judge_claims(figure: FigureScript, numbers: Numbers) -> list[dict[str, Any]]:
    """Judge what the source says about a figure.

    Parameters
    ----------
    figure : FigureScript
        The figure.
    numbers : dict of str to result or DataFrame
        What its ``compute`` returned.

    Returns
    -------
    list of dict
        key, claim, verdict, evidence (in English) and the deciding numbers.
    """
    text, judged = figure_text(figure, "en"), []
    for claim in figure.claims:
        decision = claim.check(numbers)
        judged.append(
            {
                "key": claim.key,
                "claim": claim.sentence,
                "verdict": decision.verdict,
                "evidence": text(f"evidence.{claim.key}", **decision.numbers),
                "numbers": dict(decision.numbers),
            }
        )
    return judged


def run(figure: FigureScript, options: Options) -> Outcome:
    """Compute, compare, and write (or check) one figure; failures become outcomes.

    Parameters
    ----------
    figure : FigureScript
        The figure.
    options : Options
        What to do.

    Returns
    -------
    Outcome
        What became of it.
    """
    start = time.perf_counter()
    try:
        outcome = _run(figure, options)
    except DataNotFoundError as error:
        outcome = Outcome(figure.id, "data missing", 0.0, problem=str(error))
    except Exception:
        outcome = Outcome(figure.id, "failed", 0.0, problem=traceback.format_exc())
    return Outcome(**{**vars(outcome), "seconds": time.perf_counter() - start})


def run_all(figures: Sequence[FigureScript], options: Options, jobs: int) -> list[Outcome]:
    """Run figures, several at a time, with a progress bar on a terminal.

    Parameters
    ----------
    figures : sequence of FigureScript
        The figures.
    options : Options
        What to do.
    jobs : int
        Number of processes.

    Returns
    -------
    list of Outcome
        In the order of `figures`.
    """
    outcomes = {}
    with tqdm(total=len(figures), unit="figure", disable=None) as bar:
        for outcome in _in_any_order(figures, options, jobs):
            outcomes[outcome.id] = outcome
            bar.set_postfix_str(outcome.id)
            bar.update()
    return [outcomes[figure.id] for figure in figures]


def write_reports(options: Options, outcomes: Sequence[Outcome]) -> bool:
    """Update manifest.json, claims.json and the gallery with what was just written.

    Parameters
    ----------
    options : Options
        Those of this run.
    outcomes : sequence of Outcome
        Those of this run; other figures keep their entries.

    Returns
    -------
    bool
        Whether the folder has a gallery: begun by a run of all figures with all the pictures that
        it shows, and kept up to date by every other.
    """
    out = options.out
    figures, broken = discover()
    manifest, claims = _read_json(out / "manifest.json"), _read_json(out / "claims.json")
    records, judged = manifest.get("figures", {}), claims.get("figures", {})
    for outcome in outcomes:
        if outcome.record:
            records[outcome.id], judged[outcome.id] = outcome.record, list(outcome.claims)
    # A script that cannot be imported today keeps its entries.
    known = [figure.id for figure in figures if figure.id in records]
    known += [name for name in records if broken and name not in known]
    records = {name: records[name] for name in known}
    judged = {name: judged[name] for name in known if judged.get(name)}
    verdicts = [claim["verdict"] for entries in judged.values() for claim in entries]
    summary = {verdict: verdicts.count(verdict) for verdict in sorted(set(verdicts))}
    _write_json(out / "manifest.json", {"figures": records})
    _write_json(out / "claims.json", {"summary": summary, "figures": judged})
    everything = {figure.id for figure in figures} <= {outcome.id for outcome in outcomes}
    all_pictures = all(
        set(formats) <= set(options.formats.get(code, ()))
        for code, formats in FORMATS_BY_LANGUAGE.items()
    )
    if not (everything and all_pictures) and not (out / "index.html").exists():
        return False
    page = gallery.page(out, [f for f in figures if f.id in records], records, judged)
    (out / "index.html").write_text(page, encoding="utf-8", newline="\n")
    return True


def report(outcomes: Sequence[Outcome]) -> str:
    """Table of what became of each figure, and a summary.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Those of this run.

    Returns
    -------
    str
        Several lines.
    """
    rows = [("figure", "seconds", "largest difference from R", "claims", "status")]
    rows += [_row(outcome) for outcome in outcomes]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  "
        f"{row[3]:>{widths[3]}}  {row[4]}"
        for row in rows
    ]
    for outcome in outcomes:
        if outcome.problem:
            lines += ["", f"{outcome.id}: {outcome.status}", outcome.problem.rstrip()]
    bad = [outcome.id for outcome in outcomes if outcome.status not in GOOD]
    missing = [outcome.id for outcome in outcomes if outcome.status == "data missing"]
    lines += ["", f"{len(outcomes) - len(bad) - len(missing)} of {len(outcomes)} figures are good"]
    if missing:
        lines.append(f"left out because their data are missing: {', '.join(missing)}")
    if bad:
        lines.append(f"not good: {', '.join(bad)}")
    return "\n".join(lines)


def sha256(content: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _run(figure: FigureScript, options: Options) -> Outcome:
    numbers = figure.compute(options.model)
    refitted = figure.model is not None and options.model == "sklearn"
    comparisons = {} if refitted else compare_with_r(figure, numbers)
    claims = judge_claims(figure, numbers)
    matched = [c for c in comparisons.values() if not c.shape_only]
    problems = [
        f"{name}: {'values' if c.grid_equal else 'grid'} of {c.reference.file} not matched "
        f"(largest difference {c.difference:.2e})"
        for name, c in comparisons.items()
        if not c.matches
    ]
    status = "differs from R" if problems else _good_status(refitted, comparisons)
    changes = _changes(figure, numbers, options.out)
    outdated = _outdated(figure, options)
    record = {}
    if options.check and not problems:
        problems = list(changes.values())
        status = "differs from committed" if problems else status
        if not problems and outdated:
            status, problems = "pictures outdated", ["run python -m reproductions " + figure.id]
    elif not options.check and (
        options.force or changes or outdated or not _all_there(figure, options)
    ):
        _write(figure, numbers, options, tables(numbers) if options.force else changes)
        record = _record(figure, numbers, comparisons, options)
    return Outcome(
        figure.id,
        status,
        0.0,
        difference=max((c.difference for c in matched if not c.reference.of_peak), default=None),
        share_of_peak=max((c.relative for c in matched if c.reference.of_peak), default=None),
        problem="\n".join(problems),
        record=record,
        claims=claims,
    )


def _good_status(refitted: bool, comparisons: Mapping[str, Comparison]) -> str:
    if refitted:
        return "scikit-learn"
    if not comparisons:
        return "no R numbers"
    return "shape only" if all(c.shape_only for c in comparisons.values()) else "equal to R"


def _changes(figure: FigureScript, numbers: Numbers, out: Path) -> dict[str, str]:
    """How numbers differ from the csv files in the output folder, by name."""
    changes = {
        name: difference_from_committed(table, out / file_name(figure, f"{name}.csv"))
        for name, table in tables(numbers).items()
    }
    return {name: change for name, change in changes.items() if change}


def _outdated(figure: FigureScript, options: Options) -> bool:
    """Whether what is in the output folder was made by or from something else than today's."""
    record = _record_in(figure, options.out)
    return any(record.get(key) != value for key, value in _origin(figure, options).items())


def _all_there(figure: FigureScript, options: Options) -> bool:
    """Whether all pictures asked for are in the output folder, drawn by this matplotlib."""
    drawn_by = _record_in(figure, options.out).get("versions", {}).get("matplotlib")
    return drawn_by == _versions()["matplotlib"] and all(
        (options.out / file_name(figure, suffix, code)).exists()
        for code, formats in options.formats.items()
        for suffix in formats
    )


def _record_in(figure: FigureScript, out: Path) -> dict[str, Any]:
    """Entry of a figure in the output folder's manifest, empty if it has none."""
    return _read_json(out / "manifest.json").get("figures", {}).get(figure.id, {})


def _origin(figure: FigureScript, options: Options) -> dict[str, Any]:
    """Part of the manifest's entry that says what a figure was made by and from."""
    model = None
    if figure.model is not None:
        model = {"name": figure.model, "from": options.model}
        if options.model == "r":
            model["sha256"] = MODELS[figure.model].digest()
    return {
        "script_sha256": figure.digest(),
        "pictures_sha256": pictures.digest(figure),
        "data_sha256": sources.digest(figure.data),
        "reference_sha256": {name: r.digest() for name, r in figure.reference.items()},
        "model": model,
        "seed": figure.seed,
    }


def _record(
    figure: FigureScript,
    numbers: Numbers,
    comparisons: Mapping[str, Comparison],
    options: Options,
) -> dict[str, Any]:
    """Entry of the manifest, once the numbers are written."""
    files = [file_name(figure, f"{name}.csv") for name in numbers]
    return {
        "ids": list(figure.ids),
        "script": figure.path.relative_to(ROOT).as_posix(),
        **_origin(figure, options),
        "numbers": files,
        # Of the files, which keep their last bits where another machine computes others.
        "numbers_sha256": sha256(b"".join((options.out / file).read_bytes() for file in files)),
        "matches": all(c.matches for c in comparisons.values()),
        "comparison": {
            name: {
                "reference": c.reference.file,
                "grid_equal": c.grid_equal,
                "difference": c.difference,
                "largest_value": c.scale,
                "shape_only": c.shape_only,
                "of_peak": c.reference.of_peak,
            }
            for name, c in comparisons.items()
        },
        "versions": _versions(),
    }


def _write(
    figure: FigureScript, numbers: Numbers, options: Options, changed: Collection[str]
) -> None:
    """Write the numbers that changed, and the pictures asked for or there already."""
    folder = options.out / figure.source
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in csv_texts(numbers).items():
        if name in changed:
            path = options.out / file_name(figure, f"{name}.csv")
            path.write_text(text, encoding="utf-8", newline="\n")
    refitted = figure.model is not None and options.model == "sklearn"
    for code in LANGUAGES:
        formats = [
            suffix
            for suffix in pictures.FORMATS
            if suffix in options.formats.get(code, ())
            or (options.out / file_name(figure, suffix, code)).exists()
        ]
        rendered = pictures.render(figure, numbers, code, formats, refitted=refitted)
        for suffix, content in rendered.items():
            (options.out / file_name(figure, suffix, code)).write_bytes(content)


def _in_any_order(
    figures: Sequence[FigureScript], options: Options, jobs: int
) -> Iterator[Outcome]:
    if jobs == 1 or len(figures) < 2:
        yield from (run(figure, options) for figure in figures)
        return
    # Spawned, not forked: threads of numerical libraries do not survive a fork.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(figures)), mp_context=context) as pool:
        waiting = {pool.submit(_run_by_id, figure.id, options): figure.id for figure in figures}
        for done in as_completed(waiting):
            error = done.exception()
            if error is None:
                yield done.result()
            else:
                yield Outcome(waiting[done], "failed", math.nan, problem=repr(error))


def _run_by_id(figure_id: str, options: Options) -> Outcome:
    return run(_figures_by_id()[figure_id], options)


@functools.cache
def _figures_by_id() -> dict[str, FigureScript]:
    return {figure.id: figure for figure in all_figures()}


def _row(outcome: Outcome) -> tuple[str, str, str, str, str]:
    verdicts = [claim["verdict"] for claim in outcome.claims]
    claims = f"{verdicts.count('reproduced')} of {len(verdicts)}" if verdicts else "-"
    differences = [] if outcome.difference is None else [f"{outcome.difference:.1e}"]
    if outcome.share_of_peak is not None:
        differences.append(f"{100 * outcome.share_of_peak:.2f} % of peak")
    written = ", ".join(differences) or "-"
    return (outcome.id, f"{outcome.seconds:.1f}", written, claims, outcome.status)


@functools.cache
def _versions() -> dict[str, str]:
    # A checkout need not be installed.
    found = {"python": platform.python_version(), "aleplot-py": aleplot_py.__version__}
    for package in _PACKAGES:
        found[package] = importlib.metadata.version(package)
    return found


def _read_json(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _write_json(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")
