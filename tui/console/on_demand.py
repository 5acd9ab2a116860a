"""A thread that works when it is asked to."""

from __future__ import annotations

import threading
from collections.abc import Callable


class OnDemand:
    """Calls ``step`` in a thread of its own, once for all that was asked meanwhile, until that returns False."""

    def __init__(self, name: str, step: Callable[[], bool]) -> None:
        self._step = step
        self._asked = threading.Event()
        self.closed = False
        """Nothing is wanted any more."""
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """To be called when all that ``step`` uses is there."""
        self._thread.start()

    def ask(self) -> None:
        """A step is wanted."""
        self._asked.set()

    def close(self) -> None:
        """No more steps are wanted; the current one ends."""
        self.closed = True
        self._asked.set()

    def _run(self) -> None:
        going = True
        while going:
            self._asked.wait()
            self._asked.clear()
            going = not self.closed and self._step()
