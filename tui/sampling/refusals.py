"""Connections that a full unix socket refused, counted in the log of the refused client.

The kernel counts no overflows of a unix socket, but a front that gets EAGAIN writes a line about it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tui.system.planted import read_file

_LONGEST = 1 << 22
"""Bytes to read at once; if a log grew by more, the rest is read next time."""


class RefusalCounter:
    """Counts the lines that fit an expression in one log, from now on and while it grows."""

    def __init__(self, log: Path, regex: str) -> None:
        self._log = log
        self._regex = re.compile(regex.encode())
        self._offset = _size(log)
        self._unread = b""

    def count(self, addresses: Iterable[str]) -> Counter[str]:
        """The new lines that fit, by the one of these addresses that a line names; ``""`` where it names none."""
        *lines, self._unread = (self._unread + self._grown()).split(b"\n")
        # The longest first: /run/app.sock is found in a line that names /run/app.sock.2, too.
        known = sorted(addresses, key=len, reverse=True)
        named = [(address, address.encode()) for address in known]
        counted: Counter[str] = Counter()
        for line in lines:
            if self._regex.search(line):
                counted[next((address for address, text in named if text in line), "")] += 1
        return counted

    def _grown(self) -> bytes:
        try:
            grown = read_file(self._log, _LONGEST, start=self._offset)
        except OSError:
            return b""
        self._offset += len(grown)
        return grown


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
