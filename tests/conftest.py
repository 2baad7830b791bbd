"""Registers the report of parity, shared with ``validation``, and what many tests begin with."""

from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

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
