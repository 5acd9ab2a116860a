"""Watches the stack and the machine during a run, and writes what it sees as events.

RSS and CPU of every process twice a second, the host once a second, PSS one process at a time under a budget. All
of it happens on the load's CPUs, in the runner, which is otherwise idle.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable

from tui.plan.plan import Plan, ServicePlan
from tui.record.events import (
    Event,
    HostReading,
    Memory,
    MemoryReading,
    ProcessEnded,
    Processes,
    ProcessSeen,
    WorkerReading,
)
from tui.run.file_watch import FileWatch
from tui.run.interval import IntervalReader, Since
from tui.run.queue_watch import QueueWatch
from tui.run.resource_watch import ResourceWatch
from tui.run.status_watch import StatusWatch
from tui.sampling.host import HostSampler
from tui.sampling.memory import CarefulReader, MemoryParts, Unreadable
from tui.sampling.processes import ProcessSampler, TreeSample
from tui.stack.external import ExternalStack
from tui.stack.pinning import Pinning
from tui.stack.respawns import Respawns
from tui.stack.roles import Member, ProcessTable
from tui.stack.supervised import SupervisedStack
from tui.system.procfs import Identity, Tree, affinities, read_stat, tree

PERIOD = 0.5
"""Seconds between two looks at the processes."""
HOST_EVERY = 2
"""How many looks there are for each reading of the host."""


class StackWatch:
    """Watches one run; ``write`` takes the events, ``now`` gives their time."""

    def __init__(self, plan: Plan, write: Callable[[Event], None], now: Callable[[], float]) -> None:
        self._plan = plan
        self._write = write
        self._now = now
        self._look: Callable[[], Tree] = lambda: Tree(None, [])
        self._sampler = ProcessSampler()
        self._intervals = ProcessSampler()
        """For the CPU time of whole rounds: the other sampler's shares cover the time between two looks."""
        self.interval = IntervalReader(plan, self._cpu_of_stack)
        self._table = ProcessTable({service.name: service.roles for service in plan.services})
        self.load_pids: tuple[int, ...] = ()
        self.ready = False
        self.measuring = False
        self.identities: set[Identity] = set()
        """Every process ever seen in the stack."""
        self._members: dict[Identity, Member] = {}
        self._reported: dict[Identity, ProcessSeen] = {}
        self._host = HostSampler()
        self._careful = CarefulReader()
        self._pinning = Pinning(plan.server_cpus) if plan.pin == "each" else None
        self._queues = QueueWatch(plan, write, now)
        self.status = StatusWatch(plan, write, now)
        self.resources = ResourceWatch(plan, write, now)
        self.respawns = Respawns(plan.workers)
        self.files: FileWatch | None = None
        """Set before the start; an external stack's files are none of the run's."""
        self._task: asyncio.Task[None] | None = None

    def supervise(self, stack: SupervisedStack) -> None:
        """Look at everything below the supervisor."""
        self._look = lambda: tree(stack.pid)

    def service_started(self, service: ServicePlan, identity: Identity) -> None:
        """Register the process of a service, the root of its part of the tree."""
        if service.daemonises:
            self._table.launched(service.name, identity, service.pid_file)
        else:
            self._table.started(service.name, identity)

    def follow(self, external: ExternalStack) -> None:
        """Watch processes that someone else started."""
        self._look = lambda: Tree(None, external.look())
        self._table = external.process_table

    def start(self) -> None:
        """Begin looking twice a second."""
        self._task = asyncio.create_task(self._loop())

    def stack_is_ready(self) -> None:
        """The first good answer has come: from now on no process is expected to end."""
        self.ready = True
        self._queues.start(identity.pid for identity in self._members)

    async def stop(self) -> None:
        """One last look, then no more."""
        await self.status.stop()
        await self._queues.stop()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self.scan()
            self._look_at_files(always=True)
            self.read_host(None)

    async def _loop(self) -> None:
        looks = 0
        while True:
            self.scan()
            self._look_at_files()
            if looks % HOST_EVERY == 0:
                self.read_host(None)
            if self.measuring:
                self._read_memory_in_turn()
                self.resources.look(self._members, self.load_pids)
            looks += 1
            await asyncio.sleep(PERIOD)

    def _look_at_files(self, *, always: bool = False) -> None:
        if self.files is not None and self._plan.external is None:
            self.files.look((identity.pid for identity in self._members), always=always)

    def scan(self) -> None:
        """Look at every process now: which ones came and went, and the CPU and RSS of each."""
        seen = self._look()
        sample = self._sampler.sample(seen)
        members = {member.stat.identity: member for member in self._table.update(seen.below)}
        for identity in self._members.keys() - members.keys():
            self._gone(identity)
        self._members = members
        self.identities.update(members)
        if not self.ready and self._plan.external is None:
            self.respawns.look(members.values())
        if self._pinning is not None:
            self._pinning.pin(members.values())
        for member in members.values():
            self._tell(member)
        self._write_readings(sample)

    def _tell(self, member: Member) -> None:
        """Write that a process was seen, and again when its name, role or binding changed."""
        pid, start = member.stat.identity
        allowed = _allowed(pid)
        wanted = self._wanted(member)
        seen = ProcessSeen(
            t=self._now(),
            pid=pid,
            start=start,
            ppid=member.stat.ppid,
            service=member.service,
            role=member.role,
            title=member.title[:200],
            bound=allowed,
            misbound=allowed is not None and wanted is not None and not wanted.issuperset(allowed),
            age=member.stat.age(),
        )
        before = self._reported.get(member.stat.identity)
        if before is None or _differs(before, seen):
            self._reported[member.stat.identity] = seen
            self._write(seen)

    def _wanted(self, member: Member) -> frozenset[int] | None:
        """The CPUs that a process is bound to; None for a stack that we did not start."""
        if self._plan.external is not None:
            return None
        pinned = self._pinning.cpu_of(member.stat.identity) if self._pinning is not None else None
        return frozenset(self._plan.server_cpus) if pinned is None else frozenset({pinned})

    def _gone(self, identity: Identity) -> None:
        """A process from the last look has ended; the supervisor may have reported how."""
        if identity in self._reported:
            self.ended(identity, None, expected=not self.ready)

    def ended(self, identity: Identity, status: str | None, *, expected: bool) -> None:
        """Write the end of a process once."""
        if self._reported.pop(identity, None) is None:
            return
        self._members.pop(identity, None)
        self._write(
            ProcessEnded(
                t=self._now(), pid=identity.pid, start=identity.start, status=status, expected=expected
            )
        )

    def _write_readings(self, sample: TreeSample) -> None:
        readings = tuple(
            WorkerReading(
                pid=process.identity.pid,
                start=process.identity.start,
                cpu=process.cpu_seconds,
                share=process.cpu_share,
                cpu_last=process.cpu_last,
                rss=process.rss,
                threads=process.threads,
            )
            for process in sample.processes
            if process.alive
        )
        self._write(Processes(t=self._now(), readings=readings, cpu_total=sample.cpu_seconds))

    def missing_workers(self) -> int:
        """How many of the expected workers aren't running yet; 0 if the stack doesn't say how many to expect."""
        if self._plan.workers is None:
            return 0
        workers = sum(member.role == "worker" for member in self._members.values())
        return max(0, self._plan.workers - workers)

    def _read_memory_in_turn(self) -> None:
        by_pid = {identity.pid: identity for identity in self._members}
        turn = self._careful.step(list(by_pid))
        if turn is not None:
            pid, parts = turn
            self._write_memory([(by_pid[pid], parts)], label=None)

    def full_pass(self, label: str) -> None:
        """Read the memory of every process, and the host; called outside the measured window."""
        self.scan()
        by_pid = {identity.pid: identity for identity in self._members}
        self._queues.find(by_pid)
        self.resources.find(self._members)
        found = self._careful.full_pass(list(by_pid))
        self._write_memory([(by_pid[pid], parts) for pid, parts in found.items()], label=label)
        self.read_host(label)

    def _write_memory(
        self, found: Iterable[tuple[Identity, MemoryParts | Unreadable | None]], *, label: str | None
    ) -> None:
        """Write what was read; there is no reading of a process that ended meanwhile."""
        self._write(
            Memory(
                t=self._now(),
                full=label is not None,
                label=label,
                readings=tuple(_memory_reading(identity, parts) for identity, parts in found if parts),
                reads=self._careful.reads,
                cost=self._careful.cpu_seconds,
            )
        )

    def read_host(self, label: str | None) -> None:
        """Read the machine; a label marks a reading that the summary quotes."""
        sample = self._host.sample()
        pressure = None if sample.pressure is None else sample.pressure.some
        self._write(
            HostReading(
                t=self._now(),
                label=label,
                cpu_busy={cpu: shares.busy for cpu, shares in sample.cpus.items()},
                cpu_steal={cpu: shares.steal for cpu, shares in sample.cpus.items()},
                memory_used=sample.memory.used,
                memory_available=sample.memory.available,
                swap_used=sample.memory.swap_used,
                swapped_in=sample.swapped_in,
                swapped_out=sample.swapped_out,
                pressure=pressure,
                memory_kills=sample.memory_kills,
                killed_in=self.resources.killed() if sample.memory_kills else (),
                generator_cpu=_cpu_of(self.load_pids) if self.load_pids else None,
            )
        )

    def _cpu_of_stack(self) -> float:
        return self._intervals.sample(self._look()).cpu_seconds

    def mark(self) -> None:
        """An interval of load begins."""
        self._queues.look(always=True)
        self.status.begin()
        self.resources.begin()
        self.interval.begin()

    def since(self) -> Since:
        """What happened since the mark, or since the interval's exact start, until its exact end."""
        since = self.interval.end()
        self._queues.look(always=True)
        return since


def _allowed(pid: int) -> tuple[int, ...] | None:
    """The CPUs that any thread of the process may use; psutil would show the main thread's only."""
    threads = affinities(pid)
    return tuple(sorted(frozenset().union(*threads.values()))) if threads else None


def _differs(before: ProcessSeen, now: ProcessSeen) -> bool:
    ignored = {"t": 0.0, "age": 0.0}
    return before.model_copy(update=ignored) != now.model_copy(update=ignored)


def _cpu_of(pids: Iterable[int]) -> float:
    stats = [read_stat(pid) for pid in pids]
    return sum(stat.cpu_seconds for stat in stats if stat is not None)


def _memory_reading(identity: Identity, parts: MemoryParts | Unreadable) -> MemoryReading:
    pid, start = identity
    if isinstance(parts, Unreadable):
        return MemoryReading(pid=pid, start=start, rss=parts.rss, reason=parts.reason)
    return MemoryReading(
        pid=pid,
        start=start,
        rss=parts.rss,
        pss=parts.pss,
        pss_anon=parts.pss_anon,
        pss_file=parts.pss_file,
        pss_shmem=parts.pss_shmem,
        swap_pss=parts.swap_pss,
        uss=parts.private,
        reason=parts.missing,
    )
