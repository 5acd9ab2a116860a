"""What status pages say, as the console shows it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import story
from tui.console.run.stack_view import Workers, workers_of
from tui.record.events import Event, PhaseChanged, RunEnded, StatusRead, WorkerServed
from tui.record.state import fold

WORKERS = tuple(WorkerServed(pid=pid, requests=1200, busy=True) for pid in (11, 12))


def read(source: str, *workers: WorkerServed, **levels: Any) -> StatusRead:
    return StatusRead(t=3.0, source=source, workers=workers, took=0.001, **levels)


def shown(*events: Event) -> Workers:
    """Of a run with two pages and two workers, in its first round."""
    began = [
        story.started(),
        story.planned(status=(story.FPM, story.NGINX)),
        story.seen(10, "master"),
        story.seen(11),
    ]
    return workers_of(fold([*began, story.seen(12), PhaseChanged(t=2, phase="round", round=1), *events]))


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (read("fpm", busy=3, idle=1), "busy 3 of 4"),
        (read("fpm", busy=3, idle=1, queue=12), "busy 3 of 4, 12 queued"),
        (read("fpm", busy=3), "busy 3"),
        (read("nginx", busy=38, idle=12), "38 of 50 connections busy"),
        (story.failed(3.0, "fpm"), "fpm n/a"),
        (read("fpm", requests=7), "fpm n/a"),
    ],
)
def test_who_is_busy_now(event: StatusRead, words: str) -> None:
    workers = shown(event)
    assert (*workers.busy, *workers.others) == (words,)


def test_a_page_that_stops_to_answer_is_not_believed_any_longer() -> None:
    assert shown(read("fpm", busy=3, idle=1), story.failed(3.5, "fpm")).busy == ("fpm n/a",)


def test_a_finished_run_shows_means() -> None:
    reads = [read("fpm", busy=3, idle=1), read("fpm", busy=4, idle=0)]
    busy = shown(*reads, RunEnded(t=9, verdict="good")).busy
    assert busy == ("busy 3.5 of 4 (mean)",)


def test_requests_of_each_worker_since_the_first_round() -> None:
    assert not shown().counted
    workers = shown(read("fpm", *WORKERS, busy=2))
    assert workers.counted
    assert [row.requests for row in workers.rows] == ["", "1,200", "1,200"]


def test_a_page_of_nginx_alone_makes_no_column() -> None:
    workers = shown(read("nginx", busy=3, requests=5))
    assert not workers.counted
