"""Registers the report of parity, shared with ``validation``."""

import pytest

from validation import parity_report


def pytest_addoption(parser: pytest.Parser) -> None:
    parity_report.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    parity_report.register(config)
