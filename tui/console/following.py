"""The half of the app that has no keys: it follows a run, draws its frames, and leaves when the terminal does."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

from textual import on
from textual.app import App
from textual.screen import Screen

from tui.console import terminal
from tui.console.drawing.themes import THEMES, theme_for
from tui.console.farewell import attach_command, goes_on
from tui.console.footprint import OwnCpu
from tui.console.jobs import Jobs
from tui.console.main_screen import MainScreen
from tui.console.messages import Broken, Done, Refused, RunFound, RunLaunched
from tui.console.pace import FASTEST, Pace
from tui.console.profiles.rows import ProfileRow
from tui.console.profiles.widgets import ProfileSelected, ProfilesRead
from tui.console.run.frame import Frame
from tui.console.run.source import FrameReady, RunSource
from tui.record.record import Record


class FollowingApp(App[None]):
    """Holds which run is followed and which profile is selected; everything else is drawn from frames."""

    CSS = """
    Toast {
        width: 76;
        max-width: 96%;
        padding: 0 1;
    }
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (70, "-narrow"), (120, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (16, "-short"), (34, "-tall")]  # noqa: RUF012

    def __init__(self, *, profiles: Path | None, runs: Path | None, attach: Record | None = None) -> None:
        super().__init__()
        self.profiles, self.runs = profiles, runs
        self.rows: tuple[ProfileRow, ...] = ()
        self.reading = True
        """The profiles aren't read yet."""
        self.selected = 0
        self.chosen = False
        """A person has selected a profile, or a run has: reading the profiles doesn't select the default then."""
        self.run_when_read = False
        """A run was asked for before there was any profile."""
        self.source: RunSource | None = None
        self.frame: Frame | None = None
        self.found: Record | None = attach
        self.launching: ProfileRow | None = None
        """What a runner was asked for that has not shown up yet."""
        self.once_launched: Literal["stop", "leave"] | None = None
        """What was asked meanwhile of the run that is being launched."""
        self.next: ProfileRow | None = None
        """What is started when the run that is being stopped is over."""
        self.leaving = False
        """The console ends when the run does."""
        self.small = False
        """Whether it has moved off the server's CPUs."""
        self.farewell: list[str] = []
        """What is printed to the normal screen afterwards."""
        self._main = MainScreen()
        self._jobs: Jobs | None = None
        self._undrawn = False
        self._select_as = ""
        """The name of the profile to select as soon as the profiles are read."""
        self._fresh = False
        """The run that is followed was launched here."""
        self._pace = Pace()
        self._own_cpu = OwnCpu()
        self._own_cpu_at = time.monotonic()

    def get_default_screen(self) -> Screen[None]:
        return self._main

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = theme_for(self.console.color_system)
        if not self.is_headless:
            terminal.leave_on_signals(self.leave)
            self.set_interval(terminal.WATCH, self._watch_terminal)

    def on_ready(self) -> None:
        """The screen is there: now its contents may come."""
        self.jobs.read_profiles()
        if self.found is not None:
            self.follow(self.found)
        else:
            self.jobs.look_for_run()
        self.set_interval(FASTEST, self._tick)

    def on_unmount(self) -> None:
        if self.source is not None:
            self.source.close()
        self.jobs.close()

    @property
    def jobs(self) -> Jobs:
        """Started at the first use: its thread keeps what the process had then."""
        if self._jobs is None:
            self._jobs = Jobs(self.post_message, self.profiles, self.runs)
        return self._jobs

    @property
    def record(self) -> Record | None:
        """The run that is shown."""
        return self.source.record if self.source else None

    @property
    def row(self) -> ProfileRow | None:
        """The selected profile."""
        return self.rows[self.selected] if self.selected < len(self.rows) else None

    @property
    def run_goes_on(self) -> bool:
        """Whether a run is being launched or followed and hasn't ended."""
        return self.launching is not None or (
            self.source is not None and (self.frame is None or self.frame.running)
        )

    def follow(self, record: Record, *, fresh: bool = False) -> None:
        """Show this run from now on."""
        if self.source is not None:
            self.source.close()
        self.found, self.frame, self.small = None, None, False
        self._main.show_hint("")
        self._fresh = fresh
        self.source = RunSource(record, self.post_message, fresh=fresh)
        self.source.ask()
        self.refresh_bindings()

    def action_attach(self) -> None:
        """Follow the run that was found."""
        if self.found is not None:
            self.follow(self.found)

    def leave(self, number: int) -> None:
        """A signal asks to leave, or the terminal is gone; the run goes on."""
        if said := self.what_goes_on():
            self.farewell.append(said)
        if not self.is_headless:
            terminal.end_within(terminal.GOODBYE, 128 + number)
        self.exit(return_code=128 + number)

    def what_goes_on(self) -> str | None:
        """How to come back to what goes on, for whoever leaves."""
        if self.launching is not None:
            return f"A run is being started: {attach_command(None, self.runs)}"
        if self.run_goes_on and self.record is not None:
            return goes_on(self.record, self.runs)
        return None

    def _watch_terminal(self) -> None:
        if terminal.terminal_is_gone():
            self.leave(terminal.LEAVING[0])

    def _tick(self) -> None:
        """Ask for the next picture, if it is time."""
        now = time.monotonic()
        if now - self._own_cpu_at >= 1.0 and not self.is_headless:
            self._own_cpu_at = now
            if self.screen is self._main:
                self._main.show_cpu(self._own_cpu.read())
        if self._undrawn:
            self.draw()
        if self.source is not None and self._pace.due(now):
            self.source.ask()

    @on(FrameReady)
    def _show(self, message: FrameReady) -> None:
        frame = message.frame
        if self.record is None or frame.run != self.record.name:
            return
        changed = self.frame is None or self.frame.running != frame.running
        if self.frame is None and not self._fresh:
            self._select_profile(frame.profile)
        self.frame = frame
        if frame.running and frame.server_cpus and not self.small and not self.is_headless:
            self.small = True
            self.jobs.be_small(frame.server_cpus, frame.load_cpus)
        self._undrawn = True
        self.draw()
        if changed:
            self.refresh_bindings()
        if not frame.running and self.launching is None:
            self.run_is_over()

    def draw(self) -> None:
        """Draw the newest frame, and note how long that took. Below a dialog it waits until that is gone.

        The last frame may come when the console is left and has no screen any more.
        """
        if self.frame is None or self.screen_stack[-1:] != [self._main]:
            return
        self._undrawn = False
        began = time.monotonic()
        with self.batch_update():
            self._main.show(self.frame)
        self.call_after_refresh(lambda: self._pace.drawn(began, time.monotonic() - began))

    @on(ProfilesRead)
    def _profiles_read(self, message: ProfilesRead) -> None:
        self.reading = False
        self.rows = message.rows
        if not self.chosen or self.selected >= len(self.rows):
            self.selected = message.default
        self._main.show_profiles(self.rows, self.selected)
        if self._select_as:
            self._select_profile(self._select_as)
        self.refresh_bindings()
        self.profiles_are_read()

    @on(ProfileSelected)
    def _selected(self, message: ProfileSelected) -> None:
        self.select(message.index)

    @on(RunFound)
    def _found(self, message: RunFound) -> None:
        if self.source is None and self.launching is None:
            self.found = message.record
            if not self.chosen:
                self._select_profile(message.profile)
            self._main.show_hint(
                f"A run goes on that was started elsewhere, {message.record.name}: a shows it"
            )
            self.refresh_bindings()

    @on(RunLaunched)
    def _launched(self, message: RunLaunched) -> None:
        self.launching = None
        self.follow(message.record, fresh=True)
        self.run_is_launched(message.record)

    @on(Done)
    def _done(self, message: Done) -> None:
        self.notify(message.what, markup=False)

    @on(Refused)
    def _refused(self, message: Refused) -> None:
        if message.launching:
            self.not_launched(message.reason)
        self.refuse(message.reason)

    def not_launched(self, reason: str) -> None:
        """There is no new run; whoever wanted to leave once there was one reads why in the terminal."""
        self.launching = None
        self._main.show_hint("")
        self.refresh_bindings()
        if self.leaving or self.once_launched == "leave":
            self.farewell.append(reason)
            self.exit()
        self.once_launched = None

    def select(self, index: int) -> None:
        """Select a profile by its place, if there is one; this never disturbs a run."""
        if index >= 0 and (self.reading or index < len(self.rows)):
            self.selected, self.chosen = index, True
            self._select_as = ""
            if not self.reading:
                self._main.show_profiles(self.rows, index)

    def _select_profile(self, name: str) -> None:
        """Select a run's profile by its name, at the latest when the profiles are read."""
        index = next((i for i, row in enumerate(self.rows) if row.name == name), None)
        if index is not None:
            self.select(index)
        elif self.reading:
            self._select_as = name

    def refuse(self, reason: str) -> None:
        """Say in one line why something can't be done."""
        self.notify(reason, severity="error", timeout=8, markup=False)

    def run_is_over(self) -> None:
        """The run that is followed has ended: what waited for that can go on."""

    def run_is_launched(self, record: Record) -> None:
        """A runner is there: what was asked of its run meanwhile can be done."""

    def profiles_are_read(self) -> None:
        """The profiles are there: what waited for them can go on."""

    @on(Broken)
    def _broken(self, message: Broken) -> None:
        raise message.error
