"""The fold's part for status pages: how many are busy while rounds run, and which worker answered how many requests."""

from __future__ import annotations

from dataclasses import dataclass, field

from tui.record.events import StatusRead, WorkerServed


@dataclass(slots=True)
class Level:
    """A level that rises and falls, over the reads in the rounds."""

    reads: int = 0
    total: int = 0
    most: int | None = None

    def add(self, value: int | None) -> None:
        """Count one read, unless it doesn't give the level."""
        if value is not None:
            self.reads += 1
            self.total += value
            self.most = value if self.most is None else max(self.most, value)

    @property
    def mean(self) -> float | None:
        return self.total / self.reads if self.reads else None


@dataclass(slots=True)
class Served:
    """The requests that a server, or one worker, says it has answered."""

    now: int | None = None
    at: float | None = None
    """When it said so."""
    before: int | None = None
    """What it said when the first round began."""
    busy: bool | None = None

    def begin(self) -> None:
        """The first round begins."""
        self.before = self.now

    def apply(self, t: float, worker: WorkerServed, *, measured_from_birth: bool) -> None:
        """What a page says of a worker; a worker that appeared while rounds ran began at 0."""
        self.now, self.at, self.busy = worker.requests, t, worker.busy
        if self.before is None and measured_from_birth:
            self.before = 0

    @property
    def measured(self) -> int | None:
        """Requests since the first round began, as of the newest read; None if unknown."""
        return self.now - self.before if self.now is not None and self.before is not None else None


@dataclass(slots=True)
class StatusState:
    """One status source."""

    reads: int = 0
    """Attempts to read it."""
    errors: int = 0
    error: str | None = None
    """Why the newest attempt gave nothing."""
    last_error: str | None = None
    latest: StatusRead | None = None
    """The newest read that said something."""
    series: list[tuple[float, int]] = field(default_factory=list)
    """(t, requests) of every read that counted them."""
    served: Served = field(default_factory=Served)
    reads_in_rounds: int = 0
    """Reads that said something while rounds ran: the levels come from these."""
    busy: Level = field(default_factory=Level)
    idle: Level = field(default_factory=Level)
    queue: Level = field(default_factory=Level)

    def begin(self) -> None:
        """The first round begins."""
        self.served.begin()

    def apply(self, event: StatusRead, *, in_round: bool) -> None:
        """Fold in one read."""
        self.reads += 1
        self.error = event.error
        if event.error is not None:
            self.errors += 1
            self.last_error = event.error
            return
        self.latest = event
        self.served.now, self.served.at = event.requests, event.t
        if event.requests is not None:
            self.series.append((event.t, event.requests))
        if in_round:
            self.reads_in_rounds += 1
            self.busy.add(event.busy)
            self.idle.add(event.idle)
            self.queue.add(event.queue)
