"""The planned starts of an open loop's requests, whatever the server does meanwhile.

Several load processes share one rate. In a uniform schedule, each of n processes has every n-th request, so that
together they are evenly spaced. In a Poisson schedule, each has an independent process with its share of the rate;
together they form a Poisson process again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count, islice

from tui.load.wire import SchedulePart

SECOND = 1_000_000_000  # ns
NEVER = 1 << 62  # ns


def uniform(rate: tuple[int, int], process: int, processes: int) -> Iterator[int]:
    """ns from the start, rounded down: request ``i`` of all starts at ``i / rate``."""
    numerator, denominator = rate
    for number in count(process, processes):
        yield number * SECOND * denominator // numerator


def poisson(rate: tuple[int, int], process: int, processes: int, seed: int) -> Iterator[int]:
    """ns from the start; the gaps are exponential with a mean of ``processes / rate``."""
    from random import Random  # importing it takes a load process 4 ms, which uniform schedules save

    draw = Random(f"{seed}/{process}").random
    mean = processes * SECOND * rate[1] / rate[0]
    at = 0.0
    while True:
        at -= math.log(1.0 - draw()) * mean
        yield int(at)


class Schedule:
    """One process's planned starts, in ns of ``perf_counter_ns``.

    ``head``: the next request's; NEVER if none is left before ``end``. Planned requests are counted by a second
    pass through the same numbers, so that a backlog takes no memory, however long. ``last``: the planned start of
    the last request taken, or None. ``complete``: all were taken, and their number ended the schedule.
    """

    def __init__(self, part: SchedulePart, start: int, end: int) -> None:
        self.last: int | None = None
        self._part = part
        self._start = start
        self._end = end
        self._sending, self._counting = self._starts(), self._starts()
        self._counted = next(self._counting, NEVER)
        self.complete = False
        self.head = self._next()

    def _starts(self) -> Iterator[int]:
        part, start = self._part, self._start
        rate, process, processes = (
            (part["numerator"], part["denominator"]),
            part["process"],
            part["processes"],
        )
        if part["arrivals"] == "poisson":
            offsets = poisson(rate, process, processes, part["seed"])
        else:
            offsets = uniform(rate, process, processes)
        return (start + offset for offset in islice(offsets, part["requests"]))

    def _next(self) -> int:
        planned = next(self._sending, None)
        self.complete = planned is None
        return planned if planned is not None and planned < self._end else NEVER

    def take(self) -> int:
        """The next request's planned start."""
        self.last = taken = self.head
        self.head = self._next()
        return taken

    def count_until(self, now: int) -> int:
        """The number of requests planned since the last call, before ``now`` and the end."""
        before, found = min(now, self._end), 0
        while self._counted < before:
            found += 1
            self._counted = next(self._counting, NEVER)
        return found
