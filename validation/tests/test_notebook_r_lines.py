"""The lines of R in the notebook for users of R print in R what the notebook says they print."""

import json
import re
import subprocess
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebooks" / "from_r.ipynb"
MARK = "--- next ---"

pytestmark = [pytest.mark.aleplot_r, pytest.mark.iml_r]


def blocks():
    """Pairs of R code and what it printed, in the notebook's order."""
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return re.findall(r"^```r\n(.*?)^```\n\n^```\n(.*?)^```", text, re.S | re.M)


def lines(text):
    """Lines without the space at their ends."""
    return [line.rstrip() for line in text.strip("\n").splitlines()]


@pytest.fixture(scope="module")
def printed():
    """What R prints for each block, all of them in one session, as at its prompt."""
    code = f'\ncat("{MARK}\\n")\n'.join(code for code, _ in blocks())
    quiet = "suppressPackageStartupMessages({library(ALEPlot); library(iml)})\npdf(NULL)\n"
    done = subprocess.run(
        ["Rscript", "--vanilla", "/dev/stdin"],
        input=f'{quiet}cat("{MARK}\\n")\n{code}',
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [lines(part) for part in done.stdout.split(f"{MARK}\n")[1:]]


def test_every_block_of_r_shows_what_it_printed():
    """No block is left out."""
    text = NOTEBOOK.read_text("utf-8")
    assert len(blocks()) == text.count("```r\\n") >= 8


@pytest.mark.parametrize("number", range(len(blocks())))
def test_r_prints_what_the_notebook_says(printed, number):
    """Line by line, the values of a category in any direction."""
    code, said = blocks()[number]
    found = printed[number]
    if "J = 3" in code:  # the direction of an order of levels depends on R's linear algebra
        values = [sorted(re.findall(r"-?\d\.\d+", line)) for line in (said, " ".join(found))]
        assert values[0] == values[1]
    else:
        assert found == lines(said)
