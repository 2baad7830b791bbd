"""Scripts of the figures: what they name exists, and they leave the rest to the runner."""

import ast
import re

import numpy as np
import pytest

from reproductions.engine import black_boxes, sources
from reproductions.engine.figure import _with_shared_modules, decide, select
from reproductions.engine.reference import FOLDER
from tests.reproductions.shared import BY_ID, FIGURES, computed, each_figure


@each_figure
def test_scripts_name_what_exists(figure):
    assert all((FOLDER / reference.file).is_file() for reference in figure.reference.values())
    assert set(figure.data) <= set(sources.DATA)
    assert figure.model is None or figure.model in black_boxes.MODELS
    assert len({claim.key for claim in figure.claims}) == len(figure.claims)
    assert set(figure.reference) <= set(computed(figure))


@each_figure
def test_the_caption_says_where_the_figure_is_from(figure):
    for name in figure.ids:
        number = re.match(r"\d+(\.\d+)?(?=$|-)", name.split("/")[1])
        if number:
            assert re.search(rf"\b{re.escape(number[0])}\b", figure.caption), name


@each_figure
def test_scripts_do_not_save_show_print_or_set_anything(figure):
    tree = ast.parse(figure.path.read_text(encoding="utf-8"))
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {
        alias.name.split(".")[-1]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    forbidden = {"savefig", "show", "print", "pyplot", "rcParams", "to_csv", "seterr", "environ"}
    assert not names & forbidden


def test_a_digest_covers_the_modules_that_figures_share():
    paths = {path.name for path in _with_shared_modules(BY_ID["molnar3/20.1"].path)}
    assert paths == {"fig20_1.py", "_toy_points.py", "kernel_density.py"}


def test_select_by_id_source_or_second_id():
    assert [f.id for f in select(FIGURES, ["molnar2/8.9"])] == ["molnar3/20.4"]
    assert select(FIGURES, []) == FIGURES
    of_edition_2 = {f.id for f in select(FIGURES, ["molnar2"])}
    assert {"molnar2/8.14", "molnar3/20.4"} <= of_edition_2
    with pytest.raises(ValueError, match=r"'molnar3/99' is neither the id of a figure nor a sou"):
        select(FIGURES, ["molnar3/99"])
    with pytest.raises(
        ValueError, match=r"; did you mean gkolemis or gkolemis/\w+ or gkolemis/\w+\? --list"
    ):
        select(FIGURES, ["gkolemsi"])
    with pytest.raises(ValueError, match=r"nor a source; --list shows all figures$"):
        select(FIGURES, ["xyz"])


def test_figures_are_in_the_order_of_their_numbers():
    third_edition = [f.id.split("/")[1] for f in FIGURES if f.source == "molnar3"]
    numbers = [n for n in third_edition if re.fullmatch(r"20\.\d+", n)]
    assert numbers == sorted(numbers, key=lambda n: int(n.split(".")[1]))
    assert third_edition.index("2d-computation") == third_edition.index("20.3") + 1


@pytest.mark.parametrize(
    ("holds", "partly", "verdict"),
    [(True, True, "reproduced"), (False, True, "partly"), (np.False_, False, "not reproduced")],
)
def test_verdicts(holds, partly, verdict):
    decision = decide(holds, partly=partly, number=np.float64(1.5))
    assert decision.verdict == verdict
    assert type(decision.numbers["number"]) is float
