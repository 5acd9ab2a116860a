"""A leak is distinguished from an allocator that warms up, and from noise."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support import story
from tui.findings.judge import judge
from tui.findings.judged import summarise
from tui.record.events import Event, Memory, RoundEnded
from tui.record.record import Record
from tui.record.state import fold
from tui.summary.growth import Growth, growth

MB = 10**6


def after(
    amounts: Sequence[int], *, warm: int | None = None, good: int = 2000, workers: Sequence[int] = ()
) -> list[Event]:
    """A run whose rounds end with so much memory in all; ``workers`` are the pids of the one worker after each."""
    events: list[Event] = []
    number = 0
    for event in story.run(rounds=len(amounts), good=good):
        if isinstance(event, Memory) and event.label and event.label.startswith("after round"):
            pids = (workers[number],) if workers else (11,)
            event = story.memory(event.t, event.label, *pids, anon=amounts[number])
            number += 1
        if isinstance(event, Memory) and event.label == "after warm-up" and warm is not None:
            event = story.memory(event.t, event.label, 11, anon=warm)
        events.append(event)
    return events


def finding(events: list[Event]) -> str | None:
    texts = [each.text for each in judge(fold(events)).findings if each.code == "memory-grows"]
    return texts[0] if texts else None


def test_the_same_more_with_each_round_is_a_possible_leak() -> None:
    assert finding(after([50 * MB, 54 * MB, 58 * MB])) == (
        "memory grows by 2.00 MB per 1,000 requests: a possible leak"
    )


def test_a_leak_is_seen_through_some_noise() -> None:
    assert finding(after([50 * MB, 54 * MB, 57 * MB + MB // 2, 61 * MB, 65 * MB])) is not None


@pytest.mark.parametrize(
    ("amounts", "why"),
    [
        ([50 * MB, 50 * MB, 50 * MB], "nothing grows"),
        ([50 * MB, 60 * MB, 62 * MB, 62 * MB + 1], "an allocator that warms up"),
        ([69 * MB, 88 * MB, 100 * MB], "the heap of a Node server, before it is collected"),
        ([50 * MB, 55 * MB, 54 * MB, 60 * MB], "a heap that is collected"),
        ([5 * MB, 5 * MB + 300_000, 5 * MB + 600_000], "less than a megabyte"),
        ([500 * MB, 502 * MB, 504 * MB], "less than a fiftieth"),
        ([58 * MB, 54 * MB, 50 * MB], "it shrinks"),
        ([50 * MB, 58 * MB], "two rounds"),
    ],
)
def test_what_is_no_leak(amounts: list[int], why: str) -> None:
    assert finding(after(amounts)) is None, why


@pytest.mark.parametrize(
    ("warm", "leaks"),
    [(46 * MB, True), (30 * MB, False), (49 * MB, False)],
    ids=["as steady", "slows down", "faster"],
)
def test_the_step_from_the_warm_up_counts_too(warm: int, leaks: bool) -> None:
    """The warm-up and each round send 2,000 requests here."""
    assert (finding(after([50 * MB, 54 * MB, 58 * MB], warm=warm)) is not None) is leaks


def test_few_requests_say_nothing() -> None:
    events = after([50 * MB, 54 * MB, 58 * MB], good=400)
    assert (growth(fold(events)), finding(events)) == (None, None)


def test_rounds_before_a_worker_was_replaced_are_another_story() -> None:
    assert growth(fold(after([50 * MB, 54 * MB, 30 * MB, 34 * MB], workers=[11, 11, 12, 12]))) is None
    seen = growth(fold(after([90 * MB, 30 * MB, 34 * MB, 38 * MB], workers=[11, 12, 12, 12])))
    assert seen == Growth((6000, 8000, 10_000), (30 * MB, 34 * MB, 38 * MB))


def test_requests_that_are_not_ours_are_not_counted() -> None:
    events = [
        each.model_copy(update={"result": None, "seconds": 2.0})
        if isinstance(each, RoundEnded) and each.round
        else each
        for each in after([50 * MB, 54 * MB, 58 * MB])
    ]
    assert growth(fold(events)) is None


def test_the_slope_is_that_of_the_line_through_all_rounds() -> None:
    assert Growth((0, 1000, 2000), (10, 30, 20)).per_1000_requests == 5.0


@pytest.mark.parametrize("format_name", ["text", "markdown", "json"])
def test_the_slope_is_in_every_format(format_name: str, tmp_path: Path) -> None:
    events = after([50 * MB, 54 * MB, 58 * MB])
    written = story.written(summarise(Record(tmp_path), fold(events)), format_name)
    assert (
        "2000000.0" if format_name == "json" else "growth over the rounds 2.00 MB per 1,000 requests"
    ) in written
