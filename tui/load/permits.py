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
    """

    __slots__ = ("_shared", "exhausted", "left")

    def __init__(self, left: int | None, shared: int | None) -> None:
        """``left``: None for no limit. ``shared``: the eventfd, closed by whoever opened it."""
        self.left = sys.maxsize if left is None else left
        self.exhausted = False
        self._shared = shared

    def refill(self) -> bool:
        """Fetch one more permit. False, and ``exhausted`` from then on, when there is none."""
        if self._shared is not None:
            try:
                self.left += os.eventfd_read(self._shared)
            except BlockingIOError:
                self.exhausted = True
        else:
            self.exhausted = True
        return not self.exhausted
