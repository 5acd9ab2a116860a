"""Findings on the connections of a closed loop: whether all were open, all in use, and kept open as configured.

A round with few requests per connection is not judged: opening connections and waiting for the last answers take too
much of it. An open loop is not judged either: its connections open on demand and idle in between, and the mean number
in flight would come from the same timestamps as the times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tui.load.result import RoundResult
from tui.record.events import RoundEnded
from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import OF_THE_LOAD, Finding

FEWEST = 10
"""Mean requests per connection; a round with fewer is not judged."""
OFF = 0.1
"""Share by which Little's law may be off."""
SLOW = 0.1
"""Share of a round that its slowest answer may take: the other connections may have finished and idled meanwhile."""
KEPT = 20
"""Requests that a kept connection should serve: opening one costs as much CPU time as about ten requests."""


def _closed_rounds(state: RunState) -> list[tuple[RoundEnded, RoundResult]]:
    return [
        (ended, ended.result)
        for ended in state.rounds
        if ended.result is not None
        and ended.result.planned is None
        and ended.result.seconds > 0
        and ended.result.tally.sent >= FEWEST * ended.result.connections
    ]


def littles_law(state: RunState) -> Iterator[Finding]:
    """Little's law (1961): the mean number in flight is the rate of all outcomes times their mean time.

    Every connection of a closed loop has one request in flight, or waits for the server to close it. Any others were
    idle, after a failed connect or before a close that never came, so the load was lower than configured.
    """
    uses = (
        _use(ended, result, result.unfinished_time)
        for ended, result in _closed_rounds(state)
        if result.unfinished_time is not None and (result.total.max or 0.0) <= SLOW * result.seconds
    )
    use = max(uses, key=lambda each: each.off, default=None)
    if use is None or use.off <= OFF:
        return
    yield Finding(
        code="littles-law",
        severity="invalid",
        quantities=OF_THE_LOAD,
        text="Little's law doesn't hold: some connections were idle, so the load was lower than configured",
        evidence=(
            f"round {use.round}: {units.rate(use.rate)} requests/s × {units.duration(use.in_flight / use.rate)} = "
            f"{use.in_flight:.1f} in flight, and the server was closing {use.closing:.1f}, of {use.connections} "
            "connections"
        ),
        remedy=(
            "see the outcomes: a connection that can't connect waits 10 ms, one that the server doesn't close 100 ms"
        ),
    )


@dataclass(frozen=True, slots=True)
class _Use:
    """What the connections of a round did: mean numbers, and the rate of all requests."""

    round: int | None
    connections: int
    in_flight: float
    closing: float
    rate: float

    @property
    def off(self) -> float:
        """The share of the connections that the law doesn't account for."""
        return abs(1 - (self.in_flight + self.closing) / self.connections)


def _use(ended: RoundEnded, result: RoundResult, unfinished: float) -> _Use:
    return _Use(
        round=ended.round,
        connections=result.connections,
        in_flight=(result.total.sum + result.bad.sum + unfinished) / result.seconds,
        closing=result.closing.sum / result.seconds,
        rate=result.tally.sent / result.seconds,
    )


def too_few(state: RunState) -> Iterator[Finding]:
    """Fewer connections were open at once than the profile asks for."""
    short = [
        (result.most_open, ended.round)
        for ended, result in _closed_rounds(state)
        if result.most_open < result.connections
    ]
    if not short:
        return
    fewest, number = min(short)
    asked = state.results[0].connections
    yield Finding(
        code="connections-short",
        severity="warning",
        quantities=OF_THE_LOAD,
        text=f"fewer connections were open at once than the {units.count(asked)} configured",
        evidence=f"at most {units.count(fewest)} were open at the same time in round {number}",
        remedy="raise the backlog (options.backlog), or use more workers: the others waited to be accepted",
    )


def not_kept(state: RunState) -> Iterator[Finding]:
    """The server closes connections that the profile keeps open."""
    if state.planned is None or not state.planned.load.keepalive:
        return
    rounds = [result for _, result in _closed_rounds(state)]
    sent = sum(result.tally.sent for result in rounds)
    opened = sum(result.tally.opened for result in rounds)
    first = sum(result.connections for result in rounds)
    failed = sum(result.tally.outcomes.bad for result in rounds)
    if opened - first - failed <= sent / KEPT:
        return
    yield Finding(
        code="keepalive-broken",
        severity="warning",
        quantities=OF_THE_LOAD,
        text="the server closes connections that load.keepalive keeps open",
        evidence=(
            f"{units.count(opened)} connections for {units.count(sent)} requests, {sent / opened:.1f} each; "
            f"{units.count(first)} would have been enough"
        ),
        remedy="let the server keep connections for more requests, or set load.keepalive = false",
    )
