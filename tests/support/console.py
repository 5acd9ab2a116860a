"""A console in a test: what it shows, what it waits for, and a stand-in for the processes of its runs."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from textual.message import Message
from textual.pilot import Pilot

from tests.support import recorded_runs as runs
from tests.support.experiments import Experiments
from tui.console.app import ConsoleApp
from tui.console.jobs import Backend
from tui.console.profiles.rows import ProfileRow
from tui.console.run.frame import Frame, frame_of
from tui.console.run.source import FrameReady, RunSource
from tui.console.session import Kept
from tui.experiment.plan import Experiment
from tui.experiment.record import ExperimentRecord
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
    await until(pilot, lambda: app.selection.rows)
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


def assert_screen_holds(app: ConsoleApp, text: str) -> None:
    shown = "\n".join(screen_rows(app))
    assert text in shown, shown


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
        self.deaf: set[Record] = set()
        """Those that don't answer when they are asked to stop."""
        self.gate = threading.Event()
        self.gate.set()

    def launch(self, profile: Path, *, concurrent: bool, remote: bool) -> Record:
        assert self.gate.wait(60)
        if self.elsewhere and not remote:
            raise AnotherMachine(self.elsewhere)
        self.launched.append(profile.stem)
        self.concurrent.append(concurrent)
        record = recorded(self.folder / f"run-{len(self.launched)}", a_run_of(profile.stem))
        self.going_on.add(record)
        return record

    def is_running(self, record: Record) -> bool:
        return record in self.going_on

    def request_stop(self, record: Record) -> None:
        if record not in self.going_on:
            raise UserError(f"{record.name}: the run is over")
        if record in self.deaf:
            raise UserError(f"{record.name}: its runner (pid 7) doesn't answer: timed out")
        self.stopped.append(record)
        self.end(record)

    def end(self, record: Record) -> None:
        append(record, runs.stopped()[-1:])
        self.going_on.discard(record)


class Still:
    """Stands for the thread that reads what is shown: nothing moves."""

    fault = None

    def __init__(self, *_: object) -> None: ...

    def ask(self) -> None: ...

    def close(self) -> None: ...


class Tested(Backend):
    """What a console in a test asks: profiles of the test, and stand-ins for processes where there are any."""

    def __init__(self, rows: tuple[ProfileRow, ...], runs: Path) -> None:
        self.rows, self.runs = rows, runs
        self.runners: Runners | None = None
        self.experiments: Experiments | None = None
        self.left: str | None = None
        """What killed runs left behind."""
        self.still = False
        """Nothing of a run that is followed moves by itself."""

    def read_profiles(self, profiles: Path | None) -> tuple[tuple[ProfileRow, ...], int]:
        return self.rows, 0

    def holder(self) -> str | None:
        return None  # whatever else runs on the developer's machine

    def left_behind(self) -> str | None:
        return self.left

    def launch(
        self, profile: Path, profiles: Path | None, runs: Path | None, *, concurrent: bool, remote: bool
    ) -> Record:
        assert self.runners is not None
        return self.runners.launch(profile, concurrent=concurrent, remote=remote)

    def launch_experiment(self, experiment: Experiment, runs: Path | None) -> ExperimentRecord:
        assert self.experiments is not None
        return self.experiments.launch(experiment, runs)

    def is_running(self, record: Kept) -> bool:
        stands = self.runners if isinstance(record, Record) else self.experiments
        return stands.is_running(record) if stands else super().is_running(record)

    def request_stop(self, record: Kept) -> None:
        stands = self.runners if isinstance(record, Record) else self.experiments
        if stands:
            stands.request_stop(record)
        else:
            super().request_stop(record)

    def follow_run(self, record: Record, post: Callable[[Message], object], *, fresh: bool) -> RunSource:
        return Still(record) if self.still else super().follow_run(record, post, fresh=fresh)


async def screen_with(
    console: Callable[..., ConsoleApp], size: tuple[int, int], run: str | None, *keys: str
) -> tuple[str, list[str]]:
    """The screenshot and the rows of the screen with one frame of a run."""
    app = console(Record(Path("/runs/run")), still=True) if run is not None else console()
    async with app.run_test(size=size) as pilot:
        while not app.selection.rows:
            await pilot.pause(0.02)
        if run is not None:
            app.post_message(FrameReady(frame_after(RUNS[run]())))
            await pilot.pause()
        for key in keys:
            await pilot.press(key)
        await pilot.pause()
        svg = re.sub(r"terminal-\d+", "terminal", app.export_screenshot())
        return svg, screen_rows(app)
