"""What the recording model saw, empty at the start of each test."""

import pytest

from tests.importance.models import Recorder


@pytest.fixture
def seen():
    Recorder.seen.clear()
    return Recorder.seen
