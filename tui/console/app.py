"""The console: turns keys and messages into events of the session, and carries out the session's effects.

It measures nothing; it shows what a record says. What a key or a message means, and what waits for what, is decided in
``session.py``.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

from textual import on
from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.command import Provider
from textual.driver import Driver
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.screen import Screen

from tui.console import session, terminal
from tui.console.compare.screen import CompareScreen, ComparisonExportAsked
from tui.console.compare.source import ComparisonRead
from tui.console.dialogs import Ask, ExportDialog
from tui.console.drawing.literal import NoControls
from tui.console.drawing.themes import THEMES, VARIANTS_ELSEWHERE, theme_for
from tui.console.driver import ConsoleDriver
from tui.console.experiment.source import ExperimentProgressed, ExperimentSource
from tui.console.fault import keep_fault
from tui.console.footprint import FASTEST, OwnCpu, Pace
from tui.console.help import BINDINGS, COMMANDS, help_text
from tui.console.history.rows import HistoryRow, deletion_question
from tui.console.history.screen import (
    CompareAsked,
    DeletionAsked,
    HistoryAsked,
    HistoryRead,
    HistoryScreen,
    ReplayAsked,
)
from tui.console.jobs import Backend, Happened, Jobs
from tui.console.main_screen import MainScreen
from tui.console.messages import Broken, Done, ExportAsked, LeftBehind, Refused
from tui.console.pages import LogPage, Page
from tui.console.palette import LiteralCommands
from tui.console.profiles.screen import ProfilesScreen, file_page
from tui.console.profiles.selection import Selection
from tui.console.profiles.widgets import ProfileMarked, ProfileSelected, ProfilesRead
from tui.console.replay.recording import Recording
from tui.console.replay.screen import ReplayScreen
from tui.console.run.frame import Frame
from tui.console.run.panels import WorkerTable, findings_page
from tui.console.run.source import FrameReady, RunSource
from tui.console.shown import attach_command
from tui.experiment.record import ExperimentRecord, list_experiments
from tui.formats.export import FORMATS, render
from tui.record.record import Record, VariantRuns, default_runs
from tui.system.errors import UserError
from tui.system.text import printable

_NO_CONTROLS = NoControls()
SWITCH = 0.001
"""Seconds after which a thread that reads must let the one that handles keys go on; Python's own 5 ms add up."""


class ConsoleApp(App[None]):
    """One run, or one experiment's runs, on one screen. All decisions are the session's."""

    TITLE = "stackdyno"
    BINDINGS: ClassVar[list[BindingType]] = [*BINDINGS]
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {LiteralCommands}
    CSS = """
    Toast {
        width: 76;
        max-width: 96%;
        padding: 0 1;
    }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (70, "-narrow"), (120, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (16, "-short"), (34, "-tall")]  # noqa: RUF012

    def __init__(
        self,
        *,
        profiles: Path | None,
        runs: Path | None,
        attach: session.Kept | None = None,
        replay: Recording | None = None,
        backend: Backend | None = None,
    ) -> None:
        super().__init__()
        self.runs = runs
        self.session = session.Session(found=attach)
        self.selection = Selection()
        self.source: RunSource | None = None
        """Supplies the frames of the run."""
        self.frame: Frame | None = None
        self.farewell: list[str] = []
        """What is printed to the normal screen afterwards."""
        self.fault: Exception | None = None
        """What ended the console, if that wasn't a person."""
        self._profiles, self._backend = profiles, backend or Backend()
        self._replay = replay
        self._main = MainScreen()
        self._experiment: ExperimentSource | None = None
        self._small = False
        """Whether the console has moved off the server's CPUs."""
        self._undrawn = False
        self._pace = Pace()
        self._own_cpu = OwnCpu()
        self._own_cpu_at = time.monotonic()

    @cached_property
    def jobs(self) -> Jobs:
        """Started at the first use: its thread keeps the CPUs and the niceness that the process had then."""
        return Jobs(self.post_message, self._profiles, self.runs, self._backend)

    @property
    def record(self) -> Record | None:
        """The run that is shown."""
        return self.session.run

    @property
    def _covered(self) -> bool:
        """Whether something covers the main screen, or no screen is left."""
        return self.screen_stack[-1:] != [self._main]

    def get_default_screen(self) -> Screen[None]:
        return self._main

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Any theme has colours for the variants of a comparison."""
        return VARIANTS_ELSEWHERE

    def get_driver_class(self) -> type[Driver]:
        return ConsoleDriver

    def _handle_exception(self, error: Exception) -> None:
        """Every fault ends here; the first one is the cause of the others."""
        self.fault = self.fault or error
        super()._handle_exception(error)

    def _print_error_renderables(self) -> None:
        """Show no traceback: ``run_console`` says what happened, and where to read it."""
        self._exit_renderables.clear()

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), _NO_CONTROLS]

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = theme_for(self.console.color_system)
        if not self.is_headless:
            terminal.leave_on_signals(self.leave)
            self.set_interval(terminal.WATCH, self._watch_terminal)
        if self._replay is not None:
            self.push_screen(ReplayScreen(self._replay), lambda _: self.action_quit_console())

    def on_ready(self) -> None:
        """The screen is ready: fill it. A replay needs nothing of the rest."""
        if self._replay is not None:
            return
        self.jobs.read_profiles()
        if self.session.found is not None:
            self.take(session.AttachPressed())
        else:
            self.jobs.look_for_run()
        self.jobs.look_for_left_behind()
        self.set_interval(FASTEST, self._tick)

    def on_unmount(self) -> None:
        for source in (self.source, self._experiment):
            if source is not None:
                source.close()
        self.jobs.close()

    # Events and effects.

    def take(self, event: session.Event) -> None:
        """Let the session decide about an event, show what it says now, and carry out the effects.

        Messages still arrive while the screen is being torn down: then only a signal counts.
        """
        if not self.is_running and not isinstance(event, session.SignalCame):
            return
        before = self.session
        self.session, effects = session.after(before, event)
        if not self.session.left:
            if self.session.hint != before.hint:
                self._main.show_hint(self.session.hint)
            if (self.session.experiment, self.session.progress) != (before.experiment, before.progress):
                self._main.show_experiment(self.session.progress if self.session.experiment else None)
            if _keys(self.session) != _keys(before):
                self.refresh_bindings()
        for effect in effects:
            self._carry_out(effect)

    def _carry_out(self, effect: session.Effect) -> None:
        match effect:
            case session.Launch(wanted, follows):
                if isinstance(wanted, session.ComparisonOf):
                    self._mark_only(self.selection.unmark_all())
                self.jobs.launch(wanted, follows)
            case session.Stop(record):
                self.jobs.stop(record)
            case session.Follow(record, fresh):
                self._follow(record, fresh=fresh)
            case session.Ask(question):
                ask = Ask(question.title, question.text, dict(question.choices))
                self.push_screen(ask, lambda key: self.take(session.Answered(question, key)))
            case session.Say(text):
                self.tell(text)
            case session.Refuse(reason):
                self.refuse(reason)
            case session.Select(profile, override):
                if override or not self.selection.chosen:
                    self._select(self.selection.select_name(profile))
            case session.ShowComparison(record):
                self._show_comparison(record) if record else self._show_newest_comparison()
            case session.Leave():
                self._leave(effect)

    def _follow(self, record: session.Kept, *, fresh: bool) -> None:
        if isinstance(record, ExperimentRecord):
            if self._experiment is not None:
                self._experiment.close()
            self._experiment = self._backend.follow_experiment(record, self.post_message)
            self._experiment.ask()
            return
        if self.source is not None:
            self.source.close()
        self.frame, self._small = None, False
        self.source = self._backend.follow_run(record, self.post_message, fresh=fresh)
        self.source.ask()

    def _leave(self, leave: session.Leave) -> None:
        self.farewell += leave.words
        come_back = [leave.come_back] if leave.come_back else []
        if leave.found and self._backend.is_running(leave.found):
            come_back.append(session.ComeBack("The run continues", leave.found))
        self.farewell += [f"{each.words}: {attach_command(each.record, self.runs)}" for each in come_back]
        if leave.result and self.source:
            self.farewell += [render(leave.result, self.source.state, "text"), str(leave.result.folder)]
        if leave.status and not self.is_headless:
            terminal.end_within(terminal.GOODBYE, leave.status)
        self.exit(return_code=leave.status)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Textual's, but the message is literal unless ``markup`` says otherwise."""
        super().notify(printable(message), title=title, severity=severity, timeout=timeout, markup=markup)

    def refuse(self, reason: str) -> None:
        """Say in one line why something can't be done."""
        self.notify(reason, severity="error", timeout=8)

    def tell(self, text: str) -> None:
        """Say in one line what has happened."""
        self.notify(text)

    def leave(self, number: int) -> None:
        """A signal asks to leave, or the terminal has closed."""
        self.take(session.SignalCame(number))

    def _watch_terminal(self) -> None:
        if terminal.terminal_is_gone():
            self.leave(terminal.LEAVING[0])

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Dim or hide the keys that can't do anything right now."""
        match action:
            case "stop" if not self.session.under_way:
                return None if self.session.found is None else False
            case "export" | "log" | "findings":
                return True if self.session.run is not None else None
            case "compare":
                return not self.session.in_experiment
            case "attach":
                return self.session.found is not None
        return True

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """What each key does, and selecting a profile by name."""
        if isinstance(screen, ReplayScreen):
            for title, key, action in screen.PALETTE:
                yield SystemCommand(title, key, getattr(screen, f"action_{action}"))
            yield SystemCommand("Save a screenshot", "an SVG file", self.action_save_screenshot)
            yield SystemCommand("Theme", "Change the colours", self.action_change_theme)
            return
        for title, key, action in COMMANDS:
            if self.check_action(action, ()):
                yield SystemCommand(title, key, getattr(self, f"action_{action}"))
        for i, row in enumerate(self.selection.rows):
            yield SystemCommand(f"Select {row.title}", row.name, partial(self.action_select, i))
        yield SystemCommand("Theme", "Change the colours", self.action_change_theme)

    def action_run(self) -> None:
        """Run the selected profile; ask first if that ends another run."""
        self.take(session.RunPressed(self.selection.row))

    def action_stop(self) -> None:
        """Stop the run and summarise it. In an experiment, ask first whether to stop all of it."""
        self.take(session.StopPressed())

    def action_attach(self) -> None:
        """Follow the run or the experiment that was found."""
        self.take(session.AttachPressed())

    def action_compare(self) -> None:
        """Ask for the number of runs per marked profile and compare them; without marks, show the newest comparison."""
        self.take(session.ComparePressed(self.selection.marked_rows))

    def action_quit_console(self) -> None:
        """Quit; ask first what to do with anything that is running."""
        self.take(session.QuitPressed())

    def action_select(self, index: int) -> None:
        """Select a profile by its position."""
        self._select(self.selection.select(index))

    def action_move(self, by: int) -> None:
        """Select the next or the previous profile."""
        self.action_select(self.selection.index + by)

    def action_mark(self) -> None:
        """Mark the selected profile, or unmark it."""
        self._mark(self.selection.index)

    def action_scroll_workers(self, by: int) -> None:
        """Scroll the workers by rows."""
        self._main.query_one(WorkerTable).first += by

    def action_profiles(self) -> None:
        """Show the profiles as a list over the screen."""
        if self.selection.reading:
            self.refuse("the profiles are still being read")
            return
        running = self.frame.profile if self.frame and self.frame.running else None
        chosen = self.selection
        self.push_screen(
            ProfilesScreen(chosen.rows, chosen.index, running, chosen.marked), self._profile_chosen
        )

    def _profile_chosen(self, what: str | None) -> None:
        actions: dict[str, Callable[[], None]] = {
            "run": self.action_run,
            "view": self.action_view,
            "compare": self.action_compare,
        }
        if what is not None:
            actions[what]()

    def action_view(self) -> None:
        """Show the selected profile's file."""
        row = self.selection.row
        if row is not None:
            try:
                self.push_screen(file_page(row))
            except OSError as error:
                self.refuse(f"{row.path}: {error.strerror}")

    def action_log(self) -> None:
        """Show the end of the server's log, and follow it."""
        if self.record is not None:
            self.push_screen(LogPage(self.record.logs))

    def action_findings(self) -> None:
        """Show all findings."""
        self.push_screen(findings_page(self.frame.findings if self.frame else ()))

    def action_help(self) -> None:
        """Explain the screen and the keys."""
        self.push_screen(Page("stackdyno", help_text()))

    def action_history(self) -> None:
        """List the kept runs."""
        self.push_screen(HistoryScreen(self.runs or default_runs()), self._opened)

    def _opened(self, record: Record | None) -> None:
        if record is not None:
            self.take(session.RunOpened(record))

    def action_export(self) -> None:
        """Ask for format and path, and write."""
        if self.record is not None:
            self._ask_export(self.record)

    def _ask_export(self, record: Record) -> None:
        def write(chosen: tuple[str, Path] | None) -> None:
            if chosen is not None:
                self.jobs.export(record, *chosen)

        self.push_screen(ExportDialog(FORMATS, record.name, Path.cwd()), write)

    def action_save_screenshot(self) -> None:
        """Save the screen as an SVG file in the folder of runs."""
        folder = self.record.folder if self.record else (self.runs or default_runs())
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.tell(f"Wrote {self.save_screenshot(path=str(folder))}")
        except OSError as error:
            self.refuse(f"{folder}: {error.strerror}")

    # What is followed.

    @on(Happened)
    def _happened(self, message: Happened) -> None:
        self.take(message.event)

    @on(FrameReady)
    def _frame_ready(self, message: FrameReady) -> None:
        frame = message.frame
        if self.record is None or frame.run != self.record.name:
            return
        self.frame = frame
        if frame.running and frame.server_cpus and not self._small and not self.is_headless:
            self._small = True
            self.jobs.be_small(frame.server_cpus, frame.load_cpus)
        self._undrawn = True
        self.draw()
        self.take(
            session.RunProgressed(
                frame.run,
                frame.status.title,
                frame.profile,
                running=frame.running,
                has_result=frame.stage == "load",
            )
        )

    @on(ExperimentProgressed)
    def _experiment_progressed(self, message: ExperimentProgressed) -> None:
        self.take(session.ExperimentProgressed(message.frame, covered=self._covered))

    def _tick(self) -> None:
        """Ask for the next frames, if they are due."""
        if not self.is_running:
            return
        now = time.monotonic()
        if now - self._own_cpu_at >= 1.0 and not self.is_headless:
            self._own_cpu_at = now
            if not self._covered:
                self._main.show_cpu(self._own_cpu.read())
        if self._undrawn:
            self.draw()
        if self.source is not None and self._pace.due(now):
            self.source.ask()
        if self._experiment is not None:
            self._experiment.ask()

    def draw(self) -> None:
        """Draw the newest frame, and note how long that took. While a dialog is open, it waits until that closes."""
        if self.frame is None or not self.is_running or self._covered:
            return
        self._undrawn = False
        began = time.monotonic()
        with self.batch_update():
            self._main.show(self.frame)
        self.call_after_refresh(lambda: self._pace.drawn(began, time.monotonic() - began))

    # Profiles.

    @on(ProfilesRead)
    def _profiles_read(self, message: ProfilesRead) -> None:
        self._select(self.selection.read(message.rows, message.default))
        self.take(session.ProfilesKnown(self.selection.row))

    @on(ProfileSelected)
    def _profile_selected(self, message: ProfileSelected) -> None:
        self.action_select(message.index)

    @on(ProfileMarked)
    def _profile_marked(self, message: ProfileMarked) -> None:
        self._mark(message.index)

    def _select(self, selection: Selection) -> None:
        self.selection = selection
        if self.is_running and not selection.reading:
            self._main.show_profiles(selection.rows, selection.index)

    def _mark(self, index: int) -> None:
        try:
            self._mark_only(self.selection.mark(index))
        except UserError as error:
            self.refuse(str(error))

    def _mark_only(self, selection: Selection) -> None:
        self.selection = selection
        self._main.show_marks(selection.marked)
        for screen in self.screen_stack:
            if isinstance(screen, ProfilesScreen):
                screen.show_marks(selection.marked)

    # Kept runs.

    @on(HistoryAsked)
    def _history_asked(self, message: HistoryAsked) -> None:
        self.jobs.read_history(message.known)

    @on(HistoryRead)
    def _history_read(self, message: HistoryRead) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, HistoryScreen):
                screen.show(message.rows, message.fault)

    @on(ExportAsked)
    def _export_asked(self, message: ExportAsked) -> None:
        self._ask_export(message.record)

    @on(DeletionAsked)
    def _deletion_asked(self, message: DeletionAsked) -> None:
        """Ask, unless one of them is running: that isn't deleted."""
        rows = message.rows
        running = next((row for row in rows if row.verdict == "running"), None)
        if running is not None:
            self.refuse(f"{running.record.name} is running: stop it first")
            return
        ask = Ask("Delete", deletion_question(rows), {"n": "keep", "y": "delete"})
        self.push_screen(ask, partial(self._delete, rows))

    def _delete(self, rows: Sequence[HistoryRow], answer: str | None) -> None:
        if answer == "y":
            self.jobs.delete(rows)
            self.jobs.read_history(())

    @on(ReplayAsked)
    def _replay_asked(self, message: ReplayAsked) -> None:
        """Replay a kept run, unless it isn't over."""
        row = message.row
        if row.verdict == "running":
            self.refuse(f"{row.record.name} is running: enter shows it")
            return
        self.push_screen(ReplayScreen(row.record))

    # Comparisons.

    def _show_newest_comparison(self) -> None:
        try:
            newest = next(iter(list_experiments(self.runs or default_runs(), "comparison")), None)
        except UserError as error:
            self.refuse(str(error))
            return
        if newest is None:
            self.refuse("nothing is marked: space marks a profile, and c compares the marked ones")
        else:
            self._show_comparison(newest)

    def _show_comparison(self, what: ExperimentRecord | Sequence[VariantRuns]) -> None:
        self.push_screen(CompareScreen(what))

    @on(CompareAsked)
    def _compare_asked(self, message: CompareAsked) -> None:
        """Show a kept comparison, or compare kept runs."""
        self._show_comparison(message.what)

    @on(ComparisonRead)
    def _comparison_read(self, message: ComparisonRead) -> None:
        if isinstance(message.what, ExperimentRecord):
            self.take(session.ComparisonRead(message.what, tuple(message.comparison.sentences)))

    @on(ComparisonExportAsked)
    def _comparison_export_asked(self, message: ComparisonExportAsked) -> None:
        from tui.compare.formats import FORMATS

        def write(chosen: tuple[str, Path] | None) -> None:
            if chosen is not None:
                self.jobs.export_comparison(message.comparison, message.evidence, *chosen)

        self.push_screen(ExportDialog(FORMATS, message.name, Path.cwd()), write)

    # How jobs ended.

    @on(Done)
    def _done(self, message: Done) -> None:
        self.tell(message.what)

    @on(Refused)
    def _refused(self, message: Refused) -> None:
        self.refuse(message.reason)

    @on(LeftBehind)
    def _left_behind(self, message: LeftBehind) -> None:
        self.notify(message.what, severity="warning", timeout=20)

    @on(Broken)
    def _broken(self, message: Broken) -> None:
        raise message.error


def _keys(now: session.Session) -> tuple[bool, ...]:
    """Everything that decides which keys are available."""
    return now.under_way, now.in_experiment, now.found is None, now.run is None


def run_console(
    *,
    profiles: Path | None,
    runs: Path | None,
    attach: session.Kept | None = None,
    replay: Recording | None = None,
    trust: bool = False,
) -> int:
    """Run the console on this terminal until the user quits; return the exit status.

    Args:
        profiles: A folder to search before the usual ones.
        runs: Where records are kept; the user's state folder by default.
        attach: A run or an experiment to show at once, running or finished.
        replay: A recorded run to play instead; leaving it leaves the console.
        trust: Run profiles and stacks from elsewhere without asking.
    """
    backend = Backend()
    backend.trust = trust
    app = ConsoleApp(profiles=profiles, runs=runs, attach=attach, replay=replay, backend=backend)
    sys.setswitchinterval(SWITCH)
    app.run()
    if app.fault is not None:
        print(keep_fault(app.fault), file=sys.stderr, flush=True)
        if app.record is not None and Backend().is_running(app.record):
            app.farewell.append(f"The run continues: {attach_command(app.record, runs)}")
    with contextlib.suppress(OSError):  # the terminal may be gone
        for text in app.farewell:
            print(printable(text), flush=True)
    return 1 if app.fault is not None else app.return_code or 0
