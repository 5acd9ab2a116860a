"""Files that grow line by line, and reading them while they grow."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from tui.system.errors import UserError
from tui.system.regularfiles import read_regular


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
        self._unread = b""

    def move(self, path: Path) -> None:
        """Go on in another file that begins with the same lines."""
        self._path = path
        self._offset -= len(self._unread)
        self._unread = b""

    def poll(self) -> list[bytes]:
        """The lines completed since the last call; empty if there are none or the file doesn't exist.

        Raises:
            UserError: It can't be read, or isn't an ordinary file.
        """
        try:
            data = read_regular(self._path, offset=self._offset)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise UserError(f"{self._path}: can't be read ({error.strerror})") from error
        self._offset += len(data)
        *lines, self._unread = (self._unread + data).split(b"\n")
        return [line for line in lines if line]
