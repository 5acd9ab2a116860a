"""Whose a new file is: seen by what a process has open, mapped or bound, whatever the file's name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.sampled_programs import Start, started_programs
from tui.run.file_watch import FileWatch
from tui.system.snapshot import Snapshot

start = pytest.fixture(started_programs)

USES = {
    "open": "kept = open(path, 'w')",
    "mapped": "kept = open(path, 'w+'); kept.truncate(4096); kept = mmap.mmap(kept.fileno(), 4096)",
    "socket": "kept = socket.socket(socket.AF_UNIX); kept.bind(path)",
    "folder": "os.mkdir(path); kept = open(path + '/inside', 'w')",
    "cwd": "os.mkdir(path); os.chdir(path)",
}
PROGRAM = (
    "import mmap, os, socket, sys\npath = sys.argv[1]\n{use}\nprint('ready', flush=True)\nsys.stdin.read()"
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place that everybody shares, with something in it."""
    place = tmp_path / "shared"
    place.mkdir()
    (place / "old").touch()
    monkeypatch.setattr("tui.run.file_watch.default_places", lambda: (place,))
    return place


@pytest.fixture
def watch(place: Path) -> FileWatch:
    return FileWatch(Snapshot.take([place]))


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_what_a_process_uses_is_its_own_whatever_the_name(
    place: Path, watch: FileWatch, start: Start, use: str
) -> None:
    path = f"{place}/ x\u00e9'%"
    program = start(PROGRAM.format(use=use), path)
    (place / "stranger").touch()
    watch.look([program.pid])
    assert watch.users == {path: program.pid}


@pytest.mark.parametrize(
    "use", ["kept = open(path)", "open(path, 'a')"], ids=["open for reading", "closed again"]
)
def test_what_it_only_reads_or_has_closed_proves_nothing(
    place: Path, watch: FileWatch, start: Start, use: str
) -> None:
    (place / "stranger").touch()
    program = start(PROGRAM.format(use=use), f"{place}/stranger")
    watch.look([program.pid])
    assert watch.users == {}


def test_what_was_there_before_is_nobodys(place: Path, watch: FileWatch, start: Start) -> None:
    program = start(PROGRAM.format(use=USES["open"]), f"{place}/old")
    watch.look([program.pid])
    assert watch.users == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_anothers_file_is_not_taken_for_its_own(place: Path, watch: FileWatch, start: Start) -> None:
    program = start(PROGRAM.format(use=USES["open"]), f"{place}/given")
    os.chown(place / "given", 65534, 65534)
    watch.look([program.pid])
    assert watch.users == {}


def test_looking_keeps_to_its_budget(place: Path, watch: FileWatch, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def claim(self: FileWatch, pid: int, wanted: object) -> None:
        looked.append(pid)
        _burn()

    monkeypatch.setattr(FileWatch, "_claim", claim)
    (place / "stranger").touch()
    watch.look([1])
    watch.look([2])
    assert looked == [1]
    watch.look([3], always=True)
    assert looked == [1, 3]


def _burn() -> None:
    began = os.times().user
    while os.times().user - began < 0.02:
        pass
