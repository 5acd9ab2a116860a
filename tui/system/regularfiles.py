"""Reads ordinary files only: a pipe, a socket or a device in place of one would block us, or has no end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def read_regular(path: Path, *, offset: int = 0, limit: int | None = None) -> bytes:
    """A file's bytes from ``offset`` on, at most ``limit``; a negative offset counts from the end.

    Raises:
        OSError: It can't be read, or isn't an ordinary file: ``strerror`` says "it is a named pipe, not a file".
    """
    _refuse_others(path.stat(), path)  # before opening: that alone can have effects on a device
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as file:
        status = os.fstat(fd)
        _refuse_others(status, path)
        file.seek(offset if offset >= 0 else max(0, status.st_size + offset))
        return file.read() if limit is None else file.read(limit)


def _refuse_others(status: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise OSError(errno.EINVAL, f"it is {kind}, not a file", str(path))
