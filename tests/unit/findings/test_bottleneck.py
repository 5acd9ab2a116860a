"""Who the bottleneck was, and how each format says it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support import story
from tui.findings.judge import judge
from tui.findings.judged import summarise
from tui.formats.export import render
from tui.load.result import ScheduleTotals
from tui.record.events import Event, PhaseChanged, RoundEnded, StatusRead
from tui.record.record import Record
from tui.record.state import fold
from tui.summary.schema import Bottleneck


def run(idle: float | None, *, plan: Any = None, during: list[Event] = [], **results: Any) -> list[Event]:  # noqa: B006
    """Two rounds of 2 s in which the server's CPU was idle so much, and the stack used 1.8 s of it."""
    events: list[Event] = []
    for event in story.with_results(story.run(plan=plan), **results):
        is_round = isinstance(event, RoundEnded) and event.round is not None
        events.append(event.model_copy(update={"server_idle": idle}) if is_round else event)
        if isinstance(event, PhaseChanged) and event.phase == "round":
            events += [each.model_copy(update={"t": event.t + 0.5}) for each in during]
    return events


def limit(events: list[Event]) -> Bottleneck:
    found = judge(fold(events)).bottleneck
    assert found is not None
    return found


def codes(events: list[Event]) -> set[str]:
    return {finding.code for finding in judge(fold(events)).findings}


def test_the_servers_cpus_are_the_bottleneck_and_no_finding() -> None:
    events = run(0.04)
    assert limit(events) == Bottleneck(who="server", evidence="CPU 0 4 % idle, the stack used 0.90 CPUs")
    assert codes(events) == set()


def test_a_saturated_or_late_load_is() -> None:
    late = {"timer_lag": story.times(*[50.0] * 400)}
    assert limit(run(0.04, cpu_seconds=(1.9,))) == Bottleneck(
        who="load", evidence="a load process used 95 % of a CPU; from 90 % on it is the limit"
    )
    assert limit(run(0.5, **late)).who == "load"


def test_neither_is_a_note_that_says_so() -> None:
    events = run(0.6)
    (finding,) = judge(fold(events)).findings
    assert (finding.code, finding.severity, finding.quantities) == ("bottleneck", "note", ())
    assert finding.evidence == (
        "CPU 0 60 % idle, the stack used 0.90 CPUs; the stack waits for something other than CPU: "
        "a database, a disk, a lock, a sleep"
    )


@pytest.mark.parametrize(
    ("sign", "words"),
    [
        ({"during": [StatusRead(t=0, source="fpm", requests=1, took=0.1, busy=4, idle=0)]},
         "all workers were busy (fpm): use more workers"),
        ({"during": [story.queues(0, story.tcp(8))]}, "the listen queue :8001 was full"),
        ({"plan": story.planned(workers=10)}, "10 connections for 10 workers: use more connections"),
    ],
)  # fmt: skip
def test_what_else_may_be_the_limit(sign: dict[str, Any], words: str) -> None:
    assert limit(run(0.6, **sign)).evidence == f"CPU 0 60 % idle, the stack used 0.90 CPUs; {words}"


def test_a_planned_rate_that_was_reached_has_no_bottleneck() -> None:
    plan = story.planned()
    plan = plan.model_copy(update={"load": plan.load.model_copy(update={"mode": "open", "rate": 1000.0})})
    scheduled = ScheduleTotals(arrivals="uniform", seed=1, requests=2000, seconds=2.0)
    reached = run(0.6, plan=plan, planned=scheduled)
    assert limit(reached).who == "none"
    assert "bottleneck" not in codes(reached)
    behind = scheduled.model_copy(update={"requests": 3000})
    assert limit(run(0.6, plan=plan, planned=behind)).who == "neither"


def test_what_can_not_be_known_is_unknown() -> None:
    shared = story.planned(server_cpus=(0,), load_cpus=(0,), shared_cpus=True)
    assert limit(run(0.04, plan=shared)) == Bottleneck(who="unknown", evidence="server and load share a CPU")
    assert limit(run(None)).who == "unknown"
    taken = [
        each.model_copy(update={"stack_cpu": 0.2}) if isinstance(each, RoundEnded) else each
        for each in run(0.01)
    ]
    assert limit(taken) == Bottleneck(
        who="unknown",
        evidence="CPU 0 1 % idle, the stack used 0.10 CPUs: something else used most of its time",
    )
    assert judge(fold(story.run(rounds=0))).bottleneck is None


@pytest.mark.parametrize("format_name", ["text", "markdown", "html", "json"])
def test_every_format_says_who_it_was(format_name: str, tmp_path: Path) -> None:
    record, state = Record(tmp_path), fold(run(0.04))
    written = render(record, state, format_name)
    assert "CPU 0 4 % idle, the stack used 0.90 CPUs" in written
    assert ('"who": "server"' if format_name == "json" else "the server&#x27;s CPUs" if format_name == "html" else
            "the server's CPUs") in written  # fmt: skip
    assert summarise(record, state).bottleneck == judge(state).bottleneck
