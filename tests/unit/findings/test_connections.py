"""Whether a closed loop had all its connections, used them, and kept them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import story
from tui.findings.judge import judge
from tui.load.result import Outcomes, ScheduleTotals, Tally
from tui.record.state import fold
from tui.summary.finding import Finding


def found(*, keepalive: bool = False, **result: Any) -> dict[str, Finding]:
    """Rounds of 2 s with 10 connections; each of 2,000 answers took 5 ms, which are 5 in flight."""
    plan = story.planned()
    plan = plan.model_copy(update={"load": plan.load.model_copy(update={"keepalive": keepalive})})
    events = story.with_results(story.run(plan=plan), **result)
    return {finding.code: finding for finding in judge(fold(events)).findings}


def tally(sent: int = 2000, **changes: Any) -> Tally:
    return Tally(sent=sent, outcomes=Outcomes(ok=sent), **changes)


def test_connections_that_were_idle_contradict_littles_law() -> None:
    finding = found(unfinished_time=0.0)["littles-law"]
    assert (finding.severity, finding.quantities) == ("invalid", ("rate", "latency"))
    assert finding.evidence == (
        "round 1: 1,000 requests/s × 5.00 ms = 5.0 in flight, and the server was closing 0.0, of 10 connections"
    )


@pytest.mark.parametrize(
    "times",
    [
        {"unfinished_time": 9.5},
        {"bad": story.times(*[100.0] * 95)},
        {"closing": story.times(*[5.0] * 1900)},
    ],
    ids=["unfinished", "bad answers", "being closed by the server"],
)
def test_all_that_a_connection_may_do_counts(times: dict[str, Any]) -> None:
    """5 in flight, 4.75 more of another kind, and a half that is within ten per cent."""
    assert "littles-law" not in found(**{"unfinished_time": 0.0} | times)


@pytest.mark.parametrize(
    "change",
    [
        {"unfinished_time": None},
        {"planned": ScheduleTotals(arrivals="uniform", seed=1, requests=2000, seconds=2.0)},
        {"tally": tally(99)},
        {"total": story.times(*[5.0] * 1999, 201.0)},
    ],
    ids=["an old record", "an open loop", "few requests", "an answer of a tenth of the round"],
)
def test_where_littles_law_says_nothing(change: dict[str, Any]) -> None:
    assert "littles-law" not in found(**{"unfinished_time": 0.0} | change)


def test_connections_that_were_never_open() -> None:
    finding = found(most_open=7)["connections-short"]
    assert (finding.severity, finding.quantities) == ("warning", ("rate", "latency"))
    assert finding.text == "fewer connections were open at once than the 10 configured"
    assert finding.evidence == "at most 7 were open at the same time in round 1"


def test_a_round_of_few_requests_needs_no_more_connections() -> None:
    assert found(most_open=7, tally=tally(99)) == {}


def test_kept_connections_that_the_server_closes() -> None:
    finding = found(keepalive=True, tally=tally(opened=410, reused=1590))["keepalive-broken"]
    assert (finding.severity, finding.quantities) == ("warning", ("rate", "latency"))
    assert finding.evidence == "820 connections for 4,000 requests, 4.9 each; 20 would have been enough"


def test_a_connection_now_and_then_and_one_for_each_failure_are_no_broken_promise() -> None:
    assert found(keepalive=True, tally=tally(opened=110)) == {}
    failed = Tally(sent=2000, outcomes=Outcomes(ok=1500, reset=500), opened=510)
    assert "keepalive-broken" not in found(keepalive=True, tally=failed)
    assert found(keepalive=False, tally=tally(opened=2000)) == {}
