"""How a command without a screen handles signals while it follows something that outlives it."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType


class StopSignals:
    """SIGINT and SIGTERM stop what is followed; SIGHUP stops following it."""

    def __init__(self) -> None:
        self.stop = False
        self.stops = 0
        """How often it was asked to stop."""
        self.let_go = False
        self._last: float | None = None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        signal.signal(signal.SIGHUP, self._let_go)

    def finish(self, seconds: float = 3.0) -> None:
        """Only the result is left to write: after a stop, end if the terminal doesn't take it in time."""
        if not sys.stdout.isatty():
            return
        signal.signal(signal.SIGALRM, lambda *_: os._exit(1))
        self._last = seconds
        if self.stop:
            signal.setitimer(signal.ITIMER_REAL, seconds)

    def rest(self) -> None:
        """Restore Python's default handling."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.stop = True
        self.stops += 1
        if self._last is not None:
            signal.setitimer(signal.ITIMER_REAL, self._last)

    def _let_go(self, number: int, frame: FrameType | None) -> None:
        self.let_go = True
