"""A folder of profiles of one's own, in front of the shipped ones."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.profiles import GOOD
from tui.profile.catalogue import Catalogue, shipped_folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of profiles that is also the working folder, so that problems name files shortly."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def catalogue(folder: Path) -> Catalogue:
    """The folder's profiles, then the shipped ones."""
    return Catalogue(search=[folder, shipped_folder()])


@pytest.fixture
def write(folder: Path) -> Callable[..., str]:
    """Writes a profile and gives its name."""

    def written(text: str = GOOD, name: str = "mine") -> str:
        (folder / f"{name}.toml").write_text(text)
        return name

    return written
