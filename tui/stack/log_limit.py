"""Keeps a log that floods from filling the disk: its first and its last part stay, what lies between is dropped.

A server writes its log itself, through a descriptor that only it has: a pipe in between would slow it down. While it
runs, blocks between the two parts are given back to the disk where they are (FALLOC_FL_PUNCH_HOLE: no byte moves, and
the writer doesn't notice). Cutting them out (FALLOC_FL_COLLAPSE_RANGE) is something that tmpfs can't do. Once the stack
has ended, the last part moves up to the first. Where no hole can be made, the file is cut to its first part instead,
and the server goes on from there.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

LIMIT = 64 * 1024 * 1024
"""Bytes of one log that are kept."""
PERIOD = 0.5
"""Seconds between two looks."""
_PUNCH_HOLE_KEEP_SIZE = 0x02 | 0x01  # FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE (linux/falloc.h)
_BLOCK = 1 << 16
_CHUNK = 1 << 20
_OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class LogLimit:
    """The logs of one stack: every ``*.log`` in its folder."""

    def __init__(self, folder: Path, limit: int = LIMIT) -> None:
        self._folder = folder
        self._half = limit // 2 // _BLOCK * _BLOCK
        self._punched: dict[str, int] = {}
        """Up to which byte each log has a hole."""
        self._cut: dict[str, int] = {}
        """Bytes that were cut off logs where no hole can be made."""
        self._looked = 0.0

    def look(self) -> None:
        """Give back what lies between the two parts of any log that is too long; at most twice a second."""
        if time.monotonic() - self._looked < PERIOD:
            return
        self._looked = time.monotonic()
        for name in self._long():
            with self._opened(name) as fd:
                if fd is not None:
                    self._give_back(name, fd)

    def finish(self) -> dict[str, int]:
        """Move the last parts up, when nothing writes any more. Returns how many bytes each log has lost."""
        dropped, long = dict(self._cut), self._long()
        for name in long:
            with self._opened(name) as fd:
                if fd is not None:
                    dropped[name] = self._close_gap(fd, dropped.get(name, 0))
        for name in self._cut.keys() - set(long):
            with self._opened(name) as fd, contextlib.suppress(OSError):
                if fd is not None:
                    os.pwrite(fd, _remark(self._cut[name], self._half, exact=False), os.fstat(fd).st_size)
        return dropped

    def _long(self) -> list[str]:
        try:
            with os.scandir(self._folder) as entries:
                return [
                    entry.name
                    for entry in entries
                    if entry.name.endswith(".log")
                    and entry.is_file(follow_symlinks=False)
                    and entry.stat(follow_symlinks=False).st_size > 2 * self._half + _BLOCK
                ]
        except OSError:
            return []

    @contextlib.contextmanager
    def _opened(self, name: str) -> Iterator[int | None]:
        """A descriptor, or None for what isn't an ordinary file of this folder alone."""
        fd = None
        with contextlib.suppress(OSError):
            fd = os.open(self._folder / name, _OPEN)
        try:
            status = os.fstat(fd) if fd is not None else None
            ordinary = status is not None and stat.S_ISREG(status.st_mode) and status.st_nlink == 1
            yield fd if ordinary else None
        finally:
            if fd is not None:
                os.close(fd)

    def _give_back(self, name: str, fd: int) -> None:
        size = os.fstat(fd).st_size
        begin, end = self._punched.get(name, self._half), (size - self._half) // _BLOCK * _BLOCK
        if end <= begin:
            return
        if _punch(fd, begin, end - begin):
            self._punched[name] = end
        else:
            self._cut[name] = self._cut.get(name, 0) + size - self._half
            with contextlib.suppress(OSError):
                os.ftruncate(fd, self._half)

    def _close_gap(self, fd: int, cut: int) -> int:
        """Move the last part to the end of the first, behind a line about what is gone; returns how much that is.

        ``cut`` bytes of it went earlier.
        """
        size = os.fstat(fd).st_size
        source = size - self._half
        dropped = cut + source - self._half
        remark = _remark(dropped, self._half, exact=not cut)
        try:
            target = self._half + os.pwrite(fd, remark, self._half)
            while chunk := os.pread(fd, min(_CHUNK, size - source), source):
                os.pwrite(fd, chunk, target)
                source, target = source + len(chunk), target + len(chunk)
            os.ftruncate(fd, target)
        except OSError:
            return cut
        return dropped


def _remark(dropped: int, half: int, *, exact: bool) -> bytes:
    """What is written between a look at the size and a cut is lost uncounted."""
    kept = f"a log keeps its first and its last {half // 1_000_000} MB"
    number = f"{dropped:,}" if exact else f"at least {dropped:,}"
    return f"\n[stackdyno: {number} bytes are left out here; {kept}]\n".encode()


def _punch(fd: int, begin: int, length: int) -> bool:
    """Whether a hole could be made (fallocate(2))."""
    libc = ctypes.CDLL(None, use_errno=True)
    allocate = libc.fallocate64 if hasattr(libc, "fallocate64") else libc.fallocate
    allocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    return bool(allocate(fd, _PUNCH_HOLE_KEEP_SIZE, begin, length) == 0)
