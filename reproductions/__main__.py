"""``python -m reproductions``: regenerate the figures of the literature and compare with R."""

import argparse
import ast
import os
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from reproductions.engine import files, own_paper, pictures, runner
from reproductions.engine.figure import SOURCES, FigureScript, discover, select
from reproductions.engine.texts import LANGUAGES, figure_text

_STATUSES = """\
what the status of a figure says:
  equal to R              grids equal bit for bit, values to 1e-9 (densities: share of peak)
  shape only              a model that R fitted at random: order of size as R's, and R's numbers
                          within three standard deviations of many refits
  no R numbers            nothing of R's to compare with
  scikit-learn            model refitted by --model sklearn, not compared with R
  variation               drawn with --set, --size, --font or --dpi, not compared with R
  data missing            its data could not be had, as said below the table
  differs from R          grid or values are not those of R
  differs from committed  numbers are not those in the output folder (--check)
  claims outdated         claims.json is not what the numbers say today (--check)
  pictures outdated       not what the script, its messages and its data give today (--check)
  failed                  an error, shown below the table
The first five are good; any other makes the command fail."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Regenerate or check figures.

    Parameters
    ----------
    arguments : sequence of str, optional
        Command line, by default the process's.

    Returns
    -------
    int
        0 if all is well, 1 if a figure failed or differs, 2 for wrong arguments, 130 if the run
        was interrupted.
    """
    try:
        return _main(arguments)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; figures that were done are kept\n")
        return 130


def _main(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    paper = options.paper and options.paper.resolve()
    try:
        if options.names[:1] == ["new"]:
            script = own_paper.new(options.names[1:])
            sys.stdout.write(
                f"{script} written; python -m reproductions --from {script.parent} draws it\n"
            )
            return 0
        if paper:
            own_paper.check(options.paper)
        figures, broken = discover(paper)
        if not (figures or broken):
            begin = own_paper.how_to_begin(options.paper)
            raise ValueError(f"argument --from: {options.paper} has no figure script; {begin}")
        chosen = select(figures, options.names)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if options.list:
        sys.stdout.write(_list(chosen))
        return 0
    varies = bool(options.set or options.size or options.font or options.dpi)
    try:
        look = _look(options)
        settings = dict(options.set or ())
        for figure in chosen:
            figure.check(settings)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    out = options.out or _default_folder(options.model, varies=varies, paper=paper)
    if varies and options.check:
        parser.error("argument --check: a variation has nothing to be compared with")
    if (varies or paper) and out.resolve() == _default_folder("r").resolve():
        parser.error(f"argument --out: {out} is for the figures as the sources have them")
    if options.data is not None and not options.data.is_dir():
        parser.error(f"argument --data: {options.data} is not a folder")
    if options.check and out.exists() and not out.is_dir():
        parser.error(f"argument --out: {out} is not a folder")
    if not options.check and (reason := files.why_not_writable(out.absolute())):
        parser.error(f"argument --out: {reason}")
    if options.data is not None:
        # Worker processes inherit it; it is where aleplot_py.datasets looks first.
        os.environ["ALEPLOT_PY_DATA"] = str(options.data.resolve())
    wanted = runner.Options(
        out=out.resolve(),
        formats=_formats(options.lang or (("en",) if paper else None), options.format),
        model=options.model,
        check=options.check,
        force=options.force,
        settings=settings,
        look=look,
        paper=paper,
    )
    outcomes = runner.run_all(chosen, wanted, options.jobs)
    has_gallery = not options.check and not varies and runner.write_gallery(wanted, outcomes)
    outcomes += [
        runner.Outcome(name, "failed", 0.0, problem=problem) for name, problem in broken.items()
    ]
    sys.stdout.write(runner.report(outcomes) + "\n")
    if not options.check:
        written = sum(bool(outcome.written) for outcome in outcomes)
        kept = len(outcomes) - written
        sys.stdout.write(f"{written} written to {out}, {kept} left as they were\n")
    if has_gallery:
        sys.stdout.write(f"gallery: {out / 'index.html'}\n")
    return int(any(outcome.status not in runner.GOOD for outcome in outcomes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m reproductions",
        description="Regenerate the figures on accumulated local effects and compare with R.\n"
        "What is in the output folder and up to date is left as it is.",
        epilog=_STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "names",
        nargs="*",
        help="figures by id (molnar3/20.4) or by source "
        f"({', '.join(SOURCES)}); default: all. --list shows the ids. "
        "'new my_paper/fig1' writes a script to begin with",
    )
    parser.add_argument(
        "--from",
        dest="paper",
        type=Path,
        metavar="DIR",
        help="folder of figure scripts of one's own, instead of those here",
    )
    parser.add_argument(
        "--list",
        action="store_true",
        help="list the figures (ids, fitted model, title) and stop",
    )
    parser.add_argument(
        "--jobs",
        type=_positive,
        default=min(2, os.cpu_count() or 1),
        metavar="N",
        help="figures computed at the same time, a process each; default: %(default)s",
    )
    parser.add_argument(
        "--lang",
        type=_one_of(LANGUAGES),
        metavar="en,fa,tr",
        help="default: all three; English of figures of one's own",
    )
    parser.add_argument(
        "--format",
        type=_one_of(pictures.FORMATS),
        metavar="png,svg,pdf",
        help="default: png in every language, svg in English",
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="default: paper_figures, in DIR of --from"
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the UCI files")
    parser.add_argument(
        "--model",
        choices=("r", "sklearn"),
        default="r",
        help="models exported from R, or refitted in scikit-learn (no comparison with R)",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="compare with R and with what is in the output folder; write nothing",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="write numbers and pictures also where they are up to date",
    )
    parser.add_argument(
        "--set",
        type=_setting,
        action="append",
        metavar="NAME=VALUE",
        help="another value of one of a figure's settings, such as K=5; may be repeated. "
        "A wrong name tells those there are",
    )
    parser.add_argument("--size", type=_size, metavar="WxH", help="inches, such as 8x4.5")
    parser.add_argument("--font", metavar="NAME", help='such as "DejaVu Serif"')
    parser.add_argument("--dpi", type=_positive, metavar="N", help="pixels per inch of a png")
    return parser


def _setting(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, such as K=5, got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def _size(text: str) -> tuple[float, float]:
    try:
        width, height = (float(side) for side in text.split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be WxH, such as 8x4.5, got {text!r}") from None
    return width, height


def _look(options: argparse.Namespace) -> pictures.Look:
    plain = pictures.PLAIN
    return pictures.Look(options.size, options.font or plain.font, options.dpi or plain.dpi)


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {value}")
    return value


def _one_of(known: Collection[str]) -> Callable[[str], tuple[str, ...]]:
    def parse(text: str) -> tuple[str, ...]:
        names = tuple(name.strip() for name in text.split(","))
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(known)}")
        return names

    return parse


def _formats(
    languages: Sequence[str] | None, formats: Sequence[str] | None
) -> dict[str, Sequence[str]]:
    chosen = languages or tuple(LANGUAGES)
    return {code: formats or runner.FORMATS_BY_LANGUAGE[code] for code in chosen}


def _default_folder(model: str, *, varies: bool = False, paper: Path | None = None) -> Path:
    """Return the committed folder for the sources' figures; others must not overwrite it."""
    start = paper or runner.ROOT
    if varies:
        return start / "build/figures-varied"
    return start / ("paper_figures" if model == "r" else "build/figures-sklearn")


def _list(figures: Sequence[FigureScript]) -> str:
    rows = [
        (" = ".join(figure.ids), figure.model or "-", figure_text(figure, "en")("title"))
        for figure in figures
    ]
    ids, models = (max(len(row[column]) for row in rows) for column in range(2))
    return "".join(f"{row[0]:<{ids}}  {row[1]:<{models}}  {row[2]}\n" for row in rows)


if __name__ == "__main__":
    sys.exit(main())
