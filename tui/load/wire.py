"""The messages between the runner and a load process: one JSON object per line, distinguished by ``kind``.

The runner commands ``load`` once, ``round`` for each round (with an eventfd if permits are shared) and ``stop``.
A load process answers with ``ready``, then with ``tick`` after ``tick`` and one ``result`` per round. Times are ns of
``perf_counter_ns``, on Linux CLOCK_MONOTONIC. Messages hold only JSON types, so writing them copies nothing.

Standard library only, since every load process imports it.
"""

from __future__ import annotations

import json
from typing import Literal, TypedDict

from tui.load.kinds import TimeKind

Numbered = dict[int, int] | dict[str, int]
"""Counts by number. JSON turns the numbers into strings; the models of ``tui.load.result`` accept either."""


class LoadCommand(TypedDict):
    """The request of all rounds. ``spec``: from ``LoadSpec.to_json``. ``address``: for ``connect``, tuples as lists."""

    kind: Literal["load"]
    spec: str
    family: int
    address: str | list[str | int]


class SchedulePart(TypedDict):
    """One load process's part of an open loop's schedule.

    The total rate is ``numerator / denominator`` requests per second. ``requests``: this process's number, or None for
    no limit.
    """

    arrivals: Literal["uniform", "poisson"]
    numerator: int
    denominator: int
    seed: int
    process: int
    processes: int
    requests: int | None


class RoundCommand(TypedDict):
    """One round of one load process.

    ``start`` is common to all. ``duration`` and ``tick``: ns; no duration is no limit. ``requests``: its private
    permits, None for no limit; ``reserved``: permits for the first requests of connections. ``schedule``: None for
    a closed loop.
    """

    kind: Literal["round"]
    start: int
    duration: int | None
    tick: int
    requests: int | None
    connections: int
    reserved: int
    schedule: SchedulePart | None


class StopCommand(TypedDict):
    """End the current round."""

    kind: Literal["stop"]


Command = LoadCommand | RoundCommand | StopCommand


class TallyFields(TypedDict):
    """The fields of ``tui.load.result.Tally``, for one process."""

    planned: int
    sent: int
    outcomes: dict[str, int]
    statuses: Numbered
    opened: int
    reused: int
    retried: int
    bytes_received: int
    body_bytes: int
    bytes_sent: int
    errors: dict[str, int]


class TimesFields(TypedDict):
    """The fields of ``tui.load.result.Times``, for one process."""

    count: int
    min_ns: int | None
    max_ns: int | None
    sum_ns: int
    squares_ns2: int
    digits: Literal[2, 3]
    counts: Numbered
    clamped: int


class ReadyReport(TypedDict):
    """The load is known, and rounds may begin."""

    kind: Literal["ready"]


class TickReport(TypedDict):
    """What happened since the last one; ``number`` counts whole ticks from the round's start, ``lag`` is in ns."""

    kind: Literal["tick"]
    number: int
    t1: int
    in_flight: int
    busy: float
    lag: int
    tally: TallyFields
    latency: TimesFields


class RoundReport(TypedDict):
    """The round. Times are in ns here, in seconds in ``tui.load.result.RoundResult``.

    ``last_planned``: the planned start of the last request sent. ``last_tick``: what came after the last tick.
    """

    kind: Literal["result"]
    ended: int
    oldest_unfinished: int | None
    unfinished_time: int
    cpu: int
    lag: int
    most_open: int
    stopped: bool
    server: str | None
    http_version: str | None
    last_planned: int | None
    tally: TallyFields
    times: dict[TimeKind, TimesFields]
    last_tick: TickReport


Report = ReadyReport | TickReport | RoundReport


def encode(message: Command | Report) -> bytes:
    """The message as a line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def decode_command(line: bytes | bytearray) -> Command:
    """The command that the runner encoded."""
    command: Command = json.loads(line)
    return command


def decode_report(line: bytes) -> Report:
    """The report that a load process encoded."""
    report: Report = json.loads(line)
    return report
