"""Numbers of the figures: equal to R's and to what is committed, and what was said about them."""

import json

import numpy as np
import pytest

from reproductions.engine import black_boxes, pictures, runner
from reproductions.engine.figure import discover, tables
from reproductions.engine.reference import difference_from_committed
from reproductions.engine.texts import LANGUAGES
from tests.reproductions.shared import (
    BY_ID,
    FIGURES,
    OUT,
    computed,
    each_figure,
    manifest,
    numbers_of,
)


def test_every_script_can_be_imported():
    assert discover()[1] == {}


@pytest.mark.figures
@pytest.mark.parametrize(
    ("figure", "name"),
    [(figure, name) for figure in FIGURES for name in figure.reference],
    ids=lambda value: value if isinstance(value, str) else value.id,
)
def test_numbers_are_those_of_r(figure, name, record_parity):
    comparison = figure.reference[name].compare(tables(computed(figure))[name])
    tier = "density" if comparison.reference.of_peak else "figures"
    # What R itself draws at random has no place in the table of parity.
    if not comparison.shape_only:
        record_parity(tier, f"{figure.id} {name}", comparison.relative, comparison.grid_equal)
    assert comparison.grid_equal
    assert comparison.matches, f"largest difference {comparison.difference:.2e}"


@pytest.mark.figures
@each_figure
def test_numbers_are_those_committed(figure):
    for name, table in tables(computed(figure)).items():
        path = OUT / runner.file_name(figure, f"{name}.csv")
        assert difference_from_committed(table, path) is None


@pytest.mark.figures
@each_figure
def test_claims_are_judged_as_committed(figure, record_parity):
    stored = json.loads((OUT / "claims.json").read_text(encoding="utf-8"))["figures"]
    judged = runner.judge_claims(figure, computed(figure))
    for claim in judged:
        holds = claim["verdict"] == "reproduced"
        record_parity("claims", f"{figure.id} {claim['key']}", None, grid_equal=holds)
    verdicts = {claim["key"]: claim["verdict"] for claim in judged}
    assert verdicts == {c["key"]: c["verdict"] for c in stored.get(figure.id, [])}


@each_figure
def test_committed_files_belong_to_the_script(figure):
    """Numbers and pictures are those of the entry; other tests compare them with the script's."""
    record = manifest()[figure.id]
    assert record["ids"] == list(figure.ids)
    assert (runner.ROOT / record["script"]).samefile(figure.path)
    for key, value in runner.inputs(figure, runner.Options(OUT)).items():
        assert record[key] == value, key
    contents = [(OUT / name).read_bytes() for name in record["numbers"]]
    assert record["numbers_sha256"] == runner.sha256(b"".join(contents))
    shown = {runner.file_name(figure, "png", code) for code in LANGUAGES}
    assert set(record["pictures"]) == shown
    for name, digest in record["pictures"].items():
        assert pictures.pixels_sha256((OUT / name).read_bytes()) == digest, name
    assert record["matches"]


def test_committed_folder_holds_what_the_figures_make_and_nothing_else():
    expected = {"manifest.json", "claims.json", "index.html", "lab.html"}
    for record in manifest().values():
        expected |= set(record["numbers"]) | set(record["pictures"])
    found = {path.relative_to(OUT).as_posix() for path in OUT.rglob("*") if path.is_file()}
    # The reports of the search and of the benchmarks are validation's, and git keeps not all.
    reports = ("validation/", "benchmarks/")
    found = {name for name in found if not name.startswith(reports)} - {runner.MADE}
    assert {name for name in found if not name.endswith((".svg", ".pdf"))} == expected


def test_committed_pictures_are_small():
    sizes = {path.name: path.stat().st_size for path in OUT.rglob("*.png")}
    assert max(sizes.values()) <= pictures.LARGEST_PNG
    assert sum(path.stat().st_size for path in OUT.rglob("*")) < 25e6


@pytest.mark.figures
def test_a_refitted_forest_tells_the_same_story():
    computed(BY_ID["molnar3/20.8"])
    effect = BY_ID["molnar3/20.8"].compute("sklearn")["all"]
    theirs = numbers_of("molnar3/20.8")["all"]
    # Another forest on the same rows: the same fall, not the same digits.
    assert np.abs(effect.f_values - theirs.f_values).max() < 0.1
    assert not np.array_equal(effect.f_values, theirs.f_values)


def test_models_are_named_by_where_they_come_from():
    with pytest.raises(ValueError, match=r"model must be 'r' or 'sklearn', got 'R'"):
        black_boxes.black_box("book3_bike_forest", "R")
