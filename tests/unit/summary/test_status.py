"""What status pages report, in a summary and in its formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import story
from tui.findings.judged import summarise
from tui.formats.export import render
from tui.record.events import Event, Memory, PhaseChanged, StatusFacts, StatusRead, WorkerServed
from tui.record.record import Record
from tui.record.state import fold
from tui.summary.schema import Summary


def read(t: float, source: str, requests: int, *workers: tuple[int, int], **levels: int) -> StatusRead:
    served = tuple(WorkerServed(pid=pid, requests=count, busy=None) for pid, count in workers)
    return StatusRead(t=t, source=source, requests=requests, workers=served, took=0.001, **levels)  # type: ignore[arg-type]


def run(*sources: StatusFacts, last: bool = True) -> list[Event]:
    """Two workers answer 1,000 requests a round; the page is read in each round and after it."""
    events: list[Event] = []
    total = 0
    for event in story.run(plan=story.planned(status=sources)):
        events.append(event)
        if isinstance(event, PhaseChanged) and event.phase == "round":
            events += [
                read(event.t + 1, "fpm", total + 400, (11, total), (12, total), busy=3, idle=1, queue=7)
            ]
            total += 1000
        if isinstance(event, Memory) and (last or event.label != "after round 2"):
            workers = (11, total * 6 // 10), (12, total * 4 // 10)
            events += [
                PhaseChanged(t=event.t, phase="memory"),
                read(event.t + 0.1, "fpm", total, *workers, busy=0),
                story.failed(event.t + 0.1, "nginx"),
            ]
    return events


def summary_of(tmp_path: Path, *sources: StatusFacts, last: bool = True) -> Summary:
    return summarise(Record(tmp_path), fold(run(*sources, last=last)))


def test_levels_are_of_the_rounds_and_requests_of_all_of_them(tmp_path: Path) -> None:
    fpm, nginx = summary_of(tmp_path, story.FPM, story.NGINX).status
    assert (fpm.where, fpm.every, fpm.unit) == ("http://localhost/fpm", 1.0, "workers")
    assert (fpm.busy_mean, fpm.busy_most, fpm.idle_mean, fpm.queue_most) == (3.0, 3, 1.0, 7)
    assert (fpm.requests, fpm.reads_in_rounds, fpm.errors) == (2000, 2, 0)
    assert (nginx.requests, nginx.busy_mean, nginx.errors, nginx.error) == (None, None, 4, "status 404")


def test_requests_of_each_worker(tmp_path: Path) -> None:
    rows = {row.pid: row.requests for row in summary_of(tmp_path, story.FPM).processes}
    assert rows == {10: None, 11: 1200, 12: 800}


def test_a_page_that_was_not_read_after_the_last_round_has_no_total(tmp_path: Path) -> None:
    summary = summary_of(tmp_path, story.FPM, last=False)
    assert summary.status[0].requests is None
    assert all(row.requests is None for row in summary.processes)


@pytest.mark.parametrize("format_name", ["text", "markdown", "html"])
def test_the_formats_say_what_was_read_how_often_and_why_not(tmp_path: Path, format_name: str) -> None:
    written = render(Record(tmp_path), fold(run(story.FPM, story.NGINX)), format_name)
    assert (
        "fpm: http://localhost/fpm, read every 1.00 s during the rounds (2 times) and after each" in written
    )
    assert "nginx: n/a in 4 of 4 reads: status 404" in written
    assert "workers" in written and "2,000" in written


def test_a_stack_without_a_page_has_no_such_part_and_no_such_column(tmp_path: Path) -> None:
    with_page, without = (
        render(Record(tmp_path), fold(events), "text") for events in (run(story.FPM), story.run())
    )
    heads = [written.split("Processes\n")[1].splitlines()[0].split() for written in (with_page, without)]
    assert [head.count("requests") for head in heads] == [1, 0]
    assert "Status pages" not in without
