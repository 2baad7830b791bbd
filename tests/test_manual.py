"""The manual leaves out no public name, and shows every function at work."""

import inspect
import json
import re
from pathlib import Path

import pytest

import aleplot_py
from aleplot_py import datasets, errors, gradient, importance, intervals, r_random, theory, trees

DOCS = Path(__file__).parents[1] / "docs"
MODULES = (aleplot_py, datasets, gradient, importance, intervals, r_random, theory, trees)
MEMBERS = {(m.__name__.split(".")[-1], name) for m in MODULES for name in m.__all__}
ERRORS = {
    name
    for name, thing in vars(errors).items()
    if inspect.isclass(thing) and issubclass(thing, errors.AleplotError)
}
PUBLIC = sorted(
    ERRORS | {name for _, name in MEMBERS if not inspect.ismodule(getattr(aleplot_py, name, None))}
)
FUNCTIONS = sorted(
    name for m in MODULES for name in m.__all__ if inspect.isfunction(getattr(m, name))
)

#: Shown, not run, by the build.
NOT_RUN = {
    "from_jax": "needs jax",
    "from_torch": "needs PyTorch",
    "load_bike_hourly": "downloads its data",
}


def test_every_public_name_is_in_the_reference():
    listed = re.findall(r"^   ([\w.]+)$", (DOCS / "api.rst").read_text("utf-8"), re.M)
    names = [name.split(".")[-1] for name in listed]
    assert sorted(names) == sorted(set(PUBLIC))


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS)))
def test_every_public_function_is_on_a_page_that_runs(name):
    pages = [path.read_text("utf-8") for path in sorted((DOCS / "pages/functions").glob("*.md"))]
    fence = "```" if name in NOT_RUN else "```{code-cell}"
    cells = [cell for page in pages for cell in re.findall(f"{fence}.*?```", page, re.S)]
    assert any(re.search(rf"\b{name}\b", cell) for cell in cells)


@pytest.mark.parametrize("path", sorted((DOCS / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_notebooks_are_committed_without_outputs(path):
    cells = json.loads(path.read_text("utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert [cell for cell in code if cell["outputs"] or cell["execution_count"]] == []
