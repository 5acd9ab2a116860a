"""The profiles, each with the digit that selects it, and what running the selected one would do."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from tui.console.drawing.drawn import Drawn
from tui.console.drawing.lines import EMPTY, Line, clip, wrapped
from tui.console.profiles.lines import TITLE_MARGIN, fact_lines, row_line
from tui.console.profiles.rows import ProfileRow, State

TITLES: dict[State, str] = {"ready": "Ready", "needs": "Something is missing", "broken": "Broken"}


@dataclass
class ProfilesRead(Message):
    """The profiles, and the one selected at first."""

    rows: tuple[ProfileRow, ...]
    default: int


@dataclass
class ProfileSelected(Message):
    """The user selected another profile; this never disturbs a run."""

    index: int


@dataclass
class ProfileMarked(Message):
    """Mark a profile for a comparison, or unmark it."""

    index: int


class ProfileList(Drawn):
    """A list, with the facts of the selected profile below it."""

    DEFAULT_CSS = """
    ProfileList { width: 1fr; height: 1fr; }
    """

    BORDER_TITLE = "Profiles"

    rows: reactive[tuple[ProfileRow, ...]] = reactive((), repaint=False)
    """The profiles, in order."""
    reading: reactive[bool] = reactive(True, repaint=False)
    """Whether the profiles are still being read."""
    selected: reactive[int] = reactive(0, repaint=False)
    """The index of the selected profile."""
    running: reactive[str | None] = reactive(None, repaint=False)
    """The name of the running profile."""
    marked: reactive[tuple[str, ...]] = reactive((), repaint=False)
    """The names of the profiles marked for a comparison."""
    details: reactive[bool] = reactive(True, repaint=False)
    """Whether the facts of the selected profile are shown below the list."""

    def watch_rows(self) -> None:
        self.redraw()

    def watch_reading(self) -> None:
        self.redraw()

    def watch_selected(self) -> None:
        self.redraw()

    def watch_running(self) -> None:
        self.redraw()

    def watch_marked(self) -> None:
        marked = f": {len(self.marked)} marked, c compares" if self.marked else ""
        self.border_title = Content(f"{self.BORDER_TITLE}{marked}")
        self.redraw()

    def watch_details(self) -> None:
        self.redraw()

    def on_click(self, event: events.Click) -> None:
        """A click selects a row."""
        offset = event.get_content_offset(self)
        if offset is not None and offset.y < self._list_height(self.content_size.height):
            index = self._first(self.content_size.height) + offset.y
            if index < len(self.rows):
                self.post_message(ProfileSelected(index))

    def lines(self, width: int, height: int) -> list[Line]:
        if not self.rows:
            return [(("quiet", "reading profiles …" if self.reading else "no profiles found"),)]
        room = self._list_height(height)
        first = self._first(height)
        lines = [
            row_line(
                row,
                i + 1,
                width,
                selected=i == self.selected,
                running=row.name == self.running,
                marked=row.name in self.marked,
            )
            for i, row in enumerate(self.rows[first : first + room], first)
        ]
        if self.details and height - len(lines) >= 3:
            row = self.rows[self.selected]
            whole = wrapped(row.title, width, "strong") if cell_len(row.title) > width - TITLE_MARGIN else []
            lines += [EMPTY, (("faint", "─" * width),), *whole, *fact_lines(row, width)]
        return lines

    def _list_height(self, height: int) -> int:
        """The list's height: all rows, but a third of the height stays free for the facts."""
        return min(len(self.rows), height - height // 3 if self.details and height > 9 else height)

    def _first(self, height: int) -> int:
        room = self._list_height(height)
        return max(0, min(self.selected - room // 2, len(self.rows) - room))


class Preview(Drawn):
    """What the selected profile would do, before a run."""

    DEFAULT_CSS = """
    Preview { padding: 1 2; }
    """

    BORDER_TITLE = "Ready"

    row: reactive[ProfileRow | None] = reactive(None, repaint=False)
    """The selected profile."""
    reading: reactive[bool] = reactive(True, repaint=False)
    """Whether the profiles are still being read."""

    def watch_row(self) -> None:
        self._retitle()

    def watch_reading(self) -> None:
        self._retitle()

    def _retitle(self) -> None:
        self.border_title = TITLES[self.row.state] if self.row else "" if self.reading else "No profile"
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        row = self.row
        if row is None and self.reading:
            return [(("quiet", "reading profiles …"),)]
        if row is None:
            return [(("quiet", "No profiles found; stackdyno --profiles DIR reads yours."),)]
        lines: list[Line] = [
            clip((("strong", row.title),), width),
            EMPTY,
            *fact_lines(row, min(width, 96)),
            EMPTY,
        ]
        if row.state == "ready":
            lines.append(
                (
                    ("measured", "r"),
                    ("plain", " runs it"),
                    ("quiet", "   v shows its file   ? explains the screen"),
                )
            )
        else:
            lines.append((("quiet", "It can't run as it is.   v shows its file"),))
        return lines
