"""When status pages are read: at their rate while load is on, once when it is over, and not any more at the end."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from tui.plan.plan import Plan, StatusPlan
from tui.record.events import Event, StatusRead
from tui.run.status_watch import StatusWatch

EVERY = 0.1


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "report"
    path.write_text("busy 3\n")
    return path


def watch_of(report: Path, written: list[Event]) -> StatusWatch:
    plan = object.__new__(Plan)
    source = StatusPlan(
        url=None,
        socket=None,
        send="",
        file=str(report),
        command=(),
        env={},
        every=EVERY,
        stale=0.0,
        unit="workers",
        format="text",
        find={"n": r"busy (\d+)"},
        rows="",
        values={"busy": "n", "requests": "reads"},
        workers={},
    )
    for name, value in {"status": {"app": source}, "uid": None, "gid": None}.items():
        object.__setattr__(plan, name, value)
    return StatusWatch(plan, written.append, time.monotonic)


async def until(written: list[Event], number: int) -> None:
    deadline = time.monotonic() + 10
    while len(written) < number:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


async def test_it_is_read_while_load_is_on_and_once_after_it(report: Path) -> None:
    written: list[Event] = []
    watch = watch_of(report, written)
    await watch.read()
    assert len(written) == 1
    began = time.monotonic()
    watch.begin()
    await until(written, 4)
    assert time.monotonic() - began >= 2.5 * EVERY
    await watch.read()
    after = len(written)
    await asyncio.sleep(3 * EVERY)
    assert len(written) == after
    reads = [event for event in written if isinstance(event, StatusRead)]
    assert [(read.source, read.busy, read.requests) for read in reads] == [
        ("app", 3, number) for number in range(1, after + 1)
    ]
    await watch.stop()


async def test_an_error_is_written_and_does_not_end_the_reading(report: Path) -> None:
    written: list[Event] = []
    watch = watch_of(report, written)
    await asyncio.to_thread(report.unlink)
    watch.begin()
    await until(written, 1)
    await asyncio.to_thread(report.write_text, "busy 5\n")
    seen = len(written)
    await until(written, seen + 2)
    await watch.stop()
    first, last = written[0], written[-1]
    assert isinstance(first, StatusRead) and isinstance(last, StatusRead)
    assert first.error is not None and first.error.endswith("No such file or directory")
    assert (first.busy, last.error, last.busy) == (None, None, 5)


async def test_stopping_in_the_middle_of_load_ends_the_reading(report: Path) -> None:
    written: list[Event] = []
    watch = watch_of(report, written)
    watch.begin()
    await watch.stop()
    await asyncio.sleep(2 * EVERY)
    assert written == []
