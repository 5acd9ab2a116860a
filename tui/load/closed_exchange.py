"""The closed loop's rule for a free connection: it sends the next request at once, as long as there are permits."""

from __future__ import annotations

from collections import deque
from typing import Any

from tui.load.exchange import OPEN_AT_ONCE, Exchange
from tui.load.permits import Permits
from tui.load.slot import ConnectionSlot
from tui.load.spec import LoadSpec


class ClosedExchange(Exchange):
    """The connections of one load process in one round of the closed loop."""

    def __init__(self, spec: LoadSpec, target: tuple[int, Any], connections: int, permits: Permits) -> None:
        super().__init__(spec, target, connections)
        self.permits = permits
        self.opening = deque(self.slots)

    def open_some(self) -> None:
        """Let slots of ``opening`` proceed, each with a reserved permit, as long as there are any."""
        for _ in range(min(OPEN_AT_ONCE, len(self.opening))):
            self.permits.release()
            self.proceed(self.opening.popleft())

    def proceed(self, slot: ConnectionSlot) -> None:
        """Begin the slot's next request, or close its connection if no permit is left."""
        if not (self.permits.left or self.permits.refill()):
            self._drop(slot)
            return
        self.permits.left -= 1
        self.begin(slot)

    def retire(self, slot: ConnectionSlot) -> None:
        """The last request of a kept connection has its outcome, and no other follows."""
        self.in_flight -= 1
        self._drop(slot)
