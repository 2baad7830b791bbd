"""Figures: equal to R and to what is committed, in three languages; and their runner."""

from __future__ import annotations

import ast
import functools
import json
import re
import string
import types
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text as TextArtist

import aleplot_py
from aleplot_py.datasets.files import DataNotFoundError
from reproductions import __main__ as command
from reproductions.engine import black_boxes, pictures, runner, sources
from reproductions.engine.figure import (
    FigureScript,
    _with_shared_modules,
    all_figures,
    decide,
    discover,
    select,
    tables,
)
from reproductions.engine.reference import (
    FOLDER,
    Reference,
    difference_from_committed,
    read_csv,
)
from reproductions.engine.texts import LANGUAGES, Text, catalogue, figure_text, localise
from reproductions.site import gallery

OUT = runner.ROOT / "paper_figures"
FIGURES = all_figures()
BY_ID = {figure.id: figure for figure in FIGURES}

each_figure = pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.id)
each_language = pytest.mark.parametrize("code", LANGUAGES)

# A quick figure without data or model, for tests of the runner.
QUICK = "molnar3/20.4"


@functools.cache
def numbers_of(figure_id):
    return BY_ID[figure_id].compute()


def computed(figure):
    """Numbers of a figure, computed once a session; skipped where its data cannot be had."""
    try:
        return numbers_of(figure.id)
    except DataNotFoundError as error:
        pytest.skip(f"data missing: {error}")


def manifest():
    return json.loads((OUT / "manifest.json").read_text(encoding="utf-8"))["figures"]


# ---------------------------------------------------------------------------------------------
# Numbers


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
    record = manifest()[figure.id]
    assert record["script_sha256"] == figure.digest()
    assert record["pictures_sha256"] == pictures.digest(figure)
    contents = [(OUT / name).read_bytes() for name in record["numbers"]]
    assert record["numbers_sha256"] == runner.sha256(b"".join(contents))
    assert record["matches"]
    assert (runner.ROOT / record["script"]).is_file()


def test_committed_folder_holds_what_the_figures_make_and_nothing_else():
    expected = {"manifest.json", "claims.json", "index.html"}
    for figure in FIGURES:
        expected |= set(manifest()[figure.id]["numbers"])
        for code, formats in runner.FORMATS_BY_LANGUAGE.items():
            expected |= {runner.file_name(figure, suffix, code) for suffix in formats}
    found = {path.relative_to(OUT).as_posix() for path in OUT.rglob("*") if path.is_file()}
    # The report of the search, which python -m validation writes.
    assert {name for name in found if not name.startswith("validation/")} == expected


def test_committed_pictures_are_small():
    sizes = {path.name: path.stat().st_size for path in OUT.rglob("*.png")}
    assert max(sizes.values()) <= pictures.LARGEST_PNG
    assert sum(path.stat().st_size for path in OUT.rglob("*")) < 25e6


# ---------------------------------------------------------------------------------------------
# Comparison


@pytest.fixture
def r_table(tmp_path, monkeypatch):
    def write(**columns):
        pd.DataFrame(columns).to_csv(tmp_path / "r.csv", index=False)
        return "r.csv"

    monkeypatch.setattr("reproductions.engine.reference.FOLDER", tmp_path)
    return write


def test_one_unit_in_the_last_place_of_a_grid_is_unequal(r_table):
    file = r_table(**{".value": [1.0, 2.0], "x": [0.1, 0.2]})
    same = pd.DataFrame({"x": [0.1, 0.2], "ale": [1.0, 2.0]})
    off = pd.DataFrame({"x": [np.nextafter(0.1, 1), 0.2], "ale": [1.0, 2.0]})
    assert Reference(file).compare(same).matches
    assert not Reference(file).compare(off).grid_equal


def test_values_beyond_the_tolerance_do_not_match(r_table):
    file = r_table(**{".value": [1.0, 2.0], "x": [0.1, 0.2]})
    near = pd.DataFrame({"x": [0.1, 0.2], "ale": [1.0, 2.0 + 9e-10]})
    far = pd.DataFrame({"x": [0.1, 0.2], "ale": [1.0, 2.0 + 2e-9]})
    assert Reference(file).compare(near).matches
    comparison = Reference(file).compare(far)
    assert comparison.grid_equal
    assert not comparison.matches
    assert comparison.difference == pytest.approx(2e-9, rel=1e-5)
    assert Reference(file, tolerance=None).compare(far).matches


def test_levels_may_be_reversed_but_numbers_may_not(r_table):
    file = r_table(**{".value": [1.0, 2.0, 3.0], "month": ["a", "b", "c"]})
    turned = pd.DataFrame({"month": ["c", "b", "a"], "ale": [3.0, 2.0, 1.0]})
    mixed = pd.DataFrame({"month": ["b", "a", "c"], "ale": [2.0, 1.0, 3.0]})
    assert Reference(file).compare(turned).matches
    assert not Reference(file).compare(mixed).matches
    file = r_table(**{".value": [1.0, 2.0], "x": [0.1, 0.2]})
    assert not Reference(file).compare(pd.DataFrame({"x": [0.2, 0.1], "ale": [2.0, 1.0]})).matches


def test_a_pair_is_matched_by_its_grid_whatever_the_order_of_rows(r_table):
    file = r_table(**{".ale": [1.0, 2.0, 3.0, 4.0], "x": [0, 1, 0, 1], "w": [5.0, 5.0, 6.0, 6.0]})
    ours = pd.DataFrame({"x": [0, 0, 1, 1], "w": [5.0, 6.0, 5.0, 6.0], "ale": [1.0, 3.0, 2.0, 4.0]})
    assert Reference(file).compare(ours).matches
    assert not Reference(file).compare(ours.assign(ale=[1.0, 2.0, 3.0, 4.0])).matches


def test_missing_rows_and_values_do_not_match(r_table):
    file = r_table(**{".value": [1.0, np.nan], "x": [0.1, 0.2]})
    both = pd.DataFrame({"x": [0.1, 0.2], "ale": [1.0, np.nan]})
    assert Reference(file).compare(both).matches
    assert not Reference(file).compare(both.fillna(0.0)).matches
    assert not Reference(file).compare(both[:1]).matches


def test_densities_are_compared_as_a_share_of_the_peak(r_table):
    file = r_table(x=[0.1, 0.2], density=[10.0, 1.0])
    ours = pd.DataFrame({"x": [0.1, 0.2], "density": [10.0, 1.04]})
    assert Reference(file, tolerance=0.005, of_peak=True).compare(ours).matches
    assert not Reference(file, tolerance=0.003, of_peak=True).compare(ours).matches


def test_differences_from_committed_numbers_are_named(tmp_path):
    table = pd.DataFrame({"level": ["a", "b"], "ale": [100.0, -200.0], "n": [1, 2]})
    path = tmp_path / "t.csv"
    assert difference_from_committed(table, path) == "t.csv is missing"
    table.to_csv(path, index=False)
    assert difference_from_committed(table, path) is None
    assert difference_from_committed(table.assign(ale=[100.0, -200.0 - 1e-8]), path) is None
    changes = {
        "ale differs by": table.assign(ale=[100.0, -200.001]),
        "level differs": table.assign(level=["a", "c"]),
        "n differs": table.assign(n=[1, 3]),
        "has 2 rows, now 1": table[:1],
        "has the columns": table.rename(columns={"n": "m"}),
    }
    for message, changed in changes.items():
        assert message in difference_from_committed(changed, path)


def test_references_are_read_with_every_bit():
    table = read_csv(FOLDER / "fig20_ale_bike_windspeed.csv")
    first = (FOLDER / "fig20_ale_bike_windspeed.csv").read_text().splitlines()[1].split(",")
    assert table[".value"][0] == float(first[1])
    assert table["windspeed"][0] == float(first[2])


# ---------------------------------------------------------------------------------------------
# Scripts


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
    with pytest.raises(ValueError, match=r"; did you mean gkolemis or gkolemis/ood\? --list"):
        select(FIGURES, ["gkolemsi"])
    with pytest.raises(ValueError, match=r"nor a source; --list shows all figures$"):
        select(FIGURES, ["xyz"])


def test_figures_are_in_the_order_of_their_numbers():
    third_edition = [f.id.split("/")[1] for f in FIGURES if f.source == "molnar3"]
    numbers = [n for n in third_edition if re.fullmatch(r"20\.\d+", n)]
    assert numbers == sorted(numbers, key=lambda n: int(n.split(".")[1]))
    assert third_edition.index("2d-computation") == third_edition.index("20.3") + 1


# ---------------------------------------------------------------------------------------------
# Languages


def fields(message):
    return {name for _, name, _, _ in string.Formatter().parse(message) if name is not None}


def english_sections():
    sections = {name: dict(messages) for name, messages in catalogue("en").items()}
    for figure in FIGURES:
        sections.setdefault(figure.id, {}).update(figure.english())
    return sections


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_every_message_is_in_every_language_with_the_same_fields(code):
    english, other = english_sections(), catalogue(code)
    assert set(other) == set(english)
    for section, messages in english.items():
        assert set(other[section]) == set(messages), section
        for key, message in messages.items():
            assert fields(other[section][key]) == fields(message), (section, key)
            assert other[section][key].count("\n") == message.count("\n"), (section, key)


@each_language
def test_no_message_is_empty_or_of_a_figure_that_does_not_exist(code):
    known = {"common", "gallery", *BY_ID}
    for section, messages in catalogue(code).items():
        assert section in known
        assert all(message.strip() for message in messages.values())


@each_figure
@each_language
def test_every_figure_has_title_alternative_text_and_caption(figure, code):
    text = figure_text(figure, code)
    assert all(text(key) for key in ("title", "alt", "caption"))


@each_figure
def test_no_text_is_hard_wired_in_scripts(figure):
    """Draw with messages that are all marked: any letters without a mark are not from them."""

    class Marked(Text):
        def __call__(self, key, **values):
            super().__call__(key, **values)
            return "\N{PILCROW SIGN}"

    text = figure_text(figure, "en")
    marked = Marked(text.language, text._sections)
    picture = Figure(figsize=figure.size, layout="constrained")
    figure.module.draw(computed(figure), picture, marked)
    FigureCanvasAgg(picture).draw()
    for artist in picture.findobj(TextArtist):
        words = re.sub(r"\\[a-z]+", "", artist.get_text())
        assert not re.search(r"[A-Za-z]{2,}", words), artist.get_text()


@pytest.mark.figures
@each_figure
@each_language
def test_pictures_have_every_glyph_and_room_for_every_text(figure, code):
    # A missing glyph or a collapsed layout is a warning, and warnings are errors here.
    content = pictures.render(figure, computed(figure), code, ("png",))["png"]
    assert content.startswith(b"\x89PNG")
    assert len(content) <= pictures.LARGEST_PNG


@pytest.mark.parametrize("suffix", pictures.FORMATS)
def test_pictures_are_the_same_bytes_again(suffix):
    figure = BY_ID[QUICK]
    first, second = (
        pictures.render(figure, computed(figure), "en", (suffix,))[suffix] for _ in range(2)
    )
    assert first == second


def test_places_in_a_picture_do_not_depend_on_the_last_bits():
    """The solver of the layout gives them as they come, in nested subfigures most of all."""
    picture = Figure(layout="constrained")
    left, right = picture.subfigures(1, 2, width_ratios=(2, 1))
    left.subplots(2, 2)
    right.subplots()
    pictures._freeze(picture)
    boxes = [part.bbox_relative for part in picture.subfigs]
    boxes += [axes.get_position() for axes in picture.axes]
    before = [box.get_points() for box in boxes]
    assert len(before) == 7
    assert all(np.array_equal(points, points.round(6)) for points in before)
    # Nor are they moved when a format is written.
    FigureCanvasAgg(picture).draw()
    after = [part.bbox_relative for part in picture.subfigs]
    after += [axes.get_position() for axes in picture.axes]
    for points, box in zip(before, after, strict=True):
        np.testing.assert_array_equal(box.get_points(), points)


@pytest.mark.parametrize(
    ("code", "value", "spec", "written"),
    [
        ("en", -0.5, ".1f", "\u22120.5"),
        ("tr", 1234.5, ".1f", "1234,5"),
        ("fa", 0.25, ".2f", "\u06f0\u066b\u06f2\u06f5"),
        ("fa", -3, "d", "\u200e\u2212\u06f3\u200e"),
        ("en", 5.6e-17, ".1e", "5.6\u00a0\u00d7\u00a010⁻¹⁷"),
        ("tr", 1e10, ".1e", "1,0\u00a0\u00d7\u00a010¹⁰"),
        ("en", 2e-5, ".0e", "2\u00a0\u00d7\u00a010⁻⁵"),
    ],
)
def test_numbers_are_written_as_the_language_does(code, value, spec, written):
    assert Text(LANGUAGES[code], [{}]).number(value, spec) == written


def test_a_missing_message_is_an_error_that_names_it():
    with pytest.raises(KeyError, match=r"no message 'nothing' in messages/fa\.json"):
        figure_text(BY_ID[QUICK], "fa")("nothing")


def test_tick_labels_are_in_the_language():
    figure = BY_ID[QUICK]
    picture = pictures.draw(figure, computed(figure), "fa")
    FigureCanvasAgg(picture).draw()
    labels = [label.get_text() for label in picture.axes[0].get_xticklabels()]
    assert "\u06f0\u066b\u06f2" in labels


def test_powers_on_a_logarithmic_axis_are_in_the_language():
    picture = Figure()
    axes = picture.subplots()
    axes.set(yscale="log", ylim=(0.005, 0.5))
    localise(picture, LANGUAGES["fa"])
    FigureCanvasAgg(picture).draw()
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert "$\\mathdefault{\u06f1\u06f0^{-\u06f2}}$" in labels
    assert not any(re.search("[0-9]", label) for label in labels)


def test_formulas_on_an_axis_stay_as_they_are():
    picture = Figure()
    axes = picture.subplots()
    axes.set_xticks([0.2, 0.8], ["$z_{0,1}$", "$z_{1,1}$"])
    localise(picture, LANGUAGES["fa"])
    FigureCanvasAgg(picture).draw()
    names = axes.get_xticklabels()
    assert [name.get_text() for name in names] == ["$z_{0,1}$", "$z_{1,1}$"]
    assert {name.get_verticalalignment() for name in names} == {"top"}


def test_names_on_an_axis_stand_on_one_line():
    picture = Figure()
    axes = picture.subplots()
    axes.set_xticks([0.2, 0.8], ["\u06a9\u0645", "\u0622\u06af\u0631"])
    localise(picture, LANGUAGES["fa"])
    FigureCanvasAgg(picture).draw()
    names = axes.get_xticklabels()
    assert {name.get_verticalalignment() for name in names} == {"baseline"}
    assert max(name.get_window_extent().y1 for name in names) < axes.bbox.y0


# ---------------------------------------------------------------------------------------------
# Runner


def script(name, compute, **attributes):
    """A figure whose script exists only in this test."""
    module = types.ModuleType(name.replace("/", "_"), "A caption.")
    module.__file__ = __file__
    module.IDS, module.compute = (name,), compute
    module.draw = lambda numbers, figure, text: figure.subplots()
    for key, value in attributes.items():
        setattr(module, key, value)
    return FigureScript(module)


def one_number():
    return {"a": pd.DataFrame({"x": [1.0], "y": [2.0]})}


def test_a_failure_and_missing_data_do_not_stop_the_others(tmp_path):
    def fail():
        raise RuntimeError("the reason")

    def miss():
        raise DataNotFoundError("no such file anywhere")

    figures = [script("lofo/a", fail), script("lofo/b", miss), script("lofo/c", one_number)]
    outcomes = runner.run_all(figures, runner.Options(tmp_path, {"en": ("svg",)}), 1)
    assert [o.status for o in outcomes] == ["failed", "data missing", "no R numbers"]
    report = runner.report(outcomes)
    assert "RuntimeError: the reason" in report
    assert "1 of 3 figures are good" in report
    assert "left out because their data are missing: lofo/b" in report
    assert "not good: lofo/a" in report
    assert {p.name for p in (tmp_path / "lofo").iterdir()} == {"c.a.csv", "c.svg"}


def test_a_difference_from_r_is_reported(tmp_path, r_table):
    file = r_table(**{".value": [2.1], "x": [1.0]})
    figure = script("lofo/d", one_number, REFERENCE={"a": Reference(file)})
    outcome = runner.run(figure, runner.Options(tmp_path, {"en": ()}))
    assert outcome.status == "differs from R"
    assert "r.csv not matched" in outcome.problem
    assert outcome.difference == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("holds", "partly", "verdict"),
    [(True, True, "reproduced"), (False, True, "partly"), (np.False_, False, "not reproduced")],
)
def test_verdicts(holds, partly, verdict):
    decision = decide(holds, partly=partly, number=np.float64(1.5))
    assert decision.verdict == verdict
    assert type(decision.numbers["number"]) is float


def test_check_writes_nothing_and_finds_missing_numbers(tmp_path, capsys):
    out = tmp_path / "new"
    assert command.main([QUICK, "--check", "--out", str(out)]) == 1
    assert not out.exists()
    assert "differs from committed" in capsys.readouterr().out


def test_check_passes_on_what_the_runner_wrote_until_it_changes(tmp_path, capsys):
    assert command.main([QUICK, "--lang", "tr", "--format", "pdf,svg", "--out", str(tmp_path)]) == 0
    names = {path.name for path in (tmp_path / "molnar3").iterdir()}
    assert names == {"20.4.tr.pdf", "20.4.tr.svg", "20.4.points.csv", "20.4.background.csv"}
    assert command.main([QUICK, "--check", "--out", str(tmp_path)]) == 0
    path = tmp_path / "molnar3" / "20.4.points.csv"
    table = read_csv(path)
    table.assign(y=table["y"] + 1e-6).to_csv(path, index=False)
    assert command.main([QUICK, "--check", "--out", str(tmp_path)]) == 1
    assert "y differs by" in capsys.readouterr().out


def test_check_finds_pictures_of_an_older_script(tmp_path, capsys):
    command.main([QUICK, "--lang", "en", "--format", "png", "--out", str(tmp_path)])
    path = tmp_path / "manifest.json"
    text = path.read_text(encoding="utf-8")
    digest = BY_ID[QUICK].digest()
    path.write_text(text.replace(digest, "0" * 64), encoding="utf-8")
    assert command.main([QUICK, "--check", "--out", str(tmp_path)]) == 1
    assert "pictures outdated" in capsys.readouterr().out


def test_the_same_run_again_changes_no_file(tmp_path, capsys):
    arguments = [
        QUICK,
        "molnar3/20.3",
        "--lang",
        "en",
        "--format",
        "png,svg",
        "--out",
        str(tmp_path),
    ]
    contents = []
    for jobs in ("1", "2"):
        assert command.main([*arguments, "--jobs", jobs]) == 0
        contents.append({p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()})
    assert contents[0] == contents[1]
    assert "0 written to" in capsys.readouterr().out
    # Drawn anew by another process, every byte is the same too.
    assert command.main([*arguments, "--force", "--jobs", "2"]) == 0
    assert {p: p.read_bytes() for p in contents[0]} == contents[0]


@pytest.fixture
def finished(tmp_path):
    """Options, and a function that runs a figure of one number and returns what it changed."""

    def go(y=2.0, **changed):
        before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()}
        figure = script("lofo/f", lambda: {"a": pd.DataFrame({"x": [1.0, 0.1], "y": [3.0, y]})})
        options = runner.Options(tmp_path, {"en": ("svg",)}, **changed)
        outcome = runner.run(figure, options)
        assert outcome.status == "no R numbers"
        if outcome.record:
            text = json.dumps({"figures": {"lofo/f": outcome.record}})
            (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
        after = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()}
        return {p.name for p, time in after.items() if before.get(p) != time}

    assert go() == {"f.a.csv", "f.svg", "manifest.json"}
    return go


def test_what_is_up_to_date_is_left_as_it_is(finished):
    assert finished() == set()
    # The last bits of another machine.
    assert finished(y=np.nextafter(2.0, 3)) == set()
    assert finished(force=True) == {"f.a.csv", "f.svg", "manifest.json"}
    assert finished(y=2.001) == {"f.a.csv", "f.svg", "manifest.json"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("script_sha256", "0"),
        ("pictures_sha256", "0"),
        ("data_sha256", {"bike": "0"}),
        ("reference_sha256", {"r.csv": "0"}),
        ("model", {"name": "forest"}),
        ("versions", {"matplotlib": "1.0"}),
    ],
)
def test_what_was_made_from_something_else_is_drawn_again(finished, tmp_path, key, value):
    path = tmp_path / "manifest.json"
    stored = json.loads(path.read_text(encoding="utf-8"))
    stored["figures"]["lofo/f"][key] = value
    path.write_text(json.dumps(stored), encoding="utf-8")
    assert finished() == {"f.svg", "manifest.json"}


def test_versions_alone_change_nothing(finished, monkeypatch):
    other = runner._versions() | {"python": "3.99.0", "numpy": "9.0.0"}
    monkeypatch.setattr(runner, "_versions", lambda: other)
    assert finished() == set()


def test_a_missing_picture_is_drawn_again(finished, tmp_path):
    (tmp_path / "lofo" / "f.svg").unlink()
    assert finished() == {"f.svg", "manifest.json"}


def test_the_version_of_a_checkout_is_recorded():
    assert runner._versions()["aleplot-py"] == aleplot_py.__version__


def test_a_run_of_all_figures_begins_the_gallery_and_others_keep_it(tmp_path, monkeypatch):
    both = [BY_ID["molnar3/20.3"], BY_ID[QUICK]]
    monkeypatch.setattr(runner, "discover", lambda: (both, {}))
    part = {"fa": ("pdf",)}
    for figures, formats, has_page in (
        (both, part, False),
        (both[:1], runner.FORMATS_BY_LANGUAGE, False),
        (both, runner.FORMATS_BY_LANGUAGE, True),
        (both[:1], part, True),
    ):
        options = runner.Options(tmp_path, formats)
        outcomes = runner.run_all(figures, options, 1)
        assert runner.write_reports(options, outcomes) is has_page
        assert (tmp_path / "index.html").exists() is has_page
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("<article ") == page.count("<img src=") == 2
    # From a folder outside the checkout there is no way to a script.
    assert "fig20_4.py</code></dd>" in page


def test_a_run_of_one_figure_keeps_the_others_entries(tmp_path):
    common = ["--lang", "en", "--format", "png", "--out", str(tmp_path)]
    # Without claims, with claims, and again: no entry is lost or needed.
    for name in ("molnar3/20.3", QUICK, "molnar3/20.3"):
        assert command.main([name, *common]) == 0
    entries = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))["figures"]
    assert set(entries) == {QUICK, "molnar3/20.3"}


def test_list_and_unknown_names(capsys):
    assert command.main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(FIGURES)
    assert any(line.startswith("molnar3/20.4 = molnar2/8.9") for line in lines)
    assert command.main(["nothing"]) == 2
    assert "'nothing' is neither" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command.main(["--lang", "de"])


def test_data_folder_is_looked_at_first(tmp_path, monkeypatch, capsys):
    # Set first, so that monkeypatch restores what the command changes.
    monkeypatch.setenv("ALEPLOT_PY_DATA", "elsewhere")
    (tmp_path / "bike_sharing_day.csv").write_text("season\n1\n", encoding="utf-8")
    code = command.main(["molnar3/20.6", "--data", str(tmp_path), "--check"])
    assert code == 1
    assert f"{tmp_path}/bike_sharing_day.csv could not be read" in capsys.readouterr().out


@pytest.mark.figures
def test_models_refitted_in_scikit_learn_are_reported_as_such(tmp_path, capsys):
    computed(BY_ID["molnar3/20.8"])
    arguments = ["molnar3/20.8", "--model", "sklearn", "--lang", "en", "--format", "svg"]
    assert command.main([*arguments, "--out", str(tmp_path)]) == 0
    assert "scikit-learn" in capsys.readouterr().out
    record = json.loads((tmp_path / "manifest.json").read_text())["figures"]["molnar3/20.8"]
    assert record["model"] == {"name": "book3_penguin_forest", "from": "sklearn"}
    assert record["comparison"] == {}


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


def test_the_committed_gallery_is_the_generated_one():
    stored = manifest()
    claims = json.loads((OUT / "claims.json").read_text(encoding="utf-8"))["figures"]
    page = gallery.page(OUT, FIGURES, stored, claims)
    assert (OUT / "index.html").read_text(encoding="utf-8") == page


def test_default_folders_keep_refitted_models_apart():
    assert command._default_folder("r") == Path(runner.ROOT / "paper_figures")
    assert command._default_folder("sklearn") == Path(runner.ROOT / "build/figures-sklearn")
