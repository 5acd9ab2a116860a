"""The fixture that starts real processes to look at."""

from collections.abc import Iterator

import pytest

from tests.support.sampled_programs import PlannedRun, started_programs


@pytest.fixture
def start() -> Iterator[PlannedRun]:
    yield from started_programs()
