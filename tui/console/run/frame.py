"""What one picture of a run consists of: strings and numbers, frozen, without any Textual.

:mod:`tui.console.run.view` makes a frame from a run's state in a thread; the widgets only lay it out. Two equal frames
look the same, so an unchanged one isn't drawn again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui.console.drawing.charts import RateBin
from tui.console.drawing.lines import Mark

Stage = Literal["starting", "load", "failed"]


@dataclass(frozen=True, slots=True)
class Status:
    """Who runs, where it stands and how long that takes."""

    title: str
    facts: str
    phase: str
    elapsed: float
    """Seconds since the run's start."""
    expected: float | None
    """Seconds the whole run should take; an estimate."""
    host: str
    verdict: str | None = None
    """One sentence, once the run has ended."""
    mark: Mark = "good"

    @property
    def fraction(self) -> float:
        """The part of the expected time that has gone by; never quite all of it while the run goes on."""
        return min(0.99, self.elapsed / self.expected) if self.expected else 0.0


@dataclass(frozen=True, slots=True)
class Section:
    """An interval of the rate chart's time axis: the warm-up or a round."""

    label: str
    short: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """What an open loop planned, and what became of it."""

    planned: float
    """Requests a second."""
    sent: float | None
    """Requests a second in the rounds, the running one included; None before the first."""
    never_sent: int
    """Of the rounds that have ended."""
    oldest: float | None
    """Seconds that the oldest request without an outcome had waited at the end of a round."""
    waiting: int
    """Of the round that goes on: planned, and not sent yet."""


@dataclass(frozen=True, slots=True)
class External:
    """A load that isn't ours, in words: it has no answers and no latency that we know of."""

    counter: str | None
    """Whose count the rate is; None where nobody counts."""
    load: str
    """Who makes the load."""
    rate: str
    """Why there is no rate, where there is none."""
    latency: str
    """Where the latency is to be looked up."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Answers a second over time."""

    now: float | None
    """Good answers a second over the last second or so; None when no load runs."""
    mean: float | None
    """Good answers divided by measured seconds of the rounds, the running one included."""
    errors: int
    """Answers of the rounds that weren't good."""
    answers: int
    bins: tuple[RateBin, ...]
    sections: tuple[Section, ...]
    start: float
    end: float
    """The ends of the time axis."""
    void: str | None = None
    """Why the rate can't be trusted."""
    open_loop: OpenLoop | None = None
    external: External | None = None


@dataclass(frozen=True, slots=True)
class Percentile:
    """A mark on the latency chart. Without a value: why."""

    name: str
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Latency:
    """How long good answers took."""

    scope: str
    """What it is of: "warm-up, not counted", "round 2", "all 3 rounds"."""
    count: int
    marks: tuple[Percentile, ...]
    why_blank: str | None
    """Why a mark has no value."""
    buckets: tuple[tuple[float, float, int], ...]
    """(from, to, count), seconds, rising."""
    low: float
    high: float
    """The ends of the axis, the same for the whole run but for spreading."""
    label: str
    void: str | None = None
    service: tuple[Percentile, ...] = ()
    """The service time's marks, in an open loop, once a round has ended."""


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
    """Bytes of its own and bytes that others map too; None when the kernel didn't tell."""
    trend: tuple[float, ...]
    growth: str
    age: str
    note: str = ""
    """For a process that has ended: how. For one that came later: "new"."""
    ended: bool = False
    unexpected: bool = False
    """It came or went while the stack was under load."""
    requests: str = ""
    """What it answered, by a status page."""


@dataclass(frozen=True, slots=True)
class Workers:
    """All processes of the stack, and what they cost together."""

    rows: tuple[Worker, ...]
    alive: int
    expected: int | None
    memory: int | None
    """Anonymous, shared-memory and swapped PSS of all, as in the summary's sentence."""
    saved: int | None
    """Sum of RSS less sum of PSS: what sharing pages saves."""
    idle_memory: int | None
    reason: str | None = None
    """Why ``memory`` isn't there."""
    counted: bool = False
    """Whether a status page tells the requests of single processes."""
    busy: tuple[str, ...] = ()
    """What the status pages say of workers, in words."""
    beside: tuple[str, ...] = ()
    """What they say of anything else."""


@dataclass(frozen=True, slots=True)
class Queue:
    """One listening socket."""

    name: str
    queue: int | None
    """Connections that wait now; None once the run is over."""
    backlog: int
    most: int
    """The longest queue that was seen: in the rounds, and before the first since the stack was ready."""
    overflowed: bool


@dataclass(frozen=True, slots=True)
class Queues:
    """All listening sockets of the stack."""

    sockets: tuple[Queue, ...]
    dropped: int | None
    refused: int | None
    """Of TCP and of unix sockets; None where it can't be counted."""
    kinds: frozenset[str]
    measured: bool
    """Whether a round has begun: what overflowed before isn't counted."""
    reason: str | None
    """Why nothing can be seen."""


@dataclass(frozen=True, slots=True)
class Round:
    """One row of the table of rounds."""

    name: str
    rate: str
    errors: str
    p50: str
    p90: str
    p99: str
    longest: str
    server_busy: str
    load_busy: str
    memory: str
    counted: bool = True


@dataclass(frozen=True, slots=True)
class FindingLine:
    """One thing that the run says about itself."""

    mark: Mark
    text: str
    evidence: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step on the way to the first request."""

    name: str
    state: Literal["done", "now", "next"]
    seconds: float | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no result."""

    reason: str
    log: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of one run."""

    run: str
    profile: str
    stage: Stage
    running: bool
    status: Status
    rate: Rate
    latency: Latency | None
    workers: Workers
    queues: Queues | None
    rounds: tuple[Round, ...]
    findings: tuple[FindingLine, ...]
    steps: tuple[Step, ...]
    failure: Failure | None
    machine: str
    """The host in words: CPUs of either side, memory, steal."""
    server_cpus: tuple[int, ...]
    load_cpus: tuple[int, ...]
