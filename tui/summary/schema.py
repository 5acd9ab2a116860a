"""The summary's schema, with a name and a version; ``docs/summary.schema.json`` is generated from it.

Times are in seconds, memory in bytes, shares from 0 to 1; a quantity that was not measured is null, never 0.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from tui.load.result import Outcomes
from tui.record.events import LoadFacts, Machine, StackFacts, Verdict
from tui.system.text_fields import Table, Text

SCHEMA = "stackdyno/summary"
SCHEMA_VERSION = 1


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FindingPart(_Part):
    """A finding, as in :mod:`tui.findings.judge`."""

    code: Text
    severity: Literal["invalid", "warning", "note"]
    quantities: tuple[Text, ...]
    text: Text
    evidence: Text
    remedy: Text
    allowed: bool = False
    """It is reported, but invalidates nothing."""


Limit = Literal["server", "load", "neither", "none", "unknown"]


class Bottleneck(_Part):
    """What limited the rate: the server's CPUs, the load generator, or neither; none if a planned rate was reached."""

    who: Limit
    evidence: Text


class Spread(_Part):
    """One of ab's rows of times, seconds."""

    count: int
    min: float | None
    mean: float | None
    stdev: float | None
    median: float | None
    max: float | None


class Percentile(_Part):
    """One point of the distribution of total times."""

    percent: float
    seconds: float | None
    reason: Text | None = None
    """Why there is no value."""


class OpenLoopResult(_Part):
    """The figures that only an open loop has, over all rounds."""

    arrivals: Literal["uniform", "poisson"]
    seeds: tuple[int, ...]
    """One per round, so that a Poisson schedule can be repeated."""
    planned: int
    never_sent: int
    """Planned requests that found no connection before the round ended; with ``sent`` they add up to ``planned``."""
    planned_rate: float | None
    sent_rate: float | None
    achieved_rate: float | None
    """Good answers per second."""
    service: Spread
    """From a request's actual start to the last byte, while ``total`` counts from the planned start."""
    service_percentiles: tuple[Percentile, ...]
    connection_wait: Spread
    """From planned to actual start, of requests that found no free connection; its count is the number sent late."""
    schedule_lag: Spread
    """From planned to actual start, of requests that found a free connection: how late the load itself was."""
    schedule_lag_p99: float | None


class OtherLoad(_Part):
    """What is known about an external load, over the rounds."""

    command: tuple[Text, ...] | None
    """The external load generator; null if none was started."""
    seconds: float
    requests: int | None
    """Requests answered, as counted by the stack's status page."""
    requests_per_second: float | None
    source: Text | None
    """The status page that counted them."""
    reason: Text | None
    """Why there is no count."""
    outputs: tuple[Text, ...]
    """Files in the record with the command's output."""


class LoadResult(_Part):
    """All rounds together; the warm-up never counts."""

    requests_per_second: float | None
    """Good answers divided by measured seconds."""
    seconds: float
    good: int
    bad: int
    sent: int
    outcomes: Outcomes
    statuses: dict[int, int]
    errors: dict[Text, int]
    connections_opened: int
    requests_on_reused_connections: int
    retried_after_idle_close: int
    oldest_unfinished: float | None
    bytes_received: int
    body_bytes: int
    bytes_sent: int
    transfer_rate: float | None
    """Bytes received per second."""
    document_length: int | None
    """Body bytes of the answer that was checked before the load."""
    server_software: Text | None
    http_version: Text | None
    time_per_request: float | None
    """Concurrency times measured seconds over good answers: ab's mean. Meaningless, so None, in an open loop."""
    time_per_request_concurrent: float | None
    """Measured seconds over good answers: ab's mean across all concurrent requests. None in an open loop."""
    connect: Spread
    processing: Spread
    waiting: Spread
    total: Spread
    """In an open loop from the planned start, in a closed one the service time."""
    percentiles: tuple[Percentile, ...]
    """Of ``total``."""
    open_loop: OpenLoopResult | None


class RoundRow(_Part):
    """One round, with the columns of the articles."""

    number: int | None
    """None for the warm-up."""
    seconds: float
    requests_per_second: float | None
    good: int | None
    """Null with an external load, as are the times."""
    bad: int | None
    unfinished: int | None
    p50: float | None
    p90: float | None
    p99: float | None
    max: float | None
    stack_cpu: float | None
    cpu_per_request: float | None
    """The stack's CPU seconds per good answer."""
    server_idle: float | None
    load_idle: float | None
    memory: int | None
    """Anonymous, shared-memory and swapped PSS of the whole stack after the round."""
    pss: int | None
    host_used: int | None
    """The host's used memory after the round; a noisy figure, but the reference articles' method."""
    stopped: bool


class MemoryRow(_Part):
    """A full reading of the stack's processes, summed."""

    label: Text
    at: float
    processes: int
    comparable: int | None
    file: int | None
    pss: int | None
    uss: int | None
    rss: int | None
    """Counts shared pages once per process: don't use it to compare."""
    host_used: int | None


class ProcessRow(_Part):
    """One process of the stack at the last full reading, or when it ended."""

    pid: int
    service: Text
    role: Text
    title: Text
    bound: tuple[int, ...] | None
    started_at: float
    """Seconds since the run's start; negative for an older process."""
    ended_at: float | None
    """Seconds since the run's start; null if it lived until the stack was stopped."""
    ended: Text | None
    cpu: float | None
    rss: int | None
    pss: int | None
    uss: int | None
    comparable: int | None
    reason: Text | None
    """Why a value is null."""
    requests: int | None
    """Requests answered in the rounds, as counted by a status page of the stack; null if none counts them."""


class MemoryResult(_Part):
    """What the stack costs in memory."""

    passes: tuple[MemoryRow, ...]
    idle: int | None
    """Comparable memory before the load."""
    after: int | None
    """Comparable memory after the last round."""
    per_worker: int | None
    """``after`` of just the workers, divided by their number."""
    saved_by_sharing: int | None
    """Sum of RSS minus sum of PSS: the additional memory if nothing were shared."""
    growth_per_1000_requests: float | None
    """Bytes of comparable memory: the slope over the last rounds with the same processes.

    Negative if it shrank; null with fewer than three such rounds, or fewer than 1,000 requests between them.
    """
    host_before: int | None
    host_after: int | None
    reads: int
    cost: float
    """CPU seconds that reading PSS took."""


class PortsResult(_Part):
    """Sockets in TIME_WAIT, which stay with the side that closed first: the most after any round."""

    client_time_wait: int | None
    """Connections to the server; each holds one of the client's ports."""
    server_time_wait: int | None
    """The server's sockets, which use none of the client's ports."""
    ports: int | None
    """The number of ports that a client address has for a server address."""
    reused_after: float | None
    """Seconds until the kernel reuses such a port (``tcp_tw_reuse``); null if it doesn't."""
    reason: Text | None
    """Why the counts are null."""


class ListenQueueRow(_Part):
    """One listening socket of the stack, over the measured rounds."""

    name: Text
    kind: Literal["tcp", "unix"]
    address: Text
    backlog: int
    longest: int | None
    """The longest queue seen in any round."""
    by_round: tuple[int | None, ...]
    """The longest queue seen in each round; null if the socket didn't exist."""
    drops: int | None
    """Connection attempts that the kernel dropped, an exact count; null for a unix socket, which never drops any."""
    refusals: int | None
    """Connections that a full unix socket refused, from the front's log; null if no log is counted."""


class ListenQueuesResult(_Part):
    """Connections that waited to be accepted."""

    sockets: tuple[ListenQueueRow, ...]
    every: float | None
    """Seconds between two readings; null if there was none."""
    looks: int
    cost: float
    """CPU seconds that the readings took."""
    refused_elsewhere: int
    """Connections refused in the rounds for which the log names no socket."""
    reasons: tuple[Text, ...]
    """Why some kind of socket can't be read."""


class StatusRow(_Part):
    """What one of the stack's status pages reported; means and maxima cover the reads during the rounds.

    A number that the page doesn't report or that couldn't be read is null.
    """

    name: Text
    where: Text
    every: float
    """Seconds between two reads during the rounds; there is another read after each round."""
    unit: Text
    """What busy and idle count: ``workers``, ``connections``."""
    reads: int
    errors: int
    """Failed reads."""
    error: Text | None
    """Why the last of them failed."""
    reads_in_rounds: int
    requests: int | None
    """Requests answered in the rounds, from the server's count, excluding requests for the page itself."""
    busy_mean: float | None
    busy_most: int | None
    idle_mean: float | None
    idle_most: int | None
    queue_mean: float | None
    queue_most: int | None


class Summary(_Part):
    """One run. ``schema`` and ``schema_version`` name this schema."""

    schema_name: Text = Field(SCHEMA, alias="schema")
    schema_version: int = SCHEMA_VERSION
    stackdyno: Text
    run: Text
    record: Text
    profile_name: Text
    title: Text
    started: Text
    """ISO 8601, UTC."""
    elapsed: float
    verdict: Verdict | Literal["running", "cut off"]
    sentence: Text
    reason: Text | None
    log_tail: tuple[Text, ...]
    findings: tuple[FindingPart, ...]
    invalid: tuple[Text, ...]
    method: Text
    machine: Machine
    versions: dict[Text, Text]
    stack: StackFacts | None
    load: LoadFacts | None
    profile: Table
    cold_start: float | None
    result: LoadResult | None
    """None without a round, and with an external load."""
    other_load: OtherLoad | None
    rounds: tuple[RoundRow, ...]
    warmup: RoundRow | None
    memory: MemoryResult
    listen_queues: ListenQueuesResult
    ports: PortsResult | None
    """Null if the load doesn't use a TCP port."""
    status: tuple[StatusRow, ...]
    """Empty for a stack without a status page."""
    processes: tuple[ProcessRow, ...]
    server_idle: float | None
    load_idle: float | None
    stack_cpu: float | None
    bottleneck: Bottleneck | None
    """None if the rounds are shorter than a second in total."""
    generator_busy: tuple[float, ...]
    """The CPU share of each load process over all rounds."""
    generator_lag: float
    left_running: tuple[Text, ...]
    removed: tuple[Text, ...]

    @property
    def exit_status(self) -> int:
        """0 for a good run without an invalid quantity, else 1."""
        return 0 if self.verdict == "good" and not self.invalid else 1
