"""Requests over time as a status page counts them."""

from __future__ import annotations

import pytest

from tests.support import story
from tests.support.load_modes import plan
from tui.findings.judged import summarise
from tui.formats.rows import rounds
from tui.record.events import Event, PhaseChanged, RoundEnded, RunEnded, StatusRead
from tui.record.record import Record
from tui.record.state import RunState, fold
from tui.summary.counted import counted, parts, rate_in


def read(t: float, requests: int | None, error: str | None = None) -> StatusRead:
    return StatusRead(t=t, source="page", requests=requests, error=error, took=0.001)


def run(mode: str, *reads: StatusRead) -> RunState:
    """Two rounds, from 2 to 4 s and from 5 to 7 s; the reads come in their place."""
    load = {"mode": mode, "connections": None, "processes": 0, "timeout": None, "warmup": 0.0}
    events: list[Event] = [
        story.started(),
        plan(**load, command=("/usr/bin/wrk", "http://127.0.0.1:1/") if mode == "command" else None),
        PhaseChanged(t=2.0, phase="round", round=1),
        PhaseChanged(t=4.0, phase="memory", round=1),
        ended(4.0, 1),
        PhaseChanged(t=5.0, phase="round", round=2),
        PhaseChanged(t=7.0, phase="memory", round=2),
        ended(7.0, 2),
        PhaseChanged(t=8.0, phase="drain"),
        RunEnded(t=8.0, verdict="good"),
    ]
    return fold(sorted([*events, *reads], key=lambda event: event.t))


def ended(t: float, number: int) -> RoundEnded:
    return RoundEnded(
        t=t, round=number, result=None, seconds=2.0, stack_cpu=1.0, server_idle=0.5, load_idle=0.5
    )


def test_another_generators_requests_are_those_of_its_rounds() -> None:
    """The reads at 4.5 and 5.5 are outside the rounds, and what they count came from within."""
    state = run("command", read(1.0, 10), read(3.0, 110), read(4.5, 210), read(5.5, 260), read(7.5, 410))
    assert [(p.t0, p.t1, p.requests, p.round) for p in counted(state)] == [
        (2.0, 3.0, 100, 1), (3.0, 4.0, 100, 1), (5.0, 5.5, 50, 2), (5.5, 7.0, 150, 2),
    ]  # fmt: skip
    assert rate_in(state, 1) == pytest.approx(100)
    assert rate_in(state, 2) == pytest.approx(100)


def test_other_peoples_requests_come_between_the_rounds_too() -> None:
    state = run("none", read(1.0, 0), read(4.0, 300), read(5.0, 400), read(7.0, 600))
    assert [(p.t0, p.t1, p.requests) for p in counted(state)] == [
        (2.0, 4.0, 300),
        (4.0, 5.0, 100),
        (5.0, 7.0, 200),
    ]


def test_a_server_that_counts_anew_gives_no_negative_rate() -> None:
    state = run("none", read(1.0, 500), read(3.0, 700), read(3.5, 3), read(4.0, 53))
    assert all(point.requests >= 0 for point in counted(state))


@pytest.mark.parametrize("reads", [(), (read(3.0, None, "refused"),)])
def test_where_nobody_counts_there_is_nothing(reads: tuple[StatusRead, ...]) -> None:
    state = run("none", *reads)
    assert counted(state) == ()
    assert rate_in(state, 1) is None
    assert [part.round for part in parts(state)] == [1, 2]


def test_the_table_of_rounds_has_what_is_known_and_no_more(tmp_path_factory: pytest.TempPathFactory) -> None:
    state = run("command", read(1.0, 0), read(4.5, 200), read(7.5, 600))
    summary = summarise(Record(tmp_path_factory.mktemp("run")), state)
    assert [row.requests_per_second for row in summary.rounds] == [100, 200]
    assert rounds(summary) == [["round", "req/s", "server idle"], ["1", "100", "50 %"], ["2", "200", "50 %"]]
