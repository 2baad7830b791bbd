"""Runs figures: numbers, pictures, comparison with R, claims, manifest and gallery."""

import functools
import hashlib
import importlib.metadata
import math
import platform
import time
import traceback
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tqdm import tqdm

import aleplot_py
from aleplot_py.datasets.files import DataNotFoundError
from reproductions.engine import files, pictures, sources
from reproductions.engine.black_boxes import MODELS
from reproductions.engine.figure import FigureScript, Numbers, all_figures, discover, tables
from reproductions.engine.processes import interrupts_ignored, interrupts_remembered, pool_of
from reproductions.engine.reference import (
    COMMITTED_TOLERANCE,
    Comparison,
    difference_from_committed,
)
from reproductions.engine.texts import LANGUAGES, figure_text
from reproductions.site import gallery

ROOT = Path(__file__).resolve().parents[2]

#: What made each file of an output folder here, and the file's bytes: not kept by git, so that
#: another machine draws once and compares.
MADE = ".made.json"

# Each language has the png that the gallery shows; the vector picture is made once.
FORMATS_BY_LANGUAGE = {code: ("png", "svg") if code == "en" else ("png",) for code in LANGUAGES}

# What the gallery and --check need of an entry.
_ENTRY = {
    "script", "model", "data_sha256", "numbers", "numbers_sha256", "pictures", "matches",
    "comparison", "versions",
}  # fmt: skip

# What an entry says of a comparison with R that moves with the last bits.
_LAST_BITS = ("difference", "deviations", "rank_correlation")

_PACKAGES = ("matplotlib", "numpy", "pandas", "scikit-learn", "scipy", "statsmodels")

GOOD = ("equal to R", "shape only", "no R numbers", "scikit-learn", "variation")


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
    settings : dict of str to number
        Other values than the source's of the figures' settings.
    look : Look
        Size, font and resolution of the pictures.
    paper : Path, optional
        Folder of the scripts, by default those of the sources here.
    """

    out: Path
    formats: Mapping[str, Sequence[str]] = field(default_factory=lambda: FORMATS_BY_LANGUAGE)
    model: str = "r"
    check: bool = False
    force: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    look: pictures.Look = pictures.PLAIN
    paper: Path | None = None

    @property
    def varies(self) -> bool:
        """Whether figures are drawn otherwise than the source has them."""
        return bool(self.settings) or self.look != pictures.PLAIN


@dataclass(frozen=True)
class Outcome:
    """What became of one figure.

    Parameters
    ----------
    id : str
        The figure's first id.
    status : str
        One of `GOOD`, or "data missing", "differs from R", "differs from committed", "claims
        outdated", "pictures outdated", "failed".
    seconds : float
        Time taken.
    difference : float or None
        Largest absolute difference from R, None without R numbers that can be matched.
    share_of_peak : float or None
        Largest difference of a density as a share of its peak.
    problem : str
        What went wrong, if anything.
    record : dict
        Entry of the manifest; empty if what is in the output folder was left as it is.
    claims : list of dict
        Verdicts.
    made : dict
        Entry of `MADE`; empty if nothing was drawn.
    written : tuple of str
        Files written, below the output folder.
    """

    id: str
    status: str
    seconds: float
    difference: float | None = None
    share_of_peak: float | None = None
    problem: str = ""
    record: Mapping[str, Any] = field(default_factory=dict)
    claims: Sequence[Mapping[str, Any]] = ()
    made: Mapping[str, Any] = field(default_factory=dict)
    written: Sequence[str] = ()


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
        outcome = (_vary if options.varies else _run)(figure, options)
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
    with (
        interrupts_remembered() as end_if_interrupted,
        tqdm(total=len(figures), unit="figure", disable=None) as bar,
    ):
        for outcome in _in_any_order(figures, options, jobs):
            # At once, so that a run that is stopped has not worked for nothing.
            record(options, outcome)
            outcomes[outcome.id] = outcome
            bar.set_postfix_str(outcome.id)
            bar.update()
            end_if_interrupted()
    return [outcomes[figure.id] for figure in figures]


def record(options: Options, outcome: Outcome) -> None:
    """Enter a figure into the output folder's manifest.json, claims.json and `MADE`.

    Parameters
    ----------
    options : Options
        Those of this run.
    outcome : Outcome
        What became of the figure; other figures keep their entries.
    """
    out = options.out
    if outcome.made:
        made = files.entries(files.read_json(out / MADE))
        files.write_json(out / MADE, {**made, outcome.id: outcome.made})
    if not outcome.record:
        return
    records, judged = read_reports(out)
    records[outcome.id], judged[outcome.id] = outcome.record, list(outcome.claims)
    figures, broken = discover(options.paper)
    known = [figure.id for figure in figures if figure.id in records]
    # A script that cannot be imported today, or exists in a test only, keeps its entries.
    known += [name for name in records if (broken or name == outcome.id) and name not in known]
    judged = {name: judged[name] for name in known if judged.get(name)}
    verdicts = [claim["verdict"] for claims in judged.values() for claim in claims]
    summary = {verdict: verdicts.count(verdict) for verdict in sorted(set(verdicts))}
    files.write_json(out / "manifest.json", {"figures": {name: records[name] for name in known}})
    files.write_json(out / "claims.json", {"summary": summary, "figures": judged})


def read_reports(out: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read what an output folder says about its figures.

    Parameters
    ----------
    out : Path
        The folder.

    Returns
    -------
    records : dict of str to dict
        First id to entry of manifest.json; empty where that cannot be read.
    claims : dict of str to list of dict
        First id to verdicts of claims.json.
    """
    records = files.entries(files.read_json(out / "manifest.json").get("figures"))
    judged = files.read_json(out / "claims.json").get("figures")
    whole = {name: entry for name, entry in records.items() if _is_entry(entry)}
    claims = judged.items() if isinstance(judged, dict) else ()
    return whole, {name: found for name, found in claims if _are_claims(found)}


def write_gallery(options: Options, outcomes: Sequence[Outcome]) -> bool:
    """Update the gallery with what was just written.

    Parameters
    ----------
    options : Options
        Those of this run.
    outcomes : sequence of Outcome
        Those of this run.

    Returns
    -------
    bool
        Whether the folder has a gallery: begun by a run of all figures with all the pictures that
        it shows, and kept up to date by every other.
    """
    page, figures = options.out / "index.html", all_figures(options.paper)
    everything = {figure.id for figure in figures} <= {outcome.id for outcome in outcomes}
    wanted = LANGUAGES if options.paper is None else ("en",)
    all_pictures = all("png" in options.formats.get(code, ()) for code in wanted)
    if not (everything and all_pictures) and not page.exists():
        return False
    records, judged = read_reports(options.out)
    shown = [figure for figure in figures if figure.id in records]
    html = gallery.page(options.out, shown, records, judged, options.paper)
    files.write(page, html.encode("utf-8"))
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
    lines += ["", f"{len(outcomes) - len(bad)} of {len(outcomes)} figures are good"]
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
        f"(largest difference {c.difference:.2e}{_of_refits(c)})"
        for name, c in comparisons.items()
        if not c.matches
    ]
    status = "differs from R" if problems else _good_status(refitted, comparisons)
    changes = _changes(figure, numbers, options.out)
    entry: dict[str, Any] = {}
    made: dict[str, Any] = {}
    written: list[str] = []
    if options.check and not problems:
        problems = list(changes.values())
        status = "differs from committed" if problems else status
        if not problems and (problems := _outdated_claims(figure, claims, options.out)):
            status = "claims outdated"
        if not problems and (problems := _outdated_pictures(figure, numbers, options)):
            status = "pictures outdated"
    elif not options.check and (options.force or changes or not _up_to_date(figure, options)):
        written = _write(figure, numbers, options, tables(numbers) if options.force else changes)
        entry = _record(figure, numbers, comparisons, options)
        made = _made(figure, numbers, options)
        kept = read_reports(options.out)
        if not options.force and _same(entry, claims, kept[0].get(figure.id), kept[1], figure):
            entry = {}
    return Outcome(
        figure.id,
        status,
        0.0,
        difference=max((c.difference for c in matched if not c.reference.of_peak), default=None),
        share_of_peak=max((c.relative for c in matched if c.reference.of_peak), default=None),
        problem="\n".join(problems),
        record=entry,
        claims=claims,
        made=made,
        written=written,
    )


def _vary(figure: FigureScript, options: Options) -> Outcome:
    """Write a figure with other settings, which neither R's numbers nor claims can judge."""
    try:
        numbers = figure.compute(options.model, **options.settings)
    except ValueError as error:
        # Of a setting: what it must be, not where it was found to be something else.
        return Outcome(figure.id, "failed", 0.0, problem=str(error))
    contents = {
        file_name(figure, f"{name}.csv"): text.encode("utf-8")
        for name, text in csv_texts(numbers).items()
    }
    for code, formats in options.formats.items():
        for suffix, content in _render(figure, numbers, code, formats, options).items():
            contents[file_name(figure, suffix, code)] = content
    for name, content in contents.items():
        files.write(options.out / name, content)
    return Outcome(figure.id, "variation", 0.0, written=list(contents))


def _good_status(refitted: bool, comparisons: Mapping[str, Comparison]) -> str:
    if refitted:
        return "scikit-learn"
    if not comparisons:
        return "no R numbers"
    return "shape only" if all(c.shape_only for c in comparisons.values()) else "equal to R"


def _changes(figure: FigureScript, numbers: Numbers, out: Path) -> dict[str, str]:
    """How numbers differ from the csv files in the output folder, by name."""
    changes = {
        name: change
        for name, table in tables(numbers).items()
        if (change := difference_from_committed(table, out / file_name(figure, f"{name}.csv")))
    }
    digest = read_reports(out)[0].get(figure.id, {}).get("numbers_sha256")
    if not changes and digest and digest != _numbers_sha256(figure, numbers, out):
        # Cut in its last digits, a file may say nearly the same.
        return {name: f"{name}: not in the file that manifest.json has" for name in numbers}
    return changes


def _numbers_sha256(figure: FigureScript, numbers: Numbers, out: Path) -> str:
    names = [file_name(figure, f"{name}.csv") for name in numbers]
    return sha256(b"".join((out / name).read_bytes() for name in names))


def _outdated_claims(
    figure: FigureScript, claims: Sequence[Mapping[str, Any]], out: Path
) -> list[str]:
    """Claims of claims.json that are not judged so today, or say another thing than they hold."""
    stored = {claim["key"]: claim for claim in read_reports(out)[1].get(figure.id, ())}
    judged = {claim["key"]: claim for claim in claims}
    outdated = [f"claims.json: {key} is missing" for key in judged if key not in stored]
    outdated += [f"claims.json: there is no claim {key}" for key in stored if key not in judged]
    text = figure_text(figure, "en")
    for key in judged.keys() & stored.keys():
        old, new = stored[key], judged[key]
        changed = [name for name in ("claim", "verdict") if old.get(name) != new[name]]
        if not _same_numbers(old["numbers"], new["numbers"]):
            changed.append("numbers")
        # Filled with the stored numbers: today's may differ in their last bits.
        elif old["evidence"] != text(f"evidence.{key}", **old["numbers"]):
            changed.append("evidence")
        outdated += [f"claims.json: {name} of {key} is not what is found today" for name in changed]
    return outdated


def _same_numbers(stored: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Whether a claim's deciding numbers are equal but for the last bits of another machine."""
    if set(stored) != set(found):
        return False
    return all(
        math.isclose(old, new, rel_tol=COMMITTED_TOLERANCE, abs_tol=COMMITTED_TOLERANCE)
        if isinstance(old, float) and isinstance(new, float)
        else type(old) is type(new) and old == new
        for old, new in ((stored[name], found[name]) for name in stored)
    )


def _of_refits(comparison: Comparison) -> str:
    """What a comparison with a model fitted at random says beside the largest difference."""
    if comparison.deviations is None:
        return ""
    ranks = comparison.rank_correlation
    return f", {comparison.deviations:.1f} standard deviations, rank correlation {ranks:.2f}"


def _outdated_pictures(figure: FigureScript, numbers: Numbers, options: Options) -> list[str]:
    """Pictures of the manifest that are not there, or do not show what is drawn today."""
    record = read_reports(options.out)[0].get(figure.id, {})
    stored = record.get("pictures", {})
    outdated = []
    for code in LANGUAGES:
        name = file_name(figure, "png", code)
        content = _content(options.out / name)
        if name not in stored:
            outdated += [] if content is None else [f"{name} is not in manifest.json"]
        elif content is None:
            outdated.append(f"{name} is missing")
        elif pictures.pixels_sha256(content) != stored[name]:
            outdated.append(f"{name} is not the picture that manifest.json has")
        elif not pictures.alike(
            content,
            _render(figure, numbers, code, ("png",), options)["png"],
            same_fonts=same_fonts(record),
        ):
            outdated.append(f"{name} is not what its script draws")
    return outdated


def same_fonts(record: Mapping[str, Any]) -> bool:
    """Whether a figure of the manifest was drawn by the matplotlib that there is."""
    return bool(record["versions"]["matplotlib"] == _versions()["matplotlib"])


def _up_to_date(figure: FigureScript, options: Options) -> bool:
    """Whether every file of a figure is there, as made here from what there is today."""
    made = files.entries(files.read_json(options.out / MADE)).get(figure.id, {})
    stored = made.get("files")
    if made.get("origin") != _origin(figure, options) or not isinstance(stored, dict):
        return False
    wanted = {
        file_name(figure, suffix, code)
        for code, formats in options.formats.items()
        for suffix in formats
    }
    there = {name for name in stored if (options.out / name).exists()}
    records, judged = read_reports(options.out)
    if figure.id not in records or (figure.claims and figure.id not in judged):
        return False
    return all(
        name in stored and files.sha256(options.out / name) == stored[name]
        for name in wanted | there
    )


def _origin(figure: FigureScript, options: Options) -> dict[str, Any]:
    """What a figure's files are made by and from."""
    return {
        "script_sha256": figure.digest(),
        "pictures_sha256": pictures.digest(figure),
        **inputs(figure, options),
        "matplotlib": _versions()["matplotlib"],
    }


def inputs(figure: FigureScript, options: Options) -> dict[str, Any]:
    """Part of the manifest's entry that says what a figure's numbers were made from.

    Parameters
    ----------
    figure : FigureScript
        The figure.
    options : Options
        Of which the source of models counts.

    Returns
    -------
    dict
        Digests of data, references and model; the seed.
    """
    model = None
    if figure.model is not None:
        model = {"name": figure.model, "from": options.model}
        if options.model == "r":
            model["sha256"] = MODELS[figure.model].digest()
    return {
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
    """Entry of the manifest, once numbers and pictures are written."""
    names = [file_name(figure, f"{name}.csv") for name in numbers]
    shown = {
        name: pictures.pixels_sha256(content)
        for code in LANGUAGES
        if (content := _content(options.out / (name := file_name(figure, "png", code)))) is not None
    }
    return {
        "ids": list(figure.ids),
        "script": _place(figure.path),
        **inputs(figure, options),
        "numbers": names,
        # Of the files, which keep their last bits where another machine computes others.
        "numbers_sha256": _numbers_sha256(figure, numbers, options.out),
        # Of the pixels, which stay the same however a file is packed.
        "pictures": shown,
        "matches": all(c.matches for c in comparisons.values()),
        "comparison": {
            name: {
                "reference": c.reference.file,
                "grid_equal": c.grid_equal,
                "difference": c.difference,
                "largest_value": c.scale,
                "shape_only": c.shape_only,
                "of_peak": c.reference.of_peak,
                "deviations": c.deviations,
                "rank_correlation": c.rank_correlation,
            }
            for name, c in comparisons.items()
        },
        "versions": _versions(),
    }


def _place(script: Path) -> str:
    """Path of a script in the checkout, or in the folder of one's own that it lies in."""
    start = ROOT if script.is_relative_to(ROOT) else script.parents[1]
    return script.relative_to(start).as_posix()


def _same(
    entry: Mapping[str, Any],
    claims: Sequence[Mapping[str, Any]],
    stored: Mapping[str, Any] | None,
    stored_claims: Mapping[str, Any],
    figure: FigureScript,
) -> bool:
    """Whether entries differ by versions and the last bits of differences from R at most."""
    if stored is None or set(stored) != set(entry):
        return False
    if any(entry[key] != stored[key] for key in set(entry) - {"comparison", "versions"}):
        return False
    compared = [
        {name: {**c, **dict.fromkeys(_LAST_BITS)} for name, c in e["comparison"].items()}
        for e in (entry, stored)
    ]
    judged = [
        [{**claim, "numbers": sorted(claim["numbers"])} for claim in list_]
        for list_ in (claims, stored_claims.get(figure.id, ()))
    ]
    return compared[0] == compared[1] and judged[0] == judged[1]


def _made(figure: FigureScript, numbers: Numbers, options: Options) -> dict[str, Any]:
    """Entry of `MADE`, once numbers and pictures are written."""
    names = [file_name(figure, f"{name}.csv") for name in numbers]
    names += [file_name(figure, suffix, code) for code in LANGUAGES for suffix in pictures.FORMATS]
    digests = {name: files.sha256(options.out / name) for name in names}
    return {
        "origin": _origin(figure, options),
        "files": {name: digest for name, digest in digests.items() if digest is not None},
    }


def _write(
    figure: FigureScript, numbers: Numbers, options: Options, changed: Collection[str]
) -> list[str]:
    """Write the numbers that changed, and the pictures that did, asked for or there already."""
    contents = {
        file_name(figure, f"{name}.csv"): text.encode("utf-8")
        for name, text in csv_texts(numbers).items()
        if name in changed
    }
    for code in LANGUAGES:
        formats = [
            suffix
            for suffix in pictures.FORMATS
            if suffix in options.formats.get(code, ())
            or (options.out / file_name(figure, suffix, code)).exists()
        ]
        for suffix, content in _render(figure, numbers, code, formats, options).items():
            name = file_name(figure, suffix, code)
            if options.force or not _shows(_content(options.out / name), content, suffix):
                contents[name] = content
    for name, content in contents.items():
        files.write(options.out / name, content)
    return list(contents)


def _render(
    figure: FigureScript, numbers: Numbers, code: str, formats: Sequence[str], options: Options
) -> dict[str, bytes]:
    refitted = figure.model is not None and options.model == "sklearn"
    return pictures.render(figure, numbers, code, formats, refitted=refitted, look=options.look)


def _shows(stored: bytes | None, drawn: bytes, suffix: str) -> bool:
    """Whether a file has the picture that was drawn: the pixels of a png, the bytes of others."""
    if stored is None or stored == drawn or suffix != "png":
        return stored == drawn
    return pictures.pixels_sha256(stored) == pictures.pixels_sha256(drawn)


def _content(path: Path) -> bytes | None:
    """Bytes of a file, None where there are none to read."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def _in_any_order(
    figures: Sequence[FigureScript], options: Options, jobs: int
) -> Iterator[Outcome]:
    if jobs == 1 or len(figures) < 2:
        yield from (run(figure, options) for figure in figures)
        return
    with pool_of(min(jobs, len(figures))) as pool:
        with interrupts_ignored():
            waiting = {pool.submit(_run_by_id, figure.id, options): figure.id for figure in figures}
        for done in as_completed(waiting):
            error = done.exception()
            if error is None:
                yield done.result()
            else:
                yield Outcome(waiting[done], "failed", math.nan, problem=repr(error))


def _run_by_id(figure_id: str, options: Options) -> Outcome:
    return run(_figures_by_id(options.paper)[figure_id], options)


@functools.cache
def _figures_by_id(paper: Path | None) -> dict[str, FigureScript]:
    return {figure.id: figure for figure in all_figures(paper)}


def _is_entry(entry: Mapping[str, Any]) -> bool:
    if not set(entry) >= _ENTRY:
        return False
    compared = entry["comparison"]
    return (
        isinstance(entry["pictures"], dict)
        and isinstance(entry["versions"], dict)
        and {"matplotlib", "aleplot-py"} <= set(entry["versions"])
        and files.entries(compared) == compared
    )


def _are_claims(found: Any) -> bool:
    return isinstance(found, list) and all(
        isinstance(claim, dict)
        and {"key", "verdict", "evidence", "numbers"} <= set(claim)
        and isinstance(claim["numbers"], dict)
        for claim in found
    )


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
