"""The console's own footprint on a machine that is being measured: where it runs, how nice it is, what it uses, and
how often it draws.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

NICE = 5

FASTEST = 0.25
"""Seconds between two drawings."""
SLOWEST = 1.0
SLOW = 0.05
"""Seconds. Where the usual drawing takes longer (a slow link, a busy machine), the rate is halved."""
USUAL = 5
"""Drawings whose median is the usual one: a single slow one, as when the screen is laid out, changes nothing."""


class Launcher:
    """A thread that keeps the CPUs and the niceness that the process was started with.

    Both are inherited by what a thread starts, and niceness can't be taken back: a run launched from any other thread
    of a console that has made itself small would be small too, and so would the server that it measures.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="launcher")
        self.thread: int = self._executor.submit(threading.get_native_id).result()
        """The kernel's number of the thread."""

    def submit(self, work: Callable[[], object]) -> None:
        """Do ``work`` in that thread."""
        self._executor.submit(work)

    def close(self) -> None:
        """Take no more work."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def be_small(self, server_cpus: Iterable[int], load_cpus: Iterable[int]) -> None:
        """Be nice, and move every other thread to CPUs that neither side has, or at least not the server."""
        usable = frozenset(os.sched_getaffinity(self.thread))
        beside_server = usable - frozenset(server_cpus)
        spare = beside_server - frozenset(load_cpus) or beside_server or usable
        for thread in (int(task.name) for task in Path("/proc/self/task").iterdir()):
            if thread != self.thread:
                with contextlib.suppress(OSError):
                    os.sched_setaffinity(thread, spare)
                    os.setpriority(os.PRIO_PROCESS, thread, NICE)


class OwnCpu:
    """The share of one CPU that this process uses, between two readings."""

    def __init__(self) -> None:
        self._used, self._at = time.process_time(), time.monotonic()

    def read(self) -> float:
        """The share since the last reading."""
        used, at = time.process_time(), time.monotonic()
        share = (used - self._used) / max(1e-3, at - self._at)
        self._used, self._at = used, at
        return share


class Pace:
    """Decides from the time that drawings took when the next one is due."""

    def __init__(self) -> None:
        self.period = FASTEST
        self._drawn = float("-inf")
        self._took: deque[float] = deque(maxlen=USUAL)

    def due(self, now: float) -> bool:
        """Whether it is time for another drawing; a timer that fires a little early counts."""
        return now - self._drawn >= self.period * 0.9

    def drawn(self, now: float, took: float) -> None:
        """A drawing began at ``now`` and took this many seconds."""
        self._drawn = now
        self._took.append(took)
        if len(self._took) < USUAL:
            return
        slow = median(self._took) > SLOW
        period = min(SLOWEST, self.period * 2) if slow else max(FASTEST, self.period / 2)
        if period != self.period:
            self.period = period
            self._took.clear()
