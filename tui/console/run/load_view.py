"""A run's load as the screen shows it: rate, latency and rounds, and what is known about an external load.

Strings and numbers, frozen, from a run's state; :mod:`tui.console.run.load_lines` draws them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from tui.console.drawing.axes import log_range
from tui.console.drawing.charts import RateBin, compact
from tui.console.words import megabytes
from tui.load.counts import Counts
from tui.load.result import Times
from tui.record.events import LoadFacts
from tui.record.series import RatePoint
from tui.record.state import RunState
from tui.summary import units
from tui.summary.counted import Counted, counted, parts, rate_in, source_of
from tui.summary.expected import load_end
from tui.summary.figures import SoFar, live_points, other_load, round_runs, so_far
from tui.summary.schema import RoundRow
from tui.summary.summary import round_row

NOW = 1.0
"""The current rate is a mean over this many seconds."""
PERCENTILES = (("p50", 50.0), ("p90", 90.0), ("p99", 99.0))
BINS = 480
"""More than the columns of any chart."""


@dataclass(frozen=True, slots=True)
class Section:
    """An interval of the rate chart's time axis: the warm-up or a round."""

    label: str
    short: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """What an open loop planned, and what happened to it."""

    planned: float
    """Requests per second."""
    sent: float | None
    """Requests per second over the rounds, including the current one; None before the first."""
    never_sent: int
    """Requests of ended rounds that were never sent."""
    oldest: float | None
    """Seconds that the oldest of these had waited when its round ended."""
    waiting: int
    """Requests of the current round that are due but haven't been sent."""


@dataclass(frozen=True, slots=True)
class External:
    """A load that stackdyno doesn't make, in words: its answers and its latency are unknown."""

    counter: str | None
    """The status page that counts the requests; None if none does."""
    load: str
    """Who makes the load."""
    rate: str
    """Why there is no rate, if there is none."""
    latency: str
    """Where to look up the latency."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Answers per second over time."""

    now: float | None
    """Good answers per second over the last second or so; None without load."""
    mean: float | None
    """Good answers divided by measured seconds, over the rounds, including the current one."""
    errors: int
    """The rounds' answers that weren't good."""
    answers: int
    bins: tuple[RateBin, ...]
    sections: tuple[Section, ...]
    start: float
    end: float
    """The ends of the time axis."""
    invalid: str | None = None
    """Why the rate can't be trusted."""
    open_loop: OpenLoop | None = None
    external: External | None = None


@dataclass(frozen=True, slots=True)
class Percentile:
    """A mark on the latency chart."""

    name: str
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Latency:
    """How long good answers took."""

    scope: str
    """What it covers: "warm-up, not counted", "round 2", "all 3 rounds"."""
    count: int
    marks: tuple[Percentile, ...]
    why_blank: str | None
    """Why a mark has no value."""
    buckets: tuple[tuple[float, float, int], ...]
    """(from, to, count) in seconds, ascending."""
    low: float
    high: float
    """The ends of the axis; they only move apart during a run."""
    label: str
    invalid: str | None = None
    service: tuple[Percentile, ...] = ()
    """The service time's marks, in an open loop, after a round has ended."""


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


def rate_of(state: RunState, invalid: str | None = None) -> Rate:
    """The rate over time, and its words."""
    load = state.planned.load if state.planned else None
    if load is not None and load.mode in ("none", "command"):
        return external_rate(state, load, invalid)
    rounds = so_far(state)
    start = state.rate[0].t0 if state.rate else state.now
    return Rate(
        now=rate_now(state),
        mean=rounds.rate,
        errors=rounds.bad,
        answers=rounds.good + rounds.bad,
        bins=compact([_bin(point) for point in state.rate], BINS),
        sections=sections_of(state),
        start=start,
        end=_end(state, start, state.rate[-1].t1) if state.rate else start,
        invalid=invalid,
        open_loop=_open_loop(state, rounds),
    )


def _open_loop(state: RunState, rounds: SoFar) -> OpenLoop | None:
    """What was planned and sent in the rounds, including the current one."""
    rate = state.planned.load.rate if state.planned else None
    if rate is None:
        return None
    return OpenLoop(
        planned=rate,
        sent=rounds.sent_rate,
        never_sent=rounds.never_sent,
        oldest=rounds.oldest_never_sent,
        waiting=rounds.waiting,
    )


def _bin(point: RatePoint) -> RateBin:
    return RateBin(point.t0, point.t1, point.good, point.bad, point.round is None)


def under_load(state: RunState) -> bool:
    """Whether load is running."""
    return state.ended is None and state.phase_name in ("warm-up", "round") and bool(state.rate)


def rate_now(state: RunState) -> float | None:
    """Good answers per second over the last second; None if no load is running."""
    if not under_load(state):
        return None
    newest = state.rate[-1]
    recent = [p for p in live_points(state) if p.t0 >= newest.t1 - NOW - 1e-6]
    seconds = sum(point.t1 - point.t0 for point in recent)
    return sum(point.good for point in recent) / seconds if seconds > 0 else None


def sections_of(state: RunState) -> tuple[Section, ...]:
    """The warm-up and the rounds on the time axis, as far as they are known."""
    sections: list[Section] = []
    for number, points in groupby(state.rate, key=attrgetter("round")):
        inside = list(points)
        sections.append(_section(number, inside[0].t0, inside[-1].t1))
    return tuple(sections)


def _section(number: int | None, start: float, end: float) -> Section:
    if number is None:
        return Section("warm-up", "warm", start, end)
    return Section(f"round {number}", str(number), start, end)


def _end(state: RunState, start: float, newest: float) -> float:
    """The right end of the time axis: when the load should end; it moves in steps if the load takes longer."""
    if state.ended is not None:
        return newest
    end = max(start + 1.0, load_end(state, start))
    while end < newest:
        end = start + (end - start) * 1.25
    return end


@dataclass(slots=True)
class Settled:
    """Results computed once per ended interval of load, since summing its histogram takes milliseconds."""

    rows: dict[int | None, RoundRow] = field(default_factory=dict)
    """Keyed by the round's number; None is the warm-up."""
    whole: Times = field(default_factory=Times)
    """All rounds that have ended, with three digits."""
    coarse: Times = field(default_factory=Times)
    """The same with two digits, as in the current round."""
    service: Times = field(default_factory=Times)
    """The service time of all ended rounds in an open loop; in a closed loop it equals the latency."""
    rounds: int = 0

    def settle(self, state: RunState) -> None:
        """Add what has ended since the last call."""
        if state.warmup is not None and None not in self.rows:
            self.rows[None] = round_row(state, None)
        if self.rounds == len(state.rounds):
            return
        for ended in state.rounds[self.rounds :]:
            self.rows[ended.round] = round_row(state, ended.round)
        self.rounds = len(state.rounds)
        self.whole, self.service = state.times("total"), state.times("service")
        counts = Counts(self.whole.histogram.coarse().counts) if self.whole.digits == 3 else self.whole.counts
        self.coarse = self.whole.model_copy(update={"digits": 2, "counts": counts})


def latency_of(state: RunState, settled: Settled, invalid: str | None = None) -> Latency | None:
    """The latency of the rounds so far, or of the warm-up before the first round."""
    scope, times = _scope(state, settled)
    if times is None or not times.count or not times.max:
        return None
    low, high = _axis(state, settled, times)
    marks = _marks(times)
    blank = [f"{name}: {gap}" for name, at in PERCENTILES if (gap := times.percentile_gap(at))]
    return Latency(
        scope=scope,
        count=times.count,
        marks=marks,
        why_blank=blank[0] if blank else None,
        buckets=tuple(
            (bucket.low / 1e6, bucket.high / 1e6, bucket.count) for bucket in times.histogram.buckets()
        ),
        low=low,
        high=high,
        label="open loop, from the planned start" if _is_open(state) else "closed loop, service time",
        invalid=invalid,
        service=_marks(settled.service) if settled.service.count else (),
    )


def _marks(times: Times) -> tuple[Percentile, ...]:
    return (
        *(Percentile(name, times.percentile(at)) for name, at in PERCENTILES),
        Percentile("max", times.max),
    )


def _is_open(state: RunState) -> bool:
    return state.planned is not None and state.planned.load.mode == "open"


def _scope(state: RunState, settled: Settled) -> tuple[str, Times | None]:
    live = state.live if round_runs(state) else None
    rounds = settled.rounds + (live is not None)
    if not rounds:
        warm = state.warmup.result if state.warmup else None
        return "warm-up, not counted", warm.total if warm else state.live
    merged = settled.coarse + live if live is not None else settled.whole
    if rounds == 1:
        return "round 1", merged
    return (f"all {rounds} rounds" if state.ended else f"{rounds} rounds so far"), merged


def _axis(state: RunState, settled: Settled, shown: Times) -> tuple[float, float]:
    """The ends of the axis: they enclose everything seen in the run so far, so they only move apart."""
    every = [shown, settled.whole]
    if state.warmup is not None and state.warmup.result is not None:
        every.append(state.warmup.result.total)
    low = min((times.min for times in every if times.min), default=1e-6)
    high = max((times.max for times in every if times.max), default=low)
    return log_range(max(low, 1e-6), max(high, low * 2, 2e-6))


def rounds_of(state: RunState, settled: Settled) -> tuple[Round, ...]:
    """A row for the warm-up and each round; its memory arrives a moment later."""
    after = {total.label: total.comparable for total in state.memory_totals}
    rows: list[Round] = []
    for number, row in settled.rows.items():
        label = "after warm-up" if number is None else f"after round {number}"
        rate = row.requests_per_second if state.results else rate_in(state, number)
        rows.append(_round(row, rate, after.get(label)))
    return tuple(rows)


def _round(row: RoundRow, rate: float | None, memory: int | None) -> Round:
    return Round(
        name="warm-up" if row.number is None else f"round {row.number}",
        rate=units.rate(rate),
        errors=units.count(row.bad),
        p50=_or_dash(row.p50),
        p90=_or_dash(row.p90),
        p99=_or_dash(row.p99),
        longest=_or_dash(row.max),
        server_busy=_busy(row.server_idle),
        load_busy=_busy(row.load_idle),
        memory=megabytes(memory),
        counted=row.number is not None,
    )


def _or_dash(seconds: float | None) -> str:
    return "–" if seconds is None else units.duration(seconds)


def _busy(idle: float | None) -> str:
    return units.share(None if idle is None else 1 - idle)


def external_rate(state: RunState, load: LoadFacts, invalid: str | None) -> Rate:
    """The rate over time from a status page's count; without one, only the words."""
    points, intervals = counted(state), parts(state)
    other = other_load(state)
    start = intervals[0].start if intervals else state.now
    return Rate(
        now=_external_now(state, points),
        mean=other.requests_per_second if other else None,
        errors=0,
        answers=0,
        bins=compact([RateBin(p.t0, p.t1, p.requests, 0, p.round is None) for p in points], BINS),
        sections=tuple(_section(part.round, part.start, part.end) for part in intervals),
        start=start,
        end=_end(state, start, max((part.end for part in intervals), default=start)),
        invalid=invalid,
        external=_external_words(state, load),
    )


def _external_now(state: RunState, points: tuple[Counted, ...]) -> float | None:
    """The newest count of the current interval."""
    if state.ended is not None or state.phase_name not in ("warm-up", "round") or not points:
        return None
    newest = points[-1]
    return newest.rate if newest.round == state.round else None


def _external_words(state: RunState, load: LoadFacts) -> External:
    source = source_of(state)
    pages = state.planned.facts.status if state.planned else ()
    why = "No status page of this stack counts requests, so there is no rate."
    if source is None and pages:
        errors = [status.error for status in state.status.values() if status.error]
        why = f"No rate: {errors[0] if errors else 'its status page has not been read yet'}."
    if load.mode == "none" or not load.command:
        latency = "stackdyno sends no requests in this run, so it measures no latency."
        return External(source, "No load: the stack is only watched.", why, latency)
    program = Path(load.command[0]).name
    rounds = [part.round for part in parts(state) if part.round is not None]
    kept = f"logs/load-round-{rounds[-1]}.txt" if rounds else "logs/"
    latency = f"{program} reports the latency: its output is in {kept}, and l shows it."
    return External(source, f"External load: {' '.join((program, *load.command[1:]))}", why, latency)
