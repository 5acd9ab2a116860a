"""The closed loop: each connection sends its next request as soon as it has the answer to the last.

On kept connections, most answers equal, byte for byte, a good answer that was parsed before (the Date
changes once a second). These take the fast path in ``run``: one read, one comparison, one time in a list,
one write. Everything else goes through ``ClosedExchange``.
"""

from __future__ import annotations

from select import EPOLLIN
from time import perf_counter_ns as clock

from tui.load.closed_exchange import ClosedExchange
from tui.load.exchange import READ
from tui.load.loop import Loop
from tui.load.probe import LagProbe
from tui.load.recorder import BULK
from tui.load.slot import Stage

_RESENT = Stage.RESENT


class ClosedLoop(Loop[ClosedExchange]):
    """One round of one load process; see ``Loop``."""

    def run(self, start: int) -> int:
        """Run until ``end``, or until all permits are used and all requests have an outcome. Returns the time
        of that.
        """
        probe = LagProbe(start, self.exchange.recorder.parts["timer_lag"])
        self.exchange.epoll.register(probe.fd, EPOLLIN)
        try:
            return self._run(start, probe)
        finally:
            probe.close()

    def _run(self, start: int, probe: LagProbe) -> int:
        exchange, recorder, permits = self.exchange, self.exchange.recorder, self.exchange.permits
        woke, next_tick = start, start + self._tick
        while True:
            now = clock()
            if now >= exchange.next_scan:
                exchange.scan(now)
            if now >= next_tick:
                self._on_tick(self.end_lag())
                next_tick += self._tick * ((now - next_tick) // self._tick + 1)
            now = clock()
            self._lag = max(self._lag, now - woke)
            wake = min(self.end, next_tick, exchange.next_scan)
            events = exchange.epoll.poll(0 if exchange.opening or wake <= now else (wake - now) / 1e9)
            woke = clock()
            if woke >= self.end:
                return self.end
            self._take(events, probe)
            if recorder.gathered() >= BULK:
                recorder.sum_up()
            if exchange.opening:
                exchange.open_some()
            if permits.exhausted and not exchange.in_flight:
                return clock()

    def _take(self, events: list[tuple[int, int]], probe: LagProbe) -> None:
        exchange, permits, end = self.exchange, self.exchange.permits, self.end
        by_fd, request, fast = exchange.by_fd, exchange.request, exchange.recorder.fast
        size, resent = len(request), 0
        for fd, event in events:
            slot = by_fd.get(fd)
            if slot is None:
                if fd == probe.fd:
                    probe.notice()
                    continue
                self._control()
                end = self.end
                continue
            if event != EPOLLIN or slot.stage is not _RESENT:
                exchange.handle(slot, event, end)
                continue
            try:
                data = slot.recv(READ)
            except OSError as error:
                exchange.broken(slot, error, clock())
                continue
            now = clock()
            if now >= end:
                break
            if data != exchange.known:
                exchange.received(slot, data, event, now)
                continue
            fast.append(now - slot.sent)
            if not (permits.left or permits.refill()):
                exchange.retire(slot)
                continue
            permits.left -= 1
            slot.begun = slot.sent = clock()
            try:
                count = slot.send(request)
            except OSError:
                count = 0
            if count == size:
                resent += 1
            else:
                exchange.sent_in_part(slot, count)
        if resent:
            exchange.recorder.resent(resent)
