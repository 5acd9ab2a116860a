from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.support.terminal import Opener, Terminal, words

QUICK = """
title   = "A quick one"
order   = 1
stack   = "gunicorn"
app     = "hello"
workers = 2

[load]
connections = 10
duration    = "1s"
warmup      = "300ms"
rounds      = 2
"""


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
def profiles(tmp_path: Path) -> Path:
    """A folder with a profile that comes first and takes about four seconds, and one that can't run here."""
    folder = tmp_path / "profiles"
    folder.mkdir()
    (folder / "quick.toml").write_text(QUICK)
    (folder / "broken.toml").write_text(
        QUICK.replace("workers", "workres").replace("order   = 1", "order = 2")
    )
    return folder


@pytest.fixture
def terminal(runs: Path, profiles: Path) -> Iterator[Opener]:
    """Opens the console in a terminal; all terminals are closed at the end."""
    opened: list[Terminal] = []

    def open_terminal(
        *arguments: str, columns: int = 160, rows: int = 48, environment: Mapping[str, str] | None = None
    ) -> Terminal:
        command = words(runs, "--profiles", str(profiles), *arguments)
        opened.append(Terminal(command, columns, rows, environment))
        return opened[-1]

    yield open_terminal
    for each in opened:
        each.close()
