"""The open loop's rule for a free connection: it sends the next request at its planned start, not before.

If no connection is free at a request's planned start, the request goes out as soon as one is. The wait counts as
latency, since a user would have waited too: leaving it out is the coordinated omission of closed loops. Such
requests go out faster than the rate, so their number and their waits are recorded.
"""

from __future__ import annotations

from collections import deque
from time import perf_counter_ns as clock
from typing import Any

from tui.load.exchange import OPEN_AT_ONCE, Exchange
from tui.load.schedule import NEVER, Schedule
from tui.load.slot import ConnectionSlot, Stage
from tui.load.spec import LoadSpec


class OpenExchange(Exchange):
    """The connections of one load process in one round of the open loop.

    Free connections take turns, so that the load is spread over all of them. The total time of an answer
    counts from its planned start, its service time from its begin. A timeout counts from the begin too, or
    every request would time out once the backlog is older than the timeout.

    The lag from planned to begun is recorded by cause: ``schedule_lag`` if a connection was free at the
    planned start and we were late, ``connection_wait`` if none was free.
    """

    def __init__(self, spec: LoadSpec, target: tuple[int, Any], connections: int, schedule: Schedule) -> None:
        super().__init__(spec, target, connections)
        self.schedule = schedule
        self._free = deque(self.slots)

    def next_send(self) -> int:
        """The next time at which something has to be sent, as far as known, in ns."""
        return self.schedule.head if self._free else NEVER

    def send_due(self) -> None:
        """Begin due requests on free connections: a few at a time, so that answers needn't wait."""
        free, schedule = self._free, self.schedule
        for _ in range(OPEN_AT_ONCE):
            if not free or schedule.head > clock():
                return
            self._send_planned(free.popleft())

    def proceed(self, slot: ConnectionSlot) -> None:
        """The slot is free, and takes the request that has waited longest, if any."""
        slot.free_since = clock()
        if self.schedule.head <= slot.free_since:
            self._send_planned(slot)
        else:
            slot.stage = Stage.IDLE
            self._free.append(slot)

    def _send_planned(self, slot: ConnectionSlot) -> None:
        slot.planned = self.schedule.take()
        self.begin(slot)
        waited = slot.free_since > slot.planned
        self.recorder.parts["connection_wait" if waited else "schedule_lag"].append(slot.begun - slot.planned)

    def handle(self, slot: ConnectionSlot, event: int, end: int) -> None:
        """Handle a connection's epoll event. On a free connection, any event means its end."""
        if slot.stage == Stage.IDLE:
            self._drop(slot)
        else:
            super().handle(slot, event, end)

    def count_planned(self, now: int) -> None:
        """Update the count of planned requests to ``now``."""
        self.recorder.tick.planned += self.schedule.count_until(now)

    def unfinished(self, now: int) -> tuple[list[int], int | None]:
        """The oldest's age counts from the planned start, even if it was never sent."""
        ages, _ = super().unfinished(now)
        planned = [slot.planned for slot in self.slots if slot.stage >= Stage.CONNECTING]
        oldest = min([*planned, self.schedule.head])
        return ages, now - oldest if oldest < now else None

    def _good(self, slot: ConnectionSlot, now: int, status: int, body_length: int) -> None:
        begun, slot.begun = slot.begun, slot.planned
        super()._good(slot, now, status, body_length)
        self.recorder.parts["service"].append(now - begun)

    def _bad(self, slot: ConnectionSlot, now: int, outcome: str, text: str) -> None:
        slot.begun = slot.planned
        super()._bad(slot, now, outcome, text)
