"""What an open loop says beside a closed one: whether the planned rate was reached, and who made requests wait."""

from __future__ import annotations

from collections.abc import Iterator

from tui.load.result import RoundResult
from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import Finding

REACHED = 0.98
"""Share of the planned rate that counts as having reached it."""
FASTER = 1.25
"""How many times the planned rate is more than chance within a tick."""
MANY = 0.01
"""Share of a run's requests that is worth a word."""


def rate_not_reached(state: RunState) -> Iterator[Finding]:
    """Fewer good answers than planned. A number of requests ends with the last answer, and not with the last planned
    start, and a duration ends with requests in flight: the time that an answer takes is no missing rate.
    """
    worst: tuple[float, RoundResult, int] | None = None
    for ended in state.rounds:
        result = ended.result
        if result is None or result.planned is None or not result.planned.requests:
            continue
        span = max(result.planned.seconds, result.seconds - (result.service.mean or 0.0))
        answered = result.tally.outcomes.ok + _on_their_way(result, result.planned.rate or 0.0)
        share = answered / span / (result.planned.rate or 1.0) if span > 0 else 1.0
        if share < REACHED and (worst is None or share < worst[0]):
            worst = share, result, ended.round or 0
    if worst is None:
        return
    _, result, number = worst
    assert result.planned is not None
    share = (result.rate or 0.0) / (result.planned.rate or 1.0)
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


def _on_their_way(result: RoundResult, rate: float) -> float:
    """Unanswered at the end and no more than Little's law (1961) has in flight at any moment, the last one begun."""
    return min(result.tally.outcomes.unfinished, rate * (result.service.mean or 0.0) + 1)


def caught_up(state: RunState) -> Iterator[Finding]:
    """Requests that had found no free connection went out as soon as one was: for a while that is another load than
    the planned one, and must be said.
    """
    rate = state.planned.load.rate if state.planned else None
    points = [point for point in state.rate if point.round is not None and point.t1 > point.t0]
    if rate is None or not points:
        return
    fast = [
        point
        for point in points
        if point.sent > point.planned and point.sent > FASTER * rate * (point.t1 - point.t0)
    ]
    more = sum(point.sent - point.planned for point in fast)
    if more < max(10, MANY * sum(point.planned for point in points)):
        return
    highest = max(point.sent / (point.t1 - point.t0) for point in fast)
    waited = state.times("connection_wait").max
    longest = f"; they had waited up to {units.duration(waited)}" if waited is not None else ""
    yield Finding(
        code="caught-up",
        severity="note",
        quantities=(),
        text="after a stall, requests that had waited were sent faster than the planned rate",
        evidence=(
            f"{units.count(more)} more than planned in {units.duration(sum(p.t1 - p.t0 for p in fast))}, up to "
            f"{units.rate(highest)} requests/s where {units.rate(rate)} were planned{longest}"
        ),
        remedy="more load.connections; the stall itself is in the latency, which counts from the planned start",
    )
