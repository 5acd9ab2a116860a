"""Findings on the connections of a closed loop: were they all there, always in use, and kept where that was promised.

Rounds in which a connection sent few requests are not judged: opening them and the last answers are too much of those.
In an open loop connections are opened as they are needed and idle between; nor could the mean number in flight be had
there from anything but the stamps that the times come from.
"""

from __future__ import annotations

from collections.abc import Iterator

from tui.load.result import RoundResult
from tui.record.events import RoundEnded
from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import Finding

FEWEST = 10
"""Requests a connection, in the mean, from which a round is judged."""
OFF = 0.1
"""How far Little's law may be off."""
SLOW = 0.1
"""Part of a round that its slowest answer may take: others had ended, and had nothing to do, while it went on."""
KEPT = 20
"""Requests that a kept connection should serve: opening one costs as much CPU as some ten requests."""


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

    Every connection of a closed loop has one request in flight, or waits for the server to close it. What is missing
    was idle, behind a failed attempt to connect or a server that doesn't close, and the load was less than asked.
    """
    worst: tuple[float, RoundEnded, RoundResult, float] | None = None
    for ended, result in _closed_rounds(state):
        if result.unfinished_time is None or (result.total.max or 0.0) > SLOW * result.seconds:
            continue
        in_flight = (result.total.sum + result.bad.sum + result.unfinished_time) / result.seconds
        in_use = in_flight + result.closing.sum / result.seconds
        off = abs(1 - in_use / result.connections)
        if off > OFF and (worst is None or off > worst[0]):
            worst = off, ended, result, in_flight
    if worst is None:
        return
    _, ended, result, in_flight = worst
    rate = result.tally.sent / result.seconds
    closing = result.closing.sum / result.seconds
    yield Finding(
        code="littles-law",
        severity="invalid",
        quantities=("rate", "latency"),
        text="Little's law is contradicted: connections were idle, so that the load was less than asked",
        evidence=(
            f"round {ended.round}: {units.rate(rate)} requests/s × {units.duration(in_flight / rate)} are "
            f"{in_flight:.1f} in flight, {closing:.1f} were being closed by the server, and there were "
            f"{result.connections} connections"
        ),
        remedy="see the outcomes: who can't connect waits 10 ms, and who isn't closed as asked waits 100 ms",
    )


def too_few(state: RunState) -> Iterator[Finding]:
    """Fewer connections were open at once than the profile asks for."""
    short = [(result.most_open, ended.round) for ended, result in _closed_rounds(state) if _is_short(result)]
    if not short:
        return
    fewest, number = min(short)
    asked = state.results[0].connections
    yield Finding(
        code="connections-short",
        severity="warning",
        quantities=("rate", "latency"),
        text=f"fewer connections came about than the {units.count(asked)} that were asked for",
        evidence=f"at most {units.count(fewest)} were open at the same time in round {number}",
        remedy="a longer backlog (options.backlog), or more workers: those missing waited for the server to take them",
    )


def _is_short(result: RoundResult) -> bool:
    return result.most_open < result.connections


def not_kept(state: RunState) -> Iterator[Finding]:
    """The server closes connections that the profile says are kept."""
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
        quantities=("rate", "latency"),
        text="the server closes connections that load.keepalive says are kept",
        evidence=(
            f"{units.count(opened)} connections for {units.count(sent)} requests, {sent / opened:.1f} each; "
            f"{units.count(first)} would have done"
        ),
        remedy="let the server keep connections for more requests, or set load.keepalive = false",
    )
