"""Distributes N requests among load processes so that exactly N are begun.

The processes share an eventfd in semaphore mode: each read takes one permit or, if none is left, fails at
once (0.5 µs either way). A single process doesn't need one and counts down.
"""

from __future__ import annotations

import os
import sys


def shared_permits(count: int) -> int:
    """A file descriptor that holds ``count`` permits, for ``Permits(0, fd)`` in several processes."""
    return os.eventfd(count, os.EFD_SEMAPHORE | os.EFD_NONBLOCK | os.EFD_CLOEXEC)


class Permits:
    """One process's view: ``left`` are available. To take one: ``if permits.left or permits.refill():
    permits.left -= 1``.

    ``reserved`` are for the first request of each connection, so that all configured connections open,
    however fast the first ones are: ``release`` makes one available.
    """

    __slots__ = ("_refused", "_shared", "left", "reserved")

    def __init__(self, left: int | None, shared: int | None, reserved: int = 0) -> None:
        """``left``: None for no limit. ``shared``: the eventfd, closed by its opener."""
        self.left = sys.maxsize if left is None else left
        self.reserved = reserved
        self._refused = False
        self._shared = shared

    @property
    def exhausted(self) -> bool:
        """Whether no permit is left, and the last request for one failed."""
        return self._refused and not self.reserved

    def release(self) -> None:
        """Make one of the reserved permits available, if there is one."""
        if self.reserved:
            self.reserved -= 1
            self.left += 1

    def refill(self) -> bool:
        """Fetch one more permit. False if there is none."""
        if self._shared is None:
            self._refused = True
            return False
        try:
            self.left += os.eventfd_read(self._shared)
        except BlockingIOError:
            self._refused = True
        return not self._refused
