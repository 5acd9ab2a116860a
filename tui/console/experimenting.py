"""The part of the app that follows an experiment: its current run is on the screen, and a line says how far it is."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from textual import on

from tui.console.dialogs import Ask, Choice
from tui.console.experiment.frame import ExperimentFrame
from tui.console.experiment.source import ExperimentProgressed, ExperimentSource
from tui.console.farewell import attach_command
from tui.console.messages import ExperimentFound, ExperimentLaunched
from tui.console.reviewing import ReviewingApp
from tui.experiment.record import ExperimentRecord
from tui.record.record import Record


class ExperimentApp(ReviewingApp):
    """An experiment outlives the console as a run does; it is stopped, left or attached to as a whole."""

    def __init__(
        self, *, profiles: Path | None, runs: Path | None, attach: Record | ExperimentRecord | None = None
    ) -> None:
        super().__init__(profiles=profiles, runs=runs, attach=attach if isinstance(attach, Record) else None)
        self.experiment: ExperimentSource | None = None
        """The experiment that goes on, as far as is known."""
        self.experiment_frame: ExperimentFrame | None = None
        self.found_experiment = attach if isinstance(attach, ExperimentRecord) else None
        self.launching_experiment = False
        """Its process was asked for and hasn't shown up yet."""
        self._experiment_run: Record | None = None
        """The last of its runs."""

    def on_ready(self) -> None:
        if self.found_experiment is not None:
            self.action_attach()

    def on_unmount(self) -> None:
        if self.experiment is not None:
            self.experiment.close()
            self.experiment = None

    @property
    def experiment_goes_on(self) -> bool:
        """Whether an experiment is being launched or followed and hasn't ended."""
        return self.launching_experiment or self.experiment is not None

    @property
    def experiment_kind(self) -> str:
        """What the experiment is called: "comparison" or "suite"."""
        return self.experiment.record.kind if self.experiment else "comparison"

    def follow_experiment(self, record: ExperimentRecord) -> None:
        """Show its runs from now on, one after the other."""
        if self.experiment is not None:
            self.experiment.close()
        self.found_experiment = self.experiment_frame = self._experiment_run = None
        self._main.show_hint("")
        self.experiment = ExperimentSource(record, self.post_message)
        self.experiment.ask()
        self.refresh_bindings()

    def _tick(self) -> None:
        super()._tick()
        if self.experiment is not None:
            self.experiment.ask()

    @on(ExperimentLaunched)
    def _experiment_launched(self, message: ExperimentLaunched) -> None:
        self.launching_experiment = False
        self.follow_experiment(message.record)

    @on(ExperimentFound)
    def _experiment_found(self, message: ExperimentFound) -> None:
        if self.source is None and self.launching is None and not self.experiment_goes_on:
            self.found_experiment = message.record
            self._main.show_hint(f"A {message.record.kind} goes on that was started elsewhere: a shows it")
            self.refresh_bindings()

    @on(ExperimentProgressed)
    def _experiment_progressed(self, message: ExperimentProgressed) -> None:
        frame = message.frame
        if self.experiment is None or frame.name != self.experiment.record.name:
            return
        self.experiment_frame = frame
        self._main.show_experiment(frame if frame.running else None)
        if frame.run is not None:
            self._follow_start(Record(self.experiment.record.runs / frame.run))
        if not frame.running:
            record = self.experiment.record
            self.experiment.close()
            self.experiment = None
            self.refresh_bindings()
            self._experiment_is_over(record, frame)

    def _follow_start(self, run: Record) -> None:
        """Show the experiment's new run, unless a person looks at another one meanwhile."""
        before, self._experiment_run = self._experiment_run, run
        if run == before:
            return
        if self.record is None or before is None or self.record == before:
            self.follow(run, fresh=True)
        else:
            self.found = run
            self.refresh_bindings()

    def _experiment_is_over(self, record: ExperimentRecord, frame: ExperimentFrame) -> None:
        if self.leaving:
            self.show_result(record, frame)
            if not self.run_goes_on:
                self._leave()
            return
        if frame.fault is not None:
            self.refuse(f"The {frame.kind} isn't complete, {frame.done} of {frame.runs} runs: {frame.fault}")
        self.show_result(record, frame)

    def show_result(self, record: ExperimentRecord, frame: ExperimentFrame) -> None:
        """An experiment has come to its end."""

    def not_launched(self, reason: str) -> None:
        self.launching_experiment = False
        super().not_launched(reason)

    def run_is_over(self) -> None:
        """A run's end is that of one run while an experiment goes on: who leaves waits for the whole."""
        if not self.experiment_goes_on:
            super().run_is_over()

    def action_attach(self) -> None:
        """Follow the experiment that was found, or the run."""
        if self.found_experiment is not None:
            self.follow_experiment(self.found_experiment)
        else:
            super().action_attach()

    def action_run(self) -> None:
        """Run the selected profile, unless an experiment goes on."""
        if self.experiment_goes_on:
            self.refuse(f"a {self.experiment_kind} goes on; s stops it")
        else:
            super().action_run()

    def action_stop(self) -> None:
        """Stop the run; of an experiment, ask whether all of it is to be stopped."""
        if not self.experiment_goes_on:
            super().action_stop()
            return
        choices = [Choice("n", "let it go on"), Choice("y", "stop it; whole runs are kept")]
        question = f"Stop the whole {self.experiment_kind}, not only this run?"
        self.push_screen(Ask("Stop", question, choices), partial(self._stop_experiment, leaving=False))

    def _stop_experiment(self, answer: str | None, *, leaving: bool) -> None:
        if answer != "y":
            return
        self.leaving = leaving
        if self.experiment is not None:
            self._main.show_hint(f"stops the {self.experiment_kind} …")
            self.jobs.stop_experiment(self.experiment.record)
        elif leaving:
            self._leave()

    def action_quit_console(self) -> None:
        """Leave; ask what becomes of an experiment that goes on."""
        if self.experiment is None:
            super().action_quit_console()
            return
        choices = [
            Choice("s", "stop it, wait for the end of its run, and quit"),
            Choice("l", "let it go on, and quit"),
            Choice("c", "stay here"),
        ]
        place = f", run {frame.number} of {frame.runs}" if (frame := self.experiment_frame) else ""
        self.push_screen(
            Ask("Quit", f"A {self.experiment_kind} goes on{place}.", choices), self._quit_experiment
        )

    def _quit_experiment(self, answer: str | None) -> None:
        if answer == "s":
            self._stop_experiment("y", leaving=True)
        elif answer == "l":
            if said := self.what_goes_on():
                self.farewell.append(said)
            self.exit()

    def what_goes_on(self) -> str | None:
        """An experiment's command shows its runs too."""
        if self.experiment is not None:
            return f"The {self.experiment_kind} goes on: {attach_command(self.experiment.record, self.runs)}"
        if self.launching_experiment:
            return f"A comparison is being started: {attach_command(None, self.runs)}"
        return super().what_goes_on()
