"""Which new files in the places that everybody shares the stack has used: evidence for what it leaves there.

A name says nothing of whose a file is, and the kernel keeps no record of who created it. What proves it is a process of
the stack that has it open for writing, mapped for writing, bound as its socket, or works in it as a folder, and
runs as its owner. That lasts only while the process lives, so it is looked for during the run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tui.system.kernelfiles import read_text
from tui.system.snapshot import Snapshot, default_places
from tui.system.sockets import bound_unix_sockets

BUDGET = 0.01
"""The share of a core that looking may take."""


class FileWatch:
    """``users``: each file's path and the pid of the first process of the stack that was seen using it."""

    def __init__(self, before: Snapshot) -> None:
        self.users: dict[str, int] = {}
        self._before = before.files
        self._places = default_places()
        self._next = 0.0

    def look(self, pids: Iterable[int], *, always: bool = False) -> None:
        """If there are new files, look at the processes with these pids; within the budget, or ``always``."""
        began = time.monotonic()
        if began < self._next and not always:
            return
        cpu = time.thread_time()
        if wanted := self._unclaimed():
            for pid in pids:
                self._claim(pid, wanted)
        self._next = began + (time.thread_time() - cpu) / BUDGET

    def _unclaimed(self) -> dict[str, tuple[str, int]]:
        """What a new file is called in ``/proc/PID``: its own path and its owner's uid."""
        found: dict[str, tuple[str, int]] = {}
        for place in self._places:
            try:
                names = os.listdir(place)  # noqa: PTH208 (Path costs three times as much)
            except OSError:
                continue
            for path in (f"{place}/{name}" for name in names):
                if path in self._before or path in self.users:
                    continue
                try:
                    found[path] = path, os.lstat(path).st_uid
                except OSError:
                    continue
        if found:
            sockets = {name: inode for name, inode, _ in bound_unix_sockets() if name in found}
            found.update({f"socket:[{inode}]": found[name] for name, inode in sockets.items()})
        return found

    def _claim(self, pid: int, wanted: Mapping[str, tuple[str, int]]) -> None:
        try:
            uids = set(_uids(pid))
        except (OSError, ValueError):
            return
        for target in _used(pid):
            path, owner = wanted.get(target) or wanted.get(self._top(target)) or ("", -1)
            if owner in uids:
                self.users.setdefault(path, pid)

    def _top(self, target: str) -> str:
        """The entry of a place that a path lies in."""
        for place in self._places:
            if target.startswith(f"{place}/"):
                return f"{place}/{target[len(str(place)) + 1 :].partition('/')[0]}"
        return ""


def _used(pid: int) -> Iterator[str]:
    """Paths and sockets that a process has open for writing or mapped for writing, and the folder it works in."""
    folder = f"/proc/{pid}"
    try:
        yield os.readlink(f"{folder}/cwd")  # noqa: PTH115
        descriptors = os.listdir(f"{folder}/fd")  # noqa: PTH208
    except OSError:
        return
    for descriptor in descriptors:
        try:
            target = os.readlink(f"{folder}/fd/{descriptor}")  # noqa: PTH115
            if target.startswith("socket:") or os.lstat(f"{folder}/fd/{descriptor}").st_mode & 0o200:
                yield target
        except OSError:
            continue
    for line in (read_text(Path(f"{folder}/maps")) or "").splitlines():
        _, rights, _, _, inode, *name = line.split(maxsplit=5)
        if name and inode != "0" and rights[1] == "w" and rights[3] == "s":
            yield name[0]


def _uids(pid: int) -> Iterator[int]:
    """The real, effective, saved and file-system uid of a process."""
    for line in (read_text(Path(f"/proc/{pid}/status")) or "").splitlines():
        if line.startswith("Uid:"):
            yield from map(int, line.split()[1:])
