"""A run's stack as the screen shows it: its processes, its listen queues, and what its status pages say.

Strings and numbers, frozen, from a run's state; :mod:`tui.console.run.stack_lines` draws them.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from tui.console.words import age, megabytes
from tui.record.events import StatusFacts, WorkerReading
from tui.record.state import ProcessState, RunState
from tui.record.status_state import StatusState
from tui.summary import units
from tui.summary.sockets import named
from tui.system.cpus import format_cpu_list

STOPPING = ("drain", "stop", "check")
ORDER = {"master": 0, "front": 1, "worker": 2, "helper": 3}
TREND = 32
"""The number of values in a trend: as many as can be drawn."""
WORKERS = "workers"


@dataclass(frozen=True, slots=True)
class Worker:
    """One process of the stack."""

    pid: int
    role: str
    bound: str
    on: str
    cpu: str
    rss: str
    pss: str
    uss: str
    private: float | None
    shared: float | None
    """Private bytes, and bytes that others map too; None if they can't be read."""
    trend: tuple[float, ...]
    growth: str
    age: str
    note: str = ""
    """How it ended; "new" if it started under load."""
    ended: bool = False
    unexpected: bool = False
    """Whether it started or ended while the stack was under load."""
    requests: str = ""
    """The number of requests it answered, from a status page."""


@dataclass(frozen=True, slots=True)
class Workers:
    """All processes of the stack, and their total cost."""

    rows: tuple[Worker, ...]
    alive: int
    expected: int | None
    memory: int | None
    """Anonymous, shared-memory and swapped PSS of all, as in the summary's sentence."""
    saved: int | None
    """Sum of RSS minus sum of PSS: what sharing pages saves."""
    idle_memory: int | None
    reason: str | None = None
    """Why ``memory`` is missing."""
    counted: bool = False
    """Whether a status page counts requests per process."""
    busy: tuple[str, ...] = ()
    """What the status pages say about workers, in words."""
    others: tuple[str, ...] = ()
    """What they say about anything else."""


@dataclass(frozen=True, slots=True)
class Queue:
    """One listening socket."""

    name: str
    queue: int | None
    """Connections waiting now; None after the run has ended."""
    backlog: int
    most: int
    """The longest queue seen in the rounds; before the first round, since the stack was ready."""
    overflowed: bool


@dataclass(frozen=True, slots=True)
class Queues:
    """All listening sockets of the stack."""

    sockets: tuple[Queue, ...]
    dropped: int | None
    refused: int | None
    """Connections at TCP and at unix sockets; None if they can't be counted."""
    kinds: frozenset[str]
    measured: bool
    """Whether a round has begun: earlier overflows aren't counted."""
    reason: str | None
    """Why the queues can't be seen."""


def workers_of(state: RunState) -> Workers:
    """Every process: the living ones by role, then those that have ended.

    A process that ended only because the stack was stopped is shown in its last state: that is the result.
    """
    several = len({process.seen.service for process in state.processes.values()}) > 1
    stopping = next((phase.t for phase in state.phases if phase.phase in STOPPING), None)
    gone = {
        process.key
        for process in state.processes.values()
        if process.ended is not None
        and (stopping is None or process.ended.t < stopping or not process.ended.expected)
    }
    processes = sorted(
        state.processes.values(),
        key=lambda p: (p.key in gone, ORDER[p.seen.role], p.seen.service, p.seen.start, p.seen.pid),
    )
    there = [process for process in processes if process.key not in gone]
    pss = [each.memory.pss for each in there if each.memory and each.memory.pss is not None]
    rss = [each.memory.rss for each in there if each.memory and each.memory.rss is not None]
    whole = bool(there) and len(pss) == len(rss) == len(there)
    parts = [each.memory.comparable if each.memory else None for each in there]
    memory = [part for part in parts if part is not None]
    known = bool(there) and len(memory) == len(there)
    return Workers(
        rows=tuple(_row(process, state, several=several, gone=process.key in gone) for process in processes),
        alive=sum(process.seen.role == "worker" for process in there),
        expected=state.planned.facts.workers if state.planned else None,
        memory=sum(memory) if known else None,
        saved=max(0, sum(rss) - sum(pss)) if whole else None,
        idle_memory=next((total.comparable for total in state.memory_totals if total.label == "idle"), None),
        reason=_elsewhere(state) if not there else None if known else _reason(there),
        counted=any(process.served.now is not None for process in processes),
        busy=busy_words(state, of_workers=True),
        others=busy_words(state, of_workers=False),
    )


def _elsewhere(state: RunState) -> str | None:
    """Why no process will ever be shown."""
    if state.planned is None or state.planned.facts.server_cpus:
        return None
    return "the stack runs on another machine: its processes can't be seen"


def _reason(living: list[ProcessState]) -> str:
    """Why the total memory is missing."""
    for process in living:
        if process.memory is not None and process.memory.comparable is None:
            return process.memory.reason or "unreadable"
    unread = sum(process.memory is None for process in living)
    return f"{unread} of {len(living)} not read yet"


def _row(process: ProcessState, state: RunState, *, several: bool, gone: bool) -> Worker:
    reading, memory, seen = process.reading, process.memory, process.seen
    ended = process.ended if gone else None
    rss = _under_load(process, state)
    bound = reading.bound if reading and reading.bound is not None else seen.bound
    private = memory.uss if memory else None
    whole = memory.rss if memory else None
    until = ended.t if ended else state.now
    return Worker(
        pid=seen.pid,
        role=f"{seen.role} {seen.service}" if several else seen.role,
        bound=(format_cpu_list(bound) if bound is not None else units.UNKNOWN)
        + ("!" if seen.misbound else ""),
        on=str(reading.cpu_last) if reading and not ended else "",
        cpu=_cpu(reading, over=ended is not None or state.ended is not None),
        rss=megabytes(reading.rss if reading else whole),
        pss=megabytes(memory.pss if memory else None),
        uss=megabytes(private),
        private=private,
        shared=max(0, whole - private) if whole is not None and private is not None else None,
        trend=_trend(rss),
        growth=_growth(rss),
        age=age(max(0.0, until - seen.t + seen.age)),
        note=_note(process, gone=gone),
        ended=ended is not None,
        unexpected=not ended.expected if ended else process.in_measured_window,
        requests=_requests(process),
    )


def _requests(process: ProcessState) -> str:
    """Requests answered since the first round began; before that, since the process started."""
    served = process.served
    number = served.now if served.measured is None else served.measured
    return units.count(number) if number is not None else ""


def _cpu(reading: WorkerReading | None, *, over: bool) -> str:
    """Its share of a CPU; after it has ended, the total CPU seconds it used."""
    if reading is None:
        return units.UNKNOWN
    return f"{reading.cpu:.1f} s" if over else units.share(reading.share)


def _under_load(process: ProcessState, state: RunState) -> list[tuple[float, int]]:
    """RSS from the first good answer on: what a process allocates during its start says nothing about a leak.

    With its times, since going through all values of hundreds of processes costs more than the rest of the frame.
    """
    ready = state.ready.t if state.ready else 0.0
    return process.rss[bisect_left(process.rss, (ready,)) :]


def _trend(rss: list[tuple[float, int]]) -> tuple[float, ...]:
    step = max(1, -(-len(rss) // TREND))
    return tuple(float(value) for _, value in rss[::-1][::step][::-1])


def _growth(rss: list[tuple[float, int]]) -> str:
    """RSS now minus RSS when the stack was ready."""
    if len(rss) < 2:
        return ""
    change = rss[-1][1] - rss[0][1]
    return "±0" if abs(change) < 50_000 else f"{'+' if change > 0 else ''}{megabytes(change)}"


def _note(process: ProcessState, *, gone: bool) -> str:
    if gone:
        return process.ended.status or "ended" if process.ended else ""
    return "new" if process.in_measured_window else ""


def busy_words(state: RunState, *, of_workers: bool) -> tuple[str, ...]:
    """A few words per page: what it says now or, after the run, the means over the rounds."""
    pages = state.planned.facts.status if state.planned else ()
    said = [(page, state.status[page.name]) for page in pages if page.name in state.status]
    return tuple(
        _words(page, status, over=state.ended is not None)
        for page, status in said
        if (page.unit == WORKERS) == of_workers
    )


def _words(page: StatusFacts, status: StatusState, *, over: bool) -> str:
    busy, idle, queue = _levels(status, over=over)
    if busy is None:
        return f"{page.name} {units.UNKNOWN}"
    whole = f" of {_number(busy + idle)}" if idle is not None else ""
    words = (
        f"busy {_number(busy)}{whole}" if page.unit == WORKERS else f"{_number(busy)}{whole} {page.unit} busy"
    )
    if queue:
        words += f", {_number(queue)} queued"
    return f"{words} (mean)" if over else words


def _levels(status: StatusState, *, over: bool) -> tuple[float | None, float | None, float | None]:
    if over:
        return status.busy.mean, status.idle.mean, status.queue.mean
    if status.error is not None or status.latest is None:
        return None, None, None
    return status.latest.busy, status.latest.idle, status.latest.queue


def _number(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def queues_of(state: RunState) -> Queues | None:
    """Every socket in the newest reading; None if there is none."""
    looked = state.queues.latest
    if looked is None or not (looked.sockets or looked.reasons):
        return None
    open_now = {reading.inode for reading in looked.sockets}
    rows = [(name, each) for name, each in named(state) if each.reading.inode in open_now]
    measured = any(each.rounds for _, each in rows)
    dropped = [each.drops if measured else each.reading.drops for _, each in rows]
    refused = [each.refusals if measured else each.reading.refusals for _, each in rows]
    return Queues(
        sockets=tuple(
            Queue(
                name=name,
                queue=None if state.ended else each.reading.queue,
                backlog=each.reading.backlog,
                most=each.longest if each.longest_measured is None else each.longest_measured,
                overflowed=bool((each.drops or 0) + (each.refusals or 0)),
            )
            for name, each in rows
        ),
        dropped=_sum(dropped),
        refused=_sum(refused),
        kinds=frozenset(each.reading.kind for _, each in rows),
        measured=measured,
        reason=looked.reasons[0] if looked.reasons else None,
    )


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
