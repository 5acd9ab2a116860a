"""``pin = "each"``: one CPU for each worker, in turn."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence

from tui.stack.roles import Member
from tui.system.procfs import Identity, bind


class Pinning:
    """Binds each worker to one of ``cpus`` when it is first seen; a replacement takes its predecessor's CPU."""

    def __init__(self, cpus: Sequence[int], bind: Callable[[int, Sequence[int]], None] = bind) -> None:
        self._cpus = cpus
        self._bind = bind
        self._pinned: dict[Identity, int] = {}

    def pin(self, members: Iterable[Member]) -> None:
        """Bind the new workers among ``members``, oldest first."""
        workers = [member.stat.identity for member in members if member.role == "worker"]
        self._pinned = {worker: cpu for worker, cpu in self._pinned.items() if worker in workers}
        for worker in sorted(workers, key=lambda identity: identity.start):
            if worker not in self._pinned:
                taken = list(self._pinned.values())
                self._pinned[worker] = min(self._cpus, key=lambda cpu: (taken.count(cpu), cpu))
                with contextlib.suppress(OSError):
                    self._bind(worker.pid, [self._pinned[worker]])

    def cpu_of(self, worker: Identity) -> int | None:
        """The CPU that a worker is bound to; None for a process that is not pinned."""
        return self._pinned.get(worker)
