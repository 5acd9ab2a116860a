"""The kept runs as a list that scrolls, and what the selected one says."""

from __future__ import annotations

from datetime import UTC, date, datetime

from textual import events
from textual.message import Message
from textual.reactive import reactive

from tui.console.drawing.drawn import Drawn
from tui.console.drawing.lines import MARKED, Line, clip, joined, spread
from tui.console.history.lines import HistoryRow, detail_lines, empty_lines, head_line, row_line

WHEEL = 3
"""Rows that one turn of the wheel scrolls."""


def today() -> date:
    """The day, where the reader is."""
    return datetime.now(UTC).astimezone().date()


class RunList(Drawn):
    """A row for each run. The list scrolls as little as it must to keep the selected one in sight."""

    DEFAULT_CSS = """
    RunList { height: 1fr; }
    """

    class Picked(Message):
        """A row was clicked; the second time it is to be opened."""

        def __init__(self, index: int, *, twice: bool) -> None:
            super().__init__()
            self.index, self.twice = index, twice

    rows: reactive[tuple[HistoryRow, ...]] = reactive((), repaint=False)
    """What is drawn, top first."""
    selected: reactive[int] = reactive(0, repaint=False)
    """Which one the cursor is on."""
    marked: reactive[frozenset[str]] = reactive(frozenset(), repaint=False)
    """The names of the marked runs."""
    nothing: reactive[str] = reactive("", repaint=False)
    """What stands there when there is no row."""
    _first = 0

    def watch_rows(self) -> None:
        self._keep_in_sight()

    def watch_selected(self) -> None:
        self._keep_in_sight()

    def watch_marked(self) -> None:
        self.redraw()

    def watch_nothing(self) -> None:
        self.redraw()

    def on_resize(self) -> None:
        self._keep_in_sight()

    @property
    def page(self) -> int:
        """Rows that fit."""
        return max(1, self.content_size.height - 1)

    def on_click(self, event: events.Click) -> None:
        """A row that is clicked is selected, clicked twice opened."""
        offset = event.get_content_offset(self)
        if offset is not None and offset.y >= 1 and self._first + offset.y - 1 < len(self.rows):
            self.post_message(self.Picked(self._first + offset.y - 1, twice=event.chain == 2))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._scroll(WHEEL)
        event.stop()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scroll(-WHEEL)
        event.stop()

    def _scroll(self, by: int) -> None:
        """Move what is in sight; the cursor comes along only where it would be lost."""
        self._first = max(0, min(self._first + by, len(self.rows) - self.page))
        self.selected = max(self._first, min(self.selected, self._first + self.page - 1))
        self._say_place()
        self.redraw()

    def _keep_in_sight(self) -> None:
        first = min(self._first, self.selected, max(0, len(self.rows) - self.page))
        self._first = max(0, first, self.selected - self.page + 1)
        self._say_place()
        self.redraw()

    def _say_place(self) -> None:
        """Which rows are in sight, where not all are."""
        last = min(len(self.rows), self._first + self.page)
        text = f"{self._first + 1}-{last} of {len(self.rows)}" if len(self.rows) > self.page else ""
        if text != self.border_subtitle:
            self.border_subtitle = text

    def lines(self, width: int, height: int) -> list[Line]:
        if not self.rows:
            return empty_lines(self.nothing, width)
        now = today()
        shown = range(self._first, min(len(self.rows), self._first + max(1, height - 1)))
        return [
            head_line(width),
            *(
                row_line(
                    self.rows[i],
                    width,
                    selected=i == self.selected,
                    marked=self.rows[i].record.name in self.marked,
                    today=now,
                )
                for i in shown
            ),
        ]


class RunDetails(Drawn):
    """What the selected run says about itself."""

    DEFAULT_CSS = """
    RunDetails { height: 9; }
    """

    row: reactive[HistoryRow | None] = reactive(None, repaint=False)
    """The selected run."""

    def watch_row(self, row: HistoryRow | None) -> None:
        self.border_title = row.record.name if row else ""
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        return detail_lines(self.row, width, height) if self.row else []


class HistoryHead(Drawn):
    """How many runs and experiments there are, how many are in the list, how many are marked."""

    DEFAULT_CSS = """
    HistoryHead {
        height: 1;
        background: $surface;
        padding: 0 1;
    }
    """

    counts: reactive[tuple[int, int, int]] = reactive((0, 0, 0), repaint=False)
    """Kept, listed, marked."""
    folder: reactive[str] = reactive("", repaint=False)
    """Where they are kept."""

    def watch_counts(self) -> None:
        self.redraw()

    def watch_folder(self) -> None:
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        kept, listed, marked = self.counts
        what = f"{listed} of {kept} kept" if listed != kept else f"{kept} kept"
        facts = joined(
            (
                (("plain", what), ("quiet", ", newest first" if listed > 1 else "")),
                (("measured", f"{MARKED} {marked} marked"),) if marked else (),
            )
        )
        left: Line = (("measured", "stackdyno"), ("strong", "  History  "), *facts)
        right_end = clip((("quiet", self.folder),), max(0, width - 60))
        return [spread(left, right_end, width)]
