"""From a run's state to a frame: what it says must be what was measured."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tests.support import recorded_runs as runs
from tests.support.console import frame_after
from tui.console.run.frame import frame_of
from tui.findings.judged import summarise
from tui.record.events import LoadTick, PhaseChanged, Planned, RoundEnded
from tui.record.record import Record
from tui.record.state import fold
from tui.summary import units
from tui.summary.figures import so_far
from tui.summary.finding import Finding


def test_the_mean_is_good_answers_over_measured_seconds_of_the_rounds():
    events = runs.finished()
    results = [event.result for event in events if isinstance(event, RoundEnded) and event.round is not None]
    expected = sum(result.tally.outcomes.ok for result in results) / sum(result.seconds for result in results)
    assert frame_after(events).rate.mean == pytest.approx(expected)


def test_the_running_round_is_in_the_mean_and_the_warm_up_never():
    events = runs.running(bad=120)
    counted = [event.tick for event in events if isinstance(event, LoadTick) and event.round is not None]
    good = sum(tick.tally.outcomes.ok for tick in counted)
    bad = sum(tick.tally.outcomes.bad for tick in counted)
    seconds = sum(tick.t1 - tick.t0 for tick in counted)
    rate = frame_after(events).rate
    counted = so_far(fold(events))
    assert (counted.good, counted.bad, counted.seconds) == (good, bad, pytest.approx(seconds))
    assert rate.mean == pytest.approx(good / seconds)
    assert (rate.errors, rate.answers) == (bad, good + bad)


def test_now_is_the_last_second():
    events = runs.running(bad=0)
    last = [event.tick for event in events if isinstance(event, LoadTick)][-4:]
    assert frame_after(events).rate.now == pytest.approx(sum(tick.tally.outcomes.ok for tick in last) / 1.0)


def test_nothing_runs_now_when_the_run_is_over():
    assert frame_after(runs.finished()).rate.now is None


def test_a_run_without_a_counted_round_has_no_mean():
    assert frame_after(runs.warming()).rate.mean is None
    assert frame_after(runs.starting()).rate.mean is None


def test_the_time_axis_reaches_to_the_expected_end_and_then_exactly_to_the_end():
    events = runs.running()
    newest = max(event.tick.t1 for event in events if isinstance(event, LoadTick))
    assert frame_after(events).rate.end > newest + 4
    assert frame_after(runs.finished()).rate.end == pytest.approx(
        frame_after(runs.finished()).rate.bins[-1].t1
    )


def test_the_warm_up_and_the_rounds_are_marked_in_order():
    sections = frame_after(runs.running()).rate.sections
    assert [section.label for section in sections] == ["warm-up", "round 1", "round 2"]
    assert all(before.end <= after.start for before, after in pairwise(sections))


def test_latency_is_merged_and_not_averaged():
    events = runs.finished()
    latency = frame_after(events).latency
    first, second, third = (
        event.result.total
        for event in events
        if isinstance(event, RoundEnded) and event.round is not None and event.result is not None
    )
    merged = first + second + third
    assert latency is not None
    assert latency.scope == "all 3 rounds"
    assert latency.count == merged.count == sum(count for _, _, count in latency.buckets)
    assert [mark.seconds for mark in latency.marks] == [
        merged.percentile(50),
        merged.percentile(90),
        merged.percentile(99),
        merged.max,
    ]


def test_latency_while_a_round_runs_has_the_rounds_so_far():
    events = runs.running(bad=0)
    latency = frame_after(events).latency
    assert latency is not None
    assert latency.scope == "2 rounds so far"
    counted = [event.tick for event in events if isinstance(event, LoadTick) and event.round is not None]
    assert latency.count == sum(tick.latency.count for tick in counted)


def test_the_warm_up_is_shown_as_what_it_is():
    latency = frame_after(runs.warming()).latency
    assert latency is not None
    assert latency.scope == "warm-up, not counted"


def test_a_percentile_without_enough_samples_is_blank_with_a_reason():
    run = runs.Writer()
    run.begin(duration=1.0)
    run.start()
    run.come_up()
    run.load(1, 0.5, rate=320)
    latency = frame_after(run.events).latency
    assert latency is not None
    assert [mark.name for mark in latency.marks if mark.seconds is None] == ["p99"]
    assert latency.why_blank is not None and "p99" in latency.why_blank and "samples" in latency.why_blank


def test_the_latency_axis_only_ever_spreads():
    events = runs.finished()
    ends = []
    for upto in range(1, len(events), 7):
        latency = frame_after(events[:upto], running=True).latency
        if latency is not None:
            ends.append((latency.low, latency.high))
    # within the warm-up a live histogram stands for it; afterwards the axis holds every interval of load
    assert ends[-1] == (min(low for low, _ in ends), max(high for _, high in ends))


def test_workers_and_their_totals():
    workers = frame_after(runs.finished()).workers
    assert (workers.alive, workers.expected) == (4, 4)
    assert [row.role for row in workers.rows] == ["master"] + ["worker"] * 4
    assert workers.memory is not None and workers.saved is not None and workers.idle_memory is not None
    assert workers.memory > workers.idle_memory
    row = workers.rows[1]
    assert (row.bound, row.on, row.rss.endswith("MB"), row.note) == ("0", "0", True, "")
    assert row.private is not None and row.shared is not None and row.private > 0 and row.shared > 0
    assert row.growth.startswith("+")


def test_what_ended_when_the_stack_was_stopped_is_shown_as_it_was():
    assert not any(row.ended for row in frame_after(runs.finished()).workers.rows)


def test_cpu_is_a_share_while_it_runs_and_seconds_when_it_is_over():
    assert frame_after(runs.running()).workers.rows[1].cpu == "20 %"
    assert frame_after(runs.running()).workers.rows[-1].cpu == "1.0 s"
    assert frame_after(runs.finished()).workers.rows[1].cpu == "1.0 s"


def test_a_respawn_stays_visible():
    rows = frame_after(runs.running()).workers.rows
    assert [(row.pid, row.note) for row in rows if row.note] == [(4127, "new"), (4115, "SIGKILL")]
    assert rows[-1].ended and rows[-1].unexpected
    assert frame_after(runs.running()).workers.alive == 4


def test_memory_that_cannot_be_read_is_not_zero():
    workers = frame_after(runs.external(), running=True).workers
    assert workers.memory is None and workers.saved is None
    assert workers.reason == "of another user: needs root"
    assert {row.pss for row in workers.rows} == {"n/a"}
    assert all(row.rss.endswith("MB") for row in workers.rows)
    assert all(row.private is None for row in workers.rows)


def test_several_services_are_told_apart():
    assert {row.role for row in frame_after(runs.external(), running=True).workers.rows} == {
        "master nginx",
        "worker gunicorn",
    }


def test_rounds_are_rows_and_the_warm_up_is_marked():
    rounds = frame_after(runs.finished()).rounds
    assert [row.name for row in rounds] == ["warm-up", "round 1", "round 2", "round 3"]
    assert [row.counted for row in rounds] == [False, True, True, True]
    assert all(row.memory.endswith("MB") and row.server_busy == "97 %" for row in rounds)


@pytest.mark.parametrize(
    ("events", "stage", "mark"),
    [
        (runs.starting, "starting", "good"),
        (runs.running, "load", "good"),
        (runs.finished, "load", "good"),
        (runs.stopped, "load", "warning"),
        (runs.failed, "failed", "invalid"),
    ],
)
def test_stages(events, stage, mark):
    frame = frame_after(events())
    assert frame.stage == stage
    if frame.running:
        assert frame.status.verdict is None
    else:
        assert frame.status.verdict
        assert frame.status.mark in (mark, "invalid")


def test_a_failure_has_its_reason_and_the_last_lines():
    failure = frame_after(runs.failed()).failure
    assert failure is not None
    assert "ModuleNotFoundError" in failure.reason
    assert failure.log[-1].endswith("Worker failed to boot.")


def test_a_run_whose_runner_died_says_so():
    frame = frame_after(runs.running(), running=False)
    assert not frame.running
    assert frame.status.mark == "invalid"
    assert "cut off" in (frame.status.verdict or "")
    early = frame_after(runs.starting(), running=False)
    assert early.stage == "failed"
    assert early.failure is not None and "cut off" in early.failure.reason


def test_the_way_up_step_by_step():
    steps = frame_after(runs.starting()).steps
    assert [step.state for step in steps] == ["done", "done", "now", "next", "next", "next"]
    assert steps[1].detail == "gunicorn (pid 4112)"
    assert "http://127.0.0.1:8001/" in steps[2].detail
    assert steps[5].detail == "3 rounds of 4 s, 16 connections, closed loop, no keep-alive"


def test_the_status_says_who_and_where():
    status = frame_after(runs.running()).status
    assert status.facts == "gunicorn · hello · 4 workers on CPU 0"
    assert status.phase == "round 2 of 3"
    assert 0 < status.fraction < 1
    assert frame_after(runs.finished()).status.phase == "checking"


def test_a_run_bounded_by_requests_has_no_made_up_time():
    run = runs.Writer()
    run.begin(duration=None, requests=5000)
    run.start()
    status = frame_after(run.events).status
    assert status.expected is None
    assert status.fraction == 0.0


def test_every_phase_has_words():
    events = runs.finished()
    planned = next(i for i, event in enumerate(events) if isinstance(event, Planned))
    for event in events:
        if isinstance(event, PhaseChanged):
            assert frame_after([*events[: planned + 1], event]).status.phase


def test_who_was_busy():
    assert frame_after(runs.running()).machine.startswith(
        "server CPU 0 97 %   load CPU 1 61 %   memory 1.20 GB of"
    )


def test_a_finding_that_was_allowed_says_so_and_invalidates_nothing():
    state = fold(runs.finished())
    finding = Finding("overlap", "invalid", ("rate",), "server and load share CPU 0", "", "", allowed=True)
    frame = frame_of(state, [finding], run="run", now=state.now, running=False)
    assert [(line.mark, line.text) for line in frame.findings] == [
        ("note", "server and load share CPU 0 (allowed)")
    ]
    assert frame.rate.invalid is None and frame.status.mark == "good"


def test_rounds_of_requests_fill_the_progress_bar_from_the_first_round_on():
    run = runs.Writer()
    run.begin(duration=None, requests=8000)
    run.start()
    run.come_up()
    run.load(None, 2.0)
    assert frame_after(run.events).status.expected is None
    run.load(1, 4.0)
    status = frame_after(run.events).status
    assert status.expected is not None and 0.3 < status.fraction < 0.6


def test_the_memory_of_the_workers_is_that_of_the_sentence():
    state = fold(runs.finished())
    workers = frame_after(runs.finished()).workers
    assert workers.memory == state.memory_totals[-1].comparable
    assert workers.idle_memory == state.memory_totals[0].comparable


def test_the_last_live_figures_are_those_of_the_summary(tmp_path: Path) -> None:
    events = runs.finished()
    frame, summary = frame_after(events), summarise(Record(tmp_path), fold(events))
    result = summary.result
    assert result is not None
    assert frame.rate.mean == result.requests_per_second
    assert (frame.rate.errors, frame.rate.answers) == (result.bad, result.good + result.bad)
    assert frame.latency is not None
    shown = {mark.name: mark.seconds for mark in frame.latency.marks}
    by_percent = {point.percent: point.seconds for point in result.percentiles}
    assert (shown["p50"], shown["p90"], shown["p99"]) == (
        by_percent[50.0],
        by_percent[90.0],
        by_percent[99.0],
    )
    assert shown["max"] == result.total.max
    rows = [row for row in frame.rounds if row.counted]
    assert [row.rate for row in rows] == [units.rate(row.requests_per_second) for row in summary.rounds]
    assert [row.p99 for row in rows] == [
        "–" if row.p99 is None else units.duration(row.p99) for row in summary.rounds
    ]
