"""Files that grow line by line, and reading them while they grow."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from tui.system.errors import UserError
from tui.system.regularfiles import read_regular

BLOCK = 1 << 20
"""Bytes that are read at a time."""


class LineWriter:
    """Appends lines, each with one write, so a reader sees whole lines or the beginning of one.

    It first drops a last line that was cut off when the machine went down.
    """

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.ftruncate(self._fd, len(self.content()))
        except OSError:
            self.close()
            raise

    def write(self, line: bytes) -> None:
        """Append a line. OSError if that isn't possible, or if nobody could find it: the file was deleted."""
        before = os.fstat(self._fd)
        if not before.st_nlink:
            raise FileNotFoundError(errno.ENOENT, "its folder was deleted")
        if os.write(self._fd, line + b"\n") <= len(line):
            os.ftruncate(self._fd, before.st_size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def content(self) -> bytes:
        """The whole lines so far, also of a file that was deleted."""
        content = os.pread(self._fd, os.fstat(self._fd).st_size, 0)
        return content[: content.rfind(b"\n") + 1]

    def close(self) -> None:
        os.close(self._fd)


class LineReader:
    """Reads as ``tail -f`` would."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        """Where the first line begins that hasn't been read as a whole."""

    def move(self, path: Path) -> None:
        """Go on in another file that begins with the same lines."""
        self._path = path

    def lines(self) -> Iterator[bytes]:
        """The lines completed since the last call; none if the file doesn't exist.

        It is read block by block, so however long it is, little of it is held at a time.

        Raises:
            UserError: It can't be read, or isn't an ordinary file.
        """
        size = BLOCK
        while True:
            block = self._read(size)
            for line in block.split(b"\n")[:-1]:
                self._offset += len(line) + 1
                if line:
                    yield line
            if len(block) < size:
                return
            size = BLOCK if b"\n" in block else size * 2

    def _read(self, size: int) -> bytes:
        try:
            return read_regular(self._path, offset=self._offset, limit=size)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise UserError(f"{self._path}: can't be read ({error.strerror})") from error
