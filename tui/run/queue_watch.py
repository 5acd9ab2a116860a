"""Watches the stack's listen queues four times a second, from the first good answer on."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from urllib.parse import urlsplit

from tui.plan.checks import is_this_machine
from tui.plan.plan import Plan
from tui.record.events import Event, ListenQueues, QueueReading
from tui.sampling.queues import QueueSample, QueueSampler
from tui.sampling.refusals import RefusalCounter
from tui.system.sock_diag import ListenQueue

EVERY = 0.25


class QueueWatch:
    """Samples the queues of one run; ``write`` takes the events, ``now`` gives their time.

    A look is written only if it differs from the previous one, so an idle stack adds nothing to the record.
    """

    def __init__(self, plan: Plan, write: Callable[[Event], None], now: Callable[[], float]) -> None:
        self._plan = plan
        self._write = write
        self._now = now
        self._planned = frozenset(_paths(plan))
        self._sampler = QueueSampler(_ports(plan), _paths(plan), _of_status(plan))
        self._counters: list[RefusalCounter] = []
        self._refused: Counter[str] = Counter()
        self._written: ListenQueues | None = None
        self._looks = 0
        self._cost = 0.0
        self._task: asyncio.Task[None] | None = None

    def start(self, pids: Iterable[int]) -> None:
        """The stack is ready: count from here on. ``pids`` are its processes."""
        self._counters = [
            RefusalCounter(service.log, service.refusals)
            for service in self._plan.services
            if service.refusals is not None
        ]
        self._sampler.find(pids)
        self.look(always=True)
        self._task = asyncio.create_task(self._loop())

    def find(self, pids: Iterable[int]) -> None:
        """Learn which sockets the processes hold now; called outside the measured window."""
        if self._task is not None:
            self._sampler.find(pids)

    async def stop(self) -> None:
        """Stop looking."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _loop(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            self.look()

    def look(self, *, always: bool = False) -> None:
        """Look now, and write what was seen if it differs; ``always`` at both ends of an interval of load."""
        before = time.thread_time()
        sample = self._sampler.sample()
        for counter in self._counters:
            self._refused += counter.count(each.address for each in sample.queues if each.kind == "unix")
        seen = self._event(sample)
        self._looks += 1
        self._cost += time.thread_time() - before
        if always or self._written is None or _differs(self._written, seen):
            self._written = seen.model_copy(update={"looks": self._looks, "cost": self._cost})
            self._write(self._written)

    def _event(self, sample: QueueSample) -> ListenQueues:
        return ListenQueues(
            t=self._now(),
            sockets=tuple(self._reading(each) for each in sample.queues),
            every=EVERY,
            looks=self._looks,
            cost=self._cost,
            refused_elsewhere=self._refused[""],
            reasons=sample.reasons,
        )

    def _reading(self, each: ListenQueue) -> QueueReading:
        refusals = None
        if each.kind == "unix" and self._counters and each.address in (self._planned | self._refused.keys()):
            refusals = self._refused[each.address]
        return QueueReading(
            kind=each.kind,
            address=each.address,
            inode=each.inode,
            queue=each.queue,
            backlog=each.backlog,
            drops=each.drops,
            refusals=refusals,
        )


def _ports(plan: Plan) -> Collection[int]:
    """The ports of the plan; the port of the load's address comes first."""
    host, _, port = plan.address.rpartition(":")
    here = host != "unix" and is_this_machine(host.strip("[]"))
    return dict.fromkeys([*([int(port)] if here else []), *plan.ports.values()])


def _paths(plan: Plan) -> Collection[str]:
    address = [plan.address.removeprefix("unix:")] if plan.address.startswith("unix:") else []
    return dict.fromkeys([*address, *plan.sockets.values()])


def _of_status(plan: Plan) -> list[str]:
    """The addresses where we read status: those sockets get no load."""
    sources = plan.status.values()
    pages = [urlsplit(source.url).netloc for source in sources if source.url and not source.socket]
    return [*pages, *(source.socket for source in sources if source.socket)]


def _differs(before: ListenQueues, now: ListenQueues) -> bool:
    return (before.sockets, before.refused_elsewhere, before.reasons) != (
        now.sockets,
        now.refused_elsewhere,
        now.reasons,
    )
