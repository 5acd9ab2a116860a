"""Who may send how much: N requests, shared out among load processes so that exactly N are begun.

The processes share an eventfd in semaphore mode: each read takes one permit or, when none is left, fails at
once (0.5 µs either way). A single process needs none and counts down.
"""

from __future__ import annotations

import os
import sys


def shared_permits(count: int) -> int:
    """A file descriptor that holds ``count`` permits, for ``Permits(0, fd)`` in several processes."""
    return os.eventfd(count, os.EFD_SEMAPHORE | os.EFD_NONBLOCK | os.EFD_CLOEXEC)


class Permits:
    """One process's view: ``left`` are in its hand. To take one: ``if permits.left or permits.refill():
    permits.left -= 1``.

    ``reserved`` are for the first request of each connection, so that as many connections are opened as
    were asked for, however fast the first ones are: ``release`` puts one in hand.
    """

    __slots__ = ("_refused", "_shared", "left", "reserved")

    def __init__(self, left: int | None, shared: int | None, reserved: int = 0) -> None:
        """``left``: None for no limit. ``shared``: the eventfd, closed by whoever opened it."""
        self.left = sys.maxsize if left is None else left
        self.reserved = reserved
        self._refused = False
        self._shared = shared

    @property
    def exhausted(self) -> bool:
        """None is left, and there was none when the last was asked for."""
        return self._refused and not self.reserved

    def release(self) -> None:
        """Put one of those reserved in hand, if there is one."""
        if self.reserved:
            self.reserved -= 1
            self.left += 1

    def refill(self) -> bool:
        """Fetch one more permit. False when there is none."""
        if self._shared is None:
            self._refused = True
            return False
        try:
            self.left += os.eventfd_read(self._shared)
        except BlockingIOError:
            self._refused = True
        return not self._refused
