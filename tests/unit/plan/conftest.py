"""What the tests of plans share."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tui.plan.runtime_folder import make_runtime_folder


@pytest.fixture
def runtime() -> Iterator[Path]:
    folder = make_runtime_folder()
    yield folder
    shutil.rmtree(folder)
