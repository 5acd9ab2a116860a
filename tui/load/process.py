"""One load process: ``python -m tui.load.process FD CPU``, started and commanded by
``tui.load.generator``.

It ends when its runner does, however that happens: the channel closes, and the kernel sends a signal.
It is small on purpose (no asyncio, pydantic or httpx), and only takes a round's command after it is bound,
warm and has no garbage left to collect.

Its commands and reports are in ``tui.load.wire``.
"""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import select
import signal
import socket
import sys
import time
from time import perf_counter_ns as clock
from typing import Any

from tui.load.channel import Channel
from tui.load.closed_exchange import ClosedExchange
from tui.load.closed_loop import ClosedLoop
from tui.load.exchange import Exchange
from tui.load.histogram import index_table
from tui.load.open_exchange import OpenExchange
from tui.load.open_loop import OpenLoop
from tui.load.permits import Permits
from tui.load.schedule import Schedule
from tui.load.spec import LoadSpec
from tui.load.wire import LoadCommand, RoundCommand, RoundReport, TickReport

_PR_SET_PDEATHSIG = 1
_FOREVER = 1 << 62  # ns


class Round:
    """A round in this process: the loop, and its reports."""

    def __init__(
        self,
        spec: LoadSpec,
        target: tuple[int, Any],
        command: RoundCommand,
        shared: int | None,
        channel: Channel,
    ):
        self._channel = channel
        self._tick_length, self._start = command["tick"], command["start"]
        self._stopped = False
        end = _FOREVER if command["duration"] is None else self._start + command["duration"]
        connections, common = command["connections"], (end, command["tick"], self._command, self._tick)
        self._exchange: Exchange
        self._loop: ClosedLoop | OpenLoop
        self._schedule: Schedule | None = None
        if command["schedule"] is None:
            permits = Permits(command["requests"], shared, command["reserved"])
            self._exchange = closed = ClosedExchange(spec, target, connections, permits)
            self._loop = ClosedLoop(closed, *common)
        else:
            self._schedule = Schedule(command["schedule"], self._start, end)
            self._exchange = opened = OpenExchange(spec, target, connections, self._schedule)
            self._loop = OpenLoop(opened, *common)
        self._exchange.epoll.register(channel.fileno(), select.EPOLLIN)

    def run(self) -> None:
        """Wait for the common start, run, report."""
        self._obey()
        while (left := self._start - clock()) > 0 and not self._stopped:
            if select.select([self._channel], [], [], left / 1e9)[0]:
                self._command()
        self._cpu = self._cpu_at_start = time.process_time_ns()
        self._reported_at = self._start
        try:
            self._report(self._start if self._stopped else self._loop.run(self._start))
        finally:
            self._exchange.close()
            del self._loop  # it refers to this round

    def _command(self) -> None:
        self._channel.receive()
        self._obey()

    def _obey(self) -> None:
        while self._channel.commands:
            self._channel.commands.popleft()  # the only command within a round: stop
            self._stopped = True
            self._loop.end = min(self._loop.end, max(clock(), self._start))

    def _tick(self, lag: int) -> None:
        if self._channel.has_room():
            self._channel.post(self._tick_report(clock(), lag))

    def _tick_report(self, now: int, lag: int) -> TickReport:
        cpu = time.process_time_ns()
        busy = (cpu - self._cpu) / max(1, now - self._reported_at)
        self._cpu, self._reported_at = cpu, now
        tally, latency = self._exchange.recorder.end_tick()
        return {
            "kind": "tick",
            "number": (now - self._start) // self._tick_length,
            "t1": now,
            "in_flight": self._exchange.in_flight,
            "busy": min(1.0, busy),
            "lag": lag,
            "tally": tally,
            "latency": latency,
        }

    def _report(self, ended: int) -> None:
        exchange = self._exchange
        ages, oldest = exchange.unfinished(ended)
        if ages:
            exchange.recorder.tick.outcomes["unfinished"] += len(ages)
        exchange.in_flight = 0
        last_tick = self._tick_report(clock(), self._loop.end_lag())
        cpu = time.process_time_ns() - self._cpu_at_start
        tally, times = exchange.recorder.end_round()
        report: RoundReport = {
            "kind": "result",
            "ended": ended,
            "oldest_unfinished": oldest,
            "unfinished_time": sum(ages),
            "cpu": cpu,
            "lag": self._loop.worst_lag,
            "most_open": exchange.most_open,
            "stopped": self._stopped,
            "server": exchange.server,
            "http_version": exchange.http_version,
            "last_planned": self._schedule.last if self._schedule else None,
            "tally": tally,
            "times": times,
            "last_tick": last_tick,
        }
        self._channel.send(report)


def end_with_parent() -> None:
    """Ask the kernel for SIGKILL when the thread that started this process ends."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _serve(channel: Channel) -> None:
    load: LoadCommand | None = None
    while True:
        select.select([channel], [], [])
        fds = channel.receive()
        while channel.commands:
            command = channel.commands.popleft()
            if command["kind"] == "load":
                load = command
                index_table(3)  # made now, not under load
                channel.send({"kind": "ready"})
            elif command["kind"] == "round" and load is not None:
                address = load["address"]
                target = load["family"], address if isinstance(address, str) else tuple(address)
                shared = fds[0] if fds else None
                Round(LoadSpec.from_json(load["spec"]), target, command, shared, channel).run()
                gc.collect()  # whatever cycle a library makes must not add up over the rounds
        for fd in fds:
            os.close(fd)


def main() -> None:
    """Serve the runner on the given descriptor until the runner closes it."""
    fd, cpu = map(int, sys.argv[1:])
    end_with_parent()
    os.sched_setaffinity(0, {cpu})
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # A round leaves no reference cycles, and a collection would pause it: there is one between two rounds.
    gc.freeze()
    gc.disable()
    try:
        _serve(Channel(socket.socket(fileno=fd)))
    except EOFError:
        return


if __name__ == "__main__":
    main()
