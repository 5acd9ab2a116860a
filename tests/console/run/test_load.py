"""How the load is named on the screen, whoever makes it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import story
from tests.support.load_modes import open_run, watched
from tui.console.drawing.lines import plain
from tui.console.run.frame import frame_of
from tui.console.run.load_lines import highest, latency_lines, rate_label, rate_lines
from tui.console.run.load_view import Settled, latency_of, rate_of, rounds_of
from tui.record.events import LoadFacts, RoundEnded
from tui.record.state import RunState, fold


def run(service: bool = False, ours: bool = True, **load: Any) -> RunState:
    planned = story.planned()
    facts: LoadFacts = planned.load.model_copy(update=load)
    events = []
    for event in story.run(plan=planned.model_copy(update={"load": facts})):
        if isinstance(event, RoundEnded) and service and event.result is not None:
            result = event.result.model_copy(update={"service": story.times(*[2.0] * 2000)})
            event = event.model_copy(update={"result": result})
        elif isinstance(event, RoundEnded) and not ours:
            event = event.model_copy(update={"result": None, "seconds": 2.0})
        if ours or event.type != "load":
            events.append(event)
    return fold(events)


def label(state: RunState) -> str:
    settled = Settled()
    settled.settle(state)
    latency = latency_of(state, settled)
    assert latency is not None
    return latency.label


def test_the_chart_says_what_its_latency_counts_from() -> None:
    assert label(run()) == "closed loop, service time"
    assert label(run(mode="open", rate=1000.0)) == "open loop, from the planned start"


def lines_of(state: RunState, width: int, height: int) -> str:
    """Both charts as text."""
    frame = frame_of(state, run="x", now=state.now, running=state.ended is None)
    drawn = rate_lines(frame.rate, 1500.0, width, height)
    if frame.latency is not None:
        drawn += latency_lines(frame.latency, width, height)
    return "\n".join(plain(line) for line in drawn)


@pytest.mark.parametrize("width", [38, 56])
def test_the_service_time_is_next_to_the_latency(width: int) -> None:
    shown = lines_of(run(service=True, mode="open", rate=1000.0), width, 12)
    line = next(line for line in shown.splitlines() if "service time" in line)
    assert "p50 2.00 ms" in line
    assert "p99 2.00 ms" in line
    assert len(line) <= width
    assert "service time" not in lines_of(run(), width, 12)


def test_planned_sent_and_achieved_are_on_the_screen() -> None:
    state = open_run()
    frame = frame_of(state, run="x", now=state.now, running=False)
    assert rate_label(frame.rate) == "open loop: 1,000 planned, 1,000 sent"
    shown = lines_of(state, 38, 12)
    assert "1,000 achieved   0 errors" in shown
    assert "everything planned was sent" in shown
    assert "┄┄┄" in shown


def test_what_was_never_sent_is_there_with_its_age() -> None:
    state = open_run(good=1900, sent=1910)
    assert "180 never sent, oldest 400 ms" in lines_of(state, 38, 12)
    assert rate_label(rate_of(state)) == "open loop: 1,000 planned, 955 sent"


def test_a_planned_rate_far_beyond_leaves_the_chart_to_what_was_achieved() -> None:
    near, far = (rate_of(run(mode="open", rate=rate)) for rate in (1200.0, 50_000.0))
    assert highest(near, 40) == 1200
    assert highest(far, 40) == pytest.approx(1000)
    assert "┄" not in "".join(plain(line) for line in rate_lines(far, 1500.0, 40, 12))


def test_a_load_that_is_not_ours_says_whose_it_is() -> None:
    shown = lines_of(watched(mode="command"), 60, 12)
    assert "External load: wrk -d2s http://127.0.0.1:1/" in shown
    assert "no rate" in shown
    assert "no counted round yet" not in shown
    external = rate_of(watched(mode="command")).external
    assert external is not None
    assert (
        external.latency == "wrk reports the latency: its output is in logs/load-round-2.txt, and l shows it."
    )
    watching = rate_of(watched()).external
    assert watching is not None
    assert (watching.load, watching.counter) == ("No load: the stack is only watched.", None)


def test_what_a_status_page_counts_is_drawn_over_time() -> None:
    rate = rate_of(watched(mode="command", reads=(100, 300, 500)))
    assert rate.external is not None
    assert rate.external.counter == "page"
    assert sum(each.good for each in rate.bins) == 400
    assert [section.label for section in rate.sections] == ["warm-up", "round 1", "round 2"]
    shown = "\n".join(plain(line) for line in rate_lines(rate, 150.0, 60, 12))
    assert "100 mean" in shown
    assert "error" not in shown
    assert "██" in shown
    assert rate_label(rate) == "counted by the status page page"


def test_a_load_that_is_not_ours_has_no_numbers_on_the_screen() -> None:
    state = run(ours=False, mode="none", connections=None)
    frame = frame_of(state, run="x", now=9.0, running=False)
    assert frame.stage == "load"
    assert frame.latency is None
    assert (frame.rate.now, frame.rate.mean) == (None, None)
    settled = Settled()
    settled.settle(state)
    assert [(row.rate, row.errors) for row in rounds_of(state, settled)] == [("n/a", "n/a")] * 3
