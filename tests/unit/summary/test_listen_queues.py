"""Listen queues in a summary and in its formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import story
from tui.findings.judged import summarise
from tui.record.events import Event, ListenQueues, PhaseChanged
from tui.record.record import Record
from tui.record.state import fold
from tui.summary.schema import Summary
from tui.summary.sockets import socket_name


def summary_of(tmp_path: Path, looks: dict[int, ListenQueues]) -> Summary:
    """A run with one look in each of these rounds."""
    events: list[Event] = []
    for event in story.run(plan=story.planned(ports={"http": 8001})):
        events.append(event)
        if isinstance(event, PhaseChanged) and event.phase == "round" and event.round in looks:
            events.append(looks[event.round])
    return summarise(Record(tmp_path), fold(events))


def test_a_row_for_each_socket_over_the_rounds(tmp_path: Path) -> None:
    looks = {
        1: story.queues(2.2, story.tcp(3, drops=2), story.unix(6, refusals=0)),
        2: story.queues(4.2, story.tcp(1, drops=7), story.unix(4, refusals=12)),
    }
    tcp, unix = summary_of(tmp_path, looks).listen_queues.sockets
    assert (tcp.name, tcp.kind, tcp.backlog) == ("http :8001", "tcp", 8)
    assert (tcp.longest, tcp.by_round, tcp.drops, tcp.refusals) == (3, (3, 1), 7, None)
    assert (unix.name, unix.address, unix.backlog) == ("app-1.sock", "/tmp/x/app-1.sock", 5)
    assert (unix.longest, unix.by_round, unix.drops, unix.refusals) == (6, (6, 4), None, 12)


def test_a_socket_that_came_later_was_not_there_before(tmp_path: Path) -> None:
    looks = {1: story.queues(2.2, story.tcp(3)), 2: story.queues(4.2, story.tcp(2), story.unix(1, None))}
    _, unix = summary_of(tmp_path, looks).listen_queues.sockets
    assert unix.by_round == (None, 1)


@pytest.mark.parametrize("format_name", ["text", "markdown"])
def test_the_formats_have_the_same_and_no_zero_for_what_is_unknown(tmp_path: Path, format_name: str) -> None:
    look = story.queues(2.2, story.tcp(3, drops=2), story.unix(6, refusals=None))
    written = story.written(summary_of(tmp_path, {1: look}), format_name)
    rows = [line.replace("|", " ").split() for line in written.splitlines()]
    assert ["http", ":8001", "8", "3", "3", "/", "n/a", "2", "–"] in rows
    assert ["app-1.sock", "5", "6", "6", "/", "n/a", "–", "n/a"] in rows


def test_the_text_says_how_queues_were_read_and_what_cannot_be_read(tmp_path: Path) -> None:
    reason = "unix sockets: the kernel reports no queues (Protocol not supported)"
    look = story.queues(2.2, story.tcp(3), reasons=(reason,), refused_elsewhere=5)
    written = story.written(summary_of(tmp_path, {1: look}), "text")
    assert "queues read 4 times, every 250 ms, at a cost of 1.00 ms of CPU" in written
    assert f"n/a: {reason}" in written
    assert "5 more refusals in the front's log name no socket" in written


def test_a_run_without_queues_has_no_such_part(tmp_path: Path) -> None:
    summary = summarise(Record(tmp_path), fold(story.run()))
    assert (summary.listen_queues.sockets, summary.listen_queues.every) == ((), None)
    assert "Listen queues" not in story.written(summary, "text")
    assert "refusals" not in story.written(summary, "markdown")


def test_sockets_have_short_names() -> None:
    ports = {"http": 80, "app.0": 8080}
    assert socket_name("tcp", "[::1]:8080", ports) == "app.0 :8080"
    assert socket_name("tcp", "127.0.0.1:81", ports) == ":81"
    assert socket_name("unix", "/tmp/stackdyno-1/app.sock", ports) == "app.sock"
    assert socket_name("unix", "@abstract", ports) == "@abstract"
