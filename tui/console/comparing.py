"""The part of the app that compares: profiles are marked, their comparison is run and shown, saved ones are shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from textual import on

from tui.compare.schema import Comparison
from tui.console.compare.screen import CompareScreen, ComparisonExportAsked
from tui.console.compare.source import (
    ComparisonRead,
    ComparisonSource,
    ComparisonStarted,
    EvidenceRead,
    NotCompared,
)
from tui.console.dialogs import Ask, Choice, ExportDialog
from tui.console.experiment.frame import ExperimentFrame
from tui.console.experimenting import ExperimentApp
from tui.console.history.screen import CompareAsked
from tui.console.messages import ExperimentHeldUp
from tui.console.profiles.rows import ProfileRow, runs_words
from tui.console.profiles.screen import ProfilesScreen
from tui.console.profiles.widgets import ProfileMarked
from tui.experiment.plan import Experiment, Variant
from tui.experiment.record import ExperimentRecord, list_experiments
from tui.experiment.variants import distinct
from tui.record.record import Record, VariantRuns, default_runs
from tui.system.errors import UserError

MOST = 5
"""Sides that a screen has colours and room for."""
STARTS = {
    "6": "intervals of 95 % and a verdict",
    "3": "the range only, no verdict",
    "9": "narrower intervals",
}
"""How many runs a variant may have, by the key that chooses them, and what comes of it."""


class ComparingApp(ExperimentApp):
    """What is marked is compared; without a mark the newest comparison is shown."""

    def __init__(
        self, *, profiles: Path | None, runs: Path | None, attach: Record | ExperimentRecord | None = None
    ) -> None:
        super().__init__(profiles=profiles, runs=runs, attach=attach)
        self.marked: tuple[str, ...] = ()
        """The names of the marked profiles, in the order in which they were marked: the first is compared with."""
        self._next_experiment: Experiment | None = None
        """What is launched when the run that is being stopped is over."""
        self._compared: ComparisonSource | None = None
        """Where the comparison on the screen comes from."""
        self._told: list[str] = []
        """What the last comparison says: printed when the console is left."""

    def action_mark(self) -> None:
        """Mark the selected profile, or unmark it."""
        if not self.reading:
            self._mark(self.selected)

    @on(ProfileMarked)
    def _profile_marked(self, message: ProfileMarked) -> None:
        self._mark(message.index)

    def _mark(self, index: int) -> None:
        if index >= len(self.rows):
            return
        row = self.rows[index]
        if row.name in self.marked:
            self._show_marks(tuple(name for name in self.marked if name != row.name))
        elif row.state != "ready":
            self.refuse(f"{row.refusal}; it can't be compared")
        elif len(self.marked) == MOST:
            self.refuse(f"{MOST} profiles are marked already, and no more are compared at once")
        else:
            self._show_marks((*self.marked, row.name))

    def _show_marks(self, marked: tuple[str, ...]) -> None:
        self.marked = marked
        self._main.show_marks(marked)
        for screen in self.screen_stack:
            if isinstance(screen, ProfilesScreen):
                screen.show_marks(marked)
        self.refresh_bindings()

    def action_compare(self) -> None:
        """Ask how often each marked profile is to be started, and compare them; without a mark show the newest."""
        if self.experiment_goes_on:
            self.refuse(f"a {self.experiment_kind} goes on; s stops it")
        elif not self.marked:
            self._show_newest()
        elif self.launching is not None or self.next is not None or self._next_experiment is not None:
            self.refuse("a run is being started")
        else:
            rows = [row for name in self.marked for row in self.rows if row.name == name]
            if len(rows) == 1:
                rows *= 2
            choices = [Choice(key, f"{runs_words(rows, int(key))}: {what}") for key, what in STARTS.items()]
            self.push_screen(
                Ask("Compare", self._question(rows), choices), partial(self._launch_comparison, rows)
            )

    def _question(self, rows: Sequence[ProfileRow]) -> str:
        if rows[0] is rows[1]:
            what = f"Only {rows[0].title} is marked. Against itself it shows how much is noise."
        else:
            what = f"{' against '.join(row.title for row in rows)}."
        running = f" {self._running_title()} is running, and is stopped first." if self.run_goes_on else ""
        return f"{what}{running}\n\nStacks start afresh in turn, one at a time. How often each?"

    def _launch_comparison(self, rows: Sequence[ProfileRow], answer: str | None) -> None:
        if answer is None:
            return
        labels: list[str] = []
        for row in rows:
            labels.append(distinct(row.name, labels))
        self._next_experiment = Experiment(
            kind="comparison",
            title=" against ".join(labels),
            variants=tuple(
                Variant(label=label, profile=str(row.path.absolute()))
                for label, row in zip(labels, rows, strict=True)
            ),
            runs_each=int(answer),
            profiles=self.profiles.absolute() if self.profiles else None,
        )
        self._stop_or_go_on()

    def run_is_over(self) -> None:
        if self._next_experiment is None or self.leaving:
            super().run_is_over()
            return
        experiment, self._next_experiment = self._next_experiment, None
        self._show_marks(())
        self._launch_experiment(experiment)

    def _launch_experiment(self, experiment: Experiment) -> None:
        self.launching_experiment = True
        self._told = []
        self._main.show_hint(f"Starting the comparison of {experiment.title} …")
        self.jobs.launch_experiment(experiment, after=self.record)
        self.refresh_bindings()

    @on(ExperimentHeldUp)
    def _experiment_held_up(self, message: ExperimentHeldUp) -> None:
        """Another run holds the machine: ask whether to compare beside it."""
        self.not_launched(f"{message.by} goes on: nothing was started")
        if not self.is_running or self.farewell:
            return
        choices = [Choice("y", "compare beside the other one (both disturb each other)"), Choice("n", "no")]
        question = f"{message.by} goes on on this machine."
        concurrent = message.experiment.model_copy(update={"concurrent": True})
        self.push_screen(
            Ask("Another run goes on", question, choices), partial(self._concurrently, concurrent)
        )

    def _concurrently(self, experiment: Experiment, answer: str | None) -> None:
        if answer == "y" and not self.experiment_goes_on and self.launching is None:
            self._launch_experiment(experiment)

    def _show_newest(self) -> None:
        try:
            newest = next(iter(list_experiments(self.runs or default_runs(), "comparison")), None)
        except UserError as error:
            self.refuse(str(error))
            return
        if newest is None:
            self.refuse("nothing is marked: space marks a profile, and c compares those that are")
        else:
            self.show_comparison(newest)

    def show_result(self, record: ExperimentRecord, frame: ExperimentFrame) -> None:
        if self.leaving:
            return
        if not frame.comparable:
            self._main.show_hint(f"The {frame.kind} has no two variants with a whole run: nothing to compare")
        elif frame.kind != "comparison":
            self.notify(f"The {frame.kind} is over.", markup=False)
        elif self.screen is self._main:
            self.show_comparison(record)
        else:
            self._main.show_hint("The comparison is over: c shows it")
            self.notify("The comparison is over: c shows it on the main screen.")

    def show_comparison(self, what: ExperimentRecord | Sequence[VariantRuns]) -> None:
        """Read a comparison, and show it as it comes."""
        name = (
            what.name if isinstance(what, ExperimentRecord) else " against ".join(label for label, _ in what)
        )
        if self._compared is not None:
            self._compared.close()
        self._compared = ComparisonSource(what, self.post_message)
        self.push_screen(CompareScreen(name), lambda _: self._close_comparison())

    def _close_comparison(self) -> None:
        if self._compared is not None:
            self._compared.close()

    def _screen_of(self, source: object) -> CompareScreen | None:
        """The screen that shows what this reading gives; None for an earlier one."""
        screens = (screen for screen in self.screen_stack if isinstance(screen, CompareScreen))
        return next(screens, None) if source is self._compared else None

    @on(ComparisonStarted)
    def _comparison_started(self, message: ComparisonStarted) -> None:
        if screen := self._screen_of(message.source):
            screen.show_reading(message.runs)

    @on(ComparisonRead)
    def _comparison_read(self, message: ComparisonRead) -> None:
        if screen := self._screen_of(message.source):
            screen.show_comparison(message.comparison)
            self._remember(message.comparison)

    @on(EvidenceRead)
    def _evidence_read(self, message: EvidenceRead) -> None:
        if screen := self._screen_of(message.source):
            screen.show_evidence(message.variants)

    @on(NotCompared)
    def _not_compared(self, message: NotCompared) -> None:
        if screen := self._screen_of(message.source):
            self.refuse(message.reason)
            screen.dismiss(None)

    @on(ComparisonExportAsked)
    def _comparison_export_asked(self) -> None:
        from tui.compare.formats import FORMATS

        screen = self.screen
        if isinstance(screen, CompareScreen) and self._compared is not None:
            what = self._compared.what
            name = what.name if isinstance(what, ExperimentRecord) else "comparison"
            dialog = ExportDialog(FORMATS, name, Path.cwd())
            self.push_screen(dialog, partial(self._export_comparison, screen))

    def _export_comparison(self, screen: CompareScreen, chosen: tuple[str, Path] | None) -> None:
        if chosen is not None and screen.comparison is not None:
            self.jobs.export_comparison(screen.comparison, screen.evidence, *chosen)

    @on(CompareAsked)
    def _compare_asked(self, message: CompareAsked) -> None:
        """A kept comparison, or kept runs beside each other, are to be shown."""
        self.show_comparison(message.what)

    def _remember(self, comparison: Comparison) -> None:
        """What is printed in the terminal afterwards: only of a comparison that this console has run."""
        if self._compared is not None and self._ran(self._compared.what):
            assert isinstance(self._compared.what, ExperimentRecord)
            self._told = [*comparison.sentences, str(self._compared.what.folder)]

    def _ran(self, what: object) -> bool:
        return (
            isinstance(what, ExperimentRecord)
            and self.experiment_frame is not None
            and (what.name == self.experiment_frame.name)
        )

    def _leave(self) -> None:
        """The comparison is what came of its runs: the last of them isn't printed."""
        if self._told and self.record == self._experiment_run:
            self.farewell += self._told
            self.exit()
        else:
            super()._leave()
