"""Runs with a load that isn't the usual one: an open loop, another generator, none."""

from __future__ import annotations

from typing import Any

from tests.support import story
from tui.load.result import Outcomes, ScheduleTotals
from tui.record.events import Event, RoundEnded, StatusRead
from tui.record.state import RunState, fold

OPEN = {"mode": "open", "rate": 1000.0, "arrivals": "uniform"}


def plan(**load: Any) -> Any:
    planned = story.planned()
    return planned.model_copy(update={"load": planned.load.model_copy(update=load)})


def open_run(
    *,
    good: int = 2000,
    sent: int = 2000,
    seconds: float = 2.0,
    planned_seconds: float = 2.0,
    service: float = 2.0,
) -> RunState:
    """Rounds of 2,000 planned requests at 1,000 per second; ``service`` is milliseconds."""
    events: list[Event] = []
    for event in story.run(plan=plan(**OPEN), good=good, seconds=seconds):
        if isinstance(event, RoundEnded) and event.result is not None:
            schedule = ScheduleTotals(arrivals="uniform", seed=1, requests=2000, seconds=planned_seconds)
            outcomes = Outcomes(ok=good, unfinished=sent - good)
            tally = event.result.tally.model_copy(
                update={"planned": 2000, "sent": sent, "outcomes": outcomes}
            )
            changes = {
                "planned": schedule,
                "tally": tally,
                "service": story.times(*[service] * good),
                "schedule_lag": story.times(*[0.1] * (sent - 5)),
                "connection_wait": story.times(*[30.0] * 5),
                "oldest_unfinished": 0.4 if sent < 2000 else None,
            }
            event = event.model_copy(update={"result": event.result.model_copy(update=changes)})
        events.append(event)
    return fold(events)


def watched(*, mode: str = "none", reads: tuple[int, ...] = (), error: str | None = None) -> RunState:
    """A run with two rounds of 2 s that aren't ours; ``reads`` are a status page's counts, the first before them."""
    load = {"mode": mode, "connections": None, "processes": 0, "timeout": None}
    command = ("/usr/bin/wrk", "-d2s", "http://127.0.0.1:1/") if mode == "command" else None
    events: list[Event] = []
    at = iter(reads)
    for event in story.run(plan=plan(**load, command=command)):
        if event.type == "load":
            continue
        if isinstance(event, RoundEnded):
            event = event.model_copy(update={"result": None, "seconds": 2.0})
        events.append(event)
        if event.type == "memory" and event.label != "after warm-up":
            count = next(at, None)
            if count is not None or error:
                events.append(StatusRead(t=event.t, source="page", requests=count, error=error, took=0.001))
    return fold(events)
