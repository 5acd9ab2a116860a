"""How near a process is to its descriptor limit: how many files and sockets it has open, and how many it may open."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tui.system.kernelfiles import read_text
from tui.system.procfs import Identity, is_alive

_LIMIT = "Max open files"  # the row of proc_pid_limits(5); its first number is the soft limit


@dataclass(frozen=True, slots=True)
class Descriptors:
    """``open`` and ``limit`` of one process. What can't be read is None, and ``missing`` says why."""

    open: int | None
    limit: int | None
    missing: str | None = None


def read_descriptors(identity: Identity, proc: Path = Path("/proc")) -> Descriptors | None:
    """Read for one process, from two small files; None if it has ended. An unlimited limit is None too."""
    folder = proc / str(identity.pid)
    opened, missing = _count(folder / "fd")
    limit = _limit(folder / "limits")
    if (opened is None or limit is None) and not is_alive(identity):
        return None
    return Descriptors(opened, limit, missing)


def _count(folder: Path) -> tuple[int | None, str | None]:
    """From kernel 6.2 on, the folder's size is the number; before, it must be listed, which only its owner may."""
    try:
        size = folder.stat().st_size
        return size or len(os.listdir(folder)), None  # noqa: PTH208 (Path makes an object of each)
    except OSError as error:
        return None, f"{folder}: {error.strerror}"


def _limit(path: Path) -> int | None:
    for line in (read_text(path) or "").splitlines():
        if line.startswith(_LIMIT):
            soft = line.removeprefix(_LIMIT).split()[0]
            return int(soft) if soft.isdigit() else None
    return None
