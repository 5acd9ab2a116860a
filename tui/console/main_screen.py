"""The main screen: the profiles on the left, and the run on display."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.widget import Widget

from tui.console.experiment.frame import ExperimentFrame
from tui.console.experiment.line import ExperimentLine
from tui.console.profiles.rows import ProfileRow
from tui.console.profiles.widgets import Preview, ProfileList
from tui.console.run.frame import Frame
from tui.console.run.screen import RunScreen
from tui.console.run.status import StatusLine


class MainScreen(RunScreen):
    """A run and the profiles; before the first run, what running the selected profile would do.

    If there's no room for the list of profiles, a line says what is marked.
    """

    FIRST_STAGE: ClassVar[str] = "preview"
    DEFAULT_CSS = """
    MainScreen {
        &.-narrow, &.-tiny {
            ExperimentLine.-marks { display: block; }
        }
    }
    """

    def line(self) -> Widget:
        return ExperimentLine()

    def aside(self) -> Widget:
        return ProfileList(classes="panel")

    def stages(self) -> Iterable[Widget]:
        return (Preview(classes="panel", id="preview"),)

    def show_profiles(self, rows: tuple[ProfileRow, ...], selected: int) -> None:
        """Show the profiles, and what running the selected one would do."""
        profiles = self.query_one(ProfileList)
        preview = self.query_one(Preview)
        profiles.rows, profiles.selected, profiles.reading = rows, selected, False
        preview.row, preview.reading = rows[selected] if rows else None, False

    def show_marks(self, marked: tuple[str, ...]) -> None:
        """Show which profiles are marked."""
        self.query_one(ProfileList).marked = marked
        self.query_one(ExperimentLine).marked = marked

    def show_cpu(self, share: float | None) -> None:
        """Show the console's own CPU use."""
        self.query_one(StatusLine).own_cpu = share

    def show_hint(self, hint: str) -> None:
        """Show what is happening before the first frame."""
        self.query_one(StatusLine).hint = hint

    def show_experiment(self, frame: ExperimentFrame | None) -> None:
        """Show how far an experiment has got; None hides the line."""
        self.query_one(ExperimentLine).frame = frame

    def show(self, frame: Frame) -> None:
        """Show one frame of a run."""
        self.query_one(ProfileList).running = frame.profile if frame.running else None
        super().show(frame)

    def _arrange(self) -> None:
        super()._arrange()
        self.query_one(ProfileList).details = not self.idle
