"""Ends what runs left behind whose runner and supervisor were killed together, and removes their folders."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tui.record.running import (
    LeftBehind,
    gone_runtimes,
    leftovers_of,
    living_patterns,
    look,
    unlisted_records,
)
from tui.stack.leftovers import Leftovers
from tui.system.procfs import Identity, is_alive, send_signal
from tui.system.sockets import bound_unix_sockets, open_files

GRACE = 5.0
"""Seconds between SIGTERM and SIGKILL."""
_KILLING = 3.0
"""Seconds for which SIGKILL is repeated."""
_PERIOD = 0.05
_ENDS = 10.0
"""Seconds for which a supervisor whose runner was killed may take to stop its stack and remove what it left."""
_LATE = 5.0
"""Seconds after a run's last event in which its stack may have changed a file before the run was killed."""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What was done."""

    ended: tuple[LeftBehind, ...]
    """By run, every process that was seen; all have ended but those in ``alive``."""
    killed: frozenset[Identity]
    """Those that had not ended after SIGTERM."""
    alive: frozenset[Identity]
    """Those that SIGKILL did not end."""
    removed: tuple[Path, ...]
    """Runtime folders, records without a first event, and files that stacks left elsewhere."""
    kept: tuple[str, ...]
    """What could not be removed or may be somebody else's, and why."""


def clean(runs: Path, grace: float = GRACE) -> Cleaned:
    """End every process that was left behind, then remove the folders of runs that are gone and what these left."""
    _wait(look().ending, time.monotonic() + _ENDS)
    ended: dict[str, LeftBehind] = {}
    used = _in_use()
    termed = _until_none(ended, signal.SIGTERM, grace)
    killed = _until_none(ended, signal.SIGKILL, _KILLING) if termed else frozenset()
    alive = frozenset(each.identity for left in look().left for each in left.processes) if killed else killed
    removed: list[Path] = []
    kept: list[str] = []
    for folder in (*gone_runtimes(), *unlisted_records(runs)):
        files = left_files(folder, used)
        removed += map(Path, files.remove())
        kept += files.kept
        if files.waits:
            continue
        try:
            shutil.rmtree(folder)
            removed.append(folder)
        except OSError as error:
            if not folder.exists():  # its supervisor or its launcher was removing it, too
                continue
            kept.append(f"{folder}: could not be removed completely ({error.strerror}: {error.filename})")
    return Cleaned(tuple(ended.values()), killed, alive, tuple(removed), tuple(kept))


@dataclass(frozen=True, slots=True)
class LeftFiles:
    """What the stack of a run that is gone left outside the run's folders."""

    known: Leftovers | None
    certain: tuple[str, ...] = ()
    """Paths that are the run's."""
    kept: tuple[str, ...] = ()
    """Those that may be somebody else's, with the reason."""
    waits: bool = False
    """Whether a later look may find them to be the run's."""

    def remove(self) -> list[str]:
        return self.known.remove(self.certain) if self.known is not None else []


def left_files(runtime: Path, used: Collection[str] = ()) -> LeftFiles:
    """The files that match what the run's stack is known to leave and that were not there before the run.

    They are the run's if nothing changed them after it was killed, or if they are among ``used``, the paths that
    processes of such runs had in use. As long as another run with such a stack is alive, nothing is certain.
    """
    known, ended = leftovers_of(runtime)
    if known is None or not (appeared := known.appeared()):
        return LeftFiles(None)
    owners = {os.geteuid(), runtime.lstat().st_uid}
    living = living_patterns()
    certain, kept, waits = [], [], False
    for path in appeared:
        try:
            about = os.lstat(path)
        except OSError:
            continue
        if about.st_uid not in owners:
            continue
        if any(fnmatchcase(path, pattern) for pattern in living):
            kept.append(f"{path}: a living run may use it; clean again when that has ended")
            waits = True
        elif (ended is not None and about.st_ctime <= ended + _LATE) or _within(used, path):
            certain.append(path)
        else:
            kept.append(f"{path}: left as it is, since it was changed after the run was killed")
    return LeftFiles(known, tuple(certain), tuple(kept), waits)


def _within(paths: Iterable[str], folder: str) -> bool:
    """Whether one of ``paths`` is ``folder`` or below it."""
    return any(each == folder or each.startswith(f"{folder}/") for each in paths)


def _in_use() -> set[str]:
    """The paths that the processes which were left behind have open, work in or listen on."""
    found: set[str] = set()
    sockets = {f"socket:[{inode}]": name for name, inode, _ in bound_unix_sockets()}
    for pid in (each.identity.pid for left in look().left for each in left.processes):
        with contextlib.suppress(OSError):
            found.add(os.readlink(f"/proc/{pid}/cwd"))  # noqa: PTH115
        found.update(sockets.get(target, target) for target in open_files(pid))
    return found


def _until_none(ended: dict[str, LeftBehind], number: signal.Signals, seconds: float) -> frozenset[Identity]:
    """Signal everything that was left behind until nothing is there. Returns who got the signal and did not heed it.

    It looks again after each turn: a master may have replaced a worker meanwhile.
    """
    deadline = time.monotonic() + seconds
    told: set[Identity] = set()
    while left := look().left:
        now = [each for run in left for each in run.processes]
        for run in left:
            known = ended.setdefault(run.run, LeftBehind(run.run, run.folder, run.ended))
            seen = {each.identity for each in known.processes}
            known.processes += [each for each in run.processes if each.identity not in seen]
        fresh = {each.identity for each in now} - (told if number == signal.SIGTERM else set())
        _signal(fresh, number)
        told |= fresh
        if time.monotonic() > deadline:
            break
        _wait({each.identity for each in now}, deadline)
    if number == signal.SIGKILL:
        return frozenset(told)
    return frozenset(each for each in told if is_alive(each))


def _wait(identities: Iterable[Identity], deadline: float) -> None:
    while any(map(is_alive, identities)) and time.monotonic() < deadline:
        time.sleep(_PERIOD)


def _signal(identities: Iterable[Identity], number: signal.Signals) -> None:
    for identity in identities:
        with contextlib.suppress(PermissionError):
            send_signal(identity, number)
