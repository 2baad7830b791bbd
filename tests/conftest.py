"""Registers the report of parity, shared with ``validation``, and what many tests begin with."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from aleplot_py.datasets.files import DataNotFoundError
from validation import parity_report

mpl.use("Agg")


def pytest_addoption(parser: pytest.Parser) -> None:
    parity_report.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    parity_report.register(config)


@pytest.fixture
def close_figures() -> Iterator[None]:
    """Close what the test drew."""
    yield
    plt.close("all")


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forbid downloads."""
    monkeypatch.setenv("ALEPLOT_PY_OFFLINE", "1")


@pytest.fixture
def loaded() -> Callable[..., pd.DataFrame]:
    """Return data of a loader, or skip with its reason unless the data are required."""

    def load_or_skip(load: Callable[..., pd.DataFrame], **options: Any) -> pd.DataFrame:
        try:
            return load(**options)
        except DataNotFoundError as error:
            if os.environ.get("ALEPLOT_REQUIRE_DATA") == "1":
                raise
            pytest.skip(str(error))

    return load_or_skip
