"""A console in a test: what it shows, what it waits for, and a stand-in for the processes of its runs."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from textual.pilot import Pilot

from tests.support import recorded_runs as runs
from tui.console.app import ConsoleApp
from tui.console.run.frame import Frame, frame_of
from tui.console.run.source import FrameReady
from tui.findings.judge import judge
from tui.record.events import Event
from tui.record.record import EventWriter, Record
from tui.record.state import fold
from tui.run.launch import AnotherMachine
from tui.summary.summary import verdict_sentence
from tui.system.errors import UserError

RUNS = {
    "starting": runs.starting,
    "running": runs.running,
    "finished": runs.finished,
    "failed": runs.failed,
}


async def until(pilot: Pilot, wanted: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait for a condition."""
    deadline = time.monotonic() + seconds
    while not wanted():
        assert time.monotonic() < deadline, "it never came to that"
        await pilot.pause(0.02)


async def ready(pilot: Pilot) -> ConsoleApp:
    """Wait for the profiles."""
    app = pilot.app
    assert isinstance(app, ConsoleApp)
    await until(pilot, lambda: app.rows)
    return app


async def a_running(pilot: Pilot) -> ConsoleApp:
    """Start the first profile and wait until it is seen."""
    app = await ready(pilot)
    await pilot.press("r")
    await until(pilot, lambda: app.frame is not None and app.frame.running)
    return app


def notices(app: ConsoleApp) -> list[str]:
    return [notice.message for notice in app._notifications]


def screen_rows(app: ConsoleApp) -> list[str]:
    """The rows of the screen."""
    return ["".join(part.text for part in strip) for strip in app.screen._compositor.render_strips()]


def frame_after(events: Iterable[Event], *, running: bool | None = None) -> Frame:
    """One frame of a run, at the time of its last event."""
    state = fold(events)
    over = state.ended is not None
    judged = judge(state)
    return frame_of(
        state,
        judged.findings,
        verdict_sentence(state, judged.invalid) if over else "",
        run="run",
        now=state.now,
        running=not over if running is None else running,
    )


def recorded(folder: Path, events: Iterable[Event]) -> Record:
    """A record with these events, as a runner would have written it."""
    folder.mkdir(parents=True)
    record = Record(folder)
    record.logs.mkdir()
    append(record, events)
    return record


def append(record: Record, events: Iterable[Event]) -> None:
    """Write more events."""
    writer = EventWriter(record)
    for event in events:
        writer.write(event)
    writer.close()


def a_run_of(profile: str):
    events = runs.running()
    return [events[0].model_copy(update={"profile_name": profile}), *events[1:]]


class Runners:
    """Stands for the runners: which records are running, and what was asked of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.going_on: set[Record] = set()
        self.launched: list[str] = []
        self.concurrent: list[bool] = []
        self.elsewhere: str | None = None
        """What the profiles would put a load on, where that isn't this machine."""
        self.stopped: list[Record] = []
        self.gate = threading.Event()
        self.gate.set()

    def launch(
        self,
        profile: str,
        *,
        profiles: Path | None,
        runs: Path | None,
        concurrent: bool = False,
        remote: bool = False,
    ) -> Record:
        assert self.gate.wait(60)
        if self.elsewhere and not remote:
            raise AnotherMachine(self.elsewhere)
        self.launched.append(Path(profile).stem)
        self.concurrent.append(concurrent)
        record = recorded(self.folder / f"run-{len(self.launched)}", a_run_of(Path(profile).stem))
        self.going_on.add(record)
        return record

    def is_running(self, record: Record) -> bool:
        return record in self.going_on

    def request_stop(self, record: Record) -> None:
        if record not in self.going_on:
            raise UserError(f"{record.name}: the run is over")
        self.stopped.append(record)
        self.end(record)

    def end(self, record: Record) -> None:
        append(record, runs.stopped()[-1:])
        self.going_on.discard(record)


class Still:
    """Stands for the thread that follows a record: nothing moves."""

    def __init__(self, record: Record) -> None:
        self.record = record

    def ask(self) -> None: ...

    def close(self) -> None: ...


async def screen_with(
    console: Callable[..., ConsoleApp], size: tuple[int, int], run: str | None, *keys: str
) -> tuple[str, list[str]]:
    """The screenshot and the rows of the screen with one frame of a run."""
    app = console()
    async with app.run_test(size=size) as pilot:
        while not app.rows:
            await pilot.pause(0.02)
        if run is not None:
            app.source = Still(Record(Path("/runs/run")))  # type: ignore[assignment]
            app.post_message(FrameReady(frame_after(RUNS[run]())))
            await pilot.pause()
        for key in keys:
            await pilot.press(key)
        await pilot.pause()
        svg = re.sub(r"terminal-\d+", "terminal", app.export_screenshot())
        return svg, screen_rows(app)
