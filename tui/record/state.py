"""The one fold: events in, state out.

The live screen, the summary, the exports and every comparison are views of a :class:`RunState`, so what was shown
and what is exported can't differ. Folding is pure: it touches no clock, no file and no process.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from tui.load.kinds import TIME_KINDS, TimeKind
from tui.load.result import RoundResult, Tally, Tick, Times
from tui.record.events import (
    Descriptors,
    Event,
    HostReading,
    Leftovers,
    LinesLost,
    ListenQueues,
    LoadTick,
    Memory,
    MemoryReading,
    Notice,
    Phase,
    PhaseChanged,
    Planned,
    ProcessEnded,
    Processes,
    ProcessSeen,
    RoundEnded,
    RunEnded,
    RunStarted,
    ServiceStarted,
    StackReady,
    StatusRead,
    TimeWait,
    VersionsRead,
    WorkerReading,
)
from tui.record.queue_state import Queues
from tui.record.resource_state import Resources
from tui.record.series import RatePoint, thin, thin_rate
from tui.record.settled import settled
from tui.record.status_state import Served, StatusState

Point = TypeVar("Point")
Key = tuple[int, int]
"""pid and start time: the identity of a process."""


@dataclass(slots=True)
class ProcessState:
    """One process of the stack, from the moment it was seen."""

    seen: ProcessSeen
    reading: WorkerReading | None = None
    memory: MemoryReading | None = None
    memory_at: float | None = None
    """When ``memory`` was read: PSS is read process by process, so it may be older than RSS."""
    ended: ProcessEnded | None = None
    in_measured_window: bool = False
    """It started after the first round had begun: a respawn, or a worker that was spawned under load."""
    rss: list[tuple[float, int]] = field(default_factory=list)
    served: Served = field(default_factory=Served)
    comparable: list[tuple[float, int]] = field(default_factory=list)
    """(t, anonymous + shared-memory + swapped PSS) at every read."""

    @property
    def key(self) -> Key:
        return self.seen.pid, self.seen.start

    @property
    def alive(self) -> bool:
        return self.ended is None


@dataclass(frozen=True, slots=True)
class MemoryTotal:
    """A full pass over the stack's processes, summed; None if a process could not be read."""

    label: str
    t: float
    processes: int
    rss: int | None
    pss: int | None
    comparable: int | None
    file: int | None
    uss: int | None
    readings: tuple[MemoryReading, ...]


@dataclass(slots=True)
class RunState:
    """Everything known about one run so far."""

    most: int | None = None
    """Points that a series may have before its older half gets coarser; None keeps all."""
    started: RunStarted | None = None
    planned: Planned | None = None
    versions: dict[str, str] = field(default_factory=dict)
    phase: PhaseChanged | None = None
    phases: list[PhaseChanged] = field(default_factory=list)
    services: list[ServiceStarted] = field(default_factory=list)
    ready: StackReady | None = None
    processes: dict[Key, ProcessState] = field(default_factory=dict)
    cpu_series: list[tuple[float, float]] = field(default_factory=list)
    """(t, CPU seconds of the whole stack)."""
    rate: list[RatePoint] = field(default_factory=list)
    tick: Tick | None = None
    """The newest tick."""
    live_round: int | None = None
    live: Times | None = None
    """Latency of good answers in the current round (or warm-up), two digits."""
    live_tally: Tally | None = None
    lag: float = 0.0
    """The load generator's longest lag in any tick, in seconds."""
    warmup: RoundEnded | None = None
    rounds: list[RoundEnded] = field(default_factory=list)
    """Settled: only some percentiles of a single round are kept; ``times`` has the histograms of all together."""
    merged: dict[TimeKind, Times] = field(default_factory=dict)
    """The times of all counted rounds."""
    memory_totals: list[MemoryTotal] = field(default_factory=list)
    memory_reads: int = 0
    memory_cost: float = 0.0
    queues: Queues = field(default_factory=Queues)
    status: dict[str, StatusState] = field(default_factory=dict)
    """What the stack's status pages say, by name."""
    resources: Resources = field(default_factory=Resources)
    host: HostReading | None = None
    host_labelled: dict[str, HostReading] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    leftovers: Leftovers | None = None
    ended: RunEnded | None = None
    now: float = 0.0
    """The time of the newest event."""
    lines: int = 0
    """Lines of the record so far, readable or not."""
    lost_lines: int = 0
    """Those that couldn't be read."""
    lost_first: LinesLost | None = None
    """The first of these."""

    def apply(self, event: Event) -> None:
        """Fold in one event."""
        self.now = max(self.now, event.t)
        self.lines += 1
        match event:
            case LoadTick():
                self._load(event)
            case Processes():
                self._readings(event)
            case Memory():
                self._memory(event)
            case ListenQueues():
                self.queues.apply(event, self.round)
            case StatusRead():
                self._status(event)
            case Descriptors():
                self.resources.descriptors(event, in_round=self.in_round)
            case TimeWait():
                self.resources.time_wait(event)
            case HostReading():
                self._host(event)
            case PhaseChanged():
                self._phase(event)
            case ProcessSeen():
                self._seen(event)
            case ProcessEnded():
                if known := self.processes.get((event.pid, event.start)):
                    known.ended = event
            case RoundEnded():
                if event.round is None:
                    self.warmup = event
                else:
                    self._round_ended(event)
            case ServiceStarted():
                self.services.append(event)
            case RunStarted():
                self.started = event
            case Planned():
                self.planned = event
            case VersionsRead():
                self.versions = dict(event.versions)
            case StackReady():
                self.ready = event
            case Notice():
                self.notices.append(event)
            case Leftovers():
                self.leftovers = event
            case RunEnded():
                self.ended = event
            case LinesLost():
                self.lost_lines += event.number
                self.lost_first = self.lost_first or event

    def _round_ended(self, event: RoundEnded) -> None:
        self.rounds.append(settled(event))
        if event.result is not None:
            for kind in TIME_KINDS:
                self.merged[kind] = self.times(kind) + getattr(event.result, kind)

    def _phase(self, event: PhaseChanged) -> None:
        if event.phase == "round" and not any(phase.phase == "round" for phase in self.phases):
            for source in self.status.values():
                source.begin()
            for process in self.processes.values():
                process.served.begin()
        self.phase = event
        self.phases.append(event)

    def _seen(self, event: ProcessSeen) -> None:
        key = (event.pid, event.start)
        if known := self.processes.get(key):
            known.seen = event  # it has set its title, or was bound
            return
        first = next((phase.t for phase in self.phases if phase.phase == "round"), None)
        late = (
            first is not None and event.t - event.age >= first
        )  # by its birth: it may be seen half a second later
        self.processes[key] = ProcessState(event, in_measured_window=late)

    def _load(self, event: LoadTick) -> None:
        tick = event.tick
        tally, counted = tick.tally, tick.tally.outcomes
        point = RatePoint(tick.t0, tick.t1, counted.ok, counted.bad, event.round, tally.planned, tally.sent)
        self.rate.append(point)
        if self.most is not None:
            thin_rate(self.rate, self.most)
        if self.live is None or self.live_tally is None or event.round != self.live_round:
            self.live_round = event.round
            self.live, self.live_tally = tick.latency, tick.tally
        else:
            self.live += tick.latency
            self.live_tally += tick.tally
        self.tick = tick
        self.lag = max(self.lag, tick.lag)

    def _readings(self, event: Processes) -> None:
        self._append(self.cpu_series, (event.t, event.cpu_total))
        for reading in event.readings:
            if known := self.processes.get((reading.pid, reading.start)):
                known.reading = reading
                self._append(known.rss, (event.t, reading.rss))

    def _append(self, series: list[Point], point: Point) -> None:
        series.append(point)
        if self.most is not None:
            thin(series, self.most)

    def _memory(self, event: Memory) -> None:
        self.memory_reads, self.memory_cost = event.reads, event.cost
        for reading in event.readings:
            if known := self.processes.get((reading.pid, reading.start)):
                known.memory, known.memory_at = reading, event.t
                if reading.comparable is not None:
                    self._append(known.comparable, (event.t, reading.comparable))
        if event.full and event.label is not None:
            self.memory_totals.append(total(event.label, event.t, event.readings))

    def _status(self, event: StatusRead) -> None:
        source = self.status.setdefault(event.source, StatusState())
        source.apply(event, in_round=self.in_round)
        if self.most is not None:
            thin(source.series, self.most)
        alive = {process.seen.pid: process for process in self.processes.values() if process.alive}
        for worker in event.workers:
            if known := alive.get(worker.pid):
                known.served.apply(event.t, worker, measured_from_birth=known.in_measured_window)

    def _host(self, event: HostReading) -> None:
        self.host = event
        self.resources.memory_kills(event.t, event.memory_kills, event.killed_in)
        if event.label is not None:
            self.host_labelled[event.label] = event

    @property
    def lost(self) -> str | None:
        """ "3 of 1,204 lines of events.jsonl can't be read"; None if all could be."""
        if not self.lost_lines:
            return None
        return f"{self.lost_lines:,} of {self.lines:,} lines of events.jsonl can't be read"

    @property
    def missing_rounds(self) -> tuple[int, ...]:
        """Rounds without a result between the first one and the last one that is known to have begun and ended."""
        kept = {ended.round for ended in self.rounds}
        begun = [phase.round for phase in self.phases if phase.phase == "round" and phase.round is not None]
        ended = [*(each for each in kept if each is not None), *begun]
        last = max(ended, default=0)
        if self.planned is not None and self.ended is not None and self.ended.verdict == "good":
            last = self.planned.load.rounds
        elif self.ended is None and last not in kept:
            last -= 1  # it may still be running
        return tuple(number for number in range(1, last + 1) if number not in kept)

    @property
    def in_round(self) -> bool:
        return self.phase is not None and self.phase.phase == "round"

    @property
    def round(self) -> int | None:
        """The current round."""
        return self.phase.round if self.phase is not None and self.in_round else None

    @property
    def phase_name(self) -> Phase | None:
        return self.phase.phase if self.phase else None

    @property
    def living(self) -> list[ProcessState]:
        """The live processes, masters and fronts before workers, oldest first."""
        order = {"master": 0, "front": 1, "worker": 2, "helper": 3}
        alive = [process for process in self.processes.values() if process.alive]
        return sorted(alive, key=lambda p: (order[p.seen.role], p.seen.service, p.seen.start, p.seen.pid))

    @property
    def results(self) -> list[RoundResult]:
        """What our load measured in the counted rounds; the warm-up is never one of them."""
        return [ended.result for ended in self.rounds if ended.result is not None]

    def times(self, kind: TimeKind) -> Times:
        """One kind of time from all counted rounds, merged; every percentile of the run comes from this."""
        return self.merged.get(kind) or Times()


def fold(events: Iterable[Event]) -> RunState:
    """The state after all of ``events``."""
    state = RunState()
    for event in events:
        state.apply(event)
    return state


def total(label: str, t: float, readings: tuple[MemoryReading, ...]) -> MemoryTotal:
    """Sum one full pass. A sum that includes an unreadable part is unknown, so it is None."""
    return MemoryTotal(
        label=label,
        t=t,
        processes=len(readings),
        rss=_sum(reading.rss for reading in readings),
        pss=_sum(reading.pss for reading in readings),
        comparable=_sum(reading.comparable for reading in readings),
        file=_sum(reading.pss_file for reading in readings),
        uss=_sum(reading.uss for reading in readings),
        readings=readings,
    )


def _sum(parts: Iterable[int | None]) -> int | None:
    known = list(parts)
    if not known or any(part is None for part in known):
        return None
    return sum(part for part in known if part is not None)
