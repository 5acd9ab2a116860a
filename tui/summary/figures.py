"""The load's figures, live and final, of stackdyno's own load or an external one, and how they were obtained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tui.load.result import RoundResult, Tally, Times
from tui.record.events import LoadFacts, RoundEnded
from tui.record.series import RatePoint
from tui.record.state import RunState
from tui.summary import units
from tui.summary.schema import LoadResult, OpenLoopResult, OtherLoad, Percentile, Spread

Number = TypeVar("Number", int, float)

PERCENTS = (50.0, 66.0, 75.0, 80.0, 90.0, 95.0, 98.0, 99.0, 99.9)
"""ab's points and 99.9; the 100 % point is the maximum."""


def spread(times: Times) -> Spread:
    """One of ab's rows of times."""
    return Spread(
        count=times.count,
        min=times.min,
        mean=times.mean,
        stdev=times.stdev,
        median=times.percentile(50),
        max=times.max,
    )


def percentiles(times: Times) -> tuple[Percentile, ...]:
    """The points of a distribution, each with the reason if it has no value."""
    return tuple(
        Percentile(percent=percent, seconds=times.percentile(percent), reason=times.percentile_gap(percent))
        for percent in PERCENTS
    )


def open_loop_result(state: RunState) -> OpenLoopResult | None:
    """The schedule of all rounds and what happened to it; None for a closed loop."""
    results = [result for result in state.results if result.planned is not None]
    plans = [result.planned for result in results if result.planned is not None]
    if not plans:
        return None
    planned = sum(plan.requests for plan in plans)
    span, seconds = sum(plan.seconds for plan in plans), sum(result.seconds for result in results)
    sent = sum(result.tally.sent for result in results)
    service, lag = state.times("service"), state.times("schedule_lag")
    return OpenLoopResult(
        arrivals=plans[0].arrivals,
        seeds=tuple(plan.seed for plan in plans),
        planned=planned,
        never_sent=planned - sent,
        planned_rate=planned / span if span > 0 else None,
        sent_rate=sent / seconds if seconds > 0 else None,
        achieved_rate=sum(result.tally.outcomes.ok for result in results) / seconds if seconds > 0 else None,
        service=spread(service),
        service_percentiles=percentiles(service),
        connection_wait=spread(state.times("connection_wait")),
        schedule_lag=spread(lag),
        schedule_lag_p99=lag.percentile(99),
    )


@dataclass(frozen=True, slots=True)
class SoFar:
    """The counts of the rounds, including the current one during a run, but never the warm-up."""

    good: int
    bad: int
    sent: int
    never_sent: int
    """The schedule of an open loop's complete rounds."""
    waiting: int
    """Planned requests of the current round that are due but haven't been sent."""
    oldest_unfinished: float | None
    """Seconds that the oldest request had waited at the end of its round; None if none was unfinished."""
    oldest_never_sent: float | None
    """The same, over the rounds in which requests were never sent."""
    seconds: float

    @property
    def rate(self) -> float | None:
        """Good answers per second."""
        return self.good / self.seconds if self.seconds > 0 else None

    @property
    def sent_rate(self) -> float | None:
        """Requests sent per second."""
        return self.sent / self.seconds if self.seconds > 0 else None


def so_far(state: RunState, *, live: bool = True) -> SoFar:
    """The counts of all rounds; ``live`` includes the current round's ticks so far."""
    results = state.results
    points = live_points(state) if live and round_runs(state) else []
    ticks = state.live_tally if points else None
    return SoFar(
        good=sum(result.tally.outcomes.ok for result in results) + sum(point.good for point in points),
        bad=sum(result.tally.outcomes.bad for result in results) + sum(point.bad for point in points),
        sent=sum(result.tally.sent for result in results) + (ticks.sent if ticks else 0),
        never_sent=sum(result.never_sent or 0 for result in results),
        waiting=max(0, ticks.planned - ticks.sent) if ticks else 0,
        oldest_unfinished=_oldest(results),
        oldest_never_sent=_oldest([result for result in results if result.never_sent]),
        seconds=sum(result.seconds for result in results) + (points[-1].t1 - points[0].t0 if points else 0.0),
    )


def _oldest(results: list[RoundResult]) -> float | None:
    return max(
        (each.oldest_unfinished for each in results if each.oldest_unfinished is not None), default=None
    )


def round_runs(state: RunState) -> bool:
    """Whether the newest tick belongs to a round that has no result yet."""
    return state.live_round is not None and all(ended.round != state.live_round for ended in state.rounds)


def live_points(state: RunState) -> list[RatePoint]:
    """The points of the round, or warm-up, that the newest tick belongs to."""
    points: list[RatePoint] = []
    for point in reversed(state.rate):
        if point.round != state.live_round:
            break
        points.append(point)
    return points[::-1]


def stack_cpu(state: RunState) -> float | None:
    """CPU seconds of the stack over all rounds; None if a round's are unknown, or there is none."""
    return known_sum([ended.stack_cpu for ended in state.rounds])


def mean_share(state: RunState, share: Callable[[RoundEnded], float | None]) -> float | None:
    """The mean of a share over all rounds, weighted by their length; None if a round's is unknown."""
    seconds = sum(ended.length for ended in state.rounds)
    spent = known_sum(
        [None if (value := share(each)) is None else value * each.length for each in state.rounds]
    )
    return None if spent is None or not seconds else spent / seconds


def known_sum(values: Sequence[Number | None]) -> Number | None:
    """The sum; None if a part is unknown, or there is none."""
    known = [value for value in values if value is not None]
    if not values or len(known) < len(values):
        return None
    added = known[0]
    for value in known[1:]:
        added += value
    return added


def load_result(state: RunState) -> LoadResult | None:
    """All complete rounds together; None if there are none."""
    results = state.results
    if not results:
        return None
    tally = sum((result.tally for result in results), Tally())
    total = state.times("total")
    counted = so_far(state, live=False)
    good, seconds = counted.good, counted.seconds
    closed, connections = results[0].planned is None, results[0].connections
    return LoadResult(
        requests_per_second=counted.rate,
        seconds=seconds,
        good=good,
        bad=counted.bad,
        sent=counted.sent,
        outcomes=tally.outcomes,
        statuses=tally.statuses,
        errors=tally.errors,
        connections_opened=tally.opened,
        requests_on_reused_connections=tally.reused,
        retried_after_idle_close=tally.retried,
        oldest_unfinished=counted.oldest_unfinished,
        bytes_received=tally.bytes_received,
        body_bytes=tally.body_bytes,
        bytes_sent=tally.bytes_sent,
        transfer_rate=tally.bytes_received / seconds if seconds > 0 else None,
        document_length=state.ready.body_length if state.ready else None,
        server_software=next((result.server for result in results if result.server), None),
        http_version=next((result.http_version for result in results if result.http_version), None),
        time_per_request=connections * seconds / good if good and closed else None,
        time_per_request_concurrent=seconds / good if good and closed else None,
        connect=spread(state.times("connect")),
        processing=spread(state.times("processing")),
        waiting=spread(state.times("waiting")),
        total=spread(total),
        percentiles=percentiles(total),
        open_loop=open_loop_result(state),
    )


def other_load(state: RunState) -> OtherLoad | None:
    """What is known about an external load; None for stackdyno's own load."""
    load = state.planned.load if state.planned else None
    if load is None or load.mode not in ("none", "command"):
        return None
    seconds = sum(ended.length for ended in state.rounds)
    requests, source, reason = _served(state)
    spent = seconds
    if load.mode == "none" and source is not None:  # other requests also arrive between the rounds
        begun = (phase.t for phase in state.phases if phase.phase == "round")
        first = next(begun, state.rounds[0].t - state.rounds[0].length)
        spent = (state.status[source].served.at or first) - first
    names = [f"logs/load-round-{ended.round}.txt" for ended in state.rounds]
    return OtherLoad(
        command=load.command,
        seconds=seconds,
        requests=requests,
        requests_per_second=requests / spent if requests is not None and spent > 0 else None,
        source=source,
        reason=reason,
        outputs=tuple(names) if load.mode == "command" else (),
    )


def _served(state: RunState) -> tuple[int | None, str | None, str | None]:
    """The requests counted by a status page since the first round began, and the page, or the reason for no count."""
    if not state.rounds:
        return None, None, "no round was run"
    for name, status in state.status.items():
        if status.served.measured is not None:
            return status.served.measured, name, None
    if not state.status:
        return None, None, "the load is external, and this stack has no status page that counts its requests"
    errors = [status.last_error for status in state.status.values() if status.last_error]
    return None, None, errors[0] if errors else "the stack's status page doesn't count requests"


def method(state: RunState) -> str:
    """How the figures were obtained, in one paragraph that every export has."""
    if state.planned is None:
        return "Nothing was measured."
    return (
        f"{_load_method(state.planned.load, state.planned.facts.expect)} Memory is anonymous + shared-memory + swapped "
        f"PSS, summed over the stack's processes, read {state.memory_reads} times at a cost of "
        f"{units.duration(state.memory_cost)} of CPU."
    )


def _load_method(load: LoadFacts, expect: str) -> str:
    if load.mode == "none":
        return "stackdyno sent no load: it watched the stack, and requests, if any, came from elsewhere."
    if load.mode == "command":
        return (
            f"The load came from an external generator ({' '.join(load.command or ())}): what it measured is in its "
            "output, not in these figures. The rate, if there is one, is what the stack's status page counted."
        )
    reuse = "kept open" if load.keepalive else "closed after each request"
    loop = "Closed loop" if load.mode == "closed" else f"Open loop, {open_loop_words(load)}"
    made = (
        f"{loop}: {load.connections} connections, {reuse}, {load.processes} load "
        f"process{'es' if load.processes > 1 else ''}; an answer is good if it has {expect}, whatever the first answer "
        "was. Rate is good answers over measured seconds. "
    )
    if load.mode == "open":
        return made + (
            "Latency of good answers counts from a request's planned start to the last byte, even if it was sent "
            "later, so a stall shows in the latency of all requests planned during it. Service time counts from the "
            "actual start of a request (connecting included). Requests that found no free connection waited and were "
            "sent as soon as one was free, which may exceed the rate: the summary counts them."
        )
    return made + (
        "Latency is the service time of good answers, from the start of a request (connecting included) to the last "
        "byte; it says nothing about requests that a slow server kept from being sent (coordinated omission)."
    )


def open_loop_words(load: LoadFacts) -> str:
    """``1,000 requests/s, evenly spaced``."""
    spaced = "Poisson arrivals" if load.arrivals == "poisson" else "evenly spaced"
    return f"{units.rate(load.rate)} requests/s, {spaced}"
