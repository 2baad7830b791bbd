"""The page, from its modules, template and messages: one file that needs no other."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from reproductions.engine.texts import LANGUAGES, Text
from reproductions.site.page import Speaker, render

FOLDER = Path(__file__).parent
MODULES = FOLDER / "modules"
SOLUTIONS = FOLDER / "solutions"
OUT = FOLDER.parents[1] / "paper_figures" / "lab.html"

#: In the order of the page; the scenes are modules of their name.
SCENES = (
    "marginal",
    "conditional",
    "steps",
    "extrapolation",
    "curves",
    "cell",
    "filling",
    "levels",
    "parabola",
    "twin",
    "automatic",
)
EXERCISES = ("hand", "centre", "cost", "cell", "levels", "curvature", "importance", "wrong")

_IMPORT = re.compile(r'^import (\{[^}]*\}) from "([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|function|class) (\w+))", re.MULTILINE)


def messages(code: str) -> dict[str, str]:
    """Messages of the page in a language."""
    return json.loads((FOLDER / "messages" / f"{code}.json").read_text(encoding="utf-8"))


def program(entry: str = "page.js") -> str:
    """All modules in one, each a function that gives what it exports, in the order of need."""
    parts: dict[Path, str] = {}
    _add(MODULES / entry, parts, ())
    return "const modules = {};\n" + "\n".join(parts.values())


def _add(path: Path, parts: dict[Path, str], users: tuple[Path, ...]) -> None:
    """Add a module after those that it imports."""
    if path in users:
        raise ValueError(f"{path.name} imports itself by way of {users[-1].name}")
    if path in parts:
        return
    source = path.read_text(encoding="utf-8")
    for _, address in _IMPORT.findall(source):
        _add((path.parent / address).resolve(), parts, (*users, path))

    def taken(found: re.Match[str]) -> str:
        name = (path.parent / found[2]).resolve().relative_to(MODULES).as_posix()
        return f'const {found[1]} = modules["{name}"];\n'

    exported = ", ".join(_EXPORT.findall(source))
    body = _EXPORT.sub("", _IMPORT.sub(taken, source))
    name = path.relative_to(MODULES).as_posix()
    parts[path] = f'modules["{name}"] = (() => {{\n{body}return {{ {exported} }};\n}})();\n'


def page() -> str:
    """Write the page.

    Returns
    -------
    str
        HTML with style, program and messages inside.
    """
    catalogues = {code: messages(code) for code in LANGUAGES}
    say = Speaker({code: Text(LANGUAGES[code], (catalogues[code],)) for code in LANGUAGES})
    return render(
        "lab.html",
        FOLDER / "templates",
        say=say,
        lede=say("lede"),
        start="laboratory",
        statistics=(),
        nav_label=say("scenes"),
        scenes=SCENES,
        exercises=[
            {"name": name, "number": say.number(i), "solutions": _solutions(name)}
            for i, name in enumerate(EXERCISES, start=1)
        ],
        data=_as_data({"languages": _languages(), "messages": catalogues}),
        program=Markup(program()),
        commands=["python -m reproductions.lab", "python -m reproductions.lab --check"],
    )


def _solutions(name: str) -> dict[str, str]:
    return {
        language: (SOLUTIONS / f"{name}.{suffix}").read_text(encoding="utf-8")
        for language, suffix in (("python", "py"), ("r", "R"))
    }


def _languages() -> Mapping[str, Any]:
    return {
        code: {"direction": one.direction, "numerals": one.digits, "point": one.point}
        for code, one in LANGUAGES.items()
    }


def _as_data(values: Any) -> Markup:
    """JSON that cannot end the element it stands in."""
    return Markup(json.dumps(values, ensure_ascii=False).replace("<", "\\u003c"))
