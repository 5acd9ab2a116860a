"""Several load processes as one: their ticks and their results."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeVar

from tui.load.arrivals import Arrivals
from tui.load.kinds import TIME_KINDS
from tui.load.result import RoundResult, ScheduleTotals, Tally, Tick, Times
from tui.load.wire import RoundReport, TickReport

Summed = TypeVar("Summed", Tally, Times)


class TickMerger:
    """Merges the processes' ticks by number: a tick is reported once each process has reached it or is done.

    A process may skip a tick if the runner doesn't keep up; the figures are then in its next one.
    """

    def __init__(self, processes: int, start: int, tell: Callable[[Tick], None]) -> None:
        self._reported: list[float] = [0] * processes
        self._in_flight = [0] * processes
        self._pending: dict[int, dict[int, TickReport]] = defaultdict(dict)
        self._reported_at = start
        self._tell = tell

    def add(self, process: int, tick: TickReport) -> None:
        """Add a tick of one process."""
        self._reported[process] = tick["number"]
        self._pending[tick["number"]][process] = tick
        self._tell_ready()

    def finish(self, process: int, last: TickReport | None) -> None:
        """Note that a process is done; ``last`` covers the time after its last tick, None if it died."""
        if last is not None:
            number = max(last["number"], int(self._reported[process]) + 1)
            self._pending[number][process] = last
        else:
            self._in_flight[process] = 0
        self._reported[process] = float("inf")
        self._tell_ready()

    def _tell_ready(self) -> None:
        for number in sorted(self._pending):
            if number > min(self._reported):
                return
            self._tell(self._merge(self._pending.pop(number)))

    def _merge(self, reports: dict[int, TickReport]) -> Tick:
        for process, report in reports.items():
            self._in_flight[process] = report["in_flight"]
        started, ended = self._reported_at, max(self._reported_at, *(each["t1"] for each in reports.values()))
        self._reported_at = ended
        return Tick(
            t0=started / 1e9,
            t1=ended / 1e9,
            tally=_sum(Tally(**each["tally"]) for each in reports.values()),
            latency=_sum(Times(**each["latency"]) for each in reports.values()),
            in_flight=sum(self._in_flight),
            busy=tuple(
                reports[process]["busy"] if process in reports else 0.0
                for process in range(len(self._reported))
            ),
            lag=max(each["lag"] for each in reports.values()) / 1e9,
        )


def _sum(parts: Iterable[Summed]) -> Summed:
    return functools.reduce(lambda one, other: one + other, parts)


def merge_results(
    start: int,
    connections: int,
    results: Sequence[RoundReport],
    arrivals: Arrivals | None = None,
    requests: int | None = None,
) -> RoundResult:
    """Merges the processes' results; times are in ns, ``start`` is the common one. ``requests``: the planned
    number for the round.
    """
    ended = max(each["ended"] for each in results)
    first = next((each for each in results if each["http_version"] is not None), results[0])
    tally = _sum(Tally(**each["tally"]) for each in results)
    oldest = _latest(results, "oldest_unfinished")
    planned = None
    if arrivals is not None:
        last, seconds = _latest(results, "last_planned"), (ended - start) / 1e9
        if tally.planned == requests and last is not None:
            seconds = (last - start) / 1e9 + 1 / arrivals.rate
        planned = ScheduleTotals(
            arrivals=arrivals.kind, seed=arrivals.seed, requests=tally.planned, seconds=seconds
        )
    return RoundResult(
        started=start / 1e9,
        ended=ended / 1e9,
        seconds=(ended - start) / 1e9,
        tally=tally,
        planned=planned,
        oldest_unfinished=None if oldest is None else oldest / 1e9,
        unfinished_time=sum(each["unfinished_time"] for each in results) / 1e9,
        cpu_seconds=tuple(each["cpu"] / 1e9 for each in results),
        lag=max(each["lag"] for each in results) / 1e9,
        connections=connections,
        most_open=sum(each["most_open"] for each in results),
        stopped=any(each["stopped"] for each in results),
        server=first["server"],
        http_version=first["http_version"],
        **{kind: _sum(Times(**each["times"][kind]) for each in results) for kind in TIME_KINDS},
    )


def _latest(results: Sequence[RoundReport], name: Literal["oldest_unfinished", "last_planned"]) -> int | None:
    return max((latest for each in results if (latest := each[name]) is not None), default=None)
