"""Rate, latency and rounds in a run's state, as the charts and the table show them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise

from tui.console.drawing.charts import Slot, compact, log_range
from tui.console.run.external_view import SLOTS, external_rate
from tui.console.run.frame import Latency, OpenLoop, Percentile, Rate, Round, Section
from tui.console.words import megabytes
from tui.load.result import Times
from tui.record.events import LoadFacts, RoundEnded
from tui.record.state import RatePoint, RunState
from tui.summary import units
from tui.summary.counted import rate_in

NOW = 1.0
"""Seconds that the present rate is a mean of."""
STOPPING = 1.0
"""Seconds that reading memory, stopping and checking usually take after the last round."""
PERCENTILES = (("p50", 50.0), ("p90", 90.0), ("p99", 99.0))


def rate_of(state: RunState, void: str | None = None) -> Rate:
    """The rate over time, and its words."""
    load = state.planned.load if state.planned else None
    if load is not None and load.mode in ("none", "command"):
        return external_rate(state, load, void)
    good, bad, seconds = measured(state)
    start = state.rate[0].t0 if state.rate else state.now
    return Rate(
        now=rate_now(state),
        mean=good / seconds if seconds > 0 else None,
        errors=bad,
        answers=good + bad,
        slots=compact([_slot(point) for point in state.rate], SLOTS),
        sections=sections_of(state),
        start=start,
        end=_end(state, start),
        void=void,
        open_loop=_open_loop(state, seconds),
    )


def _open_loop(state: RunState, seconds: float) -> OpenLoop | None:
    """What was planned and sent in the rounds, the running one included."""
    rate = state.planned.load.rate if state.planned else None
    if rate is None:
        return None
    live = state.live_tally if _round_runs(state) else None
    sent = sum(result.tally.sent for result in state.results) + (live.sent if live else 0)
    ages = [result.oldest_unfinished for result in state.results if result.never_sent]
    return OpenLoop(
        planned=rate,
        sent=sent / seconds if seconds > 0 else None,
        never_sent=sum(result.never_sent or 0 for result in state.results),
        oldest=max((age for age in ages if age is not None), default=None),
        waiting=max(0, live.planned - live.sent) if live else 0,
    )


def _slot(point: RatePoint) -> Slot:
    return Slot(point.t0, point.t1, point.good, point.bad, point.round is None)


def measured(state: RunState) -> tuple[int, int, float]:
    """Good answers, other outcomes and seconds of the rounds, the running one included; never of the warm-up."""
    good = sum(result.tally.outcomes.ok for result in state.results)
    bad = sum(result.tally.outcomes.bad for result in state.results)
    seconds = sum(result.seconds for result in state.results)
    if _round_runs(state):
        live = live_points(state)
        good += sum(point.good for point in live)
        bad += sum(point.bad for point in live)
        seconds += live[-1].t1 - live[0].t0 if live else 0.0
    return good, bad, seconds


def ended_rounds(state: RunState) -> set[int | None]:
    """The numbers of the rounds whose results are there."""
    return {ended.round for ended in state.rounds}


def live_points(state: RunState) -> list[RatePoint]:
    """The points of the round, or warm-up, that the newest tick belongs to."""
    points: list[RatePoint] = []
    for point in reversed(state.rate):
        if point.round != state.live_round:
            break
        points.append(point)
    return points[::-1]


def under_load(state: RunState) -> bool:
    """Whether load runs at this moment."""
    return state.ended is None and state.phase_name in ("warm-up", "round") and bool(state.rate)


def rate_now(state: RunState) -> float | None:
    """Good answers a second over the last second of the load that runs."""
    if not under_load(state):
        return None
    newest = state.rate[-1]
    recent = [p for p in live_points(state) if p.t0 >= newest.t1 - NOW - 1e-6]
    seconds = sum(point.t1 - point.t0 for point in recent)
    return sum(point.good for point in recent) / seconds if seconds > 0 else None


def sections_of(state: RunState) -> tuple[Section, ...]:
    """The warm-up and the rounds on the time axis, as far as they are known."""
    sections: list[Section] = []
    for point in state.rate:
        label = "warm-up" if point.round is None else f"round {point.round}"
        if sections and sections[-1].label == label:
            last = sections[-1]
            sections[-1] = Section(label, last.short, last.start, point.t1)
        else:
            short = "warm" if point.round is None else str(point.round)
            sections.append(Section(label, short, point.t0, point.t1))
    return tuple(sections)


def _end(state: RunState, start: float) -> float:
    """The right end of the time axis: where the load should end, later in steps if it takes longer."""
    if not state.rate:
        return start
    newest = state.rate[-1].t1
    if state.ended is not None:
        return newest
    end = max(start + 1.0, _expected_end(state, start))
    while end < newest:
        end = start + (end - start) * 1.25
    return end


def _expected_end(state: RunState, start: float) -> float:
    load = state.planned.load if state.planned else None
    if load is None:
        return start
    gaps = _mean_gap(state) * load.rounds
    return start + load.warmup + _round_seconds(state, load) * load.rounds + gaps


def whole_run(state: RunState) -> float | None:
    """Seconds the whole run should take: as planned; by requests, from the first round on, by what a round takes."""
    if state.planned is None or state.planned.expected_seconds is not None:
        return state.planned.expected_seconds if state.planned else None
    announced = state.phase is not None and state.phase.phase == "round" and state.phase.expected
    if not state.rate or not (announced or state.results):
        return None
    return _expected_end(state, state.rate[0].t0) + STOPPING


def _round_seconds(state: RunState, load: LoadFacts) -> float:
    """Seconds that a round takes: as planned, as the ended ones took, or as its phase was announced."""
    if load.duration is not None:
        return load.duration
    if state.results:
        return sum(result.seconds for result in state.results) / len(state.results)
    if state.phase and state.phase.phase == "round" and state.phase.expected:
        return state.phase.expected
    return 5.0


def _mean_gap(state: RunState) -> float:
    """Seconds between two intervals of load, as seen so far."""
    sections = sections_of(state)
    gaps = [after.start - before.end for before, after in pairwise(sections)]
    return sum(gaps) / len(gaps) if gaps else 0.0


@dataclass(slots=True)
class Settled:
    """What is worked out once for each interval of load that has ended: its histogram takes milliseconds to sum."""

    rows: dict[int | None, Round] = field(default_factory=dict)
    """By the round's number; None is the warm-up."""
    whole: Times = field(default_factory=Times)
    """All rounds that have ended, with three digits."""
    coarse: Times = field(default_factory=Times)
    """The same with the two digits of the round that goes on."""
    service: Times = field(default_factory=Times)
    """Service time of all rounds that have ended, where that isn't the latency itself: in an open loop."""
    rounds: int = 0

    def settle(self, state: RunState) -> None:
        """Take in what has ended since the last time."""
        if state.warmup is not None and None not in self.rows:
            self.rows[None] = _round(state.warmup)
        for ended in state.rounds[self.rounds :]:
            self.rows[ended.round] = _round(ended)
            self.rounds += 1
            if ended.result is None:
                continue
            self.whole += ended.result.total
            self.service += ended.result.service
            counts = (
                dict(self.whole.histogram.coarse().counts) if self.whole.digits == 3 else self.whole.counts
            )
            self.coarse = self.whole.model_copy(update={"digits": 2, "counts": counts})


def latency_of(state: RunState, settled: Settled, void: str | None = None) -> Latency | None:
    """The latency of the rounds so far, or of the warm-up while there is no round yet."""
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
        void=void,
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
    live = state.live if _round_runs(state) else None
    rounds = settled.rounds + (live is not None)
    if not rounds:
        warm = state.warmup.result if state.warmup else None
        return "warm-up, not counted", warm.total if warm else state.live
    merged = settled.coarse + live if live is not None else settled.whole
    if rounds == 1:
        return "round 1", merged
    return (f"all {rounds} rounds" if state.ended else f"{rounds} rounds so far"), merged


def _round_runs(state: RunState) -> bool:
    """Whether the newest tick is of a round whose result isn't there yet."""
    return state.live_round is not None and state.live_round not in ended_rounds(state)


def _axis(state: RunState, settled: Settled, shown: Times) -> tuple[float, float]:
    """The ends of the axis: around everything seen in the run so far, so that it only ever spreads."""
    every = [shown, settled.whole]
    if state.warmup is not None and state.warmup.result is not None:
        every.append(state.warmup.result.total)
    low = min((times.min for times in every if times.min), default=1e-6)
    high = max((times.max for times in every if times.max), default=low)
    return log_range(max(low, 1e-6), max(high, low * 2, 2e-6))


def rounds_of(state: RunState, settled: Settled) -> tuple[Round, ...]:
    """The warm-up and every round, one row each; the memory after it comes a moment later."""
    after = {total.label: total.comparable for total in state.memory_totals}
    rows: list[Round] = []
    for number, row in settled.rows.items():
        label = "after warm-up" if number is None else f"after round {number}"
        row = replace(row, memory=megabytes(after.get(label)))
        if not state.results and (rate := rate_in(state, number)) is not None:
            row = replace(row, rate=units.rate(rate))
        rows.append(row)
    return tuple(rows)


def _round(ended: RoundEnded) -> Round:
    result = ended.result
    total = result.total if result else Times()
    p50, p90, p99 = (_or_dash(total.percentile(at)) for _, at in PERCENTILES)
    return Round(
        name="warm-up" if ended.round is None else f"round {ended.round}",
        rate=units.rate(result.rate if result else None),
        errors=units.count(result.tally.outcomes.bad if result else None),
        p50=p50,
        p90=p90,
        p99=p99,
        longest=_or_dash(total.max),
        server_busy=_busy(ended.server_idle),
        load_busy=_busy(ended.load_idle),
        memory=units.UNKNOWN,
        counted=ended.round is not None,
    )


def _or_dash(seconds: float | None) -> str:
    return "–" if seconds is None else units.duration(seconds)


def _busy(idle: float | None) -> str:
    return units.share(None if idle is None else 1 - idle)
