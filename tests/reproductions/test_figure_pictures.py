"""Pictures of the figures: drawn, packed, and compared with those committed."""

import io
import sys

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from reproductions.engine import pictures, runner
from reproductions.engine.texts import LANGUAGES
from tests.reproductions.shared import (
    BY_ID,
    OUT,
    QUICK,
    computed,
    each_figure,
    each_language,
    manifest,
)


def png(image, **options):
    file = io.BytesIO()
    image.save(file, format="png", **options)
    return file.getvalue()


@pytest.mark.figures
@each_figure
@each_language
def test_pictures_are_those_committed_with_every_glyph_and_room_for_every_text(figure, code):
    # A missing glyph or a collapsed layout is a warning, and warnings are errors here.
    content = pictures.render(figure, computed(figure), code, ("png",))["png"]
    assert content.startswith(b"\x89PNG")
    assert len(content) <= pictures.LARGEST_PNG
    name = runner.file_name(figure, "png", code)
    committed = (OUT / name).read_bytes()
    same_fonts = runner.same_fonts(manifest()[figure.id])
    assert pictures.alike(content, committed, same_fonts=same_fonts), f"{name}: make figures"


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


def test_a_picture_is_packed_without_a_change_of_pixels(monkeypatch):
    figure = BY_ID[QUICK]
    packed = pictures.render(figure, computed(figure), "fa", ("png",))["png"]
    monkeypatch.setattr(pictures, "optimised", lambda content: content)
    drawn = pictures.render(figure, computed(figure), "fa", ("png",))["png"]
    assert len(packed) < len(drawn)
    assert pictures.decoded(packed).tobytes() == pictures.decoded(drawn).tobytes()
    assert pictures.pixels_sha256(packed) == pictures.pixels_sha256(drawn)


def test_without_oxipng_only_the_size_differs(monkeypatch):
    rng = np.random.default_rng(1)
    content = png(Image.fromarray(rng.integers(0, 3, (40, 60, 3), dtype=np.uint8) * 90))
    packed = pictures.optimised(content)
    assert len(packed) < len(content)
    assert pictures.pixels_sha256(packed) == pictures.pixels_sha256(content)
    monkeypatch.setitem(sys.modules, "oxipng", None)
    assert pictures.optimised(content) == content


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA"])
def test_a_digest_is_of_the_pixels_alone(mode):
    image = Image.new("L", (30, 20), 255)
    image.putpixel((3, 4), 0)
    first = pictures.pixels_sha256(png(image))
    assert pictures.pixels_sha256(png(image.convert(mode), compress_level=0)) == first
    image.putpixel((3, 4), 255)
    assert pictures.pixels_sha256(png(image.convert(mode))) != first
    # Nor do other sides with the same pixels in a row have it.
    blank = [pictures.pixels_sha256(png(Image.new("L", size))) for size in ((30, 20), (20, 30))]
    assert blank[0] != blank[1]


def test_what_is_no_whole_picture_has_no_digest_and_is_like_nothing():
    content = (OUT / f"{QUICK}.png").read_bytes()
    for length in (0, 4, 8, 20, 33, 40, len(content) // 2, len(content) - 30):
        assert pictures.pixels_sha256(content[:length]) is None
        assert not pictures.alike(content[:length], content)
    assert pictures.pixels_sha256(b"GIF89a" + content) is None


@each_figure
def test_a_picture_is_not_like_that_of_another_language(figure):
    names = [runner.file_name(figure, "png", code) for code in LANGUAGES]
    contents = [(OUT / name).read_bytes() for name in names]
    for first in contents:
        for second in contents:
            # A figure without a letter is the same in every language.
            same = pictures.pixels_sha256(first) == pictures.pixels_sha256(second)
            assert pictures.alike(first, second) is same


def test_other_fonts_may_move_edges_but_no_more():
    image = Image.new("L", (64, 64), 255)
    image.paste(0, (10, 10, 12, 40))
    moved = Image.new("L", (64, 64), 255)
    moved.paste(0, (11, 10, 13, 40))
    gone = Image.new("L", (64, 64), 255)
    first, second, third = map(png, (image, moved, gone))
    assert not pictures.alike(first, second)
    assert pictures.alike(first, second, same_fonts=False)
    assert not pictures.alike(first, third, same_fonts=False)
