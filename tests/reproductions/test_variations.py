"""Variations: other settings, sizes, fonts, resolutions; one line where one cannot be had."""

import io

import numpy as np
import pytest
from PIL import Image

import reproductions
from reproductions import __main__ as command
from reproductions.engine import pictures, runner
from reproductions.engine.reference import read_csv
from tests.reproductions.shared import BY_ID, FIGURES, OUT, each_figure

FIGURE = "molnar3/20.5"


def test_a_variation_is_written_to_its_own_folder_and_judged_by_nothing(tmp_path, capsys):
    before = {path: path.read_bytes() for path in OUT.rglob("*") if path.is_file()}
    arguments = [FIGURE, "--set", "K=5", "--set", "sd=0.2", "--size", "8x4.5", "--dpi", "200"]
    arguments += ["--font", "DejaVu Serif", "--lang", "tr", "--format", "pdf,png"]
    assert command.main([*arguments, "--out", str(tmp_path)]) == 0
    assert f"{FIGURE}  " in (shown := capsys.readouterr().out)
    assert "variation" in shown
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    numbers = {f"{FIGURE}.{kind}_{x}.csv" for kind in ("ale", "pdp") for x in ("x1", "x2")}
    assert names == numbers | {f"{FIGURE}.tr.pdf", f"{FIGURE}.tr.png"}
    with Image.open(tmp_path / f"{FIGURE}.tr.png") as picture:
        assert picture.size == (1600, 900)
    assert len(read_csv(tmp_path / f"{FIGURE}.ale_x1.csv")) == 6
    # TrueType letters of the font, not the outlines of Type 3.
    pdf = (tmp_path / f"{FIGURE}.tr.pdf").read_bytes()
    assert b"/FontFile2" in pdf
    assert b"DejaVuSerif" in pdf
    assert b"/Type3" not in pdf
    assert {path: path.read_bytes() for path in before} == before


def test_the_default_folder_is_not_that_of_the_sources():
    varied = command._default_folder("r", varies=True)
    assert varied not in (command._default_folder("r"), command._default_folder("sklearn"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "KK=5"], f"{FIGURE} has no setting 'KK'; it has n=25, sd=0.1, seed=1, K=20, "),
        (["--set", "K=x"], f"{FIGURE}: K must be a whole number such as 20, got 'x'"),
        (["--set", "K=2.5"], f"{FIGURE}: K must be a whole number such as 20, got 2.5"),
        (["--set", "sd=(1,)"], f"{FIGURE}: sd must be a number such as 0.1, got (1,)"),
        (["--set", "sd=True"], f"{FIGURE}: sd must be a number such as 0.1, got True"),
        (["--set", "sd=1e999"], f"{FIGURE}: sd must be a number such as 0.1, got inf"),
        (["--set", "K"], "argument --set: must be NAME=VALUE, such as K=5, got 'K'"),
        (["--size", "8"], "argument --size: must be WxH, such as 8x4.5, got '8'"),
        (["--size", "8xa"], "argument --size: must be WxH, such as 8x4.5, got '8xa'"),
        (["--size", "8x-1"], "size and dpi must be positive, got (8.0, -1.0) and 160"),
        (["--dpi", "0"], "argument --dpi: must be 1 or more, got 0"),
        (["--font", "dejavu serif"], "the font 'dejavu serif' is not installed; there is DejaVu S"),
        (["--font", "Qqqq"], "the font 'Qqqq' is not installed; there is "),
        (["--set", "K=5", "--check"], "argument --check: a variation has nothing to be compared"),
        (
            ["--set", "K=5", "--out", "{committed}"],
            "argument --out: {committed} is for the figures",
        ),
        (["--lang", "de"], "argument --lang: 'de' is not one of en, fa, tr"),
        (["--format", "gif"], "argument --format: 'gif' is not one of png, svg, pdf"),
    ],
)
def test_what_cannot_be_had_is_told_in_one_line(capsys, monkeypatch, arguments, message):
    monkeypatch.setattr(runner, "run_all", lambda *_: pytest.fail("computed"))
    arguments = [argument.format(committed=OUT) for argument in arguments]
    try:
        code = command.main([FIGURE, *arguments])
    except SystemExit as stopped:
        code = stopped.code
    assert code == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert message.format(committed=OUT) in told


@pytest.mark.parametrize(
    ("figure", "value", "message"),
    [
        (FIGURE, "K=0", "K must be"),
        ("molnar2/8.14", "days=-5", "days must be 1 to 731, got -5"),
        ("molnar2/8.14", "days=1000", "days must be 1 to 731, got 1000"),
        ("molnar3/20.2", "x1=9", "fewer than two points have an x1 within 0.1 of 9"),
        ("aleplot/1", "x1=2", "x1 must be in 0 to 1, where points are, got 2"),
    ],
)
def test_a_refused_value_is_told_without_a_traceback(tmp_path, capsys, figure, value, message):
    assert command.main([figure, "--set", value, "--out", str(tmp_path)]) == 1
    shown = capsys.readouterr().out
    assert message in shown
    assert "Traceback" not in shown


@each_figure
def test_settings_have_the_values_of_the_source(figure):
    """Plain numbers, so that they can be given on the command line; a seed where one is drawn."""
    assert all(type(value) in (int, float) for value in figure.settings.values())
    if "seed" in figure.settings:
        assert figure.settings["seed"] == figure.seed


def test_every_figure_can_be_varied():
    assert [figure.id for figure in FIGURES if not figure.settings] == []


# Quick to compute, and drawn for any value.
VARIED = {
    "molnar3/20.1": {"n": 40, "x1": 0.5},
    "molnar3/20.2": {"x1": 0.5, "width": 0.2},
    "molnar3/20.3": {"n": 40, "K": 3},
    "molnar3/2d-computation": {"seed": 3, "K": 7},
    "molnar3/20.4": {"x1_above": 0.5, "x2_below": 0.6},
    "molnar3/20.5": {"K": 5, "sd": 0.2},
    "molnar3/20.8": {"K": 7},
    "molnar2/8.11": {"K": 7},
    "molnar2/8.12": {"days": 400},
    "molnar2/8.14": {"days": 300},
    "molnar2/8.16": {"K": 7},
    "lofo/gaussian": {"rows": 500, "data_sets": 2},
    "aleplot/1": {"x1": 0.6},
    "aleplot/2": {"n": 60},
    "aleplot/4": {"n": 60},
    "aleplot/3": {"n": 300, "K": 10},
    "aleplot/5": {"n": 300, "K": 10, "K_pair": 5},
    "aleplot/7": {"seed": 2, "K": 10},
    "groemping/correlation": {"draws": 3, "n": 50, "K": 5},
    "gkolemis/intervals": {"rows": 200, "data_sets": 2},
    "gkolemis/ood": {"data_sets": 2, "alpha": 2.0, "tau": 1.0},
}


@pytest.mark.figures
@pytest.mark.parametrize("name", VARIED)
def test_varied_settings_change_the_numbers_and_are_drawn(name):
    numbers = BY_ID[name].compute(**VARIED[name])
    texts = runner.csv_texts(numbers)
    changed = [
        key
        for key, text in texts.items()
        if text != (OUT / f"{name}.{key}.csv").read_text(encoding="utf-8")
    ]
    assert changed
    assert pictures.render(BY_ID[name], numbers, "en", ("png",))["png"]


def test_a_figure_in_a_notebook():
    found = reproductions.figure(FIGURE, K=5)
    assert found.numbers["ale_x1"].K == (5,)
    picture = found.plot(size=(3, 2), font="DejaVu Serif", dpi=50)
    assert picture.get_size_inches().tolist() == [3, 2]
    assert picture.axes[0].yaxis.label.get_fontfamily()[0] == "DejaVu Serif"
    assert Image.open(io.BytesIO(found._repr_png_())).size == (896, 672)
    # Its second id names the same figure; without settings it is the source's.
    same = reproductions.figure("molnar2/8.10").numbers
    np.testing.assert_array_equal(
        same["pdp_x1"].f_values, read_csv(OUT / f"{FIGURE}.pdp_x1.csv").iloc[:, -1]
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("molnar3/99",), "'molnar3/99' is neither the id of a figure nor a source"),
        (
            ("gkolemis",),
            "a source, not a figure; its figures are gkolemis/toy, gkolemis/intervals, g",
        ),
        ((FIGURE, "oops"), "has no setting 'oops'; it has n=25, "),
        (("molnar2/8.12", "K"), "molnar2/8.12 has no setting 'K'; it has days=731"),
    ],
)
def test_a_notebook_tells_what_can_be_had(arguments, message):
    name, *settings = arguments
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        reproductions.figure(name, **dict.fromkeys(settings, 1))
    with pytest.raises(ValueError, match="lang must be one of en, fa, tr, got 'de'"):
        reproductions.figure(FIGURE).plot("de")


def test_the_style_of_a_picture_is_gone_once_it_is_drawn():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    reproductions.figure(FIGURE).plot(font="DejaVu Serif")
    assert dict(mpl.rcParams) == before
