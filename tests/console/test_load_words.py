"""How the load is named on the screen, whoever makes it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.report import story
from tui.console.load_view import Settled, latency_of, rounds_of
from tui.console.view import frame_of
from tui.console.words import load_words, rounds_words
from tui.profile.models import Load
from tui.run.events import LoadFacts, RoundEnded
from tui.run.state import RunState, fold


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"connections": 16, "requests": 5}, "16 connections, closed loop, no keep-alive"),
        (
            {"connections": 1, "requests": 5, "rate": 1500, "arrivals": "poisson", "keepalive": True},
            "1 connection, open loop at 1,500 req/s (Poisson), keep-alive",
        ),
        ({"mode": "none", "duration": "3s"}, "none of ours: the stack is watched"),
        ({"command": ["wrk", "-c4"]}, "another generator: wrk -c4"),
    ],
)
def test_a_load_in_words(keys: dict[str, Any], words: str) -> None:
    assert load_words(Load.model_validate(keys)) == words


def test_rounds_of_a_command_have_no_bound() -> None:
    assert rounds_words(3, None, None) == "3 rounds"
    assert rounds_words(1, None, 2.0) == "1 round of 2 s"


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
    assert label(run(mode="open", rate=1000.0)) == "open loop, latency from the planned start"
    served = run(service=True, mode="open", rate=1000.0)
    assert label(served) == "open loop, from planned start; service p99 2.00 ms"


def test_a_load_that_is_not_ours_has_no_numbers_on_the_screen() -> None:
    state = run(ours=False, mode="none", connections=None)
    frame = frame_of(state, run="x", now=9.0, running=False)
    assert frame.stage == "load"
    assert frame.latency is None
    assert (frame.rate.now, frame.rate.mean) == (None, None)
    settled = Settled()
    settled.settle(state)
    assert [(row.rate, row.errors) for row in rounds_of(state, settled)] == [("n/a", "n/a")] * 3
