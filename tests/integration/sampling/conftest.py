"""The fixture that starts real processes to look at."""

from collections.abc import Iterator

import pytest

from tests.support.sampled_programs import Start, started_programs


@pytest.fixture
def start() -> Iterator[Start]:
    yield from started_programs()
