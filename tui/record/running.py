"""What of ours runs on this machine, found by its processes, whatever folder it is kept in.

A runner and an experiment's process are known by their command lines, a supervisor too; a process of a stack by the
run's mark in its environment or, if it overwrote that (nginx), by its standard output in the record's logs. Everything
of a living run is below its supervisor or its runner, since both adopt orphans: what is marked and below neither was
left behind. One look costs a few milliseconds, so every command can afford it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat as modes
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tui.stack.leftovers import Leftovers
from tui.system.procfs import (
    Identity,
    ProcessStat,
    descendants,
    every_pid,
    is_alive,
    read_arguments,
    read_cmdline,
    read_environ,
    read_stat,
)
from tui.system.regularfiles import read_regular
from tui.system.snapshot import MARKER
from tui.system.wholefiles import write_whole

NOTE = "stackdyno.run"
"""The file in a runtime folder that says who launched which run in it."""
TEMPORARY = Path("/tmp")
"""Where runtime folders are."""
_RUNTIME = re.compile(r"stackdyno-[a-z0-9_]{8}")
_UNFINISHED = re.compile(r"stackdyno-(\d+)-(\d+)-[a-z0-9_]{8}")
"""A runtime folder that the process with this pid and start time is making."""
_RUN_ID = re.compile(r"[0-9a-f]{16}")
_KINDS: dict[str, Literal["run", "experiment"]] = {
    "tui.run.execute": "run",
    "tui.experiment.execute": "experiment",
}
_HELD = "Tt"
"""States of a process that was stopped by a signal or a debugger. Such a supervisor without a runner ends nothing."""
_MOST_BEFORE = 1000
"""Files that existed before a run and are noted; where there are more, nothing is known of what its stack leaves."""
_TRIES = 5
"""Looks at a process's ancestors, one of which may end during a look."""
_YOUNG = 60.0
"""Seconds for which something that doesn't say who makes it may be just being made."""


@dataclass(frozen=True, slots=True)
class Running:
    """A run or an experiment whose process is alive."""

    kind: Literal["run", "experiment"]
    folder: Path
    identity: Identity
    state: str
    """The kernel's letter for what the process does; T if it is stopped."""
    seconds: float
    """How long its process has been alive."""
    experiment: Path | None = None
    """The experiment that it is a run of."""

    @property
    def name(self) -> str:
        return self.folder.name


@dataclass(frozen=True, slots=True)
class LeftProcess:
    """A process that belongs to no living run."""

    identity: Identity
    command: str


@dataclass(slots=True)
class LeftBehind:
    """The processes that one run left behind."""

    run: str
    """The record's name, or the run's id if the record isn't known."""
    folder: Path | None
    ended: float | None
    """When it wrote its last event, in seconds since the epoch."""
    processes: list[LeftProcess] = field(default_factory=list)

    def __str__(self) -> str:
        """ "shop, ended 2026-12-01 03:20:00"."""
        return self.run if self.ended is None else f"{self.run}, ended {clock(self.ended)}"


@dataclass(frozen=True, slots=True)
class Seen:
    """One look at the machine."""

    running: list[Running]
    left: list[LeftBehind]
    runtimes: set[Path]
    """The runtime folders of all that is alive."""
    ending: list[Identity] = field(default_factory=list)
    """Supervisors whose runner has died: each stops its stack, and ends."""


def notice(seen: Seen) -> str | None:
    """One line about what was left behind; None if nothing was."""
    if not seen.left:
        return None
    number = sum(len(each.processes) for each in seen.left)
    what = "1 process was" if number == 1 else f"{number} processes were"
    return f"{what} left behind by {'; '.join(map(str, seen.left))}; `stackdyno clean` ends what was left"


def lock_name(environment: Mapping[str, str] = os.environ) -> str:
    """The machine's lock. Runs whose locks differ don't know of each other: for tests that run in parallel."""
    return environment.get("STACKDYNO_LOCK", "stackdyno-run")


def clock(seconds: float) -> str:
    """A local date and time."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))


def is_ours(pid: int) -> str | None:
    """What a process of ours is called: runner, supervisor, experiment's process; None for any other."""
    arguments = read_arguments(pid)
    if (called := _called(arguments)) is not None:
        return "runner" if called[0] == "run" else "experiment's process"
    return "supervisor" if _is_supervisor(arguments) else None


def record_of_runner(pid: int) -> Path | None:
    """The record that a runner works on; None for any other process."""
    called = _called(read_arguments(pid))
    return called[1] if called is not None and called[0] == "run" else None


def note_launch(runtime: Path, record: Path | None, leftovers: Leftovers | None = None) -> None:
    """Write into a runtime folder which run it is for, who launches that, and what its stack may leave elsewhere."""
    stat = read_stat(os.getpid())
    assert stat is not None
    said = {
        "pid": stat.identity.pid,
        "start": stat.identity.start,
        "lock": lock_name(),
        "record": None if record is None else str(record),
    }
    if leftovers is not None and len(leftovers.before) < _MOST_BEFORE:
        said |= {"leftovers": leftovers.patterns, "before": sorted(leftovers.before)}
    write_whole(runtime / NOTE, json.dumps(said), private=True)  # a reader sees the former one or this one


def look() -> Seen:
    """Everything of this user that runs, and what was left behind."""
    running: list[Running] = []
    runtimes: set[Path] = set()
    guards: set[Identity] = set()
    ending: list[Identity] = []
    marked: list[tuple[ProcessStat, dict[str, str], Path | None]] = []
    for pid in every_pid():
        uid = _owner(pid)
        if uid is None or os.geteuid() not in (0, uid):
            continue
        arguments = read_arguments(pid)
        stat = read_stat(pid) if arguments else None
        if stat is None or not stat.alive:
            continue
        if (called := _called(arguments)) is not None:
            kind, folder = called
            guards.add(stat.identity)
            if uid == os.geteuid() and lock_name(read_environ(pid) or {}) == lock_name():
                experiment = _called(read_arguments(stat.ppid)) if kind == "run" else None
                running.append(
                    Running(kind, folder, stat.identity, stat.state, stat.age(), experiment and experiment[1])
                )
                runtimes.update(_runtime_of(folder))
        elif _is_supervisor(arguments) and (stat.state not in _HELD or _guarded(stat, set())):
            guards.add(stat.identity)
            runtimes.update(map(Path, arguments[4:5]))
            mine = uid == os.geteuid() and lock_name(read_environ(pid) or {}) == lock_name()
            if mine and _called(read_arguments(stat.ppid)) is None:
                ending.append(stat.identity)
        elif mark := _mark_of(stat, uid):
            marked.append((stat, *mark))
    return Seen(running, list(_left_behind(marked, running, guards)), runtimes, ending)


def _left_behind(
    marked: list[tuple[ProcessStat, dict[str, str], Path | None]],
    running: list[Running],
    guards: set[Identity],
) -> Iterator[LeftBehind]:
    living = {each.folder.resolve() for each in running}
    found: dict[str, LeftBehind] = {}
    for stat, environment, record in marked:
        note = _note_of(Path(environment.get("HOME", "/nonexistent")))
        if record is None and note.get("record"):
            record = Path(note["record"])
        lock = note.get("lock", lock_name()) if record is None else _lock_of(record, note)
        if (record and record.resolve() in living) or lock != lock_name() or _guarded(stat, guards):
            continue
        run = record.name if record else f"a run whose record is gone (id {environment.get(MARKER)})"
        if run not in found:
            found[run] = LeftBehind(run, record, _last_written(record))
        _add(found[run], stat)
        for child in descendants(stat.pid):  # one that carries no mark of its own
            _add(found[run], child)
    yield from (each for each in found.values() if each.processes)


def _add(left: LeftBehind, stat: ProcessStat) -> None:
    command = read_cmdline(stat.pid)
    known = any(each.identity == stat.identity for each in left.processes)
    if command and not known and is_alive(stat.identity):
        left.processes.append(LeftProcess(stat.identity, command))


def _owner(pid: int) -> int | None:
    try:
        return os.stat(f"/proc/{pid}").st_uid  # noqa: PTH116
    except OSError:
        return None


def _mark_of(stat: ProcessStat, uid: int) -> tuple[dict[str, str], Path | None] | None:
    """The environment and the record of a stack's process; None for any other process.

    Root sees everybody's: what runs as another user counts only if root keeps its record.
    """
    environment = read_environ(stat.pid) or {}
    record = _logs_to(stat.pid)
    homes = (Path(environment.get(name, "")) for name in ("HOME", "TMPDIR"))
    marked = _RUN_ID.fullmatch(environment.get(MARKER, "")) and any(map(_is_runtime, homes))
    if not marked and record is None:
        return None
    if record is None and uid != os.geteuid():
        record = _recorded(Path(environment.get("HOME", "/nonexistent")))
        if record is None:
            return None
    if uid != os.geteuid() and (record is None or _owner_of(record) != os.geteuid()):
        return None
    return environment, record


def _logs_to(pid: int) -> Path | None:
    """The record in whose logs a process writes its output."""
    for number in (1, 2):
        with contextlib.suppress(OSError):
            path = Path(os.readlink(f"/proc/{pid}/fd/{number}"))  # noqa: PTH115
            folder = path.parent.parent
            if path.parent.name == "logs" and (folder / "plan.json").is_file():
                return folder
    return None


def _recorded(runtime: Path) -> Path | None:
    record = _note_of(runtime).get("record")
    return Path(record) if record else None


def _guarded(stat: ProcessStat, guards: set[Identity]) -> bool:
    """Whether a process is below a runner or a supervisor (one that isn't among ``guards`` may just have started)."""
    for _ in range(_TRIES):
        at: ProcessStat | None = read_stat(stat.pid)
        if at is None or at.identity != stat.identity:
            return True  # it has ended
        while at is not None and at.ppid > 1:
            at = read_stat(at.ppid)
            if at is not None and (at.identity in guards or _called(read_arguments(at.pid)) is not None):
                return True
        if at is not None:
            return False
    return True


def _called(arguments: list[str]) -> tuple[Literal["run", "experiment"], Path] | None:
    """What a runner or an experiment's process was started with, also behind ``systemd-run``."""
    if len(arguments) >= 4 and arguments[-3] == "-m" and arguments[-2] in _KINDS:
        return _KINDS[arguments[-2]], Path(arguments[-1])
    return None


def _is_supervisor(arguments: list[str]) -> bool:
    return arguments[1:3] == ["-m", "tui.stack.supervisor"]


def _runner_of(record: Path) -> dict[str, Any]:
    """``runner.json``, without its model, whose pydantic would be the most of the cost of a look."""
    said = json.loads(read_regular(record / "runner.json", limit=1 << 16))
    if not isinstance(said, dict):
        raise ValueError(said)
    return said


def _runtime_of(record: Path) -> list[Path]:
    try:
        return [Path(_runner_of(record)["control"]).parent]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _lock_of(record: Path, note: dict[str, Any]) -> str:
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        return str(_runner_of(record)["lock"])
    return str(note.get("lock", lock_name({})))


def _last_written(record: Path | None) -> float | None:
    with contextlib.suppress(OSError):
        return (record / "events.jsonl").stat().st_mtime if record else None
    return None


def _owner_of(path: Path) -> int | None:
    with contextlib.suppress(OSError):
        return path.lstat().st_uid
    return None


# Folders.


def _is_runtime(folder: Path) -> bool:
    return folder.parent == TEMPORARY and _RUNTIME.fullmatch(folder.name) is not None


def _note_of(runtime: Path) -> dict[str, Any]:
    """What a runtime folder says of its run; empty if it is no such folder or the note isn't this user's."""
    if not _is_runtime(runtime):
        return {}
    try:
        descriptor = os.open(runtime / NOTE, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return {}
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if about.st_uid != os.geteuid() or not modes.S_ISREG(about.st_mode) or about.st_nlink != 1:
            return {}
        with contextlib.suppress(OSError, ValueError):
            said = json.loads(file.read(1 << 20))
            return said if isinstance(said, dict) else {}
    return {}


def gone_runtimes() -> list[Path]:
    """The runtime folders of this user's runs that are gone."""
    return [*_abandoned(), *_gone()]


def _abandoned() -> Iterator[Path]:
    """Those whose makers were killed before they could write a note."""
    for folder in sorted(TEMPORARY.glob("stackdyno-*-*-*")):
        if (said := _UNFINISHED.fullmatch(folder.name)) is None:
            continue
        with contextlib.suppress(OSError, ValueError):
            about = folder.lstat()
            ours = modes.S_ISDIR(about.st_mode) and about.st_uid == os.geteuid()
            if ours and not is_alive(Identity(int(said[1]), int(said[2]))):
                yield folder


def _gone() -> list[Path]:
    dead = [(folder, note) for folder in _runtimes() if not _lives(note := _note_of(folder), folder)]
    seen = look() if dead else None  # after the notes: what a launcher started before it died is seen
    if seen is None:
        return []
    folders = {str(each.folder) for each in seen.running}
    return [
        folder
        for folder, note in dead
        if folder not in seen.runtimes and (note.get("record") or "") not in folders and folder.exists()
    ]


def _runtimes() -> list[Path]:
    return sorted(filter(_is_runtime, TEMPORARY.glob("stackdyno-*")))


def _lives(note: dict[str, Any], folder: Path) -> bool:
    """Whether a runtime folder is in use, or isn't ours to judge."""
    try:
        about = folder.lstat()
        if not modes.S_ISDIR(about.st_mode):
            return True
        if not note:
            young = time.time() - about.st_mtime < _YOUNG
            return young or about.st_uid != os.geteuid() or any(folder.iterdir())
    except OSError:
        return True
    if note.get("lock") != lock_name() or (about.st_uid != os.geteuid() and os.geteuid() != 0):
        return True
    return _launch_lives(note)


def _launch_lives(note: dict[str, Any]) -> bool:
    """Whether the runner is alive, or its launcher if there is no runner yet."""
    said = note
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        said = _runner_of(Path(note["record"]))
    try:
        return is_alive(Identity(int(said["pid"]), int(said["start"])))
    except (KeyError, ValueError, TypeError):
        return False


def leftovers_of(runtime: Path) -> tuple[Leftovers | None, float | None]:
    """What the stack of a run that is gone may have left, and when the run wrote its last event, as its note says."""
    note = _note_of(runtime)
    try:
        known = Leftovers(
            map(str, note["leftovers"]), [(str(path), int(inode)) for path, inode in note["before"]]
        )
        return known, _last_written(Path(note["record"]))
    except (KeyError, ValueError, TypeError):
        return None, None


def living_patterns() -> list[str]:
    """What the stacks of all living runs of this user may leave."""
    notes = [note for note in map(_note_of, _runtimes()) if note and _launch_lives(note)]
    return [str(pattern) for note in notes for pattern in note.get("leftovers") or ()]


_STAMPED = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_.+")
_OF_EXPERIMENTS = re.compile(r".{19}_(compare|suite)_.+")
"""Names of experiments, whose makers write no note; a profile may be called so too."""
_MADE = {"logs", "conf", "plan.json", "profile.toml", "runner.json", "campaign.new"}
"""What a record contains before its first event, and an experiment before it is complete."""


def unlisted_records(runs: Path) -> list[Path]:
    """Records in ``runs`` that a killed launcher left without a first event, so that no list shows them."""
    try:
        folders = sorted(runs.absolute().iterdir())
    except OSError:
        return []
    # After the folders: whoever makes one has written a note before. What has its first event meanwhile is listed.
    living = [note.get("record") for note in map(_note_of, _runtimes()) if note and _launch_lives(note)]
    found = [each for each in folders if str(each) not in living and _is_unlisted(each, None in living)]
    busy = {each.folder for each in look().running} if found else set()
    return [folder for folder in found if folder not in busy and folder.exists()]


def _is_unlisted(folder: Path, launching: bool) -> bool:
    """``launching``: some launcher is about to make a record."""
    if not _STAMPED.fullmatch(folder.name):
        return False
    try:
        about = folder.lstat()
        if not modes.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid():
            return False
        names = set(os.listdir(folder))  # noqa: PTH208
        if "events.jsonl" in names and (folder / "events.jsonl").lstat().st_size == 0:
            names.remove("events.jsonl")
    except OSError:
        return False
    noted = not launching and not _OF_EXPERIMENTS.fullmatch(folder.name)
    return names <= _MADE and (noted or time.time() - about.st_mtime > _YOUNG)
