"""The console: selects, launches, follows and stops runs. It measures nothing; it shows what a record says."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual.app import SystemCommand
from textual.binding import BindingType
from textual.screen import Screen

from tui.console.comparing import ComparingApp
from tui.console.drawing.themes import VARIANTS_ELSEWHERE
from tui.console.keys import BINDINGS, COMMANDS
from tui.console.profiles.screen import ProfilesScreen
from tui.console.run.panels import WorkerTable
from tui.experiment.record import ExperimentRecord
from tui.record.record import Record


class ConsoleApp(ComparingApp):
    """What the keys do."""

    TITLE = "stackdyno"
    BINDINGS: ClassVar[list[BindingType]] = [*BINDINGS]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that can do nothing at this moment are dimmed, or aren't there."""
        match action:
            case "stop" if not self.experiment_goes_on:
                return self.run_goes_on or (None if self.found is None else False)
            case "export" | "log" | "findings":
                return True if self.source is not None else None
            case "compare":
                return not self.experiment_goes_on
            case "attach":
                return self.found is not None or self.found_experiment is not None
        return True

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Everything that a key does, and selecting each profile by its name."""
        for title, key, action in COMMANDS:
            if self.check_action(action, ()):
                yield SystemCommand(title, key, getattr(self, f"action_{action}"))
        for i, row in enumerate(self.rows):
            yield SystemCommand(f"Select {row.title}", row.name, partial(self.select, i))
        yield SystemCommand("Theme", "Change the colours", self.action_change_theme)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Any theme has colours for the variants of a comparison."""
        return VARIANTS_ELSEWHERE

    def action_select(self, index: int) -> None:
        """Select a profile by its place."""
        self.select(index)

    def action_move(self, by: int) -> None:
        """Select the next or the previous profile."""
        self.select(self.selected + by)

    def action_scroll_workers(self, by: int) -> None:
        """Scroll the workers by rows."""
        self._main.query_one(WorkerTable).first += by

    def action_profiles(self) -> None:
        """Show the profiles as a list over the screen."""
        if self.reading:
            self._main.show_hint("reading profiles …")
            return
        running = self.frame.profile if self.frame and self.frame.running else None
        self.push_screen(ProfilesScreen(self.rows, self.selected, running, self.marked), self._profile_chosen)

    def _profile_chosen(self, what: str | None) -> None:
        actions: dict[str, Callable[[], None]] = {
            "run": self.action_run,
            "view": self.action_view,
            "compare": self.action_compare,
        }
        if what is not None:
            actions[what]()


def run_console(
    *, profiles: Path | None, runs: Path | None, attach: Record | ExperimentRecord | None = None
) -> int:
    """Open the console on this terminal until it is left; the exit status.

    Args:
        profiles: A folder that is searched before the usual ones.
        runs: Where records are kept; the user's state folder by default.
        attach: A run or an experiment to show at once, whether it goes on or is over.
    """
    app = ConsoleApp(profiles=profiles, runs=runs, attach=attach)
    app.run()
    with contextlib.suppress(OSError):  # the terminal may be gone
        for text in app.farewell:
            print(text, flush=True)
    return app.return_code or 0
