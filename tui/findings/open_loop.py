"""Findings on an open loop: whether it reached its planned rate, and whether it exceeded that to catch up."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from tui.load.result import RoundResult, ScheduleTotals
from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import OF_THE_LOAD, Finding

REACHED = 0.98
"""Share of the planned rate that counts as having reached it."""
FASTER = 1.25
"""Multiple of the planned rate; less may be chance within a tick."""
MANY = 0.01
"""From this share of a run's requests, catching up is noted."""


def rate_not_reached(state: RunState) -> Iterator[Finding]:
    """Fewer good answers than planned."""
    rounds = [
        (_reached(result, result.planned), result, result.planned, ended.round)
        for ended in state.rounds
        if (result := ended.result) is not None and result.planned is not None and result.planned.requests
    ]
    reached, result, planned, number = min(rounds, key=itemgetter(0), default=(1.0, None, None, None))
    if result is None or planned is None or reached >= REACHED:
        return
    share = (result.rate or 0.0) / (planned.rate or 1.0)
    oldest = result.oldest_unfinished
    waited = f", the oldest waited {units.duration(oldest)}" if oldest else ""
    yield Finding(
        code="rate-not-reached",
        severity="invalid",
        quantities=OF_THE_LOAD,
        text="the planned rate was not reached: requests pile up, and latency grows with the length of the round",
        evidence=(
            f"round {number}: planned {units.rate(planned.rate)}, sent {units.rate(result.sent_rate)}, achieved "
            f"{units.rate(result.rate)} requests/s ({units.share(share)}); {units.count(result.never_sent or 0)} were "
            f"never sent{waited}"
        ),
        remedy="lower load.rate, or raise load.connections if the server has capacity left",
    )


def _reached(result: RoundResult, planned: ScheduleTotals) -> float:
    """The share of the planned rate that a round reached.

    A round bounded by requests ends with the last answer, not with the last planned start, and a round bounded by time
    ends with requests in flight: the time that an answer takes doesn't count against the rate. At most as many are in
    flight as Little's law (1961) says, plus the newest one.
    """
    rate, service = planned.rate or 0.0, result.service.mean or 0.0
    span = max(planned.seconds, result.seconds - service)
    answered = result.tally.outcomes.ok + min(result.tally.outcomes.unfinished, rate * service + 1)
    return answered / span / (rate or 1.0) if span > 0 else 1.0


def caught_up(state: RunState) -> Iterator[Finding]:
    """Requests that had waited for a connection went out as soon as one was free, for a while faster than planned."""
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
        text="after a stall, waiting requests were sent faster than the planned rate",
        evidence=(
            f"{units.count(more)} more than planned in {units.duration(sum(p.t1 - p.t0 for p in fast))}, up to "
            f"{units.rate(highest)} requests/s instead of the planned {units.rate(rate)}{longest}"
        ),
        remedy="raise load.connections; the latency contains the stall, as it counts from the planned start",
    )
