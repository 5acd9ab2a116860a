"""A thread that works on request."""

from __future__ import annotations

import threading
from collections.abc import Callable


class OnDemand:
    """Calls ``step`` in a separate thread, once for all pending requests, until it returns False."""

    def __init__(self, name: str, step: Callable[[], bool]) -> None:
        self._step = step
        self._asked = threading.Event()
        self.closed = False
        """Whether the thread was told to stop."""
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread; call this once everything ``step`` uses exists."""
        self._thread.start()

    def ask(self) -> None:
        """Request a step."""
        self._asked.set()

    def close(self) -> None:
        """Request no more steps; the current one finishes."""
        self.closed = True
        self._asked.set()

    def _run(self) -> None:
        going = True
        while going:
            self._asked.wait()
            self._asked.clear()
            going = not self.closed and self._step()
