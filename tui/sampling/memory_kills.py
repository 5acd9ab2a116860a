"""Processes that the kernel's OOM killer has killed, by the kernel's own counts.

A SIGKILL may come from anyone; only these counts show that memory was the reason. The machine's count includes kills
at the limit of any cgroup, and a cgroup's count says which limit it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tui.system.kernelfiles import read_text

_CGROUPS = Path("/sys/fs/cgroup")
_UNLIMITED = 1 << 60
"""cgroup v1 writes the largest number of pages, in bytes, if there is no limit."""


@dataclass(frozen=True, slots=True)
class GroupKills:
    """A memory cgroup, how many of its processes were killed, and how many bytes they may use, if that is limited."""

    name: str
    kills: int
    limit: int | None


class GroupWatch:
    """Counts the kills in the cgroups of some processes, from when it first saw one in a group."""

    def __init__(self, proc: Path = Path("/proc"), cgroups: Path = _CGROUPS) -> None:
        self._proc = proc
        self._cgroups = cgroups
        self._first: dict[str, int] = {}

    def find(self, pids: Iterable[int]) -> None:
        """Learn the cgroups of these processes."""
        for name in {self._name(pid) for pid in pids} - self._first.keys():
            if name is not None and (kills := self._kills(name)) is not None:
                self._first[name] = kills

    def killed(self) -> tuple[GroupKills, ...]:
        """The groups in which the kernel has killed since the last call."""
        found = []
        for name, before in self._first.items():
            now = self._kills(name)
            if now is not None and now > before:
                found.append(GroupKills(name, now - before, self._limit(name)))
                self._first[name] = now
        return tuple(found)

    def _name(self, pid: int) -> str | None:
        """The memory cgroup of a process: ``memory:/web`` of cgroup v1, ``/web`` of v2."""
        lines = [
            line.split(":", 2) for line in (read_text(self._proc / str(pid) / "cgroup") or "").splitlines()
        ]
        first = next((path for _, kinds, path in lines if "memory" in kinds.split(",")), None)
        if first is not None:
            return f"memory:{first}"
        return next((path for _, kinds, path in lines if not kinds), None)

    def _folder(self, name: str) -> Path:
        """In a container the group's path may be the host's, and the mount shows the container's own group."""
        first = name.startswith("memory:")
        root = self._cgroups / "memory" if first else self._cgroups
        folder = root / name.removeprefix("memory:").lstrip("/")
        return folder if folder.is_dir() else root

    def _kills(self, name: str) -> int | None:
        file = "memory.oom_control" if name.startswith("memory:") else "memory.events"
        for line in (read_text(self._folder(name) / file) or "").splitlines():
            key, _, value = line.partition(" ")
            if key == "oom_kill":
                return int(value)
        return None

    def _limit(self, name: str) -> int | None:
        file = "memory.limit_in_bytes" if name.startswith("memory:") else "memory.max"
        text = read_text(self._folder(name) / file) or ""
        return int(text) if text.isdigit() and int(text) < _UNLIMITED else None
