"""The part of the app that looks back: the kept runs, and what is done to them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from textual import on

from tui.console.dialogs import Ask, Choice
from tui.console.farewell import goes_on
from tui.console.history.rows import HistoryRow, named
from tui.console.history.screen import DeletionAsked, ExportAsked, HistoryAsked, HistoryRead, HistoryScreen
from tui.console.launching import LaunchingApp
from tui.console.paging import PagingApp
from tui.experiment.rows import ExperimentRow
from tui.record.control import is_running
from tui.record.record import Record, default_runs


class ReviewingApp(LaunchingApp, PagingApp):
    """Opens kept runs, exports and deletes them. A run that goes on isn't disturbed by any of that."""

    def action_history(self) -> None:
        """List the runs that are kept."""
        self.push_screen(HistoryScreen(self.runs or default_runs()), self._open)

    def _open(self, record: Record | None) -> None:
        """Show a kept run; the one that goes on meanwhile can be come back to."""
        if record is None or record == self.record:
            return
        beside = self.record if self.run_goes_on and self.launching is None else self.found
        self.follow(record)
        if beside is not None and beside != record:
            self.found = beside
            self.notify(f"{beside.name} goes on: a shows it again", markup=False)
            self.refresh_bindings()

    def _leave(self) -> None:
        """Whoever leaves while another run is looked at reads how to come back to the one that goes on."""
        if self.found is not None and is_running(self.found):
            self.farewell.append(goes_on(self.found, self.runs))
        super()._leave()

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
        self.ask_export(message.record)

    @on(DeletionAsked)
    def _deletion_asked(self, message: DeletionAsked) -> None:
        """Ask, unless one of them goes on: that isn't deleted."""
        rows = message.rows
        running = next((row for row in rows if row.verdict == "running"), None)
        if running is not None:
            self.refuse(f"{running.record.name} goes on: stop it first")
            return
        choices = [Choice("n", "keep"), Choice("y", "delete")]
        self.push_screen(Ask("Delete", deletion_question(rows), choices), partial(self._delete, rows))

    def _delete(self, rows: Sequence[HistoryRow], answer: str | None) -> None:
        if answer == "y":
            self.jobs.delete(rows)
            self.jobs.read_history(())


def deletion_question(rows: Sequence[HistoryRow]) -> str:
    """Names one, counts several."""
    if all(isinstance(row, ExperimentRow) for row in rows):
        return (
            f"Delete {named(rows)}? Its runs stay."
            if len(rows) == 1
            else f"Delete {named(rows)}? Their runs stay."
        )
    return f"Delete {named(rows)}, with all events, logs and files? There is no way back."
