"""How a command without a screen handles signals while it follows something that outlives it."""

from __future__ import annotations

import signal
from types import FrameType


class StopSignals:
    """SIGINT and SIGTERM stop what is followed; SIGHUP stops following it."""

    def __init__(self) -> None:
        self.stop = False
        self.stops = 0
        """How often it was asked to stop."""
        self.let_go = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        signal.signal(signal.SIGHUP, self._let_go)

    def rest(self) -> None:
        """Restore Python's default handling."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.stop = True
        self.stops += 1

    def _let_go(self, number: int, frame: FrameType | None) -> None:
        self.let_go = True
