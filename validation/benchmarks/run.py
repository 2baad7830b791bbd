"""Processes that take turns: what a row measures."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validation.benchmarks.rows import Comparison, Measure, Process, Row
from validation.benchmarks.worker import K, table

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
#: The commit of 0.1.0.
FIRST_RELEASE = "1dea809"

# One thread each, whatever computes.
_ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA")
}
# After a first time that warms up. A row that takes long gets fewer rounds.
_ROUNDS, _FEWEST, _SECONDS = 9, 3, 12.0


class NotThereError(Exception):
    """What a comparison needs cannot be had here."""


@dataclass(frozen=True)
class Places:
    """Where processes find what they run.

    Parameters
    ----------
    python : str
        Interpreter that has the peers.
    release : Path or None
        Folder with 0.1.0; None where the history does not reach back to it.
    scale : int
        By which rows are divided for a quick look.
    """

    python: str
    release: Path | None
    scale: int = 1


class Worker:
    """A process that answers commands."""

    def __init__(self, process: Process, places: Places, folder: Path) -> None:
        options = dict(process.options)
        for size in ("n", "n_boot"):
            if size in options:
                options[size] = max(options[size] // places.scale, 200)
        environment = {**os.environ, **_ONE_THREAD, "PYTHONPATH": str(ROOT)}
        if process.runner == "R":
            if shutil.which("Rscript") is None:
                raise NotThereError("R is not installed")
            file = folder / "table.bin"
            options = {"K": K, **options, "file": file}
            table(options["n"], options["p"]).T.tofile(file)
            command = ["Rscript", "--vanilla", str(HERE / "worker.R")]
        else:
            if process.runner == "0.1.0":
                if places.release is None:
                    raise NotThereError("0.1.0 is not in the history of this checkout")
                environment["PYTHONPATH"] = str(places.release)
            command = [places.python, str(HERE / "worker.py")]
        self._errors = (folder / f"{id(self)}.txt").open("w+", encoding="utf-8")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=environment,
            cwd=folder,
        )
        given = "".join(f" {name}={value}" for name, value in options.items())
        self.case = self.ask(f"case {process.case}{given}")
        if "missing" in self.case:
            self.end()
            raise NotThereError(self.case["missing"])

    def ask(self, command: str) -> Any:
        """Answer to a command.

        Raises
        ------
        RuntimeError
            If the process ended instead, with the last line of what it complained of.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            said = self._errors.read().strip().splitlines() or ["no reason given"]
            self.end()
            raise RuntimeError(f"{command!r} ended its process: {said[-1]}")
        return json.loads(line)

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()


def interpreter(given: str | None) -> str:
    """Python that has the peers: the one given, or that of an environment made for them.

    Parameters
    ----------
    given : str or None
        Path of an interpreter.

    Returns
    -------
    str
        Its path.

    Raises
    ------
    NotThereError
        If the environment cannot be made.
    """
    if given is not None:
        return given
    folder = ROOT / ".venv-peers"
    python, stamp = folder / "bin" / "python", folder / "installed.txt"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    # Of this package only what it needs: itself is that of the checkout.
    wanted = "\n".join([*project["dependencies"], (HERE / "peers.txt").read_text("utf-8")])
    if stamp.is_file() and stamp.read_text("utf-8") == wanted:
        return str(python)
    print(f"installing the peers into {folder} (once, a few minutes)", flush=True)
    folder.mkdir(exist_ok=True)
    (folder / "wanted.txt").write_text(wanted, "utf-8")
    install = [
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
        str(folder / "wanted.txt"),
    ]
    try:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", *install], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotThereError(
            f"the peers could not be installed ({error}); --python names an interpreter that has "
            "what is there, and what is not is left out"
        ) from error
    stamp.write_text(wanted, "utf-8")
    return str(python)


def first_release(folder: Path) -> Path | None:
    """The package of 0.1.0, unpacked from the history.

    Parameters
    ----------
    folder : Path
        Where to unpack it.

    Returns
    -------
    Path or None
        Folder for the search path; None where the history does not have it.
    """
    if not (folder / "aleplot_py").is_dir():
        packed = subprocess.run(
            ["git", "-C", str(ROOT), "archive", FIRST_RELEASE, "aleplot_py"],
            capture_output=True,
            check=False,
        )
        if packed.returncode:
            return None
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")
    return folder


def measure(row: Row, places: Places) -> dict[str, Any]:
    """Measure a row.

    Parameters
    ----------
    row : Row
        What is compared.
    places : Places
        Where the processes find what they run.

    Returns
    -------
    dict
        For JSON: of each comparison its value, the seconds of each measure, what was missing, and
        the versions of everything.
    """
    lines = []
    for comparison in row.comparisons:
        try:
            lines.append(_compare(row, comparison, places))
        except RuntimeError as error:  # the other rows are worth having all the same
            named = {"label": comparison.label, "at": comparison.at}
            lines.append({**named, "missing": [str(error)], "value": None})
    return {"row": row.name, "lines": lines}


def _compare(row: Row, comparison: Comparison, places: Places) -> dict[str, Any]:
    line: dict[str, Any] = {"label": comparison.label, "at": comparison.at, "missing": []}
    with _workers(comparison.processes, places, line["missing"]) as workers:
        wanted = [comparison.ours, *comparison.against, *comparison.also]
        here = [(name, task) for name, task in wanted if task in _tasks(workers, name)]
        line["missing"] += [
            f"{task} is not installed"
            for name, task in wanted
            if name in workers and (name, task) not in here
        ]
        line["versions"] = {
            "/".join(key): value
            for name, worker in workers.items()
            for key, value in _labelled(comparison.processes[name], worker.case["versions"])
        }
        if comparison.ours not in here:
            return {**line, "value": None}
        numbers = workers[comparison.ours[0]].case["numbers"]
        if row.unit == "memory":
            name, task = comparison.ours
            grown = workers[name].ask(f"memory {task}")
            if grown is None:
                line["missing"].append("this system does not tell the memory of a process")
            return {**line, "value": None if grown is None else grown / numbers[row.of]}
        seconds = _in_turn(workers, here)
        line["seconds"] = {_shown(measure): round(value, 9) for measure, value in seconds.items()}
        if "identical" in numbers:
            line["identical"] = bool(numbers["identical"])
        ours = seconds[comparison.ours]
        quickest = [seconds[measure] for measure in comparison.against if measure in seconds]
        if comparison.against and not quickest:
            return {**line, "value": None}
        times = comparison.times(numbers)
        return {**line, "value": ours / (times * min(quickest)) if quickest else ours}


def _shown(measure: Measure) -> str:
    """Name of a measure among those of its comparison."""
    name, task = measure
    return task if name == "here" else f"{task} ({name})"


def _labelled(
    process: Process, versions: Mapping[str, str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    for name, value in versions.items():
        yield ((name,) if process.runner != "0.1.0" else ("0.1.0", name)), value


def _tasks(workers: Mapping[str, Worker], name: str) -> Sequence[str]:
    return workers[name].case["tasks"] if name in workers else ()


def _in_turn(workers: Mapping[str, Worker], measures: Sequence[Measure]) -> dict[Measure, float]:
    """Median seconds of measures that take turns."""
    taken: dict[Measure, list[float]] = {measure: [] for measure in measures}
    started = time.monotonic()
    for number in range(_ROUNDS + 1):
        if number > _FEWEST and time.monotonic() - started > _SECONDS:
            break
        for measure in measures:
            name, task = measure
            spent = workers[name].ask(f"run {task}")
            if number:
                taken[measure].append(spent)
    return {measure: statistics.median(all_spent) for measure, all_spent in taken.items()}


@contextlib.contextmanager
def _workers(
    processes: Mapping[str, Process], places: Places, missing: list[str]
) -> Iterator[dict[str, Worker]]:
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        workers = {}
        for name, process in processes.items():
            try:
                workers[name] = Worker(process, places, Path(folder))
            except NotThereError as reason:
                missing.append(str(reason))
            else:
                stack.callback(workers[name].end)
        yield workers
