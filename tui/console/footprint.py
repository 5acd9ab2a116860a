"""The console's own footprint on the machine under test: its CPUs, its niceness, its CPU use and how often it draws."""

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
"""Seconds. If a typical drawing takes longer (a slow link, a busy machine), the console draws half as often."""
USUAL = 5
"""Drawings behind the median, so that a single slow one, such as a new layout, changes nothing."""


class Launcher:
    """A thread that keeps the CPUs and the niceness the process started with.

    Whatever a thread starts inherits both, and niceness can't be lowered again. Once the console has limited its other
    threads, a run launched from one of them would be limited too, and so would the server it measures.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="launcher")
        self.thread: int = self._executor.submit(threading.get_native_id).result()
        """The kernel's number of the thread."""

    def submit(self, work: Callable[[], object]) -> None:
        """Run ``work`` in that thread."""
        self._executor.submit(work)

    def close(self) -> None:
        """Accept no more work."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def be_small(self, server_cpus: Iterable[int], load_cpus: Iterable[int]) -> None:
        """Be nice, and move every other thread off the CPUs of server and load, or at least off the server's."""
        usable = frozenset(os.sched_getaffinity(self.thread))
        without_server = usable - frozenset(server_cpus)
        spare = without_server - frozenset(load_cpus) or without_server or usable
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
    """Decides when the next drawing is due, from how long the last ones took."""

    def __init__(self) -> None:
        self.period = FASTEST
        self._drawn = float("-inf")
        self._took: deque[float] = deque(maxlen=USUAL)

    def due(self, now: float) -> bool:
        """Whether another drawing is due; a timer may fire a little early."""
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
