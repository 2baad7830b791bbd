"""The rules of the house that no linter keeps: what a leading underscore means, what is cited."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("aleplot_py", "reproductions", "validation")
PATHS = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
# Tests look into what they test.
SOURCES = [path for path in PATHS if "tests" not in path.relative_to(ROOT).parts]


def borrowed(path):
    """Underscored names imported from other files, underscored modules from other folders."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        *parents, last = node.module.split(".")
        if [*parents, last][0] not in FOLDERS:
            continue
        far = last.startswith("_") and ROOT.joinpath(*parents) != path.parent
        if far or any(parent.startswith("_") for parent in parents):
            yield f"{path.relative_to(ROOT)}: {node.module}"
        for name in (alias.name for alias in node.names):
            module = ROOT.joinpath(*parents, last, f"{name}.py")
            at_home = module.is_file() and module.parent == path.parent
            if re.match(r"_[^_]", name) and not at_home:
                yield f"{path.relative_to(ROOT)}: {node.module}.{name}"


def test_a_leading_underscore_stays_at_home():
    """A name in its file, a module in its folder."""
    assert len(SOURCES) > 100
    assert [line for path in SOURCES for line in borrowed(path)] == []


def test_a_borrowed_name_is_seen(tmp_path, monkeypatch):
    monkeypatch.setitem(borrowed.__globals__, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text(
        "from aleplot_py.steps.grid import _edges\n"
        "from aleplot_py.steps._grid import edges\n"
        "from aleplot_py.steps.grid import edges\n"
        "from numpy.core import _methods\n"
    )
    assert list(borrowed(tmp_path / "a.py")) == [
        "a.py: aleplot_py.steps.grid._edges",
        "a.py: aleplot_py.steps._grid",
    ]


def test_documents_that_are_cited_exist():
    """A document named in a test, a comment or a docstring is one that a reader can open."""
    cited = {
        (path.relative_to(ROOT).as_posix(), name)
        for folder in (*FOLDERS, "tests")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name in re.findall(r"[\w./-]+\.md\b", path.read_text("utf-8"))
    }
    assert len(cited) > 3
    inside = [path for folder in (*FOLDERS, "docs") for path in (ROOT / folder).rglob("*.md")]
    made = (ROOT / "paper_figures").rglob("*.md")
    existing = {path.name for path in [*ROOT.glob("*.md"), *inside, *made]}
    missing = {(path, name) for path, name in cited if Path(name).name not in existing}
    assert missing == set()
