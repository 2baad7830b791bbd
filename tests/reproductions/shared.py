"""The figures, their numbers and what is committed of them, for the tests of this room."""

import functools
import types

import pandas as pd
import pytest

from reproductions.engine import runner
from reproductions.engine.figure import FigureScript, all_figures
from reproductions.engine.texts import LANGUAGES

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
    """Numbers of a figure, computed once a session."""
    return numbers_of(figure.id)


def manifest():
    return runner.read_reports(OUT)[0]


def script(name, compute, **attributes):
    """A figure whose script exists only in this test."""
    module = types.ModuleType(name.replace("/", "_"), "A caption.")
    module.__file__ = __file__
    module.IDS, module.compute, module.SIZE = (name,), compute, (2.0, 1.5)
    module.draw = lambda numbers, figure, text: figure.subplots()
    for key, value in attributes.items():
        setattr(module, key, value)
    return FigureScript(module)


def one_number():
    return {"a": pd.DataFrame({"x": [1.0], "y": [2.0]})}
