"""Proves that a run left nothing behind, by comparing snapshots of the whole system before and after it.

It covers the whole system, since a process missing from our own list is exactly what would stay behind. On a
busy machine, others start processes and write files meanwhile; a new item only counts as ours if there is
evidence, and the rest is listed separately. Never end a process that isn't certainly ours.
"""

import os
import re
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Self

from tui.system.kernelfiles import read_text
from tui.system.planted import matching
from tui.system.procfs import Identity, every_process, is_alive, read_cmdline, read_environ, read_stat
from tui.system.sockets import ListeningSocket, holder_of_port, holders, listening_sockets, open_files

__all__ = ["MARKER", "Evidence", "Left", "Leftovers", "Snapshot", "compare", "holder_of_port"]

MARKER = "STACKDYNO_RUN"
"""The environment variable that all processes of a stack inherit; its value is the run's id."""


def default_places() -> tuple[Path, ...]:
    """The folders in which servers leave sockets, locks and shared memory."""
    places = (
        Path(tempfile.gettempdir()),
        *map(Path, ("/tmp", "/var/tmp", "/dev/shm", f"/run/user/{os.getuid()}")),
    )
    return tuple(dict.fromkeys(place for place in places if place.is_dir()))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The system at one moment. ``shared_memory`` holds System V segments: id and the pid that made it."""

    processes: frozenset[Identity]
    sockets: frozenset[ListeningSocket]
    files: frozenset[str]
    shared_memory: frozenset[tuple[int, int]]

    @classmethod
    def take(cls, places: Sequence[Path] | None = None, leftovers: Sequence[str] = ()) -> Self:
        """Takes a snapshot; ``places`` are listed one level deep, ``leftovers`` are absolute glob patterns.

        Use the same places and patterns after the run. Zombies and kernel threads don't count.
        """
        return cls(
            processes=frozenset(
                stat.identity for stat in every_process() if stat.alive and not stat.kernel_thread
            ),
            sockets=frozenset(listening_sockets()),
            files=frozenset(_files(default_places() if places is None else places, leftovers)),
            shared_memory=frozenset(_shared_memory()),
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """How to recognise what is ours.

    The run's id in the environment of its processes, the processes seen below its supervisor, its runtime folder,
    the TCP ports and unix sockets assigned to it, glob patterns of files that its stack is known to leave,
    and files that a process of the stack was seen writing, with its pid.
    """

    run_id: str
    identities: Collection[Identity] = frozenset()
    runtime: Path | None = None
    ports: Collection[int] = frozenset()
    socket_paths: Collection[str] = frozenset()
    leftovers: Sequence[str] = ()
    file_users: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Left:
    """Something that didn't exist before the run; ``why`` is the evidence, empty if there is none.

    ``certain`` is false for a process that only uses the run's folder: so does someone reading the logs.
    """

    what: str
    why: str = ""
    identity: Identity | None = None
    certain: bool = True

    def __str__(self) -> str:
        return f"{self.what} ({self.why})" if self.why else self.what


@dataclass(frozen=True, slots=True)
class Leftovers:
    """What a run left behind, and what appeared meanwhile without evidence that it belongs to the run."""

    processes: tuple[Left, ...] = ()
    sockets: tuple[Left, ...] = ()
    files: tuple[Left, ...] = ()
    shared_memory: tuple[Left, ...] = ()
    unrelated: tuple[Left, ...] = ()

    def __bool__(self) -> bool:
        return any(self.ours)

    @property
    def ours(self) -> tuple[Left, ...]:
        return self.processes + self.sockets + self.files + self.shared_memory

    @property
    def to_end(self) -> tuple[Identity, ...]:
        """The processes that are certainly ours."""
        return tuple(left.identity for left in self.processes if left.identity and left.certain)


def compare(before: Snapshot, after: Snapshot, evidence: Evidence) -> Leftovers:
    """What is in ``after`` but not in ``before``, sorted by the evidence.

    Call it while the system is still as in ``after``: it reads the environment, folder and files of new
    processes now, and leaves out those that have ended.
    """
    found = _Sorted()
    _sort_processes(found, after.processes - before.processes, evidence)
    _sort_sockets(found, before, after, evidence)
    _sort_files(found, after.files - before.files, evidence)
    _sort_shared_memory(found, after.shared_memory - before.shared_memory, evidence)
    return Leftovers(
        tuple(found.processes),
        tuple(found.sockets),
        tuple(found.files),
        tuple(found.memory),
        tuple(found.unrelated),
    )


@dataclass(slots=True)
class _Sorted:
    processes: list[Left] = field(default_factory=list)
    sockets: list[Left] = field(default_factory=list)
    files: list[Left] = field(default_factory=list)
    memory: list[Left] = field(default_factory=list)
    unrelated: list[Left] = field(default_factory=list)

    def add(self, kind: list[Left], left: Left) -> None:
        (kind if left.why else self.unrelated).append(left)

    @property
    def pids(self) -> set[int]:
        return {left.identity.pid for left in self.processes if left.identity}


def _sort_processes(found: _Sorted, new: Collection[Identity], evidence: Evidence) -> None:
    ours: dict[int, bool] = {}  # pid: whether that is certain
    for identity in sorted(new, key=lambda identity: identity.start):  # parents before their children
        stat, cmdline = read_stat(identity.pid), read_cmdline(identity.pid)
        if stat is None or cmdline is None or not is_alive(identity):
            continue
        why, certain = _whose(identity, cmdline, evidence)
        if not certain and stat.ppid in ours:
            why, certain = f"a child of pid {stat.ppid}", ours[stat.ppid]
        if why:
            ours[identity.pid] = certain
        found.add(found.processes, Left(f"pid {identity.pid} {cmdline}", why, identity, certain))


def _whose(identity: Identity, cmdline: str, evidence: Evidence) -> tuple[str, bool]:
    """The evidence that a process is ours, and whether it is proof."""
    if identity in evidence.identities:
        return "seen below the supervisor", True
    if (read_environ(identity.pid) or {}).get(MARKER) == evidence.run_id:
        return f"has {MARKER}={evidence.run_id} in its environment", True
    if evidence.runtime is not None:
        folder = str(evidence.runtime)
        if re.search(re.escape(folder) + r"(?![\w.-])", cmdline):
            return f"has {folder} in its command line", False
        if any(_within(path, folder) for path in _paths_in_use(identity.pid)):
            return f"works in {folder} or has a file of it open", False
    return "", False


def _sort_sockets(found: _Sorted, before: Snapshot, after: Snapshot, evidence: Evidence) -> None:
    known = {each.place for each in before.sockets}
    new = sorted((each for each in after.sockets if each.place not in known), key=str)
    held_by = holders(each.inode for each in new)
    for each in new:
        why = ""
        holding = found.pids.intersection(held_by.get(each.inode, ()))
        if holding:
            why = f"held by pid {min(holding)}"
        elif each.port in evidence.ports or each.address in evidence.socket_paths:
            why = "given to this run"
        elif each.kind == "unix" and _within(each.address, evidence.runtime):
            why = f"in {evidence.runtime}"
        found.add(found.sockets, Left(f"listening socket {each}", why))


def _sort_files(found: _Sorted, new: Collection[str], evidence: Evidence) -> None:
    in_use = {path: pid for pid in found.pids for path in _paths_in_use(pid)}
    for path in sorted(new):
        why = ""
        pattern = next((pattern for pattern in evidence.leftovers if fnmatchcase(path, pattern)), None)
        if _within(path, evidence.runtime):
            why = "the run's own folder"
        elif pattern:
            why = f"this stack leaves {pattern}"
        elif path in in_use:
            why = f"in use by pid {in_use[path]}"
        elif path in evidence.file_users:
            why = f"used by pid {evidence.file_users[path]} of the stack"
        found.add(found.files, Left(path, why))


def _sort_shared_memory(found: _Sorted, new: Collection[tuple[int, int]], evidence: Evidence) -> None:
    makers = {identity.pid for identity in evidence.identities} | found.pids
    for segment, maker in sorted(new):
        why = f"made by pid {maker}" if maker in makers else ""
        found.add(found.memory, Left(f"shared memory segment {segment}", why))


def _paths_in_use(pid: int) -> Iterator[str]:
    try:
        yield os.readlink(f"/proc/{pid}/cwd")  # noqa: PTH115
    except OSError:
        return
    yield from open_files(pid)


def _within(path: str, folder: Path | str | None) -> bool:
    return folder is not None and (path == str(folder) or path.startswith(f"{folder}/"))


def _files(places: Sequence[Path], leftovers: Sequence[str]) -> Iterator[str]:
    for place in places:
        try:
            yield from (str(entry) for entry in place.iterdir())
        except OSError:
            continue
    for pattern in leftovers:
        yield from (path for path, _ in matching(pattern))


def _shared_memory() -> Iterator[tuple[int, int]]:
    for line in (read_text(Path("/proc/sysvipc/shm")) or "").splitlines()[1:]:
        columns = line.split()
        yield int(columns[1]), int(columns[4])
