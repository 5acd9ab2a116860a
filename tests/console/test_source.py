"""Following a record in a thread."""

from __future__ import annotations

import queue
import time

import pytest

from tests.support import recorded_runs as runs
from tests.support.console import append, recorded
from tui.console.run.source import FrameReady, RunSource
from tui.record.events import LoadTick


@pytest.fixture
def posted():
    return queue.Queue()


def ask_until(source, posted, wanted, seconds=5.0):
    """Ask for frames until one is as wanted."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        source.ask()
        try:
            message = posted.get(timeout=0.05)
        except queue.Empty:
            continue
        if wanted(message):
            return message
    raise AssertionError("no such message came")


def test_a_finished_run_is_one_frame(tmp_path, posted):
    record = recorded(tmp_path / "run", runs.finished())
    source = RunSource(record, posted.put)
    frame = ask_until(source, posted, lambda m: isinstance(m, FrameReady)).frame
    assert frame.run == "run"
    assert not frame.running
    assert frame.status.verdict is not None and "requests/s" in frame.status.verdict
    source.ask()
    source.ask()
    with pytest.raises(queue.Empty):
        posted.get(timeout=0.3)
    source.close()


def test_a_run_that_grows_is_followed_to_its_end(tmp_path, posted):

    events = runs.finished()
    half = next(i for i, event in enumerate(events) if isinstance(event, LoadTick)) + 5
    record = recorded(tmp_path / "run", events[:half])
    source = RunSource(record, posted.put, is_running=lambda record: True)
    first = ask_until(source, posted, lambda m: isinstance(m, FrameReady)).frame
    assert first.running and first.stage == "load"
    append(record, events[half:])
    last = ask_until(source, posted, lambda m: isinstance(m, FrameReady) and not m.frame.running).frame
    assert len(last.rate.bins) > len(first.rate.bins)
    source.close()


def test_a_runner_that_died_ends_the_run(tmp_path, posted):
    record = recorded(tmp_path / "run", runs.running())
    source = RunSource(record, posted.put)
    frame = ask_until(source, posted, lambda m: isinstance(m, FrameReady)).frame
    assert not frame.running
    assert "cut off" in (frame.status.verdict or "")
    source.close()


def test_a_damaged_record_is_told_in_one_line(tmp_path, posted):
    record = recorded(tmp_path / "run", runs.starting())
    with record.events_path.open("a") as file:
        file.write('{"type": "nonsense"}\n')
    source = RunSource(record, posted.put)
    frame = ask_until(source, posted, lambda m: isinstance(m, FrameReady)).frame
    assert frame.failure is not None and frame.stage == "failed" and not frame.running
    assert "lines of events.jsonl can't be read" in frame.failure.reason and "\n" not in frame.failure.reason
    source.close()


def test_a_run_that_was_just_launched_has_time_to_appear(tmp_path, posted):
    record = recorded(tmp_path / "run", [])
    source = RunSource(record, posted.put, fresh=True)
    source.ask()
    with pytest.raises(queue.Empty):
        posted.get(timeout=0.3)
    append(record, runs.finished())
    assert ask_until(source, posted, lambda m: isinstance(m, FrameReady)).frame.stage == "load"
    source.close()


def test_nothing_is_posted_after_closing(tmp_path, posted):
    source = RunSource(recorded(tmp_path / "run", runs.finished()), posted.put)
    source.close()
    source.ask()
    with pytest.raises(queue.Empty):
        posted.get(timeout=0.3)
