"""The replay's time bar and its list of places; a click on either jumps."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.reactive import reactive

from tui.console.drawing.drawn import Drawn
from tui.console.drawing.lines import Line
from tui.console.replay.lines import TimeBar, bar_line, current, place_lines, time_at


class Picked(Message):
    """A moment was clicked."""

    def __init__(self, at: float) -> None:
        super().__init__()
        self.at = at


class TimeLine(Drawn):
    """One line: playing or paused, speed, position, the run as a bar, its length."""

    DEFAULT_CSS = """
    TimeLine {
        height: 1;
        padding: 0 1;
        background: $surface;
    }
    """

    bar: reactive[TimeBar | None] = reactive(None, repaint=False)
    """What to draw; None while the record is read."""

    def watch_bar(self) -> None:
        self.redraw()

    def on_click(self, event: events.Click) -> None:
        """Jump there."""
        offset = event.get_content_offset(self)
        if offset is not None and self.bar is not None:
            at = time_at(self.bar, offset.x, self.content_size.width)
            if at is not None:
                self.post_message(Picked(at))

    def lines(self, width: int, height: int) -> list[Line]:
        return [bar_line(self.bar, width)] if self.bar else [(("quiet", "reading the record …"),)]


class Places(Drawn):
    """The phases and findings, by time; the last that was reached stays in sight."""

    DEFAULT_CSS = """
    Places { height: 1fr; }
    """

    BORDER_TITLE = "Replay"

    bar: reactive[TimeBar | None] = reactive(None, repaint=False)
    """Where the replay is, and the places."""

    def watch_bar(self) -> None:
        self.redraw()

    @property
    def _first(self) -> int:
        """The index of the place on top."""
        here, height = (current(self.bar) if self.bar else None) or 0, self.content_size.height
        return max(0, min(here - height // 2, len(self.bar.places if self.bar else ()) + 1 - height))

    def on_click(self, event: events.Click) -> None:
        """Jump there."""
        offset = event.get_content_offset(self)
        if offset is not None and self.bar is not None:
            index = self._first + offset.y
            if index < len(self.bar.places):
                self.post_message(Picked(self.bar.places[index].at))

    def lines(self, width: int, height: int) -> list[Line]:
        return place_lines(self.bar, width)[self._first :] if self.bar else []
