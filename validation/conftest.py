"""Registers the report of parity and the fixtures of the live tiers, shared with ``tests``."""

import pytest

from validation import parity_report


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of the report of parity."""
    parity_report.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Register the report of parity."""
    parity_report.register(config)
