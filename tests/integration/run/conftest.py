from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.run.command import Command
from tests.integration.run.environments import make_environment, open_folder, open_to_read

SHOPS = Path(__file__).parent / "shops"


@pytest.fixture
def stackdyno(tmp_path: Path) -> Command:
    return Command(tmp_path)


@pytest.fixture(scope="session")
def shops() -> Iterator[Path]:
    """Two projects of a person's own, ``django`` and ``flask``, their ``profiles``, and one environment for both."""
    with open_folder() as folder:
        shutil.copytree(SHOPS, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        make_environment(folder / "django" / ".venv", "django>=5.2,<7", "flask>=3.1,<4", "gunicorn>=25.1,<28")
        open_to_read(folder)
        yield folder
