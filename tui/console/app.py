"""The console: selects, launches, follows and stops runs. It measures nothing; it shows what a record says."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from textual import on
from textual.app import SystemCommand
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen

from tui.console.farewell import goes_on
from tui.console.following import FollowingApp
from tui.console.frame import GLYPHS
from tui.console.keys import BINDINGS, COMMANDS
from tui.console.messages import MachineTaken
from tui.console.profile_rows import ProfileRow
from tui.console.screens.dialogs import Ask, Choice, ExportDialog
from tui.console.screens.help import help_text
from tui.console.screens.pages import LogPage, Page
from tui.console.screens.profiles import ProfilesScreen
from tui.console.widgets.workers import WorkerTable
from tui.report.export import FORMATS, render
from tui.run.record import Record, default_runs


class ConsoleApp(FollowingApp):
    """What the keys do."""

    TITLE = "stackdyno"
    BINDINGS: ClassVar[list[BindingType]] = [*BINDINGS]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that can do nothing at this moment are dimmed, or aren't there."""
        match action:
            case "stop":
                return True if self.run_goes_on else None
            case "export" | "log" | "findings":
                return True if self.source is not None else None
            case "attach":
                return self.source is None and self.found is not None
        return True

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Everything that a key does, and selecting each profile by its name."""
        for title, key, action in COMMANDS:
            if self.check_action(action, ()):
                yield SystemCommand(title, key, getattr(self, f"action_{action}"))
        for i, row in enumerate(self.rows):
            yield SystemCommand(f"Select {row.title}", row.name, partial(self.select, i))
        yield SystemCommand("Theme", "Change the colours", self.action_change_theme)

    def action_select(self, index: int) -> None:
        """Select a profile by its place."""
        self.select(index)

    def action_move(self, by: int) -> None:
        """Select the next or the previous profile."""
        self.select(self.selected + by)

    def action_scroll_workers(self, by: int) -> None:
        """Scroll the workers by rows."""
        self._main.query_one(WorkerTable).first += by

    def action_run(self) -> None:
        """Run the selected profile; ask first when that ends another run."""
        row = self.row
        if self.reading:
            self.run_when_read = True
            self._main.show_hint("reading profiles …; the selected one runs then")
        elif row is None:
            self.refuse("there is no profile to run; stackdyno --profiles DIR reads yours")
        elif row.state != "ready":
            self.refuse(row.refusal)
        elif self.launching is not None or self.next is not None:
            self.refuse("a run is being started")
        elif self.run_goes_on:
            choices = [Choice("y", f"stop it, then run {row.title}"), Choice("n", "let it go on")]
            question = f"{self._running_title()} is running. Two runs at a time would disturb each other."
            self.push_screen(Ask("A run goes on", question, choices), partial(self._replace_run, row))
        else:
            self._launch(row)

    def profiles_are_read(self) -> None:
        if self.run_when_read:
            self.run_when_read = False
            self._main.show_hint("")
            self.action_run()

    def _running_title(self) -> str:
        if self.launching is not None:
            return self.launching.title
        return self.frame.status.title if self.frame else "A run"

    def _replace_run(self, row: ProfileRow, answer: str | None) -> None:
        if answer == "y":
            self.next = row
            self._stop_or_go_on()

    def _stop_or_go_on(self) -> None:
        """Stop the run; where it ended while the question stood, go on at once."""
        if self.launching is not None:
            self._once_launched("stop", f"stops {self._running_title()} as soon as it has started …")
        elif self.run_goes_on and self.record is not None:
            self._main.show_hint(f"stops {self._running_title()} …")
            self.jobs.stop(self.record)
        else:
            self.run_is_over()

    def _launch(self, row: ProfileRow, *, beside: bool = False) -> None:
        self.launching = row
        self._main.show_hint(f"starts {row.title} …")
        self.jobs.launch(row.path, after=self.record, beside=beside)
        self.refresh_bindings()

    def _once_launched(self, what: Literal["stop", "leave"], hint: str) -> None:
        """The run that is being launched can't be asked yet: do it as soon as it can."""
        self.once_launched = what
        self._main.show_hint(hint)

    def run_is_launched(self, record: Record) -> None:
        what, self.once_launched = self.once_launched, None
        if what == "stop":
            self._stop_or_go_on()
        elif what == "leave":
            self._let_it_run()

    @on(MachineTaken)
    def _machine_taken(self, message: MachineTaken) -> None:
        """Another run holds the machine: ask whether to run beside it, unless we are about to leave."""
        row = self.launching
        self.not_launched(f"{message.by} goes on: nothing was started")
        if row is None or not self.is_running or self.farewell:
            return
        choices = [Choice("y", "run it beside the other one (both disturb each other)"), Choice("n", "no")]
        question = f"{message.by} goes on on this machine."
        self.push_screen(Ask("Another run goes on", question, choices), partial(self._run_beside, row))

    def _run_beside(self, row: ProfileRow, answer: str | None) -> None:
        if answer == "y" and self.launching is None:
            self._launch(row, beside=True)

    def run_is_over(self) -> None:
        if self.leaving:
            self._leave()
        elif self.next is not None:
            row, self.next = self.next, None
            self._launch(row)

    def action_stop(self) -> None:
        """Stop the run; it is summarised."""
        if self.launching is not None:
            self._stop_or_go_on()
        elif self.record is not None:
            self.jobs.stop(self.record)
            self.notify("Stopping; what was measured is summarised.")

    def action_attach(self) -> None:
        """Follow the run that was found."""
        if self.found is not None:
            self.follow(self.found)

    def action_quit_console(self) -> None:
        """Leave; ask what becomes of a run that goes on."""
        if not self.run_goes_on:
            self._leave()
            return
        choices = [
            Choice("s", "stop it, wait for its summary, and quit"),
            Choice("l", "let it run, and quit"),
            Choice("c", "stay here"),
        ]
        self.push_screen(Ask("Quit", f"{self._running_title()} is running.", choices), self._quit)

    def _quit(self, answer: str | None) -> None:
        if answer == "s":
            self.leaving = True
            self._stop_or_go_on()
        elif answer == "l":
            if self.launching is not None:
                self._once_launched("leave", f"leaves as soon as {self._running_title()} has started …")
            else:
                self._let_it_run()

    def _let_it_run(self) -> None:
        """Exit, and say how to come back to a run that goes on."""
        if self.record is not None and self.run_goes_on:
            self.farewell.append(goes_on(self.record, self.runs))
        self.exit()

    def _leave(self) -> None:
        """Exit; the result of the run that was shown is printed to the normal screen."""
        if self.source and self.record and self.frame and self.frame.stage == "load" and not self.run_goes_on:
            self.farewell += [
                render(self.record, self.source.state, "text"),
                str(self.record.folder),
            ]
        self.exit()

    def action_export(self) -> None:
        """Ask for format and path, and write."""
        record = self.record
        if record is not None:
            dialog = ExportDialog(FORMATS, record.name, Path.cwd())
            self.push_screen(dialog, partial(self._export, record))

    def _export(self, record: Record, chosen: tuple[str, Path] | None) -> None:
        if chosen is not None:
            self.jobs.export(record, *chosen)

    def action_view(self) -> None:
        """Show the selected profile's file."""
        if self.row is None:
            return
        try:
            text = self.row.path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            self.refuse(f"{self.row.path}: {error.strerror}")
            return
        reasons = Content("\n").join([Content.styled(why, "$error") for why in self.row.why_not])
        shown = Content.assemble(reasons, "\n\n", text) if self.row.why_not else Content(text)
        self.push_screen(Page(str(self.row.path), shown))

    def action_log(self) -> None:
        """Show the end of the server's log, and follow it."""
        if self.record is not None:
            self.push_screen(LogPage(self.record.logs))

    def action_findings(self) -> None:
        """Show all findings."""
        lines: list[Content] = []
        for finding in self.frame.findings if self.frame else ():
            style = {"invalid": "$error", "warning": "$warning"}.get(finding.mark, "$foreground")
            lines.append(Content.assemble((f"{GLYPHS[finding.mark]} {finding.text}", style)))
            lines += [
                Content.styled(f"  {text}", "$foreground 65%")
                for text in (finding.evidence, finding.remedy)
                if text
            ]
            lines.append(Content(""))
        self.push_screen(
            Page("Findings", Content("\n").join(lines) if lines else "Nothing to say about this run.")
        )

    def action_profiles(self) -> None:
        """Show the profiles as a list over the screen."""
        if self.reading:
            self._main.show_hint("reading profiles …")
            return
        running = self.frame.profile if self.frame and self.frame.running else None
        self.push_screen(ProfilesScreen(self.rows, self.selected, running), self._profile_chosen)

    def _profile_chosen(self, what: str | None) -> None:
        actions: dict[str, Callable[[], None]] = {"run": self.action_run, "view": self.action_view}
        if what is not None:
            actions[what]()

    def action_save_picture(self) -> None:
        """Save the screen as an SVG file in the folder of runs."""
        folder = self.record.folder if self.record else (self.runs or default_runs())
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.notify(f"Wrote {self.save_screenshot(path=str(folder))}", markup=False)
        except OSError as error:
            self.refuse(f"{folder}: {error.strerror}")

    def action_help(self) -> None:
        """Explain the screen and the keys."""
        self.push_screen(Page("stackdyno", help_text()))


def run_console(*, profiles: Path | None, runs: Path | None, attach: Record | None = None) -> int:
    """Open the console on this terminal until it is left; the exit status.

    Args:
        profiles: A folder that is searched before the usual ones.
        runs: Where records are kept; the user's state folder by default.
        attach: A run to show at once, whether it goes on or is over.
    """
    app = ConsoleApp(profiles=profiles, runs=runs, attach=attach)
    app.run()
    with contextlib.suppress(OSError):  # the terminal may be gone
        for text in app.farewell:
            print(text, flush=True)
    return app.return_code or 0
