"""A console on a screen in memory, with profiles that are the same on every machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from tests.support.console import Runners, Tested
from tests.support.experiments import Experiments
from tui.console.app import ConsoleApp
from tui.console.profiles.rows import ProfileRow
from tui.console.replay.recording import Recording
from tui.console.session import Kept

FACTS = (
    ("stack", "gunicorn"),
    ("app", "hello"),
    ("workers", "4 on CPU 0"),
    ("load", "16 connections from CPU 1, closed loop, no keep-alive, GET /"),
    ("rounds", "3 of 4 s, after 2 s warm-up"),
    ("takes", "about 16 s"),
)
MISSPELT = 'broken.toml:4: load.conections: unknown key; did you mean "connections"?'


class SvgExtension(SingleFileSnapshotExtension):
    """Screenshots as files that a review tool shows."""

    _write_mode = WriteMode.TEXT
    file_extension = "svg"


@pytest.fixture
def svg(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(SvgExtension)


@pytest.fixture(autouse=True)
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colours and movements are the same whatever the developer's terminal is."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.setattr("textual.constants.COLOR_SYSTEM", "truecolor")


@pytest.fixture
def rows(tmp_path: Path) -> tuple[ProfileRow, ...]:
    """Two that can run, one that needs something, one that is broken."""
    titles = {
        "gunicorn-sync": "gunicorn, sync workers",
        "gunicorn-preload": "gunicorn, a heavy app preloaded",
        "nginx-gunicorn": "nginx in front of gunicorn, a unix socket between",
        "broken": "my broken one",
    }
    why_not = {"nginx-gunicorn": ("needs nginx: apt install nginx",), "broken": (MISSPELT,)}
    made = []
    for name, title in titles.items():
        path = tmp_path / f"{name}.toml"
        path.write_text(f'title = "{title}"\n')
        state = "broken" if name == "broken" else "needs" if name in why_not else "ready"
        facts = () if state == "broken" else FACTS
        made.append(ProfileRow(name, title, path, state, facts, why_not.get(name, ())))
    return tuple(made)


@pytest.fixture
def backend(rows: tuple[ProfileRow, ...], tmp_path: Path) -> Tested:
    """What the console asks, with those profiles."""
    return Tested(rows, tmp_path / "runs")


@pytest.fixture
def console(backend: Tested) -> Callable[..., ConsoleApp]:
    """A console with that backend, its runs in a folder of the test."""

    def make(
        attach: Kept | None = None, *, still: bool = False, replay: Recording | None = None
    ) -> ConsoleApp:
        backend.still = still
        return ConsoleApp(profiles=None, runs=backend.runs, attach=attach, replay=replay, backend=backend)

    return make


@pytest.fixture
def runners(backend: Tested) -> Runners:
    backend.runners = Runners(backend.runs)
    return backend.runners


@pytest.fixture
def experiments(backend: Tested) -> Experiments:
    backend.experiments = Experiments()
    return backend.experiments
