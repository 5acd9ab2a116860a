"""Watches what may run out: descriptors under load, the client's ports after it, memory when the kernel kills."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable

from tui.plan.plan import Plan
from tui.record.events import DescriptorReading, Descriptors, Event, GroupKilled, TimeWait
from tui.sampling.descriptors import read_descriptors
from tui.sampling.memory_kills import GroupWatch
from tui.sampling.ports import port_use
from tui.system.procfs import Identity, read_stat

SETTLED = 0.15
"""Seconds after the start of an interval until its connections are open: then comes the first look at descriptors."""
EVERY = 2.0
"""Seconds between two looks at descriptors, which read two small files per process."""


class ResourceWatch:
    """Watches one run; ``write`` takes the events, ``now`` gives their time."""

    def __init__(self, plan: Plan, write: Callable[[Event], None], now: Callable[[], float]) -> None:
        self._address = plan.address
        self._write = write
        self._now = now
        self._due = 0.0
        self._groups = GroupWatch()

    def begin(self) -> None:
        """An interval of load begins."""
        self._due = time.monotonic() + SETTLED

    def look(self, stack: Iterable[Identity], load: Iterable[int]) -> None:
        """Look at descriptors when a look is due; ``load`` are the pids of the load processes."""
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + EVERY
        ours = [stat.identity for pid in load if (stat := read_stat(pid)) is not None]
        self._write(Descriptors(t=self._now(), stack=_readings(stack), load=_readings(ours)))

    def find(self, stack: Iterable[Identity]) -> None:
        """Learn the stack's memory cgroups; called outside the measured window."""
        self._groups.find(identity.pid for identity in stack)

    def killed(self) -> tuple[GroupKilled, ...]:
        """The stack's cgroups in which the kernel has killed since the last call."""
        return tuple(
            GroupKilled(name=each.name, kills=each.kills, limit=each.limit) for each in self._groups.killed()
        )

    def count_ports(self, round: int | None) -> None:
        """Count the sockets in TIME_WAIT after an interval of load."""
        if self._address.startswith("unix:"):
            return
        host, _, port = self._address.rpartition(":")
        try:
            address = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[0][4]
            use = port_use(str(address[0]), int(port))
        except OSError as error:
            reason = f"the kernel doesn't say (sock_diag): {error.strerror or error}"
            seen = TimeWait(
                t=self._now(),
                round=round,
                client=None,
                server=None,
                ports=None,
                reused_after=None,
                reason=reason,
            )
        else:
            seen = TimeWait(
                t=self._now(),
                round=round,
                client=use.waits.client,
                server=use.waits.server,
                ports=use.ports,
                reused_after=use.reused_after,
            )
        self._write(seen)


def _readings(identities: Iterable[Identity]) -> tuple[DescriptorReading, ...]:
    looks = [(identity, read_descriptors(identity)) for identity in identities]
    return tuple(
        DescriptorReading(
            pid=identity.pid, start=identity.start, open=seen.open, limit=seen.limit, reason=seen.missing
        )
        for identity, seen in looks
        if seen is not None
    )
