"""What a run records: one JSON object per line in ``events.jsonl``.

Everything shown, exported or compared is folded from these lines (:mod:`tui.record.state`), so a live screen, an
attached one and a replay can't differ. ``t`` is seconds on CLOCK_MONOTONIC since the run's start;
memory is bytes; CPU is seconds unless the name says share (0..1 of one CPU).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from tui.load.result import RoundResult, Tick
from tui.profile.models import LoadMode
from tui.system.text_fields import Table, Text

SCHEMA_VERSION = 1
LATEST = 32_503_680_000.0
"""Seconds since the epoch: the year 3000. Calendars can't hold any number."""

Phase = Literal[
    "prepare", "start", "ready", "idle", "warm-up", "round", "memory", "drain", "stop", "check", "ended"
]
Role = Literal["master", "front", "worker", "helper"]
Verdict = Literal["good", "stopped", "failed"]


class EventPart(BaseModel):
    """Frozen and without unknown fields, so a record of another version is noticed; no number is infinite or NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class TimedEvent(EventPart):
    """Something that happened."""

    t: float
    """Seconds since the run's start."""


class Machine(EventPart):
    """The machine, read once; what it doesn't say is None. Bytes and hertz."""

    hostname: Text
    distribution: Text | None = None
    kernel: Text
    architecture: Text
    cpu_model: Text | None = None
    usable_cpus: tuple[int, ...]
    """By affinity mask and cgroup."""
    cores: int
    governor: Text | None = None
    """Those of all usable CPUs, each once."""
    governors: dict[int, Text] = Field(default_factory=dict)
    """By CPU, without CPUs that have none or don't say."""
    turbo: bool | None = None
    frequency_set: int | None = None
    frequency_max: int | None = None
    memory_total: int
    virtualisation: Text | None = None
    container: Text | None = None


class StatusFacts(EventPart):
    """One of the stack's status sources."""

    name: Text
    where: Text
    every: float
    """Seconds between two reads under load."""
    unit: Text
    """What busy and idle count: ``workers``, ``connections``."""


class StackFacts(EventPart):
    """What the plan fixed before anything was started."""

    stack: Text
    title: Text
    app: Text | None
    interface: Text | None
    workers: int | None
    """How many processes with the role worker are expected; None if the stack doesn't say."""
    pin: Text
    server_cpus: tuple[int, ...]
    """Empty if the stack is on another machine."""
    load_cpus: tuple[int, ...]
    shared_cpus: bool
    """Server and load share a CPU, or a core through SMT."""
    shared_by_choice: bool
    """They share although the machine has enough CPUs to keep them apart."""
    ports: dict[Text, int]
    expect: Text
    """The expected answer in words."""
    url: Text
    address: Text
    user: Text | None
    external: bool
    status: tuple[StatusFacts, ...] = ()


class LoadFacts(EventPart):
    """The resolved load; durations in seconds."""

    mode: LoadMode = "closed"
    rate: float | None = None
    """Requests per second that an open loop plans."""
    arrivals: Literal["uniform", "poisson"] | None = None
    command: tuple[Text, ...] | None = None
    """The command of another load generator, as it was run."""
    method: Text
    path: Text
    connections: int | None
    """None if the load isn't ours and the profile doesn't say."""
    processes: int
    """Load processes of ours."""
    requests: int | None
    duration: float | None
    keepalive: bool
    warmup: float
    rounds: int
    timeout: float | None


class RunStarted(TimedEvent):
    """The first line of every record."""

    type: Literal["run-started"] = "run-started"
    schema_version: int = SCHEMA_VERSION
    stackdyno: Text
    run: Text
    wall: Annotated[float, Field(ge=0, lt=LATEST)]
    """Wall-clock time of the start, seconds since the epoch."""
    profile_name: Text
    profile_title: Text
    profile: Table
    """The resolved profile, as TOML would write it."""
    allowed: tuple[Text, ...] = ()
    """Codes of findings that invalidate nothing."""
    machine: Machine


class Planned(TimedEvent):
    """The profile was turned into concrete commands; nothing has been started yet."""

    type: Literal["planned"] = "planned"
    facts: StackFacts
    load: LoadFacts
    expected_seconds: float | None
    """The whole run's estimated seconds, for the progress bar; None if only a number of requests is given."""


class VersionsRead(TimedEvent):
    type: Literal["versions"] = "versions"
    versions: dict[Text, Text]


class PhaseChanged(TimedEvent):
    type: Literal["phase"] = "phase"
    phase: Phase
    round: int | None = None
    """Counts from 1."""
    expected: float | None = None
    """Seconds that this phase should take, if known."""


class ServiceStarted(TimedEvent):
    type: Literal["service-started"] = "service-started"
    service: Text
    copy_number: int
    pid: int
    command: tuple[Text, ...]


class StackReady(TimedEvent):
    """The expected answer came from the real path."""

    type: Literal["ready"] = "ready"
    cold_start: float | None
    """Seconds from the start of the first service to that answer; None for a stack that we did not start."""
    status: int
    server: Text | None
    body_length: int


class ProcessSeen(TimedEvent):
    type: Literal["process-seen"] = "process-seen"
    pid: int
    start: int
    """Clock ticks since boot; with the pid, the identity."""
    ppid: int
    service: Text
    role: Role
    title: Text
    bound: tuple[int, ...] | None
    """The CPUs that every thread may use; None if that can't be read."""
    misbound: bool = False
    """Some thread may use a CPU outside the set to which it is bound."""
    age: float
    """Its age in seconds when it was seen."""


class ProcessEnded(TimedEvent):
    type: Literal["process-ended"] = "process-ended"
    pid: int
    start: int
    status: Text | None
    """How it ended: ``exit 0``, ``SIGKILL``; None if only its parent knows."""
    expected: bool
    """It ended while the stack was being stopped, or before the stack was ready."""


class WorkerReading(EventPart):
    """One process at one moment, cheap enough to read twice a second."""

    pid: int
    start: int
    cpu: float
    """CPU seconds that it has used itself."""
    share: float | None
    """Share of one CPU since the last reading."""
    cpu_last: int
    rss: int
    threads: int
    bound: tuple[int, ...] | None = None


class Processes(TimedEvent):
    type: Literal["processes"] = "processes"
    readings: tuple[WorkerReading, ...]
    cpu_total: float
    """CPU seconds of the whole stack since it was started, including processes that ended."""


class MemoryReading(EventPart):
    """``smaps_rollup`` of one process, in bytes. A part that the kernel doesn't report is None."""

    pid: int
    start: int
    rss: int | None
    pss: int | None = None
    pss_anon: int | None = None
    pss_file: int | None = None
    pss_shmem: int | None = None
    swap_pss: int | None = None
    uss: int | None = None
    reason: Text | None = None
    """Why a part is None."""

    @property
    def comparable(self) -> int | None:
        """Anonymous, shared-memory and swapped PSS: the figure for comparing two stacks."""
        if self.pss_anon is None or self.pss_shmem is None:
            return None
        return self.pss_anon + self.pss_shmem + (self.swap_pss or 0)


class Memory(TimedEvent):
    """One process, read in its turn, or all of them (``full``), read outside the measured window."""

    type: Literal["memory"] = "memory"
    full: bool
    label: Text | None = None
    """For a full pass: "idle", "after warm-up", "after round 2"."""
    readings: tuple[MemoryReading, ...]
    reads: int
    """smaps_rollup reads so far."""
    cost: float
    """CPU seconds that they took so far."""


class LoadTick(TimedEvent):
    type: Literal["load"] = "load"
    round: int | None
    """None while warming up."""
    tick: Tick


class Strain(EventPart):
    """What happened to the machine over one interval of load. None stands for what it doesn't report."""

    steal: dict[int, float] = Field(default_factory=dict)
    """Share of each CPU of the run that the hypervisor gave to others."""
    swapped_in: int | None = None
    """Bytes read back from swap, compressed memory (zram) too, on the whole machine."""
    swapped_out: int | None = None
    pressure: float | None = None
    """Seconds during which some task of the machine waited for memory (PSI)."""


class GroupKilled(EventPart):
    """A memory cgroup of the stack in which the kernel's OOM killer killed processes."""

    name: Text
    kills: int
    """Since the last report."""
    limit: int | None
    """Bytes that its processes may use together; None without a limit."""


class HostReading(TimedEvent):
    type: Literal["host"] = "host"
    label: Text | None = None
    """"before start", "idle", "after round 1": a reading that the summary quotes."""
    cpu_busy: dict[int, float]
    """Share of each CPU that was in use since the last reading (without steal)."""
    cpu_steal: dict[int, float]
    memory_used: int
    memory_available: int
    swap_used: int
    swapped_in: int | None = None
    """Bytes since the last reading; None if the kernel doesn't say."""
    swapped_out: int | None = None
    pressure: float | None = None
    """Seconds since the last reading during which some task waited for memory (PSI); None without PSI."""
    memory_kills: int | None = None
    """Processes that the kernel's OOM killer killed since the last reading, including ones unrelated to the run."""
    killed_in: tuple[GroupKilled, ...] = ()
    """The stack's memory cgroups in which it killed."""
    generator_cpu: float | None
    """CPU seconds of the load processes since the run's start; None if there are none."""


class DescriptorReading(EventPart):
    """One process: how many descriptors it has open, and how many it may open (the soft limit)."""

    pid: int
    start: int
    open: int | None
    limit: int | None
    """None if there is no limit, or if it can't be read."""
    reason: Text | None = None
    """Why ``open`` is None."""


class Descriptors(TimedEvent):
    """All processes of the stack and of our load, read now and then under load."""

    type: Literal["descriptors"] = "descriptors"
    stack: tuple[DescriptorReading, ...]
    load: tuple[DescriptorReading, ...]


class TimeWait(TimedEvent):
    """Sockets in TIME_WAIT at the end of an interval, on the side that closed its connections first.

    Written only if the load goes to a TCP port.
    """

    type: Literal["time-wait"] = "time-wait"
    round: int | None
    """None for the warm-up."""
    client: int | None
    """Connections to the server; each occupies one of the client's ports."""
    server: int | None
    """The server's own sockets, which cost the client no port."""
    ports: int | None
    """How many ports a client address has for one server address (``ip_local_port_range``)."""
    reused_after: float | None
    """Seconds after which the kernel reuses such a port anyway (``tcp_tw_reuse``); None if it doesn't."""
    reason: Text | None = None
    """Why the counts are None."""


class QueueReading(EventPart):
    """One listening socket of the stack at one moment. The counts begin when the stack is ready."""

    kind: Literal["tcp", "unix"]
    address: Text
    """``127.0.0.1:8000``, ``[::]:80``, a path, or ``@name``."""
    inode: int
    """Its identity: several sockets may share an address (SO_REUSEPORT), and a socket may be recreated."""
    queue: int
    """Connections waiting to be accepted; the kernel allows one more than the listen backlog."""
    backlog: int
    drops: int | None
    """Connection attempts that the kernel dropped, counting each retry; None for a unix socket, which has no count."""
    refusals: int | None
    """Connections that a full unix socket refused, by the log of the refused client; None if no log is counted."""


class ListenQueues(TimedEvent):
    """All listening sockets of the stack; written on a change, and at the start of each interval of load."""

    type: Literal["listen-queues"] = "listen-queues"
    sockets: tuple[QueueReading, ...]
    every: float
    """Seconds between two looks: a queue that fills and empties in between is not seen."""
    looks: int
    """Looks so far."""
    cost: float
    """CPU seconds that they took so far."""
    refused_elsewhere: int = 0
    """Refused connections whose log line names none of the sockets."""
    reasons: tuple[Text, ...] = ()
    """Why sockets of a kind can't be seen."""


class WorkerServed(EventPart):
    """What a status page says of one worker."""

    pid: int
    requests: int | None
    """Requests that it has answered since it was started."""
    busy: bool | None


class StatusRead(TimedEvent):
    """What a status source said, or why it said nothing. A number that it doesn't give is None."""

    type: Literal["status-read"] = "status-read"
    source: Text
    busy: int | None = None
    idle: int | None = None
    queue: int | None = None
    requests: int | None = None
    """Requests answered since the server was started."""
    workers: tuple[WorkerServed, ...] = ()
    error: Text | None = None
    took: float
    """Seconds that the read took."""


class RoundEnded(TimedEvent):
    type: Literal["round-ended"] = "round-ended"
    round: int | None
    """None for the warm-up, which is kept but never counted."""
    result: RoundResult | None
    """None if the requests were not ours."""
    seconds: float | None = None
    """Its length, if the requests were not ours."""
    cut_short: bool = False
    """Whether it ended early, if the requests were not ours."""
    stack_cpu: float | None
    """CPU seconds that the stack used during the round."""
    server_idle: float | None
    """Share of the server's CPUs that was idle during the round."""
    load_idle: float | None
    strain: Strain | None = None

    @property
    def length(self) -> float:
        """Seconds of the interval, whatever generated the load."""
        return self.result.seconds if self.result is not None else self.seconds or 0.0

    @property
    def stopped(self) -> bool:
        """Whether it ended early."""
        return self.cut_short if self.result is None else self.result.stopped


class Notice(TimedEvent):
    """Something that users should know and that no number shows."""

    type: Literal["notice"] = "notice"
    code: Text
    text: Text
    severity: Literal["note", "warning", "invalid"] = "note"


class Leftovers(TimedEvent):
    """The comparison of the system before the start and after the stop."""

    type: Literal["leftovers"] = "leftovers"
    left: tuple[Text, ...]
    """What is ours and could not be ended or removed. Empty proves that nothing is left."""
    removed: tuple[Text, ...]
    """What the stack left behind and we removed."""
    unrelated: int
    """What else appeared on the system meanwhile but is not ours."""


class LinesLost(TimedEvent):
    """Never written: a reader puts it in the place of lines that it can't read. ``t`` is that of the event before."""

    type: Literal["lines-lost"] = "lines-lost"
    number: int = 1
    where: Text
    """The first of them: "line 17 of events.jsonl"."""


class RunEnded(TimedEvent):
    """The last line of a record. A record without it was cut off."""

    type: Literal["run-ended"] = "run-ended"
    verdict: Verdict
    reason: Text | None = None
    log_tail: tuple[Text, ...] = ()
    """Last lines of the server's log, if they explain the reason."""
    busy: Text | None = None
    """The other run that held the machine, if nothing was started because of it."""


Event = Annotated[
    RunStarted
    | Planned
    | VersionsRead
    | PhaseChanged
    | ServiceStarted
    | StackReady
    | ProcessSeen
    | ProcessEnded
    | Processes
    | Memory
    | ListenQueues
    | StatusRead
    | Descriptors
    | TimeWait
    | HostReading
    | LoadTick
    | RoundEnded
    | Notice
    | Leftovers
    | LinesLost
    | RunEnded,
    Field(discriminator="type"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
