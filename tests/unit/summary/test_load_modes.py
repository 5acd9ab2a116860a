"""Open loops and external loads, in findings, summary and exports."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support import story
from tests.support.load_modes import OPEN, open_run, plan, watched
from tui.findings.judge import judge
from tui.formats.export import render
from tui.formats.text import _load, _other_load, _percentiles
from tui.load.result import Times
from tui.record.events import RunEnded
from tui.record.record import Record
from tui.record.state import RunState, fold
from tui.summary.figures import load_result, method, other_load
from tui.summary.finding import Finding
from tui.summary.summary import verdict_sentence


def found(state: RunState, code: str) -> list[Finding]:
    return [finding for finding in judge(state).findings if finding.code == code]


def test_a_rate_that_was_reached_is_no_finding() -> None:
    assert found(open_run(), "rate-not-reached") == []
    assert found(open_run(good=1961, sent=1961), "rate-not-reached") == []
    assert found(fold(story.run(good=10)), "rate-not-reached") == []


def test_a_rate_that_was_not_reached_is_invalid_with_the_three_rates() -> None:
    (finding,) = found(open_run(good=1900, sent=1910), "rate-not-reached")
    assert (finding.severity, finding.quantities) == ("invalid", ("rate", "latency"))
    assert "planned 1,000, sent 955, achieved 950 requests/s (95 %)" in finding.evidence
    assert "90 were never sent, the oldest waited 400 ms" in finding.evidence


def test_what_is_in_flight_when_the_time_is_over_is_no_missing_rate() -> None:
    """A server that takes 100 ms has 100 requests in flight at 1,000 per second, at the end of a round too."""
    assert found(open_run(good=1900, service=100.0), "rate-not-reached") == []
    assert len(found(open_run(good=1800, service=50.0), "rate-not-reached")) == 1


def test_the_last_answers_of_a_number_of_requests_are_no_missing_rate() -> None:
    """All were sent on time; the round ended 2 ms after the last planned start, which is one service time."""
    assert found(open_run(seconds=0.102, planned_seconds=0.1), "rate-not-reached") == []
    assert len(found(open_run(seconds=0.11, planned_seconds=0.1), "rate-not-reached")) == 1


def sending(*counts: int) -> RunState:
    """Ticks of 250 ms at 1,000 requests per second, in which so many were sent."""
    events = [event for event in story.run(plan=plan(**OPEN)) if event.type != "load"]
    at = next(i for i, event in enumerate(events) if event.type == "phase" and event.phase == "round")
    for number, sent in enumerate(counts):
        tick = story.tick(4.0 + number / 4, 1)
        tally = tick.tick.tally.model_copy(update={"planned": 250, "sent": sent})
        changed = tick.tick.model_copy(update={"tally": tally})
        events.insert(at + 1 + number, tick.model_copy(update={"tick": changed}))
    return fold(events)


def test_what_was_caught_up_after_a_stall_is_reported() -> None:
    (finding,) = found(sending(250, 10, 0, 740, 250), "caught-up")
    assert (finding.severity, finding.quantities) == ("note", ())
    assert finding.evidence.startswith(
        "490 more than planned in 250 ms, up to 2,960 requests/s instead of the planned 1,000"
    )


def test_a_steady_load_has_caught_up_nothing() -> None:
    assert found(sending(250, 249, 251, 250), "caught-up") == []
    assert found(sending(250, 100, 100, 100), "caught-up") == []  # what waits is never sent
    assert found(sending(250, 245, 255, 250), "caught-up") == []
    assert found(fold(story.run()), "caught-up") == []


@pytest.mark.parametrize("format_name", ["text", "markdown", "html", "json"])
def test_every_format_tells_an_open_loop_apart(format_name: str, tmp_path: Any) -> None:
    state = open_run(sent=1990, good=1980)
    written = render(Record(tmp_path / "run"), state, format_name)
    if format_name == "json":
        result = json.loads(written)["result"]
        assert (result["time_per_request"], result["time_per_request_concurrent"]) == (None, None)
        return
    assert "Time per request" not in written
    for label in ("Planned rate", "Sent rate", "Achieved rate", "service time, from actual start"):
        assert label in written, label
    assert "of which 20 were never sent, the oldest waited 400 ms" in written
    if format_name == "text":
        planned = written.partition("Planned rate")[2].partition("Time measured")[0]
        assert max(map(len, planned.splitlines())) <= 100
    closed = render(Record(tmp_path / "run"), fold(story.run()), "text")
    assert closed.count("Time per request") == 2


def test_the_summary_keeps_service_time_and_waiting_apart() -> None:
    result = load_result(open_run(sent=1990, good=1980))
    assert result is not None
    loop = result.open_loop
    assert loop is not None
    assert (loop.planned, loop.never_sent, result.sent) == (4000, 20, 3980)
    assert (loop.planned_rate, loop.sent_rate, loop.achieved_rate) == (1000, 995, 990)
    assert result.total.mean == pytest.approx(0.005)
    assert loop.service.mean == pytest.approx(0.002)
    assert (loop.connection_wait.count, loop.connection_wait.max) == (10, pytest.approx(0.03))
    assert loop.schedule_lag.count == 3970
    text = _percentiles(result)
    assert "from the planned start and from the actual start" in text
    assert next(line for line in text.splitlines() if line.startswith("    99 %")).split() == (
        ["99", "%", "5.00", "ms", "2.00", "ms"]
    )


def test_a_closed_loop_has_no_schedule() -> None:
    result = load_result(fold(story.run()))
    assert result is not None
    assert result.open_loop is None


def test_the_method_names_the_loop() -> None:
    assert "Open loop, 1,000 requests/s, evenly spaced" in method(open_run())
    assert "planned start" in method(open_run())
    assert "coordinated omission" in method(fold(story.run()))


def test_an_external_load_has_no_numbers_but_those_of_a_status_page() -> None:
    other = other_load(watched(mode="command", reads=(100, 300, 500)))
    assert other is not None
    assert (other.requests, other.requests_per_second, other.source) == (400, 100, "page")
    assert other.outputs == ("logs/load-round-1.txt", "logs/load-round-2.txt")
    assert load_result(watched()) is None


def test_where_nobody_counts_the_rate_is_unknown_with_a_reason() -> None:
    other = other_load(watched())
    assert other is not None
    assert (other.requests, other.requests_per_second) == (None, None)
    assert other.reason == "the load is external, and this stack has no status page that counts its requests"
    failed = other_load(watched(error="page: refused"))
    assert failed is not None
    assert failed.reason == "page: refused"
    assert other_load(fold(story.run())) is None


def test_other_requests_also_come_between_the_rounds() -> None:
    """Counted from the beginning of the first round to the newest read, and not over the rounds alone."""
    state = watched(reads=(0, 200, 410))
    other = other_load(state)
    assert other is not None
    first = next(phase.t for phase in state.phases if phase.phase == "round")
    assert other.requests_per_second == pytest.approx(410 / (state.status["page"].served.at - first))  # type: ignore[operator]


def test_sentence_and_text_of_a_watched_stack() -> None:
    state = watched()
    assert verdict_sentence(state, ()).startswith("60.0 MB of memory, watched for 4.00 s.")
    other = other_load(watched(mode="command"))
    assert other is not None
    assert "n/a: the load is external" in _other_load(other)
    assert not [finding for finding in judge(state).findings if finding.severity == "invalid"]


def test_a_failed_command_is_a_finding() -> None:
    from tui.record.events import Notice

    text = "wrk ended with exit 1 in round 1"
    state = fold([*story.run(), Notice(t=9.0, code="load-command", severity="warning", text=text)])
    (finding,) = found(state, "load-command")
    assert (finding.severity, finding.text) == ("warning", text)
    assert "logs/" in finding.remedy


def test_planned_sent_and_achieved_are_rows_of_the_text() -> None:
    state = open_run(good=1900, sent=1910)
    result = load_result(state)
    assert result is not None
    from types import SimpleNamespace

    assert state.planned is not None
    summary: Any = SimpleNamespace(load=state.planned.load, stack=None, rounds=(1, 2))
    text = _load(summary, result)
    assert "Planned rate:" in text
    assert "1,000 requests/s, uniform" in text
    assert "4,000, of which 180 were never sent" in text
    assert "10 found no free connection; they waited up to 30.0 ms" in text
    assert "10 connections, open loop" in text


def test_rounds_of_an_external_load_give_no_figures_of_our_own() -> None:
    state = watched()
    assert state.results == []
    assert isinstance(state.ended, RunEnded)
    assert sum((result.total for result in state.results), Times()).count == 0
