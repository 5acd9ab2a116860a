"""The open loop: requests start as planned, whatever the server does meanwhile.

It waits with a timerfd: with epoll's timeout, planned starts would have steps of 1 ms.
"""

from __future__ import annotations

from select import EPOLLIN
from time import perf_counter_ns as clock

from tui.load.loop import Loop
from tui.load.open_exchange import OpenExchange
from tui.load.recorder import BULK
from tui.load.timer import Timer


class OpenLoop(Loop[OpenExchange]):
    """One round of one load process; see ``Loop``."""

    def run(self, start: int) -> int:
        """Run until ``end``, or until all requests of the schedule have an outcome. Returns the time of that."""
        timer = Timer()
        self.exchange.epoll.register(timer.fd, EPOLLIN)
        try:
            ended = self._run(start, timer)
        finally:
            timer.close()
        self.exchange.count_planned(ended)
        return ended

    def _run(self, start: int, timer: Timer) -> int:
        exchange, recorder, schedule = self.exchange, self.exchange.recorder, self.exchange.schedule
        woke, next_tick, set_to = start, start + self._tick, 0
        while True:
            exchange.send_due()
            now = clock()
            if now >= exchange.next_scan:
                exchange.scan(now)
            if now >= next_tick:
                exchange.count_planned(now)
                self._on_tick(self.end_lag())
                next_tick += self._tick * ((now - next_tick) // self._tick + 1)
            wake = min(self.end, next_tick, exchange.next_scan, exchange.next_send())
            now = clock()
            self._lag = max(self._lag, now - woke)
            if exchange.opening or wake <= now:
                events = exchange.epoll.poll(0)
            else:
                if wake != set_to:
                    timer.set(wake)
                    set_to = wake
                events = exchange.epoll.poll()
            woke = clock()
            if woke >= self.end:
                return self.end
            self._take(events, timer.fd)
            if recorder.gathered() >= BULK:
                recorder.sum_up()
            if exchange.opening:
                exchange.open_some()
            if schedule.complete and not exchange.in_flight:
                return clock()

    def _take(self, events: list[tuple[int, int]], timer: int) -> None:
        by_fd = self.exchange.by_fd
        for fd, event in events:
            slot = by_fd.get(fd)
            if slot is not None:
                self.exchange.handle(slot, event, self.end)
            elif fd != timer:
                self._control()
