"""CPU time and resident memory of every process of a running stack."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from tui.system.procfs import Identity, ProcessStat, Tree

SHORTEST = 0.3
"""The fewest seconds for a share: over less time, the clock's ticks of 10 ms would dominate it."""


@dataclass(frozen=True, slots=True)
class ProcessSample:
    """One process at one moment; ``rss`` in bytes, ``age`` in seconds, ``alive`` false for a zombie.

    ``cpu_share`` is the CPU time over the time that went by since the last look that was not just before, 1.0 for
    one core kept busy; None when there was no earlier look at this process. CPU times are exact to a clock tick, so
    a share over half a second is exact to 2 %.
    """

    identity: Identity
    ppid: int
    cpu_seconds: float
    cpu_share: float | None
    rss: int
    threads: int
    cpu_last: int
    state: str
    alive: bool
    age: float


@dataclass(frozen=True, slots=True)
class TreeSample:
    """All processes below the root at the time ``at`` (seconds, CLOCK_MONOTONIC).

    ``cpu_seconds`` is the CPU time of the whole tree so far, with that of the processes that have ended and
    were waited for, wherever in the tree; it never falls. A server that ignores SIGCHLD loses its
    children's time.
    """

    at: float
    processes: tuple[ProcessSample, ...]
    cpu_seconds: float


class ProcessSampler:
    """Samples one tree of processes: the tree below the supervisor, without the supervisor itself.

    Without a root, it samples processes that someone else started.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last_at = 0.0
        self._last_cpu: dict[Identity, float] = {}
        self._last_share: dict[Identity, float | None] = {}
        self._most_cpu = 0.0
        self._last_look: dict[int, ProcessStat] = {}
        self._ended_cpu = 0.0
        """Without a root: CPU time of the ended processes that no process still there has waited for."""

    def sample(self, tree: Tree) -> TreeSample:
        """The sample from a look that was just taken."""
        at = self._clock()
        stats = tree.below
        if at - self._last_at >= SHORTEST:
            self._last_share = {stat.identity: self._share(stat, at - self._last_at) for stat in stats}
            self._last_at = at
            self._last_cpu = {stat.identity: stat.cpu_seconds for stat in stats}
        processes = tuple(self._sample(stat) for stat in stats)
        if tree.root is None:
            self._keep_ended(stats)
        self._most_cpu = max(self._most_cpu, self._ended_cpu + _cpu_of_tree(tree))
        return TreeSample(at, processes, self._most_cpu)

    def _keep_ended(self, stats: list[ProcessStat]) -> None:
        """A server that was restarted is another tree: the last reading of the one that is gone still counts."""
        now = {stat.pid: stat for stat in stats}
        for pid, before in self._last_look.items():
            parent, above = now.get(before.ppid), self._last_look.get(before.ppid)
            waited_for = parent is not None and above is not None and parent.identity == above.identity
            if not waited_for and (pid not in now or now[pid].identity != before.identity):
                self._ended_cpu += before.cpu_seconds + before.cutime + before.cstime
        self._last_look = now

    def _share(self, stat: ProcessStat, elapsed: float) -> float | None:
        before = self._last_cpu.get(stat.identity)
        return None if before is None else (stat.cpu_seconds - before) / elapsed

    def _sample(self, stat: ProcessStat) -> ProcessSample:
        return ProcessSample(
            identity=stat.identity,
            ppid=stat.ppid,
            cpu_seconds=stat.cpu_seconds,
            cpu_share=self._last_share.get(stat.identity),
            rss=stat.rss,
            threads=stat.threads,
            cpu_last=stat.cpu_last,
            state=stat.state,
            alive=stat.alive,
            age=stat.age(),
        )


def _cpu_of_tree(tree: Tree) -> float:
    """Own time of those that are there, and of those that any of them, or the root, has waited for.

    Parents are read before their children, so a process that ends between two reads is missed once, which the next
    look puts right. Counted twice, it would stay so, since the sum never falls.
    """
    ended = tree.root.cutime + tree.root.cstime if tree.root else 0.0
    return ended + sum(stat.cpu_seconds + stat.cutime + stat.cstime for stat in tree.below)
