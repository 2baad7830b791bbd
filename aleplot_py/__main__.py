"""What can run here, the data, and the doors to figures and comparisons with R."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

import aleplot_py
from aleplot_py import doctor
from aleplot_py.errors import AleplotError
from aleplot_py.r import session

# Commands of the checkout: the module and the arguments that come before the user's.
_STARTED = {
    "figures": (["reproductions"], "regenerate the figures of the literature"),
    "validate": (["validation"], "search for a difference from R on random data"),
    "certify": (["validation", "certify"], "write or check a certificate of one effect"),
}
_EXAMPLES = """\
examples:
  aleplot doctor                        what can and cannot run here, and what mends it
  aleplot doctor r                      the part on R alone
  aleplot data                          the data sets
  aleplot data bike --out bike.csv      one of them as a file
  aleplot figures molnar3/20.6          one figure (in a checkout)
  aleplot figures --help                what `figures` takes; so for `validate` and `certify`

exit codes: 0 all is well, 1 something is missing or differs, 2 wrong arguments, 130 interrupted"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aleplot",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version = f"aleplot-py {aleplot_py.__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(dest="command", metavar="command", required=True)

    what = "tell what can and cannot run here; ends with 1 where something is missing"
    examined = commands.add_parser("doctor", help=what, description=what)
    parts = ", ".join(doctor.PARTS)
    examined.add_argument("parts", nargs="*", metavar="part", help=f"of {parts}; default: all")
    examined.add_argument(
        "--rpy2",
        action="store_true",
        help="only print the requirements of the rpy2 that fits the R found, one a line",
    )

    what = "list the data sets, or look at one (downloaded if need be) and write it to a file"
    data = commands.add_parser("data", help=what, description=what)
    data.add_argument("name", nargs="?", choices=tuple(doctor.DATA), help="default: list them")
    data.add_argument("--out", type=Path, metavar="FILE", help="write the data set as csv")

    for name, (_, what) in _STARTED.items():
        commands.add_parser(name, help=f"{what}; needs a checkout", add_help=False)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.

    Returns
    -------
    int
        0 if all is well, 1 if something is missing or differs, 2 for wrong arguments, 130 if the
        user interrupted.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _run(given)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read the lines has read enough; Python would complain once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(given: Sequence[str]) -> int:
    if given and given[0] in _STARTED:
        return _start(given[0], given[1:])
    parser = _parser()
    options = parser.parse_args(given)
    if options.command == "data":
        return _data(parser, options)
    unknown = [part for part in options.parts if part not in doctor.PARTS]
    if unknown:
        parts = ", ".join(doctor.PARTS)
        parser.error(f"doctor: part must be one of {parts}, got {unknown[0]!r}")
    return _requirements() if options.rpy2 else _doctor(options.parts or list(doctor.PARTS))


def _doctor(parts: Sequence[str]) -> int:
    well = True
    for part in parts:
        for good, what, mend in doctor.PARTS[part]():
            well &= good
            print(f"{'ok     ' if good else 'MISSING'}  {what}")
            if mend:
                print(f"         {mend}", flush=True)
    return 0 if well else 1


def _requirements() -> int:
    try:
        print(*session.rpy2_requirements(session.installed_r().version), sep="\n")
    except session.RUnavailableError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _data(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    if options.name is None:
        if options.out is not None:
            parser.error("data: --out needs the name of a data set")
        for name, (_, what) in doctor.DATA.items():
            print(f"{name:<12} {what}")
        return 0
    loader, what = doctor.DATA[options.name]
    try:
        frame = loader()
        if options.out is not None:
            frame.to_csv(options.out, index=False)
    except (AleplotError, OSError) as error:
        print(f"aleplot data: {error}", file=sys.stderr)
        return 1
    print(f"{what}: {len(frame):,} rows, {frame.shape[1]} columns")
    for column, values in frame.items():
        print(f"  {column!s:<36} {_range(values)}")
    if options.out is not None:
        print(f"written: {options.out}")
    return 0


def _range(values: pd.Series) -> str:
    if isinstance(values.dtype, pd.CategoricalDtype):
        return ", ".join(values.cat.categories)
    return f"{values.min():g} to {values.max():g}"


def _start(command: str, arguments: Sequence[str]) -> int:
    """Start a module of the checkout: the current folder, or the one the package lies in."""
    module, _ = _STARTED[command]
    for root in (Path.cwd(), Path(aleplot_py.__file__).resolve().parents[1]):
        if all((root / folder / "__init__.py").is_file() for folder in ("aleplot_py", module[0])):
            break
    else:
        print(
            f"aleplot {command} needs a checkout of aleplot-py (python -m {' '.join(module)}): "
            "go to its folder, or install it from there (make setup)",
            file=sys.stderr,
        )
        return 2
    places = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    started = subprocess.run(
        [sys.executable, "-m", *module, *arguments],
        env={**os.environ, "PYTHONPATH": places},
        check=False,
    )
    return started.returncode


if __name__ == "__main__":
    sys.exit(main())
