"""The part of the app that runs, replaces and stops runs, and that leaves: what becomes of a run is decided here."""

from __future__ import annotations

from functools import partial
from typing import Literal

from textual import on

from tui.console.dialogs import Ask, Choice
from tui.console.farewell import goes_on
from tui.console.following import FollowingApp
from tui.console.messages import MachineTaken, OtherMachineMeant
from tui.console.profiles.rows import ProfileRow
from tui.formats.export import render
from tui.record.record import Record


class LaunchingApp(FollowingApp):
    """One run at a time: another one is asked for only when the first is over, and nobody leaves one unasked."""

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

    def _launch(self, row: ProfileRow, *, concurrent: bool = False, remote: bool = False) -> None:
        self.launching = row
        self._main.show_hint(f"Starting {row.title} …")
        self.jobs.launch(row.path, after=self.record, concurrent=concurrent, remote=remote)
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
        """Another run holds the machine: ask whether to run beside it."""
        what = "run it beside the other one (both disturb each other)"
        question = f"{message.by} goes on on this machine."
        self._launch_after_a_yes(
            Ask("Another run goes on", question, [Choice("y", what), Choice("n", "no")]),
            f"{message.by} goes on: nothing was started",
            concurrent=True,
        )

    @on(OtherMachineMeant)
    def _other_machine_meant(self, message: OtherMachineMeant) -> None:
        """The profile allows another machine: ask whether a load may be put on it now."""
        question = f"{message.target}. Is a load welcome there?"
        self._launch_after_a_yes(
            Ask("Another machine", question, [Choice("y", "put the load on it"), Choice("n", "no")]),
            f"{message.target}: nothing was started",
            concurrent=message.concurrent,
            remote=True,
        )

    def _launch_after_a_yes(self, ask: Ask, hint: str, *, concurrent: bool, remote: bool = False) -> None:
        """Ask, unless we are about to leave, and launch what was to be launched with what was agreed to."""
        row = self.launching
        self.not_launched(hint)

        def launch(answer: str | None) -> None:
            if answer == "y" and row is not None and self.launching is None:
                self._launch(row, concurrent=concurrent, remote=remote)

        if row is not None and self.is_running and not self.farewell:
            self.push_screen(ask, launch)

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
