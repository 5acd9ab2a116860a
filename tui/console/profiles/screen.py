"""The profiles as a list on top of the main screen, for terminals too small for both."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from tui.console.pages import Over, Page
from tui.console.profiles.rows import ProfileRow
from tui.console.profiles.widgets import ProfileList, ProfileMarked, ProfileSelected
from tui.system.text import printable


class ProfilesScreen(Over[str | None]):
    """Select a profile; returns what to do with it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,p,ctrl+c", "dismiss(None)", "Close"),
        Binding("enter,r", "dismiss('run')", "Run"),
        Binding("v", "dismiss('view')", "View"),
        Binding("c", "dismiss('compare')", "Compare"),
        Binding("space", "mark", "Mark"),
        Binding("up,left_square_bracket", "move(-1)", "Up"),
        Binding("down,right_square_bracket", "move(1)", "Down"),
        *(Binding(str(digit), f"pick({digit - 1})", str(digit)) for digit in range(1, 10)),
    ]

    DEFAULT_CSS = """
    ProfilesScreen {
        align: center middle;
        background: $background 55%;
        ProfileList {
            width: 96%;
            max-width: 90;
            height: 92%;
            max-height: 40;
            background: $surface;
            border: round $accent;
            border-title-style: bold;
            border-subtitle-color: $foreground 65%;
            padding: 0 1;
        }
    }
    """

    def __init__(
        self, rows: tuple[ProfileRow, ...], selected: int, running: str | None, marked: tuple[str, ...]
    ) -> None:
        super().__init__()
        self._shown = rows, selected, running, marked

    def compose(self) -> ComposeResult:
        profiles = ProfileList()
        profiles.rows, profiles.selected, profiles.running, profiles.marked = self._shown
        profiles.reading = False
        profiles.border_subtitle = (
            "r runs it   space marks it   c compares   v shows its file   escape closes"
        )
        yield profiles

    def show_marks(self, marked: tuple[str, ...]) -> None:
        """Show which profiles are marked."""
        self.query_one(ProfileList).marked = marked

    def action_mark(self) -> None:
        """Mark the selected profile for a comparison, or unmark it."""
        self.app.post_message(ProfileMarked(self.query_one(ProfileList).selected))

    def action_move(self, by: int) -> None:
        """Select the next or the previous profile."""
        self.action_pick(self.query_one(ProfileList).selected + by)

    def action_pick(self, index: int) -> None:
        """Select a profile by its position in the list."""
        profiles = self.query_one(ProfileList)
        if 0 <= index < len(profiles.rows):
            profiles.selected = index
            self.app.post_message(ProfileSelected(index))

    def on_profile_selected(self, message: ProfileSelected) -> None:
        """A row was clicked: select it here too. The app gets the message as well."""
        self.query_one(ProfileList).selected = message.index


def file_page(row: ProfileRow) -> Page:
    """A profile's problems, followed by its file.

    Raises:
        OSError: The file can't be read.
    """
    text = printable(row.path.read_text(encoding="utf-8", errors="replace"))
    reasons = Content("\n").join([Content.styled(why, "$error") for why in row.why_not])
    return Page(str(row.path), Content.assemble(reasons, "\n\n", text) if row.why_not else Content(text))
