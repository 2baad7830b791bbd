"""Figure scripts: what the runner expects of one, and where it finds them."""

import ast
import difflib
import hashlib
import importlib
import importlib.machinery
import importlib.util
import inspect
import math
import pkgutil
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd

from aleplot_py.results.effects import Effect
from reproductions.engine.black_boxes import MODELS
from reproductions.engine.reference import Reference
from reproductions.engine.sources import DATA

FOLDER = Path(__file__).parents[1] / "figures"

# The order in which they are shown; a folder that is not among them comes after these.
_ORDER = (
    "molnar3",
    "molnar2",
    "lofo",
    "aleplot",
    "groemping",
    "gkolemis",
    "pitfalls",
    "limitations",
    "heiss",
)


def _sources(folder: Path) -> tuple[str, ...]:
    found = {script.parent.name for script in folder.glob("[!_.]*/[!_]*.py")}
    return tuple(name for name in _ORDER if name in found) + tuple(sorted(found - set(_ORDER)))


SOURCES = _sources(FOLDER)
# So many names fit on a line.
_FEW = 12
VERDICTS = ("reproduced", "partly", "not reproduced")

Numbers = Mapping[str, Effect | pd.DataFrame]


@dataclass(frozen=True)
class Decision:
    """What the numbers say about a claim.

    Parameters
    ----------
    verdict : {"reproduced", "partly", "not reproduced"}
        Whether the claim holds.
    numbers : dict of str to float, int or str
        The numbers that decide, to be filled into the claim's evidence.
    """

    verdict: str
    numbers: Mapping[str, float | int | str]


def decide(holds: Any, *, partly: Any = False, **numbers: Any) -> Decision:
    """Verdict on a claim.

    Parameters
    ----------
    holds : bool
        Whether the claim holds.
    partly : bool
        Whether, if it does not, a part of it does.
    **numbers : float, int or str
        The numbers that decide.

    Returns
    -------
    Decision
        Verdict and numbers.
    """
    verdict = "reproduced" if holds else "partly" if partly else "not reproduced"
    plain = {name: n.item() if hasattr(n, "item") else n for name, n in numbers.items()}
    return Decision(verdict, plain)


@dataclass(frozen=True)
class Claim:
    """A sentence of the source about a figure, and how the numbers judge it.

    Parameters
    ----------
    key : str
        Short name within the figure.
    sentence : str
        The claim in our own words.
    evidence : str
        Template of the sentence with the deciding numbers, such as ``"slope {slope:.3f}"``.
    check : callable
        Function of the figure's numbers that returns a `Decision`.
    """

    key: str
    sentence: str
    evidence: str
    check: Callable[[Any], Decision]


@dataclass(frozen=True)
class FigureScript:
    """One figure: a module under ``reproductions`` that follows the package's pattern.

    Parameters
    ----------
    module : module
        The script.
    """

    module: ModuleType

    @property
    def ids(self) -> tuple[str, ...]:
        """The figure's ids, one per source and number; by default its folder and its name."""
        return tuple(getattr(self.module, "IDS", [f"{self.path.parent.name}/{self.path.stem}"]))

    @property
    def id(self) -> str:
        """The first id, after which files are named."""
        return self.ids[0]

    @property
    def source(self) -> str:
        """Folder of the script and of its output."""
        return self.id.split("/")[0]

    @property
    def place(self) -> str:
        """Figure number by which it is sorted: its own, or ``PLACE`` where it has none."""
        return getattr(self.module, "PLACE", self.id.split("/", 1)[1])

    @property
    def path(self) -> Path:
        """The script's file."""
        return Path(inspect.getfile(self.module))

    def digest(self) -> str:
        """SHA-256 over the script and the modules of drawing and computing it shares with others.

        The runner's own modules are left out: they change without the figure changing.
        """
        digest = hashlib.sha256()
        for path in sorted(_with_shared_modules(self.path)):
            digest.update(path.read_bytes())
        return digest.hexdigest()

    @cached_property
    def caption(self) -> str:
        """The docstring, one line per paragraph."""
        paragraphs = inspect.cleandoc(self.module.__doc__ or self.id).split("\n\n")
        return "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)

    def defaults(self) -> dict[str, str]:
        """Title and alternative text of a figure for which no message file has any."""
        title, *_ = _template(self.caption).split("\n")
        return {"title": title.removesuffix("."), "alt": title}

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        return tuple(getattr(self.module, "SIZE", (6.0, 4.0)))

    @property
    def data(self) -> tuple[str, ...]:
        """Names of the data sets used."""
        return tuple(getattr(self.module, "DATA", ()))

    @property
    def model(self) -> str | None:
        """Name of the fitted model explained, if any."""
        return getattr(self.module, "MODEL", None)

    @property
    def seed(self) -> int | None:
        """Seed of the figure's random numbers, if it draws some."""
        return getattr(self.module, "SEED", None)

    @property
    def reference(self) -> Mapping[str, Reference]:
        """R's numbers by name of the figure's."""
        return getattr(self.module, "REFERENCE", {})

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the source says about the figure."""
        return tuple(getattr(self.module, "CLAIMS", ()))

    @cached_property
    def settings(self) -> dict[str, Any]:
        """What may be varied: names of the arguments of ``compute`` and the source's values."""
        parameters = inspect.signature(self.module.compute).parameters
        return {name: p.default for name, p in parameters.items() if name != "model"}

    def compute(self, model: str = "r", **settings: Any) -> Numbers:
        """Compute the figure's numbers.

        Parameters
        ----------
        model : {"r", "sklearn"}
            Whether a fitted model is the one exported from R or refitted in scikit-learn.
        **settings
            Others than the source's, by their names in `settings`.

        Returns
        -------
        dict of str to result or DataFrame
            The numbers behind the figure.

        Raises
        ------
        ValueError
            If the figure has no such setting, or the value is not of the kind of the source's.
        """
        chosen = self.check(settings)
        if self.model:
            chosen["model"] = model
        return self.module.compute(**chosen)

    def check(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings as ``compute`` takes them.

        Parameters
        ----------
        settings : dict of str to object
            Names and values.

        Returns
        -------
        dict of str to number
            The same, of the type of the source's.

        Raises
        ------
        ValueError
            As `compute`.
        """
        return {name: self._checked(name, value) for name, value in settings.items()}

    def _checked(self, name: str, value: Any) -> Any:
        if name not in self.settings:
            had = ", ".join(f"{known}={default!r}" for known, default in self.settings.items())
            has = f"it has {had}" if had else "it has none"
            raise ValueError(f"{self.id} has no setting {name!r}; {has}")
        default = self.settings[name]
        whole = isinstance(default, int)
        fits = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
        if not fits or not math.isfinite(value):
            what = "a whole number" if whole else "a number"
            raise ValueError(f"{self.id}: {name} must be {what} such as {default!r}, got {value!r}")
        return type(default)(value)

    def english(self) -> dict[str, str]:
        """Messages whose English is in the script: the caption, claims and their evidence."""
        messages = {"caption": _template(self.caption)}
        for claim in self.claims:
            messages[f"claim.{claim.key}"] = claim.sentence
            messages[f"evidence.{claim.key}"] = claim.evidence
        return messages


def tables(numbers: Numbers) -> dict[str, pd.DataFrame]:
    """Numbers as plain tables.

    Parameters
    ----------
    numbers : dict of str to result or DataFrame
        What ``compute`` returned.

    Returns
    -------
    dict of str to DataFrame
        The same, results as their long tables.
    """
    return {
        name: number.to_frame() if isinstance(number, Effect) else number
        for name, number in numbers.items()
    }


def discover(paper: Path | None = None) -> tuple[list[FigureScript], dict[str, str]]:
    """Find every figure script.

    Parameters
    ----------
    paper : Path, optional
        Folder of scripts of one's own, by default those of the sources here.

    Returns
    -------
    figures : list of FigureScript
        Modules with ``compute`` and ``draw``, in the order of sources and figure numbers.
    broken : dict of str to str
        Name of a module that cannot be imported, such as ``molnar3.fig20_1``, to its traceback.

    Raises
    ------
    ValueError
        If two scripts claim the same id, or an id's source is not its script's folder.
    """
    figures: list[FigureScript] = []
    owners: dict[str, str] = {}
    broken: dict[str, str] = {}
    folders = [FOLDER / source for source in SOURCES] if paper is None else [paper.resolve()]
    for folder in folders:
        package = _package(folder)
        for found in pkgutil.iter_modules([str(folder)]):
            if not _is_script(folder / f"{found.name}.py"):
                continue
            try:
                module = importlib.import_module(f"{package}.{found.name}")
            except Exception:
                broken[f"{folder.name}.{found.name}"] = traceback.format_exc()
                continue
            figures.append(_registered(FigureScript(module), folder.name, owners))
    order = {folder.name: place for place, folder in enumerate(folders)}
    return sorted(figures, key=lambda f: (order[f.source], _natural(f.place))), broken


def all_figures(paper: Path | None = None) -> list[FigureScript]:
    """Every figure script that can be imported, as `discover` finds them.

    Parameters
    ----------
    paper : Path, optional
        As in `discover`.

    Returns
    -------
    list of FigureScript
        In the order of sources and figure numbers.
    """
    return discover(paper)[0]


def _package(folder: Path) -> str:
    """Name of the package that a folder's modules are imported from."""
    if folder.parent == FOLDER:
        return f"reproductions.figures.{folder.name}"
    # Any name may be a folder's; of a package, this one is nobody else's.
    name = f"_paper_{hashlib.sha256(str(folder).encode()).hexdigest()[:12]}"
    if name not in sys.modules:
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        sys.modules[name] = importlib.util.module_from_spec(spec)
    importlib.invalidate_caches()
    return name


def _is_script(path: Path) -> bool:
    """Whether a file has a figure script's two functions, or cannot be read as Python.

    Nothing else is imported: a folder may hold programs that should not be run.
    """
    if path.name.startswith("_") or not path.is_file():
        return False
    try:
        tree = ast.parse(path.read_bytes())
    except SyntaxError:
        return True
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return {"compute", "draw"} <= defined


def _template(text: str) -> str:
    """A text as a message without fields."""
    return text.replace("{", "{{").replace("}", "}}")


def _with_shared_modules(path: Path, seen: frozenset[Path] = frozenset()) -> frozenset[Path]:
    """A script and what it imports from this package, directly or not."""
    seen = seen | {path}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        names = node.module.split(".") if node.module else []
        if not node.level and names[0] != "reproductions":
            continue
        # What a folder of one's own shares is imported from the dot.
        start = path.parents[node.level - 1] if node.level else FOLDER.parents[1]
        for found in (names, *([*names, alias.name] for alias in node.names)):
            shared = start.joinpath(*found).with_suffix(".py")
            ours = found[:2] == ["reproductions", "engine"]
            if found and not ours and shared not in seen and shared.is_file():
                seen = _with_shared_modules(shared, seen)
    return seen


def _registered(figure: FigureScript, source: str, owners: dict[str, str]) -> FigureScript:
    if figure.source != source:
        raise ValueError(f"{figure.path.name}: the first id must begin with {source}/")
    for name in figure.data:
        if name not in DATA:
            raise ValueError(f"{figure.path.name}: DATA may be {', '.join(DATA)}, got {name!r}")
    if figure.model not in (None, *MODELS):
        raise ValueError(
            f"{figure.path.name}: MODEL may be {', '.join(MODELS)}, got {figure.model!r}"
        )
    for name in figure.ids:
        if name in owners:
            raise ValueError(f"{figure.path.name} and {owners[name]} share the id {name}")
        owners[name] = figure.path.name
    return figure


def select(figures: Iterable[FigureScript], names: Iterable[str]) -> list[FigureScript]:
    """Figures asked for by id or source.

    Parameters
    ----------
    figures : iterable of FigureScript
        Those there are.
    names : iterable of str
        Ids such as ``molnar3/20.4`` or sources such as ``molnar3``; all figures if empty.

    Returns
    -------
    list of FigureScript
        In the order given by `figures`.

    Raises
    ------
    ValueError
        If a name is neither an id nor a source with figures.
    """
    figures, names = list(figures), list(names)
    known = {name for figure in figures for i in figure.ids for name in (i, i.split("/")[0])}
    for name in names:
        if name not in known:
            near = " or ".join(difflib.get_close_matches(name, sorted(known)))
            meant = f"did you mean {near}? " if near else ""
            if not near and len(known) <= _FEW:
                meant = f"there is {', '.join(sorted(known))}; "
            raise ValueError(
                f"{name!r} is neither the id of a figure nor a source; {meant}"
                "--list shows all figures"
            )
    if not names:
        return figures
    return [
        figure
        for figure in figures
        if any(name in (i, i.split("/")[0]) for name in names for i in figure.ids)
    ]


def _natural(number: str) -> list[tuple[Any, ...]]:
    """Sort key: numbers as numbers."""
    parts = [part for part in re.split(r"(\d+)", number) if part]
    return [(not p.isdigit(), int(p) if p.isdigit() else p) for p in parts]
