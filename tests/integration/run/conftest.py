from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import Command
from tests.support.environments import (
    OrdinaryUser,
    install_ourselves,
    make_environment,
    open_folder,
    open_to_read,
)

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


@pytest.fixture(scope="session")
def installed() -> Iterator[Path]:
    """An environment that everyone may read, with stackdyno in it."""
    with open_folder() as folder:
        yield install_ourselves(folder / "environment")


@pytest.fixture
def ordinary(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Command]:
    """``stackdyno`` as someone without privilege uses it: we ourselves, or where we are root the user nobody."""
    if os.geteuid() != 0:
        yield Command(tmp_path)
        return
    environment: Path = request.getfixturevalue("installed")
    with open_folder() as home:
        shutil.chown(home, "nobody")
        yield OrdinaryUser(home, environment)
