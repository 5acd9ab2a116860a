"""The results of a load: the models that events and exports embed.

Counts and times are exact and add up; only percentiles are as coarse as their histogram. A value that wasn't
measured is None.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer

from tui.load.counts import Counts
from tui.load.histogram import Histogram
from tui.load.kinds import ERROR_KINDS, OTHER
from tui.system.errors import UserError
from tui.system.text_fields import Text

SAMPLES_BEYOND = 10


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Outcomes(_Frozen):
    """How requests ended. Each request has exactly one outcome.

    ok: the expected answer. status: another status. body: the status, but not the body. connect: no
    connection. reset: closed or reset before any byte of the answer. truncated: closed before the end that
    the answer promised. timeout: not complete in time. protocol: not HTTP/1.x, or bytes after the answer.
    client: a limit of our own (descriptors, ports, memory). unfinished: in flight when the round ended.
    """

    ok: int = 0
    status: int = 0
    body: int = 0
    connect: int = 0
    reset: int = 0
    truncated: int = 0
    timeout: int = 0
    protocol: int = 0
    client: int = 0
    unfinished: int = 0

    @property
    def total(self) -> int:
        return sum(self.__dict__.values())

    @property
    def bad(self) -> int:
        """All that ended badly."""
        return self.total - self.ok - self.unfinished

    def __add__(self, other: Outcomes) -> Outcomes:
        return Outcomes(**{name: value + getattr(other, name) for name, value in self.__dict__.items()})


class Tally(_Frozen):
    """Counts of a tick or a round. At a round's end ``sent == outcomes.total``; during the round, the
    difference is in flight.

    ``planned``: requests in an open loop's schedule until the end of the tick or round; those that weren't sent
    waited for a connection, and have no outcome. A closed loop plans none. ``sent``: requests that were begun,
    including attempts to connect for one. ``opened``: connections that were established. ``reused``: requests
    sent on a connection that had served before. ``retried``: requests sent again on a new connection,
    because the server closed the kept one without having read them; they aren't in ``sent`` twice.
    ``body_bytes`` are decoded (no chunk framing). ``errors``: texts with counts, at most 20 kinds, the rest
    under "other".
    """

    planned: int = 0
    sent: int = 0
    outcomes: Outcomes = Outcomes()
    statuses: dict[int, int] = Field(default_factory=dict)
    opened: int = 0
    reused: int = 0
    retried: int = 0
    bytes_received: int = 0
    body_bytes: int = 0
    bytes_sent: int = 0
    errors: dict[Text, int] = Field(default_factory=dict)

    def __add__(self, other: Tally) -> Tally:
        tables = {
            "statuses": dict(Counter(self.statuses) + Counter(other.statuses)),
            "errors": _limited(self.errors, other.errors),
        }
        sums = {name: value + getattr(other, name) for name, value in self if name not in tables}
        return Tally(**sums, **tables)


def _limited(*parts: dict[str, int]) -> dict[str, int]:
    errors: Counter[str] = Counter()
    for part in parts:
        errors.update(part)
    rest = errors.pop(OTHER, 0)
    kept = errors.most_common(ERROR_KINDS)
    rest += errors.total() - sum(count for _, count in kept)
    return dict(kept) | ({OTHER: rest} if rest else {})


if TYPE_CHECKING:
    Packed = Counts
else:
    Packed = Annotated[
        dict[int, int], AfterValidator(Counts), PlainSerializer(Counts.as_dict, return_type=dict[int, int])
    ]


class Times(_Frozen):
    """Durations: exact count, extremes, sum and sum of squares in nanoseconds, and a sparse histogram in µs.

    The properties are in seconds, and None if there is no data. ``counts`` maps a bucket's index to its count
    (see ``tui.load.histogram``); ``clamped`` counts values longer than an hour.
    """

    count: int = 0
    min_ns: int | None = None
    max_ns: int | None = None
    sum_ns: int = 0
    squares_ns2: int = 0
    digits: Literal[2, 3] = 3
    counts: Packed = Field(default_factory=Counts)
    clamped: int = 0

    @property
    def min(self) -> float | None:
        return None if self.min_ns is None else self.min_ns / 1e9

    @property
    def max(self) -> float | None:
        return None if self.max_ns is None else self.max_ns / 1e9

    @property
    def sum(self) -> float:
        return self.sum_ns / 1e9

    @property
    def mean(self) -> float | None:
        return self.sum_ns / self.count / 1e9 if self.count else None

    @property
    def stdev(self) -> float | None:
        """The sample standard deviation (n - 1), for two or more samples."""
        if self.count < 2:
            return None
        scaled = self.count * self.squares_ns2 - self.sum_ns**2
        return math.sqrt(scaled / (self.count * (self.count - 1))) / 1e9

    @property
    def histogram(self) -> Histogram:
        return Histogram(self.digits, self.counts.as_dict(), self.clamped)

    def percentile(self, percent: float) -> float | None:
        """Seconds at a percentile, at most the exact maximum; None if fewer than ten samples lie beyond it,
        since so few say nothing about a tail (``percentile_gap`` gives the reason in words). The
        100 % point is ``max``.
        """
        if self.percentile_gap(percent) is not None:
            return None
        value = self.histogram.percentile(percent)
        assert value is not None and self.max_ns is not None
        return min(value * 1000, self.max_ns) / 1e9

    def percentile_gap(self, percent: float) -> str | None:
        """Why ``percentile`` is None, in words; None if it isn't."""
        beyond = max(0, self.count - math.ceil(percent * self.count / 100 - 1e-6))
        if beyond >= SAMPLES_BEYOND:
            return None
        few = f"{beyond} of {self.count} samples lie beyond {percent:g} %"
        return f"{few}, at least {SAMPLES_BEYOND} are needed"

    def __add__(self, other: Times) -> Times:
        """The sum of both. Two and three digits give two. Adding an empty one keeps the digits."""
        if not other.count:
            return self
        if not self.count:
            return other
        digits = min(self.digits, other.digits)
        merged, added = (
            part.histogram if part.digits == digits else part.histogram.coarse() for part in (self, other)
        )
        merged.add(added)
        return Times(
            count=self.count + other.count,
            min_ns=min(part.min_ns for part in (self, other) if part.min_ns is not None),
            max_ns=max(part.max_ns for part in (self, other) if part.max_ns is not None),
            sum_ns=self.sum_ns + other.sum_ns,
            squares_ns2=self.squares_ns2 + other.squares_ns2,
            digits=digits,
            counts=Counts(merged.counts),
            clamped=merged.clamped,
        )


class Tick(_Frozen):
    """What happened since the last tick, of all load processes together. ``t0`` and ``t1`` are seconds on
    CLOCK_MONOTONIC.

    The tallies and latencies of a round's ticks add up to the round's. ``latency``: total times of good
    answers, two digits. ``in_flight``: at ``t1``. ``busy``: of each load process, the share of a CPU that
    it used (0 to 1). ``lag``: seconds, the longest time that a ready answer may have waited in our own
    queue, which is the longest interval between two polls.
    """

    t0: float
    t1: float
    tally: Tally
    latency: Times
    in_flight: int
    busy: tuple[float, ...]
    lag: float


class ScheduleTotals(_Frozen):
    """An open loop's schedule: ``requests`` in ``seconds``, from the round's start. ``seed`` makes a Poisson one."""

    arrivals: Literal["uniform", "poisson"]
    seed: int
    requests: int
    seconds: float

    @property
    def rate(self) -> float | None:
        """Requests per second; None for a window of no length."""
        return self.requests / self.seconds if self.seconds > 0 else None


class RoundResult(_Frozen):
    """One measured window, of all load processes together.

    ``started`` and ``ended``: seconds on CLOCK_MONOTONIC; ``seconds``: the window between. With a duration
    the window is exactly that long, with a number of requests it ends with the last outcome. ``connect``
    has only requests that opened a connection; ``waiting`` is sent to first byte, ``processing`` sent to
    last byte, ``total`` begin to last byte, with connecting if there was any: all four for good answers.
    ``bad``: total times of answers and failures that weren't good. ``oldest_unfinished``: seconds since the
    begin of the request that was in flight longest at the end. ``cpu_seconds``: of each load process in
    the window. ``connections``: configured; ``most_open``: open at the same time, the processes' maxima
    summed. ``stopped``: ended early, by request or by a load process that died. ``server``: Server header
    of the first answer.

    An open loop has ``planned``, and ``total``, ``bad`` and ``oldest_unfinished`` count from the planned
    start, the latter also of requests that were never sent. ``service`` is begin to last byte of good answers; in a
    closed loop that is ``total``, and ``service`` is empty. ``schedule_lag`` and ``connection_wait`` are planned to
    begun, one of the two for each request sent: the first if a connection was free at the planned start, so that
    the load itself was late, the second if none was free.

    ``unfinished_time``: seconds since their begin of all requests in flight at the end, summed; None in older
    records. ``closing``: from the last byte to the server's close, of connections without keep-alive.
    ``timer_lag``: in a closed loop, how late a load process noticed each tick of a 5 ms timer: it may have noticed
    an answer at that moment just as late.
    """

    started: float
    ended: float
    seconds: float
    tally: Tally
    connect: Times
    waiting: Times
    processing: Times
    total: Times
    bad: Times
    oldest_unfinished: float | None
    cpu_seconds: tuple[float, ...]
    lag: float
    connections: int
    most_open: int
    stopped: bool
    server: Text | None
    http_version: Text | None
    planned: ScheduleTotals | None = None
    service: Times = Times()
    schedule_lag: Times = Times()
    connection_wait: Times = Times()
    unfinished_time: float | None = None
    closing: Times = Times()
    timer_lag: Times = Times()

    @property
    def never_sent(self) -> int | None:
        """Planned requests that still waited for a connection at the end; None for a closed loop."""
        return None if self.planned is None else self.planned.requests - self.tally.sent

    @property
    def sent_rate(self) -> float | None:
        """Requests begun per second; None for a window of no length."""
        return self.tally.sent / self.seconds if self.seconds > 0 else None

    @property
    def rate(self) -> float | None:
        """Good answers per second; None for a window of no length."""
        return self.tally.outcomes.ok / self.seconds if self.seconds > 0 else None


class LoadError(UserError):
    """The load itself failed. ``partial`` is the result of the remaining load processes, or None."""

    def __init__(self, message: str, partial: RoundResult | None = None) -> None:
        super().__init__(message)
        self.partial = partial
