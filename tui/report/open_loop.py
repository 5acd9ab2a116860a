"""What an open loop says beside a closed one: whether the planned rate was reached, and who made requests wait."""

from __future__ import annotations

from collections.abc import Iterator

from tui.load.result import RoundResult, Times
from tui.report import units
from tui.report.finding import Finding
from tui.report.schema import OpenLoopResult, Percentile, Spread
from tui.run.state import RunState

REACHED = 0.98
"""Share of the planned rate that counts as having reached it."""
PERCENTS = (50.0, 66.0, 75.0, 80.0, 90.0, 95.0, 98.0, 99.0, 99.9)
"""ab's points and one more; the 100 % point is the longest."""


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
    """The points of a distribution, or why there is none."""
    return tuple(
        Percentile(percent=percent, seconds=times.percentile(percent), reason=times.percentile_gap(percent))
        for percent in PERCENTS
    )


def open_loop_result(state: RunState) -> OpenLoopResult | None:
    """The schedule of all rounds and what became of it; None for a closed loop."""
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


def rate_not_reached(state: RunState) -> Iterator[Finding]:
    """Fewer good answers than planned. A number of requests ends with the last answer, and not with the last planned
    start: the time that an answer takes is no missing rate.
    """
    worst: tuple[float, RoundResult, int] | None = None
    for ended in state.rounds:
        result = ended.result
        if result is None or result.planned is None or not result.planned.requests:
            continue
        span = max(result.planned.seconds, result.seconds - (result.service.mean or 0.0))
        share = result.tally.outcomes.ok / span / (result.planned.rate or 1.0) if span > 0 else 1.0
        if share < REACHED and (worst is None or share < worst[0]):
            worst = share, result, ended.round or 0
    if worst is None:
        return
    share, result, number = worst
    assert result.planned is not None
    waiting = result.never_sent or 0
    oldest = (
        f", the oldest for {units.duration(result.oldest_unfinished)}" if result.oldest_unfinished else ""
    )
    yield Finding(
        code="rate-not-reached",
        severity="invalid",
        quantities=("rate", "latency"),
        text="the planned rate was not reached: what waits grows, and the latency with the length of the round",
        evidence=(
            f"round {number}: planned {units.rate(result.planned.rate)}, sent {units.rate(result.sent_rate)}, "
            f"achieved {units.rate(result.rate)} requests/s ({units.share(share)}); {units.count(waiting)} were "
            f"never sent{oldest}"
        ),
        remedy="a lower load.rate, or more load.connections where the server has capacity left",
    )
